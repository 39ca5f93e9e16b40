"""Trees: a hierarchy from its root on the left to its leaves on the right, coloured by what each step loses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import isnan

from ontomask.errors import FigureError
from ontomask.figures.area import Area, Margins
from ontomask.figures.axis import number_axis
from ontomask.figures.chart import Chart
from ontomask.figures.colours import LOSS
from ontomask.figures.folding import Branch, children_of, fold
from ontomask.figures.key import ColourKey, Key
from ontomask.figures.lettering import SMALL, shorten, text_width, write
from ontomask.figures.markup import QUIET, Attributes, coordinate, polyline, tag, with_tooltip
from ontomask.figures.numbers import Numbers, numbers, readable

__all__ = ["Tree"]

_ROW = 18.0
_RADIUS = 5.0
_LABEL_ROOM = 190.0
_BEND, _WIDEST_BEND = 32.0, 110.0
_GAP = 5.0
_PLAIN = "#B5B5B5"


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
        What the values are; stands at the colour key.
    most_rows, most_children
        How many rows the picture may have, and how many children of a node are drawn at most.

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
        object.__setattr__(self, "labels", tuple(map(str, self.labels)))
        object.__setattr__(self, "parents", tuple(int(parent) for parent in self.parents))
        if len(self.parents) != len(self.labels):
            raise FigureError(
                f"parents of a tree must be as many as labels: {len(self.labels):,}. Got {len(self.parents):,} instead."
            )
        for name in ("values", "links"):
            given = getattr(self, name)
            if given is not None:
                found = numbers(given, f"{name} of a tree", length=len(self.labels))
                if any(value < 0 or value > 1 for value in found):
                    raise FigureError(f"{name} of a tree must be from 0 to 1. Got some beyond instead.")
                object.__setattr__(self, name, found)
        for name, least in (("most_rows", 1), ("most_children", 2)):
            most = getattr(self, name)
            if isinstance(most, bool) or not isinstance(most, int) or most < least:
                raise FigureError(f"The {name!r} of a tree must be an int ≥ {least}. Got {most!r} instead.")
        if self.labels:
            children_of(self.parents)

    @cached_property
    def _folded(self) -> list[Branch]:
        """The drawn nodes, each before its children, as they come from the top down."""
        if not self.labels:
            return []
        root, children = children_of(self.parents)
        order, waiting = [], [fold(root, children, most_rows=self.most_rows, most_children=self.most_children)]
        while waiting:
            order.append(waiting.pop())
            waiting.extend(reversed(order[-1].children))
        return order

    def _name(self, branch: Branch) -> str:
        return "" if branch.node < 0 else shorten(self.labels[branch.node], _LABEL_ROOM)

    def _width(self, branch: Branch) -> float:
        note = text_width(f" {_more(branch)}", SMALL) if branch.hidden else 0.0
        return text_width(self._name(branch)) + note

    def _columns(self, drawn: Sequence[Branch]) -> list[tuple[float, float]]:
        """The left and the right edge of each level; links bend between two levels, more gently if they are long."""
        depth = max((branch.depth for branch in drawn), default=0) + 1
        widest, reach = [0.0] * depth, [0.0] * depth
        rows = _rows(drawn)
        for branch in drawn:
            widest[branch.depth] = max(widest[branch.depth], 2 * _RADIUS + 2 * _GAP + self._width(branch))
            for child in branch.children:
                reach[branch.depth] = max(reach[branch.depth], abs(rows[id(child)] - rows[id(branch)]))
        lefts = accumulate(
            (width + min(_BEND + 2 * rows, _WIDEST_BEND) for width, rows in zip(widest, reach, strict=True)),
            initial=0.0,
        )
        return [(left, left + width) for left, width in zip(lefts, widest, strict=False)]

    @property
    def natural_size(self) -> tuple[float, float]:
        """A row for each leaf that is drawn, a column for each level."""
        drawn = self._folded
        rows = sum(not branch.children for branch in drawn)
        return max(self._columns(drawn)[-1][1], 40.0), max(rows, 1) * _ROW

    @property
    def size(self) -> tuple[float, float]:
        """As the folded tree needs: its labels cannot be squeezed, so that less room is not taken."""
        least = self.natural_size
        return max(self.width or 0.0, least[0]), max(self.height or 0.0, least[1])

    def margins(self, width: float, height: float) -> Margins:  # noqa: ARG002 (all labels are inside, in any room)
        """None is needed."""
        return Margins()

    @property
    def key(self) -> Key | None:
        """The colours of values from 0 to 1, if any are given."""
        if self.values is None and self.links is None:
            return None
        return ColourKey(LOSS, number_axis(0.0, 1.0, most=6), self.value_title)

    @property
    def summary(self) -> str:
        """How many nodes there are and how many are drawn."""
        if not self.labels:
            return "Tree without nodes."
        drawn = sum(branch.node >= 0 for branch in self._folded)
        root = self.labels[self.parents.index(-1)]
        return f"Tree of {len(self.labels):,} nodes under {root}, {drawn:,} of them drawn."

    def draw(self, area: Area) -> list[str]:
        """Links under nodes; a parent stands in the middle of its children."""
        drawn = self._folded
        if not drawn:
            middle = area.x + area.width / 2, area.y + area.height / 2
            return [write("no data", *middle, anchor="middle", fill=QUIET, class_="om-empty")]
        columns = [(area.x + left, area.x + right) for left, right in self._columns(drawn)]
        rows = _rows(drawn)
        apart = area.height / sum(not branch.children for branch in drawn)
        heights = {branch: area.y + (row + 0.5) * apart for branch, row in rows.items()}
        links = [link for branch in drawn for link in self._links(branch, columns, heights)]
        nodes = [self._node(branch, columns[branch.depth][0] + _RADIUS, heights[id(branch)]) for branch in drawn]
        return [*links, *nodes]

    def _links(
        self, branch: Branch, columns: Sequence[tuple[float, float]], heights: dict[int, float]
    ) -> Iterator[str]:
        """From the end of a node's label straight to where its column ends, then bent to each child."""
        if not branch.children:
            return
        y, (left, bend), end = heights[id(branch)], columns[branch.depth], columns[branch.depth + 1][0]
        start = left + 2 * _RADIUS + 2 * _GAP + self._width(branch)
        yield tag("path", d=polyline([(start, y), (bend, y)]), stroke=_PLAIN, stroke_width=1.2, class_="om-trunk")
        for child in branch.children:
            down, half = heights[id(child)], (bend + end) / 2
            curve = " ".join(map(coordinate, (half, y, half, down, end, down)))
            value = float("nan") if child.node < 0 or self.links is None else self.links[child.node]
            line: Attributes = {"stroke": _PLAIN, "stroke_width": 1.2}
            told = _told(child) if child.node < 0 else f"{self.labels[child.node]} to {self.labels[branch.node]}"
            if not isnan(value):
                # Heavier as well as darker, for eyes and printers that see no colour.
                line = {"stroke": LOSS.colour(value), "stroke_width": 1.6 + 1.6 * value}
                told += f": {readable(value)}"
            path = tag("path", d=f"M{coordinate(bend)} {coordinate(y)}C{curve}", fill="none", **line)
            yield with_tooltip(told, path, class_="om-link")

    def _node(self, branch: Branch, x: float, y: float) -> str:
        if branch.node < 0:
            note = write(_more(branch), x - _RADIUS + 3, y, size=SMALL, fill=QUIET)
            return with_tooltip(_told(branch), note, class_="om-more")
        value = float("nan") if self.values is None else self.values[branch.node]
        label = self.labels[branch.node]
        fill = "#FFFFFF" if isnan(value) else LOSS.colour(value)
        circle = tag("circle", cx=x, cy=y, r=_RADIUS, fill=fill, stroke="#555555", stroke_width=0.8)
        note = tag("tspan", _more(branch), font_size=SMALL, fill=QUIET, class_="om-more") if branch.hidden else ""
        text = write(self._name(branch), x + _RADIUS + _GAP, y, after=f" {note}" if note else "")
        return with_tooltip(label if isnan(value) else f"{label}: {readable(value)}", circle, text, class_="om-node")


def _rows(drawn: Sequence[Branch]) -> dict[int, float]:
    """The row of each drawn node, from 0; parents stand in the middle of their first and last child."""
    rows: dict[int, float] = {}
    row = float(sum(not branch.children for branch in drawn))
    for branch in reversed(drawn):
        if branch.children:
            rows[id(branch)] = (rows[id(branch.children[0])] + rows[id(branch.children[-1])]) / 2
        else:
            row -= 1
            rows[id(branch)] = row
    return rows


def _told(branch: Branch) -> str:
    return f"{branch.hidden:,} nodes that are not drawn"


def _more(branch: Branch) -> str:
    return f"… {branch.hidden:,} more"
