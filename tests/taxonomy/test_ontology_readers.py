from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

import ontomask as om
from ontomask.taxonomy import VIRTUAL_ROOT
from ontomask.taxonomy.readers import obo, obographs, owl, skos
from ontomask.taxonomy.readers.source import lines

from support.errors import raises
from support.ontology_files import GEO_OWL, PETS_OBO, SKOS_PREFIXES, TRADES, graphs_document

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


# Without the extra


@pytest.mark.parametrize(
    ("format", "library", "feature"),
    [
        ("obo", "fastobo", "Reading OBO files"),
        ("owl", "rdflib", "Reading OWL files"),
        ("skos", "rdflib", "Reading SKOS files"),
    ],
)
def test_a_missing_library_is_reported(write, monkeypatch, format, library, feature):
    monkeypatch.setitem(sys.modules, library, None)
    with raises(om.MissingExtraError, extra="owl") as caught:
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


@pytest.mark.slow
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
