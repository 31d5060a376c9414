"""A dataset as a COCO document: images, one annotation an animal, categories by species."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from cfr_core.datasets.records import Annotations, DatasetCard
from cfr_core.masks.rle import area_px
from cfr_core.types import Mask

_NO_SPECIES = "animal"
_ATTRIBUTES = ("identity", "encounter", "camera", "orientation", "split", "species")


def coco_document(
    card: DatasetCard, annotations: Annotations, paths: Sequence[str], masks: Mapping[int, Mask]
) -> dict[str, Any]:
    """The dataset in JSON values.

    Identity, date, encounter, ... and the further columns are attributes of the annotation, as
    text; what is unknown is left out. Ids of annotations are row ids.

    Args:
        card: The dataset.
        annotations: Its rows.
        paths: Path of each row's image.
        masks: Masks on their whole upright images, by row id.
    """
    table = annotations.table
    image_ids = {path: number for number, path in enumerate(dict.fromkeys(paths), start=1)}
    species = table["species"].fillna(_NO_SPECIES)
    category_ids = {name: number for number, name in enumerate(dict.fromkeys(species), start=1)}
    attributes = _attributes(annotations)
    records = table.to_dict("records")
    return {
        "info": {
            "description": card.name,
            "silhouette_role": str(card.silhouette_role),
            "role_source": card.role_source,
            "unknown_identities": list(card.unknown_identities),
            "intended_biometric": card.biometric,
        },
        "images": _images(records, paths, image_ids),
        "annotations": [
            {
                "id": int(record["row_id"]),
                "image_id": image_ids[path],
                "category_id": category_ids[name],
                **_shape(record, masks.get(record["row_id"])),
                "attributes": given,
            }
            for record, path, name, given in zip(records, paths, species, attributes, strict=True)
        ],
        "categories": [{"id": number, "name": name} for name, number in category_ids.items()],
    }


def _images(
    records: Sequence[Mapping[Any, Any]], paths: Sequence[str], image_ids: Mapping[str, int]
) -> list[dict[str, Any]]:
    by_path = {path: record for record, path in zip(records, paths, strict=True)}
    return [
        {
            "id": image_ids[path],
            "file_name": path,
            "width": int(record["width"]),
            "height": int(record["height"]),
        }
        for path, record in by_path.items()
    ]


def _shape(record: Mapping[Any, Any], mask: Mask | None) -> dict[str, Any]:
    """Box and mask of an annotation; its area is that of the mask, or else of the box."""
    height, width = int(record["height"]), int(record["width"])
    sides = [record[name] for name in ("bbox_x", "bbox_y", "bbox_w", "bbox_h")]
    box = [0, 0, width, height] if pd.isna(sides[0]) else [int(side) for side in sides]
    if mask is None:
        return {"bbox": box, "area": box[2] * box[3], "iscrowd": 0}
    return {
        "bbox": box,
        "area": area_px(mask),
        "iscrowd": 0,
        "segmentation": {"size": [height, width], "counts": mask.counts},
    }


def _attributes(annotations: Annotations) -> list[dict[str, str]]:
    table = annotations.table
    columns = [*_ATTRIBUTES, *annotations.extra_columns]
    texts = table[columns].assign(
        captured_at=table["captured_at"].dt.strftime("%Y-%m-%dT%H:%M:%S").astype("string")
    )
    return [
        {str(name): str(value) for name, value in record.items() if not pd.isna(value)}
        for record in texts.to_dict("records")
    ]
