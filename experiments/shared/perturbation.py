"""The effect of noise and swapping on columns and their dependence (the figures of Rodriguez-Garcia 2016, 2017, 2019).

Columns are called A, B, C by position, as in the papers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.shared.findings import Spread, line_with_band, markdown
from ontomask.figures import Line, LineChart

__all__ = [
    "Also",
    "Means",
    "Measured",
    "Measures",
    "Of",
    "Theirs",
    "as_printed",
    "floors",
    "line",
    "measure",
    "paper_and_ours",
    "printed",
    "rows",
    "side_by_side",
    "tally_text",
]

# Titles of the figures of a column and of a pair of columns, in the papers' notation.
TITLES = {
    "mean_shift": "sd(sMean({0}*), sMean({0}))",
    "variance": "sVar({0}*)",
    "variance_off": "sVar({0}*) differs from (1 + α) sVar({0}) by",
    "rmse": "RMSE({0})",
    "target_rmse": "target RMSE({0})",
    "sdvar_change": "sdVar({0}*) differs from sdVar({0}) by",
    "sdcov": "sdCov({0}*, {1}*)",
    "sdcov_off": "sdCov({0}*, {1}*) differs from (1 + α) sdCov({0}, {1}) by",
    "sdcor": "sdCor({0}*, {1}*)",
    "sdcor_change": "sdCor({0}*, {1}*) differs from sdCor({0}, {1}) by",
}
# A measure and its columns, such as ("rmse", "A").
Of = tuple[str, str]


@dataclass(frozen=True)
class Measured:
    """The figures of one method on one table."""

    figures: Mapping[Of, Spread]
    means: Mapping[str, str]

    def __getitem__(self, of: Of) -> Spread:
        return self.figures[of]


# By method name and level: α or k, or None for a method without a level.
Measures = Mapping[tuple[str, float | None], Measured]
# A paper's printed figures: for a measure, the figure at each level.
Theirs = Mapping[Of, Mapping[float, float]]
# A paper's printed means: for a column, the mean at each level.
Means = Mapping[str, Mapping[float, str]]
# A function for further figures of a result, given its evaluation and seed.
Also = Callable[[om.Microdata, om.Result, om.Evaluation, int], Iterable[tuple[Of, float]]]


@cache
def measure(data: om.Microdata, method: om.Method, seeds: tuple[int, ...], also: Also | None = None) -> Measured:
    """Mask and evaluate with every seed. Results are cached."""
    found: defaultdict[Of, list[float]] = defaultdict(list)
    means: defaultdict[str, Counter[str]] = defaultdict(Counter)
    letters = dict(zip(data.quasi_identifiers, "ABC", strict=False))
    for seed in seeds:
        result = method.mask(data, seed=seed)
        score = om.evaluate(data, result, attacks=False)
        for of, value in (*_figures(score, letters), *(also(data, result, score, seed) if also else ())):
            found[of].append(value)
        for name, attribute in score.utility.attributes.items():
            means[letters[name]][_label(data, name, attribute.mean[1])] += 1
    commonest = {letter: counted.most_common(1)[0][0] for letter, counted in means.items()}
    return Measured({of: Spread.of(values) for of, values in found.items()}, commonest)


def floors(data: om.Microdata, frame: pl.DataFrame, sdcor: float, seed: int) -> Iterator[tuple[Of, float]]:
    """The floor of the sdCor of two columns, and the part of sdCor above it.

    The floor is the sdCor of independent columns, measured with the second shuffled. Squares add up: in a sample,
    the squared distance covariance is too large by about that of independent columns.
    """
    second = frame[list(data.quasi_identifiers)[1]]
    order = np.random.default_rng(seed).permutation(len(second))
    score = om.evaluate(data, frame.with_columns(second.gather(order)), attacks=False)
    lowest = next(iter(score.sdcor.values())).after
    yield ("sdcor_floor", "AB"), lowest
    yield ("sdcor_above_floor", "AB"), max(sdcor**2 - lowest**2, 0.0) ** 0.5


def as_printed(metrics: Sequence[Of], levels: Sequence[float], figures: Sequence[Sequence[float]]) -> Theirs:
    """A printed table: its figures in the order of the metrics, one per level."""
    return {of: dict(zip(levels, values, strict=True)) for of, values in zip(metrics, figures, strict=True)}


def printed(tables: Mapping[str, Theirs]) -> Measures:
    """A paper's printed figures in the form of measurements, to check them against the paper's own rules."""
    return {
        (method, level): Measured({of: Spread(values[level], 0.0, 1) for of, values in figures.items()}, {})
        for method, figures in tables.items()
        for level in next(iter(figures.values()))
    }


def tally_text(pairs: Iterable[tuple[float, float]]) -> str:
    """How often the first of two figures is smaller, equal and larger."""
    signs = Counter(0 if abs(first - second) <= 1e-9 else 1 if first > second else -1 for first, second in pairs)
    return f"smaller in {signs[-1]}, equal in {signs[0]}, larger in {signs[1]}"


def _figures(score: om.Evaluation, letters: Mapping[str, str]) -> Iterator[tuple[Of, float]]:
    for name, found in score.utility.attributes.items():
        letter = letters[name]
        yield ("rmse", letter), found.rmse
        yield ("mean_shift", letter), found.mean_shift
        yield ("variance", letter), found.variance.after
        yield ("sdvar_change", letter), found.distance_variance.difference
        yield ("unchanged", letter), found.unchanged
        if found.target_rmse is not None and score.alpha is not None:
            yield ("target_rmse", letter), found.target_rmse
            yield ("variance_off", letter), abs(found.variance.after - (1 + score.alpha) * found.variance.before)
    for pair, change in score.sdcor.items():
        both, sdcov = "".join(letters[name] for name in pair), score.sdcov[pair]
        yield ("sdcor", both), change.after
        yield ("sdcor_change", both), change.difference
        yield ("sdcov", both), sdcov.after
        if score.alpha is not None:
            yield ("sdcov_off", both), abs(sdcov.after - (1 + score.alpha) * sdcov.before)


def _label(data: om.Microdata, name: str, mean: Any) -> str:
    attribute = data.quasi_identifiers[name].kind
    return attribute.taxonomy.labels(mean)[0] if isinstance(attribute, om.Nominal) else f"{mean:g}"


def rows(sample: str, measures: Measures) -> Iterator[dict[str, Any]]:
    """Plain data, one row per figure."""
    for (method, level), found in measures.items():
        for (name, columns), spread in found.figures.items():
            yield {
                "sample": sample,
                "method": method,
                "level": level,
                "measure": name,
                "columns": columns,
                "mean": spread.mean,
                "sd": spread.sd,
                "seeds": spread.runs,
            }


def side_by_side(
    method: str,
    levels: Sequence[float],
    chosen: Sequence[Of],
    ours: Mapping[str, Measures],
    *,
    symbol: str,
    paper: str,
    theirs: Theirs,
    their_means: Means | None = None,
) -> str:
    """A table of one method: one column per level, with the paper's figures above ours."""
    lines = []
    for of in chosen:
        if of[0] == "mean_shift":
            named = their_means[of[1]] if their_means else {}
            means = [[paper, *(_italic(named[level]) for level in levels)]] if named else []
            means += [
                [dataset, *(_italic(m[method, level].means[of[1]]) for level in levels)] for dataset, m in ours.items()
            ]
            lines += _titled(f"sMean({of[1]}*), most frequent", means)
        cells = [[paper, *(f"{theirs[of][level]:g}" for level in levels)]] if of in theirs else []
        cells += [[dataset, *(str(m[method, level][of]) for level in levels)] for dataset, m in ours.items()]
        lines += _titled(TITLES[of[0]].format(*of[1]), cells)
    heads = ["" if level is None else f"{symbol} = {level:g}" for level in levels]
    return markdown(["", "", *heads], lines, left=2)


def _titled(title: str, lines: Sequence[Sequence[str]]) -> list[list[str]]:
    """Lines with a title in the first."""
    return [[title if number == 0 else "", *line] for number, line in enumerate(lines)]


def _italic(text: str) -> str:
    return f"*{text}*"


def line(name: str, method: str, levels: Sequence[float], of: Of, measures: Measures, style: int | None = None) -> Line:
    """The figures of a method by level; constant for a method without a level."""
    if (method, None) in measures:
        levels = (levels[0], levels[-1])
    spreads = [(measures.get((method, level)) or measures[method, None])[of] for level in levels]
    return line_with_band(name, levels, spreads, style, band=any(spread.sd > 0.01 for spread in spreads))


def paper_and_ours(
    paper: str,
    printed: Mapping[str, Theirs],
    ours: Mapping[str, Measures],
    methods: Sequence[str],
    levels: Sequence[float],
    chart: Callable[[Sequence[Line], str], LineChart],
) -> list[LineChart]:
    """Charts of RMSE and sdCor by level: a row for the paper's printed tables, and one for each of our tables."""
    panels: dict[Of, str] = {("rmse", "A"): "RMSE of A", ("rmse", "B"): "RMSE of B", ("sdcor", "AB"): "sdCor"}
    charts = []
    for of, what in panels.items():
        lines = [
            Line(method, list(levels), [printed[method][of][level] for level in levels], style=style)
            for style, method in enumerate(methods)
            if method in printed
        ]
        charts.append(chart(lines, f"{what}, {paper}"))
    for dataset, measures in ours.items():
        for of, what in panels.items():
            lines = [line(method, method, levels, of, measures, style) for style, method in enumerate(methods)]
            charts.append(chart(lines, f"{what}, {dataset}"))
    return charts
