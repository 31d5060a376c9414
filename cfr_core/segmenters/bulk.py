"""The mask of one row without a person: an engine is asked, the paper's rule chooses."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cfr_core.masks.rle import encode
from cfr_core.segmenters.choice import Choice, choose
from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts, Segmenter
from cfr_core.types import Mask, MaskStatus
from cfr_core.workspace.mask_table import MaskCandidate

_INSET = 0.03
"""The crop is cut along the animal's box, so that a box within it must leave a rim of ground for
an engine to learn from; of each side."""


@dataclass(frozen=True)
class RowProposal:
    """What became of a row.

    Attributes:
        mask: Proposed, accepted or rejected; None where no candidate has a pixel.
        candidates: All that the engine proposed, with why each was taken or left.
    """

    mask: Mask | None
    candidates: tuple[MaskCandidate, ...]


@dataclass(frozen=True)
class BulkQuestion:
    """What is asked of every row.

    Attributes:
        job: Name of the run, under which the candidates are kept.
        prompts: Names of the animal in order of preference, for an engine that reads text.
        accept: Take a chosen mask as accepted, as the paper did; else a person reviews it.
    """

    job: str
    prompts: tuple[str, ...] = ()
    accept: bool = False


def propose_row(
    segmenter: Segmenter,
    image: EncodedImage,
    question: BulkQuestion,
    *,
    row_id: int,
    is_crop_of_box: bool,
) -> RowProposal:
    """Ask an engine for a row's mask, one prompt after another until a candidate is chosen.

    An engine that reads no text is asked with a box a little inside the crop.

    Args:
        segmenter: The engine.
        image: The row's crop, encoded by it.
        question: What is asked.
        row_id: The row.
        is_crop_of_box: True if the crop is an annotation box; candidates are compared with it.
    """
    height, width = image.size_hw
    box = (0.0, 0.0, float(width), float(height)) if is_crop_of_box else None
    kept: list[MaskCandidate] = []
    mask = None
    for said, prompts in _all_prompts(segmenter, image, question.prompts):
        found = segmenter.propose(image, prompts)
        choice = choose(found, box)
        blank = MaskCandidate(
            job=question.job,
            row_id=row_id,
            number=len(kept),
            engine=segmenter.name,
            prompt=prompts.text or "box",
            size_hw=image.size_hw,
            counts="",
            score=None,
            box_iou=None,
            outcome="",
        )
        new = _candidates(found, choice, blank)
        kept += new
        if choice.nearest is not None:
            mask = _mask(new[choice.nearest], said, choice, accept=question.accept)
        if choice.is_chosen:
            break
    return RowProposal(mask, tuple(kept))


def _candidates(found: Candidates, choice: Choice, blank: MaskCandidate) -> list[MaskCandidate]:
    return [
        replace(
            blank,
            number=blank.number + number,
            counts=encode(pixels),
            score=_or_none(found.scores[number]),
            box_iou=_or_none(choice.box_ious[number]),
            outcome=choice.outcomes[number],
        )
        for number, pixels in enumerate(found.masks)
    ]


def _mask(candidate: MaskCandidate, said: dict[str, Any], choice: Choice, *, accept: bool) -> Mask:
    """A candidate as a version of its row's mask."""
    chosen = MaskStatus.ACCEPTED if accept else MaskStatus.PROPOSED
    return Mask(
        row_id=candidate.row_id,
        size_hw=candidate.size_hw,
        counts=candidate.counts,
        source=candidate.engine,
        status=chosen if choice.is_chosen else MaskStatus.REJECTED,
        score=candidate.score,
        prompts=json.dumps(said, ensure_ascii=False),
        reason="" if choice.is_chosen else candidate.outcome,
    )


def _or_none(value: np.float32) -> float | None:
    return None if np.isnan(value) else float(value)


def _all_prompts(
    segmenter: Segmenter, image: EncodedImage, names: Sequence[str]
) -> Iterator[tuple[dict[str, Any], Prompts]]:
    """Prompts to be tried in order, each with its plain values for the record."""
    if segmenter.reads_text and names:
        for name in names:
            yield {"text": name}, Prompts(text=name)
        return
    height, width = image.size_hw
    across, down = _INSET * width, _INSET * height
    box = across, down, width - across, height - down
    yield {"box_xyxy": [round(side, 2) for side in box]}, Prompts(box_xyxy=box)
