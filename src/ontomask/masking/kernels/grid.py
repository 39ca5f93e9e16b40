"""Compiled loops on a grid of items (tuples or centroids): find the nearest and the farthest without trying all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled_in_place, compiled_inline, compiled_inner
from ontomask.masking.kernels.running_centroid import FAR, apart
from ontomask.masking.kernels.set_index import SetAim, add_from_aim, aim_at_sets

__all__ = ["Grid", "aim_at", "drop", "farthest", "look_from", "nearest", "next_cell", "put", "sharpen", "to_item"]


class Grid(Bundle):
    """Items (tuples or centroids) in the cells of a grid, which divides up to three attributes into blocks.

    Attributes
    ----------
    node, coordinate, weight
        The items.
    head, after, before, cell
        The items of each cell as a list: its first, the next and the previous of each item; and each item's cell.
    items
        How many items are in each block of the first attribute, then in each pair of blocks of the first two.
    heavy
        The largest weight in each cell, pair and block, one after the other; kept where ``weighed``.
    at, aim, sets, low, high
        The current point: the distances to all nodes, the coordinates, the distances to all elements of sets, and
        bounds of the distances to blocks.
    weighed
        Whether weights bound distances.
    """

    node: Any
    coordinate: Any
    weight: Any
    head: Any
    after: Any
    before: Any
    cell: Any
    items: Any
    heavy: Any
    at: Any
    aim: Any
    sets: Any
    low: Any
    high: Any
    weighed: Any

    @classmethod
    def empty(cls, index, node, coordinate, weight, *, weighed=False):
        """An empty grid for items."""
        attributes, blocks = len(index.kind), index.low.shape[1]
        pairs = blocks << int(index.shift[0] - index.shift[1])
        cells = blocks << int(index.shift[0])
        return cls(
            node=node,
            coordinate=coordinate,
            weight=weight,
            head=np.full(cells, -1, dtype=np.int32),
            after=np.full(len(node), -1, dtype=np.int32),
            before=np.full(len(node), -1, dtype=np.int32),
            cell=np.full(len(node), -1, dtype=np.int32),
            items=np.zeros(blocks + pairs, dtype=np.int32),
            heavy=np.zeros(blocks + pairs + cells if weighed else 0, dtype=np.int64),
            at=np.zeros(attributes, dtype=np.int64),
            aim=np.zeros(attributes, dtype=np.int64),
            sets=SetAim.empty(index.sets),
            low=np.zeros((3, blocks), dtype=np.int64),
            high=np.zeros((3, blocks), dtype=np.int64),
            weighed=weighed,
        )

    def for_another_thread(self, index):
        """The same grid with a current point of its own."""
        room = {name: np.zeros_like(getattr(self, name)) for name in ("at", "aim", "low", "high")}
        return replace(self, sets=SetAim.empty(index.sets), **room)

    @classmethod
    def of_points(cls, index, items):
        """An empty grid for points that will be set later."""
        node = np.zeros((items, len(index.kind)), dtype=np.int32)
        coordinate = np.zeros((items, len(index.kind)), dtype=np.int64)
        return cls.empty(index, node, coordinate, np.ones(items, dtype=np.int64))


@compiled_inline
def to_item(f, g, i, bound):
    """The distance from the current point to an item; if it exceeds the bound, perhaps only a lower bound of it."""
    d = np.int64(0)
    for j in range(f.nominal):
        d += f.row[g.at[j] + g.node[i, j]]
    for j in range(f.nominal, f.single):
        d += apart(g.coordinate[i, j], g.aim[j], f.longest[j], f.one[j], f.equality)
    return add_from_aim(f, g, i, d, bound)


@compiled_in_place
def _block(f, g, i, side):
    j = f.sides[side]
    if j < 0:
        return 0
    if j < f.nominal:
        return f.block[g.node[i, j]]
    blocks = f.low.shape[1]
    return min(g.coordinate[i, j] * blocks // f.longest[j], blocks - 1)


@compiled_inner
def put(f, g, i):
    """Put an item into the grid, before the others of its cell."""
    b = _block(f, g, i, 0)
    c = (b << (f.shift[0] - f.shift[1])) + _block(f, g, i, 1)
    cell = (c << f.shift[1]) + _block(f, g, i, 2)
    h = g.head[cell]
    g.after[i] = h
    g.before[i] = -1
    if h >= 0:
        g.before[h] = i
    g.head[cell] = i
    g.cell[i] = cell
    blocks = f.low.shape[1]
    g.items[b] += 1
    g.items[blocks + c] += 1
    if g.weighed:
        cells = len(g.head)
        pairs = len(g.items) - blocks
        g.heavy[cell] = max(g.heavy[cell], g.weight[i])
        g.heavy[cells + c] = max(g.heavy[cells + c], g.weight[i])
        g.heavy[cells + pairs + b] = max(g.heavy[cells + pairs + b], g.weight[i])


@compiled_inner
def drop(f, g, i):
    """Remove an item from the grid."""
    cell = g.cell[i]
    if g.before[i] >= 0:
        g.after[g.before[i]] = g.after[i]
    else:
        g.head[cell] = g.after[i]
    if g.after[i] >= 0:
        g.before[g.after[i]] = g.before[i]
    g.cell[i] = -1
    blocks = f.low.shape[1]
    b = cell >> f.shift[0]
    c = cell >> f.shift[1]
    g.items[b] -= 1
    g.items[blocks + c] -= 1
    if g.weighed and g.weight[i] == g.heavy[cell]:
        # Find the largest weights again.
        g.heavy[cell] = 0
        i = g.head[cell]
        while i >= 0:
            g.heavy[cell] = max(g.heavy[cell], g.weight[i])
            i = g.after[i]
        cells = len(g.head)
        pairs = len(g.items) - blocks
        g.heavy[cells + c] = _most(g.heavy, c << f.shift[1], (c + 1) << f.shift[1])
        wide = f.shift[0] - f.shift[1]
        g.heavy[cells + pairs + b] = _most(g.heavy, cells + (b << wide), cells + ((b + 1) << wide))


@compiled_inner
def _most(values, first, last):
    most = np.int64(0)
    for i in range(first, last):
        most = max(most, values[i])
    return most


@compiled_in_place
def aim_at(f, g, node, coordinate):
    """Set the point from which `to_item` measures."""
    for j in range(f.nominal):
        g.at[j] = f.row_at[node[j]] - f.first[j]
    for j in range(f.nominal, f.single):
        g.aim[j] = coordinate[j]
    aim_at_sets(f, g, node)


@compiled_in_place
def look_from(f, g, node, coordinate):
    """Set the point from which `nearest` and `farthest` measure."""
    aim_at(f, g, node, coordinate)
    blocks = f.low.shape[1]
    for side in range(3):
        j = f.sides[side]
        if j < 0:
            continue
        if j < f.nominal:
            for b in range(blocks):
                g.low[side, b] = f.low[node[j], b]
                g.high[side, b] = f.high[node[j], b]
        else:
            x = coordinate[j]
            for b in range(blocks):
                start, end = b * f.longest[j] // blocks, (b + 1) * f.longest[j] // blocks + 1
                g.low[side, b] = 0 if f.equality else max(np.int64(0), start - x, x - end)
                g.high[side, b] = f.one[j] if f.equality else max(abs(start - x), abs(end - x))


@compiled_in_place
def next_cell(f, g, cell, bound):
    """The first cell from ``cell`` on that may hold an item within the bound; −1 if there is none."""
    blocks = f.low.shape[1]
    while cell < len(g.head):
        b = cell >> f.shift[0]
        if g.items[b] == 0 or g.low[0, b] > bound:
            cell = (b + 1) << f.shift[0]
            continue
        c = cell >> f.shift[1]
        x = g.low[0, b] + g.low[1, c - (b << (f.shift[0] - f.shift[1]))]
        if g.items[blocks + c] == 0 or x > bound:
            cell = (c + 1) << f.shift[1]
            continue
        if g.head[cell] >= 0 and x + g.low[2, cell - (c << f.shift[1])] <= bound:
            return cell
        cell += 1
    return -1


@compiled_in_place
def sharpen(f, g):
    """A cell that is probably near, found block by block: trying its items first excludes most others."""
    blocks = f.low.shape[1]
    best = _nearest_block(g.low[0], g.items, 0, blocks, 1)
    wide = f.shift[0] - f.shift[1]
    best = _nearest_block(g.low[1], g.items, blocks + (best << wide), 1 << wide, 1) - blocks
    return _nearest_block(g.low[2], g.head, best << f.shift[1], 1 << f.shift[1], 0)


@compiled_in_place
def _nearest_block(low, filled, first, number, least):
    """The nearest of ``number`` blocks from ``first`` on that are filled: not below ``least``."""
    best = -1
    for b in range(first, first + number):
        if filled[b] >= least and (best < 0 or low[b - first] < low[best - first]):
            best = b
    return best


@compiled_in_place
def nearest(f, g, weigh, skip, bound):
    """The nearest item except one, the first of ties, and its distance; −1 if none is within the bound.

    With ``weigh``, distances are multiplied by the records of the item (Martínez 2012, eq. 4.2).
    """
    best = bound
    got = -1
    guess = sharpen(f, g)
    cell = guess
    start = 0
    while cell >= 0:
        i = g.head[cell]
        while i >= 0:
            if i != skip:
                d = to_item(f, g, i, np.int64(FAR) if weigh else best + f.tie)
                if weigh:
                    d *= g.weight[i]
                if d < best - f.tie:
                    best = d
                    got = i
                elif got >= 0 and d <= best + f.tie:
                    best = min(best, d)
                    got = min(got, i)
            i = g.after[i]
        cell = next_cell(f, g, start, best + f.tie)
        if cell == guess:
            cell = next_cell(f, g, cell + 1, best + f.tie)
        start = cell + 1
    return got, best


@compiled_inner
def farthest(f, g, weigh):
    """The farthest item, the first of ties. Lists must ascend: put the last item first."""
    blocks, cells = f.low.shape[1], len(g.head)
    pairs = len(g.items) - blocks
    most = np.zeros(3, dtype=np.int64)
    rest = np.int64(0)
    for j in range(len(f.kind)):
        rest += max(f.longest[j], f.one[j])
    for side in range(3):
        if f.sides[side] >= 0:
            most[side] = _most(g.high[side], 0, blocks)
            rest -= max(f.longest[f.sides[side]], f.one[f.sides[side]])
    best = np.int64(0)
    got = -1
    # Start with the block that may have the farthest item.
    first = 0
    for b in range(blocks):
        if g.items[b] > 0 and (g.items[first] == 0 or g.high[0, b] > g.high[0, first]):
            first = b
    for turn in range(2):
        cell = first << f.shift[0] if turn == 0 else 0
        stop = (first + 1) << f.shift[0] if turn == 0 else cells
        while cell < stop:
            b = cell >> f.shift[0]
            x = g.high[0, b] + rest
            weight = g.heavy[cells + pairs + b] if weigh else 1
            if g.items[b] == 0 or (turn == 1 and b == first) or weight * (x + most[1] + most[2]) < best - f.tie:
                cell = (b + 1) << f.shift[0]
                continue
            c = cell >> f.shift[1]
            x += g.high[1, c - (b << (f.shift[0] - f.shift[1]))]
            weight = g.heavy[cells + c] if weigh else 1
            if g.items[blocks + c] == 0 or weight * (x + most[2]) < best - f.tie:
                cell = (c + 1) << f.shift[1]
                continue
            x += g.high[2, cell - (c << f.shift[1])]
            x *= g.heavy[cell] if weigh else 1
            i = g.head[cell] if x >= best - f.tie else -1
            while i >= 0 and (got < 0 or x > best + f.tie or i < got):
                d = to_item(f, g, i, np.int64(FAR))
                if weigh:
                    d *= g.weight[i]
                if got < 0 or d > best + f.tie:
                    best = d
                    got = i
                elif d >= best - f.tie:
                    best = max(best, d)
                    got = min(got, i)
                i = g.after[i]
            cell += 1
    return got
