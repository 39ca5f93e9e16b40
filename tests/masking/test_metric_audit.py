"""An audit from outside: the privacy loss that draws show, on the pairs of values that differ most."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

import ontomask as om
from ontomask.masking.metric_privacy.guarantee import ColumnPrivacy
from ontomask.masking.metric_privacy.mechanisms import MECHANISMS, Mechanism
from ontomask.masking.metric_privacy.randomness import secure_words
from ontomask.masking.metric_privacy.weights import STEPS

from support.public_domains import public_domain

LINKS = [(f"{kind}{i}", kind) for kind in ("pain", "skin", "fever") for i in range(4)]
LINKS += [(f"{kind}0{i}", f"{kind}0") for kind in ("pain", "skin") for i in range(2)]
LINKS += [(kind, "symptom") for kind in ("pain", "skin", "fever")]
TAXONOMY = om.Taxonomy.from_edges(LINKS)
DRAWS = 1_000_000
# The bounds of one audit are wrong once in 100,000 runs: the level is divided among all that it compares.
LEVEL = 1e-5


def audited_loss(first, second, level):
    """A lower bound of max over z of log P(z | x)/P(z | y), from counts of draws (Clopper and Pearson 1934)."""
    each = level / (4 * len(first))
    n, m = first.sum(), second.sum()
    low = beta.ppf(each, first, n - first + 1)
    high = beta.ppf(1 - each, second + 1, m - second)
    return float(np.nanmax(np.log(low / high)))


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("distance", ["log_sc", "wu_palmer"])
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_the_loss_stays_below_the_claim(name, distance, epsilon):
    mechanism = Mechanism(public_domain(TAXONOMY, distance), epsilon, name)
    rows = mechanism.domain.levels(mechanism.domain.all_inputs, STEPS).astype(int)
    apart = np.abs(rows[:, None] - rows).max(axis=2)
    x, y = np.unravel_index(np.argmax(apart), apart.shape)
    claim = epsilon * ColumnPrivacy(mechanism).d_infinity(x, y)
    assert claim == pytest.approx(epsilon * apart[x, y] / STEPS)
    counts = [
        np.bincount(mechanism.draw(np.full(DRAWS, at, dtype=np.int32), secure_words), minlength=len(TAXONOMY))
        for at in (x, y)
    ]
    found = max(audited_loss(*counts, LEVEL), audited_loss(*counts[::-1], LEVEL))
    assert found <= claim
    # The audit is not blind: it finds at least a third of the claim here.
    assert found > claim / 3


def test_the_audit_finds_a_mechanism_that_breaks_its_claim():
    """Draws with four times the ε that is claimed. (The bound is not tight, so twice need not show.)"""
    mechanism = Mechanism(public_domain(TAXONOMY), 8.0)
    x, y = TAXONOMY.code("pain00"), TAXONOMY.code("fever1")
    claim = 2.0 * ColumnPrivacy(mechanism).d_infinity(x, y)
    counts = [
        np.bincount(mechanism.draw(np.full(200_000, at, dtype=np.int32), secure_words), minlength=len(TAXONOMY))
        for at in (x, y)
    ]
    assert audited_loss(*counts, LEVEL) > claim
