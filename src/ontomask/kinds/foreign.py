"""Notations of other tools for masked cells: sets, intervals of any values, and codes that end in stars.

Each function only takes a text apart. The kind of the column decides what the parts mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Span", "is_suppressed", "split_interval", "split_set", "star_pattern"]

# What sdcMicro, pandas and databases write for a suppressed cell. It counts as such only if it means nothing else.
_ABSENT = frozenset({"NA", "<NA>", "N/A", "NaN", "nan", "None", "null", "NULL"})
_STARS = re.compile(r"\*+")
_WRAPPED = re.compile(r"\{(.*)\}|\[(.*)\]|\((.*)\)", re.DOTALL)
_QUOTED = re.compile(r"'(.*)'|\"(.*)\"", re.DOTALL)
_SEPARATORS = (";", "|", ",")

_ENDS = re.compile(r"\s*([\[(\]])?(.*?)([\])\[])?\s*", re.DOTALL)
_BETWEEN = re.compile(r"\s+to\s+|\s*(?:\.\.\.?|–|—|;|,|-)\s*")
_ONE_SIDED = re.compile(r"\s*(<=|>=|<|>|≤|≥)\s*(.+)", re.DOTALL)
_AND_MORE = re.compile(r"(.+?)\s*(?:\+|and more|or more)\s*")
_NO_END = re.compile(r"[+-]?\s*(?:inf|infinity|∞)|", re.IGNORECASE)


def is_suppressed(text: str) -> bool:
    """Whether a text usually marks a suppressed cell: stars only, or ``NA`` and the like.

    >>> is_suppressed("*****"), is_suppressed("NA"), is_suppressed("47***")
    (True, True, False)
    """
    return text in _ABSENT or _STARS.fullmatch(text) is not None


def split_set(text: str) -> Iterator[list[str]]:
    """The ways to read a text as a list of values, with or without brackets and quotes.

    >>> list(split_set("{a, b}")), next(split_set("['a', 'b']")), list(split_set("a"))
    ([['a', 'b'], ['a, b']], ['a', 'b'], [])
    """
    wrapped = _WRAPPED.fullmatch(text.strip())
    inside = text if wrapped is None else next(part for part in wrapped.groups() if part is not None)
    for separator in _SEPARATORS:
        if separator in inside:
            yield [_unquoted(part) for part in inside.split(separator)]
    if wrapped is not None and inside.strip():
        yield [_unquoted(inside)]


def _unquoted(text: str) -> str:
    found = _QUOTED.fullmatch(text.strip())
    return text.strip() if found is None else next(part for part in found.groups() if part is not None)


class Span(NamedTuple):
    """An interval as a text describes it: its ends (``None`` if there is none), and whether they belong to it."""

    low: str | None
    low_inside: bool
    high: str | None
    high_inside: bool


def split_interval(text: str) -> Iterator[Span]:
    """The ways to read a text as an interval: any dash in it may be the one between the ends.

    A comma is one only inside brackets: 20,5 is one number in many countries.

    >>> Span("2021-04", True, "2021-07", False) in split_interval("[2021-04, 2021-07[")
    True
    >>> next(split_interval(">=65"))
    Span(low='65', low_inside=True, high=None, high_inside=True)
    """
    sign = _ONE_SIDED.fullmatch(text)
    if sign is not None:
        inside, end = sign[1] not in ("<", ">"), sign[2].strip()
        yield Span(None, True, end, inside) if sign[1] in ("<", "<=", "≤") else Span(end, inside, None, True)
        return
    if more := _AND_MORE.fullmatch(text.strip()):
        yield Span(more[1], True, None, True)
    ends = _ENDS.fullmatch(text)
    assert ends is not None, "every part of the pattern is optional"
    between = ends[2]
    for mark in _BETWEEN.finditer(between):
        low, high = between[: mark.start()].strip(), between[mark.end() :].strip()
        first, last = (None if _NO_END.fullmatch(end) else _unquoted(end) for end in (low, high))
        is_wrapped = bool(ends[1] and ends[3])
        # Without brackets, both ends are needed: -5 is a number.
        if (first is None and last is None) or (("" in (low, high) or "," in mark[0]) and not is_wrapped):
            continue
        yield Span(first, first is None or ends[1] in (None, "["), last, last is None or ends[3] in (None, "]"))


def star_pattern(text: str) -> re.Pattern[str] | None:
    """The pattern of the values that a code with stars at its end stands for; ``None`` for another text.

    >>> bool(star_pattern("47***").fullmatch("47906")), bool(star_pattern("47*").fullmatch("47906")), star_pattern("47")
    (True, True, None)
    """
    known = text.rstrip("*")
    stars = len(text) - len(known)
    if not stars or not known or "*" in known:
        return None
    # One star often stands for any number of characters; several stand for one each.
    return re.compile(re.escape(known) + (".*" if stars == 1 else f".{{{stars}}}"), re.DOTALL)
