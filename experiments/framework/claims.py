"""Claims, and one rule that judges them all.

A claim gives a *margin* for each case (a level, a column, a pair of methods) and each seed: the number by which it
holds. A claim that A loses less than B has the margin loss(B) - loss(A), measured with the same seed. A case *holds*
if its mean margin over the seeds is above 0. The seeds are drawn again 20,000 times with replacement, the same for all
cases of a table (a paired bootstrap: Efron 1979). Such draws spread too little with few seeds, so they are spread as
Student's t asks for. The share of cases that hold gets a 95 % interval from these draws, and the interval decides: see
`Verdict`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from experiments.framework.measurements import Names, Rows

DRAWS = 20_000
# Differences up to this are ties.
TIE = 1e-9
# A claim is found if at least this share of cases holds.
MOST = 0.9

# From all measurements to margins: columns table, case, seed, margin.
Rule = Callable[[Rows], pl.DataFrame]
# What names a case, the level last.
CASE = ("measure", "columns", "method", "method_other", "level")
# The figures of the two methods that a rule compares.
VALUE, OTHER = pl.col("value"), pl.col("value_other")


class Verdict(StrEnum):
    """What the 95 % interval of the share of cases says."""

    FOUND = "found"
    """At least 90 % of the cases hold."""
    MOSTLY = "mostly found"
    """More than half of the cases hold."""
    HALF = "half found"
    """Half of the cases hold in 95 % of the draws or more."""
    OPEN = "open"
    """The interval includes one half: the seeds do not decide."""
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
        if self.low == self.high == 0.5:
            return Verdict.HALF
        return Verdict.NOT_FOUND if self.high < 0.5 else Verdict.OPEN

    def __str__(self) -> str:
        return f"{self.verdict} ({self.holds} of {self.cases})"


def judge(claim: Claim, rows: Rows) -> list[Judgement]:
    """Judge a claim on every table that has cases of it, in the order of the tables."""
    found = claim.rule(rows)
    if "comparison" not in found.columns:
        found = found.with_columns(comparison=pl.lit(""))
    order = {table: number for number, table in enumerate(rows.tables)}
    tables = sorted(found["table"].unique(), key=lambda table: order.get(table, -1))
    return [_judge(table, found.filter(pl.col("table") == table)) for table in tables]


def counts(rule: Rule, rows: Rows) -> dict[str, str]:
    """How many cases of a rule hold on each table."""
    return {one.table: f"{one.holds} of {one.cases}" for one in judge(Claim("", "", "", rule), rows)}


def _judge(table: str, found: pl.DataFrame) -> Judgement:
    # In order, so that the same seeds are drawn whatever the order of the margins.
    found = found.sort("seed", "case").with_columns(pl.col("comparison").fill_null(""))
    wide = found.pivot("seed", index=("case", "comparison"), values="margin").sort("case", "comparison")
    first = np.flatnonzero(wide["case"].rle_id().diff().fill_null(1))
    values = wide.drop("case", "comparison").to_numpy().astype(float)
    measured = ~np.isnan(values)
    values = np.where(measured, values, 0.0)
    draws = np.random.default_rng(0).multinomial(values.shape[1], np.full(values.shape[1], 1 / values.shape[1]), DRAWS)
    with np.errstate(invalid="ignore"):
        means = (draws @ values.T) / (draws @ measured.T)
    seeds = measured.sum(axis=1)
    mean = values.sum(axis=1) / seeds
    means = mean + _spread(seeds) * (means - mean)
    # The smallest margin of the comparisons of a case decides, in each draw again.
    mean, means = np.fmin.reduceat(mean, first), np.fmin.reduceat(means, first, axis=1)
    # Cases that a draw has no seed of do not count in it.
    shares = np.nanmean(np.where(np.isnan(means), np.nan, means > TIE), axis=1)
    holds = mean > TIE
    low, high = np.nanquantile(shares, (0.025, 0.975))
    clear = int((np.nanquantile(means, 0.025, axis=0) > TIE).sum())
    return Judgement(table, len(first), int(holds.sum()), clear, float(low), float(high))


def _spread(seeds: NDArray[np.int64]) -> NDArray[np.float64]:
    """The factor between the interval of a mean by Student's t and that by drawing again; 1.2 for 10 seeds."""
    several = np.maximum(seeds, 2)
    factor = stats.t.ppf(0.975, several - 1) / stats.norm.ppf(0.975) * np.sqrt(several / (several - 1))
    return np.where(seeds > 1, factor, 1.0)


def margins(cases: Iterable[tuple[str, str, int, float]]) -> pl.DataFrame:
    """Margins from (table, case, seed, margin)."""
    schema = {"table": pl.String, "case": pl.String, "seed": pl.Int64, "margin": pl.Float64}
    return pl.DataFrame(list(cases), schema=schema, orient="row")


def by_case(frame: pl.DataFrame, margin: pl.Expr) -> pl.DataFrame:
    """A margin from each row of a frame of measurements. Rows that differ in table and seed only are one case."""
    keys = [pl.col(name).cast(pl.String).fill_null("") for name in CASE if name in frame.columns]
    case = pl.concat_str(keys, separator="|")
    return frame.select("table", case.alias("case"), "seed", margin.alias("margin")).drop_nulls("margin")


def less(
    measure: Names, methods: Names, others: Names, *, factor: float = 1.0, or_equal: bool = False, **where: Any
) -> Rule:
    """Each method has a smaller figure than each other method, at every level and in every column.

    Each pair of methods is a case: for a claim about one method and all others, use `smallest` or `largest`. With a
    ``factor``, smaller than so many times the other's. With ``or_equal``, ties count as well. As in all rules,
    ``where`` selects rows: ``levels``, ``tables``, ``columns`` (see `Rows.where`).
    """
    return compared(measure, methods, others, factor * OTHER - VALUE + (2 * TIE if or_equal else 0.0), **where)


def compared(measure: Names, methods: Names, others: Names, margin: pl.Expr, **where: Any) -> Rule:
    """A margin from the figure of each method, `VALUE`, and that of each other method at the same level, `OTHER`."""

    def rule(rows: Rows) -> pl.DataFrame:
        ours, theirs = (rows.where(measures=measure, methods=names, **where).frame for names in (methods, others))
        both = ours.join(theirs, on=["table", "measure", "columns", "seed"], suffix="_other")
        # A method without levels is compared at all levels of the other.
        same_level = pl.col("level").eq(pl.col("level_other")).fill_null(value=True)
        both = both.filter(same_level, pl.col("method") != pl.col("method_other"))
        return by_case(both.with_columns(pl.coalesce("level", "level_other")), margin)

    return rule


def smallest(measure: Names, method: Names, others: Names, **where: Any) -> Rule:
    """A method has a smaller figure than all others. Each measure, column and level is one case."""
    return at_once(less(measure, method, others, **where))


def largest(measure: Names, method: Names, others: Names, **where: Any) -> Rule:
    """A method has a larger figure than all others. Each measure, column and level is one case."""
    return at_once(less(measure, others, method, **where))


def at_once(*rules: Rule) -> Rule:
    """All comparisons of a measure and column at a level are one case, which holds if all of them do."""

    def rule(rows: Rows) -> pl.DataFrame:
        parts = pl.col("case").str.split("|").list
        # The first part is the number of the rule.
        case = pl.concat_str(parts.get(1), parts.get(2), parts.get(-1), separator="|")
        return _numbered(part(rows) for part in rules).with_columns(comparison="case", case=case)

    return rule


def formula(
    measure: Names,
    *cases: pl.Expr | Sequence[pl.Expr],
    of: Literal["method", "columns", "measure"] = "method",
    where: pl.Expr | None = None,
    by_level: bool = True,
    **also: Any,
) -> Rule:
    """Margins computed from figures with the same seed: each an expression of the names of methods (or of columns).

    A case of several margins, such as the leads over several methods, holds if each of them does. ``where`` and
    ``also`` select rows. Each level is one case. If not ``by_level``, a case has figures `at` several
    levels. Tables without one of the figures are not judged.
    """
    parts = [[case] if isinstance(case, pl.Expr) else list(case) for case in cases]
    names = {name for margins in parts for margin in margins for name in margin.meta.root_names()}

    def rule(rows: Rows) -> pl.DataFrame:
        found = rows.where(*([] if where is None else [where]), measures=measure, **also)
        if not by_level:
            level = pl.col("level").fill_null(0.0).cast(pl.String).str.strip_suffix(".0")
            name = pl.format("{}@{}", of, level)
            found = Rows(found.frame.with_columns(name.alias(of), level=pl.lit(None, pl.Float64)))
        wide = found.wide(of, names)
        return _numbered(
            pl.concat(by_case(wide, margin).with_columns(comparison=pl.lit(f"{i}")) for i, margin in enumerate(margins))
            for margins in parts
        )

    return rule


def at(name: str, level: float) -> pl.Expr:
    """The figure of a method (or of columns) at a level, in a `formula` that is not ``by_level``."""
    return pl.col(f"{name}@{level:g}")


def computed(*cases: pl.Expr, **where: Any) -> Rule:
    """Margins computed from measures of the same run and columns, and perhaps from its ``level``."""
    measures = {name for margin in cases for name in margin.meta.root_names()} - {"level"}
    return formula(sorted(measures), *cases, of="measure", **where)


def grows(rule: Rule) -> Rule:
    """The margins of a rule grow from each level to the next."""

    def steps(rows: Rows) -> pl.DataFrame:
        case, level = (pl.col("case").str.extract(r"(.*)\|(.*)", part) for part in (1, 2))
        found = rule(rows).with_columns(of=case, level=level.cast(pl.Float64)).sort("level")
        step = pl.col("margin").diff().over("table", "of", "seed")
        return found.with_columns(step).drop_nulls("margin").drop("of", "level")

    return steps


def linear(measure: str, *where: pl.Expr) -> Rule:
    """The figures of each method and column are closer to a line over the levels than to a logarithm."""

    def rule(rows: Rows) -> pl.DataFrame:
        line, logarithm = (pl.corr(x, "value") for x in (pl.col("level"), pl.col("level").log()))
        frame = rows.where(*where, measures=measure).frame
        found = frame.group_by("table", "method", "columns", "seed").agg(closer=line - logarithm)
        # With fewer than three levels there is no shape.
        return by_case(found, pl.col("closer")).filter(pl.col("margin").is_not_nan())

    return rule


def together(*rules: Rule) -> Rule:
    """All cases of several rules."""
    return lambda rows: _numbered(rule(rows) for rule in rules)


def _numbered(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Margins of several rules, with other names for the cases of each."""
    return pl.concat(
        (part.with_columns(case=pl.format("{}|{}", pl.lit(number), "case")) for number, part in enumerate(parts)),
        how="diagonal",
    )
