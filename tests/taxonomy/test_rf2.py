"""SNOMED CT release files, small and invented but in the true layout."""

from __future__ import annotations

import gzip
import importlib.util
import shutil
from pathlib import Path

import pytest

import ontomask as om
from ontomask.taxonomy import VIRTUAL_ROOT, Retired
from ontomask.taxonomy.readers import omop, rf2

from support.errors import raises
from support.rf2_files import (
    ACCEPTABLE,
    ALTERNATIVE,
    FSN,
    GB,
    INDICATOR,
    POSSIBLY,
    PREFERRED,
    REPLACED,
    ROOT,
    SAME,
    US,
    WAS_A,
    concept,
    description,
    file_of,
    member,
    plant,
    relationship,
    write,
)


@pytest.fixture
def release(tmp_path):
    """A release folder with the files of `plant`."""
    write(tmp_path / "release" / "Snapshot", plant())
    return tmp_path / "release"


def test_a_release(release):
    t = om.read_taxonomy(release)
    assert t.ids == (ROOT, "1001", "1002", "1003")
    assert t.parents("1003") == ("1002",)
    assert t.labels("1001") == ("Gray plant", 'So-called "herb"', "Plant (life)")
    assert t.labels("1002") == ("Tree", "Tree (life)"), "the refset does not list it, but nothing else is there"
    assert t.labels("1003") == ("Árbol alto (vida)",), "any fully specified name is better than none"
    assert t.find("gray plant") == t.find("Plant (life)") == ["1001"]
    assert t.annotations.name == "SNOMED CT INT 20250101"
    assert "licence" in t.annotations.licence
    assert t.annotations.code_ids
    assert t.notes == ()


def test_a_retired_concept_has_its_reason_and_its_best_active_replacement_first(release):
    t = om.read_taxonomy(release)
    assert dict(t.annotations.retired) == {
        "2001": Retired("ambiguous", ("1002", "1001")),
        "2002": Retired("inactive"),
    }


def test_every_association_in_order(tmp_path):
    rows = plant()
    order = (WAS_A, "1186924009", POSSIBLY, "1186921001", ALTERNATIVE, REPLACED, SAME)
    targets = [str(n) for n in range(3001, 3008)]
    rows["Concept"] += map(concept, targets)
    rows["Association"] = [member(n, r, "2002", c) for n, (r, c) in enumerate(zip(order, targets, strict=True))]
    retired = rf2.read(write(tmp_path, rows)).annotations.retired
    assert retired["2002"].replacements == tuple(reversed(targets))


@pytest.mark.parametrize("missing", ["Association", "AttributeValue"])
def test_without_history_files(tmp_path, missing):
    rows = plant()
    del rows[missing]
    expected = Retired("ambiguous") if missing == "Association" else Retired("inactive", ("1002", "1001"))
    assert rf2.read(write(tmp_path, rows)).annotations.retired["2001"] == expected


def given_as(path: Path, how: str) -> Path:
    """The release, handed to the reader in another way."""
    snapshot = path / "Snapshot"
    if how == "side by side":
        write(path / "flat", plant(), flat=True)
        return path / "flat"
    if how == "gzip":
        for file in list(snapshot.rglob("*.txt")):
            file.with_name(file.name + ".gz").write_bytes(gzip.compress(file.read_bytes()))
            file.unlink()
        return path
    if how == "plain and gzip":
        for file in list(snapshot.rglob("*.txt")):
            file.with_name(file.name + ".gz").write_bytes(gzip.compress(file.read_bytes()))
        return path
    if how == "beside Full":
        shutil.copytree(snapshot, path / "Full")
        for file in (path / "Full").rglob("*.txt"):
            file.rename(file.with_name(file.name.replace("Snapshot", "Full")))
        return path
    return {
        "folder of releases": path.parent,
        "Snapshot": snapshot,
        "Terminology": snapshot / "Terminology",
        "concept file": file_of(snapshot, "Concept"),
        "language file": file_of(snapshot, "Language"),
    }[how]


@pytest.mark.parametrize(
    "how",
    [
        "folder of releases",
        "Snapshot",
        "Terminology",
        "concept file",
        "language file",
        "side by side",
        "gzip",
        "plain and gzip",
        "beside Full",
    ],
)
def test_ways_to_give_a_release(release, how):
    expected = rf2.read(release)
    path = given_as(release, how)
    assert rf2.can_read(path)
    t = om.read_taxonomy(path)
    assert t.ids == expected.ids
    assert [t.labels(c) for c in t.ids] == [expected.labels(c) for c in t.ids]
    assert dict(t.annotations.retired) == dict(expected.annotations.retired)
    assert t.notes == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sct2_Concept_Snapshot_INT_20250101", "xsct2_Concept_Snapshot_INT_20250101"),
        ("sct2_Concept_Snapshot_INT_20250101", "sct2_Concept_UKEDSnapshot_GB_20250101"),
        ("sct2_Description_Snapshot-en_INT", "sct2_Description_SpanishExtensionSnapshot-es-ES_INT"),
        ("der2_cRefset_AssociationSnapshot", "der2_cRefset_AssociationReferenceSnapshot"),
        ("der2_cRefset_AssociationSnapshot", "der2_cRefset_AlternativeAssociationSnapshot"),
    ],
)
def test_names_that_national_and_older_releases_use(release, old, new):
    expected = rf2.read(release)
    [file] = [file for file in release.rglob("*.txt") if old in file.name]
    file.rename(file.with_name(file.name.replace(old, new)))
    t = om.read_taxonomy(release)
    assert t.ids == expected.ids
    assert t.annotations.retired == expected.annotations.retired
    assert t.labels("1001") == expected.labels("1001")


def test_columns_go_by_name(release):
    for file in release.rglob("*.txt"):
        lines = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
        file.write_text("\n".join("\t".join(reversed(line)) for line in lines) + "\n\n", encoding="utf-8")
    t = rf2.read(release)
    assert t.labels("1001") == ("Gray plant", 'So-called "herb"', "Plant (life)")
    assert t.parents("1003") == ("1002",)


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ({"dialect": "us"}, ("Gray plant", 'So-called "herb"', "Plant (life)")),
        ({"dialect": "GB"}, ("Grey plant", "Plant (life)")),
        ({"dialect": GB, "language": "EN"}, ("Grey plant", "Plant (life)")),
        ({"language": "de"}, ("Plant (life)",)),
    ],
)
def test_language_and_dialect(release, options, labels):
    assert om.read_taxonomy(release, **options).labels("1001") == labels


def test_another_language_without_a_refset(release):
    t = om.read_taxonomy(release, language="de")
    assert t.labels("1002") == ("Baum",)
    assert [note.code for note in t.notes] == ["T111"]


def test_without_us_english_the_refset_with_most_terms_is_taken(tmp_path):
    rows = plant()
    rows["Language"] = [row for row in rows["Language"] if row[4] != US]
    rows["Language"] += [member(8, "77", "15", PREFERRED), member(9, "78", "22", PREFERRED)]
    assert rf2.read(write(tmp_path, rows)).label("1001") == "Grey plant"
    assert rf2.read(tmp_path, dialect="77").label("1001") == "Gray plant"


def test_a_country_behind_the_language_code_is_the_same_language(tmp_path):
    rows = plant()
    rows["Description"] = [
        description("12", ROOT, "Thing", language="en-GB"),
        description("13", "1001", "X", FSN, "eng"),
    ]
    t = rf2.read(write(tmp_path, rows))
    assert (t.labels(ROOT), t.labels("1001"), t.labels("1002")) == (("Thing",), ("X",), ("1002",))


def test_without_a_language_refset_the_first_synonym_is_preferred(tmp_path):
    rows = plant()
    del rows["Language"]
    t = rf2.read(write(tmp_path, rows))
    assert t.labels("1001") == ("Grey plant", "Gray plant", 'So-called "herb"', "Plant (life)")
    assert [note.code for note in t.notes] == ["T111"]
    with raises(om.ReadError, values=("gb",), parameter="dialect", suggestions=()) as caught:
        rf2.read(tmp_path, dialect="gb")
    assert caught.value.parameter == "dialect"


def test_a_term_listed_twice_is_preferred_if_it_is_so_once(tmp_path):
    rows = plant()
    rows["Language"] += [member(8, US, "14", PREFERRED), member(9, US, "14", ACCEPTABLE)]
    assert rf2.read(write(tmp_path, rows)).labels("1001")[:2] == ("Grey plant", "Gray plant")


def test_packages_in_one_folder_and_the_latest_version_wins(tmp_path):
    later, earlier = "20250301", "20240901"
    write(tmp_path / "international" / "Snapshot", plant())
    extension = {
        "Concept": [concept("1003", 0, later), concept("2002", 1, later), concept("4001"), concept("1002", 0, earlier)],
        "Description": [
            description("15", "1001", "Gray plant", active=0, time=later),
            description("16", "1001", "Any herb", time=later),
            description("12", ROOT, "Object", time=earlier),
            description("41", "4001", "Palm"),
        ],
        "Relationship": [
            relationship("103", "1003", "1002", active=0, time=later),
            relationship("301", "4001", "1002"),
            relationship("302", "2002", "1001", time=later),
        ],
        "Language": [member(2, US, "16", PREFERRED, time=later), member(3, US, "15", PREFERRED, active=0, time=later)],
        "Association": [member(22, SAME, "2001", "1002", active=0, time=later), member(41, SAME, "1003", "4001")],
        "AttributeValue": [member(31, INDICATOR, "2001", "900000000000482003", time=later)],
    }
    write(tmp_path / "extension" / "Snapshot", extension, edition="XX1000001")
    t = om.read_taxonomy(tmp_path)
    assert set(t.ids) == {ROOT, "1001", "1002", "2002", "4001"}
    assert t.parents("4001") == ("1002",)
    assert t.labels("1001") == ("Any herb", "Plant (life)")
    assert t.labels(ROOT) == ("Thing", "Thing (thing)")
    assert dict(t.annotations.retired) == {
        "1003": Retired("inactive", ("4001",)),
        "2001": Retired("duplicate", ("2002", "1001")),
    }
    assert t.annotations.name == "SNOMED CT XX1000001 20250101 + INT 20250101"

    with raises(om.ReadError, line=3, code="T103"):
        rf2.read(tmp_path / "extension")


def test_links_from_inactive_or_unknown_concepts_are_reported(tmp_path):
    rows = plant()
    rows["Relationship"] += [relationship("106", "2001", ROOT), relationship("107", "1003", "9009")]
    with raises(om.ReadError, line=7, code="T103") as caught:
        om.read_taxonomy(write(tmp_path, rows))
    assert (caught.value.path, caught.value.line, caught.value.code) == (file_of(tmp_path, "Relationship"), 7, "T103")


@pytest.mark.parametrize("second", [False, True])
def test_a_cycle_is_reported_with_its_file_and_line(tmp_path, second):
    rows = plant()
    back = relationship("106", "1001", "1003")
    if second:
        write(tmp_path, {"Relationship": [back]}, edition="XX1000001")
    else:
        rows["Relationship"].append(back)
    with raises(om.ReadError, code="T101") as caught:
        rf2.read(write(tmp_path, rows))
    lines = {file_of(tmp_path, "Relationship"): (3, 4, 7), file_of(tmp_path, "Relationship", "XX1000001"): (2,)}
    assert caught.value.line in lines[caught.value.path]
    assert f"{caught.value.path.name}, line {caught.value.line}:" in str(caught.value)


def test_several_roots_get_a_virtual_one(tmp_path):
    rows = plant()
    del rows["Relationship"][0]
    t = rf2.read(write(tmp_path, rows))
    assert t.root == VIRTUAL_ROOT
    assert [note.code for note in t.notes] == ["T102"]
    assert t.labels(VIRTUAL_ROOT) == (VIRTUAL_ROOT,)


BROKEN_RELEASES = [
    ("Concept", "\t1\t", "\t", 2, {"code": "cells"}),
    ("Concept", "1001\t", "1OO1\t", 3, {"code": "T106", "values": ("1OO1",)}),
    ("Concept", "1001\t20250101", "1001\t2025-01-01", 3, {"column": "effectiveTime", "values": ("2025-01-01",)}),
    ("Concept", "1001\t20250101\t1", "1001\t20250101\tyes", 3, {"column": "active", "values": ("yes",)}),
    ("Concept", "active", "aktiv", 1, {"code": "no-column", "column": "active"}),
    ("Description", "conceptId", "concept", 1, {"code": "no-column", "column": "conceptId"}),
    ("Description", 'So-called "herb"', 'So-called\t"herb"', 7, {"code": "cells"}),
    ("Description", "Gray plant", " ", 6, {"code": "empty"}),
    ("Description", "15\t2025", "x5\t2025", 6, {"code": "not-an-id"}),
    ("Description", "15\t2025", "9" * 30 + "\t2025", 6, {"code": "not-an-id"}),
    ("Relationship", "typeId", "type", 1, {"code": "no-column", "column": "typeId"}),
    ("Relationship", "\t0\t363698007", "\t363698007", 6, {"code": "cells"}),
    ("Relationship", "102\t20250101\t1", "102\t20250101\t", 3, {"column": "active", "values": ("",)}),
    ("Language", "\t15\t", "\tfifteen\t", 4, {"code": "not-an-id"}),
    ("Language", "refsetId", "refset", 1, {"code": "no-column", "column": "refsetId"}),
    ("Association", "targetComponentId", "target", 1, {"code": "no-column", "column": "targetComponentId"}),
    ("AttributeValue", "valueId", "value", 1, {"code": "no-column", "column": "valueId"}),
]


@pytest.mark.parametrize(("kind", "old", "new", "line", "fields"), BROKEN_RELEASES)
def test_broken_release_files_are_reported_with_their_line(release, kind, old, new, line, fields):
    file = file_of(release / "Snapshot", kind)
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with raises(om.ReadError, path=file, line=line, **fields):
        om.read_taxonomy(release)


def test_a_bad_date_in_a_second_package_is_reported(tmp_path):
    write(tmp_path, plant())
    write(tmp_path, {"Relationship": [relationship("301", "1003", ROOT, time="soon")]}, edition="XX1000001")
    with raises(om.ReadError, line=2, column="effectiveTime", values=("soon",)):
        rf2.read(tmp_path)


def test_a_truncated_gzip_file_is_reported(release):
    file = file_of(release / "Snapshot", "Description")
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes())[:-40])
    file.unlink()
    with raises(om.ReadError, line=1, code="damaged"):
        om.read_taxonomy(release)


def test_an_empty_file_is_reported(release):
    file = file_of(release / "Snapshot", "Relationship")
    file.write_text("")
    with raises(om.ReadError, line=1, column="id", code="no-column"):
        om.read_taxonomy(release)


def test_full_and_delta_are_refused(release):
    for file in list(release.rglob("*.txt")):
        file.rename(file.with_name(file.name.replace("Snapshot", "Full")))
    shutil.move(release / "Snapshot", release / "Full")
    assert rf2.can_read(release)
    assert rf2.can_read(release / "Full")
    with raises(om.ReadError, code="no-snapshot"):
        om.read_taxonomy(release)
    (release / "sct2_Concept_Delta_INT_20250101.txt").write_text("")
    with raises(om.ReadError, code="no-snapshot"):
        om.read_taxonomy(release)


@pytest.mark.parametrize("kind", ["Description", "Relationship"])
def test_needed_files(tmp_path, kind):
    rows = plant()
    del rows[kind]
    write(tmp_path, rows)
    (tmp_path / "Terminology" / "sct2_StatedRelationship_Snapshot_INT_20250101.txt").write_text("")
    (tmp_path / "Terminology" / "sct2_TextDefinition_Snapshot-en_INT_20250101.txt").write_text("")
    with raises(om.ReadError, code="no-file"):
        om.read_taxonomy(tmp_path)


def test_wrong_choices_tell_what_there_is(release):
    with raises(om.ReadError, values=("sv",), parameter="language") as caught:
        om.read_taxonomy(release, language="sv")
    assert caught.value.parameter == "language"
    with raises(om.ReadError, values=("au",), parameter="dialect") as caught:
        om.read_taxonomy(release, dialect="au")
    assert caught.value.parameter == "dialect"
    empty = release / "empty"
    empty.mkdir()
    with raises(om.ReadError, code="no-file"):
        om.read_taxonomy(empty, format="rf2")


def test_options_that_are_no_text(release):
    for name, value in (("language", None), ("dialect", 5)):
        with pytest.raises(om.ReadError) as caught:
            om.read_taxonomy(release, **{name: value})
        assert caught.value.parameter == name


def test_a_concept_twice_in_a_file_is_refused(tmp_path):
    rows = plant()
    rows["Concept"].append(concept("1002", 0))
    folder = write(tmp_path / "a", rows)
    with raises(om.ReadError, line=8, code="T104") as caught:
        om.read_taxonomy(folder)
    assert (caught.value.path, caught.value.line) == (file_of(folder, "Concept"), 8)


def test_a_concept_twice_in_several_packages_or_versions_is_fine(tmp_path):
    write(tmp_path / "international" / "Snapshot", plant())
    extension = {"Concept": [concept("1002"), concept("1003", 0, "20240101"), concept("1003")]}
    write(tmp_path / "extension" / "Snapshot", extension, edition="ES")
    assert len(om.read_taxonomy(tmp_path)) == 4


def test_no_active_concept(tmp_path):
    rows = plant()
    rows["Concept"] = [concept(ROOT, 0)]
    with raises(om.ReadError, code="T105"):
        rf2.read(write(tmp_path, rows))


def test_other_input_is_left_to_other_readers(tmp_path):
    (tmp_path / "sct2_Concept_Snapshot_INT_20250101.txt.bak").write_text("")
    (tmp_path / "edges.csv").write_text("child,parent\nb,a\n")
    for path in (tmp_path, tmp_path / "edges.csv", tmp_path / "absent", Path("\0")):
        assert not rf2.can_read(path)
        assert not omop.can_read(path)


def test_an_unreadable_folder_is_not_recognised(tmp_path, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert not rf2.can_read(tmp_path)
    assert not omop.can_read(tmp_path)


def test_a_generated_release(tmp_path):
    script = Path(__file__).parents[2] / "benchmarks" / "make_rf2.py"
    if not script.is_file():
        pytest.skip("the benchmarks are not part of this distribution")
    spec = importlib.util.spec_from_file_location("make_rf2", script)
    assert spec is not None
    assert spec.loader is not None
    make_rf2 = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_rf2)
    plain = make_rf2.make(tmp_path / "plain", 300)
    packed = make_rf2.make(tmp_path / "packed", 300, compress=True)
    t, same = om.read_taxonomy(plain), om.read_taxonomy(packed)
    assert (len(t), t.root, t.notes) == (300, ROOT, ())
    assert t.ids == same.ids
    assert t.texts.store.text == same.texts.store.text
    assert len(t.annotations.retired) == 25
    assert all(len(r.replacements) == 1 and r.reason != "inactive" for r in t.annotations.retired.values())
    assert all(t.label(c) in t.labels(c)[-1] for c in t.ids), "the fully specified name is the preferred term and a tag"
