"""FHIR code systems: small invented ones, and all those of two packages of HL7."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import ontomask as om
from ontomask.taxonomy import VIRTUAL_ROOT, Retired

from support.errors import note_codes, raises
from support.fhir_files import HL7, STANDARD, SYSTEM, bundle, documented_outcomes, flat, jobs, literal_parents, under
from support.ontology_files import refused


@pytest.fixture
def save(tmp_path):
    """Write a resource as JSON; returns its path."""

    def save(resource: Any, name: str = "system.json", indent: int | None = None) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(resource, indent=indent, ensure_ascii=False), encoding="utf-8")
        return path

    return save


def test_nested_concepts_and_properties_are_links(save):
    t = om.read_taxonomy(save(jobs()))
    assert t.ids == (VIRTUAL_ROOT, "helper", "job", "porter", "health", "teacher", "nurse", "trainer")
    assert {c: t.parents(c) for c in ("nurse", "trainer", "porter", "teacher")} == {
        "nurse": ("health",),
        "trainer": ("teacher", "nurse"),
        "porter": ("helper",),
        "teacher": ("job",),
    }
    assert (t.annotations.name, t.annotations.licence, t.annotations.code_ids) == ("Jobs", "CC0", True)
    assert t.find_alias("TR") == ("alternative id", ["trainer"])
    assert note_codes(t.notes) == ["T124", "T102"]
    assert t.notes[0].values == ("job",)


def test_a_property_without_uri_is_known_by_its_code(save):
    t = om.read_taxonomy(save(flat("a", under("b", "a"), under("c", "a", "b"))))
    assert (t.parents("b"), t.parents("c")) == (("a",), ("a", "b"))


def test_a_foreign_property_called_parent_is_no_link(save):
    declared = [{"code": "parent", "uri": "http://example.org/mother", "type": "code"}]
    t = om.read_taxonomy(save(flat("a", under("b", "nobody"), property=declared)))
    assert t.parents("b") == (VIRTUAL_ROOT,)


def test_the_order_of_members_does_not_matter(save):
    expected = om.read_taxonomy(save(jobs()))
    turned = dict(reversed(jobs().items()))
    t = om.read_taxonomy(save(turned, "turned.json"))
    assert (t.ids, t.notes) == (expected.ids, expected.notes)
    late = {name: value for name, value in jobs().items() if name != "property"} | {"property": jobs()["property"]}
    assert om.read_taxonomy(save(late, "late.json")).ids == expected.ids
    # The type comes last, behind more text than the beginning that is searched for it.
    long = {"concept": turned["concept"], "text": "x" * (1 << 17), **turned}
    assert om.read_taxonomy(save(dict(sorted(long.items())), "sorted.json")).ids == expected.ids


# Labels


def test_display_and_designations_are_labels(save):
    t = om.read_taxonomy(save(jobs()))
    assert t.labels("health") == ("Health worker", "Gesundheitsberuf", "Sanitäter", "HW")
    assert t.labels("teacher") == ("teacher",)


@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("de", ("Gesundheitsberuf", "Sanitäter", "HW")),
        ("DE-at", ("Sanitäter", "HW")),
        ("en", ("Health worker", "HW")),
        ("fr", ("HW",)),
    ],
)
def test_labels_in_a_language(save, language, labels):
    t = om.read_taxonomy(save(jobs()), language=language)
    assert t.labels("health") == labels
    assert t.labels("nurse") == ("Nurse",)


def test_definitions_are_kept_on_request(save):
    path = save(jobs())
    assert om.read_taxonomy(path).annotations.glosses is None
    assert om.read_taxonomy(path, glosses=True).annotations.glosses == {"health": "Works in health."}


# Status


def withdrawn() -> dict[str, Any]:
    """A system in which a concept between two others is retired."""
    replaced = {"url": "http://hl7.org/fhir/StructureDefinition/codesystem-replacedby", "valueCoding": {"code": "a"}}
    old = under("b", "a", extension=[replaced])
    old["property"].append({"code": "status", "valueCode": "retired"})
    gone = {"code": "x", "property": [{"code": "inactive", "valueBoolean": True}]}
    still = {"code": "y", "property": [{"code": "inactive", "valueBoolean": False}]}
    late = {"code": "z", "property": [{"code": "deprecationDate", "valueDateTime": "2020-01-01"}]}
    return flat("a", old, under("c", "b"), under("d", "a", "b"), gone, still, late)


def test_withdrawn_concepts_are_left_out_and_their_children_move_up(save):
    t = om.read_taxonomy(save(withdrawn()))
    assert set(t.ids) == {VIRTUAL_ROOT, "a", "c", "d", "y", "z"}
    assert (t.parents("c"), t.parents("d")) == (("a",), ("a",))
    assert t.annotations.retired == {"b": Retired("retired", ("a",)), "x": Retired("inactive")}
    assert [(n.code, n.values) for n in t.notes[:1]] == [("T123", ("z",))]
    mapped = om.map_values(["b"], t)
    assert (mapped.values[0].reason, mapped.replacements()) == ("withdrawn", {"b": "a"})


def test_withdrawn_concepts_can_be_read_as_if_in_use(save):
    t = om.read_taxonomy(save(withdrawn()), inactive=True)
    assert {"b", "x"} <= set(t.ids)
    assert (t.parents("c"), t.annotations.retired) == (("b",), {})


def test_a_system_whose_concepts_are_all_withdrawn(save):
    path = save(flat({"code": "a", "property": [{"code": "status", "valueCode": "retired"}]}))
    assert refused(path, None, "T105").parameter == "inactive"
    assert om.read_taxonomy(path, inactive=True).ids == ("a",)


@pytest.mark.parametrize("status", ["draft", "retired", "unknown"])
def test_the_status_of_a_system_is_noted(save, status):
    assert note_codes(om.read_taxonomy(save(flat("a", status=status))).notes) == ["T122"]


# Meaning of the hierarchy, and content


@pytest.mark.parametrize("meaning", ["part-of", "grouped-by", "new-meaning"])
def test_a_hierarchy_that_is_not_is_a_is_refused(save, meaning):
    path = save(flat("a", under("b", "a"), hierarchyMeaning=meaning), indent=1)
    assert refused(path, 5, "hierarchy-meaning").values == (meaning,)
    t = om.read_taxonomy(path, as_is_a=True)
    assert (t.parents("b"), note_codes(t.notes)) == (("a",), ["T121"])
    # Without links the meaning does not matter.
    assert om.read_taxonomy(save(flat("a", "b", hierarchyMeaning=meaning))).notes[0].code == "T102"


@pytest.mark.parametrize("meaning", ["classified-with", None])
def test_classifications_and_unstated_meanings_are_read_with_a_note(save, meaning):
    t = om.read_taxonomy(save(flat("a", under("b", "a"), hierarchyMeaning=meaning)))
    assert (t.parents("b"), note_codes(t.notes)) == (("a",), ["T121"])


@pytest.mark.parametrize("content", ["fragment", "example"])
def test_a_part_of_a_system_may_lack_parents(save, content):
    t = om.read_taxonomy(save(flat("a", under("b", "a", "not here"), content=content)))
    assert (t.parents("b"), note_codes(t.notes)) == (("a",), ["T120", "T110"])


@pytest.mark.parametrize(
    ("changes", "line", "code"),
    [
        ({"content": "not-present"}, 6, "not-present"),
        ({"content": "supplement", "supplements": SYSTEM}, 6, "supplement"),
        ({"content": "all"}, 1, "not-fhir"),
        ({"concept": []}, None, "T105"),
    ],
)
def test_a_file_without_the_concepts_is_refused(save, changes, line, code):
    refused(save(flat("a", **changes), indent=1), line, code)


# Mistakes, with their lines


@pytest.mark.parametrize(
    ("concepts", "word", "code", "values"),
    [
        (["a", "b", {"code": "c", "concept": [{"code": "b"}]}], '"b"', "T104", ("b",)),
        (["a", under("b", "a"), under("c", "a", "nowhere")], '"nowhere"', "T103", ("nowhere",)),
        ([{"code": "a", "property": [{"code": "child", "valueCode": "lost"}]}], '"lost"', "T103", ("lost",)),
        (["x", under("a", "c"), {"code": "b", "concept": [under("c", "b")]}, under("b2", "b2")], '"b2"', "T101", None),
        ([under("a", "b"), under("b", "a")], '"b"', "T101", None),
        ([{"code": "a", "concept": [{"display": "no code"}]}], '"a"', "not-fhir", ()),
        (["a", {"code": 7}], "7", "not-fhir", ()),
        (["a", "  "], '"  "', "not-fhir", ()),
        (["a", {"code": "b", "display": 1}], '"b"', "not-fhir", ()),
        (["a", {"code": "b", "designation": ["x"]}], '"b"', "not-fhir", ()),
        (["a", {"code": "b", "property": [{"code": "parent", "valueCode": ["a"]}]}], '"b"', "not-fhir", ()),
    ],
)
def test_mistakes_are_told_with_file_and_line(save, concepts, word, code, values):
    path = save(flat(*concepts), indent=1)
    with raises(om.ReadError, path=path, code=code) as caught:
        om.read_taxonomy(path)
    lines = path.read_text().splitlines()
    # The line has the word, or is the first of the concept with it.
    assert any(word in line for line in lines[caught.value.line - 1 : caught.value.line + 2])
    if code == "T104":
        assert caught.value.line == max(number for number, line in enumerate(lines, 1) if word in line)
    assert values is None or caught.value.values == values


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ('{"resourceType": "CodeSystem",\n"concept": [{"code": "a"},\n{"code": }]}', 3, "not-json"),
        ('{"resourceType": "CodeSystem",\n"concept": [{"code": "a"}', 2, "not-json"),
        ('{"resourceType": "CodeSystem",\n"concept": [{"code": "a"}]} x', 2, "not-json"),
        ('{"resourceType": "CodeSystem",\n"concept" [{"code": "a"}]}', 2, "not-json"),
        ('{"resourceType": "CodeSystem",\n7: [{"code": "a"}]}', 2, "not-json"),
        ('{"resourceType": "CodeSystem", "concept": ' + '[{"concept": ' * 5000, None, "too-deep"),
        ('{"resourceType": "CodeSystem", "property": 7, "concept": [{"code": "a"}]}', 1, "not-fhir"),
        ('{"resourceType": "Patient", "name": "Anna"}', None, "no-resource"),
        ('{"resourceType": 7}', None, "no-resource"),
        ("[1, 2]", None, "no-resource"),
    ],
)
def test_files_that_are_not_as_they_should_be(write, text, line, code):
    refused(write(text, "x.json"), line, code, format="fhir")


def test_fhir_in_xml_is_told(write):
    path = write(
        '<?xml version="1.0"?>\n<CodeSystem xmlns="http://hl7.org/fhir"><url value="x"/></CodeSystem>', "x.xml"
    )
    refused(path, None, "xml")
    for read in (om.read_mapping, om.read_value_set):
        with raises(om.ReadError, path=path, code="xml"):
            read(path)


def test_bytes_that_are_not_utf8_are_told_with_their_line(write):
    refused(write(b'{"resourceType": "CodeSystem",\n"name": "\xff"}', "x.json"), 2, "encoding", format="fhir")


@pytest.mark.parametrize(("kind", "other"), [("ConceptMap", "read_mapping"), ("ValueSet", "read_value_set")])
def test_other_resources_are_no_ontology(write, kind, other):
    assert hasattr(om, other)
    assert refused(write(json.dumps({"resourceType": kind}), "x.json"), None, "no-resource").values == (kind,)


# Several resources


def test_bundles_ndjson_folders_and_gzip(save, tmp_path):
    expected = om.read_taxonomy(save(jobs())).ids
    other = {"resourceType": "Patient", "name": [{"family": "Anna"}]}
    assert om.read_taxonomy(save(bundle(other, jobs()), "b.json", indent=1)).ids == expected
    lines = tmp_path / "systems.ndjson"
    lines.write_text(f"{json.dumps(other)}\n\n{json.dumps(jobs())}\n")
    assert om.read_taxonomy(lines).ids == expected
    assert om.read_taxonomy(lines.rename(tmp_path / "lines.json")).ids == expected
    packed = tmp_path / "system.json.gz"
    packed.write_bytes(gzip.compress((tmp_path / "system.json").read_bytes()))
    assert om.read_taxonomy(packed).ids == expected
    for name, resource in {"package.json": {"name": "p"}, "A.json": other, "CodeSystem-jobs.json": jobs()}.items():
        save(resource, f"package/{name}")
    assert om.read_taxonomy(tmp_path / "package").ids == expected
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    (tmp_path / "package").rename(unpacked / "package")
    assert om.read_taxonomy(unpacked).ids == expected


@pytest.mark.parametrize("system", [SYSTEM, f"{SYSTEM}|2", "jobs"])
def test_one_of_several_systems_is_named(save, system):
    path = save(bundle(flat("a"), jobs(), jobs(id="old", url=SYSTEM + "/old")))
    assert "trainer" in om.read_taxonomy(path, system=system)
    caught = refused(path, None, "several-systems")
    assert (caught.parameter, len(caught.values)) == ("system", 3)
    assert refused(path, None, "unknown-system", system="http://example.org/none").parameter == "system"
    assert refused(path, None, None, system=7).parameter == "system"


def test_versions_of_a_system_are_named_with_their_version(save):
    path = save(bundle(jobs(), jobs(version="3", concept=[{"code": "new"}])))
    assert refused(path, None, "several-systems", system=SYSTEM).values == (f"{SYSTEM}|2", f"{SYSTEM}|3")
    assert om.read_taxonomy(path, system=f"{SYSTEM}|3").ids == ("new",)


def supplement(**changes: Any) -> dict[str, Any]:
    concepts = [
        {"code": "nurse", "designation": [{"language": "fr", "value": "Infirmier"}]},
        {"code": "porter", "property": [{"code": "inactive", "valueBoolean": True}]},
    ]
    return flat(*concepts, url=SYSTEM + "/fr", content="supplement", **{"supplements": SYSTEM, **changes})


@pytest.mark.parametrize("target", [SYSTEM, f"{SYSTEM}|2"])
def test_a_supplement_adds_to_its_system(save, target):
    path = save(bundle(jobs(), supplement(supplements=target)))
    t = om.read_taxonomy(path)
    assert (t.labels("nurse"), "porter" in t) == (("Nurse", "Infirmier"), False)
    assert om.read_taxonomy(path, language="fr").labels("nurse") == ("Infirmier",)


def test_a_supplement_of_another_version_is_left_out(save):
    t = om.read_taxonomy(save(bundle(jobs(), supplement(supplements=f"{SYSTEM}|1"))))
    assert t.labels("nurse") == ("Nurse",)


def test_a_supplement_with_unknown_codes_is_refused(save):
    path = save(bundle(jobs(), supplement(concept=[{"code": "nurse"}, {"code": "pilot"}])), indent=1)
    with raises(om.ReadError, code="T103", values=("pilot",)) as caught:
        om.read_taxonomy(path)
    assert "pilot" in path.read_text().splitlines()[caught.value.line - 1]


# All code systems of HL7's packages


def right_reasons(path: Path) -> set[str]:
    """Why a file cannot be read, according to the file itself."""
    system = json.loads(path.read_text(encoding="utf-8"))
    concepts = system.get("concept", [])
    retired = [c for c in concepts if {"code": "status", "valueCode": "retired"} in c.get("property", ())]
    return {
        system["content"],
        *(["T105"] if not concepts and system["content"] == "complete" else []),
        *(["T105 inactive"] if concepts and len(retired) == len(concepts) else []),
    }


def outcome(path: Path) -> str:
    """Read a code system and compare its links with a literal reading, or check the reason for which it is refused."""
    try:
        t = om.read_taxonomy(path)
    except om.ReadError as caught:
        reason = " ".join(filter(None, (caught.code, caught.parameter)))
        return reason if reason in right_reasons(path) else f"wrong: {path.name} {caught}"
    found = {c: set(t.parents(c)) - {VIRTUAL_ROOT} for c in t.ids if c != VIRTUAL_ROOT}
    return "read" if found == literal_parents(path) else f"other links: {path.name}"


@pytest.mark.parametrize("package", HL7)
def test_every_code_system_of_hl7_is_read_or_refused_for_a_right_reason(vocabulary, package):
    paths = (vocabulary(package) / "package").glob("CodeSystem-*.json")
    assert Counter(map(outcome, paths)) == documented_outcomes("code systems", package)


def test_a_system_in_a_package_is_found_by_its_url(vocabulary):
    t = om.read_taxonomy(vocabulary("hl7.terminology.r4"), system="http://terminology.hl7.org/CodeSystem/v3-Race")
    assert t.label("1002-5") == "American Indian or Alaska Native"
    assert "1002-5" in t.parents("1004-1")


def test_the_standard_uris_are_those_of_hl7(vocabulary):
    system = vocabulary("hl7.terminology.r4") / "package" / "CodeSystem-v3-ActCode.json"
    declared = {p["code"]: p.get("uri") for p in json.loads(system.read_text())["property"]}
    assert (declared["notSelectable"], declared["subsumedBy"]) == (STANDARD + "notSelectable", STANDARD + "parent")
