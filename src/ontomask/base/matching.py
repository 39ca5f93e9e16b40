"""Count the records that match each record if some cells are wildcards, which match any value.

Two records match if they are equal in every column in which neither has a wildcard. This is how sdcMicro counts records
with missing values (Templ et al. 2015). A record matches itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import count_codes, group_rows

__all__ = ["count_matches"]


def count_matches(
    columns: Sequence[NDArray[np.integer]],
    wildcards: Sequence[int | None],
    records: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """How many records match each record.

    Parameters
    ----------
    columns
        For each column a code ≥ 0 per record.
    wildcards
        For each column the code that matches any other; ``None`` if none does.
    records
        How many records each code stands for; 1 by default.

    Examples
    --------
    >>> count_matches([np.array([1, 1, 2]), np.array([5, 0, 7])], [None, 0]).tolist()
    [2, 2, 1]
    """
    if not len(columns[0]):
        return np.zeros(0, dtype=np.int64)
    number, firsts = group_rows(columns, [int(column.max()) + 1 for column in columns])
    codes = np.stack([column[firsts] for column in columns]).astype(np.int32)
    is_wild = np.stack([row == (-1 if wild is None else wild) for row, wild in zip(codes, wildcards, strict=True)])
    matches = count_codes(number, len(firsts), records)
    if is_wild.any():
        from ontomask.base.kernels import add_matches

        counts = matches.copy()
        add_matches(codes, is_wild, counts, matches)
    return matches[number]
