"""The tables, methods and printed figures that the experiments on noise share (Rodriguez-Garcia 2017, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import fmean

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.measurements import PRINTED, Figures, Make, Row, Rows, measure, printed, rows
from experiments.framework.pages import markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, every, one_taxonomy, public_tables, two_taxonomies
from ontomask.kinds import NominalColumn

ALPHAS = (0.1, 0.3, 0.5, 1.0)
UNCORRELATED, MEAN, PAIR, ROOT = NOISE = ("uncorrelated", "correlated, mean", "correlated, pair", "correlated, root")
CORRELATED = NOISE[1:]
NAIVE, PROBABILISTIC = CHANCE = ("naïve distortion", "probabilistic distortion")
NONE = "no noise"
# How strong noise is: the mean RMSE of both columns.
STRENGTH = "rmse_of_both"
ABOVE = "sdcor_above_floor"
# Every n-th record is used: noise creates thousands of distinct values, and the time for sdCor grows with their square.
EVERY = {ADULT: 5, DIABETES: 25}

# Table 5. It has noise as well, with the figures of Tables 2-4, which are in a file with Tables 7 and 8. There, C and D
# are the columns of the second sample (diagnosis and procedure).
TABLE_5 = {NAIVE: (0.20, 0.27), PROBABILISTIC: (0.04, 0.0)}
# Tables 1 and 6, with the numbers of values from section 5.
TABLES_1_AND_6 = {
    ("records", ""): 1350, ("distinct", "A"): 17, ("distinct", "B"): 19, ("variance", "A"): 0.22,
    ("variance", "B"): 0.24, ("sdcor", "AB"): 0.94, ("variance", "C"): 0.15, ("variance", "D"): 0.07,
    ("sdcor", "CD"): 0.88,
}  # fmt: skip


def published(only: Sequence[str]) -> Iterator[Row]:
    """The printed figures of Rodriguez-Garcia 2017, as measurements of one seed."""
    found: list[Row] = list(rows(TABLES_1_AND_6, table=PRINTED, method=NONE))
    found += printed_noise(2017)
    for method, (a, b) in TABLE_5.items():
        found += rows({("mean_shift", "A"): a, ("mean_shift", "B"): b}, table=PRINTED, method=method)
    return (row for row in found if row["measure"] in only or row["method"] == NONE)


def printed_noise(year: int) -> Iterator[Row]:
    """The printed tables of a year, and the strength of the noise."""
    found = printed(Path(__file__).parent / f"printed_{year}.csv")
    for _, run in groupby(found, key=lambda row: (row["method"], row["level"])):
        one = list(run)
        yield from one
        errors = {row["columns"]: row["value"] for row in one if row["measure"] == "rmse"}
        yield {**one[-1], "measure": STRENGTH, "columns": "".join(errors), "value": fmean(errors.values())}


METHODS: Mapping[str, Make | om.Method] = {
    UNCORRELATED: om.UncorrelatedNoise,
    MEAN: partial(om.CorrelatedNoise, reference="mean"),
    PAIR: partial(om.CorrelatedNoise, reference="pair"),
    ROOT: partial(om.CorrelatedNoise, reference="root"),
    NAIVE: om.NaiveDistortion(),
    PROBABILISTIC: om.ProbabilisticDistortion(),
}


def measure_noise(
    table: str,
    data: om.Microdata,
    levels: Sequence[float | None],
    seeds: Sequence[int],
    only: Sequence[str],
    among: Sequence[str] = NOISE,
) -> Iterator[Row]:
    """Some methods at every level; the reference `pair` only if both columns have one domain."""
    roots = {column.domain.root for column in data.quasi_identifiers.values() if isinstance(column, NominalColumn)}
    methods = {name: METHODS[name] for name in among if name != PAIR or len(roots) == 1}
    return measure(table, data, methods, levels, seeds, only=only, more=partial(_more, only))


def _more(only: Sequence[str], data: om.Microdata, result: om.Result, score: om.Evaluation) -> Figures:
    columns = score.utility.attributes
    found: dict[tuple[str, str], float] = {(STRENGTH, "AB"): fmean(column.rmse for column in columns.values())}
    for letter, (name, column) in zip("AB", columns.items(), strict=True):
        found["variance_change", letter] = column.variance.difference
        found["distinct", letter] = result.data.frame[name].n_unique()
    if ABOVE in only:
        found |= above_floor(data, result.data.frame, score)
    return {key: value for key, value in found.items() if key[0] in only}


def above_floor(data: om.Microdata, frame: pl.DataFrame, score: om.Evaluation) -> dict[tuple[str, str], float]:
    """The part of sdCor above its floor: the sdCor of independent columns, measured with the second column shuffled.

    Squares add up: in a sample, the squared distance covariance is too large by about that of independent columns.
    """
    second = frame[list(data.quasi_identifiers)[1]]
    order = np.random.default_rng(0).permutation(len(second))
    (shuffled,) = om.evaluate(data, frame.with_columns(second.gather(order)), attacks=False).sdcor.values()
    (sdcor,) = score.sdcor.values()
    return {("sdcor_floor", "AB"): shuffled.after, (ABOVE, "AB"): max(sdcor.after**2 - shuffled.after**2, 0.0) ** 0.5}


def original(table: str, data: om.Microdata) -> Iterator[Row]:
    """The features of a table without noise."""
    score = om.evaluate(data, data.frame, attacks=False)
    (sdcor,) = score.sdcor.values()
    found: dict[tuple[str, str], float] = {("records", ""): len(data), ("sdcor", "AB"): sdcor.before}
    for letter, (name, column) in zip("AB", score.utility.attributes.items(), strict=True):
        found["distinct", letter] = data.frame[name].n_unique()
        found["variance", letter] = column.variance.before
        found["distance_variance", letter] = column.distance_variance.before
    return rows(found | above_floor(data, data.frame, score), table=table, method=NONE)


def strong_samples(setting: Setting) -> dict[str, om.Microdata]:
    """Strongly dependent samples like those of Rodriguez-Garcia 2017, Table 1."""
    size = setting.size(1350)
    return {name: source.sample(size, 0.94, 0.001) for name, source in one_taxonomy(setting).items()}


def tables(setting: Setting) -> dict[str, om.Microdata]:
    """Samples like those of Rodriguez-Garcia 2017, Tables 1 and 6, and the public tables."""
    found = strong_samples(setting)
    for name, source in two_taxonomies(setting).items():
        found.setdefault(name, source.sample(setting.size(1316), 0.88, 0.001))
    thinner = 20 if setting.quick else 1
    return found | {name: every(data, EVERY[name] * thinner) for name, data in public_tables(setting).items()}


FEATURES = {
    "records": ("records", ""), "distinct values of A": ("distinct", "A"), "distinct values of B": ("distinct", "B"),
    "sVar A": ("variance", "A"), "sVar B": ("variance", "B"), "sdVar A": ("distance_variance", "A"),
    "sdVar B": ("distance_variance", "B"), "sdCor AB": ("sdcor", "AB"),
}  # fmt: skip


def sample_features(rows: Rows) -> str:
    """The features of all tables without noise."""
    lines = [
        [title, *(rows.text(name, NONE, None, table, columns, digits=0 if name in ("records", "distinct") else 2)
                  for table in rows.tables)]
        for title, (name, columns) in FEATURES.items()
    ]  # fmt: skip
    return markdown(["", *rows.tables], lines)
