"""k, l and t written down as they are defined, record by record; transport as the linear programme that it is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from math import exp, log

import numpy as np
from scipy.optimize import linprog

Ground = Callable[[int, int], float]


def groups_of(columns: Sequence[Sequence[Hashable]]) -> dict[tuple[Hashable, ...], list[int]]:
    """The records of each distinct tuple."""
    found: dict[tuple[Hashable, ...], list[int]] = defaultdict(list)
    for record, values in enumerate(zip(*columns, strict=True)):
        found[values].append(record)
    return found


def members(groups: Sequence[int]) -> list[list[int]]:
    return [[r for r, group in enumerate(groups) if group == g] for g in sorted(set(groups))]


def sizes(groups: Sequence[int], persons: Sequence[Hashable] | None = None) -> list[int]:
    return [len(records if persons is None else {persons[r] for r in records}) for records in members(groups)]


def distinct(groups: Sequence[int], values: Sequence[int]) -> list[int]:
    return [len({values[r] for r in records}) for records in members(groups)]


def entropy(groups: Sequence[int], values: Sequence[int]) -> list[float]:
    found = []
    for records in members(groups):
        shares = [n / len(records) for n in Counter(values[r] for r in records).values()]
        found.append(exp(-sum(p * log(p) for p in shares)))
    return found


def distribution(values: Sequence[int], size: int) -> list[float]:
    return [values.count(v) / len(values) for v in range(size)]


def earth_movers(p: Sequence[float], q: Sequence[float], ground: Ground) -> float:
    """The least cost of sending p_i from each i so that each j gets q_j."""
    size = len(p)
    pairs = [(i, j) for i in range(size) for j in range(size)]
    sent = [[float(i == row) for i, _ in pairs] for row in range(size)]
    got = [[float(j == column) for _, j in pairs] for column in range(size)]
    best = linprog([ground(i, j) for i, j in pairs], A_eq=sent + got, b_eq=[*p, *q], method="highs")
    assert best.status == 0, best.message
    return float(best.fun)


def closeness(groups: Sequence[int], values: Sequence[int], size: int, ground: Ground) -> list[float]:
    table = distribution(values, size)
    return [
        earth_movers(distribution([values[r] for r in records], size), table, ground) for records in members(groups)
    ]


def equal(i: int, j: int) -> float:
    return float(i != j)


def ordered(size: int) -> Ground:
    return lambda i, j: abs(i - j) / max(1, size - 1)


def hierarchical(levels: Sequence[Sequence[Hashable]]) -> Ground:
    """The lowest level at which two ways up meet, over the height."""
    height = len(levels[0]) - 1

    def ground(i: int, j: int) -> float:
        return next(at for at in range(height + 1) if levels[i][at:] == levels[j][at:]) / height

    return ground


def tree_cost(p: Sequence[float], q: Sequence[float], levels: Sequence[Sequence[Hashable]]) -> float:
    """Li et al. for a hierarchy: at each node the smaller of what its children have too much and too little of."""
    height = len(levels[0]) - 1
    total = 0.0
    extra = {tuple(path): p[i] - q[i] for i, path in enumerate(levels)}
    for level in range(1, height + 1):
        children: dict[tuple[Hashable, ...], list[float]] = defaultdict(list)
        for path, amount in extra.items():
            children[path[1:]].append(amount)
        for amounts in children.values():
            total += level / height * min(sum(a for a in amounts if a > 0), -sum(a for a in amounts if a < 0))
        extra = {path: sum(amounts) for path, amounts in children.items()}
    return total


def with_missing(ground: Ground, missing: int) -> Ground:
    return lambda i, j: ground(i, j) if missing not in (i, j) else float(i != j)


def matrix_of(size: int, ground: Ground) -> np.ndarray:
    return np.array([[ground(i, j) for j in range(size)] for i in range(size)])
