"""Text helpers: cells and lists as text, rounded figures, and text that is safe to print."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import floor, isfinite, isnan, log10, nan
from typing import TypeVar, cast

from ontomask.errors import READ_AS_TEXT, MappingError

__all__ = [
    "COMMA_NUMBER",
    "UNSAFE",
    "cell_text",
    "is_comma_number",
    "is_grouped_number",
    "join_some",
    "one_line",
    "read_number",
    "readable",
    "rounded",
    "scientific",
    "visible",
]

COMMA_NUMBER = r"^\s*[+-]?\d+,\d+(?:[eE][+-]?\d+)?\s*$"
"""Matches a number with a decimal comma."""

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
            named = f"The column {column!r}" if column else "The column"
            raise MappingError(
                f"{named} has fractional numbers, or numbers that are too long to be exact, where codes "
                f"are expected. A code that is read as a number loses its leading zeros, the zeros after the point "
                f"(250.10 becomes 250.1, another code) and all digits after the sixteenth. ",
                READ_AS_TEXT,
                column=column,
                code="inexact-codes",
            )
    return str(cell).strip() or None


def read_number(cell: object) -> float | None:
    """The number in a cell: NaN for a missing cell, ``None`` if it holds no finite number.

    >>> read_number(" 2.5 "), read_number("2_500"), read_number(True), read_number("")
    (2.5, None, None, nan)
    """
    if isinstance(cell, str) and not cell.strip():
        return nan
    if isinstance(cell, bool) or (isinstance(cell, str) and "_" in cell):
        return None
    try:
        number = nan if cell is None else float(cast("float", cell))
    except (TypeError, ValueError, OverflowError):
        return None
    return number if cell is None or isfinite(number) else None


def is_comma_number(text: str) -> bool:
    """Whether a text is a number with a decimal comma.

    >>> is_comma_number("27,9"), is_comma_number("27.9"), is_comma_number("27, 9")
    (True, False, False)
    """
    return re.match(COMMA_NUMBER, text) is not None


_GROUPED = re.compile(r"[+-]?\d{1,3}([.,'’ \u00a0\u202f])\d{3}(?:\1\d{3})*(?:[.,]\d+)?")


def is_grouped_number(text: str) -> bool:
    """Whether a text looks like a number with a mark between thousands, in the style of any country.

    >>> is_grouped_number("1.234,50"), is_grouped_number("25'000"), is_grouped_number("1.5")
    (True, True, False)
    """
    return _GROUPED.fullmatch(text) is not None


Figure = TypeVar("Figure", int, float, "int | None", "float | None")


def rounded(value: Figure, digits: int = 3) -> Figure:
    """A number rounded to ``digits`` significant digits. Infinities, NaN and None stay as they are.

    >>> rounded(0.123456), rounded(98765), rounded(None)
    (0.123, 98800, None)
    """
    if value is None or not isfinite(value):
        return value
    return type(value)(float(f"{value:.{digits}g}"))


# XML cannot carry these characters, not even escaped: most control characters, surrogates, U+FFFE and U+FFFF.
_NOT_XML = re.compile("[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def one_line(text: object) -> str:
    """Text on one line that is safe to show and that XML and HTML can carry.

    Unsafe characters are shown as escapes. A character that XML cannot carry becomes the replacement character.

    >>> print(one_line("a\\n b\\x00\\u202e "))
    a b\\u0000\\u202e
    """
    return _NOT_XML.sub("\ufffd", visible(" ".join(str(text).split())))


def readable(value: float) -> str:
    """Format a number for people: four significant digits, commas between thousands, a true minus sign.

    >>> readable(0.123456), readable(-1234567), readable(2.0), readable(float("nan")), readable(1e-9)
    ('0.1235', '−1,234,567', '2', 'no value', '1×10⁻⁹')
    """
    if isnan(value):
        return "no value"
    if value == 0:
        return "0"
    power = floor(log10(abs(value)))
    if not -5 < power < 12:
        return scientific(value, 4)
    text = f"{value:,.{max(0, 3 - power)}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "\N{MINUS SIGN}")


def scientific(value: float, digits: int) -> str:
    """Format a number as a mantissa and a power of ten.

    >>> scientific(-0.00012, 2)
    '−1.2×10⁻⁴'
    """
    mantissa, power = f"{value:.{max(0, min(digits - 1, 12))}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}×10{str(int(power)).translate(_SUPERSCRIPT)}".replace("-", "\N{MINUS SIGN}")
