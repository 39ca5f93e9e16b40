from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.hierarchy import Hierarchy, read_mapping
from ontomask.hierarchy.scoring import score_hierarchy
from ontomask.hierarchy.senses import find_senses

from support.errors import raises
from support.literal_hierarchy import above
from support.literal_taxonomy import subsumers

# thing ← {animal ← {bird ← crane, mammal ← bat}, tool ← {machine ← crane, bat, stick}}: two cranes and two bats
THINGS = om.Taxonomy.from_edges(
    [
        ("animal", "thing"),
        ("tool", "thing"),
        ("bird", "animal"),
        ("mammal", "animal"),
        ("machine", "tool"),
        ("crane-bird", "bird"),
        ("crane-machine", "machine"),
        ("bat-mammal", "mammal"),
        ("bat-club", "tool"),
        ("brolga", "crane-bird"),
        ("derrick", "crane-machine"),
        ("pipistrelle", "bat-mammal"),
        ("stick", "tool"),
    ],
    {"crane-machine": ["crane", "hoist"], "crane-bird": ["crane"], "bat-club": ["bat"], "bat-mammal": ["bat"]},
    ranks={"crane-machine": [0, 0], "crane-bird": [1], "bat-club": [0], "bat-mammal": [1]},
)


def found(rows, mapping=None):
    """The concept of every ancestor, and how it was found."""
    score = score_hierarchy(Hierarchy.from_rows(rows), THINGS, mapping)
    return {(t.leaf, t.ancestor): (t.ancestor_concept, t.sense) for t in score.transitions}


def test_the_senses_of_the_example():
    assert THINGS.find("crane") == ["crane-machine", "crane-bird"]
    assert THINGS.find("bat") == ["bat-club", "bat-mammal"]


def test_an_ancestor_takes_the_sense_above_the_value():
    assert found([("brolga", "crane", "thing")]) == {
        ("brolga", "crane"): ("crane-bird", "hypernym"),
        ("brolga", "thing"): ("thing", "only sense"),
    }


def test_a_value_without_a_hypernym_follows_most_others_of_its_label():
    rows = [("brolga", "crane", "thing"), ("stick", "crane", "thing")]
    assert found(rows)["stick", "crane"] == ("crane-bird", "hypernym of other values")
    rows.append(("derrick", "crane", "thing"))
    assert found(rows)["stick", "crane"] == ("crane-machine", "hypernym of other values")
    rows.append(("bird", "crane", "thing"))
    assert found(rows)["bird", "crane"] == ("crane-machine", "hypernym of other values")


def test_otherwise_an_ancestor_takes_its_first_sense():
    assert found([("stick", "crane")]) == {("stick", "crane"): ("crane-machine", "first sense")}


def test_a_label_on_two_levels_of_a_value_counts_once():
    rows = [
        ("derrick", "tool", "crane", "thing"),
        ("brolga", "crane", "crane", "thing"),
        ("stick", "tool", "crane", "thing"),
    ]
    assert found(rows)["stick", "crane"] == ("crane-machine", "hypernym of other values")


def test_what_the_user_gave_holds_for_all():
    rows = [("brolga", "crane", "thing"), ("derrick", "crane", "thing")]
    for target in ("crane#2", "crane-bird"):
        score = score_hierarchy(Hierarchy.from_rows(rows), THINGS, {"crane": target})
        assert {(t.ancestor_concept, t.sense) for t in score.transitions if t.level == 1} == {("crane-bird", "given")}
        assert not [note for note in score.notes if note.code in ("V106", "V109")]


def test_a_word_given_without_a_sense_goes_through_the_hypernyms():
    assert found([("brolga", "lifter")], {"lifter": "crane"}) == {("brolga", "lifter"): ("crane-bird", "hypernym")}


def test_a_label_with_conflicting_senses_is_reported():
    h = Hierarchy.from_rows([("brolga", "crane"), ("derrick", "crane"), ("stick", "crane")])
    score = score_hierarchy(h, THINGS)
    (note,) = [note for note in score.notes if note.code == "V106"]
    assert note.labels == ("crane",)
    assert note.facts["concepts"] == {"crane": {"crane-machine": 1, "crane-bird": 1}}


def test_a_sense_that_fits_the_ancestors_better_is_reported_and_not_taken():
    h = Hierarchy.from_rows([("bat", "mammal", "animal"), ("crane", "machine", "tool")])
    score = score_hierarchy(h, THINGS)
    assert score.transitions[0].leaf_concept == "bat-club"
    assert score.better_senses == {"bat": "bat-mammal"}
    (note,) = [note for note in score.notes if note.code == "V107"]
    assert (note.labels, note.facts["concepts"]) == (("bat",), {"bat": "bat-mammal"})
    again = score_hierarchy(h, THINGS, score.better_senses)
    assert (again.transitions[0].leaf_concept, again.better_senses) == ("bat-mammal", {})
    assert again.score < score.score


def test_the_second_tiger_is_suggested():
    h = Hierarchy.from_rows([("tiger", "carnivore", "animal")])
    assert score_hierarchy(h, om.load_wordnet()).better_senses == {"tiger": "tiger.n.02"}


def test_first_senses_are_listed():
    h = Hierarchy.from_rows([("bat", "mammal", "animal"), ("stick", "crane", "animal"), ("brolga", "bird", "animal")])
    (note,) = [note for note in score_hierarchy(h, THINGS).notes if note.code == "V109"]
    assert note.labels == ("bat", "crane")


def test_a_label_can_be_left_out():
    h = Hierarchy.from_rows([("stick", "bat", "tool"), ("bird", "animal", "tool")])
    score = score_hierarchy(h, THINGS, {"bat": None, "bird": None})
    assert [(t.leaf, t.ancestor) for t in score.transitions] == [("stick", "tool")]
    assert [(v.label, v.note, v.suggestions) for v in score.unmapped] == [
        ("bird", "left out by the mapping", ()),
        ("bat", "left out by the mapping", ()),
    ]


def test_stems_and_unused_keys_are_reported():
    h = Hierarchy.from_rows([("sticks", "tools"), ("derrick", "tools")])
    notes = {note.code: note for note in score_hierarchy(h, THINGS, {"hammer": "stick", "saw": None}).notes}
    assert notes["V118"].labels == ("sticks", "tools")
    assert notes["V118"].facts["concepts"] == {"sticks": "stick", "tools": "tool"}
    assert notes["V116"].labels == ("hammer", "saw")


def test_a_label_spelt_as_an_id_is_that_concept():
    assert found([("stick", "bat-club")]) == {("stick", "bat-club"): ("bat-club", "only sense")}


def test_an_id_behind_a_label_is_that_concept():
    t = om.Taxonomy.from_edges(
        [("brolga", "c1"), ("c1", "top"), ("derrick", "c2"), ("c2", "top"), ("c3", "top")],
        {"c1": ["crane"], "c2": ["crane"], "c3": ["crane (c1)"]},
    )
    rows = [("brolga", "crane (bird) (c1)"), ("derrick", "crane (c1)"), ("c3", "crane (c9)")]
    rows = [(*row, "top") for row in rows]
    score = score_hierarchy(Hierarchy.from_rows(rows), t)
    assert {(s.ancestor, s.ancestor_concept, s.sense) for s in score.transitions if s.level == 1} == {
        ("crane (bird) (c1)", "c1", "given"),
        ("crane (c1)", "c3", "only sense"),
    }
    assert [v.label for v in score.unmapped] == ["crane (c9)"]
    given = score_hierarchy(Hierarchy.from_rows(rows), t, {"crane (bird) (c1)": "c2"})
    assert given.worst(1)[0].ancestor_concept == "c2"


@settings(max_examples=40)
@given(st.data())
def test_better_senses_agree_with_a_count_by_hand(data):
    words = ["crane", "bat", "bird", "mammal", "machine", "tool", "animal", "nothing"]
    leaves = data.draw(st.lists(st.sampled_from(words[:4]), min_size=1, max_size=4, unique=True))
    rows = [(leaf, *data.draw(st.lists(st.sampled_from(words), max_size=3)), "thing") for leaf in leaves]
    h = Hierarchy.from_rows(rows)
    parents = {c: list(THINGS.parents(c)) for c in THINGS.ids}
    want = {}
    for leaf in leaves:
        senses = THINGS.find(leaf)
        labels = [label for label in dict.fromkeys(h.levels(leaf)[1:]) if label != leaf]

        def fit(sense: str, labels: list[str] = labels) -> int:
            return sum(bool(above(parents, sense, THINGS.find(label))) for label in labels)

        best = max(senses, key=lambda s: (fit(s), -senses.index(s)))
        if fit(best) > fit(senses[0]):
            want[leaf] = best
    assert find_senses(h, THINGS, {}).better == want
    assert subsumers(parents, "brolga") == THINGS.subsumers("brolga")


# Mapping files


def test_a_mapping_file(write):
    path = write("label;concept\n bat ; bat#2\n\nthing of air;bird\nOther;\n")
    assert read_mapping(path) == {"bat": "bat#2", "thing of air": "bird", "Other": None}
    h = Hierarchy.from_rows([("bat", "thing of air", "Other", "*")])
    score = score_hierarchy(h, THINGS, path)
    assert [t.ancestor_concept for t in score.transitions] == ["bird", "bat-mammal"]
    assert score_hierarchy(h, THINGS, str(path)).score == score.score


@pytest.mark.parametrize(
    "text", ["bat,bat#2\n", "bat\tbat#2\n", "bat|bat#2\nbat|bat#2\n", "value,concept\nbat,bat#2\n"]
)
def test_delimiters_headings_and_repeated_rows(write, text):
    assert read_mapping(write(text)) == {"bat": "bat#2"}


def test_delimiter_and_encoding_of_a_mapping_can_be_given(tmp_path):
    path = tmp_path / "m.csv"
    path.write_bytes("Vögel:bird\n".encode("latin-1"))
    assert read_mapping(path, ":", "latin-1") == {"Vögel": "bird"}


@pytest.mark.parametrize(
    ("text", "line", "values"),
    [
        ("bat\n", 1, ()),
        ("bat,bat#2\na,b,c\n", 2, ()),
        (",bird\n", 1, ()),
        ("bat,bat#1\nbat,bat#2\n", 2, ("bat",)),
    ],
)
def test_bad_mapping_files_are_refused(write, text, line, values):
    path = write(text)
    with raises(om.ReadError, path=path, line=line, values=values):
        read_mapping(path)
