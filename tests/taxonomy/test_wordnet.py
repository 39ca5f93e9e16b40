from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import ontomask as om

from support.errors import raises

INDEX = """\
  1 licence
animal n 1 1 ~ 1 0 00000100
bank n 2 1 @ 2 1 00000300 00000200
dog n 1 1 @ 1 1 00000400
entity n 1 1 ~ 1 0 00000001
fido n 1 1 @ 1 0 00000500
river_bank n 1 1 @ 1 0 00000200
tail n 1 1 @ 1 0 00000600
"""
DATA = """\
  1 licence
00000001 03 n 01 entity 0 000 | all there is
00000100 05 n 01 animal 0 001 @ 00000001 n 0000 | a beast
00000200 17 n 02 bank 0 River_Bank 0 001 @ 00000001 n 0000 | land by water
00000300 14 n 01 bank 1 001 @ 00000001 n 0000 | a place for money
00000400 05 n 01 dog 0 002 @ 00000100 n 0000 %p 00000600 n 0000 | man's best friend
00000500 05 n 01 Fido 0 001 @i 00000400 n 0000 | a certain dog
00000600 08 n 01 tail 0 002 @ 00000001 n 0000 #p 00000400 n 0000 | at the end
"""
COUNTS = "bank%1:14:01:: 1 25\nbank%1:17:00:: 2 20\nrun%2:30:00:: 1 99\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "index.noun").write_text(INDEX)
    (tmp_path / "data.noun").write_text(DATA)
    (tmp_path / "cntlist.rev").write_text(COUNTS)
    return tmp_path


def test_synsets_words_links_and_sense_order(folder):
    t = om.read_taxonomy(folder)
    assert t.ids == ("entity.n.01", "animal.n.01", "bank.n.01", "bank.n.02", "tail.n.01", "dog.n.01", "fido.n.01")
    assert t.parents("fido.n.01") == ("dog.n.01",)
    assert t.labels("bank.n.02") == ("bank", "River Bank")
    assert t.find("bank") == ["bank.n.01", "bank.n.02"]
    assert t.find_alias("00000300-n") == ("synset offset", ["bank.n.01"])
    assert t.annotations.counts == {"bank.n.01": 25, "bank.n.02": 20}
    assert (t.annotations.glosses, t.annotations.parts) == (None, None)


def test_one_of_the_files_will_do(folder):
    assert len(om.read_taxonomy(folder / "data.noun")) == 7


def test_glosses_and_parts_on_request(folder):
    t = om.read_taxonomy(folder, glosses=True, parts=True)
    assert t.annotations.glosses["tail.n.01"] == "at the end"
    assert t.annotations.parts == {"dog.n.01": ("tail.n.01",)}


def test_without_sense_counts(folder):
    (folder / "cntlist.rev").unlink()
    assert om.read_taxonomy(folder).annotations.counts is None


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "code"),
    [
        ("data.noun", "| a beast", "", 3, None),
        ("data.noun", "00000100 05 n 01 animal 0 001 @ 00000001 n 0000", "00000100 05 n 01", 3, "not-a-line"),
        ("data.noun", "00000100 05 n", "00000100 05 v", 3, "not-a-line"),
        ("data.noun", "@ 00000100 n", "@ 00000999 n", 6, "T103"),
        ("data.noun", "@ 00000001 n 0000 | a beast", "@ 00000400 n 0000 | a beast", 3, "T101"),
        ("index.noun", "animal n 1 1 ~ 1 0 00000100", "animal n 1 1 ~ 1 0 00000777", 3, "no-sense"),
        ("index.noun", "tail n 1 1 @ 1 0 00000600", "tail", 8, "not-a-line"),
        ("cntlist.rev", "2 20", "2 xx", 2, "not-a-line"),
    ],
)
def test_broken_files_tell_the_line(folder, file, old, new, line, code):
    path = folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    if code is None:
        assert len(om.read_taxonomy(folder)) == 7
        return
    with raises(om.ReadError, line=line, code=code):
        om.read_taxonomy(folder)


@pytest.mark.parametrize(("old", "new", "line"), [("%p 00000600", "%p 00000999", 6), ("#p 00000400", "#p 00000999", 8)])
def test_missing_parts_are_reported_with_their_line(folder, old, new, line):
    path = folder / "data.noun"
    path.write_text(DATA.replace(old, new))
    assert len(om.read_taxonomy(folder)) == 7
    with raises(om.ReadError, code="T103") as caught:
        om.read_taxonomy(folder, parts=True)
    assert (caught.value.path, caught.value.line) == (path, line)


def test_gzipped_files(folder):
    expected = om.read_taxonomy(folder)
    for file in list(folder.iterdir()):
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    for path in (folder, folder / "data.noun.gz", folder / "index.noun.gz"):
        t = om.read_taxonomy(path)
        assert (t.ids, t.annotations.counts) == (expected.ids, expected.annotations.counts)


def test_missing_index(folder):
    (folder / "index.noun").unlink()
    with pytest.raises(om.ReadError) as caught:
        om.read_taxonomy(folder, format="wordnet")
    assert caught.value.path == folder / "index.noun"


def test_embedded_wordnet_is_whole():
    wn = om.load_wordnet()
    assert (len(wn), len(wn.graph.parent), wn.root) == (82_115, 84_427, "entity.n.01")
    assert sum(len(wn.graph.parents(c)) > 1 for c in range(len(wn))) == 2_213
    assert wn.notes == ()
    assert wn.graph.max_depth == 19
    assert wn.find("dog")[:2] == ["dog.n.01", "frump.n.01"]
    assert wn.lcs("dog.n.01", "cat.n.01") == "carnivore.n.01"
    assert wn.find_alias("02084071-n") == ("synset offset", ["dog.n.01"])
    assert wn.annotations.counts["dog.n.01"] == 42
    assert om.load_wordnet() is wn


def test_embedded_wordnet_equals_the_debian_folder():
    folder = Path("/usr/share/wordnet")
    if not (folder / "data.noun").is_file():
        pytest.skip("Debian's wordnet-base is not installed")
    read, embedded = om.read_taxonomy(folder), om.load_wordnet()
    if len(read) != len(embedded):
        pytest.skip("another version of WordNet is installed")
    assert read.ids == embedded.ids
    assert (read.graph.parent == embedded.graph.parent).all()
    assert read.texts.store.text == embedded.texts.store.text
    assert (read.texts.store.rank == embedded.texts.store.rank).all()
