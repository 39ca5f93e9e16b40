"""What columns can be, in words, and the keys that change when a person decides for another role or kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ontomask.errors import JobError
from ontomask.job.answer_scales import ordered_categories
from ontomask.job.column_guesses import Guess, Profile
from ontomask.job.editing import REMOVE, Changes
from ontomask.job.first_job import JobDraft
from ontomask.job.settings import COLUMN_POLICIES
from ontomask.job.toml_text import dotted_key
from ontomask.kinds import KINDS

__all__ = ["KIND_WORDS", "POLICY_WORDS", "ROLE_WORDS", "ColumnRow", "Words", "change_column", "column_rows"]


@dataclass(frozen=True)
class Words:
    """A choice in words: its name, and what it means for the person who chooses."""

    title: str
    meaning: str


ROLE_WORDS: Mapping[str, Words] = {
    "identifier": Words("Names a person", "It is removed. Names, numbers of persons, addresses."),
    "quasi-identifier": Words("Others may know it", "It is masked: together such columns can point to one person."),
    "confidential": Words("Secret", "It is kept as it is. The report measures what others could learn about it."),
    "other": Words("Nobody can know it", "It is kept as it is and not protected. If in doubt, do not choose this."),
    "drop": Words("Not needed", "It is left out."),
    "weight": Words("Survey weight", "It counts how many people a row stands for. It is averaged over each group."),
    "linked": Words("Follows another column", "It is kept only where the masked column that it follows agrees."),
    "undecided": Words("Not decided yet", "Nothing can be released until you decide."),
}

KIND_WORDS: Mapping[str, Words] = {
    "nominal": Words("Words with a meaning", "Values are looked up in an ontology and masked by what they mean."),
    "concept_set": Words("Several words in a cell", "Each part of a cell is looked up in an ontology."),
    "category": Words("Categories", "Two values are equal or different. No ontology is needed."),
    "prefix": Words("Codes, first digits first", "Postcodes and other codes that share their beginning are near."),
    "numeric": Words("Numbers", "Near numbers are near. They are averaged or become ranges."),
    "ordinal": Words("Steps in an order", "Such as low, medium, high. The order counts."),
    "date": Words("Dates", "Near days are near. They are averaged or become months and years."),
}

POLICY_WORDS: Mapping[str, Words] = {
    "error": Words("Stop", "Nothing is released while such cells exist."),
    "category": Words("A value of its own", "Such cells count as one more value and are masked like the others."),
    "root": Words("Anything", "They become the widest value, which says nothing."),
    "drop": Words("Leave the record out", "Records with such a cell are not released."),
    "keep": Words("Leave as it is", "The cell is released unchanged. It may point to a person."),
}

_MASKED = "quasi-identifier"
# The number of frequent values that are shown for each column.
_EXAMPLES = 3


@dataclass(frozen=True)
class ColumnRow:
    """A column as one row of a table of all columns.

    Attributes
    ----------
    examples
        Frequent values, as text.
    unique
        The share of records with a value that no other record has.
    guess
        The role that was guessed.
    why
        The reason for the guess.
    confirmed
        Whether a person has decided.
    person, pseudonyms, average_weights, to
        Its keys of these names.
    """

    name: str
    role: str
    kind: str | None
    examples: tuple[str, ...]
    distinct: int
    missing: int
    unique: float
    guess: str
    why: str
    advice: str
    confirmed: bool
    person: bool
    pseudonyms: bool
    average_weights: bool
    to: str | None


def column_rows(content: Mapping[str, Any], draft: JobDraft) -> list[ColumnRow]:
    """All columns of a job with what was seen in them."""
    rows = []
    for name, table in content["columns"].items():
        seen, guess = draft.profiles.get(name), draft.guesses.get(name)
        if seen is None or guess is None:
            continue
        frequent = [text for text, _ in seen.frequent[:_EXAMPLES]]
        rows.append(
            ColumnRow(
                name,
                table["role"],
                table.get("kind"),
                tuple(frequent),
                len(seen.texts),
                seen.missing,
                seen.unique,
                guess.role,
                guess.why,
                guess.advice,
                bool(table.get("confirmed", True)) and table["role"] != "undecided",
                bool(table.get("person")),
                bool(table.get("pseudonyms")),
                table.get("average_weights", True),
                table.get("to"),
            )
        )
    return rows


def change_column(
    content: Mapping[str, Any], draft: JobDraft, name: str, *, role: str | None = None, kind: str | None = None
) -> dict[tuple[str, ...], Any]:
    """The changes that give a column another role or kind, with the keys it then needs. They confirm the column."""
    old = content["columns"][name]
    chosen = role or old["role"]
    wanted = _wanted(old, chosen, kind, draft.guesses[name], draft.profiles[name])
    if chosen == "linked" and "to" not in wanted:
        wanted["to"] = _likely_leader(content, draft, name)
    if "kind" in wanted and "missing" not in wanted and chosen == _MASKED:
        wanted |= draft.missing_keys(name, wanted["kind"])
    changes: Changes = {
        **{("columns", name, key): REMOVE for key in old if key not in wanted},
        **{("columns", name, key): value for key, value in wanted.items() if old.get(key) != value},
    }
    return dict(changes)


def _likely_leader(content: Mapping[str, Any], draft: JobDraft, name: str) -> str:
    """The masked column that another one most likely follows: it has about as many different values."""
    masked: list[str] = [n for n, table in content["columns"].items() if table["role"] == _MASKED and n != name]
    if not masked:
        text = "There is no masked column that it could follow. First say which columns others may know."
        raise JobError("", [(dotted_key("columns", name, "role"), text)], code="nothing-to-follow")
    count = len(draft.profiles[name].texts)
    return min(masked, key=lambda other: abs(len(draft.profiles[other].texts) - count))


def _wanted(old: Mapping[str, Any], role: str, kind: str | None, guess: Guess, seen: Profile) -> dict[str, Any]:
    """The keys of the column's table."""
    if role == "undecided":
        return {"role": role}
    if role == old["role"] and kind is None:
        return {key: value for key, value in old.items() if key != "confirmed"}
    if role == "identifier":
        keeps_person = old.get("person") or (guess.role == role and guess.keys.get("person"))
        pseudonyms = {"pseudonyms": True} if old.get("pseudonyms") else {}
        return {"role": role} | ({"person": True, **pseudonyms} if keeps_person else {})
    if role not in (_MASKED, "confidential"):
        return {"role": role}
    if role == "confidential" and kind is None and "kind" not in old:
        return {"role": role}
    chosen = kind or old.get("kind") or guess.keys.get("kind") or "category"
    # Another kind needs another policy for missing cells.
    allowed = (*KINDS[chosen].option_names(), *(COLUMN_POLICIES if chosen == old.get("kind") else ()))
    known = {**(guess.keys if guess.keys.get("kind") == chosen else {}), **old}
    keys = {key: value for key, value in known.items() if key in allowed and key not in ("role", "kind", "confirmed")}
    for required in KINDS[chosen].option_names(required=True):
        if required not in keys:
            keys[required] = _needed(required, guess, seen)
    return {"role": role, "kind": chosen, **keys}


def _needed(option: str, guess: Guess, seen: Profile) -> Any:
    """A first value for an option that a kind cannot be without."""
    if option == "taxonomy":
        return guess.keys.get("taxonomy", "wordnet")
    if option == "categories":
        return ordered_categories(seen.texts) or sorted(seen.texts)
    return guess.keys.get(option)
