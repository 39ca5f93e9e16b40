"""Calendar units: days, months, quarters, years and decades as ranges of days, as text, and read from text.

Days are proleptic Gregorian ordinals: day 1 is 0001-01-01. A date at a coarser precision is the first day of its unit.
"""

from __future__ import annotations

import re
from datetime import MINYEAR, date
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "PRECISIONS",
    "Precision",
    "coarser_spans",
    "first_day",
    "last_day",
    "read_span",
    "span_text",
    "starts_between",
    "unit_start",
]

Precision = Literal["day", "month", "quarter", "year"]

# The precisions, and the number of months of each; 0 for a day.
PRECISIONS: dict[str, int] = {"day": 0, "month": 1, "quarter": 3, "year": 12}
# The calendar units that dates are generalised to, in months. Years are counted from year 0, so decades begin with 0.
_SPANS = (1, 3, 12, 60, 120)

_DAYS_BEFORE_1970 = date(1970, 1, 1).toordinal()
_MONTHS_BEFORE_1970 = 1970 * 12
_LAST = date.max.toordinal()

Days = NDArray[np.integer]


def unit_start(days: Days, months: int) -> Days:
    """For each day, the first day of its unit of ``months`` months (0: a day)."""
    return days if months == 0 else _month_start(_month_of(days) // months * months)


def coarser_spans(days: Days, months: int) -> list[tuple[Days, Days]]:
    """For each wider calendar unit, its first and last unit of ``months`` months (0: a day), for each day.

    >>> spans = coarser_spans(np.array([date(2021, 3, 5).toordinal()]), 0)
    >>> [span_text(int(low[0]), int(high[0])) for low, high in spans]
    ['2021-03', '2021-Q1', '2021', '2020-2024', '2020-2029']
    """
    number = _month_of(days)
    found = []
    for size in _SPANS:
        if size > months:
            first = np.maximum(number // size * size, 12 * MINYEAR)
            after = number // size * size + size
            last = _month_start(after) - 1 if months == 0 else _month_start(after - months)
            found.append((_month_start(first), np.minimum(last, _LAST)))
    return found


def starts_between(low: int, high: int, most: int) -> tuple[list[int], int]:
    """The first days of calendar units after ``low`` and up to ``high``, and the months of the unit (0: a day).

    It is the shortest unit that begins at most ``most`` times there.

    >>> starts_between(first_day(2019, 5), first_day(2021, 2), most=4) == ([first_day(2020), first_day(2021)], 12)
    True
    """
    for months in (0, *_SPANS, *(120 * 10**power for power in range(1, 4))):
        if months == 0:
            starts = range(low + 1, high + 1)
        else:
            first, last = (int(number) // months for number in _month_of(np.array([low, high])))
            starts = range(first + 1, last + 1)
        if len(starts) <= most:
            break
    return (list(starts) if months == 0 else _month_start(np.array(starts, dtype=np.int64) * months).tolist()), months


def _month_of(days: Days) -> Days:
    """The number of each day's month, counted from January of year 0."""
    months = (np.asarray(days, dtype=np.int64) - _DAYS_BEFORE_1970).astype("datetime64[D]").astype("datetime64[M]")
    return months.astype(np.int64) + _MONTHS_BEFORE_1970


def _month_start(months: Days) -> Days:
    """The first day of each month."""
    starts = (np.asarray(months, dtype=np.int64) - _MONTHS_BEFORE_1970).astype("datetime64[M]").astype("datetime64[D]")
    return starts.astype(np.int64) + _DAYS_BEFORE_1970


def last_day(start: int, months: int) -> int:
    """The last day of a unit of ``months`` months (0: a day), given its first day."""
    if months == 0:
        return start
    return min(int(_month_start(_month_of(np.array([start])) + months)[0]) - 1, _LAST)


def first_day(year: int, month: int = 1) -> int:
    """The first day of a month."""
    return date(year, month, 1).toordinal()


def span_text(low: int, high: int) -> str:
    """The days from ``low`` to ``high`` as text, by the widest calendar unit that fits.

    >>> span_text(first_day(2021, 4), first_day(2021, 6)), span_text(first_day(2021, 4), first_day(2021, 6) - 1)
    ('2021-04-01/2021-06-01', '2021-04/2021-05')
    """
    first, last = date.fromordinal(low), date.fromordinal(high)
    if low == high:
        return first.isoformat()
    if first.day > 1 or (high < _LAST and date.fromordinal(high + 1).day > 1):
        return f"{first.isoformat()}/{last.isoformat()}"
    months = 12 * (last.year - first.year) + last.month - first.month + 1
    if months == 3 and first.month % 3 == 1:
        return f"{first.year:04}-Q{first.month // 3 + 1}"
    if first.month == 1 and last.month == 12:
        return f"{first.year:04}" if months == 12 else f"{first.year:04}-{last.year:04}"
    return f"{first.year:04}-{first.month:02}" + ("" if months == 1 else f"/{last.year:04}-{last.month:02}")


_DAY = re.compile(r"(\d{4})(-?)(\d{2})\2(\d{2})", re.ASCII)
_MONTH = re.compile(r"(\d{4})-(\d{2})", re.ASCII)
_QUARTER = re.compile(r"(\d{4})-?Q([1-4])", re.ASCII)
_YEAR = re.compile(r"(\d{4})", re.ASCII)
_YEARS = re.compile(r"(\d{4})\s*[-–]\s*(\d{4})", re.ASCII)


def read_span(text: str) -> tuple[int, int] | None:
    """The first and last day of what a text in ISO 8601 or in our own style means; ``None`` if it means no dates.

    >>> read_span("2021-Q1") == (first_day(2021), first_day(2021, 4) - 1), read_span("2021-02-30")
    (True, None)
    """
    years = _YEARS.fullmatch(text)
    parts = [years[1], years[2]] if years else text.split("/")
    spans = [_read_unit(part.strip()) for part in parts]
    if len(spans) > 2 or None in spans:
        return None
    (low, _), (_, high) = spans[0] or (0, 0), spans[-1] or (0, 0)
    return (low, high) if low <= high else None


def _read_unit(text: str) -> tuple[int, int] | None:
    """The first and last day of one day, month, quarter or year."""
    try:
        if found := _DAY.fullmatch(text):
            day = date(int(found[1]), int(found[3]), int(found[4])).toordinal()
            return day, day
        if found := _MONTH.fullmatch(text):
            first, months = first_day(int(found[1]), int(found[2])), 1
        elif found := _QUARTER.fullmatch(text):
            first, months = first_day(int(found[1]), 3 * int(found[2]) - 2), 3
        elif found := _YEAR.fullmatch(text):
            first, months = first_day(int(found[1])), 12
        else:
            return None
    except ValueError:  # there is no such day, month or year
        return None
    return first, last_day(first, months)
