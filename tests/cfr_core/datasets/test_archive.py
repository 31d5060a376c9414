"""Unpacking zips, most of them made to do harm."""

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr_core.datasets.archive import ArchiveLimits, unpack, unpack_upload
from cfr_core.errors import InputError
from cfr_core.types import Progress


def zip_of(*files: tuple[str | zipfile.ZipInfo, bytes]) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return stream


def with_mode(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_files_come_out_as_they_went_in(tmp_path: Path) -> None:
    heard: list[Progress] = []
    archive = zip_of(("a/1.jpg", b"one"), ("a/b/2.jpg", b""), ("list.csv", b"path\n"))
    unpack(archive, tmp_path / "to" / "here", on_progress=heard.append)
    assert files_below(tmp_path / "to" / "here") == {
        "a/1.jpg": b"one",
        "a/b/2.jpg": b"",
        "list.csv": b"path\n",
    }
    assert [p.done for p in heard] == [0, 1, 2, 3]
    assert {p.total for p in heard} == {3}


def test_what_systems_leave_behind_stays_out(tmp_path: Path) -> None:
    archive = zip_of(("__MACOSX/a/._1.jpg", b"x"), ("a/.DS_Store", b"x"), ("a/1.jpg", b"one"))
    unpack(archive, tmp_path / "t")
    assert files_below(tmp_path / "t") == {"a/1.jpg": b"one"}


def test_backslashes_are_slashes(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("a/1.jpg")
    info.filename = "a\\1.jpg"  # as some Windows programs write it
    unpack(zip_of((info, b"one")), tmp_path / "t")
    assert files_below(tmp_path / "t") == {"a/1.jpg": b"one"}


@pytest.mark.parametrize(
    "name",
    [
        "../outside.txt",
        "a/../../outside.txt",
        "a/..",
        "/outside.txt",
        "..\\outside.txt",
        "\\outside.txt",
        "C:\\outside.txt",
        "C:outside.txt",
        "a/photo.jpg:stream",
        "a/line\nbreak.jpg",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    info = zipfile.ZipInfo("x")
    info.filename = name
    with pytest.raises(InputError, match="leads out of its folder"):
        unpack(zip_of(("fine.jpg", b"x"), (info, b"x")), tmp_path / "in" / "t")
    assert files_below(tmp_path) == {}


@given(st.text(alphabet="./\\a:C \0", min_size=1, max_size=12))
def test_no_name_gets_out(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    base = tmp_path_factory.mktemp("base")
    info = zipfile.ZipInfo("x")
    info.filename = name
    try:
        unpack(zip_of((info, b"x")), base / "in" / "t")
    except (InputError, ValueError):
        assert files_below(base) == {}
    else:
        assert set(files_below(base)) == {f"in/t/{n}" for n in files_below(base / "in" / "t")}


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFIFO | 0o600, stat.S_IFCHR | 0o600])
def test_links_and_devices_are_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(InputError, match="a link or a device"):
        unpack(zip_of((with_mode("link", mode), b"/etc/passwd")), tmp_path / "t")
    assert list(tmp_path.iterdir()) == []


def test_programs_do_not_stay_programs(tmp_path: Path) -> None:
    unpack(zip_of((with_mode("run.sh", stat.S_IFREG | 0o4777), b"x")), tmp_path / "t")
    assert not (tmp_path / "t" / "run.sh").stat().st_mode & 0o6111


def test_a_bomb_is_refused_by_what_it_states(tmp_path: Path) -> None:
    limits = ArchiveLimits(always_bytes=1000)
    with pytest.raises(InputError, match="too much for a zip of its size"):
        unpack(zip_of(("zeros", bytes(10**6))), tmp_path / "in" / "t", limits=limits)
    assert list(tmp_path.iterdir()) == [], "nothing is written before"


def test_a_bomb_that_states_little_is_refused_too(tmp_path: Path) -> None:
    content = zip_of(("zeros", bytes(10**6))).getvalue()
    for offset in (zipfile.sizeFileHeader - 8, content.index(b"PK\x01\x02") + 24):
        assert struct.unpack_from("<L", content, offset) == (10**6,)
        content = content[:offset] + struct.pack("<L", 500) + content[offset + 4 :]
    with pytest.raises(InputError, match="damaged"):
        unpack(io.BytesIO(content), tmp_path / "t", limits=ArchiveLimits(always_bytes=1000))
    assert list(tmp_path.iterdir()) == []


def test_bytes_are_counted_over_all_files(tmp_path: Path) -> None:
    archive = zip_of(*((f"{i}", bytes(400)) for i in range(3)))
    unpack(archive, tmp_path / "t", limits=ArchiveLimits(max_bytes=1200))
    with pytest.raises(InputError, match="too much"):
        unpack(archive, tmp_path / "u", limits=ArchiveLimits(max_bytes=1199))


def test_a_small_zip_may_pack_well(tmp_path: Path) -> None:
    unpack(zip_of(("mask.bmp", bytes(10**6))), tmp_path / "t")
    assert (tmp_path / "t" / "mask.bmp").stat().st_size == 10**6


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    archive = zip_of(*((f"{i}", b"") for i in range(4)))
    with pytest.raises(InputError, match="4 files, more than 3"):
        unpack(archive, tmp_path / "t", limits=ArchiveLimits(max_files=3))


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
@pytest.mark.parametrize("names", [("a", "a"), ("a", "a/b"), ("a/b", "a"), ("a", "./a")])
def test_one_place_for_two_files_is_refused(tmp_path: Path, names: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="twice"):
        unpack(zip_of(*((name, b"x") for name in names)), tmp_path / "t")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_zip_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"photos\.zip is no zip file"):
        unpack(io.BytesIO(b"Rar!" * 99), tmp_path / "t", name="photos.zip")
    with pytest.raises(InputError, match="holds no file"):
        unpack(zip_of(("folder/", b"")), tmp_path / "t")
    whole = zip_of(("a", bytes(range(256)) * 99)).getvalue()
    with pytest.raises(InputError, match="is no zip file"):
        unpack(io.BytesIO(whole[:-40]), tmp_path / "t")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    content = bytearray(zip_of(("a.jpg", b"x" * 99), ("b.jpg", bytes(range(256)))).getvalue())
    content[content.index(b"b.jpg") + 20] ^= 0xFF
    with pytest.raises(InputError, match=r"damaged at 'b\.jpg'"):
        unpack(io.BytesIO(bytes(content)), tmp_path / "t")
    assert list(tmp_path.iterdir()) == []


def test_a_password_is_told(tmp_path: Path) -> None:
    content = bytearray(zip_of(("a.jpg", b"x")).getvalue())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(InputError, match="password"):
        unpack(io.BytesIO(bytes(content)), tmp_path / "t")


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="exists already"):
        unpack(zip_of(("a", b"x")), tmp_path)


def test_a_full_disk_is_told_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10})())
    with pytest.raises(InputError, match="GiB left"):
        unpack(zip_of(("a", bytes(11))), tmp_path / "t")


@pytest.mark.parametrize(
    ("names", "inside"),
    [
        (("zebras/list.csv", "zebras/images/1.jpg"), "zebras"),  # packed with its folder
        (("list.csv", "images/1.jpg"), "."),  # packed from inside
        (("ana/1.jpg", "bea/1.jpg"), "."),  # folders of individuals
        (("ana/1.jpg", "ana/2.jpg"), "."),  # one individual
        (("herd/ana/1.jpg", "herd/bea/1.jpg"), "herd"),
    ],
)
def test_the_dataset_is_found_in_it(tmp_path: Path, names: tuple[str, ...], inside: str) -> None:
    archive = zip_of(*((name, b"x") for name in names))
    folder = unpack_upload(archive, "My zebras (2).zip", tmp_path)
    top = next(tmp_path.iterdir())
    assert top.name.startswith("My-zebras-2-")
    assert folder == top / inside
    (folder / "mark").touch()
    assert unpack_upload(archive, "My zebras (2).zip", tmp_path) == folder
    assert (folder / "mark").exists()
