import pytest

from cfr_core.errors import InputError
from cfr_core.shipped import shipped_file


def test_a_shipped_file_is_found():
    assert shipped_file("datasets.csv").read_text(encoding="utf-8").startswith("dataset,species")


def test_a_missing_file_says_what_to_do():
    with pytest.raises(InputError, match=r"nothing\.csv is missing.*install it again"):
        shipped_file("nothing.csv")
