"""Settings and places of a job in the words of the workbench, for people who do not read job files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ontomask.comparison.compare import Comparison
from ontomask.errors import JobError, OntomaskError, Setting, join_or, worded
from ontomask.job.column_options import OPTION_TITLES
from ontomask.job.column_roles import KIND_WORDS, POLICY_WORDS, ROLE_WORDS
from ontomask.job.methods import spell_method
from ontomask.job.parameter_words import parameter_words
from ontomask.job.problems import Problem, spell_for_job
from ontomask.job.settings import ColumnSettings
from ontomask.job.toml_text import dotted_key

__all__ = ["notes_for_page", "notes_on_comparison", "place_of", "problems_for_page", "spell_for_page"]

# The labels of the fields, by their keys in a table of the job.
_TITLES: Mapping[str, str] = {
    "delimiter": "Cells are divided by",
    "encoding": "Letters are written in",
    "decimal": "Decimal mark",
    "thousands": "Between thousands",
    "header": "The first row holds the names of the columns",
    "sheet": "Sheet",
    "role": "What it is",
    "kind": "What it holds",
    "person": "Tells persons apart who have several rows",
    "taxonomy": "Ontology",
    "domain": "Only below the concept",
    "missing": "Missing cells",
    "unmapped": "Values without a concept",
    "missing_tokens": "Also means missing",
    "rare_kept": "Records with rare cells that you leave as they are",
    "mapping": "What the values mean",
    "formats": "Dates are written as",
    "precision": "Precise to the",
    "categories": "The steps, the lowest first",
    "order": "Order of rows",
    "methods": "Methods",
    "runs": "Runs of each",
    "linked_at_most": "Records linked to their person, at most (%)",
    "k_all": "Rows alike in all released columns, at least",
    "overwrite": "Replace files that exist",
    **OPTION_TITLES,
}
_VALUES: Mapping[str, Mapping[str, str]] = {
    "role": {name: words.title for name, words in ROLE_WORDS.items()},
    "kind": {name: words.title for name, words in KIND_WORDS.items()},
    **{
        key: {name: words.title for name, words in POLICY_WORDS.items()} for key in ("missing", "unmapped", "rare_kept")
    },
}


def spell_for_page(setting: Setting) -> str:
    """A setting as a person finds it on a page: the label of its field, and the words of the choice.

    >>> spell_for_page(Setting("policies", "missing", values=["keep", "drop"]))
    '“Missing cells: Leave as it is or Leave the record out”'
    """
    table, *_ = setting.path
    parameter = parameter_words("", setting.name) if table == "method" else None
    title = parameter.title if parameter else _TITLES.get(setting.name) if table != "method" else None
    if title is None or len(setting.path) == 1:
        return spell_for_job(setting)
    words = parameter.options if parameter else _VALUES.get(setting.name, {})
    listed = [part for value in setting.values for part in (value if isinstance(value, list) else [value])]
    values = join_or([words.get(str(value), str(value)) for value in listed])
    return f"“{title}: {values}”" if values and setting.values != (True,) else f"“{title}”"


def notes_for_page(notes: Iterable[str]) -> tuple[str, ...]:
    """Notes with settings as a person finds them on the pages, without duplicates."""
    return tuple(dict.fromkeys(worded(note, spell_for_page) for note in notes))


def notes_on_comparison(found: Comparison) -> list[str]:
    """Why methods failed, once for each family, and what else to know, with methods as people read them."""
    texts: dict[object, list[str]] = {}
    for note in found.notes:
        method = found.method(note.values["method"])
        family = (
            (type(method), note.values.get("failed") == note.values.get("runs")) if note.code == "runs-failed" else note
        )
        texts.setdefault(family, []).append(note.template.format(**{**note.values, "method": spell_method(method)}))
    return [
        first + (f" With other parameters ({len(more):,} more) it is alike." if more else "")
        for first, *more in texts.values()
    ]


def place_of(key: str, columns: Iterable[str]) -> str:
    """Where a person finds a key of a job: the column, and the label of the field; empty if neither is known.

    >>> place_of("columns.job.domain", ["age", "job"]), place_of("columns.job", ["job"]), place_of("aims.k", [])
    ('job, Only below the concept', 'job', 'People who look alike, at least (k)')
    """
    for name in columns:
        column = dotted_key("columns", name)
        if key == column:
            return name
        if key.startswith(f"{column}."):
            title = _TITLES.get(key[len(column) + 1 :])
            return f"{name}, {title}" if title else name
    last = key.rpartition(".")[2]
    parameter = parameter_words("", last)
    return parameter.title if parameter else _TITLES.get(last, "")


def problems_for_page(error: OntomaskError) -> list[Problem]:
    """The problems of an error, each with its key, and the values that the owner must correct."""
    cause: Any = error.__cause__
    is_located = isinstance(cause, OntomaskError) and not isinstance(cause, JobError)
    if not isinstance(error, JobError):
        found = [(error.parameter or error.column or "", _text(error))]
    elif is_located and len(error.problems) == 1:
        found = [(error.key, _text(cause))]
    else:
        found = list(error.problems)
    if error.parameter in ColumnSettings.model_fields and len(found) == 1 and found[0][0].startswith("columns."):
        # The field that caused it.
        key, text = found[0]
        found = [(key if key.endswith(f".{error.parameter}") else f"{key}.{error.parameter}", text)]
    if error.values and found:
        listed = ", ".join(error.values[:12]) + (" …" if len(error.values) > 12 else "")
        found[0] = (found[0][0], f"{found[0][1]} ({listed})")
    return found


def _text(error: OntomaskError) -> str:
    """The message with the name of the file, but not its folder, which says nothing to a person who uploaded it."""
    where = [*([error.path.name] if error.path else []), *([f"line {error.line:,}"] if error.line else [])]
    text = "".join(worded(part, spell_for_page) for part in error.message)
    return f"{', '.join(where)}: {text}" if where else text
