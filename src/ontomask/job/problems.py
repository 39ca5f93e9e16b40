"""Errors of a job: with the file and the key, and in the words of job files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from ontomask.errors import JobError, OntomaskError, Setting, join_or, worded
from ontomask.job.toml_text import dotted_key, toml_key, toml_value

__all__ = ["Problem", "abbreviate", "did_you_mean", "locate_errors", "notes_for_job", "spell_for_job", "spell_in_table"]

Problem = tuple[str, str]
"""A key of a job file, and what is wrong there."""

_MAX_SHOWN = 60
# Settings that are options of the commands.
_OPTIONS = {"key": "--key", "private": "--private", "overwrite": "--force"}


def spell_for_job(setting: Setting) -> str:
    """A setting as a job file writes it, or as an option if a job file does not have it.

    >>> spell_for_job(Setting("policies", "missing", values=["keep", "drop"]))
    'policies.missing = "keep" or "drop"'
    >>> spell_for_job(Setting("key"))
    '--key'
    """
    option = _OPTIONS.get(setting.name, "")
    if len(setting.path) == 1:
        return option
    values = join_or([toml_value(value) for value in setting.values])
    text = dotted_key(*setting.path) + (f" = {values}" if values else "")
    return f"{text} (or {option} on the command line)" if option else text


def spell_in_table(setting: Setting) -> str:
    """A setting as the table that it belongs to writes it.

    >>> spell_in_table(Setting("columns", "age", "kind", values=["numeric"]))
    'kind = "numeric"'
    """
    return f"{toml_key(setting.name)} = {join_or([toml_value(value) for value in setting.values])}"


@contextmanager
def locate_errors(path: Path, key: str) -> Iterator[None]:
    """Turn errors into a `JobError` that names the file and the key."""
    try:
        yield
    except JobError:
        raise
    except OntomaskError as problem:
        text = problem.worded(spell_for_job)
        about = {"column": problem.column, "parameter": problem.parameter, "code": problem.code}
        raise JobError(path, [(key, text)], values=problem.values, **about) from problem


def abbreviate(value: object) -> str:
    """A value of a job file as text, cut off if it is long."""
    text = toml_value(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint at the most similar known name; empty if none is similar."""
    near = get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def notes_for_job(notes: Iterable[str]) -> tuple[str, ...]:
    """Notes with settings written as in a job file, without duplicates."""
    return tuple(dict.fromkeys(worded(note, spell_for_job) for note in notes))
