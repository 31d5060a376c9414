"""Coats: spots, stripes and patches grown by a reaction-diffusion process."""

from dataclasses import dataclass

import numpy as np
from scipy import fft

from cfr_core.demo.noise import smoothstep
from cfr_core.demo.traits import Traits
from cfr_core.types import Float32Array

Span = tuple[float, float]
Colour = tuple[float, float, float]

CANVAS_PX = 160
CANVAS_UNITS = 2.0
"""The canvas is CANVAS_PX square, spans CANVAS_UNITS torso lengths and repeats without a seam."""

_STEPS = 7


@dataclass(frozen=True)
class CoatStyle:
    """What the coats of a species have in common; each individual draws from the spans.

    Attributes:
        wavelength: Distance of neighbouring spots or stripes, in torso lengths.
        elongation: 1 for round spots, 3 and more for stripes across the body axis.
        tilt_deg: Angle of stripes against the cross-section of the body.
        bias: Below 0 few marks, at 0 half and half, above 0 mostly marks.
        rosette: Share of each mark that is hollow, 0 to 1.
        contrast: Opacity of the marks, 0 to 1.
        bases: Ground colours, RGB 0 to 1.
        marks: Colours of the marks, in the order of `bases`.
        belly: How white the underside is, 0 to 1.
        point: Colour of muzzle, hooves and mane, RGB 0 to 1.
    """

    wavelength: Span
    elongation: Span
    tilt_deg: Span
    bias: Span
    rosette: Span
    contrast: Span
    bases: tuple[Colour, ...]
    marks: tuple[Colour, ...]
    belly: float
    point: Colour


@dataclass(frozen=True)
class Coat:
    """One coat, painted on a canvas that wraps around the body.

    Attributes:
        marks: (CANVAS_PX, CANVAS_PX) float32, 0 ground colour to 1 mark.
        base: Ground colour, RGB 0 to 1.
        mark: Colour of the marks.
        belly: How white the underside is, 0 to 1.
        point: Colour of muzzle, hooves and mane.
    """

    marks: Float32Array
    base: Float32Array
    mark: Float32Array
    belly: np.float32
    point: Float32Array

    def marks_at(self, along: Float32Array, across: Float32Array) -> Float32Array:
        """Marks at body coordinates in torso lengths, interpolated; the canvas repeats."""
        scale = np.float32(CANVAS_PX / CANVAS_UNITS)
        x, y = along * scale, across * scale
        x0, y0 = np.floor(x), np.floor(y)
        fx, fy = x - x0, y - y0
        left, top = x0.astype(np.int32) % CANVAS_PX, y0.astype(np.int32) % CANVAS_PX
        right, bottom = (left + 1) % CANVAS_PX, (top + 1) % CANVAS_PX
        upper = self.marks[top, left] * (1 - fx) + self.marks[top, right] * fx
        lower = self.marks[bottom, left] * (1 - fx) + self.marks[bottom, right] * fx
        return np.asarray(upper * (1 - fy) + lower * fy, np.float32)


def grow_coat(traits: Traits, style: CoatStyle) -> Coat:
    """The coat that these traits give an animal of this style."""
    which = int(traits.uniform("coat/colour") * len(style.bases) * 0.9999)
    shade = np.exp(0.09 * traits.normal("coat/shade") + 0.025 * traits.normal("coat/tint", 3))
    base = np.clip(np.array(style.bases[which], np.float32) * shade, 0.02, 0.97)
    mark = np.array(style.marks[which], np.float32)
    contrast = traits.uniform("coat/contrast", *style.contrast)
    return Coat(
        marks=_marks(traits, style),
        base=np.asarray(base, np.float32),
        mark=np.asarray(base + (mark - base) * contrast, np.float32),
        belly=np.float32(style.belly),
        point=np.array(style.point, np.float32),
    )


def _marks(traits: Traits, style: CoatStyle) -> Float32Array:
    activity = react(
        traits.normal("coat/seed", CANVAS_PX, CANVAS_PX),
        wavelength_px=traits.uniform("coat/wavelength", *style.wavelength)
        * CANVAS_PX
        / CANVAS_UNITS,
        elongation=traits.uniform("coat/elongation", *style.elongation),
        tilt_deg=traits.uniform("coat/tilt", *style.tilt_deg),
        bias=traits.uniform("coat/bias", *style.bias),
    )
    solid = smoothstep(-0.25, 0.25, activity)
    hollow = smoothstep(0.80, 0.97, activity) * traits.uniform("coat/rosette", *style.rosette)
    return np.asarray(solid * (1.0 - hollow), np.float32)


def react(
    seed: Float32Array, *, wavelength_px: float, elongation: float, tilt_deg: float, bias: float
) -> Float32Array:
    """Local activation against wider inhibition, iterated until a pattern stands.

    The difference-of-Gaussians model of Young, "A local activator-inhibitor model of vertebrate
    skin patterns" (Math. Biosci. 72, 1984), on a torus, with a smooth threshold.

    Args:
        seed: (N, N) float32 noise that the pattern grows from.
        wavelength_px: Distance of neighbouring marks.
        elongation: 1 for round marks; above, marks stretch along the vertical axis.
        tilt_deg: Turn of the stretch.
        bias: Below 0 few marks, above 0 mostly marks.

    Returns:
        (N, N) float32 from -1 (ground) to 1 (mark).
    """
    kernel = _kernel(seed.shape[0], wavelength_px, elongation, tilt_deg)
    state = seed
    for _ in range(_STEPS):
        drive = fft.irfft2(fft.rfft2(state) * kernel, s=seed.shape)
        drive = drive / (drive.std() + 1e-6)
        state = np.tanh(1.6 * (drive + np.float32(bias))).astype(np.float32)
    return np.asarray(state, np.float32)


def _kernel(n: int, wavelength_px: float, elongation: float, tilt_deg: float) -> Float32Array:
    """Fourier transform of the kernel: a ring at the wavelength, an arc of it for stripes."""
    fy, fx = np.meshgrid(fft.fftfreq(n), fft.rfftfreq(n), indexing="ij")
    tilt = np.deg2rad(tilt_deg)
    along = fx * np.cos(tilt) + fy * np.sin(tilt)
    across = (fy * np.cos(tilt) - fx * np.sin(tilt)) * elongation
    radius2 = (along**2 + across**2) * wavelength_px**2
    return np.asarray(0.5**radius2 - 0.25**radius2, np.float32)
