"""Words in a picture: how wide they will be, where to cut or wrap them, and how they are written.

The reader's sans-serif face is not known when the picture is made. Widths are estimated from classes of characters,
on the broad side (DejaVu Sans is among the broadest faces that browsers fall back on), so that text in a narrower
face leaves a little more air and never runs into its neighbour.
"""

from __future__ import annotations

import unicodedata

from ontomask.figures.markup import INK, Attributes, clean, tag, words

__all__ = ["SMALL", "TEXT", "TITLE", "shorten", "text_width", "wrap", "write"]

SMALL = 10.0
"""Size in pixels of numbers inside cells and of notes."""

TEXT = 11.0
"""Size in pixels of labels."""

TITLE = 14.0
"""Size in pixels of the title of a figure."""

_BOLD = 1.12
_WIDTHS = {
    **dict.fromkeys("ijl'|", 0.28),
    **dict.fromkeys(" .,:;Ift!()[]/\\-`", 0.4),
    **dict.fromkeys('rs*"', 0.52),
    **dict.fromkeys("abcdefghknopquvxyz_?", 0.64),
    **dict.fromkeys("mwMW%@…", 1.0),
    **dict.fromkeys("\N{MINUS SIGN}+<>=~×", 0.84),
}


def _width(character: str) -> float:
    """One character in units of the size."""
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if "0" <= character <= "9":
        return 0.64
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    return 0.66 if character.islower() else 0.8


def text_width(text: str, size: float = TEXT, *, bold: bool = False) -> float:
    """The estimated width in pixels."""
    return sum(map(_width, text)) * size * (_BOLD if bold else 1.0)


def shorten(text: object, room: float, size: float = TEXT, *, bold: bool = False) -> str:
    """Cleaned text, cut to the room in pixels with an ellipsis at its end.

    >>> shorten("short", 100), shorten("rather a long label", 60)
    ('short', 'rather a…')
    """
    whole = clean(text)
    room /= size * (_BOLD if bold else 1.0)
    if sum(map(_width, whole)) <= room:
        return whole
    used, kept = _width("…"), 0
    for character in whole:
        used += _width(character)
        if used > room:
            break
        kept += 1
    return whole[: max(kept, 1)].rstrip() + "…"


def wrap(text: object, room: float, size: float = TEXT, *, most: int, bold: bool = False) -> list[str]:
    """Cleaned text in at most so many lines, broken between words; what does not fit is cut from the last line.

    >>> wrap("one two three", 50, most=2)
    ['one two', 'three']
    """
    lines: list[str] = []
    rest = clean(text).split()
    while rest:
        taken = 1
        if len(lines) == most - 1:
            taken = len(rest)
        while taken < len(rest) and text_width(" ".join(rest[: taken + 1]), size, bold=bold) <= room:
            taken += 1
        lines.append(shorten(" ".join(rest[:taken]), room, size, bold=bold))
        rest = rest[taken:]
    return lines


def write(
    text: str,
    x: float,
    y: float,
    *,
    size: float = TEXT,
    anchor: str = "start",
    fill: str = INK,
    bold: bool = False,
    angle: float = 0.0,
    full: object = None,
    after: str = "",
    class_: str = "",
) -> str:
    """One line of text, vertically centred on ``y`` and turned around its anchor.

    Where ``full`` says more than ``text`` it is shown as a tooltip; ``after`` is markup that follows the text.
    """
    # A renderer's own centring (dominant-baseline) is not to be relied on: a third of the size lowers the baseline.
    down = 0.35 * size
    options: Attributes = {"class_": class_} if class_ else {}
    if angle:
        options |= {"transform": f"rotate({angle:g} {x:.2f} {y:.2f})"}
    if anchor != "start":
        options["text_anchor"] = anchor
    if bold:
        options["font_weight"] = "bold"
    tooltip = [] if full is None or clean(full) == text else [tag("title", words(full))]
    return tag("text", words(text) + after, *tooltip, x=x, y=y + down, font_size=size, fill=fill, **options)
