"""Comparisons at equal strength: methods whose levels do not mean the same are compared where they change data alike.

The figures of the other method are interpolated along its levels, seed by seed: a straight line between the two levels
whose strengths lie on either side. Measure the other method at more levels than are judged, so that there are such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import polars as pl

from experiments.framework.claims import Rule
from experiments.framework.measurements import Rows

__all__ = ["at_equal", "less_at_equal"]

CASE = ("table", "columns", "method", "other", "level")
SCHEMA = {
    "table": pl.String,
    "columns": pl.String,
    "method": pl.String,
    "other": pl.String,
    "level": pl.Float64,
    "seed": pl.Int64,
    "value": pl.Float64,
    "other_value": pl.Float64,
}


def at_equal(
    rows: Rows,
    strength: str,
    measure: str,
    methods: str | Sequence[str],
    others: str | Sequence[str],
    *,
    levels: Sequence[float] | None = None,
) -> pl.DataFrame:
    """A figure of each method at each level, beside that of each other method where its strength is the same.

    Cases in which the other method does not reach the strength with every seed are left out.
    """
    methods, others = ([names] if isinstance(names, str) else list(names) for names in (methods, others))
    frame = rows.frame.filter(pl.col("method").is_in([*methods, *others]))
    keys = ["table", "columns", "seed", "method", "level"]
    sizes, figures = (frame.filter(pl.col("measure") == of).select(*keys, "value") for of in (strength, measure))
    both = sizes.join(figures, on=keys, nulls_equal=True, suffix="_of_measure")
    lines = {
        key: part.sort("value").select("level", "value", "value_of_measure").to_numpy()
        for key, part in both.group_by("table", "columns", "seed", "method")
    }

    def found() -> Iterator[tuple[object, ...]]:
        for (table, columns, seed, method), line in lines.items():
            for other, (level, size, value) in product(others, line):
                beside = lines.get((table, columns, seed, other))
                if method not in methods or method == other or beside is None:
                    continue
                if levels is None or level in [float(one) for one in levels]:
                    met = np.interp(size, beside[:, 1], beside[:, 2], left=np.nan, right=np.nan)
                    yield table, columns, method, other, level, seed, value, float(met)

    everything = pl.DataFrame(list(found()), schema=SCHEMA, orient="row")
    return everything.filter(pl.col("other_value").is_not_nan().all().over(CASE)).sort(*CASE, "seed")


def less_at_equal(
    strength: str,
    measure: str,
    methods: str | Sequence[str],
    others: str | Sequence[str],
    *,
    levels: Sequence[float] | None = None,
) -> Rule:
    """Each method has a smaller figure than each other method of equal strength, at every level."""

    def rule(rows: Rows) -> pl.DataFrame:
        found = at_equal(rows, strength, measure, methods, others, levels=levels)
        case = pl.concat_str("columns", "method", "other", "level", separator="|")
        return found.select("table", case.alias("case"), "seed", margin=pl.col("other_value") - pl.col("value"))

    return rule
