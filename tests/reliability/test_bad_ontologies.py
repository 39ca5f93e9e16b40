from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import ontomask as om

from support.bad_inputs import Bad, check, in_job, lines, nothing, with_file
from support.jobs import LINKS

OBO = """format-version: 1.2

[Term]
id: S:1
name: symptom

[Term]
id: S:2
name: ache
is_a: S:1
"""
OWL = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#"
 xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
<owl:Class rdf:about="http://x/a"><rdfs:label>a</rdfs:label></owl:Class>
<owl:Class rdf:about="http://x/b"><rdfs:subClassOf rdf:resource="http://x/a"/></owl:Class>
</rdf:RDF>
"""
ENTITIES = ['<!ENTITY e0 "aaaaaaaaaa">', *(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))]
BOMB = OWL.replace("<rdf:RDF", f"<!DOCTYPE x [{''.join(ENTITIES)}]>\n<rdf:RDF").replace(">a<", ">&e9;<")
SKOS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<http://x/a> a skos:Concept ; skos:prefLabel "a"@en .
<http://x/b> a skos:Concept ; skos:broader <http://x/a> .
"""
GRAPHS = '{"graphs": [{"id": "x", "nodes": [{"id": "a"}], "edges": [{"sub": "b", "pred": "is_a", "obj": "a"}]}]}'
PACKED = gzip.compress(LINKS.encode(), mtime=0)
HIERARCHY = lines("ache;pain;*", "colic;pain;*", "rash;skin;*")


def links(content: str | bytes, word: str, name: str, keys: str = "columns.symptom.taxonomy") -> Bad:
    """The job with another ontology."""
    return Bad(name, with_file("links.csv", content), keys, word)


def named(text: str):
    """The job with an ontology that has a table of its own."""
    return in_job(('taxonomy = "links.csv"', f'taxonomy = "x"\n[ontologies.x]\n{text}'))


def ontology(name: str, file: str, content: str | bytes, word: str, **options) -> Bad:
    """A file read as an ontology."""
    return Bad(
        name, with_file(file, content), om.ReadError, word, lambda folder: om.read_taxonomy(folder / file, **options)
    )


def release(name: str, files: dict[str, str], word: str, **options) -> Bad:
    """A folder read as an ontology."""

    def prepare(folder: Path) -> None:
        for file, content in files.items():
            (folder / "release" / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / "release" / file).write_text(content)

    return Bad(name, prepare, om.ReadError, word, lambda folder: om.read_taxonomy(folder / "release", **options))


def hierarchy(name: str, content: str | bytes, word: str) -> Bad:
    return Bad(
        name, with_file("h.csv", content), om.ReadError, word, lambda folder: om.read_hierarchy(folder / "h.csv")
    )


def saved(name: str, change, word: str) -> Bad:
    """A taxonomy in the package's own format, damaged."""

    def prepare(folder: Path) -> None:
        om.save_taxonomy(om.read_taxonomy(folder / "links.csv"), folder / "t.ontomask")
        raw = (folder / "t.ontomask").read_bytes()
        (folder / "t.ontomask").write_bytes(change(raw))

    return Bad(name, prepare, om.ReadError, word, lambda folder: om.read_taxonomy(folder / "t.ontomask"))


CONCEPTS = "id\teffectiveTime\tactive\tmoduleId\tdefinitionStatusId\n"
RELATIONS = (
    "id\teffectiveTime\tactive\tmoduleId\tsourceId\tdestinationId\trelationshipGroup\ttypeId\tcharacteristicTypeId\t"
    "modifierId\n"
)
RF2 = {
    "Terminology/sct2_Concept_Snapshot_INT_20200101.txt": CONCEPTS + "138875005\t20200101\t1\t1\t1\n",
    "Terminology/sct2_Relationship_Snapshot_INT_20200101.txt": RELATIONS,
    "Terminology/sct2_Description_Snapshot-en_INT_20200101.txt": "id\n",
}

FIRST = next(iter(RF2))

ALL = [
    links("child,parent\nache,pain\npain,ache\n", "cycle", "cycle"),
    links("child,parent\nache,ache\n", "itself|cycle", "own parent"),
    links("", "empty", "empty"),
    links("child,parent\n", "concept|row|empty", "header only"),
    links("child,parent\nache,\n", "parent|no concept|root", "child without a parent", "columns"),
    links("child\nache\n", "column", "one column"),
    links(LINKS + "fever\n", "line 6", "row too short"),
    links(LINKS.encode("utf-16"), "UTF-8", "UTF-16"),
    links(LINKS.replace("rash", "é").encode("latin-1"), "UTF-8", "latin-1"),
    links(bytes(range(256)) * 20, "links.csv", "binary"),
    links(LINKS + '"fever,symptom\n', "cell|quotes", "quote left open"),
    links(LINKS.replace("ache,pain", "ouch,pain"), "1 of 3", "values missing", "columns"),
    Bad("job's data as ontology", in_job(('"links.csv"', '"data.csv"')), "columns.symptom.taxonomy", "data.csv"),
    Bad("no such ontology", in_job(('"links.csv"', '"no.csv"')), "columns.symptom.taxonomy", "no.csv"),
    Bad("format that does not fit", named('path = "links.csv"\nformat = "obo"'), "ontologies.x", "ontologies.x"),
    Bad("format for a folder", named('path = "."\nformat = "edges"'), "ontologies.x", "ontologies.x"),
    ontology("gzip cut off", "o.csv.gz", PACKED[:30], "damaged"),
    ontology("zip", "o.zip", b"PK\x03\x04" + bytes(50), "format"),
    ontology("picture", "o.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "format"),
    ontology("empty OBO", "o.obo", "", "empty"),
    ontology("OBO header only", "o.obo", "format-version: 1.2\n", "o.obo"),
    ontology("OBO cut off", "o.obo", OBO[:-6], "o.obo"),
    ontology("OBO junk", "o.obo", "hello\nworld\n", "o.obo"),
    ontology("OBO term without an id", "o.obo", OBO.replace("id: S:2\n", ""), "o.obo"),
    ontology("OBO term twice", "o.obo", OBO.replace("S:2", "S:1"), "o.obo|itself|cycle"),
    ontology("OBO parent that is not there", "o.obo", OBO.replace("is_a: S:1", "is_a: S:9"), "S:9|root"),
    ontology("OBO cycle", "o.obo", OBO.replace("name: symptom", "name: symptom\nis_a: S:2"), "cycle"),
    ontology("OWL cut off", "o.owl", OWL[:300], "o.owl"),
    ontology("OWL junk", "o.owl", "not XML at all", "o.owl"),
    ontology("OWL of nothing", "o.owl", OWL[: OWL.index("<owl:Class")] + "</rdf:RDF>", "o.owl"),
    ontology("XML of something else", "o.owl", "<html><body>moved</body></html>", "o.owl"),
    ontology("OWL that grows without end", "o.owl", BOMB, "o.owl"),
    ontology("SKOS cut off", "o.ttl", SKOS[:-30], "o.ttl"),
    ontology("SKOS junk", "o.ttl", "@prefix nonsense", "o.ttl"),
    ontology("JSON cut off", "o.json", GRAPHS[:40], "o.json"),
    ontology("JSON of something else", "o.json", '{"a": 1}', "o.json"),
    ontology("JSON list", "o.json", "[1, 2]", "o.json"),
    ontology("JSON graph of nothing", "o.json", '{"graphs": []}', "o.json"),
    ontology("JSON graph of texts", "o.json", '{"graphs": ["x"]}', "o.json"),
    ontology("JSON nested deeply", "o.json", '{"graphs": ' + "[" * 100000, "o.json"),
    ontology("no such format", "o.csv", LINKS, "'rdf'", format="rdf"),
    ontology("no such option", "o.csv", LINKS, "colour", format="edges", colour=1),
    ontology("delimiter of two characters", "o.csv", LINKS, "delimiter", format="edges", delimiter="::"),
    ontology("no such encoding", "o.csv", LINKS, "encoding", format="edges", encoding="klingon"),
    Bad(
        "ontology that is not there",
        nothing,
        om.ReadError,
        "no.obo",
        lambda folder: om.read_taxonomy(folder / "no.obo"),
    ),
    release("empty folder", {"readme.txt": "x"}, "release"),
    release("RF2 without relations", {FIRST: RF2[FIRST]}, "[Rr]elationship", format="rf2"),
    release("RF2 of nothing", {**RF2, FIRST: CONCEPTS}, "release|concept", format="rf2"),
    release("RF2 with other columns", {**RF2, FIRST: "a\tb\n1\t2\n"}, "release|column", format="rf2"),
    release("RF2 with a row too short", {**RF2, FIRST: CONCEPTS + "1\t2\n"}, "release|line", format="rf2"),
    release("OMOP without files", {"x.csv": "a"}, "release|CONCEPT", format="omop"),
    release("OMOP of one file", {"CONCEPT.csv": "concept_id\n1\n"}, "CONCEPT", format="omop"),
    release("WordNet without files", {"index.noun": ""}, "release|noun", format="wordnet"),
    release("WordNet of junk", {"index.noun": "dog n 1", "data.noun": "what"}, "release|noun", format="wordnet"),
    release(
        "WordNet noun without a word",
        {"index.noun": "dog n 1 0 1 0 00001740", "data.noun": "00001740 03 n 00 000 | x"},
        "noun",
        format="wordnet",
    ),
    ontology("empty delimiter", "o.csv", LINKS, "delimiter", format="edges", delimiter=""),
    hierarchy("empty hierarchy", "", "h.csv"),
    hierarchy("hierarchy of one column", "ache\ncolic\n", "h.csv"),
    hierarchy("value twice", HIERARCHY + "ache;skin;*\n", "h.csv"),
    hierarchy("empty label", HIERARCHY.replace("pain", "", 1), "h.csv"),
    hierarchy("hierarchy as UTF-16", HIERARCHY.encode("utf-16"), "h.csv"),
    saved("saved and cut off", lambda raw: raw[: len(raw) // 2], "t.ontomask"),
    saved("saved and emptied", lambda raw: b"", "t.ontomask"),
    saved("saved and damaged", lambda raw: raw[:200] + b"\xff" * 60 + raw[260:], "t.ontomask"),
    Bad("links of nothing", nothing, om.TaxonomyError, "concept", lambda folder: om.Taxonomy.from_edges([])),
    Bad("links of three", nothing, om.TaxonomyError, "link", lambda folder: om.Taxonomy.from_edges([("a", "b", "c")])),
    Bad("links of numbers", nothing, om.TaxonomyError, "text", lambda folder: om.Taxonomy.from_edges([(1, 2)])),
]


@pytest.mark.parametrize("bad", ALL, ids=lambda bad: bad.name)
def test_bad_ontology(bad, tmp_path):
    check(bad, tmp_path)
