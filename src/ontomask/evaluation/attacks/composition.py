"""Two releases of the same persons: their groups intersect, and the intersections may be small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ontomask.base.progress import progress
from ontomask.errors import TableError
from ontomask.masking import Result
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedData, MaskedTuples
from ontomask.privacy import KAnonymity, group_records, k_anonymity

__all__ = ["Composition", "compose"]


@dataclass(frozen=True, eq=False)
class Composition:
    """The finding of an intruder who has two releases of the same records.

    Attributes
    ----------
    first, second
        Groups of equal records in each release.
    joint
        Groups of records that are equal in both releases; ``None`` if no record is in both.
    """

    first: KAnonymity
    second: KAnonymity
    joint: KAnonymity | None

    @property
    def k(self) -> int:
        """The size of the smallest joint group; 0 if no record is in both releases."""
        return 0 if self.joint is None else self.joint.k

    @property
    def uniques(self) -> float:
        """Records that are alone in their joint group, in percent."""
        return 0.0 if self.joint is None else self.joint.percent_unique

    @property
    def below(self) -> float:
        """Records with fewer candidates than the smaller k of the two releases, in percent."""
        return 0.0 if self.joint is None else self.joint.percent_below(min(self.first.k, self.second.k))

    def __str__(self) -> str:
        if self.joint is None:
            return "No record is in both releases."
        k = min(self.first.k, self.second.k)
        return (
            f"Each release has groups of at least {k:,} {self.joint.unit}. Together they have groups of at least "
            f"{self.k:,}: {self.below:.3g} % of the records have fewer than {k:,} candidates, {self.uniques:.3g} % are "
            f"unique."
        )


@progress("Joining two releases")
def compose(first: Result | MaskedData, second: Result | MaskedData, *, data: Microdata | None = None) -> Composition:
    """Intersect the groups of two releases of the same table.

    Parameters
    ----------
    first, second
        The releases: results of `Method.mask`, or their ``data``. Records are matched by position in the original.
    data
        The original. If it has a ``person`` column, persons are counted.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> from ontomask.evaluation.reading import read_masked
    >>> data = om.Microdata(pd.DataFrame({"age": [1, 2, 3, 4]}), {"age": om.Numeric()})
    >>> first = read_masked(data, pd.DataFrame({"age": [1, 1, 3, 3]}))[0]
    >>> second = read_masked(data, pd.DataFrame({"age": [1, 3, 3, 1]}))[0]
    >>> found = om.compose(first, second)
    >>> found.k, found.uniques, found.below
    (1, 100.0, 100.0)
    """
    tables = [_masked_data(release) for release in (first, second)]
    if not all(len(table) for table in tables):
        raise TableError("One of the releases has no records. Compose two releases that have some.", code="no-records")
    if data is not None and any(table.original_records != len(data) for table in tables):
        raise TableError(
            "The releases were made of another table than 'data'. Give the original of both.", parameter="data"
        )
    alone = [k_anonymity(table.groups, None if data is None else data.persons_at(table.rows)) for table in tables]
    both, left, right = np.intersect1d(tables[0].rows, tables[1].rows, return_indices=True)
    joint = None
    if len(both):
        of_both = group_records([tables[0].groups[left], tables[1].groups[right]])
        joint = k_anonymity(of_both, None if data is None else data.persons_at(both))
    return Composition(alone[0], alone[1], joint)


def _masked_data(release: Any) -> MaskedData:
    found = release.data if isinstance(release, Result) else release
    if isinstance(found, MaskedTuples):
        raise TableError(
            "The rows of two tables in engines are not matched with each other. Read both releases into memory "
            "(ontomask.read_table), and compose these.",
            code="engine-cannot",
        )
    if not isinstance(found, MaskedData):
        raise TableError(
            f"A release must be the result of a method or its data. Got {type(release).__name__} instead; "
            f"read_masked() reads a frame.",
            code="not-a-release",
        )
    return found
