"""How large groups of tuples are, in records or in persons, and how many records may be left out."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.microdata import Microdata

__all__ = ["Sizes", "allowed", "share_for"]


class Sizes:
    """The sizes of groups of a table's tuples: records or, where the data tell them apart, persons.

    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"who": ["Ann", "Bea", "Bea"], "symptom": ["ache", "colic", "colic"]})
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> Sizes(om.Microdata(frame, {"symptom": om.Nominal(t)}, identifiers=["who"])).of(np.array([0, 1]), 2).tolist()
    [1, 2]
    >>> Sizes(om.Microdata(frame, {"symptom": om.Nominal(t)}, person="who")).of(np.array([0, 1]), 2).tolist()
    [1, 1]
    """

    def __init__(self, data: Microdata) -> None:
        self._counts = data.table.counts
        self._person: IntArray | None = None
        if data.persons is not None:
            # Each person once a tuple.
            tuples = data.table.inverse
            _, firsts = group_rows([tuples, data.persons], [len(data.table), int(data.persons.max()) + 1])
            self._tuple, self._person = tuples[firsts], data.persons[firsts]

    def of(self, groups: IntArray, number: int) -> NDArray[np.int64]:
        """The size of each of so many groups, given the group of each tuple."""
        if self._person is None:
            return np.bincount(groups, weights=self._counts, minlength=number).astype(np.int64)
        of_pair = groups[self._tuple]
        _, firsts = group_rows([of_pair, self._person], [number, int(self._person.max()) + 1])
        return np.bincount(of_pair[firsts], minlength=number)


def allowed(share: float, number: int) -> int:
    """How many of so many make up at most such a share.

    >>> allowed(0.29, 100), allowed(0.299, 100)
    (29, 29)
    """
    # 0.29 × 100 is a little less than 29.
    return int(share * number + 1e-9)


def share_for(part: int, number: int) -> str:
    """The least share, in four digits behind the point, that allows for such a part.

    >>> share_for(1, 3), share_for(5, 100)
    ('0.3334', '0.05')
    """
    return f"{math.ceil(10_000 * part / number) / 10_000:g}"
