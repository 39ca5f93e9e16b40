"""Guess the role and kind of each column from its name and values. A person has to confirm every guess.

Only a column whose cells are all equal or empty is guessed to be ``other``. A column that is not recognised is guessed
to be a quasi-identifier, with the kind that fits its values: it is masked unless a person decides otherwise. A column
that no kind can mask is ``undecided``, and a job with an undecided column does not run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest
from itertools import islice
from operator import itemgetter
from typing import Any

from ontomask.base.notes import Note
from ontomask.base.text import cell_text
from ontomask.errors import Setting
from ontomask.job import column_formats as formats
from ontomask.job.answer_scales import MAX_CATEGORIES, ordered_categories
from ontomask.job.column_names import Topic, is_person_number, may_be_weight, name_words, topics_of
from ontomask.job.input_files import cell_counts
from ontomask.job.ontology_guesses import look_up
from ontomask.kinds import Date
from ontomask.mapping.words import looks_missing
from ontomask.taxonomy import Taxonomy

__all__ = ["Guess", "Profile", "guess_column", "profile"]

# Topics that make a column a quasi-identifier by its name alone.
_KNOWN = frozenset({Topic.QUANTITY, Topic.SCALE, Topic.CATEGORY})
# Topics of numbers. Five digits of such a column are no postcode.
_NUMBERS = frozenset({Topic.QUANTITY, Topic.COUNT, Topic.MONEY})
# With fewer records, equal or unique values may be chance.
_ENOUGH_RECORDS = 20
_NEARLY_UNIQUE = 0.9
# The least share of distinct values in a column of numbers for things or persons: by its name, or by its values, too.
_MANY, _SEVERAL = 0.5, 0.1
# A token for "missing" that most records have is a value, such as "none" of a test that few persons take.
_MAX_TOKEN = 0.5
# Maximum number of distinct texts to examine.
_SAMPLE = 10_000

# Number of texts that are shown as examples at most.
_FREQUENT = 12

# With more distinct integers than this, a column without a telling name counts or measures something.
_MAX_CODES = 15

_NUMERIC = {"kind": "numeric"}
_CATEGORY = {"kind": "category"}
_MASKED = "quasi-identifier"


@dataclass(frozen=True)
class Profile:
    """The distinct texts of a column with counts, and its number of missing cells.

    ``tokens`` are the texts that look like spellings of "missing", with counts. They count as missing. ``marked`` says
    whether the numbers had decimal commas or thousands separators, which codes do not have.
    """

    name: str
    texts: Mapping[str, int] = field(repr=False)
    missing: int
    tokens: Mapping[str, int] = field(default_factory=dict)
    marked: bool = False

    @cached_property
    def records(self) -> int:
        """The number of cells that are not missing."""
        return sum(self.texts.values())

    @cached_property
    def sample(self) -> Mapping[str, int]:
        """Enough texts to recognise their format."""
        return dict(islice(self.texts.items(), _SAMPLE))

    @cached_property
    def topics(self) -> frozenset[Topic]:
        """The topics of the column according to its name."""
        return topics_of(name_words(self.name))

    @cached_property
    def unique(self) -> float:
        """The share of records with a value that no other record has."""
        return sum(count == 1 for count in self.texts.values()) / self.records if self.texts else 0.0

    @cached_property
    def frequent(self) -> tuple[tuple[str, int], ...]:
        """The most frequent texts with their counts."""
        return tuple(nlargest(_FREQUENT, self.texts.items(), key=itemgetter(1)))

    @property
    def evidence(self) -> str:
        """The number of distinct values, and the share of records that they single out."""
        values = "value" if len(self.texts) == 1 else "values"
        unique = f", {100 * self.unique:.0f} % of them with a unique value" if self.texts else ""
        return f"{len(self.texts):,} distinct {values} in {self.records:,} records{unique}"


@dataclass(frozen=True)
class Guess:
    """A guess: the keys of the column's table in a job, and the reason.

    ``advice`` says what else to consider.
    """

    role: str
    why: str
    keys: Mapping[str, Any] = field(default_factory=dict)
    advice: str = ""


def _key(name: str, *values: object) -> Setting:
    """A key in the table of the column."""
    return Setting("columns", "NAME", name, values=values)


def profile(frame: Any, name: str) -> Profile:
    """Count the distinct texts of a column. Spellings of "missing" count as missing, unless most cells have them."""
    texts: Counter[str] = Counter()
    missing = 0
    for cell, count in cell_counts(frame, name).items():
        text = cell_text(cell)
        if text is None:
            missing += count
        else:
            texts[text] += count
    most = _MAX_TOKEN * texts.total()
    tokens = {text: count for text, count in texts.items() if looks_missing(text) and count <= most}
    missing += sum(tokens.values())
    return Profile(name, {t: count for t, count in texts.items() if t not in tokens}, missing, tokens)


def guess_column(column: Profile, ontologies: Mapping[str, Callable[[], Taxonomy]]) -> Guess:
    """Guess the role and kind of a column.

    >>> guess_column(Profile("age", {"39": 3, "50": 2, "38": 2}, 0), {}).keys
    {'kind': 'numeric'}
    >>> guess_column(Profile("age", {"[10-20)": 3, "[0-10)": 2}, 0), {}).keys
    {'kind': 'ordinal', 'categories': ['[0-10)', '[10-20)']}
    >>> guess_column(Profile("x17", {"Yes": 3, "No": 2, "Not asked": 2}, 0), {}).keys
    {'kind': 'category'}
    """
    return (
        _guess_identifier_by_name(column)
        or _guess_special_values(column, ontologies)
        or _guess_identifier_by_values(column)
        or _guess_constant(column)
        or _guess_confidential(column)
        or _guess_codes(column)
        or _guess_numbers(column)
        or _guess_ordered(column)
        or _guess_concepts(column, ontologies)
        or _guess_category(column)
    )


def _guess_identifier_by_name(column: Profile) -> Guess | None:
    topics, texts = column.topics, column.texts
    if Topic.IDENTIFIER in topics or (Topic.NAME in topics and not topics & _KNOWN):
        return Guess("identifier", "by its name")
    persons = is_person_number(name_words(column.name))
    numbered = Topic.NUMBERING in topics
    share = len(texts) / max(1, column.records)
    if (numbered and share > _MANY) or (share > _SEVERAL and (persons or (numbered and formats.are_serials(texts)))):
        repeats = {"person": True} if len(texts) < column.records else {}
        return Guess("identifier", "numbers persons or records", repeats)
    named_free_text = Topic.FREE_TEXT in topics and texts and not formats.mostly_numbers(column.sample)
    if named_free_text and formats.yes_or_no(texts) is None:
        return Guess("identifier", "by its name free text, which may name persons")
    return None


def _guess_special_values(column: Profile, ontologies: Mapping[str, Callable[[], Taxonomy]]) -> Guess | None:
    """Values in a format of their own."""
    topics, texts = column.topics, column.sample
    if formats.are_dates(texts):
        return _guess_dates(column)
    if formats.are_contacts(texts):
        return Guess("identifier", "contact data, such as email addresses")
    if formats.have_signs(texts):
        text = "Remove these signs from the table. Then the column can have {kind}."
        advice = Note.of("remove-signs", text, kind=_key("kind", "numeric"))
        return Guess("undecided", "numbers with currency or per cent signs", advice=advice)
    separator = formats.list_separator(texts)
    if separator is not None:
        return _guess_lists(column, separator, ontologies)
    if _are_survey_weights(column):
        return Guess("weight", "survey weights")
    may_be = len(texts) >= _ENOUGH_RECORDS and not topics & (_NUMBERS | {Topic.CODE})
    look_so = may_be and formats.are_postcodes(texts)
    if texts and (Topic.POSTCODE in topics or look_so):
        return Guess(_MASKED, "postcodes: others know where a person lives", {"kind": "prefix"})
    return None


def _are_survey_weights(column: Profile) -> bool:
    """Numbers with a telling name. Body weights and other factors have fewer digits."""
    if not column.texts or not formats.mostly_numbers(column.sample):
        return False
    if Topic.SURVEY_WEIGHT in column.topics:
        return True
    return may_be_weight(name_words(column.name)) and formats.have_many_decimals(column.sample)


def _guess_dates(column: Profile) -> Guess:
    written = formats.date_formats(column.texts)
    if written is not None and any("%y" in form for form in written):
        advice = (
            "Years need four digits, since two digits do not say the century. Change the table, or remove the column."
        )
        return Guess("undecided", "dates with two-digit years", advice=advice)
    if written is not None:
        why = "dates: others may know when something happened to a person"
        keys: dict[str, Any] = {"kind": "date"} | ({"formats": written} if written else {})
        by_day, by_month = (len(Date(p, written).mismatches(column.sample)) for p in ("day", "month"))
        return Guess(_MASKED, why, keys | ({"precision": "month"} if by_month < by_day else {}))
    text = (
        "Say how they are written, as in {formats}, and give the column {kind}. If they are written in many ways, "
        "remove the column."
    )
    named = {"formats": _key("formats", ["%d.%m.%Y", "%Y-%m-%d"]), "kind": _key("kind", "date")}
    advice = Note.of("dates-in-doubt", text, **named)
    return Guess("undecided", "dates, whose day and month cannot be told apart for certain", advice=advice)


def _guess_lists(column: Profile, separator: str, ontologies: Mapping[str, Callable[[], Taxonomy]]) -> Guess:
    elements: Counter[str] = Counter()
    for text, count in column.sample.items():
        for part in text.split(separator):
            elements[part.strip()] += count
    del elements[""]
    found = look_up(elements, column.topics, ontologies)
    if found.fits:
        keys = {"kind": "concept_set", "separator": separator, **found.keys}
        return Guess(_MASKED, f"several values per cell; {found.text}", keys)
    text = "Give an ontology of the elements ({kind}, {taxonomy}, where FILE is a CSV file with the columns child and "
    text += "parent), or remove the column."
    named = {"kind": _key("kind", "concept_set"), "taxonomy": _key("taxonomy", "FILE")}
    advice = Note.of("lists-need-ontology", text, **named)
    return Guess("undecided", "several values per cell", advice=advice)


def _guess_identifier_by_values(column: Profile) -> Guess | None:
    if formats.are_free_text(column.sample):
        return Guess("identifier", "free text, which may name persons")
    nearly_unique = len(column.texts) > _NEARLY_UNIQUE * column.records and column.records >= _ENOUGH_RECORDS
    numbers = formats.mostly_numbers(column.sample)
    counted = bool(column.topics & {Topic.COUNT, Topic.MONEY}) and Topic.NUMBERING not in column.topics
    measured = numbers and (counted or column.marked or not formats.are_integers(column.sample))
    if nearly_unique and not measured and not column.topics & _KNOWN:
        return Guess("identifier", "nearly every record has its own value")
    return None


def _guess_constant(column: Profile) -> Guess | None:
    """A value that all records share identifies nobody."""
    if not column.texts:
        return Guess("other", "it has no values")
    equal = len(column.texts) == 1 and not column.missing and column.records >= _ENOUGH_RECORDS
    if equal and not column.topics & (_KNOWN | {Topic.CONFIDENTIAL}):
        return Guess("other", f"all {column.records:,} records have the same value")
    return None


def _guess_confidential(column: Profile) -> Guess | None:
    return Guess("confidential", "by its name") if Topic.CONFIDENTIAL in column.topics else None


def _guess_numbers(column: Profile) -> Guess | None:
    topics, texts = column.topics, column.texts
    # A few texts among numbers are cells to correct.
    if not formats.mostly_numbers(texts) or ordered_categories(texts) is not None:
        return None
    # "sex at birth" is a code, though "birth" alone is a date or a year.
    coded = Topic.CATEGORY in topics and formats.are_integers(texts) and len(texts) <= _MAX_CODES
    if column.marked or (topics & _NUMBERS and Topic.LABEL not in topics and not coded):
        return Guess(_MASKED, "numbers" if column.marked else "by its name, numbers", _NUMERIC)
    if Topic.CODE in topics or topics & _KNOWN or formats.yes_or_no(texts) is not None:
        return None
    if formats.are_integers(texts) and formats.are_years(texts):
        return Guess(_MASKED, "years", _NUMERIC)
    if formats.are_integers(texts) and (len(texts) <= _MAX_CODES or Topic.LABEL in topics):
        if Topic.LABEL not in topics and formats.count_from_zero(texts):
            return Guess(_MASKED, "integers from 0 on, which seem to count something", _NUMERIC)
        return None
    return Guess(_MASKED, "numbers", _NUMERIC)


def _guess_codes(column: Profile) -> Guess | None:
    """Digits with leading zeros are codes. If there are many, the first digits usually say the most."""
    if not formats.are_padded(column.texts):
        return None
    many = len(column.texts) > MAX_CATEGORIES
    return Guess(_MASKED, "codes with leading zeros", {"kind": "prefix"} if many else _CATEGORY)


def _guess_ordered(column: Profile) -> Guess | None:
    """Ordered categories: ranges, words of a scale, and codes of a level of education."""
    topics, texts = column.topics, column.texts
    order = ordered_categories(texts)
    if order is not None:
        return Guess(_MASKED, "ordered values", {"kind": "ordinal", "categories": order})
    if Topic.SCALE not in topics or not formats.are_integers(texts) or len(texts) > MAX_CATEGORIES:
        return None
    in_order = sorted(texts, key=lambda text: (int(text), text))
    return Guess(_MASKED, "by its name, codes in order", {"kind": "ordinal", "categories": in_order})


def _guess_concepts(column: Profile, ontologies: Mapping[str, Callable[[], Taxonomy]]) -> Guess | None:
    found = look_up(column.texts, column.topics, ontologies)
    return Guess(_MASKED, found.text, {"kind": "nominal", **found.keys}) if found.fits else None


def _guess_category(column: Profile) -> Guess:
    advice = ""
    if formats.mostly_numbers(column.texts):
        why = "few integers, which seem to be codes"
        text = "If they count or measure something, they need {kind}."
        advice = Note.of("perhaps-numbers", text, kind=_key("kind", "numeric"))
    elif formats.yes_or_no(column.texts) is not None:
        why = "yes and no"
    else:
        why = "categories without an ontology"
        if len(column.texts) > MAX_CATEGORIES:
            text = (
                "An ontology ({kind}, {taxonomy}, where FILE is a CSV file with the columns child and parent) or "
                "groups of values ({groups}, with a value and its group in each row) would keep more meaning."
            )
            keys = {"kind": _key("kind", "nominal"), "taxonomy": _key("taxonomy", "FILE")}
            advice = Note.of("ontology-keeps-more", text, **keys, groups=_key("groups", "FILE"))
    return Guess(_MASKED, why, _CATEGORY, advice)
