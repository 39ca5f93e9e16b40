"""Algorithm 3 of Rodriguez-Garcia 2019 with line 9 as printed, to see what it would do to a table."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

import ontomask as om


def read_literally(data: om.Microdata, k: int, rng: np.random.Generator) -> pl.DataFrame:
    """Algorithm 3 with line 9 as printed: every value of a reference is swapped, also one that was swapped before."""
    table = data.table
    codes = table.tuples[table.inverse]
    d = np.zeros((len(codes), len(codes)))
    for j, (column, values) in enumerate(zip(table.columns, table.values, strict=True)):
        d += column.space.matrix(values.point, values.point)[np.ix_(codes[:, j], codes[:, j])]
    d = d.round(9)
    n, columns = codes.shape
    source = np.tile(np.arange(n), (columns, 1))
    unswapped = np.ones((columns, n), dtype=bool)
    reference = int(rng.choice(np.flatnonzero(d.sum(axis=1) == d.sum(axis=1).max())))
    while True:
        shuffled = rng.permutation(n)
        ranked = shuffled[np.argsort(d[reference, shuffled], kind="stable")]
        interval = ranked[ranked != reference][:k]
        for j in range(columns):
            options = interval[unswapped[j, interval]]
            if len(options):
                partner = int(rng.choice(options))
                source[j, reference], source[j, partner] = partner, reference
                unswapped[j, partner] = False
            unswapped[j, reference] = False
        left = np.flatnonzero(unswapped.any(axis=0))
        if not len(left):
            break
        farthest = left[d[reference, left] == d[reference, left].max()]
        reference = int(rng.choice(farthest))
    return pl.DataFrame({name: data.frame[name].gather(source[j]) for j, name in enumerate(data.quasi_identifiers)})


def lost(before: pl.DataFrame, after: pl.DataFrame) -> float:
    """The share of the values of all columns that are in the original, and not in the release as often."""
    kept = sum((Counter(before[name]) & Counter(after[name])).total() for name in after.columns)
    return 1 - kept / (len(before) * len(after.columns))
