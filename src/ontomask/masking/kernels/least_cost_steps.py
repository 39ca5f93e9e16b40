"""Compiled steps of generalisation by cost: groups are formed, and changed wherever the cost falls.

No step leaves a group with fewer than k records. Ties go to the first group.
"""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_in_place, compiled_inline
from ontomask.distance.ties import TIE
from ontomask.masking.kernels.least_cost import (
    common_node,
    cost_of,
    fall_of,
    join,
    link,
    lost_at,
    lost_with_node,
    refresh,
    rise_of,
    unlink,
)

__all__ = ["dissolve", "leave_out", "place", "reassign", "split", "sweep"]


@compiled
def sweep(hashes, level_start, levels, values, counts, k, low, high, left, group, at, table, held):
    """Make groups of the tuples that are equal on a combination of levels, one combination after the other.

    ``hashes[level_start[j] + level, v]`` has a number for what value v is on a level. ``left[: at[0]]`` are the tuples
    without a group, ``at[1]`` is the number of groups, and ``at[2]`` the number of tuples that may still be looked at.
    If different tuples happen to have equal sums of hashes, their group only costs more. Returns the next combination.
    """
    attributes = values.shape[1]
    mask = len(table) - 1
    slot = np.empty(at[0], dtype=np.int64)
    i = low
    while i < high and at[0] > 0 and at[2] > 0:
        at[2] -= at[0]
        for x in range(at[0]):
            t = left[x]
            key = np.uint64(0)
            for j in range(attributes):
                key += hashes[level_start[j] + levels[i, j], values[t, j]]
            s = np.int64((key ^ (key >> np.uint64(32))) & np.uint64(mask))
            while held[s] != 0 and table[s] != key:
                s = (s + 1) & mask
            table[s] = key
            held[s] += counts[t]
            slot[x] = s
        kept = 0
        for x in range(at[0]):
            s = slot[x]
            # From here on, a negative number is the group of the tuples that are equal.
            if held[s] >= k:
                held[s] = -at[1] - 1
                at[1] += 1
            if held[s] < 0:
                group[left[x]] = -held[s] - 1
        for x in range(at[0]):
            if held[slot[x]] >= 0 and group[left[x]] < 0:
                left[kept] = left[x]
                slot[kept] = slot[x]
                kept += 1
            else:
                held[slot[x]] = 0
        for x in range(kept):
            held[slot[x]] = 0
        at[0] = kept
        i += 1
    return i


@compiled_in_place
def _cheapest(f, p, index, t, most, but):
    """The group, except one, whose cost rises least if a tuple joins it (−1: by ``most`` or more), and the rise.

    The search goes from the groups that are nearest in the key to those that are farther, and looks at
    ``index.most`` of them. What the tuple itself would lose is taken as a lower bound. Of equals it is the first group.
    """
    best = -1
    for i in range(max(0, index.moved[0] - index.most), index.moved[0]):
        best, most = _better(f, p, t, index.moved[i + 1], but, best, most)
    order = index.order[index.value[t]]
    second = index.second
    looks = 0
    for i in range(len(order)):
        node = order[i]
        bound = p.count[t] * f.lost_with[p.row[t, index.key] + node] if index.key >= 0 else 0.0
        if looks >= index.most or bound > most + TIE:
            break
        first, groups = index.start[node], index.start[node + 1] - index.start[node]
        here = min(groups, index.most - looks)
        looks += here
        # Groups with near numbers often come from one group. If there are too many to look at, look at these.
        skip = 0 if here == groups else _count_below(index.group, first, first + groups, but)
        for x in range(skip, skip + here):
            at = first + (x if x < groups else x - groups)
            # Most groups cost too much in the second attribute alone.
            if second < 0 or p.count[t] * f.lost_with[p.row[t, second] + index.second_node[at]] <= most + TIE:
                best, most = _better(f, p, t, index.group[at], but, best, most)
    return best, most


@compiled_inline
def _update(p, index, g):
    """Tell the index about the node of a group that has changed."""
    index.second_node[index.position[g]] = p.node[g, index.second]


@compiled_in_place
def _count_below(numbers, low, high, most):
    """How many of ascending numbers are below ``most``."""
    first = low
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < most:
            low = middle + 1
        else:
            high = middle
    return low - first


@compiled_inline
def _better(f, p, t, g, but, best, most):
    """The better of the best group so far and another group, and the rise of its cost."""
    low = 0.0
    for j in range(p.leaf.shape[1]):
        low += p.count[t] * lost_with_node(f, p, t, j, p.node[g, j])
        if low > most + TIE:
            return best, most
    if p.head[g] < 0 or g == but:
        return best, most
    rise = rise_of(f, p, t, g, most)
    if rise < most - TIE or (best >= 0 and rise <= most + TIE and g < best):
        return g, min(most, rise)
    return best, most


@compiled
def place(f, p, index, tuples):
    """Put tuples without a group into the group whose cost rises least; the first of equals."""
    for t in tuples:
        g, _ = _cheapest(f, p, index, t, np.inf, -1)
        join(f, p, t, g)
        _update(p, index, g)


@compiled
def reassign(f, p, index, k, low, high):
    """Move tuples to another group if the cost of both falls together. Returns the number of tuples moved."""
    nodes = np.empty(p.leaf.shape[1], dtype=np.int32)
    moved = 0
    for t in range(low, high):
        a = p.group[t]
        if a < 0 or p.size[a] - p.count[t] < k:
            continue
        fall = fall_of(f, p, t, nodes)
        if fall <= TIE:
            continue
        b, _ = _cheapest(f, p, index, t, fall, a)
        if b >= 0:
            unlink(p, t)
            refresh(f, p, a)
            join(f, p, t, b)
            _update(p, index, a)
            _update(p, index, b)
            # The group that was left may now be nearer to others than the index says.
            index.moved[0] += 1
            index.moved[index.moved[0]] = a
            moved += 1
    return moved


@compiled
def dissolve(f, p, index, low, high):
    """Distribute the tuples of a group over others if that costs less. Returns the number of groups dissolved."""
    target = np.empty(len(p.group), dtype=np.int32)
    member = np.empty(len(p.group), dtype=np.int32)
    done = 0
    for a in range(low, high):
        total = cost_of(p, a)
        left = total
        n = 0
        t = p.head[a]
        while t >= 0 and left > TIE:
            b, rise = _cheapest(f, p, index, t, left, a)
            if b < 0:
                break
            left -= rise
            member[n] = t
            target[n] = b
            n += 1
            t = p.after[t]
        if n == 0 or t >= 0 or left <= TIE:
            continue
        for i in range(n):
            unlink(p, member[i])
            total -= join(f, p, member[i], target[i])
        refresh(f, p, a)
        done += 1
        if total <= TIE:
            # Several tuples have joined one group and cost more there than each by itself.
            for i in range(n):
                unlink(p, member[i])
                link(p, member[i], a)
            for i in range(n):
                refresh(f, p, target[i])
            refresh(f, p, a)
            done -= 1
        _update(p, index, a)
        for i in range(n):
            _update(p, index, target[i])
    return done


@compiled_in_place
def _branch(f, j, node, leaf):
    """The child of a node on the way to a value below it; the value itself if the way in the tree misses the node."""
    first = f.first[j]
    below = f.depth[first + node] + 1
    at = leaf
    while f.depth[first + at] > below:
        at = f.parent[first + at]
    return at if f.depth[first + at] == below and f.parent[first + at] == node else leaf


@compiled
def split(f, p, k, groups, low, high):
    """Divide groups along the branches below their node in one attribute if that costs less.

    Branches with fewer than k records stay together. Returns the number of groups.
    """
    attributes = p.leaf.shape[1]
    most = np.int64(0)
    for j in range(attributes):
        most = max(most, f.first[j + 1] - f.first[j])
    label = np.full(most, -1, dtype=np.int32)
    touched = np.empty(len(label), dtype=np.int32)
    records = np.empty(len(label), dtype=np.int64)
    number = np.empty(len(label), dtype=np.int32)
    member, part, best_part = np.empty((3, len(p.group)), dtype=np.int32)
    nodes = np.empty((len(label) + 1, attributes), dtype=np.int32)
    started = np.empty(len(label) + 1, dtype=np.bool_)
    a = low
    while a < high:
        best = cost_of(p, a) - TIE
        parts = 0
        n = 0
        if p.size[a] >= 2 * k and best > 0:
            t = p.head[a]
            while t >= 0:
                member[n] = t
                n += 1
                t = p.after[t]
        for j in range(attributes):
            if n == 0 or p.cost[a, j] <= TIE:
                continue
            found = 0
            for i in range(n):
                b = _branch(f, j, p.node[a, j], p.leaf[member[i], j])
                if label[b] < 0:
                    label[b] = found
                    touched[found] = b
                    records[found] = 0
                    found += 1
                records[label[b]] += p.count[member[i]]
                part[i] = label[b]
            here = _number_branches(records, number, found, k)
            for b in range(found):
                label[touched[b]] = -1
            if here < 2:
                continue
            started[:here] = False
            for i in range(n):
                x = number[part[i]]
                part[i] = x
                for q in range(attributes):
                    leaf = p.leaf[member[i], q]
                    nodes[x, q] = common_node(f, q, nodes[x, q], leaf) if started[x] else leaf
                started[x] = True
            total = 0.0
            for i in range(n):
                for q in range(attributes):
                    total += p.count[member[i]] * lost_at(f, p, member[i], q, nodes[part[i], q])
            if total < best:
                best = total
                parts = here
                best_part[:n] = part[:n]
        if parts == 0:
            a += 1
            continue
        for i in range(n):
            if best_part[i] > 0:
                unlink(p, member[i])
                link(p, member[i], groups + best_part[i] - 1)
        refresh(f, p, a)
        for g in range(groups, groups + parts - 1):
            refresh(f, p, g)
        groups += parts - 1
    return groups


@compiled_in_place
def _number_branches(records, number, branches, k):
    """Number branches: from 1 on if they have k records, otherwise 0. If those with 0 lack records, add the smallest.

    Returns how many different numbers there are.
    """
    rest = 0
    smallest = -1
    for b in range(branches):
        if records[b] < k:
            rest += records[b]
        elif smallest < 0 or records[b] < records[smallest]:
            smallest = b
    if rest >= k:
        smallest = -1
    # Without small branches, the smallest takes the number 0.
    parts = 1
    for b in range(branches):
        if records[b] < k or b == smallest:
            number[b] = 0
        else:
            number[b] = parts
            parts += 1
    return parts


@compiled
def leave_out(f, p, k, spare, price):
    """Leave out tuples if the cost of their group falls by more than ``price`` per record. Returns the records."""
    nodes = np.empty(p.leaf.shape[1], dtype=np.int32)
    out = 0
    for t in range(len(p.group)):
        a = p.group[t]
        if p.size[a] - p.count[t] < k or out + p.count[t] > spare:
            continue
        if fall_of(f, p, t, nodes) > p.count[t] * price + TIE:
            unlink(p, t)
            refresh(f, p, a)
            out += p.count[t]
    return out
