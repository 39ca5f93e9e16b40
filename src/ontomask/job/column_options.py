"""Further settings of a column in words: what each means, and how a person types it into a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ontomask.errors import JobError
from ontomask.job.column_roles import Words
from ontomask.job.editing import REMOVE, Changes
from ontomask.job.settings import ColumnSettings
from ontomask.job.toml_text import dotted_key
from ontomask.kinds import KINDS

__all__ = ["OPTION_TITLES", "ColumnOption", "change_options", "column_options"]

Input = Literal["choice", "text", "lines", "column"]


@dataclass(frozen=True)
class ColumnOption:
    """A setting of a column that a form asks for.

    Attributes
    ----------
    key
        Its key in the table of the column.
    title, meaning
        What it is, and what it means for the person who sets it.
    input
        A choice, a line of text, several lines, or another column of the table.
    choices
        The choices with their words; the first is the default.
    example
        What a person could type.
    value
        The present value as a form shows it; empty if it is not set.
    """

    key: str
    title: str
    meaning: str
    input: Input
    choices: Mapping[str, str]
    example: str
    value: str


@dataclass(frozen=True)
class _Rule:
    """How a setting is asked for, read and shown."""

    words: Words
    input: Input = "text"
    choices: Mapping[str, str] | None = None
    example: str = ""
    read: Callable[[str], Any] = str
    show: Callable[[Any], str] = str


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]


def _join(values: list[Any]) -> str:
    return ", ".join(map(str, values))


def _numbers_or_dates(text: str) -> list[Any]:
    try:
        return [_number(part) for part in _split(text)]
    except ValueError:
        return _split(text)


def _integers(text: str) -> list[int]:
    return [int(part) for part in _split(text)]


def _numbers(text: str) -> list[Any]:
    """Edges of intervals; several lists are divided by line ends or bars."""
    lists = [[_number(part) for part in _split(line)] for line in text.replace("|", "\n").splitlines() if line.strip()]
    return lists[0] if len(lists) == 1 else lists


def _show_numbers(given: list[Any]) -> str:
    return "\n".join(map(_join, given)) if given and isinstance(given[0], list) else _join(given)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _groups(text: str) -> str | dict[str, list[str]]:
    """Groups with their values, or the name of a file. Values may hold commas, so semicolons divide them."""
    lines = _lines(text)
    if len(lines) == 1 and "=" not in lines[0]:
        return lines[0]
    found: dict[str, list[str]] = {}
    for line in lines:
        name, mark, members = line.partition("=")
        if not mark:
            raise ValueError
        found.setdefault(name.strip(), []).extend(part.strip() for part in members.split(";") if part.strip())
    return found


def _show_groups(given: str | Mapping[str, list[Any]]) -> str:
    if isinstance(given, str):
        return given
    return "\n".join(f"{name} = {'; '.join(map(str, members))}" for name, members in given.items())


_RULES: Mapping[str, _Rule] = {
    "release": _Rule(
        Words("Concepts are written", "How the masked table names a concept. The usual choice is safe."),
        "choice",
        {"": "as in your table where that is safe", "label": "by their names", "id": "by their codes"},
    ),
    "combine": _Rule(
        Words("Several ontologies", "Where a value is looked up if the column has more than one ontology."),
        "choice",
        {"": "all together", "in_order": "in the first that knows the value"},
    ),
    "separator": _Rule(Words("Between two parts of a cell", "A semicolon, if you leave this empty."), example=";"),
    "measure": _Rule(
        Words("Two cells are near", "How the parts of two cells are compared."),
        "choice",
        {"": "if each part has a near one in the other", "matching": "if their parts pair off well"},
    ),
    "under": _Rule(
        Words("Its values are groups", "Another column with wider values, such as the region of a town."), "column"
    ),
    "groups": _Rule(
        Words(
            "Groups of values",
            "A value is first replaced by its group. One group on each line, or the path of a file with a value and "
            "its group in each row.",
        ),
        "lines",
        example="Married = Married-civ-spouse; Married-AF-spouse",
        read=_groups,
        show=_show_groups,
    ),
    "lengths": _Rule(
        Words("Digits of wider codes", "How many first characters make a wider code. Every number, if left empty."),
        example="2, 3",
        read=_integers,
        show=_join,
    ),
    "intervals": _Rule(
        Words(
            "Edges of ranges",
            "Ranges that numbers can become. On a second line, those of wider ranges. Made from your data, if left "
            "empty.",
        ),
        "lines",
        example="0, 18, 30, 45, 65, 120",
        read=_numbers,
        show=_show_numbers,
    ),
    "centre": _Rule(
        Words("A group gets", "What stands for the values of people who look alike."),
        "choice",
        {"": "their mean", "median": "their median, which outliers do not move"},
    ),
    "scale": _Rule(
        Words("Far apart means", "What a difference is compared with, beside the other columns."),
        "choice",
        {
            "": "as much as values usually differ (two standard deviations)",
            "sd": "the standard deviation",
            "iqr": "the middle half of the values",
            "range": "the whole range",
        },
    ),
    "top": _Rule(
        Words("A text for “anything”", "What a cell says when nothing about it may be said."), example="any diagnosis"
    ),
    "values": _Rule(
        Words("All values that it can have", "Also absent ones, one on each line. Metric privacy needs it."),
        "lines",
        read=_lines,
        show="\n".join,
    ),
    "grid": _Rule(
        Words(
            "Values that it can have",
            "The lowest, the highest and the step of numbers; the first and the last date. Metric privacy needs it.",
        ),
        example="0, 120, 5",
        read=_numbers_or_dates,
        show=_join,
    ),
}

OPTION_TITLES: Mapping[str, str] = {key: rule.words.title for key, rule in _RULES.items()}
"""The labels of the settings, by key."""


def column_options(column: ColumnSettings) -> list[ColumnOption]:
    """The settings that a column of this kind has beside its kind, its ontology and its policies."""
    found = []
    for key in _of_kind(column):
        rule, value = _RULES[key], getattr(column, key)
        shown = "" if value is None else rule.show(value)
        choices = dict(rule.choices or {})
        # A default that the job spells out.
        choices |= {shown: shown} if choices and shown not in choices else {}
        found.append(ColumnOption(key, rule.words.title, rule.words.meaning, rule.input, choices, rule.example, shown))
    return found


def _of_kind(column: ColumnSettings) -> list[str]:
    known = () if column.kind is None else KINDS[column.kind].option_names()
    is_single = not isinstance(column.taxonomy, list)
    return [key for key in _RULES if key in known and not (key == "combine" and is_single)]


def change_options(name: str, column: ColumnSettings, texts: Mapping[str, str]) -> Changes:
    """The changes that give a column the settings that a person typed. An empty text takes a setting away."""
    changes: dict[tuple[str, ...], Any] = {}
    problems = []
    for key in _of_kind(column):
        if key not in texts:
            continue
        rule, text = _RULES[key], texts[key].replace("\r\n", "\n").strip()
        shown = getattr(column, key)
        if text == ("" if shown is None else rule.show(shown)):
            continue
        try:
            changes["columns", name, key] = rule.read(text) if text else REMOVE
        except ValueError:
            example = f", such as {rule.example}" if rule.example else ""
            problems.append((dotted_key("columns", name, key), f"This could not be read. Write it{example}."))
    if problems:
        raise JobError("", problems, code="not-read")
    return changes
