"""Measurements of metric privacy and of randomised response at equal ε, and what follows from their probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from math import exp, log
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.measurements import Row, rows
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES
from ontomask.examples import adult_data, diabetes130_data
from ontomask.kinds import NominalColumn
from ontomask.kinds.public import ConceptDomain
from ontomask.masking.metric_privacy.guarantee import ColumnPrivacy, certainty
from ontomask.masking.metric_privacy.mechanisms import Mechanism, MechanismName
from ontomask.masking.metric_privacy.synthetic import count_bins
from ontomask.masking.metric_privacy.weights import STEPS

EPSILONS = (1.0, 2.0, 4.0, 8.0)
COLUMNS = {ADULT: ("occupation", "native-country"), DIABETES: ("diag_1", "diag_2")}
# What classifiers predict: the sex, and whether there was a procedure.
TARGETS = {ADULT: "sex", DIABETES: "procedure"}
SEEDS = 3
# Classifiers are trained on two thirds of so many records and tested on the others. Each seed draws other records.
LEARNT = 2_000

DEPTH = 2
DEPTHS = (None, 3, DEPTH)
METRIC, FLIP = "metric privacy", "permute-and-flip"
BLIND, PRAM, COUNTS = "randomised response", "PRAM", "synthetic records"
COARSE, COARSE_BLIND = f"{FLIP}, depth {DEPTH}", f"{BLIND}, depth {DEPTH}"
METHODS = (METRIC, FLIP, BLIND, COARSE, COARSE_BLIND, PRAM, COUNTS)
FULL, CHANCE, BOUND, ORIGINAL, MODE = "full budget", "by chance", "bound", "original", "most frequent"
# The share of right guesses between two values of a column, the nearest and the farthest that occur.
PAIRS = {"near": "told_apart_near", "far": "told_apart_far"}


@cache
def tables(setting: Setting) -> dict[str, om.Microdata]:
    """All records: two columns to mask, and one to predict."""
    found = {ADULT: adult_data(*COLUMNS[ADULT], confidential=[TARGETS[ADULT]])}
    if setting.diabetes130 is not None:
        found[DIABETES] = diabetes130_data(setting.diabetes130, *COLUMNS[DIABETES])
    return {name: part(data, name, setting.size(len(data))) for name, data in found.items()}


def part(data: om.Microdata, table: str, size: int) -> om.Microdata:
    """The first records, with the columns that are masked and the one that is predicted."""
    frame = data.frame.head(size)
    if table == DIABETES:
        frame = frame.with_columns(
            procedure=pl.when(pl.col("num_procedures") == "0").then(pl.lit("no")).otherwise(pl.lit("yes"))
        )
    return described(data, frame, TARGETS[table])


def described(data: om.Microdata, frame: pl.DataFrame, target: str) -> om.Microdata:
    """Some records with the roles of the table."""
    kinds = {name: column.kind for name, column in data.quasi_identifiers.items()}
    return om.Microdata(frame.select([*kinds, target]), kinds, confidential=[target])


def release(method: str, data: om.Microdata, epsilon: float, seed: int) -> pl.DataFrame:
    """What a method releases if each column has this ε. Seeds void the guarantee: they are for this page only."""
    budget = dict.fromkeys(data.quasi_identifiers, epsilon)
    if method in (BLIND, COARSE_BLIND):
        return respond_at_random(data, epsilon, seed, None if method == BLIND else DEPTH)
    if method == COUNTS:
        made: om.Method = om.SyntheticRecords(budget, depth=DEPTH, unsafe_seed=True)
    elif method == PRAM:
        made = om.PRAM(matrices={column: matrix_of(data, column, epsilon) for column in data.quasi_identifiers})
    else:
        mechanism: MechanismName = "exponential" if method == METRIC else "permute_and_flip"
        depth = DEPTH if method == COARSE else None
        made = om.MetricPrivacy(budget, mechanism=mechanism, depth=depth, unsafe_seed=True)
    frame: pl.DataFrame = made.mask(data, seed=seed).frame
    return frame


def stay_share(epsilon: float, values: int) -> float:
    """The probability that randomised response over so many values keeps a value (Kairouz 2016)."""
    return exp(epsilon) / (exp(epsilon) + values - 1)


def respond_at_random(data: om.Microdata, epsilon: float, seed: int, depth: int | None) -> pl.DataFrame:
    """Randomised response over the public domain, or over its concepts at a depth: all others are equally likely."""
    rng, columns = np.random.default_rng(seed), {}
    for name, column in data.quasi_identifiers.items():
        assert isinstance(column, NominalColumn)
        domain = column.public_domain("log_sc")
        bins = count_bins(domain, len(column.domain) if depth is None else depth)
        size, own = len(bins.released), bins.of_input(domain.inputs(column.point))[column.code]
        other = rng.integers(0, size - 1, len(own))
        other += other >= own
        drawn = np.where(rng.random(len(own)) < stay_share(epsilon, size), own, other)
        columns[name] = [column.domain.ids[code] for code in bins.released[drawn].tolist()]
    frame: pl.DataFrame = data.frame.with_columns(pl.Series(name, cells) for name, cells in columns.items())
    return frame


def matrix_of(data: om.Microdata, name: str, epsilon: float) -> tuple[list[str], np.ndarray]:
    """Randomised response over the values that occur, as a matrix for PRAM."""
    column = data.quasi_identifiers[name]
    values = [str(column.key(point)) for point in np.unique(column.point[column.code]).tolist()]
    stay = stay_share(epsilon, len(values))
    matrix = np.full((len(values), len(values)), (1 - stay) / (len(values) - 1))
    np.fill_diagonal(matrix, stay)
    return values, matrix


def utility(data: om.Microdata, frame: pl.DataFrame, seed: int) -> dict[tuple[str, str], float]:
    """The errors and the correlation of a released table, and how well a classifier learns from it."""
    score = om.evaluate(data, frame, attacks=False)
    (sdcor,) = score.sdcor.values()
    found = {("rmse", letter): rmse for letter, rmse in zip("AB", score.rmse.values(), strict=True)}
    found |= {("loss", ""): score.loss_percent, ("sdcor", "AB"): sdcor.after, ("sdcor_change", "AB"): sdcor.difference}
    return found | {("accuracy", ""): learn(data, frame, seed).masked}


def learn(data: om.Microdata, frame: pl.DataFrame, seed: int) -> Any:
    """Classifiers trained on masked and on original records, and tested on other originals."""
    chosen = np.random.default_rng(seed).permutation(len(data))[:LEARNT].tolist()
    (target,) = data.confidential
    some = described(data, data.frame[chosen], target)
    released = frame[chosen].select(some.frame.columns)
    return om.evaluate(some, released, attacks=False, target=target, seed=seed).classification


def chances(
    column: Any, points: np.ndarray, epsilon: float, depth: int | None
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Exact distances by log_sc of values (rows) from candidates, and by method the probabilities of candidates.

    ``full budget`` has the weights e^(−ε·d) instead of e^(−ε·d/2). It shows what the factor 2 costs. It has no claim.
    """
    domain = column.public_domain("log_sc").up_to(depth)
    assert isinstance(domain, ConceptDomain)
    inputs, size = domain.inputs(points), len(domain)
    stay = stay_share(epsilon, size)
    weights = np.exp(-epsilon * domain.levels(inputs, STEPS) / STEPS)
    blind = np.full((len(points), size), (1 - stay) / (size - 1))
    blind[np.arange(len(points)), np.searchsorted(domain.points, inputs)] = stay
    found = {
        METRIC: Mechanism(domain, epsilon).probabilities(inputs),
        FLIP: Mechanism(domain, epsilon, "permute_and_flip").probabilities(inputs),
        FULL: weights / weights.sum(axis=1, keepdims=True),
        BLIND: blind,
    }
    return domain.space.matrix(points, domain.points), found


def in_theory(table: str, data: om.Microdata, epsilons: tuple[float, ...]) -> Iterator[Row]:
    """What follows from the probabilities: the expected RMSE, the ε that randomised response needs, and intruders."""
    for letter, column in zip("AB", data.quasi_identifiers.values(), strict=True):
        points, counts = np.unique(column.point[column.code], return_counts=True)
        share = counts / counts.sum()
        add = partial(rows, table=table)
        for epsilon in epsilons:
            for depth in DEPTHS:
                exact, by_method = chances(column, points, epsilon, depth)
                square = {method: float(share @ (each * exact**2).sum(axis=1)) for method, each in by_method.items()}
                for method, mse in square.items():
                    yield from add({("expected", letter): mse**0.5}, method=at_depth(method, depth), level=epsilon)
                needed = blind_epsilon(square[METRIC], square[BLIND], epsilon, exact.shape[1])
                yield from add({("needed", letter): needed}, method=at_depth(METRIC, depth), level=epsilon)
                if depth is None:
                    del by_method[FULL]
                    for method, figures in intruders(column, points, share, by_method, epsilon).items():
                        found = {(name, letter): value for name, value in figures.items()}
                        yield from add(found, method=method, level=epsilon)


def at_depth(method: str, depth: int | None) -> str:
    """The name of a method that releases concepts down to a depth only."""
    return method if depth is None else f"{method}, depth {depth}"


def blind_epsilon(wanted: float, blind: float, epsilon: float, size: int) -> float:
    """The ε at which randomised response has a wanted mean squared error, given its error at another ε.

    Its error is a multiple of the probability that a value does not stay.
    """
    leave = min((1 - stay_share(epsilon, size)) * wanted / blind, 1 - 1 / size)
    return log((1 - leave) * (size - 1) / leave)


def intruders(
    column: Any, points: np.ndarray, share: np.ndarray, by_method: Mapping[str, np.ndarray], epsilon: float
) -> dict[str, dict[str, float]]:
    """Who knows all frequencies and guesses the most probable value; who knows that it is one of two values.

    The bound of a pair is that of metric privacy, e^(ε·d∞).
    """
    found = {CHANCE: {"guessed": float(share.max())}, BOUND: {"guessed": certainty(epsilon, float(share.max()))}}
    for method, each in by_method.items():
        found[method] = {"guessed": float((share[:, None] * each).max(axis=0).sum())}
    privacy = ColumnPrivacy(Mechanism(column.public_domain("log_sc"), epsilon))
    apart = privacy.domain.levels(points, STEPS)[:, points].astype(float)
    np.fill_diagonal(apart, np.nan)
    for pair, chosen in zip(PAIRS, (np.nanargmin(apart), np.nanargmax(apart)), strict=True):
        x, y = np.unravel_index(int(chosen), apart.shape)
        for method, each in by_method.items():
            found[method][PAIRS[pair]] = float(np.maximum(each[x], each[y]).sum() / 2)
        d_infinity = privacy.d_infinity(int(points[x]), int(points[y]))
        found[BOUND][PAIRS[pair]] = certainty(epsilon * d_infinity)
    return found


def run(setting: Setting) -> Iterator[Row]:
    """All records, methods, ε and seeds."""
    epsilons = setting.levels(EPSILONS)
    for table, data in tables(setting).items():
        yield from in_theory(table, data, epsilons)
        for seed in setting.seeds(SEEDS):
            before = learn(data, data.frame, seed)
            for name, value in ((ORIGINAL, before.original), (MODE, before.baseline)):
                yield from rows({("accuracy", ""): value}, table=table, method=name, seed=seed)
            for epsilon in epsilons:
                for method in METHODS:
                    found = utility(data, release(method, data, epsilon, seed), seed)
                    yield from rows(found, table=table, method=method, level=epsilon, seed=seed)
        (sdcor,) = om.evaluate(data, data.frame, attacks=False).sdcor.values()
        yield from rows({("sdcor", "AB"): sdcor.before}, table=table, method=ORIGINAL)
