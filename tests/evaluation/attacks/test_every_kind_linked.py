"""Linkage by meaning, against a literal intruder who compares every pair of records, for every kind and policy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask import kinds
from ontomask.distance.ties import TIE

LEAVES = [f"{parent}{i}" for parent in "ABC" for i in range(1, 5)]
T = om.Taxonomy.from_edges([*((leaf, leaf[0]) for leaf in LEAVES), *((parent, "R") for parent in "ABC")])
KINDS = {
    "day": om.Date(),
    "postcode": om.Prefix(),
    "answer": om.Category({"g": ["u", "v"]}),
    "sets": om.ConceptSet(T),
    "grade": om.Ordinal(["lo", "mid", "hi", "top"]),
    "number": om.Numeric(),
    "concept": om.Nominal(T),
}
assert {type(kind) for kind in KINDS.values()} == set(kinds.KINDS.values()), "link every kind"
METHODS = [
    om.Microaggregation(3),
    om.Microaggregation(3, centroid="lcs"),
    om.Generalisation(3),
    om.Suppression(3, mode="cells"),
    om.PRAM(0.5),
    om.RankSwapping(3),
]


def table(records=40):
    rng = np.random.default_rng(0)
    days = zip(rng.integers(10, 14, records), rng.integers(1, 13, records), rng.integers(1, 28, records), strict=True)
    return pd.DataFrame(
        {
            "day": [f"20{year}-{month:02}-{day:02}" for year, month, day in days],
            "postcode": rng.choice(["47906", "47907", "46201", "4620"], records),
            "answer": rng.choice(list("uvw"), records),
            "sets": [";".join(rng.choice(LEAVES, rng.integers(1, 4), replace=False)) for _ in range(records)],
            "grade": rng.choice(["lo", "mid", "hi", "top"], records),
            "number": rng.integers(0, 50, records),
            "concept": rng.choice(LEAVES, records),
        }
    ).astype(object)


def literal_risk(data, masked):
    """The probability that each record is linked. A kept cell is at distance 1 from everything but the same cell."""
    away = np.zeros((len(data), len(masked)))
    for name, column in data.quasi_identifiers.items():
        released = masked.columns[name]
        for i, a in enumerate(column.code.tolist()):
            for j, b in enumerate(released.code.tolist()):
                if column.kept[a] or released.kept[b]:
                    away[i, j] += not (column.kept[a] and released.kept[b])
                else:
                    away[i, j] += column.space.matrix(column.point[[a]], released.point[[b]])[0, 0]
    away /= len(data.quasi_identifiers)
    risk = np.zeros(len(data))
    for j, i in enumerate(masked.rows.tolist()):
        nearest = away[i] <= away[i].min() + TIE
        risk[i] = nearest[j] / nearest.sum()
    return risk


@pytest.mark.parametrize("names", [*([name] for name in KINDS), ["day", "sets"]], ids=" ".join)
@pytest.mark.parametrize("policy", ["root", "keep", "category"])
def test_linkage_is_that_of_the_definition(names, policy):
    frame = table()[names]
    for i, name in enumerate(names):
        frame.loc[[2 + i, 11, 25, 30], name] = None
    policies = {name: "root" if name == "sets" else policy for name in names}
    data = om.Microdata(frame, {name: KINDS[name] for name in names}, missing=policies, rare_kept="root")
    for method in METHODS:
        result = method.mask(data, seed=1)
        found = om.attack(data, result.data).quasi_identifiers
        np.testing.assert_allclose(found.risk, literal_risk(data, result.data), atol=1e-9, err_msg=repr(method))
        # The same from the released cells as from the result.
        read = om.evaluate(data, result.frame, rows=result.data.rows, attacks=False)
        assert read.srl == pytest.approx(found.linked), method
