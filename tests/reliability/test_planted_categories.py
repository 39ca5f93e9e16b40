"""Plant rare categories, codes and groups in a table: masked tables may hold them, what is told about it may not."""

from __future__ import annotations

import logging

import pandas as pd
import pytest

import ontomask as om
from ontomask.report import build_report

FEW, RECORDS = 3, 120
VALUE, CODE, DETAIL, MAJOR = "zqx01k own words", "zqx02k", "zqx03k job", "zqx04k major"
MARKS = ("zqx01k", "zqx02k", "zqx03k", "zqx04k")
METHODS = [
    om.Microaggregation(5),
    om.Recoding(5),
    om.Generalisation(5),
    om.Suppression(5, mode="cells"),
    om.PRAM(0.5),
    om.RankSwapping(3),
    om.NaiveDistortion(),
    om.UncorrelatedNoise(0.3),
    om.CorrelatedNoise(0.3),
]


def data():
    rest = RECORDS - FEW
    frame = pd.DataFrame(
        {
            "answer": [VALUE] * FEW + (["yes", "no", "never"] * rest)[:rest],
            "code": [CODE] * FEW + (["zqy11k", "zqy12k", "abc11k"] * rest)[:rest],
            "job": [DETAIL] * FEW + (["nurse", "cook", "doctor", "waiter"] * rest)[:rest],
            "major": [MAJOR] * FEW + (["health", "service"] * rest)[:rest],
        }
    )
    kinds = {"answer": om.Category(), "code": om.Prefix([2, 4]), "job": om.Category(under="major")}
    return om.Microdata(frame, kinds, other=["major"])


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_rare_values_are_told_nowhere(method, caplog):
    table = data()
    with caplog.at_level(logging.DEBUG):
        result = method.mask(table, seed=2**70)
        score = om.evaluate(table, result)
        report = build_report(table, result, score)
    told = [repr(table), repr(result), str(result.guarantee), str(score), caplog.text]
    told += [*map(str, table.notes), *map(str, result.notes), *map(repr, table.quasi_identifiers.values())]
    told += [report.to_html(), report.to_json(), report.to_text()]
    for mark in MARKS:
        assert not [text for text in told if mark in text], mark
    if result.guarantee.k is not None:
        assert not any(
            mark in str(cell) for name in table.quasi_identifiers for cell in result.frame[name] for mark in MARKS
        )


def test_the_name_of_a_rare_group_is_released_by_no_method():
    table = data()
    assert MAJOR not in table.quasi_identifiers["job"].domain
    for method in METHODS:
        assert MAJOR not in set(method.mask(table, seed=1).frame["job"])


def test_errors_carry_values_beside_their_message():
    frame = pd.DataFrame({"job": [DETAIL] * 2, "major": [MAJOR, "other"]})
    with pytest.raises(om.TableError) as caught:
        om.Microdata(frame, {"job": om.Category(under="major")}, other=["major"])
    assert caught.value.values == (DETAIL,)
    assert not any(mark in str(caught.value) for mark in MARKS)
