"""SA-MDAV, its parts and related work (Martínez 2012, section 6.3, Figs. 20–22 and 24–26)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

import ontomask as om
from experiments.framework.claims import Claim, Rule, computed, formula, less, together
from experiments.framework.measurements import Make, Row, Rows, measure
from experiments.framework.measurements import rows as rows_of
from experiments.framework.pages import Experiment, by_level, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import (
    ADULT,
    AS_PRINTED,
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
KS: Mapping[tuple[str, str], tuple[int, ...]] = {
    (THESIS, FIRST): SHORT,
    (THESIS, SECOND): LONG,
    (ADULT, ""): LONG,
    (DIABETES, ""): (2, 5, 10, 15),
}
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
    ABRIL: lambda k: om.Microaggregation(k, **RELATED["abril"]),
    EQUALITY: lambda k: om.Microaggregation(k, **RELATED["domingo_ferrer_torra"]),
}


def run(setting: Setting) -> Iterator[Row]:
    """The thesis's configuration on both of its data sets, and ours."""
    whole = thesis_adult()
    for seed in setting.seeds():
        for data, columns in ((draw(whole, RECORDS, seed), FIRST), (whole, SECOND)):
            if columns == FIRST or seed == 0:
                yield from distribution(data, columns, seed, setting)
            # LogSC for the methods of the thesis, Wu–Palmer for related work.
            for made, of in ((methods(True), data), (RELATED_METHODS, under(data, LINKS))):
                yield from measured(setting, (THESIS, columns), other_ties(of, seed), made, seed)
    for name, table in public_tables(setting).items():
        data = draw(table, setting.size(len(table)), 0) if name == DIABETES else table
        for seed in setting.seeds(10 if name == ADULT else 5):
            yield from measured(setting, (name, ""), other_ties(data, seed), methods(False) | RELATED_METHODS, seed)


def measured(
    setting: Setting, part: tuple[str, str], data: om.Microdata, made: Mapping[str, Make], seed: int
) -> Iterator[Row]:
    """Mask and evaluate with one seed."""
    table, columns = part
    distance, scope = (LINKS, "ontology") if table == THESIS else (YARDSTICK, None)
    for row in measure(table, data, made, setting.levels(KS[part]), [seed], distance=distance, scope=scope, only=KEPT):
        yield {**row, "columns": columns}


def with_scores(rows: Rows, weight: float = 0.5) -> Rows:
    """The rows and the balance of loss and risk, with a weight of the loss (eq. 6.5)."""
    both = rows.where(measures=KEPT).wide(names=KEPT).drop_nulls(KEPT)
    value = weight * pl.col("loss") + (1 - weight) * pl.col("rl")
    balance = both.with_columns(measure=pl.lit("score"), value=value)
    return Rows(pl.concat([rows.frame, balance.select(rows.frame.columns)]))


def distribution(data: om.Microdata, columns: str, seed: int, setting: Setting) -> Iterator[Row]:
    """How many records the distinct tuples have (Fig. 20)."""
    counts = data.table.counts
    of = partial(rows_of, table=THESIS, seed=seed)
    for k in setting.levels(KS[THESIS, columns]):
        small = counts[counts < k]
        yield from of({("below_k", columns): 100 * len(small) / len(counts)}, method=TUPLES, level=k)
        yield from of({("below_k", columns): 100 * small.sum() / len(data)}, method=SMALL, level=k)
    large = counts[counts > 1000]
    found = (len(counts), (counts == 1).sum(), counts.max(), len(large), large.sum(), counts[counts <= 5].sum())
    shares = [100 * part / len(data) if name.endswith("%") else part for name, part in zip(PRINTED, found, strict=True)]
    yield from of({(name, columns): share for name, share in zip(PRINTED, shares, strict=True)}, method="table")


def scored(rule: Rule, weight: float = 0.5) -> Rule:
    """A rule that also knows the balance of loss and risk."""
    return lambda rows: rule(with_scores(rows, weight))


def growth(method: str, k: int) -> pl.Expr:
    """How much the figure of a method grows from the smallest k to a largest one."""
    return pl.col(f"{method}@{k}") - pl.col(f"{method}@2")


def grows_less(measure: str) -> Rule:
    """The figure of SA-MDAV grows less from the smallest k to the largest than those of related work."""
    return formula(
        measure, *(growth(name, k) - growth(MOVING, k) for k in LARGEST for name in RELATED_WORK), by_level=False
    )


def at_median(rule: Rule) -> Rule:
    """A rule on the rows of the median k. The thesis has one in the middle, without saying which."""
    median = pl.col("level").quantile(0.5, "higher").over("table", "columns")
    return lambda rows: rule(Rows(rows.where(measures=KEPT).frame.filter(pl.col("level") == median)))


as_printed = (TOLERANCE - (pl.col(name) / printed - 1).abs() for name, printed in PRINTED.items())
mine, best = pl.col(MOVING), less("score", MOVING, RELATED_WORK)
largest, smallest = (of(f"{MOVING}@{k}" for k in {*SHORT, *LONG}) for of in (pl.max_horizontal, pl.min_horizontal))
WITHOUT = (
    "In the search for the closest tuple, ω makes rare tuples seem close, and clusters fill with distant ones. So on "
    "Adult as in the thesis, only S-MDAV gains if ω is left out. With ω for the most distant tuple only (Adult, "
    "diabetes130), the parts help."
)
PARTS, OTHERS = "Martínez 2012, section 6.3.3", "Martínez 2012, section 6.3.4"
CLAIMS = (
    Claim("groups-as-printed", "Adult has as many equal records as printed (six figures, each within 5 %)",
          "Martínez 2012, section 6.3.1, Fig. 20", computed(*as_printed, columns=SECOND)),
    Claim("moving-centroids-lose-no-more", "L: moving centroids (SA-MDAV) lose no more than static ones",
          PARTS, less("loss", MOVING, STATIC, or_equal=True),
          glance="SA-MDAV loses no more with moving centroids than with static ones"),
    Claim("adaptive-clusters-lose-less",
          "L: clusters of adaptive size (SA-MDAV-static) lose less than clusters of k records (S-MDAV), all with ω",
          f"{PARTS}, eq. 4.2", less("loss", STATIC, WEIGHED),
          glance="… and less with clusters of adaptive size than with clusters of k records, all with ω"),
    Claim("both-parts-lose-less", "L: with both, SA-MDAV loses less than S-MDAV, all with ω",
          f"{PARTS}, eq. 4.2", less("loss", MOVING, WEIGHED)),
    Claim("adaptive-clusters-lose-less-by-record",
          "L: clusters of adaptive size lose less than clusters of k records by record (S-MDAV without ω)",
          PARTS, less("loss", STATIC, FIXED), WITHOUT,
          glance="… also if the latter are made record by record, without ω"),
    Claim("both-parts-lose-less-by-record", "L: with both, SA-MDAV loses less than S-MDAV without ω",
          PARTS, less("loss", MOVING, FIXED), "The reason is that of claim 5."),
    Claim("sa-mdav-loses-less", "L: SA-MDAV loses less than both methods of related work",
          OTHERS, less("loss", MOVING, RELATED_WORK),
          glance="… and less than the methods of related work"),
    Claim("smaller-slope", "L: from the smallest k to the largest, that of SA-MDAV grows less than theirs",
          OTHERS, grows_less("loss")),
    Claim("subsumers-cross-modes",
          f"L: {ABRIL} loses less than {EQUALITY} at the smallest k, and more at the largest",
          OTHERS, together(less("loss", ABRIL, EQUALITY, levels=2), less("loss", EQUALITY, ABRIL, levels=LARGEST))),
    Claim("abril-is-linked-least", f"RL: {ABRIL} has the lowest", OTHERS, less("rl", ABRIL, (MOVING, EQUALITY)),
          glance="The method of Abril 2010 has the fewest linked records"),
    Claim("mode-is-linked-most", f"RL: {EQUALITY} has the highest",
          OTHERS, less("rl", (MOVING, ABRIL), EQUALITY),
          "At k = 2, SA-MDAV has more: it keeps tuples whole, and the centroid of two tuples is often one of them.",
          glance="… and that of Domingo-Ferrer and Torra the most"),
    Claim("nearer-to-abril", f"RL: that of SA-MDAV is closer to {ABRIL} than to {EQUALITY}",
          OTHERS, formula("rl", (mine - pl.col(EQUALITY)).abs() - (mine - pl.col(ABRIL)).abs()),
          "Where one tuple has most of a cluster's records, both the semantic centroid and the mode are that tuple."),
    Claim("best-balance", "Score: SA-MDAV has the best balance of L and RL with equal weights", OTHERS, scored(best),
          "At small k, L is small for all, so the score is mostly RL, in which Abril 2010 is ahead."),
    Claim("best-by-weight", "… and at every weight of L above 0, at the median k",
          OTHERS, at_median(together(*(scored(best, weight) for weight in WEIGHTS)))),
    Claim("steady-score",
          f"Score: that of SA-MDAV hardly depends on k (the largest is at most {STEADY:g} times the smallest, our "
          "limit)",
          OTHERS, scored(formula("score", STEADY - largest / smallest, by_level=False)),
          "On Adult, L grows with k by far more than RL falls."),
    Claim("related-scores-grow-more", "… and grows less from the smallest k to the largest than those of related work",
          OTHERS, scored(grows_less("score"))),
)  # fmt: skip


def figure(rows: Rows) -> Figure:
    """Martínez 2012, Fig. 20; then Figs. 21 and 22 in one on each table; then Fig. 25."""
    ks = rows.where(tables=THESIS, columns=SECOND).levels()
    sizes = [
        replace(rows.line(name, "below_k", name, THESIS, SECOND, style=style, levels=ks), x=[f"{k:,g}" for k in ks])
        for style, name in enumerate((TUPLES, SMALL), start=len(METHODS))
    ]
    shape: dict[str, Any] = {"width": 230, "height": 150}
    groups = LineChart(sizes, title="Fig. 20, Adult", x_title="k", y_title="%", value_range=(0, 100), **shape)
    whole = with_scores(rows.where(columns=SECOND))
    shape |= {"y_title": "times SA-MDAV", "log_y": True}
    charts = relative(rows, "loss", METHODS[1:], MOVING, first_style=1, title="L, ", **shape)
    charts += relative(whole, "score", METHODS[1:], MOVING, first_style=1, title="score, ", **shape)
    ends = [end for chart in charts for end in chart.covered]
    charts = [replace(chart, value_range=(min(ends), max(ends))) for chart in charts]
    return small_multiples([groups, *charts], columns=3, title="Equal records, and microaggregation beside SA-MDAV")


def answer(rows: Rows) -> str:
    """The answer with its figures."""

    def loss(method: str, k: int, table: str, columns: str = "") -> str:
        return f"{rows.mean('loss', method, k, table, columns):.1f} %"

    spreads = [(k, rows.spread("loss", MOVING, k, ADULT)) for k in LONG]
    k, widest = max(spreads, key=lambda one: one[1].high / one[1].low)
    return (
        "It depends on how S-MDAV is read. With ω in all methods (eq. 4.2), as the thesis (Martínez 2012) says, "
        f"SA-MDAV loses less: {loss(MOVING, 500, THESIS, SECOND)} on Adult at k = 500, S-MDAV "
        f"{loss(WEIGHED, 500, THESIS, SECOND)}. If S-MDAV goes by record, without ω, it loses only "
        f"{loss(FIXED, 500, THESIS, SECOND)}. With ω only in the search for the most distant tuple (the default of "
        "`variant='sa_mdav'`: Adult, diabetes130), it loses less than this S-MDAV, too. It mostly loses less than "
        f"related work: on diabetes130 at k = 10 {loss(MOVING, 10, DIABETES)}, {ABRIL} {loss(ABRIL, 10, DIABETES)}, "
        f"{EQUALITY} {loss(EQUALITY, 10, DIABETES)}. In most cases it has the best balance of loss and risk, but the "
        "balance depends on k. `refined`, the default of `Microaggregation(k)`, loses least: "
        f"{loss(REFINED, 10, DIABETES)} there. How ties are broken changes SA-MDAV: on Adult at k = {k:,}, L is "
        f"{widest.low:.1f} to {widest.high:.1f} %."
    )


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


EXPERIMENT = Experiment(
    title="Microaggregation beside related work",
    question="Does SA-MDAV lose less than its parts alone and than older methods, and does it balance loss and risk?",
    measure=run,
    figure=figure,
    caption=(
        "First Martínez 2012, Fig. 20: the shares of distinct tuples and of records with fewer than k equal records. "
        "Then Figs. 21 and 22 (L) and Fig. 25 (score, the mean of L and RL) as multiples of SA-MDAV (1), on "
        "logarithmic scales; mean, smallest and largest seed. On Adult and diabetes130, L is by path length, which did "
        "not mask. Less is better."
    ),
    answer=answer,
    setup=(
        "SA-MDAV (Algorithm 4) gathers distinct tuples in clusters of at least k records around a moving centroid; "
        "*SA-MDAV-static* has static ones; *S-MDAV* makes clusters of exactly k records. *Abril 2010* (MDAV with least "
        "common subsumers) and *Domingo-Ferrer and Torra 2005* (MDAV by equality, with the mode) are `RELATED` in "
        "`ontomask.masking.microaggregation`. *Refined* is what `Microaggregation(k)` does, and no part of the claims. "
        f"*Adult, as the thesis*: {AS_PRINTED}; LogSC to mask, Wu–Palmer with links counted for Abril 2010 and to "
        "evaluate; distances multiplied by ω, the number of a tuple's records, in the search for the most distant and "
        "for the closest tuple (eq. 4.2). Section 6.3.3 names eq. 4.2 for all three methods (*S-MDAV with ω*). But "
        "MDAV works on records, each of which counts once (*S-MDAV*), so both are judged. The thesis's first data set, "
        "975 answers of park visitors with 211 distinct tuples, is not public: samples of 975 records of Adult with "
        "about 75, another with each seed, stand for it and do not repeat it. Verdicts on *Adult, as the thesis* are "
        "about these samples and all records together. *Adult* and *diabetes130* (two diagnoses): our defaults, "
        "Wu–Palmer inside the domain and ω only for the most distant tuple; measured by path length, which did not "
        "mask. Seeds: 10, on diabetes130 5; each is another order of ties."
    ),
    claims=CLAIMS,
    tables=tables,
)
