"""Heatmaps and trees: every cell and every node is there, drawn or counted."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.figures import Heatmap, Tree, small_multiples
from ontomask.figures.colours import DIVERGING, LOSS, SEQUENTIAL
from ontomask.figures.folding import Branch, children_of, fold

from support.pictures import SVG, check_lettering, of_class, parse, texts, tooltip


def cells(root) -> list[tuple[float, float, str]]:
    rects = [next(cell.iter(f"{SVG}rect")) for cell in of_class(root, "om-cell")]
    return [(float(r.get("x")), float(r.get("y")), r.get("fill")) for r in rects]


def test_cells_are_square_in_order_and_coloured_by_value():
    root = parse(Heatmap([[0, 1], [0.5, 0.25]], ["r1", "r2"], ["c1", "c2"]))
    (x1, y1, a), (x2, _, b), (_, y2, c), (_, _, d) = cells(root)
    assert x2 - x1 == pytest.approx(y2 - y1, abs=0.02)
    assert [a, b, c, d] == [SEQUENTIAL.colour(value) for value in (0, 1, 0.5, 0.25)]
    assert texts(root, "om-value") == ["0.00", "1.00", "0.50", "0.25"]
    assert [tooltip(cell) for cell in of_class(root, "om-cell")][1] == "r1, c2: 1"
    assert texts(root, "om-tick-y") == ["r1", "r2"]
    assert texts(root, "om-tick-x") == ["c1", "c2"]


def test_diverging_scale_has_zero_in_the_middle():
    root = parse(Heatmap([[-0.5, 0, 1]], ["r"], ["a", "b", "c"], scale="diverging"))
    assert [fill for _, _, fill in cells(root)] == [DIVERGING.colour(f) for f in (0.25, 0.5, 1)]
    assert texts(root, "om-value") == ["−0.50", "0.00", "1.00"]
    (written,) = texts(parse(Heatmap([[-0.001]], ["r"], ["c"])), "om-value")
    assert written == "0.00"


def test_cells_without_a_value_are_crossed_out():
    root = parse(Heatmap([[math.nan, 1], [None, 2]], ["r1", "r2"], ["a", "b"]))
    assert len(texts(root, "om-value")) == 2
    crossed = [cell for cell in of_class(root, "om-cell") if tooltip(cell).endswith("no value")]
    assert len(crossed) == 2
    assert all(cell.find(f"{SVG}rect") is None for cell in crossed)


def test_matrices_on_one_scale_share_one_key():
    before = Heatmap([[1, 0.5]], ["r"], ["a", "b"], title="before")
    after = replace(before, values=[[0.1, 0.2]], title="after")
    assert len(of_class(parse(small_multiples([before, after])), "om-colour-key")) == 2
    root = parse(small_multiples([before, after], same_scale=True))
    assert len(of_class(root, "om-colour-key")) == 1
    check_lettering(root)


def test_small_matrices_have_room_for_their_keys_and_titles():
    small = Heatmap(
        [[1]], ["r"], ["c"], column_title="a title that is wider than the matrix", row_title="and a long one"
    )
    check_lettering(parse(replace(small, rows=[""], row_title="")))
    root = parse(small_multiples([small, replace(small, values=[[5]])]))
    check_lettering(root)
    first, second = of_class(root, "om-colour-key")
    ends = [float(rect.get("x")) + float(rect.get("width")) for rect in first.iter(f"{SVG}rect")]
    assert max(ends) < min(float(rect.get("x")) for rect in second.iter(f"{SVG}rect"))


@given(st.integers(1, 12), st.integers(1, 12), st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.integers(0, 6))
@settings(max_examples=40)
def test_numbers_fit_their_cells(rows, columns, low, high, decimals):
    values = np.linspace(low, high, rows * columns).reshape(rows, columns)
    chart = Heatmap(values, [f"r{i}" for i in range(rows)], [f"c{i}" for i in range(columns)], decimals=decimals)
    root = parse(chart)
    check_lettering(root)
    assert len(texts(root, "om-value")) == rows * columns


def test_large_matrices_have_tooltips_only():
    names = [f"n{i}" for i in range(41)]
    root = parse(Heatmap(np.eye(41), names, names))
    assert not of_class(root, "om-value")
    assert len(of_class(root, "om-cell")) == 41 * 41


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"values": [[1, 2]]}, r"must be 1 rows of 1, as many as there are names\. Got 1 by 2 instead"),
        ({"values": [[1], [2, 3]]}, "rows of numbers, all of one length"),
        ({"values": [["x"]]}, "rows of numbers"),
        ({"values": 3}, "Got one number instead"),
        ({"values": [[math.inf]]}, "must be finite"),
        ({"scale": "rainbow"}, "'scale' of a heatmap must be 'sequential' or 'diverging'. Got 'rainbow'"),
        ({"decimals": -1}, r"'decimals' of a heatmap must be an int from 0 to 12\. Got -1"),
    ],
)
def test_matrices_that_cannot_be_drawn_are_refused(options, message):
    with pytest.raises(om.FigureError, match=message):
        Heatmap(**({"values": [[1]], "rows": ["a"], "columns": ["b"]} | options))


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
    ("options", "message"),
    [
        ({"parents": [-1]}, r"parents of a tree must be as many as labels: 6\. Got 1"),
        ({"parents": [-1, 0, 0, 1, 1, 9]}, "number of a node, or -1 for the root. Got 9"),
        ({"parents": [-1, 0, 0, 1, 1, -1]}, "must have one root, .* Got 2 instead"),
        ({"parents": [-1, 2, 1, 1, 1, 2]}, "go round in a circle"),
        ({"values": [0.5] * 5}, "values of a tree must have 6 values. Got 5"),
        ({"values": [0, 0, 0, 0, 0, 1.5]}, "values of a tree must be from 0 to 1"),
        ({"links": [0, 0, 0, 0, 0, -1]}, "links of a tree must be from 0 to 1"),
        ({"most_rows": 0}, r"'most_rows' of a tree must be an int ≥ 1\. Got 0"),
        ({"most_children": 1}, r"'most_children' of a tree must be an int ≥ 2\. Got 1"),
    ],
)
def test_trees_that_cannot_be_drawn_are_refused(options, message):
    with pytest.raises(om.FigureError, match=message):
        Tree(**({"labels": LABELS, "parents": PARENTS} | options))
