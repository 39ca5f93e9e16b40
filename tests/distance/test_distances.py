from __future__ import annotations

import csv
import importlib
import pkgutil
import re
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.distance import MEASURES
from ontomask.distance.ties import TIE, farthest, is_less, is_tie, nearest

from support import golden_distances as golden
from support import literal_distance as lit
from support.errors import raises
from support.strategies import dags

ALL = sorted(MEASURES)
SMALL = golden.taxonomy()


def make(column: str, taxonomy: om.Taxonomy) -> om.Distance:
    """A distance from a heading of the golden table, such as ``wu_palmer root_depth=2``."""
    name, _, option = column.partition(" ")
    key, _, value = option.partition("=")
    given = {"True": True}.get(value, int(value) if value.isdigit() else value)
    return om.distance(name, taxonomy, **({key: given} if key else {}))


def test_every_measure_of_the_spec_is_there():
    edge = ["wu_palmer", "path", "leacock_chodorow", "height"]
    feature = ["log_sc", "tversky", "rodriguez", "x_similarity"]
    assert {*edge, *feature, "resnik", "lin", "jiang_conrath"} <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_every_distance_is_public_and_cites_its_source(name):
    measure = MEASURES[name]
    assert measure.name == name
    assert getattr(om, measure.__name__, None) is measure, f"add {measure.__name__} to the public names"
    assert re.search(r"[A-Z]\w+ (19|20)\d\d", measure.__doc__), "cite author and year"


def test_every_distance_is_registered_and_in_the_golden_table():
    registered = set(MEASURES)
    for module in pkgutil.iter_modules(sys.modules["ontomask.distance"].__path__):
        importlib.import_module(f"ontomask.distance.{module.name}")
    assert set(MEASURES) == registered
    assert {column.partition(" ")[0] for column in golden.literal_values("dog", "bat")} == registered


@given(dags(), st.sampled_from(ALL))
@settings(max_examples=150)
def test_distances_have_the_properties_they_claim(dag, name):
    t, parents = dag
    d = om.distance(name, t)
    matrix = d.matrix(t.ids, dtype="float64")
    if d.is_metric:
        assert (matrix[:, None, :] <= matrix[:, :, None] + matrix[None, :, :] + TIE).all()
    if d.is_monotone:
        for c, above in parents.items():
            others = [t.code(v) for v in t.ids if c not in t.subsumers(v)]
            if len(above) == 1:
                assert (matrix[t.code(c), others] >= matrix[t.code(above[0]), others] - TIE).all()
    if d.links_only:
        edges = [(c, p) for c in t.ids for p in t.parents(c)]
        renamed = om.Taxonomy.from_edges(edges, dict.fromkeys(t.ids, "same"), concepts=list(t.ids))
        assert np.array_equal(om.distance(name, renamed).matrix(t.ids, dtype="float64"), matrix)


def test_golden_table_is_what_the_definitions_give():
    with golden.FILE.open(newline="") as file:
        assert list(csv.DictReader(file)) == golden.rows()


@pytest.mark.parametrize("column", list(golden.literal_values("dog", "bat")))
def test_golden_table(column):
    d = make(column, SMALL)
    with golden.FILE.open(newline="") as file:
        table = {(row["a"], row["b"]): float(row[column]) for row in csv.DictReader(file)}
    assert len(table) == 13 * 14 / 2
    for (a, b), expected in table.items():
        assert d(a, b) == pytest.approx(expected, abs=1e-11), (a, b)
        assert d(b, a) == pytest.approx(expected, abs=1e-11), (b, a)


@pytest.mark.parametrize("name", ALL)
def test_rows_matrices_and_pairs_agree(name):
    d = om.distance(name, SMALL)
    ids = SMALL.ids
    whole = d.matrix(ids, dtype="float64")
    assert whole.dtype == np.float64
    assert whole.shape == (13, 13)
    for i, a in enumerate(ids):
        row = d.row(a, dtype="float64")
        assert np.allclose(row, whole[i], rtol=0, atol=1e-12)
        assert np.allclose(row, [d(a, b) for b in ids], rtol=0, atol=1e-12)
    narrow = d.matrix(ids)
    assert narrow.dtype == d.row("dog").dtype == np.float32
    assert np.allclose(narrow, whole, rtol=0, atol=1e-6)
    # Other rows than columns, repeated concepts, integer codes.
    some = d.matrix(["dog", "bat", "dog"], ["club", "dog"], dtype="float64")
    codes = d.matrix(SMALL.codes(["dog", "bat", "dog"]), [SMALL.code("club"), SMALL.code("dog")], dtype="float64")
    expected = [[d(a, b) for b in ("club", "dog")] for a in ("dog", "bat", "dog")]
    assert np.allclose(some, expected, rtol=0, atol=1e-12)
    assert (some == codes).all()
    assert (d.pairs(["dog", "bat"], ["club", "dog"]) == [d("dog", "club"), d("bat", "dog")]).all()
    assert d.matrix([], ids).shape == (0, 13)


@given(dags(), st.sampled_from(ALL))
@settings(max_examples=150)
def test_laws_on_random_dags(dag, name):
    t, _ = dag
    matrix = om.distance(name, t).matrix(t.ids, dtype="float64")
    assert (np.diag(matrix) == 0).all()
    assert np.allclose(matrix, matrix.T, rtol=0, atol=TIE)
    assert matrix.min() >= 0
    assert matrix.max() <= 1


@given(dags(), st.sampled_from((0, 1, 2)))
@settings(max_examples=150)
def test_taxonomic_measures_are_the_literal_ones_on_random_dags(dag, root_depth):
    t, parents = dag
    literals = {
        om.distance("wu_palmer", t, root_depth=root_depth): lambda a, b: lit.wu_palmer(parents, a, b, root_depth),
        om.distance("path", t): lambda a, b: lit.path_distance(parents, a, b),
        om.distance("path", t, raw=True): lambda a, b: lit.raw_path(parents, a, b),
        om.distance("height", t): lambda a, b: lit.height_distance(parents, a, b),
        om.distance("leacock_chodorow", t): lambda a, b: lit.leacock_chodorow(parents, a, b),
        om.distance("log_sc", t): lambda a, b: lit.log_sc(parents, a, b),
        om.distance("tversky", t): lambda a, b: lit.tversky(parents, {c: {c} for c in parents}, a, b),
    }
    for d, literal in literals.items():
        expected = np.array([[literal(a, b) for b in t.ids] for a in t.ids])
        assert np.allclose(d.matrix(t.ids, dtype="float64"), expected, rtol=0, atol=1e-9), d
        assert np.allclose([d.row(a, dtype="float64") for a in t.ids], expected, rtol=0, atol=1e-9), d


@given(dags(most=10), st.sampled_from(("resnik", "lin", "jiang_conrath")), st.sampled_from(("seco", "zhou", "sanchez")))
def test_content_measures_are_the_literal_ones_on_random_dags(dag, name, ic):
    t, parents = dag
    if len(parents) == 1:
        assert om.distance(name, t, ic=ic)(t.root, t.root) == 0
        return
    expected = [[lit.content_measure(name, parents, getattr(lit, ic), a, b) for b in t.ids] for a in t.ids]
    assert np.allclose(om.distance(name, t, ic=ic).matrix(t.ids, dtype="float64"), expected, rtol=0, atol=1e-9)


@given(dags(most=10), st.data())
def test_content_from_counts(dag, data):
    t, parents = dag
    counts = data.draw(st.dictionaries(st.sampled_from(sorted(parents)), st.integers(1, 9), min_size=1))
    literal = lit.from_counts(parents, counts, 1)
    content = om.information_content(t, counts)
    assert np.allclose(content, [literal(parents, c) for c in t.ids], rtol=0, atol=1e-9)
    for c in t.ids:
        assert all(content[t.code(p)] <= content[t.code(c)] + 1e-12 for p in t.parents(c))


@given(dags(), st.data(), st.sampled_from(ALL))
def test_distances_inside_a_domain_are_those_of_the_domain_alone(dag, data, name):
    t, parents = dag
    top = data.draw(st.sampled_from(sorted(parents)))
    inside = t.domain(top)
    alone = om.Taxonomy.from_edges([(c, p) for c in inside.ids for p in inside.parents(c)], concepts=list(inside.ids))
    ours = om.distance(name, inside).matrix(inside.ids, dtype="float64")
    theirs = om.distance(name, alone).matrix(inside.ids, dtype="float64")
    assert np.allclose(ours, theirs, rtol=0, atol=1e-12)


def parents_above(t: om.Taxonomy, concepts: list[str]) -> dict[str, list[str]]:
    small = t.subtaxonomy(concepts)
    return {c: list(small.parents(c)) for c in small.ids}


def test_wu_palmer_on_wordnet_pairs():
    wn = om.load_wordnet()
    rng = np.random.default_rng(3)
    picked = rng.integers(0, len(wn), 4000)
    # Concepts with several parents are where shortcuts in the definition would show.
    several = np.flatnonzero(np.diff(wn.graph.parent_start) > 1)
    picked[:2000] = rng.choice(several, 2000)
    rng.shuffle(picked)
    a, b = picked[:2000], picked[2000:]
    fast = om.distance("wu_palmer", wn).pairs(a, b)
    sets = om.distance("log_sc", wn).pairs(a, b)
    rows = om.distance("wu_palmer", wn).matrix(a[:300], b[:300], dtype="float64")
    assert np.allclose(np.diag(rows), fast[:300], rtol=0, atol=1e-12)
    for i in range(2000):
        pair = [wn.ids[a[i]], wn.ids[b[i]]]
        parents = parents_above(wn, pair)
        assert fast[i] == pytest.approx(lit.wu_palmer(parents, *pair), abs=1e-12), pair
        assert sets[i] == pytest.approx(lit.log_sc(parents, *pair), abs=1e-12), pair


TABLE_1 = [
    ("parrot.n.01", "bird.n.01", 0.0435),
    ("parrot.n.01", "homeotherm.n.01", 0.2381),
    ("parrot.n.01", "vertebrate.n.01", 0.0909),
    ("cat.n.01", "mammal.n.01", 0.1538),
    ("cat.n.01", "homeotherm.n.01", 0.3333),
    ("cat.n.01", "vertebrate.n.01", 0.2),
    ("dog.n.01", "mammal.n.01", 0.1538),
    ("dog.n.01", "homeotherm.n.01", 0.1579),
    ("dog.n.01", "vertebrate.n.01", 0.2),
    ("snake.n.01", "reptile.n.01", 0.0833),
    ("snake.n.01", "poikilotherm.n.01", 0.2727),
    ("snake.n.01", "vertebrate.n.01", 0.1304),
    ("crocodile.n.01", "reptile.n.01", 0.12),
    ("crocodile.n.01", "poikilotherm.n.01", 0.3043),
    ("crocodile.n.01", "vertebrate.n.01", 0.1667),
    ("frog.n.01", "amphibian.n.03", 0.0435),
    ("frog.n.01", "poikilotherm.n.01", 0.2381),
    ("frog.n.01", "vertebrate.n.01", 0.0909),
    ("salmon.n.01", "fish.n.01", 0.0769),
    ("salmon.n.01", "poikilotherm.n.01", 0.3043),
    ("salmon.n.01", "vertebrate.n.01", 0.1667),
]


@pytest.mark.parametrize(("leaf", "ancestor", "loss"), TABLE_1)
def test_table_1_of_vgh_quality(leaf, ancestor, loss):
    assert len(TABLE_1) == 21
    d = om.distance("wu_palmer", om.load_wordnet(), root_depth=2)
    assert round(d(leaf, ancestor), 4) == loss


# Martínez 2012, fig. 3, with the two concepts that the printed values ask for (X and Y).
DISEASES = om.Taxonomy.from_edges(
    [
        ("degenerative disorder", "disease"),
        ("asbestosis", "degenerative disorder"),
        ("X", "degenerative disorder"),
        ("amyotrophia", "X"),
        ("myofibrosis", "X"),
        ("Y", "disease"),
        ("allergy", "Y"),
        ("squint", "Y"),
    ]
)
TABLE_5 = {
    "asbestosis": {
        "amyotrophia": 0.68,
        "myofibrosis": 0.68,
        "allergy": 0.85,
        "squint": 0.85,
        "degenerative disorder": 0.42,
    },
    "amyotrophia": {"myofibrosis": 0.49, "allergy": 0.87, "squint": 0.87, "degenerative disorder": 0.58},
    "myofibrosis": {"allergy": 0.87, "squint": 0.87, "degenerative disorder": 0.58},
    "allergy": {"squint": 0.58, "degenerative disorder": 0.81},
    "squint": {"degenerative disorder": 0.81},
}


def test_table_5_of_the_thesis():
    d = om.distance("log_sc", DISEASES)
    cells = [(a, b, value) for a, row in TABLE_5.items() for b, value in row.items()]
    assert len(cells) == 15
    for a, b, value in cells:
        # The thesis prints two digits, some of them cut and not rounded.
        assert abs(d(a, b) - value) < 0.01, (a, b, d(a, b))


def test_example_of_noise_4_2():
    # Rodriguez-Garcia 2017, section 4.2: gingivitis and gastritis meet at node depth 6, one link below it each.
    chain = [(f"n{i + 1}", f"n{i}") for i in range(1, 6)]
    t = om.Taxonomy.from_edges([*chain, ("gingivitis", "n6"), ("gastritis", "n6")])
    d = om.distance("wu_palmer", t)
    assert d("gingivitis", "gastritis") == 1 - 2 * 6 / (2 * 6 + 1 + 1)
    assert round(d("gingivitis", "gastritis"), 2) == 0.14
    assert d("gastritis", "gastritis") == 0


def test_appendix_c_of_vgh_quality():
    # Ayala-Rivera 2014, Appendix C: car at link depth 2, compact car right below it; the similarity is 0.8.
    t = om.Taxonomy.from_edges([("vehicle", "entity"), ("car", "vehicle"), ("compact car", "car")])
    assert 1 - om.distance("wu_palmer", t, root_depth=0)("car", "compact car") == pytest.approx(0.8)


def test_edges_of_wu_palmer():
    t = om.Taxonomy.from_edges([("b", "a"), ("c", "a")])
    links = om.distance("wu_palmer", t, root_depth=0)
    assert links("a", "a") == 0
    assert links("a", "b") == links("b", "c") == 1


@given(dags(most_parents=1))
def test_height_is_an_ultrametric_in_a_tree(tree):
    t, _ = tree
    matrix = om.distance("height", t).matrix(t.ids, dtype="float64")
    assert (matrix[:, None, :] <= np.maximum(matrix[:, :, None], matrix[None, :, :])).all()


def test_height_of_groups():
    links = [("a", "A"), ("b", "A"), ("c", "C"), ("A", "top"), ("C", "top"), ("d", "top")]
    d = om.distance("height", om.Taxonomy.from_edges(links))
    pairs = {("a", "b"): 1 / 2, ("a", "c"): 1, ("a", "d"): 1, ("a", "A"): 1 / 2, ("a", "top"): 1, ("A", "A"): 0}
    assert {pair: d(*pair) for pair in pairs} == pairs
    assert om.distance("height", om.Taxonomy.from_edges([("a", "top"), ("b", "top")]))("a", "b") == 1


def test_one_concept():
    t = om.Taxonomy.from_edges([], concepts=["only"])
    for name in ALL:
        d = om.distance(name, t)
        assert d("only", "only") == d.row("only")[0] == d.matrix(["only"])[0, 0] == 0


def test_deep_taxonomies_take_wider_integers():
    deep = om.Taxonomy.from_edges([(f"c{i + 1}", f"c{i}") for i in range(200)] + [("x", "c100")])
    d = om.distance("wu_palmer", deep)
    assert d("c200", "x") == 1 - 2 * 101 / (2 * 101 + 100 + 1)
    assert d.row("x", dtype="float64")[deep.code("c200")] == d("x", "c200")
    assert d.matrix(["x"], ["c200"], dtype="float64")[0, 0] == d("x", "c200")
    assert om.distance("path", deep, raw=True)("c200", "x") == 101


def test_too_deep_a_taxonomy_is_refused():
    deep = om.Taxonomy.from_edges([(f"c{i + 1}", f"c{i}") for i in range(1100)])
    with raises(om.DistanceError, code="too-deep"):
        om.distance("wu_palmer", deep)("c1", "c2")


def test_log_sc_without_a_table():
    # Too many subsumers for a table of all sizes.
    wide = [(f"m{i}", "root") for i in range(1200)]
    edges = wide + [("a", f"m{i}") for i in range(1100)] + [("b", f"m{i}") for i in range(100, 1200)]
    t = om.Taxonomy.from_edges(edges)
    d = om.distance("log_sc", t)
    expected = np.log2(1 + (1203 - 1001) / 1203)  # root, 1,200 in the middle, a, b; 1,000 and the root in common
    assert d._tables is None
    assert d("a", "b") == pytest.approx(expected)
    assert d.row("a", dtype="float64")[t.code("b")] == pytest.approx(expected)
    assert d.matrix(["a"], ["b"], dtype="float64")[0, 0] == pytest.approx(expected)


def test_options_of_the_feature_measures():
    parts, glosses = golden.neighbours(), golden.gloss_words()
    weighted = om.distance("rodriguez", SMALL, words=1, parts=0, neighbours=3)
    assert weighted("dog", "bird") == pytest.approx(
        lit.rodriguez(golden.PARENTS, golden.WORDS, parts, "dog", "bird", (1, 0, 3))
    )
    without = om.distance("x_similarity", SMALL, parts=False, glosses=False)
    assert without("bat", "bird") == pytest.approx(
        lit.x_similarity(golden.PARENTS, golden.WORDS, {}, {}, "bat", "bird")
    )
    with_all = om.distance("x_similarity", SMALL, parts=True, glosses=True)
    assert with_all("bat", "bird") == pytest.approx(
        lit.x_similarity(golden.PARENTS, golden.WORDS, parts, glosses, "bat", "bird")
    )


def test_repr_says_what_it_is():
    assert repr(om.distance("wu_palmer", SMALL)).startswith("distance('wu_palmer', <Taxonomy 'small': 13 concepts")
    assert repr(om.distance("wu_palmer", SMALL)).endswith("root_depth=1)")


@given(dags(), st.sampled_from(ALL), st.data())
def test_levels_are_the_distances(dag, name, data):
    t, parents = dag
    d = om.distance(name, t)
    a = data.draw(st.sampled_from(sorted(parents)))
    level, distances = d.levels(a)
    assert (np.diff(distances) > TIE).all()
    assert np.allclose(distances[level], d.row(a, dtype="float64"), rtol=0, atol=TIE)


# Bad input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "parameter"),
    [
        ("wupalmer", {}, "name"),
        ("wu_palmer", {"root": 1}, "root"),
        ("log_sc", {"root": 1}, "root"),
        *(("wu_palmer", {"root_depth": depth}, "root_depth") for depth in (3, -1, True, "1", None, 0.5)),
        ("path", {"raw": "no"}, "raw"),
        *(("rodriguez", {"words": weight}, "words") for weight in (-1, float("nan"), "a")),
        ("rodriguez", {"words": 0, "parts": 0, "neighbours": 0}, "words"),
        ("lin", {"ic": "secco"}, "ic"),
        ("lin", {"ic": [1, 2]}, "ic"),
        ("lin", {"ic": {}}, "ic"),
        *(("lin", {"ic": {"dog": count}}, "ic") for count in (-1, float("nan"), 0, "x")),
        ("lin", {"ic": {"dog": 1}, "smoothing": 0}, "smoothing"),
        *(("lin", {"smoothing": smoothing}, "smoothing") for smoothing in (-5, "a")),
    ],
)
def test_wrong_options_are_named(name, options, parameter):
    with pytest.raises(om.DistanceError) as caught:
        om.distance(name, SMALL, **options)
    assert caught.value.parameter == parameter


def test_errors_list_the_choices():
    with raises(om.DistanceError, values=("wupalmer",), parameter="name"):
        om.distance("wupalmer", SMALL)
    with raises(om.DistanceError, parameter="root"):
        om.distance("wu_palmer", SMALL, root=1)


def test_taxonomy_must_be_one():
    with pytest.raises(om.DistanceError) as caught:
        om.distance("path", {"a": "b"})  # type: ignore[arg-type]
    assert caught.value.parameter == "taxonomy"


def test_unknown_concept_suggests():
    d = om.distance("wu_palmer", SMALL)
    with raises(om.UnknownConceptError, values=("poodel",), suggestions=("poodle", "tool")):
        d("poodel", "dog")
    with pytest.raises(om.UnknownConceptError):
        d.matrix(["dog", "no such thing"])


def test_concept_outside_the_domain():
    d = om.distance("wu_palmer", SMALL.domain("mammal"))
    with raises(om.UnknownConceptError, values=("club",)):
        d("dog", "club")


@pytest.mark.parametrize("codes", [[-1], [13], np.array([99])])
def test_codes_out_of_range(codes):
    with raises(om.DistanceError, code="unknown-codes"):
        om.distance("path", SMALL).matrix(codes)


def test_text_instead_of_a_list():
    with raises(om.DistanceError, code="not-a-list"):
        om.distance("path", SMALL).matrix("dog")


def test_pairs_of_unequal_length():
    with raises(om.DistanceError, parameter="B", code="lengths"):
        om.distance("path", SMALL).pairs(["dog"], ["dog", "bat"])


def test_dtype():
    for dtype in ("float16", "foo"):
        with pytest.raises(om.DistanceError) as caught:
            om.distance("path", SMALL).row("dog", dtype=dtype)
        assert caught.value.parameter == "dtype"


def test_arrays_of_other_shapes():
    with raises(om.DistanceError, code="not-flat"):
        om.distance("path", SMALL).matrix(np.array([[1, 2]]))


@pytest.mark.parametrize(
    ("name", "options", "parameter"),
    [
        ("x_similarity", {"glosses": True}, "glosses"),
        ("x_similarity", {"parts": True}, "parts"),
        ("rodriguez", {"words": 0, "neighbours": 0}, "parts"),
        ("lin", {"ic": "source"}, "ic"),
    ],
)
def test_a_source_without_glosses_parts_or_counts(name, options, parameter):
    with pytest.raises(om.DistanceError) as caught:
        om.distance(name, DISEASES, **options)
    assert caught.value.parameter == parameter


def test_more_subsumers_than_a_short_integer_counts():
    wide = [(f"m{i}", "root") for i in range(40_000)]
    t = om.Taxonomy.from_edges(wide + [(c, f"m{i}") for c in "ab" for i in range(40_000)])
    for name in ("log_sc", "tversky"):
        d = om.distance(name, t)
        assert d.matrix(["a"], ["b"], dtype="float64")[0, 0] == pytest.approx(d("a", "b"))


def test_counts_of_an_unknown_concept():
    with raises(om.UnknownConceptError, values=("dgo",), suggestions=("dog",)):
        om.distance("lin", SMALL, ic={"dgo": 1})


def test_counts_in_a_file(tmp_path):
    file = tmp_path / "counts.csv"
    file.write_text("concept,count\ndog,3\nbat,1\ndog,2\n")
    assert om.read_counts(file, SMALL) == {"dog": 5, "bat": 1}
    file.write_text("02084071-n\t7\n")
    assert om.read_counts(file, om.load_wordnet()) == {"dog.n.01": 7}
    for text, line in (
        ("dog,3\ncat,1\n", 2),
        ("dog,1\ndog,-3\n", 2),
        ("dog,-5\nbat,3\n", 1),
        ("concept,count\n", None),
        ("dog\n", 1),
    ):
        file.write_text(text)
        with pytest.raises(om.ReadError) as caught:
            om.read_counts(file, SMALL)
        assert (caught.value.path, caught.value.line) == (file, line)


# Ties -----------------------------------------------------------------------------------------------------


def test_ties_have_one_tolerance():
    assert TIE == 1e-9
    assert is_tie(0.3, 0.3 + 9e-10)
    assert not is_tie(0.3, 0.3 + 2e-9)
    assert not is_less(0.3, 0.3 + 9e-10)
    assert is_less(0.3, 0.3 + 2e-9)
    assert nearest([0.2, 0.1, 0.1 + 5e-10]).tolist() == [1, 2]
    assert farthest([0.2, 0.1, 0.2 - 5e-10]).tolist() == [0, 2]


def test_wordnet_sense_counts_serve_as_content():
    d = om.distance("lin", om.load_wordnet(), ic="source")
    assert d("dog.n.01", "cat.n.01") < d("dog.n.01", "hammer.n.02")
    pairs = list(combinations(["dog.n.01", "cat.n.01", "oak.n.02"], 2))
    assert all(0 < d(a, b) < 1 for a, b in pairs)
