"""Measurements: one number per row, with the table, method, level, seed, measure and columns that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

import ontomask as om
from ontomask.figures import Bars, Line

SCHEMA = {
    "table": pl.String,
    "method": pl.String,
    "level": pl.Float64,
    "measure": pl.String,
    "columns": pl.String,
    "seed": pl.Int64,
    "value": pl.Float64,
}
# The table of figures that a publication printed.
PRINTED = "as printed"
LETTERS = "ABCDEFGHIJKLMNOP"
Row = dict[str, Any]
# A function that makes a method for a level: k, α or ε.
Make = Callable[[Any], om.Method]
# Figures by measure and columns.
Figures = Mapping[tuple[str, str], float | None]
# One name or several.
Names = str | Iterable[str]


def measure(
    table: str,
    data: om.Microdata | Callable[[int], om.Microdata],
    methods: Mapping[str, Make | om.Method],
    levels: Sequence[float | None],
    seeds: Sequence[int],
    *,
    distance: Any = None,
    scope: Any = None,
    attacks: bool = False,
    only: Sequence[str] = (),
    more: Callable[[om.Microdata, om.Result, om.Evaluation], Figures] | None = None,
    judge: Callable[[om.Microdata, om.Result], Figures] | None = None,
) -> Iterator[Row]:
    """Mask and evaluate with every method, level and seed.

    Parameters
    ----------
    table
        The name of the table.
    data
        The table, or a function that makes the table for a seed, such as another sample or another order of ties.
    methods
        By name, a method, or a function that makes it for a level. For methods without levels, give the level ``None``.
    distance, scope
        Of the evaluation, as in `ontomask.evaluate`; by default those of the table.
    attacks
        Whether to run the intruders who know the method.
    only
        The measures to keep; by default all.
    more
        A function for further figures by (measure, columns).
    judge
        A function for all figures, in place of one evaluation.
    """
    for seed in seeds:
        records = data(seed) if callable(data) else data
        for name, make in methods.items():
            for level in levels:
                method = make if isinstance(make, om.Method) else make(level)
                result = method.mask(records, seed=seed if method.takes_seed else None)
                if judge:
                    found = dict(judge(records, result))
                else:
                    score = om.evaluate(records, result, distance=distance, scope=scope, attacks=attacks)
                    found = {key: value for key, value in figures(score).items() if not only or key[0] in only}
                    found |= more(records, result, score) if more else {}
                yield from rows(found, table=table, method=name, level=level, seed=seed)


def rows(found: Figures, *, table: str, method: str, level: float | None = None, seed: int = 0) -> Iterator[Row]:
    """Rows of the figures of one run, by (measure, columns)."""
    for (name, columns), value in found.items():
        if value is not None:
            yield dict(zip(SCHEMA, (table, method, level, name, columns, seed, float(value)), strict=True))


def printed(path: Path) -> Iterator[Row]:
    """Tables of a publication, from a file with a line per method and measure, and a column per level."""
    frame = pl.read_csv(path).with_columns(pl.col(pl.String).fill_null(""))
    for (_, method), part in frame.group_by("printed_in", "method", maintain_order=True):
        for level in frame.columns[4:]:
            found = {(name, of): value for name, of, value in part.select("measure", "columns", level).iter_rows()}
            yield from rows(found, table=PRINTED, method=str(method), level=float(level))


def figures(score: om.Evaluation) -> dict[tuple[str, str], float | None]:
    """The figures of an evaluation by (measure, columns). Columns are called A, B, C by position, as in the papers."""
    utility = score.utility
    found: dict[tuple[str, str], float | None] = {
        ("loss", ""): score.loss_percent,
        ("sse", ""): score.sse,
        ("semantic_loss", ""): score.semantic_loss,
        ("kl", ""): utility.kl_divergence,
        ("rl", ""): score.rl,
        ("mrl", ""): score.mrl,
        ("srl", ""): score.srl,
        ("k", ""): score.k,
        ("suppressed", ""): utility.suppressed,
        ("linked_by_method", ""): score.linked_by_method,
        ("recovered", ""): score.recovered,
    }
    for letter, column in zip(LETTERS, utility.attributes.values(), strict=False):
        found["rmse", letter] = column.rmse
        found["mean_shift", letter] = column.mean_shift
        found["variance", letter] = column.variance.after
        found["sdvar_change", letter] = column.distance_variance.difference
        found["unchanged", letter] = column.unchanged
        if column.target_rmse is not None and score.alpha is not None:
            found["target_rmse", letter] = column.target_rmse
            found["variance_off", letter] = abs(column.variance.after - (1 + score.alpha) * column.variance.before)
    pairs = combinations(LETTERS[: len(utility.attributes)], 2)
    for pair, (columns, sdcor) in zip(pairs, score.sdcor.items(), strict=True):
        both, sdcov = "".join(pair), score.sdcov[columns]
        found["sdcor", both] = sdcor.after
        found["sdcor_change", both] = sdcor.difference
        found["sdcov", both] = sdcov.after
        if score.alpha is not None:
            found["sdcov_off", both] = abs(sdcov.after - (1 + score.alpha) * sdcov.before)
    return found


class Spread(NamedTuple):
    """Mean, standard deviation, smallest and largest value over the seeds."""

    mean: float
    sd: float
    low: float
    high: float


UNKNOWN = Spread(nan, nan, nan, nan)


def bars(name: str, spreads: Iterable[Spread], style: int | None = None) -> Bars:
    """Bars of means, with a line from the smallest to the largest seed."""
    mean, _, low, high = zip(*spreads, strict=True)
    return Bars(name, mean, low, high, style)


@dataclass(frozen=True, eq=False)
class Rows:
    """All measurements of an experiment."""

    frame: pl.DataFrame

    @classmethod
    def of(cls, measured: Iterable[Row]) -> Rows:
        """Collect rows."""
        return cls(pl.DataFrame(list(measured), schema=SCHEMA))

    @classmethod
    def read(cls, path: Path) -> Rows:
        """Read the rows that `write` wrote."""
        return cls(pl.read_csv(path, schema=SCHEMA).with_columns(pl.col(pl.String).fill_null("")))

    def write(self, path: Path) -> None:
        """Write all rows, one per seed."""
        self.frame.write_csv(path, float_precision=6)

    def where(
        self,
        *conditions: pl.Expr,
        tables: Names | None = None,
        methods: Names | None = None,
        levels: float | Iterable[float] | None = None,
        measures: Names | None = None,
        columns: Names | None = None,
    ) -> Rows:
        """The rows of one or several tables, methods and so on. Those without a level belong to all levels."""
        names = {"table": tables, "method": methods, "measure": measures, "columns": columns}
        of = [pl.col(name).is_in(_several(value)) for name, value in names.items() if value is not None]
        if levels is not None:
            of.append(pl.col("level").is_null() | pl.col("level").is_in([float(level) for level in _several(levels)]))
        return Rows(self.frame.filter(*conditions, *of))

    def wide(self, of: str = "measure", names: Iterable[str] = ()) -> pl.DataFrame:
        """One row for the figures that differ in the measure (method, columns) only; null if one was not measured."""
        wide = self.frame.pivot(of, index=[name for name in SCHEMA if name not in (of, "value")], values="value")
        return wide.with_columns(pl.lit(None, pl.Float64).alias(name) for name in set(names) - set(wide.columns))

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, in the order in which they were measured."""
        return tuple(self.frame["table"].unique(maintain_order=True))

    @cached_property
    def _spreads(self) -> dict[tuple[Any, ...], Spread]:
        keys = ["measure", "method", "level", "table", "columns"]
        grouped = self.frame.group_by(keys).agg(
            mean=pl.col("value").mean(),
            sd=pl.col("value").std().fill_null(0.0),
            low=pl.col("value").min(),
            high=pl.col("value").max(),
        )
        return {tuple(row[:5]): Spread(*row[5:]) for row in grouped.iter_rows()}

    def spread(self, measure: str, method: str, level: float | None, table: str, columns: str = "") -> Spread:
        """A figure over the seeds; NaN if it was not measured. A method without levels has one value at all levels."""
        key = (measure, method, None if level is None else float(level), table, columns)
        return self._spreads.get(key) or self._spreads.get((measure, method, None, table, columns)) or UNKNOWN

    def mean(self, measure: str, method: str, level: float | None, table: str, columns: str = "") -> float:
        """The mean over the seeds."""
        return self.spread(measure, method, level, table, columns).mean

    def text(
        self, measure: str, method: str, level: float | None, table: str, columns: str = "", *, digits: int = 2
    ) -> str:
        """A figure in words: mean ± standard deviation over the seeds."""
        mean, sd, *_ = self.spread(measure, method, level, table, columns)
        if isnan(mean):
            return "—"
        shown = f"{mean:,.{digits}f}"
        return f"{shown} ± {sd:,.{digits}f}" if sd >= 0.5 / 10**digits else shown

    def methods(self, table: str | None = None) -> tuple[str, ...]:
        """The methods, in the order in which they were measured."""
        return tuple(self.where(tables=table).frame["method"].unique(maintain_order=True))

    def levels(self, table: str | None = None, method: str | None = None) -> tuple[float, ...]:
        """The levels, in ascending order."""
        return tuple(self.where(tables=table, methods=method).frame["level"].drop_nulls().unique().sort())

    def line(
        self,
        name: str,
        measure: str,
        method: str,
        table: str,
        columns: str = "",
        *,
        style: int | None = None,
        levels: Sequence[float] | None = None,
    ) -> Line:
        """The means of a method by level, with a band from the smallest to the largest seed if that can be seen."""
        xs = self.levels(table) if levels is None else tuple(levels)
        found = [self.spread(measure, method, x, table, columns) for x in xs]
        means, _, low, high = (list(part) for part in zip(*found, strict=True))
        seen = any(one.high - one.low > 0.02 * abs(one.mean) for one in found)
        return Line(name, xs, means, low=low if seen else None, high=high if seen else None, style=style)


def _several(values: Any) -> list[Any]:
    return [values] if isinstance(values, str | float | int) else list(values)
