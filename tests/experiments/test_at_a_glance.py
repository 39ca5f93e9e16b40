from __future__ import annotations

import shutil

import polars as pl
import pytest

from experiments.at_a_glance import MAIN, PAGES, page
from experiments.run import EXPERIMENTS
from experiments.shared.findings import DOCS, Conclusion, Findings, Setting, conclusions_file, write


def test_the_page_agrees_with_the_others():
    assert (DOCS / "at_a_glance.md").read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if conclusions_file(DOCS, name).is_file()])
def test_conclusions_are_those_of_the_page(name):
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    for row in pl.read_csv(conclusions_file(DOCS, name)).to_dicts():
        assert f"| {row['conclusion']} " in text
        assert f"({row['holds']} of {row['cases']})" in text


def test_conclusions_are_written(tmp_path):
    cases = {"here": [True, True], "there": [True, False]}
    found = Findings(
        "# Page",
        [{"mean": 1}],
        conclusions=[Conclusion("less is more", "Rodriguez-Garcia 2017, section 5", cases, "Because.", "less")],
    )
    write("page", found, Setting(), tmp_path)
    assert pl.read_csv(conclusions_file(tmp_path, "page")).rows() == [
        ("less", "less is more", "Rodriguez-Garcia 2017, section 5", "here", 2, 2),
        ("less", "less is more", "Rodriguez-Garcia 2017, section 5", "there", 1, 2),
    ]


def test_a_conclusion_that_is_no_longer_judged_is_missed(tmp_path):
    (tmp_path / "results").mkdir()
    for name in PAGES:
        shutil.copy(conclusions_file(DOCS, name), conclusions_file(tmp_path, name))
    assert page(tmp_path) == page()
    key = next(line.key for line in MAIN if line.page == "resampling")
    file = conclusions_file(tmp_path, "resampling")
    pl.read_csv(file).filter(pl.col("key") != key).write_csv(file)
    with pytest.raises(ValueError, match=key):
        page(tmp_path)
