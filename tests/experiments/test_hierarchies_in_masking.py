from __future__ import annotations

from pathlib import Path

import hierarchies_in_masking as script
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "experiments" / "hierarchies_in_masking.md"


@pytest.fixture(scope="module")
def cases():
    return script.cases(script.ARX)


@pytest.fixture(scope="module")
def rows(cases):
    return script.measure(cases)


def test_page_is_what_the_script_writes(cases, rows):
    assert PAGE.read_text(encoding="utf-8").startswith(script.report(cases, rows))


def test_all_have_as_many_levels(cases):
    for name in (*script.BY_HAND, *script.BUILT):
        assert {h.height for h in cases[name].hierarchies.values()} == {2}


def test_the_reading(rows):
    found = {(r.mode, r.k, r.hierarchies): r for r in rows}
    by_hand, kindly = script.BY_HAND
    for row in rows:
        assert row.achieved >= row.k
        assert 0 < row.loss < 1
        if row.hierarchies in script.BUILT:
            assert row.loss < found[row.mode, row.k, by_hand].loss
            assert row.loss_log_sc < found[row.mode, row.k, by_hand].loss_log_sc
    for k in script.KS:
        assert found["local", k, "built, max"].loss < found["local", k, kindly].loss
        assert found["full_domain", k, "built, mean"].loss < found["full_domain", k, kindly].loss
        more = found["full_domain", k, "built, max"].loss > found["full_domain", k, kindly].loss
        assert more == (k in (5, 10, 50))
        least = min((r for r in rows if (r.mode, r.k) == ("local", k)), key=lambda r: r.loss)
        assert (least.hierarchies == script.NONE) == (k <= 10)
        for objective in ("max", "mean") if k >= 50 else ():
            finer = found["local", k, f"built, {objective}, default groups"]
            assert finer.loss > found["local", k, f"built, {objective}"].loss


def test_scores_are_those_of_the_other_page(cases):
    page = (PAGE.parent / "built_hierarchies.md").read_text(encoding="utf-8")
    scores = script.scores(cases)
    assert set(scores) == {*script.BY_HAND, *script.BUILT}
    for name in ("by hand, read kindly", "built, max"):
        assert all(f"{score:.4f}" in page for score in scores[name])


def test_what_the_labels_made_by_hand_are_released_as(cases):
    data, hand = cases["by hand"].data, cases["by hand"].hierarchies
    result = script.om.Generalisation(
        2, hierarchies=hand, mode="full_domain", levels={"occupation": 1, "native-country": 1}
    ).mask(data)
    released = {name: dict(zip(data.frame[name], result.frame[name], strict=True)) for name in hand}
    assert set(released["occupation"].values()) == {"person"}
    assert released["native-country"]["Canada"] == "district"
    assert released["native-country"]["India"] == "administrative district"
