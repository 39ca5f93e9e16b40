"""A method that does anything to a table, and the distance between two of its records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import ontomask as om
from ontomask.masking.results import Planned
from ontomask.microdata import TuplePlan
from ontomask.microdata.plan import SUPPRESSED
from ontomask.operators.space import record_pairs


@dataclass(frozen=True, repr=False)
class Scramble(om.Method):
    """Any tuple may become any other, and records may be suppressed: evaluation must handle all of it."""

    def _plan(self, data, rng):
        table = data.table
        places = table.tuples[table.inverse]
        for j, values in enumerate(table.values):
            free = int((~values.kept).sum())
            moves = (places[:, j] < free) & (rng.random(len(places)) < 0.6)
            places[moves, j] = rng.integers(0, free, int(moves.sum()))
        plan = TuplePlan.of_records(table, places)
        gone = rng.random(len(plan.outcome)) < 0.2
        outcome = np.where(gone, SUPPRESSED, plan.outcome)
        return Planned(
            TuplePlan.of(
                table,
                start=plan.start,
                outcome=outcome,
                records=plan.records,
                outcome_tuples=plan.outcome_tuples,
            )
        )


def distances_between(data):
    """The distances between two records of cells, column by column."""
    columns = list(data.quasi_identifiers.values())

    def distances(a, b):
        found = []
        for column, left, right in zip(columns, a, b, strict=True):
            if left is None or right is None:
                found.append(float(left is not right))
            else:
                points = data.releases[column.name].points([left, right])
                found.append(float(record_pairs([column.space], [points[:1]], [points[1:]])[0]))
        return found

    return distances


def distance_between(data):
    """The distance between two records of cells."""
    distances = distances_between(data)
    weights = [column.space.weight for column in data.quasi_identifiers.values()]

    def distance(a, b):
        return sum(weight / sum(weights) * part for weight, part in zip(weights, distances(a, b), strict=True))

    return distance
