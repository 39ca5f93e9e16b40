from __future__ import annotations

import pytest

from experiments.noise.correlated_noise import (
    NONE,
    OWN,
    PAIR,
    STRONG,
    UNCORRELATED,
    WEAK,
    conclusions,
    run,
    sdcor_table,
)
from experiments.shared.findings import Setting, Spread
from experiments.shared.perturbation import Measured

ALPHAS = (0.1, 0.5)


def sample(plain, uncorrelated, pair, floor=None):
    """Figures of one sample: sdCor without noise and at two levels, with the same floor under all."""

    def measured(sdcor):
        floors = {} if floor is None else {"sdcor_floor": floor, "sdcor_above_floor": (sdcor**2 - floor**2) ** 0.5}
        off = dict.fromkeys(("variance_off", "mean_shift"), 0.0) | {"rmse": 0.3 - sdcor / 10, "target_rmse": 0.2}
        figures = {(of, "AB"): value for of, value in floors.items()}
        figures |= {("sdcor", "AB"): sdcor, ("sdcor_change", "AB"): abs(plain - sdcor), ("sdcov_off", "AB"): 0.0}
        figures |= {(of, letter): value for of, value in off.items() for letter in "AB"}
        return Measured({of: Spread(value, 0.0, 2) for of, value in figures.items()}, {})

    found = {(NONE, None): measured(plain)}
    for method, values in ((UNCORRELATED, uncorrelated), (PAIR, pair)):
        found |= {(method, alpha): measured(sdcor) for alpha, sdcor in zip(ALPHAS, values, strict=True)}
    return found


@pytest.fixture
def found():
    strong = sample(0.9, (0.8, 0.6), (0.85, 0.8))
    # Gains of 0.02 and 0.10, where half of those on the strong one are 0.025 and 0.10.
    return {STRONG: {"here": strong}, WEAK: {"here": sample(0.3, (0.27, 0.19), (0.29, 0.289), 0.18)}}


def test_gains_are_compared(found):
    first, grows, half, above, *_ = (one.verdict("here") for one in conclusions(found, ALPHAS))
    assert (first, grows) == ("found (2 of 2)", "found (1 of 1)")
    assert half == "found (2 of 2)"
    # √(0.3² − 0.18²) = 0.24; 0.201 and 0.227, 0.061 and 0.226 are left of it.
    assert above == "not found (0 of 2)"


def test_published_table_is_checked_against_the_rules(found):
    verdicts = [one.verdict(OWN) for one in conclusions(found, ALPHAS)]
    assert verdicts == [
        *["—"] * 4,
        "found (4 of 4)",
        "found (8 of 8)",
        "not found (1 of 4)",
        "not found (3 of 4)",
        "not found (2 of 4)",
        "found (6 of 6)",
        "not found (8 of 12)",
    ]


def test_table_of_pictures(found):
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in sdcor_table(found, ALPHAS).splitlines()[2:]]
    assert lines[0] == ["strongly dependent", "uncorrelated", "Rodriguez-Garcia 2017", "sdCor", "0.94", "0.78", "0.57"]
    assert lines[1] == ["", "", "here", "sdCor", "0.900", "0.800 ± 0.000", "0.600 ± 0.000"]
    assert lines[4][:4] == ["weakly dependent", "uncorrelated", "here", "sdCor"]
    assert lines[5] == ["", "", "", "floor", *["0.180 ± 0.000"] * 3]
    assert lines[6][3:5] == ["above the floor", "0.240 ± 0.000"]


def test_page_tells_what_was_measured():
    findings = run(Setting(quick=True))
    assert "over the seeds 0 to 1. The noise is Normal, with levels α = 0.1, 0.5." in findings.page
    # The paper does not say how many values its columns have.
    distinct = [line.split("|")[2].strip() for line in findings.page.splitlines() if "distinct values" in line]
    assert distinct == ["—"] * 4
    assert "0.2553" in findings.page
    floors = [row for row in findings.rows if row["measure"] == "sdcor_floor"]
    # Without noise of both samples; of the weakly dependent one also with two noises of two levels.
    assert len(floors) == 2 + 4
