from __future__ import annotations

import pytest

import ontomask as om
from ontomask.job import Job

from support.errors import raises

JOB = """
input.path = "data.csv"
output.masked = "masked.csv"
method = {{ name = "Recoding", k = 5 }}
[ontologies.two]
path = "two.csv"
[columns]
symptom = {{ role = "quasi-identifier", kind = "nominal", taxonomy = {taxonomy}{more} }}
"""


@pytest.fixture
def job(tmp_path):
    (tmp_path / "one.csv").write_text("child,parent\nall,\nflu,all\ncold,all\n")
    (tmp_path / "two.csv").write_text("child,parent,labels\nX,,\nX1,X,influenza|flu\nX2,X,cough\n")
    (tmp_path / "links.csv").write_text("flu,X1\nall,X\n")
    (tmp_path / "data.csv").write_text("symptom\n" + "flu\ncold\ncough\ninfluenza\n" * 10)

    def make(taxonomy='["one.csv", "two"]', more=""):
        (tmp_path / "job.toml").write_text(JOB.format(taxonomy=taxonomy, more=more))
        return Job.from_toml(tmp_path / "job.toml")

    return make


def test_a_job_with_several_ontologies(job):
    made = job(more=', links = "links.csv"')
    taxonomy = made.data.quasi_identifiers["symptom"].domain
    assert taxonomy.root == "all"
    assert made.check().mapping["symptom"].concepts == {
        "flu": "flu", "cold": "cold", "cough": "X2", "influenza": "flu"
    }  # fmt: skip
    assert {"the ontology 1 of 'symptom'", "the links of 'symptom'", "the ontology 'two'"} <= set(made.inputs)
    run = made.run(seed=2**64)
    assert run.result.guarantee.k >= 5
    assert "links" in repr(sorted(made.inputs))


def test_links_in_the_job_and_the_order(job):
    assert job(more=', links = [["flu", "X1"]]').check().mapping["symptom"].concepts["influenza"] == "flu"
    assert job(more=', combine = "in_order"').check().mapping["symptom"].concepts["flu"] == "flu"


@pytest.mark.parametrize(
    ("taxonomy", "more", "key"),
    [
        ('"one.csv"', ', links = "links.csv"', "columns.symptom.links"),
        ('"one.csv"', ', combine = "in_order"', "columns.symptom.combine"),
        ('["one.csv"]', "", "columns.symptom.taxonomy"),
        ("3", "", "columns.symptom.taxonomy"),
        ('["one.csv", "two"]', ", links = 3", "columns.symptom.links"),
        ('["one.csv", "two"]', ', links = "no.csv"', "columns.symptom.links"),
        ('["one.csv", "two"]', ', links = [["a", "b"]]', "columns.symptom.links"),
        ('["one.csv", "three"]', "", "columns.symptom.taxonomy"),
        ('["one.csv", "two"]', ', combine = "mixed"', "columns.symptom.combine"),
    ],
)
def test_mistakes(job, taxonomy, more, key):
    with raises(om.JobError) as caught:
        job(taxonomy, more).check()
    assert caught.value.key == key
