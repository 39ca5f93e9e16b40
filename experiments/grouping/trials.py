"""Measure k-anonymous methods by k and over seeds (the figures of Martínez 2012, chapters 5 to 9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log
from statistics import correlation
from typing import Any, Literal

import ontomask as om
from experiments.shared.findings import Spread, line_with_band, markdown
from ontomask.comparison.compare import MEASURES
from ontomask.figures import Line, LineChart

__all__ = [
    "PAIRS",
    "STEADY",
    "TABLES",
    "WEIGHTS",
    "Make",
    "Partitions",
    "Trials",
    "by_k",
    "by_weight",
    "chart",
    "compare_clusters",
    "describe",
    "line",
    "measure",
    "partition_table",
    "rows",
    "shown",
    "steady",
    "straight",
    "weights_chart",
]

# A function that makes a method for a k.
Make = Callable[[int], om.Method]
# Weights of the loss in the score.
WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

# The thesis calls times "almost constant" in k. Our threshold, the same on all pages: the longest is less than this
# multiple of the shortest.
STEADY = 1.5

# Descriptions of the tables of `public_tables`.
TABLES = {
    "Adult": "Adult's occupation × native-country over WordNet 3.0",
    "diabetes130": "diabetes130's first two diagnoses over ICD-9-CM",
}


@dataclass(frozen=True)
class Trials:
    """The figures of methods at each k, by method, k and measure.

    The measures are those of `ontomask.compare`, and the score with each risk, with equal weights of loss and risk.
    """

    figures: Mapping[tuple[str, int], Mapping[str, Spread]]

    def __call__(self, measure: str, method: str, k: int) -> float:
        """The mean of a figure over the seeds."""
        return self.figures[method, k][measure].mean

    def seconds(self, method: str, ks: Sequence[int]) -> float:
        """The total time over several k; single times are too short to compare."""
        return sum(self("seconds", method, k) for k in ks)

    def score(self, method: str, k: int, weight: float = 0.5, risk: Literal["rl", "srl"] = "srl") -> float:
        """The score, a weighted mean of loss and risk (Martínez 2012, eq. 6.5); less is better."""
        return weight * self("loss_percent", method, k) + (1 - weight) * self(risk, method, k)

    def best(self, methods: Sequence[str], k: int, weight: float, risk: Literal["rl", "srl"]) -> str:
        """The method with the smallest score."""
        return min(methods, key=lambda method: self.score(method, k, weight, risk))


def measure(
    tables: Mapping[int, om.Microdata], methods: Mapping[str, Make], ks: Sequence[int], distance: str | None = None
) -> Trials:
    """Mask and evaluate with every method and k; `tables` holds the table or sample for each seed."""
    made = {repr(make(k)): (name, k) for name, make in methods.items() for k in ks}
    found: defaultdict[tuple[str, int], defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for seed, data in tables.items():
        every = [make(k) for make in methods.values() for k in ks]
        for row in om.compare(data, every, seeds=[seed], distance=distance, jobs=1, attacks=False).rows:
            for name in MEASURES:
                value = row[name]
                found[made[row["method"]]][name].append(float("nan") if value is None else value)
            for risk in ("rl", "srl"):
                found[made[row["method"]]][f"score_{risk}"].append((row["loss_percent"] + row[risk]) / 2)
    return Trials(
        {
            case: {
                # The first run may compile, and others may wait for the machine: the shortest counts.
                name: Spread.of([min(values)] if name == "seconds" else values)
                for name, values in measures.items()
            }
            for case, measures in found.items()
        }
    )


def rows(dataset: str, trials: Trials, measures: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Plain data, one row per figure."""
    for (method, k), found in trials.figures.items():
        for name in measures:
            spread = found[name]
            yield {
                "data": dataset,
                "method": method,
                "k": k,
                "measure": name,
                "mean": spread.mean,
                "sd": spread.sd,
                "runs": spread.runs,
            }


def describe(datasets: Iterable[str]) -> str:
    """Descriptions of the tables."""
    return " and ".join(TABLES[dataset] for dataset in datasets)


def shown(spread: Spread, digits: int = 2) -> str:
    """A figure, with its standard deviation unless that rounds to zero."""
    if not isfinite(spread.mean):
        return "—"
    text = f"{spread.mean:,.{digits}f}"
    return f"{text} ± {spread.sd:,.{digits}f}" if spread.sd >= 0.5 / 10**digits else text


def by_k(
    trials: Mapping[str, Trials],
    methods: Sequence[str],
    measure: str,
    digits: int = 2,
    theirs: Sequence[Sequence[str]] = (),
) -> str:
    """A table of one figure: one row per method and data set, one column per k; the paper's rows come first."""
    lines = [list(line) for line in theirs]
    ks: list[int] = []
    for dataset, found in trials.items():
        its_ks = list(dict.fromkeys(k for _, k in found.figures))
        ks = ks or its_ks
        lines += [
            [
                dataset if number == 0 else "",
                method,
                *(shown(found.figures[method, k][measure], digits) for k in its_ks),
            ]
            for number, method in enumerate(methods)
        ]
    return markdown(["", "", *(f"k = {k:,}" for k in ks)], lines, left=2)


def by_weight(
    trials: Mapping[str, Trials], methods: Sequence[str], at: Mapping[str, int], risk: Literal["rl", "srl"]
) -> str:
    """A table of scores: one row per method, one column per weight of the loss; each data set at its k."""
    lines = [
        [
            f"{dataset}, k = {at[dataset]:,}" if number == 0 else "",
            method,
            *(f"{found.score(method, at[dataset], weight, risk):.2f}" for weight in WEIGHTS),
        ]
        for dataset, found in trials.items()
        for number, method in enumerate(methods)
    ]
    return markdown(["", "", *(f"α = {weight:g}" for weight in WEIGHTS)], lines, left=2)


def chart(title: str, trials: Trials, methods: Sequence[str], measure: str, *, log: bool = False) -> LineChart:
    """A chart of one figure by k."""
    lines = []
    for style, method in enumerate(methods):
        ks = [k for name, k in trials.figures if name == method]
        lines.append(line(method, ks, [trials.figures[method, k][measure] for k in ks], style))
    return LineChart(lines, x_title="k", title=title, width=220, height=150, log_x=log)


def line(name: str, ks: Sequence[int], spreads: Sequence[Spread], style: int) -> Line:
    """Means by k, with a band of one standard deviation unless it is narrower than the line."""
    band = any(spread.sd > 0.05 * abs(spread.mean) for spread in spreads)
    return line_with_band(name, ks, spreads, style, band=band)


def weights_chart(title: str, trials: Trials, methods: Sequence[str], k: int, risk: Literal["rl", "srl"]) -> LineChart:
    """The score by the weight of the loss, as straight lines."""
    ends = (WEIGHTS[0], WEIGHTS[-1])
    lines = [
        Line(method, ends, [trials.score(method, k, weight, risk) for weight in ends], style=style)
        for style, method in enumerate(methods)
    ]
    return LineChart(lines, x_title="weight of the loss", title=title, width=220, height=150)


def steady(values: Sequence[float], times: float = STEADY) -> bool:
    """Whether the maximum is less than the given multiple of the minimum."""
    return max(values) < times * min(values)


def straight(ks: Sequence[int], values: Sequence[float]) -> bool:
    """Whether values correlate better with k than with its logarithm."""
    return correlation(ks, values) > correlation([log(k) for k in ks], values)


# Section 4.3.5.1 cuts the dendrogram of the same survey into this number of clusters. Section 5.2.4 does not say.
CLUSTERS = 7
# The compared clusters, and the figures of Table 11.
PAIRS = ("original and semantic", "original and distributional", "semantic and distributional")
TABLE_11 = (0.26, 0.57, 0.56)

Partitions = Mapping[str, Spread]


def compare_clusters(samples: Iterable[tuple[int, om.Microdata]], rivals: tuple[Make, Make], k: int) -> Partitions:
    """Distances between Ward's clusters of the original and of its semantic and distributional releases."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for seed, data in samples:
        semantic, distributional = (make(k).mask(data, seed=seed) for make in rivals)
        attributes = {name: column.kind for name, column in data.quasi_identifiers.items()}
        # One release may hold values that the other has lost, so the mapping of all values is given.
        meant = {name: data.mapping[name].concepts for name in attributes}
        released = om.Microdata(semantic.frame, attributes)
        scores = (
            om.evaluate(data, semantic, clusters=CLUSTERS, seed=seed, attacks=False),
            om.evaluate(data, distributional, clusters=CLUSTERS, seed=seed, attacks=False),
            om.evaluate(released, distributional.frame, mapping=meant, clusters=CLUSTERS, seed=seed, attacks=False),
        )
        for pair, score in zip(PAIRS, scores, strict=True):
            assert score.clustering is not None
            found[pair].append(score.clustering.distance)
    return {pair: Spread.of(values) for pair, values in found.items()}


def partition_table(partitions: Mapping[str, Partitions], k: int) -> str:
    """The thesis' figures and ours."""
    lines = [
        [pair, f"{theirs:.2f}", *(shown(found[pair]) for found in partitions.values())]
        for pair, theirs in zip(PAIRS, TABLE_11, strict=True)
    ]
    table = markdown(["clusters of", "Martínez 2012", *partitions], lines)
    return (
        "Martínez 2012, Table 11: distances between the clusters of the same records before and after masking at k "
        f"= {k} (0: the same clusters, 1: nothing in common). Ward's method with {CLUSTERS} clusters, as the thesis "
        f"uses for the same survey in another section.\n\n{table}"
    )
