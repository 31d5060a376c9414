"""What is offered to ask an audit by, and how what a person types is understood."""

import pandas as pd
import pytest

from cfr_core.audit.askable import askable, read_condition
from cfr_core.datasets.records import COLUMNS, Annotations
from cfr_core.errors import InputError

VALUES = {"side": ("left", "right"), "camera": ("C1", "c1", "C2"), "weather": ("right now",)}


def rows(**columns: list[object]) -> Annotations:
    """Four rows; text columns are empty unless they are given."""
    table = pd.DataFrame(dict.fromkeys(COLUMNS, 0), index=range(4)).assign(
        row_id=range(4),
        identity=pd.array(["a", "a", "b", "b"], "string"),
        captured_at=pd.NaT,
        file_sha256=["0", "1", "2", "3"],
    )
    texts = dict.fromkeys(("encounter", "camera", "orientation", "split", "species"), [None] * 4)
    given = {name: pd.array(values, "string") for name, values in (texts | columns).items()}
    return Annotations(table.assign(**given))


def test_rules_that_would_exclude_nothing_or_everything_are_not_offered() -> None:
    found = askable(
        rows(
            camera=["c1", None, None, None],
            session=["1", "1", "2", None],
            licence=["free"] * 4,  # would exclude everything
            frame=["1", "2", "3", "4"],  # nothing
            remark=["", "", "", "x"],  # an empty cell is unknown
        )
    )
    assert found.exclude == ("file", "camera", "session")


def test_values_that_choose_rows_are_offered() -> None:
    found = askable(rows(orientation=["right", "left", "left", None], licence=["free"] * 4))
    assert found.values == {"identity": ("a", "b"), "orientation": ("left", "right")}
    # One value for some rows chooses them; more values than a list can hold are typed.
    assert askable(rows(note=["blurred", None, None, None])).values["note"] == ("blurred",)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("side=left", ("side", "left")),
        ("  Side = LEFT ", ("side", "left")),  # case and spaces
        ("left", ("side", "left")),  # one column has it
        ("camera=c1", ("camera", "c1")),  # as written goes before alike
        ("camera=c2", ("camera", "C2")),
        ("note=a=b", ("note", "a=b")),  # not listed: as typed
        ("side=top", ("side", "top")),
    ],
)
def test_a_condition_is_understood(text: str, meant: tuple[str, str]) -> None:
    assert read_condition(text, VALUES) == meant


@pytest.mark.parametrize("text", ["", "top", "side=", "=left", "="])
def test_what_cannot_be_understood_is_told(text: str) -> None:
    with pytest.raises(InputError, match="write it as COLUMN=VALUE"):
        read_condition(text, VALUES)


def test_a_value_of_several_columns_is_told() -> None:
    with pytest.raises(InputError, match="a value of side and wing"):
        read_condition("left", VALUES | {"wing": ("left",)})
