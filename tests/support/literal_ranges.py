"""What released texts of numbers, dates and ordered categories say, read slowly and without the package.

Whether a text is true of a value is decided from the text alone, value by value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from fractions import Fraction

__all__ = ["says_category", "says_date", "says_number"]


def says_number(text: str, value: object) -> bool:
    """Whether a text is true of a number."""
    number = Fraction(str(value))
    if text == "*":
        return True
    try:
        return Fraction(text) == number
    except ValueError:
        pass
    side = re.fullmatch(r"(<=|>=|<|>)(.*)", text)
    if side:
        end = Fraction(side[2])
        return {"<": number < end, "<=": number <= end, ">": number > end, ">=": number >= end}[side[1]]
    inside = text.strip("[]()")
    for separator in (", ", ";", "..", "–", "-"):
        # A minus sign is not a separator: try every place.
        places = [i for i in range(1, len(inside)) if inside.startswith(separator, i)]
        for place in places:
            try:
                low, high = Fraction(inside[:place].strip()), Fraction(inside[place + len(separator) :].strip())
            except ValueError:
                continue
            open_low, open_high = text[0] in "(]", text[-1] in ")["
            return (low < number if open_low else low <= number) and (number < high if open_high else number <= high)
    raise AssertionError(f"unreadable: {text}")


def says_category(text: str, value: str, categories: Sequence[str]) -> bool:
    """Whether a text is true of a category: it is the category, or one dash stands between two that enclose it."""
    if text in categories:
        return text == value
    if set(text) == {"*"}:
        return True
    readings = [
        (low, high)
        for low in range(len(categories))
        for high in range(low + 1, len(categories))
        if re.fullmatch(f"{re.escape(categories[low])} –+ {re.escape(categories[high])}", text)
    ]
    assert len(readings) == 1, f"{text} can be read in {len(readings)} ways"
    return readings[0][0] <= categories.index(value) <= readings[0][1]


def says_date(text: str, value: date) -> bool:
    """Whether a text is true of a day."""
    if text == "*":
        return True
    years = re.fullmatch(r"(\d{4})-(\d{4})", text)
    if years:
        return int(years[1]) <= value.year <= int(years[2])
    quarter = re.fullmatch(r"(\d{4})-Q([1-4])", text)
    if quarter:
        return (value.year, (value.month - 1) // 3 + 1) == (int(quarter[1]), int(quarter[2]))
    first, _, last = text.partition("/")
    day = value.isoformat()
    # 2021-03 is true of every day that begins so.
    return day[: len(first)] >= first and day[: len(last or first)] <= (last or first)
