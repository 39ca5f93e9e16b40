from __future__ import annotations

import pytest

import ontomask as om
from experiments.framework.claims import judge
from experiments.framework.measurements import Rows
from experiments.framework.tables import every
from experiments.grouping import clinical as script
from ontomask.examples import adult_data

RECODING, MICROAGGREGATION, RESAMPLING = script.SEMANTIC
# By measure and method, figures at k = 2 and 7 that agree with the thesis.
FIGURES = {
    ("sse", RECODING): (6, 20),
    ("sse", MICROAGGREGATION): (4, 12),
    ("sse", RESAMPLING): (100, 150),
    ("sse", RECODING + script.PLAIN): (7.2, 26),
    ("sse", MICROAGGREGATION + script.PLAIN): (8, 20),
    ("sse", RESAMPLING + script.PLAIN): (110, 165),
    ("sse", script.SUPPRESSION): (300, 400),
    ("kl", RECODING): (1, 2),
    ("kl", MICROAGGREGATION): (2, 3),
    ("kl", RESAMPLING): (3, 4),
    ("score", RECODING): (6, 9),
    ("score", MICROAGGREGATION): (8, 8.5),
    ("score", RESAMPLING): (30, 30),
}


def verdict(key, **changes):
    """The judgement of a claim, with some figures changed: measure=(method, figures)."""
    figures = FIGURES | {(name, method): values for name, (method, values) in changes.items()}
    measured = Rows.of(
        {
            "table": "here",
            "method": method,
            "level": k,
            "measure": name,
            "columns": "0.5" if name == "score" else "",
            "seed": 0,
            "value": value,
        }
        for (name, method), values in figures.items()
        for k, value in zip((2, 7), values, strict=True)
    )
    (found,) = judge(next(claim for claim in script.EXPERIMENT.claims if claim.key == key), measured)
    return found.holds, found.cases


@pytest.mark.parametrize(
    ("key", "cases", "changes", "holds"),
    [
        ("meaning-loses-less", 6, {"sse": (RESAMPLING, (120, 150))}, 5),
        # Recoding would gain half at k = 2, as microaggregation does.
        ("microaggregation-gains-most", 2, {"sse": (RECODING, (3.6, 20))}, 1),
        # 8 is not 1.5 times 5.4.
        ("microaggregation-gains-half", 2, {"sse": (MICROAGGREGATION, (5.4, 12))}, 1),
        # Recoding would gain 8 %, resampling 9 %.
        ("resampling-gains-least", 2, {"sse": (RECODING, (6.6, 20))}, 1),
        ("suppression-loses-most", 2, {"sse": (script.SUPPRESSION, (50, 400))}, 1),
        ("order-of-loss", 2, {"sse": (RECODING, (3, 20))}, 1),
        ("recoding-follows", 2, {"sse": (RECODING, (6, 90))}, 1),
        ("recoding-diverges-less", 2, {"kl": (RECODING, (2.5, 2))}, 1),
        ("microaggregation-diverges-less", 2, {"kl": (RESAMPLING, (1.5, 4))}, 1),
        ("order-of-scores", 2, {"score": (RECODING, (6, 8))}, 1),
        ("resampling-scores-worst", 2, {"score": (MICROAGGREGATION, (8, 31))}, 1),
        # By 1.5, 1.06 and 1 times; then by 1.5, 1.25 and 1.
        ("scores-are-constant", 3, {"score": (MICROAGGREGATION, (8, 10))}, 1),
    ],
)
def test_claims_can_hold_and_fail(key, cases, changes, holds):
    assert verdict(key) == (2 if key == "scores-are-constant" else cases, cases)
    assert verdict(key, **changes) == (holds, cases)


def test_scores_are_weighted_means_of_loss_and_risk():
    data = every(adult_data(), 200)
    result = om.Recoding(script.MIDDLE).mask(data, seed=0)
    score = om.evaluate(data, result, attacks=False)
    found = script.scores(data, result, score)
    assert len(found) == len(script.WEIGHTS)
    assert found["score", "0"] == score.srl
    assert found["score", "1"] == score.loss_percent
    assert found["score", "0.3"] == pytest.approx(0.3 * score.loss_percent + 0.7 * score.srl)
    other = om.Recoding(5).mask(data, seed=0)
    assert set(script.scores(data, other, om.evaluate(data, other, attacks=False))) == {("score", "0.5")}
