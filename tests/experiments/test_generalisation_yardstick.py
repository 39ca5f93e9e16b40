from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from experiments.grouping import generalisation_yardstick as script
from experiments.shared.findings import DOCS


@pytest.fixture(scope="module")
def tables():
    adult = script.adult_data()
    return [
        script.Table(script.ADULT, adult, (5, 128)),
        script.Table(script.OVER_ARX, adult, (5, 128), script.HIERARCHIES),
    ]


@pytest.fixture(scope="module")
def found(tables):
    return {table.name: script.measure(table) for table in tables}


@pytest.fixture(scope="module")
def findings(tables, found):
    return script.findings_of(tables, found)


def test_figures_stand_in_the_docs(findings):
    stored = pl.read_csv(DOCS / "results" / "generalisation_yardstick.csv", infer_schema_length=None)
    wanted = pl.DataFrame(list(findings.rows), infer_schema_length=None)
    joined = wanted.join(stored, on=["data", "k", "method"], suffix="_stored")
    assert len(joined) == len(wanted) == 18
    for name in ("sse", "percent", "loss", "srl", "achieved", "tuples"):
        assert joined[name].to_list() == pytest.approx(joined[f"{name}_stored"].to_list(), abs=1e-5)


def test_figures_agree(found):
    for row in found[script.ADULT]:
        assert row.achieved >= row.k
        assert 0 < row.sse <= 30162
        # The square of a mean is at most the mean of squares; distances are at most 1.
        assert 30162 * row.loss**2 <= row.sse + 1e-6 <= 30162 * row.loss + 1e-6
    at_5 = {row.method: row for row in found[script.ADULT] if row.k == 5}
    assert (at_5["records"].sse, at_5["records"].gone, at_5["records"].tuples) == (497, "497 records", 165)
    assert at_5["full domain"].levels == "0 5"


def test_the_summary_counts(found):
    text = script.summary(found)
    assert "The largest SSE is that of suppressed records in 0 of 2 cases" in text
    assert "generalisation without suppression in 2." in text


def test_verdicts(found, findings):
    verdicts = {conclusion.text: conclusion for conclusion in findings.conclusions}
    assert verdicts["no method has a larger SSE than suppressed records"].verdict(script.ADULT) == "not found (0 of 2)"
    # The rules are able to fail: were ARX's hierarchies those of WordNet, nothing would be finer.
    same = {**found, script.OVER_ARX: [row for row in found[script.ADULT] if row.method == script.LOCAL]}
    assert script.conclusions(same)[0].cases == {script.ADULT: [False, False]}
    worse = [replace(row, sse=row.sse * (1e5 if row.method == script.RECORDS else 1)) for row in found[script.ADULT]]
    fourth = script.conclusions({**found, script.ADULT: worse})[3]
    assert fourth.text == "no method has a larger SSE than suppressed records"
    assert fourth.found(script.ADULT)


def test_ties_count_as_most():
    assert script.has_most({"records": 84.0, "full domain, 5%": 84.0}, "records")
    assert not script.has_most({"records": 84.0, "full domain": 85.0}, "records")
