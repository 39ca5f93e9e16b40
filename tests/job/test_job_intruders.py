"""Jobs and the whole row: requirements on what intruders find, warnings, and the command that attacks."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ontomask.cli.commands import app
from ontomask.errors import JobError
from ontomask.job import Job

from support.errors import raises
from support.jobs import JOB, listing, make_job

# A seed that jobs take.
STRONG = 2**64

# The cost is kept and nearly the same for all; as a column that others could know it tells records apart.
KEPT = JOB.replace('role = "confidential"', 'role = "other"').replace(
    'name = "PRAM"\nstay = 0.4', 'name = "Microaggregation"\nk = 5'
)


def run_cli(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.mark.parametrize(
    ("required", "fields"),
    [
        ("k_all = 5", {"code": "k-too-small", "key": "require"}),
        ("linked_at_most = 1", {"code": "linked-too-often", "key": "require"}),
    ],
)
def test_what_intruders_find_stops_the_job_and_nothing_is_written(tmp_path, required, fields):
    path = make_job(tmp_path, f"{KEPT}\n[require]\n{required}\n")
    before = listing(tmp_path)
    with raises(JobError, **fields):
        Job.from_toml(path).run(seed=STRONG + 1)
    assert listing(tmp_path) == before


def test_a_job_that_has_what_it_requires_runs(tmp_path):
    text = KEPT.replace('role = "other"', 'role = "identifier"')
    run = Job.from_toml(make_job(tmp_path, f"{text}\n[require]\nk_all = 5\nlinked_at_most = 25\n")).run(seed=STRONG + 1)
    assert run.files["masked"].exists()


@pytest.mark.parametrize("required", ["k_all = 1", "k_all = 2.5", "linked_at_most = 101", "uniques = 3"])
def test_requirements_of_a_job_are_validated(tmp_path, required):
    path = make_job(tmp_path, f"{JOB}\n[require]\n{required}\n")
    with raises(JobError, key=f"require.{required.split()[0]}"):
        Job.from_toml(path)


def test_a_share_above_100_is_refused_in_plain_words(tmp_path):
    path = make_job(tmp_path, f"{JOB}\n[require]\nlinked_at_most = 150\n")
    with raises(JobError, key="require.linked_at_most") as caught:
        Job.from_toml(path)
    assert caught.value.key == "require.linked_at_most"


def test_mask_and_map_warn_of_kept_columns(tmp_path):
    text = KEPT.replace('[columns.age]\nrole = "quasi-identifier"\nkind = "numeric"', '[columns.age]\nrole = "other"')
    path = make_job(tmp_path, text)
    checked = Job.from_toml(path).check()
    assert checked.ready
    (warning,) = checked.warnings
    assert "unique" in warning
    assert "age, cost" in warning
    assert checked.to_dict()["warnings"] == [warning]
    shown = run_cli("map", path)
    assert shown.exit_code == 0
    assert "Warning:" in shown.stdout
    assert any("over symptom, grade, but" in note for note in Job.from_toml(path).run(seed=STRONG + 1).notes)


def test_no_warning_where_nothing_is_kept(tmp_path):
    assert Job.from_toml(make_job(tmp_path)).check().warnings == ()


def test_an_earlier_release_of_the_same_input_is_named(tmp_path):
    path = make_job(tmp_path)
    assert not any("earlier run" in note for note in Job.from_toml(path).run(seed=STRONG + 1).notes)
    other = tmp_path / "other.toml"
    other.write_text(JOB.replace("masked.csv", "again.csv"))
    (note,) = [note for note in Job.from_toml(other).run(seed=STRONG + 2).notes if "earlier run" in note]
    assert "masked.private.toml" in note
    # The run of another input is no release of the same persons, and neither is the same run.
    assert not any("again" in note for note in Job.from_toml(other).run(seed=STRONG + 2, overwrite=True).notes)
    (tmp_path / "data.csv").write_text((tmp_path / "data.csv").read_text() + "p40,ache,30,low,1\n")
    third = tmp_path / "third.toml"
    third.write_text(JOB.replace("masked.csv", "third.csv"))
    assert not any("earlier run" in note for note in Job.from_toml(third).run(seed=STRONG + 3).notes)


def test_the_summary_of_a_run_names_the_worst_intruder(tmp_path):
    path = make_job(tmp_path, KEPT.replace('masked = "masked.csv"', 'masked = "masked.csv"\nreport = "report.txt"'))
    shown = run_cli("mask", path, "--seed", STRONG)
    assert shown.exit_code == 0, shown.output
    assert "Worst intruder: An intruder who knows symptom, age, grade and also cost" in shown.stdout
    report = (tmp_path / "report.txt").read_text()
    assert "linked by the worst intruder" in report
    assert "Over all released columns" in report


def test_the_command_attack(tmp_path):
    path = make_job(tmp_path, KEPT)
    shown = run_cli("attack", path, "--seed", 1)
    assert shown.exit_code == 0, shown.output
    assert "all_columns" in shown.stdout
    assert not (tmp_path / "masked.csv").exists()
    found = json.loads(run_cli("attack", path, "--seed", 1, "--json").stdout)
    assert found["all_columns"]["columns"] == ["symptom", "age", "grade", "cost"]
    assert found["method"] is not None
    Job.from_toml(path).run(seed=STRONG + 1)
    of_file = json.loads(run_cli("attack", path, tmp_path / "masked.csv", "--json").stdout)
    # The private file says that this job wrote the table, so the method is known; a copy elsewhere is anybody's.
    assert of_file["method"] == found["method"]
    assert of_file["all_columns"]["linked"] == found["all_columns"]["linked"]
    path.write_text(path.read_text() + "\n# another job\n")
    assert json.loads(run_cli("attack", path, tmp_path / "masked.csv", "--json").stdout)["method"] is None


def test_all_requirements_that_are_missed_are_named(tmp_path):
    path = make_job(tmp_path, f"{KEPT}\n[require]\nk_all = 5\nlinked_at_most = 1\n")
    with pytest.raises(JobError) as caught:
        Job.from_toml(path).run(seed=STRONG + 1)
    assert len(caught.value.problems) == 2


def test_no_groups_no_homogeneity(tmp_path):
    swapped = KEPT.replace('name = "Microaggregation"\nk = 5', 'name = "RankSwapping"\nk = 3')
    found = json.loads(run_cli("attack", make_job(tmp_path, swapped), "--seed", 1, "--json").stdout)
    assert "homogeneity" not in {one["intruder"] for one in found["findings"]}


@pytest.mark.parametrize("options", [["masked.csv", "--seed", "1"], ["--key", "name"]])
def test_attack_refuses_options_that_do_not_fit(tmp_path, options):
    assert run_cli("attack", make_job(tmp_path), *options).exit_code == 2


def test_attacks_can_be_left_out(tmp_path):
    path = make_job(tmp_path, f"{KEPT}\n[evaluation]\nattacks = false\n")
    run = Job.from_toml(path).run(seed=STRONG + 1)
    assert run.score.attacks is None
    assert run.score.all_columns.linked > 0
    # What is required is looked for all the same.
    path.write_text(f"{KEPT}\n[evaluation]\nattacks = false\n[require]\nlinked_at_most = 1\n")
    with raises(JobError, code="linked-too-often", key="require"):
        Job.from_toml(path).run(seed=STRONG + 1, overwrite=True)
