import sys
from datetime import datetime
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from cfr_core.datasets.records import MaskReference
from cfr_core.datasets.wildlife import read_wildlife, source_from_wildlife
from cfr_core.errors import InputError

SQUARE = [0.0, 0.0, 4.0, 0.0, 4.0, 4.0]


class FakeDataset:
    """What a class of wildlife-datasets looks like from outside."""

    col_path = "path"
    col_label = "identity"

    def __init__(self, root, check_files=True):
        assert not check_files, "one missing file would stop the whole import"
        self.root = root
        self.df = pd.DataFrame(
            {
                "image_id": [0, 1, 2],
                "identity": ["unknown", "7", "7"],
                "path": ["a.jpg", "b.jpg", "c.jpg"],
                "bbox": [[1.0, 2.0, 3.0, 4.0], np.nan, np.array([5, 6, 7, 8])],
                "date": ["2019-07-14", None, "2019:07:15"],
                "orientation": ["left", "right", None],
                "segmentation": [np.array(SQUARE), {"size": [2, 2], "counts": "04"}, "m/c.png"],
                "keypoints": [{"eye": [1, 2]}, None, None],
            }
        )


class BrokenDataset:
    def __init__(self, root, **_):
        raise FileNotFoundError(f"no annotations.csv in {root}")


@pytest.fixture
def package(monkeypatch):
    """A stand-in for the package, which is AGPL and no requirement."""
    module = ModuleType("wildlife_datasets.datasets")
    module.FakeDataset, module.BrokenDataset = FakeDataset, BrokenDataset
    monkeypatch.setitem(sys.modules, "wildlife_datasets", ModuleType("wildlife_datasets"))
    monkeypatch.setitem(sys.modules, "wildlife_datasets.datasets", module)


@pytest.mark.usefixtures("package")
def test_a_dataset_class_is_read_by_name(tmp_path):
    source = read_wildlife("FakeDataset", tmp_path)
    assert source.kind == "wildlife-datasets"
    assert source.root == tmp_path.resolve()
    assert source.table["identity"].tolist() == ["unknown", "7", "7"]
    assert source.boxes == ((1, 2, 3, 4), None, (5, 6, 7, 8))
    assert source.masks == (
        MaskReference("polygons", [SQUARE], None),
        MaskReference("rle", {"size": [2, 2], "counts": "04"}, (2, 2)),
        MaskReference("file", "m/c.png"),
    )
    assert source.table["captured_at"][2] == datetime(2019, 7, 15)
    assert source.table["orientation"].tolist() == ["left", "right", pd.NA]
    assert source.table["keypoints"][0] == '{"eye": [1, 2]}'
    assert source.table["image_id"].tolist() == ["0", "1", "2"]


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Nothing", "has no class Nothing"),
        ("BrokenDataset", "BrokenDataset cannot read .*no annotations.csv"),
    ],
)
def test_a_class_that_is_not_there_or_cannot_read_is_an_input_error(tmp_path, name, message):
    with pytest.raises(InputError, match=message):
        read_wildlife(name, tmp_path)


def test_without_the_package_the_line_that_installs_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "wildlife_datasets", None)
    with pytest.raises(InputError, match=r'pip install "wildlife-datasets>=1\.0\.9,<2"'):
        read_wildlife("StripeSpotter", tmp_path)


def test_a_folder_that_is_not_there_is_told_before_anything_is_imported(tmp_path):
    with pytest.raises(InputError, match="is no folder"):
        read_wildlife("StripeSpotter", tmp_path / "gone")


def test_an_object_is_read_as_it_is_with_other_column_names(tmp_path):
    dataset = FakeDataset(str(tmp_path), check_files=False)
    dataset.df = dataset.df.rename(columns={"path": "crop", "identity": "who"})
    dataset.col_path, dataset.col_label = "crop", "who"
    source = source_from_wildlife(dataset)
    assert source.table["path"].tolist() == ["a.jpg", "b.jpg", "c.jpg"]
    assert source.table["identity"].tolist() == ["unknown", "7", "7"]
