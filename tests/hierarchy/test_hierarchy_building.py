from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.distance import WuPalmer
from ontomask.examples.adult import DOMAIN, MAPPING, load_adult
from ontomask.hierarchy import coarsening
from ontomask.hierarchy.building import build_hierarchy
from ontomask.hierarchy.coarsening import Subtree, choose_by_price, choose_exactly
from ontomask.hierarchy.drawing import draw_hierarchy
from ontomask.hierarchy.scoring import score_hierarchy
from ontomask.hierarchy.value_tree import value_tree

from support.errors import raises
from support.literal_building import best_level, losses
from support.literal_distance import wu_palmer
from support.literal_hierarchy import constant, level_based, vgh_gsl
from support.pictures import of_class, parse, tooltip
from support.small_taxonomies import SYMPTOMS
from support.strategies import dags

LEAVES = ["lumbago", "migraine", "colic", "appendicitis", "gastritis"]


refused = partial(raises, om.HierarchyError)


@st.composite
def columns(draw: st.DrawFn, taxonomies: st.SearchStrategy) -> tuple[om.Taxonomy, dict, dict[str, str], dict[str, int]]:
    """A taxonomy, its parents, and at least two values with their concepts and counts; some values share a concept."""
    taxonomy, parents = draw(taxonomies)
    concepts = draw(st.lists(st.sampled_from(sorted(parents)), min_size=2, max_size=5))
    values = {f"v{i}": concept for i, concept in enumerate(concepts)}
    return taxonomy, parents, values, {value: draw(st.integers(1, 30)) for value in values}


@st.composite
def trees(draw: st.DrawFn, most: int = 8) -> tuple[om.Taxonomy, dict[str, list[str]]]:
    n = draw(st.integers(1, most))
    parents: dict[str, list[str]] = {"c0": []}
    for i in range(1, n):
        parents[f"c{i}"] = [f"c{draw(st.integers(0, i - 1))}"]
    edges = [(c, p) for c in parents for p in parents[c]]
    return om.Taxonomy.from_edges(edges, concepts=list(parents)), parents


def check_laws(h, taxonomy: om.Taxonomy) -> None:
    """What every built hierarchy keeps to."""
    assert {len(row) for row in h.rows} == {h.height + 1}
    numbers = [len(h.labels(level)) for level in range(h.height + 1)]
    assert all(a > b for a, b in pairwise(numbers)), "each level is coarser"
    assert numbers[-1] == 1
    for level in range(h.height):
        steps = {(row[level], row[level + 1]) for row in h.rows}
        assert len(steps) == numbers[level], "a group goes into one group"
    for row in h.rows:
        concepts = [h.concepts[label] for label in row]
        for low, high in pairwise(concepts):
            assert high in taxonomy.subsumers(low), "up is up in the ontology"
        # A label that a value has left does not come back.
        assert len([label for label, above in pairwise(row) if label != above]) + 1 == len(set(row))
    inner = {label for row in h.rows for label in row[1:]} - set(h.leaves)
    assert len({label.casefold() for label in inner}) == len(inner)
    assert len({h.concepts[label] for label in inner}) == len(inner), "one label a concept"
    made = h.to_taxonomy()
    assert made.root == h.rows[0][-1]
    assert all(len(made.parents(c)) <= 1 for c in made.ids), "a tree"
    assert all(not made.children(leaf) for leaf in h.leaves)
    # A label that stands on several levels stands for ever more values.
    extents: dict[str, set[str]] = {}
    for level in range(1, h.height + 1):
        for label in h.labels(level):
            here = {leaf for leaf, on_level in h.at(level).items() if on_level == label}
            assert extents.setdefault(label, here) <= here
            extents[label] = here


def nodes_of(h, values: dict[str, str], level: int) -> list[int | str]:
    """A level as the literal version has it: for each value the number of the value it stays, or a concept."""
    order = list(values)
    labels = [h.levels(value)[level] for value in order]
    return [order.index(label) if label in values else h.concepts[label] for label in labels]


@pytest.mark.parametrize("objective", ["max", "mean"])
@settings(max_examples=60)
@given(columns(trees()), st.data())
def test_every_level_loses_least_of_all_with_as_many_groups(objective, column, data):
    taxonomy, parents, values, counts = column
    between = data.draw(st.sets(st.sampled_from(range(2, 5)), max_size=3)) & set(range(2, len(values)))
    groups = [*sorted(between, reverse=True), 1] if data.draw(st.booleans()) else None
    h = build_hierarchy(counts, taxonomy, values, groups=groups, objective=objective)
    check_laws(h, taxonomy)
    points, weights = list(values.values()), list(counts.values())
    lower: list[list[int | str]] = [list(range(len(points)))]
    for level in range(1, h.height + 1):
        number = len(h.labels(level))
        assert groups is None or number == groups[level - 1]
        here = nodes_of(h, values, level)
        found = losses(parents, points, weights, here)
        best = best_level(parents, points, weights, lower, number, objective)
        assert found[1] == pytest.approx(best[1])
        if objective == "max":
            assert found[0] == pytest.approx(best[0])
        lower.append(here)


@settings(max_examples=80)
@given(columns(dags(10)), st.sampled_from(["max", "mean"]), st.booleans())
def test_laws_hold_in_polyhierarchies(column, objective, by_price):
    taxonomy, _, values, counts = column
    with pytest.MonkeyPatch.context() as patch:
        if by_price:
            patch.setattr(coarsening, "EXACT", -1)
        for levels in (None, 1, len(values) - 1):
            check_laws(build_hierarchy(counts, taxonomy, values, levels, objective=objective), taxonomy)


@settings(max_examples=40)
@given(columns(trees()))
def test_the_score_is_what_was_counted(column):
    taxonomy, parents, values, counts = column
    h = build_hierarchy(counts, taxonomy, values, top="*")
    lost = {
        (leaf, level): 0.0 if label == leaf else wu_palmer(parents, values[leaf], h.concepts[label], root_depth=2)
        for leaf in h.leaves
        for level, label in enumerate(h.levels(leaf)[1:], start=1)
    }
    score = score_hierarchy(h, taxonomy, h.concepts)
    assert score.coverage == 1
    assert score.total(weights="constant", level="max") == pytest.approx(vgh_gsl(lost, h.height, constant))
    assert score.total(weights="level", level="max") == pytest.approx(vgh_gsl(lost, h.height, level_based))


def random_subtree(seed: int, nodes: int = 250) -> tuple[Subtree, np.ndarray]:
    """A random tree with groups at all its leaves and some other nodes, and costs that grow on the way up."""
    rng = np.random.default_rng(seed)
    codes = np.arange(nodes)
    edges = [(f"{c:03d}", f"{int(c * rng.random() ** 2):03d}") for c in codes[1:]]
    t = om.Taxonomy.from_edges(edges)
    values = rng.choice(nodes, nodes // 2, replace=False).tolist()
    tree = value_tree(t.graph, values, [1] * len(values))
    node = np.sort(tree.leaf)
    paths = tree.paths(node)
    steps = np.where(paths >= 0, rng.random(paths.shape), 0)
    cost = np.cumsum(steps[:, ::-1], axis=1)[:, ::-1] * rng.integers(1, 20, len(node))[:, None]
    cost[np.arange(len(node)), tree.depth[node]] = 0
    return Subtree(tree.parent, tree.depth, node), np.where(paths >= 0, cost, np.inf)


def total_cost(tree: Subtree, cost: np.ndarray, chosen: np.ndarray) -> float:
    return float(cost[np.arange(len(tree.node)), tree.depth[tree.nearest(chosen)]].sum())


@pytest.mark.parametrize("seed", range(6))
def test_a_price_comes_near_the_exact_choice(seed):
    tree, cost = random_subtree(seed)
    before = np.inf
    for k in (2, 5, 17, 60, len(tree.node)):
        exact, near = choose_exactly(tree, cost, k), choose_by_price(tree, cost, k)
        assert exact.sum() <= k
        assert near.sum() <= k
        best = total_cost(tree, cost, exact)
        assert total_cost(tree, cost, near) >= best - 1e-6
        # A choice of exactly k nodes is the best one; a smaller one still beats the best of the smaller k before.
        if near.sum() == k:
            assert total_cost(tree, cost, near) == pytest.approx(best)
        assert total_cost(tree, cost, near) <= before + 1e-6
        before = best


def test_values_meet_at_the_deepest_concept_they_share():
    t = om.Taxonomy.from_edges(
        [
            ("plant", "thing"),
            ("food", "thing"),
            ("fruit", "food"),
            ("berry", "fruit"),
            ("nightshade", "plant"),
            ("tomato", "nightshade"),
            ("potato", "nightshade"),
            ("tomato", "berry"),
            ("gooseberry", "berry"),
        ]
    )
    h = build_hierarchy(["tomato", "potato", "gooseberry"], t, groups=[2, 1])
    assert h.at(1) == {"tomato": "berry", "potato": "potato", "gooseberry": "berry"}
    assert h.labels(2) == ("thing",)


@pytest.mark.parametrize(("heavier", "group"), [("left", {"a", "b"}), ("right", {"b", "c"})])
def test_of_two_concepts_equally_deep_the_one_with_more_records_chooses(heavier, group):
    t = om.Taxonomy.from_edges(
        [("left", "top"), ("right", "top"), ("a", "left"), ("b", "left"), ("b", "right"), ("c", "right")]
    )
    counts = {"a": 9 if heavier == "left" else 1, "b": 1, "c": 9 if heavier == "right" else 1}
    h = build_hierarchy(counts, t, groups=[2, 1])
    assert {leaf for leaf, label in h.at(1).items() if label == heavier} == group


def test_a_value_above_another_is_a_leaf_beside_it():
    h = build_hierarchy(["ache", *LEAVES], SYMPTOMS, groups=[5, 3, 1])
    assert set(h.leaves) == {"ache", *LEAVES}
    # "ache (ache)" is what lumbago becomes; "ache" remains the cell that says no more than that.
    assert h.levels("ache")[2] == h.levels("lumbago")[2] == h.levels("migraine")[2]
    check_laws(h, SYMPTOMS)
    inner = {label for row in h.rows for label in row[1:]} - set(h.leaves)
    assert "ache" not in inner
    assert all(h.concepts[label] == label for label in h.leaves)


def test_spellings_of_one_concept_join_first():
    h = build_hierarchy(
        {"Colic": 3, "colics": 1, "lumbago": 5, "gastritis": 5}, SYMPTOMS, groups=[3, 1], objective="max"
    )
    assert h.at(1)["Colic"] == h.at(1)["colics"] == "colic (colic)"
    assert h.at(1)["lumbago"] == "lumbago"
    assert score_hierarchy(h, SYMPTOMS, h.concepts).levels[0].max == 0


def test_losses_by_hand():
    # Two groups: with root_depth 2, a leaf two links below "pain" loses 2/(2·3 + 2), one link 1/(2·3 + 1).
    h = build_hierarchy(LEAVES, SYMPTOMS, groups=[2, 1])
    assert set(h.labels(1)) == {"pain", "inflammation"}
    score = score_hierarchy(h, SYMPTOMS, h.concepts)
    assert score.levels[0].max == pytest.approx(2 / 8)
    assert score.levels[0].mean == pytest.approx((2 / 8 + 2 / 8 + 3 * 1 / 7) / 5)
    assert score.levels[1].max == pytest.approx(3 / 7)


def test_frequent_values_stay_as_they_are_where_the_mean_counts():
    counts = {"lumbago": 1000, "migraine": 1, "colic": 1, "appendicitis": 1, "gastritis": 1}
    h = build_hierarchy(counts, SYMPTOMS, groups=[2, 1], objective="mean")
    assert h.at(1)["lumbago"] == "lumbago"
    assert set(h.labels(1)) == {"lumbago", "symptom"}


def test_a_label_that_was_left_is_not_used_again():
    t = om.Taxonomy.from_edges([("x", "y"), *((c, "x") for c in "abcd"), *((c, "y") for c in "ef")])
    counts = {"a": 1, "b": 1, "c": 1000, "d": 1000, "e": 10, "f": 10}
    h = build_hierarchy(counts, t, groups=[5, 3, 2, 1], objective="mean")
    assert h.levels("a") == ("a", "x", "y", "y", "y")
    # x would now lose less for c and d, 2 · 1000 · 1/7 against 1000 · 2/6, but it was the label of a and b.
    assert {h.levels("c")[3], h.levels("d")[3]} in ({"c", "y"}, {"d", "y"})
    check_laws(h, t)


def test_as_many_levels_as_values_have_meeting_points_above_them():
    # lumbago and migraine have three, colic two, the others two: on average 2.4.
    assert build_hierarchy(LEAVES, SYMPTOMS).height == 2
    assert build_hierarchy(["colic", "migraine"], SYMPTOMS).height == 1
    assert build_hierarchy(["colic", "colic", "migraine"], SYMPTOMS, levels=1).rows == (
        ("colic", "pain"),
        ("migraine", "pain"),
    )


def test_numbers_of_groups_fall_by_equal_factors():
    t = om.Taxonomy.from_edges([(f"{i:06b}"[: j + 1], f"{i:06b}"[:j] or "top") for i in range(64) for j in range(6)])
    leaves = [f"{i:06b}" for i in range(64)]
    h = build_hierarchy(leaves, t, levels=3)
    assert [len(h.labels(level)) for level in range(4)] == [64, 16, 4, 1]
    assert set(map(len, h.labels(1))) == {4}
    tight = build_hierarchy(leaves[:4], t, levels=3)
    assert [len(tight.labels(level)) for level in range(4)] == [4, 3, 2, 1]


def test_labels_are_distinct():
    labels = {"bank1": ["Bank"], "bank2": ["bank"], "root": ["institution"]}
    links = [("bank1", "root"), ("bank2", "root"), *((f"{b}{i}", f"bank{b}") for b, i in product("12", "xyz"))]
    t = om.Taxonomy.from_edges(links, labels)
    h = build_hierarchy([f"{b}{i}" for b, i in product("12", "xyz")], t, groups=[2, 1])
    assert set(h.labels(1)) == {"Bank (bank1)", "bank (bank2)"}
    assert h.labels(2) == ("institution",)
    assert (h.concepts["bank (bank2)"], h.concepts["1x"]) == ("bank2", "1x")
    alone = score_hierarchy(h, t)
    assert (alone.score, alone.unmapped) == (score_hierarchy(h, t, h.concepts).score, ())


def test_the_top_can_be_named():
    h = build_hierarchy(LEAVES, SYMPTOMS, levels=2, top="*")
    assert h.labels(2) == ("*",)
    assert h.concepts["*"] == "symptom"
    with refused(parameter="top"):
        build_hierarchy(LEAVES, SYMPTOMS, top="colic")


def test_values_without_a_concept():
    cells = [*LEAVES, "hysteria"]
    with raises(om.MappingError, column="values", values=("hysteria",)):
        build_hierarchy(cells, SYMPTOMS)
    kept = build_hierarchy(cells, SYMPTOMS, levels=2, unmapped="keep")
    assert kept.levels("hysteria") == ("hysteria", "hysteria", "symptom")
    rooted = build_hierarchy(cells, SYMPTOMS, levels=2, unmapped="root", top="*")
    assert rooted.levels("hysteria") == ("hysteria", "*", "*")
    dropped = build_hierarchy(cells, SYMPTOMS, levels=2, unmapped="drop")
    assert "hysteria" not in dropped.leaves
    assert {row for row in kept.rows if row[0] != "hysteria"} == set(dropped.rows)
    assert build_hierarchy(cells, SYMPTOMS, {"hysteria": "pain"}, levels=2).levels("hysteria")[1] == "pain"
    with raises(om.MappingError, parameter="unmapped"):
        build_hierarchy(cells, SYMPTOMS, unmapped="guess")


def test_values_can_come_as_a_mapping_report():
    report = om.map_values([*LEAVES, None, "colic"], SYMPTOMS, column="complaint")
    h = build_hierarchy(report, SYMPTOMS, levels=2)
    assert h.rows == build_hierarchy(Counter([*LEAVES, "colic"]), SYMPTOMS, levels=2).rows
    assert (h.name, h.mapping) == ("complaint", report)
    assert build_hierarchy(LEAVES, SYMPTOMS, name="pains").name == "pains"
    with raises(om.MappingError, parameter="mapping"):
        build_hierarchy(report, SYMPTOMS, {"colic": "pain"})


def test_other_distances():
    by_name = build_hierarchy(LEAVES, SYMPTOMS, groups=[2, 1], distance="log_sc")
    given = build_hierarchy(LEAVES, SYMPTOMS, groups=[2, 1], distance=om.distance("log_sc", SYMPTOMS))
    assert by_name.rows == given.rows
    assert build_hierarchy(LEAVES, SYMPTOMS, groups=[2, 1], root_depth=1).labels(2) == ("symptom",)
    with raises(om.DistanceError, parameter="root_depth"):
        build_hierarchy(LEAVES, SYMPTOMS, distance="log_sc", root_depth=1)


def test_as_many_groups_as_another_hierarchy():
    # Level 1 puts nothing together, level 3 nothing more than level 2; a value that the column lacks does not count.
    level_2 = dict(zip(LEAVES, ["both", "both", *LEAVES[2:]], strict=True))
    rows = [(leaf, leaf.upper(), label, f"{label}!", "*") for leaf, label in level_2.items()]
    hand = om.Hierarchy.from_rows([*rows, ("zeal", "z", "z", "z!", "*")])
    h = build_hierarchy(LEAVES, SYMPTOMS, groups=hand)
    assert h.rows == build_hierarchy(LEAVES, SYMPTOMS, groups=[4, 1]).rows
    with refused(parameter="levels"):
        build_hierarchy(LEAVES, SYMPTOMS, groups=hand, levels=4)
    with refused(values=("colic",)):
        build_hierarchy(["colic", "migraine"], SYMPTOMS, groups=om.Hierarchy.from_rows([("migraine", "*")]))
    with refused(parameter="groups"):
        build_hierarchy(LEAVES, SYMPTOMS, groups=om.Hierarchy.from_rows([(leaf, str(leaf < "i")) for leaf in LEAVES]))


@pytest.mark.parametrize(
    ("values", "options", "parameter"),
    [
        ([], {}, "values"),
        (["colic", "colic"], {}, "values"),
        (["x", "y"], {"unmapped": "root"}, "values"),
        (LEAVES, {"levels": 0}, "levels"),
        (LEAVES, {"levels": 2.0}, "levels"),
        (LEAVES, {"levels": True}, "levels"),
        (LEAVES, {"levels": 5}, "levels"),
        (LEAVES, {"groups": [5, 1]}, "groups"),
        (LEAVES, {"groups": [3, 3, 1]}, "groups"),
        (LEAVES, {"groups": [3, 2]}, "groups"),
        (LEAVES, {"groups": [2.5, 1]}, "groups"),
        (LEAVES, {"groups": []}, "groups"),
        (LEAVES, {"groups": [3, 1], "levels": 3}, "levels"),
        (LEAVES, {"objective": "least"}, "objective"),
    ],
)
def test_bad_input_is_refused(values, options, parameter):
    with refused(parameter=parameter):
        build_hierarchy(values, SYMPTOMS, **options)


def test_other_bad_input():
    with refused(parameter="taxonomy"):
        build_hierarchy(LEAVES, "wordnet")
    with raises(om.MappingError):
        build_hierarchy("colic", SYMPTOMS)
    with refused(values=("co\nlic",)):
        build_hierarchy({"co\nlic": 1, "migraine": 1}, SYMPTOMS, {"co\nlic": "colic"})
    with raises(om.TaxonomyError, code="T106"):
        build_hierarchy(LEAVES, SYMPTOMS, top=" ")


@pytest.mark.parametrize("column", DOMAIN)
def test_adult(column, tmp_path):
    wn, cells = om.load_wordnet(), load_adult()[column]
    h = build_hierarchy(cells, wn, MAPPING[column], 3, domain=DOMAIN[column])
    check_laws(h, wn)
    assert set(h.leaves) == set(cells)
    h.to_csv(tmp_path / "h.csv")
    again = om.read_hierarchy(tmp_path / "h.csv")
    assert again.rows == h.rows
    # What is written scores as what was built: every label is found again among the hypernyms.
    assert score_hierarchy(again, wn, MAPPING[column]).score == score_hierarchy(h, wn, h.concepts).score


@pytest.mark.parametrize("objective", ["max", "mean"])
@pytest.mark.parametrize("column", DOMAIN)
def test_never_worse_than_the_hierarchies_of_arx(column, objective):
    wn, cells = om.load_wordnet(), load_adult()[column]
    hand = om.read_hierarchy(Path(__file__).with_name("arx_adult") / f"adult_hierarchy_{column}.csv")
    theirs = score_hierarchy(hand, wn, MAPPING[column])
    groups = [len(hand.labels(level)) for level in range(1, hand.height + 1)]
    for options in ({"groups": groups}, {"levels": hand.height}):
        h = build_hierarchy(cells, wn, MAPPING[column], domain=DOMAIN[column], objective=objective, **options)
        assert set(h.leaves) == set(hand.leaves)
        assert h.height == hand.height
        ours = score_hierarchy(h, wn, h.concepts)
        for function, weights in product(("max", "mean"), ("constant", "level")):
            assert ours.total(weights=weights, level=function) < theirs.total(weights=weights, level=function)


def test_a_code_system():
    icd9 = om.load_icd9cm()
    codes = [c for c in icd9.ids if not icd9.children(c)][::15]
    h = build_hierarchy(codes, icd9, levels=4)
    check_laws(h, icd9)
    assert len(h.leaves) == len(codes)
    assert h.rows == build_hierarchy(codes, icd9, levels=4).rows


def test_a_picture_coloured_by_loss():
    h = build_hierarchy(LEAVES, SYMPTOMS, groups=[2, 1], name="complaints")
    plain = parse(draw_hierarchy(h))
    assert len(of_class(plain, "om-node")) == 8
    score = score_hierarchy(h, SYMPTOMS, h.concepts)
    drawn = draw_hierarchy(h, score)
    assert (drawn.title, drawn.description) == ("complaints", "Tree of 8 nodes under symptom, 8 of them drawn.")
    nodes = {tooltip(node) for node in of_class(parse(drawn), "om-node")}
    assert {"colic: 0", "pain: 0.25", "symptom: 0.4286"} <= nodes
    links = {tooltip(link) for link in of_class(parse(drawn), "om-link")}
    assert {"lumbago to pain: 0.25", "colic to pain: 0.1429", "pain to symptom: 0.4286"} <= links
    with refused(parameter="score"):
        draw_hierarchy(build_hierarchy(LEAVES, SYMPTOMS, levels=1), score)


def test_a_picture_needs_a_hierarchy_and_its_losses():
    h = build_hierarchy(LEAVES, SYMPTOMS, groups=[2, 1])
    with refused(parameter="hierarchy"):
        draw_hierarchy("h.csv")
    with refused(parameter="score"):
        draw_hierarchy(h, 0.4)
    raw = score_hierarchy(h, SYMPTOMS, h.concepts, distance={"name": "path", "raw": True})
    with refused(parameter="score"):
        draw_hierarchy(h, raw)


def test_a_picture_of_several_tops_and_labels_that_stay():
    h = om.Hierarchy.from_rows([("a", "a", "top 1"), ("b", "c", "top 2")])
    assert {tooltip(node) for node in of_class(parse(draw_hierarchy(h, title="two")), "om-node")} == {
        "⊤",
        "top 1",
        "top 2",
        "a",
        "b",
        "c",
    }


def test_distances_of_the_whole_ontology_count():
    # In the domain alone the depths would be less by two, and the losses greater.
    t = om.Taxonomy.from_edges([("x", "root"), ("y", "x"), ("a", "y"), ("b", "y")])
    h = build_hierarchy(["a", "b"], t)
    assert h.labels(1) == ("y",)
    assert score_hierarchy(h, t, h.concepts).score == WuPalmer(t, root_depth=2)("a", "y") == pytest.approx(1 / 9)
