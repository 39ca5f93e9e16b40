"""What a job asks of the output besides the method's promise: ``[[method.require]]`` with a column and an l or t."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from ontomask.errors import JobError, OntomaskError
from ontomask.job.problems import abbreviate
from ontomask.masking import Closeness, Diversity
from ontomask.masking.base import Requirement

__all__ = ["read_requirements", "tell_requirement"]

# The key that tells which is meant.
_KINDS: Mapping[str, type[Diversity] | type[Closeness]] = {"l": Diversity, "t": Closeness}
_EXAMPLE = 'such as { column = "illness", l = 3 } or { column = "illness", t = 0.2 }'


def read_requirements(given: object, *, path: Path, key: str) -> list[Requirement]:
    """The requirements of a method, from what the job file says; what is wrong is said with the key."""
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise JobError(path, [(key, f"must be a list of tables, {_EXAMPLE}. Got {abbreviate(given)} instead.")])
    return [_read(one, path, f"{key}.{number}") for number, one in enumerate(given)]


def _read(given: Mapping[str, Any], path: Path, key: str) -> Requirement:
    kinds = [kind for name, kind in _KINDS.items() if name in given]
    if len(kinds) != 1:
        raise JobError(path, [(key, f"must have either l (diversity) or t (closeness), {_EXAMPLE}.")])
    kind = kinds[0]
    allowed = [field.name for field in fields(kind)]
    strange = [name for name in given if name not in allowed]
    if strange:
        told = f"there is no such key. Allowed here: {', '.join(allowed)}."
        raise JobError(path, [(f"{key}.{name}", told) for name in strange])
    if not isinstance(given.get("column"), str):
        raise JobError(path, [(f"{key}.column", "must be the name of a confidential column.")])
    try:
        return kind(**given)
    except OntomaskError as problem:
        raise JobError(path, [(key, str(problem))]) from problem


def tell_requirement(requirement: Requirement) -> dict[str, Any] | None:
    """A requirement as the table of a job file; ``None`` for one that a file has no words for."""
    if not isinstance(requirement, (Diversity, Closeness)):
        return None
    values = {field: getattr(requirement, field.name) for field in fields(requirement)}
    return {field.name: value for field, value in values.items() if value != field.default}
