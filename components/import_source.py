"""Where a new dataset comes from: a folder, a zip, or a class of wildlife-datasets."""

from pathlib import Path
from typing import Final

import streamlit as st

from cfr_core.datasets.archive import unpack_upload
from cfr_core.datasets.choices import readable_files
from cfr_core.datasets.wildlife import is_wildlife_installed
from cfr_core.errors import InputError
from cfr_core.jobs.imports import ImportSpec
from cfr_core.jobs.uploads import uploads_folder
from cfr_core.types import Progress
from components import state
from components.errors import plain
from components.state import Parameter
from server.workspace import workspace

_FOLDER: Final = "folder"
_ZIP: Final = "zip"
_PACKAGE: Final = "package"
_WAYS = {
    _FOLDER: "Folder on this server",
    _ZIP: "Zip from my computer",
    _PACKAGE: "Class of wildlife-datasets",
}

HOW = Parameter[str]("from", _FOLDER, str, stays=False)
PATH = Parameter[str]("path", "", str, stays=False)
FILE = Parameter[str]("file", "", str, stays=False)
CLASS = Parameter[str]("class", "", str, stays=False)

_HELP = """
A dataset is one of these:

- **a folder with a table** (CSV, TSV or Parquet): one line for each animal in a photo, with a
  column for the image file and one for the identity; dates, encounters, cameras, boxes and masks
  are read too, if they are there;
- **a folder of folders**, each named as the individual whose photos are in it;
- **COCO**: a JSON file with boxes, polygons or run lengths, and identities as attributes.

Masks may also lie in a folder `masks` beside the images, named as the images.
"""


def choose_source() -> ImportSpec | None:
    """Draw the choice of a source.

    Returns:
        The source, not read yet and without a name; None before one is chosen.
    """
    ways = [_FOLDER, _ZIP, *([_PACKAGE] if is_wildlife_installed() else [])]
    way = st.segmented_control(
        "Where are the photos?",
        ways,
        format_func=lambda option: _WAYS[option],
        required=True,
        **state.bound(HOW, among=ways),
    )
    if way == _ZIP:
        _take_zip()
        return None
    path = st.text_input(
        "Folder, table or COCO file",
        placeholder="/data/zebras",
        help=_HELP,
        **state.bound(PATH),
    )
    class_name = None
    if way == _PACKAGE:
        class_name = st.text_input(
            "Class of wildlife-datasets",
            placeholder="StripeSpotter",
            help="The class that the folder was downloaded with; nothing is downloaded here.",
            **state.bound(CLASS),
        )
    path = (path or "").strip()
    if not path or (way == _PACKAGE and not class_name):
        with st.expander("What can be read"):
            st.markdown(_HELP)
        return None
    folder = Path(path).expanduser()
    if not folder.is_absolute():
        raise InputError(f"write the whole path, such as /data/{path}: {path!r} starts nowhere")
    table = None if way == _PACKAGE else _choose_file(folder)
    return ImportSpec(str(folder), name="", table=table, wildlife=class_name)


def _choose_file(folder: Path) -> str | None:
    try:
        files = readable_files(folder)
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}") from error
    if len(files) < 2:
        return None
    options = ["", *files]
    return (
        st.selectbox(
            "Which file says who is on the photos?",
            options,
            format_func=lambda name: name or "The usual one",
            **state.bound(FILE, among=options),
        )
        or None
    )


def _take_zip() -> None:
    """Unpack an uploaded zip, and go on with its folder as one on the server."""
    upload = st.file_uploader(
        "Zip file",
        type=["zip"],
        help="It is unpacked to the workspace on the server; nothing leaves that computer.",
    )
    with st.expander("What can be read"):
        st.markdown(_HELP)
    if upload is None:
        return
    bar = st.progress(0.0, "Unpacking")

    def show(progress: Progress) -> None:
        # Every hundredth, since each one is sent to the browser.
        if progress.done % max(1, progress.total // 100) == 0:
            share = progress.done / max(1, progress.total)
            bar.progress(share, f"Unpacking: {progress.done:,} of {progress.total:,} files")

    uploads = uploads_folder(workspace().root)
    try:
        folder = unpack_upload(upload, upload.name, uploads, on_progress=show)
    except InputError as error:
        bar.empty()
        st.error(plain(str(error)))
        return
    state.put(PATH, str(folder))
    state.put(FILE, "")
    state.put(HOW, _FOLDER)
    st.rerun()
