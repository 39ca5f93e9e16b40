"""What a method makes of a table's columns and their dependence, over seeds: the figures of N, C and R.

A column is called by its place, as in the papers: A, B, C.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from findings import Spread, markdown

import ontomask as om
from ontomask.figures import Line

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
    "printed",
    "rows",
    "side_by_side",
    "tallied",
]

# What is told of a column, and of a pair of columns, as N and R write it.
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
# A measure and the columns it is of, such as ("rmse", "A").
Of = tuple[str, str]


@dataclass(frozen=True)
class Measured:
    """The figures of one method on one table."""

    figures: Mapping[Of, Spread]
    means: Mapping[str, str]

    def __getitem__(self, of: Of) -> Spread:
        return self.figures[of]


# By a name for the method and its level: α or k, or None where it has none.
Measures = Mapping[tuple[str, float | None], Measured]
# What a paper gives: for a measure, its figure at each level.
Theirs = Mapping[Of, Mapping[float, float]]
# The means that a paper names: for a column, that at each level.
Means = Mapping[str, Mapping[float, str]]
# What else is told of a result, beside its evaluation and with its seed.
Also = Callable[[om.Microdata, om.Result, om.Evaluation, int], Iterable[tuple[Of, float]]]


@cache
def measure(data: om.Microdata, method: om.Method, seeds: tuple[int, ...], also: Also | None = None) -> Measured:
    """Mask and evaluate with every seed. What was measured once is not measured again."""
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
    """The floor under the sdCor of two columns, which they would have if they were independent, and what is above it.

    The floor is their sdCor with the second shuffled. Squares add up: in a sample the square of a distance covariance
    is too great by about as much as that of independent columns.
    """
    second = frame[list(data.quasi_identifiers)[1]]
    order = np.random.default_rng(seed).permutation(len(second))
    score = om.evaluate(data, frame.with_columns(second.gather(order)), attacks=False)
    lowest = next(iter(score.sdcor.values())).after
    yield ("sdcor_floor", "AB"), lowest
    yield ("sdcor_above_floor", "AB"), max(sdcor**2 - lowest**2, 0.0) ** 0.5


def as_printed(metrics: Sequence[Of], levels: Sequence[float], figures: Sequence[Sequence[float]]) -> Theirs:
    """A table of a paper: its figures in the order of the metrics, one for each level."""
    return {of: dict(zip(levels, values, strict=True)) for of, values in zip(metrics, figures, strict=True)}


def printed(tables: Mapping[str, Theirs]) -> Measures:
    """What a paper prints of its methods, as if measured: to be held against the paper's own rules."""
    return {
        (method, level): Measured({of: Spread(values[level], 0.0, 1) for of, values in figures.items()}, {})
        for method, figures in tables.items()
        for level in next(iter(figures.values()))
    }


def tallied(pairs: Iterable[tuple[float, float]]) -> str:
    """How often the first of two figures is the smaller, the same, the greater."""
    signs = Counter(0 if abs(first - second) <= 1e-9 else 1 if first > second else -1 for first, second in pairs)
    return f"less in {signs[-1]}, as much in {signs[0]}, more in {signs[1]}"


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
    """Plain data, one row a figure."""
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
    """A table of one method: a column a level, and every figure of the paper above ours."""
    lines = []
    for of in chosen:
        if of[0] == "mean_shift":
            named = their_means[of[1]] if their_means else {}
            means = [[paper, *(_italic(named[level]) for level in levels)]] if named else []
            means += [
                [place, *(_italic(m[method, level].means[of[1]]) for level in levels)] for place, m in ours.items()
            ]
            lines += _titled(f"sMean({of[1]}*), the commonest", means)
        told = [[paper, *(f"{theirs[of][level]:g}" for level in levels)]] if of in theirs else []
        told += [[place, *(str(m[method, level][of]) for level in levels)] for place, m in ours.items()]
        lines += _titled(TITLES[of[0]].format(*of[1]), told)
    heads = ["" if level is None else f"{symbol} = {level:g}" for level in levels]
    return markdown(["", "", *heads], lines, left=2)


def _titled(title: str, lines: Sequence[Sequence[str]]) -> list[list[str]]:
    """Lines of which the first has a title."""
    return [[title if number == 0 else "", *line] for number, line in enumerate(lines)]


def _italic(text: str) -> str:
    return f"*{text}*"


def line(name: str, method: str, levels: Sequence[float], of: Of, measures: Measures, style: int | None = None) -> Line:
    """The figures of a method by level; those of a method without any are the same from the first to the last."""
    if (method, None) in measures:
        levels = (levels[0], levels[-1])
    spreads = [(measures.get((method, level)) or measures[method, None])[of] for level in levels]
    # A band narrower than the line would not be seen.
    wide = any(spread.sd > 0.01 for spread in spreads)
    return Line(
        name,
        list(levels),
        [spread.mean for spread in spreads],
        low=[spread.low for spread in spreads] if wide else None,
        high=[spread.high for spread in spreads] if wide else None,
        style=style,
    )
