"""l-diversity: the number of confidential values in a group of equal records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.grouping import count_holders, group_rows
from ontomask.privacy.groups import check_codes, check_groups, freeze, how_many_groups, tally

__all__ = ["LDiversity", "held_by_all", "l_diversity"]


@dataclass(frozen=True, eq=False)
class LDiversity:
    """Two counts of the confidential values in every group.

    Attributes
    ----------
    distinct
        The number of distinct values.
    entropy
        exp of the group's entropy: the number of equally frequent values that is as hard to guess.
    """

    distinct: NDArray[np.int64]
    entropy: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze(self.distinct, self.entropy)

    @property
    def distinct_l(self) -> int:
        """Distinct l: the least number of distinct values in a group."""
        return int(self.distinct.min())

    @property
    def entropy_l(self) -> float:
        """Entropy l: the smallest of ``entropy``."""
        return float(self.entropy.min())

    @property
    def worst_distinct(self) -> int:
        """The first group with the fewest distinct values."""
        return int(self.distinct.argmin())

    @property
    def worst_entropy(self) -> int:
        """The first group with the least entropy."""
        return int(self.entropy.argmin())

    def __str__(self) -> str:
        return (
            f"l = {self.distinct_l:,} distinct, {self.entropy_l:.2f} by entropy ({how_many_groups(len(self.distinct))})"
        )


def l_diversity(
    groups: ArrayLike, confidential: ArrayLike, *, records: NDArray[np.integer] | None = None
) -> LDiversity:
    """Distinct and entropy l-diversity of one confidential attribute, group by group.

    A group is entropy l-diverse if its entropy is at least log l (Machanavajjhala et al. 2007). So the largest such l
    is exp of the entropy.

    Parameters
    ----------
    groups
        The group of every record, from `group_records`.
    confidential
        The value of every record, or its code, −1 if it is missing. Missing is a value of its own.
    records
        The number of records of each entry, where there is one entry for several equal records.

    Examples
    --------
    >>> print(l_diversity([0, 0, 0, 0, 1, 1], [0, 1, 0, 1, 2, 2]))
    l = 1 distinct, 1.00 by entropy (2 groups)
    >>> print(l_diversity([0, 0, 0, 0], ["flu", "gout", "flu", "gout"]))
    l = 2 distinct, 2.00 by entropy (1 group)
    """
    ids = check_groups(groups)
    codes, known = check_codes(confidential, len(ids), encodes=True)
    found = tally(ids, codes, known + 1, records)
    surprise = -found.share * np.log(found.share)
    return LDiversity(np.diff(found.start), np.exp(np.add.reduceat(surprise, found.start[:-1])))


def held_by_all(
    groups: NDArray[np.integer], values: NDArray[np.integer], units: NDArray[np.integer] | None
) -> NDArray[np.bool_]:
    """Which records have a confidential value that everybody in their group has.

    Parameters
    ----------
    groups
        The group of every record. With ``units``, from `ontomask.base.grouping.group_sets`.
    values
        The confidential value of every record, as numbers ≥ 0.
    units
        The pseudonym of every record; ``None`` if each record is released by itself.

    Examples
    --------
    >>> groups, flu_or_gout = np.array([0, 1, 0, 1]), np.array([0, 1, 1, 0])
    >>> held_by_all(groups, flu_or_gout, None).any(), held_by_all(groups, flu_or_gout, np.array([0, 0, 1, 1])).all()
    (np.False_, np.True_)
    """
    unit = np.arange(len(groups)) if units is None else group_rows([units], [int(units.max(initial=0)) + 1])[0]
    # The first group of a pseudonym stands for all of them.
    first = np.full(int(unit.max(initial=-1)) + 1, int(groups.max(initial=0)) + 1, dtype=np.int64)
    np.minimum.at(first, unit, groups)
    of_record = first[unit]
    number = int(groups.max(initial=-1)) + 1
    held, firsts = group_rows([of_record, values], [number, int(values.max(initial=-1)) + 1])
    everybody = count_holders(of_record, number, unit)
    is_shared = count_holders(held, len(firsts), unit) == everybody[of_record[firsts]]
    return is_shared[held]
