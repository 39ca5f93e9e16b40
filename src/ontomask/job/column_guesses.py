"""Guess the role and kind of each column from its name and values. A person has to confirm every guess.

Only a column whose cells are all equal or empty is guessed to be ``other``. A quasi-identifier is guessed with a kind
that fits its values. All other columns are ``undecided``, and a job with an undecided column does not run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from ontomask.base.text import cell_text, read_number
from ontomask.job import column_clues as clues
from ontomask.job.column_clues import Topic
from ontomask.job.sources import cell_counts
from ontomask.mapping.words import find_by_stem, looks_missing
from ontomask.taxonomy import Taxonomy

__all__ = ["Guess", "Profile", "guess_column", "profile"]

# Topics that make a column a quasi-identifier by its name alone.
_KNOWN = frozenset({Topic.QUANTITY, Topic.SCALE, Topic.CATEGORY})
# With fewer records, equal or unique values may be chance.
_ENOUGH_RECORDS = 20
_NEARLY_UNIQUE = 0.9
# Maximum number of distinct texts to examine.
_SAMPLE = 10_000

# Loading an ontology of codes is slow, so only values that look like its codes are looked up there.
_CODE_PATTERNS = {
    "icd9cm": re.compile(r"[VE]?\d{1,4}\.?\d{0,2}", re.IGNORECASE),
    "icd10cm": re.compile(r"[A-TV-Z]\d[0-9A-Z]\.?[0-9A-Z]{0,4}", re.IGNORECASE),
}
# A dictionary contains nearly any word, so finding values there says little unless they have a common concept.
_DICTIONARIES = frozenset({"wordnet"})
# Number of most frequent values to look up in an ontology, and the share that must be found.
_MAX_LOOKED_UP = 300
_ENOUGH = 0.5
# A domain must contain nearly all values that were found, and be more specific than "physical entity".
_NEARLY_ALL = 0.9
_MIN_DEPTH = 3

_NUMERIC = {"kind": "numeric"}
_NOMINAL = {"kind": "nominal", "taxonomy": "FILE"}


@dataclass(frozen=True)
class Profile:
    """The distinct texts of a column with counts, and its number of missing cells.

    ``tokens`` are the texts that look like spellings of "missing", with counts. They count as missing.
    """

    name: str
    texts: Mapping[str, int] = field(repr=False)
    missing: int
    tokens: Mapping[str, int] = field(default_factory=dict)

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
        return clues.topics_of(clues.name_words(self.name))

    @cached_property
    def unique(self) -> float:
        """The share of records with a value that no other record has."""
        return sum(count == 1 for count in self.texts.values()) / self.records if self.texts else 0.0

    @property
    def evidence(self) -> str:
        """The number of distinct values, and the share of records that they single out."""
        values = "value" if len(self.texts) == 1 else "values"
        unique = f", {100 * self.unique:.0f} % of them with a unique value" if self.texts else ""
        return f"{len(self.texts):,} distinct {values} in {self.records:,} records{unique}"


@dataclass(frozen=True)
class Guess:
    """A guess: the keys of the column's table in a job, and the reason.

    ``advice`` says what to do with the column. ``suggested`` has the keys for an undecided column that is in fact a
    quasi-identifier.
    """

    role: str
    why: str
    keys: Mapping[str, Any] = field(default_factory=dict)
    advice: str = ""
    suggested: Mapping[str, Any] = field(default_factory=dict)


def profile(frame: Any, name: str) -> Profile:
    """Count the distinct texts of a column. Common spellings of "missing" count as missing."""
    texts: Counter[str] = Counter()
    missing = 0
    tokens: Counter[str] = Counter()
    for cell, count in cell_counts(frame, name).items():
        text = cell_text(cell)
        if text is None:
            missing += count
        elif looks_missing(text):
            missing += count
            tokens[text] += count
        else:
            texts[text] += count
    return Profile(name, texts, missing, tokens)


def guess_column(column: Profile, ontologies: Mapping[str, Callable[[], Taxonomy]]) -> Guess:
    """Guess the role and kind of a column.

    >>> guess_column(Profile("age", {"39": 3, "50": 2, "38": 2}, 0), {}).keys
    {'kind': 'numeric'}
    >>> guess_column(Profile("age", {"[10-20)": 3, "[0-10)": 2}, 0), {}).keys
    {'kind': 'ordinal', 'categories': ['[0-10)', '[10-20)']}
    >>> guess_column(Profile("x17", {"39": 3, "50": 2, "38": 2}, 0), {}).role
    'undecided'
    """
    return (
        _guess_identifier_by_name(column)
        or _guess_special_values(column)
        or _guess_identifier_by_values(column)
        or _guess_constant(column)
        or _guess_numbers(column)
        or _guess_categories(column)
        or _guess_nominal(column, ontologies)
    )


def _guess_identifier_by_name(column: Profile) -> Guess | None:
    topics, texts = column.topics, column.texts
    if Topic.IDENTIFIER in topics or (Topic.NAME in topics and not topics & _KNOWN):
        return Guess("identifier", "by its name")
    persons = clues.is_person_number(clues.name_words(column.name))
    numbered = Topic.NUMBERING in topics
    if (numbered and len(texts) > 0.5 * column.records) or (persons and len(texts) > 0.1 * column.records):
        repeats = {"person": True} if len(texts) < column.records else {}
        return Guess("identifier", "numbers persons or records", repeats)
    named_free_text = Topic.FREE_TEXT in topics and texts and not clues.mostly_numbers(column.sample)
    if named_free_text and clues.yes_or_no(texts) is None:
        return Guess("identifier", "by its name free text, which may name persons")
    return None


def _guess_special_values(column: Profile) -> Guess | None:
    """Values that cannot be masked as they are, and confidential values."""
    topics, texts = column.topics, column.sample
    if clues.are_dates(texts):
        advice = (
            "Others may know when something happened to a person. No kind masks dates: put years into the table "
            "instead (kind = 'numeric'), or remove the column."
        )
        return Guess("undecided", "dates", advice=advice)
    if clues.are_contacts(texts):
        return Guess("identifier", "contact data, such as email addresses")
    if clues.are_grouped_numbers(texts):
        advice = "Numbers must not have thousands separators. Remove them from the table."
        return Guess("undecided", "numbers with thousands separators", advice=advice, suggested=_NUMERIC)
    if clues.are_lists(texts):
        advice = "No kind masks lists. Give each element a column of its own, or remove the column."
        return Guess("undecided", "lists of values", advice=advice)
    if texts and (Topic.POSTCODE in topics or (clues.are_postcodes(texts) and Topic.CODE not in topics)):
        advice = (
            "Others know where a person lives. Give a taxonomy in which the first characters of a postcode are its "
            "parent, or remove the column."
        )
        return Guess("undecided", "postcodes", advice=advice, suggested=_NOMINAL)
    if texts and Topic.SURVEY_WEIGHT in topics:
        advice = "Survey weights follow from what a person is, so a rare weight can single somebody out."
        return Guess("undecided", "survey weights or strata", advice=advice, suggested=_NUMERIC)
    if texts and Topic.CONFIDENTIAL in topics:
        return Guess("confidential", "by its name")
    return None


def _guess_identifier_by_values(column: Profile) -> Guess | None:
    if clues.are_free_text(column.sample):
        return Guess("identifier", "free text, which may name persons")
    nearly_unique = len(column.texts) > _NEARLY_UNIQUE * column.records and column.records >= _ENOUGH_RECORDS
    measured = clues.mostly_numbers(column.sample) and not clues.are_integers(column.sample)
    if nearly_unique and not measured and not column.topics & _KNOWN:
        return Guess("identifier", "nearly every record has its own value")
    return None


def _guess_constant(column: Profile) -> Guess | None:
    """A value that all records share identifies nobody."""
    if not column.texts:
        return Guess("other", "it has no values")
    equal = len(column.texts) == 1 and not column.missing and column.records >= _ENOUGH_RECORDS
    if equal and not column.topics & _KNOWN:
        return Guess("other", f"all {column.records:,} records have the same value")
    return None


def _guess_numbers(column: Profile) -> Guess | None:
    topics, texts = column.topics, column.texts
    if Topic.QUANTITY in topics and clues.mostly_numbers(texts) and clues.ordered_categories(texts) is None:
        return Guess("quasi-identifier", "by its name, numbers that others may know", _NUMERIC)
    if Topic.CODE in topics or any(read_number(text) is None for text in texts):
        return None
    if topics & _KNOWN or clues.yes_or_no(texts) is not None:
        return None
    integers = clues.are_integers(texts)
    if integers and clues.are_years(texts):
        return Guess("quasi-identifier", "years, which others may know", _NUMERIC)
    if integers and len(texts) <= clues.MAX_CATEGORIES:
        advice = (
            "Codes need a taxonomy (kind = 'nominal', taxonomy = 'FILE') or an order (kind = 'ordinal', categories = "
            "[...]). Numbers that count or measure something are numeric."
        )
        return Guess("undecided", "few integers, counts or codes", advice=advice, suggested=_NUMERIC)
    return Guess("undecided", "numbers", suggested=_NUMERIC)


def _guess_categories(column: Profile) -> Guess | None:
    """Ordered categories, yes and no, and codes of attributes that others may know."""
    topics, texts = column.topics, column.texts
    order = clues.ordered_categories(texts)
    if order is not None:
        return Guess("quasi-identifier", "ordered values", {"kind": "ordinal", "categories": order})
    answers = clues.yes_or_no(texts)
    if answers is not None:
        if len(answers) != 2:
            advice = "Use one spelling each for yes and no. An empty cell counts as missing, not as no."
            return Guess("undecided", "yes and no", advice=advice)
        keys = {"kind": "ordinal", "categories": answers}
        if topics & _KNOWN:
            return Guess("quasi-identifier", "yes and no, by its name known to others", keys)
        return Guess("undecided", "yes and no", suggested=keys)
    if not topics & _KNOWN or not clues.are_codes(texts):
        return None
    in_order = sorted(texts, key=lambda text: (_number_or_inf(text), text))
    ordinal = {"kind": "ordinal", "categories": in_order}
    if len(texts) == 2 or (Topic.SCALE in topics and len(texts) <= clues.MAX_CATEGORIES):
        why = "by its name, codes of something that others may know; check their order"
        return Guess("quasi-identifier", why, ordinal)
    advice = "By its name, others may know it. Give its codes an order or a taxonomy."
    return Guess("undecided", "codes", advice=advice, suggested=_NOMINAL)


def _number_or_inf(text: str) -> float:
    number = read_number(text)
    return float("inf") if number is None else number


def _guess_nominal(column: Profile, ontologies: Mapping[str, Callable[[], Taxonomy]]) -> Guess:
    frequent = sorted(column.texts, key=lambda text: (-column.texts[text], text))[:_MAX_LOOKED_UP]
    # Most small numbers are codes of some classification. Unless the name says so, look up only the other texts.
    by_chance = clues.mostly_numbers(frequent) and Topic.CODE not in column.topics
    looked_up = [text for text in frequent if not by_chance or read_number(text) is None]
    best, senses = "", list[list[str]]()
    for name, load in ontologies.items():
        if looked_up and _may_know(name, frequent):
            found = [sense for text in looked_up if (sense := _senses(load(), text))]
            if len(found) > len(senses):
                best, senses = name, found
    enough = bool(best) and len(senses) >= _ENOUGH * len(looked_up)
    has_domain = enough and not ontologies[best]().annotations.code_ids
    domain = _domain(ontologies[best](), senses) if has_domain else None
    which = "" if len(looked_up) == len(column.texts) else " looked up"
    known = f"{best} knows {len(senses):,} of {len(looked_up):,} values{which}" if best else "no ontology knows it"
    fits = enough and (domain is not None or best not in _DICTIONARIES)
    taxonomy = best or ["wordnet", *ontologies][-1]
    if fits or (column.topics & {Topic.CATEGORY, Topic.SCALE} and _may_know(taxonomy, frequent)):
        keys = {"kind": "nominal", "taxonomy": taxonomy} | ({} if domain is None else {"domain": domain})
        if fits:
            return Guess("quasi-identifier", known, keys)
        advice = f"{taxonomy} may not fit: a taxonomy of your own (taxonomy = 'FILE') or an order may be better."
        return Guess("quasi-identifier", f"by its name; {known}", keys, advice)
    if by_chance:
        return Guess("undecided", "numbers, except for some cells", suggested=_NUMERIC)
    advice = "It may need a taxonomy of its values, or an order."
    return Guess("undecided", f"categories; {known}", advice=advice, suggested=_NOMINAL)


def _may_know(ontology: str, texts: list[str]) -> bool:
    """Whether looking values up makes sense. To a dictionary, short codes are units and "No" is a chemical element."""
    if ontology in _DICTIONARIES:
        return not clues.are_codes(texts) and not any(clues.yes_or_no([text]) for text in texts)
    shape = _CODE_PATTERNS.get(ontology)
    return shape is None or sum(bool(shape.fullmatch(text)) for text in texts) >= _ENOUGH * len(texts)


def _senses(taxonomy: Taxonomy, text: str) -> list[str]:
    """All concepts that a text may mean, without similar spellings."""
    if text in taxonomy:
        return [text]
    alias = taxonomy.find_alias(text)
    if alias:
        return list(alias[1])
    return taxonomy.find(text) or ([] if taxonomy.annotations.code_ids else find_by_stem(taxonomy, text))


def _domain(taxonomy: Taxonomy, senses: list[list[str]]) -> str | None:
    """The deepest concept that subsumes a sense of nearly all values, unless it is too general.

    If all values have a sense in common, they say nothing about what else the column may hold.
    """
    if set.intersection(*map(set, senses)):
        return None
    above: Counter[str] = Counter()
    for found in senses:
        above.update({subsumer for sense in found for subsumer in taxonomy.subsumers(sense)})
    wide = [concept for concept, values in above.items() if values >= _NEARLY_ALL * len(senses)]
    deepest = max(wide, key=lambda concept: (taxonomy.depth(concept), above[concept], concept), default=None)
    return deepest if deepest is not None and taxonomy.depth(deepest) >= _MIN_DEPTH else None
