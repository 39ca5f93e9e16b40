"""Values that are no names of concepts: lists of them, dates, numbers."""

from __future__ import annotations

import re
from collections.abc import Callable

from ontomask.base.text import is_comma_number, is_grouped_number, read_number

__all__ = ["find_shape"]

# English months, and those of other languages that begin alike.
_MONTH = r"(?:jan|feb|mar|mär|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]{0,6}"
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{1,2}:\d{2}.*)?|\d{1,2}([./-])\d{1,2}\1(?:\d{2}|\d{4})|\d{4}([./])\d{1,2}\2\d{1,2}"
    rf"|(?:19|20)\d\d-(?:0[1-9]|1[0-2])|(?:\d{{1,2}}[ .-]+)?{_MONTH}[ .-]+(?:\d{{1,2}}, *)?(?:19|20)\d\d",
    re.IGNORECASE,
)
_RANGE = re.compile(r"[\[(]?\d+(?:\.\d+)? *[-–] *\d+(?:\.\d+)?[\])]?|[<>≤≥]=? *\d+(?:\.\d+)?|\d+\+")
_DIGIT = re.compile(r"\d")
_LISTED = (";", "|", "\n", ",", "/", "+")
# These also stand inside one value: n/a, 1/2, cook/in, A+B; nurse, senior.
_INSIDE, _LEAST_LETTERS, _LEAST_KNOWN = ("/", "+"), 3, 2
_LONGEST, _MOST_PARTS = 10_000, 200


def find_shape(text: str, is_known: Callable[[str], bool], *, has_codes: bool = False) -> tuple[str, str] | None:
    """What a value without a concept looks like, and the same in words; ``None`` if it looks like a word.

    A list is a text of which at least half the parts are known. Where concepts have codes, a number is an unknown code,
    or a list of codes: ``250,401``.

    >>> find_shape("a; b;x", "abc".__contains__), find_shape("2021-12-31", "abc".__contains__)
    (('list', "looks like a list of 3 values separated by ';'"), ('date', 'looks like a date'))
    """
    if len(text) > _LONGEST:
        return None
    if _DATE.fullmatch(text):
        return "date", "looks like a date"
    if not has_codes and (read_number(text) is not None or is_comma_number(text) or is_grouped_number(text)):
        return "number", "is a number"
    if not has_codes and _RANGE.fullmatch(text):
        return "number", "is a range of numbers"
    for mark in _LISTED:
        parts = [part.strip() for part in text.split(mark)]
        if mark in _INSIDE and min(map(len, parts)) < _LEAST_LETTERS:
            continue
        if not (1 < len(parts) <= _MOST_PARTS and all(parts)):
            continue
        known = sum(map(is_known, parts))
        is_text = mark == "," and known < _LEAST_KNOWN and not all(map(_DIGIT.search, parts))
        if 2 * known >= len(parts) and not is_text:
            return "list", f"looks like a list of {len(parts):,} values separated by {mark!r}"
    return None
