from __future__ import annotations

from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.distance import MEASURES
from ontomask.hierarchy import Hierarchy
from ontomask.hierarchy.levels import level_weights, vgh_gsl
from ontomask.hierarchy.scoring import score_hierarchy

from support import literal_distance, literal_hierarchy
from support.errors import raises
from support.strategies import dags

ANIMALS = [
    ("parrot", "bird", "homeotherm", "vertebrate"),
    ("cat", "mammal", "homeotherm", "vertebrate"),
    ("dog", "mammal", "homeotherm", "vertebrate"),
    ("snake", "reptile", "ectotherm", "vertebrate"),
    ("crocodile", "reptile", "ectotherm", "vertebrate"),
    ("frog", "amphibian", "ectotherm", "vertebrate"),
    ("salmon", "fish", "ectotherm", "vertebrate"),
]
TABLE_1 = {
    "parrot": (0.0435, 0.2381, 0.0909),
    "cat": (0.1538, 0.3333, 0.2),
    "dog": (0.1538, 0.1579, 0.2),
    "snake": (0.0833, 0.2727, 0.1304),
    "crocodile": (0.12, 0.3043, 0.1667),
    "frog": (0.0435, 0.2381, 0.0909),
    "salmon": (0.0769, 0.3043, 0.1667),
}
VGH1 = [
    ("horse", "ungulate", "mammal", "homeotherm", "animal"),
    ("giraffe", "ungulate", "mammal", "homeotherm", "animal"),
    ("tiger", "carnivore", "mammal", "homeotherm", "animal"),
]
VGH2 = [
    ("horse", "herbivore", "mammal", "vertebrate", "animal"),
    ("giraffe", "herbivore", "mammal", "vertebrate", "animal"),
    ("tiger", "carnivore", "mammal", "vertebrate", "animal"),
]
TIGER = {"tiger": "tiger#2"}

# symptom ← pain ← {ache ← {migraine, lumbago}, colic}; symptom ← fever
SYMPTOMS = om.Taxonomy.from_edges(
    [
        ("pain", "symptom"),
        ("fever", "symptom"),
        ("ache", "pain"),
        ("colic", "pain"),
        ("migraine", "ache"),
        ("lumbago", "ache"),
    ]
)


@pytest.fixture(scope="module")
def wn():
    return om.load_wordnet()


refused = partial(raises, om.HierarchyError)


def wup(depth: int, links: int, root_depth: int = 2) -> float:
    """Wu and Palmer's distance of two concepts that meet at a depth, with the links between them."""
    return links / (2 * (depth + root_depth) + links)


# The paper's values


def test_every_transition_of_table_1(wn):
    score = score_hierarchy(Hierarchy.from_rows(ANIMALS), wn, root_depth=2)
    assert len(score.transitions) == 21
    for t in score.transitions:
        assert t.loss == pytest.approx(TABLE_1[t.leaf][t.level - 1], abs=5.1e-5)
    assert score.score == pytest.approx(0.2290, abs=1.1e-4)
    assert score.coverage == 1.0
    assert [str(level.worst) for level in score.levels] == ["cat → mammal", "cat → homeotherm", "cat → vertebrate"]
    assert [level.ties for level in score.levels] == [2, 1, 2]


def test_the_amphibian_of_table_1_is_found_among_the_frogs_hypernyms(wn):
    score = score_hierarchy(Hierarchy.from_rows(ANIMALS), wn)
    (frog,) = [t for t in score.transitions if (t.leaf, t.level) == ("frog", 1)]
    assert wn.find("amphibian")[0] == "amphibian.n.01"
    assert (frog.ancestor_concept, frog.sense) == ("amphibian.n.03", "hypernym")


@pytest.mark.parametrize(
    ("rows", "levels", "constant", "level_based", "flagged"),
    [
        (VGH1, (3 / 29, 5 / 27, 0.36, 1 / 3), 0.2454, 0.2023, [3]),
        (VGH2, (0.36, 5 / 27, 3 / 13, 1 / 3), 0.2773, 0.2791, [1]),
    ],
)
def test_table_2(wn, rows, levels, constant, level_based, flagged):
    score = score_hierarchy(Hierarchy.from_rows(rows), wn, TIGER, root_depth=2)
    assert [level.gsl for level in score.levels] == pytest.approx(levels)
    assert score.score == pytest.approx(constant, abs=1.1e-4)
    again = score_hierarchy(Hierarchy.from_rows(rows), wn, TIGER, root_depth=2, weights="level")
    assert again.score == pytest.approx(level_based, abs=1.1e-4)
    assert score.total(weights="level", level="max") == again.score
    assert [level.level for level in score.levels if level.flagged] == flagged
    assert [note.level for note in score.notes if note.code == "V101"] == flagged


def test_the_worst_transitions_of_table_2(wn):
    score = score_hierarchy(Hierarchy.from_rows(VGH2), wn, TIGER)
    assert [t.leaf for t in score.worst(1)] == ["horse", "giraffe"]
    assert [t.leaf for t in score.worst(3)] == ["horse", "giraffe", "tiger"]
    assert {t.ancestor for t in score.worst(3)} == {"vertebrate"}
    assert score.worst(0) == ()


def test_weights():
    assert level_weights(4, "level") == pytest.approx([0.4, 0.3, 0.2, 0.1])
    assert level_weights(4).tolist() == [0.25] * 4
    assert vgh_gsl([0.1, 0.2]) == pytest.approx(0.15) == vgh_gsl([0.2, 0.1])
    assert vgh_gsl([0.1, 0.2], "level") == pytest.approx(2 / 3 * 0.1 + 1 / 3 * 0.2)
    assert vgh_gsl([0.2, 0.1], "level") == pytest.approx(0.1667, abs=5e-5)


def test_appendix_c():
    vehicles = om.Taxonomy.from_edges([("motor vehicle", "vehicle"), ("car", "motor vehicle"), ("compact car", "car")])
    score = score_hierarchy(Hierarchy.from_rows([("compact car", "car")]), vehicles, root_depth=0)
    assert 1 - score.score == pytest.approx(0.8)


# By hand


def test_levels_by_hand():
    h = Hierarchy.from_rows([("migraine", "ache", "symptom"), ("colic", "ache", "symptom"), ("fever", "symptom")])
    score = score_hierarchy(h, SYMPTOMS, root_depth=1)
    one = [wup(2, 1, 1), wup(1, 2, 1), 0.0]
    two = [wup(0, 3, 1), wup(0, 2, 1), wup(0, 1, 1)]
    for level, losses in zip(score.levels, (one, two), strict=True):
        assert (level.max, level.mean) == pytest.approx((max(losses), sum(losses) / 3))
        assert level.std == pytest.approx((sum((x - sum(losses) / 3) ** 2 for x in losses) / 3) ** 0.5)
        assert (level.transitions, level.left_out, level.weight, level.flagged) == (3, 0, 0.5, False)
    assert score.score == pytest.approx((max(one) + max(two)) / 2)
    assert score.total(weights="level", level="mean") == pytest.approx(2 / 3 * sum(one) / 3 + 1 / 3 * sum(two) / 3)
    mean = score_hierarchy(h, SYMPTOMS, root_depth=1, level="mean")
    assert [level.gsl for level in mean.levels] == pytest.approx([sum(one) / 3, sum(two) / 3])


def test_a_short_row_and_a_repeated_label_lose_nothing_below():
    short = Hierarchy.from_rows([("migraine", "ache", "symptom"), ("fever", "symptom")])
    spelt = Hierarchy.from_rows([("migraine", "ache", "symptom"), ("fever", "fever", "symptom")])
    losses = [score_hierarchy(h, SYMPTOMS).loss for h in (short, spelt)]
    assert np.array_equal(*losses)
    assert losses[0][1, 0] == 0.0
    (fever,) = [t for t in score_hierarchy(short, SYMPTOMS).transitions if (t.leaf, t.level) == ("fever", 1)]
    assert (fever.ancestor_concept, fever.sense) == ("fever", "the value itself")


def test_the_star_is_the_least_common_subsumer_of_the_mapped_values():
    h = Hierarchy.from_rows([("migraine", "*"), ("colic", "*"), ("vertigo", "*")])
    score = score_hierarchy(h, SYMPTOMS)
    assert {t.ancestor_concept for t in score.transitions} == {"pain"}
    assert score.loss[:2, 0] == pytest.approx([wup(1, 2), wup(1, 1)])
    assert np.isnan(score.loss[2, 0])
    assert score_hierarchy(h, SYMPTOMS, {"*": "symptom"}).transitions[0].ancestor_concept == "symptom"
    assert score_hierarchy(h, SYMPTOMS, {"vertigo": "fever"}).transitions[0].ancestor_concept == "symptom"


def test_a_row_for_the_star_is_no_value():
    score = score_hierarchy(Hierarchy.from_rows([("migraine", "*"), ("*", "*")]), SYMPTOMS)
    assert [t.leaf for t in score.transitions] == ["migraine"]
    assert [(v.label, v.note) for v in score.unmapped] == [("*", "stands for any value")]


def test_unmapped_labels_are_excluded_and_reported():
    h = Hierarchy.from_rows(
        [("migraine", "head", "symptom"), ("colic", "pain", "symptom"), ("vertigo", "head", "symptom")], name="signs"
    )
    score = score_hierarchy(h, SYMPTOMS)
    assert [(t.leaf, t.level) for t in score.transitions] == [("migraine", 2), ("colic", 1), ("colic", 2)]
    assert score.coverage == 3 / 6
    assert [(v.label, v.levels, v.transitions) for v in score.unmapped] == [("head", (1,), 2), ("vertigo", (0,), 2)]
    assert [level.left_out for level in score.levels] == [2, 1]
    assert score.levels[0].gsl == pytest.approx(wup(1, 1))
    assert "over 3 of 6 transitions (50.0%): 2 of 3 values and 2 of 3 ancestors have a concept" in str(score)
    assert "'head' (level 1, 2 transitions)" in str(score)


def test_unmapped_labels_come_with_suggestions(wn):
    score = score_hierarchy(Hierarchy.from_rows([("girafe", "mammal"), ("cow", "mammal")]), wn)
    assert "giraffe.n.01" in [s.concept for s in score.unmapped[0].suggestions]
    assert "perhaps" in str(score)


def test_the_weight_of_an_empty_level_goes_to_the_others():
    h = Hierarchy.from_rows([("migraine", "head", "pain", "symptom"), ("lumbago", "back", "pain", "symptom")])
    score = score_hierarchy(h, SYMPTOMS, weights="level")
    pain, symptom = wup(1, 2), wup(0, 3)
    assert [level.weight for level in score.levels] == pytest.approx([0, 2 / 3, 1 / 3])
    assert (score.levels[0].gsl, score.levels[0].worst, score.levels[0].weighted) == (None, None, None)
    assert score.score == pytest.approx(2 / 3 * pain + 1 / 3 * symptom)
    assert score.total(weights="constant", level="max") == pytest.approx((pain + symptom) / 2)
    assert [(note.code, note.level) for note in score.notes if note.code == "V110"] == [("V110", 1)]
    assert "no ancestor has a concept" in str(score)


def test_a_level_is_compared_with_the_next_one_that_has_a_loss():
    h = Hierarchy.from_rows([("migraine", "fever", "head", "ache"), ("lumbago", "fever", "back", "ache")])
    assert [level.flagged for level in score_hierarchy(h, SYMPTOMS).levels] == [True, False, False]


def test_equal_levels_are_not_flagged():
    h = Hierarchy.from_rows([("migraine", "pain", "pain", "pain")])
    assert not any(level.flagged for level in score_hierarchy(h, SYMPTOMS).levels)


def test_a_repeated_row_counts_once():
    rows = [("migraine", "symptom"), ("fever", "symptom")]
    once, twice = (score_hierarchy(Hierarchy.from_rows(r), SYMPTOMS) for r in (rows, [*rows, rows[1], rows[1]]))
    assert (once.levels, once.coverage) == (twice.levels, twice.coverage)


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_any_distance(name):
    h = Hierarchy.from_rows([("migraine", "ache", "*"), ("colic", "pain", "*")])
    d = om.distance(name, SYMPTOMS)
    want = [[d("migraine", "ache"), d("migraine", "pain")], [d("colic", "pain"), d("colic", "pain")]]
    for given_ in (d, {"name": name, **d.options()}):
        assert score_hierarchy(h, SYMPTOMS, distance=given_).loss == pytest.approx(np.array(want))


def test_the_default_distance_counts_nodes_below_a_virtual_root():
    h = Hierarchy.from_rows([("migraine", "ache")])
    assert score_hierarchy(h, SYMPTOMS).score == pytest.approx(wup(2, 1, 2))
    assert score_hierarchy(h, SYMPTOMS, distance="wu_palmer").score == pytest.approx(wup(2, 1, 2))
    assert score_hierarchy(h, SYMPTOMS, distance={"name": "wu_palmer"}, root_depth=0).score == pytest.approx(
        wup(2, 1, 0)
    )
    assert score_hierarchy(h, SYMPTOMS, distance={"name": "wu_palmer", "root_depth": 1}).score == pytest.approx(
        wup(2, 1, 1)
    )


def test_frames():
    h = Hierarchy.from_rows([("migraine", "head", "symptom"), ("colic", "pain", "symptom")])
    score = score_hierarchy(h, SYMPTOMS)
    levels = score.to_frame()
    assert levels["level"].to_list() == [1, 2]
    assert levels["gsl"].to_list() == [level.gsl for level in score.levels]
    assert levels["weighted"].sum() == pytest.approx(score.score)
    assert levels["worst_leaf"].to_list() == ["colic", "migraine"]
    found = score.to_frame("transitions")
    names = ["leaf", "level", "ancestor", "leaf_concept", "ancestor_concept", "loss", "sense"]
    assert found.select(names).rows() == [tuple(getattr(t, name) for name in names) for t in score.transitions]
    assert found["is_a"].to_list() == [True, True, True]
    assert score.to_frame("unmapped")["label"].to_list() == ["head"]
    with refused(parameter="what"):
        score.to_frame("all")


def test_the_level_frame_of_a_hierarchy_with_an_empty_level_keeps_its_types():
    score = score_hierarchy(Hierarchy.from_rows([("migraine", "head", "symptom")]), SYMPTOMS)
    frame = score.to_frame()
    assert frame["gsl"].to_list() == [None, score.score]
    assert (str(frame["gsl"].dtype), str(frame["worst_leaf"].dtype)) == ("Float64", "String")


def test_text():
    h = Hierarchy.from_rows([("migraine", "ache", "*"), ("colic", "fever", "*")], name="signs")
    assert str(score_hierarchy(h, SYMPTOMS)).splitlines()[:6] == [
        "signs: VghGSL 0.3393 over the taxonomy",
        "  wu_palmer, root_depth=2; max of a level, constant weights",
        "  over 4 of 4 transitions (100.0%): 2 of 2 values and 3 of 3 ancestors have a concept",
        "  level  weight     max    mean     std  worst transition",
        "      1  0.5000  0.4286  0.2698  0.1587  colic → fever  (more than the level above)",
        "      2  0.5000  0.2500  0.1964  0.0536  migraine → *",
    ]
    assert repr(score_hierarchy(h, SYMPTOMS)).startswith("<HierarchyScore 0.")


# Bad input


def test_a_taxonomy_in_which_nothing_maps_is_refused(wn):
    h = Hierarchy.from_rows([("xqzt 1", "group a", "*"), ("xqzt 2", "group b", "*")], name="codes")
    with raises(om.MappingError, values=("xqzt 1", "xqzt 2", "group a", "group b")) as caught:
        score_hierarchy(h, SYMPTOMS)
    assert "'xqzt 1' (a value, 2 transitions)" in str(caught.value)
    with raises(om.MappingError, values=("belly", "heat")):
        score_hierarchy(Hierarchy.from_rows([("fever", "heat"), ("colic", "belly")]), SYMPTOMS)


def test_a_hierarchy_of_height_one():
    score = score_hierarchy(Hierarchy.from_rows([("migraine", "*"), ("fever", "*")]), SYMPTOMS)
    assert [level.weight for level in score.levels] == [1.0]
    assert score.score == pytest.approx(wup(0, 3))


@pytest.mark.parametrize(
    ("options", "kind", "fields"),
    [
        ({"weights": "equal"}, om.HierarchyError, {"parameter": "weights"}),
        ({"level": "min"}, om.HierarchyError, {"parameter": "level"}),
        ({"distance": "euclid"}, om.DistanceError, {}),
        ({"distance": {"root_depth": 1}}, om.DistanceError, {"parameter": "distance"}),
        ({"distance": 3}, om.DistanceError, {"parameter": "distance"}),
        ({"distance": "log_sc", "root_depth": 2}, om.DistanceError, {"parameter": "root_depth"}),
        (
            {"distance": {"name": "wu_palmer", "root_depth": 1}, "root_depth": 1},
            om.DistanceError,
            {"parameter": "root_depth"},
        ),
        ({"root_depth": 3}, om.DistanceError, {}),
        ({"mapping": 5}, om.MappingError, {}),
        ({"mapping": {"fever": "feverr"}}, om.MappingError, {"values": ("fever",)}),
        ({"mapping": "no such file.csv"}, om.ReadError, {"path": Path("no such file.csv")}),
    ],
)
def test_bad_options_are_refused(options, kind, fields):
    with raises(kind, **fields):
        score_hierarchy(Hierarchy.from_rows([("fever", "symptom")]), SYMPTOMS, **options)


def test_a_distance_over_another_taxonomy_is_refused():
    with raises(om.DistanceError, parameter="distance"):
        score_hierarchy(
            Hierarchy.from_rows([("fever", "symptom")]), SYMPTOMS, distance=om.distance("path", SYMPTOMS.domain("pain"))
        )
    with refused(parameter="hierarchy"):
        score_hierarchy("h.csv", SYMPTOMS)


# Against the literal version


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Hierarchy, om.Taxonomy, dict[str, list[str]]]:
    """A taxonomy in which words have several senses, and a hierarchy of words, ids, unknown labels and stars."""
    _, parents = draw(dags(most=12))
    words = ["lime", "bat", "seal", "mole"]
    labels = {c: draw(st.lists(st.sampled_from(words), min_size=1, max_size=2, unique=True)) for c in parents}
    taxonomy = om.Taxonomy.from_edges(
        [(c, p) for c in parents for p in parents[c]], labels, concepts=draw(st.permutations(list(parents)))
    )
    leaves = draw(st.lists(st.sampled_from([*parents, *words, "unknown"]), min_size=1, max_size=6, unique=True))
    label = st.sampled_from([*words, *words, *parents, "strange", "*"])
    top = draw(label)
    rows = [(leaf, *draw(st.lists(label, max_size=3)), top) for leaf in leaves]
    return Hierarchy.from_rows(rows), taxonomy, parents


@settings(max_examples=150)
@given(labelled(), st.sampled_from(["wu_palmer", "log_sc"]))
def test_scores_agree_with_the_literal_procedures(case, name):
    h, taxonomy, parents = case
    paths = {leaf: h.levels(leaf) for leaf in h.leaves}

    def literal(a: str, b: str) -> float:
        if name == "log_sc":
            return literal_distance.log_sc(parents, a, b)
        return literal_distance.wu_palmer(parents, a, b, 2)

    def find(label: str) -> list[str]:
        return [label] if label in taxonomy else taxonomy.find(label)

    want = literal_hierarchy.transitions(paths, find, parents, taxonomy.ids, literal)
    if not want:
        with pytest.raises(om.MappingError):
            score_hierarchy(h, taxonomy, distance=name)
        return
    score = score_hierarchy(h, taxonomy, distance=name)
    assert {(t.leaf, t.level): t.loss for t in score.transitions} == pytest.approx(want)
    assert score.coverage == pytest.approx(len(want) / (len(paths) * h.height))
    for weights, weight in (("constant", literal_hierarchy.constant), ("level", literal_hierarchy.level_based)):
        total = literal_hierarchy.vgh_gsl(want, h.height, weight)
        assert score.total(weights=weights, level="max") == pytest.approx(total)
    subsumed = [t.ancestor_concept in taxonomy.subsumers(t.leaf_concept) for t in score.transitions]
    assert score.to_frame("transitions")["is_a"].to_list() == subsumed


@settings(max_examples=50)
@given(labelled())
def test_laws(case):
    h, taxonomy, _ = case
    try:
        score = score_hierarchy(h, taxonomy)
    except om.MappingError:
        return
    assert sum(level.weight for level in score.levels) == pytest.approx(1)
    for weights, level in product(("constant", "level"), ("max", "mean")):
        assert 0 <= score.total(weights=weights, level=level) <= 1
    assert score.total(weights="constant", level="mean") <= score.total(weights="constant", level="max") + 1e-12
    assert sum(level.transitions for level in score.levels) == len(score.transitions)
    known = [level for level in score.levels if level.gsl is not None]
    for level, upper in pairwise(known):
        assert level.flagged == (level.max - upper.max > 1e-9)
