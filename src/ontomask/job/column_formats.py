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
from ontomask.job.answer_scales import MAX_CATEGORIES

__all__ = [
    "are_codes",
    "are_contacts",
    "are_dates",
    "are_free_text",
    "are_grouped_numbers",
    "are_integers",
    "are_padded",
    "are_postcodes",
    "are_serials",
    "are_years",
    "count_from_zero",
    "date_formats",
    "have_many_decimals",
    "have_only_thousands",
    "have_signs",
    "is_date",
    "list_separator",
    "mostly_numbers",
    "yes_or_no",
]

# The share of the distinct texts that must have a format.
_MOST = 0.8
# The share of misspelt texts that may look like another format.
_FEW = 0.01
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
_GROUPED_DECIMAL = re.compile(r"[+-]?\d{1,3}([.,' \u00a0\u202f])\d{3}(?:\1\d{3})*(?!\1)[.,]\d+")
_SIGNED = re.compile(r"(?:[$£€¥]\s*-?[\d.,' ]*\d|-?\d[\d.,' ]*[$£€¥%])")
# Nine digits are a long postcode of the United States.
_FIVE_DIGITS, _LONGER = re.compile(r"\d{5}"), re.compile(r"\d{6,8}")
_MIN_POSTCODES = 20
_CODE = re.compile(r"[A-Z]{1,3}|[a-z]|[A-Za-z]{0,2}\d{1,4}[A-Za-z]?")
_SEPARATORS = (";", "|", ",")
_MIN_SERIAL, _MIN_COUNTS = 5, 5
# Words per cell.
_MIN_FREE_TEXT, _MAX_ELEMENT = 4, 3
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
        fits = {form for form in _FORMATS if is_date(text, form)}
        shape = re.sub(r"\w+", "", text) + str(len(re.split(r"\W+", text.strip())[-1]))
        if fits and not _ISO.fullmatch(text):
            possible[shape] = possible.get(shape, fits) & fits
    found = [sorted(formats) for formats in possible.values()]
    return sorted({formats[0] for formats in found}) if all(len(formats) == 1 for formats in found) else None


def is_date(text: str, form: str) -> bool:
    """Whether a text is a date in a format."""
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

    Among numbers, such as incomes, some are longer. Postcodes may lose leading zeros, but they do not get longer.

    >>> are_postcodes(["SW1A 1AA", "M1 1AE"]), are_postcodes(["01069", "80331"]), are_postcodes(["12345", "23456"])
    (True, True, False)
    """
    listed = list(texts)
    if _mostly(listed, _POSTCODES.fullmatch):
        return True
    many = len(listed) >= _MIN_POSTCODES or any(text.startswith("0") for text in listed)
    longer = sum(map(bool, map(_LONGER.fullmatch, listed)))
    return many and longer <= _FEW * len(listed) and _mostly(listed, _FIVE_DIGITS.fullmatch)


def are_grouped_numbers(texts: Iterable[str]) -> bool:
    """Numbers with thousands separators, in the style of any country.

    Most have a separator, or some have a decimal mark, too: lists of codes look like 250,401 but not like 1,234.50.

    >>> are_grouped_numbers(["1.234,50", "25.000,00"]), are_grouped_numbers(["1.234", "2.5"])
    (True, False)
    >>> are_grouped_numbers(["1,234.50", "99.90"]), are_grouped_numbers(["250,401", "250"])
    (True, False)
    """
    listed = [text for text in texts if len(text) <= _MAX_LENGTH]
    if any(_GROUPED_DECIMAL.fullmatch(text) for text in listed):
        return True
    return not mostly_numbers(listed) and _mostly(listed, is_grouped_number)


def have_only_thousands(texts: Iterable[str]) -> bool:
    """Whether each comma in numbers may separate thousands.

    >>> have_only_thousands(["25,000", "180"]), have_only_thousands(["0,345", "2,125"]), have_only_thousands(["2,5"])
    (True, False, False)
    """
    return all(is_grouped_number(text) and not text.startswith("0") for text in texts if "," in text)


def have_signs(texts: Iterable[str]) -> bool:
    """Numbers with a currency or per cent sign.

    >>> have_signs(["£1,250.00", "£80"]), have_signs(["12 %"]), have_signs(["12"])
    (True, True, False)
    """
    return _mostly(texts, _SIGNED.fullmatch)


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


def are_serials(texts: Iterable[str]) -> bool:
    """Integers or codes with digits that are all equally long, such as numbers of customers."""
    listed = list(texts)
    long = len({len(text) for text in listed}) == 1 and len(listed[0]) >= _MIN_SERIAL
    return long and _mostly(listed, lambda text: text.isalnum() and any(char.isdecimal() for char in text))


def are_padded(texts: Iterable[str]) -> bool:
    """Only digits, equally many in each text, and a leading zero in some.

    >>> are_padded(["0100", "2300"]), are_padded(["100", "2300"]), are_padded(["0", "1"])
    (True, False, False)
    """
    listed = list(texts)
    same_length = len({len(text) for text in listed}) == 1 and len(listed[0]) > 1
    return same_length and all(map(str.isdecimal, listed)) and any(text.startswith("0") for text in listed)


def count_from_zero(texts: Iterable[str]) -> bool:
    """All integers from 0 to 4 or more. Codes usually begin at 1 or have gaps.

    >>> count_from_zero("01234"), count_from_zero("012"), count_from_zero("12345")
    (True, False, False)
    """
    listed = set(texts)
    return len(listed) >= _MIN_COUNTS and listed == {str(i) for i in range(len(listed))}


def have_many_decimals(texts: Iterable[str]) -> bool:
    """Positive numbers, most of them with three decimals or more."""
    return _mostly(texts, re.compile(r"\d*\.\d{3,}").fullmatch)


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
