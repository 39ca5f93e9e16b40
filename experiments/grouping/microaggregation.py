"""SA-MDAV, its parts and related work (Martínez 2012, section 6.3, Figs. 20–22 and 24–26)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

import ontomask as om
from experiments.framework.claims import Rule, at, computed, counts, formula, largest, less, smallest, together
from experiments.framework.measurements import Make, Row, Rows, measure
from experiments.framework.measurements import rows as rows_of
from experiments.framework.pages import Experiment, by_level, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import (
    ADULT,
    DIABETES,
    LINKS,
    THESIS,
    draw,
    other_ties,
    public_tables,
    thesis_adult,
    under,
)
from experiments.grouping.options import YARDSTICK, WeighedMDAV, relative
from ontomask.figures import Figure, LineChart, small_multiples
from ontomask.masking.microaggregation import RELATED

KEPT = ("loss", "rl")
# The thesis has two data sets; the first, the answers of 975 park visitors, is not public.
FIRST, SECOND = "975 records", "all records"
RECORDS = 975
SHORT, LONG = (2, 3, 5, 7, 10, 15), (2, 5, 10, 50, 128, 500, 800, 1200, 1800)
LARGEST = (SHORT[-1], LONG[-1])
KS = {FIRST: SHORT, SECOND: LONG, ADULT: LONG, DIABETES: (2, 5, 10, 15)}
WEIGHTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# "Almost constant" scores: the largest is at most so many times the smallest (our limit).
STEADY = 1.5

MOVING, STATIC, FIXED, WEIGHED = "SA-MDAV", "SA-MDAV-static", "S-MDAV", "S-MDAV with ω"
RELATED_WORK = ABRIL, EQUALITY = "Abril 2010", "Domingo-Ferrer and Torra 2005"
REFINED = "refined"
METHODS = (MOVING, STATIC, FIXED, *RELATED_WORK, REFINED, WEIGHED)
TUPLES, SMALL = "distinct tuples", "records"
# Section 6.3.1 on Adult, of which Fig. 20 is the picture: percentages are of all records.
PRINTED = {"distinct": 388, "unique": 83, "largest": 3739, "above_1000": 9, "above_1000_%": 83.2, "up_to_5_%": 1.9}
TOLERANCE = 0.05


def methods(weigh_closest: bool) -> dict[str, Make]:
    """The thesis's own methods and ours. By eq. 4.2, ω also counts in the search for the closest tuple."""
    made: dict[str, Make] = {
        MOVING: lambda k: om.Microaggregation(k, variant="sa_mdav", weigh_closest=weigh_closest),
        STATIC: lambda k: om.Microaggregation(k, variant="sa_mdav_static", weigh_closest=weigh_closest),
        FIXED: lambda k: om.Microaggregation(k, variant="mdav"),
        REFINED: om.Microaggregation,
    }
    # Section 6.3.3 names eq. 4.2 for all three. But MDAV works on records, each of which counts once.
    return made | ({WEIGHED: lambda k: WeighedMDAV(k, variant="mdav")} if weigh_closest else {})


RELATED_METHODS: dict[str, Make] = {
    ABRIL: partial(om.Microaggregation, **RELATED["abril"]),
    EQUALITY: partial(om.Microaggregation, **RELATED["domingo_ferrer_torra"]),
}


def run(setting: Setting) -> Iterator[Row]:
    """The thesis's configuration on both of its data sets, and ours."""
    whole = thesis_adult()
    for seed in setting.seeds():
        for data, columns in ((draw(whole, RECORDS, seed), FIRST), (whole, SECOND)):
            ks = setting.levels(KS[columns])
            if columns == FIRST or seed == 0:
                yield from distribution(data, columns, seed, ks)
            # LogSC for the methods of the thesis, Wu–Palmer for related work.
            for made, of in ((methods(True), data), (RELATED_METHODS, under(data, LINKS))):
                ties = other_ties(of, seed)
                for row in measure(THESIS, ties, made, ks, [seed], distance=LINKS, scope="ontology", only=KEPT):
                    yield {**row, "columns": columns}
    for name, table in public_tables(setting).items():
        data = draw(table, setting.size(len(table)), 0) if name == DIABETES else table
        seeds, ks = setting.seeds(10 if name == ADULT else 5), setting.levels(KS[name])
        made = methods(False) | RELATED_METHODS
        yield from measure(name, partial(other_ties, data), made, ks, seeds, distance=YARDSTICK, only=KEPT)


def with_scores(rows: Rows, weight: float = 0.5) -> Rows:
    """The rows and the balance of loss and risk, with a weight of the loss (eq. 6.5)."""
    both = rows.where(measures=KEPT).wide(names=KEPT).drop_nulls(KEPT)
    value = weight * pl.col("loss") + (1 - weight) * pl.col("rl")
    balance = both.with_columns(measure=pl.lit("score"), value=value)
    return Rows(pl.concat([rows.frame, balance.select(rows.frame.columns)]))


def distribution(data: om.Microdata, columns: str, seed: int, ks: Sequence[int]) -> Iterator[Row]:
    """How many records the distinct tuples have (Fig. 20)."""
    counts = data.table.counts
    of = partial(rows_of, table=THESIS, seed=seed)
    for k in ks:
        small = counts[counts < k]
        yield from of({("below_k", columns): 100 * len(small) / len(counts)}, method=TUPLES, level=k)
        yield from of({("below_k", columns): 100 * small.sum() / len(data)}, method=SMALL, level=k)
    large = counts[counts > 1000]
    shares = (100 * some.sum() / len(data) for some in (large, counts[counts <= 5]))
    found = (len(counts), (counts == 1).sum(), counts.max(), len(large), *shares)
    yield from of({(name, columns): value for name, value in zip(PRINTED, found, strict=True)}, method="table")


def scored(rule: Rule, weight: float = 0.5) -> Rule:
    """A rule that also knows the balance of loss and risk."""
    return lambda rows: rule(with_scores(rows, weight))


def growth(method: str, k: int) -> pl.Expr:
    """How much the figure of a method grows from the smallest k to a largest one."""
    return at(method, k) - at(method, 2)


def grows_less(measure: str) -> Rule:
    """The figure of SA-MDAV grows less from the smallest k to the largest than both of related work."""
    lead = ([growth(name, k) - growth(MOVING, k) for name in RELATED_WORK] for k in LARGEST)
    return formula(measure, *lead, by_level=False)


def gains_more_above(limit: int, ks: Sequence[int], columns: str) -> Rule:
    """SA-MDAV's mean lead over S-MDAV is larger above a k than up to it."""

    def lead(method: str, *, above: bool) -> pl.Expr:
        return pl.mean_horizontal(at(method, k) - at(MOVING, k) for k in ks if (k > limit) == above)

    cases = (lead(name, above=True) - lead(name, above=False) for name in (WEIGHED, FIXED))
    return formula("loss", *cases, by_level=False, tables=THESIS, columns=columns)


def at_median(rule: Rule) -> Rule:
    """A rule on the rows of the median k. The thesis has one in the middle, without saying which."""
    median = pl.col("level").quantile(0.5, "higher").over("table", "columns")
    return lambda rows: rule(Rows(rows.where(measures=KEPT).frame.filter(pl.col("level") == median)))


as_printed = (TOLERANCE - (pl.col(name) / printed - 1).abs() for name, printed in PRINTED.items())
mine, best = pl.col(MOVING), smallest("score", MOVING, RELATED_WORK)
highest, lowest = (of(at(MOVING, k) for k in {*SHORT, *LONG}) for of in (pl.max_horizontal, pl.min_horizontal))
RULES = {
    "groups-as-printed": computed(*as_printed, columns=SECOND),
    "moving-centroids-lose-no-more": less("loss", MOVING, STATIC, or_equal=True),
    "adaptive-clusters-lose-less": less("loss", STATIC, WEIGHED),
    "both-parts-lose-less": less("loss", MOVING, WEIGHED),
    "adaptive-clusters-lose-less-by-record": less("loss", STATIC, FIXED),
    "both-parts-lose-less-by-record": less("loss", MOVING, FIXED),
    "adaptive-clusters-gain-more-at-high-k": together(
        gains_more_above(5, SHORT, FIRST), gains_more_above(800, LONG, SECOND)
    ),
    "sa-mdav-loses-less": smallest("loss", MOVING, RELATED_WORK),
    "smaller-slope": grows_less("loss"),
    "subsumers-first-better": less("loss", ABRIL, EQUALITY, levels=2),
    "subsumers-then-worse": less("loss", EQUALITY, ABRIL, levels=LARGEST),
    "abril-is-linked-least": smallest("rl", ABRIL, (MOVING, EQUALITY)),
    "mode-is-linked-most": largest("rl", EQUALITY, (MOVING, ABRIL)),
    "nearer-to-abril": formula("rl", (mine - pl.col(EQUALITY)).abs() - (mine - pl.col(ABRIL)).abs()),
    "best-balance": scored(best),
    "best-by-weight": at_median(together(*(scored(best, weight) for weight in WEIGHTS))),
    "steady-score": scored(formula("score", STEADY - highest / lowest, by_level=False)),
    "related-scores-grow-more": scored(grows_less("score")),
}


def figure(rows: Rows) -> Figure:
    """Martínez 2012, Fig. 20; then Figs. 21 and 22 in one on each table; then Fig. 25."""
    ks = rows.where(tables=THESIS, columns=SECOND).levels()
    sizes = [
        replace(rows.line(name, "below_k", of, THESIS, SECOND, style=style, levels=ks), x=[f"{k:,g}" for k in ks])
        # Blue, the colour of SA-MDAV, which has no line; and the second colour with another marker.
        for style, of, name in ((0, TUPLES, "share of distinct tuples"), (15, SMALL, "share of records"))
    ]
    shape: dict[str, Any] = {"width": 230, "height": 125}
    groups = LineChart(sizes, title="After Fig. 20, Adult", x_title="k", y_title="%", value_range=(0, 100), **shape)
    whole = with_scores(rows.where(columns=SECOND))
    shape |= {"y_title": "times SA-MDAV", "log_y": True}
    charts = relative(rows, "loss", METHODS[1:], MOVING, first_style=1, title="L, ", **shape)
    charts += relative(whole, "score", METHODS[1:], MOVING, first_style=1, title="score, ", **shape)
    ends = [end for chart in charts for end in chart.covered]
    charts = [replace(chart, value_range=(min(ends), max(ends))) for chart in charts]
    return small_multiples([groups, *charts], columns=3, title="Equal records, and microaggregation beside SA-MDAV")


def ahead(rows: Rows, measure: str, table: str) -> dict[str, str]:
    """The levels at which each method of related work has a smaller mean than SA-MDAV, such as 2, 3 (975 records)."""
    of = rows.where(tables=table, measures=measure).wide("method").sort("level")
    means = of.group_by("columns", "level", maintain_order=True).agg(pl.col(MOVING, *RELATED_WORK).mean())
    found = {}
    for name in RELATED_WORK:
        won = means.filter(pl.col(name) < pl.col(MOVING)).group_by("columns", maintain_order=True).agg("level")
        parts = [", ".join(f"{k:g}" for k in ks) + f" ({columns})" * bool(columns) for columns, ks in won.iter_rows()]
        found[name] = " and ".join(parts)
    return found


def facts(rows: Rows) -> dict[str, Any]:
    """The figures of the answer."""
    return {
        "thesis": {name: rows.mean("loss", name, 500, THESIS, SECOND) for name in METHODS},
        "diabetes": {name: rows.mean("loss", name, 10, DIABETES) for name in METHODS},
        "loss": {table: ahead(rows, "loss", table) for table in rows.tables},
        "score": {table: ahead(with_scores(rows), "score", table) for table in rows.tables},
        "best": counts(RULES["best-balance"], rows),
    }


def tables(rows: Rows) -> dict[str, str]:
    """L, RL and score by k; and section 6.3.1."""
    lines = [
        [name.replace("_", " "), f"{printed:,}", *(rows.text(name, "table", None, THESIS, c) for c in (FIRST, SECOND))]
        for name, printed in PRINTED.items()
    ]
    return {
        "Equal records in Adult": markdown(["", "Martínez 2012", FIRST, SECOND], lines),
        "L in percent (Figs. 21 and 22)": by_level(rows, "loss", columns=None),
        "RL in percent (Fig. 24)": by_level(rows, "rl", columns=None),
        "Score: the mean of L and RL (Fig. 25)": by_level(with_scores(rows), "score", columns=None),
    }


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
