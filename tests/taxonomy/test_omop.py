"""OMOP vocabularies, small and invented but in the true layout."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

import pytest

import ontomask as om
from ontomask.taxonomy import VIRTUAL_ROOT, Retired
from ontomask.taxonomy.readers import omop

from support.errors import raises

HEADS = {
    "CONCEPT": "concept_id concept_name domain_id vocabulary_id concept_class_id standard_concept concept_code "
    "valid_start_date valid_end_date invalid_reason",
    "CONCEPT_RELATIONSHIP": "concept_id_1 concept_id_2 relationship_id valid_start_date valid_end_date invalid_reason",
    "CONCEPT_SYNONYM": "concept_id concept_synonym_name language_concept_id",
}
ENGLISH, SPANISH = "4180186", "4182511"


def entry(number, name, code, vocabulary="SNOMED", domain="Condition", standard="S", invalid=""):
    return (number, name, domain, vocabulary, "Class", standard, code, "20020131", "20991231", invalid)


def relate(low, high, kind="Is a", invalid=""):
    return (low, high, kind, "20020131", "20991231", invalid)


def athena() -> dict[str, list[tuple[object, ...]]]:
    """Two vocabularies with a code in common, and retired concepts; rows by file."""
    return {
        "CONCEPT": [
            entry(401, "Thing", "1000", domain="Metadata"),
            entry(402, "Pain", "1001"),
            entry(403, 'Dull "ache"', "1002"),
            entry(404, "Colic", "1003", standard=""),
            entry(405, "Old ache", "1004", standard="", invalid="U"),
            entry(406, "Lost pain", "1005", standard="", invalid="D"),
            entry(501, "Symptoms", "R", "ICD10CM"),
            entry(502, "Pain, unspecified", "1001", "ICD10CM"),
        ],
        "CONCEPT_RELATIONSHIP": [
            relate(402, 401),
            relate(403, 402),
            relate(404, 402),
            relate(404, 403, invalid="D"),
            relate(402, 403, "Subsumes"),
            relate(404, 406),
            relate(502, 501),
            relate(405, 402, "Maps to"),
            relate(405, 403, "Concept replaced by"),
            relate(405, 404, "Concept replaced by", "D"),
            relate(402, 402, "Maps to"),
        ],
        "CONCEPT_SYNONYM": [
            (403, "Aching", ENGLISH),
            (403, "Dolor sordo", SPANISH),
            (405, "Former ache", ENGLISH),
        ],
    }


def write_athena(folder: Path, tables: dict[str, list[tuple[object, ...]]]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, rows in tables.items():
        lines: Iterable[Iterable[object]] = [HEADS[name].split(), *rows]
        (folder / f"{name}.csv").write_text(
            "".join("\t".join(map(str, row)) + "\n" for row in lines), encoding="utf-8", newline=""
        )
    return folder


@pytest.fixture
def download(tmp_path):
    """A folder with the files of `athena`."""
    return write_athena(tmp_path / "athena", athena())


def test_a_vocabulary(download):
    t = om.read_taxonomy(download, vocabulary="SNOMED")
    assert t.ids == ("1000", "1001", "1002", "1003")
    assert t.parents("1002") == t.parents("1003") == ("1001",)
    assert t.labels("1002") == ('Dull "ache"', "Aching")
    assert t.find_alias("403") == ("OMOP concept_id", ["1002"])
    assert t.annotations.code_ids
    assert t.annotations.name == "OMOP SNOMED"
    assert "licence" in t.annotations.licence
    assert [(note.code, note.message.partition(" ")[0]) for note in t.notes] == [("T110", "1")]


def test_withdrawn_concepts_by_code_and_concept_id(download):
    retired = om.read_taxonomy(download, vocabulary="SNOMED").annotations.retired
    updated, deprecated = Retired("replaced by an update", ("1002", "1001")), Retired("deprecated")
    assert dict(retired) == {"1004": updated, "405": updated, "1005": deprecated, "406": deprecated}


def test_a_withdrawn_code_in_use_again_is_valid(tmp_path):
    tables = athena()
    tables["CONCEPT"].append(entry(407, "Twinge", "1005"))
    t = omop.read(write_athena(tmp_path, tables), vocabulary="SNOMED")
    assert t.label("1005") == "Twinge"
    assert set(t.annotations.retired) == {"1004", "405", "406"}


def test_a_domain_of_several_vocabularies_goes_by_concept_id_where_codes_clash(download):
    t = om.read_taxonomy(download, domain="Condition")
    assert t.root == VIRTUAL_ROOT
    assert set(t.children(VIRTUAL_ROOT)) == {"402", "501"}
    assert t.find_alias("1001") == ("code", ["402", "502"])
    assert t.annotations.retired["1004"] == t.annotations.retired["405"]
    assert t.annotations.retired["405"].replacements == ("403", "402")
    assert t.annotations.name == "OMOP Condition"
    assert [note.code for note in t.notes] == ["T102", "T110"]
    assert t.notes[-1].message.startswith("2 is-a links")


@pytest.fixture
def clashing(tmp_path):
    """Concepts 1, 2, 3 with the codes 10, 1, 2."""
    return write_athena(
        tmp_path,
        {
            "CONCEPT": [entry(1, "Thing", "10"), entry(2, "Pain", "1"), entry(3, "Ache", "2")],
            "CONCEPT_RELATIONSHIP": [relate(2, 1), relate(3, 2)],
        },
    )


def test_codes_that_are_other_concepts_numbers_are_noted(clashing):
    t = om.read_taxonomy(clashing)
    assert t.ids == ("10", "1", "2")
    assert dict(t.annotations.aliases) == {"OMOP concept_id": {"3": ("2",)}}
    (note,) = t.notes
    assert (note.code, note.values) == ("T113", ("1", "2"))
    assert "ids='concept_id'" in note.message


def test_what_the_ids_are_can_be_said(clashing, download):
    t = om.read_taxonomy(clashing, ids="concept_id")
    assert (t.ids, t.notes) == (("1", "2", "3"), ())
    assert dict(t.annotations.aliases) == {"code": {"10": ("1",)}}
    t = om.read_taxonomy(clashing, ids="code")
    assert (t.ids, t.notes) == (("10", "1", "2"), ())
    with raises(om.ReadError, parameter="ids", code="T104") as caught:
        om.read_taxonomy(download, domain="Condition", ids="code")
    assert caught.value.parameter == "ids"
    with raises(om.ReadError, parameter="ids") as caught:
        om.read_taxonomy(clashing, ids="codes")
    assert caught.value.parameter == "ids"


def test_a_clash_is_noted_too_where_the_ids_are_concept_ids(tmp_path):
    tables = {
        "CONCEPT": [entry(1, "Thing", "10"), entry(2, "Pain", "1"), entry(3, "Ache", "1")],
        "CONCEPT_RELATIONSHIP": [relate(2, 1), relate(3, 2)],
    }
    t = om.read_taxonomy(write_athena(tmp_path, tables))
    assert dict(t.annotations.aliases) == {"code": {"10": ("1",)}}
    assert (t.notes[0].code, t.notes[0].values) == ("T113", ("1",))


def test_vocabulary_and_domain_together(download):
    t = om.read_taxonomy(download, vocabulary="SNOMED", domain="Condition")
    assert t.ids == ("1001", "1002", "1003")
    assert t.annotations.name == "OMOP SNOMED, Condition"


def test_standard_concepts_only(download):
    t = om.read_taxonomy(download, vocabulary="SNOMED", standard_only=True)
    assert t.ids == ("1000", "1001", "1002")
    assert "1004" in t.annotations.retired


def test_language_of_synonyms(download):
    t = om.read_taxonomy(download, vocabulary="SNOMED", language_concept_id=int(SPANISH))
    assert t.labels("1002") == ('Dull "ache"', "Dolor sordo")


def test_a_concept_without_code_or_name(tmp_path):
    tables = athena()
    tables["CONCEPT"][3] = entry(404, "", "")
    t = omop.read(write_athena(tmp_path, tables), vocabulary="SNOMED")
    assert t.labels("404") == ("404",)
    assert "" not in t.annotations.aliases["code"]


@pytest.mark.parametrize("how", ["file", "relationship file", "lower case", "gzip", "plain and gzip", "no synonyms"])
def test_ways_to_give_a_download(download, how):
    expected = omop.read(download, vocabulary="SNOMED")
    path = download
    for file in list(download.iterdir()):
        if how == "lower case":
            file.rename(file.with_name(file.name.lower()))
        elif "gzip" in how:
            file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
            if how == "gzip":
                file.unlink()
    if how == "file":
        path = download / "CONCEPT.csv"
    elif how == "relationship file":
        path = download / "CONCEPT_RELATIONSHIP.csv"
    elif how == "no synonyms":
        (download / "CONCEPT_SYNONYM.csv").unlink()
    t = om.read_taxonomy(path, vocabulary="SNOMED")
    assert t.ids == expected.ids
    assert t.labels("1002") == (('Dull "ache"',) if how == "no synonyms" else expected.labels("1002"))


def test_a_choice_is_needed_among_several_vocabularies(download):
    with raises(om.ReadError, parameter="vocabulary", suggestions=("SNOMED", "ICD10CM")):
        om.read_taxonomy(download)


def test_a_single_vocabulary_needs_no_choice(tmp_path):
    tables = athena()
    tables["CONCEPT"] = tables["CONCEPT"][:6]
    del tables["CONCEPT_RELATIONSHIP"][6]
    t = om.read_taxonomy(write_athena(tmp_path, tables))
    assert len(t) == 4
    assert t.annotations.name == "OMOP SNOMED"


@pytest.mark.parametrize(
    ("options", "domains"),
    [
        ({"vocabulary": "LOINC"}, ()),
        ({"domain": "Drug"}, ("Condition", "Metadata")),
        ({"vocabulary": "ICD10CM", "domain": "Metadata"}, ("Condition",)),
    ],
)
def test_a_choice_that_holds_nothing_tells_what_there_is(download, options, domains):
    with raises(om.ReadError, code="T105", suggestions=("SNOMED", "ICD10CM", *domains)):
        om.read_taxonomy(download, **options)


BROKEN_DOWNLOADS = [
    ("CONCEPT", "404\tColic", "404", 5, {"code": "cells"}),
    ("CONCEPT", "404\tColic", "403\tColic", 5, {"code": "T104", "values": ("403",)}),
    ("CONCEPT", "406\tLost", "403\tLost", 7, {"code": "T104", "values": ("403",)}),
    ("CONCEPT", "404\tColic", " \tColic", 5, {"code": "T106"}),
    ("CONCEPT_RELATIONSHIP", "relationship_id", "relation", 1, {"code": "no-column", "column": "relationship_id"}),
    ("CONCEPT_RELATIONSHIP", "403\t402\tIs a\t", "403\t402\tIs a", 3, {"code": "cells"}),
    ("CONCEPT_RELATIONSHIP", "402\t401\tIs a", "402\t403\tIs a", 2, {"code": "T101"}),
    ("CONCEPT_SYNONYM", f"403\tAching\t{ENGLISH}", f"403 Aching\t{ENGLISH}", 2, {"code": "cells"}),
    ("CONCEPT_SYNONYM", "language_concept_id", "language", 1, {"code": "no-column", "column": "language_concept_id"}),
]


@pytest.mark.parametrize(("name", "old", "new", "line", "fields"), BROKEN_DOWNLOADS)
def test_broken_downloads_are_reported_with_their_line(download, name, old, new, line, fields):
    file = download / f"{name}.csv"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with raises(om.ReadError, path=file, line=line, **fields):
        om.read_taxonomy(download, vocabulary="SNOMED")


@pytest.mark.parametrize("link", [relate(404, 999), relate(999, 404)])
def test_a_link_to_nowhere_is_reported_when_the_whole_table_is_read(tmp_path, link):
    tables = athena()
    tables["CONCEPT"] = tables["CONCEPT"][:6]
    tables["CONCEPT_RELATIONSHIP"][6] = link
    with raises(om.ReadError, line=8, code="T103"):
        om.read_taxonomy(write_athena(tmp_path, tables))
    assert len(om.read_taxonomy(tmp_path, vocabulary="SNOMED")) == 4


def test_a_download_needs_its_relationships(download):
    (download / "CONCEPT_RELATIONSHIP.csv").unlink()
    with raises(om.ReadError, values=("concept_relationship.csv",), code="no-file") as caught:
        om.read_taxonomy(download, vocabulary="SNOMED")
    assert caught.value.path == download


def test_a_table_of_that_name_with_other_columns_is_not_omop(tmp_path):
    (tmp_path / "concept.csv").write_text("child,parent\nb,a\n")
    assert not omop.can_read(tmp_path)
    assert len(om.read_taxonomy(tmp_path / "concept.csv")) == 2


def test_options_that_are_no_text(download):
    for option in ("vocabulary", "domain"):
        with pytest.raises(om.ReadError) as caught:
            om.read_taxonomy(download, **{option: 5})
        assert caught.value.parameter == option
