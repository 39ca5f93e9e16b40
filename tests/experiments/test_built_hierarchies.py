from __future__ import annotations

from collections import Counter

import pytest

import ontomask as om
from experiments.framework.claims import Claim, judge
from experiments.framework.measurements import Rows, rows
from experiments.framework.tables import ADULT, other_ties
from experiments.ontologies import built_hierarchies as script
from ontomask.examples import adult_data


def test_arx_hierarchies_keep_their_groups_with_other_ids():
    adult = adult_data()
    data = other_ties(adult, 1)
    for column, h in script.by_hand(data, adult).items():
        own = script.arx_hierarchy(column)
        assert set(h.leaves) == set(data.frame[column])
        assert h.generalise(data.frame[column], 1) == own.generalise(adult.frame[column], 1)


def test_figures_of_a_hierarchy():
    t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    h = om.Hierarchy.from_rows([("ache", "pain", "symptom"), ("colic", "pain", "symptom"), ("rash", "rash", "symptom")])
    cells = Counter(ache=3, colic=1, rash=1)
    found = script.scored(h, t, {name: name for name in ("ache", "colic", "rash", "pain", "symptom")}, cells, "a")
    assert found[script.SMALLEST, "a"] == 1
    # Wu-Palmer with the root as the second node: ache-pain 1/7, ache-symptom 1/3, rash-symptom 1/5.
    ache, top, rash = 1 / 7, 1 / 3, 1 / 5
    assert found[script.MAX, "a"] == pytest.approx((ache + top) / 2)
    assert found[script.MEAN, "a"] == pytest.approx((2 * ache / 3 + (2 * top + rash) / 3) / 2)
    assert found[script.RECORDS, "a"] == pytest.approx((4 * ache / 5 + (4 * top + rash) / 5) / 2)


def test_each_objective_is_judged_by_its_own_measure():
    losses = {script.BY_MAX: (1, 5, 5), script.BY_RECORDS: (2, 1, 5), script.BY_VALUES: (2, 2, 6)}
    found = Rows.of(
        row
        for name, (most, records, mean) in losses.items()
        for row in rows(
            {(script.MAX, "a"): most, (script.RECORDS, "a"): records, (script.MEAN, "a"): mean},
            table=ADULT,
            method=name,
        )
    )
    (judgement,) = judge(Claim("", "", "", script.RULES["objectives-are-best"]), found)
    # Not the mean over values, which is 6 against 5.
    assert (judgement.holds, judgement.cases) == (2, 3)
