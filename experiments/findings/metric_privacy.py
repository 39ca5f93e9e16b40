"""How much does meaning buy under a guarantee? Metric privacy beside randomised response at equal ε."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from math import exp, log
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.claims import OTHER, VALUE, compared, less
from experiments.framework.measurements import Row, Rows, rows
from experiments.framework.pages import Experiment, beside, by_level, filled, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES
from ontomask.examples import adult_data, diabetes130_data
from ontomask.figures import Figure, LineChart, small_multiples
from ontomask.kinds.public import ConceptDomain
from ontomask.masking.metric_privacy.guarantee import ColumnPrivacy, certainty
from ontomask.masking.metric_privacy.mechanisms import Mechanism
from ontomask.masking.metric_privacy.weights import STEPS

EPSILONS = (1.0, 2.0, 4.0, 8.0)
COLUMNS = {ADULT: ("occupation", "native-country"), DIABETES: ("diag_1", "diag_2")}
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
# Of all concepts, the share up to these distances from a value.
ALL, NEARLY_ALL = "all concepts", {"distance_5": 0.05, "distance_50": 0.5, "distance_95": 0.95}
# The share of right guesses between two values of a column, the nearest and the farthest that occur.
NEAR, FAR = PAIRS = ("told_apart_near", "told_apart_far")


def run(setting: Setting) -> Iterator[Row]:
    """All records, methods, ε and seeds."""
    epsilons = setting.levels(EPSILONS)
    for table, data in tables(setting).items():
        yield from in_theory(table, data, epsilons)
        for seed in setting.seeds(SEEDS):
            before = learn(data, data.frame, seed)
            for name, value in ((ORIGINAL, before.original), (MODE, before.baseline)):
                yield from rows({("accuracy", ""): value}, table=table, method=name, seed=seed)
            for epsilon, method in product(epsilons, METHODS):
                found = utility(data, release(method, data, epsilon, seed), seed)
                yield from rows(found, table=table, method=method, level=epsilon, seed=seed)
        (sdcor,) = om.evaluate(data, data.frame, attacks=False).sdcor.values()
        yield from rows({("sdcor", "AB"): sdcor.before}, table=table, method=ORIGINAL)


def tables(setting: Setting) -> dict[str, om.Microdata]:
    """All records: two columns to mask, and one to predict, the sex or whether there was a procedure."""
    data = adult_data(*COLUMNS[ADULT])
    found = {ADULT: described(data, data.frame.head(setting.size(len(data))), "sex")}
    if setting.diabetes130 is not None:
        data = diabetes130_data(setting.diabetes130, *COLUMNS[DIABETES])
        procedure = pl.when(pl.col("num_procedures") == "0").then(pl.lit("no")).otherwise(pl.lit("yes"))
        frame = data.frame.head(setting.size(len(data))).with_columns(procedure=procedure)
        found[DIABETES] = described(data, frame, "procedure")
    return found


def described(data: om.Microdata, frame: pl.DataFrame, target: str) -> om.Microdata:
    """Some records with the roles of the table."""
    kinds = {name: column.kind for name, column in data.quasi_identifiers.items()}
    return om.Microdata(frame.select([*kinds, target]), kinds, confidential=[target])


def release(method: str, data: om.Microdata, epsilon: float, seed: int) -> pl.DataFrame:
    """What a method releases if each column has this ε. Seeds void the guarantee: they are for this page only."""
    if method in (BLIND, COARSE_BLIND):
        return respond_at_random(data, epsilon, seed, None if method == BLIND else DEPTH)
    budget = dict.fromkeys(data.quasi_identifiers, epsilon)
    metric = partial(om.MetricPrivacy, budget, unsafe_seed=True)
    methods: dict[str, om.Method] = {
        METRIC: metric(mechanism="exponential"),
        FLIP: metric(mechanism="permute_and_flip"),
        COARSE: metric(mechanism="permute_and_flip", depth=DEPTH),
        PRAM: om.PRAM(matrices={name: matrix_of(data, name, epsilon) for name in budget}),
        COUNTS: om.SyntheticRecords(budget, depth=DEPTH, unsafe_seed=True),
    }
    frame: pl.DataFrame = methods[method].mask(data, seed=seed).frame
    return frame


def stay_share(epsilon: float, values: int) -> float:
    """The probability that randomised response over so many values keeps a value (Kairouz 2016)."""
    return exp(epsilon) / (exp(epsilon) + values - 1)


def response(own: np.ndarray, size: int, epsilon: float) -> np.ndarray:
    """The probabilities by which randomised response releases each of ``size`` values, for each own value."""
    stay = stay_share(epsilon, size)
    found = np.full((len(own), size), (1 - stay) / (size - 1))
    found[np.arange(len(own)), own] = stay
    return found


def respond_at_random(data: om.Microdata, epsilon: float, seed: int, depth: int | None) -> pl.DataFrame:
    """Randomised response over the public domain, or over its concepts at a depth: all others are equally likely."""
    frame: pl.DataFrame = data.frame
    rng = np.random.default_rng(seed)
    for name, column in data.quasi_identifiers.items():
        domain = public_domain(column, depth)
        size, own = len(domain), own_candidates(domain, column.point)[column.code]
        other = rng.integers(0, size - 1, len(own))
        other += other >= own
        drawn = np.where(rng.random(len(own)) < stay_share(epsilon, size), own, other)
        ids = [column.domain.ids[code] for code in domain.points[drawn].tolist()]
        frame = frame.with_columns(pl.Series(name, ids))
    return frame


def public_domain(column: Any, depth: int | None) -> ConceptDomain:
    """The concepts that may be released, down to a depth."""
    domain = column.public_domain("log_sc").up_to(depth)
    assert isinstance(domain, ConceptDomain)
    return domain


def own_candidates(domain: ConceptDomain, points: np.ndarray) -> np.ndarray:
    """The number of the candidate that stands for each value."""
    return np.searchsorted(domain.points, domain.inputs(points))


def matrix_of(data: om.Microdata, name: str, epsilon: float) -> tuple[list[str], np.ndarray]:
    """Randomised response over the values that occur, as a matrix for PRAM."""
    column: Any = data.quasi_identifiers[name]
    values = [str(column.key(point)) for point in np.unique(column.point[column.code]).tolist()]
    return values, response(np.arange(len(values)), len(values), epsilon)


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
    domain = public_domain(column, depth)
    inputs = domain.inputs(points)
    weights = np.exp(-epsilon * domain.levels(inputs, STEPS) / STEPS)
    return domain.space.matrix(points, domain.points), {
        METRIC: Mechanism(domain, epsilon).probabilities(inputs),
        FLIP: Mechanism(domain, epsilon, "permute_and_flip").probabilities(inputs),
        FULL: weights / weights.sum(axis=1, keepdims=True),
        BLIND: response(own_candidates(domain, points), len(domain), epsilon),
    }


def in_theory(table: str, data: om.Microdata, epsilons: tuple[float, ...]) -> Iterator[Row]:
    """What follows from the probabilities of each column."""
    for letter, column in zip("AB", data.quasi_identifiers.values(), strict=True):
        found = {(name, letter): value for name, value in distances(column).items()}
        yield from rows(found, table=table, method=ALL)
        for epsilon, depth in product(epsilons, DEPTHS):
            for method, figures in of_column(column, epsilon, depth):
                found = {(name, letter): value for name, value in figures.items()}
                yield from rows(found, table=table, method=method, level=epsilon)


def distances(column: Any) -> dict[str, float]:
    """How far all concepts are from a record's value by log_sc: quantiles, on average over the records."""
    points, counts = np.unique(column.point[column.code], return_counts=True)
    domain = public_domain(column, None)
    found = np.quantile(domain.space.matrix(points, domain.points), list(NEARLY_ALL.values()), axis=1)
    return dict(zip(NEARLY_ALL, np.average(found, axis=1, weights=counts).tolist(), strict=True))


def of_column(column: Any, epsilon: float, depth: int | None) -> Iterator[tuple[str, dict[str, float]]]:
    """By method: the expected RMSE, the ε that randomised response needs for it, and what intruders guess."""
    points, counts = np.unique(column.point[column.code], return_counts=True)
    share = counts / counts.sum()
    exact, by_method = chances(column, points, epsilon, depth)
    square = {method: float(share @ (each * exact**2).sum(axis=1)) for method, each in by_method.items()}
    for method, mse in square.items():
        yield at_depth(method, depth), {"expected": mse**0.5}
    needed = blind_epsilon(square[METRIC], square[BLIND], epsilon, exact.shape[1])
    yield at_depth(METRIC, depth), {"needed": needed}
    if depth is None:
        del by_method[FULL]
        yield from intruders(column, points, share, by_method, epsilon).items()


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
            found[method][pair] = float(np.maximum(each[x], each[y]).sum() / 2)
        d_infinity = privacy.d_infinity(int(points[x]), int(points[y]))
        found[BOUND][pair] = certainty(epsilon * d_infinity)
    return found


RULES = {
    "metric-below-response-at-all": less("rmse", METRIC, BLIND),
    "metric-below-response": compared("rmse", METRIC, BLIND, OTHER - VALUE - 0.01),
    "coarse-metric-below-response": compared("rmse", COARSE, COARSE_BLIND, OTHER - VALUE - 0.01),
    "coarse-below-all": less("rmse", COARSE, FLIP),
    "flip-below-exponential": less("rmse", FLIP, METRIC),
    "metric-below-pram": less("rmse", METRIC, PRAM),
    "counts-below-metric": less("rmse", COUNTS, METRIC),
    "correlation": less("sdcor_change", (METRIC, COARSE), (BLIND, COARSE_BLIND)),
    "classifiers": less("accuracy", BLIND, METRIC, or_equal=True),
    "below-bound": less(("guessed", *PAIRS), (METRIC, FLIP), BOUND, or_equal=True),
    "near-chance": less("guessed", (METRIC, FLIP), CHANCE, levels=1, factor=1.5),
    "near-pairs": less(NEAR, METRIC, BLIND),
}


def figure(rows: Rows) -> Figure:
    """RMSE by ε for each column."""
    charts = []
    for table in rows.tables:
        for letter, column in zip("AB", COLUMNS[table], strict=True):
            lines = [rows.line(name, "rmse", name, table, letter, style=style) for style, name in enumerate(METHODS)]
            charts.append(
                LineChart(lines, title=f"{table}, {column}", x_title="ε of the column", y_title="RMSE", log_x=True,
                          width=390, height=150)
            )  # fmt: skip
    return small_multiples(charts, columns=2, title="What the guarantee costs", same_scale=True)


def range_of(rows: Rows, measure: str, method: str, epsilon: float) -> str:
    """The smallest and the largest mean of all columns."""
    found = sorted(rows.mean(measure, method, epsilon, table, letter) for table in rows.tables for letter in "AB")
    return f"{found[0]:.2f} to {found[-1]:.2f}"


def facts(rows: Rows) -> dict[str, object]:
    """The figures of the answer."""
    return {
        "metric_1": range_of(rows, "rmse", METRIC, 1),
        "metric_8": range_of(rows, "rmse", METRIC, 8),
        "blind_8": range_of(rows, "rmse", BLIND, 8),
        "apart": [rows.mean(end, ALL, None, DIABETES, "A") for end in ("distance_5", "distance_95")],
        "near": 100 * rows.mean(NEAR, BOUND, 1, DIABETES, "A"),
        "far": 100 * rows.mean(FAR, BOUND, 1, DIABETES, "A"),
    }


def in_terms_of_epsilon(rows: Rows) -> str:
    """Which ε gives randomised response the same expected error."""
    needed = ", ".join(range_of(rows, "needed", METRIC, epsilon) for epsilon in EPSILONS)
    near = partial(range_of, rows, NEAR, epsilon=8)
    known = {"needed": needed, "near": near(method=METRIC), "near_at_random": near(method=BLIND)}
    return filled(beside(__file__)["in_terms_of_epsilon"], known)


def shown_tables(rows: Rows) -> dict[str, str]:
    """The tables of the page."""
    show = partial(by_level, rows, symbol="ε", digits=3)
    guesses = partial(show, methods=(CHANCE, METRIC, FLIP, BLIND, BOUND))
    apart = [
        [f"{table}, {name}", *(rows.text(end, ALL, None, table, letter, digits=3) for end in NEARLY_ALL)]
        for table in rows.tables for letter, name in zip("AB", COLUMNS[table], strict=True)
    ]  # fmt: skip
    found = {
        "The same in terms of ε": in_terms_of_epsilon(rows),
        "How far concepts are from a value by log_sc (exact)": markdown(["", "5 %", "median", "95 %"], apart),
    }
    for letter, names in zip("AB", zip(*(COLUMNS[table] for table in rows.tables), strict=True), strict=True):
        column = " / ".join(names)
        found |= {
            f"RMSE of {column}": show("rmse", columns=letter),
            f"Expected RMSE of {column} by log_sc (exact)": show("expected", columns=letter),
            f"The ε at which randomised response has the expected error of metric privacy, {column}": show(
                "needed", columns=letter
            ),
            f"Values guessed by an intruder who knows the method and all frequencies, {column} (exact shares)": guesses(
                "guessed", columns=letter
            ),
            f"Right guesses between the two nearest values that occur, {column}": guesses(NEAR, columns=letter),
            f"Right guesses between the two farthest values that occur, {column}": guesses(FAR, columns=letter),
        }
    accuracy = show("accuracy", methods=METHODS), original(rows, "accuracy", "", (ORIGINAL, MODE))
    sdcor = show("sdcor", methods=METHODS, columns="AB"), original(rows, "sdcor", "AB", (ORIGINAL,))
    return found | {
        "L in percent": by_level(rows, "loss", symbol="ε", digits=1),
        "sdCor": "\n\n".join(sdcor),
        "Share predicted by classifiers": "\n\n".join(accuracy),
    }


def original(rows: Rows, measure: str, columns: str, methods: tuple[str, ...]) -> str:
    """The figures that do not depend on ε."""
    lines = [
        [name, *(rows.text(measure, name, None, table, columns, digits=3) for table in rows.tables)] for name in methods
    ]
    return markdown(["without masking", *rows.tables], lines)


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, shown_tables, {"seeds": SEEDS, "learnt": LEARNT})
