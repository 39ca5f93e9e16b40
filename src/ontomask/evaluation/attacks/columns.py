"""The intruder who knows more columns: linkage over the quasi-identifiers and the columns that are released unmasked.

A release is the whole row. Candidates for an original record are the released rows that equal it in the kept columns;
of these the intruder takes the semantically nearest in the masked columns. Rows that tie share the probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, mean_of
from ontomask.base.grouping import group_rows, number_texts
from ontomask.base.progress import progress
from ontomask.errors import TableError
from ontomask.evaluation.linkage import Linkage
from ontomask.evaluation.pairing import NEEDS_RECORDS, Pairing
from ontomask.evaluation.reading import number_cells
from ontomask.evaluation.sets import SetLinkage
from ontomask.evaluation.strata import StratifiedLinkage
from ontomask.microdata import Microdata, frames
from ontomask.microdata.linked import is_function
from ontomask.microdata.masked import MaskedData
from ontomask.privacy import KAnonymity, k_anonymity
from ontomask.privacy.groups import freeze

__all__ = ["ColumnShare", "KnownColumns", "ReleasedColumns", "know_columns"]


@dataclass(frozen=True)
class ColumnShare:
    """The contribution of one kept column.

    Attributes
    ----------
    k_alone, uniques_alone, linked_alone
        Figures for an intruder who knows the quasi-identifiers and this column.
    k_without, uniques_without, linked_without
        Figures for an intruder who knows all columns except this one.
    """

    k_alone: int
    uniques_alone: float
    linked_alone: float
    k_without: int
    uniques_without: float
    linked_without: float


@dataclass(frozen=True, eq=False)
class KnownColumns:
    """The finding of an intruder who knows some of the released columns.

    Attributes
    ----------
    masked, kept
        The known columns: quasi-identifiers, and columns that were released unmasked.
    anonymity
        Groups of released records that are equal in these columns; ``None`` where nothing was released.
    linked
        Original records linked to their own released record, in percent.
    record_risk
        For every original record the probability that it is linked; 0 for suppressed ones. ``None`` for a plan.
    shares
        For each kept column its contribution; empty where only quasi-identifiers are known.
    knows_persons
        Whether the intruder knows these columns of all records of a person, which pseudonyms hold together.
    sampled
        The number of records that ``linked`` was measured on, where a table in an engine has too many different rows;
        0 if these are all. The figure is an upper bound then: the intruder is assumed to know the sample.
    error
        The standard error of ``linked`` from the sample, in percentage points.
    """

    masked: tuple[str, ...]
    kept: tuple[str, ...]
    anonymity: KAnonymity | None
    linked: float
    record_risk: NDArray[np.float64] | None
    shares: Mapping[str, ColumnShare] = field(default_factory=dict)
    knows_persons: bool = False
    sampled: int = 0
    error: float = 0.0

    def __post_init__(self) -> None:
        if self.record_risk is not None:
            freeze(self.record_risk)

    @property
    def risk(self) -> NDArray[np.float64]:
        """For every original record the probability that it is linked. An error for a plan: apply it first."""
        if self.record_risk is None:
            raise TableError(NEEDS_RECORDS, code="needs-records")
        return self.record_risk

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that the intruder knows."""
        return (*self.masked, *self.kept)

    @property
    def k(self) -> int:
        """The smallest number of records (or persons) that share these columns; 0 where nothing was released."""
        return 0 if self.anonymity is None else self.anonymity.k

    @property
    def uniques(self) -> float:
        """Released records that are unique in these columns, in percent of the released records."""
        return 0.0 if self.anonymity is None else self.anonymity.percent_unique


class ReleasedColumns:
    """The columns that were released unmasked, with the same codes in the original and in the released table.

    Parameters
    ----------
    data, masked
        The original, and what was released of it.
    """

    def __init__(self, data: Microdata, masked: MaskedData) -> None:
        self.data, self.masked = data, masked
        self._originals = frames.length(data.frame)
        present = frames.columns(masked.frame)
        # Identifiers are known to everybody, and another tool may have released them. Pseudonyms are not.
        unknown = [] if masked.units is None else [data.person]
        known = [n for n in (*data.other, *data.identifiers) if n in present and n not in unknown]
        # A linked column says nothing more than its leader, unless another tool released it in its own way.
        for follower, leader in data.linked.items():
            if follower in present:
                code, cells = frames.factorise(masked.frame, follower)
                if not is_function(masked.codes(leader), number_texts(cells)[0][code]):
                    known.append(follower)
        self.names = tuple(known)
        self._codes = {name: self._encode(name) for name in known}

    def _encode(self, name: str) -> IntArray:
        """Codes of a column, first of the original and then of the released records.

        Cells that were released unchanged are compared exactly. If another tool has changed cells, it may also have
        removed blanks, so these are ignored.
        """
        ours, theirs = number_cells(self.data, self.masked.frame, name, exact=True)
        if (ours[self.masked.rows] != theirs).any():
            ours, theirs = number_cells(self.data, self.masked.frame, name)
        return np.concatenate([ours, theirs])

    def released(self, name: str) -> IntArray:
        """For every released record the code of its cell."""
        return self._codes[name][self._originals :]

    def strata(self, *, shares: bool) -> Iterator[tuple[str | None, str, NDArray[np.int32], int]]:
        """Strata of the originals, followed by the released records, for several subsets of columns.

        Yields (column, which, strata, their number): first ``all`` columns; then, for their ``shares``, each column
        ``alone`` and all columns ``without`` it. A set without one column joins the groupings of the columns before it
        and after it.
        """
        codes = [self._codes[name] for name in self.names]
        sizes = [int(code.max()) + 1 for code in codes]
        nothing = (np.zeros(self._originals + len(self.masked.rows), dtype=np.int32), 1)
        before, behind = [nothing], [nothing]
        for code, size in zip(codes, sizes, strict=True):
            before.append(_join(before[-1], (code, size)))
        yield (None, "all", *before[-1])
        if not shares:
            return
        for code, size in zip(codes[::-1], sizes[::-1], strict=True):
            behind.append(_join(behind[-1], (code, size)))
        for i, name in enumerate(self.names):
            yield (name, "alone", codes[i], sizes[i])
            yield (name, "without", *_join(before[i], behind[len(codes) - 1 - i]))


def know_columns(
    pairing: Pairing,
    columns: ReleasedColumns,
    linkage: Linkage,
    *,
    shares: bool = True,
    count: Callable[[Sequence[str]], KAnonymity | None] | None = None,
) -> tuple[KnownColumns, KnownColumns]:
    """Link as an intruder who knows the quasi-identifiers, and as one who knows all columns that are not confidential.

    Parameters
    ----------
    pairing
        Original and masked records.
    columns
        The columns released unmasked.
    linkage
        Linkage by the quasi-identifiers alone.
    shares
        Whether the contribution of each kept column is measured as well.
    count
        How an engine counts groups over some columns, if the records are a sample.
    """
    data, masked = columns.data, columns.masked
    names = tuple(data.quasi_identifiers)
    if not len(masked):
        nothing = np.zeros(frames.length(data.frame))
        return KnownColumns(names, (), None, 0.0, nothing), KnownColumns(names, columns.names, None, 0.0, nothing)
    persons = data.persons_at(masked.rows)
    masked_groups = (masked.record_groups, int(masked.record_groups.max()) + 1)
    sets = None if masked.units is None else SetLinkage(pairing, masked.units)
    linked, risk = linkage.srl, linkage.risk["srl"]
    if sets is not None:
        # Whoever knows all records of a person compares them with all records under a pseudonym.
        everywhere = np.zeros(frames.length(data.frame), dtype=np.int32)
        risk = sets.risk(everywhere, everywhere[masked.rows], 1)
        linked = 100 * mean_of(risk, data.row_records)
    knows_persons = sets is not None
    anonymity = k_anonymity(masked.groups, persons, records=masked.records) if count is None else count(names)
    by_masked = KnownColumns(names, (), anonymity, linked, risk, knows_persons=knows_persons)
    if not columns.names:
        return by_masked, by_masked
    stratified = StratifiedLinkage(pairing) if sets is None else sets
    found: dict[tuple[str | None, str], tuple[KAnonymity | None, NDArray[np.float64]]] = {}
    with progress("Linking by kept columns", 1 + 2 * shares * len(columns.names)) as advance:
        for name, which, strata, number in columns.strata(shares=shares):
            before, after = np.split(strata, [frames.length(data.frame)])
            risk = stratified.risk(before, after, number)
            if count is None:
                both = masked.link(_join(masked_groups, (after, number))[0])
                anonymity = k_anonymity(both, persons, records=masked.records)
            else:
                left_out = {"all": (), "alone": set(columns.names) - {name}, "without": {name}}[which]
                anonymity = count([*names, *(kept for kept in columns.names if kept not in left_out)])
            found[name, which] = (anonymity, risk)
            advance(1)
    contributions = {
        name: ColumnShare(*_figures(*found[name, "alone"], data), *_figures(*found[name, "without"], data))
        for name in (columns.names if shares else ())
    }
    anonymity, risk = found[None, "all"]
    linked = 100 * mean_of(risk, data.row_records)
    sampled, error = 0, 0.0
    if count is not None:
        sampled = len(data)
        error = 100 * float(np.sqrt((mean_of(risk**2, data.row_records) - (linked / 100) ** 2) / sampled))
    of_all = (names, columns.names, anonymity, linked, risk, contributions, knows_persons, sampled, error)
    return by_masked, KnownColumns(*of_all)


def _figures(anonymity: KAnonymity | None, risk: NDArray[np.float64], data: Microdata) -> tuple[int, float, float]:
    assert anonymity is not None
    return anonymity.k, anonymity.percent_unique, 100 * mean_of(risk, data.row_records)


def _join(
    left: tuple[NDArray[np.integer], int], right: tuple[NDArray[np.integer], int]
) -> tuple[NDArray[np.int32], int]:
    """Groups of records that are equal in two groupings, and their number."""
    number, firsts = group_rows([left[0], right[0]], [left[1], right[1]])
    return number, len(firsts)
