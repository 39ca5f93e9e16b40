from __future__ import annotations

import pytest

from experiments.framework.claims import judge
from experiments.framework.measurements import Rows, rows
from experiments.framework.settings import Setting
from experiments.ontologies import hierarchy_quality as script

CLAIMS = {claim.key: claim for claim in script.EXPERIMENT.claims}


@pytest.fixture(scope="module")
def measured():
    return Rows.of(script.run(Setting(quick=True)))


def here(key, found):
    (one,) = [one for one in judge(CLAIMS[key], found) if one.table == script.WORDNET]
    return one.holds, one.cases


def test_all_printed_figures_are_compared(measured):
    assert here("transitions-as-printed", measured) == (21, 21)
    # One figure of Ayala-Rivera 2014, Table 2, is truncated instead of rounded.
    assert here("levels-as-printed", measured) == (15, 16)
    assert here("totals-as-printed", measured) == (5, 5)


def test_one_wrong_figure_is_seen(measured, monkeypatch):
    monkeypatch.setitem(script.TABLE_1, "cat", (0.1538, 0.3334, 0.2))
    levels, total = script.TABLE_2["VGH2", "constant"]
    monkeypatch.setitem(script.TABLE_2, ("VGH2", "constant"), (levels, total + 0.0004))
    ours = measured.frame.filter(table=script.WORDNET).to_dicts()
    wrong = Rows.of([*script.printed(), *ours])
    assert here("transitions-as-printed", wrong) == (20, 21)
    assert here("totals-as-printed", wrong) == (4, 5)


def test_ill_defined_levels():
    levels = (0.3, 0.2, 0.1, 0.4)
    found = Rows.of(
        row
        for level, loss in enumerate(levels, start=1)
        for weights in ("constant", "level")
        for row in rows({(script.LEVEL, weights): loss}, table=script.WORDNET, method="VGH2", level=level)
    )
    assert script.loses_more("VGH2", 1)(found)["margin"].to_list() == [pytest.approx(0.1)]
    assert script.loses_more("VGH2", 3)(found)["margin"].to_list() == [pytest.approx(-0.3)]
