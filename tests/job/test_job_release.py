"""What a job releases: rows in random order, no formulas, no metadata, and no seed that can be guessed."""

from __future__ import annotations

import json
import shutil

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli.commands import app
from ontomask.errors import JobError, PlanError, TableError
from ontomask.examples import load_adult
from ontomask.job import Job
from ontomask.job.private_file import PrivateFile

from support.errors import note_codes, raises
from support.jobs import JOB, SEED, by_hand, listing, make_job

WITH_KEY = JOB.replace(
    '[columns.cost]\nrole = "confidential"', '[columns.cost]\nrole = "confidential"\n[columns.key]\nrole = "other"'
)


def keyed_job(folder, job=WITH_KEY):
    """The small job with a column that identifies records."""
    path = make_job(folder, job)
    frame = om.read_table(folder / "data.csv")
    om.write_table(frame.with_columns(key=pl.Series([f"k{i}" for i in range(40)])), folder / "data.csv", overwrite=True)
    return path


def ontomask(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


# Order


def test_rows_are_written_in_random_order(tmp_path):
    job = Job.from_toml(keyed_job(tmp_path))
    run = job.run(seed=SEED)
    keys = om.read_table(run.files["masked"])["key"].to_list()
    assert keys != [f"k{i}" for i in range(40)]
    assert sorted(keys) == sorted(f"k{i}" for i in range(40))
    assert "rows-shuffled" in note_codes(run.notes)
    # The job's own reading puts them back.
    assert job.read(run.files["masked"])["key"].to_list() == [f"k{i}" for i in range(40)]
    assert run.result.frame["key"].to_list() == [f"k{i}" for i in range(40)]
    again = job.run(repeat=run.files["private"], overwrite=True)
    assert om.read_table(again.files["masked"])["key"].to_list() == keys


def test_two_jobs_with_one_seed_have_different_orders(tmp_path):
    first = keyed_job(tmp_path)
    second = tmp_path / "second.toml"
    second.write_text(first.read_text().replace('masked = "', 'masked = "second_'))
    runs = [Job.from_toml(path).run(seed=SEED) for path in (first, second)]
    keys = [om.read_table(run.files["masked"])["key"].to_list() for run in runs]
    assert sorted(keys[0]) == sorted(keys[1])
    assert keys[0] != keys[1]
    # The same seed does not make it the same release.
    assert ["earlier-release" in note_codes(run.notes) for run in runs] == [False, True]


@pytest.mark.parametrize("seed", [np.random.default_rng(0), np.True_, True, "7", 7.0, -1])
def test_a_seed_that_the_private_file_cannot_hold_is_refused(tmp_path, seed):
    with raises(JobError, parameter="seed"):
        Job.from_toml(make_job(tmp_path)).run(seed=seed)


def test_order_as_it_is(tmp_path):
    job = Job.from_toml(keyed_job(tmp_path, WITH_KEY + 'order = "as_is"\n'))
    run = job.run(seed=SEED)
    assert om.read_table(run.files["masked"])["key"].to_list() == [f"k{i}" for i in range(40)]
    assert "rows-in-order" in note_codes(run.notes)
    run.files["private"].unlink()
    assert job.evaluate(job.read(job.output)).srl == job.evaluate(run.result).srl


def test_the_jobs_own_output_is_evaluated_in_its_order(tmp_path):
    job = Job.from_toml(make_job(tmp_path))
    run = job.run(seed=SEED)
    expected = om.evaluate(job.data, by_hand(tmp_path), attacks=False).to_dict()["measures"]
    for path in (job.output, shutil.copy(job.output, tmp_path / "copy.csv")):
        assert job.evaluate(job.read(path), attacks=False).to_dict()["measures"] == expected
    # Without its private file nobody knows the order.
    private = run.files["private"].rename(tmp_path / "elsewhere.toml")
    with raises(TableError, code="other-order"):
        job.read(job.output)
    assert job.evaluate(job.read(job.output, private=private), attacks=False).to_dict()["measures"] == expected
    with raises(JobError, code="other-order", key="evaluation"):
        job.evaluate(om.read_table(job.output))
    with raises(JobError, code="other-order", key="evaluation"):
        job.evaluate(job.read(tmp_path / "copy.csv"))


def test_the_private_file_must_be_that_of_the_table(tmp_path):
    job = Job.from_toml(make_job(tmp_path))
    first = job.run(seed=SEED).files["private"].rename(tmp_path / "first.toml")
    job.run(seed=SEED + 1, overwrite=True)
    with pytest.raises(PlanError) as caught:
        job.read(job.output, private=first)
    assert caught.value.path == first
    shutil.copy(first, tmp_path / "masked.private.toml")
    with raises(TableError, code="other-order"):
        job.read(job.output)
    (tmp_path / "masked.private.toml").write_text("damaged")
    with raises(TableError, code="other-order"):
        job.read(job.output)


def test_evaluate_finds_the_order_or_asks(tmp_path):
    path = keyed_job(tmp_path)
    assert ontomask("mask", path, "--quiet").exit_code == 0
    expected = ontomask("evaluate", path, "--json")
    assert expected.exit_code == 0, expected.output
    private = (tmp_path / "masked.private.toml").rename(tmp_path / "mine.toml")
    refused = ontomask("evaluate", path, "--json")
    assert (refused.exit_code, "--private" in refused.stderr, "--key" in refused.stderr) == (2, True, True)
    assert ontomask("evaluate", path, "--json", "--private", private).stdout == expected.stdout
    by_key, by_order = (
        json.loads(text)["measures"]
        for text in (ontomask("evaluate", path, "--json", "--key", "key").stdout, expected.stdout)
    )
    # Without the private file nobody knows which method made the table.
    told = {measure["measure"] for measure in by_key} - {"worst linked", "homogeneous"}
    assert "linked by method" not in told
    assert [m for m in by_key if m["measure"] in told] == [m for m in by_order if m["measure"] in told]
    assert ontomask("evaluate", path, "--private", private, "--report", tmp_path / "r.json").exit_code == 0


def test_private_files_of_version_0_1_mean_rows_in_order(tmp_path):
    job = Job.from_toml(make_job(tmp_path))
    run = job.run(seed=SEED)
    private = run.files["private"]
    head, _, tail = private.read_text().partition("[output]")
    private.write_text(head + "[versions]" + tail.partition("[versions]")[2])
    assert PrivateFile.load(private).output == {}
    run.result.write(job.output, order="as_is", overwrite=True)
    assert job.evaluate(job.read(job.output)).srl == job.evaluate(run.result).srl


def test_suppressed_records_are_found_by_a_key(tmp_path):
    text = WITH_KEY.replace('name = "PRAM"\nstay = 0.4', 'name = "Suppression"\nk = 2')
    text = text.replace('[columns.age]\nrole = "quasi-identifier"\nkind = "numeric"', '[columns.age]\nrole = "other"')
    path = keyed_job(tmp_path, text)
    frame = om.read_table(tmp_path / "data.csv")
    frame[0, "grade"] = "high"  # the only ache of that grade
    om.write_table(frame, tmp_path / "data.csv", overwrite=True)
    job = Job.from_toml(path)
    run = job.run(seed=SEED)
    assert len(run.result.data) == 39
    score = job.evaluate(job.read(job.output, ordered=False), key="key")
    assert score.srl == job.evaluate(run.result).srl


# Seeds


@pytest.mark.parametrize("seed", [0, 2024, 2**64 - 1])
def test_weak_seeds_are_refused(tmp_path, seed):
    path = make_job(tmp_path)
    before = listing(tmp_path)
    with pytest.raises(JobError) as caught:
        Job.from_toml(path).run(seed=seed)
    assert caught.value.parameter == "seed"
    done = ontomask("mask", path, "--seed", seed)
    assert (done.exit_code, "--allow-weak-seed" in done.stderr) == (2, True)
    assert listing(tmp_path) == before
    run = Job.from_toml(path).run(seed=seed, allow_weak_seed=True)
    assert note_codes(run.notes).count("weak-seed") == 1
    with raises(JobError, parameter="seed", code="weak-seed"):
        Job.from_toml(path).run(repeat=run.files["private"], overwrite=True)
    masked = run.files["masked"].read_bytes()
    options = ("--allow-weak-seed", "--force", "--quiet")
    assert ontomask("mask", path, "--repeat", run.files["private"], *options).exit_code == 0
    assert run.files["masked"].read_bytes() == masked


def test_a_job_cannot_allow_weak_seeds(tmp_path):
    with raises(JobError, key="output.allow_weak_seed"):
        Job.from_toml(make_job(tmp_path, JOB + "allow_weak_seed = true\n"))


def test_masking_in_python_goes_on_with_a_weak_seed(tmp_path):
    assert note_codes(Job.from_toml(make_job(tmp_path)).mask(seed=0).notes) == ["weak-seed"]


# Formulas


FORMULA_JOB = JOB.replace("[columns.cost]", '[columns."=note"]\nrole = "other"\n[columns.cost]')


def formula_job(folder, extra=""):
    path = make_job(folder, FORMULA_JOB + extra)
    frame = om.read_table(folder / "data.csv").with_columns(pl.Series("=note", ["=1+1", "-5"] * 20))
    # A released value may be a formula as well.
    frame = frame.with_columns(pl.col("symptom").replace({"ache": "+ache"}))
    om.write_table(frame, folder / "data.csv", overwrite=True)
    (folder / "links.csv").write_text((folder / "links.csv").read_text().replace("ache,", "+ache,"))
    return Job.from_toml(path)


def test_formulas_are_escaped_and_read_back(tmp_path):
    job = formula_job(tmp_path)
    run = job.run(seed=SEED)
    raw = om.read_table(run.files["masked"])
    assert set(raw["'=note"]) == {"'=1+1", "-5"}
    assert "'+ache" in set(raw["symptom"])
    (note,) = [note for note in run.notes if getattr(note, "code", "") == "formulas-escaped"]
    assert note.values["cells"] == 1 + 20 + (raw["symptom"] == "'+ache").sum()
    scores = (job.evaluate(masked, attacks=False).to_dict() for masked in (job.read(job.output), run.result))
    assert next(scores) == next(scores)
    # Also where only the key finds the records, and the private file is gone.
    run.files["private"].unlink()
    assert set(job.read(job.output, ordered=False)["=note"]) == {"=1+1", "-5"}


def test_formulas_as_they_are(tmp_path):
    job = formula_job(tmp_path, 'formulas = "as_is"\n')
    run = job.run(seed=SEED)
    assert set(om.read_table(run.files["masked"])["=note"]) == {"=1+1", "-5"}
    assert "formulas-escaped" not in note_codes(run.notes)
    assert job.evaluate(job.read(job.output)).srl == job.evaluate(run.result).srl


@pytest.mark.parametrize("key", ["order", "formulas"])
def test_wrong_choices(tmp_path, key):
    with raises(JobError, key=f"output.{key}"):
        Job.from_toml(make_job(tmp_path, JOB + f'{key} = "never"\n'))


# Metadata


def test_metadata_of_the_input_file_is_not_released(tmp_path):
    path = make_job(tmp_path, JOB.replace("data.csv", "data.parquet").replace("masked.csv", "masked.parquet"))
    frame = om.read_table(tmp_path / "data.csv")
    frame.write_parquet(tmp_path / "data.parquet", metadata={"source": "Jane Roe"})
    run = Job.from_toml(path).run(seed=SEED)
    assert b"Jane Roe" not in run.files["masked"].read_bytes()
    assert note_codes(run.notes).count("metadata-dropped") == 1
    frame.write_parquet(tmp_path / "data.parquet")
    assert "metadata-dropped" not in note_codes(Job.from_toml(path).run(seed=SEED, overwrite=True).notes)


# The demo


@pytest.mark.slow
def test_the_demo_writes_rows_in_random_order(tmp_path):
    done = ontomask("demo", "--out", tmp_path, "--quiet")
    assert done.exit_code == 0, done.output
    released, original = om.read_table(tmp_path / "masked.csv")["salary-class"].to_list(), load_adult()["salary-class"]
    assert released != original
    assert sorted(released) == sorted(original)


PERSONS = """
input.path = "data.csv"
output.masked = "masked.csv"
method = { name = "Microaggregation", k = 2, by = ["year"] }
[columns]
who = { role = "identifier", person = true, pseudonyms = true }
age = { role = "quasi-identifier", kind = "numeric" }
year = { role = "other" }
"""


def test_a_job_releases_pseudonyms_and_masks_strata(tmp_path):
    rows = [f"P{i // 2},{20 + i * i % 37},{2000 + i // 40}" for i in range(80)]
    (tmp_path / "data.csv").write_text("\n".join(["who,age,year", *rows]) + "\n")
    (tmp_path / "job.toml").write_text(PERSONS)
    job = om.Job.from_toml(tmp_path / "job.toml")
    run = job.run()
    assert run.result.guarantee.k >= 2
    lines = run.files["masked"].read_text().splitlines()
    assert lines[0] == "who,age,year"
    assert not any(line.startswith("P") for line in lines[1:])
    assert len({line.split(",")[0] for line in lines[1:]}) == 40
    score = job.evaluate(job.read(job.output))
    assert score.k == job.evaluate(run.result).k


@pytest.mark.parametrize(
    ("column", "key"),
    [
        ('{ role = "identifier", pseudonyms = true }', "columns.who.pseudonyms"),
        ('{ role = "other", pseudonyms = false }', "columns.who.pseudonyms"),
        ('{ role = "identifier", person = true, pseudonyms = 1 }', "columns.who.pseudonyms"),
    ],
)
def test_only_persons_have_pseudonyms(tmp_path, column, key):
    text = PERSONS.replace('{ role = "identifier", person = true, pseudonyms = true }', column)
    (tmp_path / "job.toml").write_text(text)
    with pytest.raises(om.JobError) as caught:
        om.Job.from_toml(tmp_path / "job.toml")
    assert caught.value.key == key
