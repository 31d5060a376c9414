"""COCO JSON: images and annotations, flattened to a table of one annotation a row."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cfr_core.datasets.columns import candidates
from cfr_core.datasets.locate import image_root
from cfr_core.datasets.raw import RawTable, cell_text, raw_table
from cfr_core.datasets.records import Finding, Severity, SourceTable
from cfr_core.datasets.table_source import source_from_table
from cfr_core.datasets.text_files import read_text
from cfr_core.errors import InputError

_FIXED = {
    "path": "file_name",
    "bbox": "bbox",
    "mask": "segmentation",
    "image_width": "image_width",
    "image_height": "image_height",
}
# Read by themselves, or worked out from the mask by whoever wrote the file.
_STRUCTURE = frozenset({"id", "image_id", "category_id", "attributes", "area", "iscrowd"})
_EXPORTED = ("identity", "captured_at", "encounter", "camera", "orientation", "split", "species")
_SHOWN = 5


@dataclass
class _Flattening:
    """Images and categories by id, names in use, and what was noticed on the way.

    `is_export` tells a file that this product wrote: its attributes hold all that is known, and
    ids and categories repeat it.
    """

    name: str
    is_export: bool
    images: dict[str, dict[str, Any]] = field(default_factory=dict)
    doubtful_ids: set[str] = field(default_factory=set)
    categories: dict[str, str] = field(default_factory=dict)
    attribute_names: set[str] = field(default_factory=set)
    annotation_names: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    def set_aside(self, number: int, reason: str, message: str) -> None:
        self.findings.append(
            Finding(Severity.SET_ASIDE, reason, self.name, number, message, "Correct the JSON.")
        )

    def note(self, reason: str, message: str, action: str) -> None:
        self.findings.append(Finding(Severity.NOTE, reason, self.name, None, message, action))


def read_coco(path: Path, columns: Mapping[str, str] | None = None) -> SourceTable:
    """Read a COCO file; every annotation is one animal.

    The identity is an attribute with a usual name ("identity", "individual_id", "name", ...), in
    the annotation itself or in its "attributes"; where no annotation has one, the name of its
    category. A single category for all is a species, no identity.

    Args:
        path: The JSON file; images are looked for beside it and in the usual folders around it.
        columns: Role -> attribute, where a person says what an attribute means.

    Raises:
        InputError: if the file is no COCO JSON, or has no annotation.
    """
    document = _document(path)
    flat = _Flattening(path.name, is_export="silhouette_role" in (document.get("info") or ()))
    _index(document, flat)
    rows = [_row(flat, at, a) for at, a in enumerate(document["annotations"], start=1)]
    _note_unused(document, flat)
    table = _table(flat, rows)
    if flat.is_export:
        roles = _roles_of_export(table)
    else:
        roles = _identity_role(table)
        if roles and "identity" not in (columns or {}):
            message = "no attribute names the animals: the categories are read as identities"
            flat.note("identity by category", message, "Say which attribute it is if there is one.")
    table = table.with_findings(flat.findings)
    root = image_root(list(table.cells["file_name"].dropna()), _bases(path))
    given = {**roles, **_FIXED, **(columns or {})}
    return source_from_table(table, kind="coco", root=root, given=given)


def looks_like_coco(path: Path) -> bool:
    """True if a JSON file mentions images and annotations; it is not parsed."""
    data = path.read_bytes()
    return b'"images"' in data and b'"annotations"' in data


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(read_text(path).text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path} is no valid JSON: {error}") from error
    for part in ("images", "annotations"):
        if not isinstance(document, dict) or not isinstance(document.get(part), list):
            raise InputError(f'{path} is no COCO JSON: it has no list of "{part}"')
    return dict(document)


def _index(document: Mapping[str, Any], flat: _Flattening) -> None:
    for image in document["images"]:
        if not isinstance(image, dict) or "id" not in image:
            flat.note("image without id", f"an image entry has no id: {image}", "Correct the JSON.")
            continue
        key = str(image["id"])
        first = flat.images.setdefault(key, image)
        if first.get("file_name") != image.get("file_name"):
            flat.doubtful_ids.add(key)
    for category in document.get("categories") or ():
        if isinstance(category, dict) and "id" in category:
            flat.categories[str(category["id"])] = str(category.get("name", category["id"]))
    for annotation in document["annotations"]:
        if isinstance(annotation, dict):
            flat.annotation_names |= set(annotation)
            flat.attribute_names |= set(_attributes(annotation))


def _attributes(annotation: Mapping[str, Any]) -> dict[str, Any]:
    attributes = annotation.get("attributes")
    return attributes if isinstance(attributes, dict) else {}


def _row(flat: _Flattening, number: int, annotation: Any) -> dict[str, str]:  # noqa: ANN401
    """Text cells of one annotation; empty, and set aside, if its image is not known."""
    if not isinstance(annotation, dict):
        flat.set_aside(number, "malformed annotation", f"annotation {number} is no JSON object")
        return {}
    key = str(annotation.get("image_id"))
    image = flat.images.get(key)
    if image is None or key in flat.doubtful_ids:
        fault = "which two files have" if image else "which no image has"
        message = f"annotation {annotation.get('id', number)} names image id {key}, {fault}"
        flat.set_aside(number, "unknown image id", message)
        image = {}
    category = None if flat.is_export else annotation.get("category_id")
    row = {
        "file_name": image.get("file_name") or image.get("path"),
        "image_width": image.get("width"),
        "image_height": image.get("height"),
        "category": flat.categories.get(str(category), category),
        **_renamed_image(flat, image),
        **_renamed_annotation(flat, annotation),
        **_attributes(annotation),
    }
    return {name: text for name, value in row.items() if (text := cell_text(value)) is not None}


def _renamed_annotation(flat: _Flattening, annotation: Mapping[str, Any]) -> dict[str, Any]:
    """An annotation's own values, under names that no attribute has.

    Ids give way to attributes of their name, which are those of an earlier source.
    """
    ids = {"annotation_id": annotation.get("id"), "image_id": annotation.get("image_id")}
    taken = ids.keys() if flat.is_export else flat.attribute_names
    values = {name: value for name, value in ids.items() if name not in taken}
    for name, value in annotation.items():
        is_crowd = name == "iscrowd" and value
        if name not in _STRUCTURE or is_crowd:
            values[f"annotation_{name}" if name in flat.attribute_names else name] = value
    return values


def _renamed_image(flat: _Flattening, image: Mapping[str, Any]) -> dict[str, Any]:
    """An image's own values; its "name" is no animal's, so that it is always "image_name"."""
    taken = flat.attribute_names | flat.annotation_names | {"name"}
    return {
        f"image_{name}" if name in taken else name: value
        for name, value in image.items()
        if name not in ("id", "file_name", "width", "height")
    }


def _table(flat: _Flattening, rows: list[dict[str, str]]) -> RawTable:
    if not rows:
        raise InputError(f"{flat.name} has no annotations: there is no animal in it")
    names = dict.fromkeys([*_FIXED.values(), *(name for row in rows for name in row)])
    cells = [[row.get(name) for name in names] for row in rows]
    return raw_table(flat.name, list(names), cells, np.arange(1, len(rows) + 1))


def _identity_role(table: RawTable) -> dict[str, str]:
    """The category as identity where no attribute is one and there are several categories."""
    if candidates(table, "identity") or "category" not in table.cells:
        return {}
    return {"identity": "category"} if table.cells["category"].nunique() > 1 else {}


def _roles_of_export(table: RawTable) -> dict[str, str]:
    """Roles in a file that this product wrote: attributes have them by name, and no others do."""
    return {role: role if role in table.cells else "" for role in _EXPORTED}


def _note_unused(document: Mapping[str, Any], flat: _Flattening) -> None:
    used = {str(a.get("image_id")) for a in document["annotations"] if isinstance(a, dict)}
    unused = [str(image.get("file_name")) for key, image in flat.images.items() if key not in used]
    if unused:
        shown = ", ".join(unused[:_SHOWN]) + (", ..." if len(unused) > _SHOWN else "")
        message = f"{len(unused)} images have no annotation and give no row: {shown}"
        flat.note("image without annotation", message, "Annotate them if they show an animal.")


def _bases(path: Path) -> list[Path]:
    """Folders that file names of a COCO file usually start from, the nearest first."""
    near, above = path.resolve().parent, path.resolve().parent.parent
    part = path.stem.removeprefix("instances_")
    return [near, near / "images", above, above / "images", above / "images" / part, above / part]
