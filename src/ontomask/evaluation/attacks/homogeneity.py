"""Homogeneous groups: all records have the same confidential value. Everybody who finds the group learns it.

If pseudonyms show which records belong to one person, a value is known if every pseudonym of the group has it in some
record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import mean_of
from ontomask.base.progress import progress
from ontomask.evaluation.attacks.columns import ReleasedColumns
from ontomask.microdata import frames
from ontomask.privacy import group_records
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.diversity import held_by_all
from ontomask.privacy.groups import freeze

__all__ = ["Homogeneity", "find_homogeneous"]


@dataclass(frozen=True, eq=False)
class Homogeneity:
    """The records in groups with a single value of a confidential column.

    Attributes
    ----------
    column
        The confidential column.
    quasi_identifiers, all_columns
        Released records in such groups, in percent. Records of a group are equal in the quasi-identifiers, or in all
        released columns that are not confidential. With pseudonyms, these are the records whose value every pseudonym
        of the group has.
    exposed
        Whether each original record is one of those that ``all_columns`` counts.
    """

    column: str
    quasi_identifiers: float
    all_columns: float
    exposed: NDArray[np.bool_]

    def __post_init__(self) -> None:
        freeze(self.exposed)


@progress("Finding homogeneous groups")
def find_homogeneous(columns: ReleasedColumns) -> tuple[Homogeneity, ...]:
    """The share of records in homogeneous groups, for every confidential column (Machanavajjhala et al. 2007).

    A missing value counts as a value.
    """
    data, masked = columns.data, columns.masked
    if not len(masked):
        return ()
    groups = masked.groups
    known = masked.link(group_records([masked.record_groups, *(columns.released(name) for name in columns.names)]))
    found = []
    for name in data.confidential:
        values = Confidential.of(data, name).codes[masked.rows] + 1
        by_masked, by_all = (held_by_all(by, values, masked.units) for by in (groups, known))
        exposed = np.zeros(frames.length(data.frame), dtype=bool)
        exposed[masked.rows] = by_all
        of_masked, of_all = (100 * mean_of(held, masked.records) for held in (by_masked, by_all))
        found.append(Homogeneity(name, of_masked, of_all, exposed))
    return tuple(found)
