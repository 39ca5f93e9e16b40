"""Comparisons at equal strength: methods whose levels do not mean the same are compared where they change data alike.

The figures of the other method are interpolated along its levels, seed by seed: a straight line between the two levels
whose strengths lie on either side. Measure the other method at more levels than are judged, so that there are such.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
import polars as pl

from experiments.framework.claims import OTHER, VALUE, Rule, by_case
from experiments.framework.measurements import Names, Rows

CASE = ("table", "columns", "method", "method_other", "level")


def at_equal(
    rows: Rows, strength: str, measure: str, methods: Names, others: Names, *, levels: Sequence[float] | None = None
) -> pl.DataFrame:
    """A figure of each method at each level, beside that of each other method where its strength is the same.

    Cases in which the other method does not reach the strength with every seed are left out.
    """
    ours = rows.where(methods=methods, levels=levels).wide(names=(strength, measure))
    theirs = rows.where(methods=others).wide(names=(strength, measure)).drop_nulls((strength, measure)).sort(strength)
    keys = ["table", "columns", "seed"]
    lines = theirs.group_by(*keys, "method").agg(strengths=strength, figures=measure)
    both = ours.drop_nulls((strength, measure)).join(lines, on=keys, suffix="_other")
    both = both.filter(pl.col("method") != pl.col("method_other"))
    met = [
        np.interp(size, sizes, figures, left=nan, right=nan)
        for size, sizes, figures in both.select(strength, "strengths", "figures").iter_rows()
    ]
    both = both.select(*CASE, "seed", value=measure, value_other=pl.Series(met, dtype=pl.Float64))
    return both.filter(pl.col("value_other").is_not_nan().all().over(CASE)).sort(*CASE, "seed")


def less_at_equal(
    strength: str, measure: str, methods: Names, others: Names, *, levels: Sequence[float] | None = None, **where: Any
) -> Rule:
    """Each method has a smaller figure than each other method of equal strength, at every level."""

    def rule(rows: Rows) -> pl.DataFrame:
        found = at_equal(rows.where(**where), strength, measure, methods, others, levels=levels)
        return by_case(found, OTHER - VALUE)

    return rule
