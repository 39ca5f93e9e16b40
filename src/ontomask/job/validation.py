"""Read and validate a job file. All problems are reported at once, each with its key and with what is allowed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from ontomask.base.limits import irregular
from ontomask.errors import JobError, join_or
from ontomask.job.problems import Problem, abbreviate, did_you_mean
from ontomask.job.settings import COLUMN_POLICIES, OPTION_OF_FILE, ColumnSettings, EvaluationSettings, Settings
from ontomask.job.toml_text import dotted_key
from ontomask.kinds import KINDS
from ontomask.microdata.delimited import is_delimiter

__all__ = ["parse_settings", "read_bytes", "unconfirmed", "undecided"]

# Our words for pydantic's types of errors.
_MESSAGES = {
    "string_type": "Must be a string.",
    "int_type": "Must be an integer.",
    "float_type": "Must be a number.",
    "bool_type": "Must be true or false.",
    "list_type": "Must be a list.",
    "dict_type": "Must be a table.",
    "model_type": "Must be a table.",
    "model_attributes_type": "Must be a table.",
    "too_short": "Must not be empty.",
    "greater_than_equal": "Must be at least {ge}.",
    "less_than_equal": "Must be at most {le:g}.",
    "literal_error": "Must be {expected}.",
    "value_error": "{error}.",
}

_ROLES_WITH_KIND = ("quasi-identifier", "confidential", "undecided")
_PLAN = ".plan"


def read_bytes(path: Path) -> bytes:
    """The bytes of a job file."""
    reason = irregular(path)
    if reason is not None:
        raise JobError(path, [("", f"It {reason}.")], code="not-a-file")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise JobError(
            path, [("", "There is no such file. Write a first job with 'ontomask init DATA'.")], code="no-file"
        ) from None
    except OSError as problem:
        raise JobError(
            path, [("", f"It cannot be read: {problem.strerror or problem}. Give a job file.")], code="unreadable"
        ) from None


def parse_settings(raw: bytes, path: Path) -> Settings:
    """The settings in the bytes of a job file. Raises a `JobError` with all problems."""
    try:
        content = tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise JobError(
            path, [("", f"Line {line} is not UTF-8 text. Save the file as UTF-8.")], code="not-utf-8"
        ) from None
    except tomllib.TOMLDecodeError as problem:
        raise JobError(path, [("", f"This is not TOML: {problem}. Correct it there.")], code="not-toml") from None
    except (RecursionError, ValueError):
        # Deeply nested lists, or numbers with thousands of digits.
        text = "It is nested too deeply, or a number is too long. Check that it is a job file."
        raise JobError(path, [("", text)], code="too-deep") from None
    try:
        settings = Settings.model_validate(content)
    except ValidationError as found:
        raise JobError(path, [_describe(error) for error in found.errors(include_url=False)]) from None
    problems = list(_cross_check(settings))
    if problems:
        raise JobError(path, problems)
    return settings


def _describe(error: Any) -> Problem:
    """One of pydantic's errors as a key and a message in our words."""
    location, kind = error["loc"], error["type"]
    key = dotted_key(*location)
    if kind == "missing":
        return key, f"This key is missing.{_allowed_values(location) or ' Add it.'}"
    if kind == "extra_forbidden":
        return key, f"There is no such key. {_allowed_keys(location)}"
    text = _MESSAGES[kind].format(**error.get("ctx", {})) if kind in _MESSAGES else f"{error['msg']}."
    return key, f"{text} Got {abbreviate(error['input'])} instead."


def _model(location: tuple[Any, ...]) -> type[BaseModel]:
    """The model of the table that a key belongs to."""
    model: type[BaseModel] = Settings
    for part in location[:-1]:
        field = model.model_fields.get(str(part))
        model = (_nested_model(field.annotation) if field is not None else None) or model
    return model


def _nested_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _nested_model(part))), None)


def _allowed_keys(location: tuple[Any, ...]) -> str:
    keys = _model(location).model_fields
    return f"Allowed here: {', '.join(keys)}.{did_you_mean(str(location[-1]), keys)}"


def _allowed_values(location: tuple[Any, ...]) -> str:
    field = _model(location).model_fields.get(str(location[-1]))
    values = getattr(field.annotation, "__args__", ()) if field is not None else ()
    texts = [value for value in values if isinstance(value, str)]
    return f" It must be one of {', '.join(map(repr, texts))}." if texts else ""


def _cross_check(settings: Settings) -> Iterator[Problem]:
    """Keys that contradict each other."""
    for name, column in settings.columns.items():
        yield from ((dotted_key("columns", name, key), text) for key, text in _check_column(column))
    roles = {name: column.role for name, column in settings.columns.items()}
    # While guesses are open, a person may still find one.
    is_decided = all(column.confirmed for column in settings.columns.values())
    if is_decided and not {"quasi-identifier", "undecided"} & set(roles.values()):
        text = "No column is a quasi-identifier (others may know it), so there is nothing to mask. Give at least one "
        yield "columns", f"{text}this role."
    persons = [name for name, column in settings.columns.items() if column.person]
    if len(persons) > 1:
        text = f"Only one column can identify persons, and {persons[0]!r} already does. Keep one of them."
        yield dotted_key("columns", persons[1], "person"), text
    weights = [name for name, role in roles.items() if role == "weight"]
    if len(weights) > 1:
        text = f"Only one column can hold the weights, and {weights[0]!r} already does. Keep one of them."
        yield dotted_key("columns", weights[1], "role"), text
    for name, column in settings.columns.items():
        if column.to is not None and roles.get(column.to) not in ("quasi-identifier", "undecided"):
            masked = [other for other, role in roles.items() if role == "quasi-identifier"]
            yield dotted_key("columns", name, "to"), f"Must be a quasi-identifier: {', '.join(masked)}."
    for table, delimiter in (("input", settings.input.delimiter), ("output", settings.output.delimiter)):
        if delimiter is not None and not is_delimiter(delimiter):
            yield dotted_key(table, "delimiter"), f"Must be one ASCII character. Got {abbreviate(delimiter)} instead."
    if settings.input.thousands == settings.input.decimal:
        yield "input.thousands", "This is also the decimal mark. Choose another mark, or set input.decimal."
    plan = settings.output.plan
    if plan is not None and not plan.lower().endswith(_PLAN):
        yield "output.plan", f"The name must end in {_PLAN}. Got {abbreviate(plan)} instead."
    yield from _check_evaluation(settings.evaluation, roles)


def _check_evaluation(given: EvaluationSettings, roles: Mapping[str, str]) -> Iterator[Problem]:
    masked = [name for name, role in roles.items() if role == "quasi-identifier"]
    by_column = [("mapping", given.mapping), ("hierarchies", given.hierarchies)]
    if isinstance(given.distance, dict) and "name" not in given.distance:
        by_column.append(("distance", given.distance))
    named = [(dotted_key("evaluation", key, name), name) for key, columns in by_column for name in columns]
    for key, name in [*named, *(("evaluation.known", name) for name in given.known or ())]:
        if name not in masked:
            yield key, f"{name!r} is not a quasi-identifier. It must be one of {', '.join(masked)}."
    if given.target is not None and roles.get(given.target) != "confidential":
        confidential = [name for name, role in roles.items() if role == "confidential"]
        listed = ", ".join(confidential) or "there is none"
        yield "evaluation.target", f"Must be a confidential column: {listed}. Got {given.target!r} instead."


def _check_column(column: ColumnSettings) -> Iterator[Problem]:
    if column.person is not None and column.role != "identifier":
        yield "person", f"Only an identifier can identify persons, and the role is {column.role!r}. Leave it out."
    if (column.to is not None) != (column.role == "linked"):
        missing = "This key is missing: a linked column needs the quasi-identifier that it follows."
        yield "to", missing if column.to is None else "Only a column with role = 'linked' has this key. Leave it out."
    if column.average_weights is not None and column.role != "weight":
        yield (
            "average_weights",
            f"Only a column of weights has this key, and the role is {column.role!r}. Leave it out.",
        )
    if column.pseudonyms is not None and not column.person:
        yield "pseudonyms", "Only the identifier of persons has pseudonyms. Add person = true, or leave this out."
    options = dict.fromkeys(name for kind in KINDS.values() for name in kind.option_names())
    given = [key for key in (*options, *OPTION_OF_FILE) if getattr(column, key) is not None]
    if column.kind is None:
        if column.role == "quasi-identifier":
            yield "kind", f"This key is missing. A quasi-identifier needs one of {', '.join(map(repr, KINDS))}."
        for key in [*given, *(key for key in COLUMN_POLICIES if getattr(column, key) is not None)]:
            yield key, "Only a column with a 'kind' has this key. Add the kind, or leave this out."
        return
    if column.role not in _ROLES_WITH_KIND:
        what = {"identifier": "removed", "drop": "left out"}.get(column.role, "kept unchanged")
        yield "kind", f"A column with the role {column.role!r} is {what} and has no kind. Remove this key."
        return
    if column.mapping_file is not None and isinstance(column.mapping, str):
        yield "mapping", "There is a mapping_file as well. Give one file; a table here overrides some of its values."
    if column.value_set is not None and column.domain is not None:
        yield "domain", "There is a value_set as well, which restricts the domain. Leave out one of them."
    for key in given:
        option = OPTION_OF_FILE.get(key, key)
        if option not in KINDS[column.kind].option_names():
            owners = join_or([repr(name) for name, kind in KINDS.items() if option in kind.option_names()])
            yield key, f"Only kind = {owners} has this key, and the kind is {column.kind!r}. Leave it out."
    for key in ("links", "combine"):
        if getattr(column, key) is not None and not isinstance(column.taxonomy, list):
            yield key, "Only a column with a list of several ontologies has this key. Leave it out."
    for required in KINDS[column.kind].option_names(required=True):
        if getattr(column, required) is None:
            yield required, f"This key is missing: kind = {column.kind!r} needs it."


def undecided(settings: Settings) -> Iterator[Problem]:
    """A problem that lists the columns with an undecided role, if there are any."""
    names = [dotted_key(name) for name, column in settings.columns.items() if column.role == "undecided"]
    if names:
        yield (
            "columns",
            f"The role of these is undecided: {', '.join(names)}. Give each of them a role: 'identifier' (removed), "
            "'quasi-identifier' with a kind (others may know it about a person: masked), 'confidential' (nobody may "
            "learn it: kept, and measured), 'other' (nobody can know it about a person: kept unchanged) or 'drop' "
            "(nobody needs it: left out).",
        )


def unconfirmed(settings: Settings) -> tuple[str, ...]:
    """The tables with guesses that nobody has confirmed."""
    columns = {dotted_key("columns", name): column for name, column in settings.columns.items()}
    tables: dict[str, Any] = {
        "input": settings.input,
        **columns,
        "policies": settings.policies,
        "method": settings.method,
    }
    return tuple(key for key, table in tables.items() if not table.confirmed)
