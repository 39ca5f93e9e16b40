"""Rank swapping by meaning, and without meaning (Rodriguez-Garcia 2019, Tables 1–6 and Figs. 5–7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework import tables
from experiments.framework.claims import Claim, Rule, all_less, compared, less, margins, rises
from experiments.framework.measurements import Make, Row, Rows, figures, measure, rows
from experiments.framework.pages import Experiment, by_level
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, draw, public_tables
from experiments.swapping.line_9 import lost, read_literally
from ontomask.figures import Figure, LineChart, small_multiples

KS = (2, 5, 10, 20, 50, 100)
# Whole tables are large.
SOME = (2, 10, 100)
PRINTED, RARE = "as printed", "rare values"
FIRST, SECOND, THIRD = ALGORITHMS = ("Algorithm 1", "Algorithm 2", "Algorithm 3")
DISTRIBUTIONAL, BY_CHANCE = NOT_SEMANTIC = ("distributional rank swapping", "data swapping")
STRONG, THREE = "Algorithm 3, strongly dependent", "Algorithm 3, with a third column"
LITERAL, ORIGINAL = "Algorithm 3, line 9 read literally", "original"
RMSE, CHANGE, MOMENTS = "rmse", "sdcor_change", "moments"
# The average number of records per value of B in the strongly dependent sample of the paper.
OFTEN_IN_PAPER = 10

# Tables 2–4: RMSE(A), RMSE(B), change of sdCor. Means and variances differ by 0 at every k.
TABLES_2_TO_4 = {
    FIRST: (
        (0.4558, 0.5423, 0.5560, 0.5823, 0.6018, 0.6083),
        (0.3562, 0.3712, 0.4118, 0.4166, 0.4650, 0.5016),
        (0.1890, 0.1906, 0.1946, 0.1948, 0.1967, 0.2075),
    ),
    SECOND: (
        (0.1439, 0.1887, 0.2300, 0.2782, 0.3513, 0.4062),
        (0.0544, 0.0776, 0.1014, 0.1413, 0.2153, 0.2941),
        (0.0404, 0.0503, 0.0556, 0.0947, 0.1360, 0.1795),
    ),
    THIRD: (
        (0.1966, 0.2707, 0.3130, 0.3659, 0.4145, 0.4656),
        (0.0920, 0.1433, 0.1613, 0.2083, 0.2697, 0.3745),
        (0.0028, 0.0185, 0.0232, 0.0435, 0.0769, 0.1450),
    ),
}
# Tables 5 and 6, the first two columns.
TABLES_5_AND_6 = {
    STRONG: (
        (0, 0.0129, 0.0336, 0.0749, 0.1965, 0.3750),
        (0, 0.0288, 0.0810, 0.1486, 0.2300, 0.3218),
        (0, 0.0009, 0.0021, 0.0154, 0.0627, 0.1734),
    ),
    THREE: (
        (0, 0.0106, 0.0322, 0.0866, 0.2412, 0.3951),
        (0, 0.0309, 0.0890, 0.1653, 0.2409, 0.3640),
        (0, 0.0019, 0.0073, 0.0207, 0.1116, 0.2639),
    ),
}
# sdCor before swapping.
SDCOR, SDCOR_STRONG = 0.4595, 0.6392


def printed() -> Iterator[Row]:
    """The publication's own tables."""
    yield from rows({("sdcor", "AB"): SDCOR}, table=PRINTED, method=ORIGINAL)
    for name, (a, b, change) in {**TABLES_2_TO_4, **TABLES_5_AND_6}.items():
        for k, *found in zip(KS, a, b, change, strict=True):
            figure = dict(zip([(RMSE, "A"), (RMSE, "B"), (CHANGE, "AB")], found, strict=True))
            moments = {(MOMENTS, ""): 0.0} if name in ALGORITHMS else {}
            yield from rows(figure | moments, table=PRINTED, method=name, level=k)


def moments(score: om.Evaluation) -> Mapping[tuple[str, str], float]:
    """The largest shift of a mean, or change of a variance."""
    moved = (value for (name, _), value in figures(score).items() if name in ("mean_shift", "sdvar_change"))
    return {(MOMENTS, ""): max(value or 0.0 for value in moved)}


def swapped(table: str, data: om.Microdata, ks: Sequence[int], seeds: Sequence[int]) -> Iterator[Row]:
    """Swap a table by the three algorithms and by both methods without meaning."""
    (before,) = om.evaluate(data, data.frame, attacks=False).sdcor.values()
    yield from rows({("sdcor", "AB"): before.before}, table=table, method=ORIGINAL)
    make: dict[str, Make] = {
        name: partial(om.RankSwapping, algorithm=number) for number, name in enumerate(ALGORITHMS, start=1)
    }
    make[DISTRIBUTIONAL] = om.DistributionalRankSwapping
    for methods, levels in ((make, ks), ({BY_CHANCE: lambda _: om.DataSwapping()}, [None])):
        yield from measure(
            table, data, methods, levels, seeds, only=(RMSE, CHANGE), more=lambda _, __, score: moments(score)
        )


def run(setting: Setting) -> Iterator[Row]:
    """The printed tables, samples like the publication's, and whole tables."""
    yield from printed()
    ks, some, seeds = setting.levels(KS), setting.levels(SOME), setting.seeds()
    sources = tables.one_taxonomy(setting)
    if setting.quick:
        sources = dict(list(sources.items())[:1])
    samples = {name: source.sample(setting.size(1172), SDCOR) for name, source in sources.items()}
    # The third diagnosis is available over the first ontology only.
    name, source = next(iter(sources.items()))
    if setting.diabetes130:
        samples[RARE] = source.rare_values(setting.size(1172))
    for table, sample in samples.items():
        yield from swapped(table, sample.data, ks, seeds)
    for table, data in public_tables(setting).items():
        records = draw(data, setting.size(len(data)), 0) if setting.quick else data
        yield from swapped(table, records, some, setting.seeds(10 if table == ADULT else 5))
    strong = source.sample(setting.size(1012), SDCOR_STRONG, 0.001)
    for method, data in {STRONG: strong.data, THREE: strong.wider}.items():
        for row in measure(name, data, {method: om.RankSwapping}, ks, seeds, only=(RMSE, CHANGE)):
            yield from [row] if "C" not in row["columns"] else []
    for seed, k in ((seed, k) for seed in seeds for k in some):
        data = samples[name].data
        frame = read_literally(data, k, np.random.default_rng(seed))
        found = {**moments(om.evaluate(data, frame, attacks=False)), ("lost", ""): lost(data.frame, frame)}
        yield from rows(found, table=name, method=LITERAL, level=k, seed=seed)


def share_lost(methods: Sequence[str], margin: Callable[[float], float]) -> Rule:
    """A margin from the share of sdCor that is lost for typical k, up to 20."""

    def rule(all_rows: Rows) -> pl.DataFrame:
        def cases() -> Iterator[tuple[str, str, int, float]]:
            found = all_rows.frame.filter((pl.col("measure") == CHANGE) & pl.col("method").is_in(list(methods)))
            for row in found.filter(pl.col("level").fill_null(0) <= 20).to_dicts():
                share = row["value"] / all_rows.mean("sdcor", ORIGINAL, None, row["table"], "AB")
                yield row["table"], f"{row['method']}|{row['level']}", row["seed"], margin(share)

        return margins(cases())

    return rule


R = "Rodriguez-Garcia 2019, section 4.2"
R3 = "Rodriguez-Garcia 2019, section 4.3"
SWAPS = (*ALGORITHMS, *NOT_SEMANTIC)
CLAIMS = (
    Claim(
        "swapping-keeps-moments",
        "Means and variances stay exactly the same",
        R,
        all_less(MOMENTS, 1e-6, SWAPS),
        "Values only change places.",
        glance="Rank swapping keeps means and variances exactly",
    ),
    Claim(
        "literally-keeps-values",
        "… also if line 9 of Algorithm 3 is read literally: a reference swaps every value, even one swapped before",
        "Rodriguez-Garcia 2019, Algorithm 3",
        all_less("lost", 1e-6, LITERAL),
        "Read so, the second swap overwrites the value that the record got in the first, which is lost. Section 4.2 "
        "says that released values are the same as the original ones, so our Algorithm 3 skips values that were "
        "swapped before.",
    ),
    Claim(
        "rmse-grows-with-k",
        "The RMSE grows with k",
        R,
        rises(RMSE, ALGORITHMS),
        "All misses are Algorithm 1, whose errors hardly grow: its ranking has few different distances, so the next "
        "rank is hardly nearer than the hundredth.",
        glance="The RMSE of rank swapping grows with k",
    ),
    Claim(
        "second-has-less-rmse-than-third",
        "Algorithm 2 has a smaller RMSE than Algorithm 3",
        R,
        less(RMSE, SECOND, THIRD),
        "Algorithm 2 chooses the nearest values of each column by itself.",
        glance="Algorithm 2 has a smaller RMSE than Algorithm 3",
    ),
    Claim(
        "second-and-third-have-less-rmse",
        "Algorithms 2 and 3 have a smaller RMSE than Algorithm 1",
        R,
        less(RMSE, (SECOND, THIRD), FIRST),
        glance="… and both have a smaller RMSE than Algorithm 1",
    ),
    Claim(
        "third-keeps-dependence",
        "Algorithm 3 preserves sdCor better than Algorithms 1 and 2",
        R,
        less(CHANGE, THIRD, (FIRST, SECOND)),
        "All misses are against Algorithm 2, which swaps repeated values with copies and loses hardly anything "
        "either.",
        glance="Algorithm 3 preserves the dependence best",
    ),
    Claim(
        "second-keeps-more-dependence-than-first",
        "Algorithm 2 preserves sdCor better than Algorithm 1",
        "Rodriguez-Garcia 2019, Tables 2–3",
        less(CHANGE, SECOND, FIRST),
    ),
    Claim(
        "meaning-beats-no-meaning",
        "Algorithms 2 and 3 have a smaller RMSE, and preserve sdCor better, than both methods without meaning",
        R,
        less((RMSE, CHANGE), (SECOND, THIRD), NOT_SEMANTIC),
    ),
    Claim(
        "random-has-most-rmse",
        "Data swapping has a larger RMSE than distributional rank swapping",
        "Rodriguez-Garcia 2019, Figs. 5–6",
        less(RMSE, DISTRIBUTIONAL, BY_CHANCE),
        "With rare values both are equal within chance: almost all values have the same few frequencies, so ranking "
        "by frequency is random.",
    ),
    Claim(
        "frequency-competes",
        "Distributional rank swapping competes with Algorithm 1: its RMSE is within a fifth",
        R,
        compared(RMSE, DISTRIBUTIONAL, FIRST, lambda one, other: 0.2 * other - (one - other).abs()),
        "The more often values occur, the more a frequency identifies its value: then distributional swapping leaves "
        "most values unchanged, and has a much smaller RMSE than Algorithm 1.",
        glance="Swapping by frequency has about the same RMSE as Algorithm 1",
    ),
    Claim(
        "frequency-keeps-dependence-worse",
        "But Algorithm 1 preserves sdCor better than distributional rank swapping",
        R,
        less(CHANGE, FIRST, DISTRIBUTIONAL),
        "The same reason: where frequent values stay unchanged, their dependence stays, too.",
        glance="… but preserves the dependence less well",
    ),
    Claim(
        "first-keeps-more-than-chance",
        "… and better than data swapping",
        R,
        less(CHANGE, FIRST, BY_CHANCE),
        "By little: Algorithm 1 leaves about what random swapping leaves.",
    ),
    Claim(
        "third-loses-little",
        "Algorithm 3 largely preserves sdCor for typical k: at most a quarter is lost for k ≤ 20 (our limits)",
        "Rodriguez-Garcia 2019, section 5",
        share_lost([THIRD], lambda share: 0.25 - share),
    ),
    Claim(
        "no-meaning-loses-most",
        "The methods without meaning destroy sdCor: at least three quarters are lost for k ≤ 20 (our limits)",
        "Rodriguez-Garcia 2019, section 5",
        share_lost(NOT_SEMANTIC, lambda share: share - 0.75),
        "A distance correlation is never 0 in a sample: random swapping leaves a floor, and distributional swapping "
        "leaves many values unchanged.",
    ),
    Claim(
        "copies-are-safe",
        "If every pair of values occurs more than k times, Algorithm 3 changes nothing (k = 2)",
        R3,
        all_less(RMSE, 1e-6, STRONG, levels=KS[:1]),
        "Equal records are nearer than any others.",
    ),
    Claim(
        "small-errors-below-frequency",
        "For k = 5 and 10, below the average frequency of values, errors are very small: below 0.1 (our limit)",
        R3,
        all_less(RMSE, 0.1, STRONG, levels=(5, 10)),
        "The misses are k = 10: the interval consists of records, and some pairs of values occur less often.",
    ),
    Claim(
        "third-column-costs-little",
        "With a third column, the errors and sdCor of the first two hardly change up to k = 50: by 0.05 (our limit)",
        R3,
        compared((RMSE, CHANGE), THREE, STRONG, lambda one, other: 0.05 - (one - other).abs(), levels=KS[:5]),
        "With our third column many records are unique, so even k = 2 swaps different values.",
    ),
)  # fmt: skip


def figure(found: Rows) -> Figure:
    """Rodriguez-Garcia 2019, Figs. 5 and 7: the printed tables, a sample like theirs, and a whole table."""
    tables = [table for table in (PRINTED, found.tables[1], DIABETES) if table in found.tables]
    charts = [
        LineChart(
            [
                found.line(name, measured, name, table, column, style=style, levels=found.levels(table, FIRST))
                for style, name in enumerate(SWAPS)
                if name in found.methods(table)
            ],
            x_title="k",
            log_x=True,
            title=f"{title}, {table}",
            width=260,
            height=150,
            value_range=(0, limit),
        )
        for measured, column, title, limit in ((RMSE, "A", "RMSE of A", 0.8), (CHANGE, "AB", "sdCor lost", 0.4))
        for table in tables
    ]
    return small_multiples(charts, columns=len(tables), title="Swapping within intervals and at random")


def answer(found: Rows) -> str:
    """The answer with its figures."""
    rmse = partial(found.mean, RMSE, level=10, columns="A")
    lost_by = partial(found.mean, CHANGE, level=10, columns="AB")
    literal = 100 * found.mean("lost", LITERAL, 10, "ICD-9-CM")
    return (
        f"Mostly. On samples like the publication's, Algorithm 2 has the smallest RMSE, then Algorithm 3 "
        f"({rmse(method=SECOND, table='ICD-9-CM'):.2f} and {rmse(method=THIRD, table='ICD-9-CM'):.2f} over ICD-9-CM "
        f"at k = 10; published: {rmse(method=SECOND, table=PRINTED):.2f} and {rmse(method=THIRD, table=PRINTED):.2f}), "
        f"and Algorithm 1 is far behind ({rmse(method=FIRST, table='ICD-9-CM'):.2f}; published: "
        f"{rmse(method=FIRST, table=PRINTED):.2f}). What is not found is about Algorithm 1 and swapping by frequency: "
        "where values repeat, a frequency almost identifies its value, so swapping by frequency beats Algorithm 1 "
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
        f"SNOMED-CT (sdCor {SDCOR}), and 1,012 with stronger dependence (sdCor {SDCOR_STRONG}). {tables.RULE} *Rare "
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
