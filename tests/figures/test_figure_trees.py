"""Trees: every node is drawn or counted."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.figures import Tree
from ontomask.figures.styles import LOSS
from ontomask.figures.tree import Branch, children_of, fold

from support.errors import raises
from support.pictures import SVG, check_lettering, of_class, parse, tooltip

LABELS = ["Any", "Europe", "Asia", "Spain", "Malta", "Japan"]
PARENTS = [-1, 0, 0, 1, 1, 2]


def test_trees_run_from_left_to_right_with_parents_amid_their_children():
    root = parse(Tree(LABELS, PARENTS, values=[1, 0.5, 0.25, 0, 0, math.nan], links=[0, 0.1, 0.2, 0.3, 0.4, 0.5]))
    circles = {tooltip(node): next(node.iter(f"{SVG}circle")) for node in of_class(root, "om-node")}
    assert list(circles) == ["Any: 1", "Europe: 0.5", "Spain: 0", "Malta: 0", "Asia: 0.25", "Japan"]
    x = {name.split(":")[0]: float(circle.get("cx")) for name, circle in circles.items()}
    y = {name.split(":")[0]: float(circle.get("cy")) for name, circle in circles.items()}
    assert x["Any"] < x["Europe"] == x["Asia"] < x["Spain"] == x["Malta"] == x["Japan"]
    assert y["Spain"] < y["Malta"] < y["Japan"]
    assert y["Europe"] == pytest.approx((y["Spain"] + y["Malta"]) / 2, abs=0.02)
    assert y["Asia"] == y["Japan"]
    assert [circles[name].get("fill") for name in ("Any: 1", "Asia: 0.25", "Japan")] == [
        LOSS.colour(1), LOSS.colour(0.25), "#FFFFFF"
    ]  # fmt: skip
    links = {tooltip(link): link.find(f"{SVG}path").get("stroke") for link in of_class(root, "om-link")}
    assert links["Malta to Europe: 0.4"] == LOSS.colour(0.4)
    assert len(links) == 5
    assert len(of_class(root, "om-colour-key")) == 1
    assert not of_class(parse(Tree(LABELS, PARENTS)), "om-colour-key")


def drawn_and_hidden(branch: Branch) -> tuple[int, int, int]:
    """Nodes drawn, nodes hidden, rows."""
    parts = [drawn_and_hidden(child) for child in branch.children]
    return (
        (branch.node >= 0) + sum(part[0] for part in parts),
        branch.hidden + sum(part[1] for part in parts),
        sum(part[2] for part in parts) or 1,
    )


@given(st.lists(st.integers(0, 10**6), max_size=60), st.integers(1, 30), st.integers(2, 6))
@settings(max_examples=100)
def test_folding_counts_every_node_once_and_keeps_to_the_rows(draws, most_rows, most_children):
    parents = [-1, *(draw % (i + 1) for i, draw in enumerate(draws))]
    root, children = children_of(parents)
    top = fold(root, children, most_rows=most_rows, most_children=most_children)
    drawn, hidden, rows = drawn_and_hidden(top)
    assert drawn + hidden == len(parents)
    assert rows <= most_rows
    waiting = [top]
    while waiting:
        branch = waiting.pop()
        waiting += branch.children
        assert len(branch.children) <= most_children + 1
        if branch.node >= 0:
            here = [child.node for child in branch.children if child.node >= 0]
            assert here == children[branch.node][: len(here)]


def test_small_trees_are_drawn_whole():
    _, children = children_of(PARENTS)
    assert drawn_and_hidden(fold(0, children, most_rows=3, most_children=2)) == (6, 0, 3)
    assert drawn_and_hidden(fold(0, children, most_rows=2, most_children=2)) == (3, 3, 2)
    assert drawn_and_hidden(fold(0, children, most_rows=1, most_children=2)) == (1, 5, 1)


def test_a_tree_of_thousands_says_how_many_are_not_drawn():
    parents = [-1] + [0] * 20 + [1 + i % 20 for i in range(6000)]
    tree = Tree([f"value {i}" for i in range(len(parents))], parents, most_rows=50, most_children=8)
    root = parse(tree)
    check_lettering(root)
    notes = [text for text in (element.text for element in root.iter()) if text and text.startswith("…")]
    hidden = sum(int(note.split()[1].replace(",", "")) for note in notes)
    assert len(of_class(root, "om-node")) + hidden == len(parents)
    assert float(root.get("height")) < 1200
    assert tree.figure().description == f"Tree of 6,021 nodes under value 0, {6021 - hidden:,} of them drawn."


def test_a_deep_tree_needs_no_recursion():
    count = 3000
    root = parse(Tree([str(i) for i in range(count)], [i - 1 for i in range(count)]))
    assert len(of_class(root, "om-node")) == count


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"parents": [-1]}, "parents"),
        ({"parents": [-1, 0, 0, 1, 1, 9]}, "parents"),
        ({"parents": [-1, 0, 0, 1, 1, -1]}, "parents"),
        ({"parents": [-1, 2, 1, 1, 1, 2]}, "parents"),
        ({"values": [0.5] * 5}, "values"),
        ({"values": [0, 0, 0, 0, 0, 1.5]}, "values"),
        ({"links": [0, 0, 0, 0, 0, -1]}, "links"),
        ({"most_rows": 0}, "most_rows"),
        ({"most_children": 1}, "most_children"),
    ],
)
def test_trees_that_cannot_be_drawn_are_refused(options, parameter):
    with raises(om.FigureError, parameter=parameter):
        Tree(**({"labels": LABELS, "parents": PARENTS} | options))
