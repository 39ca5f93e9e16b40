"""The format of a column's values: dates, postcodes, lists, codes, free text and others.

Only the distinct texts are examined. Most of them, not all, must have a format, because tables contain misspelt cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from statistics import fmean

from ontomask.base.text import is_grouped_number, read_number

__all__ = [
    "MAX_CATEGORIES",
    "are_codes",
    "are_contacts",
    "are_dates",
    "are_free_text",
    "are_grouped_numbers",
    "are_integers",
    "are_postcodes",
    "are_years",
    "date_formats",
    "list_separator",
    "mostly_numbers",
    "ordered_categories",
    "yes_or_no",
]

MAX_CATEGORIES = 40
# The share of the distinct texts that must have a format.
_MOST = 0.8
_MAX_LENGTH = 256

_TIME = r"(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[AaPp]\.?[Mm]\.?|Z|[+-]\d{2}:?\d{2})?)?"
_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:1[6-9]|20|21)\d{2}"
# Names of months begin alike in many languages.
_MONTH_NAME = (
    r"(?:jan|ene|gen|feb|f[eé]v|mar|mär|mrt|apr|avr|abr|ma[iyjg]|mei|jun|jui|giu|jul|lug|aug|ao[uû]|ago"
    r"|sep|set|o[kc]t|out|ott|nov|d[eé]c|dez|dic)"
)
_DATES = re.compile(
    rf"(?:{_YEAR}([-/.]){_MONTH}\1{_DAY}"  # ISO
    rf"|(?:{_DAY}([-/.]){_MONTH}|{_MONTH}([-/.]){_DAY})[-/.](?:{_YEAR}|\d{{2}})"  # day or month first
    rf"|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"  # 20240131
    rf"|{_YEAR}[-/.]{_MONTH}|{_MONTH}[-/.]{_YEAR}"  # months
    rf"|{_DAY}[-. ]+{_MONTH_NAME}\w*[-., ]+(?:{_YEAR}|\d{{2}})|{_MONTH_NAME}\w*[. ]+{_DAY}(?:st|nd|rd|th)?,? +{_YEAR}"
    rf"){_TIME}",
    re.IGNORECASE,
)
_ISO = re.compile(rf"{_YEAR}-\d{{2}}-\d{{2}}(?:[T ]\d{{2}}:\d{{2}}.*)?")
_DATE_ORDERS = ("%d.%m.{y}", "%d/%m/{y}", "%m/%d/{y}", "%d-%m-{y}", "%m-%d-{y}", "%d %b {y}", "%d %B {y}", "%B %d, {y}")
_DAYS = (*(order.format(y=year) for order in _DATE_ORDERS for year in ("%Y", "%y")), "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d")
_FORMATS = tuple(day + time for day in _DAYS for time in ("", " %H:%M", " %H:%M:%S"))
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
_MIN_POSTCODES = 20
_CODE = re.compile(r"[A-Z]{1,3}|[a-z]|[A-Za-z]{0,2}\d{1,4}[A-Za-z]?")
_SEPARATORS = (";", "|", ",")
# Words per cell.
_MIN_FREE_TEXT, _MAX_ELEMENT = 4, 3
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


def _mostly(texts: Iterable[str], fits: Callable[[str], object]) -> bool:
    # No format is this long, and regular expressions may be very slow on long texts.
    found = [len(text) <= _MAX_LENGTH and bool(fits(text)) for text in texts]
    return bool(found) and sum(found) >= _MOST * len(found)


def are_dates(texts: Iterable[str]) -> bool:
    """Dates and timestamps: year, day or month first, also with names of months.

    >>> are_dates(["2024-01-31", "31.1.2024", "01/31/24 10:15", "3 March 1999"]), are_dates(["31.13.2024", "1.5"])
    (True, False)
    """
    return _mostly(texts, _DATES.fullmatch)


def date_formats(texts: Iterable[str]) -> list[str] | None:
    """The formats of dates that are not ISO 8601; ``None`` if day and month cannot be told apart.

    Texts with the same punctuation must have one format in common. Texts without a format are ignored.

    >>> date_formats(["2024-01-31"]), date_formats(["31.1.2024", "2/28/24"]), date_formats(["03/04/2021"])
    ([], ['%d.%m.%Y', '%m/%d/%y'], None)
    """
    possible: dict[str, set[str]] = {}
    for text in texts:
        fits = {form for form in _FORMATS if _is_date(text, form)}
        shape = re.sub(r"\w+", "", text) + str(len(re.split(r"\W+", text.strip())[-1]))
        if fits and not _ISO.fullmatch(text):
            possible[shape] = possible.get(shape, fits) & fits
    found = [sorted(formats) for formats in possible.values()]
    return sorted({formats[0] for formats in found}) if all(len(formats) == 1 for formats in found) else None


def _is_date(text: str, form: str) -> bool:
    try:
        datetime.strptime(text.strip(), form)
    except ValueError:
        return False
    return True


def are_contacts(texts: Mapping[str, int]) -> bool:
    """Email addresses, telephone numbers, IP addresses and URLs.

    >>> are_contacts({"a.b@c.org": 1}), are_contacts({"+49 30 123456": 1}), are_contacts({"1,000": 1})
    (True, True, False)
    """
    if _mostly(texts, _CONTACTS.fullmatch):
        return True
    # Decimal numbers and ranges also look like telephone numbers, but many records share a range.
    shared = len(texts) <= 0.3 * sum(texts.values())
    return not shared and not mostly_numbers(texts) and _mostly(texts, _PHONE.fullmatch)


def are_postcodes(texts: Iterable[str]) -> bool:
    """Postcodes. Five digits count only if there are many such values, or if some begin with zero.

    >>> are_postcodes(["SW1A 1AA", "M1 1AE"]), are_postcodes(["01069", "80331"]), are_postcodes(["12345", "23456"])
    (True, True, False)
    """
    listed = list(texts)
    if _mostly(listed, _POSTCODES.fullmatch):
        return True
    many = len(listed) >= _MIN_POSTCODES or any(text.startswith("0") for text in listed)
    return many and _mostly(listed, _FIVE_DIGITS.fullmatch)


def are_grouped_numbers(texts: Iterable[str]) -> bool:
    """Numbers with thousands separators, in the style of any country.

    >>> are_grouped_numbers(["1.234,50", "25.000,00"]), are_grouped_numbers(["1.234", "2.5"])
    (True, False)
    """
    listed = list(texts)
    return not mostly_numbers(listed) and _mostly(listed, is_grouped_number)


def list_separator(texts: Mapping[str, int]) -> str | None:
    """The separator of several short values per cell, if these values are repeated in other cells; else ``None``.

    >>> list_separator({"HP:1;HP:2": 1, "HP:2": 1, "HP:1;HP:3": 1}), list_separator({"Well, he said, it hurts": 1})
    (';', None)
    """
    for separator in _SEPARATORS:
        split = [[part.strip() for part in text.split(separator)] for text in texts]
        if sum(len(parts) > 1 for parts in split) < 0.3 * len(split):
            continue
        elements = Counter(part for parts in split for part in parts if part)
        repeated = len(elements) <= 0.75 * elements.total()
        if elements and repeated and fmean(len(part.split()) for part in elements) <= _MAX_ELEMENT:
            return separator
    return None


def are_free_text(texts: Mapping[str, int]) -> bool:
    """Texts of several words, too many of them to be categories."""
    many = len(texts) > max(MAX_CATEGORIES / 2, 0.05 * sum(texts.values()))
    return many and fmean(len(text.split()) for text in texts) >= _MIN_FREE_TEXT


def are_codes(texts: Iterable[str]) -> bool:
    """Short codes such as M, 12 or A3.

    >>> are_codes(["M", "F"]), are_codes(["dog", "cat"])
    (True, False)
    """
    return _mostly(texts, _CODE.fullmatch)


def mostly_numbers(texts: Iterable[str]) -> bool:
    """Numbers, except for a few texts."""
    return _mostly(texts, lambda text: read_number(text) is not None)


def are_integers(texts: Iterable[str]) -> bool:
    """Only integers."""
    return all(text.lstrip("+-").isdecimal() for text in texts)


def are_years(texts: Iterable[str]) -> bool:
    """Calendar years."""
    return _mostly(texts, re.compile(_YEAR).fullmatch)


def yes_or_no(texts: Iterable[str]) -> list[str] | None:
    """The values with "no" first, if they mean yes and no in one of several languages.

    >>> yes_or_no(["Yes", "No"]), yes_or_no(["1", "0"]), yes_or_no(["M", "F"])
    (['No', 'Yes'], ['0', '1'], None)
    """
    folded = {text: text.casefold() for text in texts}
    if not all(text in _YES | _NO for text in folded.values()):
        return None
    return sorted(folded, key=lambda text: (folded[text] in _YES, text))


def ordered_categories(texts: Mapping[str, int]) -> list[str] | None:
    """The values in order, if they are ranges of numbers or words of a scale.

    >>> ordered_categories({"20-29": 1, "100+": 1, "<20": 1})
    ['<20', '20-29', '100+']
    """
    if not 2 <= len(texts) <= MAX_CATEGORIES:
        return None
    if any(len(text) > _MAX_LENGTH for text in texts):
        return None
    low = {text: float(match[1]) + _shift(text) for text in texts if (match := _RANGE.match(text))}
    if len(low) == len(texts) and any(read_number(text) is None for text in texts):
        return sorted(texts, key=lambda text: (low[text], text))
    for scale in _SCALES:
        if all(text.casefold() in scale for text in texts):
            return sorted(texts, key=lambda text: (scale.index(text.casefold()), text))
    return None


def _shift(text: str) -> float:
    """Half a unit down for "less than", up for "more than": they sort before and after the limit itself."""
    return -0.5 if text.startswith(("<", "≤")) else 0.5 if text.startswith(">") else 0.0
