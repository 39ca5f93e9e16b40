"""Trees: a hierarchy from its root on the left to its leaves on the right, coloured by values from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from math import isnan

from ontomask.base.frozen import set_fields
from ontomask.base.text import one_line, readable
from ontomask.errors import FigureError
from ontomask.figures.axes import Area, Margins
from ontomask.figures.chart import Chart, Key, Spec
from ontomask.figures.styles import LOSS
from ontomask.figures.svg import (
    QUIET,
    SMALL,
    TEXT,
    Attributes,
    coordinate,
    polyline,
    shorten,
    tag,
    text_width,
    with_tooltip,
    write,
)  # fmt: skip
from ontomask.figures.values import Numbers, check_int, numbers

__all__ = ["Tree"]

_ROW = 18.0
_RADIUS, _GAP = 5.0, 5.0
_LABEL_ROOM = 190.0
_PLAIN = "#B5B5B5"
_KEY_WIDTH, _KEY_HEIGHT, _KEY_PARTS = 200.0, 10.0, 50


@dataclass
class Branch:
    """A drawn node: its number, or -1 for a row in place of siblings that are not drawn.

    ``hidden`` is the number of nodes below or beside it that are not drawn. ``row`` is its position from the top.
    """

    node: int
    depth: int
    hidden: int = 0
    row: float = 0.0
    children: list[Branch] = field(default_factory=list)


def children_of(parents: Sequence[int]) -> tuple[int, list[list[int]]]:
    """The root and the children of every node; an error if the parents do not make a tree."""
    children: list[list[int]] = [[] for _ in parents]
    roots: list[int] = []
    for node, parent in enumerate(parents):
        if not -1 <= parent < len(parents):
            raise FigureError("A parent must be the number of a node, or -1 for the root.", parameter="parents")
        (roots if parent == -1 else children[parent]).append(node)
    if len(roots) != 1:
        raise FigureError(
            f"A tree must have one root, with the parent -1. Got {len(roots):,} roots.", parameter="parents"
        )
    if len(_top_down(roots[0], children)) != len(parents):
        raise FigureError("The parents contain a cycle. Remove it.", parameter="parents")
    return roots[0], children


def _top_down(root: int, children: Sequence[Sequence[int]]) -> list[int]:
    """All nodes under the root, parents before children."""
    order = [root]
    for node in order:
        order.extend(children[node])
    return order


def fold(root: int, children: Sequence[Sequence[int]], *, most_rows: int, most_children: int) -> Branch:
    """The part of a tree that fits into ``most_rows`` rows.

    The tree is opened level by level. All nodes of a level show the same number of children at most, as many as there
    is room for, and a row for the rest. A level with no room for two children of each node stays closed.

    >>> top = fold(0, [[1, 2, 3, 4], [], [], [], []], most_rows=3, most_children=10)
    >>> [(branch.node, branch.hidden) for branch in top.children]
    [(1, 0), (2, 0), (-1, 2)]
    """
    below = [0] * len(children)
    for node in reversed(_top_down(root, children)):
        below[node] = sum(below[child] + 1 for child in children[node])
    top = Branch(root, 0)
    level, rows = [top], 1
    while level:
        inner = [branch for branch in level if children[branch.node]]
        sizes = [len(children[branch.node]) for branch in inner]
        room = most_rows - rows
        shown = next((most for most in range(most_children, 1, -1) if _more_rows(sizes, most) <= room), 0)
        for branch in inner:
            nodes = children[branch.node]
            # All children are shown if that needs no more rows than some of them and a row for the rest.
            kept = 0 if not shown else len(nodes) if len(nodes) <= shown + 1 else shown
            branch.children = [Branch(child, branch.depth + 1) for child in nodes[:kept]]
            rest = sum(below[child] + 1 for child in nodes[kept:])
            if rest and kept:
                branch.children.append(Branch(-1, branch.depth + 1, rest))
            elif rest:
                branch.hidden = rest
        rows += _more_rows(sizes, shown) if shown else 0
        level = [child for branch in inner for child in branch.children if child.node >= 0]
    return top


def _more_rows(sizes: Sequence[int], most: int) -> int:
    """Rows that are added by opening nodes; the first child takes the row of its parent."""
    return sum(min(size, most + 1) - 1 for size in sizes)


@dataclass(frozen=True)
class _ColourKey:
    """A bar with the colours from 0 to 1."""

    title: str
    least_width: float = _KEY_WIDTH

    def height(self, width: float) -> float:  # noqa: ARG002 (the same in any width)
        """The height of title, bar and numbers."""
        return _KEY_HEIGHT + 2 + TEXT * 1.4 + (TEXT * 1.5 if self.title else 0)

    def draw(self, x: float, y: float, width: float) -> str:
        """The bar, with the top left corner at (x, y)."""
        parts = []
        if self.title:
            parts.append(write(shorten(self.title, width), x, y + TEXT / 2, full=self.title, class_="om-name"))
            y += TEXT * 1.5
        # A gradient would need an id in the page. Each box reaches under the next, so that no gap shows.
        each = _KEY_WIDTH / _KEY_PARTS
        for part in range(_KEY_PARTS):
            wide = min(2, _KEY_PARTS - part) * each
            fill = LOSS.colour(part / (_KEY_PARTS - 1))
            parts.append(tag("rect", x=x + part * each, y=y, width=wide, height=_KEY_HEIGHT, fill=fill))
        for value, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
            below = y + _KEY_HEIGHT + 4 + SMALL / 2
            parts.append(write(f"{value:g}", x + value * _KEY_WIDTH, below, size=SMALL, anchor=anchor))
        return with_tooltip(f"{self.title or 'colours'}: 0 to 1", *parts, class_="om-colour-key")


@dataclass(frozen=True)
class Tree(Chart):
    """A tree, given as the parent of every node.

    A large tree is folded level by level until it fits: ``… 12 more`` stands for twelve nodes that are not drawn.

    Attributes
    ----------
    labels
        The names of the nodes.
    parents
        The number of each node's parent; -1 for the root. Children are drawn in the order of their numbers.
    values
        A value from 0 to 1 that colours each node; None or NaN leaves it white.
    links
        A value from 0 to 1 that colours the link from each node to its parent; that of the root is not drawn.
    value_title
        What the values are; written at the colour key.
    most_rows, most_children
        The number of rows in the picture, and of children of a node, at most.

    Examples
    --------
    >>> tree = Tree(["Europe", "Spain", "Malta"], [-1, 0, 0], values=[0.4, 0, 0], value_title="loss")
    >>> tree.figure().description
    'Tree of 3 nodes under Europe, 3 of them drawn.'
    """

    labels: Sequence[object]
    parents: Sequence[int]
    values: Numbers | None = None
    links: Numbers | None = None
    value_title: str = ""
    most_rows: int = 80
    most_children: int = 12

    def __post_init__(self) -> None:
        super().__post_init__()
        set_fields(self, labels=tuple(map(str, self.labels)), parents=tuple(map(int, self.parents)))
        if len(self.parents) != len(self.labels):
            raise FigureError(
                f"There must be a parent for each of the {len(self.labels):,} labels. Got {len(self.parents):,}.",
                parameter="parents",
            )
        for name in ("values", "links"):
            if getattr(self, name) is not None:
                found = numbers(getattr(self, name), name, length=len(self.labels))
                if any(value < 0 or value > 1 for value in found):
                    raise FigureError(f"The {name} of a tree must be from 0 to 1. Rescale them.", parameter=name)
                set_fields(self, **{name: found})
        check_int(self.most_rows, "most_rows", 1)
        check_int(self.most_children, "most_children", 2)
        if self.labels:
            children_of(self.parents)

    @cached_property
    def _drawn(self) -> list[Branch]:
        """The drawn nodes, each before its children, from the top down. A parent is in the middle of its children."""
        if not self.labels:
            return []
        top = fold(*children_of(self.parents), most_rows=self.most_rows, most_children=self.most_children)
        order, stack = [], [top]
        while stack:
            order.append(stack.pop())
            stack.extend(reversed(order[-1].children))
        row = float(self._rows(order))
        for branch in reversed(order):
            if branch.children:
                branch.row = (branch.children[0].row + branch.children[-1].row) / 2
            else:
                row -= 1
                branch.row = row
        return order

    @staticmethod
    def _rows(drawn: Sequence[Branch]) -> int:
        return sum(not branch.children for branch in drawn)

    def _label(self, branch: Branch) -> str:
        return "" if branch.node < 0 else shorten(self.labels[branch.node], _LABEL_ROOM)

    def _end(self, branch: Branch) -> float:
        """Where the label of a node ends, from the left of its column."""
        more = text_width(f" {_more(branch)}", SMALL) if branch.hidden else 0.0
        return 2 * _RADIUS + 2 * _GAP + text_width(self._label(branch)) + more

    @cached_property
    def _columns(self) -> list[tuple[float, float]]:
        """The left and right edge of each level. Links bend between two levels, more gently if they are long."""
        depth = max((branch.depth for branch in self._drawn), default=0) + 1
        widest, reach = [0.0] * depth, [0.0] * depth
        for branch in self._drawn:
            widest[branch.depth] = max(widest[branch.depth], self._end(branch))
            if branch.children:
                reach[branch.depth] = max(reach[branch.depth], branch.row - branch.children[0].row)
        steps = (width + min(32 + 2 * rows, 110) for width, rows in zip(widest, reach, strict=True))
        return [(left, left + wide) for left, wide in zip(accumulate(steps, initial=0.0), widest, strict=False)]

    @property
    def natural_size(self) -> tuple[float, float]:
        """A row for each drawn leaf, a column for each level."""
        return max(self._columns[-1][1], 40.0), max(self._rows(self._drawn), 1) * _ROW

    @property
    def size(self) -> tuple[float, float]:
        """At least the natural size, since labels cannot be squeezed."""
        least = self.natural_size
        return max(self.width or 0.0, least[0]), max(self.height or 0.0, least[1])

    def margins(self, width: float, height: float) -> Margins:  # noqa: ARG002 (all labels are inside)
        """None is needed."""
        return Margins()

    @property
    def key(self) -> Key | None:
        """The colours of values from 0 to 1, if there are values."""
        return None if self.values is None and self.links is None else _ColourKey(self.value_title)

    @property
    def summary(self) -> str:
        """The number of nodes, and of nodes drawn."""
        if not self.labels:
            return "Tree without nodes."
        drawn = sum(branch.node >= 0 for branch in self._drawn)
        root = self.labels[self.parents.index(-1)]
        return f"Tree of {len(self.labels):,} nodes under {root}, {drawn:,} of them drawn."

    def draw(self, area: Area) -> list[str]:
        """Links under nodes."""
        if not self._drawn:
            middle = area.x + area.width / 2, area.y + area.height / 2
            return [write("no data", *middle, anchor="middle", fill=QUIET, class_="om-empty")]
        apart = area.height / self._rows(self._drawn)
        links: list[str] = []
        nodes: list[str] = []
        for branch in self._drawn:
            left, y = area.x + self._columns[branch.depth][0], area.y + (branch.row + 0.5) * apart
            nodes.append(self._node(branch, left + _RADIUS, y))
            if branch.children:
                start, bend = left + self._end(branch), area.x + self._columns[branch.depth][1]
                trunk: Attributes = {"stroke": _PLAIN, "stroke_width": 1.2, "class_": "om-trunk"}
                links.append(tag("path", d=polyline([(start, y), (bend, y)]), **trunk))
            for child in branch.children:
                end, down = area.x + self._columns[child.depth][0], area.y + (child.row + 0.5) * apart
                half = (bend + end) / 2
                curve = " ".join(map(coordinate, (half, y, half, down, end, down)))
                links.append(self._link(branch, child, f"M{coordinate(bend)} {coordinate(y)}C{curve}"))
        return [*links, *nodes]

    def _link(self, parent: Branch, child: Branch, path: str) -> str:
        value = float("nan") if child.node < 0 or self.links is None else self.links[child.node]
        line: Attributes = {"stroke": _PLAIN, "stroke_width": 1.2}
        tooltip = _not_drawn(child) if child.node < 0 else f"{self.labels[child.node]} to {self.labels[parent.node]}"
        if not isnan(value):
            # Heavier as well as darker, so that colour is not needed.
            line = {"stroke": LOSS.colour(value), "stroke_width": 1.6 + 1.6 * value}
            tooltip += f": {readable(value)}"
        return with_tooltip(tooltip, tag("path", d=path, fill="none", **line), class_="om-link")

    def _node(self, branch: Branch, x: float, y: float) -> str:
        if branch.node < 0:
            more = write(_more(branch), x - _RADIUS + 3, y, size=SMALL, fill=QUIET)
            return with_tooltip(_not_drawn(branch), more, class_="om-more")
        value = float("nan") if self.values is None else self.values[branch.node]
        label = self.labels[branch.node]
        fill = "#FFFFFF" if isnan(value) else LOSS.colour(value)
        circle = tag("circle", cx=x, cy=y, r=_RADIUS, fill=fill, stroke="#555555", stroke_width=0.8)
        more = tag("tspan", _more(branch), font_size=SMALL, fill=QUIET, class_="om-more") if branch.hidden else ""
        text = write(self._label(branch), x + _RADIUS + _GAP, y, after=f" {more}" if more else "")
        return with_tooltip(label if isnan(value) else f"{label}: {readable(value)}", circle, text, class_="om-node")

    def vega_lite(self) -> Spec:
        """The drawn part of the tree as a Vega-Lite specification."""
        nodes = [
            {"x": branch.depth, "y": branch.row, "label": one_line(self._label(branch) or _more(branch))}
            | ({} if self.values is None or branch.node < 0 else {"value": _json(self.values[branch.node])})
            for branch in self._drawn
        ]
        links = [
            {"x": branch.depth, "y": branch.row, "x2": child.depth, "y2": child.row}
            for branch in self._drawn
            for child in branch.children
        ]
        x: Spec = {"field": "x", "type": "quantitative", "axis": None}
        y: Spec = {"field": "y", "type": "quantitative", "axis": None, "scale": {"reverse": True}}
        colour = {"domain": [0, 1], "range": list(LOSS.stops)}
        value: Spec = {"field": "value", "type": "quantitative", "title": self.value_title, "scale": colour}
        dots: Spec = {"mark": {"type": "circle", "size": 80, "opacity": 1, "stroke": "#555555"}}
        dots["encoding"] = {"x": x, "y": y, "tooltip": [{"field": "label"}, {"field": "value"}]}
        if self.values is not None:
            dots["encoding"]["color"] = value
        ends = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
        lines = {
            "data": {"values": links},
            "mark": {"type": "rule", "color": _PLAIN},
            "encoding": {"x": x, "y": y, **ends},
        }
        text = {
            "mark": {"type": "text", "align": "left", "dx": 8},
            "encoding": {"x": x, "y": y, "text": {"field": "label"}},
        }
        return {"data": {"values": nodes}, **self._vega_size, "layer": [lines, dots, text]}


def _json(value: float) -> float | None:
    return None if isnan(value) else value


def _not_drawn(branch: Branch) -> str:
    return f"{branch.hidden:,} nodes that are not drawn"


def _more(branch: Branch) -> str:
    return f"… {branch.hidden:,} more"
