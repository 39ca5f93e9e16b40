"""Claims, and one rule that judges them all.

A claim gives a *margin* for each case (a level, a column, a pair of methods) and each seed: the number by which it
holds. A claim that A loses less than B has the margin loss(B) - loss(A), measured with the same seed. A case *holds*
if its mean margin over the seeds is above 0. The seeds are drawn again 2,000 times with replacement, the same for all
cases of a table (a paired bootstrap: Efron 1979). The share of cases that hold gets a 95 % interval from these draws,
and the interval decides: see `Verdict`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Literal

import numpy as np
import polars as pl

from experiments.framework.measurements import Rows

__all__ = [
    "Claim",
    "Judgement",
    "Rule",
    "Verdict",
    "all_less",
    "compared",
    "computed",
    "formula",
    "judge",
    "less",
    "linear",
    "margins",
    "rises",
    "smallest",
    "together",
]

DRAWS = 2000
# Differences up to this are ties.
TIE = 1e-9
# A claim is found if at least this share of cases holds.
MOST = 0.9

# From all measurements to margins: columns table, case, seed, margin.
Rule = Callable[[Rows], pl.DataFrame]


class Verdict(StrEnum):
    """What the 95 % interval of the share of cases says."""

    FOUND = "found"
    """At least 90 % of the cases hold."""
    MOSTLY = "mostly found"
    """More than half of the cases hold."""
    OPEN = "open"
    """The interval includes one half."""
    NOT_FOUND = "not found"
    """Less than half of the cases hold."""


@dataclass(frozen=True)
class Claim:
    """A claim about the measurements.

    Attributes
    ----------
    key
        A name by which tests and other pages find it.
    text, source
        The claim, and where it is from: a publication with its section, or ``ours``.
    rule
        The function that computes its margins.
    why
        Why it was found or not, in one or two sentences; shown with the complete data.
    glance
        The claim in short for the page "At a glance"; empty if it is not shown there.
    """

    key: str
    text: str
    source: str
    rule: Rule
    why: str = ""
    glance: str = ""


@dataclass(frozen=True)
class Judgement:
    """The result of a claim on one table.

    Attributes
    ----------
    table
        The table.
    cases, holds
        The number of cases, and how many of them hold.
    clear
        How many cases have a margin whose own interval is above 0.
    low, high
        The 95 % interval of the share of cases that hold.
    """

    table: str
    cases: int
    holds: int
    clear: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share of cases that hold."""
        return self.holds / self.cases

    @property
    def verdict(self) -> Verdict:
        """The result in one word or two."""
        if self.low >= MOST:
            return Verdict.FOUND
        if self.low > 0.5:
            return Verdict.MOSTLY
        return Verdict.NOT_FOUND if self.high < 0.5 else Verdict.OPEN

    def __str__(self) -> str:
        return f"{self.verdict} ({self.holds} of {self.cases})"


def judge(claim: Claim, rows: Rows) -> list[Judgement]:
    """Judge a claim on every table that has cases of it, in the order of the tables."""
    found = claim.rule(rows)
    order = {table: number for number, table in enumerate(rows.tables)}
    tables = sorted(found["table"].unique(), key=lambda table: order.get(table, -1))
    return [_judge(table, found.filter(pl.col("table") == table)) for table in tables]


def _judge(table: str, found: pl.DataFrame) -> Judgement:
    # In order, so that the same seeds are drawn whatever the order of the margins.
    found = found.sort("seed", "case")
    values = found.pivot("seed", index="case", values="margin").drop("case").to_numpy().astype(float)
    measured = ~np.isnan(values)
    values = np.where(measured, values, 0.0)
    draws = np.random.default_rng(0).multinomial(values.shape[1], np.full(values.shape[1], 1 / values.shape[1]), DRAWS)
    with np.errstate(invalid="ignore"):
        means = (draws @ values.T) / (draws @ measured.T)
    # Cases that a draw has no seed of do not count in it.
    shares = np.nanmean(np.where(np.isnan(means), np.nan, means > TIE), axis=1)
    holds = values.sum(axis=1) / measured.sum(axis=1) > TIE
    low, high = np.nanquantile(shares, (0.025, 0.975))
    clear = int((np.nanquantile(means, 0.025, axis=0) > TIE).sum())
    return Judgement(table, len(values), int(holds.sum()), clear, float(low), float(high))


def margins(cases: Iterator[tuple[str, str, int, float]]) -> pl.DataFrame:
    """Margins from (table, case, seed, margin)."""
    schema = {"table": pl.String, "case": pl.String, "seed": pl.Int64, "margin": pl.Float64}
    return pl.DataFrame(list(cases), schema=schema, orient="row")


def less(
    measure: str | Sequence[str],
    methods: str | Sequence[str],
    others: str | Sequence[str],
    *,
    levels: Sequence[float] | None = None,
    tables: Sequence[str] | None = None,
    factor: float = 1.0,
    or_equal: bool = False,
) -> Rule:
    """Each method has a smaller figure than each other method, at every level and in every column.

    With a ``factor``, smaller than so many times the other's. With ``or_equal``, ties count as well.
    """

    def margin(one: pl.Expr, other: pl.Expr) -> pl.Expr:
        return factor * other - one + (2 * TIE if or_equal else 0.0)

    return compared(measure, methods, others, margin, levels=levels, tables=tables)


def compared(
    measure: str | Sequence[str],
    methods: str | Sequence[str],
    others: str | Sequence[str],
    margin: Callable[[pl.Expr, pl.Expr], pl.Expr],
    *,
    levels: Sequence[float] | None = None,
    tables: Sequence[str] | None = None,
) -> Rule:
    """A margin from the figures of each method and each other method, at every level and in every column."""

    def rule(rows: Rows) -> pl.DataFrame:
        frame = rows.frame.filter(pl.col("measure").is_in(_several(measure)))
        if levels is not None:
            frame = frame.filter(pl.col("level").is_null() | pl.col("level").is_in([float(level) for level in levels]))
        if tables is not None:
            frame = frame.filter(pl.col("table").is_in(list(tables)))
        ours = frame.filter(pl.col("method").is_in(_several(methods)))
        theirs = frame.filter(pl.col("method").is_in(_several(others)))
        # A method without levels is compared at all levels of the other.
        return (
            ours.join(theirs, on=["table", "measure", "columns", "seed"], suffix="_other")
            .filter(
                (pl.col("method") != pl.col("method_other"))
                & pl.col("level").eq(pl.col("level_other")).fill_null(value=True)
            )
            .select(
                "table",
                pl.concat_str(
                    "measure", "columns", "method", "method_other", pl.coalesce("level", "level_other").fill_null(0),
                    separator="|",
                ).alias("case"),
                "seed",
                margin(pl.col("value"), pl.col("value_other")).alias("margin"),
            )
        )  # fmt: skip

    return rule


def smallest(measure: str, method: str, others: Sequence[str], **options: object) -> Rule:
    """A method has the smallest figure of all at every level. Each level and column is one case."""

    def rule(rows: Rows) -> pl.DataFrame:
        pairs = less(measure, method, others, **options)(rows)  # type: ignore[arg-type]
        parts = pl.col("case").str.split("|")
        case = pl.concat_str(parts.list.get(0), parts.list.get(1), parts.list.get(4), separator="|")
        means = pairs.with_columns(case=case, pair="case")
        # The strongest rival is the one with the smallest mean margin.
        rival = means.group_by("table", "case", "pair").agg(pl.col("margin").mean()).sort("margin", "pair")
        rival = rival.group_by("table", "case", maintain_order=True).first().select("table", "case", "pair")
        return means.join(rival, on=["table", "case", "pair"]).select("table", "case", "seed", "margin")

    return rule


def rises(measure: str, methods: str | Sequence[str], *, columns: Sequence[str] | None = None) -> Rule:
    """The figure of each method grows from each level to the next."""

    def rule(rows: Rows) -> pl.DataFrame:
        frame = rows.frame.filter((pl.col("measure") == measure) & pl.col("method").is_in(_several(methods)))
        if columns is not None:
            frame = frame.filter(pl.col("columns").is_in(list(columns)))

        def steps() -> Iterator[tuple[str, str, int, float]]:
            for (table, method, column, seed), part in frame.group_by("table", "method", "columns", "seed"):
                points = sorted(part.select("level", "value").iter_rows())
                for (low, before), (high, after) in pairwise(points):
                    yield str(table), f"{method}|{column}|{low:g}-{high:g}", int(str(seed)), after - before

        return margins(steps())

    return rule


def all_less(
    measure: str,
    limit: float,
    methods: str | Sequence[str] | None = None,
    *,
    levels: Sequence[float] | None = None,
) -> Rule:
    """The figures of methods (by default of all) are below a limit."""

    def rule(rows: Rows) -> pl.DataFrame:
        frame = rows.frame.filter(pl.col("measure") == measure)
        if methods is not None:
            frame = frame.filter(pl.col("method").is_in(_several(methods)))
        if levels is not None:
            frame = frame.filter(pl.col("level").is_in([float(level) for level in levels]))
        case = pl.concat_str("method", "columns", pl.col("level").fill_null(0), separator="|")
        return frame.select("table", case.alias("case"), "seed", (limit - pl.col("value")).alias("margin"))

    return rule


def formula(
    measure: str,
    *cases: pl.Expr,
    of: Literal["method", "columns"] = "method",
    where: pl.Expr | None = None,
    by_level: bool = True,
) -> Rule:
    """Margins computed from figures with the same seed: each an expression of the names of methods (or of columns).

    ``where`` selects rows. Each level is one case. If not ``by_level``, figures are called *name@level*, so that levels
    can be compared. Tables without one of the figures are not judged.
    """
    rest = "columns" if of == "method" else "method"
    level = pl.col("level").fill_null(0.0).cast(pl.String).str.strip_suffix(".0")

    def rule(rows: Rows) -> pl.DataFrame:
        frame = rows.frame.filter(pl.col("measure") == measure, *([] if where is None else [where]))
        frame = frame.with_columns(level=level)
        if not by_level:
            frame = frame.with_columns(pl.format("{}@{}", of, "level").alias(of), level=pl.lit(""))
        wide = frame.pivot(of, index=["table", rest, "level", "seed"], values="value")
        parts = []
        for number, margin in enumerate(cases):
            unknown = set(margin.meta.root_names()) - set(wide.columns)
            known = wide.with_columns(pl.lit(None, pl.Float64).alias(name) for name in unknown)
            case = pl.format("{}|{}|{}", pl.lit(number), rest, "level")
            parts.append(known.select("table", case.alias("case"), "seed", margin.alias("margin")).drop_nulls())
        return pl.concat(parts)

    return rule


def linear(measure: str, where: pl.Expr | None = None) -> Rule:
    """The figures of each method and column are closer to a line over the levels than to a logarithm."""

    def rule(rows: Rows) -> pl.DataFrame:
        frame = rows.frame.filter(pl.col("measure") == measure, *([] if where is None else [where]))
        line, logarithm = (pl.corr(x, "value") for x in (pl.col("level"), pl.col("level").log()))
        found = frame.group_by("table", "method", "columns", "seed").agg(margin=line - logarithm)
        # With fewer than three levels there is no shape.
        found = found.filter(pl.col("margin").is_not_nan())
        return found.select("table", pl.format("{}|{}", "method", "columns").alias("case"), "seed", "margin")

    return rule


def together(*rules: Rule) -> Rule:
    """All cases of several rules."""

    def rule(rows: Rows) -> pl.DataFrame:
        found = [one(rows).with_columns(case=pl.format("{}|{}", pl.lit(number), "case"))
                 for number, one in enumerate(rules)]  # fmt: skip
        return pl.concat(found)

    return rule


def computed(
    margin: pl.Expr,
    measures: Sequence[str],
    methods: str | Sequence[str] | None = None,
    *,
    levels: Sequence[float] | None = None,
) -> Rule:
    """A margin computed from several measures of the same run and columns, and from its ``level``."""

    def rule(rows: Rows) -> pl.DataFrame:
        frame = rows.frame.filter(pl.col("measure").is_in(list(measures)))
        if methods is not None:
            frame = frame.filter(pl.col("method").is_in(_several(methods)))
        if levels is not None:
            frame = frame.filter(pl.col("level").is_in([float(level) for level in levels]))
        index = ["table", "method", "columns", "level", "seed"]
        wide = frame.pivot("measure", index=index, values="value")
        if not set(measures) <= set(wide.columns):
            return margins(iter(()))
        case = pl.concat_str("method", "columns", pl.col("level").fill_null(0), separator="|")
        return wide.drop_nulls(measures).select("table", case.alias("case"), "seed", margin.alias("margin"))

    return rule


def _several(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
