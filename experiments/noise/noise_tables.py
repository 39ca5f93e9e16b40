"""The tables, methods and printed figures that the experiments on noise share (Rodriguez-Garcia 2017, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.measurements import Make, Row, Rows, measure, rows
from experiments.framework.pages import markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import every, one_taxonomy, public_tables, two_taxonomies
from ontomask.figures import Line
from ontomask.kinds import NominalColumn

__all__ = [
    "ABOVE",
    "ALPHAS",
    "CHANCE",
    "CORRELATED",
    "EVERY",
    "MEAN",
    "NAIVE",
    "NOISE",
    "NONE",
    "PAIR",
    "PRINTED",
    "PROBABILISTIC",
    "ROOT",
    "STRENGTH",
    "UNCORRELATED",
    "at_levels",
    "by_strength",
    "measure_chance",
    "measure_noise",
    "noises",
    "original",
    "printed_rows",
    "published",
    "sample_features",
    "strong_samples",
    "tables",
]

ALPHAS = (0.1, 0.3, 0.5, 1.0)
UNCORRELATED, MEAN, PAIR, ROOT = NOISE = ("uncorrelated", "correlated, mean", "correlated, pair", "correlated, root")
CORRELATED = NOISE[1:]
NAIVE, PROBABILISTIC = CHANCE = ("naïve distortion", "probabilistic distortion")
NONE, PRINTED = "no noise", "as printed"
# How strong noise is: the mean RMSE of both columns.
STRENGTH = "rmse_of_both"
ABOVE = "sdcor_above_floor"
# A measure and its columns.
Of = tuple[str, str]
# Every n-th record is used: noise creates thousands of distinct values, and the time for sdCor grows with their square.
EVERY = {"Adult": 5, "diabetes130": 25}

# Tables 2-4 and 7-8 of Rodriguez-Garcia 2017, one figure per level of `ALPHAS`. C and D are the columns of the second
# sample (diagnosis and procedure).
COLUMN = ("mean_shift", "variance_off", "rmse", "target_rmse")
OF_TABLE = (*((name, 0) for name in COLUMN), *((name, 1) for name in COLUMN), *((name, 2) for name in
            ("sdcov_off", "sdcor", "sdcor_change")))  # fmt: skip
Figures = Sequence[tuple[float, float, float, float]]
TABLE_2: Figures = (
    (0.20, 0.20, 0.20, 0.20), (0, 0.05, 0.08, 0.17), (0.23, 0.31, 0.38, 0.49), (0.15, 0.25, 0.34, 0.48),
    (0, 0, 0, 0.18), (0.03, 0.07, 0.1, 0.18), (0.19, 0.30, 0.37, 0.50), (0.15, 0.27, 0.35, 0.51),
    (0.14, 0.23, 0.30, 0.44), (0.78, 0.65, 0.57, 0.38), (0.16, 0.29, 0.37, 0.56),
)  # fmt: skip
TABLE_3: Figures = (
    (0.20, 0.20, 0.20, 0.20), (0, 0.05, 0.07, 0.15), (0.24, 0.33, 0.40, 0.51), (0.17, 0.28, 0.37, 0.52),
    (0, 0.18, 0.45, 0.45), (0.04, 0.08, 0.12, 0.2), (0.20, 0.30, 0.38, 0.49), (0.17, 0.28, 0.37, 0.52),
    (0.14, 0.22, 0.29, 0.43), (0.82, 0.73, 0.69, 0.59), (0.12, 0.21, 0.25, 0.35),
)  # fmt: skip
TABLE_4: Figures = (
    (0.20, 0.20, 0.20, 0.20), (0, 0.03, 0.05, 0.12), (0.25, 0.35, 0.41, 0.52), (0.17, 0.28, 0.37, 0.52),
    (0.18, 0.18, 0.18, 0.45), (0.03, 0.06, 0.09, 0.17), (0.22, 0.32, 0.40, 0.51), (0.17, 0.28, 0.37, 0.52),
    (0.13, 0.21, 0.28, 0.43), (0.84, 0.76, 0.71, 0.59), (0.10, 0.18, 0.23, 0.35),
)  # fmt: skip
TABLE_7: Figures = (
    (0.33, 0, 0, 0), (0.02, 0.01, 0.03, 0.07), (0.23, 0.32, 0.40, 0.50), (0.16, 0.28, 0.37, 0.52),
    (0, 0, 0, 0), (0, 0, 0.01, 0), (0.15, 0.24, 0.30, 0.41), (0.13, 0.23, 0.29, 0.40),
    (0.10, 0.17, 0.22, 0.32), (0.68, 0.56, 0.48, 0.42), (0.20, 0.32, 0.40, 0.46),
)  # fmt: skip
TABLE_8: Figures = (
    (0.23, 0.23, 0.23, 0.23), (0.04, 0.03, 0.01, 0.04), (0.27, 0.34, 0.41, 0.51), (0.16, 0.28, 0.37, 0.52),
    (0, 0, 0, 0), (0, 0.02, 0.03, 0.06), (0.16, 0.25, 0.30, 0.41), (0.13, 0.23, 0.29, 0.40),
    (0.09, 0.16, 0.21, 0.31), (0.70, 0.60, 0.54, 0.47), (0.18, 0.28, 0.34, 0.41),
)  # fmt: skip
PRINTED_TABLES = (
    (UNCORRELATED, "AB", TABLE_2), (MEAN, "AB", TABLE_3), (PAIR, "AB", TABLE_4), (MEAN, "CD", TABLE_7),
    (ROOT, "CD", TABLE_8),
)  # fmt: skip
# Table 5; it has noise as well, with the figures of Tables 2-4.
TABLE_5 = {NAIVE: (0.20, 0.27), PROBABILISTIC: (0.04, 0.0)}
# Tables 1 and 6, with the numbers of values from section 5.
TABLES_1_AND_6 = {
    ("records", ""): 1350, ("distinct", "A"): 17, ("distinct", "B"): 19, ("variance", "A"): 0.22,
    ("variance", "B"): 0.24, ("sdcor", "AB"): 0.94, ("variance", "C"): 0.15, ("variance", "D"): 0.07,
    ("sdcor", "CD"): 0.88,
}  # fmt: skip


def published(only: Sequence[str] = ()) -> Iterator[Row]:
    """The printed figures of Rodriguez-Garcia 2017, as measurements of one seed."""
    found: list[Row] = list(rows(TABLES_1_AND_6, table=PRINTED, method=NONE))
    for method, columns, figures in PRINTED_TABLES:
        found += printed_rows(method, ALPHAS, columns, OF_TABLE, figures)
    for method, shifts in TABLE_5.items():
        found += rows({("mean_shift", c): v for c, v in zip("AB", shifts, strict=True)}, table=PRINTED, method=method)
    return (row for row in found if not only or row["measure"] in only or row["method"] == NONE)


def printed_rows(
    method: str,
    levels: Sequence[float],
    columns: str,
    names: Sequence[tuple[str, int]],
    figures: Sequence[Sequence[float]],
) -> Iterator[Row]:
    """A printed table of one method: a row of figures for each measure of the first (0), second (1) or both (2)."""
    for at, level in enumerate(levels):
        found = {
            (name, columns if which == 2 else columns[which]): line[at]
            for (name, which), line in zip(names, figures, strict=True)
        }
        yield from rows(found | strength_of(found, columns), table=PRINTED, method=method, level=level)


def strength_of(found: Mapping[Of, float], columns: str) -> dict[Of, float]:
    """The strength of noise."""
    return {(STRENGTH, columns): fmean(found["rmse", letter] for letter in columns)}


def noises(data: om.Microdata) -> dict[str, Make]:
    """The noise that a table allows: the reference `pair` needs columns of one domain."""
    found: dict[str, Make] = {
        UNCORRELATED: om.UncorrelatedNoise,
        MEAN: partial(om.CorrelatedNoise, reference="mean"),
        PAIR: partial(om.CorrelatedNoise, reference="pair"),
        ROOT: partial(om.CorrelatedNoise, reference="root"),
    }
    roots = {column.domain.root for column in data.quasi_identifiers.values() if isinstance(column, NominalColumn)}
    return found if len(roots) == 1 else {name: make for name, make in found.items() if name != PAIR}


def measure_noise(
    table: str,
    data: om.Microdata,
    levels: Sequence[float],
    seeds: Sequence[int],
    only: Sequence[str],
    among: Sequence[str] = NOISE,
) -> Iterator[Row]:
    """Every kind of noise that the table allows, at every level."""
    methods = {name: make for name, make in noises(data).items() if name in among}
    return measure(table, data, methods, levels, seeds, only=only, more=partial(_more, only))


def measure_chance(table: str, data: om.Microdata, seeds: Sequence[int], only: Sequence[str]) -> Iterator[Row]:
    """Random distortions, which have no level."""
    methods: dict[str, Make] = {
        NAIVE: lambda _: om.NaiveDistortion(),
        PROBABILISTIC: lambda _: om.ProbabilisticDistortion(),
    }
    return measure(table, data, methods, (None,), seeds, only=only, more=partial(_more, only))


def _more(only: Sequence[str], data: om.Microdata, result: om.Result, score: om.Evaluation) -> dict[Of, float]:
    columns = score.utility.attributes
    found: dict[Of, float] = {(STRENGTH, "AB"): fmean(column.rmse for column in columns.values())}
    for letter, (name, column) in zip("AB", columns.items(), strict=True):
        found["variance_change", letter] = column.variance.difference
        found["distinct", letter] = result.data.frame[name].n_unique()
    if ABOVE in only:
        found |= above_floor(data, result.data.frame, score)
    return {key: value for key, value in found.items() if key[0] in only}


def above_floor(data: om.Microdata, frame: pl.DataFrame, score: om.Evaluation) -> dict[Of, float]:
    """The part of sdCor above its floor: the sdCor of independent columns, measured with the second column shuffled.

    Squares add up: in a sample, the squared distance covariance is too large by about that of independent columns.
    """
    second = frame[list(data.quasi_identifiers)[1]]
    order = np.random.default_rng(0).permutation(len(second))
    (shuffled,) = om.evaluate(data, frame.with_columns(second.gather(order)), attacks=False).sdcor.values()
    (sdcor,) = score.sdcor.values()
    return {
        ("sdcor_floor", "AB"): shuffled.after,
        (ABOVE, "AB"): max(sdcor.after**2 - shuffled.after**2, 0.0) ** 0.5,
    }


def original(table: str, data: om.Microdata) -> Iterator[Row]:
    """The features of a table without noise."""
    score = om.evaluate(data, data.frame, attacks=False)
    (sdcor,) = score.sdcor.values()
    found: dict[Of, float] = {("records", ""): len(data), ("sdcor", "AB"): sdcor.before}
    for letter, (name, column) in zip("AB", score.utility.attributes.items(), strict=True):
        found["distinct", letter] = data.frame[name].n_unique()
        found["variance", letter] = column.variance.before
        found["distance_variance", letter] = column.distance_variance.before
    return rows(found | above_floor(data, data.frame, score), table=table, method=NONE)


def strong_samples(setting: Setting) -> dict[str, om.Microdata]:
    """Strongly dependent samples like those of Rodriguez-Garcia 2017, Table 1."""
    size = setting.size(1350)
    return {name: source.sample(size, 0.94, 0.001).data for name, source in one_taxonomy(setting).items()}


def tables(setting: Setting) -> dict[str, om.Microdata]:
    """Samples like those of Rodriguez-Garcia 2017, Tables 1 and 6, and the public tables."""
    found = strong_samples(setting)
    for name, source in two_taxonomies(setting).items():
        found.setdefault(name, source.sample(setting.size(1316), 0.88, 0.001).data)
    thinner = 20 if setting.quick else 1
    return found | {name: every(data, EVERY[name] * thinner) for name, data in public_tables(setting).items()}


def by_strength(rows: Rows, measure: str, method: str, table: str, style: int, columns: str = "AB") -> Line:
    """The means of a measure by strength, one point per level; a method without levels is one point."""
    levels = [level for level in (*ALPHAS, None) if rows.spread(measure, method, level, table, columns).sd >= 0]
    if levels != [None]:
        levels = [level for level in levels if level is not None]
    x = [rows.mean(STRENGTH, method, level, table, columns) for level in levels]
    y = [rows.mean(measure, method, level, table, columns) for level in levels]
    return Line(method, x, y, style=style)


def at_levels(rows: Rows, levels: Sequence[float]) -> Rows:
    """The rows at these levels, and those without a level."""
    return Rows(rows.frame.filter(pl.col("level").is_null() | pl.col("level").is_in(levels)))


FEATURES = {
    "records": ("",),
    "distinct": ("A", "B"),
    "variance": ("A", "B"),
    "distance_variance": ("A", "B"),
    "sdcor": ("AB",),
}
NAMES = {
    "records": "records", "distinct": "distinct values of", "variance": "sVar", "distance_variance": "sdVar",
    "sdcor": "sdCor",
}  # fmt: skip


def sample_features(rows: Rows) -> str:
    """The features of all tables without noise."""
    lines = [
        [
            f"{NAMES[name]} {letters}".strip(),
            *(rows.text(name, NONE, None, table, letters, digits=0 if name in ("records", "distinct") else 2)
              for table in rows.tables),
        ]
        for name, columns in FEATURES.items()
        for letters in columns
    ]  # fmt: skip
    return markdown(["", *rows.tables], lines)
