from __future__ import annotations

import polars as pl
import pytest

import ontomask as om
from experiments.noise.noise_rules import MEAN, MEANS, METRICS, TABLES
from experiments.shared.perturbation import floors, measure, printed, side_by_side, tally_text


@pytest.fixture(scope="module")
def data():
    """Two columns of four values, the second a copy of the first."""
    t = om.Taxonomy.from_edges(
        [(leaf, branch) for leaf, branch in zip("abcd", "eeff", strict=True)] + [("e", "g"), ("f", "g")]
    )
    cells = list("abcd") * 10
    return om.Microdata(pl.DataFrame({"x": cells, "y": cells}), {"x": om.Nominal(t), "y": om.Nominal(t)})


def test_floor_is_that_of_columns_without_dependence(data):
    found = dict(floors(data, data.frame, 1.0, seed=0))
    floor = found["sdcor_floor", "AB"]
    assert 0 < floor < 0.5
    assert found["sdcor_above_floor", "AB"] == pytest.approx((1 - floor**2) ** 0.5)
    assert dict(floors(data, data.frame, 0.0, seed=0))["sdcor_above_floor", "AB"] == 0
    assert dict(floors(data, data.frame, 1.0, seed=0)) == found


def test_what_else_is_measured(data):
    def also(given, result, score, seed):
        assert given is data
        assert score.rmse["x"] >= 0
        yield ("records", "AB"), len(result.data.frame)
        if seed == 0:
            yield ("first", "AB"), 7

    found = measure(data, om.UncorrelatedNoise(0.5), (0, 1), also)
    assert found["records", "AB"].mean == 40
    assert (found["first", "AB"].mean, found["first", "AB"].runs) == (7, 1)
    assert found["rmse", "A"].runs == 2
    assert ("records", "AB") not in measure(data, om.UncorrelatedNoise(0.5), (0, 1)).figures


def test_printed_tables_can_be_judged():
    m = printed(TABLES)
    assert m[MEAN, 0.5]["sdcor", "AB"].mean == 0.69
    assert len(m) == 3 * 4


def test_tally():
    assert (
        tally_text([(0.1, 0.2), (0.2, 0.2 + 1e-12), (0.3, 0.2), (0.1, 0.3)]) == "smaller in 2, equal in 1, larger in 1"
    )


def test_a_papers_means_stand_above_ours():
    ours = {"here": {(MEAN, 0.1): printed(TABLES)[MEAN, 0.1]}}
    ours["here"][MEAN, 0.1].means.update(A="ache", B="colic")
    options = {"symbol": "α", "paper": "published", "theirs": TABLES[MEAN]}
    lines = side_by_side(MEAN, [0.1], METRICS[:1], ours, **options, their_means=MEANS[MEAN]).splitlines()[2:]
    assert [[cell.strip() for cell in line.split("|")[2:-1]] for line in lines] == [
        ["published", "*Blister of axilla with infection*"],
        ["here", "*ache*"],
        ["published", "0.2"],
        ["here", "0.200 ± 0.000"],
    ]
    assert "Blister" not in side_by_side(MEAN, [0.1], METRICS[:1], ours, **options)
