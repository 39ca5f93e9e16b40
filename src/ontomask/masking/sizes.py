"""Group sizes in records or persons, and shares of records."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import count_holders
from ontomask.microdata import Microdata

__all__ = ["allowed", "group_sizes", "share_for"]


def group_sizes(data: Microdata, groups: NDArray[np.integer], number: int) -> NDArray[np.int64]:
    """The size of each of ``number`` groups of tuples: persons where the data identify them, otherwise records.

    Parameters
    ----------
    groups
        The group of each distinct tuple of the table.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"who": ["Ann", "Bea", "Bea"], "symptom": ["ache", "colic", "colic"]})
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(frame, {"symptom": om.Nominal(t)}, identifiers=["who"])
    >>> group_sizes(data, np.array([0, 1]), 2).tolist()
    [1, 2]
    >>> group_sizes(om.Microdata(frame, {"symptom": om.Nominal(t)}, person="who"), np.array([0, 1]), 2).tolist()
    [1, 1]
    """
    held = data.persons_by_tuple
    if held is None:
        return count_holders(groups, number, records=data.table.counts)
    return count_holders(groups[held.first], number, held.second)


def allowed(share: float, number: int) -> int:
    """The largest number of ``number`` records that is at most the ``share`` of them.

    >>> allowed(0.29, 100), allowed(0.299, 100)
    (29, 29)
    """
    # 0.29 × 100 is a little less than 29.
    return int(share * number + 1e-9)


def share_for(part: int, number: int) -> float:
    """The smallest share with four decimals that allows ``part`` of ``number`` records.

    >>> share_for(1, 3), share_for(5, 100)
    (0.3334, 0.05)
    """
    return math.ceil(10_000 * part / number) / 10_000
