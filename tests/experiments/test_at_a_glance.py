from __future__ import annotations

import pytest
from at_a_glance import PAGES, page, verdicts
from findings import DOCS, Conclusion, Findings, Setting


def test_the_page_agrees_with_the_others():
    assert (DOCS / "at_a_glance.md").read_text(encoding="utf-8") == page()


def test_verdicts_are_those_of_the_page():
    cases = {"here": [True, True], "there": [True, False]}
    found = Findings("# Page", [], conclusions=[Conclusion("less is more", "N 5", cases, "Because.")])
    places, told = verdicts(found.whole_page("page", Setting()))
    assert places == ["here", "there"]
    assert told == {"less is more": ["N 5", "found (2 of 2)", "not found (1 of 2)"]}


def test_a_conclusion_that_is_no_longer_judged_is_missed(tmp_path):
    for name in PAGES:
        (tmp_path / f"{name}.md").write_text((DOCS / f"{name}.md").read_text(encoding="utf-8"), encoding="utf-8")
    assert page(tmp_path) == page()
    file = tmp_path / "resampling.md"
    file.write_text(file.read_text(encoding="utf-8").replace("Sk-resampling (4) loses", "It loses"), encoding="utf-8")
    with pytest.raises(ValueError, match="not enough values"):
        page(tmp_path)
