"""Jobs that generalise whole columns by an objective, and that suppress cells."""

from __future__ import annotations

import json

import pytest

import ontomask as om
from ontomask.errors import JobError
from ontomask.job import Job

from support.errors import raises
from support.literal_suppression import matches

JOB = """
input.path = "visits.csv"
output = { masked = "masked.csv", report = "report.json", plan = "visits.plan" }
method = { METHOD }

[columns]
age = { role = "quasi-identifier", kind = "numeric" }
ward = { role = "quasi-identifier", kind = "category" }
"""


def job_with(folder, method):
    rows = [f"{17 + 13 * i % 23},{'abcd'[i * i % 4]}" for i in range(40)]
    (folder / "visits.csv").write_text("age,ward\n" + "\n".join(rows) + "\n")
    (folder / "job.toml").write_text(JOB.replace("METHOD", method))
    return Job.from_toml(folder / "job.toml")


@pytest.mark.parametrize("objective", ["semantic_loss", "L", "ncp", "discernibility"])
def test_the_objective_of_whole_columns(tmp_path, objective):
    method = f'name = "Generalisation", k = 4, mode = "full_domain", suppression = 0.1, objective = "{objective}"'
    run = job_with(tmp_path, method).run(seed=2**70)
    assert run.result.details["objective"] == objective
    assert run.result.guarantee.k >= 4


def test_cells_with_wildcards(tmp_path):
    described = job_with(tmp_path, 'name = "Suppression", k = 4, mode = "cells", semantics = "wildcard"')
    run = described.run(seed=2**70)
    masked = described.read(run.files["masked"])
    assert min(matches(masked.rows(), ["*", "*"])) == run.result.guarantee.k >= 4
    assert run.score.k < 4
    report = json.loads(run.files["report"].read_text())
    assert report["guarantee"]["claim"] == "k-anonymity with wildcards"
    # Whoever repeats the count of equal records must not be told that it proves k.
    assert not report["guarantee"]["query"]
    om.load_plan(run.files["plan"]).apply(described.data, 0)


@pytest.mark.parametrize(
    ("method", "key"),
    [
        ('name = "Generalisation", k = 4, mode = "full_domain", objective = "least"', "method.objective"),
        ('name = "Suppression", k = 4, mode = "cells", semantics = "any"', "method.semantics"),
        ('name = "Suppression", k = 4, semantics = "wildcard"', "method.semantics"),
    ],
)
def test_mistakes_name_the_key(tmp_path, method, key):
    with raises(JobError, key=key):
        job_with(tmp_path, method).run(seed=2**70)
