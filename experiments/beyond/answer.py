"""What each part of `beyond_the_papers` gives: the answer to a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

import numpy as np

from experiments.shared.findings import Spread
from ontomask.figures import Figure

__all__ = ["Answer", "along", "difference", "row"]


@dataclass(frozen=True)
class Answer:
    """One question of those that the papers leave open.

    Attributes
    ----------
    name
        Of its picture's file.
    question
        The heading.
    text
        How it was measured, and the figures, as Markdown.
    short, learned
        What a person reads from them, in a sentence or two and at length; it holds for the complete data.
    figure, caption
        The picture.
    rows
        Plain data.
    """

    name: str
    question: str
    text: Sequence[str]
    short: str
    learned: str
    figure: Figure
    caption: str
    rows: Sequence[Mapping[str, Any]]


def row(
    question: str, place: str, method: str, figure: str, values: Sequence[float] | Spread, **more: Any
) -> dict[str, Any]:
    """A figure over seeds, as plain data."""
    spread = values if isinstance(values, Spread) else Spread.of(values)
    told = {"question": question, "data": place, "method": method, "measure": figure}
    return told | {"mean": spread.mean, "sd": spread.sd, "runs": spread.runs} | more


def along(curve: Iterable[tuple[float, float]], x: float) -> float:
    """What a curve has at x, on the straight line between the points beside it; NaN beyond its ends."""
    places, values = zip(*sorted(curve), strict=True)
    return float(np.interp(x, places, values, left=nan, right=nan))


def difference(spread: Spread, digits: int) -> str:
    """A difference with its sign; a dash where it is not known."""
    return "—" if isnan(spread.mean) else f"{spread.mean:+.{digits}f} ± {spread.sd:.{digits}f}"
