from __future__ import annotations

import gzip
import json
import logging
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import ontomask as om
from ontomask.taxonomy import VIRTUAL_ROOT
from ontomask.taxonomy.readers import obo, obographs, owl, skos
from ontomask.taxonomy.readers.source import lines
from ontomask.taxonomy.taxonomy import Retired

PETS_OBO = """\
format-version: 1.2
! a comment in the header
ontology: pets
property_value: http://purl.org/dc/terms/license https://creativecommons.org/licenses/by/4.0/

[Term]
id: PET:1
name: animal
def: "A living \\"thing\\"." [PET:author]

[Term]
id: PET:2
name: cat
alt_id: PET:20
synonym: "house cat" EXACT []
synonym: "feline" BROAD []
xref: ICD9:250.0 "a joke" {source="PET"}
xref: ICD9:250.10
xref: SCTID:448169003
is_a: PET:1 {source="PET"} ! animal

[Term]
id: PET:3
name: mouser
xref: ICD9:250.0
intersection_of: PET:2 ! cat
intersection_of: chases PET:1
is_a: PET:2 ! cat

[Term]
id: PET:4
name: paw
intersection_of: PET:1 ! animal
intersection_of: part_of PET:2
relationship: part_of PET:2 ! cat

[Term]
id: PET:5
name: obsolete kitty
comment: A pet name.
is_obsolete: true
replaced_by: PET:2
consider: PET:3

[Instance]
id: PET:6
name: Tom
instance_of: PET:3

[Typedef]
id: part_of
name: part of
is_a: overlaps
"""

RDF_XML = """\
<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY geo "http://example.org/geo#"> ]>
<rdf:RDF xmlns="http://example.org/geo#" xml:base="http://example.org/geo"
     xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#"
     xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:skos="http://www.w3.org/2004/02/skos/core#"
     xmlns:dcterms="http://purl.org/dc/terms/" xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">
"""

GEO_OWL = (
    RDF_XML
    + """\
<owl:Ontology rdf:about="http://example.org/geo"><dcterms:license>CC0</dcterms:license></owl:Ontology>
<owl:Class rdf:about="&geo;Place"><rdfs:subClassOf rdf:resource="http://www.w3.org/2002/07/owl#Thing"/></owl:Class>
<owl:Class rdf:about="#African_country">
  <rdfs:label xml:lang="es">país africano</rdfs:label>
  <rdfs:label xml:lang="en-GB">country in Africa</rdfs:label>
  <skos:altLabel xml:lang="en">African state</skos:altLabel>
  <skos:altLabel xml:lang="es">estado africano</skos:altLabel>
  <oboInOwl:hasExactSynonym>African nation</oboInOwl:hasExactSynonym>
  <oboInOwl:hasRelatedSynonym>Africa</oboInOwl:hasRelatedSynonym>
  <oboInOwl:hasDbXref>UN:002</oboInOwl:hasDbXref>
  <oboInOwl:hasDbXref>http://example.org/un/002</oboInOwl:hasDbXref>
  <rdfs:comment>On the continent.</rdfs:comment>
  <rdfs:subClassOf rdf:resource="&geo;Place"/>
  <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="#on"/>
    <owl:someValuesFrom rdf:resource="#Africa"/></owl:Restriction></rdfs:subClassOf>
</owl:Class>
<owl:NamedIndividual rdf:about="#Cabo%20Verde">
  <rdf:type rdf:resource="#African_country"/>
  <rdf:type rdf:resource="#Island"/>
</owl:NamedIndividual>
<owl:NamedIndividual rdf:about="#Kenya"><rdf:type rdf:resource="#African_country"/></owl:NamedIndividual>
</rdf:RDF>
"""
)

PREFIXES = """\
@prefix : <http://example.org/t#> .
@prefix other: <http://example.org/other/> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
"""

SKOS_PREFIXES = """\
@prefix : <http://example.org/trades/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

TRADES = (
    SKOS_PREFIXES
    + """\
:scheme a skos:ConceptScheme ; dcterms:title "Trades"@en ; dcterms:license <http://example.org/free> .
:7 a skos:Concept ; skos:topConceptOf :scheme ; skos:prefLabel "craft"@en, "oficio"@es ; skos:narrower :71 .
:71 a skos:Concept ; skos:broader :7 ; skos:prefLabel "builder"@en ; skos:notation "071"^^xsd:integer ;
  skos:definition "Builds."@en .
:711 a skos:Concept ; skos:broader :71 ; skos:broaderTransitive :71, :7 ; skos:notation "711.10" ;
  skos:prefLabel "bricklayer"@en ; skos:altLabel "brick mason"@en-US, "brickie", "albañil"@es .
:712 a skos:Concept ; skos:broader :71 ; skos:prefLabel "techador"@es .
:713 skos:broader :71 .
"""
)

PURL = "http://purl.obolibrary.org/obo/"


def graphs_document() -> dict[str, Any]:
    return {
        "graphs": [
            {
                "id": PURL + "pets.owl",
                "meta": {"basicPropertyValues": [{"pred": "http://purl.org/dc/terms/license", "val": "CC0"}]},
                "nodes": [
                    {"id": PURL + "PET_1", "type": "CLASS", "lbl": "animal", "meta": None},
                    {
                        "id": PURL + "PET_2",
                        "type": "CLASS",
                        "lbl": "cat",
                        "meta": {
                            "definition": {"val": "It purrs."},
                            "synonyms": [
                                {"pred": "hasExactSynonym", "val": "house cat"},
                                {"pred": "hasBroadSynonym", "val": "feline"},
                            ],
                            "xrefs": [{"val": "ICD9:250.0"}, {"val": "http://example.org/cat"}],
                            "basicPropertyValues": [
                                {
                                    "pred": "http://www.geneontology.org/formats/oboInOwl#hasAlternativeId",
                                    "val": "PET:20",
                                }
                            ],
                        },
                    },
                    {
                        "id": PURL + "PET_5",
                        "type": "CLASS",
                        "lbl": "kitty",
                        "meta": {
                            "deprecated": True,
                            "comments": ["A pet name."],
                            "basicPropertyValues": [{"pred": PURL + "IAO_0100001", "val": PURL + "PET_2"}],
                        },
                    },
                    {"id": "http://example.org/Tom", "type": "INDIVIDUAL", "lbl": "Tom"},
                    {"id": PURL + "PET_8"},
                    {"id": PURL + "BFO_0000050", "type": "PROPERTY", "lbl": "part of"},
                ],
                "edges": [
                    {"sub": PURL + "PET_2", "pred": "is_a", "obj": PURL + "PET_1"},
                    {"sub": PURL + "PET_1", "pred": "is_a", "obj": "http://www.w3.org/2002/07/owl#Thing"},
                    {"sub": "http://example.org/Tom", "pred": "type", "obj": PURL + "PET_2"},
                    {"sub": PURL + "PET_4", "pred": "is_a", "obj": PURL + "PET_1"},
                    {"sub": PURL + "PET_4", "pred": PURL + "BFO_0000050", "obj": PURL + "PET_2"},
                    {"sub": PURL + "BFO_0000050", "pred": "is_a", "obj": PURL + "RO_0002131"},
                ],
                "logicalDefinitionAxioms": [
                    {"definedClassId": PURL + "PET_2", "genusIds": [PURL + "PET_1"]},
                    {"definedClassId": PURL + "PET_3", "genusIds": [PURL + "PET_2"]},
                ],
            }
        ]
    }


@pytest.fixture
def write(tmp_path):
    def write(text: str | bytes, name: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def refused(path: Path, line: int | None, message: str, format: str | None = None, **options: Any) -> om.ReadError:
    with pytest.raises(om.ReadError, match=re.escape(message)) as caught:
        om.read_taxonomy(path, format=format, **options)
    assert (caught.value.path, caught.value.line) == (path, line)
    assert str(path) in str(caught.value)
    return caught.value


# Recognising the input


def samples() -> dict[str, str]:
    return {
        "obographs": json.dumps(graphs_document()),
        "obo": PETS_OBO,
        "skos": TRADES,
        "owl": GEO_OWL,
    }


@pytest.mark.parametrize("format", ["obographs", "obo", "skos", "owl"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_each_reader_takes_its_own_input_by_content_alone(write, format, pack):
    path = write(pack(samples()[format].encode()), "file.data")
    readers = {"obographs": obographs, "obo": obo, "skos": skos, "owl": owl}
    claims = [name for name, module in readers.items() if module.can_read(path)]
    # A thesaurus may be read as an ontology that has no classes; SKOS is asked first.
    assert claims == (["skos", "owl"] if format == "skos" else [format])
    assert om.read_taxonomy(path).ids == om.read_taxonomy(path, format=format).ids


@pytest.mark.parametrize("module", [obographs, obo, skos, owl])
def test_no_reader_takes_other_files(write, module, tmp_path):
    for text in (
        b"",
        b"child,parent\ncat,animal\n",
        b"\xff\xfe\x00",
        b"{}",
        b"[]",
        b"<html></html>",
        b"\x1f\x8b\x08bad",
    ):
        assert not module.can_read(write(text, "file"))
    assert not module.can_read(tmp_path)
    assert not module.can_read(tmp_path / "absent")


def test_an_ontology_with_skos_labels_is_no_thesaurus(write):
    assert skos.can_read(write(GEO_OWL, "geo.owl")) is False
    mixed = SKOS_PREFIXES + ":c a owl:Class . :d a skos:Concept ."
    assert skos.can_read(write(mixed, "mixed.ttl")) is False
    assert om.read_taxonomy(write(mixed, "mixed.ttl")).ids == ("c",)


def test_an_obo_file_without_header_is_recognised_by_its_first_frame(write):
    t = om.read_taxonomy(write("[Term]\nid: X:1\n", "x.txt"))
    assert (t.ids, t.label("X:1"), t.annotations.name) == (("X:1",), "X:1", "x")


# OBO


def test_obo_terms_links_and_instances(write):
    t = om.read_taxonomy(write(PETS_OBO, "pets.obo"))
    assert t.ids == ("PET:1", "PET:2", "PET:4", "PET:3", "PET:6")
    assert t.root == "PET:1"
    assert t.parents("PET:3") == ("PET:2",)
    assert t.parents("PET:4") == ("PET:1",)
    assert t.parents("PET:6") == ("PET:3",)
    assert t.label("PET:6") == "Tom"
    assert t.notes == ()
    assert (t.annotations.name, t.annotations.licence) == ("pets", "https://creativecommons.org/licenses/by/4.0/")
    assert t.annotations.code_ids


@pytest.mark.parametrize(
    ("choice", "labels"),
    [("exact", ("cat", "house cat")), ("all", ("cat", "house cat", "feline")), ("none", ("cat",))],
)
def test_obo_synonyms(write, choice, labels):
    assert om.read_taxonomy(write(PETS_OBO, "pets.obo"), synonyms=choice).labels("PET:2") == labels


def test_obo_glosses_and_parts_only_on_request(write):
    path = write(PETS_OBO, "pets.obo")
    plain = om.read_taxonomy(path).annotations
    assert (plain.glosses, plain.parts) == (None, None)
    full = om.read_taxonomy(path, glosses=True, parts=True).annotations
    assert full.glosses == {"PET:1": 'A living "thing".'}
    assert full.parts == {"PET:2": ("PET:4",)}


def test_obo_xrefs_and_alternative_ids_are_other_codes(write):
    t = om.read_taxonomy(write(PETS_OBO, "pets.obo"))
    assert t.annotations.aliases == {
        "alternative id": {"PET:20": ("PET:2",)},
        "xref": {"ICD9:250.0": ("PET:2", "PET:3"), "ICD9:250.10": ("PET:2",), "SCTID:448169003": ("PET:2",)},
    }
    assert t.find_alias("ICD9:250.0") == ("xref", ["PET:2", "PET:3"])
    assert t.find_alias("250.0") is None


def test_bare_codes_behind_an_xref_prefix(write):
    path = write(PETS_OBO, "pets.obo")
    t = om.read_taxonomy(path, xref_prefix="ICD9")
    assert t.find_alias("250.10") == ("ICD9 xref", ["PET:2"])
    assert t.find_alias("250.0") == ("ICD9 xref", ["PET:2", "PET:3"])
    assert t.find_alias("448169003") is None
    both = om.read_taxonomy(path, xref_prefix=["icd9", "SCTID"])
    assert both.find_alias("250.10") == ("icd9 xref", ["PET:2"])
    assert both.find_alias("448169003") == ("SCTID xref", ["PET:2"])
    refused(path, None, "has no xref with the prefix 'ICD10'. It has: 'ICD9', 'SCTID'.", xref_prefix="ICD10")
    bare = write("[Term]\nid: X:1\n", "x.obo")
    refused(bare, None, "has no xref with the prefix 'ICD9'. It has no xrefs at all.", xref_prefix="ICD9")


def test_a_column_of_xref_codes_maps(write):
    t = om.read_taxonomy(write(PETS_OBO, "pets.obo"), xref_prefix="ICD9")
    mapped = om.map_values(["250.10", "250.10", "999"], t)
    assert [(m.value, m.concept, m.rule) for m in mapped.values] == [
        ("250.10", "PET:2", "ICD9 xref"),
        ("999", None, "unmapped"),
    ]


def test_obsolete_obo_terms_are_withdrawn(write):
    t = om.read_taxonomy(write(PETS_OBO, "pets.obo"))
    assert "PET:5" not in t
    assert t.annotations.retired == {"PET:5": Retired("obsolete: A pet name.", ("PET:2", "PET:3"))}
    assert t.find("obsolete kitty") == []


def test_a_withdrawn_parent_is_stepped_over(write):
    text = "[Term]\nid: {}\n{}\n"
    terms = [("A:1", ""), ("A:2", "is_a: A:1\nis_obsolete: true"), ("A:3", "is_obsolete: true\nis_a: A:2")]
    t = om.read_taxonomy(write("".join(text.format(*term) for term in [*terms, ("A:4", "is_a: A:3")]), "a.obo"))
    assert t.ids == ("A:1", "A:4")
    assert t.parents("A:4") == ("A:1",)
    assert t.annotations.retired == {"A:2": Retired("obsolete"), "A:3": Retired("obsolete")}


def test_obo_escapes_and_repeated_links(write):
    text = "[Term]\nid: A:1\nname: a \\{b\\}\nxref: X:1\\:2\n\n[Term]\nid: A:2\nis_a: A:1\nis_a: A:1\nis_a: A:2\n"
    t = om.read_taxonomy(write(text, "a.obo"))
    assert t.label("A:1") == "a {b}"
    assert t.annotations.aliases == {"xref": {"X:1:2": ("A:1",)}}
    assert [note.code for note in t.notes] == ["T107"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("format-version: 1.2\n\n[Term]\nid: A:1\nis_a:\n", 5, "is not OBO: 'is_a:' (expected Id)"),
        ("format-version: 1.2\n\n[Term]\nname: x\n", 4, "is not OBO: 'name: x'"),
        ("! one\n[Term]\nid: A:1\n! two\nid: A:2\n", 5, "is not OBO: 'id: A:2'"),
        ("[Term]\nid: A:1\n\n[Bogus]\nid: A:2\n", 4, "is not OBO: '[Bogus]'"),
        ("[Term]\nid: A:1\n\n[Term]\n! again\nid: A:1\n", 6, "the term 'A:1' is declared a second time"),
        ("[Term]\nid: A:1\nis_a: A:2\n\n[Term]\nid: A:2\nis_a: A:1\n", 3, "A:1 → A:2 → A:1"),
        ("[Term]\nid: A:1\n\n[Term]\nid: A:2\nname: x\nis_a: A:1\nis_a: B:1\n", 8, "Undeclared: 'B:1'"),
        ("[Term]\nid: A:1\nintersection_of: B:1\nintersection_of: r B:2\n", 3, "Undeclared: 'B:1'"),
        ("[Instance]\nid: A:1\ninstance_of: B:1\n", 3, "Undeclared: 'B:1'"),
        ("format-version: 1.2\n[Typedef]\nid: part_of\n", None, "there is no term in it"),
        ("format-version: 1.2\n[Term]\nid: A:1\nis_obsolete: true\n", None, "there is no term in it"),
        (b"[Term]\nid: A:1\nname: caf\xe9\n", 3, "is not utf-8 text"),
        (b"remark: caf\xe9\n[Term]\nid: A:1\n", 1, "is not utf-8 text"),
    ],
)
def test_broken_obo(write, text, line, message):
    refused(write(text, "bad.obo"), line, message, format="obo")


def test_old_obo_files_in_another_encoding(write):
    path = write("[Term]\nid: A:1\nname: café\n".encode("latin-1"), "old.obo")
    assert om.read_taxonomy(path, encoding="latin-1").label("A:1") == "café"


def test_an_empty_file_has_no_term(write):
    assert refused(write("", "empty.obo"), None, "there is no term in it", format="obo").code == "T105"


def test_truncated_gzip_is_told(write):
    packed = gzip.compress(b"format-version: 1.2\n" + b"".join(b"[Term]\nid: A:%d\n\n" % i for i in range(99999)))
    with pytest.raises(om.ReadError, match=r"cut\.obo\.gz, line \d+: the file breaks off or is damaged"):
        om.read_taxonomy(write(packed[: len(packed) // 2], "cut.obo.gz"), format="obo")


def test_options_that_are_no_text(write):
    message = "language must be a text such as 'en' or None. Got 5 instead."
    refused(write(TRADES, "trades.ttl"), None, message, language=5)
    refused(write(GEO_OWL, "geo.owl"), None, message, language=5)
    for wrong in (5, ["ICD9", 5]):
        message = "xref_prefix must be a text such as 'ICD9'. Got 5 instead."
        refused(write(PETS_OBO, "pets.obo"), None, message, xref_prefix=wrong)


def test_an_unknown_choice_of_synonyms(write):
    message = "synonyms='some' is not a choice. Take one of: 'exact', 'all', 'none'."
    refused(write(PETS_OBO, "pets.obo"), None, message, synonyms="some")
    refused(write(GEO_OWL, "geo.owl"), None, message, synonyms="some")
    refused(write(json.dumps(graphs_document()), "pets.json"), None, message, synonyms="some")


# OBO Graphs


def test_obo_graphs_nodes_and_edges(write):
    t = om.read_taxonomy(write(json.dumps(graphs_document()), "pets.json"))
    assert t.ids == ("PET:1", "PET:2", "PET:4", "Tom", "PET:3")
    assert t.parents("Tom") == t.parents("PET:3") == ("PET:2",)
    assert t.labels("PET:2") == ("cat", "house cat")
    assert t.label("PET:4") == "PET:4"
    assert t.notes == ()
    assert (t.annotations.name, t.annotations.licence) == ("pets", "CC0")
    assert t.annotations.retired == {"PET:5": Retired("obsolete: A pet name.", ("PET:2",))}
    aliases = t.annotations.aliases
    assert aliases["alternative id"] == {"PET:20": ("PET:2",)}
    assert aliases["xref"] == {"ICD9:250.0": ("PET:2",), "http://example.org/cat": ("PET:2",)}
    assert t.find_alias(PURL + "PET_2") == ("IRI", ["PET:2"])
    assert t.find_alias("http://example.org/Tom") == ("IRI", ["Tom"])


def test_obo_graphs_options(write):
    path = write(json.dumps(graphs_document()), "pets.json")
    assert om.read_taxonomy(path, synonyms="all").labels("PET:2") == ("cat", "house cat", "feline")
    assert om.read_taxonomy(path, synonyms="none").labels("PET:2") == ("cat",)
    assert om.read_taxonomy(path, xref_prefix="ICD9").find_alias("250.0") == ("ICD9 xref", ["PET:2"])
    full = om.read_taxonomy(path, glosses=True, parts=True).annotations
    assert full.glosses == {"PET:2": "It purrs."}
    assert full.parts == {"PET:2": ("PET:4",)}


def test_several_graphs_make_one_taxonomy(write):
    first = {"nodes": [{"id": "A:1", "lbl": "a"}]}
    second = {"nodes": [{"id": "A:2", "lbl": "b"}], "edges": [{"sub": "A:2", "pred": "is_a", "obj": "A:1"}]}
    t = om.read_taxonomy(write(json.dumps({"graphs": [first, second]}), "both.json"))
    assert (t.ids, t.root, t.annotations.name) == (("A:1", "A:2"), "A:1", "both")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"graphs": [\n  {"nodes": ]\n', 2, "is not JSON: Expecting value"),
        ('{"graphs": [{"nodes": [{"lbl": "x"}]}]}', None, "'id' is missing or not a text in {'lbl': 'x'}"),
        ('{"graphs": [{"nodes": [{"id": 7}]}]}', None, "'id' is missing or not a text in {'id': 7}"),
        ('{"graphs": [{"nodes": [{"id": "A", "lbl": 7}]}]}', None, "'lbl' is missing or not a text"),
        ('{"graphs": [{"nodes": [7]}]}', None, "is JSON but not laid out as OBO Graphs"),
        ('{"graphs": [{"edges": [{"sub": "A", "pred": "is_a"}]}]}', None, "'obj' is missing or not a text"),
        ('{"graphs": {"a": 1}}', None, "is JSON but not laid out as OBO Graphs"),
        ("[]", None, "is JSON but not laid out as OBO Graphs"),
        ("", 1, "is not JSON"),
        ("[" * 100_000, None, "is nested too deeply"),
        ('{"graphs": []}', None, "there is no node of type CLASS or INDIVIDUAL in it"),
        (
            '{"graphs": [{"edges": [{"sub": "A", "pred": "is_a", "obj": "B"},\n'
            '{"sub": "B", "pred": "is_a", "obj": "A"}]}]}',
            None,
            "B → A → B",
        ),
    ],
)
def test_broken_obo_graphs(write, text, line, message):
    refused(write(text, "bad.json"), line, message, format="obographs")


def test_a_node_twice_in_a_graph_is_refused(write):
    nodes = [{"id": "A:1", "lbl": "a"}, {"id": "A:1", "lbl": "b"}]
    path = write(json.dumps({"graphs": [{"nodes": nodes}]}), "twice.json")
    assert refused(path, None, "the node 'A:1' is declared a second time").code == "T104"
    path = write(json.dumps({"graphs": [{"nodes": nodes[:1]}, {"nodes": nodes[1:]}]}), "shared.json")
    assert om.read_taxonomy(path).labels("A:1") == ("a",)


# OWL


def test_owl_classes_and_individuals(write):
    t = om.read_taxonomy(write(GEO_OWL, "geo.owl"))
    assert t.ids == (VIRTUAL_ROOT, "Place", "Island", "African_country", "Cabo%20Verde", "Kenya")
    assert set(t.parents("Cabo%20Verde")) == {"Island", "African_country"}
    assert t.parents("Kenya") == ("African_country",)
    assert [note.code for note in t.notes] == ["T102", "T112"]
    assert t.notes[1].message == "1 parent is named but not declared in the file; it was added: 'Island'"
    assert t.label("Place") == "Place"
    assert t.label("Cabo%20Verde") == "Cabo Verde"
    assert t.labels("African_country") == ("country in Africa", "African state", "African nation")
    assert (t.annotations.name, t.annotations.licence) == ("geo", "CC0")
    assert t.annotations.glosses is None
    assert not t.annotations.code_ids
    assert t.find_alias("http://example.org/geo#Kenya") == ("IRI", ["Kenya"])
    assert t.annotations.aliases["xref"] == {
        "UN:002": ("African_country",),
        "http://example.org/un/002": ("African_country",),
    }


def test_owl_languages(write):
    path = write(GEO_OWL, "geo.owl")
    spanish = om.read_taxonomy(path, language="es").labels("African_country")
    assert spanish == ("país africano", "estado africano", "African nation")
    # No label in French: those of other languages serve, synonyms of other languages do not.
    french = om.read_taxonomy(path, language="fr").labels("African_country")
    assert french == ("país africano", "country in Africa", "African nation")
    assert len(om.read_taxonomy(path, language=None).labels("African_country")) == 5


def test_owl_options(write):
    path = write(GEO_OWL, "geo.owl")
    assert om.read_taxonomy(path, synonyms="none").labels("African_country") == ("country in Africa",)
    assert om.read_taxonomy(path, synonyms="all").labels("African_country")[-1] == "Africa"
    assert om.read_taxonomy(path, glosses=True).annotations.glosses == {"African_country": "On the continent."}
    by_code = om.read_taxonomy(path, xref_prefix="UN")
    assert by_code.find_alias("002") == ("UN xref", ["African_country"])
    assert by_code.annotations.code_ids


def turtle(write, text: str, **options: Any) -> om.Taxonomy:
    return om.read_taxonomy(write(PREFIXES + text, "t.ttl"), **options)


def test_named_classes_in_an_intersection_are_parents(write):
    t = turtle(
        write,
        """
        :a a owl:Class . :b a owl:Class . :c a owl:Class .
        :d a owl:Class ; owl:equivalentClass
          [ owl:intersectionOf ( :a [ a owl:Restriction ] [ owl:intersectionOf ( :b ) ] ) ] .
        :e a owl:Class ; owl:intersectionOf ( :c ) .
        :f a owl:Class ; rdfs:subClassOf [ owl:intersectionOf ( :c :d ) ] .
        :g a owl:Class ; owl:equivalentClass [ owl:unionOf ( :a :b ) ] ; rdfs:subClassOf :c .
        """,
    )
    assert t.parents("d") == ("a", "b")
    assert t.parents("e") == t.parents("g") == ("c",)
    assert set(t.parents("f")) == {"c", "d"}


def test_equal_named_classes_are_not_each_others_parents(write):
    t = turtle(write, ":a a owl:Class ; owl:equivalentClass :b . :b a owl:Class ; owl:equivalentClass :a .")
    assert t.parents("a") == t.parents("b") == (VIRTUAL_ROOT,)


def test_thing_and_self_links_are_dropped_and_mentioned_parents_declared(write):
    t = turtle(write, "owl:Thing a owl:Class . :a a owl:Class ; rdfs:subClassOf owl:Thing, :a, :b .")
    assert t.ids == ("b", "a")


def test_undeclared_parents_are_noted(write):
    t = turtle(write, ":a a owl:Class ; rdfs:subClassOf :b, :c . :b rdfs:label 'B' . :d a owl:Class .")
    assert str(t.notes[-1]) == "T112: 2 parents are named but not declared in the file; they were added: 'b', 'c'"
    withdrawn = turtle(write, ":a a owl:Class ; rdfs:subClassOf :b . :b owl:deprecated true .")
    assert (withdrawn.ids, withdrawn.notes) == (("a",), ())
    text = ':a a skos:Concept ; skos:broader :b, :c, :x . :b skos:prefLabel "B" . :c a :Kind . :d skos:narrower :c .'
    t = om.read_taxonomy(write(SKOS_PREFIXES + text, "u.ttl"))
    assert str(t.notes[-1]) == "T112: 2 parents are named but not declared in the file; they were added: 'x', 'd'"


def test_an_individual_that_is_a_class_too_is_one_concept(write):
    t = turtle(
        write,
        """
        :bird a owl:Class . :species a owl:Class .
        :eagle a owl:Class, owl:NamedIndividual, :species ; rdfs:subClassOf :bird .
        :harry a owl:NamedIndividual, :eagle .
        """,
    )
    assert len(t) == 5
    assert t.parents("eagle") == ("bird", "species")
    assert t.parents("harry") == ("eagle",)


def test_individuals_need_no_declaration_but_a_declared_class(write):
    t = turtle(write, ":c a owl:Class . :i a :c . :j a :d . _:x a :c . :p a owl:ObjectProperty .")
    assert t.ids == ("c", "i")


def test_an_individual_without_a_class_is_a_root(write):
    t = turtle(write, ":c a owl:Class . :i a owl:NamedIndividual .")
    assert t.parents("i") == (VIRTUAL_ROOT,)
    assert "2 roots ('c', 'i')" in str(t.notes[0])


def test_deprecated_classes_are_withdrawn(write):
    t = turtle(
        write,
        """
        obo:X_1 a owl:Class . obo:X_4 a owl:Class ; rdfs:subClassOf obo:X_2 .
        obo:X_2 a owl:Class ; owl:deprecated true ; rdfs:subClassOf obo:X_1 ; rdfs:comment "Too vague." ;
          obo:IAO_0100001 obo:X_1 ; oio:consider "X:4" .
        obo:X_3 a owl:DeprecatedClass .
        """,
    )
    assert t.ids == ("X:1", "X:4")
    assert t.annotations.retired == {
        "X:2": Retired("obsolete: Too vague.", ("X:1", "X:4")),
        "X:3": Retired("obsolete"),
    }


def test_ids_are_short_where_no_other_term_ends_alike(write):
    t = turtle(
        write,
        """
        obo:MONDO_0005015 a owl:Class ; oio:hasAlternativeId "MONDO:7" .
        :a a owl:Class . :b a owl:Class . other:b a owl:Class ; rdfs:subClassOf :b .
        """,
    )
    assert set(t.ids) == {
        VIRTUAL_ROOT,
        "MONDO:0005015",
        "a",
        "http://example.org/t#b",
        "http://example.org/other/b",
    }
    assert t.label("http://example.org/other/b") == "b"
    assert t.find_alias(PURL + "MONDO_0005015") == ("IRI", ["MONDO:0005015"])
    assert t.find_alias("MONDO:7") == ("alternative id", ["MONDO:0005015"])
    assert "http://example.org/t#b" not in t.annotations.aliases["IRI"]


def test_names_of_ontologies(write):
    assert turtle(write, ":c a owl:Class .").annotations.name == "t"
    assert turtle(write, "<http://x.org/geo.owl> a owl:Ontology . :c a owl:Class .").annotations.name == "geo"
    assert (
        turtle(write, "<http://x.org/untitled-ontology-58> a owl:Ontology . :c a owl:Class .").annotations.name == "t"
    )
    titled = '<http://x.org/o> a owl:Ontology ; dcterms:title "Places"@en . :c a owl:Class .'
    assert turtle(write, titled).annotations.name == "Places"


def test_relative_names_hold_no_path_of_the_machine(write, tmp_path):
    t = om.read_taxonomy(write(RDF_XML.replace('xml:base="http://example.org/geo"', "") + CLASS_A, "my geo.owl"))
    assert t.ids == ("a",)
    assert list(t.annotations.aliases["IRI"]) == ["file:///my%20geo.owl#a"]


CLASS_A = '<owl:Class rdf:about="#a"/>\n</rdf:RDF>\n'


def test_owl_in_utf_16_is_recognised(write):
    text = RDF_XML.replace("?>", ' encoding="UTF-16"?>', 1) + '<owl:Class rdf:about="#Perú"/></rdf:RDF>'
    assert om.read_taxonomy(write(text.encode("utf-16"), "l.owl")).ids == ("Perú",)
    refused(write((PREFIXES + ":a a owl:Class .").encode("utf-16"), "l.ttl"), 1, "is UTF-16 text, not utf-8")


def test_owl_in_other_encodings_and_syntaxes(write):
    latin = RDF_XML.replace("?>", ' encoding="ISO-8859-1"?>', 1) + '<owl:Class rdf:about="#Perú"/></rdf:RDF>'
    assert om.read_taxonomy(write(latin.encode("latin-1"), "l.owl")).ids == ("Perú",)
    triples = (
        "<http://x.org/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#Class> .\n"
    )
    assert om.read_taxonomy(write("# comment\n" + triples, "a.nt")).ids == ("a",)
    document = {"@context": {"owl": "http://www.w3.org/2002/07/owl#"}, "@id": "http://x.org/a", "@type": "owl:Class"}
    assert om.read_taxonomy(write(json.dumps(document), "a.jsonld")).ids == ("a",)
    named_graph = {"@id": "http://x.org/g", "@graph": [document]}
    assert om.read_taxonomy(write(json.dumps(named_graph), "g.jsonld")).ids == ("a",)
    rdfs_only = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n<http://x.org/a> a rdfs:Class ."
    assert om.read_taxonomy(write(rdfs_only, "a.ttl")).ids == ("a",)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (RDF_XML + "<owl:Class>\n</rdf:RDF>\n", 8, "is not well-formed RDF/XML: mismatched tag. Correct the file."),
        (RDF_XML + '<owl:Class rdf:about="#a"/>\n', 8, "is not well-formed RDF/XML: no element found"),
        (RDF_XML + '<owl:Class rdf:ID="a b"/>\n</rdf:RDF>\n', 7, "rdf:ID value is not a valid NCName: a b"),
        (
            RDF_XML + '\n<owl:Class rdf:about="#a"><rdfs:label xml:lang="e n">x</rdfs:label></owl:Class></rdf:RDF>',
            8,
            "'e n'",
        ),
        (RDF_XML + "</rdf:RDF>\n", None, "there is no owl:Class and no owl:NamedIndividual in it"),
        (PREFIXES + ":a a owl:Class ;\n:b\n\n:c a :d", 11, "is not Turtle from here on: "),
        (PREFIXES + ":a a nope:Class .", 8, 'is not Turtle from here on: Prefix "nope:" not bound. Correct the file.'),
        (PREFIXES.encode() + b':a a "\xff" .', 8, "is not utf-8 text"),
        (PREFIXES + ":p a owl:ObjectProperty .", None, "there is no owl:Class"),
        ("", None, "is empty."),
        ("Prefix(owl:=<http://www.w3.org/2002/07/owl#>)\nOntology(<x>)", None, "can be saved as RDF/XML"),
        (
            '<?xml version="1.0"?>\n<!-- <rdf:RDF> -->\n<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>',
            None,
            "can be saved as RDF/XML",
        ),
    ],
)
def test_broken_owl(write, text, line, message):
    refused(write(text, "bad.owl"), line, message, format="owl")


def test_the_line_of_a_cycle_in_xml(write):
    link = '<owl:Class rdf:about="#{}">\n<rdfs:subClassOf\n rdf:resource="#{}"/>\n</owl:Class>\n'
    path = write(RDF_XML + link.format("a", "b") + link.format("b", "a") + "</rdf:RDF>", "cycle.owl")
    error = refused(path, 9, "a → b → a")
    assert error.code == "T101"


@pytest.mark.parametrize("name", ["geo.owl.gz", "trades.rdf.gz"])
def test_truncated_xml_gzip_is_told(write, name):
    body = "".join(f'<owl:Class rdf:about="#c{i * 7919 % 99991}"/>\n' for i in range(50_000))
    packed = gzip.compress((RDF_XML + body + "</rdf:RDF>").encode())
    for size in (100, len(packed) // 2):
        with pytest.raises(om.ReadError, match=r", line \d+: the file breaks off or is damaged"):
            om.read_taxonomy(write(packed[:size], name), format="owl" if name.startswith("geo") else "skos")


def test_oddities_of_a_file_make_no_noise(write, caplog):
    odd = (
        RDF_XML
        + '<owl:Class rdf:about="http://x.org/{a} b"><skos:notation '
        + ('rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">x7</skos:notation></owl:Class></rdf:RDF>')
    )
    level = logging.getLogger("rdflib").level
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        t = om.read_taxonomy(write(odd, "odd.owl"))
    assert t.ids == ("{a} b",)
    assert t.find_alias("x7") == ("notation", ["{a} b"])
    assert caplog.records == []
    assert logging.getLogger("rdflib").level == level


def test_entities_that_point_to_other_files_are_not_followed(write):
    secret = write("secret", "secret.txt")
    text = RDF_XML.replace("[ <", f'[ <!ENTITY leak SYSTEM "{secret.as_uri()}"> <') + (
        '<owl:Class rdf:about="#a"><rdfs:label>&leak;b</rdfs:label></owl:Class></rdf:RDF>'
    )
    assert om.read_taxonomy(write(text, "leak.owl")).labels("a") == ("b",)


# SKOS


def test_skos_concepts_links_and_notations(write):
    t = om.read_taxonomy(write(TRADES, "trades.ttl"))
    assert t.ids == ("7", "71", "711", "712", "713")
    assert t.parents("711") == t.parents("712") == t.parents("713") == ("71",)
    assert t.notes == ()
    assert t.labels("7") == ("craft",)
    assert t.labels("711") == ("bricklayer", "brick mason", "brickie")
    assert t.label("712") == "techador"
    assert t.label("713") == "713"
    assert t.find_alias("711.10") == ("notation", ["711"])
    assert t.find_alias("071") == ("notation", ["71"])
    assert t.annotations.code_ids
    assert t.find_alias("http://example.org/trades/71") == ("IRI", ["71"])
    assert (t.annotations.name, t.annotations.licence) == ("Trades", "http://example.org/free")


def test_skos_options(write):
    path = write(TRADES, "trades.ttl")
    assert om.read_taxonomy(path, language="es").labels("711") == ("bricklayer", "albañil", "brickie")
    assert om.read_taxonomy(path, language="es").labels("7") == ("oficio",)
    assert om.read_taxonomy(path, language=None).labels("7") == ("craft", "oficio")
    assert om.read_taxonomy(path).annotations.glosses is None
    assert om.read_taxonomy(path, glosses=True).annotations.glosses == {"71": "Builds."}


def test_narrower_alone_is_enough(write):
    t = om.read_taxonomy(write(SKOS_PREFIXES + ":a a skos:Concept ; skos:narrower :b, :c .", "n.ttl"))
    assert t.ids == ("a", "b", "c")
    assert t.parents("c") == ("a",)


def test_concepts_without_broader_are_roots(write):
    t = om.read_taxonomy(write(SKOS_PREFIXES + ":a a skos:Concept . :b a skos:Concept ; skos:related :a .", "r.ttl"))
    assert t.ids == (VIRTUAL_ROOT, "a", "b")


def test_withdrawn_skos_concepts(write):
    text = ':a a skos:Concept . :b a skos:Concept ; owl:deprecated "true" ; dcterms:isReplacedBy :a .'
    t = om.read_taxonomy(write(SKOS_PREFIXES + text, "w.ttl"))
    assert t.ids == ("a",)
    assert t.annotations.retired == {"b": Retired("obsolete", ("a",))}


def test_skos_in_every_syntax(write):
    from rdflib import Graph

    graph = Graph().parse(data=TRADES, format="turtle")
    expected = om.read_taxonomy(write(TRADES, "trades.ttl"))
    for kind in ("xml", "nt", "json-ld"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = graph.serialize(format=kind)
        t = om.read_taxonomy(write(text, f"trades.{kind}"))
        assert set(t.ids) == set(expected.ids)
        assert all(t.parents(c) == expected.parents(c) for c in t.ids)
        assert all(set(t.labels(c)) == set(expected.labels(c)) for c in t.ids)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (SKOS_PREFIXES + ":a a skos:Concept ;\n  skos:broader :b\n:c a :d .", 8, "is not Turtle from here on"),
        (SKOS_PREFIXES + ":a a skos:ConceptScheme .", None, "there is no skos:Concept in it"),
        (SKOS_PREFIXES + ":a skos:broader :b . :b skos:broader :a .", None, "b → a → b"),
        (SKOS_PREFIXES + "[] a skos:Concept .", None, "has a concept without an IRI"),
        (SKOS_PREFIXES + ":a skos:broader [] .", None, "has a concept without an IRI"),
        ('{"@id": "http://x.org/a",\n"@type": }', 2, "is not JSON: Expecting value"),
        ('{"@context": "http://x.org/c", "@id": "a"}', None, "takes its @context from 'http://x.org/c'"),
        ('[{"@id": "a", "b": {"@context": [{}, "c.json"]}}]', None, "takes its @context from 'c.json'"),
        ('{"@context": {"@import": "c.json"}}', None, "takes its @context from 'c.json'"),
        ('{"@context": {"a": {"@id": 5}}, "a": 1}', None, "is not well-formed RDF: "),
        ("child,parent\n", None, "is not RDF, or not in a syntax known here"),
    ],
)
def test_broken_skos(write, text, line, message):
    refused(write(text, "bad.skos"), line, message, format="skos")


# Without the extra


@pytest.mark.parametrize(
    ("format", "library", "feature"),
    [
        ("obo", "fastobo", "Reading OBO files"),
        ("owl", "rdflib", "Reading OWL files"),
        ("skos", "rdflib", "Reading SKOS files"),
    ],
)
def test_a_missing_library_is_told(write, monkeypatch, format, library, feature):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(om.MissingExtraError, match=re.escape(f"{feature} needs an optional dependency")) as caught:
        om.read_taxonomy(write(samples()[format], "file"), format=format)
    assert caught.value.extra == "owl"


# Real files


def test_the_country_ontology_loads_whole(shared_data):
    t = om.read_taxonomy(shared_data / "uant_owl" / "native-country-ontology.owl")
    assert len(t) == 18 + 42
    assert (t.root, len(t.graph.parent)) == ("Country", 59)
    leaves = [c for c in t.ids if not t.children(c)]
    assert len(leaves) >= 42
    assert "African_country" in t
    assert all(len(t.labels(c)) == 1 for c in t.ids)


@pytest.mark.parametrize(
    ("name", "classes", "individuals", "root"),
    [
        ("age", 31, 101, "Age"),
        ("education", 8, 16, "Education"),
        ("marital-status", 11, 0, "Marital-Status"),
        ("native-country", 18, 42, "Country"),
        ("occupation", 24, 16, "Occupation"),
        ("race", 8, 0, "Race"),
        ("relationship", 9, 0, "Realtionship"),
        ("sex", 3, 2, "Gender"),
        ("workclass", 10, 0, "Workclass"),
    ],
)
def test_all_nine_ontologies_load_whole(shared_data, name, classes, individuals, root):
    t = om.read_taxonomy(shared_data / "uant_owl" / f"{name}-ontology.owl")
    assert len(t) == classes + individuals
    assert t.root == root
    assert t.notes == ()


def test_mondo_loads_whole(shared_data):
    path = shared_data / "mondo.obo.gz"
    t = om.read_taxonomy(path, xref_prefix="ICD9")
    roots = t.children(VIRTUAL_ROOT)
    assert len(t) - 1 == 23_964
    assert len(t.graph.parent) - len(roots) == 36_011
    assert len(roots) == 4
    assert sum(len(t.parents(c)) > 1 for c in t.ids) == 8_739
    assert int(t.graph.depth.max()) - 1 == 17
    assert t.annotations.retired == {}
    codes = t.annotations.aliases["ICD9 xref"]
    assert codes["799.9"] == tuple(term for term, xrefs in _raw_xrefs(path).items() if "ICD9:799.9" in xrefs)
    assert {f"ICD9:{code}" for code in codes} <= t.annotations.aliases["xref"].keys()


def _raw_xrefs(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    term = ""
    for _, text in lines(path):
        if text.startswith("id: "):
            term = text[4:]
        elif text.startswith("xref: "):
            found.setdefault(term, []).append(text[6:])
    return found
