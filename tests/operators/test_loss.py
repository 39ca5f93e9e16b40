from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.line import NumericSpace
from ontomask.operators.loss import loss_percent, mean_loss, squared_loss, target_rmse
from ontomask.operators.space import record_distances, record_pairs

from support import literal_distance as distance
from support import literal_operators as lit
from support.records import record_centroid, rmse, semantic_loss, sse
from support.strategies import dags

TREE = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
SPACES = [NominalSpace(TREE, om.distance("path", TREE)), NumericSpace(0, 10)]


def test_by_hand():
    # Three distinct pairs of four records. Distances: ache → colic 2/4, ache → ache 0, rash → symptom 1/4;
    # numbers 2/10, 0, 5/10. Records: .35 (twice), 0, .375.
    original = [TREE.codes(["ache", "ache", "rash"]), np.array([1.0, 4.0, 5.0])]
    masked = [TREE.codes(["colic", "ache", "symptom"]), np.array([3.0, 4.0, 10.0])]
    counts = np.array([2, 1, 1])
    assert semantic_loss(SPACES, original, masked, counts) == pytest.approx((2 * 0.35 + 0.375) / 4)
    assert sse(SPACES, original, masked, counts) == pytest.approx(2 * 0.35**2 + 0.375**2)
    assert rmse(SPACES[0], original[0], masked[0], counts) == pytest.approx(((2 * 0.25 + 0.0625) / 4) ** 0.5)
    assert rmse(SPACES[1], original[1], masked[1], counts) == pytest.approx(((2 * 0.04 + 0.25) / 4) ** 0.5)


def test_suppressed_records_are_at_distance_1():
    distances, one, nothing = np.array([0.5]), np.array([1]), np.empty(0)
    assert mean_loss(distances, one, suppressed=3) == pytest.approx((0.5 + 3) / 4)
    assert squared_loss(distances, one, suppressed=3) == 0.25 + 3
    assert mean_loss(nothing, nothing, suppressed=5) == 1
    assert squared_loss(nothing, nothing, suppressed=5) == 5


def test_loss_in_percent_of_the_total():
    original, counts = [TREE.codes(["ache", "colic", "rash"])], np.array([1, 1, 1])
    # The centroid is pain: one link, one link, two links of four.
    centre = [TREE.codes(["pain"] * 3)]
    assert record_centroid(SPACES[:1], original, counts) == (TREE.code("pain"),)
    total = sse(SPACES[:1], original, centre, counts)
    assert total == 1 / 16 + 1 / 16 + 4 / 16
    masked = [TREE.codes(["pain", "pain", "rash"])]
    assert loss_percent(sse(SPACES[:1], original, masked, counts), total) == pytest.approx(100 / 3)
    assert loss_percent(2.0, 0.0) == 0


def test_weights_of_attributes():
    heavy = [NominalSpace(TREE, om.distance("path", TREE), weight=3.0), NumericSpace(0, 10, weight=1.0)]
    original, masked = [TREE.codes(["ache"]), np.array([0.0])], [TREE.codes(["colic"]), np.array([10.0])]
    assert semantic_loss(heavy, original, masked, np.array([1])) == pytest.approx(0.75 * 0.5 + 0.25 * 1)


@st.composite
def maskings(draw):
    (t, p), (u, q) = draw(dags(most=9)), draw(dags(most=9))
    pairs = st.tuples(st.integers(0, len(t) - 1), st.integers(0, len(u) - 1))
    rows = draw(st.lists(st.tuples(pairs, pairs), min_size=1, max_size=15))
    return (t, p), (u, q), rows, draw(st.integers(0, 4))


@given(maskings())
@settings(max_examples=100)
def test_losses_are_the_literal_ones(sample):
    (t, p), (u, q), rows, suppressed = sample
    spaces = [NominalSpace(t, om.distance("wu_palmer", t)), NominalSpace(u, om.distance("log_sc", u))]
    sds = [
        lambda a, b: distance.wu_palmer(p, t.ids[a], t.ids[b]),
        lambda a, b: distance.log_sc(q, u.ids[a], u.ids[b]),
    ]
    pairs = [*rows, *[(rows[0][0], None)] * suppressed]
    together, counts = np.unique(np.array([[*r, *s] for r, s in rows]), axis=0, return_counts=True)
    original, masked = list(together.T[:2]), list(together.T[2:])
    distances = record_pairs(spaces, original, masked)
    loss, squares = (function(distances, counts, suppressed) for function in (mean_loss, squared_loss))
    assert loss == pytest.approx(lit.semantic_loss(pairs, sds), abs=1e-9)
    assert squares == pytest.approx(lit.sse(pairs, sds), abs=1e-9)
    matrix = record_distances(spaces, original, masked)
    assert np.allclose(distances, np.diag(matrix), rtol=0, atol=1e-12)


def test_no_errors():
    with pytest.raises(om.DistanceError):
        target_rmse([])
