"""Rank swapping by meaning, and without meaning (Rodriguez-Garcia 2019, Tables 1–6 and Figs. 5–7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.claims import OTHER, VALUE, Claim, Rule, by_case, compared, computed, grows, less
from experiments.framework.measurements import PRINTED, Figures, Make, Row, Rows, figures, measure, printed, rows
from experiments.framework.pages import Experiment, by_level, charts
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, RULE, dependence, draw, one_taxonomy, public_tables
from experiments.swapping.line_9 import lost, read_literally
from ontomask.figures import Figure, small_multiples

KS = (2, 5, 10, 20, 50, 100)
# Whole tables are large.
SOME = (2, 10, 100)
RARE = "rare values"
FIRST, SECOND, THIRD = ALGORITHMS = ("Algorithm 1", "Algorithm 2", "Algorithm 3")
DISTRIBUTIONAL, BY_CHANCE = NOT_SEMANTIC = ("distributional rank swapping", "data swapping")
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
        for row in measure(name, data, {method: om.RankSwapping}, ks, seeds, only=(RMSE, CHANGE)):
            if "C" not in row["columns"]:
                yield row
    for seed, k in product(seeds, some):
        data = samples[name]
        frame = read_literally(data, k, np.random.default_rng(seed))
        found = {**moments(om.evaluate(data, frame, attacks=False)), ("lost", ""): lost(data.frame, frame)}
        yield from rows(found, table=name, method=LITERAL, level=k, seed=seed)


def share_lost(methods: Sequence[str], margin: pl.Expr) -> Rule:
    """A margin from the share of sdCor that is lost (`SHARE`) for typical k, up to 20."""

    def rule(found: Rows) -> pl.DataFrame:
        before = found.where(measures="sdcor", methods=ORIGINAL).frame.select("table", before="value")
        after = found.where(pl.col("level").fill_null(0) <= 20, measures=CHANGE, methods=methods).frame
        return by_case(after.join(before, on="table").with_columns(share=VALUE / pl.col("before")), margin)

    return rule


SHARE = pl.col("share")
SOURCE, SOURCE_4_3 = "Rodriguez-Garcia 2019, section 4.2", "Rodriguez-Garcia 2019, section 4.3"
SWAPS = (*ALGORITHMS, *NOT_SEMANTIC)
CLAIMS = (
    Claim("swapping-keeps-moments", "Means and variances stay exactly the same",
          SOURCE, computed(1e-6 - pl.col(MOMENTS), methods=SWAPS),
          "Values only change places.", glance="Rank swapping keeps means and variances exactly"),
    Claim("literally-keeps-values",
          "… also if line 9 of Algorithm 3 is read literally: a reference swaps every value, even one swapped before",
          "Rodriguez-Garcia 2019, Algorithm 3", computed(1e-6 - pl.col("lost"), methods=LITERAL),
          "Read so, the second swap overwrites the value that the record got in the first, which is lost. Section "
          "4.2 says that released values are the same as the original ones, so our Algorithm 3 skips values that "
          "were swapped before."),
    Claim("rmse-grows-with-k", "The RMSE grows with k",
          SOURCE, grows(computed(pl.col(RMSE), methods=ALGORITHMS)),
          "The cases that do not hold are Algorithm 1, whose errors hardly grow: its ranking has few different "
          "distances, so the next rank is hardly nearer than the hundredth.",
          glance="The RMSE of rank swapping grows with k"),
    Claim("second-has-less-rmse-than-third", "Algorithm 2 has a smaller RMSE than Algorithm 3",
          SOURCE, less(RMSE, SECOND, THIRD),
          "Algorithm 2 chooses the nearest values of each column by itself.",
          glance="Rank swapping: Algorithm 2 has a smaller RMSE than Algorithm 3"),
    Claim("second-and-third-have-less-rmse", "Algorithms 2 and 3 have a smaller RMSE than Algorithm 1",
          SOURCE, less(RMSE, (SECOND, THIRD), FIRST),
          glance="… and both have a smaller RMSE than Algorithm 1"),
    Claim("third-keeps-dependence", "Algorithm 3 preserves sdCor better than Algorithms 1 and 2",
          SOURCE, less(CHANGE, THIRD, (FIRST, SECOND)),
          "The cases that do not hold are against Algorithm 2, which swaps repeated values with copies and loses "
          "hardly anything either.",
          glance="Rank swapping: Algorithm 3 preserves the dependence best"),
    Claim("second-keeps-more-dependence-than-first", "Algorithm 2 preserves sdCor better than Algorithm 1",
          "Rodriguez-Garcia 2019, Tables 2–3", less(CHANGE, SECOND, FIRST)),
    Claim("meaning-beats-no-meaning",
          "Algorithms 2 and 3 have a smaller RMSE, and preserve sdCor better, than both methods without meaning",
          SOURCE, less((RMSE, CHANGE), (SECOND, THIRD), NOT_SEMANTIC)),
    Claim("random-has-most-rmse", "Data swapping has a larger RMSE than distributional rank swapping",
          "Rodriguez-Garcia 2019, Figs. 5–6", less(RMSE, DISTRIBUTIONAL, BY_CHANCE),
          "With rare values both are equal within chance: almost all values have the same few frequencies, so "
          "ranking by frequency is random."),
    Claim("frequency-competes", "Distributional rank swapping competes with Algorithm 1: its RMSE is within a fifth",
          SOURCE, compared(RMSE, DISTRIBUTIONAL, FIRST, 0.2 * OTHER - (VALUE - OTHER).abs()),
          "The more often values occur, the more a frequency identifies its value: then distributional swapping "
          "leaves most values unchanged, and has a much smaller RMSE than Algorithm 1.",
          glance="Rank swapping by frequency has about the same RMSE as Algorithm 1"),
    Claim("frequency-keeps-dependence-worse",
          "But Algorithm 1 preserves sdCor better than distributional rank swapping",
          SOURCE, less(CHANGE, FIRST, DISTRIBUTIONAL),
          "The same reason: where frequent values stay unchanged, their dependence stays, too.",
          glance="… but preserves the dependence less well"),
    Claim("first-keeps-more-than-chance", "… and better than data swapping",
          SOURCE, less(CHANGE, FIRST, BY_CHANCE),
          "By little: Algorithm 1 leaves about what random swapping leaves."),
    Claim("third-loses-little",
          "Algorithm 3 largely preserves sdCor for typical k: at most a quarter is lost for k ≤ 20 (our limits)",
          "Rodriguez-Garcia 2019, section 5", share_lost([THIRD], 0.25 - SHARE)),
    Claim("no-meaning-loses-most",
          "The methods without meaning destroy sdCor: at least three quarters are lost for k ≤ 20 (our limits)",
          "Rodriguez-Garcia 2019, section 5", share_lost(NOT_SEMANTIC, SHARE - 0.75),
          "A distance correlation is never 0 in a sample: random swapping leaves a floor, and distributional "
          "swapping leaves many values unchanged."),
    Claim("copies-are-safe", "If every pair of values occurs more than k times, Algorithm 3 changes nothing (k = 2)",
          SOURCE_4_3, computed(1e-6 - pl.col(RMSE), methods=STRONG, levels=2),
          "Equal records are nearer than any others."),
    Claim("small-errors-below-frequency",
          "For k = 5 and 10, below the average frequency of values, errors are very small: below 0.1 (our limit)",
          SOURCE_4_3, computed(0.1 - pl.col(RMSE), methods=STRONG, levels=(5, 10)),
          "The cases that do not hold are k = 10: the interval consists of records, and some pairs of values occur "
          "less often."),
    Claim("third-column-costs-little",
          "With a third column, the errors and sdCor of the first two hardly change up to k = 50: by 0.05 (our limit)",
          SOURCE_4_3, compared((RMSE, CHANGE), THREE, STRONG, 0.05 - (VALUE - OTHER).abs(), levels=KS[:5]),
          "With our third column many records are unique, so even k = 2 swaps different values."),
)  # fmt: skip


def figure(found: Rows) -> Figure:
    """Rodriguez-Garcia 2019, Figs. 5 and 7: the printed tables, a sample like theirs, and a whole table."""
    tables = [table for table in (PRINTED, found.tables[1], DIABETES) if table in found.tables]
    of = partial(charts, found, tables=tables, log_x=True, width=245, height=150)
    errors = of(RMSE, SWAPS, columns="A", title="RMSE of A, {}", value_range=(0, 0.8))
    changes = of(CHANGE, SWAPS, columns="AB", title="sdCor lost, {}", value_range=(0, 0.4))
    return small_multiples([*errors, *changes], columns=len(tables), title="Swapping within intervals and at random")


def answer(found: Rows) -> str:
    """The answer with its figures."""
    rmse = partial(found.mean, RMSE, level=10, columns="A")
    lost_by = partial(found.mean, CHANGE, level=10, columns="AB")
    ours, theirs = ([rmse(method=name, table=table) for name in ALGORITHMS] for table in ("ICD-9-CM", PRINTED))
    literal = 100 * found.mean("lost", LITERAL, 10, "ICD-9-CM")
    return (
        "Algorithm 2 keeps the values best and Algorithm 3 the dependence; Algorithm 1 keeps neither. Over ICD-9-CM at "
        f"k = 10 the RMSE is {ours[1]:.2f} (Algorithm 2), {ours[2]:.2f} (3) and {ours[0]:.2f} (1); published: "
        f"{theirs[1]:.2f}, {theirs[2]:.2f} and {theirs[0]:.2f}. One result differs: where values repeat, a frequency "
        "almost identifies its value. Swapping by frequency then beats Algorithm 1 "
        f"(RMSE {rmse(method=DISTRIBUTIONAL, table=DIABETES):.2f} against {rmse(method=FIRST, table=DIABETES):.2f} on "
        f"diabetes130, and it loses {lost_by(method=DISTRIBUTIONAL, table=DIABETES):.2f} of sdCor against "
        f"{lost_by(method=FIRST, table=DIABETES):.2f}). Line 9 of Algorithm 3 cannot be meant literally: it would "
        f"lose {literal:.0f} % of the values at k = 10."
    )


def folded(found: Rows) -> dict[str, str]:
    """Tables to unfold."""
    shown = {"RMSE of A": (RMSE, "A"), "RMSE of B": (RMSE, "B"), "sdCor lost": (CHANGE, "AB")}
    return {title: by_level(found, name, columns=columns, digits=3) for title, (name, columns) in shown.items()} | {
        "Line 9 read literally: share of values lost": by_level(found, "lost", methods=[LITERAL], digits=3)
    }


EXPERIMENT = Experiment(
    title="Semantic rank swapping",
    question="Which way of swapping values keeps their meaning and the dependence between columns?",
    measure=run,
    figure=figure,
    caption=(
        "Rodriguez-Garcia 2019, Figs. 5 and 7: root mean square error of the first column, and what is lost of the "
        "distance correlation, by k; mean, smallest and largest seed. Less is better. *As printed* is drawn from the "
        "publication's Tables 2–4, which do not have the methods without meaning."
    ),
    answer=answer,
    setup=(
        "Algorithm 1 ranks each column once, by distance from its most distant value, and swaps a value with one of "
        "the next k. Algorithm 2 swaps a value with one of the k nearest in its column. Algorithm 3 finds the k "
        "nearest records and swaps their values column by column. *Distributional rank swapping* ranks by frequency, "
        "*data swapping* swaps at random. The publication had 1,172 discharge records from California over "
        f"SNOMED-CT (sdCor {SDCOR}), and 1,012 with stronger dependence (sdCor {SDCOR_STRONG}). {RULE} *Rare "
        "values*: in the publication, values occurred 1.5 and 2.7 times on average, so another sample takes records "
        "such that no value occurs more than twice in A and three times in B. It was added after distributional "
        "swapping did not behave as published. *Adult* and *diabetes130* are whole tables. A and B are in one "
        "taxonomy here. The strongly dependent sample, alone and with the third diagnosis, is over ICD-9-CM. The "
        "distance is Wu–Palmer inside the domain. Seeds: 10, on diabetes130 5. [Swapping "
        "intervals](swapping_intervals.md) measures what k protects."
    ),
    claims=CLAIMS,
    tables=folded,
    needs=("diabetes130", "mondo"),
)
