"""Where labels of points go: beside their point, over no other point or label, off the lines if there is a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ontomask.figures.area import Area
from ontomask.figures.lettering import SMALL, shorten, text_width

__all__ = ["Label", "place_labels"]

_ROOM = 130.0
_LINE = SMALL * 1.15
# Sides on which a label is tried, best first: right, left, above, below, then the corners.
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
_NEAR, _FAR = (7.0,), (16.0, 28.0, 42.0)
_SAMPLES = 24

Boxes = NDArray[np.float64]


@dataclass(frozen=True)
class Label:
    """A placed label: the left end of its line of text, and whether a leader ties it to its point."""

    text: str
    full: str
    x: float
    y: float
    width: float
    led: bool


def place_labels(
    points: Sequence[tuple[float, float]],
    labels: Sequence[str],
    area: Area,
    *,
    radius: float,
    path: Sequence[tuple[float, float]] = (),
) -> list[Label | None]:
    """Labels in the order of the points; None where there is no text, or no room anywhere near.

    Points with few neighbours choose last, since they can go anywhere. Close to the point is tried first; further
    away a label needs a leader.
    """
    found: list[Label | None] = [None] * len(points)
    if not points:
        return found
    centres = np.array(points, dtype=float)
    taken: list[Boxes] = [np.column_stack([centres - radius, centres + radius])]
    crossed = _path_boxes(path)
    crowd = (np.abs(centres[:, None, :] - centres[None, :, :]) < (60.0, 2 * _LINE)).all(axis=2).sum(axis=1)
    for number in sorted(range(len(points)), key=lambda i: (-int(crowd[i]), i)):
        if not labels[number]:
            continue
        text = shorten(labels[number], _ROOM, SMALL)
        width = text_width(text, SMALL)
        box = _best(points[number], width, area, np.concatenate(taken), crossed)
        if box is not None:
            (left, top, _, _), led = box
            found[number] = Label(text, labels[number], left, top + _LINE / 2, width, led)
            taken.append(np.array([[left, top, left + width, top + _LINE]]))
    return found


def _best(
    point: tuple[float, float], width: float, area: Area, taken: Boxes, crossed: Boxes
) -> tuple[tuple[float, float, float, float], bool] | None:
    """The first free box around a point that no path crosses, otherwise the first free one."""
    second = None
    for away in (*_NEAR, *_FAR):
        for across, down in _SIDES:
            box = _box(point, width, across, down, away)
            inside = area.x <= box[0] and box[2] <= area.x + area.width
            if not (inside and area.y <= box[1] and box[3] <= area.y + area.height) or _touches(box, taken):
                continue
            led = away not in _NEAR
            if not _touches(box, crossed):
                return box, led
            second = second or (box, led)
    return second


def _box(
    point: tuple[float, float], width: float, across: int, down: int, away: float
) -> tuple[float, float, float, float]:
    """The box of a label on one side of a point."""
    reach = away if not (across and down) else away * 0.75
    x = point[0] + across * reach - width * (1 - across) / 2
    y = point[1] + down * (reach + (_LINE / 2 if not across else 0)) - _LINE / 2
    return x, y, x + width, y + _LINE


def _touches(box: tuple[float, float, float, float], others: Boxes) -> bool:
    left, top, right, bottom = box
    return bool(((others[:, 0] < right) & (others[:, 2] > left) & (others[:, 1] < bottom) & (others[:, 3] > top)).any())


def _path_boxes(path: Sequence[tuple[float, float]]) -> Boxes:
    """Small boxes along a path."""
    if len(path) < 2:
        return np.empty((0, 4))
    corners = np.array(path, dtype=float)
    along = np.linspace(0.0, 1.0, _SAMPLES)[:, None]
    dots = np.concatenate([a + (b - a) * along for a, b in pairwise(corners)])
    return np.column_stack([dots - 1.5, dots + 1.5])
