"""Three methods on clinical data, with and without meaning (Martínez 2012, section 9.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import polars as pl

import ontomask as om
from experiments.framework.claims import Claim, Rule, formula, less, linear, together
from experiments.framework.measurements import PRINTED, Make, Row, Rows, measure, rows
from experiments.framework.pages import Experiment, by_level, charts, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import DIABETES, Source, draw, one_taxonomy, other_ties, public_tables
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


def methods(recoding: Mapping[str, Any], grouping: Mapping[str, Any], sorting: Mapping[str, Any]) -> dict[str, Make]:
    """The three methods with these options, with and without meaning, and suppression."""
    return {
        RECODING: lambda k: om.Recoding(k, **recoding),
        MICROAGGREGATION: lambda k: om.Microaggregation(k, **grouping),
        RESAMPLING: lambda k: om.Resampling(k, **sorting),
        RECODING + PLAIN: lambda k: om.Recoding(k, criterion="equality", **recoding),
        MICROAGGREGATION + PLAIN: lambda k: om.Microaggregation(k, comparison="equality", centroid="mode", **grouping),
        RESAMPLING + PLAIN: lambda k: om.Resampling(k, **SETTINGS[1], **sorting),
        SUPPRESSION: om.Suppression,
    }


PUBLISHED = methods(
    {"weighted": True, "sequential": False},
    {"variant": "sa_mdav", "weigh_closest": True},
    {"reference": "sample", "ties": "random"},
)
DEFAULT = methods({}, {}, {})


def clinical(source: Source) -> om.Microdata:
    """The first two columns of a source, compared as in the thesis: by LogSC over the whole ontology."""
    kinds = {}
    for name, kind in list(source.attributes.items())[:2]:
        assert isinstance(kind, om.Nominal)
        kinds[name] = om.Nominal(kind.taxonomy, "log_sc", kind.mapping, domain=kind.domain, scope="ontology")
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

    semantic = {name: make for name, make in makes.items() if name in SEMANTIC}
    others = {name: make for name, make in makes.items() if name not in SEMANTIC}
    measured = partial(measure, table, sample, levels=setting.levels(KS), seeds=setting.seeds(), distance=distance)
    yield from measured(semantic, only=("sse", "kl", "srl"), more=scores)
    yield from measured(others, only=("sse",))


def scores(_: om.Microdata, result: om.Result, score: om.Evaluation) -> dict[tuple[str, str], float]:
    """The score by the weight α of the loss (named in place of columns), for α = 0.5 and, at one k, for all."""
    weights = WEIGHTS if result.method.k == MIDDLE else (0.5,)  # type: ignore[attr-defined]
    return {("score", f"{weight:g}"): score.score(weight) for weight in weights}


def ordered(name: str, *methods: str, **where: Any) -> Rule:
    """Each method has a smaller figure than the next."""
    return together(*(less(name, one, other, **where) for one, other in pairwise(methods)))


def gain(method: str) -> pl.Expr:
    """The reduction of the loss by meaning, relative to the loss without."""
    return 1 - pl.col(method) / pl.col(method + PLAIN)


def constant(method: str) -> pl.Expr:
    """By how much its smallest figure, times the threshold, is above its largest."""
    figures = [f"{method}@{k}" for k in KS]
    return CONSTANT * pl.min_horizontal(figures) - pl.max_horizontal(figures)


def lead(method: str) -> pl.Expr:
    """By how much its figure is below those of the other two."""
    return pl.min_horizontal(name for name in SEMANTIC if name != method) - pl.col(method)


def best(method: str, k: pl.Expr, weight: pl.Expr) -> Rule:
    """A method has the best score at some k and weights."""
    return formula("score", lead(method), where=k & weight)


recoding, microaggregation, resampling = map(pl.col, SEMANTIC)
alpha, level = pl.col("columns").cast(pl.Float64, strict=False), pl.col("level")
by_resampling = lead(RESAMPLING)
SOURCE, LATER = "Martínez 2012, section 9.2.2", "Martínez 2012, section 9.2.3"
CLAIMS = (
    Claim("meaning-loses-less", "SSE is smaller with meaning than without, for all three methods",
          SOURCE, together(*(less("sse", name, name + PLAIN) for name in SEMANTIC)),
          glance="Recoding, microaggregation and resampling lose less with meaning"),
    Claim("microaggregation-gains-most", "Microaggregation gains most by meaning",
          SOURCE, formula("sse", gain(MICROAGGREGATION) - pl.max_horizontal(gain(RECODING), gain(RESAMPLING))),
          "Over MONDO resampling gains more, with our defaults recoding at most k. We do not know why."),
    Claim("microaggregation-gains-half",
          "Its gain is more than 50 %: without meaning its SSE is more than 1.5 times as large (our reading)",
          SOURCE, less("sse", MICROAGGREGATION, MICROAGGREGATION + PLAIN, factor=1 / HALF_MORE),
          "It saves 16 to 35 %. The thesis has other data and a deeper ontology; we do not know which of them "
          "matters."),
    Claim("resampling-gains-least", "Resampling gains least",
          SOURCE, formula("sse", pl.min_horizontal(gain(RECODING), gain(MICROAGGREGATION)) - gain(RESAMPLING)),
          "As claim 2: the three gain about as much, over MONDO resampling most."),
    Claim("suppression-loses-most", "Suppression of records loses more than any of the three",
          SOURCE, less("sse", SEMANTIC, SUPPRESSION),
          "Over MONDO fewer tuples are rare, so that suppression loses less than resampling up to k = 5.",
          glance="Diagnoses: suppression loses most"),
    Claim("order-of-loss", "SSE: microaggregation < recoding < resampling",
          LATER, ordered("sse", MICROAGGREGATION, RECODING, RESAMPLING),
          glance="Loss: microaggregation < recoding < resampling"),
    Claim("recoding-follows", "SSE: recoding is closer to microaggregation than to resampling",
          LATER, formula("sse", (resampling - recoding) - (recoding - microaggregation).abs())),
    Claim("loss-is-linear",
          "SSE of recoding and microaggregation grows linearly with k: closer to a line than a logarithm (our reading)",
          LATER, linear("sse", pl.col("method").is_in([RECODING, MICROAGGREGATION])),
          "With our defaults the loss grows ever more slowly. We do not know why."),
    Claim("order-of-divergence", "KL divergence of the tuples' shares: recoding < microaggregation < resampling",
          LATER, ordered("kl", RECODING, MICROAGGREGATION, RESAMPLING),
          "The thesis does not say how it treats tuples that disappear, for which its formula is undefined. Here each "
          "tuple of either table gets half a record more.",
          glance="KL divergence: recoding < microaggregation < resampling"),
    Claim("order-of-linkage", "SRL: resampling < recoding < microaggregation from k = 4 on",
          LATER, ordered("srl", RESAMPLING, RECODING, MICROAGGREGATION, levels=KS[2:]),
          glance="Linkage: resampling < recoding < microaggregation"),
    Claim("recoding-least-linked-at-2", "SRL: at k = 2 recoding has the smallest",
          LATER, less("srl", RECODING, (MICROAGGREGATION, RESAMPLING), levels=KS[:1])),
    Claim("order-of-scores", "Score (mean of L and SRL): recoding is best for k ≤ 5, microaggregation for larger k",
          LATER, together(best(RECODING, level <= 5, alpha == 0.5), best(MICROAGGREGATION, level > 5, alpha == 0.5)),
          glance="Balance: recoding is best for k ≤ 5, microaggregation for larger k"),
    Claim("scores-are-constant",
          "… almost constant as k grows: the largest of a method is less than 1.1 times its smallest (our cut-off)",
          LATER, formula("score", *map(constant, SEMANTIC), columns="0.5", by_level=False),
          "Scores first fall with SRL and then rise with L."),
    Claim("resampling-scores-worst", "… and resampling is worst",
          LATER, formula("score", resampling - recoding, resampling - microaggregation, columns="0.5")),
    Claim("scores-by-weight",
          f"At k = {MIDDLE}, recoding has the best score for small weights of the loss, microaggregation for large "
          "ones",
          LATER, together(best(RECODING, level == MIDDLE, alpha.is_in([0.1, 0.2])),
                          best(MICROAGGREGATION, level == MIDDLE, alpha >= 0.8))),
    Claim("resampling-best-without-loss", "… and resampling only if loss has no weight",
          LATER, formula("score", pl.when(alpha == 0).then(by_resampling).otherwise(-by_resampling), levels=MIDDLE)),
)  # fmt: skip


def figure(rows: Rows) -> Figure:
    """Martínez 2012, Fig. 40."""
    found = charts(
        rows, "score", SEMANTIC, columns="0.5", y_title="mean of L and SRL (%)", log_y=True, width=240, height=190
    )
    panels = [replace(chart, title=chart.title.replace(DIABETES, f"{DIABETES}, our defaults")) for chart in found]
    return small_multiples(panels, columns=3, title="Balance of loss and risk", same_scale=True)


def answer(rows: Rows) -> str:
    """The answer with its figures."""

    def of(name: str, table: str, k: int = MIDDLE, columns: str = "") -> str:
        return " and ".join(f"{rows.mean(name, method, k, table, columns):.1f}" for method in SEMANTIC[:2])

    def saved(method: str, table: str) -> str:
        share = rows.mean("sse", method, MIDDLE, table) / rows.mean("sse", method + PLAIN, MIDDLE, table)
        return f"{100 - 100 * share:.0f}"

    return (
        "Recoding or microaggregation, not resampling, which loses "
        f"{rows.mean('sse', RESAMPLING, MIDDLE, DIABETES) / rows.mean('sse', MICROAGGREGATION, MIDDLE, DIABETES):.1f} "
        f"times as much as microaggregation on diabetes130 at k = {MIDDLE}. In the configuration of the thesis "
        f"(Martínez 2012), over ICD-9-CM, recoding and microaggregation have scores of {of('score', ICD9, 3, '0.5')} "
        f"at k = 3 and of {of('score', ICD9, 15, '0.5')} at k = 15, so the thesis's advice holds: recoding for small "
        f"k, microaggregation for large. With our defaults it is {of('score', DIABETES, 3, '0.5')} at k = 3, "
        f"{of('score', DIABETES, 15, '0.5')} at k = 15. Meaning saves {saved(RECODING, DIABETES)}, "
        f"{saved(MICROAGGREGATION, DIABETES)} and {saved(RESAMPLING, DIABETES)} % of the SSE of recoding, "
        "microaggregation and resampling there."
    )


def by_weight(rows: Rows) -> str:
    """Martínez 2012, Fig. 41."""
    lines = [
        [table, name, *(rows.text("score", name, MIDDLE, table, f"{weight:g}", digits=1) for weight in WEIGHTS)]
        for table in rows.tables
        for name in SEMANTIC
        if table != PRINTED
    ]
    return markdown(["", "", *(f"α = {weight:g}" for weight in WEIGHTS)], lines, left=2)


EXPERIMENT = Experiment(
    title="Three methods on clinical data",
    question="Recoding, microaggregation or resampling: which one for diagnoses?",
    measure=run,
    figure=figure,
    caption=(
        "Martínez 2012, Fig. 40: the score, 0.5 · L + 0.5 · SRL; mean, smallest and largest seed, on a logarithmic "
        "scale. Less is better."
    ),
    answer=answer,
    setup=(
        "The thesis masks two diagnoses of 3,006 patients over SNOMED-CT, 2,331 distinct pairs and 2,073 unique. "
        "Neither is public. Here each of 10 seeds draws 3,006 records of diabetes130, diag_1 × diag_2, and another "
        "order of ties. *ICD-9-CM* and *MONDO*, as the thesis: LogSC over the whole ontology to mask and to "
        "evaluate; recoding with `weighted=True, sequential=False`, SA-MDAV with `variant='sa_mdav', "
        "weigh_closest=True`, resampling with `reference='sample', ties='random'`. *diabetes130*: `Recoding(k)`, "
        "`Microaggregation(k)` and `Resampling(k)` over ICD-9-CM with our defaults, which mask by Wu–Palmer; figures "
        "are by LogSC, which did not mask. *No meaning* compares by equality and takes the mode. A suppressed record "
        "counts 1. The thesis prints two figures, the SSE of microaggregation (645) and suppression (2,875) at k = 15; "
        "the others are pictures."
    ),
    claims=CLAIMS,
    tables=lambda rows: {
        "SSE (Martínez 2012, Fig. 37)": by_level(rows, "sse", digits=0),
        "KL divergence (Martínez 2012, Fig. 38)": by_level(rows, "kl"),
        "SRL in percent (Martínez 2012, Fig. 39)": by_level(rows, "srl"),
        "Score (Martínez 2012, Fig. 40)": by_level(rows, "score", columns="0.5"),
        f"Score by the weight α of the loss, at k = {MIDDLE} (Martínez 2012, Fig. 41)": by_weight(rows),
    },
    needs=("diabetes130", "mondo"),
)
