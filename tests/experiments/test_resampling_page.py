from __future__ import annotations

from experiments.grouping import resampling as script
from experiments.grouping.trials import Trials
from experiments.shared.findings import Setting, Spread

KS = (2, 15)
# Means and standard deviations by k; 3 at k = 15 is above 2 by less than they spread.
FIGURES = {
    4: ((1, 0.1), (2, 0.1)),
    1: ((9, 0.5), (9, 0.5)),
    2: ((7, 1.0), (7, 2.0)),
    3: ((5, 1.0), (8, 1.5)),
}


def verdicts(figures):
    found = Trials(
        {
            (script.NAMES[number], k): {"sse": Spread(mean, sd, 10)}
            for number, values in figures.items()
            for k, (mean, sd) in zip(KS, values, strict=True)
        }
    )
    return [one.verdict("here") for one in script.conclusions({"here": found}, KS)]


def test_what_is_significant_is_more_than_the_spread():
    assert verdicts(FIGURES) == [
        "found (2 of 2)",
        "found (1 of 1)",
        "not found (1 of 2)",
        "found (1 of 1)",
        "not found (0 of 1)",
    ]
    severe = FIGURES | {2: ((7, 1.0), (6, 0.4)), 3: ((8, 1.0), (8.5, 1.5))}
    assert verdicts(severe) == [
        "found (2 of 2)",
        "found (1 of 1)",
        "found (2 of 2)",
        "not found (0 of 1)",
        "found (1 of 1)",
    ]
    assert verdicts(FIGURES | {4: ((6, 0.1), (8.9, 0.1)), 3: ((9.5, 1), (9.5, 1))})[:2] == [
        "not found (1 of 2)",
        "not found (0 of 1)",
    ]


def test_the_page_says_what_was_measured():
    text = script.run(Setting(quick=True)).page
    assert "30,162 records with 394 distinct pairs, seeds 0 to 1" in text
    assert "diabetes130" not in text
