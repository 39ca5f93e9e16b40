"""l-diversity: the number of confidential values in a group of equal records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.privacy.groups import check_codes, check_groups, freeze, how_many_groups, tally

__all__ = ["LDiversity", "l_diversity"]


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
