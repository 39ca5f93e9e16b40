from __future__ import annotations

import pytest

from experiments.ontologies import built_hierarchies as script
from experiments.shared.findings import DOCS, Findings

PAGE = DOCS / "built_hierarchies.md"


@pytest.fixture(scope="module")
def found():
    return {column: script.measure(column, script.ARX) for column in script.DOMAIN}


def test_built_ones_never_lose_more_than_those_made_by_hand(found):
    for as_they_stand, left_out, kindly, *built in found.values():
        for ours in built:
            for theirs in (as_they_stand, left_out):
                assert all(a <= b + 1e-9 for a, b in zip(ours.totals, theirs.totals, strict=True))
            assert all(a <= b + 1e-9 for a, b in zip(ours.totals[:2], kindly.totals[:2], strict=True))
            assert ours.by_records <= as_they_stand.by_records
        by_values = built[2]
        assert all(a <= b for a, b in zip(by_values.totals[2:], kindly.totals[2:], strict=True))


def test_each_objective_is_the_best_in_its_measure(found):
    for *_, by_max, by_records, by_values, _ in found.values():
        same_groups = (by_max, by_records, by_values)
        assert len({row.groups for row in same_groups}) == 1
        assert min(row.totals[0] for row in same_groups) == pytest.approx(by_max.totals[0])
        assert min(row.totals[2] for row in same_groups) == pytest.approx(by_values.totals[2])
        assert min(row.by_records for row in same_groups) == pytest.approx(by_records.by_records)


def test_conclusions_are_about_readings_that_can_lose(found):
    for conclusion, kindly in zip(script.conclusions(found), (False, True), strict=True):
        for column, (stands, _, kind, *built) in found.items():
            theirs = kind if kindly else stands
            held = [a <= b + 1e-9 for row in built for a, b in zip(row.totals, theirs.totals, strict=True)]
            assert conclusion.cases[column] == held
            assert len(held) == 16


def test_bars_can_be_told_apart(found):
    for rows in found.values():
        names = [script.short(row.name) for row in rows]
        assert len({name[:24] for name in names}) == len(names)


def test_page_is_what_the_script_writes(found):
    assert Findings(script.report(found), []).text() in PAGE.read_text(encoding="utf-8")
