"""Semantic noise as the papers write it, record by record: slow, but easy to check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from support.literal_operators import SD, TIE, least


@dataclass(frozen=True)
class Allowed:
    """The concepts that may replace a value, in taxonomy order, and what could not be had."""

    concepts: list[str]
    truncated: bool = False
    sign_dropped: bool = False

    def pick(self, chance: float) -> str:
        return self.concepts[int(chance * len(self.concepts))]


def nearest_far_enough(candidates: Sequence[str], a: str, magnitude: float, sd: SD) -> tuple[list[str], bool]:
    """Rodriguez-Garcia 2017, eq. 21 among the candidates. If none is far enough, the farthest."""
    far = [c for c in candidates if sd(c, a) >= magnitude - TIE]
    if far:
        return least(far, lambda c: sd(c, a)), False
    return least(candidates, lambda c: -sd(c, a)), True


def replacements(concepts: Sequence[str], a: str, error: float, sd: SD, reference: str | None) -> Allowed:
    """Rodriguez-Garcia 2017, Algorithms 2 and 3, lines 4–7; Algorithm 1, lines 6–9, or line 5 without a reference."""
    if error == 0:
        return Allowed([a])
    if reference is None:
        return Allowed(*nearest_far_enough(concepts, a, abs(error), sd))
    own = sd(a, reference)
    if error > 0:
        side = [c for c in concepts if sd(c, reference) > own + TIE]
    else:
        side = [c for c in concepts if sd(c, reference) < own - TIE]
    if side:
        return Allowed(*nearest_far_enough(side, a, abs(error), sd))
    return Allowed(*nearest_far_enough(concepts, a, abs(error), sd), sign_dropped=True)


def algorithm_1(
    concepts: Sequence[str], A: Sequence[str | None], errors: Sequence[float], sd: SD, mean: str
) -> list[Allowed | None]:
    """Rodriguez-Garcia 2017, Algorithm 1: the mean is the reference point. ``None`` is a cell that is kept."""
    return [
        None if a is None else replacements(concepts, a, error, sd, None if a == mean else mean)
        for a, error in zip(A, errors, strict=True)
    ]


def algorithm_2(
    concepts: Sequence[str], A: Sequence[str | None], B: Sequence[str | None], errors: Sequence[float], sd: SD
) -> list[Allowed | None]:
    """The other attribute's original value is the reference point.

    Rodriguez-Garcia 2017, Algorithm 2; Rodriguez-Garcia 2016, Algorithm 1.

    Where that is a kept cell there is none, and the sign is dropped.
    """
    out: list[Allowed | None] = []
    for a, b, error in zip(A, B, errors, strict=True):
        if a is None:
            out.append(None)
            continue
        allowed = replacements(concepts, a, error, sd, b)
        if b is None and error != 0:
            allowed = Allowed(allowed.concepts, allowed.truncated, sign_dropped=True)
        out.append(allowed)
    return out


def algorithm_3(
    concepts: Sequence[str], A: Sequence[str | None], errors: Sequence[float], sd: SD, root: str
) -> list[Allowed | None]:
    """Rodriguez-Garcia 2017, Algorithm 3: the root is the reference point."""
    return [
        None if a is None else replacements(concepts, a, error, sd, root) for a, error in zip(A, errors, strict=True)
    ]
