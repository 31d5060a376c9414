"""An engine that needs no weights and counts what it is asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts
from cfr_core.types import ImageArray


@dataclass
class CountingSegmenter:
    """Its feature is the mean colour; `before` runs at each encoding, as a layer would."""

    name: str = "counting"
    fingerprint: str = "counting-1"
    reads_text: bool = False
    before: Callable[[ImageArray], None] = lambda _: None
    encoded: list[ImageArray] = field(default_factory=list)

    def encode(self, images: Sequence[ImageArray]) -> list[EncodedImage]:
        found = []
        for image in images:
            self.before(image)
            self.encoded.append(image)
            feature = image.mean((0, 1)).astype(np.float32)
            found.append(EncodedImage(image, {"mean": feature}, self.fingerprint))
        return found

    def propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        assert not prompts.is_empty
        mask = np.ones((1, *image.size_hw), np.bool_)
        return Candidates(mask, image.arrays["mean"][:1])
