"""Recoding: rare tuples are replaced by near ones that are less rare (Martínez 2012, chapter 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import Pace, progress
from ontomask.errors import Setting
from ontomask.masking.anonymous import KAnonymous
from ontomask.masking.description import About, flag, one_of
from ontomask.masking.groups import Groups, columns_of
from ontomask.microdata.tuples import Tuples

__all__ = ["CRITERIA", "Criterion", "Recoding"]

Criterion = Literal["semantic", "equality", "discernibility", "chance"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

# Distances from leaving tuples to values that are in memory at a time (4 MiB).
_AT_ONCE = 2**19


@dataclass(frozen=True, repr=False)
class Recoding(KAnonymous):
    """Replace rare tuples by the nearest tuple that is less rare, until each has k records.

    In each pass the tuples with the fewest records leave (Martínez 2012, Algorithm 2). All records of a tuple go to the
    same other tuple, so only tuples of the data are released.

    Parameters
    ----------
    k
        The least number of records that share a released tuple.
    criterion
        The tuple that replaces a rare one (the thesis's heuristic H2). ``semantic``: the nearest. ``equality``: the one
        that differs in the fewest attributes. ``discernibility``: the rarest, which gives the least sum of squared
        group sizes (eq. 5.2). ``chance``: any, all equally likely (without H2).
    weighted
        Whether a distance is multiplied by the records of the tuple it leads to (eq. 4.3), so that rare tuples are
        preferred to near ones. The thesis does so; without it, less was lost in nearly every case that was measured.
    rarest_first
        Whether the tuples with the fewest records leave first, pass by pass (heuristic H1). Otherwise all tuples with
        fewer than k records leave at once.
    sequential
        ``False``: all tuples of a pass leave at the same time, and none of them can be a replacement. ``True``: they
        leave one after another, and any tuple that is still there can be a replacement; a tuple that has replaced
        another stays. ``None``, the default: ``True`` if the first pass would leave groups of more than 2k records on
        average, because leaving tuples would gather at few others.

    Notes
    -----
    Ties are broken at random. If all tuples are equally rare, the pass is always sequential.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    >>> symptoms = pd.DataFrame({"symptom": ["ache", "colic", "ache", "rash", "rash"]})
    >>> data = om.Microdata(symptoms, {"symptom": om.Nominal(t)})
    >>> result = Recoding(k=2).mask(data, seed=0)
    >>> result.frame["symptom"].tolist(), result.guarantee.k
    (['ache', 'ache', 'ache', 'rash', 'rash'], 2)
    """

    about: ClassVar[About] = About(
        what="Each combination of values that fewer than k records share is replaced by the combination in the data "
        "that is nearest in meaning, until at least k records share each combination.",
        why="Only combinations that occur in the data are released, so their distribution is kept well. Among the "
        "k-anonymous methods it had the best balance of loss and risk for k up to 5 (Martínez 2012, Fig. 40).",
        summary="rare records become the nearest less rare one; only combinations that occur",
        guarantees=("k-anonymity",),
    )

    _: KW_ONLY
    criterion: Criterion = field(default="semantic", metadata=one_of(CRITERIA))
    weighted: bool = field(default=False, metadata=flag())
    rarest_first: bool = field(default=True, metadata=flag())
    sequential: bool | None = field(default=None, metadata=flag(optional=True))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weighted and self.criterion in ("discernibility", "chance"):
            criterion = Setting("method", "criterion", values=[self.criterion])
            raise self._wrong("weighted", "multiplies distances, and ", criterion, " uses none. Leave it out.")

    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:
        target, passes = self._replacements(tuples, rng)
        while (target != target[target]).any():
            target = target[target]
        receivers, group = np.unique(target, return_inverse=True)
        moved = int(tuples.counts[target != np.arange(len(tuples))].sum())
        details = {"passes": passes, "replaced": moved}
        return Groups(group.astype(np.int32), columns_of(tuples, receivers), details=details)

    def _represent(self, tuples: Tuples, members: IntArray) -> list[Any]:
        """The tuple that merged tuples are released as: the first of the most frequent."""
        chosen = members[tuples.counts[members].argmax()]
        return [points[tuples.indices[chosen, j]] for j, points in enumerate(tuples.points)]

    def _replacements(self, tuples: Tuples, rng: np.random.Generator) -> tuple[IntArray, int]:
        """For each tuple the tuple that replaced it, or itself if it stays; and the number of passes."""
        counts = tuples.counts.copy()
        target = np.arange(len(tuples), dtype=np.int32)
        sequential = self._is_sequential(counts)
        picks, lines = self._compared(tuples)
        at_once = max(1, _AT_ONCE // (int(picks.max()) + 1))
        passes, pace = 0, Pace()
        with progress("Recoding", int((counts < self.k).sum())) as advance:
            while True:
                present = np.flatnonzero(counts).astype(np.int32)
                rare = self._rare(counts[present])
                if not rare.any():
                    return target, passes
                leaving = present[rare]
                in_turn = sequential or bool(rare.all())
                candidates = _Candidates(picks, present if in_turn else present[~rare], self._weights(counts))
                first = 0
                while first < len(leaving):
                    rows = leaving[first : first + min(at_once, pace.steps)]
                    with pace:
                        candidates.replace(rows, lines(rows), rng.random(len(rows)), in_turn, target)
                    first += len(rows)
                    advance(len(rows))
                left = leaving[target[leaving] != leaving]
                np.add.at(counts, target[left], counts[left])
                counts[left] = 0
                passes += 1

    def _rare(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the present tuples leave in this pass."""
        below = counts < self.k
        return below & (counts == counts.min()) if self.rarest_first else below

    def _is_sequential(self, counts: NDArray[np.int64]) -> bool:
        if self.sequential is not None:
            return self.sequential
        stay = len(counts) - int(self._rare(counts).sum())
        return int(counts.sum()) > 2 * self.k * stay

    def _weights(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The factor of the distance to each tuple: its records at the start of the pass, or 1."""
        looks_at_counts = self.weighted or self.criterion == "discernibility"
        return counts.astype(np.float64) if looks_at_counts else np.ones(len(counts))

    def _compared(self, tuples: Tuples) -> tuple[IntArray, Callable[[IntArray], NDArray[np.float64]]]:
        """What the criterion compares, in the form of `Tuples.in_line` and `Tuples.lines`."""
        if self.criterion == "semantic":
            return tuples.in_line, tuples.lines
        if self.criterion == "equality":
            return tuples.in_line, partial(_inequalities, tuples)
        # Only counts matter: all tuples are equally far from each other.
        return np.zeros((len(tuples), 1), dtype=np.int32), lambda rows: np.ones((len(rows), 1))


def _inequalities(tuples: Tuples, rows: IntArray) -> NDArray[np.float64]:
    """`Tuples.lines` for a distance of 1 between any two different values."""
    line = np.zeros(int(tuples.in_line.max()) + 1)
    line[tuples.in_line] = tuples.shares
    lines = np.tile(line, (len(rows), 1))
    np.put_along_axis(lines, tuples.in_line[rows], 0.0, axis=1)
    return lines


class _Candidates:
    """The tuples that may replace others, in the layout of the compiled `replace`."""

    def __init__(self, picks: IntArray, members: IntArray, weights: NDArray[np.float64]) -> None:
        # The attribute with the most values contributes most to a distance; its indices span the widest range.
        most_values = np.argsort(-np.ptp(picks, axis=0), kind="stable")
        mine = picks[members][:, most_values]
        order = np.lexsort(mine[:, 1::-1].T)
        self._member, self._picks = members[order], np.ascontiguousarray(mine[order])
        self._weight = weights[self._member]
        new_run = np.any(np.diff(self._picks[:, :2], axis=0, prepend=-1), axis=1)
        self._runs = np.flatnonzero(new_run)
        self._stop = np.append(self._runs[1:], len(members))
        self._heads = np.append(np.flatnonzero(np.diff(self._picks[self._runs, 0], prepend=-1)), len(self._runs))
        self._index_of = np.full(len(picks), -1, dtype=np.int32)
        self._index_of[self._member] = np.arange(len(members), dtype=np.int32)
        self._stays = np.zeros(len(picks), dtype=bool)

    def replace(
        self,
        leaving: IntArray,
        lines: NDArray[np.float64],
        draws: NDArray[np.float64],
        sequential: bool,
        target: IntArray,
    ) -> None:
        """Write the replacement of each leaving tuple into ``target``."""
        from ontomask.masking.kernels.recoding import replace

        replace(
            leaving,
            lines,
            draws,
            sequential,
            self._heads,
            self._runs,
            self._stop,
            self._member,
            self._picks,
            self._weight,
            self._index_of,
            self._stays,
            target,
        )
