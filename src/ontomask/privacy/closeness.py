"""t-closeness: the distance between the confidential values of a group and those of the whole table (Li et al. 2007).

Both are distributions. The earth mover's distance is the least work that turns one into the other: moving a share of
the records costs the share times the *ground distance* between the two values. The semantic ground distance knows that
two different texts can mean nearly the same.

Each share moves directly from a value of the group to a value of the table. This is the transport problem. If the
ground distance satisfies the triangle inequality, as the first three do, indirect moves would not be cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.grouping import count_holders
from ontomask.distance.ties import TIE
from ontomask.errors import PrivacyError
from ontomask.privacy.groups import Tally, check_codes, check_groups, freeze, how_many_groups, tally

__all__ = ["GROUNDS", "MOST_ORDERED_WITH_MISSING", "TCloseness", "t_closeness"]

GROUNDS = ("equal", "ordered", "hierarchical", "semantic")

MOST_ORDERED_WITH_MISSING = 5000
"""An order with missing values needs a matrix. With more values than this, it is refused."""


@dataclass(frozen=True, eq=False)
class TCloseness:
    """The earth mover's distance between every group and the table, in [0, 1], under one ground distance."""

    ground: str
    distances: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze(self.distances)

    @property
    def t(self) -> float:
        """The largest distance of a group."""
        return float(self.distances.max())

    @property
    def worst(self) -> int:
        """The first group at that distance."""
        return int(self.distances.argmax())

    def __str__(self) -> str:
        return f"t = {self.t:.3f} under {self.ground} ground distance ({how_many_groups(len(self.distances))})"


def t_closeness(
    groups: ArrayLike,
    confidential: ArrayLike,
    *,
    ground: str = "equal",
    size: int | None = None,
    levels: ArrayLike | None = None,
    distances: ArrayLike | None = None,
    records: NDArray[np.integer] | None = None,
) -> TCloseness:
    """Measure the distance between the confidential values of every group and of the table.

    Parameters
    ----------
    groups
        The group of every record, from `group_records`.
    confidential
        The code of every record's value, −1 if it is missing, as `encode` gives them; for ``equal`` the values
        themselves are enough. Missing is a value of its own, at distance 1 from all others.
    ground
        ``equal``: 1 between any two values. ``ordered``: the share of the order between them, where codes are positions
        in the order. ``hierarchical``: the lowest level at which they have the same label, as a share of the height.
        ``semantic``: as given by ``distances``.
    size
        For ``ordered``: the number of values in the order. It is needed if the last values do not occur.
    levels
        For ``hierarchical``: one row per code, with the labels (text or code) from the value up to the top.
    distances
        For ``semantic``: between all codes, such as ``space.matrix(values, values)``.
    records
        The number of records of each entry, where there is one entry for several equal records.

    Examples
    --------
    Salaries of 3,000 … 11,000, three of them in each group (the example of Li et al.):

    >>> salary, groups = [0, 1, 2, 3, 8, 5, 4, 6, 7], [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> [round(d, 3) for d in t_closeness(groups, salary, ground="ordered").distances.tolist()]
    [0.375, 0.167, 0.236]
    """
    _check_options(ground, {"ordered": size, "hierarchical": levels, "semantic": distances})
    ids = check_groups(groups)
    if ground == "hierarchical":
        paths = _check_levels(levels)
        codes, known = check_codes(confidential, len(ids), len(paths))
        return TCloseness(ground, _hierarchical(ids, codes, paths, records))
    matrix = None if distances is None else _check_matrix(distances)
    known_size = size if matrix is None else len(matrix)
    codes, known = check_codes(confidential, len(ids), known_size, encodes=ground == "equal")
    found, total = tally(ids, codes, known + 1, records), count_holders(codes, known + 1, records=records)
    if ground == "equal":
        return TCloseness(ground, _equal(found, total))
    if matrix is None and not total[known]:
        return TCloseness(ground, _ordered(found, total[:known]))
    return TCloseness(ground, _transport(found, total, _order_matrix(known) if matrix is None else matrix))


def _check_options(ground: str, given: dict[str, object]) -> None:
    if ground not in GROUNDS:
        raise PrivacyError(
            f"The 'ground' must be one of {', '.join(GROUNDS)}. Got {ground!r} instead.", parameter="ground"
        )
    names = {"ordered": "size", "hierarchical": "levels", "semantic": "distances"}
    for kind, option in given.items():
        if option is not None and kind != ground:
            message = f"The option {names[kind]}= needs ground={kind!r}. Got ground={ground!r} instead."
            raise PrivacyError(message, parameter=names[kind])
        if option is None and kind == ground and kind != "ordered":
            raise PrivacyError(f"The ground distance {kind!r} needs {names[kind]}=. Give it.", parameter=names[kind])


def _equal(found: Tally, total: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of the shares that a group has in excess, which is half of the sum of all differences."""
    excess = np.maximum(found.share - (total / total.sum())[found.value], 0)
    return np.add.reduceat(excess, found.start[:-1])


def _ordered(found: Tally, total: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of the differences between the cumulative shares, divided by m − 1.

    Between two of its values the cumulative share of a group is constant, while that of the table increases. So the sum
    over the values between them is two differences of prefix sums, on either side of where the curves cross. The cost
    depends on the values of the group, not on the domain.
    """
    if len(total) == 1:
        return np.zeros(len(found.start) - 1)
    table = np.cumsum(total) / total.sum()
    prefix = np.concatenate([[0.0], np.cumsum(table)])
    running = np.cumsum(found.count)
    before = running[found.start[:-1]] - found.count[found.start[:-1]]
    sizes = np.add.reduceat(found.count, found.start[:-1])
    reached = (running - before[found.group]) / sizes[found.group]
    to = np.append(found.value[1:], 0)
    to[found.start[1:] - 1] = len(total)
    middle = np.clip(np.searchsorted(table, reached), found.value, to)
    below = reached * (middle - found.value) - (prefix[middle] - prefix[found.value])
    above = (prefix[to] - prefix[middle]) - reached * (to - middle)
    work = np.add.reduceat(below + above, found.start[:-1]) + prefix[found.value[found.start[:-1]]]
    return np.clip(work / (len(total) - 1), 0, 1)


def _hierarchical(
    ids: NDArray[np.int64],
    codes: NDArray[np.int64],
    paths: NDArray[np.int64],
    records: NDArray[np.integer] | None,
) -> NDArray[np.float64]:
    """The mean, over the levels below the top, of the equal distance between the values generalised to that level.

    Values that meet at level i of h have distance i/h: their labels differ on i of the h levels below the top. The work
    over a tree is the sum of the excess of every node's share, which is that mean.
    """
    # A missing value has labels of its own on all levels below the top.
    paths = np.vstack([paths, paths.max(axis=0) + 1])
    height = paths.shape[1] - 1
    work = np.zeros(int(ids.max()) + 1)
    for level in range(height):
        labels = paths[codes, level]
        size = int(paths[-1, level]) + 1
        work += _equal(tally(ids, labels, size, records), count_holders(labels, size, records=records))
    return work / height


def _check_levels(levels: ArrayLike | None) -> NDArray[np.int64]:
    """The labels of every level as codes."""
    array = np.asarray(levels)
    if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] < 2:
        raise PrivacyError(
            f"The 'levels' must have one row per value, with at least two labels from the value up to the top. Got an "
            f"array of shape {array.shape} instead.",
            parameter="levels",
        )
    paths = np.stack([np.unique(column, return_inverse=True)[1] for column in array.T], axis=1).astype(np.int64)
    if len(np.unique(paths[:, 0])) < len(paths):
        message = "Two rows of the 'levels' begin with the same value. Give each value one row."
        raise PrivacyError(message, parameter="levels")
    if paths[:, -1].any():
        message = "All rows of the 'levels' must end with the same label: the top of the hierarchy, such as '*'."
        raise PrivacyError(message, parameter="levels")
    for level in range(1, array.shape[1] - 1):
        pairs = np.unique(paths[:, level - 1 : level + 1], axis=0)
        twice = np.flatnonzero(pairs[1:, 0] == pairs[:-1, 0])
        if len(twice):
            label = np.unique(array[:, level - 1])[pairs[twice[0], 0]]
            raise PrivacyError(
                f"A label of level {level - 1} has more than one label above it, but a hierarchical ground distance "
                f"needs a tree. Give the label one parent; it is in the 'values' of this error.",
                values=[str(label)],
                parameter="levels",
            )
    return paths


def _check_matrix(distances: ArrayLike | None) -> NDArray[np.float64]:
    matrix = np.ascontiguousarray(distances, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        message = f"The 'distances' must be a square matrix. Got an array of shape {matrix.shape} instead."
        raise PrivacyError(message, parameter="distances")
    if not (matrix >= 0).all() or matrix.max() > 1 + TIE:
        raise PrivacyError("The 'distances' must be between 0 and 1.", parameter="distances")
    if matrix.diagonal().max() > TIE or np.abs(matrix - matrix.T).max() > TIE:
        message = "The 'distances' must be symmetric, and 0 between equal values."
        raise PrivacyError(message, parameter="distances")
    return matrix


def _order_matrix(size: int) -> NDArray[np.float64]:
    if size > MOST_ORDERED_WITH_MISSING:
        raise PrivacyError(
            f"An order of {size:,} values with missing values is too large: at most {MOST_ORDERED_WITH_MISSING:,}. "
            f"Leave out the records without a value, or group the values into ranges.",
            parameter="size",
        )
    positions = np.arange(size)
    return np.abs(np.subtract.outer(positions, positions)) / max(size - 1, 1)


def _transport(found: Tally, total: NDArray[np.int64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The smallest cost of moving a group's shares to the table's, for any distances."""
    from ontomask.privacy.kernels import transport_costs

    # A missing value comes last, at distance 1 from all others.
    cost = np.pad(matrix, (0, 1), constant_values=1.0)
    cost[-1, -1] = 0
    out = np.empty(len(found.start) - 1)
    transport_costs(found.start, found.value, found.count, total, cost, out)
    return out
