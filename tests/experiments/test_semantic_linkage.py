from __future__ import annotations

import pytest

from experiments.grouping.semantic_linkage import COARSE, FINE, conclusions
from experiments.shared.findings import Spread

KS = (2, 4, 8, 20)
# By k, figures that agree with all conclusions of the thesis: MRL over both hierarchies, SRL by LogSC, and the loss.
MRL = (30.0, 10.0, 6.0, 4.0)
SRL = {COARSE: (33.0, 18.0, 11.4, 8.0), FINE: (37.5, 19.5, 12.3, 8.6)}
LOSS = {COARSE: (0.04, 0.08, 0.16, 0.40), FINE: (0.03, 0.06, 0.12, 0.30)}
AS_T_SAYS = {
    (hierarchy, k, measure): value
    for hierarchy in (COARSE, FINE)
    for number, k in enumerate(KS)
    for measure, value in {
        "mrl": MRL[number],
        "path": 0.97 * SRL[hierarchy][number],
        "wu_palmer": 0.995 * SRL[hierarchy][number],
        "log_sc": SRL[hierarchy][number],
        "loss": LOSS[hierarchy][number],
    }.items()
}


def failed(changes):
    found = {of: Spread.of([value]) for of, value in (AS_T_SAYS | changes).items()}
    return [one.text for one in conclusions({"here": found}, KS) if not one.found("here")]


def over(hierarchy, measure, *values):
    return {(hierarchy, k, measure): value for k, value in zip(KS, values, strict=True)}


def test_figures_that_agree_with_the_thesis_are_found():
    assert failed({}) == []


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("SRL links more records than MRL", {(COARSE, 2, "path"): 30.0}),
        ("is largest for k from", {(COARSE, 2, "log_sc"): 45.0}),
        ("almost twice", {(COARSE, 4, "log_sc"): 17.4}),
        ("hardly depends on the distance", {(COARSE, 4, "path"): 16.0}),
        ("slightly more than path", {(COARSE, 4, "path"): 18.1}),
        # More, but not slightly.
        ("slightly more than path", {(COARSE, 4, "path"): 16.0}),
        ("a finer hierarchy has a larger SRL", {(FINE, 8, "log_sc"): 11.3}),
        ("about the same MRL", {(FINE, 8, "mrl"): 5.3}),
        ("10 to 25 %", {(FINE, 8, "log_sc"): 11.9}),
        ("10 to 25 %", {(FINE, 8, "log_sc"): 13.0}),
        ("over MRL grows with k", {(COARSE, 8, "log_sc"): 10.7}),
        ("a finer hierarchy loses less", {(FINE, 8, "loss"): 0.17}),
        ("grows linearly", over(COARSE, "loss", 0.1, 0.2, 0.3, 0.43)),
        ("abruptly", {(COARSE, 4, "mrl"): 18.0}),
        ("decreases logarithmically", over(COARSE, "path", 32.0, 30.0, 26.0, 14.0)),
    ],
)
def test_conclusions_can_fail(words, changes):
    assert [text for text in failed(changes) if words in text]
