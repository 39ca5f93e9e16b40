"""What the values of a column look like: dates, postcodes, lists, codes, free text and the like.

Only the distinct texts are looked at. A shape needs most of them, not all: tables have misspelt cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean

from ontomask.base.text import read_number

__all__ = [
    "MOST_CATEGORIES",
    "are_codes",
    "are_contacts",
    "are_dates",
    "are_free_text",
    "are_grouped_numbers",
    "are_lists",
    "are_postcodes",
    "are_whole_numbers",
    "are_years",
    "mostly_numbers",
    "ordered_categories",
    "yes_or_no",
]

MOST_CATEGORIES = 40
_MOST = 0.8
_LONGEST = 256

_TIME = r"(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[AaPp]\.?[Mm]\.?|Z|[+-]\d{2}:?\d{2})?)?"
_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:1[6-9]|20|21)\d{2}"
# The names of months begin alike in many languages.
_NAMED = (
    r"(?:jan|ene|gen|feb|f[eé]v|mar|mär|mrt|apr|avr|abr|ma[iyjg]|mei|jun|jui|giu|jul|lug|aug|ao[uû]|ago"
    r"|sep|set|o[kc]t|out|ott|nov|d[eé]c|dez|dic)"
)
_DATES = re.compile(
    rf"(?:{_YEAR}([-/.]){_MONTH}\1{_DAY}"  # ISO
    rf"|(?:{_DAY}([-/.]){_MONTH}|{_MONTH}([-/.]){_DAY})[-/.](?:{_YEAR}|\d{{2}})"  # day or month first
    rf"|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"  # 20240131
    rf"|{_YEAR}[-/.]{_MONTH}|{_MONTH}[-/.]{_YEAR}"  # months
    rf"|{_DAY}[-. ]+{_NAMED}\w*[-., ]+(?:{_YEAR}|\d{{2}})|{_NAMED}\w*[. ]+{_DAY}(?:st|nd|rd|th)?,? +{_YEAR}"
    rf"){_TIME}",
    re.IGNORECASE,
)
_CONTACTS = re.compile(r"[^@\s]+@[^@\s]+\.\w+|(?:\d{1,3}\.){3}\d{1,3}|https?://\S+|www\.\S+")
_PHONE = re.compile(r"\+?(?=(?:\D*\d){7,15}\D*$)(?=.*[+\s()/.-])[\d\s()/.-]+")
_POSTCODES = re.compile(
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"  # United Kingdom
    r"|\d{4} ?[A-Z]{2}"  # Netherlands
    r"|[A-Z]\d[A-Z][ -]?\d[A-Z]\d"  # Canada
    r"|\d{5}-\d{3,4}|\d{4}-\d{3}|\d{2}-\d{3}"  # United States, Brazil, Portugal, Poland
    r"|(?:[A-Z]{1,2}-)\d{4,5}",
    re.IGNORECASE,
)
_FIVE_DIGITS = re.compile(r"\d{5}")
_LEAST_POSTCODES = 20
_CODE = re.compile(r"[A-Z]{1,3}|[a-z]|[A-Za-z]{0,2}\d{1,4}[A-Za-z]?")
_GROUPED = re.compile(r"[+-]?\d{1,3}([.,'’ \u00a0\u202f])\d{3}(?:\1\d{3})*(?:[.,]\d+)?")
_SEPARATORS = (";", "|", ",")
_LONG_TEXT, _LONG_ELEMENT = 4, 3
_RANGE = re.compile(r"^[\[(<>≥≤=\s]*(-?\d+(?:\.\d+)?)\D*(?:\d+(?:\.\d+)?)?\D*$")
_SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("low", "mid", "high"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("small", "medium", "large"),
)
_NO = frozenset({"no", "n", "false", "f", "0", "nein", "non", "nee", "nao", "não", "absent", "negative", "neg"})
_YES = frozenset({"yes", "y", "true", "t", "1", "ja", "j", "oui", "si", "sí", "sim", "present", "positive", "pos"})


def _most(texts: Iterable[str], fits: Callable[[str], object]) -> bool:
    # No shape is this long, and expressions may take very long on long texts.
    found = [len(text) <= _LONGEST and bool(fits(text)) for text in texts]
    return bool(found) and sum(found) >= _MOST * len(found)


def are_dates(texts: Iterable[str]) -> bool:
    """Dates and timestamps: year first, day first, month first, with names of months.

    >>> are_dates(["2024-01-31", "31.1.2024", "01/31/24 10:15", "3 March 1999"]), are_dates(["31.13.2024", "1.5"])
    (True, False)
    """
    return _most(texts, _DATES.fullmatch)


def are_contacts(texts: Mapping[str, int]) -> bool:
    """Mail addresses, telephone numbers, addresses of computers and pages.

    >>> are_contacts({"a.b@c.org": 1}), are_contacts({"+49 30 123456": 1}), are_contacts({"1,000": 1})
    (True, True, False)
    """
    if _most(texts, _CONTACTS.fullmatch):
        return True
    # Decimal numbers and ranges look like telephone numbers, too; but many records share a range.
    shared = len(texts) <= 0.3 * sum(texts.values())
    return not shared and not mostly_numbers(texts) and _most(texts, _PHONE.fullmatch)


def are_postcodes(texts: Iterable[str]) -> bool:
    """Postcodes by their form. Five digits count where there are many such values, or where zeros lead.

    >>> are_postcodes(["SW1A 1AA", "M1 1AE"]), are_postcodes(["01069", "80331"]), are_postcodes(["12345", "23456"])
    (True, True, False)
    """
    listed = list(texts)
    if _most(listed, _POSTCODES.fullmatch):
        return True
    many = len(listed) >= _LEAST_POSTCODES or any(text.startswith("0") for text in listed)
    return many and _most(listed, _FIVE_DIGITS.fullmatch)


def are_grouped_numbers(texts: Iterable[str]) -> bool:
    """Numbers with marks between thousands, in the style of any country.

    >>> are_grouped_numbers(["1.234,50", "25.000,00"]), are_grouped_numbers(["1.234", "2.5"])
    (True, False)
    """
    listed = list(texts)
    return not mostly_numbers(listed) and _most(listed, _GROUPED.fullmatch)


def are_lists(texts: Mapping[str, int]) -> bool:
    """Several short values in one cell, which come again in other cells.

    >>> are_lists({"HP:1;HP:2": 1, "HP:2": 1, "HP:1;HP:3": 1}), are_lists({"Well, he said, it hurts": 1})
    (True, False)
    """
    for separator in _SEPARATORS:
        parted = [[part.strip() for part in text.split(separator)] for text in texts]
        several = [parts for parts in parted if len(parts) > 1]
        if len(several) < 0.3 * len(parted):
            continue
        elements = Counter(part for parts in parted for part in parts if part)
        short = fmean(len(part.split()) for part in elements) <= _LONG_ELEMENT if elements else False
        if short and len(elements) <= 0.75 * sum(elements.values()):
            return True
    return False


def are_free_text(texts: Mapping[str, int]) -> bool:
    """Texts of several words, too many of them to be categories."""
    many = len(texts) > max(MOST_CATEGORIES / 2, 0.05 * sum(texts.values()))
    return many and fmean(len(text.split()) for text in texts) >= _LONG_TEXT


def are_codes(texts: Iterable[str]) -> bool:
    """Short codes such as M, 12 or A3: what they mean stands elsewhere.

    >>> are_codes(["M", "F"]), are_codes(["dog", "cat"])
    (True, False)
    """
    return _most(texts, _CODE.fullmatch)


def mostly_numbers(texts: Iterable[str]) -> bool:
    """Numbers, but for a few cells."""
    return _most(texts, lambda text: read_number(text) is not None)


def are_whole_numbers(texts: Iterable[str]) -> bool:
    """Whole numbers, every one."""
    return all(text.lstrip("+-").isdecimal() for text in texts)


def are_years(texts: Iterable[str]) -> bool:
    """Calendar years."""
    return _most(texts, re.compile(_YEAR).fullmatch)


def yes_or_no(texts: Iterable[str]) -> list[str] | None:
    """The values with "no" first, if they say yes and no in one of several languages.

    >>> yes_or_no(["Yes", "No"]), yes_or_no(["1", "0"]), yes_or_no(["M", "F"])
    (['No', 'Yes'], ['0', '1'], None)
    """
    folded = {text: text.casefold() for text in texts}
    if not all(text in _YES | _NO for text in folded.values()):
        return None
    return sorted(folded, key=lambda text: (folded[text] in _YES, text))


def ordered_categories(texts: Mapping[str, int]) -> list[str] | None:
    """The values as ordered categories, if they are ranges of numbers or words of a scale.

    >>> ordered_categories({"20-29": 1, "100+": 1, "<20": 1})
    ['<20', '20-29', '100+']
    """
    if not 2 <= len(texts) <= MOST_CATEGORIES:
        return None
    starts = {text: _RANGE.match(text) for text in texts if len(text) <= _LONGEST}
    if len(starts) < len(texts):
        return None
    if all(starts.values()) and any(read_number(text) is None for text in texts):
        low = {text: float(match[1]) for text, match in starts.items() if match is not None}
        return sorted(texts, key=lambda text: (low[text] + _beyond(text), text))
    for scale in _SCALES:
        if all(text.casefold() in scale for text in texts):
            return sorted(texts, key=lambda text: (scale.index(text.casefold()), text))
    return None


def _beyond(text: str) -> float:
    """How far "less than" and "more than" move a range."""
    return -0.5 if text.startswith(("<", "≤")) else 0.5 if text.startswith(">") else 0.0
