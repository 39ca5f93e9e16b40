"""Columns without an ontology in a job: their keys, files, and what `ontomask map` says."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli.commands import app
from ontomask.errors import JobError, PlanError
from ontomask.job import Job

SEED = 2**64 + 1
JOB = """
input.path = "data.csv"
output.masked = "masked.csv"
method = { name = "Generalisation", k = 5 }

[columns]
name = { role = "identifier" }
status = { role = "quasi-identifier", kind = "category", groups = "groups.csv", top = "any status" }
sex = { role = "quasi-identifier", kind = "category" }
child = { role = "quasi-identifier", kind = "category", groups = { some = [1, 2] } }
postcode = { role = "quasi-identifier", kind = "prefix", lengths = [2] }
job = { role = "quasi-identifier", kind = "category", under = "major" }
major = { role = "quasi-identifier", kind = "category" }
"""
GROUPS = "value,group\nmarried,couple\npartners,couple\nwidowed,alone\ndivorced,alone\n"
MAJOR = {"nurse": "health", "doctor": "health", "cook": "service", "waiter": "service"}


def make(folder, job=JOB, groups=GROUPS, records=120):
    status, jobs = ("married", "partners", "widowed", "single"), tuple(MAJOR)
    rows = [
        f"p{i},{status[i % 4]},{'fm'[i % 2]},{i % 3},{47900 + i * i % 7},{jobs[i // 2 % 4]},{MAJOR[jobs[i // 2 % 4]]}"
        for i in range(records)
    ]
    (folder / "data.csv").write_text("name,status,sex,child,postcode,job,major\n" + "\n".join(rows) + "\n")
    (folder / "groups.csv").write_text(groups)
    path = folder / "job.toml"
    path.write_text(job)
    return path


def test_a_job_with_categories(tmp_path):
    path = make(tmp_path, JOB.replace('masked.csv"', 'masked.csv"\noutput.report = "report.html"'))
    run = Job.from_toml(path).run(seed=SEED)
    masked = om.read_table(run.files["masked"])
    assert set(masked["status"]) <= {"married", "partners", "widowed", "single", "couple", "alone", "any status"}
    assert set(masked["child"]) <= {"0", "1", "2", "some", "*"}
    assert set(masked["job"]) <= {*MAJOR, *MAJOR.values(), "*"}
    assert run.result.guarantee.k >= 5
    data = Job.from_toml(path).data
    assert data.quasi_identifiers["job"].domain.children("health") == ("doctor", "nurse")


def test_a_run_is_not_repeated_with_other_groups(tmp_path):
    path = make(tmp_path)
    private = Job.from_toml(path).run(seed=SEED).files["private"]
    (tmp_path / "groups.csv").write_text(GROUPS.replace("widowed,alone", "widowed,couple"))
    with pytest.raises(PlanError):
        Job.from_toml(path).run(repeat=private, overwrite=True)


def test_map_shows_groups_and_values_without_one(tmp_path):
    done = CliRunner().invoke(app, ["map", str(make(tmp_path))])
    lines = done.output.splitlines()
    assert done.exit_code == 0
    assert "status → 2 groups" in lines
    assert "    couple: 2 values in 60 records" in lines
    assert "    no group: 1 value in 30 records: 'single'" in lines
    assert "  in the groups, but not in the column: 'divorced'" in lines
    assert "    health: 2 values in 60 records" in lines


def test_map_lists_values_with_several_groups(tmp_path):
    path = make(tmp_path)
    data = tmp_path / "data.csv"
    data.write_text(data.read_text().replace("nurse,health", "nurse,service", 1))
    done = CliRunner().invoke(app, ["map", str(path)])
    assert done.exit_code == 1
    assert "columns.job: 1 of 4 values" in done.output.replace("\n", " ")
    assert "'nurse'" in done.output
    with pytest.raises(JobError) as caught:
        Job.from_toml(path).run(seed=SEED)
    assert caught.value.values == ("nurse",)
    assert "nurse" not in str(caught.value)
