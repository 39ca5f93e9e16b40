"""Which methods are on the frontier of risk and loss?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import exp, isnan, log, nan
from typing import Any

import ontomask as om
from experiments.beyond.answer import Answer, row
from experiments.shared.findings import Setting, Spread, interpolate, markdown
from experiments.shared.samples import draw, public_tables
from ontomask.figures import Points, ScatterChart, small_multiples

__all__ = ["REFERENCE", "family", "frontier", "level", "methods"]

# The method that others are compared with. It has the most levels, down to two groups.
REFERENCE = "microaggregation"
KS, ALPHAS, SWAPS = (2, 5, 10, 20, 50, 200, 500), (0.1, 0.3, 0.5, 1.0), (2, 5, 10, 20, 50, 100, 500)
FEW = (2, 10, 50)

# By family: the function that makes a method, the symbol of its level, and the levels (none if it has no level).
Make = Callable[..., om.Method]
FAMILIES: Mapping[str, tuple[Make, str, Sequence[float]]] = {
    REFERENCE: (om.Microaggregation, "k", (2, 3, 5, 10, 20, 50, 100, 200, 500, 700, 1000, 2000)),
    f"{REFERENCE}, SA-MDAV": (lambda k: om.Microaggregation(k, variant="sa_mdav"), "k", KS),
    "recoding": (om.Recoding, "k", KS),
    "resampling": (om.Resampling, "k", KS),
    "Heer's resampling": (om.HeerResampling, "t", FEW),
    "generalisation": (lambda k: om.Generalisation(k, variant="best_first"), "k", KS),
    "full-domain generalisation": (lambda k: om.Generalisation(k, mode="full_domain"), "k", FEW),
    "suppression": (om.Suppression, "k", FEW),
    "uncorrelated noise": (om.UncorrelatedNoise, "α", ALPHAS),
    "correlated noise": (om.CorrelatedNoise, "α", ALPHAS),
    "rank swapping": (om.RankSwapping, "k", SWAPS),
    "rank swapping, unswapped": (lambda k: om.RankSwapping(k, interval="unswapped"), "k", SWAPS),
    "distributional swapping": (om.DistributionalRankSwapping, "k", FEW),
    "PRAM": (om.PRAM, "stays", (0.95, 0.8, 0.5)),
    "data swapping": (om.DataSwapping, "", ()),
    "naive distortion": (om.NaiveDistortion, "", ()),
    "probabilistic distortion": (om.ProbabilisticDistortion, "", ()),
}


def methods(setting: Setting, records: int) -> list[om.Method]:
    """All methods for a table with that many records, at levels that leave at least two groups."""
    made: list[om.Method] = []
    for make, _, levels in FAMILIES.values():
        small = [level for level in levels if 2 * level <= records]
        made += [make(level) for level in setting.parameters(small)] if levels else [make()]
    return made


def family(method: str) -> str:
    """The family of a method, by its name in a comparison."""
    return _KNOWN[method][0]


def level(method: str) -> str:
    """The level of a method in short: ``k=5``."""
    return _KNOWN[method][1]


_KNOWN = {
    repr(make(level)): (name, f"{symbol}={level}")
    for name, (make, symbol, levels) in FAMILIES.items()
    for level in levels
} | {repr(make()): (name, "") for name, (make, _, levels) in FAMILIES.items() if not levels}


RECORDS = 5000
RISK, LOSS, DEPENDENCE = "srl", "loss_percent", "sdcor_difference"
# The largest L in percent that the picture shows.
SHOWN = 100
# The k at which k-anonymous methods are compared, and these methods.
AT = (2, 5, 10, 20, 50, 200)
PROMISE_K = ("Microaggregation", "Recoding", "Resampling", "Generalisation")

# One comparison per sample, by table.
Runs = Mapping[str, Sequence[om.Comparison]]
# By table and method, or by table, family and level of the reference.
ByMethod = Mapping[tuple[str, str], Spread]
ByFamily = Mapping[tuple[str, str, str], Spread]


def frontier(setting: Setting) -> Answer:
    """Compare all methods: which are on the frontier, and what does each lose at equal linkage?"""
    size, seeds = setting.size(RECORDS), setting.seeds(5)
    tried = methods(setting, size)
    found: Runs = {
        dataset: [om.compare(draw(table, size, seed), tried, seeds=[seed], jobs=1, attacks=False) for seed in seeds]
        for dataset, table in public_tables(setting).items()
    }
    pooled = {dataset: om.Comparison(tuple(row for one in runs for row in one.rows)) for dataset, runs in found.items()}
    times = {(dataset, method): t for dataset, runs in found.items() for method, t in _times_reference(runs).items()}
    equal = {
        (dataset, *case): change for dataset, runs in found.items() for case, change in _at_equal_risk(runs).items()
    }
    text = [
        f"Every method at several levels, on {size:,} random records of each table for each of "
        f"the {setting.seeds_text(5)}. The figures are the share of records that an intruder links by nearest "
        "meaning (SRL) and the loss (L; a record that is left out counts as moved by 1 in every column). A method is "
        "on the frontier if no other method is better in one figure and at least as good in the other. The table "
        "shows, for each family, the levels that are on the frontier by their means over the samples, and in how "
        "many samples each of them is.",
        _frontier_table(found, pooled, LOSS),
        "The frontier depends on the levels that are tried. So the next table shows the loss relative "
        f"to {REFERENCE} at the same SRL (interpolated between its levels on logarithmic scales, sample by sample; "
        f"mean ± standard deviation over the samples). Levels are left out if {REFERENCE} does not reach their SRL "
        "in some samples.",
        _times_table(times, pooled),
        "The frontier if the dependence between the columns (the change of sdCor) is the criterion instead of L:",
        _frontier_table(found, pooled, DEPENDENCE),
        f"The change of sdCor of each family at the SRL of {REFERENCE} at each k (also interpolated between the "
        "family's levels). A dash means that the family does not reach this SRL in some samples. Families that never "
        "reach it are left out:",
        _equal_table(equal, pooled),
        "At equal k, the k-anonymous methods:",
        _at_k(pooled),
    ]
    return Answer(
        "frontier",
        "Where is each method on the frontier of risk and loss?",
        text,
        SHORT,
        LEARNED,
        small_multiples([_chart(dataset, one) for dataset, one in pooled.items()], columns=1, title="Risk and loss"),
        _caption(pooled, len(seeds)),
        [
            *_rows(found),
            *(
                row("frontier", dataset, method, "loss relative to the reference, same SRL", spread)
                for (dataset, method), spread in times.items()
            ),
            *(
                row("frontier", dataset, name, f"{DEPENDENCE}, same SRL", spread, reference=f"{REFERENCE} {k}")
                for (dataset, name, k), spread in equal.items()
            ),
        ],
    )


def _frontier_table(found: Runs, pooled: Mapping[str, om.Comparison], loss: str) -> str:
    head = ["", "family", "on the frontier by its means", "in how many samples"]
    return markdown(head, [line for p, one in pooled.items() for line in _families(p, one, found[p], loss)], left=4)


def _families(dataset: str, pooled: om.Comparison, runs: Sequence[om.Comparison], loss: str) -> list[list[str]]:
    """One line per family on the frontier, and one that names the others."""
    best, often = pooled.frontier(RISK, loss), Counter(method for one in runs for method in one.frontier(RISK, loss))
    lines: list[list[str]] = []
    never: list[str] = []
    for name in _names(pooled):
        on = [level(method) or "yes" for method in best if family(method) == name]
        seen = [f"{level(m)} {count}".strip() for m, count in often.items() if family(m) == name]
        if seen:
            lines.append([dataset if not lines else "", name, "; ".join(on) or "—", "; ".join(seen)])
        else:
            never.append(name)
    return [*lines, ["", ", ".join(never), "—", f"0 of {len(runs)}"]] if never else lines


def _names(one: om.Comparison) -> list[str]:
    return list(dict.fromkeys(family(row["method"]) for row in one.rows))


def _measured(one: om.Comparison) -> list[dict[str, Any]]:
    """The means of methods with a result in every run."""
    return [row for row in one.summary().iter_rows(named=True) if not row["failed"]]


def _curve(one: om.Comparison, name: str, figure: str) -> list[tuple[float, float]]:
    """The levels of a family by the logarithm of their SRL, in one sample."""
    rows = (row for row in one.rows if family(row["method"]) == name and row["error"] is None)
    return [(log(row[RISK]), row[figure]) for row in rows if row[RISK] > 0]


def _times_reference(runs: Sequence[om.Comparison]) -> dict[str, Spread]:
    """The loss of each method relative to the reference at the same SRL, where that is known."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for one in runs:
        reference = [(risk, log(loss)) for risk, loss in _curve(one, REFERENCE, LOSS)]
        for run in one.rows:
            if run["error"] is None and family(run["method"]) != REFERENCE:
                linked = run[RISK] > 0
                found[run["method"]].append(run[LOSS] / exp(interpolate(reference, log(run[RISK]))) if linked else nan)
    spreads = {method: Spread.of(values) for method, values in found.items()}
    return {method: spread for method, spread in spreads.items() if not isnan(spread.mean)}


def _times_table(times: ByMethod, pooled: Mapping[str, om.Comparison]) -> str:
    lines = []
    for dataset, one in pooled.items():
        here = {method: spread for (where, method), spread in times.items() if where == dataset}
        for number, name in enumerate(dict.fromkeys(map(family, here))):
            shown = [f"{level(m)} {s.mean:.2f} ± {s.sd:.2f}".strip() for m, s in here.items() if family(m) == name]
            lines.append(["" if number else dataset, name, "; ".join(shown)])
        never = [name for name in _names(one) if name != REFERENCE and name not in map(family, here)]
        lines += [["", ", ".join(never), "—"]] if never else []
    return markdown(["", "family", f"L relative to {REFERENCE} at the same SRL"], lines, left=3)


def _at_equal_risk(runs: Sequence[om.Comparison]) -> dict[tuple[str, str], Spread]:
    """The change of sdCor at the same SRL, by family and level of the reference, where that is known."""
    steps = [row["method"] for row in runs[0].rows if family(row["method"]) == REFERENCE]
    found: dict[tuple[str, str], Spread] = {}
    for name, step in product(_names(runs[0]), steps):
        values = []
        for one in runs:
            (risk,) = (row[RISK] for row in one.rows if row["method"] == step)
            curve = _curve(one, name, DEPENDENCE)
            values.append(interpolate(curve, log(risk)) if curve else nan)
        found[name, level(step)] = Spread.of(values)
    return {case: spread for case, spread in found.items() if not isnan(spread.mean)}


def _equal_table(equal: ByFamily, pooled: Mapping[str, om.Comparison]) -> str:
    """A table with one row per family and one column per level of the reference."""
    lines = []
    for dataset, one in pooled.items():
        risks = {level(row["method"]): row[RISK] for row in _measured(one) if family(row["method"]) == REFERENCE}
        lines.append([f"*{dataset}: SRL (%)*", *(f"*{risk:.2f}*" for risk in risks.values())])
        for name in dict.fromkeys(name for where, name, _ in equal if where == dataset):
            cells = (equal.get((dataset, name, k)) for k in risks)
            lines.append([name, *("—" if s is None else f"{s.mean:.3f} ± {s.sd:.3f}" for s in cells)])
    return markdown(["", *risks], lines)


def _at_k(pooled: Mapping[str, om.Comparison]) -> str:
    """The k-anonymous methods by loss, for each k."""
    lines = []
    for dataset, one in pooled.items():
        rows = [row for row in _measured(one) if row["family"] in PROMISE_K and "full_domain" not in row["method"]]
        for k in AT:
            there = sorted((row for row in rows if level(row["method"]) == f"k={k}"), key=lambda row: row[LOSS])
            if there:
                shown = [f"{family(row['method'])} {row[LOSS]:.1f} ({row[RISK]:.1f})" for row in there]
                lines.append([dataset if k == AT[0] else "", f"{k}", ", ".join(shown)])
    return markdown(["", "k", "L in percent (SRL in percent), smallest loss first"], lines, left=3)


def _chart(dataset: str, one: om.Comparison) -> ScatterChart:
    """SRL over the logarithm of L; points on the frontier have a label."""
    best = one.frontier(RISK, LOSS)
    shown = [row for row in _measured(one) if 0 < row[LOSS] <= SHOWN]
    series = []
    for style, name in enumerate(_names(one)):
        part = [row for row in shown if family(row["method"]) == name]
        called = name.removeprefix(REFERENCE).removeprefix(", ")
        labels = [f"{called} {level(row['method'])}".strip() if row["method"] in best else "" for row in part]
        if part:
            series.append(
                Points(name, [row[LOSS] for row in part], [row[RISK] for row in part], labels=labels, style=style)
            )
    return ScatterChart(
        series,
        frontier=[(row[LOSS], row[RISK]) for row in shown if row["method"] in best],
        x_title="loss L (%)",
        y_title="linked by nearest meaning, SRL (%)",
        title=dataset,
        log_x=True,
        width=700,
        height=420,
    )


def _caption(pooled: Mapping[str, om.Comparison], samples: int) -> str:
    text = (
        f"Every method by its means over {samples} samples, and the frontier. Only methods on the frontier are "
        f"labelled ({REFERENCE} by its k)."
    )
    left_out = []
    for dataset, one in pooled.items():
        gone = [row["method"] for row in _measured(one) if row[LOSS] > SHOWN]
        names = [
            f"{name} {', '.join(level(method) for method in gone if family(method) == name)}".strip()
            for name in dict.fromkeys(map(family, gone))
        ]
        left_out += [f"on {dataset} {'; '.join(names)}"] if names else []
    more = f" Not shown are methods that lose more than {SHOWN} %, as if all records had become one: "
    return f"{text}{more}{'; and '.join(left_out)}." if left_out else text


def _rows(found: Runs) -> Iterator[dict[str, Any]]:
    """Every figure of every method over the samples, and the share of samples in which it is on each frontier."""
    for dataset, runs in found.items():
        bests = {loss: [one.frontier(RISK, loss) for one in runs] for loss in (LOSS, DEPENDENCE)}
        for number, first in enumerate(runs[0].rows):
            rows = [one.rows[number] for one in runs]
            if any(row["error"] is not None for row in rows):
                continue
            method = first["method"]
            for name in (RISK, LOSS, DEPENDENCE, "rl", "k", "semantic_loss"):
                yield row("frontier", dataset, method, name, [row[name] for row in rows])
            for loss, best in bests.items():
                yield row("frontier", dataset, method, f"on_frontier_{loss}", [float(method in one) for one in best])


SHORT = (
    "Refined microaggregation is on it at every k, on both tables and in every sample. If the dependence of columns "
    "is the criterion instead of the loss, rank swapping is on it on Adult, and shares it with others on diabetes130."
)

LEARNED = (
    "Microaggregation (refined) is the only method that is on the frontier at every k, on both tables and in every "
    "sample. By the means, nothing else loses as little at the same linkage. How close the others come depends on "
    "the table. On diabetes130, SA-MDAV comes closer as k grows, from 1.4 times the loss at k = 5 to 1.02 at k = "
    "500, and from k = 10 on it is on the frontier in every sample. Recoding loses 1.2 to 1.4 times as much, and "
    "generalisation 1.3 to 1.6 times. Resampling loses 4 times as much at k = 2, and 1.1 times at k = 200 and 500, "
    "where little is left. On Adult, recoding is closest (1.1 to 1.4 times; on the frontier at k = 2, 200 and 500 in "
    "every sample). SA-MDAV loses 1.5 to 2.1 times as much, generalisation 2 to 7 times, and resampling 1.5 to 14 "
    "times. Recoding is on the frontier only because of gaps between the levels of microaggregation. At k = 2 it is "
    "between k = 2 and k = 3 of microaggregation, and loses 10 % (Adult) and 16 % (diabetes130) more than the line "
    "through these two. At k = 200 and 500 on Adult it is 13 and 20 %. Beyond the largest k, there are only methods "
    "that ignore meaning, with L above 140 %, and on diabetes130 full-domain generalisation, which loses 108 % at k "
    "= 50. At equal k, microaggregation always has the smallest loss and resampling the smallest SRL, and methods "
    "differ more than at equal SRL. At k = 5 on diabetes130, resampling loses seven times as much as "
    "microaggregation, but 2.6 times as much as microaggregation with the same SRL. Rank swapping is never on the "
    "frontier. It loses 2.2 to 3.0 times as much on Adult and 1.7 to 4.1 times on diabetes130. With the interval of "
    "unswapped records it loses 2.5 to 6.9 and 2.5 to 4.1 times as much. These are not on the frontier, either: "
    "Heer's resampling loses 4.2 to 8.4 and 1.6 to 2.1 times as much, distributional swapping 7.6 to 10.5 and 6.3 to "
    "7.0 times, PRAM at 0.5 85 and 11 times, and suppression 27 to 66 and 9 to 21 times. Noise loses 31 to 53 and "
    "6.2 to 7.9 times as much. On Adult nine of ten records have the same country, and noise moves all of them. "
    "Full-domain generalisation loses 14 to 44 times as much on Adult, and 1.6 times at k = 2 on diabetes130; only "
    "its end is on the frontier. But L is not everything. If the dependence between columns is the criterion, the "
    "frontier on Adult is rank swapping with both intervals, and beyond it only naïve distortion. On diabetes130 it "
    "shares the frontier with microaggregation at k = 5 and 10, local generalisation at k = 200 and 500, Heer's "
    "resampling with two samples, and naïve distortion. At the SRL of microaggregation at k = 5 (11.4 %), rank "
    "swapping changes sdCor by 0.002 there, microaggregation by 0.001, and uncorrelated noise by 0.073. But at k = "
    "50 (1.4 %), microaggregation changes it by 0.13, more than generalisation or swapping with unswapped records "
    "(both 0.09)."
)
