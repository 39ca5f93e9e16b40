from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.taxonomy import VIRTUAL_ROOT, Annotations

from support.errors import raises
from support.literal_taxonomy import depth, hierarchy, lcs_candidates, path, subsumers
from support.small_taxonomies import SYMPTOM_LINKS
from support.strategies import dags


@pytest.fixture
def symptoms() -> om.Taxonomy:
    return om.Taxonomy.from_edges(SYMPTOM_LINKS)


@given(dags(), st.data())
def test_definitions_hold_on_random_dags(dag, data):
    t, parents = dag
    values = data.draw(st.lists(st.sampled_from(sorted(parents)), min_size=1, max_size=6))
    for c in parents:
        assert t.subsumers(c) == subsumers(parents, c)
        assert t.depth(c) == depth(parents, c)
        assert set(t.parents(c)) == set(parents[c])
        assert set(t.children(c)) == {d for d in parents if c in parents[d]}
        assert set(t.descendants(c)) == {d for d in parents if c in subsumers(parents, d)}
        for s in t.subsumers(c):
            assert t.path(c, s) == path(parents, c, s)
    top = t.lcs(*values)
    assert top in lcs_candidates(parents, list(dict.fromkeys(values)))
    assert set(t.subsumer_hierarchy(values)) == hierarchy(parents, values, top)


@given(dags(), st.data())
def test_lcs_does_not_depend_on_the_order_of_values(dag, data):
    t, parents = dag
    values = data.draw(st.lists(st.sampled_from(sorted(parents)), min_size=1, max_size=6))
    assert t.lcs(*values) == t.lcs(*reversed(values)) == t.lcs(*values, *values)


@given(dags())
def test_codes_are_places_in_ids_and_parents_come_first(dag):
    t, parents = dag
    assert sorted(t.ids) == sorted(parents)
    for i, c in enumerate(t.ids):
        assert t.code(c) == i
        assert all(t.code(p) < i for p in t.parents(c))
    assert list(t.graph.depth) == sorted(t.graph.depth)
    for d in range(t.graph.max_depth + 1):
        level = t.ids[t.graph.level_start[d] : t.graph.level_start[d + 1]]
        assert all(t.depth(c) == d for c in level)
        assert level


@given(dags(), st.data())
def test_domain_is_everything_below_with_its_own_depths(dag, data):
    t, parents = dag
    top = data.draw(st.sampled_from(sorted(parents)))
    d = t.domain(top)
    inside = {c for c in parents if top in subsumers(parents, c)}
    assert set(d.ids) == inside
    assert d.root == top
    within = {c: [p for p in parents[c] if p in inside] for c in inside}
    for c in inside:
        assert d.depth(c) == depth(within, c)
        assert d.labels(c) == t.labels(c)
        assert d.find(c) == [c]
    for c in set(parents) - inside:
        assert d.find(c) == []


@given(dags(), st.data())
def test_subtaxonomy_keeps_the_subsumers_of_the_values(dag, data):
    t, parents = dag
    values = data.draw(st.lists(st.sampled_from(sorted(parents)), min_size=1, max_size=4))
    small = t.subtaxonomy(values)
    assert set(small.ids) == set().union(*(subsumers(parents, v) for v in values))
    assert all(small.depth(c) == t.depth(c) and small.parents(c) == t.parents(c) for c in small.ids)


def test_example_4_has_nine_candidates(symptoms):
    # Martínez 2012, example 4: lumbago and migraine meet at ache; the whole set at symptom.
    assert symptoms.lcs("lumbago", "migraine") == "ache"
    assert symptoms.lcs("lumbago", "gastritis", "colic") == "symptom"
    assert len(symptoms.subsumer_hierarchy(["lumbago", "migraine", "colic", "appendicitis", "gastritis"])) == 9


def test_depth_is_the_longest_path_and_path_the_shortest():
    t = om.Taxonomy.from_edges([("b", "a"), ("c", "b"), ("d", "c"), ("d", "a")])
    assert t.depth("d") == 3
    assert t.path("d", "a") == 1


def test_lcs_prefers_depth_then_the_shortest_joint_path_then_order():
    # x and y share p (direct) and q (two links from y), both at depth 1.
    t = om.Taxonomy.from_edges(
        [("q", "r"), ("p", "r"), ("m", "q"), ("x", "q"), ("x", "p"), ("y", "m"), ("y", "p")],
        concepts=["r", "q", "p", "m", "x", "y"],
    )
    assert t.lcs("x", "y") == "p"
    even = om.Taxonomy.from_edges(
        [("q", "r"), ("p", "r"), ("x", "q"), ("x", "p"), ("y", "q"), ("y", "p")], concepts=["r", "q", "p", "x", "y"]
    )
    assert even.lcs("x", "y") == even.lcs("y", "x") == "p"


def test_path_up_to_a_concept_that_does_not_subsume(symptoms):
    with raises(om.TaxonomyError, values=("colic", "ache")):
        symptoms.path("ache", "colic")


def test_several_roots_get_a_virtual_root_and_a_note():
    t = om.Taxonomy.from_edges([("cat", "animal"), ("oak", "plant")])
    assert t.root == VIRTUAL_ROOT == "⊤"
    assert t.children("⊤") == ("animal", "plant")
    assert t.lcs("cat", "oak") == "⊤"
    assert [note.code for note in t.notes] == ["T102"]
    assert t.notes[0].values == ("animal", "plant")


def test_a_single_concept_is_a_taxonomy():
    t = om.Taxonomy.from_edges([], concepts=["only"])
    assert (len(t), t.root, t.lcs("only"), t.depth("only")) == (1, "only", "only", 0)
    assert t.subsumer_hierarchy(["only"]) == ("only",)


def test_repeated_links_count_once():
    t = om.Taxonomy.from_edges([("b", "a"), ("b", "a"), ("c", "a")])
    assert t.parents("b") == ("a",)
    assert [note.code for note in t.notes] == ["T107"]


def test_cycle_is_shown():
    with raises(om.TaxonomyError, code="T101", values=("b", "c", "a", "b")):
        om.Taxonomy.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("a", "root"), ("x", "a")])


def test_up_to_five_cycles_are_shown():
    pairs = [(f"a{i}", f"b{i}") for i in range(7)]
    with pytest.raises(om.TaxonomyError) as caught:
        om.Taxonomy.from_edges([*pairs, *((b, a) for a, b in pairs)])
    assert str(caught.value).count("→ b") == 5


def test_concept_that_is_its_own_parent_is_a_cycle():
    with raises(om.TaxonomyError, code="T101"):
        om.Taxonomy.from_edges([("a", "a"), ("a", "r")])


def test_dangling_parent():
    with raises(om.TaxonomyError, code="T103", values=("nowhere",)):
        om.Taxonomy.from_edges([("b", "nowhere")], concepts=["a", "b"])


def test_label_of_a_concept_that_does_not_exist():
    with raises(om.TaxonomyError, code="T103", values=("z",)):
        om.Taxonomy.from_edges([("b", "a")], {"z": ["zed"]}, concepts=["a", "b"])


def test_duplicate_id():
    with raises(om.TaxonomyError, code="T104", values=("a",)):
        om.Taxonomy.from_edges([], concepts=["a", "b", "a"])


def test_empty_taxonomy():
    with raises(om.TaxonomyError, code="T105"):
        om.Taxonomy.from_edges([])


@pytest.mark.parametrize("bad", [float("nan"), 250.1, 7, None, "", "  "])
def test_ids_and_labels_are_text(bad):
    with raises(om.TaxonomyError, code="T106"):
        om.Taxonomy.from_edges([("a", bad)])
    with raises(om.TaxonomyError, code="T106"):
        om.Taxonomy.from_edges([("a", "b")], {"a": [bad]})


@pytest.mark.parametrize("edges", [[1, 2], ["ab"], [("a",)], [(["a"], "b")], [("a\nb", "c")], [("\ud800", "c")]])
def test_edges_that_make_no_links(edges):
    with raises(om.TaxonomyError, code="T106"):
        om.Taxonomy.from_edges(edges)


def test_labels_that_are_no_list():
    with raises(om.TaxonomyError, code="T106"):
        om.Taxonomy.from_edges([("a", "b")], {"a": 5})


@pytest.mark.parametrize(
    ("one", "other"),
    [("<=50K", ">50K"), ("HIV-", "HIV+"), ("Rh+", "Rh-"), ("C#", "C++"), ("-17", "17"), ("<20", "20"), ("दान", "दिन")],
)
def test_symbols_and_marks_that_carry_meaning_are_kept(one, other):
    t = om.Taxonomy.from_edges([("x", "r")], {"x": [one]})
    assert t.find(one) == ["x"]
    assert t.find(other) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alzheimer´s disease", "ALZHEIMER'S DISEASE"),
        ("İstanbul", "istanbul"),
        ("well-known", "well known"),
        ("R & D", "r and d"),
    ],
)
def test_spellings_that_differ_in_nothing_but_form(one, other):
    assert om.Taxonomy.from_edges([("x", "r")], {"x": [one]}).find(other) == ["x"]


def test_edges_that_are_no_pairs():
    with raises(om.TaxonomyError, code="T106"):
        om.Taxonomy.from_edges([("a", "b", "c")])  # type: ignore[list-item]


def test_unknown_concept_suggests(symptoms):
    with raises(om.UnknownConceptError, values=("migrane",), suggestions=("migraine",)):
        symptoms.depth("migrane")
    with pytest.raises(KeyError):
        symptoms.labels("nothing like it")
    with pytest.raises(om.UnknownConceptError) as caught:
        symptoms.lcs("x1", "x2")
    assert caught.value.values == ("x1", "x2")


def test_word_instead_of_id_suggests_the_id():
    t = om.Taxonomy.from_edges([("D1", "D0")], {"D1": ["diabetes"]})
    with raises(om.UnknownConceptError, values=("diabetes",), suggestions=("D1",)):
        t.parents("diabetes")


def test_labels_and_find_in_sense_order():
    t = om.Taxonomy.from_edges(
        [("bank1", "thing"), ("bank2", "thing"), ("shore", "thing")],
        {"bank1": ["bank", "savings-bank"], "bank2": ["Bank"], "shore": ["shore", "bank"]},
        ranks={"bank1": [2, 1], "bank2": [1], "shore": [1, 3], "thing": [1]},
    )
    assert t.labels("bank1") == ("bank", "savings-bank")
    assert t.label("shore") == "shore"
    assert t.label("thing") == "thing"
    assert t.find("bank") == t.find("BANK") == ["bank2", "bank1", "shore"]
    assert t.find("Savings bank") == t.find("savings_bank") == ["bank1"]
    assert t.find("nothing") == t.find("") == t.find("--") == []


def test_spelling_comes_before_normal_form():
    t = om.Taxonomy.from_edges([("x", "r"), ("y", "r")], {"x": ["man-eater"], "y": ["man eater"]})
    assert t.find("Man eater") == ["y"]
    assert t.find("man-eater") == ["x"]
    assert t.find("man/eater") == ["x", "y"]


def test_a_label_may_be_given_as_one_text():
    assert om.Taxonomy.from_edges([("a", "b")], {"a": "alpha"}).labels("a") == ("alpha",)


def test_labels_in_any_script():
    t = om.Taxonomy.from_edges([("a", "r"), ("b", "r")], {"a": ["Ärztin"], "b": ["看護師"]})
    assert t.find("ÄRZTIN") == ["a"]
    assert t.find("看護師") == ["b"]
    assert t.labels("b") == ("看護師",)


def test_taxonomy_is_frozen(symptoms):
    with pytest.raises(AttributeError):
        symptoms.ids = ()
    with pytest.raises(ValueError, match="read-only"):
        symptoms.graph.depth[0] = 3
    with pytest.raises(ValueError, match="read-only"):
        symptoms.graph.child[0] = 3


def test_pickle_round_trip(symptoms):
    again = pickle.loads(pickle.dumps(symptoms))
    assert again.ids == symptoms.ids
    assert again.lcs("lumbago", "colic") == "pain"


def test_empty_sets_are_refused(symptoms):
    with raises(om.TaxonomyError, parameter="concepts"):
        symptoms.lcs()
    with raises(om.TaxonomyError, parameter="concepts"):
        symptoms.subsumer_hierarchy([])
    with raises(om.TaxonomyError, parameter="concepts"):
        symptoms.subtaxonomy([])


def test_aliases_find_only_what_is_inside():
    t = om.Taxonomy.from_edges(
        [("b", "a"), ("c", "a")], annotations=Annotations(aliases={"old code": {"17": ("c", "b"), "18": ("c",)}})
    )
    assert t.find_alias("17") == ("old code", ["b", "c"])
    assert t.find_alias("19") is None
    assert t.domain("b").find_alias("17") == ("old code", ["b"])
    assert t.domain("b").find_alias("18") is None


def test_validate_finds_redundant_links_and_shared_labels():
    t = om.Taxonomy.from_edges([("b", "a"), ("c", "b"), ("c", "a"), ("d", "a")], {"c": ["tea"], "d": ["Tea"]})
    assert [finding.code for finding in om.validate(t)] == ["T108", "T109"]


def random_snomed_sized(n: int = 350_000, links: int = 560_000) -> list[tuple[str, str]]:
    rng = np.random.default_rng(0)
    child = np.concatenate([np.arange(1, n), rng.integers(2, n, links - n + 1)])
    parent = (child * rng.random(len(child)) * 0.5).astype(np.int64)
    names = [f"{i:09d}" for i in range(n)]
    return [(names[c], names[p]) for c, p in zip(child.tolist(), parent.tolist(), strict=True)]


@pytest.mark.slow
def test_350_000_concepts_stay_under_500_mb():
    edges = random_snomed_sized()
    tracemalloc.start()
    t = om.Taxonomy.from_edges(edges)
    t.find("000000077")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(t) == 350_000
    assert 500_000 < len(t.graph.parent) <= 560_000
    assert peak < 500e6
    assert t.lcs(*t.ids[1:200_000]) == t.root
