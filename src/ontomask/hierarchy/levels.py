"""What each level of a hierarchy loses, and what the hierarchy loses in all (V section 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.distance.ties import farthest, is_less
from ontomask.errors import HierarchyError

__all__ = [
    "LevelFunction",
    "LevelScore",
    "Transition",
    "Weights",
    "check_choices",
    "level_scores",
    "level_weights",
    "vgh_gsl",
    "weighted_levels",
]

Weights = Literal["constant", "level"]
LevelFunction = Literal["max", "mean"]


@dataclass(frozen=True, slots=True)
class Transition:
    """A value and what it becomes on a level, the concepts that both mean, and what is lost on the way.

    ``sense`` says how the ancestor's concept was found.
    """

    leaf: str
    level: int
    ancestor: str
    leaf_concept: str
    ancestor_concept: str
    loss: float
    sense: str

    def __str__(self) -> str:
        return f"{self.leaf} → {self.ancestor}"


@dataclass(frozen=True)
class LevelScore:
    """What is lost when all values are generalised to one level.

    Attributes
    ----------
    level
        From 1, the one above the values, to the height of the hierarchy.
    gsl
        LevelGSL: the greatest loss or the mean, as asked for; ``None`` where no transition could be scored.
    max, mean, std
        Over the scored transitions: the greatest loss, the mean, and the standard deviation (of all, not of a sample).
    weight
        The level's share in the score; 0 where no transition could be scored.
    transitions, left_out
        How many transitions were scored, and how many were not since a concept is missing.
    worst, ties
        The transition with the greatest loss, the first of them, and how many there are.
    flagged
        Whether the level loses more than the next one above: a child less specific than its parent.
    """

    level: int
    gsl: float | None
    max: float | None
    mean: float | None
    std: float | None
    weight: float
    transitions: int
    left_out: int
    worst: Transition | None
    ties: int
    flagged: bool

    @property
    def weighted(self) -> float | None:
        """The level's part of the score."""
        return None if self.gsl is None else self.gsl * self.weight


def check_choices(weights: str, level: str) -> None:
    """Refuse weights and functions that there are none of."""
    if weights not in ("constant", "level"):
        raise HierarchyError(f"The 'weights' of a score must be 'constant' or 'level'. Got {weights!r} instead.")
    if level not in ("max", "mean"):
        raise HierarchyError(f"The 'level' of a score must be 'max' or 'mean'. Got {level!r} instead.")


def level_weights(height: int, weights: Weights = "constant") -> NDArray[np.float64]:
    """The weights of levels 1 to h: ``1/h``, or ``(h + 1 − i)/Σj``, which counts losses the more the lower they are.

    >>> level_weights(4, "level").tolist()
    [0.4, 0.3, 0.2, 0.1]
    """
    check_choices(weights, "max")
    falling = np.arange(height, 0, -1, dtype=np.float64)
    return falling / falling.sum() if weights == "level" else np.full(height, 1 / height)


def weighted_levels(levels: Sequence[float | None], weights: Weights = "constant") -> list[float | None]:
    """What the levels lose, each times its weight.

    The weight of a level without a loss (``None``) is spread over the others in proportion to theirs.

    >>> weighted_levels([0.2, None, 0.4])
    [0.1, None, 0.2]
    """
    share = _spread(np.array([loss is not None for loss in levels]), weights)
    return [None if loss is None else loss * float(w) for loss, w in zip(levels, share, strict=True)]


def vgh_gsl(levels: Sequence[float | None], weights: Weights = "constant") -> float:
    """VghGSL, the weighted sum of what the levels lose (V eq. 3); NaN where no level has a loss.

    >>> round(vgh_gsl([0.1, 0.2], "level"), 4), round(vgh_gsl([0.2, 0.1], "level"), 4)
    (0.1333, 0.1667)
    """
    known = [loss for loss in weighted_levels(levels, weights) if loss is not None]
    return sum(known) if known else float("nan")


def _spread(known: NDArray[np.bool_], weights: Weights) -> NDArray[np.float64]:
    """The weights of the levels with a loss; they add up to 1."""
    given = level_weights(len(known), weights) * known
    return given if known.all() or not known.any() else given / given.sum()


def level_scores(
    loss: NDArray[np.float64], weights: Weights, level: LevelFunction, transition: Callable[[int, int], Transition]
) -> tuple[LevelScore, ...]:
    """The levels of a hierarchy from the loss of every value (row) on each level (column); NaN where it is not known.

    ``transition`` names the one at a row and a column.
    LevelGSL is the greatest loss (V eq. 2) or, fairer where one branch is worse than the rest, the mean (V section 4).
    """
    known = ~np.isnan(loss)
    share = _spread(np.asarray(known.any(axis=0)), weights)
    scores: list[LevelScore] = []
    above: float | None = None
    for i in range(loss.shape[1] - 1, -1, -1):
        losses = loss[known[:, i], i]
        left_out = len(loss) - len(losses)
        if not len(losses):
            scores.append(LevelScore(i + 1, None, None, None, None, 0.0, 0, left_out, None, 0, False))
            continue
        greatest, mean = float(losses.max()), float(losses.mean())
        gsl = greatest if level == "max" else mean
        tied = farthest(losses)
        scores.append(
            LevelScore(
                level=i + 1,
                gsl=gsl,
                max=greatest,
                mean=mean,
                std=float(losses.std()),
                weight=float(share[i]),
                transitions=len(losses),
                left_out=left_out,
                worst=transition(int(np.flatnonzero(known[:, i])[tied[0]]), i),
                ties=len(tied),
                flagged=above is not None and bool(is_less(above, gsl)),
            )
        )
        above = gsl
    return tuple(reversed(scores))
