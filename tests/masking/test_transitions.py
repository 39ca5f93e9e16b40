"""Transition probabilities of the methods: against the literal mechanism, and against the methods themselves."""

from __future__ import annotations

from itertools import product
from math import exp, inf, sqrt
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from scipy.stats import multivariate_normal

import ontomask as om
from ontomask.errors import MaskingError
from ontomask.masking.noise.transitions import _exact_nodes, _loadings, _several_nodes

from support import literal_attacks as literal
from support.tables import microdata

TREE = om.Taxonomy.from_edges(
    [
        ("pain", "symptom"),
        ("ache", "pain"),
        ("lumbago", "ache"),
        ("migraine", "ache"),
        ("colic", "pain"),
        ("inflammation", "symptom"),
        ("gastritis", "inflammation"),
        ("rash", "symptom"),
    ]
)
ROWS = [("ache", "colic"), ("lumbago", "colic"), ("rash", "gastritis"), ("pain", "rash"), ("symptom", "ache")]
ROWS = [*ROWS, *ROWS[:2], ("colic", "colic"), ("gastritis", "lumbago")]


def symptoms(rows=ROWS, **roles):
    frame = pd.DataFrame({f"s{j}": list(column) for j, column in enumerate(zip(*rows, strict=True))})
    return om.Microdata(frame, {name: om.Nominal(TREE, domain="symptom") for name in frame}, **roles)


def probabilities(method, data):
    """P(x → y) for the distinct original tuples and all combinations of concepts and kept cells, which come last."""
    table = data.table
    values = table.values
    points = [
        np.arange(len(column.domain)) if isinstance(column.domain, om.Taxonomy) else value.point
        for column, value in zip(table.columns, values, strict=True)
    ]
    before = np.stack(
        [
            np.where(v.kept, len(points[j]) + np.arange(len(v)) - int((~v.kept).sum()), v.point)[table.tuples[:, j]]
            for j, v in enumerate(values)
        ],
        axis=1,
    ).astype(np.int32)
    sizes = [len(p) + int(v.kept.sum()) for p, v in zip(points, values, strict=True)]
    after = np.array(list(product(*map(range, sizes))), dtype=np.int32)
    out = np.ones((len(table), len(after)))
    transitions = method.transitions(data)
    for factor in transitions.factors:
        at = list(factor.attributes)
        rows = factor.bind([points[j] for j in at], before[:, at], after[:, at])
        matrix, row_of = rows.take(0, len(table))
        out *= matrix[row_of]
    return out, after, before


NOISES = [
    om.UncorrelatedNoise(alpha=0.5),
    om.UncorrelatedNoise(alpha=2.0, distribution="laplace"),
    om.CorrelatedNoise(alpha=0.5),
    om.CorrelatedNoise(alpha=1.0, reference="root"),
    om.CorrelatedNoise(alpha=1.0, reference="pair"),
    om.CorrelatedNoise(alpha=1.0, reference="pair", distribution="laplace"),
]
OTHERS = [om.PRAM(stay=0.6), om.NaiveDistortion(), om.ProbabilisticDistortion(), om.DataSwapping()]


@pytest.mark.parametrize("method", NOISES + OTHERS, ids=str)
def test_probabilities_add_up_to_one(method):
    found, _, _ = probabilities(method, symptoms())
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("method", NOISES + OTHERS, ids=str)
def test_probabilities_are_those_of_many_maskings(method):
    data = symptoms(200 * [*ROWS, ("rash", None), (None, "ache"), (None, "rash")], missing="keep")
    found, after, _ = probabilities(method, data)
    table, runs = data.table, 20
    often = np.zeros(found.shape)
    sizes = after.max(axis=0) + 1
    rng = np.random.default_rng(5)
    for _ in range(runs):
        masked = method.mask(data, seed=rng).data
        codes = [
            np.where(column.kept, len(column.domain), column.point)[column.code] for column in masked.columns.values()
        ]
        np.add.at(often, (table.inverse, np.ravel_multi_index(codes, sizes)), 1)
    share = often / (runs * table.counts[:, None])
    deviation = np.sqrt(found * (1 - found) / (runs * table.counts[:, None]))
    # Of some thousand cells none is off by more than five standard deviations; records of a swap are not independent.
    assert (np.abs(share - found) <= 5.5 * deviation + 1e-3).all()
    assert not often[found == 0].any()


def deviations(method, data):
    fitted = method._fit(data)
    return fitted, np.sqrt(np.diag(fitted.covariance) * method.alpha)


def distance(data):
    column = next(iter(data.quasi_identifiers.values()))
    return lambda a, b: float(column.distance(a, b))


@pytest.mark.parametrize("distribution", ["normal", "laplace"])
def test_uncorrelated_noise_is_exact(distribution):
    data = symptoms()
    method = om.UncorrelatedNoise(alpha=0.4, distribution=distribution)
    fitted, (first, second) = deviations(method, data)
    found, after, before = probabilities(method, data)
    ids = list(TREE.ids)

    def mass(scale):
        def laplace(x):
            tail = 0.5 * exp(-sqrt(2) * abs(x) / scale)
            return 1 - tail if x > 0 else tail

        cdf = NormalDist(0, scale).cdf if distribution == "normal" else laplace
        return lambda low, high: (1 if high == inf else cdf(high)) - (0 if low == -inf else cdf(low))

    for i, x in enumerate(before.tolist()):
        expected = []
        for j, scale in enumerate((first, second)):
            value, mean = ids[x[j]], ids[fitted.points[j]]
            reference = None if value == mean else mean
            expected.append(literal.noise_probabilities(ids, value, distance(data), reference, mass(scale)))
        for y, p in zip(after.tolist(), found[i].tolist(), strict=True):
            assert p == pytest.approx(expected[0][ids[y[0]]] * expected[1][ids[y[1]]], abs=1e-8)


@pytest.mark.parametrize("reference", ["mean", "root", "pair"])
def test_correlated_noise_of_two_columns_is_exact(reference):
    data = symptoms()
    method = om.CorrelatedNoise(alpha=0.6, reference=reference)
    fitted, _ = deviations(method, data)
    normal = multivariate_normal(cov=method.alpha * fitted.covariance, allow_singular=True)

    def cdf(x, y):
        return float(normal.cdf(np.clip([x, y], -40, 40)))

    def mass(a, b, c, d):
        return cdf(b, d) - cdf(a, d) - cdf(b, c) + cdf(a, c)

    found, after, before = probabilities(method, data)
    ids = list(TREE.ids)
    for i, x in enumerate(before.tolist()[:4]):
        values = [ids[x[0]], ids[x[1]]]
        if reference == "pair":
            references = values[::-1]
        else:
            points = [ids[point] for point in fitted.points]
            is_mean = reference == "mean"
            references = [None if is_mean and v == p else p for v, p in zip(values, points, strict=True)]
        sd = distance(data)
        expected = literal.pair_probabilities([ids, ids], values, [sd, sd], references, mass)
        for y, p in zip(after.tolist(), found[i].tolist(), strict=True):
            assert p == pytest.approx(expected.get((ids[y[0]], ids[y[1]]), 0.0), abs=2e-6)


@pytest.mark.parametrize("columns", [3, 4])
@pytest.mark.parametrize("distribution", ["normal", "laplace"])
def test_several_columns_with_correlated_noise_are_close(columns, distribution):
    third, fourth = ["ache", "rash", "colic"] * 3, ["colic"] * 5 + ["rash"] * 4
    rows = [(a, b, c, d)[:columns] for (a, b), c, d in zip(ROWS, third, fourth, strict=True)]
    tree = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    known = {"lumbago": "ache", "gastritis": "symptom"}
    frame = pd.DataFrame([[known.get(v, v) for v in row] for row in rows]).rename(columns=str)
    data = om.Microdata(frame, {name: om.Nominal(tree, domain="symptom") for name in frame})
    method = om.CorrelatedNoise(alpha=0.6, distribution=distribution)
    transitions = method.transitions(data)
    if columns > 3:
        assert transitions.draws > 0
        assert len(transitions.replicates) == 2
    found, after, before = probabilities(method, data)
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-9)
    fitted = method._fit(data)
    drawn = fitted.add(np.repeat(before[:1], 200_000, axis=0), method.alpha, np.random.default_rng(0)).points
    share = np.bincount(np.ravel_multi_index(tuple(drawn.T), [len(tree)] * columns), minlength=len(after)) / len(drawn)
    # What chance alone leaves between 200,000 draws and their distribution.
    chance = np.sqrt(found[0] * (1 - found[0]) / len(drawn))
    exact = transitions.draws == 0
    assert np.abs(share - found[0]).max() < (5 * chance.max() if exact else 0.01)
    assert np.abs(share - found[0]).sum() < (2 * chance.sum() if exact else 0.08)


@pytest.mark.parametrize(
    "correlations", [(0.5, 0.4, 0.3), (0.9, 0.9, 0.9), (0.05, 0.1, 0.2), (-0.7,), (0.99,), (0.0,)], ids=str
)
def test_one_hidden_variable_explains_the_correlations(correlations):
    size = 3 if len(correlations) == 3 else 2
    covariance = np.eye(size)
    covariance[np.triu_indices(size, 1)] = correlations
    covariance = np.outer([1, 2, 3][:size], [1, 2, 3][:size]) * (covariance + covariance.T - np.eye(size))
    nodes = _exact_nodes(covariance, _loadings(covariance), False)
    spread = (nodes.shift * nodes.weight[:, None]).T @ nodes.shift + np.diag(nodes.scale[0] ** 2)
    assert spread == pytest.approx(covariance, abs=1e-8)
    assert _loadings(np.array([[1, 0.9, 0.9], [0.9, 1, 0.1], [0.9, 0.1, 1]])) is None


def test_nodes_have_the_covariance_of_the_errors():
    covariance = np.array([[1.0, 0.5, 0.2], [0.5, 2.0, 0.3], [0.2, 0.3, 0.5]])
    nodes = _several_nodes(covariance, False, 512, None)
    spread = (nodes.shift * nodes.weight[:, None]).T @ nodes.shift + np.diag(nodes.scale[0] ** 2)
    assert spread == pytest.approx(covariance, abs=0.05)


@settings(max_examples=40)
@given(microdata(mixed=False, kept=True, columns=2, least=3))
def test_every_released_tuple_is_possible(data):
    from ontomask.evaluation.attacks.informed import know_method
    from ontomask.evaluation.pairing import Pairing

    for method in (om.UncorrelatedNoise(alpha=1.0), om.CorrelatedNoise(alpha=1.0), om.PRAM(), om.DataSwapping()):
        try:
            result = method.mask(data, seed=0)
        except MaskingError:
            assume(False)
        # An impossible one is an error.
        assert 0 <= know_method(data, Pairing.of(data, result.data), method).linked <= 100


def test_levels_of_records_have_no_closed_form():
    data = symptoms()
    method = om.UncorrelatedNoise(alpha=[0.1] * len(data))
    assert method.transitions(data) is None


def test_which_methods_keep_values():
    assert not om.NaiveDistortion().keeps_values
    assert not om.CorrelatedNoise(alpha=0.1).keeps_values
    assert om.UncorrelatedNoise(alpha=[0.1, 0.0]).keeps_values
    assert not om.UncorrelatedNoise(alpha=[0.1, 0.2]).keeps_values
    assert not om.PRAM(matrices={"s0": (["ache", "rash"], [[0, 1], [1, 0]])}).keeps_values
    for method in (om.PRAM(), om.RankSwapping(), om.DataSwapping(), om.Recoding(k=2), om.ProbabilisticDistortion()):
        assert method.keeps_values


def test_pram_with_a_matrix():
    data = symptoms([("ache",), ("rash",), ("ache",), ("colic",)])
    matrix = [[0.2, 0.3, 0.5], [0.0, 1.0, 0.0], [0.1, 0.9, 0.0]]
    found, after, before = probabilities(om.PRAM(matrices={"s0": (["ache", "rash", "colic"], matrix)}), data)
    code = {TREE.code(name): i for i, name in enumerate(("ache", "rash", "colic"))}
    for i, (x,) in enumerate(before.tolist()):
        for y, p in zip(after[:, 0].tolist(), found[i].tolist(), strict=True):
            assert p == pytest.approx(matrix[code[x]][code[y]] if y in code else 0.0)
