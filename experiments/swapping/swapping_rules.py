"""Tables and conclusions of Rodriguez-Garcia 2019, section 4.2, on swapping two columns, as rules for any table.

Both pages on swapping use these rules, and the paper's own tables are checked against them as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import ontomask as om
from experiments.shared.findings import Conclusion, Spread
from experiments.shared.perturbation import Measures, Of, Theirs, as_printed, printed

__all__ = [
    "ALGORITHMS",
    "BY_CHANCE",
    "DISTRIBUTIONAL",
    "FIRST",
    "KS",
    "METRICS",
    "PRINTED",
    "SECOND",
    "TABLES",
    "THIRD",
    "WORDS",
    "change",
    "judged",
    "original",
    "printed_table",
    "rmse",
]

KS = (2, 5, 10, 20, 50, 100)
ALGORITHMS = {"Algorithm 1": 1, "Algorithm 2": 2, "Algorithm 3": 3}
FIRST, SECOND, THIRD = ALGORITHMS
DISTRIBUTIONAL, BY_CHANCE = "distributional rank swapping", "data swapping"
PRINTED = "published tables"
RMSE: tuple[Of, ...] = (("rmse", "A"), ("rmse", "B"))
CHANGE: tuple[Of, ...] = (("sdcor_change", "AB"),)
EXACT: tuple[Of, ...] = (("mean_shift", "A"), ("mean_shift", "B"), ("sdvar_change", "A"), ("sdvar_change", "B"))
METRICS: tuple[Of, ...] = (*EXACT, *RMSE, ("sdcor", "AB"), *CHANGE)


def printed_table(metrics: Sequence[Of], *figures: Sequence[float]) -> Theirs:
    """A printed table: its figures in that order, at six k each."""
    return as_printed(metrics, KS, figures)


# Tables 2–4: means and variances differ by 0 at every k.
TABLES: Mapping[str, Theirs] = {
    FIRST: printed_table(
        METRICS,
        *[[0.0] * len(KS)] * len(EXACT),
        (0.4558, 0.5423, 0.5560, 0.5823, 0.6018, 0.6083),
        (0.3562, 0.3712, 0.4118, 0.4166, 0.4650, 0.5016),
        (0.2705, 0.2689, 0.2649, 0.2647, 0.2628, 0.2520),
        (0.1890, 0.1906, 0.1946, 0.1948, 0.1967, 0.2075),
    ),
    SECOND: printed_table(
        METRICS,
        *[[0.0] * len(KS)] * len(EXACT),
        (0.1439, 0.1887, 0.2300, 0.2782, 0.3513, 0.4062),
        (0.0544, 0.0776, 0.1014, 0.1413, 0.2153, 0.2941),
        (0.4191, 0.4092, 0.4039, 0.3648, 0.3235, 0.2800),
        (0.0404, 0.0503, 0.0556, 0.0947, 0.1360, 0.1795),
    ),
    THIRD: printed_table(
        METRICS,
        *[[0.0] * len(KS)] * len(EXACT),
        (0.1966, 0.2707, 0.3130, 0.3659, 0.4145, 0.4656),
        (0.0920, 0.1433, 0.1613, 0.2083, 0.2697, 0.3745),
        (0.4567, 0.4410, 0.4363, 0.4160, 0.3826, 0.3145),
        (0.0028, 0.0185, 0.0232, 0.0435, 0.0769, 0.1450),
    ),
}
R_MEASURES = printed(TABLES)


def rmse(measures: Measures, method: str, k: float | None, letter: str) -> float:
    """The RMSE of a column, averaged over the seeds."""
    return measures[method, k]["rmse", letter].mean


def change(measures: Measures, method: str, k: float | None, pair: str = "AB") -> float:
    """The change of the sdCor of two columns, averaged over the seeds."""
    return measures[method, k]["sdcor_change", pair].mean


# Whether each case of the measurements holds.
Holds = Callable[[Measures, Sequence[int]], list[bool]]


def _pairs(
    measures: Measures, ks: Sequence[int], some: Sequence[str], others: Sequence[str], of: Sequence[Of]
) -> Iterator[tuple[Spread, Spread]]:
    """The figures of methods paired with those of others at the same k, if both are known."""
    for one, other, k in product(some, others, ks):
        here, there = (measures.get((method, k)) or measures.get((method, None)) for method in (one, other))
        if here and there:
            yield from ((here[figure], there[figure]) for figure in of)


def _compared(
    some: Sequence[str], others: Sequence[str], of: Sequence[Of], how: Callable[[Spread, Spread], bool]
) -> Holds:
    return lambda measures, ks: [how(here, there) for here, there in _pairs(measures, ks, some, others, of)]


def _less(here: Spread, there: Spread) -> bool:
    return here.mean < there.mean


def _significantly_less(here: Spread, there: Spread) -> bool:
    return here.high < there.low


def _within_a_fifth(here: Spread, there: Spread) -> bool:
    return abs(here.mean - there.mean) <= there.mean / 5


def _not_a_fifth_less(here: Spread, there: Spread) -> bool:
    return here.mean > 0.8 * there.mean


def _lead(here: Spread, there: Spread) -> float:
    """The relative reduction from the second to the first."""
    return 1 - here.mean / there.mean if there.mean else 0.0


def _least_lead(of: Sequence[Of]) -> float:
    """The smallest lead of Algorithms 2 and 3 over Algorithm 1 in the printed tables."""
    return min(_lead(here, there) for here, there in _pairs(R_MEASURES, KS, (SECOND, THIRD), (FIRST,), of))


def _drastically(others: Sequence[str], of: Sequence[Of]) -> Holds:
    least = _least_lead(of)
    return _compared((SECOND, THIRD), others, of, lambda here, there: _lead(here, there) >= least)


def _lost(measures: Measures, ks: Sequence[int], methods: Sequence[str]) -> list[float]:
    """The share of sdCor that is lost up to k = 20, and without a k."""
    found = [one for (name, k), one in measures.items() if name in methods and (k is None or (k in ks and k <= 20))]
    changes = [(one["sdcor", "AB"].mean, one["sdcor_change", "AB"].mean) for one in found]
    return [change / (left + change) for left, change in changes]


def _exact(measures: Measures, _: Sequence[int]) -> list[bool]:
    return [found[of].mean < 1e-12 for found in measures.values() for of in EXACT]


def _grows(measures: Measures, ks: Sequence[int]) -> list[bool]:
    return [
        rmse(measures, method, less, letter) < rmse(measures, method, more, letter)
        for method in ALGORITHMS
        for less, more in pairwise(ks)
        for letter in "AB"
    ]


def _lag_shrinks(measures: Measures, ks: Sequence[int]) -> list[bool]:
    def lag(other: str, k: int) -> float:
        return change(measures, FIRST, k) - change(measures, other, k)

    return [lag(other, less) > lag(other, more) for other in (SECOND, THIRD) for less, more in pairwise(ks)]


@dataclass(frozen=True)
class Rule:
    """A conclusion of the paper on two swapped columns, and the function that checks it."""

    text: str
    source: str
    holds: Holds
    key: str = ""


NOT_SEMANTIC = (DISTRIBUTIONAL, BY_CHANCE)
WORDS = (
    "In the verdicts, *significantly* less or better means by more than one standard deviation of each of the two. "
    "The paper prints none, so for the published tables it means less or better. *Drastically* means by at least the "
    f"smallest lead in the published tables, {100 * _least_lead(RMSE):.0f} % of the RMSE "
    f"and {100 * _least_lead(CHANGE):.0f} % of the change of sdCor. *Competes* means within a fifth. These limits "
    "are ours."
)
RULES = (
    Rule(
        "means and variances are exactly those of the original",
        "Rodriguez-Garcia 2019, section 4.2",
        _exact,
        key="swapping-keeps-moments",
    ),
    Rule("the RMSE grows with k", "Rodriguez-Garcia 2019, section 4.2", _grows, key="rmse-grows-with-k"),
    Rule(
        "Algorithms 2 and 3 have a significantly smaller RMSE than Algorithm 1",
        "Rodriguez-Garcia 2019, section 4.2",
        _compared((SECOND, THIRD), (FIRST,), RMSE, _significantly_less),
        key="second-and-third-have-less-rmse",
    ),
    Rule(
        "Algorithm 2 has a smaller RMSE than Algorithm 3",
        "Rodriguez-Garcia 2019, section 4.2",
        _compared((SECOND,), (THIRD,), RMSE, _less),
        key="second-has-less-rmse-than-third",
    ),
    Rule(
        "Algorithm 3 preserves sdCor significantly better than Algorithms 1 and 2",
        "Rodriguez-Garcia 2019, section 4.2",
        _compared((THIRD,), (FIRST, SECOND), CHANGE, _significantly_less),
        key="third-keeps-dependence",
    ),
    Rule(
        "Algorithm 2 preserves sdCor better than Algorithm 1",
        "Rodriguez-Garcia 2019, Tables 2–3",
        _compared((SECOND,), (FIRST,), CHANGE, _less),
    ),
    Rule(
        "Algorithm 1 preserves sdCor poorly, especially for low k: its gap to Algorithms 2 and 3 shrinks as k grows",
        "Rodriguez-Garcia 2019, section 4.2",
        _lag_shrinks,
    ),
    Rule(
        "data swapping has the largest RMSE",
        "Rodriguez-Garcia 2019, Figs. 5–6",
        _compared((*ALGORITHMS, DISTRIBUTIONAL), (BY_CHANCE,), RMSE, _less),
    ),
    Rule(
        "data swapping destroys sdCor most",
        "Rodriguez-Garcia 2019, Fig. 7",
        _compared((*ALGORITHMS, DISTRIBUTIONAL), (BY_CHANCE,), CHANGE, _less),
    ),
    Rule(
        "distributional rank swapping has a significantly smaller RMSE than data swapping",
        "Rodriguez-Garcia 2019, section 4.2",
        _compared((DISTRIBUTIONAL,), (BY_CHANCE,), RMSE, _significantly_less),
    ),
    Rule(
        "distributional rank swapping competes with Algorithm 1: its RMSE is within a fifth",
        "Rodriguez-Garcia 2019, section 4.2",
        _compared((DISTRIBUTIONAL,), (FIRST,), RMSE, _within_a_fifth),
        key="frequency-competes",
    ),
    Rule(
        "so Algorithm 1 offers little benefit: its RMSE is not smaller by a fifth",
        "Rodriguez-Garcia 2019, section 4.2",
        _compared((FIRST,), (DISTRIBUTIONAL,), RMSE, _not_a_fifth_less),
    ),
    Rule(
        "but Algorithm 1 preserves sdCor significantly better than both baselines",
        "Rodriguez-Garcia 2019, section 4.2",
        _compared((FIRST,), NOT_SEMANTIC, CHANGE, _significantly_less),
        key="frequency-keeps-dependence-worse",
    ),
    Rule(
        "Algorithms 2 and 3 drastically improve the RMSE compared with Algorithm 1",
        "Rodriguez-Garcia 2019, section 4.2",
        _drastically((FIRST,), RMSE),
    ),
    Rule(
        "Algorithms 2 and 3 drastically improve the RMSE compared with the baselines that ignore meaning",
        "Rodriguez-Garcia 2019, section 4.2",
        _drastically(NOT_SEMANTIC, RMSE),
    ),
    Rule(
        "Algorithms 2 and 3 drastically improve sdCor compared with Algorithm 1",
        "Rodriguez-Garcia 2019, section 4.2",
        _drastically((FIRST,), CHANGE),
    ),
    Rule(
        "Algorithms 2 and 3 drastically improve sdCor compared with the baselines that ignore meaning",
        "Rodriguez-Garcia 2019, section 4.2",
        _drastically(NOT_SEMANTIC, CHANGE),
    ),
    Rule(
        "Algorithm 3 largely preserves sdCor for typical k: at most a quarter is lost for k ≤ 20 (our limits)",
        "Rodriguez-Garcia 2019, section 5",
        lambda measures, ks: [lost <= 0.25 for lost in _lost(measures, ks, (THIRD,))],
    ),
    Rule(
        "the baselines that ignore meaning destroy sdCor completely: at least three quarters are lost",
        "Rodriguez-Garcia 2019, section 5",
        lambda measures, ks: [lost >= 0.75 for lost in _lost(measures, ks, NOT_SEMANTIC)],
    ),
)


def judged(ours: Mapping[str, Measures], ks: Sequence[int], why: Sequence[str]) -> list[Conclusion]:
    """Every rule for the printed tables and for our measurements; the explanations are in the order of the rules."""
    return [
        Conclusion(
            rule.text,
            rule.source,
            {PRINTED: rule.holds(R_MEASURES, KS)} | {dataset: rule.holds(found, ks) for dataset, found in ours.items()},
            reason,
            rule.key,
        )
        for rule, reason in zip(RULES, why, strict=True)
    ]


def original(sample: str, data: om.Microdata) -> Iterator[dict[str, Any]]:
    """The features of a table before swapping, as plain data."""
    features, table = om.evaluate(data, data.frame, attacks=False), data.table
    letters = dict(zip(data.quasi_identifiers, "ABC", strict=False))
    figures: dict[Of, float] = {
        ("records", ""): len(data),
        ("distinct tuples", ""): len(table),
        ("unique tuples", ""): int((table.counts == 1).sum()),
        ("fewest records of a tuple", ""): int(table.counts.min()),
    }
    for values, (name, found) in zip(table.values, features.utility.attributes.items(), strict=True):
        figures["distinct values", letters[name]] = len(values)
        figures["variance", letters[name]] = found.variance.before
        figures["sdvar", letters[name]] = found.distance_variance.before
    for measure, changes in (("sdcov", features.sdcov), ("sdcor", features.sdcor)):
        figures |= {(measure, "".join(letters[name] for name in pair)): found.before for pair, found in changes.items()}
    for (measure, columns), value in figures.items():
        yield {
            "sample": sample,
            "method": "original",
            "level": None,
            "measure": measure,
            "columns": columns,
            "mean": float(value),
            "sd": None,
            "seeds": None,
        }
