"""Recoding and its heuristics, on samples as large as the thesis' (Martínez 2012, Figs. 13–14 and 16–17, Table 11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean
from typing import Any

import ontomask as om
from experiments.grouping import trials
from experiments.grouping.trials import (
    PAIRS,
    STEADY,
    Make,
    Partitions,
    Trials,
    compare_clusters,
    partition_table,
    steady,
)
from experiments.shared.findings import Conclusion, Findings, Setting, Spread, markdown, processor_seconds
from experiments.shared.samples import draw, public_tables
from ontomask.figures import Figure, LineChart, small_multiples

KS = (2, 3, 5, 10, 15, 20)
# As many records as the thesis' survey of park visitors.
RECORDS = 975
K = 5
# Our thresholds for the thesis' words: H1 brings a "slight improvement", RL is "quite stable".
SLIGHT, STABLE = 0.1, 0.25

NONE, FIRST, BOTH = "by chance (none)", "H1 alone", "H1 and H2"
WEIGHTED, DISTRIBUTIONAL = "H1 and H2, weighted", "distributional"
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    NONE: {"criterion": "chance", "rarest_first": False},
    FIRST: {"criterion": "chance"},
    BOTH: {},
    WEIGHTED: {"weighted": True},
    DISTRIBUTIONAL: {"criterion": "discernibility"},
}
AT_ONCE, IN_TURN, DEFAULT = "at once", "in turn", "our default"
SCHEDULES = {AT_ONCE: False, IN_TURN: True, DEFAULT: None}


def named(what: str, schedule: str) -> str:
    """The name of a row."""
    return f"{what}, {schedule}"


def method(what: str, schedule: str) -> Make:
    """Recoding with the given heuristics and schedule."""
    return lambda k: om.Recoding(k, sequential=SCHEDULES[schedule], **OPTIONS[what])


# H1 and H2 are compared under one schedule at a time, since by default H1 decides on the schedule.
GUIDED = tuple((what, schedule) for schedule in (AT_ONCE, IN_TURN) for what in (NONE, FIRST, BOTH, WEIGHTED))
HEURISTICS = tuple(named(*one) for one in GUIDED)
METHODS: Mapping[str, Make] = {
    named(*one): method(*one)
    for one in (*GUIDED, (BOTH, DEFAULT), (DISTRIBUTIONAL, AT_ONCE), (DISTRIBUTIONAL, DEFAULT))
}
# Semantic and distributional, as the thesis words it and by default; and by chance, with H1, and with both.
AS_T = "as T words it"
RIVALS = {
    AS_T: (named(WEIGHTED, AT_ONCE), named(DISTRIBUTIONAL, AT_ONCE)),
    DEFAULT: (named(BOTH, DEFAULT), named(DISTRIBUTIONAL, DEFAULT)),
}
STEPS = {
    AS_T: tuple(named(what, AT_ONCE) for what in (NONE, FIRST, WEIGHTED)),
    DEFAULT: tuple(named(what, IN_TURN) for what in (NONE, FIRST, BOTH)),
}
COMPARED = (*RIVALS[AS_T], *RIVALS[DEFAULT])

Samples = Mapping[int, om.Microdata]
Times = Mapping[str, float]


def run(setting: Setting) -> Findings:
    """Run the experiments of Martínez 2012, section 5.2."""
    ks, seeds = (2, K, 20) if setting.quick else KS, setting.seeds()
    tables = public_tables(setting)
    samples = {
        dataset: {seed: draw(data, setting.size(RECORDS), seed) for seed in seeds} for dataset, data in tables.items()
    }
    ours = {dataset: trials.measure(found, METHODS, ks) for dataset, found in samples.items()}
    partitions = {
        f"{dataset}, {way}": compare_clusters(found.items(), (METHODS[rivals[0]], METHODS[rivals[1]]), K)
        for dataset, found in samples.items()
        for way, rivals in RIVALS.items()
    }
    times = {
        f"{dataset}, {way}": seconds(found, tables[dataset], ks, METHODS[rivals[0]])
        for dataset, found in samples.items()
        for way, rivals in RIVALS.items()
    }
    rows = [row for dataset, found in ours.items() for row in trials.rows(dataset, found, ("semantic_loss", "rl", "k"))]
    rows += [
        {
            "data": dataset,
            "method": pair,
            "k": K,
            "measure": "partition_distance",
            "mean": s.mean,
            "sd": s.sd,
            "runs": s.runs,
        }
        for dataset, found in partitions.items()
        for pair, s in found.items()
    ]
    rows += [
        {"data": dataset, "measure": f"seconds, {what}", "mean": value}
        for dataset, found in times.items()
        for what, value in found.items()
    ]
    return Findings(
        page(setting, samples, ours, partitions, times),
        rows,
        figure(ours),
        CAPTION,
        conclusions(ours, partitions, times, ks),
        READING,
    )


def seconds(samples: Samples, table: om.Microdata, ks: Sequence[int], make: Make) -> dict[str, float]:
    """The time of recoding samples by k and the whole table, and of distances, which the thesis computed in advance."""
    sample = next(iter(samples.values()))
    values = {name: sorted(set(sample.mapping[name].concepts.values())) for name in sample.quasi_identifiers}

    def distances() -> None:
        for name, column in sample.quasi_identifiers.items():
            column.distance.matrix(values[name])

    def recode(data: om.Microdata, k: int) -> Callable[[], object]:
        return lambda: make(k).mask(data, seed=0)

    by_k = {f"k = {k}": fmean(processor_seconds(recode(data, k), 5) for data in samples.values()) for k in ks}
    return by_k | {"distances": processor_seconds(distances, 5), "table": processor_seconds(recode(table, K), 5)}


def page(
    setting: Setting,
    samples: Mapping[str, Samples],
    ours: Mapping[str, Trials],
    partitions: Mapping[str, Partitions],
    times: Mapping[str, Times],
) -> str:
    """The thesis' tables and figures as tables; its figures have few numbers to compare with."""
    size = setting.size(RECORDS)
    return "\n\n".join(
        [
            "# Semantic recoding",
            f"T 5.2 recodes {RECORDS} answers of park visitors, two nouns each over WordNet 2.1, and asks what each of "
            "its two heuristics brings: H1, the rarest tuples leave first; H2, they go to the nearest tuple. The "
            f"survey is not public. Here, for each of the {setting.seeds_text()}, {size} records are drawn at random "
            f"({trials.describe(samples)}), and masked with that seed; every figure is mean ± standard deviation over "
            "these.",
            sample_table(samples),
            "Distances are Wu–Palmer inside each column's domain; Wu–Palmer is what guides recoding in T 5.2.4, too. "
            "*As T words it* is Algorithm 2: all tuples of a pass leave at once, for one that is not among "
            "them, and distances are multiplied by the records of the tuple that they lead to (T eq. 4.3; "
            f"`Recoding(k, weighted=True, sequential=False)`). *{DEFAULT.capitalize()}* is `Recoding(k)`: no weights, "
            "and tuples leave in turn, for any that is still there, where the first pass would leave groups of more "
            "than 2k records on average; else at once. What each option of recoding loses on whole tables: [recoding "
            "and resampling](recoding_and_resampling.md).",
            "## What each heuristic brings",
            "T Fig. 13, semantic loss (T eq. 5.1); T's numbers are in its picture only. *By chance*: all tuples with "
            "fewer than k records leave, for any other tuple. Whether tuples leave in turn by default depends on H1, "
            "so here it is fixed: once all leave at once, as T words it, and once all in turn. In the conclusions on "
            f"the heuristics, *{DEFAULT}* is in turn without weights.",
            trials.by_k(ours, HEURISTICS, "semantic_loss", 3),
            "## By meaning or by distribution",
            "T Fig. 14, semantic loss where the tuple to join is chosen by meaning, or such that the sum of squared "
            "group sizes stays least (discernibility, T eq. 5.2).",
            trials.by_k(ours, COMPARED, "semantic_loss", 3),
            partition_table(partitions, K),
            "## Risk",
            "T Fig. 16, records linked by equal values (RL, T eq. 5.7), in percent.",
            trials.by_k(ours, COMPARED, "rl", 2),
            "## Run time",
            "T Fig. 17: 1.2 to 1.6 seconds by k, after 6.33 minutes for the distances between all pairs of values. "
            "Here in milliseconds of one processor, the least of five runs, mean over the samples; distances are "
            "computed within. Beside it the distances alone, between the distinct values of a sample, and all "
            f"records at k = {K}.",
            markdown(
                ["", *next(iter(times.values()))],
                [[dataset, *(f"{1000 * value:.2f}" for value in found.values())] for dataset, found in times.items()],
            ),
        ]
    )


def sample_table(samples: Mapping[str, Samples]) -> str:
    """Martínez 2012, Fig. 12 in numbers: how often answers repeat."""

    def counted(found: Samples, count: Callable[[Any], float]) -> str:
        return trials.shown(Spread.of([float(count(data.table.counts)) for data in found.values()]), 0)

    return markdown(
        ["", "T", *samples],
        [
            ["records", f"{RECORDS}", *(f"{len(next(iter(found.values())))}" for found in samples.values())],
            ["distinct tuples", "211", *(counted(found, len) for found in samples.values())],
            ["of them unique", "118", *(counted(found, lambda c: (c == 1).sum()) for found in samples.values())],
            ["records of the commonest", "115", *(counted(found, max) for found in samples.values())],
        ],
    )


CAPTION = (
    "T Figs. 13, 14 and 16: semantic loss with and without the heuristics, by meaning and by distribution, and records "
    "linked by equal values; mean ± standard deviation over samples. T's pictures have no numbers to be drawn from."
)
READING = (
    "T's survey lies between the two samples: 211 distinct tuples beside 78 and 721. By default tuples leave in turn "
    "on Adult (but for some samples at k = 15 and 20) and on diabetes130 up to k = 3; from k = 5 on they leave at "
    "once there."
)


def figure(ours: Mapping[str, Trials]) -> Figure:
    """One row per table: the heuristics under each schedule, and semantic against distributional."""
    charts: list[LineChart] = []
    for dataset, found in ours.items():
        charts += [
            trials.chart(f"Semantic loss, {dataset}", found, shown, "semantic_loss")
            for shown in (HEURISTICS[:4], HEURISTICS[4:], COMPARED)
        ]
        charts.append(trials.chart(f"RL (%), {dataset}", found, COMPARED, "rl"))
    charts = [replace(chart, value_range=(0.0, 0.01)) for chart in charts]
    return small_multiples(charts, columns=4, title="Recoding with and without meaning")


def conclusions(
    ours: Mapping[str, Trials], partitions: Mapping[str, Partitions], times: Mapping[str, Times], ks: Sequence[int]
) -> list[Conclusion]:
    """The conclusions of the thesis, for Algorithm 2 as the thesis words it and for our default."""
    low, high = [k for k in ks if k <= K], [k for k in ks if k > K]
    ways = {f"{dataset}, {way}": (found, way) for dataset, found in ours.items() for way in RIVALS}

    def gains(where: str, k: int) -> tuple[float, float]:
        """The savings of the loss by H1 and, on top of it, by H2."""
        found, way = ways[where]
        none, first, both = (found("semantic_loss", name, k) for name in STEPS[way])
        return none - first, first - both

    def slightly(where: str, k: int) -> bool:
        """Whether H1 saves something, but little compared with the loss by chance."""
        found, way = ways[where]
        return 0 < gains(where, k)[0] < SLIGHT * found("semantic_loss", STEPS[way][0], k)

    def distributional(where: str, measure: str, k: int) -> float:
        """The relative increase from the semantic to the distributional release."""
        found, way = ways[where]
        semantic, other = (found(measure, name, k) for name in RIVALS[way])
        return other - semantic

    def rl(where: str) -> list[list[float]]:
        """RL of the semantic and the distributional release, by k."""
        found, way = ways[where]
        return [[found("rl", name, k) for k in ks] for name in RIVALS[way]]

    return [
        Conclusion(
            f"H1 alone improves slightly on chance, by less than {SLIGHT:.0%} (our cut-off; above k = 2, where the two "
            "are one)",
            "T 5.2.2, Fig. 13",
            {where: [slightly(where, k) for k in ks if k > 2] for where in ways},
            "It improves at every k. As T words it by more than slightly where k is small: 19 % at k = 3 and 5 on "
            "Adult and 8 to 10 % above, 10 to 24 % on diabetes130 (9.8 % at k = 20). In turn by 3 to 8 % and 4 to 8 %, "
            "on Adult less than a standard deviation. At k = 2 only unique tuples are rare, and none leaves before "
            "another.",
        ),
        Conclusion(
            "H2, to go by meaning, brings the most",
            "T 5.2.2, Fig. 13",
            {where: [gains(where, k)[1] > gains(where, k)[0] for k in ks] for where in ways},
            "As T words it, H2 takes 17 to 45 % off what H1 leaves on Adult and 38 to 51 % on diabetes130; in turn "
            "and without weights 54 to 68 % and 41 to 64 %. The weights of T eq. 4.3 take back some of it. Under the "
            "same schedule, weighted distances lose 1.0 to 1.8 times as much as others on Adult, 0.98 to 1.09 times "
            "on diabetes130: a rare tuple farther away is preferred over a near one that is common. At k = 2 the "
            "schedule matters more: on Adult 0.015 and 0.010 are lost at once, with and without weights, and 0.006 "
            "in turn, either way.",
        ),
        Conclusion(
            "with both the gain over chance is greater above k = 5",
            "T 5.2.2, Fig. 13",
            {
                where: [sum(gains(where, k)) > max(sum(gains(where, less)) for less in low) for k in high]
                for where in ways
            },
            "As T words it the gain is greatest at k = 5, 0.022 on Adult and 0.359 on diabetes130, and shrinks to "
            "0.011 and 0.295 at k = 20: what is lost by chance soon rises no more, what is lost by meaning goes on "
            "rising. In turn and without weights it is 0.025 above k = 5 and 0.024 at it on Adult; on diabetes130 "
            "only k = 20 fails, 0.304 beside 0.307. In shares the "
            "gain shrinks from k = 5 on in each of the four, on Adult as T words it from 55 to 25 % at k = 20.",
        ),
        Conclusion(
            "by distribution more meaning is lost than by meaning, above k = 5",
            "T 5.2.3, Fig. 14",
            {where: [distributional(where, "semantic_loss", k) > 0 for k in high] for where in ways},
            "And at every k below, too. As T words it 1.3 to 1.7 times as much on Adult and 1.7 to 2.1 times on "
            "diabetes130; by default 2.1 to 2.7 and 1.8 to 2.7 times.",
            key="recoding-by-meaning-loses-less",
        ),
        Conclusion(
            "clusters of semantically recoded data are nearer to the original's",
            "T 5.2.4, Table 11",
            {where: [found[PAIRS[0]].mean < found[PAIRS[1]].mean] for where, found in partitions.items()},
            "As T words it 0.17 beside 0.30 on Adult and 0.72 beside 0.95 on diabetes130, by default 0.07 beside "
            "0.30 and 0.71 beside 0.95. T lies between (0.26 and 0.57), as its table does. Where four of five tuples "
            "are unique, seven clusters do not outlive recoding at k = 5, whatever guides it.",
            key="recoding-by-meaning-keeps-clusters",
        ),
        Conclusion(
            "the two releases differ from each other more than the semantic one from the original",
            "T 5.2.4, Table 11",
            {where: [found[PAIRS[2]].mean > found[PAIRS[0]].mean] for where, found in partitions.items()},
            "On Adult as T words it by about a standard deviation, 0.25 beside 0.17; else by much more. As in T they "
            "differ from each other about as much as the distributional one from the original.",
        ),
        Conclusion(
            "RL falls as k rises, with both",
            "T 5.2.5, Fig. 16",
            {where: [more < less for values in rl(where) for less, more in pairwise(values)] for where in ways},
            "A tuple that remains keeps all its records, and each of these is linked with a probability of one to "
            "their number: together they add one record. So RL is the number of tuples that remain, in percent of "
            "the records. As T words it, the distributional one is the same at k = 2 and 3: the unique tuples all go "
            "to those of two records, after which no tuple has two.",
        ),
        Conclusion(
            f"and is quite stable from k = {K} on: to the last k it falls by no more than a quarter (our cut-off)",
            "T 5.2.5, Fig. 16",
            {where: [values[-1] >= (1 - STABLE) * values[ks.index(K)] for values in rl(where)] for where in ways},
            "It falls by 33 to 39 % on Adult and 69 to 73 % on diabetes130. In points that is little on Adult, 0.7 "
            "to 0.8. By default RL falls faster before k = 5, by half on Adult and two thirds on diabetes130, so "
            "that its line looks flat from there on, as T may have meant; as T words it, by 13 to 19 % only.",
        ),
        Conclusion(
            "RL is lower by meaning than by distribution",
            "T 5.2.5, Fig. 16",
            {where: [distributional(where, "rl", k) > 0 for k in ks] for where in ways},
            "As T words it nothing can differ at k = 2: all unique tuples leave and all others remain, whatever "
            "guides them. Above it the difference is 0.04 points at most on Adult, and on diabetes130 it changes "
            "sign: 0.67 at k = 10, −0.05 and −0.22 at 15 and 20. By default rare tuples that go to other rare ones, "
            "as discernibility wants it, leave more tuples than those that go to the nearest, which is often a "
            "common one. The one case is k = 5 on diabetes130, 10.5 beside 10.1 %, about a standard deviation.",
            key="recoding-by-meaning-is-linked-less",
        ),
        Conclusion(
            f"especially for small k: by more at every k below {K} than at any from {K} on",
            "T 5.2.5, Fig. 16",
            {
                where: [
                    distributional(where, "rl", k) < min(distributional(where, "rl", less) for less in ks if less < K)
                    for k in ks
                    if k >= K
                ]
                for where in ways
            },
            "By default 0.7 points below k = 5 and at most 0.4 from there on, on Adult; 3.9 and 2.8 beside at most "
            "1.3 on diabetes130. As T words it there is no difference at k = 2, for the reason just given. If T's "
            "picture begins at k = 2, it was hardly made as Algorithm 2 is worded.",
        ),
        Conclusion(
            f"the run time is almost constant with respect to k: the longest is less than {STEADY:g} times the "
            "shortest (our cut-off; 1.6 and 1.2 seconds in T Fig. 17)",
            "ours; cf. T 9.2.3, Fig. 42",
            {where: [steady([found[f"k = {k}"] for k in ks])] for where, found in times.items()},
            "T says it of Fig. 42, which is judged by the same rule in [three methods on clinical data](clinical.md). "
            "All are milliseconds, and the ratios lie around the cut-off, on either side: verdicts changed from run "
            "to run with what else the machine had to do.",
        ),
        Conclusion(
            "distances take longer than all else",
            "T 5.2.6",
            {where: [found["distances"] > found[f"k = {K}"] / 2] for where, found in times.items()},
            "T computed distances one by one, through WordNet, for 6.33 minutes. Here they come in one sweep, a few "
            "hundredths of a run.",
        ),
        Conclusion(
            "run times are far below the several hours of related work: all records take less than a minute (our "
            "cut-off)",
            "T 5.2.6",
            {where: [found["table"] < 60] for where, found in times.items()},
            "A hundredth of a second for 30,162 records of Adult, some tenths for 100,244 of diabetes130. The hours "
            "were measured on other tables, with other methods and older machines: this says little of any of them.",
        ),
    ]
