"""How much meaning each level of a hierarchy loses (Ayala-Rivera 2014, section 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.distance import Distance
from ontomask.distance import distance as named_distance
from ontomask.distance.ties import farthest, is_less
from ontomask.errors import DistanceError
from ontomask.hierarchy.hierarchy import check_choice
from ontomask.hierarchy.senses import SENSE_RULES, Senses
from ontomask.taxonomy import Taxonomy

__all__ = [
    "LevelFunction",
    "LevelScore",
    "Transition",
    "Weights",
    "check_choices",
    "distance_over",
    "level_scores",
    "level_weights",
    "name_transition",
    "transition_losses",
    "vgh_gsl",
    "weighted_levels",
]

Weights = Literal["constant", "level"]
LevelFunction = Literal["max", "mean"]


@dataclass(frozen=True, slots=True)
class Transition:
    """A value and its ancestor on a level, the concepts of both, and the loss from one to the other.

    ``sense`` is the rule that found the ancestor's concept.
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
    """The loss when all values are generalised to one level.

    Attributes
    ----------
    level
        From 1, the level above the values, to the height of the hierarchy.
    gsl
        LevelGSL: the maximum or the mean loss, as asked for; ``None`` if no transition could be scored.
    max, mean, std
        Maximum, mean and population standard deviation of the loss over the scored transitions.
    weight
        The level's share in the score; 0 if no transition could be scored.
    transitions, left_out
        Number of transitions that were scored, and that were not because a concept is missing.
    worst, ties
        A transition with the maximum loss, of several the first by value, and the number of transitions with that loss.
    flagged
        Whether the level loses more than the next level: a child is less specific than its parent.
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
    """Validate the options ``weights`` and ``level`` of a score."""
    check_choice("weights", weights, ("constant", "level"))
    check_choice("level", level, ("max", "mean"))


def distance_over(
    taxonomy: Taxonomy, wanted: str | Mapping[str, Any] | Distance | None, root_depth: int | None
) -> Distance:
    """The distance asked for, over the whole taxonomy."""
    if isinstance(wanted, Distance):
        if wanted.taxonomy is not taxonomy:
            raise DistanceError(
                "The 'distance' is over another taxonomy. Give a distance over the taxonomy of the score, or its name.",
                parameter="distance",
            )
        options = {"name": wanted.name, **wanted.options()}
    elif wanted is None or isinstance(wanted, str):
        options = {"name": wanted or "wu_palmer"}
    elif isinstance(wanted, Mapping) and "name" in wanted:
        options = dict(wanted)
    else:
        raise DistanceError(
            "The 'distance' must be a name, a dictionary with the key 'name' and options, or a Distance. "
            f"Got {wanted!r} instead.",
            parameter="distance",
        )
    if root_depth is not None and (options["name"] != "wu_palmer" or "root_depth" in options):
        raise DistanceError(
            "The 'root_depth' is an option of 'wu_palmer' and can be given only once. Remove it, or put it into the "
            "distance: {'name': 'wu_palmer', 'root_depth': 1}.",
            parameter="root_depth",
        )
    if isinstance(wanted, Distance):
        return wanted
    if options["name"] == "wu_palmer":
        options.setdefault("root_depth", 2 if root_depth is None else root_depth)
    return named_distance(options.pop("name"), taxonomy, **options)


def transition_losses(senses: Senses, distance: Distance) -> NDArray[np.float64]:
    """TransGSL of every value (row) on each level (column, level 1 first); NaN if a concept is missing.

    TransGSL is the distance between a value and its ancestor (Ayala-Rivera 2014, eq. 1).
    """
    loss = np.full(senses.ancestor.shape, np.nan)
    scored = senses.scored
    n = len(senses.taxonomy)
    values = np.broadcast_to(senses.leaf[:, None], loss.shape)[scored].astype(np.int64)
    pairs, index = np.unique(values * n + senses.ancestor[scored], return_inverse=True)
    below, above = np.divmod(pairs, n)
    loss[scored] = distance.pairs(below, above)[index]
    loss.setflags(write=False)
    return loss


def name_transition(senses: Senses, loss: NDArray[np.float64], row: int, column: int) -> Transition:
    """The transition at a row (value) and column (level − 1)."""
    labels, table = senses.hierarchy.coded
    ids = senses.taxonomy.ids
    return Transition(
        labels[row],
        column + 1,
        labels[table[row, column + 1]],
        ids[senses.leaf[row]],
        ids[senses.ancestor[row, column]],
        float(loss[row, column]),
        SENSE_RULES[senses.rule[row, column]],
    )


def level_weights(height: int, weights: Weights = "constant") -> NDArray[np.float64]:
    """The weights of levels 1 to h: ``1/h``, or ``(h + 1 − i)/Σj``, so that lower levels weigh more.

    >>> level_weights(4, "level").tolist()
    [0.4, 0.3, 0.2, 0.1]
    """
    check_choice("weights", weights, ("constant", "level"))
    falling = np.arange(height, 0, -1, dtype=np.float64)
    return falling / falling.sum() if weights == "level" else np.full(height, 1 / height)


def weighted_levels(levels: Sequence[float | None], weights: Weights = "constant") -> list[float | None]:
    """The loss of each level times its weight.

    The weight of a level without a loss (``None``) is shared among the others in proportion to their weights.

    >>> weighted_levels([0.2, None, 0.4])
    [0.1, None, 0.2]
    """
    share = _shares(np.array([loss is not None for loss in levels]), weights)
    return [None if loss is None else loss * float(w) for loss, w in zip(levels, share, strict=True)]


def vgh_gsl(levels: Sequence[float | None], weights: Weights = "constant") -> float:
    """VghGSL, the weighted sum of the levels' losses (Ayala-Rivera 2014, eq. 3); NaN if no level has a loss.

    >>> round(vgh_gsl([0.1, 0.2], "level"), 4), round(vgh_gsl([0.2, 0.1], "level"), 4)
    (0.1333, 0.1667)
    """
    known = [loss for loss in weighted_levels(levels, weights) if loss is not None]
    return sum(known) if known else float("nan")


def _shares(known: NDArray[np.bool_], weights: Weights) -> NDArray[np.float64]:
    """The weights of the levels with a loss, which add up to 1."""
    given = level_weights(len(known), weights) * known
    return given if known.all() or not known.any() else given / given.sum()


def level_scores(
    senses: Senses, loss: NDArray[np.float64], weights: Weights, level: LevelFunction
) -> tuple[LevelScore, ...]:
    """The score of each level from the losses of `transition_losses`.

    LevelGSL is the maximum loss (Ayala-Rivera 2014, eq. 2), or the mean, which is fairer if one branch is much worse
    than the rest (section 4).
    """
    known = ~np.isnan(loss)
    share = _shares(np.asarray(known.any(axis=0)), weights)
    scores: list[LevelScore] = []
    above: float | None = None
    for i in range(loss.shape[1] - 1, -1, -1):
        losses = loss[known[:, i], i]
        left_out = len(loss) - len(losses)
        if not len(losses):
            scores.append(LevelScore(i + 1, None, None, None, None, 0.0, 0, left_out, None, 0, False))
            continue
        largest, mean = float(losses.max()), float(losses.mean())
        gsl = largest if level == "max" else mean
        tied = np.flatnonzero(known[:, i])[farthest(losses)]
        worst = min(tied.tolist(), key=lambda row: senses.hierarchy.coded[0][row])
        scores.append(
            LevelScore(
                level=i + 1,
                gsl=gsl,
                max=largest,
                mean=mean,
                std=float(losses.std()),
                weight=float(share[i]),
                transitions=len(losses),
                left_out=left_out,
                worst=name_transition(senses, loss, worst, i),
                ties=len(tied),
                flagged=above is not None and bool(is_less(above, gsl)),
            )
        )
        above = gsl
    return tuple(reversed(scores))
