"""Every combination of levels of full-domain generalisation, record by record, with its cost by each objective."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np

import ontomask as om
from ontomask.masking.generalisation_paths import GeneralisationPaths
from ontomask.operators.ranges import ends_of


def combinations(data: om.Microdata, k: int, objective: str) -> Iterator[tuple[tuple[int, ...], int, float]]:
    """The levels, the number of records below k, and the objective, in which each of these records counts fully."""
    table = data.table
    paths = [GeneralisationPaths.of_kind(table, j) for j in range(len(table.columns))]
    records = [tuple(map(int, table.tuples[number])) for number in table.inverse]
    who = list(range(len(records))) if data.persons is None else data.persons.tolist()
    for levels in product(*(range(path.height + 1) for path in paths)):
        masked = [tuple(_released(table, paths, j, v, levels[j]) for j, v in enumerate(r)) for r in records]
        holders: dict[object, set[int]] = {}
        for record, person in zip(masked, who, strict=True):
            holders.setdefault(record, set()).add(person)
        short = [len(holders[record]) < k for record in masked]
        n = len(records)
        if objective == "discernibility":
            sizes = Counter(record for record, gone in zip(masked, short, strict=True) if not gone)
            cost = (sum(size * size for size in sizes.values()) + sum(short) * n) / n**2
        else:
            power = 2 if objective == "L" else 1
            weights = [column.space.weight for column in table.columns]
            lost = [
                1.0
                if gone
                else sum(w * _loss(table, j, r[j], m[j], objective) for j, w in enumerate(weights)) / sum(weights)
                for r, m, gone in zip(records, masked, short, strict=True)
            ]
            cost = sum(one**power for one in lost) / n
        yield levels, sum(short), cost


def _released(table, paths, j, value, level):
    """The released point; a kept cell is a value of its own."""
    values = table.values[j]
    return ("kept", value) if values.kept[value] else paths[j].levels[level][value]


def _loss(table, j, value, released, objective):
    values, space = table.values[j], table.columns[j].space
    if isinstance(released, tuple):
        return 0.0
    own = values.point[value]
    if objective in ("semantic_loss", "L"):
        return float(space.pairs(np.array([own]), np.array([released]))[0])
    if released == own:
        return 0.0
    every = values.point[~values.kept].tolist()
    if space.domain is None:
        low, high = (np.clip(space.coordinates(end), 0, 1)[0] for end in ends_of(np.array([released])))
        return float(high - low)
    ids = space.domain.ids
    below = sum(ids[released] in space.domain.subsumers(ids[point]) for point in every)
    if below <= 1:
        return 0.0
    return (below - 1) / max(len(every) - 1, 1)
