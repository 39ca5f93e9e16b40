"""Rank swapping by meaning (R 3.3–3.4), and the swaps that know no meaning (R 4.2) to compare it with.

Values change places within their column, so that every column keeps its values, each as often as before. What is
moved is the meaning: all spellings of a value are released alike.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.base.notes import Note
from ontomask.base.text import rounded
from ontomask.distance.ties import farthest, levels_of
from ontomask.errors import MaskingError
from ontomask.kinds import Column
from ontomask.masking.base import NO_GUARANTEE, Guarantee, Method, Planned, check_int
from ontomask.masking.record_swaps import Moves, NearSwaps
from ontomask.masking.transitions import Transitions, by_column
from ontomask.microdata import FrequencyTable, Microdata, TuplePlan
from ontomask.microdata.frequency import Values
from ontomask.microdata.masked import MaskedData
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Points, Space

__all__ = ["DataSwapping", "DistributionalRankSwapping", "RankSwapping", "exact_matches"]

_INTERVALS = ("records", "unswapped")

Swaps = Callable[[np.random.Generator], Moves]


@dataclass(frozen=True, repr=False)
class Swapping(Method):
    """A method that lets values change places within their column; cells that are kept as they stand take no part."""

    @abstractmethod
    def _swaps(self, data: Microdata) -> Swaps:
        """Prepare swaps: each call decides whose value each record gets."""

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        moves = self._swaps(data)(rng)
        details = self._details(data, moves)
        return Planned(self._plan_of(data.table, moves), (_unchanged_in_words(details),), details)

    def _plans(self, data: Microdata) -> Callable[[np.random.Generator], TuplePlan]:
        swaps = self._swaps(data)
        return lambda rng: self._plan_of(data.table, swaps(rng))

    def _records(self, table: FrequencyTable) -> IntArray:
        """The tuple of each record, in the order that moves refer to: columns are ranked in the order of the rows."""
        return table.inverse

    def _plan_of(self, table: FrequencyTable, moves: Moves) -> TuplePlan:
        """How many records of each tuple get which values."""
        tuples = self._records(table)
        new = [table.tuples[tuples[source], j] for j, source in enumerate(moves.source)]
        return TuplePlan.of_records(table, np.stack(new, axis=1), tuples)

    def _details(self, data: Microdata, moves: Moves) -> dict[str, Any]:
        """How many values found no partner, and which shares of values and records mean what they meant."""
        table = data.table
        tuples = self._records(table)
        is_unchanged = np.ones(table.records, dtype=bool)
        unchanged, unswapped = {}, {}
        for j, (column, values) in enumerate(zip(table.columns, table.values, strict=True)):
            own = table.tuples[tuples, j]
            same = own[moves.source[j]] == own
            unchanged[column.name] = float(same[~values.kept[own]].mean())
            unswapped[column.name] = int(moves.candidates[j][0])
            is_unchanged &= same
        return {"unswapped": unswapped, "unchanged": unchanged, "unchanged_records": float(is_unchanged.mean())}


@dataclass(frozen=True, repr=False)
class WithinInterval(Swapping):
    """A method that looks for partners among k others.

    Parameters
    ----------
    k
        How many records make the interval in which a value changes places.
    """

    k: int = 5

    def __post_init__(self) -> None:
        check_int(self, "k", self.k, 1)

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask, among them those with no k others to change places with."""
        super().check(data)
        if self.k >= len(data):
            advice = "Use a smaller k." if len(data) > 1 else "Mask more records at once."
            raise MaskingError(
                f"k = {self.k:,} others to change places with are more than a table of {len(data):,} records has. "
                f"{advice}"
            )

    def _details(self, data: Microdata, moves: Moves) -> dict[str, Any]:
        return super()._details(data, moves) | {"candidates": _candidates(data, moves, self.k)}


@dataclass(frozen=True, repr=False)
class RankSwapping(WithinInterval):
    """Swap values with near ones: every column keeps its values, and its mean, variance and frequencies with them.

    Where values repeat, many are swapped with their own copies and come out unchanged; ``details`` says how many, how
    many found no partner, and from how many candidates partners were drawn.

    Parameters
    ----------
    k
        How many records make the interval in which a value changes places.
    algorithm
        1: one ranking a column, by distance to its most distant value; a value is swapped with one of the k ranks
        that follow (R Algorithm 1). 2: for each value the k nearest of its column (R Algorithm 2), the smallest
        error. 3: for each record the k nearest records, whose values are swapped column by column (R Algorithm 3):
        keeps the dependence between columns best.
    interval
        ``records``: the k nearest, swapped or not, as in R; late swaps have few unswapped ones to choose from, and
        values with none stay as they are. ``unswapped``: the k nearest that are still unswapped, so that every
        partner is drawn from k; the last k or k + 1 values of a column, which have not so many others left, are
        dealt out at random. No guarantee follows from either: an intruder who knows the method finds more than one
        record in k.

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

    _: KW_ONLY
    algorithm: int = 3
    interval: str = "records"

    def __post_init__(self) -> None:
        super().__post_init__()
        is_int = isinstance(self.algorithm, (int, np.integer)) and not isinstance(self.algorithm, bool)
        if not is_int or self.algorithm not in (1, 2, 3):
            raise MaskingError(
                f"The 'algorithm' parameter of RankSwapping must be 1, 2 or 3. Got {self.algorithm!r} instead."
            )
        if self.interval not in _INTERVALS:
            raise MaskingError(
                f"The 'interval' parameter of RankSwapping must be 'records' or 'unswapped'. Got {self.interval!r} "
                f"instead."
            )

    def _records(self, table: FrequencyTable) -> IntArray:
        if self.algorithm != 3:
            return super()._records(table)
        return np.repeat(np.arange(len(table), dtype=np.int32), table.counts)

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

    def _verify(self, data: Microdata, masked: MaskedData, planned: Planned) -> Guarantee:
        """No promise: the text reports how many candidates draws had, and how often an exact match is right.

        R 3.5 claims probabilistic k-anonymity, that a match is right with a probability of at most 1/k. It does not
        hold against an intruder who knows the method (see `ontomask.evaluation.attacks`), whatever the interval.
        """
        facts = [_candidates_in_words(planned.details["candidates"], planned.details["unswapped"], self.k)]
        if self.k > 1:
            matches, right = exact_matches(data, masked, self.k)
            facts.append(
                f"Of {rounded(matches):,} released records whose combination of {', '.join(masked.columns)} is one of "
                f"the original, and shared by fewer than {self.k}, {rounded(right):,} are what they were."
            )
        told = {"none": NO_GUARANTEE.text, "measured": " ".join(facts)}
        return Guarantee("", Note.of("no-guarantee", "{none} {measured}", **told))


@dataclass(frozen=True, repr=False)
class DistributionalRankSwapping(WithinInterval):
    """Swap values with others that are about as frequent, whatever they mean (R 4.2): a baseline.

    Values are ranked by how often they occur, each is swapped with one of the k ranks that follow.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "pain"]}), {"symptom": om.Nominal(t)})
    >>> sorted(DistributionalRankSwapping(k=1).mask(data, seed=1).frame["symptom"])
    ['ache', 'colic', 'pain']
    """

    def _swaps(self, data: Microdata) -> Swaps:
        def by_frequency(_: int, values: IntArray) -> Swaps:
            rank = np.bincount(values)[values]
            return lambda rng: _swap_by_rank(rank, self.k, False, rng)

        return _swaps_of_columns(data, by_frequency)


@dataclass(frozen=True, repr=False)
class DataSwapping(Swapping):
    """Swap each value with any other of its column (R 4.2): a baseline.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic"]}), {"symptom": om.Nominal(t)})
    >>> DataSwapping().mask(data, seed=1).frame["symptom"].tolist()
    ['colic', 'ache']
    """

    def _swaps(self, data: Microdata) -> Swaps:
        def with_any(_: int, values: IntArray) -> Swaps:
            # Equal ranks come in random order, and all others follow within so many ranks.
            return lambda rng: _swap_by_rank(np.zeros_like(values), len(values), False, rng)

        return _swaps_of_columns(data, with_any)

    def transitions(self, data: Microdata) -> Transitions:
        """A value's partner is any other record; where records are odd in number, one value at random stays."""
        self.check(data)
        return by_column(data, _with_any_other)


def _with_any_other(
    column: Column,  # noqa: ARG001
    values: Values,  # noqa: ARG001
    counts: NDArray[np.int64],
    places: NDArray[np.integer],
) -> NDArray[np.float64]:
    records = int(counts.sum())
    stays = 1 / records if records % 2 else 0.0
    out = np.tile(counts.astype(np.float64), (len(places), 1))
    own = np.arange(len(places)), places
    out[own] -= 1
    out *= (1 - stays) / max(records - 1, 1)
    out[own] += stays
    return out


def _swaps_of_columns(data: Microdata, swaps_of_column: Callable[[int, IntArray], Swaps]) -> Swaps:
    """Swap each column by itself. ``swaps_of_column`` gets its number and the codes of the values that may move."""
    table = data.table
    prepared = []
    for j, values in enumerate(table.values):
        codes = table.tuples[table.inverse, j]
        rows = np.flatnonzero(~values.kept[codes])
        prepared.append((rows, swaps_of_column(j, codes[rows])))

    def swap(rng: np.random.Generator) -> Moves:
        source = np.tile(np.arange(table.records, dtype=np.int32), (len(prepared), 1))
        candidates: list[NDArray[np.int64]] = []
        for j, (rows, swap_column) in enumerate(prepared):
            moves = swap_column(rng)
            source[j, rows] = rows[moves.source[0]]
            candidates += moves.candidates
        return Moves(source, tuple(candidates))

    return swap


def _swaps_by_distance(space: Space, points: Points, values: IntArray, k: int, unswapped_only: bool) -> Swaps:
    """Rank values by their distance to the most distant one; of several such that of a record at random."""
    most = np.zeros(len(points), dtype=bool)
    most[farthest(space.marginality(points, np.bincount(values, minlength=len(points))))] = True
    references = values[most[values]]

    def swap(rng: np.random.Generator) -> Moves:
        rank, _ = levels_of(space.matrix(points[[rng.choice(references)]], points)[0])
        return _swap_by_rank(rank[values], k, unswapped_only, rng)

    return swap


def _swap_by_rank(rank: NDArray[np.integer], k: int, unswapped_only: bool, rng: np.random.Generator) -> Moves:
    """Swap along a ranking, in which equal ranks come in random order."""
    from ontomask.masking.kernels.swapping import swap_by_rank

    ranked = rng.permutation(len(rank))
    ranked = ranked[np.argsort(rank[ranked], kind="stable")].astype(np.int32)
    source = np.arange(len(rank), dtype=np.int32)
    k = min(k, len(rank) - 1)
    candidates = np.zeros(k + 2, dtype=np.int64)
    swap_by_rank(ranked, k, unswapped_only, rng, source, candidates)
    return Moves(source[None], (candidates,))


def _swaps_with_nearest(space: Space, points: Points, values: IntArray, k: int, unswapped_only: bool) -> Swaps:
    """Swap the values of one column like records of a single attribute: what R Algorithm 2 does."""
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
    """For each column from how many values partners were drawn."""
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


def _unchanged_in_words(details: Mapping[str, Any]) -> Note:
    columns = ", ".join(f"{share:.1%} of {name!r}" for name, share in details["unchanged"].items())
    text = "values that mean what they meant: {columns}; {records:.1%} of the records have only such."
    return Note.of("values-unchanged", text, columns=columns, records=details["unchanged_records"])


def _candidates_in_words(candidates: Mapping[str, Mapping[str, Any]], stayed: Mapping[str, int], k: int) -> str:
    """From how many values partners were drawn."""
    columns = "; ".join(
        f"in {name!r} {of['at_least_k']:.1%} from at least {k:,}, half from at most {rounded(of['quartiles'][1]):,}, "
        f"the fewest {rounded(of['least']):,}, and {rounded(stayed[name]):,} values had none"
        for name, of in candidates.items()
    )
    return f"Partners were drawn from so many unswapped values: {columns}."


def exact_matches(data: Microdata, masked: MaskedData, k: int) -> tuple[int, int]:
    """Count the matches by equal values that a crowd of k does not hide, and those among them that are right.

    Matches are released records with a combination of values that the original has, and that fewer than k released
    ones share. One is right where that record is what it was. Records with combinations that nobody had are no
    matches: an intruder knows that they are swapped.
    """
    table = data.table
    columns, sizes = [], [len(values) for values in table.values]
    for column, values in zip(table.columns, table.values, strict=True):
        places, released = values.of_cell[column.code], masked.columns[column.name]
        # Values change places within their column, so all are there; cells that are kept stand where they stood.
        moved = np.searchsorted(values.point[~values.kept], released.point[released.code])
        columns.append(np.concatenate([places, np.where(values.kept[places], places, moved)]))
    before, after = np.split(group_rows(columns, sizes)[0], 2)
    often = np.bincount(after)[after]
    is_match = (often < k) & np.isin(after, before)
    return int(is_match.sum()), int((is_match & (before == after)).sum())
