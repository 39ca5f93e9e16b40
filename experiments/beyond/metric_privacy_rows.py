"""Metric privacy on whole tables, as rows: measured, expected from probabilities, and guessed by an intruder.

    python -m experiments.beyond.metric_privacy_rows FOLDER [diabetes130.csv.gz]

writes ``measured.csv``, ``expected.csv`` and ``inverted.csv``. Seeds void the guarantee: they are for these figures
only.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.beyond.metric_privacy import (
    BLIND,
    EPSILONS,
    FLIP,
    METHODS,
    METRIC,
    SEEDS,
    every,
    invert,
    release,
    stay_share,
    whole_tables,
)
from ontomask.kinds.public import ConceptDomain
from ontomask.masking.metric_privacy.mechanisms import Mechanism
from ontomask.masking.metric_privacy.weights import STEPS

# Classifiers are trained on at most about this many records.
MOST_LEARNT = 2_000
DEPTHS = (1, 2, 3, None)


def measured_rows(
    tables: Mapping[str, om.Microdata], epsilons: Sequence[float] = EPSILONS, seeds: Sequence[int] = range(SEEDS)
) -> Iterator[dict[str, Any]]:
    """One row per table, method, ε, seed and column, over all records. L and sdCor are those of the whole table.

    Classifiers are trained and tested on every n-th record, with the first seed only.
    """
    for (table, data), epsilon, name, seed in product(tables.items(), epsilons, METHODS, seeds):
        released = release(name, data, epsilon, seed)
        score = om.evaluate(data, released, attacks=False)
        (sdcor,) = score.sdcor.values()
        predicted = predict(data, released, seed) if seed == seeds[0] else None
        for column, rmse in score.rmse.items():
            found = {"table": table, "method": name, "epsilon": epsilon, "column": column, "seed": seed, "rmse": rmse}
            yield found | {"L": score.loss_percent, "sdcor": sdcor.after, "predicted": predicted}


def predict(data: om.Microdata, released: Any, seed: int) -> float:
    """The share of other originals that a classifier predicts which is trained on some masked records."""
    step = -(-len(data) // MOST_LEARNT)
    frame = released if isinstance(released, pl.DataFrame) else released.frame
    some, (target,) = every(data, step), data.confidential
    learnt = om.evaluate(some, frame[::step], attacks=False, target=target, seed=seed).classification
    assert learnt is not None
    return learnt.masked


def expected_rows(
    tables: Mapping[str, om.Microdata], epsilons: Sequence[float] = EPSILONS, depths: Sequence[int | None] = DEPTHS
) -> Iterator[dict[str, Any]]:
    """The exact expected RMSE by log_sc, from probabilities: one row per table, column, depth, ε and mechanism.

    ``full budget`` has weights e^(−ε·d) instead of e^(−ε·d/2). It shows what the factor 2 costs, and has no claim.
    """
    for (table, data), depth, epsilon in product(tables.items(), depths, epsilons):
        for name, column in data.quasi_identifiers.items():
            points, counts = np.unique(column.point[column.code], return_counts=True)
            domain = column.public_domain("log_sc").up_to(depth)
            assert isinstance(domain, ConceptDomain)
            inputs = domain.inputs(points)
            exact, stay = domain.space.matrix(points, domain.points), stay_share(epsilon, len(domain))
            weights = np.exp(-epsilon * domain.levels(inputs, STEPS) / STEPS)
            blind = np.full(exact.shape, (1 - stay) / (len(domain) - 1))
            blind[np.arange(len(points)), np.searchsorted(domain.points, inputs)] = stay
            chances = {
                METRIC: Mechanism(domain, epsilon).probabilities(inputs),
                FLIP: Mechanism(domain, epsilon, "permute_and_flip").probabilities(inputs),
                "full budget": weights / weights.sum(axis=1, keepdims=True),
                BLIND: blind,
            }
            for method, rows in chances.items():
                found = {"table": table, "column": name, "depth": depth, "candidates": len(domain)}
                rmse = float(np.sqrt(counts @ (rows * exact**2).sum(axis=1) / counts.sum()))
                yield found | {"epsilon": epsilon, "method": method, "rmse": rmse}


def inverted_rows(tables: Mapping[str, om.Microdata], epsilons: Sequence[float] = EPSILONS) -> Iterator[dict[str, Any]]:
    """What the informed intruder guesses, beside the bound: one row per table, column and ε."""
    for (table, data), epsilon in product(tables.items(), epsilons):
        for name in data.quasi_identifiers:
            yield {"table": table, "column": name, "epsilon": epsilon, **vars(invert(data, name, epsilon))}


def main() -> None:
    """Write all rows."""
    folder, *diabetes130 = map(Path, sys.argv[1:])
    tables = whole_tables(diabetes130[0] if diabetes130 else None)
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("inverted", inverted_rows), ("expected", expected_rows), ("measured", measured_rows)):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = None
            for row in rows(tables):
                writer = writer or csv.DictWriter(file, row)
                if not file.tell():
                    writer.writeheader()
                writer.writerow(row)
                file.flush()


if __name__ == "__main__":
    main()
