import pytest

from cfr_core.datasets.file_finder import FileFinder


@pytest.fixture
def finder(tmp_path):
    for name in ("a/Zebra 1.JPG", "a/zebra_2.jpg", "b/zebra_2.jpg", "b/Löwe.jpg", "a/crop.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return FileFinder(tmp_path)


@pytest.mark.parametrize("name", ["a/zebra_2.jpg", "./a/../a/zebra_2.jpg", r"a\zebra_2.jpg"])
def test_a_file_is_found_by_its_exact_name(tmp_path, finder, name):
    assert finder.find(name) == tmp_path / "a" / "zebra_2.jpg"


@pytest.mark.parametrize("name", ["", "a", "zebra_2.jpg", "a/zebra_3.jpg", "a/\0", "x" * 5000])
def test_nothing_else_is_taken_for_it(finder, name):
    assert finder.find(name) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/zebra 1.jpg", ["a/Zebra 1.JPG"]),  # letter case
        ("a/zebra_2.png", ["a/zebra_2.jpg", "b/zebra_2.jpg"]),  # another ending, then elsewhere
        ("zebra_2.jpg", ["a/zebra_2.jpg", "b/zebra_2.jpg"]),  # folder left out
        ("images/a/crop.png", ["a/crop.png"]),
        ("b/zebra_3.jpg", ["b/zebra_2.jpg"]),  # spelling, in its own folder only
        ("b/Lo\u0308we.jpg", ["b/Löwe.jpg"]),  # the same letter, composed as macOS does
        ("c/nothing_like_it.gif", []),
    ],
)
def test_the_nearest_names_are_offered(finder, name, expected):
    assert finder.nearest(name) == expected


def test_a_slip_is_found_among_thousands_wherever_it_is(tmp_path):
    for number in range(3000):
        (tmp_path / f"image_{number:05}.jpg").touch()
    finder = FileFinder(tmp_path)
    assert "image_01234.jpg" in finder.nearest("imagw_01234.jpg")
    assert "image_01234.jpg" in finder.nearest("image_o1234.jpg")
    assert "image_01234.jpg" in finder.nearest("image_01234.jpgg")
