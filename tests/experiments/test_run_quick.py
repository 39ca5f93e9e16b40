from __future__ import annotations

import polars as pl
import pytest

from experiments.framework.measurements import Rows
from experiments.framework.pages import DOCS, verdicts_file
from experiments.framework.settings import Setting
from experiments.glance import page as glance
from experiments.run import EXPERIMENTS, experiment, run


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_runs(name, tmp_path):
    assert run(name, Setting(quick=True), tmp_path, pages=False).startswith(f"{name}: ")
    text = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    one = experiment(name)
    assert f"\n\n# {one.text('title')}\n\n**{one.text('question')}**" in text
    assert f"](figures/{name}.svg)" in text
    assert len(Rows.read(tmp_path / "results" / f"{name}.csv").frame) > 0
    assert (tmp_path / "figures" / f"{name}.svg").stat().st_size > 1000


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_few_records_of_real_data_are_enough_to_try(name, shared_data, tmp_path):
    # In few records nothing may be linked and nothing left: figures may be unknown, and the page is there all the same.
    run(name, Setting(shared_data, quick=True), tmp_path, pages=False)
    assert (tmp_path / f"{name}.md").is_file()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_pages_in_the_docs_are_those_of_the_measurements(name, tmp_path):
    one = experiment(name)
    rows = Rows.read(DOCS / "results" / f"{name}.csv")
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert page == one.page(name, rows, complete=True)
    # One screen before the parts that are folded.
    assert len(one.answer(rows)) <= 1000
    assert len(one.text("caption")) <= 450
    assert "nan" not in one.answer(rows).replace("financ", "")
    figure = (DOCS / "figures" / f"{name}.svg").read_text(encoding="utf-8")
    assert figure == one.figure(rows).svg
    assert len(figure) < 120_000
    assert f"]({name}.md)" in (DOCS / "index.md").read_text(encoding="utf-8")
    keys = [claim.key for claim in one.claims]
    assert len(set(keys)) == len(keys)
    if keys:
        verdicts = pl.read_csv(verdicts_file(DOCS, name))
        assert verdicts["key"].unique(maintain_order=True).to_list() == keys, "a claim is judged on no table"
        unfounded = set(verdicts.filter(verdict="not found")["key"])
        assert [claim.key for claim in one.claims if claim.key in unfounded and not claim.why] == [], "say why"


def test_the_page_at_a_glance_agrees_with_the_others():
    assert (DOCS / "at_a_glance.md").read_text(encoding="utf-8") == glance(EXPERIMENTS)


def test_nothing_is_left_of_earlier_experiments():
    pages = {path.stem for path in DOCS.glob("*.md")} - {"index", "at_a_glance"}
    assert pages == set(EXPERIMENTS)
    assert {path.stem.removesuffix("_verdicts") for path in (DOCS / "results").iterdir()} == pages
    assert {path.stem for path in (DOCS / "figures").iterdir()} == pages
