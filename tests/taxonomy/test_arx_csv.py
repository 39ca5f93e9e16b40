from __future__ import annotations

import gzip
from functools import partial

import pytest

import ontomask as om
from ontomask.taxonomy import VIRTUAL_ROOT
from ontomask.taxonomy.readers import arx_csv, edges

from support import ontology_files
from support.errors import raises

EDUCATION = "Bachelors;Undergraduate;Higher education;*\nMasters;Graduate;Higher education;*\n11th;School;Secondary;*\n"


refused = partial(ontology_files.refused, format="arx_csv")


def test_each_row_is_a_chain_of_is_a_links(write):
    t = om.read_taxonomy(write(EDUCATION))
    assert t.root == "*"
    assert t.ids == (
        *("*", "Higher education", "Secondary"),
        *("Graduate", "Undergraduate", "School"),
        *("Masters", "Bachelors", "11th"),
    )
    assert t.parents("Masters") == ("Graduate",)
    assert t.children("Higher education") == ("Graduate", "Undergraduate")
    assert t.lcs("Bachelors", "Masters") == "Higher education"
    assert t.annotations.name == "hierarchy"
    assert t.notes == ()


def test_a_label_repeated_on_the_next_levels_is_one_concept(write):
    t = om.read_taxonomy(write("Other;Other;Other;*\nSales;Trade;Other;*\n*;*;*;*\n"))
    assert t.ids == ("*", "Other", "Trade", "Sales")
    assert len(t.graph.parent) == 3


def test_a_label_under_two_parents_has_both(write):
    t = om.read_taxonomy(write("Malta;Europe;*\nMalta;Commonwealth;*\nLeeds;UK;Europe;*\nYork;UK;Commonwealth;*\n"))
    assert t.parents("Malta") == t.parents("UK") == ("Commonwealth", "Europe")
    assert t.notes == ()


def test_the_same_row_twice_counts_once(write):
    t = om.read_taxonomy(write("Spain;Europe;*\nSpain;Europe;*\n"))
    assert t.ids == ("*", "Europe", "Spain")
    assert t.notes == ()


def test_a_label_on_different_levels_without_a_cycle_is_fine(write):
    t = om.read_taxonomy(write("Leeds;UK;Europe;*\nUK;*\n"))
    assert t.parents("UK") == ("*", "Europe")


@pytest.mark.parametrize(
    ("text", "line", "cycle"),
    [
        ("x;*\na;b;*\nb;a;*\n", 2, "a → b → a"),
        ("x;*\na;b;a;*\n", 2, "a → b → a"),
        ("x;*\n\na;b;*\nb;c;*\nc;a;*\n", 3, "a → b → c → a"),
    ],
)
def test_a_cycle_is_refused_with_the_line_where_it_begins(write, text, line, cycle):
    problem = refused(write(text), line, "T101")
    assert problem.code == "T101"
    assert str(problem).endswith(f"  {cycle}")


def test_several_tops_get_a_virtual_root(write):
    t = om.read_taxonomy(write("a;b;top 1\nc;d;top 2\n"), format="arx_csv")
    assert t.root == VIRTUAL_ROOT
    assert t.children(VIRTUAL_ROOT) == ("top 1", "top 2")
    assert [note.code for note in t.notes] == ["T102"]


def test_rows_of_different_lengths_end_at_their_own_top(write):
    t = om.read_taxonomy(write("a;b;c;*\nd;*\ne;b;;\nf;c;*;\n"), format="arx_csv")
    assert t.parents("d") == ("*",)
    assert t.parents("e") == ("b",)
    assert t.parents("b") == ("c",)
    assert t.parents("f") == ("c",)


def test_rows_come_with_their_line_and_clean_cells(write):
    path = write('\ufeff a ; b;*\r\n\r\n;;\r\n"c;d";b;*;\r\n')
    assert arx_csv.read_rows(path) == [(1, ["a", "b", "*"]), (4, ["c;d", "b", "*"])]


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_the_delimiter_is_recognised(write, delimiter):
    path = write(EDUCATION.replace(";", delimiter))
    assert om.read_taxonomy(path).parents("11th") == ("School",)


def test_the_delimiter_can_be_given(write):
    path = write("a:b:*\nc:b:*\n")
    assert not arx_csv.can_read(path)
    assert om.read_taxonomy(path, format="arx_csv", delimiter=":").children("b") == ("a", "c")


def test_the_encoding_can_be_given(write):
    path = write("Córdoba;España;*\nx;España;*\n".encode("latin-1"))
    assert om.read_taxonomy(path, encoding="latin-1").parents("Córdoba") == ("España",)
    refused(path, 1, "encoding")


def test_gzip_is_read(write):
    path = write(gzip.compress(EDUCATION.encode()), "education.csv.gz")
    assert om.read_taxonomy(path).annotations.name == "education"


def test_one_column_is_refused(write):
    problem = refused(write("Spain\nMalta\n"), 1, "one-level")
    assert "delimiter=" in str(problem)
    refused(write("Spain;Europe\n"), 1, "one-level", delimiter=",")


def test_a_row_of_one_cell_is_refused_with_its_line(write):
    refused(write("a;b;*\nc;b;*\nd\n"), 3, "one-level")
    refused(write("a;b;*\nc;;\n"), 2, "one-level")


def test_an_empty_cell_inside_a_row_is_refused(write):
    problem = refused(write("a;b;*\nc;;*\n"), 2, "empty-cell")
    assert "repeat the label" in str(problem)
    refused(write(";b;*\n"), 1, "empty-cell")


@pytest.mark.parametrize("text", ["", "\n\n", " ; ;\n"])
def test_a_blank_file_is_refused(write, text):
    assert refused(write(text), None, "T105").code == "T105"


def test_an_open_quote_is_refused(write):
    refused(write('a;b;*\n"c;b;*\n'), 2, "quotes")


def test_unknown_options_are_refused(write):
    assert refused(write(EDUCATION), None, None, header="no").parameter == "header"


@pytest.mark.parametrize(
    ("name", "text", "claimed"),
    [
        ("h.csv", "a;*\nb;*\n", True),
        ("h.txt", "a;b;*\n", True),
        ("h.tsv", "a\tb\t*\n", True),
        ("h.csv", "a;b;c;top\nd;b;c;top\n", True),
        ("h.csv", "a;b;*\nc;*\n", True),
        ("h.csv", "Spain;Europe;World\nPeru;America;World\n", True),
        ("h.csv", "Other;Other;World\nPeru;America;World\n", True),
        # Links, or perhaps links.
        ("h.csv", "child;parent\na;*\nb;*\n", False),
        ("h.csv", "id;parent;note;labels\na;*;;\nb;*;;\n", False),
        ("h.csv", "a;b\nc;b\n", False),
        ("h.csv", "a;b;c\nd;b;c\n", False),
        # Neither: a table of data, one column, another kind of file.
        ("h.csv", "age;sex;city;job\n39;M;Leeds;clerk\n40;F;York;cook\n40;M;Leeds;smith\n", False),
        ("h.csv", "Spain;Europe;World\nMars;Mars;Space\nPeru;America;World\n", False),
        ("h.csv", "Spain;Europe;World\n", False),
        ("h.csv", "a\0;b\0;*\n", False),
        ("h.csv", "a\nb\n", False),
        ("h.csv", "*\n*\n", False),
        ("h.csv", "", False),
        ("h.csv", ";;\n;;\n", False),
        ("h.obo", "a;b;*\n", False),
    ],
)
def test_recognition(write, name, text, claimed):
    assert arx_csv.can_read(write(text, name)) is claimed


def test_rows_of_three_levels_without_a_star(write):
    t = om.read_taxonomy(write("Spain;Europe;World\nPeru;America;World\n"))
    assert (t.root, t.parents("Spain")) == ("World", ("Europe",))


def test_a_ragged_file_that_is_not_recognised_is_reported_with_its_line(write):
    path = write("a;b;*\nc\n")
    with raises(om.ReadError, line=2, code="one-level") as caught:
        om.read_taxonomy(path)
    assert (caught.value.path, caught.value.line) == (path, 2)
    with raises(om.UnknownFormatError, code="arx_csv"):
        om.read_taxonomy(write("a;b;*\nc;d\n"))


def test_a_folder_is_not_claimed(tmp_path):
    assert not arx_csv.can_read(tmp_path)


@pytest.mark.parametrize("shift", range(30))
def test_a_long_file_is_recognised_wherever_the_look_at_it_ends(write, shift):
    path = write("à" * shift + "x;y;*\n" + "".join(f"città {i};gruppo à {i % 7};*\n" for i in range(1000)))
    assert arx_csv.can_read(path)
    assert len(arx_csv.read_rows(path)) == 1001


def test_ambiguous_files_are_left_to_links_unless_the_format_is_given(write):
    path = write("a;b\nb;c\n")
    assert edges.can_read(path)
    assert om.read_taxonomy(path, format="arx_csv").ids == ("c", "b", "a")


@pytest.mark.parametrize(
    ("name", "concepts", "depth"),
    [
        ("age", 136, 4),
        ("education", 25, 3),
        ("marital-status", 10, 2),
        ("native-country", 47, 2),
        ("occupation", 18, 2),
        ("race", 6, 1),
        ("salary-class", 3, 1),
        ("sex", 3, 1),
        ("workclass", 12, 2),
    ],
)
def test_the_hierarchies_of_adult(shared_data, name, concepts, depth):
    t = om.read_taxonomy(shared_data / "arx_adult" / f"adult_hierarchy_{name}.csv")
    assert (t.root, len(t), int(t.graph.depth.max()), t.notes) == ("*", concepts, depth, ())


def test_the_data_of_adult_is_no_hierarchy(shared_data):
    with raises(om.UnknownFormatError, code="no-header"):
        om.read_taxonomy(shared_data / "arx_adult" / "adult.csv")
