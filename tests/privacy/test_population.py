"""Population risk: the literal sum, published figures, and limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import PrivacyError
from ontomask.privacy.population import individual_risk

from support import literal_population as literal


@given(st.integers(1, 40), st.floats(1.0, 50.0))
def test_the_risk_is_the_expectation_of_its_definition(f, weight):
    found = individual_risk(np.array([f]), np.array([f * weight]))[0]
    assert found == pytest.approx(literal.individual_risk(f, f * weight), rel=1e-6)


@pytest.mark.parametrize(
    ("f", "population", "risk"),
    # The example of Capobianchi, Polettini and Lucarelli, with which sdcMicro documents the measure.
    [
        (1, 17, 0.17707583),
        (1, 541, 0.01165448),
        (1, 8, 0.29706308),
        (1, 5, 0.40235948),
        (2, 110, 0.01714426),
        (2, 84.5, 0.02204233),
    ],
)
def test_published_figures(f, population, risk):
    assert individual_risk(np.array([f]), np.array([population]))[0] == pytest.approx(risk, abs=5e-9)


@given(st.integers(1, 2000), st.floats(1.0, 1e6))
def test_limits(f, weight):
    (risk,) = individual_risk(np.array([f]), np.array([f * weight]))
    # By Jensen's inequality the risk is at least 1 / F̂. It is at most that of the sample.
    assert 1 / (f * weight) * (1 - 1e-9) <= risk <= 1 / f + 1e-12
    (more,) = individual_risk(np.array([f]), np.array([f * weight * 2]))
    assert more < risk
    assert individual_risk(np.array([f]), np.array([f / 2]))[0] == pytest.approx(1 / f)


def test_groups_and_persons():
    found = om.population_risk([0, 0, 0, 1], [10, 30, 20, 7])
    assert (found.sizes.tolist(), found.population.tolist(), found.unit) == ([3, 1], [60, 7], "records")
    assert found.expected == pytest.approx(3 * literal.individual_risk(3, 60) + literal.individual_risk(1, 7))
    assert found.average == pytest.approx(100 * found.expected / 4)
    assert found.highest == pytest.approx(100 * literal.individual_risk(1, 7))
    by_person = om.population_risk([0, 0, 0, 1], [10, 30, 20, 7], persons=["A", "A", "B", "A"])
    assert (by_person.sizes.tolist(), by_person.population.tolist(), by_person.unit) == ([2, 1], [40, 7], "persons")


@pytest.mark.parametrize("weights", [[1, 2], [1, 2, 0], [1, 2, -1], [1, 2, np.inf], [1, 2, np.nan]])
def test_wrong_weights(weights):
    with pytest.raises(PrivacyError) as caught:
        om.population_risk([0, 0, 1], weights)
    assert caught.value.parameter == "weights"
