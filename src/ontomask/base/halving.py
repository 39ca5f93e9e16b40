"""Divide items into small parts of near items, by repeated halving."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["halve"]

Project = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], NDArray[np.number]]


def halve(
    items: int, most: int, project: Project, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order items so that near ones are often together. Returns the order, and where the parts begin and end.

    Parts are halved until none has more than ``most`` items. Two items of a part, drawn at random, are its pivots. The
    half that is nearer to the first pivot comes first.

    Parameters
    ----------
    items
        The number of items.
    most
        The largest size of a part.
    project
        Called with the order, the edges and the two pivots of each part; returns for each item, in order, how much
        farther it is from the first pivot than from the second.
    rng
        Draws the pivots.

    Examples
    --------
    >>> x = np.array([1, 9, 2, 8])
    >>> def project(order, edges, pivots):
    ...     part = np.repeat(np.arange(len(pivots)), np.diff(edges))
    ...     first, second = pivots[part].T
    ...     return abs(x[order] - x[first]) - abs(x[order] - x[second])
    >>> order, edges = halve(4, 2, project, np.random.default_rng(0))
    >>> sorted(sorted(part.tolist()) for part in np.split(x[order], edges[1:-1]))
    [[1, 2], [8, 9]]
    """
    order, edges = np.arange(items), np.array([0, items])
    while (sizes := np.diff(edges)).max(initial=0) > most:
        pivots = order[edges[:-1, None] + (rng.random((len(sizes), 2)) * sizes[:, None]).astype(np.int64)]
        away = project(order, edges, pivots)
        order = order[_sorted_parts(order, sizes, away)]
        edges = np.sort(np.concatenate([edges, edges[:-1] + sizes // 2]))
    return order, edges


def _sorted_parts(order: NDArray[np.int64], sizes: NDArray[np.int64], away: NDArray[np.number]) -> NDArray[np.int64]:
    """The places of the items, part by part, by how far away they are; the first of equals first."""
    by_item = np.empty_like(order)
    by_item[order] = np.arange(len(order))
    places = by_item[np.argsort(away[by_item], kind="stable")]
    # Numbers of 16 bits are sorted without comparing them.
    part = np.repeat(np.arange(len(sizes), dtype=np.uint16 if len(sizes) < 2**16 else np.int64), sizes)
    return places[np.argsort(part[places], kind="stable")]
