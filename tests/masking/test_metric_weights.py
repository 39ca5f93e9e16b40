"""Integer weights: they keep the claimed bound as integers, and the mechanisms follow them exactly."""

from __future__ import annotations

import secrets
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.errors import MaskingError
from ontomask.masking.metric_privacy.randomness import draw_below, secure_words, unsafe_words
from ontomask.masking.metric_privacy.weights import STEPS, growth_bound, integer_weights

from support.errors import raises
from support.literal_metric_privacy import weight_list

EPSILONS = st.floats(1e-4, 32, allow_nan=False)


@given(EPSILONS)
def test_growth_is_below_the_exponential(epsilon):
    """r ≤ exp(ε/2000), proven with 60 digits; and no larger R/2⁶⁴ is, up to rounding of the series."""
    with localcontext() as context:
        context.prec = 60
        exact = (Decimal(epsilon) / (2 * STEPS)).exp() * 2**64
    assert growth_bound(epsilon) <= exact < growth_bound(epsilon) + 2


@given(EPSILONS, st.integers(2, 100_000))
def test_weights_keep_the_bound_as_integers(epsilon, candidates):
    weights = [int(weight) for weight in integer_weights(epsilon, candidates)]
    bound = growth_bound(epsilon)
    assert len(weights) == STEPS + 1
    assert all(far <= near for near, far in pairwise(weights))
    assert all(near * 2**64 <= far * bound for near, far in pairwise(weights))
    assert candidates * weights[0] < 2**63
    # Little is lost by rounding down: the mechanism uses more than 99.9 % of its ε.
    assert np.log(weights[0] / weights[-1]) * 2 > 0.999 * epsilon
    assert weights == weight_list(Fraction(bound, 2**64), weights[-1])


def test_an_epsilon_that_does_not_fit_is_refused():
    with raises(MaskingError, parameter="epsilon"):
        integer_weights(60.0, 100_000)


@pytest.mark.parametrize("words", [secure_words, unsafe_words(np.random.default_rng(1))])
def test_integers_below_a_bound_are_uniform(words):
    bounds = np.repeat(np.array([1, 2, 3, 7, 1000, 2**63 + 1], dtype=np.uint64), 7000)
    drawn = draw_below(bounds, words)
    assert (drawn < bounds).all()
    of_seven = np.bincount(drawn[bounds == 7].astype(np.int64), minlength=7)
    # 99.99 % of the chi-square distribution with 6 degrees of freedom.
    assert ((of_seven - 1000) ** 2 / 1000).sum() < 27.9
    assert (drawn[bounds == 1] == 0).all()


def test_secure_words_come_from_the_operating_system(monkeypatch):
    asked = []
    monkeypatch.setattr(secrets, "token_bytes", lambda n: asked.append(n) or bytes(n))
    assert secure_words(5).tolist() == [0] * 5
    assert asked == [40]
