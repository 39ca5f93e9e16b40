"""The sizes of groups, the loss by column, and the column that costs most, in all forms of the report."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.report.loss import ColumnLoss, LossFacts

LOSS = LossFacts((ColumnLoss("a", 60.0, 0.2, 48.0), ColumnLoss("b", 40.0, 0.1, None)), "a", 1000, True)


def table(n: int = 200, **more) -> om.Microdata:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(20, 80, n), "floor": rng.integers(0, 50, n)} | more)
    kinds = {"age": om.Numeric(), "floor": om.Numeric()}
    return om.Microdata(frame, kinds, other=list(more))


def report_on(data: om.Microdata, method: om.Method) -> tuple[om.Report, om.Evaluation]:
    result = method.mask(data, seed=1)
    score = om.evaluate(data, result)
    return om.build_report(data, result, score), score


def test_loss_by_column_is_that_of_the_evaluation():
    report, score = report_on(table(), om.Microaggregation(k=4))
    assert [c.column for c in report.loss.columns] == list(score.loss_shares)
    assert sum(score.loss_shares.values()) == pytest.approx(100)
    for c in report.loss.columns:
        assert c.share == pytest.approx(score.loss_shares[c.column], rel=0.01)
        assert c.without < 100
    assert report.loss.dearest == min(report.loss.columns, key=lambda c: c.without).column
    assert (report.loss.sampled, report.loss.is_estimate) == (200, False)
    facts = json.loads(report.to_json())["loss"]
    assert [c["column"] for c in facts["columns"]] == list(score.loss_shares)
    for form in (report.to_text(), report.to_html()):
        assert report.loss.sentence in form


def test_group_sizes_are_counted_and_no_line_is_about_few_records():
    report, score = report_on(table(), om.Microaggregation(k=4))
    sizes = report.guarantee.sizes
    assert sum(band.groups for band in sizes.bands) == sizes.groups == score.anonymity.groups
    assert sum(band.records for band in sizes.bands) == 200
    assert all(band.records >= 10 for band in sizes.bands)
    assert sizes.bands[0].least == 4
    assert len(json.loads(report.to_json())["guarantee"]["sizes"]["bands"]) == len(sizes.bands)
    for name, groups, records in sizes.rows:
        assert {name, groups, records} <= set(report.to_text().split()) | {"or", "more", name}
        assert name in report.to_html()


def test_methods_without_groups_have_no_costs():
    report, _ = report_on(table(), om.PRAM(stay=0.5))
    assert (report.loss.dearest, report.loss.sampled, report.loss.sentence, report.loss.basis) == ("", 0, "", "")
    assert all(c.without is None for c in report.loss.columns)
    assert report.guarantee.sizes.bands[0].least == 1
    assert len(report.loss.titles) == len(report.loss.rows[0]) == 3
    assert report.to_html()


def test_one_column_has_no_loss_by_column():
    data = om.Microdata(pd.DataFrame({"age": [20, 30, 40, 50] * 5}), {"age": om.Numeric()})
    report, _ = report_on(data, om.Microaggregation(k=5))
    assert report.loss is None
    assert "What each column loses" not in report.to_html()


def test_a_table_of_another_program_has_shares_only():
    data = table()
    frame = om.Microaggregation(k=4).mask(data, seed=1).data
    report = om.build_report(data, frame, om.evaluate(data, frame))
    assert report.loss.sampled == 0
    assert sum(c.share for c in report.loss.columns) == pytest.approx(100, abs=0.5)


def test_the_sentence_says_halves_only_for_about_a_half():
    assert "halves" in LOSS.sentence
    assert "1,000" in LOSS.basis
    for left, words in ((70.0, "30 %"), (33.0, "third"), (25.0, "quarter"), (99.0, "No single column")):
        first = replace(LOSS.columns[0], without=left)
        assert words in replace(LOSS, columns=(first, LOSS.columns[1])).sentence
    assert LOSS.rows[1][-1] == "–"
