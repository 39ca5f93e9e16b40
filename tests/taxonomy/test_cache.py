from __future__ import annotations

import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

import ontomask as om
from ontomask.taxonomy import Annotations, Retired, cache

LINKS = "child,parent\nfruit,\napple,fruit\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache for ontologies that are read in no time, and a counter of those that are read."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_LONG", 0.0)
    reads: list[Path] = []

    def read(path, format=None, **options):
        reads.append(path)
        return om.read_taxonomy(path, format, **options)

    monkeypatch.setattr(cache, "read_taxonomy", read)
    (tmp_path / "links.csv").write_text(LINKS)
    return tmp_path, reads


def entries(folder):
    return sorted((folder / "cache").glob("*.taxonomy"))


def test_the_second_time_comes_from_the_cache(folder):
    path, reads = folder
    first, second = cache.read_cached(path / "links.csv"), cache.read_cached(path / "links.csv")
    assert len(reads) == 1
    assert first.ids == second.ids
    assert first.annotations.name == second.annotations.name == "links"


def test_other_content_options_and_names_are_read_anew(folder):
    path, reads = folder
    cache.read_cached(path / "links.csv")
    (path / "links.csv").write_text(LINKS + "pear,fruit\n")
    assert "pear" in cache.read_cached(path / "links.csv")
    assert cache.read_cached(path / "links.csv", "edges", name="mine").annotations.name == "mine"
    (path / "links.csv").rename(path / "other.csv")
    assert cache.read_cached(path / "other.csv").annotations.name == "other"
    assert len(reads) == 4


def test_changed_readers_read_anew(folder, monkeypatch):
    path, reads = folder
    cache.read_cached(path / "links.csv")
    monkeypatch.setattr(cache, "_readers", lambda: "another version")
    cache.read_cached(path / "links.csv")
    assert len(reads) == 2


@pytest.mark.parametrize("damage", ["bit", "empty", "no checksum", "other taxonomy"])
def test_damaged_entries_are_never_used(folder, damage):
    path, reads = folder
    cache.read_cached(path / "links.csv")
    (entry,) = entries(path)
    if damage == "bit":
        content = bytearray(entry.read_bytes())
        content[len(content) // 2] ^= 1
        entry.write_bytes(content)
    elif damage == "empty":
        entry.write_bytes(b"")
    elif damage == "no checksum":
        entry.with_suffix(".sha256").unlink()
    else:
        om.save_taxonomy(om.Taxonomy.from_edges([("evil", "root")]), entry)
    assert cache.read_cached(path / "links.csv").ids == ("fruit", "apple")
    assert len(reads) == 2
    assert cache.read_cached(path / "links.csv").ids == ("fruit", "apple")
    assert len(reads) == 2  # the entry was written again


@pytest.mark.parametrize("off", ["off", "OFF", "0"])
def test_the_cache_can_be_switched_off(folder, monkeypatch, off):
    path, reads = folder
    monkeypatch.setenv(cache.VARIABLE, off)
    for _ in range(2):
        cache.read_cached(path / "links.csv")
    assert len(reads) == 2
    assert not (path / "cache").exists()


def test_what_is_read_fast_is_not_cached(folder, monkeypatch):
    path, _ = folder
    monkeypatch.setattr(cache, "_LONG", 60.0)
    cache.read_cached(path / "links.csv")
    assert not (path / "cache").exists()


def test_a_folder_that_cannot_be_written_does_not_matter(folder, monkeypatch):
    path, _ = folder
    (path / "file").write_text("")
    monkeypatch.setenv(cache.VARIABLE, str(path / "file" / "cache"))
    assert cache.read_cached(path / "links.csv").root == "fruit"


def test_few_entries_are_kept(folder, monkeypatch):
    path, _ = folder
    monkeypatch.setattr(cache, "_MOST_ENTRIES", 2)
    for number in range(4):
        (path / "links.csv").write_text(f"{LINKS}pear{number},fruit\n")
        cache.read_cached(path / "links.csv")
    assert len(list((path / "cache").iterdir())) == 4  # two entries with their checksums


def test_errors_are_those_of_the_reader(folder):
    path, _ = folder
    with pytest.raises(om.ReadError):
        cache.read_cached(path / "no such file")
    (path / "links.csv").write_text("")
    with pytest.raises(om.UnknownFormatError):
        cache.read_cached(path / "links.csv")


def test_devices_and_other_folders_are_not_read(folder, monkeypatch):
    path, _ = folder
    monkeypatch.setattr(cache, "_digest", lambda file: pytest.fail("it was read"))
    (path / "photos").mkdir()
    (path / "photos" / "large.jpg").write_bytes(b"\xff" * 100)
    for name in (path / "photos", *([Path("/dev/zero")] if Path("/dev/zero").exists() else [])):
        with pytest.raises(om.ReadError):
            cache.read_cached(name)


def test_folders_are_keyed_by_all_their_files(folder):
    path, _ = folder
    (path / "release").mkdir()
    (path / "release" / "a").write_text("1")
    before = cache._key(path / "release", None, {})
    (path / "release" / "b").write_text("")
    assert cache._key(path / "release", None, {}) != before


def test_one_file_of_a_release_is_not_cached(folder):
    """The reader also reads the files beside it, which are not in the key."""
    path, reads = folder
    concept = "concept_id\tconcept_name\tdomain_id\tvocabulary_id\tstandard_concept\tconcept_code\tinvalid_reason"
    rows = [f"{i}\t{name}\tCondition\tICD\tS\t{name}\t" for i, name in enumerate(("all", "pain", "ache"))]
    (path / "CONCEPT.csv").write_text("\n".join([concept, *rows, ""]))
    head = "concept_id_1\tconcept_id_2\trelationship_id\tinvalid_reason\n"
    (path / "CONCEPT_RELATIONSHIP.csv").write_text(f"{head}1\t0\tIs a\t\n2\t0\tIs a\t\n")
    assert cache.read_cached(path / "CONCEPT.csv").parents("ache") == ("all",)
    (path / "CONCEPT_RELATIONSHIP.csv").write_text(f"{head}1\t0\tIs a\t\n2\t1\tIs a\t\n")
    assert cache.read_cached(path / "CONCEPT.csv").parents("ache") == ("pain",)
    assert cache.read_cached(path / "CONCEPT.csv", "omop").parents("ache") == ("pain",)
    assert len(reads) == 3
    assert not entries(path)


def test_a_file_that_changes_while_it_is_read_is_not_cached(folder, monkeypatch):
    path, _ = folder

    def read(name, format=None, **options):
        name.write_text(LINKS + "pear,fruit\n")
        return om.read_taxonomy(name, format, **options)

    monkeypatch.setattr(cache, "read_taxonomy", read)
    assert "pear" in cache.read_cached(path / "links.csv")
    assert not entries(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
def test_an_entry_that_is_no_file_is_not_read(folder):
    path, reads = folder
    cache.read_cached(path / "links.csv")
    (entry,) = entries(path)
    entry.unlink()
    entry.symlink_to("/dev/zero")
    assert "apple" in cache.read_cached(path / "links.csv")
    assert len(reads) == 2
    assert entry.is_file()
    assert not entry.is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions differ")
@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_folder_that_others_can_write_to_is_not_used(folder, mode):
    path, reads = folder
    cache.read_cached(path / "links.csv")
    assert len(entries(path)) == 1
    (path / "cache").chmod(mode)
    cache.read_cached(path / "links.csv")
    assert len(reads) == 2
    (path / "cache").chmod(0o755)
    cache.read_cached(path / "links.csv")
    assert len(reads) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="the place differs")
def test_the_place_of_the_cache(monkeypatch):
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache.cache_folder() == Path("/somewhere/ontomask")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache.cache_folder() == Path("/home/me/.cache/ontomask")


def test_a_saved_taxonomy_keeps_every_annotation(tmp_path):
    """A field that is added to the annotations must be saved, or the cache would lose it."""
    full = Annotations(
        name="n",
        licence="l",
        aliases={"xref": {"X:1": ("apple",)}},
        retired={"pear": Retired("obsolete", ("apple", "fruit"), "apple")},
        code_ids=True,
        glosses={"apple": "a fruit"},
        parts={"apple": ("fruit",)},
        counts={"apple": 3},
        order={"apple": 1},
    )
    empty = Annotations()
    assert all(getattr(full, f.name) != getattr(empty, f.name) for f in fields(Annotations))
    taxonomy = replace(om.Taxonomy.from_edges([("apple", "fruit")]), annotations=full)
    om.save_taxonomy(taxonomy, tmp_path / "t.taxonomy")
    read = om.read_taxonomy(tmp_path / "t.taxonomy").annotations
    assert all(getattr(read, f.name) == getattr(full, f.name) for f in fields(Annotations))
