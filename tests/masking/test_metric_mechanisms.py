"""The mechanisms: exact probabilities on small domains, draws against them, and OpenDP as an oracle."""

from __future__ import annotations

import secrets
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

import ontomask as om
from ontomask.masking.metric_privacy.mechanisms import MECHANISMS, Mechanism
from ontomask.masking.metric_privacy.randomness import secure_words, unsafe_words
from ontomask.masking.metric_privacy.weights import STEPS

from support import literal_metric_privacy as literal
from support.public_domains import public_domain
from support.strategies import dag_values

LINKS = [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom"), ("lumbago", "ache")]
SYMPTOMS = om.Taxonomy.from_edges(LINKS)
# A test of a correct program fails once in 100,000 runs.
LEVEL = 1e-5

every_mechanism = pytest.mark.parametrize("name", MECHANISMS)


def weights_of(mechanism, x):
    index, distances = mechanism.domain.row(x, STEPS)
    return [int(weight) for weight in mechanism.weights[distances][index]]


def fits(counts, probabilities):
    """Whether counts may come from probabilities (chi-square, at the level above)."""
    expected = np.asarray(probabilities, dtype=float) * sum(counts)
    assert expected.min() >= 5
    return ((counts - expected) ** 2 / expected).sum() < chi2.ppf(1 - LEVEL, len(counts) - 1)


@given(dag_values(), st.sampled_from(["log_sc", "wu_palmer", "lin"]))
@settings(max_examples=30)
def test_distances_are_rounded_up_to_steps(dag, distance):
    taxonomy = dag[0]
    domain = public_domain(taxonomy, distance)
    d = om.distance(distance, taxonomy)
    rows = domain.levels(domain.all_inputs, STEPS)
    for x, z in product(range(len(taxonomy)), repeat=2):
        assert rows[x, z] == literal.steps_of(d(taxonomy.ids[x], taxonomy.ids[z]))


@every_mechanism
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_probabilities_are_those_of_the_literal_mechanism(name, epsilon):
    mechanism = Mechanism(public_domain(SYMPTOMS), epsilon, name)
    found = mechanism.probabilities(mechanism.domain.all_inputs)
    for x in range(len(SYMPTOMS)):
        expected = getattr(literal, name)(weights_of(mechanism, x))
        np.testing.assert_allclose(found[x], [float(p) for p in expected], rtol=1e-12)


@every_mechanism
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_the_claim_holds_for_exact_probabilities(name, epsilon):
    """P(z | x) ≤ e^(ε·d∞(x, y))·P(z | y) for all x, y, z, in fractions, with e^t from below by its series."""
    for distance in ("log_sc", "wu_palmer", "path"):
        mechanism = Mechanism(public_domain(SYMPTOMS, distance), epsilon, name)
        domain = mechanism.domain
        rows = domain.levels(domain.all_inputs, STEPS).tolist()
        exact = [getattr(literal, name)(weights_of(mechanism, x)) for x in range(len(SYMPTOMS))]
        for x, y in product(range(len(SYMPTOMS)), repeat=2):
            bound = lower_exp(Fraction(epsilon) * literal.d_infinity(rows, x, y) / STEPS)
            assert all(p <= bound * q for p, q in zip(exact[x], exact[y], strict=True))


def lower_exp(x):
    total = term = Fraction(1)
    for n in range(1, 60):
        term *= x / n
        total += term
    return total


def test_permute_and_flip_is_never_worse():
    """The expected distance is at most that of the exponential mechanism (McKenna and Sheldon 2020, theorem 3)."""
    for epsilon in (0.5, 2.0, 8.0):
        domain = public_domain(SYMPTOMS)
        rows = domain.levels(domain.all_inputs, STEPS)
        first, second = (Mechanism(domain, epsilon, name).probabilities(domain.all_inputs) for name in MECHANISMS)
        assert ((second * rows).sum(axis=1) < (first * rows).sum(axis=1)).all()


@every_mechanism
def test_draws_follow_the_probabilities(name):
    mechanism = Mechanism(public_domain(SYMPTOMS), 3.0, name)
    inputs = np.repeat(mechanism.domain.all_inputs, 20_000)
    drawn = mechanism.draw(np.random.default_rng(0).permutation(inputs), secure_words)
    assert len(drawn) == len(inputs)
    drawn = mechanism.draw(inputs, secure_words)
    for x, row in enumerate(mechanism.probabilities(mechanism.domain.all_inputs)):
        assert fits(np.bincount(drawn[inputs == x], minlength=len(row)), row)


@every_mechanism
def test_the_literal_draw_is_the_same(name):
    mechanism = Mechanism(public_domain(SYMPTOMS), 3.0, name)
    weights = weights_of(mechanism, 4)
    run = getattr(literal, f"run_{name}")
    drawn = [run(weights, secrets.randbelow) for _ in range(20_000)]
    assert fits(np.bincount(drawn, minlength=len(weights)), mechanism.probabilities(np.array([4]))[0])


def test_permute_and_flip_with_few_words_at_a_time():
    """Portions that end in the middle of a draw change no probability."""
    mechanism = Mechanism(public_domain(SYMPTOMS), 8.0, "permute_and_flip")
    rng = np.random.default_rng(3)

    def few(number):
        return unsafe_words(rng)(min(number, 3))

    drawn = mechanism.draw(np.full(6_000, 3, dtype=np.int32), few)
    row = mechanism.probabilities(np.array([3]))[0]
    assert fits(np.bincount(drawn, minlength=len(row)), row)


@pytest.mark.parametrize(("name", "measure"), [("permute_and_flip", "max_divergence"), ("exponential", "zcdp")])
def test_opendp_draws_alike(name, measure):
    """OpenDP's noisy max over the same scores: its pure version is permute-and-flip, the other adds Gumbel noise."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    epsilon, draws = 4.0, 20_000
    mechanism = Mechanism(public_domain(SYMPTOMS), epsilon, name)
    kind = dp.max_divergence() if measure == "max_divergence" else dp.zero_concentrated_divergence()
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    # Scores are distances in steps; half of ε for each difference, as in our weights.
    oracle = dp.m.make_noisy_max(*space, kind, scale=2 * STEPS / epsilon)
    for x in (0, 3, 5):
        scores = (-mechanism.domain.levels(np.array([x]), STEPS)[0].astype(int)).tolist()
        theirs = np.bincount([oracle(scores) for _ in range(draws)], minlength=len(scores))
        ours = np.bincount(mechanism.draw(np.full(draws, x, dtype=np.int32), secure_words), minlength=len(scores))
        assert chi2_contingency(np.stack([theirs, ours])).pvalue > LEVEL
    if measure == "max_divergence":
        assert oracle.map(STEPS) == pytest.approx(epsilon)


def test_a_batch_is_drawn_value_by_value():
    """Where a batch is cut, and what else is in it, changes nothing but the random bits used."""
    mechanism = Mechanism(public_domain(SYMPTOMS), 2.0)
    inputs = np.array([4, 1, 4, 2], dtype=np.int32)
    one = mechanism.draw(inputs, unsafe_words(np.random.default_rng(7)))
    shuffled = mechanism.draw(inputs[[1, 0, 3, 2]], unsafe_words(np.random.default_rng(7)))
    assert sorted(zip(inputs, one, strict=True)) == sorted(zip(inputs[[1, 0, 3, 2]], shuffled, strict=True))
    assert len(mechanism.draw(inputs[:0], secure_words)) == 0
