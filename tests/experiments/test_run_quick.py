from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from experiments.run import EXPERIMENTS, run_experiment
from experiments.shared.findings import DOCS, Conclusion, Findings, Setting, Spread, conclusions_file, write


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_runs(name, tmp_path):
    setting = Setting(quick=True)
    findings = run_experiment(name, setting)
    write(name, findings, setting, tmp_path)
    page = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert page.startswith("# ")
    assert "Made by `" in page
    assert len(pl.read_csv(tmp_path / "results" / f"{name}.csv", infer_schema_length=None)) == len(findings.rows) > 0
    assert f"](figures/{name}.svg)" in page
    assert findings.caption in page
    assert (tmp_path / "figures" / f"{name}.svg").stat().st_size > 1000
    for conclusion in findings.conclusions:
        assert f"| {conclusion.text} " in page
        assert conclusion.why
    assert conclusions_file(tmp_path, name).is_file() == bool(findings.conclusions)


@pytest.mark.parametrize("name", ["clinical", "semantic_linkage", "noise_framework", "rank_swapping"])
def test_few_records_of_real_data_are_enough_to_try(name, shared_data, tmp_path):
    # In few records nothing may be linked and nothing left: figures may be unknown, and the page is there all the same.
    setting = Setting(shared_data, quick=True)
    assert write(name, run_experiment(name, setting), setting, tmp_path) == tmp_path
    assert "ICD-9-CM" in (tmp_path / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_was_measured_stands_in_the_docs(name):
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert f"](results/{name}.csv)" in page
    assert f"EXPERIMENTS={name}`." in page
    assert f"]({name}.md)" in (DOCS / "index.md").read_text(encoding="utf-8")
    for path in (f"results/{name}.csv", f"figures/{name}.svg"):
        assert (DOCS / path).is_file()
    assert f"](figures/{name}" in page
    assert conclusions_file(DOCS, name).is_file() == ("## Conclusions" in page)


def test_pictures_are_small():
    assert max(picture.stat().st_size for picture in (DOCS / "figures").iterdir()) < 120_000


def test_spread():
    spread = Spread.of([1.0, 2.0, 3.0])
    assert (spread.mean, spread.sd, spread.runs) == (2, 1, 3)
    assert (spread.low, spread.high) == (1, 3)
    assert str(spread) == "2.000 ± 1.000"
    assert Spread.of([1.0]).sd == 0
    unknown = Spread.of([1.0, float("nan"), float("inf")])
    assert (str(unknown), unknown.runs) == ("", 3)


def test_verdicts():
    conclusion = Conclusion(
        "less is more", "Rodriguez-Garcia 2017, section 5", {"here": [True, True], "there": [True, False]}, "Because."
    )
    assert conclusion.verdict("here") == "found (2 of 2)"
    assert conclusion.verdict("there") == "not found (1 of 2)"
    assert conclusion.verdict("nowhere") == "—"


def test_reasons_are_for_the_data_that_were_read(tmp_path):
    for name in ("diabetes130.csv.gz", "mondo.obo.gz"):
        (tmp_path / name).touch()
    found = Findings(
        "# Page",
        [],
        conclusions=[Conclusion("less is more", "Rodriguez-Garcia 2017, section 5", {"here": [True]}, "Because.")],
    )
    assert "1. Because." in found.whole_page("page", Setting(tmp_path))
    assert "Because." not in found.whole_page("page", Setting())
    assert "Because." not in found.whole_page("page", Setting(tmp_path, quick=True))
    whole = replace(found, reading="All agree.", complete=True).whole_page("page", Setting())
    assert "1. Because." in whole
    assert "All agree." in whole
    assert "DATA" not in whole
    assert "All agree." not in replace(found, reading="All agree.").whole_page("page", Setting())


def test_pages_without_all_their_data_stay_out_of_the_docs(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.shared.findings.DOCS", tmp_path / "docs")
    monkeypatch.setattr("experiments.shared.findings.INCOMPLETE", tmp_path / "build")
    found = Findings("# Page", [{"mean": 1}])
    assert write("page", found, Setting()) == tmp_path / "build"
    assert write("page", replace(found, complete=True), Setting()) == tmp_path / "docs"
    assert write("page", found, Setting(), tmp_path / "there") == tmp_path / "there"
    assert (tmp_path / "there" / "page.md").is_file()


def test_data_are_found(tmp_path):
    with pytest.raises(SystemExit, match=r"diabetes130\.csv\.gz or diabetic_data"):
        Setting(tmp_path)
    file = tmp_path / "diabetes130.csv.gz"
    file.touch()
    assert Setting(tmp_path).diabetes130 == Setting(file).diabetes130 == file
    assert not Setting(tmp_path).complete
    (tmp_path / "mondo.obo.gz").touch()
    assert Setting(file).complete


def test_data_may_have_the_names_they_come_with(tmp_path):
    (tmp_path / "diabetic_data.csv").touch()
    (tmp_path / "mondo.obo").touch()
    assert Setting(tmp_path).complete
    assert Setting(tmp_path).diabetes130 == tmp_path / "diabetic_data.csv"


def test_wordnet_may_lie_beside_the_data(tmp_path):
    (tmp_path / "diabetes130.csv.gz").touch()
    (tmp_path / "wordnet").mkdir()
    (tmp_path / "wordnet" / "data.noun").touch()
    assert Setting(tmp_path).wordnet == tmp_path / "wordnet"
