"""The masking methods of a job, by the names of their classes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.errors import JobError, OntomaskError
from ontomask.job.requirements import read_requirements, tell_requirement
from ontomask.masking import Method, known_methods

if TYPE_CHECKING:
    from ontomask.job.settings import ComparedMethod

__all__ = ["expand", "files_of", "make_method", "to_toml_dict"]


def make_method(name: str, parameters: Mapping[str, Any], *, path: Path, key: str = "method") -> Method:
    """Make a method from its parameters. A problem is reported with the job file and the key.

    Files that a parameter names are looked for beside the job file.
    """
    known = known_methods()
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise JobError(path, [(f"{key}.name", f"there is no method {name!r}. There are {', '.join(known)}.{hint}")])
    cls = known[name]
    allowed = [*_own_parameters(cls), "require"]
    unknown = [parameter for parameter in parameters if parameter not in allowed]
    if unknown:
        listed = ", ".join(allowed)
        raise JobError(path, [(f"{key}.{p}", f"{name} has no such parameter. It has {listed}.") for p in unknown])
    given = {**parameters, **_paths(cls, parameters, path.parent)}
    if "require" in given:
        given["require"] = read_requirements(given["require"], path=path, key=f"{key}.require")
    needed = [p.name for p in inspect.signature(cls).parameters.values() if p.default is p.empty]
    missing = [parameter for parameter in needed if parameter not in given]
    if missing:
        raise JobError(path, [(f"{key}.{parameter}", f"{name} needs it.") for parameter in missing])
    try:
        return cls(**given)
    except OntomaskError as error:
        raise JobError(path, [(f"{key}.{error.parameter}" if error.parameter else key, str(error))]) from error


def _own_parameters(cls: type[Method]) -> list[str]:
    return [field.name for field in fields(cls) if field.init and field.name != "require"]


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

    Private parameters are left out, since they may hold values of the data.

    >>> import ontomask as om
    >>> to_toml_dict(om.PRAM(stay=0.5))
    {'name': 'PRAM', 'stay': 0.5}
    """
    given = [f for f in fields(method) if f.init and f.name != "require" and not f.metadata.get("private")]
    values = {f.name: getattr(method, f.name) for f in given if getattr(method, f.name) is not None}
    required = [table for asked in method.require if (table := tell_requirement(asked)) is not None]
    return (
        {"name": type(method).__name__}
        | {
            f.name: values[f.name]
            for f in given
            if f.name in values and (f.default is MISSING or values[f.name] != f.default)
        }
        | ({"require": required} if required else {})
    )


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
