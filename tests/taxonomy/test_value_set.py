"""FHIR ValueSets: small invented ones, and all those of two packages of HL7."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ontomask as om
from ontomask.taxonomy import Annotations, Retired

from support.errors import raises
from support.fhir_files import HL7, SYSTEM, bundle, documented_outcomes, part, value_set

#            job
#     health     craft
#  nurse doctor   baker
#  midwife(nurse, doctor)
JOBS = om.Taxonomy.from_edges(
    [
        ("health", "job"),
        ("nurse", "health"),
        ("doctor", "health"),
        ("midwife", "nurse"),
        ("midwife", "doctor"),
        ("craft", "job"),
        ("baker", "craft"),
    ],
    annotations=Annotations(name="jobs", code_ids=True, retired={"smith": Retired("retired")}),
)


@pytest.fixture
def save(tmp_path):
    def save(resource: Any, name: str = "vs.json", indent: int | None = None) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(resource, indent=indent))
        return path

    return save


@pytest.mark.parametrize(
    ("include", "exclude", "codes"),
    [
        ([["nurse", "baker", "nurse"]], [], "baker nurse"),
        ([["nurse", "smith"]], [], "nurse"),
        ([("is-a", "nurse")], [], "midwife nurse"),
        ([("descendent-of", "health")], [], "doctor midwife nurse"),
        ([("is-not-a", "health")], [], "baker craft job"),
        ([("child-of", "health")], [], "doctor nurse"),
        ([("descendent-leaf", "job")], [], "baker midwife"),
        ([("generalizes", "nurse")], [], "health job nurse"),
        ([("=", "nurse")], [], "nurse"),
        ([("in", "nurse, baker")], [], "baker nurse"),
        ([("not-in", "job,health,craft")], [], "baker doctor midwife nurse"),
        ([{"system": SYSTEM}], [], "baker craft doctor health job midwife nurse"),
        ([("is-a", "nurse"), ("is-a", "craft")], [], "baker craft midwife nurse"),
        ([("is-a", "health")], [["health"]], "doctor midwife nurse"),
        ([{"system": SYSTEM}], [("is-a", "nurse"), ["job"]], "baker craft doctor health"),
        ([{"system": SYSTEM, "filter": [{"property": "parent", "op": "=", "value": "health"}]}], [], "doctor nurse"),
        ([{**part(("is-a", "nurse")), "filter": [part(("is-a", c))["filter"][0] for c in ("nurse", "doctor")]}], [],
         "midwife"),
    ],
)  # fmt: skip
def test_what_is_in_a_value_set(save, include, exclude, codes):
    found = om.read_value_set(save(value_set(*include, exclude=exclude)))
    assert found.codes(JOBS) == tuple(c for c in JOBS.ids if c in codes.split())
    assert (found.name, found.url, found.systems) == ("Some jobs", "http://example.org/vs", (SYSTEM,))


# Expansions


def expansion(*contains: Any, **more: Any) -> dict[str, Any]:
    return {"contains": list(contains), **more}


ENTRY = {
    "system": SYSTEM,
    "code": "health",
    "abstract": True,
    "contains": [{"system": SYSTEM, "code": "nurse"}, {"system": SYSTEM, "code": "doctor"}],
}


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        (expansion(ENTRY, total=3), "nurse doctor"),
        (expansion(ENTRY), "nurse doctor"),
        (expansion({"display": "a heading", "contains": [ENTRY]}), "nurse doctor"),
        # Incomplete: 'compose' says what is in it.
        (expansion(ENTRY, total=4), "baker"),
        (expansion(ENTRY, extension=[{"url": "http://hl7.org/fhir/StructureDefinition/valueset-toocostly"}]), "baker"),
        (expansion(), "baker"),
    ],
)
def test_a_complete_expansion_comes_before_compose(save, given, codes):
    found = om.read_value_set(save(value_set(["baker"], expansion=given)))
    assert set(found.codes(JOBS)) == set(codes.split())


# Several value sets and systems


def test_imports_are_intersected_within_a_part(save):
    nurses, doctors = (
        value_set(("is-a", c), url=f"http://example.org/{c}", version="1", id=c) for c in ("nurse", "doctor")
    )
    both = value_set({"valueSet": ["http://example.org/nurse", "http://example.org/doctor|1"]})
    either = value_set({"valueSet": [nurses["url"]]}, {"valueSet": [doctors["url"]]}, url="http://example.org/either")
    path = save(bundle(nurses, doctors, both, either))
    assert om.read_value_set(path, url=both["url"]).codes(JOBS) == ("midwife",)
    assert om.read_value_set(path, url=either["url"]).codes(JOBS) == ("doctor", "nurse", "midwife")
    assert om.read_value_set(path, url="nurse").codes(JOBS) == ("nurse", "midwife")
    assert om.read_value_set(path, url=both["url"]).systems == (SYSTEM,)
    assert len(refused(path, None, "several-value-sets").values) == 4
    assert refused(path, None, "unknown-value-set", url="x").parameter == "url"


def test_many_imports_of_the_same_value_set_are_resolved_once(save):
    sets = [value_set(["baker"], url="0")]
    sets += [value_set({"valueSet": [str(i)]}, {"valueSet": [str(i)]}, url=str(i + 1)) for i in range(60)]
    assert om.read_value_set(save(bundle(*sets)), url="60").codes(JOBS) == ("baker",)


def test_value_sets_that_import_each_other(save):
    sets = [value_set({"valueSet": ["b"]}, url="a"), value_set({"valueSet": ["a"]}, url="b")]
    path = save(bundle(*sets), indent=1)
    caught = refused(path, 30, "cyclic-import", url="a")
    assert (caught.values, path.read_text().splitlines()[29].strip()) == (("a",), '"valueSet": [')


def test_a_chain_of_imports_without_end_is_refused(save):
    sets = [value_set(["baker"], url="0")]
    sets += [value_set({"valueSet": [str(i)]}, url=str(i + 1)) for i in range(3000)]
    assert refused(save(bundle(*sets)), 1, "deep-import", url="3000").values == ("2900",)


def test_codes_of_several_systems_need_a_choice(save):
    other = {"system": "http://example.org/other", "concept": [{"code": "unknown here"}]}
    path = save(value_set(["nurse"], other, exclude=[other]))
    assert refused(path, None, "several-systems").values == (SYSTEM, "http://example.org/other")
    assert om.read_value_set(path, system=SYSTEM).codes(JOBS) == ("nurse",)
    assert refused(path, None, "unknown-system", system="http://x").parameter == "system"


def refused(path: Path, line: int | None, code: str, **options: Any) -> om.ReadError:
    with raises(om.ReadError, path=path, line=line, code=code) as caught:
        om.read_value_set(path, **options)
    return caught.value


@pytest.mark.parametrize(
    ("resource", "line", "code"),
    [
        (value_set({"system": SYSTEM, "filter": [{"property": "code", "op": "regex", "value": "a+"}]}), 9, "filter"),
        (value_set({"system": SYSTEM, "filter": [{"property": "colour", "op": "=", "value": "red"}]}), 9, "filter"),
        (value_set({"valueSet": ["http://x"]}), 8, "unknown-import"),
        (value_set(), 1, "no-codes"),
        (value_set(compose=None), 1, "no-codes"),
        (value_set({"concept": []}), 1, "not-fhir"),
        (value_set({"system": SYSTEM, "concept": [{}]}), 1, "not-fhir"),
        (value_set(compose=7), 1, "not-fhir"),
        (value_set(["nurse"], expansion=7), 1, "not-fhir"),
        ({"resourceType": "ConceptMap"}, None, "no-resource"),
    ],
)
def test_value_sets_that_cannot_be_read(save, resource, line, code):
    refused(save(resource, indent=1), line, code)


def test_codes_that_the_taxonomy_lacks_are_told_with_their_line(save):
    path = save(value_set(["nurse"], ["pilot", "baker"]), indent=1)
    with raises(om.ReadError, path=path, code="unknown-concept", values=("pilot",), line=15):
        om.read_value_set(path).codes(JOBS)
    path = save(value_set(("is-a", "pilot")))
    with raises(om.ReadError, path=path, code="unknown-concept", values=("pilot",)):
        om.read_value_set(path).codes(JOBS)


# As the domain of a column


def test_a_value_set_restricts_the_domain(save):
    kind = om.Nominal(JOBS, domain=om.read_value_set(save(value_set(["nurse", "baker"]))))
    assert set(kind.taxonomy.ids) == {"job", "health", "nurse", "craft", "baker"}
    assert kind.domain == "job"
    assert [v.value for v in kind.map({"nurse": 1, "doctor": 1, "midwife": 1}, "job", ()).unmapped] == [
        "doctor",
        "midwife",
    ]
    narrow = om.Nominal(JOBS, domain=om.read_value_set(save(value_set(("descendent-of", "health")))))
    assert (narrow.domain, narrow.map({"baker": 1}, "job", ()).unmapped[0].value) == ("health", "baker")
    # Depths are those of the whole ontology.
    assert {c: kind.taxonomy.depth(c) for c in kind.taxonomy.ids} == {c: JOBS.depth(c) for c in kind.taxonomy.ids}


def test_a_value_set_restricts_sets_of_concepts(save):
    kind = om.ConceptSet(JOBS, domain=om.read_value_set(save(value_set(["nurse", "doctor"]))))
    assert (kind.domain, kind.mismatches(["nurse; doctor", "nurse; baker"])) == ("health", ["nurse; baker"])


def test_nothing_outside_the_value_set_is_released(save):
    kind = om.Nominal(JOBS, domain=om.read_value_set(save(value_set(["nurse", "doctor"]))))
    frame = pd.DataFrame({"job": ["nurse", "doctor"] * 30})
    for seed in range(5):
        masked = om.UncorrelatedNoise(alpha=2.0).mask(om.Microdata(frame, {"job": kind}), seed=seed)
        assert set(masked.frame["job"]) <= {"nurse", "doctor", "health"}


def test_a_value_set_without_concepts_of_the_taxonomy(save):
    found = om.read_value_set(save(value_set(["smith"])))
    with raises(om.TaxonomyError, code="empty-value-set"):
        om.Nominal(JOBS, domain=found)


# All value sets of HL7's packages


def right_reasons(content: dict[str, Any]) -> set[str]:
    """Why a value set cannot be read, according to the file itself."""
    parts = [p for side in ("include", "exclude") for p in content["compose"].get(side, ())]
    filters = [(f["property"], f["op"]) for p in parts for f in p.get("filter", ())]
    return {
        *(["filter"] if any(name != "concept" or op == "regex" for name, op in filters) else []),
        *(["unknown-import"] if any("valueSet" in p for p in parts) else []),
        *(["several-systems"] if len({p.get("system") for p in content["compose"]["include"]}) > 1 else []),
    }


@pytest.mark.parametrize("package", HL7)
def test_every_value_set_of_hl7_is_read_or_refused_for_a_right_reason(vocabulary, package):
    outcomes: Counter[str] = Counter()
    for path in (vocabulary(package) / "package").glob("ValueSet-*.json"):
        try:
            om.read_value_set(path)
            outcomes["read"] += 1
        except om.ReadError as caught:
            content = json.loads(path.read_text(encoding="utf-8"))
            outcomes[caught.code if caught.code in right_reasons(content) else path.name] += 1
    assert outcomes == documented_outcomes("value sets", package)


def test_value_sets_of_hl7_agree_with_a_literal_evaluation(vocabulary):
    folder = vocabulary("hl7.terminology.r4") / "package"
    systems = {}
    for path in folder.glob("CodeSystem-*.json"):
        systems[json.loads(path.read_text(encoding="utf-8"))["url"]] = path

    @cache
    def taxonomy(url: str) -> om.Taxonomy | None:
        try:
            return om.read_taxonomy(systems[url], inactive=True) if url in systems else None
        except om.ReadError:
            return None

    compared = 0
    for path in sorted(folder.glob("ValueSet-*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))["compose"]
        parts = [*content["include"], *content.get("exclude", ())]
        urls = {p.get("system") for p in parts}
        plain = all(not p.get("valueSet") and all(f["op"] in ("is-a", "descendent-of") for f in p.get("filter", ()))
                    for p in parts)  # fmt: skip
        t = taxonomy(urls.pop()) if len(urls) == 1 and plain else None
        if t is None:
            continue

        def literal(p: dict[str, Any], t: om.Taxonomy = t) -> set[str]:
            if "concept" in p:
                return {c["code"] for c in p["concept"]}
            found = set(t.ids) - {"⊤"}
            for f in p.get("filter", ()):
                found &= {c for c in t.ids if f["value"] in t.subsumers(c)}
                found -= {f["value"]} if f["op"] == "descendent-of" else set()
            return found

        expected = set().union(*map(literal, content["include"])).difference(*map(literal, content.get("exclude", ())))
        named = {c["code"] for p in parts for c in p.get("concept", ())}
        named |= {f["value"] for p in parts for f in p.get("filter", ())}
        if not named <= set(t.ids):
            with raises(om.ReadError, code="unknown-concept"):
                om.read_value_set(path).codes(t)
            continue
        assert set(om.read_value_set(path).codes(t)) == expected, path.name
        compared += 1
    assert compared > 2000
