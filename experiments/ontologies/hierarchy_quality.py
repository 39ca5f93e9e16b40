"""The scores of hierarchies of animals (Ayala-Rivera 2014, Tables 1–2 and Figs. 3–4), also under other distances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl

import ontomask as om
from experiments.framework.claims import OTHER, VALUE, Rule, at, by_case, formula, judge, less
from experiments.framework.measurements import PRINTED, Row, Rows, rows
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import PUBLISHED
from ontomask.figures import BarChart, Bars, Figure, small_multiples

WORDNET = "WordNet"
TRANSITION, LEVEL, TOTAL, OTHERS = "transition", "level", "total", "total under other distances"
# Half a unit of the fourth digit.
ROUNDED = 5.1e-5
WEIGHTS: Mapping[Literal["constant", "level"], str] = {"constant": "constant weights", "level": "level-based weights"}
FIRST, SECOND = HIERARCHIES = ("VGH1", "VGH2")
VERTEBRATE = "vertebrates"

# The hierarchies. Vertebrates are Fig. 2. Of the others, the labels are in Table 2; the rest, and the first step of the
# tiger, are in Fig. 7.
DATA = Path(__file__).parent / "data"
# The first sense of tiger is a fierce person, the second a cat.
SENSES = {"tiger": "tiger#2"}
# The loss of each step.
TABLE_1 = {
    "parrot": (0.0435, 0.2381, 0.0909),
    "cat": (0.1538, 0.3333, 0.2),
    "dog": (0.1538, 0.1579, 0.2),
    "snake": (0.0833, 0.2727, 0.1304),
    "crocodile": (0.12, 0.3043, 0.1667),
    "frog": (0.0435, 0.2381, 0.0909),
    "salmon": (0.0769, 0.3043, 0.1667),
}
# By hierarchy and weights: the part of each level, and the total.
TABLE_2 = {
    (FIRST, "constant"): ((0.0258, 0.0463, 0.09, 0.0833), 0.2454),
    (FIRST, "level"): ((0.0414, 0.0556, 0.072, 0.0333), 0.2023),
    (SECOND, "constant"): ((0.09, 0.0463, 0.0577, 0.0833), 0.2773),
    (SECOND, "level"): ((0.1440, 0.0556, 0.0462, 0.0333), 0.2791),
}
VERTEBRATES_TOTAL = 0.2290


def score(name: str, **options: Any) -> om.HierarchyScore:
    """Score a hierarchy against WordNet."""
    return om.score_hierarchy(om.read_hierarchy(DATA / f"{name}.csv"), om.load_wordnet(), SENSES, **options)


def numbered(measure: str, columns: str, values: Iterable[float | None], table: str, method: str) -> Iterator[Row]:
    """Figures of the levels, from the lowest."""
    for level, value in enumerate(values, start=1):
        yield from rows({(measure, columns): value}, table=table, method=method, level=level)


def printed() -> Iterator[Row]:
    """Both tables of the publication."""
    for leaf, losses in TABLE_1.items():
        yield from numbered(TRANSITION, leaf, losses, PRINTED, VERTEBRATE)
    yield from rows({(TOTAL, "constant"): VERTEBRATES_TOTAL}, table=PRINTED, method=VERTEBRATE)
    for (name, weights), (levels, total) in TABLE_2.items():
        yield from numbered(LEVEL, weights, levels, PRINTED, name)
        yield from rows({(TOTAL, weights): total}, table=PRINTED, method=name)


def run(_: Setting) -> Iterator[Row]:
    """Both tables as printed and here, and the totals under other distances."""
    yield from printed()
    vertebrates = score(VERTEBRATE)
    for t in vertebrates.transitions:
        yield from rows({(TRANSITION, t.leaf): t.loss}, table=WORDNET, method=VERTEBRATE, level=t.level)
    yield from rows({(TOTAL, "constant"): vertebrates.score}, table=WORDNET, method=VERTEBRATE)
    for name in HIERARCHIES:
        found = score(name)
        for weights in WEIGHTS:
            yield from numbered(LEVEL, weights, found.weighted(weights), WORDNET, name)
            yield from rows({(TOTAL, weights): found.total(weights=weights, level="max")}, table=WORDNET, method=name)
        for distance in PUBLISHED:
            other = score(name, distance=distance)
            totals = {
                (OTHERS, f"{distance}, {of}, {weights}"): other.total(weights=weights, level=of)
                for of in ("max", "mean")
                for weights in WEIGHTS
            }
            yield from rows(totals, table=WORDNET, method=name)


def as_printed(measure: str, tolerance: float) -> Rule:
    """Whether figures differ from the printed ones by less than the tolerance."""

    def rule(found: Rows) -> pl.DataFrame:
        ours, theirs = (found.where(tables=table, measures=measure).frame for table in (WORDNET, PRINTED))
        both = ours.join(theirs, on=["method", "level", "columns"], suffix="_other", nulls_equal=True)
        return by_case(both, tolerance - (VALUE - OTHER).abs())

    return rule


def loses_more(method: str, level: int) -> Rule:
    """Whether a level of a hierarchy loses more than the one above it."""
    return formula(LEVEL, at(method, level) - at(method, level + 1), columns="constant", by_level=False)


RULES = {
    "transitions-as-printed": as_printed(TRANSITION, ROUNDED),
    "levels-as-printed": as_printed(LEVEL, ROUNDED),
    "totals-as-printed": as_printed(TOTAL, 4 * ROUNDED),
    "first-is-better": less(TOTAL, FIRST, SECOND),
    "first-is-better-for-one-step": less(LEVEL, FIRST, SECOND, levels=1),
    "second-is-better-for-three-steps": less(LEVEL, SECOND, FIRST, levels=3),
    "second-is-ill-defined": loses_more(SECOND, 1),
    "first-is-ill-defined": loses_more(FIRST, 3),
    "first-is-better-under-others": less(OTHERS, FIRST, SECOND),
}


def figure(found: Rows) -> Figure:
    """Ayala-Rivera 2014, Figs. 3 and 4."""
    levels = found.levels(WORDNET, FIRST)
    names = [f"level {level:g}" for level in levels]
    charts = []
    for weights, title in WEIGHTS.items():
        bars = [Bars(n, [found.mean(LEVEL, n, level, WORDNET, weights) for level in levels]) for n in HIERARCHIES]
        value = "weight × LevelGSL"
        charts.append(BarChart(names, bars, value_title=value, title=title.capitalize(), value_range=(0, 0.15)))
    return small_multiples(charts, columns=2, title="Two hierarchies of animals", same_scale=True)


def facts(found: Rows) -> dict[str, Any]:
    """The figures of the answer. Scores are by weights, of both hierarchies."""
    (levels,), (others,) = (judge(EXPERIMENT.claims[number], found) for number in (1, -1))
    scores = {of: [found.mean(TOTAL, name, None, WORDNET, of) for name in HIERARCHIES] for of in WEIGHTS}
    off = {"levels_off": levels.cases - levels.holds, "levels": levels.cases}
    return {**scores, **off, "better": others.holds, "compared": others.cases}


def compared(found: Rows, method: str, name: str) -> str:
    """The printed figures of a measure above ours, for each of its columns."""
    one = found.where(measures=name, methods=method)
    shown = [(name, level) for level in one.levels()] + ([(TOTAL, None)] if name == LEVEL else [])
    lines = [
        [*names, *(found.text(of, method, level, table, column, digits=4) for of, level in shown)]
        for column in one.frame["columns"].unique(maintain_order=True)
        for table, names in ((PRINTED, (column, PRINTED)), (WORDNET, ("", "here")))
    ]
    head = [method, "", *("VghGSL" if level is None else f"level {level:g}" for _, level in shown)]
    return markdown(head, lines, left=2)


def tables(found: Rows) -> dict[str, str]:
    """Both tables of the publication, and the scores under other distances."""
    here, printed = (found.text(TOTAL, VERTEBRATE, None, of, "constant", digits=4) for of in (WORDNET, PRINTED))
    pairs = [(name, of) for of in ("max", "mean") for name in HIERARCHIES]
    others = [
        [d, *(found.text(OTHERS, name, None, WORDNET, f"{d}, {of}, constant", digits=4) for name, of in pairs)]
        for d in PUBLISHED
    ]
    head = ["distance", *(f"{name}, {of}" for name, of in pairs)]
    return {
        f"Ayala-Rivera 2014, Table 1 (VghGSL: {printed} as printed, {here} here)":
            compared(found, VERTEBRATE, TRANSITION),
        "Ayala-Rivera 2014, Table 2: what each level adds to the score":
            "\n\n".join(compared(found, name, LEVEL) for name in HIERARCHIES),
        "VghGSL under other distances, with constant weights": markdown(head, others),
    }  # fmt: skip


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
