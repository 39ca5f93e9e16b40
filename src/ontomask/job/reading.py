"""A job file read and checked: all problems at once, each with its key and with what is allowed there."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ontomask.base.limits import irregular
from ontomask.errors import JobError
from ontomask.job.fitting import cross_check
from ontomask.job.problems import dotted, shown
from ontomask.job.settings import (
    ColumnSettings,
    ComparedMethod,
    ComparisonSettings,
    EvaluationSettings,
    InputSettings,
    MethodSettings,
    OntologySettings,
    OutputSettings,
    PolicySettings,
    RequireSettings,
    Settings,
)

__all__ = ["parse_settings", "read_bytes"]

# What stands in each table of the file; tables by name hold one such table each.
_TABLES: Mapping[str, type[BaseModel]] = {
    "input": InputSettings,
    "method": MethodSettings,
    "output": OutputSettings,
    "policies": PolicySettings,
    "evaluation": EvaluationSettings,
    "require": RequireSettings,
    "compare": ComparisonSettings,
}
_TABLES_BY_NAME: Mapping[str, type[BaseModel]] = {"columns": ColumnSettings, "ontologies": OntologySettings}

_WANTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}


def read_bytes(path: Path) -> bytes:
    """The bytes of a job file."""
    reason = irregular(path)
    if reason is not None:
        raise JobError(path, [("", f"{reason}.")])
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise JobError(path, [("", "there is no such file. 'ontomask init DATA' writes a first job.")]) from None
    except OSError as problem:
        raise JobError(path, [("", f"cannot be read: {problem.strerror or problem}. Give a job file.")]) from None


def parse_settings(raw: bytes, path: Path) -> Settings:
    """The settings in the bytes of a job file; raises `JobError` with everything that is wrong in them."""
    try:
        content = tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise JobError(path, [("", f"line {line} is not UTF-8 text. Save the file as UTF-8.")]) from None
    except tomllib.TOMLDecodeError as problem:
        raise JobError(path, [("", f"this is not TOML: {problem}. Correct it there.")]) from None
    except (RecursionError, ValueError):
        # Lists in lists without end, numbers of thousands of digits.
        raise JobError(
            path, [("", "this is nested too deeply, or a number is too long. Check that it is a job.")]
        ) from None
    try:
        settings = Settings.model_validate(content)
    except ValidationError as found:
        raise JobError(path, [_told(error) for error in found.errors(include_url=False)]) from None
    wrong = list(cross_check(settings))
    if wrong:
        raise JobError(path, wrong)
    return settings


def _told(error: Any) -> tuple[str, str]:
    """The key of one of pydantic's errors, and the error in our words."""
    at, kind, value = error["loc"], error["type"], error["input"]
    key = dotted(*at)
    if kind == "missing":
        return key, f"is missing.{_allowed_values(at) or ' Add it.'}"
    if kind == "extra_forbidden":
        return key, f"there is no such key. {_allowed_keys(at)}"
    if kind == "literal_error":
        return key, f"must be one of {_listed(error['ctx']['expected'])}. Got {shown(value)} instead."
    if kind == "value_error":
        return key, f"{error['ctx']['error']}. Got {shown(value)} instead."
    if kind in _WANTED:
        return key, f"must be {_WANTED[kind]}. Got {shown(value)} instead."
    if kind == "too_short":
        return key, "must not be empty."
    if kind == "greater_than_equal":
        return key, f"must be at least {error['ctx']['ge']}. Got {shown(value)} instead."
    if kind == "less_than_equal":
        return key, f"must be at most {error['ctx']['le']:g}. Got {shown(value)} instead."
    return key, f"{error['msg']}. Got {shown(value)} instead."


def _listed(expected: str) -> str:
    return expected.replace(" or ", ", ")


def _model(at: tuple[Any, ...]) -> type[BaseModel]:
    """The table that the last key of a place stands in."""
    if len(at) == 1:
        return Settings
    if at[0] in _TABLES_BY_NAME:
        return _TABLES_BY_NAME[at[0]]
    return ComparedMethod if at[:2] == ("compare", "methods") and len(at) > 2 else _TABLES[at[0]]


def _allowed_keys(at: tuple[Any, ...]) -> str:
    keys = list(_model(at).model_fields)
    near = get_close_matches(str(at[-1]), keys, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"Allowed here: {', '.join(keys)}.{hint}"


def _allowed_values(at: tuple[Any, ...]) -> str:
    field = _model(at).model_fields.get(str(at[-1]))
    values = getattr(field.annotation, "__args__", ()) if field is not None else ()
    texts = [value for value in values if isinstance(value, str)]
    return f" It must be one of {', '.join(map(repr, texts))}." if texts else ""
