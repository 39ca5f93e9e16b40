from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.operators import dependence, distance_correlation, distance_covariance, distance_variance
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.dependence import CentredDistances, Contingency, correlation, covariance
from ontomask.operators.line import NumericSpace

from support import literal_distance as distance
from support import literal_operators as lit
from support.spaces import MatrixSpace
from support.strategies import dags


def centred(space, column):
    points, counts = np.unique(column, return_counts=True)
    return CentredDistances(space, points, counts)


def table(a, b):
    return Contingency.of(np.unique(a, return_inverse=True)[1], np.unique(b, return_inverse=True)[1])


def close(ours, literal, squared):
    # The root of a sum that is 0 in theory is the root of its rounding: such sums are compared as they are.
    return abs(ours - literal) <= 1e-9 or (squared < 1e-13 and ours < 1e-6)


@st.composite
def two_columns(draw):
    (t, p), (u, q) = draw(dags(most=9)), draw(dags(most=9))
    pairs = st.tuples(st.sampled_from(sorted(p)), st.sampled_from(sorted(q)))
    return t, p, u, q, draw(st.lists(pairs, min_size=1, max_size=20))


@given(two_columns())
@settings(max_examples=150)
def test_from_distinct_values_as_from_all_pairs_of_records(columns):
    t, p, u, q, pairs = columns
    A, B = map(list, zip(*pairs, strict=True))
    d, e = om.distance("wu_palmer", t), om.distance("log_sc", u)

    def sd(a, b):
        return distance.wu_palmer(p, a, b)

    def se(a, b):
        return distance.log_sc(q, a, b)

    squared = lit.squared_covariance(A, B, sd, se)
    assert close(distance_covariance(A, B, d, e), lit.distance_covariance(A, B, sd, se), squared)
    assert distance_variance(A, d) == pytest.approx(lit.distance_covariance(A, A, sd, sd), abs=1e-9)
    assert distance_variance(B, e) == pytest.approx(lit.distance_covariance(B, B, se, se), abs=1e-9)
    if distance_variance(A, d) * distance_variance(B, e) > 1e-4:
        assert close(distance_correlation(A, B, d, e), lit.distance_correlation(A, B, sd, se), squared)


@pytest.mark.parametrize("whole", [0, 2048])
@pytest.mark.parametrize("sparse", [0, 10**9])
@given(
    columns=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 7)), min_size=1, max_size=40),
    # In a range that is too short distances end at 1, and numbers no longer lie on a line.
    ranges=st.sampled_from([(12, 7), (12, 3), (5, 7), (5, 3)]),
)
@settings(max_examples=100)
def test_blocks_lines_and_sparse_tables_say_the_same(columns, ranges, whole, sparse):
    a, b = np.array(columns).T
    left, right = (NumericSpace(0, high) for high in ranges)
    expected = lit.squared_covariance(
        a, b, lambda x, y: min(abs(x - y) / ranges[0], 1), lambda x, y: min(abs(x - y) / ranges[1], 1)
    )
    variance = lit.squared_covariance(a, a, *[lambda x, y: min(abs(x - y) / ranges[0], 1)] * 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dependence, "_WHOLE", whole)
        patch.setattr(dependence, "_BLOCK", 3)
        patch.setattr(dependence, "_SPARSE", sparse)
        A, B = centred(left, a), centred(right, b)
        ours, back = covariance(A, B, table(a, b)), covariance(B, A, table(b, a))
        assert ours.value**2 == pytest.approx(max(expected, 0), abs=1e-12)
        assert back.value**2 == pytest.approx(max(expected, 0), abs=1e-12)
        assert ours.negative == (expected < -1e-12) or abs(expected) <= 1e-12
        assert A.variance**2 == pytest.approx(variance, abs=1e-12)


def test_counts_stand_for_records():
    space, other = NumericSpace(0, 9), NumericSpace(0, 4)
    rng = np.random.default_rng(2)
    a, b, counts = rng.integers(0, 10, 30), rng.integers(0, 5, 30), rng.integers(1, 6, 30)
    long_a, long_b = np.repeat(a, counts), np.repeat(b, counts)
    points_a, place_a = np.unique(a, return_inverse=True)
    points_b, place_b = np.unique(b, return_inverse=True)
    A = CentredDistances(space, points_a, np.bincount(place_a, weights=counts))
    B = CentredDistances(other, points_b, np.bincount(place_b, weights=counts))
    by_counts = correlation(A, B, Contingency.of(place_a, place_b, counts))
    by_record = correlation(centred(space, long_a), centred(other, long_b), table(long_a, long_b))
    assert by_counts.value == pytest.approx(by_record.value, abs=1e-12)


@pytest.mark.slow
def test_as_dcor_computes_it():
    dcor = pytest.importorskip("dcor")
    rng = np.random.default_rng(7)
    for distinct in (2, 12, 60):
        x = rng.integers(0, distinct, 500)
        y = (x**2 + rng.integers(0, distinct, 500)) % distinct
        A, B = centred(NumericSpace(0, distinct), x), centred(NumericSpace(0, distinct), y)
        pairs = table(x, y)
        x, y = x / distinct, y / distinct
        assert covariance(A, B, pairs).value == pytest.approx(dcor.distance_covariance(x, y, method="naive"), abs=1e-9)
        assert A.variance == pytest.approx(dcor.distance_covariance(x, x, method="naive"), abs=1e-9)
        assert correlation(A, B, pairs).value == pytest.approx(
            dcor.distance_correlation(x, y, method="naive"), abs=1e-9
        )


@pytest.mark.slow
def test_as_dcor_computes_it_on_vectors():
    dcor = pytest.importorskip("dcor")
    rng = np.random.default_rng(8)
    places, others = rng.random((20, 3)), rng.random((9, 2))
    a = rng.integers(0, 20, 400)
    b = (a + rng.integers(0, 3, 400)) % 9
    A = centred(MatrixSpace(np.linalg.norm(places[:, None] - places, axis=2)), a)
    B = centred(MatrixSpace(np.linalg.norm(others[:, None] - others, axis=2)), b)
    assert correlation(A, B, table(a, b)).value == pytest.approx(
        dcor.distance_correlation(places[a], others[b]), abs=1e-9
    )


def test_by_hand():
    # Two values, half of the records each, one apart: δ is ±1/2 everywhere.
    t = om.Taxonomy.from_edges([("x", "r"), ("y", "r")])
    d = om.distance("path", t)
    A, same, other = ["x", "x", "y", "y"], ["x", "x", "y", "y"], ["x", "y", "x", "y"]
    assert distance_variance(A, d) == 0.5
    assert distance_covariance(A, same, d, d) == 0.5
    assert distance_correlation(A, same, d, d) == 1
    assert distance_covariance(A, other, d, d) == 0
    # Three to one: means of rows 1/4, 3/4, of all 3/8; δ = -1/8, 3/8, -9/8, squared mean (9·1 + 6·9 + 81)/64/16.
    assert distance_variance(["x", "x", "x", "y"], d) == pytest.approx((144 / 1024) ** 0.5)


def test_independent_attributes_have_correlation_0():
    wn = om.load_wordnet()
    d = om.distance("wu_palmer", wn)
    rng = np.random.default_rng(4)
    left = [wn.ids[c] for c in rng.integers(0, len(wn), 40)]
    right = [wn.ids[c] for c in rng.integers(0, len(wn), 25)]
    A, B = [a for a in left for _ in right], [b for _ in left for b in right]
    assert distance_correlation(A, B, d, d) == 0
    assert distance_correlation(A, A, d, d) == pytest.approx(1, abs=1e-12)


def test_a_negative_sum_counts_as_0_and_is_told():
    far = np.array([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 1], [9, 9, 1, 0]])
    near = np.where(far == 0, 0, 10 - far)
    a = np.arange(4)
    A, B = centred(MatrixSpace(far), a), centred(MatrixSpace(near), a)
    assert lit.squared_covariance(a, a, lambda i, j: far[i, j], lambda i, j: near[i, j]) < 0
    assert covariance(A, B, table(a, a)) == dependence.Dependence(0.0, negative=True)
    assert correlation(A, B, table(a, a)) == dependence.Dependence(0.0, negative=True)
    assert not covariance(A, A, table(a, a)).negative


def test_an_attribute_that_does_not_vary():
    t = om.Taxonomy.from_edges([("x", "r"), ("y", "r")])
    d = om.distance("path", t)
    assert distance_variance(["x"] * 3, d) == 0
    assert distance_correlation(["x"] * 3, ["x", "y", "y"], d, d) == 0
    assert distance_correlation(["x"], ["y"], d, d) == 0


def test_many_distinct_values_stay_in_blocks():
    # 6,000 numbers against 40 categories: the table is sparse and the distances do not fit whole.
    rng = np.random.default_rng(9)
    a = np.concatenate([np.arange(6000), rng.integers(0, 6000, 2000)])
    b = (a // 500 + rng.integers(0, 4, len(a))) % 40
    A, B = centred(NumericSpace(0, 5999), a), centred(NumericSpace(0, 39), b)
    assert A._whole is None
    fast = correlation(A, B, table(a, b)).value
    pick = rng.permutation(len(a))
    assert correlation(A, B, table(a[pick], b[pick])).value == pytest.approx(fast, abs=1e-12)
    dcor = pytest.importorskip("dcor")
    assert fast == pytest.approx(dcor.distance_correlation(a.astype(float), b.astype(float)), abs=1e-9)


def test_nominal_and_numeric_attributes_together():
    t = om.Taxonomy.from_edges([("x", "r"), ("y", "r"), ("z", "y")])
    d = om.distance("path", t)
    words, numbers = ["x", "y", "z", "x", "z"], np.array([1.5, 2.0, 4.0, 1.5, 3.0])
    codes = t.codes(words)
    ours = correlation(
        centred(NominalSpace(t, d), codes), centred(NumericSpace(1.5, 4.0), numbers), table(codes, numbers)
    )
    assert ours.value == pytest.approx(
        lit.distance_correlation(words, numbers, d, lambda x, y: abs(x - y) / 2.5), abs=1e-9
    )


# Bad input ------------------------------------------------------------------------------------------------


def test_sizes_that_do_not_match():
    t = om.Taxonomy.from_edges([("x", "r"), ("y", "r")])
    d = om.distance("path", t)
    with pytest.raises(om.DistanceError):
        distance_correlation(["x", "y"], ["x"], d, d)
    with pytest.raises(om.DistanceError):
        distance_covariance([], [], d, d)
    with pytest.raises(om.DistanceError):
        distance_variance("x", d)
    nothing = np.empty(0, dtype=int)
    with pytest.raises(om.DistanceError):
        Contingency.of(nothing, nothing)
    with pytest.raises(om.DistanceError):
        Contingency.of(np.array([0, 1]), np.array([0, 1]), np.ones(3))
    space = NominalSpace(t, d)
    with pytest.raises(om.DistanceError):
        CentredDistances(space, np.array([0, 1]), np.array([1]))
    A = CentredDistances(space, np.array([0, 1]), np.array([1, 1]))
    with pytest.raises(om.DistanceError):
        covariance(A, A, Contingency.of(np.array([0, 2]), np.array([0, 1])))
