"""Three methods on clinical data, with and without meaning (Martínez 2012, section 9.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import polars as pl

import ontomask as om
from experiments.framework.claims import Rule, at, at_once, counts, formula, largest, less, linear, smallest, together
from experiments.framework.measurements import PRINTED, Make, Row, Rows, measure, rows
from experiments.framework.pages import Experiment, by_level, charts, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import DIABETES, Source, draw, one_taxonomy, other_ties, public_tables
from experiments.grouping.options import AsPrinted
from ontomask.figures import Figure, small_multiples
from ontomask.masking.resampling import SETTINGS

RECORDS = 3006
KS = (2, 3, 4, 5, 7, 10, 15)
MIDDLE = 7
WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# Our thresholds for *more than 50 %* and, of scores, *almost constant*.
HALF_MORE, CONSTANT = 1.5, 1.1
RECODING, MICROAGGREGATION, RESAMPLING = SEMANTIC = ("recoding", "microaggregation", "resampling")
SUPPRESSION, PLAIN = "suppression", ", no meaning"
ICD9 = "ICD-9-CM"


def methods(recoding: Mapping[str, Any], grouping: Mapping[str, Any], resampled: Make) -> dict[str, Make]:
    """The three methods with these options, with and without meaning, and suppression."""
    return {
        RECODING: lambda k: om.Recoding(k, **recoding),
        MICROAGGREGATION: lambda k: om.Microaggregation(k, **grouping),
        RESAMPLING: resampled,
        RECODING + PLAIN: lambda k: om.Recoding(k, criterion="equality", **recoding),
        MICROAGGREGATION + PLAIN: lambda k: om.Microaggregation(k, comparison="equality", centroid="mode", **grouping),
        RESAMPLING + PLAIN: partial(resampled, **SETTINGS[1]),
        SUPPRESSION: om.Suppression,
    }


PUBLISHED = methods(
    {"weighted": True, "sequential": False},
    {"variant": "sa_mdav", "weigh_closest": True},
    # Algorithm 1 as printed.
    partial(AsPrinted, reference="sample", ties="random"),
)
DEFAULT = methods({}, {}, om.Resampling)


def clinical(source: Source) -> om.Microdata:
    """The first two columns of a source, compared as in the thesis: by LogSC over the whole ontology."""
    columns: list[tuple[str, Any]] = list(source.attributes.items())[:2]
    kinds = {name: replace(kind, distance="log_sc", scope="ontology") for name, kind in columns}
    return om.Microdata(source.frame.select(list(kinds)), kinds)


def run(setting: Setting) -> Iterator[Row]:
    """The thesis's configuration over two ontologies, and our defaults."""
    for name, sse in ((MICROAGGREGATION, 645), (SUPPRESSION, 2875)):
        yield from rows({("sse", ""): sse}, table=PRINTED, method=name, level=KS[-1])
    for table, source in one_taxonomy(setting).items():
        yield from sampled(setting, table, clinical(source), PUBLISHED)
    # With diabetes130, it is the last table.
    *_, (table, data) = public_tables(setting).items()
    yield from sampled(setting, table, data, DEFAULT, distance="log_sc")


def sampled(
    setting: Setting, table: str, whole: om.Microdata, makes: Mapping[str, Make], distance: Any = None
) -> Iterator[Row]:
    """Measure samples, each also with another order of ties. Without meaning, only the loss is kept."""

    def sample(seed: int) -> om.Microdata:
        return draw(other_ties(whole, seed), setting.size(RECORDS), seed)

    others = {name: make for name, make in makes.items() if name not in SEMANTIC}
    measured = partial(measure, table, sample, levels=setting.levels(KS), seeds=setting.seeds(), distance=distance)
    yield from measured({name: makes[name] for name in SEMANTIC}, only=("sse", "kl", "srl"), more=scores)
    yield from measured(others, only=("sse",))


def scores(_: om.Microdata, result: om.Result, score: om.Evaluation) -> dict[tuple[str, str], float]:
    """The score by the weight α of the loss (named in place of columns), for α = 0.5 and, at one k, for all."""
    weights = WEIGHTS if result.method.k == MIDDLE else (0.5,)  # type: ignore[attr-defined]
    return {("score", f"{weight:g}"): score.score(weight) for weight in weights}


def ordered(name: str, *methods: str, **where: Any) -> Rule:
    """Each method has a smaller figure than the next. Each level is one case."""
    return at_once(*(less(name, one, other, **where) for one, other in pairwise(methods)))


def gain(method: str) -> pl.Expr:
    """The reduction of the loss by meaning, relative to the loss without."""
    return 1 - pl.col(method) / pl.col(method + PLAIN)


def constant(method: str) -> pl.Expr:
    """By how much its smallest figure, times the threshold, is above its largest."""
    figures = [at(method, k) for k in KS]
    return CONSTANT * pl.min_horizontal(figures) - pl.max_horizontal(figures)


def lead(method: str) -> list[pl.Expr]:
    """By how much its figure is below those of the other two."""
    return [pl.col(name) - pl.col(method) for name in SEMANTIC if name != method]


def best(method: str, k: pl.Expr, weight: pl.Expr) -> Rule:
    """A method has the best score at some k and weights."""
    return formula("score", lead(method), where=k & weight)


recoding, microaggregation, resampling = map(pl.col, SEMANTIC)
alpha, level = pl.col("columns").cast(pl.Float64, strict=False), pl.col("level")
RULES = {
    "meaning-loses-less": together(*(less("sse", name, name + PLAIN) for name in SEMANTIC)),
    "microaggregation-gains-most": formula(
        "sse", [gain(MICROAGGREGATION) - gain(name) for name in (RECODING, RESAMPLING)]
    ),
    "microaggregation-gains-half": less("sse", MICROAGGREGATION, MICROAGGREGATION + PLAIN, factor=1 / HALF_MORE),
    "resampling-gains-least": formula("sse", [gain(name) - gain(RESAMPLING) for name in (RECODING, MICROAGGREGATION)]),
    "suppression-loses-most": largest("sse", SUPPRESSION, SEMANTIC),
    "order-of-loss": ordered("sse", MICROAGGREGATION, RECODING, RESAMPLING),
    "recoding-follows": formula("sse", (resampling - recoding) - (recoding - microaggregation).abs()),
    "loss-is-linear": linear("sse", pl.col("method").is_in([RECODING, MICROAGGREGATION])),
    "recoding-diverges-less": less("kl", RECODING, MICROAGGREGATION),
    "microaggregation-diverges-less": less("kl", MICROAGGREGATION, RESAMPLING),
    "order-of-linkage": ordered("srl", RESAMPLING, RECODING, MICROAGGREGATION, levels=KS[2:]),
    "recoding-least-linked-at-2": smallest("srl", RECODING, (MICROAGGREGATION, RESAMPLING), levels=2),
    "order-of-scores": together(
        best(RECODING, level <= 5, alpha == 0.5), best(MICROAGGREGATION, level > 5, alpha == 0.5)
    ),
    "scores-are-constant": formula("score", *map(constant, SEMANTIC), columns="0.5", by_level=False),
    "resampling-scores-worst": largest("score", RESAMPLING, SEMANTIC[:2], columns="0.5"),
    "scores-by-weight": together(
        best(RECODING, level == MIDDLE, alpha.is_in([0.1, 0.2])), best(MICROAGGREGATION, level == MIDDLE, alpha >= 0.8)
    ),
    "resampling-best-without-loss": together(
        best(RESAMPLING, level == MIDDLE, alpha == 0),
        formula("score", -pl.min_horizontal(lead(RESAMPLING)), where=(level == MIDDLE) & (alpha > 0)),
    ),
}


def figure(rows: Rows) -> Figure:
    """Martínez 2012, Fig. 40."""
    found = charts(
        rows, "score", SEMANTIC, columns="0.5", y_title="mean of L and SRL (%)", log_y=True, width=240, height=190
    )
    panels = [replace(chart, title=chart.title.replace(DIABETES, f"{DIABETES}, our defaults")) for chart in found]
    return small_multiples(panels, columns=3, title="Balance of loss and risk", same_scale=True)


def facts(rows: Rows) -> dict[str, Any]:
    """The figures of the answer."""

    def sse(method: str, k: int = MIDDLE) -> float:
        return rows.mean("sse", method, k, DIABETES)

    def saved(name: str) -> str:
        found = [100 - 100 * sse(name, k) / sse(name + PLAIN, k) for k in KS]
        return f"{min(found):.0f} to {max(found):.0f} %"

    def scores(table: str, k: int) -> str:
        return " and ".join(f"{rows.mean('score', method, k, table, '0.5'):.1f}" for method in SEMANTIC[:2])

    return {
        "advice": counts(RULES["order-of-scores"], rows),
        "times": sse(RESAMPLING) / sse(MICROAGGREGATION),
        "published": {k: scores(ICD9, k) for k in (3, 15)},
        "default": {k: scores(DIABETES, k) for k in (3, 15)},
        "saved": {name: saved(name) for name in SEMANTIC},
    }


def by_weight(rows: Rows) -> str:
    """Martínez 2012, Fig. 41."""
    lines = [
        [table, name, *(rows.text("score", name, MIDDLE, table, f"{weight:g}", digits=1) for weight in WEIGHTS)]
        for table in rows.tables
        for name in SEMANTIC
        if table != PRINTED
    ]
    return markdown(["", "", *(f"α = {weight:g}" for weight in WEIGHTS)], lines, left=2)


def tables(rows: Rows) -> dict[str, str]:
    """Martínez 2012, Figs. 37–41."""
    return {
        "SSE (Martínez 2012, Fig. 37)": by_level(rows, "sse", digits=0),
        "KL divergence (Martínez 2012, Fig. 38)": by_level(rows, "kl"),
        "SRL in percent (Martínez 2012, Fig. 39)": by_level(rows, "srl"),
        "Score (Martínez 2012, Fig. 40)": by_level(rows, "score", columns="0.5"),
        f"Score by the weight α of the loss, at k = {MIDDLE} (Martínez 2012, Fig. 41)": by_weight(rows),
    }


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
