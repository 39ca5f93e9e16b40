"""k-anonymity: the number of records, or persons, that share the released text of a record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.grouping import count_holders
from ontomask.errors import PrivacyError
from ontomask.privacy.groups import check_groups, encode, freeze, how_many_groups

__all__ = ["KAnonymity", "SizeBand", "k_anonymity"]


@dataclass(frozen=True)
class SizeBand:
    """Groups whose size is in a range.

    Attributes
    ----------
    least, most
        The smallest and the largest size. The last band has no largest.
    groups, records
        The number of groups, and the number of records in them.
    """

    least: int
    most: int | None
    groups: int
    records: int


@dataclass(frozen=True, eq=False)
class KAnonymity:
    """The sizes of the groups of equal records.

    Attributes
    ----------
    unit
        What the sizes count: ``records`` or ``persons``.
    sizes
        The size of every group, in that unit.
    records
        The number of records in every group.
    repeats
        How many groups each entry of the others stands for, where an engine has counted them; ``None``: one.
    """

    unit: str
    sizes: NDArray[np.int64]
    records: NDArray[np.int64]
    repeats: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        freeze(self.sizes, self.records)

    @property
    def k(self) -> int:
        """The size of the smallest group."""
        return int(self.sizes.min())

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.sizes) if self.repeats is None else int(self.repeats.sum())

    @property
    def worst(self) -> int:
        """The first of the smallest groups."""
        return int(self.sizes.argmin())

    @property
    def uniques(self) -> int:
        """Records in groups of one."""
        return self.records_below(2)

    @property
    def percent_unique(self) -> float:
        """The same in percent of the records."""
        return self.percent_below(2)

    @property
    def average_risk(self) -> float:
        """Average prosecutor risk in percent: the mean of 1/size over all members of groups, which is groups/n."""
        return 100 * self.groups / int(self._all(self.sizes).sum())

    @property
    def highest_risk(self) -> float:
        """Highest prosecutor risk in percent: 1/k."""
        return 100 / self.k

    def records_below(self, k: int) -> int:
        """Records in groups smaller than k."""
        return int(self._all(self.records)[self.sizes < k].sum())

    def percent_below(self, k: int) -> float:
        """The same in percent of the records."""
        return 100 * self.records_below(k) / int(self._all(self.records).sum())

    def _all(self, of_group: NDArray[np.int64]) -> NDArray[np.int64]:
        """A number of each group, times the groups that an entry stands for."""
        return of_group if self.repeats is None else of_group * self.repeats

    def size_bands(self, k: int | None = None, *, fewest: int = 1) -> tuple[SizeBand, ...]:
        """Groups and records by size: k, up to 2k, 5k, 10k and 100k, and above; by fixed sizes without k.

        Parameters
        ----------
        k
            What was guaranteed, if anything.
        fewest
            A band with fewer records is joined with the next larger one that has any, the last with the one before it.

        Examples
        --------
        >>> found = k_anonymity([0] * 5 + [1] * 5 + [2] * 8)
        >>> [(band.least, band.most, band.groups, band.records) for band in found.size_bands(5)]
        [(5, 5, 2, 10), (6, 9, 1, 8)]
        """
        edges = (1, 2, 3, 5, 10, 100) if k is None else (1, k, k + 1, 2 * k, 5 * k, 10 * k, 100 * k)
        starts = np.unique(edges)
        number = np.searchsorted(starts, self.sizes, side="right") - 1
        groups = np.bincount(number, weights=self.repeats, minlength=len(starts)).astype(np.int64)
        records = np.bincount(number, weights=self._all(self.records), minlength=len(starts)).astype(np.int64)
        ends = [*(int(start) - 1 for start in starts[1:]), None]
        found: list[SizeBand] = []
        for band in map(SizeBand, starts.tolist(), ends, groups.tolist(), records.tolist()):
            if found and found[-1].records < fewest:
                found[-1] = _joined(found[-1], band)
            elif band.records:
                found.append(band)
        if len(found) > 1 and found[-1].records < fewest:
            found[-2:] = [_joined(*found[-2:])]
        return tuple(found)

    def __str__(self) -> str:
        unit = self.unit.removesuffix("s") if self.k == 1 else self.unit
        return (
            f"k = {self.k:,} {unit} ({how_many_groups(self.groups)} of {int(self._all(self.records).sum()):,} records, "
            f"{self.uniques:,} unique)"
        )


def _joined(a: SizeBand, b: SizeBand) -> SizeBand:
    return SizeBand(a.least, b.most, a.groups + b.groups, a.records + b.records)


def k_anonymity(
    groups: ArrayLike, persons: ArrayLike | None = None, *, records: NDArray[np.integer] | None = None
) -> KAnonymity:
    """The achieved k of a released table.

    Parameters
    ----------
    groups
        The group of every record, from `group_records`.
    persons
        The person of every record (text or codes), if a person may have several records. Then k counts the distinct
        persons of a group, because many records of one person do not hide anybody. All records without a person count
        as one person.
    records
        The number of records of each entry, where ``groups`` and ``persons`` have one entry for several equal records.

    Examples
    --------
    >>> groups = [0, 0, 0, 1, 1]
    >>> print(k_anonymity(groups))
    k = 2 records (2 groups of 5 records, 0 unique)
    >>> print(k_anonymity(groups, persons=["Ann", "Bea", "Bea", "Cleo", "Cleo"]))
    k = 1 person (2 groups of 5 records, 2 unique)
    """
    ids = check_groups(groups)
    number = int(ids.max()) + 1
    sizes = count_holders(ids, number, records=records)
    if persons is None:
        return KAnonymity("records", sizes, sizes)
    who = encode(persons)
    if len(who.codes) != len(ids):
        message = f"Give one person for each of the {len(ids):,} records. Got {len(who.codes):,} instead."
        raise PrivacyError(message, parameter="persons")
    return KAnonymity("persons", count_holders(ids, number, who.codes + 1), sizes)
