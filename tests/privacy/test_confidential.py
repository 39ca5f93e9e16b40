"""Confidential columns with very many values: what needs a matrix, and what does not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.evaluation import evaluate
from ontomask.privacy import confidential
from ontomask.privacy.closeness import t_closeness
from ontomask.privacy.confidential import Confidential

from support import literal_privacy as lit
from support.errors import raises

RECORDS = 30_000
LEAVES = [f"c{i}" for i in range(9_000)]
TREE = om.Taxonomy.from_edges(
    [(leaf, f"p{i % 30}") for i, leaf in enumerate(LEAVES)] + [(f"p{i}", "all") for i in range(30)]
)


def many(kind: om.Kind, cells: list, **policies: str) -> om.Microdata:
    ages = np.arange(len(cells)) % 50
    frame = pl.DataFrame({"age": ages, "held": cells}, strict=False)
    return om.Microdata(frame, {"age": om.Numeric()}, confidential={"held": kind}, **policies)


def test_numbers_need_no_matrix(monkeypatch):
    """With 30,000 distinct values, a matrix would take 7 GB."""
    monkeypatch.setattr("ontomask.operators.line.NumericSpace.matrix", None)
    rng = np.random.default_rng(2)
    data = many(om.Numeric(), rng.permutation(RECORDS).tolist())
    held = Confidential.of(data, "held")
    assert (held.ground, held.size, held.distances) == ("ordered", RECORDS, None)
    order = np.argsort(np.argsort(data.frame["held"].to_numpy()))
    assert held.codes.tolist() == order.tolist()


def test_few_numbers_agree_with_the_definition():
    cells = [float(v) for v in np.random.default_rng(5).integers(0, 7, 60)]
    held = Confidential.of(many(om.Numeric(), cells), "held")
    groups = [i % 6 for i in range(60)]
    found = t_closeness(groups, held.codes, ground=held.ground, size=held.size)
    wanted = lit.closeness(groups, held.codes.tolist(), held.size, lit.ordered(held.size))
    assert found.distances.tolist() == pytest.approx(wanted, abs=1e-7)


def test_distances_of_concepts_are_computed_only_when_closeness_asks(monkeypatch):
    data = many(om.Nominal(TREE), LEAVES[:200])
    held = Confidential.of(data, "held")
    assert "distances" not in vars(held)
    assert held.distances.shape == (200, 200)
    column = data.confidential_columns["held"]
    points = column.all_points
    assert (held.distances == column.space.matrix(points, points)).all()


def test_more_concepts_than_a_matrix_holds_are_compared_by_equality(monkeypatch):
    data = many(om.Nominal(TREE), LEAVES)
    held = Confidential.of(data, "held")
    assert (held.ground, held.distances) == ("equal", None)
    few = many(om.Nominal(TREE), LEAVES[:300])
    exact = evaluate(few, om.Microaggregation(k=10).mask(few)).confidential["held"]
    monkeypatch.setattr(confidential, "_MOST_CONCEPTS", 299)
    few = many(om.Nominal(TREE), LEAVES[:300])
    bound = evaluate(few, om.Microaggregation(k=10).mask(few)).confidential["held"]
    assert (exact.ground, bound.ground) == ("semantic", "equal")
    assert bound.t >= exact.t
    assert (bound.distinct_l, bound.entropy_l) == (exact.distinct_l, exact.entropy_l)


def test_many_numbers_with_missing_cells_are_measured_and_refused_as_a_requirement():
    data = many(om.Numeric(), [*range(6_000), None], missing="keep")
    held = Confidential.of(data, "held")
    assert held.ground == "equal"
    with raises(om.MaskingError, column="held", parameter="require"):
        om.Closeness("held", 0.5).check(data)
    om.Closeness("held", 0.5).check(many(om.Numeric(), [*range(4_000), None], missing="keep"))
