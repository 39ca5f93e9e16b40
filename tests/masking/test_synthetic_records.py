"""`SyntheticRecords`: exact noise, public bins, and records that say nothing about their originals."""

from __future__ import annotations

import secrets
from fractions import Fraction
from math import exp

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

import ontomask as om
from ontomask.errors import MaskingError
from ontomask.masking.metric_privacy.discrete_laplace import discrete_laplace
from ontomask.masking.metric_privacy.synthetic import count_bins, without_noise

from support.errors import raises

LINKS = [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom"), ("lumbago", "ache")]
TAXONOMY = om.Taxonomy.from_edges(LINKS)
SYMPTOM = om.Nominal(TAXONOMY, domain="symptom")


def symptoms(words, kind=SYMPTOM, **options):
    return om.Microdata(pd.DataFrame({"symptom": list(words)}), {"symptom": kind}, **options)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(2), Fraction(0.7)])
def test_the_noise_has_the_exact_distribution(scale):
    """P(x) = (1 − q)/(1 + q)·q^|x| with q = exp(−1/scale): chi-square, wrong once in 100,000 runs."""
    drawn = np.array([discrete_laplace(scale, secrets.randbelow) for _ in range(20_000)])
    q = exp(-1 / scale)
    reach = next(k for k in range(1, 99) if q ** (k + 1) * 20_000 / (1 + q) < 10)
    counts = np.bincount(np.clip(drawn, -reach - 1, reach + 1) + reach + 1, minlength=2 * reach + 3)
    inner = [(1 - q) / (1 + q) * q ** abs(x) for x in range(-reach, reach + 1)]
    tail = q ** (reach + 1) / (1 + q)
    expected = 20_000 * np.array([tail, *inner, tail])
    assert ((counts - expected) ** 2 / expected).sum() < chi2.ppf(1 - 1e-5, len(expected) - 1)


@pytest.mark.parametrize("scale", [Fraction(3, 2), Fraction(5)])
def test_opendp_draws_the_same_noise(scale):
    """OpenDP's Laplace mechanism on integers is the discrete Laplace (chi-square, wrong once in 100,000 runs)."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    oracle = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=float(scale))
    samples = [oracle(0) for _ in range(20_000)], [discrete_laplace(scale, secrets.randbelow) for _ in range(20_000)]
    reach = int(4 * scale)
    counts = [np.bincount(np.clip(drawn, -reach, reach) + reach, minlength=2 * reach + 1) for drawn in samples]
    assert chi2_contingency(np.stack(counts)).pvalue > 1e-5


def test_concepts_are_counted_at_a_depth():
    domain = symptoms(["ache"]).quasi_identifiers["symptom"].public_domain(None)
    for depth, expected in ((1, {"symptom", "pain", "rash"}), (2, {"symptom", "pain", "rash", "ache", "colic"})):
        bins = count_bins(domain, depth)
        assert {TAXONOMY.ids[i] for i in bins.released} == expected
        at = bins.of_input(np.array([TAXONOMY.code("lumbago")]))[0]
        assert TAXONOMY.ids[bins.released[at]] == ("pain" if depth == 1 else "ache")


def test_bins_do_not_depend_on_the_data():
    for kind, cells, number in (
        (om.Category(values=["m", "f"]), ["m"], 2),
        (om.Numeric(grid=[0, 9, 1]), [3], 10),
        (om.Numeric(grid=[0, 1000, 1]), [3], 50),
        (om.Date(grid=["2000-01-01", "2030-12-31"]), ["2020-01-01"], 50),
        (om.Ordinal(["S", "M", "L"]), ["S"], 3),
    ):
        domain = symptoms(cells, kind).quasi_identifiers["symptom"].public_domain(None)
        bins = count_bins(domain, 2)
        assert len(bins.released) == number
        numbers = bins.of_input(domain.inputs(domain.points))
        assert set(numbers) == set(range(number))
        assert (numbers[bins.released] == np.arange(number)).all()


def test_frequencies_are_kept_and_originals_are_not():
    data = symptoms(["ache"] * 6000 + ["rash"] * 2000)
    result = om.SyntheticRecords(epsilon=1.0, depth=1).mask(data)
    assert (result.guarantee.claim, result.guarantee.epsilon) == ("differential privacy", 1.0)
    shares = result.frame["symptom"].value_counts(normalize=True)
    assert shares["pain"] == pytest.approx(0.75, abs=0.03)
    first, last = (np.mean(part == "pain") for part in (result.frame["symptom"][:6000], result.frame["symptom"][6000:]))
    assert first == pytest.approx(last, abs=0.06)


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=30), st.integers(1, 1000))
def test_counts_without_noise_are_the_nearest_with_their_sum(noisy, total):
    found = without_noise(np.array(noisy), total)
    assert (found >= 0).all()
    assert total <= found.sum() < total + len(noisy)
    # All counts above 0 are less by the same number, which the others do not exceed: the condition of the projection.
    less = np.array(noisy) - found
    (number,) = set(less[found > 0])
    assert (less[found == 0] <= number).all()


def test_rare_concepts_do_not_keep_the_positive_half_of_their_noise():
    """1,000 concepts that nobody has, and ε = 0.5: the noise alone would be 2,000 of 2,000 records."""
    taxonomy = om.Taxonomy.from_edges([(f"c{i}", "top") for i in range(1000)])
    data = symptoms(["c0"] * 2000, om.Nominal(taxonomy, domain="top"))
    shares = om.SyntheticRecords(epsilon=0.5, depth=1).mask(data).frame["symptom"].value_counts(normalize=True)
    assert shares["c0"] > 0.9


def test_a_tiny_epsilon_is_only_noise():
    assert len(om.SyntheticRecords(epsilon=1e-30).mask(symptoms(["ache"] * 9)).frame) == 9


def test_conditions_are_those_of_metric_privacy():
    with raises(MaskingError, column="symptom", parameter="domain"):
        om.SyntheticRecords(1.0).mask(symptoms(["ache"], om.Nominal(TAXONOMY)))
    with raises(MaskingError, parameter="seed", code="seed-refused"):
        om.SyntheticRecords(1.0).mask(symptoms(["ache"]), seed=1)
    with raises(MaskingError, parameter="epsilon"):
        om.SyntheticRecords([1.0, 2.0])
    with raises(MaskingError, parameter="records_per_person"):
        om.SyntheticRecords(1.0, records_per_person=2).mask(symptoms(["ache"]))
    data = symptoms(["ache", None], missing="root")
    assert len(om.SyntheticRecords(1.0).mask(data).frame) == 2


def test_it_can_be_compared():
    data = symptoms(["ache", "rash", "colic"] * 20)
    found = om.compare(data, [om.SyntheticRecords(1.0), om.MetricPrivacy(1.0), om.PRAM(0.8)], seeds=2, jobs=1)
    assert found.to_frame()["error"].null_count() == 6
