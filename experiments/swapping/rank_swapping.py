"""Rank swapping by meaning, and without meaning (Rodriguez-Garcia 2019, Tables 1–6 and Figs. 5–7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.claims import OTHER, VALUE, Rule, by_case, compared, computed, grows, largest, less, smallest
from experiments.framework.measurements import PRINTED, Figures, Make, Row, Rows, figures, measure, printed, rows
from experiments.framework.pages import Experiment, by_level, charts
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, dependence, draw, one_taxonomy, public_tables
from experiments.swapping.line_9 import lost, read_literally
from ontomask.figures import Figure, small_multiples

KS = (2, 5, 10, 20, 50, 100)
# Whole tables are large.
SOME = (2, 10, 100)
RARE = "rare values"
FIRST, SECOND, THIRD = ALGORITHMS = ("Algorithm 1", "Algorithm 2", "Algorithm 3")
DISTRIBUTIONAL, BY_CHANCE = NOT_SEMANTIC = ("distributional rank swapping", "data swapping")
SWAPS = (*ALGORITHMS, *NOT_SEMANTIC)
STRONG, THREE = "Algorithm 3, strongly dependent", "Algorithm 3, with a third column"
LITERAL, ORIGINAL = "Algorithm 3, line 9 read literally", "original"
RMSE, CHANGE, MOMENTS = "rmse", "sdcor_change", "moments"

# Tables 2–6; of Tables 5 and 6, the first two columns. In Tables 2–4, means and variances differ by 0 at every k.
TABLES = Path(__file__).parent / "printed_2019.csv"
# sdCor before swapping.
SDCOR, SDCOR_STRONG = 0.4595, 0.6392


def moments(score: om.Evaluation) -> Figures:
    """The largest shift of a mean, or change of a variance."""
    moved = (value for (name, _), value in figures(score).items() if name in ("mean_shift", "sdvar_change"))
    return {(MOMENTS, ""): max(value or 0.0 for value in moved)}


def swapped(table: str, data: om.Microdata, ks: Sequence[int], seeds: Sequence[int]) -> Iterator[Row]:
    """Swap a table by the three algorithms and by both methods without meaning."""
    yield from rows({("sdcor", "AB"): dependence(data)}, table=table, method=ORIGINAL)
    make: dict[str, Make] = {
        name: partial(om.RankSwapping, algorithm=number) for number, name in enumerate(ALGORITHMS, start=1)
    }
    make[DISTRIBUTIONAL] = om.DistributionalRankSwapping
    measured = partial(measure, only=(RMSE, CHANGE), more=lambda _, __, score: moments(score))
    yield from measured(table, data, make, ks, seeds)
    yield from measured(table, data, {BY_CHANCE: om.DataSwapping()}, [None], seeds)


def run(setting: Setting) -> Iterator[Row]:
    """The printed tables, samples like the publication's, and whole tables."""
    yield from rows({("sdcor", "AB"): SDCOR}, table=PRINTED, method=ORIGINAL)
    yield from printed(TABLES)
    ks, some, seeds = setting.levels(KS), setting.levels(SOME), setting.seeds()
    sources = one_taxonomy(setting)
    if setting.quick:
        sources = dict(list(sources.items())[:1])
    samples = {name: source.sample(setting.size(1172), SDCOR) for name, source in sources.items()}
    # The third diagnosis is available over the first ontology only.
    name, source = next(iter(sources.items()))
    if setting.diabetes130:
        samples[RARE] = source.rare_values(setting.size(1172))
    for table, sample in samples.items():
        yield from swapped(table, sample, ks, seeds)
    for table, data in public_tables(setting).items():
        records = draw(data, setting.size(len(data)), 0) if setting.quick else data
        yield from swapped(table, records, some, setting.seeds(10 if table == ADULT else 5))
    for method, columns in ((STRONG, 2), (THREE, 3)):
        data = source.sample(setting.size(1012), SDCOR_STRONG, 0.001, columns)
        measured = measure(name, data, {method: om.RankSwapping}, ks, seeds, only=(RMSE, CHANGE))
        yield from (row for row in measured if "C" not in row["columns"])
    data = samples[name]
    for seed, k in product(seeds, some):
        frame = read_literally(data, k, np.random.default_rng(seed))
        found = {**moments(om.evaluate(data, frame, attacks=False)), ("lost", ""): lost(data.frame, frame)}
        yield from rows(found, table=name, method=LITERAL, level=k, seed=seed)


SHARE = pl.col("share")


def share_lost(methods: Sequence[str], margin: pl.Expr) -> Rule:
    """A margin from the share of sdCor that is lost (`SHARE`) for typical k, up to 20."""

    def rule(found: Rows) -> pl.DataFrame:
        before = found.where(measures="sdcor", methods=ORIGINAL).frame.select("table", before="value")
        after = found.where(pl.col("level").fill_null(0) <= 20, measures=CHANGE, methods=methods).frame
        return by_case(after.join(before, on="table").with_columns(share=VALUE / pl.col("before")), margin)

    return rule


RULES = {
    "swapping-keeps-moments": computed(1e-6 - pl.col(MOMENTS), methods=SWAPS),
    "literally-keeps-values": computed(1e-6 - pl.col("lost"), methods=LITERAL),
    "rmse-grows-with-k": grows(computed(pl.col(RMSE), methods=ALGORITHMS)),
    "second-has-less-rmse-than-third": less(RMSE, SECOND, THIRD),
    "second-and-third-have-less-rmse": largest(RMSE, FIRST, (SECOND, THIRD)),
    "third-keeps-dependence": smallest(CHANGE, THIRD, (FIRST, SECOND)),
    "second-keeps-more-dependence-than-first": less(CHANGE, SECOND, FIRST),
    "meaning-beats-no-meaning": smallest((RMSE, CHANGE), (SECOND, THIRD), NOT_SEMANTIC),
    "random-has-most-rmse": less(RMSE, DISTRIBUTIONAL, BY_CHANCE),
    "frequency-competes": compared(RMSE, DISTRIBUTIONAL, FIRST, 0.2 * OTHER - (VALUE - OTHER).abs()),
    "frequency-keeps-dependence-worse": less(CHANGE, FIRST, DISTRIBUTIONAL),
    "first-keeps-more-than-chance": less(CHANGE, FIRST, BY_CHANCE),
    "third-loses-little": share_lost([THIRD], 0.25 - SHARE),
    "no-meaning-loses-most": share_lost(NOT_SEMANTIC, SHARE - 0.75),
    "copies-are-safe": computed(1e-6 - pl.col(RMSE), methods=STRONG, levels=2),
    "small-errors-below-frequency": computed(0.1 - pl.col(RMSE), methods=STRONG, levels=(5, 10)),
    "third-column-costs-little": compared(
        (RMSE, CHANGE), THREE, STRONG, 0.05 - (VALUE - OTHER).abs(), levels=(2, 5, 10, 20, 50)
    ),
}


def figure(found: Rows) -> Figure:
    """Rodriguez-Garcia 2019, Figs. 5 and 7: the printed tables, a sample like theirs, and a whole table."""
    tables = [table for table in (PRINTED, found.tables[1], DIABETES) if table in found.tables]
    of = partial(charts, found, tables=tables, log_x=True, width=245, height=150)
    errors = of(RMSE, SWAPS, columns="A", title="RMSE of A, {}", value_range=(0, 0.8))
    changes = of(CHANGE, SWAPS, columns="AB", title="sdCor lost, {}", value_range=(0, 0.4))
    return small_multiples([*errors, *changes], columns=len(tables), title="Swapping within intervals and at random")


def facts(found: Rows) -> dict[str, Any]:
    """The figures of the answer, at k = 10: of the three algorithms, and of frequency against Algorithm 1."""

    def at_10(measure: str, columns: str, table: str, methods: Sequence[str]) -> list[float]:
        return [found.mean(measure, method, 10, table, columns) for method in methods]

    return {
        "ours": at_10(RMSE, "A", "ICD-9-CM", ALGORITHMS),
        "theirs": at_10(RMSE, "A", PRINTED, ALGORITHMS),
        "rmse": at_10(RMSE, "A", DIABETES, (DISTRIBUTIONAL, FIRST)),
        "lost": at_10(CHANGE, "AB", DIABETES, (DISTRIBUTIONAL, FIRST)),
        "third": [abs(np.subtract(*at_10(RMSE, "A", table, (THREE, STRONG)))) for table in ("ICD-9-CM", PRINTED)],
        "literal": 100 * found.mean("lost", LITERAL, 10, "ICD-9-CM"),
    }


def tables(found: Rows) -> dict[str, str]:
    """Errors and dependence by k, and what line 9 would lose."""
    return {
        "RMSE of A": by_level(found, RMSE, columns="A", digits=3),
        "RMSE of B": by_level(found, RMSE, columns="B", digits=3),
        "sdCor lost": by_level(found, CHANGE, columns="AB", digits=3),
        "Line 9 read literally: share of values lost": by_level(found, "lost", methods=[LITERAL], digits=3),
    }


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables, {"sdcor": SDCOR, "sdcor_strong": SDCOR_STRONG})
