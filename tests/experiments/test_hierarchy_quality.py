from __future__ import annotations

import pytest

from experiments.ontologies import hierarchy_quality as script


@pytest.fixture(scope="module")
def ours():
    return {name: script.score(rows) for name, rows in script.HIERARCHIES.items()}


def verdicts(vertebrates, ours):
    """The same scores stand for those under all measures."""
    others = {(name, measure): found for name, found in ours.items() for measure in script.PUBLISHED}
    judged = script.conclusions(vertebrates, ours, others)
    assert len(judged) == len({one.text for one in judged}) == 9
    return [one.verdict(script.PLACE).split(" (")[0] for one in judged]


def test_printed_figures_are_found(ours):
    found = verdicts(script.score(script.VERTEBRATES), ours)
    # One figure of Ayala-Rivera 2014, Table 2, is truncated instead of rounded.
    assert found == ["found", "not found", *["found"] * 7]


def test_every_conclusion_can_fail(ours):
    swapped = dict(zip(ours, reversed(ours.values()), strict=True))
    assert set(verdicts(script.score(script.VERTEBRATES, distance="path"), swapped)) == {"not found"}


def test_one_wrong_figure_is_seen(ours, monkeypatch):
    monkeypatch.setitem(script.TABLE_1, "cat", (0.1538, 0.3334, 0.2))
    levels, whole = script.TABLE_2["VGH2", "constant"]
    monkeypatch.setitem(script.TABLE_2, ("VGH2", "constant"), (levels, whole + 0.0004))
    vertebrates = script.score(script.VERTEBRATES)
    others = {(name, measure): found for name, found in ours.items() for measure in script.PUBLISHED}
    trans, _, whole, *_ = script.conclusions(vertebrates, ours, others)
    assert trans.verdict(script.PLACE) == "not found (20 of 21)"
    assert whole.verdict(script.PLACE) == "not found (4 of 5)"
