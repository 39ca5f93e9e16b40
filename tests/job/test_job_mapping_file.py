from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

from ontomask.cli.commands import app
from ontomask.job import Job

JOB = """
input.path = "data.csv"
output.masked = "masked.csv"
output.report = "report.html"
method = {{ name = "PRAM", stay = 0.5 }}
[columns]
symptom = {{ role = "quasi-identifier", kind = "nominal", taxonomy = "links.csv"{mapping} }}
cost = {{ role = "confidential" }}
"""
LINKS = "child,parent,labels\nall,,\npain,all,\nheadache,pain,headache|cephalalgia\ncolic,pain,\nrash,all,\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "links.csv").write_text(LINKS)
    rows = ["headache,1"] * 15 + ["cephalalgya,2"] * 12 + ["colic;rash,3"] + ["=cmd,4"] + ["2021-01-05,5"]
    (tmp_path / "data.csv").write_text("\n".join(["symptom,cost", *rows]) + "\n")
    (tmp_path / "job.toml").write_text(JOB.format(mapping=""))
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_from_the_first_look_to_a_masked_table(folder):
    job, file = folder / "job.toml", folder / "mapping.csv"
    first = run("map", job, "--write", file, "--accept", "0.8")
    assert first.exit_code == 1  # values without a concept remain
    assert "keep it to yourself" in first.stderr
    assert "accepted for their score" in first.stdout
    assert "kind = 'concept_set'" in first.stdout
    assert "looks like a date" in first.stdout

    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = list(csv.DictReader(opened))
    for row in rows:
        row["concept"] = row["concept"] or "all"
    with file.open("w", encoding="utf-8-sig", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    job.write_text(JOB.format(mapping=', mapping = "mapping.csv"'))

    second = run("map", job)
    assert second.exit_code == 0, second.stdout
    result = json.loads(run("map", job, "--json").stdout)
    (column,) = result["columns"]
    assert column["rules"] == {"explicit": 3, "id": 1, "accepted": 1}

    done = Job.from_toml(job).run(seed=2**64)
    html = done.files["report"].read_text()
    assert "Values mapped to a suggestion for its score" in html
    assert "cephalalgya" in html  # twelve records have it
    assert "=cmd" not in html


def test_the_mapping_file_is_not_overwritten_silently(folder):
    file = folder / "mapping.csv"
    run("map", folder / "job.toml", "--write", file)
    again = run("map", folder / "job.toml", "--write", file)
    assert again.exit_code == 2
    assert run("map", folder / "job.toml", "--write", file, "--force").exit_code == 1
    (folder / "job.toml").write_text(JOB.format(mapping=', mapping = "mapping.csv"'))
    # The job reads it now, and inputs are never overwritten.
    assert run("map", folder / "job.toml", "--write", file, "--force").exit_code == 2


def test_accept_needs_a_file_and_a_score(folder):
    assert run("map", folder / "job.toml", "--accept", "0.9").exit_code == 2
    assert run("map", folder / "job.toml", "--write", folder / "m.csv", "--accept", "90").exit_code == 2
    assert not (folder / "m.csv").exists()


def test_a_new_version_of_the_ontology_is_reported(folder):
    run("map", folder / "job.toml", "--write", folder / "mapping.csv", "--accept", "0.8")
    (folder / "job.toml").write_text(JOB.format(mapping=', mapping = "mapping.csv", unmapped = "root"'))
    (folder / "links.csv").write_text(LINKS.replace("headache,pain,headache|", "headache,pain,head pain|headache|"))
    checked = Job.from_toml(folder / "job.toml").check()
    assert {(c.value, c.kind) for c in checked.mapping["symptom"].changes} == {
        ("headache", "renamed"), ("cephalalgya", "renamed")
    }  # fmt: skip
    assert any("changed in the ontology" in step for step in checked.next_steps)


def test_elements_of_lists_are_mapped_in_the_same_file(folder):
    kind = 'kind = "concept_set", separator = ";", unmapped = "root"'
    text = JOB.format(mapping="").replace('kind = "nominal"', kind)
    (folder / "job.toml").write_text(text)
    assert run("map", folder / "job.toml", "--write", folder / "mapping.csv", "--accept", "0.8").exit_code == 0
    (folder / "job.toml").write_text(text.replace('"links.csv"', '"links.csv", mapping = "mapping.csv"'))
    mapped = Job.from_toml(folder / "job.toml").check().mapping["symptom"]
    assert {v.value for v in mapped.accepted} == {"cephalalgya"}
    assert {"colic", "rash"} <= set(mapped.concepts)
