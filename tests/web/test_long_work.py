"""Tables that take long, and jobs whose rows stay in an engine."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import ontomask as om
from ontomask.errors import MaskingError
from ontomask.job.concept_review import prepare_suggestions, search
from ontomask.masking import temporary

from support.errors import raises
from support.workbenches import Desk, problems_in, small_csv

IN_ENGINE = """
input = { path = "table.csv", engine = "duckdb" }
method = { name = "Microaggregation", k = 5 }
output = { masked = "masked.csv" }
[columns]
"patient id" = { role = "identifier" }
age = { role = "quasi-identifier", kind = "numeric" }
town = { role = "quasi-identifier", kind = "category" }
pain = { role = "confidential" }
income = { role = "confidential" }
"""


@pytest.mark.parametrize("step", ["protect", "compare"])
def test_work_that_takes_long_is_announced_before_it_begins(tmp_path: Path, monkeypatch, step):
    desk = Desk(tmp_path).enter()
    found = desk.upload(small_csv(90))
    assert 'id="workload"' not in desk.show(found, step).text
    monkeypatch.setattr("ontomask.job.workload._MANY", 11)
    monkeypatch.setattr("ontomask.job.workload._LARGE", 8 * 3**2 - 1)
    found.bench._kept.clear()
    shown = desk.show(found, step).text
    assert 'id="workload"' in shown
    assert "Of its 90 records, 12 differ in the masked columns" in shown
    assert "The column <b>town</b> has 3 different values" in shown
    assert "<b>age</b> has most values (12)" in shown
    assert "Resampling" in shown


def test_distances_that_do_not_fit_on_the_disk_are_refused_before_anything_is_written(monkeypatch):
    monkeypatch.setattr(temporary, "TemporaryFile", None)
    with raises(MaskingError, code="disk-full"):
        temporary.room_for(2**60, temporary.np.dtype("int64"))


def test_a_job_whose_rows_stay_in_an_engine_works_in_all_steps(tmp_path: Path):
    for name in ("desk", "mine"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine" / "table.csv").write_text(small_csv(90))
    (tmp_path / "mine" / "job.toml").write_text(IN_ENGINE)
    desk = Desk(tmp_path / "desk").enter()
    desk.client.post("/open", {"path": str(tmp_path / "mine" / "job.toml")})
    found = next(iter(desk.workspaces))
    desk.finish(found)
    table = desk.show(found, "table")
    assert "90 records, 5 columns" in table.text
    assert "The rows stay in the engine" in table.text
    for step in ("roles", "meaning", "protect", "compare", "release"):
        assert problems_in(desk.show(found, step)) == []
    tried = desk.act(found, "compare", "try")
    assert problems_in(tried) == []
    assert "The rows of this job stay in its engine" in tried.text
    assert found.bench.trial is not None
    assert problems_in(desk.act(found, "release", "run")) == []
    assert (tmp_path / "mine" / "masked.csv").is_file()


def test_search_in_a_large_ontology_does_not_wait_for_its_index(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("ontomask.mapping.suggestions._SMALL", 0)
    taxonomy = om.Taxonomy.from_edges([("headache", "pain"), ("backache", "pain")])
    built = []
    monkeypatch.setattr("ontomask.mapping.suggestions._search_of", built.append)
    assert not prepare_suggestions(taxonomy)
    until = time.monotonic() + 20
    while not built and time.monotonic() < until:
        time.sleep(0.01)
    assert built == [taxonomy.texts.store]
    assert [one.concept for one in search(taxonomy, "headache", similar=False)] == ["headache"]
    assert search(taxonomy, "hedache", similar=False) == []
    monkeypatch.undo()
    assert [one.concept for one in search(taxonomy, "hedache")] == ["headache"]
    assert prepare_suggestions(taxonomy)
