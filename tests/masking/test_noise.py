"""Uncorrelated and correlated noise on tables: against the papers' steps, by hand, and what they refuse."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import ontomask as om
from ontomask.errors import MaskingError
from ontomask.kinds import NominalColumn
from ontomask.masking.noise import CorrelatedNoise, UncorrelatedNoise

from support.errors import raises
from support.literal_noise import algorithm_1, algorithm_2, algorithm_3
from support.literal_operators import distance_covariance, semantic_mean, semantic_variance
from support.records import rmse
from support.strategies import dags
from support.tables import microdata

DISTRIBUTIONS = ("normal", "laplace")


# The literal view of a table


class Literal:
    """Concepts of each column, record by record (``None``: a kept cell), and its distances."""

    def __init__(self, data: om.Microdata) -> None:
        self.columns = list(data.quasi_identifiers.values())
        self.names = list(data.quasi_identifiers)
        self.concepts = [column.domain.ids for column in self.columns]
        self.values = [
            [None if column.kept[c] else column.domain.ids[column.point[c]] for c in column.code]
            for column in self.columns
        ]
        self.sd = [self._distance(column) for column in self.columns]

    @staticmethod
    def _distance(column: NominalColumn):
        ids = column.domain.ids
        known = {(a, b): column.distance(a, b) for a in ids for b in ids}
        return lambda a, b: known[a, b]

    def present(self, j):
        return [a for a in self.values[j] if a is not None]

    def mean(self, j):
        return semantic_mean(self.concepts[j], self.present(j), self.sd[j])

    def covariance(self, columns):
        """N eq. 22, over the records that keep no cell of these columns."""
        whole = [r for r in range(len(self.values[0])) if all(self.values[j][r] is not None for j in columns)]
        parts = [[self.values[j][r] for r in whole] for j in columns]
        return np.array(
            [
                [distance_covariance(A, B, self.sd[i], self.sd[j]) for j, B in zip(columns, parts, strict=True)]
                for i, A in zip(columns, parts, strict=True)
            ]
        )


def symmetric_root(matrix):
    """Of one or two rows: (M + √det M · I) / √(tr M + 2 √det M)."""
    if len(matrix) == 1:
        return np.sqrt(matrix)
    area = sqrt(max(matrix[0, 0] * matrix[1, 1] - matrix[0, 1] ** 2, 0))
    return (matrix + area * np.eye(2)) / sqrt(np.trace(matrix) + 2 * area)


def draws(seed, n, blocks, distribution):
    """Errors for a noise level of 1 and chances, as they are drawn: normal, exponential, then uniform numbers.

    They are drawn for the records listed by tuple.
    """
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((n, sum(len(columns) for columns, _ in blocks)))
    mixing = rng.standard_exponential((n, len(blocks))) if distribution == "laplace" else np.ones((n, len(blocks)))
    errors = np.empty_like(normal)
    for b, (columns, covariance) in enumerate(blocks):
        root = symmetric_root(covariance)
        for r in range(n):
            errors[r, columns] = sqrt(mixing[r, b]) * (root @ normal[r, columns])
    return errors, rng.random(normal.shape)


def dealt(result, data, errors):
    """Which draw each row got: one of its tuple, found by its errors."""
    noise = np.stack(list(result.noise.values()))
    kept = np.stack([values.kept[data.table.tuples[:, j]] for j, values in enumerate(data.table.values)])
    drawn = np.where(kept[:, data.table.record_tuples], 0, errors.T)
    at = np.empty(len(data), dtype=int)
    # Rows and draws of a tuple are as many, and their errors are equal in another order.
    at[np.lexsort((*noise, data.table.inverse))] = np.lexsort((*drawn, data.table.record_tuples))
    return at


def check_result(result, data, found, chances):
    """Every record has the concept that its draws pick among those that the paper allows."""
    for j, (name, allowed) in enumerate(found.items()):
        masked = result.data.columns[name]
        ids = masked.domain.ids
        for r, one in enumerate(allowed):
            cell = masked.code[r]
            assert (one is None) == bool(masked.kept[cell])
            if one is None:
                assert data.frame[name].isna()[r]
                assert result.frame[name].isna()[r]
                assert result.noise[name][r] == 0
            else:
                assert ids[masked.point[cell]] == one.pick(chances[r, j])
        figures = result.details["columns"][name]
        assert figures["truncated"] == sum(one.truncated for one in allowed if one)
        assert figures["signs_dropped"] == sum(one.sign_dropped for one in allowed if one)


def tables(**options):
    return microdata(least=2, mixed=False, kept=True, **options)


def drawn_for_rows(result, data, blocks, distribution):
    """The errors and chances of each row."""
    errors, chances = draws(7, len(data), blocks, distribution)
    errors *= sqrt(0.3)
    at = dealt(result, data, errors)
    return errors[at], chances[at]


def mask_or_assume(method, data):
    # Small tables have columns that do not vary, domains of one concept, roots that all concepts are equally far from.
    try:
        return method.mask(data, seed=7)
    except MaskingError as problem:
        message = str(problem)
    assume(not any(text in message for text in ("do not vary", "single concept", "No record has", "equally far")))
    raise AssertionError(message)


@given(tables(), st.sampled_from(DISTRIBUTIONS))
@settings(max_examples=40)
def test_uncorrelated_noise_is_the_papers(data, distribution):
    result = mask_or_assume(UncorrelatedNoise(0.3, distribution), data)
    literal = Literal(data)
    blocks, found = [], {}
    for j in range(len(literal.names)):
        blocks.append(([j], np.array([[semantic_variance(literal.concepts[j], literal.present(j), literal.sd[j])]])))
    errors, chances = drawn_for_rows(result, data, blocks, distribution)
    for j, name in enumerate(literal.names):
        kept = np.array([a is None for a in literal.values[j]])
        assert result.noise[name] == pytest.approx(np.where(kept, 0, errors[:, j]), abs=1e-12)
        found[name] = algorithm_1(
            literal.concepts[j], literal.values[j], result.noise[name], literal.sd[j], literal.mean(j)
        )
    check_result(result, data, found, chances)


@given(tables(columns=2), st.sampled_from(DISTRIBUTIONS), st.sampled_from(("mean", "root")))
@settings(max_examples=40)
def test_correlated_noise_is_the_papers(data, distribution, reference):
    # Up to two columns: their distance covariances always make a covariance matrix.
    result = mask_or_assume(CorrelatedNoise(0.3, distribution, reference=reference), data)
    literal = Literal(data)
    columns = list(range(len(literal.names)))
    covariance = literal.covariance(columns)
    assert np.array(result.details["covariance"]) == pytest.approx(covariance, abs=1e-9)
    errors, chances = drawn_for_rows(result, data, [(columns, covariance)], distribution)
    found = {}
    for j, name in enumerate(literal.names):
        kept = np.array([a is None for a in literal.values[j]])
        # The root of a singular matrix magnifies rounding: 1e-16 becomes 1e-8.
        assert result.noise[name] == pytest.approx(np.where(kept, 0, errors[:, j]), abs=1e-6)
        here = literal.concepts[j], literal.values[j], result.noise[name], literal.sd[j]
        found[name] = algorithm_1(*here, literal.mean(j)) if reference == "mean" else algorithm_3(*here, here[0][0])
    check_result(result, data, found, chances)


@st.composite
def paired_tables(draw):
    """Two or four columns over the same domain, with kept cells."""
    taxonomy, parents = draw(dags())
    n = draw(st.integers(2, 16))
    cells = st.one_of(*[st.sampled_from(sorted(parents))] * 5, st.none())
    names = [f"c{j}" for j in range(draw(st.sampled_from((2, 2, 4))))]
    attribute = om.Nominal(taxonomy, draw(st.sampled_from(("wu_palmer", "log_sc", "path"))), domain=taxonomy.root)
    frame = pd.DataFrame({name: draw(st.lists(cells, min_size=n, max_size=n)) for name in names}, dtype=object)
    assume(frame.notna().any().all())
    return om.Microdata(frame, dict.fromkeys(names, attribute), missing="keep")


@given(paired_tables(), st.sampled_from(DISTRIBUTIONS))
@settings(max_examples=40)
def test_paired_noise_is_the_papers(data, distribution):
    result = mask_or_assume(CorrelatedNoise(0.3, distribution, reference="pair"), data)
    literal = Literal(data)
    partner = {name: figures["pair"] for name, figures in result.details["columns"].items()}
    assert all(partner[partner[name]] == name != partner[name] for name in literal.names)
    pairs = sorted({tuple(sorted((literal.names.index(a), literal.names.index(b)))) for a, b in partner.items()})
    blocks = [(list(pair), literal.covariance(pair)) for pair in pairs]
    errors, chances = drawn_for_rows(result, data, blocks, distribution)
    found = {}
    for j, name in enumerate(literal.names):
        kept = np.array([a is None for a in literal.values[j]])
        assert result.noise[name] == pytest.approx(np.where(kept, 0, errors[:, j]), abs=1e-6)
        other = literal.values[literal.names.index(partner[name])]
        found[name] = algorithm_2(literal.concepts[j], literal.values[j], other, result.noise[name], literal.sd[j])
    check_result(result, data, found, chances)


# Distributions


def flat(*names):
    """Leaves below one root, all at path distance 1 from each other."""
    return om.Taxonomy.from_edges([(name, "top") for name in names])


def two_columns(n=20_000, seed=1):
    """Two dependent columns over one small taxonomy."""
    rng = np.random.default_rng(seed)
    ids = ("a", "a1", "a2", "b", "b1", "b2")
    t = om.Taxonomy.from_edges([("a", "top"), ("b", "top"), ("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")])
    first = rng.integers(0, 6, n)
    then = np.where(rng.random(n) < 0.7, first, rng.integers(0, 6, n))
    frame = pd.DataFrame({"first": np.take(ids, first), "then": np.take(ids, then)})
    return om.Microdata(frame, {name: om.Nominal(t, domain="top") for name in frame})


DATA = two_columns()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("reference", [None, "mean", "pair", "root"])
def test_errors_have_the_distribution_asked_for(distribution, reference):
    method = (
        UncorrelatedNoise(0.5, distribution)
        if reference is None
        else CorrelatedNoise(0.5, distribution, reference=reference)
    )
    result = method.mask(DATA, seed=3)
    covariance = 0.5 * np.array(result.details["covariance"])
    errors = np.stack([result.noise["first"], result.noise["then"]])
    n = len(DATA)
    # Six standard deviations of the estimates; a Laplace variable has a fourth moment of 6.
    room = 6 * sqrt((5 if distribution == "laplace" else 2) / n) * covariance.max()
    assert np.cov(errors) == pytest.approx(covariance, abs=room)
    assert errors.mean(axis=1) == pytest.approx([0, 0], abs=6 * sqrt(covariance.max() / n))
    family = stats.laplace(scale=1 / sqrt(2)) if distribution == "laplace" else stats.norm()
    for drawn, variance in zip(errors, np.diag(covariance), strict=True):
        assert stats.kstest(drawn / sqrt(variance), family.cdf).pvalue > 1e-4
    if reference is not None:
        expected = covariance[0, 1] / sqrt(covariance[0, 0] * covariance[1, 1])
        assert expected > 0.5
        # Joint Laplace errors share more than the correlation: with ε = √W·Z, magnitudes go together.
        together = np.corrcoef(errors[0] ** 2, errors[1] ** 2)[0, 1]
        of_squares = expected**2 if distribution == "normal" else (1 + 4 * expected**2) / 5
        assert together == pytest.approx(of_squares, abs=0.12)


def test_random_draws_spread_over_what_is_allowed():
    literal = Literal(DATA)
    result = UncorrelatedNoise(0.5).mask(DATA, seed=3)
    masked = result.data.columns["first"]
    allowed = algorithm_1(literal.concepts[0], literal.values[0], result.noise["first"], literal.sd[0], literal.mean(0))
    expected, seen = {}, {}
    for one, cell in zip(allowed, masked.code, strict=True):
        got = masked.domain.ids[masked.point[cell]]
        assert got in one.concepts
        for c in one.concepts:
            expected[c] = expected.get(c, 0) + 1 / len(one.concepts)
        seen[got] = seen.get(got, 0) + 1
    assert seen.keys() <= expected.keys()
    for c, often in expected.items():
        assert seen[c] == pytest.approx(often, abs=6 * sqrt(often))


# Covariances


def test_covariances_that_make_no_covariance_matrix():
    # x and y independent, z their combination, all at distance 0 or 1. With shares 1/2 and 1/4 the centred distances
    # are 1/2 and 1/4 less than whether values differ; the mean products are 1/4 (x), 3/16 (z), 1/8 (x, z), 0 (x, y).
    # So sdCor(x, z) = (1/8)^½ / (3/16 · 1/4)^¼ = 0.76, and 2·0.76² > 1: no such correlations exist.
    xy = [(x, y) for x in "pq" for y in "rs"] * 5
    frame = pd.DataFrame({"x": [x for x, _ in xy], "y": [y for _, y in xy], "z": [x + y for x, y in xy]})
    taxonomies = {"x": flat("p", "q"), "y": flat("r", "s"), "z": flat("pr", "ps", "qr", "qs")}
    data = om.Microdata(frame, {name: om.Nominal(t, "path") for name, t in taxonomies.items()})
    result = CorrelatedNoise(0.3).mask(data, seed=0)
    matrix = np.array(result.details["covariance"])
    assert np.diag(matrix) == pytest.approx([1 / 2, 1 / 2, sqrt(3 / 16)])
    assert np.linalg.eigvalsh(matrix).min() == pytest.approx(0, abs=1e-9)
    wanted = (1 / 8) ** 0.5 / (3 / 16 * 1 / 4) ** 0.25
    correlation = matrix / np.sqrt(np.outer(np.diag(matrix), np.diag(matrix)))
    assert correlation[0, 2] == pytest.approx(correlation[1, 2])
    assert 0.7 < correlation[0, 2] < wanted
    assert "nearest-covariance" in [note.code for note in result.notes]


def test_pairs_by_highest_correlation():
    rng = np.random.default_rng(0)
    t = flat(*"pqrs")
    a, b = rng.integers(0, 4, 200), rng.integers(0, 4, 200)
    frame = pd.DataFrame({"a": a, "b": b, "also_b": b, "also_a": np.where(rng.random(200) < 0.9, a, b)})
    data = om.Microdata(frame.map(lambda i: "pqrs"[i]), {name: om.Nominal(t, "path", domain="top") for name in frame})
    figures = CorrelatedNoise(reference="pair").mask(data, seed=0).details["columns"]
    assert {name: f["pair"] for name, f in figures.items()} == {
        "a": "also_a",
        "also_a": "a",
        "b": "also_b",
        "also_b": "b",
    }
    given = [("a", "b"), ("also_a", "also_b")]
    result = CorrelatedNoise(reference="pair", pairs=given).mask(data, seed=0)
    assert result.details["columns"]["also_a"]["pair"] == "also_b"
    matrix = np.array(result.details["covariance"])
    assert matrix[0, 1] > 0
    assert matrix[0, 2] == matrix[0, 3] == 0


# What comes with a result


@pytest.mark.parametrize(
    "method", [UncorrelatedNoise(), *(CorrelatedNoise(reference=r) for r in ("mean", "pair", "root"))]
)
def test_figures_and_guarantee(method):
    result = method.mask(DATA, seed=5)
    for name, column in DATA.quasi_identifiers.items():
        figures, masked = result.details["columns"][name], result.data.columns[name]
        before, after = column.point[column.code], masked.point[masked.code]
        assert figures["target_rmse"] == pytest.approx(sqrt(np.mean(result.noise[name] ** 2)))
        assert figures["actual_rmse"] == pytest.approx(rmse(column.space, before, after, np.ones(len(DATA))))
    assert result.guarantee.claim == ""
    assert result.guarantee.k is None
    assert "No privacy guarantee" in str(result.guarantee)
    # Noise of this level leaves hardly a record as it was.
    assert np.mean(result.frame["first"] == DATA.frame["first"]) < 0.01


def test_a_level_for_each_record():
    n = len(DATA)
    levels = np.where(np.arange(n) % 2, 0.4, 0.0)
    result = UncorrelatedNoise(levels).mask(DATA, seed=5)
    assert not result.noise["first"][::2].any()
    assert (result.frame["first"] == DATA.frame["first"])[::2].all()
    assert {note.code: note.values for note in result.notes}["records-unchanged"]["records"] == 10_000
    # Errors are drawn for the records by tuple and level.
    blocks = [([j], np.array([[result.details["covariance"][j][j]]])) for j in range(2)]
    rows = np.lexsort((levels, DATA.table.inverse))
    expected = np.sqrt(levels[rows]) * draws(5, n, blocks, "normal")[0].T
    assert np.stack(list(result.noise.values()))[:, rows] == pytest.approx(expected)
    assert isinstance(result.plan, om.RecordPlan)
    assert result.noise is result.plan.errors


def test_levels_move_with_their_records():
    rows = np.random.default_rng(0).permutation(len(DATA))
    levels = np.where(np.arange(len(DATA)) % 2, 0.4, 0.1)
    shuffled = om.Microdata(
        DATA.frame.iloc[rows].reset_index(drop=True), {n: DATA.quasi_identifiers[n].kind for n in ("first", "then")}
    )
    assert joint(UncorrelatedNoise(levels).plan(DATA, seed=2)) == joint(
        UncorrelatedNoise(levels[rows]).plan(shuffled, seed=2)
    )


def test_equal_levels_are_one_level():
    assert joint(CorrelatedNoise([0.2] * len(DATA)).plan(DATA, seed=1)) == joint(
        CorrelatedNoise(0.2).plan(DATA, seed=1)
    )


def joint(plan):
    return sorted(plan.counts().show(len(DATA)))


def test_levels_are_part_of_the_method():
    levels = [0.1, 0.2]
    method = UncorrelatedNoise(levels)
    levels[0] = 9.0
    assert method == UncorrelatedNoise((0.1, 0.2))
    assert method != UncorrelatedNoise((0.1, 0.3))
    assert UncorrelatedNoise(0.1) != UncorrelatedNoise(0.2)
    assert repr(UncorrelatedNoise(np.ones(1_000_000))) == "UncorrelatedNoise(alpha=…)"
    assert repr(CorrelatedNoise(0.5, reference="root")) == "CorrelatedNoise(alpha=0.5, reference='root')"
    assert len({UncorrelatedNoise(0.1), UncorrelatedNoise(0.1), CorrelatedNoise(0.1)}) == 2


def test_scope_changes_distances_but_not_the_domain():
    t = om.Taxonomy.from_edges(
        [("body", "top"), ("mind", "top"), ("pain", "body"), ("ache", "pain"), ("colic", "pain"), ("rash", "body")]
    )
    frame = pd.DataFrame({"x": ["ache", "colic", "rash", "ache"] * 25})
    inside = {"pain", "ache", "colic", "rash", "body"}
    seen = {}
    for scope in ("domain", "ontology"):
        data = om.Microdata(frame, {"x": om.Nominal(t, scope=scope, domain="body")})
        result = UncorrelatedNoise(1.0).mask(data, seed=0)
        assert set(result.frame["x"]) <= inside
        seen[scope] = result.details["columns"]["x"]["semantic_variance"]
    # Nearer to each other where the root lies one link above them.
    assert seen["ontology"] < seen["domain"]


# What they refuse


NO_NUMBERS = [True, "0.3", None, [], ["0.3", "0.4"], [True, True], [[0.1], [0.1, 0.2]], 10**400]


@pytest.mark.parametrize(
    "alpha", [0, -0.1, float("nan"), float("inf"), *NO_NUMBERS, [0.0, 0.0], [0.1, -0.1], [[0.1]]], ids=lambda _: "alpha"
)
@pytest.mark.parametrize("method", [UncorrelatedNoise, CorrelatedNoise])
def test_noise_levels_are_positive(method, alpha):
    with raises(MaskingError, parameter="alpha"):
        method(alpha)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"distribution": "cauchy"}, "distribution"),
        ({"reference": "median"}, "reference"),
        ({"pairs": [("first", "then")]}, "pairs"),
        ({"reference": "pair", "pairs": "first then"}, "pairs"),
        ({"reference": "pair", "pairs": [("first", "then", "x")]}, "pairs"),
        ({"reference": "pair", "pairs": [("first", 2)]}, "pairs"),
        ({"reference": "pair", "pairs": ["ab"]}, "pairs"),
        ({"reference": "pair", "pairs": []}, "pairs"),
        ({"reference": "pair", "pairs": [("first", "first")]}, "pairs"),
        ({"reference": "pair", "pairs": [("a", "b"), ("b", "c")]}, "pairs"),
    ],
)
def test_parameters_that_cannot_be(options, parameter):
    with raises(MaskingError, parameter=parameter):
        CorrelatedNoise(**options)


def test_levels_of_another_number_of_records():
    with raises(MaskingError, parameter="alpha"):
        UncorrelatedNoise([0.1, 0.2, 0.3]).mask(DATA)


def one_column(values, taxonomy, **options):
    frame = pd.DataFrame(dict.fromkeys(options.pop("names", ["x"]), values))
    return om.Microdata(frame, {name: om.Nominal(taxonomy, **options) for name in frame})


@pytest.mark.parametrize("method", [UncorrelatedNoise(), CorrelatedNoise(), CorrelatedNoise(reference="root")])
def test_columns_that_noise_cannot_change(method):
    t = flat("p", "q")
    with raises(MaskingError, column="x", values=("p",)):
        method.mask(one_column(["p", "p"], t))
    with raises(MaskingError, column="x", values=()):
        method.mask(one_column(["p", "p"], t, domain="top"))
    with raises(MaskingError, column="x", values=()):
        method.fit(one_column(["p"], t, domain="top"))


@pytest.mark.parametrize("distance", [{"name": "wu_palmer", "root_depth": 0}, "lin", "resnik"])
def test_a_root_that_all_are_equally_far_from(distance):
    t = om.Taxonomy.from_edges([("p", "top"), ("q", "p"), ("r", "p")])
    data = one_column(["p", "q", "r"], t, distance=distance, domain="top")
    with raises(MaskingError, column="x", parameter="reference"):
        CorrelatedNoise(reference="root").mask(data)


def test_columns_that_make_no_pairs():
    t = flat("p", "q")
    pair = CorrelatedNoise(reference="pair")
    with raises(MaskingError, parameter="reference"):
        pair.mask(one_column(["p", "q"], t))
    with raises(MaskingError, parameter="reference"):
        pair.mask(one_column(["p", "q"], t, names=["x", "y", "z"]))
    data = one_column(["p", "q"], t, names=["x", "y", "z", "u"])
    with raises(MaskingError, parameter="pairs"):
        CorrelatedNoise(reference="pair", pairs=[("x", "y")]).mask(data)
    with raises(MaskingError, parameter="pairs"):
        CorrelatedNoise(reference="pair", pairs=[("x", "v")]).mask(data)


def test_occupation_and_country_are_no_pair():
    frame = pd.DataFrame({"occupation": ["clerk", "nurse"], "country": ["Peru", "Cuba"]})
    wn = om.load_wordnet()
    domains = {"occupation": "person.n.01", "country": "district.n.01"}
    data = om.Microdata(frame, {name: om.Nominal(wn, domain=top) for name, top in domains.items()})
    with raises(MaskingError, values=("occupation",), parameter="reference", code="other-domain"):
        CorrelatedNoise(reference="pair").mask(data)
    with raises(MaskingError, parameter="pairs"):
        CorrelatedNoise(reference="pair", pairs=[("occupation", "country")]).mask(data)
    assert len(CorrelatedNoise(reference="root").mask(data, seed=0).frame) == 2


def test_columns_without_a_record_in_common():
    frame = pd.DataFrame({"x": ["p", "q", None, None], "y": [None, None, "p", "q"]})
    data = om.Microdata(frame, dict.fromkeys(frame, om.Nominal(flat("p", "q"), domain="top")), missing="keep")
    with raises(MaskingError, values=("x", "y"), code="no-complete-record"):
        CorrelatedNoise().mask(data)
    assert UncorrelatedNoise().mask(data, seed=0).frame.isna().sum().sum() == 4


def test_numbers_are_not_let_through():
    frame = pd.DataFrame({"x": ["p", "q"], "age": [30, 40]})
    data = om.Microdata(frame, {"x": om.Nominal(flat("p", "q"), domain="top"), "age": om.Numeric()})
    with raises(MaskingError, column="age"):
        UncorrelatedNoise().mask(data)
