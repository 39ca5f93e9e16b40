"""The masking methods of a job, by the names of their classes, and what it requires of their output."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.errors import JobError, OntomaskError
from ontomask.job.problems import abbreviate, did_you_mean, spell_for_job
from ontomask.masking import Closeness, ColumnsK, Diversity, Method, Requirement, known_methods

if TYPE_CHECKING:
    from ontomask.job.settings import ComparedMethod

__all__ = ["SHARED", "expand", "files_of", "make_method", "read_requirements", "spell_method", "to_toml_dict"]

SHARED = tuple(field.name for field in fields(Method))
"""The parameters that all methods have."""

# The key that says which requirement is meant.
_REQUIREMENTS: Mapping[str, type[Diversity] | type[Closeness] | type[ColumnsK]] = {
    "l": Diversity,
    "t": Closeness,
    "k": ColumnsK,
}
_EXAMPLE = (
    'such as { column = "illness", l = 3 }, { column = "illness", t = 0.2 } or { columns = ["age", "ward"], k = 10 }'
)


def make_method(name: str, parameters: Mapping[str, Any], *, path: Path, key: str = "method") -> Method:
    """Make a method from its parameters. A problem is reported with the job file and the key.

    Files that a parameter names are looked for beside the job file.
    """
    known = known_methods()
    if name not in known:
        hint = did_you_mean(name, known)
        raise JobError(path, [(f"{key}.name", f"there is no method {name!r}. There are {', '.join(known)}.{hint}")])
    cls = known[name]
    given = {**parameters, **_paths(cls, parameters, path.parent)}
    if "require" in given:
        given["require"] = read_requirements(given["require"], path=path, key=f"{key}.require")
    method: Method = _make(cls, given, path, key)
    return method


def _make(cls: type[Any], given: Mapping[str, Any], path: Path, key: str) -> Any:
    """An object from its parameters, or an error that names the key of each problem."""
    # The parameters that all methods have come last.
    allowed = sorted((field.name for field in fields(cls) if field.init), key=SHARED.__contains__)
    listed = ", ".join(allowed)
    problems = [
        (f"{key}.{name}", f"{cls.__name__} has no such parameter. It has {listed}.")
        for name in given
        if name not in allowed
    ]
    needed = [p.name for p in inspect.signature(cls).parameters.values() if p.default is p.empty]
    problems += [
        (f"{key}.{name}", f"This key is missing: {cls.__name__} needs it.") for name in needed if name not in given
    ]
    if problems:
        raise JobError(path, problems)
    try:
        return cls(**given)
    except OntomaskError as error:
        raise JobError(
            path, [(f"{key}.{error.parameter}" if error.parameter else key, error.worded(spell_for_job))]
        ) from error


def read_requirements(given: object, *, path: Path, key: str) -> list[Requirement]:
    """The requirements of a method, from the ``[[method.require]]`` tables of a job file."""
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise JobError(path, [(key, f"must be a list of tables, {_EXAMPLE}. Got {abbreviate(given)} instead.")])
    return [_read_requirement(one, path, f"{key}.{number}") for number, one in enumerate(given)]


def _read_requirement(given: Mapping[str, Any], path: Path, key: str) -> Requirement:
    kinds = [kind for name, kind in _REQUIREMENTS.items() if name in given]
    if len(kinds) != 1:
        text = f"must have one of l (diversity), t (closeness) and k (of a combination of columns), {_EXAMPLE}."
        raise JobError(path, [(key, text)])
    if kinds[0] is not ColumnsK and not isinstance(given.get("column"), str):
        raise JobError(path, [(f"{key}.column", "must be the name of a confidential column.")])
    if kinds[0] is ColumnsK and not isinstance(given.get("columns"), (list, tuple)):
        text = "must list the columns that k counts: quasi-identifiers, or columns with the role 'other'."
        raise JobError(path, [(f"{key}.columns", text)])
    requirement: Requirement = _make(kinds[0], given, path, key)
    return requirement


def files_of(name: str, parameters: Mapping[str, Any], *, path: Path) -> dict[str, Path]:
    """The files that a method reads, by what each is for."""
    cls = known_methods().get(name)
    found = {} if cls is None else _paths(cls, parameters, path.parent)
    files = [(parameter, file) for parameter, value in found.items() for file in _flat(value)]
    return {f"a file of the method's {parameter!r} ({file.name})": file for parameter, file in files}


def _paths(cls: type[Method], parameters: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The parameters that name files, with paths relative to the folder of the job."""
    named = {field.name for field in fields(cls) if field.metadata.get("files")}
    return {name: _beside(value, folder) for name, value in parameters.items() if name in named}


def _flat(value: Any) -> list[Path]:
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [value] if isinstance(value, Path) else [file for one in inside for file in _flat(one)]


def _beside(value: Any, folder: Path) -> Any:
    """The paths in a parameter, relative to the folder of the job."""
    if isinstance(value, str):
        return folder / Path(value).expanduser()
    if isinstance(value, Mapping):
        return {name: _beside(one, folder) for name, one in value.items()}
    return [_beside(one, folder) for one in value] if isinstance(value, list) else value


def to_toml_dict(method: Method) -> dict[str, Any]:
    """A method as a table of a job file: its name, and the parameters that differ from their defaults.

    Private parameters are left out, since they may hold values of the data; so are requirements that a job file cannot
    state.

    >>> import ontomask as om
    >>> to_toml_dict(om.PRAM(stay=0.5))
    {'name': 'PRAM', 'stay': 0.5}
    """
    required = [_changed(asked) for asked in method.require if isinstance(asked, tuple(_REQUIREMENTS.values()))]
    parameters = {name: value for name, value in _changed(method).items() if name != "require"}
    return {"name": type(method).__name__} | parameters | ({"require": required} if required else {})


def spell_method(method: Method) -> str:
    """A method as people read it.

    >>> import ontomask as om
    >>> spell_method(om.Generalisation(k=5, mode="full_domain"))
    'Generalisation (k = 5, mode = "full_domain")'
    >>> spell_method(om.Microaggregation(k=5, require=[om.Diversity("illness", l=2)]))
    'Microaggregation (k = 5, l = 2 for illness)'
    """
    given = {name: value for name, value in method.public_parameters.items() if name != "require"}
    shown = [f"{name} = {json.dumps(value, ensure_ascii=False, default=str)}" for name, value in given.items()]
    shown += [_spell_requirement(one) for one in to_toml_dict(method).get("require", [])]
    return type(method).__name__ + (f" ({', '.join(shown)})" if shown else "")


def _spell_requirement(given: Mapping[str, Any]) -> str:
    columns = given.get("columns") or [given["column"]]
    facts = {name: value for name, value in given.items() if name not in ("column", "columns")}
    return f"{', '.join(f'{name} = {value}' for name, value in facts.items())} for {' and '.join(columns)}"


def _changed(thing: Any) -> dict[str, Any]:
    """The parameters that differ from their defaults, except private ones."""
    public = {f: getattr(thing, f.name) for f in fields(thing) if f.init and not f.metadata.get("private")}
    return {f.name: value for f, value in public.items() if value is not None and value != f.default}


def expand(compared: Sequence[ComparedMethod], *, path: Path) -> list[Method]:
    """The methods to compare: each with all combinations of the values in its ``vary`` table."""
    made = []
    for number, method in enumerate(compared):
        key = f"compare.methods.{number}"
        twice = [name for name in method.vary if name in method.parameters]
        if twice:
            raise JobError(path, [(f"{key}.vary.{twice[0]}", "is given as a parameter, too. Keep one of the two.")])
        empty = [name for name, values in method.vary.items() if not values]
        if empty:
            raise JobError(path, [(f"{key}.vary.{empty[0]}", "must list at least one value.")])
        for values in product(*method.vary.values()):
            parameters = {**method.parameters, **dict(zip(method.vary, values, strict=True))}
            made.append(make_method(method.name, parameters, path=path, key=key))
    return made
