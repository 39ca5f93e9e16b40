"""Thousands of damaged mapping files, files of links and queries to the reconciliation service."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

import ontomask as om
from ontomask.mapping.decision_file import is_decision_file
from ontomask.mapping.reconcile.service import BadRequestError, ReconciliationService, parse

from support.mutations import Target, fuzz

TAXONOMY = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "all"), ("rash", "all")])
OTHER = om.Taxonomy.from_edges([("X:1", "X:0"), ("X:2", "X:0")])
SERVICE = ReconciliationService(TAXONOMY, "http://127.0.0.1:1")
MAPPING = (
    b"column,value,count,concept,label,rule,score,note,parents,described\r\n"
    b"c,ouch,3,ache,ache,accepted,0.9,,pain,ache\r\nc,'=x,1,colic,colic,label,,,pain,colic\r\nc,old,1,gone,gone,id,,,,gone\r\n"
)
LINKS = b"#id: x\nsubject_id\tpredicate_id\tobject_id\nache\tskos:exactMatch\tX:1\ncolic\tskos:broadMatch\tX:2\n"
QUERIES = {
    "q0": {"query": "ach", "type": ["pain", "all"], "type_strict": "should", "limit": 3},
    "q1": {"properties": [{"pid": "label", "v": "ache"}, {"pid": "parents", "v": [{"id": "pain"}, 3]}]},
}
CELLS = [
    *(b",", b";", b"\t", b'"', b"'", b"\n", b"#", b"|", b"\xef\xbb\xbf"),
    *(b"accepted", b"NaN", b"1e999", b"column", b"skos:"),
]
JSON = [
    *(b"{", b"}", b"[", b"]", b":", b",", b"null", b"true", b'"a"', b"1e999", b"-1"),
    *(b'"type_strict"', b'"all"', b'"pid"'),
]


def use_mapping(path: Path) -> None:
    is_decision_file(path)
    found = om.map_values(["ouch", "=x", "old"], TAXONOMY, om.read_decisions(path, "c"), column="c")
    found.to_text()


def use_links(path: Path) -> None:
    om.merge_taxonomies([TAXONOMY, OTHER], om.read_links(path))


def ask(path: Path) -> None:
    text = path.read_text("utf-8", errors="replace")
    with suppress(BadRequestError):
        json.loads(SERVICE.answer(text))
    with suppress(BadRequestError):
        SERVICE.extend(parse(text))


TARGETS = [
    Target("mapping file", {"mapping.csv": MAPPING}, use_mapping, CELLS),
    Target("links", {"links.tsv": LINKS}, use_links, CELLS),
    Target("queries", {"queries.json": json.dumps(QUERIES).encode()}, ask, JSON),
    Target("extension", {"extend.json": b'{"ids": ["ache"], "properties": [{"id": "parents"}]}'}, ask, JSON),
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_damaged_mappings(target):
    fuzz(target)
