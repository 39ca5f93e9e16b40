"""Text helpers: cells and lists as text, rounded figures, and text that is safe to print."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite
from typing import TypeVar

from ontomask.errors import MappingError

__all__ = ["UNSAFE", "cell_text", "join_some", "rounded", "visible"]

UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters, including the escape character and line ends
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the direction of the text
    "\xad\u034f\u115f\u1160\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"  # invisible
    "\U000e0000-\U000e007f"  # invisible
    "\u2028\u2029\ud800-\udfff]"  # line ends and surrogates
)
"""Characters that can recolour, hide or rewrite what a terminal or a page shows.

The joiners U+200C and U+200D are not included: Persian, Hindi and other languages need them.
"""


def visible(text: str, *, keep: str = "") -> str:
    r"""Replace unsafe characters by JSON escapes, except those in ``keep``.

    A JSON document keeps its content if its line ends are kept.

    >>> print(visible("a\x1b[2Jb\u202ec\td"))
    a\u001b[2Jb\u202ec\u0009d
    >>> visible("one\ntwo", keep="\n")
    'one\ntwo'
    """
    return UNSAFE.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def join_some(items: Iterable[str], most: int = 5) -> str:
    """The first items of a list as text, and how many were left out.

    >>> join_some("abc", most=2)
    "'a', 'b' and 1 more"
    """
    listed = list(items)
    text = ", ".join(repr(item) for item in listed[:most])
    return text if len(listed) <= most else f"{text} and {len(listed) - most:,} more"


def cell_text(cell: object, *, code_column: bool = False, column: str = "") -> str | None:
    """The text of a table's cell. ``None`` if the cell is missing (None, NaN, empty).

    An integral float becomes its digits, since a table reader may have turned a code into a float. A fractional float
    in a column of codes raises an error: ``250.10`` and ``250.1`` are different codes but the same number.

    >>> cell_text(250.0), cell_text("  "), cell_text(" 250.10 ")
    ('250', None, '250.10')
    """
    if hasattr(cell, "item"):
        cell = cell.item()
    # pandas.NA and the like cannot be compared, so they are recognised by the name of their type.
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or cell != cell:  # NaN differs from itself
        return None
    if isinstance(cell, float):
        if cell.is_integer() and (abs(cell) <= 2**53 or not code_column):
            return str(int(cell))
        if code_column:
            raise MappingError(
                f"The column {column!r} has fractional numbers, or numbers that are too long to be exact, where codes "
                f"are expected. A code that is read as a number loses its leading zeros, the zeros after the point "
                f"(250.10 becomes 250.1, another code) and all digits after the sixteenth. Read the column as text, "
                f"for example with dtype=str.",
                column=column,
            )
    return str(cell).strip() or None


Figure = TypeVar("Figure", int, float, "int | None", "float | None")


def rounded(value: Figure, digits: int = 3) -> Figure:
    """A number rounded to ``digits`` significant digits. Infinities, NaN and None stay as they are.

    >>> rounded(0.123456), rounded(98765), rounded(None)
    (0.123, 98800, None)
    """
    if value is None or not isfinite(value):
        return value
    return type(value)(float(f"{value:.{digits}g}"))
