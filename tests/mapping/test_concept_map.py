"""FHIR ConceptMaps as mappings: small invented ones, and all those of a package of HL7."""

from __future__ import annotations

import json
from collections import Counter

import pandas as pd
import pytest

import ontomask as om
from ontomask.mapping.concept_map import Link

from support.errors import note_codes, raises
from support.fhir_files import HL7, SYSTEM, bundle, concept_map, documented_outcomes, element

JOBS = om.Taxonomy.from_edges(
    [("health", "job"), ("nurse", "health"), ("doctor", "health"), ("craft", "job"), ("baker", "craft")],
    annotations=om.taxonomy.Annotations(name="jobs", code_ids=True),
)


@pytest.fixture
def save(write):
    def save(resource, name="map.json", indent=None):
        return write(json.dumps(resource, indent=indent), name)

    return save


@pytest.mark.parametrize(
    ("key", "stated", "relation"),
    [
        ("relationship", "equivalent", "equivalent"),
        ("relationship", "source-is-narrower-than-target", "narrower"),
        ("relationship", "source-is-broader-than-target", "broader"),
        ("relationship", "related-to", "related"),
        ("equivalence", "equal", "equivalent"),
        ("equivalence", "equivalent", "equivalent"),
        ("equivalence", "wider", "narrower"),
        ("equivalence", "subsumes", "narrower"),
        ("equivalence", "narrower", "broader"),
        ("equivalence", "specializes", "broader"),
        ("equivalence", "relatedto", "related"),
        ("equivalence", "inexact", "related"),
    ],
)
def test_relations_of_r4_and_r5(save, key, stated, relation):
    m = om.read_mapping(save(concept_map(element("N", stated, "nurse", key=key))))
    assert (m == {"N": "nurse"}, m.links["N"], m.name) == (True, Link("nurse", relation), "Trades to jobs")


@pytest.mark.parametrize(
    "given",
    [
        {"code": "X", "noMap": True},
        {"code": "X"},
        {"code": "X", "target": [{"equivalence": "unmatched"}]},
        element("X", "disjoint", "nurse", key="equivalence"),
        element("X", "not-related-to", "nurse"),
    ],
)
def test_codes_without_a_match_stay_unmapped(save, given):
    # The value is also an id. The map says that it does not mean that.
    given = {**given, "code": "doctor"}
    m = om.read_mapping(save(concept_map(("N", "equivalent", "nurse"), given)))
    assert (dict(m), m.unmatched) == ({"N": "nurse"}, {"doctor"})
    mapped = om.map_values(["N", "doctor", "baker"], JOBS, m)
    assert {v.value: (v.concept, v.reason) for v in mapped.values} == {
        "N": ("nurse", ""),
        "doctor": (None, "no match"),
        "baker": ("baker", ""),
    }


def test_the_best_relation_is_taken_and_the_others_are_listed(save):
    path = save(
        concept_map(
            ("A", "related-to", "job", "source-is-narrower-than-target", "health", "equivalent", "nurse"),
            ("B", "source-is-broader-than-target", "nurse", "source-is-broader-than-target", "doctor"),
            ("C", "not-related-to", "baker", "related-to", "craft"),
        )
    )
    m = om.read_mapping(path)
    assert m.links == {
        "A": Link("nurse", "equivalent", "relation", ("job", "health")),
        "B": Link("nurse", "broader", "first sense", ("doctor",)),
        "C": Link("craft", "related"),
    }
    mapped = om.map_values({"A": 3, "B": 2, "C": 1}, JOBS, m)
    assert [(v.value, v.rule, v.relation, v.chosen_by, v.senses_not_taken) for v in mapped.values] == [
        ("A", "explicit", "equivalent", "relation", ("job", "health")),
        ("B", "explicit", "broader", "first sense", ("doctor",)),
        ("C", "explicit", "related", "", ()),
    ]
    assert dict(mapped.relations) == {"equivalent": 1, "broader": 1, "related": 1}
    assert [v.value for v in mapped.inexact] == ["B", "C"]
    assert [v.value for v in mapped.ambiguous] == ["B"]
    text = mapped.to_text()
    assert "B is broader than nurse" in text
    assert "C is only related to craft" in text
    assert json.loads(mapped.to_json())["relations"] == {"equivalent": 1, "broader": 1, "related": 1}


def test_only_the_targets_of_values_in_the_column_must_be_concepts(save):
    path = save(concept_map(("N", "equivalent", "nurse"), ("P", "equivalent", "pilot")))
    m = om.read_mapping(path)
    mapped = om.map_values(["N"], JOBS, m)
    assert (mapped.concepts, mapped.unused_keys) == ({"N": "nurse"}, ())
    with raises(om.MappingError, code="unknown-concept", path=path, values=("P",)):
        om.map_values(["N", "P"], JOBS, m)
    with raises(om.MappingError, code="outside-domain", path=path, values=("N",)):
        om.map_values(["N"], JOBS, m, domain="craft")


def test_conditional_targets_and_rules_for_others_are_left_out_with_a_note(save):
    conditional = element("A", "equivalent", "nurse")
    conditional["target"][0]["dependsOn"] = [{"attribute": "sex", "valueCode": "f"}]
    document = concept_map(conditional, ("B", "equivalent", "doctor"))
    document["group"][0]["unmapped"] = {"mode": "fixed", "code": "job"}
    m = om.read_mapping(save(document))
    assert (dict(m), note_codes(m.notes)) == ({"B": "doctor"}, ["conditional-targets", "rule-for-others"])
    mapped = om.map_values(["A", "B"], JOBS, m)
    assert mapped.mapping_notes == m.notes
    assert [v.value for v in mapped.unmapped] == ["A"]
    assert str(m.notes[1]) in mapped.to_text()


def test_a_map_with_several_systems_needs_a_choice(save):
    groups = [
        {"source": source, "target": f"{target}|1", "element": [element("N", "equivalent", code)]}
        for source, target, code in (("s", "t", "nurse"), ("s", "u", "doctor"), ("r", "t", "baker"))
    ]
    path = save(concept_map(group=groups))
    with raises(om.ReadError, path=path, parameter="source", code="several-systems", values=("s", "r")):
        om.read_mapping(path)
    with raises(om.ReadError, parameter="target", code="several-systems", values=("t", "u")):
        om.read_mapping(path, source="s")
    with raises(om.ReadError, parameter="target", code="unknown-system"):
        om.read_mapping(path, source="r", target="u")
    assert om.read_mapping(path, source="s", target="u") == {"N": "doctor"}
    with raises(om.ReadError, parameter="target"):
        om.read_mapping(path, target=7)


@pytest.mark.parametrize(
    ("resource", "line", "code"),
    [
        (concept_map(), None, "empty"),
        (concept_map(group=[]), None, "empty"),
        (concept_map(("A", "like", "nurse")), 9, "not-fhir"),
        (concept_map({"code": "A", "target": [{"code": "nurse"}]}), 9, "not-fhir"),
        (concept_map(("A", "equivalent", "nurse"), {"valueSet": "http://x"}), 18, "not-fhir"),
        (concept_map({"code": 7}), 9, "not-fhir"),
        (concept_map(("A", "equivalent", " ")), 9, "not-fhir"),
        (concept_map(group=7), 1, "not-fhir"),
        (concept_map(group=[{}]), 1, "not-fhir"),
        (bundle(concept_map(), concept_map()), None, "several-maps"),
        ({"resourceType": "CodeSystem"}, None, "no-resource"),
    ],
)
def test_maps_that_cannot_be_used(save, resource, line, code):
    path = save(resource, indent=1)
    with raises(om.ReadError, path=path, line=line, code=code):
        om.read_mapping(path)


def test_code_systems_are_only_for_concept_maps(write):
    path = write("value,concept\nN,nurse\n", "m.csv")
    with raises(om.ReadError, path=path, parameter="target"):
        om.read_mapping(path, target=SYSTEM)
    assert om.read_mapping(path) == {"N": "nurse"}


def test_entries_override_a_map(save):
    m = om.read_mapping(save(concept_map(("N", "related-to", "nurse"), {"code": "B", "noMap": True})))
    changed = m.with_entries({"N": "doctor", "B": "baker"})
    assert (dict(changed), changed.unmatched, changed.links["N"].relation) == ({"N": "doctor", "B": "baker"}, set(), "")
    assert repr(m) == "<ConceptMapping 'Trades to jobs': 1 values>"


# In a table: masking, and what is released


def table(save, relation):
    m = om.read_mapping(save(concept_map(("N", relation, "nurse"), ("D", "equivalent", "doctor"))))
    frame = pd.DataFrame({"job": ["N"] * 20 + ["D"] * 20 + ["baker"] * 20})
    return om.Microdata(frame, {"job": om.Nominal(JOBS, mapping=m)})


@pytest.mark.parametrize(("relation", "released"), [("equivalent", "N"), ("source-is-narrower-than-target", "nurse")])
def test_a_value_is_released_for_a_concept_only_if_it_is_equivalent(save, relation, released):
    data = table(save, relation)
    masked = om.Microaggregation(k=5).mask(data, seed=0)
    assert set(masked.frame["job"]) == {released, "D", "baker"}


def test_the_report_tells_the_relations(save):
    data = table(save, "source-is-narrower-than-target")
    masked = om.Microaggregation(k=5).mask(data, seed=0)
    report = om.build_report(data, masked, om.evaluate(data, masked.data))
    (facts,) = report.mapping
    assert (facts.relations, facts.inexact) == ({"narrower": 1, "equivalent": 1}, 1)
    assert [str(v) for v in facts.named_inexact] == ["N = nurse (narrower)"]
    for text in (report.to_html(), report.to_text()):
        assert "equivalent: 1, narrower: 1" in text
    assert "N = nurse (narrower)" in report.to_html()
    assert json.loads(report.to_json())["mapping"][0]["inexact"] == 1


# All ConceptMaps of a package of HL7


@pytest.mark.parametrize("package", HL7)
def test_every_concept_map_of_hl7_is_read_or_refused_for_a_right_reason(vocabulary, package):
    outcomes: Counter[str] = Counter()
    relations: Counter[str] = Counter()
    for path in (vocabulary(package) / "package").glob("ConceptMap-*.json"):
        elements = [e for g in json.loads(path.read_text(encoding="utf-8"))["group"] for e in g["element"]]
        wanted: dict[str, set[str]] = {}
        for one in elements:
            for target in one.get("target", ()):
                if not target.get("dependsOn") and target["relationship"] != "not-related-to":
                    wanted.setdefault(one["code"], set()).add(target["code"])
        try:
            m = om.read_mapping(path)
        except om.ReadError as caught:
            outcomes[caught.code if not wanted else path.name] += 1
            continue
        outcomes["read"] += 1
        assert {c: {m[c], *m.links[c].not_taken} for c in m} == wanted
        relations.update(link.relation for link in m.links.values())
    assert outcomes == documented_outcomes("concept maps", package)
    assert not relations or relations.keys() == {"equivalent", "narrower", "broader"}
