"""Reading pictures back: elements by class, lengths, tooltips, and the boxes that texts take."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

from ontomask.figures import Chart, Figure
from ontomask.figures.svg import text_width

SVG = "{http://www.w3.org/2000/svg}"


def parse(picture: Chart | Figure) -> ET.Element:
    """The picture as XML, which fails if it is not well-formed."""
    return ET.fromstring((picture.figure() if isinstance(picture, Chart) else picture).svg.encode())


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def tooltip(element: ET.Element) -> str:
    return element.findtext(f"{SVG}title") or ""


def numbers(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]


def corners(element: ET.Element) -> list[tuple[float, float]]:
    """The points of a path of straight lines."""
    found = numbers(element.get("d", ""))
    return list(zip(found[::2], found[1::2], strict=True))


def centre(point: ET.Element) -> tuple[float, float]:
    """Where a point's circle is, seen or not."""
    circle = next(point.iter(f"{SVG}circle"))
    return float(circle.get("cx", "")), float(circle.get("cy", ""))


def texts(root: ET.Element, name: str) -> list[str]:
    return [element.text or "" for element in of_class(root, name)]


def _text(element: ET.Element) -> tuple[str, float, float]:
    """The words of a text, their width and their size."""
    size = float(element.get("font-size", ""))
    words = (element.text or "") + "".join(part.text or "" for part in element.iter(f"{SVG}tspan"))
    return words, text_width(words, size, bold=element.get("font-weight") == "bold"), size


def text_boxes(root: ET.Element) -> list[tuple[float, float, float, float, str]]:
    """Left, top, right and bottom of every text that is not turned."""
    boxes = []
    for element in root.iter(f"{SVG}text"):
        if not element.get("transform"):
            words, width, size = _text(element)
            shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[element.get("text-anchor", "start")]
            left, base = float(element.get("x", "")) - shift * width, float(element.get("y", ""))
            boxes.append((left, base - 0.75 * size, left + width, base + 0.15 * size, words))
    return boxes


def turned_ends(root: ET.Element) -> list[tuple[float, float, str]]:
    """Both ends of every turned text, on its middle line."""
    ends = []
    for element in root.iter(f"{SVG}text"):
        if element.get("transform"):
            words, width, _ = _text(element)
            angle, x, y = numbers(element.get("transform", ""))
            shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[element.get("text-anchor", "start")]
            for along in (-shift * width, (1 - shift) * width):
                turn = math.radians(angle)
                ends.append((x + along * math.cos(turn), y + along * math.sin(turn), words))
    return ends


def check_lettering(root: ET.Element) -> None:
    """No text leaves the picture, and none that is not turned runs into another."""
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    boxes = text_boxes(root)
    for left, top, right, bottom, words in boxes:
        assert left >= -0.1, words
        assert top >= -0.1, words
        assert right <= width + 0.1, words
        assert bottom <= height + 0.1, words
    for x, y, words in turned_ends(root):
        assert 0 <= x <= width, words
        assert 0 <= y <= height, words
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            apart = one[2] <= other[0] + 0.1 or other[2] <= one[0] + 0.1 or one[3] <= other[1] or other[3] <= one[1]
            assert apart, (one[4], other[4])
