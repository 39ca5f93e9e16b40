from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from experiments.shared.findings import DOCS, Setting
from experiments.swapping import swapping_intervals as script

KS = (5, 50)


@pytest.fixture(scope="module")
def adult():
    tables, parts = script.collect(Setting())
    assert (list(tables), parts) == ([script.ADULT], {})
    return tables[script.ADULT]


@pytest.fixture(scope="module")
def measured(adult):
    return script.all_methods(adult, KS, tuple(range(script.SEEDS)))


def test_rows_stand_on_the_page(measured):
    page = [_cells(line) for line in (DOCS / "swapping_intervals.md").read_text(encoding="utf-8").splitlines()]
    lines = script._table(measured).splitlines()
    assert len(lines) == 2 + 1 + 7 * 2
    for line in lines[2:]:
        assert _cells(line) in page


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_results_have_a_spread():
    results = pl.read_csv(DOCS / "results" / "swapping_intervals.csv", infer_schema_length=None)
    assert set(results.filter(pl.col("method") != "original")["seeds"]) == {script.SEEDS}
    assert results.filter(pl.col("measure") == "rmse")["sd"].max() > 0


def test_reading_is_of_the_complete_data(measured):
    assert script.READING in (DOCS / "swapping_intervals.md").read_text(encoding="utf-8")
    quick = script.run(Setting(quick=True))
    page = quick.whole_page("swapping_intervals", Setting(quick=True))
    assert script.READING not in page
    assert "Growing tables" not in page
    assert "seeds 0 to 1" in page


def test_shapes(adult, measured):
    # Whatever the data, swapping each with any other leaves as many unchanged as chance does.
    column = next(iter(adult.quasi_identifiers.values()))
    share = np.bincount(column.code) / len(column.code)
    by_chance = measured["data swapping", None]
    assert by_chance["unchanged", "A"].mean == pytest.approx((share**2).sum(), abs=0.01)
    assert ("rare_right", "AB") not in by_chance.figures
    for (method, _), found in measured.items():
        if method.endswith("unswapped"):
            assert found["unswapped", "A"].mean == found["unswapped", "B"].mean == 0
            assert found["at_least_k", "A"].mean == found["at_least_k", "B"].mean == 1


def test_rare_matches_are_judged_by_k(measured):
    *_, records, unswapped = script.conclusions({"Adult": measured}, KS)
    assert records.source == unswapped.source == "ours, on Rodriguez-Garcia 2019, section 3.5"
    for conclusion, method in ((records, "Algorithm 3"), (unswapped, "Algorithm 3, unswapped")):
        assert conclusion.cases["Adult"] == [measured[method, k]["rare_right", "AB"].mean <= 1 / k for k in KS]
    assert "published tables" not in records.cases


def test_picture_shows_the_promise(measured):
    figure = script.figure({script.ADULT: measured}, KS)
    assert "1/k, claimed limit: 0.02 to 0.2" in figure.description


def test_parts_of_a_table(adult):
    some = script.every(adult, 10, adult.frame.filter(pl.col("occupation") == "Sales"))
    assert set(some.frame["occupation"]) == {"Sales"}
    assert len(some) == -(-(adult.frame["occupation"] == "Sales").sum() // 10)
