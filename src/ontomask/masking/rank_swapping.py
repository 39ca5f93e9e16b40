"""Rank swapping by meaning (Rodriguez-Garcia 2019, 3.3–3.4), and swapping without meaning to compare it with.

Values are swapped within their column, so every column keeps its values with their frequencies. Meanings are swapped:
all spellings of a value are released in the same way.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import count_codes, group_rows
from ontomask.base.notes import Note
from ontomask.base.text import rounded
from ontomask.distance.ties import farthest, levels_of
from ontomask.masking.base import Method
from ontomask.masking.description import NO_PROMISE, About, at_least, one_of
from ontomask.masking.record_swaps import Moves, NearSwaps
from ontomask.masking.results import NO_GUARANTEE, AnyPlan, Guarantee, Planned
from ontomask.masking.transitions import ColumnCounts, Matrix, Transitions, by_column
from ontomask.microdata import FrequencyTable, Microdata, TuplePlan
from ontomask.microdata.masked import MaskedTable
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Points, Space

__all__ = ["DataSwapping", "DistributionalRankSwapping", "RankSwapping", "exact_matches"]

Swaps = Callable[[np.random.Generator], Moves]


@dataclass(frozen=True, repr=False)
class Swapping(Method):
    """A method that swaps values within their column. Kept cells stay where they are."""

    @abstractmethod
    def _swaps(self, data: Microdata) -> Swaps:
        """Prepare the swaps: each call decides which record's value each record gets. Records are listed by tuple."""

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        moves = self._swaps(data)(rng)
        details = self._details(data, moves)
        return Planned(self._plan_of(data.table, moves), (_unchanged_note(details),), details)

    def prepare_plans(self, data: Microdata) -> Callable[[np.random.Generator], AnyPlan]:
        """Prepare the swaps once, unless strata are masked by themselves."""
        if self.by:
            return super().prepare_plans(data)
        swaps = self._swaps(data)
        return lambda rng: self._plan_of(data.table, swaps(rng))

    def _plan_of(self, table: FrequencyTable, moves: Moves) -> TuplePlan:
        """How many records of each tuple get which values."""
        tuples = table.record_tuples
        new = [table.tuples[tuples[source], j] for j, source in enumerate(moves.source)]
        return TuplePlan.of_records(table, np.stack(new, axis=1), tuples)

    def _details(self, data: Microdata, moves: Moves) -> dict[str, Any]:
        """The number of values without a partner, and the shares of values and records whose meaning is unchanged."""
        table = data.table
        tuples = table.record_tuples
        is_unchanged = np.ones(table.records, dtype=bool)
        unchanged, unswapped = {}, {}
        for j, (column, values) in enumerate(zip(table.columns, table.values, strict=True)):
            own = table.tuples[tuples, j]
            same = own[moves.source[j]] == own
            masked = same[~values.kept[own]]
            unchanged[column.name] = float(masked.mean()) if len(masked) else 1.0
            unswapped[column.name] = int(moves.candidates[j][0])
            is_unchanged &= same
        return {"unswapped": unswapped, "unchanged": unchanged, "unchanged_records": float(is_unchanged.mean())}


@dataclass(frozen=True, repr=False)
class WithinInterval(Swapping):
    """A method that swaps values within an interval of k others.

    Parameters
    ----------
    k
        The number of records in the interval within which a value is swapped.
    """

    k: int = field(default=5, metadata=at_least(1))

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask, or that have no more than k records."""
        super().check(data)
        if self.k >= len(data):
            advice = "Use a smaller k." if len(data) > 1 else "Mask more records at once."
            raise self._wrong("k", f"is {self.k:,}, and a table of {len(data):,} records has fewer others. {advice}")

    def _details(self, data: Microdata, moves: Moves) -> dict[str, Any]:
        return super()._details(data, moves) | {"candidates": _candidates(data, moves, self.k)}


@dataclass(frozen=True, repr=False)
class RankSwapping(WithinInterval):
    """Swap values with near ones: every column keeps its values, and so its mean, variance and frequencies.

    If values repeat, many are swapped with equal values and come out unchanged. ``details`` has the shares of these,
    the number of values without a partner, and the number of candidates that partners were drawn from.

    Parameters
    ----------
    k
        The number of records in the interval within which a value is swapped.
    algorithm
        1: each column is ranked by distance to its most distant value, and a value is swapped with one of the k ranks
        that follow (Rodriguez-Garcia 2019, Algorithm 1). 2: a value is swapped with one of the k nearest of its column
        (Algorithm 2), which gives the smallest error. 3: the values of a record are swapped, column by column, with
        those of the k nearest records (Algorithm 3), which keeps the dependence between columns best.
    interval
        ``records``: the k nearest, swapped or not, as published. Late swaps have few unswapped candidates, and values
        with none stay as they are. ``unswapped``: the k nearest that are not swapped yet, so that each partner is drawn
        from k candidates; the last k or k + 1 values of a column are swapped at random. Neither gives a guarantee: an
        intruder who knows the method links more than one record in k.

    Notes
    -----
    Algorithm 3, line 9, swaps every attribute of a reference, even if its value was swapped before. Read literally,
    columns would lose values: of a, b and c, let a and b be swapped, and then b's record with c. It gets c, and c's
    record gets b again, so that the column is b, c, b. Section 4.2 says that values are kept, so values that were
    swapped before are skipped here.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    >>> frame = pd.DataFrame({"symptom": ["ache", "colic", "rash", "pain", "ache", "rash"]})
    >>> data = om.Microdata(frame, {"symptom": om.Nominal(t)})
    >>> result = RankSwapping(k=2).mask(data, seed=1)
    >>> sorted(result.frame["symptom"]) == sorted(frame["symptom"])
    True
    """

    about: ClassVar[About] = About(
        what="Values are swapped between records that are near each other in meaning. Nothing is invented: every "
        "column keeps exactly its values, in other records.",
        why="Choose it where the frequencies of each column must stay exact. Where most values occur very often, many "
        "are swapped with equal values and come out unchanged: look at the shares below.",
        summary="every column keeps exactly its values; they change places among similar records",
    )

    _: KW_ONLY
    algorithm: int = field(default=3, metadata=one_of((1, 2, 3)))
    interval: str = field(default="records", metadata=one_of(("records", "unswapped")))

    @property
    def weighs_columns(self) -> bool:
        """Yes, in algorithm 3. The others swap each column by itself."""
        return self.algorithm == 3

    def _swaps(self, data: Microdata) -> Swaps:
        table = data.table
        unswapped_only = self.interval == "unswapped"
        if self.algorithm == 3:
            movable = np.stack([~values.kept[table.tuples[:, j]] for j, values in enumerate(table.values)], axis=1)
            return NearSwaps(Tuples.of(table), movable, self.k, unswapped_only=unswapped_only).swap

        def swaps_of_column(j: int, values: IntArray) -> Swaps:
            space, points = table.columns[j].space, table.values[j].point[~table.values[j].kept]
            swaps = _swaps_by_distance if self.algorithm == 1 else _swaps_with_nearest
            return swaps(space, points, values, self.k, unswapped_only)

        return _swaps_of_columns(data, swaps_of_column)

    def _verify(self, data: Microdata, masked: MaskedTable, planned: Planned) -> Guarantee:
        """No guarantee: the text reports the numbers of candidates, and how often an exact match is right.

        Rodriguez-Garcia 2019, 3.5, claims probabilistic k-anonymity: a match is right with probability 1/k at most.
        This does not hold against an intruder who knows the method (see `ontomask.evaluation.attacks`), for either
        interval.
        """
        text = "{none}"
        facts: dict[str, Any] = {"none": NO_GUARANTEE.text}
        if not self.by:
            # The candidates of several strata have no common distribution.
            text += " {candidates}"
            found = planned.details["candidates"], planned.details["unswapped"]
            facts["candidates"] = _candidates_in_words(*found, self.k)
        if self.k > 1:
            text += (
                " In {matches:,} released records the combination of {columns} occurs in the original and fewer than "
                "{k} released records share it; {right:,} of these are unchanged."
            )
            matches, right = exact_matches(data, masked, self.k)
            facts |= {"matches": rounded(matches), "right": rounded(right), "k": self.k}
            facts["columns"] = ", ".join(masked.columns)
        return Guarantee("", Note.of("no-guarantee", text, **facts))


@dataclass(frozen=True, repr=False)
class DistributionalRankSwapping(WithinInterval):
    """Swap values with others that are about as frequent, whatever their meaning: a baseline.

    Values are ranked by frequency, and each is swapped with one of the k ranks that follow (Rodriguez-Garcia 2019,
    4.2).

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "pain"]}), {"symptom": om.Nominal(t)})
    >>> sorted(DistributionalRankSwapping(k=1).mask(data, seed=1).frame["symptom"])
    ['ache', 'colic', 'pain']
    """

    about: ClassVar[About] = About(
        what="Values are ranked by how often they occur and swapped with values of near ranks. Meaning is ignored.",
        why=f"It is a baseline: it shows what swapping costs without regard to meaning. {NO_PROMISE}",
        summary="values change places with others that are about as frequent",
        baseline=True,
    )

    def _swaps(self, data: Microdata) -> Swaps:
        def by_frequency(_: int, values: IntArray) -> Swaps:
            rank = np.bincount(values)[values]
            return lambda rng: _swap_by_rank(rank, self.k, False, rng)

        return _swaps_of_columns(data, by_frequency)


@dataclass(frozen=True, repr=False)
class DataSwapping(Swapping):
    """Swap each value with any other of its column: a baseline (Rodriguez-Garcia 2019, 4.2).

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic"]}), {"symptom": om.Nominal(t)})
    >>> DataSwapping().mask(data, seed=1).frame["symptom"].tolist()
    ['colic', 'ache']
    """

    about: ClassVar[About] = About(
        what="The values of each column are swapped between records at random.",
        why="It is a baseline: the frequencies of each column stay exact, and every relation between columns is lost. "
        f"{NO_PROMISE}",
        summary="values change places at random",
        baseline=True,
    )

    def _swaps(self, data: Microdata) -> Swaps:
        def with_any(_: int, values: IntArray) -> Swaps:
            # Equal ranks are in random order, and the interval contains all others.
            return lambda rng: _swap_by_rank(np.zeros_like(values), len(values), False, rng)

        return _swaps_of_columns(data, with_any)

    def transitions(self, data: Microdata) -> Transitions:
        """Any other record can be the partner of a value. If the number of records is odd, one random value stays."""
        self.check(data)
        return by_column(data, _with_any_other)


def _with_any_other(of: ColumnCounts, indices: IntArray) -> Matrix:
    records = int(of.counts.sum())
    stays = 1 / records if records % 2 else 0.0
    out = np.tile(of.counts.astype(np.float64), (len(indices), 1))
    own = np.arange(len(indices)), indices
    out[own] -= 1
    out *= (1 - stays) / max(records - 1, 1)
    out[own] += stays
    return out


def _swaps_of_columns(data: Microdata, swaps_of_column: Callable[[int, IntArray], Swaps]) -> Swaps:
    """Swap each column by itself. ``swaps_of_column`` gets a column's index and the codes of its movable values."""
    table = data.table
    tuples, prepared = table.record_tuples, []
    for j, values in enumerate(table.values):
        codes = table.tuples[tuples, j]
        movable = np.flatnonzero(~values.kept[codes])
        prepared.append((movable, swaps_of_column(j, codes[movable]) if len(movable) else _no_swaps))

    def swap(rng: np.random.Generator) -> Moves:
        source = np.tile(np.arange(table.records, dtype=np.int32), (len(prepared), 1))
        candidates: list[NDArray[np.int64]] = []
        for j, (movable, swap_column) in enumerate(prepared):
            moves = swap_column(rng)
            source[j, movable] = movable[moves.source[0]]
            candidates += moves.candidates
        return Moves(source, tuple(candidates))

    return swap


def _no_swaps(rng: np.random.Generator) -> Moves:  # noqa: ARG001
    """A column without movable values."""
    return Moves(np.empty((1, 0), dtype=np.int32), (np.zeros(1, dtype=np.int64),))


def _swaps_by_distance(space: Space, points: Points, values: IntArray, k: int, unswapped_only: bool) -> Swaps:
    """Rank values by distance to the most distant value; among several of these, that of a random record."""
    most = np.zeros(len(points), dtype=bool)
    most[farthest(space.marginality(points, np.bincount(values, minlength=len(points))))] = True
    references = values[most[values]]

    def swap(rng: np.random.Generator) -> Moves:
        rank, _ = levels_of(space.matrix(points[[rng.choice(references)]], points)[0])
        return _swap_by_rank(rank[values], k, unswapped_only, rng)

    return swap


def _swap_by_rank(rank: NDArray[np.integer], k: int, unswapped_only: bool, rng: np.random.Generator) -> Moves:
    """Swap along a ranking. Equal ranks are in random order."""
    from ontomask.masking.kernels.rank_swapping import swap_by_rank

    ranked = rng.permutation(len(rank))
    ranked = ranked[np.argsort(rank[ranked], kind="stable")].astype(np.int32)
    source = np.arange(len(rank), dtype=np.int32)
    k = min(k, len(rank) - 1)
    candidates = np.zeros(k + 2, dtype=np.int64)
    swap_by_rank(ranked, k, unswapped_only, rng, source, candidates)
    return Moves(source[None], (candidates,))


def _swaps_with_nearest(space: Space, points: Points, values: IntArray, k: int, unswapped_only: bool) -> Swaps:
    """Swap the values of one column as records with a single attribute, which is Algorithm 2."""
    counts = np.bincount(values, minlength=len(points))
    tuples = Tuples([space], [points], np.arange(len(points), dtype=np.int32)[:, None], counts)
    movable = np.ones((len(points), 1), dtype=bool)
    swaps = NearSwaps(tuples, movable, min(k, len(values) - 1), unswapped_only=unswapped_only)
    by_value = np.argsort(values, kind="stable")

    def swap(rng: np.random.Generator) -> Moves:
        moves = swaps.swap(rng)
        source = np.empty((1, len(values)), dtype=np.int32)
        source[:, by_value] = by_value[moves.source]
        return Moves(source, moves.candidates)

    return swap


def _candidates(data: Microdata, moves: Moves, k: int) -> dict[str, dict[str, Any]]:
    """For each column, how many candidates partners were drawn from."""
    found = {}
    for column, often in zip(data.table.columns, moves.candidates, strict=True):
        drawn = often.copy()
        drawn[0] = 0
        draws = int(drawn.sum())
        reached = np.cumsum(drawn)
        found[column.name] = {
            "draws": draws,
            "least": int(np.flatnonzero(drawn)[0]) if draws else 0,
            "quartiles": [int(np.searchsorted(reached, draws * q / 4)) for q in (1, 2, 3)],
            "at_least_k": float(drawn[k:].sum() / draws) if draws else 0.0,
        }
    return found


def _unchanged_note(details: Mapping[str, Any]) -> Note:
    columns = ", ".join(f"{share:.1%} of {name!r}" for name, share in details["unchanged"].items())
    text = "Values whose meaning is unchanged: {columns}. {records:.1%} of the records have only such values."
    return Note.of("values-unchanged", text, columns=columns, records=details["unchanged_records"])


def _candidates_in_words(candidates: Mapping[str, Mapping[str, Any]], stayed: Mapping[str, int], k: int) -> str:
    """How many candidates partners were drawn from, in words."""
    columns = "; ".join(
        f"in {name!r}, {of['at_least_k']:.1%} of the draws had at least {k:,}, half had at most "
        f"{rounded(of['quartiles'][1]):,}, the least was {rounded(of['least']):,}, and {rounded(stayed[name]):,} "
        f"values had none"
        for name, of in candidates.items()
    )
    return f"Unswapped candidates for a partner: {columns}."


def exact_matches(data: Microdata, masked: MaskedTable, k: int) -> tuple[int, int]:
    """Count the exact matches in groups of fewer than k records, and the right ones among them.

    A match is a released record whose combination of values occurs in the original and is shared by fewer than k
    released records. It is right if the record is unchanged. Combinations that nobody had are no matches: an intruder
    knows that they are swapped.
    """
    table = data.table
    columns, sizes = [], [len(values) for values in table.values]
    for column, values in zip(table.columns, table.values, strict=True):
        index, released = values.of_cell[column.code], masked.columns[column.name]
        own = index[masked.rows]
        # Values are swapped within their column, so all are present; kept cells stay where they are.
        moved = np.searchsorted(values.point[~values.kept], released.point[released.code])
        columns.append(np.concatenate([index, np.where(values.kept[own], own, moved)]))
    before, after = np.split(group_rows(columns, sizes)[0], [len(table.inverse)])
    records = np.ones(len(after), dtype=np.int64) if masked.records is None else masked.records
    often = count_codes(after, int(max(before.max(), after.max())) + 1, records)[after]
    is_match = (often < k) & np.isin(after, before)
    return int(records[is_match].sum()), int(records[is_match & (before[masked.rows] == after)].sum())
