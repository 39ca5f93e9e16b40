"""How the dates of a column are written: ways to choose from, each with an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ontomask.job.column_formats import are_dates, is_date
from ontomask.job.column_roles import change_column
from ontomask.job.editing import REMOVE, Changes
from ontomask.job.first_job import JobDraft
from ontomask.job.settings import Settings

__all__ = ["DateColumn", "change_date_format", "date_columns", "date_words"]

_ISO = "%Y-%m-%d"
_FORMATS = (
    *(_ISO, "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"),
    *("%d %b %Y", "%d %B %Y", "%B %d, %Y"),
)
_PARTS = {"%d": "day", "%m": "month", "%b": "month", "%B": "month", "%Y": "year"}
_EXAMPLE = date(2021, 12, 31)


@dataclass(frozen=True)
class DateColumn:
    """A column of dates.

    Attributes
    ----------
    chosen
        How its dates are written: formats, one on each line; empty if it is not known.
    choices
        Formats that fit its values, with an example.
    """

    name: str
    chosen: str
    choices: Mapping[str, str]


def date_words(formats: str) -> str:
    """Formats of dates, one on each line, by examples.

    >>> date_words("%d.%m.%Y")
    '31.12.2021 (day, month, year)'
    """
    found = []
    for form in formats.splitlines():
        places = sorted((form.index(part), word) for part, word in _PARTS.items() if part in form)
        found.append(f"{_EXAMPLE.strftime(form)} ({', '.join(word for _, word in places)})")
    return " or ".join(found)


def date_columns(settings: Settings, draft: JobDraft) -> list[DateColumn]:
    """The columns of dates, also those whose day and month cannot be told apart for certain."""
    found = []
    for name, column in settings.columns.items():
        seen = draft.profiles.get(name)
        is_open = column.role == "undecided" and seen is not None and are_dates(seen.sample)
        if seen is None or not (is_open or column.kind == "date"):
            continue
        fitting = [form for form in _FORMATS if sum(is_date(text, form) for text in seen.sample) > len(seen.sample) / 2]
        chosen = "" if is_open else "\n".join(column.formats or [_ISO])
        listed = [*fitting, *([chosen] if chosen and chosen not in fitting else [])]
        if listed:
            found.append(DateColumn(name, chosen, {form: date_words(form) for form in listed}))
    return found


def change_date_format(content: Mapping[str, Any], draft: JobDraft, name: str, formats: Sequence[str]) -> Changes:
    """The changes that say how the dates of a column are written. An undecided column is then a guess to confirm."""
    changes: dict[tuple[str, ...], Any] = {}
    if content["columns"][name]["role"] == "undecided":
        changes |= change_column(content, draft, name, role="quasi-identifier", kind="date")
        changes["columns", name, "confirmed"] = False
    given = [form for form in formats if form != _ISO]
    changes["columns", name, "formats"] = given or REMOVE
    return changes
