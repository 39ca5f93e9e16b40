"""Recognising formats, opening files, links in CSV, saved taxonomies."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import ontomask as om
from ontomask.taxonomy import Annotations, Retired
from ontomask.taxonomy.readers.source import rows, write_whole

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
        ("t.csv.gz", gzip.compress(EDGES.encode())),
        ("t.csv", gzip.compress(EDGES.encode())),
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


def test_options_of_a_reader(tmp_path):
    path = write(tmp_path, "t.csv", "child:parent:labels\nb:a:x+y\n")
    t = om.read_taxonomy(path, format="edges", delimiter=":", label_separator="+", name="mine")
    assert (t.labels("b"), t.annotations.name) == (("x", "y"), "mine")
    with pytest.raises(om.ReadError, match=r"no option 'lables'.*delimiter"):
        om.read_taxonomy(path, format="edges", lables="+")


def test_wrong_encoding_tells_file_line_and_remedy(tmp_path):
    path = write(tmp_path, "t.csv", "child,parent\nb,a\nÄrztin,b\n".encode("latin-1"))
    with pytest.raises(om.ReadError, match=r"t\.csv, line 3: is not utf-8 text.*encoding='latin-1'") as caught:
        om.read_taxonomy(path)
    assert (caught.value.path, caught.value.line) == (path, 3)
    assert om.read_taxonomy(path, encoding="latin-1").ids == ("a", "b", "Ärztin")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("child,parent\nb,a\na,b\n", 3, "T101"),
        ("child,parent\nb,a\nc\n", 3, "expected a child and a parent"),
        ("child,parent\nb,a\n,a\n", 3, "the child is empty"),
        ('child,parent\nb,a\n"c,a\n', 3, "quotes"),
        ("child,parent\n", None, "T105"),
    ],
)
def test_broken_links_tell_the_line(tmp_path, text, line, message):
    path = write(tmp_path, "t.csv", text)
    with pytest.raises(om.ReadError, match=message) as caught:
        om.read_taxonomy(path, format="edges")
    assert (caught.value.path, caught.value.line) == (path, line)


def test_rows_over_several_lines_keep_their_line_number(tmp_path):
    path = write(tmp_path, "t.csv", 'a,"x\ny"\n\nb,z\n')
    assert list(rows(path)) == [(1, ["a", "x\ny"]), (4, ["b", "z"])]


def test_impossible_delimiter_and_encoding(tmp_path):
    path = write(tmp_path, "t.csv", EDGES)
    with pytest.raises(om.ReadError, match="one character"):
        om.read_taxonomy(path, delimiter=";;")
    with pytest.raises(om.ReadError, match="no such encoding"):
        om.read_taxonomy(path, encoding="utf-9")


def test_long_files_in_another_script_are_recognised(tmp_path):
    for size in range(1000, 1040):
        text = "".join(f"{'病' * (i % 7 + 1)}{i},{'症' * (i % 5 + 1)}\n" for i in range(size))
        assert om.read_taxonomy(write(tmp_path, "t.csv", text)).root == "⊤"


def test_one_column_is_no_file_of_links(tmp_path):
    path = write(tmp_path, "t.csv", "a\nb\n")
    with pytest.raises(om.ReadError, match="one column"):
        om.read_taxonomy(path, format="edges")
    with pytest.raises(om.UnknownFormatError, match="child,parent,labels"):
        om.read_taxonomy(path)


def test_unknown_formats(tmp_path):
    with pytest.raises(om.UnknownFormatError, match=r"'skoss' is not a format.*wordnet"):
        om.read_taxonomy(write(tmp_path, "t.csv", EDGES), format="skoss")
    with pytest.raises(om.UnknownFormatError, match="no format known"):
        om.read_taxonomy(write(tmp_path, "t.png", b"\x89PNG\x00\xff"))
    with pytest.raises(om.UnknownFormatError, match="an empty file"):
        om.read_taxonomy(write(tmp_path, "e.csv", ""))
    with pytest.raises(om.UnknownFormatError, match="no format known"):
        om.read_taxonomy(tmp_path)


def test_missing_and_unreadable_files(tmp_path):
    with pytest.raises(om.ReadError, match="no such file"):
        om.read_taxonomy(tmp_path / "none.csv")
    with pytest.raises(om.ReadError, match=r"cannot be opened|Is a directory"):
        om.read_taxonomy(tmp_path, format="edges")


def test_truncated_gzip(tmp_path):
    path = write(tmp_path, "t.csv.gz", gzip.compress(EDGES.encode() * 1000)[:60])
    with pytest.raises(om.ReadError, match="breaks off or is damaged"):
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
    with pytest.raises(om.ReadError, match=r"damaged|no format known"):
        om.read_taxonomy(path)
    with pytest.raises(om.ReadError, match="damaged or not a saved taxonomy"):
        om.read_taxonomy(path, format="saved")


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = write(tmp_path, "t", "old")

    def fail(file):
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, fail)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
