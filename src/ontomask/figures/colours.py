"""Colours that people with any common colour vision can tell apart, and scales that stay ordered in grey.

Series take the palette of Okabe and Ito (2008), "Color Universal Design", without its yellow, which is too faint for
lines on white. Neighbouring greys are close, so colour never comes alone: lines have dashes and markers, bars hatching.

The scales are our own. The sequential ones darken all the way, so that a grey print keeps their order; the diverging
one runs from blue over near white to orange, the pair that red–green blindness leaves apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

__all__ = ["DIVERGING", "LOSS", "PALETTE", "SEQUENTIAL", "Scale", "ink_on", "luminance"]

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe and Ito's blue, vermilion, bluish green, reddish purple, black, orange and sky blue."""


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2: 0 is black, 1 is white.

    >>> luminance("#000000"), luminance("#FFFFFF")
    (0.0, 1.0)
    """
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (c / 255 for c in _channels(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on the colour."""
    light = luminance(colour)
    return "#FFFFFF" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000000"


@dataclass(frozen=True)
class Scale:
    """Colours for fractions between 0 and 1, mixed between evenly spaced stops.

    >>> Scale(("#000000", "#FFFFFF")).colour(0.2)
    '#333333'
    """

    stops: tuple[str, ...]

    def colour(self, fraction: float) -> str:
        """The colour of a fraction; beyond the ends, the end."""
        along = min(max(fraction, 0.0), 1.0) * (len(self.stops) - 1)
        first = min(int(along), len(self.stops) - 2)
        before, after = list(pairwise(self.stops))[first]
        mixed = (round(a + (b - a) * (along - first)) for a, b in zip(_channels(before), _channels(after), strict=True))
        return "#" + "".join(f"{channel:02X}" for channel in mixed)


SEQUENTIAL = Scale(("#F4F7FA", "#C3D7E8", "#85AFD2", "#4179AF", "#0C3B6B"))
"""From near white to dark blue."""

DIVERGING = Scale(("#0A4480", "#6B9FCC", "#F7F7F7", "#EDA75F", "#9C4408"))
"""From dark blue over near white to dark orange."""

LOSS = Scale(("#F2D6A2", "#E8A652", "#CF6C1C", "#94400C", "#4A1C03"))
"""From sand to dark brown; its light end still shows as a line on white."""
