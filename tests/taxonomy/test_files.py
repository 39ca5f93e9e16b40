"""Recognising formats, opening files, links in CSV, saved taxonomies."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

import ontomask as om
from ontomask.taxonomy import Annotations, Retired
from ontomask.taxonomy.readers import edges
from ontomask.taxonomy.readers.source import lines, rows

from support.errors import raises

EDGES = "child,parent,labels\nsymptom,,\npain,symptom,\nache,pain,ache|aching\n"


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", EDGES),
        ("t.csv", "\ufeff" + EDGES.replace("\n", "\r\n")),
        ("t.tsv", EDGES.replace(",", "\t")),
        ("t.txt", EDGES.replace(",", ";")),
        ("t.csv.gz", gzip.compress(EDGES.encode(), mtime=0)),
        ("t.csv", gzip.compress(EDGES.encode(), mtime=0)),
        ("t.csv", 'id,note,parent,label\npain,"a, b",symptom,\nache,,pain,ache|aching\n'),
        ("t.csv", "pain,symptom,\nache,pain,ache|aching\n"),
    ],
)
def test_links_in_a_file(tmp_path, name, text):
    t = om.read_taxonomy(write(tmp_path, name, text))
    assert t.ids == ("symptom", "pain", "ache")
    assert t.labels("ache") == ("ache", "aching")
    assert t.annotations.name == "t"


def test_several_rows_are_several_parents(tmp_path):
    t = om.read_taxonomy(write(tmp_path, "t.csv", "child,parent\nb,a\nc,a\nd,b\nd,c\n"))
    assert t.parents("d") == ("b", "c")


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("pain,symptom\nache,pain\n", True),
        ("pain,symptom\nache,symptom\n", True),
        ("pain,symptom,Schmerz\nache,symptom,Weh\n", True),
        ("pain,symptom,\nache,symptom,\n", True),
        ("250,diseases\n250.0,250\n250.1,250\n", True),
        ('"child","parent"\n"a","*"\n', True),
        # Tables of data, or too little to tell.
        ("name,age\nAnn,39\nBob,39\n", False),
        ("id,sex,age\n1,F,39\n2,F,40\n3,M,41\n", False),
        ("person,sex,age\nAnn,F,39\nEve,F,40\n", False),
        ("number,age\n38,39\n39,40\n", False),
        ("Ann,39\nBob,39\n", False),
        ("1,F,39\n2,F,40\n", False),
        ("Ann,Leeds\nBob,York\n", False),
        ("city,country,continent\nLeeds,UK,Europe\nYork,UK,Europe\nLyon,France,Europe\n", False),
        ("a,b\nb,c\nc,d,e,f\n", False),
        ("p\0,s\0\na\0,s\0\n", False),
    ],
)
def test_what_looks_like_links(tmp_path, text, claimed):
    path = write(tmp_path, "t.csv", text)
    assert edges.can_read(path) is claimed
    if not claimed:
        with pytest.raises(om.UnknownFormatError):
            om.read_taxonomy(path)


def test_where_roots_are_declared_every_parent_must_be(tmp_path):
    path = write(tmp_path, "t.csv", "child,parent\nsymptom,\npain,symptom\nache,pian\ncolic,pian\n")
    with raises(om.ReadError, line=4, code="T103") as caught:
        om.read_taxonomy(path)
    assert (caught.value.code, caught.value.path, caught.value.line) == ("T103", path, 4)
    path = write(tmp_path, "t.csv", "child,parent\npain,symptom\nache,pian\n")
    assert [note.code for note in om.read_taxonomy(path).notes] == ["T102"]


def test_options_of_a_reader(tmp_path):
    path = write(tmp_path, "t.csv", "child:parent:labels\nb:a:x+y\n")
    t = om.read_taxonomy(path, format="edges", delimiter=":", label_separator="+", name="mine")
    assert (t.labels("b"), t.annotations.name) == (("x", "y"), "mine")
    with raises(om.ReadError, parameter="lables"):
        om.read_taxonomy(path, format="edges", lables="+")


def test_wrong_encoding_tells_file_line_and_remedy(tmp_path):
    path = write(tmp_path, "t.csv", "child,parent\nb,a\nÄrztin,b\n".encode("latin-1"))
    with raises(om.ReadError, path=path, line=3, code="encoding", suggestions=("latin-1",)):
        om.read_taxonomy(path)
    assert om.read_taxonomy(path, encoding="latin-1").ids == ("a", "b", "Ärztin")


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("child,parent\nb,a\na,b\n", 3, "T101"),
        ("child,parent\nb,a\nc\n", 3, "columns"),
        ("child,parent\nb,a\n,a\n", 3, "T106"),
        ('child,parent\nb,a\n"c,a\n', 3, "quotes"),
        ("child,parent\n", None, "T105"),
    ],
)
def test_broken_links_tell_the_line(tmp_path, text, line, code):
    path = write(tmp_path, "t.csv", text)
    with raises(om.ReadError, path=path, line=line, code=code):
        om.read_taxonomy(path, format="edges")


def test_rows_over_several_lines_keep_their_line_number(tmp_path):
    path = write(tmp_path, "t.csv", 'a,"x\ny"\n\nb,z\n')
    assert list(rows(path)) == [(1, ["a", "x\ny"]), (4, ["b", "z"])]


def test_impossible_delimiter_and_encoding(tmp_path):
    path = write(tmp_path, "t.csv", EDGES)
    with raises(om.ReadError, parameter="delimiter"):
        om.read_taxonomy(path, delimiter=";;")
    with raises(om.ReadError, parameter="delimiter"):
        om.read_taxonomy(path, delimiter='"')
    for encoding in ("utf-9", "base64", "rot13", 5, "utf\0"):
        with raises(om.ReadError, parameter="encoding"):
            om.read_taxonomy(path, encoding=encoding)
    with raises(om.ReadError, parameter="label_separator"):
        om.read_taxonomy(path, label_separator=5)
    with raises(om.ReadError, parameter="label_separator"):
        om.read_taxonomy(path, label_separator="")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig", "cp037"])
def test_encodings_whose_line_end_is_not_one_byte(tmp_path, encoding):
    text = "child,parent\r\nÄrztin,Ȋ中\n\nx,Ärztin".replace("Ȋ中", "y" if encoding == "cp037" else "Ȋ中")
    path = write(tmp_path, "t.csv", text.encode(encoding))
    assert list(lines(path, encoding)) == list(enumerate(text.replace("\r", "").split("\n"), start=1))
    t = om.read_taxonomy(path, format="edges", encoding=encoding, delimiter=",")
    assert t.ids[1:] == ("Ärztin", "x")


@pytest.mark.parametrize("order", ["le", "be"])
def test_undecodable_utf_16_tells_the_line(tmp_path, order):
    encoding = f"utf-16-{order}"
    text = "\ufeffchild,parent\nb,a\n".encode(encoding) + b"\xdc\xdc" + ",a\n".encode(encoding)
    path = write(tmp_path, "t.csv", text)
    with raises(om.ReadError, line=3, code="encoding") as caught:
        om.read_taxonomy(path, encoding="utf-16")
    assert caught.value.line == 3
    with raises(om.ReadError, line=4, code="encoding"):
        om.read_taxonomy(write(tmp_path, "cut.csv", EDGES.encode("utf-16")[:-1]), encoding="utf-16")


def test_utf_16_is_reported_with_the_remedy(tmp_path):
    path = write(tmp_path, "t.csv", EDGES.encode("utf-16"))
    assert om.read_taxonomy(path, encoding="utf-16").ids == ("symptom", "pain", "ache")
    for refused in (path, write(tmp_path, "one.txt", "a\nb\n".encode("utf-16"))):
        with raises(om.ReadError, line=1, code="utf-16", suggestions=("utf-16",)):
            om.read_taxonomy(refused)
    with raises(om.UnknownFormatError, code="utf-16"):
        om.read_taxonomy(write(tmp_path, "t.csv", EDGES.encode("utf-16-le")))


def test_other_encodings_of_unrecognised_text_are_reported(tmp_path):
    with raises(om.ReadError, line=2, code="encoding"):
        om.read_taxonomy(write(tmp_path, "one.csv", "Arzt\nÄrztin\n".encode("latin-1")))


def test_long_files_in_another_script_are_recognised(tmp_path):
    for size in range(1000, 1040):
        text = "".join(f"{'病' * (i % 7 + 1)}{i},{'症' * (i % 5 + 1)}\n" for i in range(size))
        assert om.read_taxonomy(write(tmp_path, "t.csv", text)).root == "⊤"


def test_rows_with_more_cells_than_the_first_are_an_error(tmp_path):
    text = "child,parent,labels\nfruit,,\napple,fruit,apple\npear,fruit,pear,Birne\n"
    with raises(om.ReadError, line=4, code="cells"):
        om.read_taxonomy(write(tmp_path, "t.csv", text))
    with raises(om.ReadError, line=2, code="cells"):
        om.read_taxonomy(write(tmp_path, "t.csv", "apple,fruit\npear,fruit,Birne\n"), format="edges")
    # A spreadsheet may add empty cells at the end.
    padded = om.read_taxonomy(write(tmp_path, "t.csv", text.replace("pear,Birne", "pear|Birne,")))
    assert padded.labels("pear") == ("pear", "Birne")


def test_a_row_with_one_cell_is_an_error_with_its_line(tmp_path):
    for mark in (",", ";", "\t"):
        text = "child,parent,labels\nfruit,,\napple\n".replace(",", mark)
        with raises(om.ReadError, line=3, code="columns"):
            om.read_taxonomy(write(tmp_path, "t.csv", text))


def test_one_column_is_no_file_of_links(tmp_path):
    path = write(tmp_path, "t.csv", "a\nb\n")
    with raises(om.ReadError, line=1, code="columns"):
        om.read_taxonomy(path, format="edges")
    with raises(om.UnknownFormatError, code="one-column"):
        om.read_taxonomy(path)
    for text in (" \n\n", "\ufeff"):
        with raises(om.UnknownFormatError, code="empty"):
            om.read_taxonomy(write(tmp_path, "t.csv", text))


def test_unknown_formats(tmp_path):
    with raises(om.UnknownFormatError, values=("skoss",), parameter="format"):
        om.read_taxonomy(write(tmp_path, "t.csv", EDGES), format="skoss")
    with raises(om.UnknownFormatError, code="unknown-format"):
        om.read_taxonomy(write(tmp_path, "t.png", b"\x89PNG\x00\xff"))
    with raises(om.UnknownFormatError, code="empty"):
        om.read_taxonomy(write(tmp_path, "e.csv", ""))
    with raises(om.UnknownFormatError, code="unknown-format"):
        om.read_taxonomy(tmp_path)


def test_missing_and_unreadable_files(tmp_path):
    with raises(om.ReadError, code="no-file"):
        om.read_taxonomy(tmp_path / "none.csv")
    with raises(om.ReadError, code="unreadable"):
        om.read_taxonomy(tmp_path, format="edges")


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_may_not_be_read_is_reported(tmp_path, monkeypatch, kind):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path, "t.csv", EDGES) if kind == "file" else tmp_path
    monkeypatch.setattr(*((Path, "open") if kind == "file" else ("os.scandir",)), refuse)
    with raises(om.ReadError, code="unreadable") as caught:
        om.read_taxonomy(path)
    assert not isinstance(caught.value, om.UnknownFormatError)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv", "t.obo.gz"])
def test_damaged_gzip_without_a_format(tmp_path, name):
    packed = gzip.compress(EDGES.encode() * 1000)
    for damaged in (packed[:60], packed[:-20], packed[:40] + b"\xff" * 20 + packed[60:]):
        with raises(om.ReadError, line=1, code="damaged"):
            om.read_taxonomy(write(tmp_path, name, damaged))


def test_truncated_gzip(tmp_path):
    path = write(tmp_path, "t.csv.gz", gzip.compress(EDGES.encode() * 1000)[:60])
    with raises(om.ReadError, line=1, code="damaged"):
        om.read_taxonomy(path, format="edges")


def test_saved_taxonomy_is_the_same(tmp_path):
    t = om.Taxonomy.from_edges(
        [("b", "a"), ("c", "a"), ("d", "b"), ("d", "c"), ("e", "x")],
        {"b": ["Bär", "bear"], "c": ["bear"]},
        ranks={"b": [1, 2], "c": [1]},
        annotations=Annotations(
            name="n",
            licence="l",
            aliases={"old": {"1": ("b", "c")}},
            retired={"z": Retired("duplicate", ("b",))},
            code_ids=True,
            glosses={"b": "an animal"},
            parts={"b": ("c",)},
            counts={"b": 3},
        ),
    )
    path = tmp_path / "t.taxonomy"
    om.save_taxonomy(t, path)
    again = om.read_taxonomy(path)
    assert again.ids == t.ids
    assert [again.parents(c) for c in t.ids] == [t.parents(c) for c in t.ids]
    assert [again.labels(c) for c in t.ids] == [t.labels(c) for c in t.ids]
    assert again.find("bear") == t.find("bear") == ["c", "b"]
    assert vars(again.annotations) == vars(t.annotations)
    assert again.notes == t.notes
    assert again.depth("d") == t.depth("d") == 3


def test_saving_a_domain_keeps_only_its_words(tmp_path):
    t = om.Taxonomy.from_edges([("b", "a"), ("c", "b"), ("x", "a")], {"c": ["sea", "c"], "x": ["ex"]})
    om.save_taxonomy(t.domain("b"), tmp_path / "b.taxonomy")
    again = om.read_taxonomy(tmp_path / "b.taxonomy")
    assert (again.ids, again.labels("c"), again.find("ex")) == (("b", "c"), ("sea", "c"), [])


def test_saving_twice_gives_equal_files(tmp_path):
    t = om.Taxonomy.from_edges([("b", "a")])
    om.save_taxonomy(t, tmp_path / "1.taxonomy")
    om.save_taxonomy(t, tmp_path / "2.taxonomy")
    assert (tmp_path / "1.taxonomy").read_bytes() == (tmp_path / "2.taxonomy").read_bytes()


def test_damaged_saved_taxonomy(tmp_path):
    path = tmp_path / "t.taxonomy"
    om.save_taxonomy(om.Taxonomy.from_edges([("b", "a")]), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with raises(om.ReadError, code="damaged"):
        om.read_taxonomy(path)
    with raises(om.ReadError, code="damaged"):
        om.read_taxonomy(path, format="saved")


def test_a_saved_taxonomy_with_any_byte_changed_is_read_or_refused(tmp_path):
    path = tmp_path / "t.taxonomy"
    om.save_taxonomy(om.Taxonomy.from_edges([("b", "a"), ("c", "a"), ("d", "b"), ("d", "c")]), path)
    whole = path.read_bytes()
    chance = random.Random(7)
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ chance.randrange(1, 256)]) + whole[at + 1 :])
        try:
            t = om.read_taxonomy(path)
        except om.ReadError:
            continue
        assert (t.ids, [t.labels(c) for c in t.ids]) == (("a", "b", "c", "d"), [("a",), ("b",), ("c",), ("d",)])


@pytest.mark.parametrize(
    ("key", "change", "code", "wrong"),
    [
        ("ids", lambda a: a[:-2], "damaged", ("links",)),
        ("ids", lambda a: np.append(a, [10, a[-1]]).astype(np.uint8), "damaged", ("ids",)),
        ("parent_start", lambda a: a[:-1], "damaged", ("links",)),
        ("parent_start", lambda a: a[::-1], "damaged", ("links",)),
        ("parent", lambda a: a + 1, "damaged", ("links",)),
        ("parent", lambda a: a - 1, "damaged", ("links",)),
        ("parent", lambda a: a.astype(float), "damaged", ("parent",)),
        ("depth", lambda a: a[:-1], "damaged", ("depths",)),
        ("depth", lambda a: a * 2, "damaged", ("depths",)),
        ("label_text", lambda a: a[:-1], "damaged", ("labels",)),
        ("label_text", lambda a: np.where(a == ord("b"), 10, a).astype(np.uint8), "damaged", ("labels",)),
        ("label_text", lambda a: np.where(a == ord("b"), 255, a).astype(np.uint8), "damaged", ()),
        ("label_end", lambda a: a[:-1], "damaged", ("labels",)),
        ("label_owner_start", lambda a: a * 0, "damaged", ("labels",)),
        ("label_rank", lambda a: a[:-1], "damaged", ("labels",)),
        ("header", lambda _: np.frombuffer(b"[]", dtype=np.uint8), "damaged", ()),
        ("header", lambda _: np.frombuffer(json.dumps({"version": 3}).encode(), dtype=np.uint8), "version", ()),
    ],
)
def test_inconsistent_arrays_are_refused(tmp_path, key, change, code, wrong):
    path = tmp_path / "t.taxonomy"
    om.save_taxonomy(om.Taxonomy.from_edges([("b", "a"), ("c", "b"), ("d", "b")]), path)
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays[key] = change(arrays[key])
    np.savez(tmp_path / "t.npz", **arrays)
    shutil.move(tmp_path / "t.npz", path)
    with raises(om.ReadError, code=code, values=wrong):
        om.read_taxonomy(path)


def test_a_taxonomy_of_one_concept_is_saved(tmp_path):
    om.save_taxonomy(om.Taxonomy.from_edges([], concepts=["a"]), tmp_path / "t.taxonomy")
    assert om.read_taxonomy(tmp_path / "t.taxonomy").ids == ("a",)


def test_paths_where_nothing_can_be_saved(tmp_path, monkeypatch):
    t = om.Taxonomy.from_edges([("b", "a")])
    with raises(om.TaxonomyError, parameter="path", code="no-folder"):
        om.save_taxonomy(t, tmp_path / "new" / "t.taxonomy")
    with raises(om.TaxonomyError, parameter="path", code="is-a-folder"):
        om.save_taxonomy(t, tmp_path)
    file = write(tmp_path, "file", "")
    with raises(om.TaxonomyError, parameter="path", code="not-written"):
        om.save_taxonomy(t, file / "t.taxonomy")
    monkeypatch.setenv("HOME", str(tmp_path))
    om.save_taxonomy(t, "~/home.taxonomy")
    assert om.read_taxonomy(tmp_path / "home.taxonomy").ids == ("a", "b")
