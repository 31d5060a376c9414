"""What the columns of a table mean: by their usual names, or as a person says.

Of several columns that could hold the same thing, the name that comes first in `ALIASES` wins; the
choice is noted, and the others stay as text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from cfr_core.datasets.raw import RawTable, unique_names
from cfr_core.datasets.records import COLUMNS, Finding
from cfr_core.errors import InputError

BOX_XYWH = ("bbox_x", "bbox_y", "bbox_w", "bbox_h")
BOX_XYXY = ("bbox_x", "bbox_y", "bbox_x2", "bbox_y2")
IMAGE_SIZE = ("image_width", "image_height")

IMAGE_SUFFIXES = frozenset(
    (
        *(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".tif", ".tiff", ".bmp", ".webp", ".gif"),
        *(".jp2", ".heic", ".heif", ".avif"),
    )
)
"""Endings of files that are taken for images; lower case."""

ALIASES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        role: tuple(names.split())
        for role, names in {
            "path": "path imagepath filepath relativepath filename file imagefile imagefilename "
            "image imgpath img photo photopath picture imagename",
            "identity": "identity individual individualid identityid animalid animal "
            "individualname animalname name uniquename objectid label class id",
            "bbox": "bbox boundingbox bboxxywh box",
            "bbox_xyxy": "bboxxyxy boxxyxy",
            "captured_at": "capturedat datetime datetimeoriginal timestamp datecaptured "
            "capturedate capturetime datetaken eventdate observedon date",
            "encounter": "encounter encounterid sighting sightingid occurrence occurrenceid event "
            "eventid sequence sequenceid seqid burst session sessionid",
            "camera": "camera cameraid trapid cameratrap cam station stationid site siteid",
            "orientation": "orientation viewpoint side flank position",
            "split": "split subset originalsplit set partition",
            "species": "species speciesname commonname scientificname taxon category categoryname",
            "mask": "maskpath maskfile maskfilename mask segmentation maskrle rle "
            "segmentationrle rlemask segmentationpath encodedmask",
        }.items()
    }
)
"""Role -> usual column names, the surest first; compared without case, spaces and signs."""

_GROUPS: tuple[tuple[tuple[str, ...], str], ...] = (
    (BOX_XYWH, "bboxx bboxy bboxw bboxh"),
    (BOX_XYWH, "bboxx bboxy bboxwidth bboxheight"),
    (BOX_XYWH, "bboxleft bboxtop bboxwidth bboxheight"),
    (BOX_XYWH, "boxx boxy boxw boxh"),
    (BOX_XYWH, "x y w h"),
    (BOX_XYWH, "x y width height"),
    (BOX_XYWH, "left top width height"),
    (BOX_XYXY, "bboxxmin bboxymin bboxxmax bboxymax"),
    (BOX_XYXY, "bboxx1 bboxy1 bboxx2 bboxy2"),
    (BOX_XYXY, "xmin ymin xmax ymax"),
    (BOX_XYXY, "x1 y1 x2 y2"),
    (BOX_XYXY, "left top right bottom"),
    (BOX_XYXY, "upperleftcornerx upperleftcornery lowerrightcornerx lowerrightcornery"),
)
_SIZES: tuple[tuple[tuple[str, ...], str], ...] = (
    (IMAGE_SIZE, "imagewidth imageheight"),
    (IMAGE_SIZE, "imgwidth imgheight"),
    (IMAGE_SIZE, "width height"),
)
_BOX_ROLES = frozenset({"bbox", "bbox_xyxy", *BOX_XYWH, *BOX_XYXY})
ROLES = frozenset({*ALIASES, *_BOX_ROLES, *IMAGE_SIZE})
"""Every meaning that a column can be given."""

_MIN_IMAGE_NAMES = 0.8


@dataclass(frozen=True)
class ColumnRoles:
    """Which source column has which meaning.

    Attributes:
        columns: Role -> source column; every role at most once, every column at most once.
        findings: Choices among several candidates, and what was not found.
    """

    columns: dict[str, str]
    findings: tuple[Finding, ...] = ()


def name_key(name: str) -> str:
    """A column name without case, spaces and signs: "Individual ID" is "individualid"."""
    return re.sub(r"[\W_]", "", name.casefold())


_KNOWN_KEYS = frozenset(
    key
    for names in (*ALIASES.values(), *(text.split() for _, text in (*_GROUPS, *_SIZES)))
    for key in names
)


def n_usual_names(names: Sequence[str]) -> int:
    """How many of the names are usual ones of any role."""
    return len(_KNOWN_KEYS & {name_key(name) for name in names})


def is_image_name(name: str) -> bool:
    """True if a file of that name is taken for an image."""
    dot = name.rfind(".")
    return dot >= 0 and name[dot:].lower() in IMAGE_SUFFIXES


def recognise(table: RawTable, given: Mapping[str, str] | None = None) -> ColumnRoles:
    """Give columns their meaning.

    Args:
        table: The table as read.
        given: Role -> column as a person says; "" takes the role away from all columns.

    Raises:
        InputError: if a role or column in `given` does not exist, or no column names the images.
    """
    roles = _given_roles(table, given or {})
    findings = []
    for role in ALIASES:
        if role in roles or (role in _BOX_ROLES and _BOX_ROLES & set(roles)):
            continue
        usual = [name for name in candidates(table, role) if name not in roles.values()]
        if usual:
            roles[role] = usual[0]
        if len(usual) > 1:
            findings.append(_choice(table, role, usual))
    roles |= _grouped(table, roles, () if _BOX_ROLES & set(roles) else _GROUPS)
    roles |= _grouped(table, roles, () if set(IMAGE_SIZE) & set(roles) else _SIZES)
    if not roles.get("path"):
        roles["path"] = _path_by_content(table, roles)
        findings.append(_by_content(table, roles["path"]))
    if not roles.get("identity"):
        findings.append(_no_identity(table))
    return ColumnRoles({role: name for role, name in roles.items() if name}, tuple(findings))


def candidates(table: RawTable, role: str) -> list[str]:
    """Columns with a usual name of a role of `ALIASES`, the surest first."""
    by_key: dict[str, str] = {}
    for name in table.cells.columns:
        by_key.setdefault(name_key(name), name)
    found = [by_key[key] for key in ALIASES[role] if key in by_key]
    # An "id" that never repeats numbers the rows; as identities no animal would be seen twice.
    return [n for n in found if name_key(n) != "id" or table.cells[n].dropna().duplicated().any()]


def extra_names(columns: Sequence[str]) -> dict[str, str]:
    """Names under which unrecognised columns are kept; one that the annotations use is prefixed."""
    own = {name.casefold() for name in COLUMNS}
    wanted = [f"source_{name}" if name.casefold() in own else name for name in columns]
    return dict(zip(columns, unique_names(wanted, COLUMNS), strict=True))


def _given_roles(table: RawTable, given: Mapping[str, str]) -> dict[str, str]:
    roles = {}
    names = list(table.cells.columns)
    for role, name in given.items():
        if role not in ROLES:
            raise InputError(f'"{role}" is no column meaning; there are {", ".join(sorted(ROLES))}')
        alike = [column for column in names if column.casefold() == name.strip().casefold()]
        if name and not alike:
            raise InputError(f'{table.name} has no column "{name}"; it has {", ".join(names)}')
        roles[role] = name if name in names or not name else alike[0]
    used = [name for name in roles.values() if name]
    if twice := sorted({name for name in used if used.count(name) > 1}):
        raise InputError(f"a column has one meaning, but {', '.join(twice)} is given two")
    return roles


def _grouped(
    table: RawTable, roles: Mapping[str, str], groups: Sequence[tuple[tuple[str, ...], str]]
) -> dict[str, str]:
    """The first group of columns that is complete and not used otherwise."""
    free = {name_key(n): n for n in table.cells.columns if n not in roles.values()}
    for members, keys in groups:
        if all(key in free for key in keys.split()):
            return dict(zip(members, (free[key] for key in keys.split()), strict=True))
    return {}


def _path_by_content(table: RawTable, roles: Mapping[str, str]) -> str:
    names = ", ".join(table.cells.columns)
    if any(is_image_name(name) for name in table.cells.columns):
        raise InputError(f"{table.name} has no header line: its first line reads {names}")
    for name in table.cells.columns:
        values = table.cells[name].dropna()
        if (
            name not in roles.values()
            and len(values)
            and _share_of_images(values) > _MIN_IMAGE_NAMES
        ):
            return str(name)
    raise InputError(
        f"{table.name}: no column names the image files. It has {names}. Rename that column to "
        '"path", or say which it is'
    )


def _share_of_images(values: "pd.Series[str]") -> float:
    return sum(map(is_image_name, values)) / len(values)


def _choice(table: RawTable, role: str, names: Sequence[str]) -> Finding:
    others = ", ".join(f'"{name}"' for name in names[1:])
    message = f'{role} is read from "{names[0]}"; {others} could hold it too and stays as text'
    return table.note("column chosen", message, f"Say which column is {role} if another one is.")


def _by_content(table: RawTable, name: str) -> Finding:
    message = f'no column has a usual name for the image files; "{name}" holds such names'
    return table.note("column chosen", message)


def _no_identity(table: RawTable) -> Finding:
    return table.note(
        "no identity column",
        f"no column of {', '.join(table.cells.columns)} names the animals: all are unknown, and no "
        "query can be asked",
        'Rename the column with the identities to "identity", or say which it is.',
    )
