"""SNOMED CT release files and OMOP vocabularies, small and invented but in the true layout."""

from __future__ import annotations

import gzip
import importlib.util
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

import ontomask as om
from ontomask.taxonomy import VIRTUAL_ROOT, Retired
from ontomask.taxonomy.readers import omop, rf2

ROOT, IS_A, SITE = "138875005", "116680003", "363698007"
FSN, SYNONYM, DEFINITION = "900000000000003001", "900000000000013009", "900000000000550004"
US, GB = "900000000000509007", "900000000000508004"
PREFERRED, ACCEPTABLE = "900000000000548007", "900000000000549004"
MODULE = "900000000000207008"
INDICATOR = "900000000000489007"
SAME, REPLACED, POSSIBLY = "900000000000527005", "900000000000526001", "900000000000523009"
WAS_A, ALTERNATIVE, MOVED = "900000000000528000", "900000000000530003", "900000000000524003"

MEMBER = "id effectiveTime active moduleId refsetId referencedComponentId"
LAYOUT = {
    "Concept": ("Terminology/sct2_Concept_Snapshot", "id effectiveTime active moduleId definitionStatusId"),
    "Description": (
        "Terminology/sct2_Description_Snapshot-en",
        "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
    ),
    "Relationship": (
        "Terminology/sct2_Relationship_Snapshot",
        "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId characteristicTypeId "
        "modifierId",
    ),
    "Language": ("Refset/Language/der2_cRefset_LanguageSnapshot-en", f"{MEMBER} acceptabilityId"),
    "Association": ("Refset/Content/der2_cRefset_AssociationSnapshot", f"{MEMBER} targetComponentId"),
    "AttributeValue": ("Refset/Content/der2_cRefset_AttributeValueSnapshot", f"{MEMBER} valueId"),
}


def concept(sctid, active=1, time="20250101"):
    return (sctid, time, active, MODULE, "900000000000074008")


def description(sctid, of, term, kind=SYNONYM, language="en", active=1, time="20250101"):
    return (sctid, time, active, MODULE, of, language, kind, term, "900000000000448009")


def relationship(sctid, low, high, kind=IS_A, active=1, time="20250101"):
    return (sctid, time, active, MODULE, low, high, 0, kind, "900000000000011006", "900000000000451002")


def member(number, refset, component, value, active=1, time="20250101"):
    return (f"8e3f4c1a-0000-4000-8000-{number:012}", time, active, MODULE, refset, component, value)


def plant() -> dict[str, list[tuple[object, ...]]]:
    """Things, plants, trees and one retired bush; rows by kind of file, to be changed by each test."""
    return {
        "Concept": [concept(ROOT), *map(concept, ("1001", "1002", "1003")), concept("2001", 0), concept("2002", 0)],
        "Description": [
            description("11", ROOT, "Thing (thing)", FSN),
            description("12", ROOT, "Thing"),
            description("13", "1001", "Plant (life)", FSN),
            description("14", "1001", "Grey plant"),
            description("15", "1001", "Gray plant"),
            description("16", "1001", 'So-called "herb"'),
            description("17", "1001", "Old plant", active=0),
            description("18", "1001", "A plant is what stands still.", DEFINITION),
            description("19", "1002", "Tree (life)", FSN),
            description("20", "1002", "Tree"),
            description("21", "1002", "Baum", language="de"),
            description("22", "1003", "Árbol alto (vida)", FSN, "es"),
            description("23", "2001", "Bush"),
        ],
        "Relationship": [
            relationship("101", "1001", ROOT),
            relationship("102", "1002", "1001"),
            relationship("103", "1003", "1002"),
            relationship("104", "1003", ROOT, active=0),
            relationship("105", "1003", "1001", SITE),
        ],
        "Language": [
            member(1, US, "12", PREFERRED),
            member(2, US, "16", ACCEPTABLE),
            member(3, US, "15", PREFERRED),
            member(4, GB, "12", PREFERRED),
            member(5, GB, "14", PREFERRED),
            member(6, GB, "20", ACCEPTABLE),
            member(7, US, "20", PREFERRED, active=0),
        ],
        "Association": [
            member(21, WAS_A, "2001", "1001"),
            member(22, SAME, "2001", "1002"),
            member(23, REPLACED, "2001", "2002"),
            member(24, REPLACED, "2001", "1003", active=0),
            member(25, MOVED, "2001", ROOT),
        ],
        "AttributeValue": [
            member(31, INDICATOR, "2001", "900000000000484002"),
            member(32, "900000000000490003", "23", "900000000000495008"),
        ],
    }


def file_of(folder: Path, kind: str, edition: str = "INT", flat: bool = False) -> Path:
    stem = LAYOUT[kind][0]
    return folder / f"{stem.rsplit('/', 1)[-1] if flat else stem}_{edition}_20250101.txt"


def write(folder: Path, rows: dict[str, list[tuple[object, ...]]], *, edition="INT", flat=False, end="\r\n") -> Path:
    for kind, lines in rows.items():
        path = file_of(folder, kind, edition, flat)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = ["\t".join(LAYOUT[kind][1].split()), *("\t".join(map(str, line)) for line in lines)]
        path.write_text("".join(line + end for line in text), encoding="utf-8", newline="")
    return folder


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
    assert [str(note) for note in t.notes] == [
        "T111: no language refset tells the preferred terms in 'de': each concept's first synonym in the file is taken "
        "for it"
    ]


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
    with pytest.raises(om.ReadError, match=r"no language refset 'gb'.*those that are here.*: none"):
        rf2.read(tmp_path, dialect="gb")


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

    with pytest.raises(om.ReadError, match=r"(?s)\[T103\].*XX1000001_20250101\.txt, line 3: the link '4001' → '1002'"):
        rf2.read(tmp_path / "extension")


def test_links_from_inactive_or_unknown_concepts_are_told(tmp_path):
    rows = plant()
    rows["Relationship"] += [relationship("106", "2001", ROOT), relationship("107", "1003", "9009")]
    pattern = (
        r"\[T103\] .*Relationship.*, line 7: the link '2001' → '138875005' .*'2001', '9009'.*International Edition"
    )
    with pytest.raises(om.ReadError, match=pattern) as caught:
        om.read_taxonomy(write(tmp_path, rows))
    assert (caught.value.path, caught.value.line, caught.value.code) == (file_of(tmp_path, "Relationship"), 7, "T103")


@pytest.mark.parametrize("second", [False, True])
def test_a_cycle_is_told_with_its_file_and_line(tmp_path, second):
    rows = plant()
    back = relationship("106", "1001", "1003")
    if second:
        write(tmp_path, {"Relationship": [back]}, edition="XX1000001")
    else:
        rows["Relationship"].append(back)
    with pytest.raises(
        om.ReadError, match=r"(?s)^\[T101\] .*, line \d+: the is-a links contain a cycle.*1001"
    ) as caught:
        rf2.read(write(tmp_path, rows))
    place = {file_of(tmp_path, "Relationship"): (3, 4, 7), file_of(tmp_path, "Relationship", "XX1000001"): (2,)}
    assert caught.value.line in place[caught.value.path]
    assert f"{caught.value.path.name}, line {caught.value.line}:" in str(caught.value)


def test_several_roots_get_a_virtual_one(tmp_path):
    rows = plant()
    del rows["Relationship"][0]
    t = rf2.read(write(tmp_path, rows))
    assert t.root == VIRTUAL_ROOT
    assert [note.code for note in t.notes] == ["T102"]
    assert t.labels(VIRTUAL_ROOT) == (VIRTUAL_ROOT,)


BROKEN_RELEASES = [
    ("Concept", "\t1\t", "\t", 2, "has 4 cells, but the header has 5"),
    ("Concept", "1001\t", "1OO1\t", 3, r"\[T106\].*'1OO1' is not a number"),
    ("Concept", "1001\t20250101", "1001\t2025-01-01", 3, "effectiveTime is '2025-01-01'"),
    ("Concept", "1001\t20250101\t1", "1001\t20250101\tyes", 3, "active is 'yes'; it must be 0 or 1"),
    ("Concept", "active", "aktiv", 1, "header lacks 'active'.*'aktiv'"),
    ("Description", "conceptId", "concept", 1, "header lacks 'conceptId'"),
    ("Description", 'So-called "herb"', 'So-called\t"herb"', 7, "has 10 cells, but the header has 9"),
    ("Description", "Gray plant", " ", 6, "the term is empty"),
    ("Description", "15\t2025", "x5\t2025", 6, "'x5' is not an SCTID"),
    ("Description", "15\t2025", "9" * 30 + "\t2025", 6, "is not an SCTID"),
    ("Relationship", "typeId", "type", 1, "header lacks 'typeId'"),
    ("Relationship", "\t0\t363698007", "\t363698007", 6, "has 9 cells"),
    ("Relationship", "102\t20250101\t1", "102\t20250101\t", 3, "active is ''"),
    ("Language", "\t15\t", "\tfifteen\t", 4, "'fifteen' is not an SCTID"),
    ("Language", "refsetId", "refset", 1, "header lacks 'refsetId'"),
    ("Association", "targetComponentId", "target", 1, "header lacks 'targetComponentId'"),
    ("AttributeValue", "valueId", "value", 1, "header lacks 'valueId'"),
]


@pytest.mark.parametrize(("kind", "old", "new", "line", "message"), BROKEN_RELEASES)
def test_broken_release_files_are_told_with_their_line(release, kind, old, new, line, message):
    file = file_of(release / "Snapshot", kind)
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(om.ReadError, match=message) as caught:
        om.read_taxonomy(release)
    assert (caught.value.path, caught.value.line) == (file, line)


def test_a_bad_date_in_a_second_package_is_told(tmp_path):
    write(tmp_path, plant())
    write(tmp_path, {"Relationship": [relationship("301", "1003", ROOT, time="soon")]}, edition="XX1000001")
    with pytest.raises(om.ReadError, match=r"XX1000001_20250101\.txt, line 2: effectiveTime is 'soon'"):
        rf2.read(tmp_path)


def test_a_cut_gzip_file_is_told(release):
    file = file_of(release / "Snapshot", "Description")
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes())[:-40])
    file.unlink()
    with pytest.raises(om.ReadError, match=r"txt\.gz, line \d+: the file breaks off"):
        om.read_taxonomy(release)


def test_an_empty_file_is_told(release):
    file = file_of(release / "Snapshot", "Relationship")
    file.write_text("")
    with pytest.raises(om.ReadError, match=r"Relationship.*, line 1: the header lacks .*It is empty"):
        om.read_taxonomy(release)


def test_full_and_delta_are_refused(release):
    for file in list(release.rglob("*.txt")):
        file.rename(file.with_name(file.name.replace("Snapshot", "Full")))
    shutil.move(release / "Snapshot", release / "Full")
    assert rf2.can_read(release)
    assert rf2.can_read(release / "Full")
    with pytest.raises(om.ReadError, match=r"release: holds Full files only.*use the Snapshot files"):
        om.read_taxonomy(release)
    (release / "sct2_Concept_Delta_INT_20250101.txt").write_text("")
    with pytest.raises(om.ReadError, match="holds Full and Delta files only"):
        om.read_taxonomy(release)


@pytest.mark.parametrize("kind", ["Description", "Relationship"])
def test_needed_files(tmp_path, kind):
    rows = plant()
    del rows[kind]
    write(tmp_path, rows)
    (tmp_path / "Terminology" / "sct2_StatedRelationship_Snapshot_INT_20250101.txt").write_text("")
    (tmp_path / "Terminology" / "sct2_TextDefinition_Snapshot-en_INT_20250101.txt").write_text("")
    with pytest.raises(om.ReadError, match=f"there is no {kind.lower()} file"):
        om.read_taxonomy(tmp_path)


def test_wrong_choices_tell_what_there_is(release):
    with pytest.raises(om.ReadError, match=r"in the language 'sv'\. It has: 'en' \(\d\), 'de' \(1\), 'es' \(1\)"):
        om.read_taxonomy(release, language="sv")
    with pytest.raises(om.ReadError, match=rf"no language refset 'au'.*'{GB}' \(3\), '{US}' \(3\)"):
        om.read_taxonomy(release, dialect="au")
    empty = release / "empty"
    empty.mkdir()
    with pytest.raises(om.ReadError, match="there is no RF2 concept file"):
        om.read_taxonomy(empty, format="rf2")


def test_options_that_are_no_text(release, download):
    with pytest.raises(om.ReadError, match=r"language must be a text such as 'en'\. Got None"):
        om.read_taxonomy(release, language=None)
    with pytest.raises(om.ReadError, match=r"dialect must be a text such as 'us' or None\. Got 5"):
        om.read_taxonomy(release, dialect=5)
    for option in ("vocabulary", "domain"):
        with pytest.raises(om.ReadError, match=rf"{option} must be a text.*Got 5"):
            om.read_taxonomy(download, **{option: 5})


def test_a_concept_twice_in_a_file_is_refused(tmp_path):
    rows = plant()
    rows["Concept"].append(concept("1002", 0))
    folder = write(tmp_path / "a", rows)
    with pytest.raises(om.ReadError, match=r"\[T104\].*'1002' is in the file a second time, as of 20250101") as caught:
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
    with pytest.raises(om.ReadError, match=r"\[T105\].*Concept.*no active concept"):
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
    assert [str(note) for note in t.notes] == [
        "T110: 1 is-a link was left out, as the parent was not chosen or is no longer valid"
    ]


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
    assert t.notes[-1].message.startswith("2 is-a links were left out")


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
    assert [str(note) for note in t.notes] == [
        "T113: 2 numbers are one concept's code and another's concept_id; they are read as codes: "
        "say ids='concept_id' if the column holds these"
    ]


def test_what_the_ids_are_can_be_said(clashing, download):
    t = om.read_taxonomy(clashing, ids="concept_id")
    assert (t.ids, t.notes) == (("1", "2", "3"), ())
    assert dict(t.annotations.aliases) == {"code": {"10": ("1",)}}
    t = om.read_taxonomy(clashing, ids="code")
    assert (t.ids, t.notes) == (("10", "1", "2"), ())
    with pytest.raises(om.ReadError, match=r"\[T104\].*codes cannot be ids.*ids='concept_id'"):
        om.read_taxonomy(download, domain="Condition", ids="code")
    with pytest.raises(om.ReadError, match=r"ids='codes' is not a choice\. Take 'code' or 'concept_id'"):
        om.read_taxonomy(clashing, ids="codes")


def test_a_clash_is_noted_too_where_the_ids_are_concept_ids(tmp_path):
    tables = {
        "CONCEPT": [entry(1, "Thing", "10"), entry(2, "Pain", "1"), entry(3, "Ache", "1")],
        "CONCEPT_RELATIONSHIP": [relate(2, 1), relate(3, 2)],
    }
    t = om.read_taxonomy(write_athena(tmp_path, tables))
    assert dict(t.annotations.aliases) == {"code": {"10": ("1",)}}
    assert str(t.notes[0]).startswith("T113: 1 number is one concept's code and another's concept_id; it is read as")


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
    with pytest.raises(om.ReadError, match=r"CONCEPT.csv: holds several vocabularies.*'SNOMED' \(6\), 'ICD10CM' \(2\)"):
        om.read_taxonomy(download)


def test_a_single_vocabulary_needs_no_choice(tmp_path):
    tables = athena()
    tables["CONCEPT"] = tables["CONCEPT"][:6]
    del tables["CONCEPT_RELATIONSHIP"][6]
    t = om.read_taxonomy(write_athena(tmp_path, tables))
    assert len(t) == 4
    assert t.annotations.name == "OMOP SNOMED"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocabulary": "LOINC"}, r"vocabulary 'LOINC'\).*'SNOMED' \(6\), 'ICD10CM' \(2\)"),
        ({"domain": "Drug"}, r"domain 'Drug'\).*Domains: 'Condition' \(7\), 'Metadata' \(1\)"),
        (
            {"vocabulary": "ICD10CM", "domain": "Metadata"},
            r"vocabulary 'ICD10CM', domain 'Metadata'\).*Domains in that vocabulary: 'Condition' \(2\)",
        ),
    ],
)
def test_a_choice_that_holds_nothing_tells_what_there_is(download, options, message):
    with pytest.raises(om.ReadError, match=message) as caught:
        om.read_taxonomy(download, **options)
    assert caught.value.code == "T105"


BROKEN_DOWNLOADS = [
    ("CONCEPT", "404\tColic", "404", 5, "has 9 cells, but the header has 10"),
    ("CONCEPT", "404\tColic", "403\tColic", 5, r"\[T104\].*'403' was declared before"),
    ("CONCEPT", "406\tLost", "403\tLost", 7, r"\[T104\].*'403' was declared before"),
    ("CONCEPT", "404\tColic", " \tColic", 5, r"\[T106\].*concept_id is empty"),
    ("CONCEPT_RELATIONSHIP", "relationship_id", "relation", 1, "header lacks 'relationship_id'"),
    ("CONCEPT_RELATIONSHIP", "403\t402\tIs a\t", "403\t402\tIs a", 3, "has 5 cells"),
    ("CONCEPT_RELATIONSHIP", "402\t401\tIs a", "402\t403\tIs a", 2, r"\[T101\].*cycle"),
    ("CONCEPT_SYNONYM", f"403\tAching\t{ENGLISH}", f"403 Aching\t{ENGLISH}", 2, "has 2 cells"),
    ("CONCEPT_SYNONYM", "language_concept_id", "language", 1, "header lacks 'language_concept_id'"),
]


@pytest.mark.parametrize(("name", "old", "new", "line", "message"), BROKEN_DOWNLOADS)
def test_broken_downloads_are_told_with_their_line(download, name, old, new, line, message):
    file = download / f"{name}.csv"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(om.ReadError, match=message) as caught:
        om.read_taxonomy(download, vocabulary="SNOMED")
    assert (caught.value.path, caught.value.line) == (file, line)


@pytest.mark.parametrize("link", [relate(404, 999), relate(999, 404)])
def test_a_link_to_nowhere_is_told_when_the_whole_table_is_read(tmp_path, link):
    tables = athena()
    tables["CONCEPT"] = tables["CONCEPT"][:6]
    tables["CONCEPT_RELATIONSHIP"][6] = link
    with pytest.raises(om.ReadError, match=r"\[T103\].*CONCEPT_RELATIONSHIP.csv, line 8: .*'999'.*vocabulary="):
        om.read_taxonomy(write_athena(tmp_path, tables))
    assert len(om.read_taxonomy(tmp_path, vocabulary="SNOMED")) == 4


def test_a_download_needs_its_relationships(download):
    (download / "CONCEPT_RELATIONSHIP.csv").unlink()
    with pytest.raises(om.ReadError, match=r"athena: there is no CONCEPT_RELATIONSHIP\.csv"):
        om.read_taxonomy(download, vocabulary="SNOMED")


def test_a_table_of_that_name_with_other_columns_is_not_omop(tmp_path):
    (tmp_path / "concept.csv").write_text("child,parent\nb,a\n")
    assert not omop.can_read(tmp_path)
    assert len(om.read_taxonomy(tmp_path / "concept.csv")) == 2
