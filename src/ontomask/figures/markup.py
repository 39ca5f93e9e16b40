"""SVG as text: elements with escaped words, numbers that are always written the same way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from ontomask.base.text import visible

__all__ = ["INK", "QUIET", "Attributes", "clean", "coordinate", "polyline", "tag", "with_tooltip", "words"]

INK = "#222222"
"""The colour of text and axes."""

QUIET = "#6B6B6B"
"""The colour of what should stand back: notes, and links without a value. On white its contrast is above 4.5:1."""

Attributes: TypeAlias = dict[str, str | float]
"""Attributes of an element, with underscores for hyphens."""

# XML has no way at all to write most control characters, surrogates and U+FFFE/U+FFFF, not even escaped.
_UNSPEAKABLE = re.compile("[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: object) -> str:
    """Text on one line with only characters that XML can carry.

    Control characters, and those that cannot be seen or change the direction of the text, are shown as escapes; what
    XML cannot carry at all becomes the replacement character.

    >>> print(clean("a\\n b\\x00\\u202e "))
    a b\\u0000\\u202e
    """
    return _UNSPEAKABLE.sub("\ufffd", visible(" ".join(str(text).split())))


def words(text: object) -> str:
    """Cleaned text as markup, fit for content and attributes.

    >>> words('a < "b" & c')
    'a &lt; &quot;b&quot; &amp; c'
    """
    return escape(clean(text))


def coordinate(value: float) -> str:
    """A length to a hundredth of a pixel, without idle zeros.

    >>> coordinate(12.5), coordinate(-0.001), coordinate(3)
    ('12.5', '0', '3')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def polyline(points: Iterable[tuple[float, float]]) -> str:
    """The path through some points.

    >>> polyline([(0, 0), (10, 2.5)])
    'M0 0L10 2.5'
    """
    return "M" + "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in points)


def tag(name: str, /, *inside: str, **attributes: str | float) -> str:
    """An element around markup; ``stroke_width`` becomes ``stroke-width`` and ``class_`` becomes ``class``.

    >>> tag("g", tag("path", d="M0 0"), class_="om-grid", stroke_width=0.50)
    '<g class="om-grid" stroke-width="0.5"><path d="M0 0"/></g>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{words(value) if isinstance(value, str) else coordinate(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def with_tooltip(text: object, *inside: str, class_: str) -> str:
    """Markup in a group that tells more when pointed at."""
    return tag("g", tag("title", words(text)), *inside, class_=class_)
