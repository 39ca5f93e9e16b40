"""A job with a FHIR code system, a ConceptMap and a ValueSet."""

from __future__ import annotations

import json

import pytest

from ontomask.errors import JobError
from ontomask.job import Job

from support.errors import raises
from support.fhir_files import bundle, concept_map, flat, under, value_set
from support.jobs import JOB, make_job

SYSTEM = "http://example.org/flat"
SYMPTOMS = flat(
    "symptom", under("pain", "symptom"), under("A", "pain"), under("colic", "pain"), under("rash", "symptom")
)
MAP = concept_map(("ache", "source-is-narrower-than-target", "A"), ("rest", "equivalent", "nowhere"))
NOMINAL = 'kind = "nominal"\ntaxonomy = "links.csv"'


def job(folder, *keys, **files):
    """Write the job with the code system and more keys of the column; returns it."""
    for name, resource in {"system": SYMPTOMS, "map": MAP, **files}.items():
        (folder / f"{name}.json").write_text(json.dumps(resource))
    given = 'kind = "nominal"\ntaxonomy = "system.json"\n' + "\n".join(keys)
    return Job.from_toml(make_job(folder, JOB.replace(NOMINAL, given)))


@pytest.mark.parametrize(
    "key", ['mapping_file = "map.json"', 'mapping = "map.json"', 'mapping_file = { path = "map.json" }']
)
def test_a_concept_map_is_the_mapping_of_a_column(tmp_path, key):
    (mapped,) = job(tmp_path, key).check().mapping
    assert {v.value: (v.concept, v.relation) for v in mapped.values} == {
        "ache": ("A", "narrower"),
        "colic": ("colic", ""),
        "rash": ("rash", ""),
    }
    job(tmp_path, key).run()
    assert len((tmp_path / "masked.csv").read_text().splitlines()) == 41


def test_entries_in_the_job_override_those_of_the_file(tmp_path):
    (mapped,) = job(tmp_path, 'mapping_file = "map.json"', 'mapping = { ache = "colic" }').check().mapping
    assert {v.value: (v.concept, v.relation) for v in mapped.values}["ache"] == ("colic", "")
    (tmp_path / "map.csv").write_text("value,concept\nache,A\nrash,pain\n")
    (mapped,) = job(tmp_path, 'mapping_file = "map.csv"', 'mapping = { ache = "colic" }').check().mapping
    assert (mapped.concepts["ache"], mapped.concepts["rash"]) == ("colic", "pain")


def test_the_systems_of_a_concept_map_can_be_named(tmp_path):
    both = concept_map(group=[{**MAP["group"][0], "target": target} for target in ("t", "u")])
    with raises(JobError, key="columns.symptom.mapping_file", parameter="target"):
        job(tmp_path, 'mapping_file = "map.json"', map=both).check()
    assert job(tmp_path, 'mapping_file = { path = "map.json", target = "u" }', map=both).check().ready


def test_a_value_set_restricts_the_domain(tmp_path):
    chosen = value_set({"system": SYSTEM, "filter": [{"property": "concept", "op": "descendent-of", "value": "pain"}]})
    keys = ('mapping_file = "map.json"', 'value_set = "vs.json"')
    (mapped,) = job(tmp_path, *keys, vs=chosen).check().mapping
    assert (mapped.domain, [v.value for v in mapped.unmapped]) == ("pain", ["rash"])
    several = bundle(chosen, value_set({"system": SYSTEM}, url="all"))
    with raises(JobError, key="columns.symptom.value_set", parameter="url"):
        job(tmp_path, *keys, vs=several).check()
    assert job(tmp_path, keys[0], 'value_set = { path = "vs.json", url = "all" }', vs=several).check().ready


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        (['mapping_file = "none.json"'], "mapping_file"),
        (['mapping_file = "system.json"'], "mapping_file"),
        (["mapping_file = 7"], "mapping_file"),
        (['mapping_file = { path = "map.json", colour = "red" }'], "mapping_file.colour"),
        (['mapping_file = "map.json"', 'mapping = "map.json"'], "mapping"),
        (['value_set = "map.json"'], "value_set"),
        (['value_set = "vs.json"'], "value_set"),
        (['value_set = "vs.json"', 'domain = "pain"'], "domain"),
    ],
)
def test_mistakes_are_told_with_their_key(tmp_path, keys, key):
    unknown = value_set({"system": SYSTEM, "concept": [{"code": "nowhere"}]})
    with raises(JobError, key=f"columns.symptom.{key}"):
        job(tmp_path, *keys, vs=unknown).check()


def test_a_target_that_is_no_concept_is_told_with_the_file(tmp_path):
    wrong = concept_map(("ache", "equivalent", "nowhere"))
    with raises(JobError, values=("ache",), code="unknown-concept") as caught:
        job(tmp_path, 'mapping_file = "map.json"', map=wrong).run()
    assert "map.json" in str(caught.value)


def test_other_kinds_have_no_such_files(tmp_path):
    text = JOB.replace('kind = "numeric"', 'kind = "numeric"\nmapping_file = "map.json"')
    with raises(JobError, key="columns.age.mapping_file"):
        Job.from_toml(make_job(tmp_path, text))


def test_the_files_are_not_overwritten(tmp_path):
    chosen = value_set({"system": SYSTEM})
    for name in ("map.json", "vs.json"):
        made = job(tmp_path, 'mapping_file = "map.json"', 'value_set = "vs.json"', vs=chosen)
        text = made.path.read_text().replace('masked = "masked.csv"', f'masked = "masked.csv"\nreport = "{name}"')
        made.path.write_text(text + "overwrite = true\n")
        with raises(JobError):
            Job.from_toml(made.path).run()
        assert json.loads((tmp_path / name).read_text())["resourceType"] in ("ConceptMap", "ValueSet")
