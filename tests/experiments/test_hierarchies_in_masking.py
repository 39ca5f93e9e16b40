from __future__ import annotations

import pytest

from experiments.ontologies import hierarchies_in_masking as script
from experiments.shared.findings import DOCS, Findings

PAGE = DOCS / "hierarchies_in_masking.md"


@pytest.fixture(scope="module")
def cases():
    return script.cases(script.ARX)


@pytest.fixture(scope="module")
def rows(cases):
    return script.measure(cases)


@pytest.fixture(scope="module")
def scores(cases):
    return script.scores(cases)


def test_page_is_what_the_script_writes(cases, rows, scores):
    assert Findings(script.report(cases, rows, scores), []).text() in PAGE.read_text(encoding="utf-8")


def test_all_have_as_many_levels(cases):
    for name in (script.BY_HAND, *script.BUILT):
        assert {h.height for h in cases[name].hierarchies.values()} == {2}


def test_the_reading(rows):
    found = {(r.mode, r.k, r.hierarchies): r for r in rows}
    by_hand = script.BY_HAND
    for row in rows:
        assert row.achieved >= row.k
        assert 0 < row.loss < 1
        if row.hierarchies in script.BUILT:
            assert row.loss < found[row.mode, row.k, by_hand].loss
            assert row.loss_log_sc < found[row.mode, row.k, by_hand].loss_log_sc
    for k in script.KS:
        assert found["full_domain", k, "built, mean"].loss < found["full_domain", k, "built, max"].loss
        least = min((r for r in rows if (r.mode, r.k) == ("local", k)), key=lambda r: r.loss)
        assert (least.hierarchies == script.NONE) == (k <= 10)
        more = found["local", k, "built, max, default groups"].loss > found["local", k, "built, max"].loss
        assert more == (k >= 5)


def test_scores_are_of_what_is_released(cases, scores):
    page = (PAGE.parent / "built_hierarchies.md").read_text(encoding="utf-8")
    assert set(scores) == {script.BY_HAND, *script.BUILT}
    assert all(f"{score:.4f}" in page for score in scores["built, max"])
    # Person and district are as far from the values on level 1 as at the top.
    occupation, country = (h.rows for h in script.released(cases["by hand"]).values())
    assert all(row[1:] == ("person", "person") for row in occupation)
    assert {row[1] for row in country} == {
        "administrative district",
        "country",
        "district",
        "European country",
        "South",
    }
    top = [
        script.om.score_hierarchy(h, script.om.load_wordnet(), cases["by hand"].data.mapping[column].concepts)
        for column, h in script.released(cases["by hand"]).items()
    ]
    assert scores["by hand"] == pytest.approx([found.levels[1].max for found in top])
    assert scores["built, mean"] == pytest.approx(scores["by hand"])


def test_pairs_of_which_one_scores_better():
    scored = {"a": [0.2, 0.3], "b": [0.2 + 1e-12, 0.3], "c": [0.2, 0.4], "d": [0.1, 0.5]}
    assert script.better_pairs(scored) == [("a", "c"), ("b", "c")]


def test_what_the_labels_made_by_hand_are_released_as(cases):
    data, hand = cases["by hand"].data, cases["by hand"].hierarchies
    result = script.om.Generalisation(
        2, hierarchies=hand, mode="full_domain", levels={"occupation": 1, "native-country": 1}
    ).mask(data)
    released = {name: dict(zip(data.frame[name], result.frame[name], strict=True)) for name in hand}
    assert set(released["occupation"].values()) == {"person"}
    assert released["native-country"]["Canada"] == "district"
    assert released["native-country"]["India"] == "administrative district"
