"""Whatever a source holds, the check ends with every row used or set aside."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from cfr_core.datasets.check import check
from cfr_core.datasets.records import MaskReference, Severity
from cfr_core.masks.files import write_mask_file
from cfr_core.masks.rle import decode

HW = (12, 16)
sides = st.one_of(st.floats(), st.floats(-5, 20), st.integers(-3, 18).map(float))
sizes = st.one_of(
    st.just(HW), st.just(HW[::-1]), st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.just((10**9, 10**9)),
)  # fmt: skip
numbers = st.one_of(st.integers(), st.integers(0, 16), st.floats(), st.text(max_size=2), st.none())
values = st.recursive(numbers, lambda inner: st.lists(inner, max_size=8), max_leaves=20)
masks = st.one_of(
    st.builds(MaskReference, st.just("file"), st.sampled_from(["m.png", "1.png", "cut.png", "?"])),
    st.builds(
        MaskReference,
        st.just("rle"),
        st.fixed_dictionaries({"counts": values | st.text(max_size=9)}, optional={"size": values}),
        st.none() | sizes,
    ),
    st.builds(MaskReference, st.just("polygons"), values, st.none() | sizes),
)
rows = st.fixed_dictionaries(
    {
        "path": st.sampled_from(["1.png", "turned.jpg", "cut.jpg", "gone.jpg", "", "\0", "."]),
        "box": st.none() | st.tuples(sides, sides, sides, sides),
        "mask": st.none() | masks,
        "size_hw": st.none() | sizes,
        "identity": st.none() | st.text(max_size=3),
    }
)


@pytest.fixture
def folder(tmp_path, photo):
    photo("1.png", HW)
    exif = Image.Exif()
    exif[0x0112] = 8
    Image.new("RGB", HW[::-1]).save(tmp_path / "turned.jpg", exif=exif)
    (tmp_path / "cut.jpg").write_bytes((tmp_path / "turned.jpg").read_bytes()[:-30])
    write_mask_file(np.random.default_rng(0).random(HW) > 0.5, tmp_path / "m.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "m.png").read_bytes()[:-30])
    return tmp_path


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(rows, max_size=6))
def test_every_row_is_used_or_set_aside_once(folder, source_of, given_rows):
    result = check(source_of(folder, given_rows), name="d")

    report, table = result.report, result.annotations.table
    set_aside = [f.source_row for f in report.findings if f.severity is Severity.SET_ASIDE]
    assert sorted([*set_aside, *table["source_row"]]) == list(range(1, len(given_rows) + 1))
    with_mask = {table["source_row"][mask.row_id] for mask in result.masks}
    refused = {f.source_row for f in report.findings if f.severity is Severity.NO_MASK}
    asked = {n for n, row in enumerate(given_rows, 1) if row["mask"]} - set(set_aside)
    assert with_mask | refused >= asked
    assert not with_mask & refused
    for mask in result.masks:
        row = table.iloc[mask.row_id]
        whole = pd.isna(row["bbox_w"])
        w, h = (row["width"], row["height"]) if whole else (row["bbox_w"], row["bbox_h"])
        assert decode(mask).shape == (h, w)
        assert decode(mask).any()
