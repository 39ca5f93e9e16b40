"""Masking methods by the names of their classes: whatever `ontomask.masking` has can be named in a job."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ontomask.masking  # whose import makes the methods known
from ontomask.errors import JobError, OntomaskError
from ontomask.job.requirements import read_requirements, tell_requirement
from ontomask.masking import Method

if TYPE_CHECKING:
    from ontomask.job.settings import ComparedMethod

__all__ = ["expand", "files_of", "make_method", "methods", "to_toml_dict"]

_PARAMETER = re.compile(r"'(\w+)'")


def methods() -> dict[str, type[Method]]:
    """The masking methods by name: those that the package exports, before any others that are derived from them.

    >>> "PRAM" in methods(), "Method" in methods()
    (True, False)
    """
    package = ontomask.masking
    concrete = {
        cls
        for cls in _below(Method)
        if not inspect.isabstract(cls)
        and not cls.__name__.startswith("_")
        and (not cls.__module__.startswith(package.__name__) or cls.__name__ in package.__all__)
    }
    ordered = sorted(concrete, key=lambda cls: (cls.__module__.startswith(package.__name__), cls.__name__))
    return dict(sorted({cls.__name__: cls for cls in ordered}.items()))


def _below(cls: Any) -> Iterator[type[Method]]:
    for sub in cls.__subclasses__():
        yield sub
        yield from _below(sub)


def make_method(name: str, parameters: Mapping[str, Any], *, path: Path, key: str = "method") -> Method:
    """A method with its parameters; what is wrong with them is said with the file and the key.

    Files that a parameter names are looked for beside the job.
    """
    known = methods()
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise JobError(path, [(f"{key}.name", f"there is no method {name!r}. There are {', '.join(known)}.{hint}")])
    cls = known[name]
    # What all methods have comes last.
    allowed = sorted((field.name for field in fields(cls) if field.init), key="require".__eq__)
    strange = [parameter for parameter in parameters if parameter not in allowed]
    if strange:
        listed = ", ".join(allowed)
        raise JobError(path, [(f"{key}.{p}", f"{name} has no such parameter. It has {listed}.") for p in strange])
    given = {**parameters, **_paths(cls, parameters, path.parent)}
    if "require" in given:
        given["require"] = read_requirements(given["require"], path=path, key=f"{key}.require")
    try:
        inspect.signature(cls).bind(**given)
    except TypeError as problem:
        missing = _PARAMETER.search(str(problem))
        raise JobError(path, [(f"{key}.{missing[1]}" if missing else key, f"{name} needs it.")]) from None
    try:
        return cls(**given)
    except OntomaskError as problem:
        about = next((p for p in _PARAMETER.findall(str(problem)) if p in allowed), None)
        raise JobError(path, [(f"{key}.{about}" if about else key, str(problem))]) from problem


def files_of(name: str, parameters: Mapping[str, Any], *, path: Path) -> dict[str, Path]:
    """The files that a method reads, by what each is."""
    cls = methods().get(name)
    found = {} if cls is None else _paths(cls, parameters, path.parent)
    files = [(parameter, file) for parameter, value in found.items() for file in _flat(value)]
    return {f"a file of the method's {parameter!r} ({file.name})": file for parameter, file in files}


def _paths(cls: type[Method], parameters: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Parameters that take the path of a file, as seen from the job's folder."""
    takes = {field.name for field in fields(cls) if "Path" in str(field.type)}
    return {name: _beside(value, folder) for name, value in parameters.items() if name in takes}


def _flat(value: Any) -> list[Path]:
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [value] if isinstance(value, Path) else [file for one in inside for file in _flat(one)]


def _beside(value: Any, folder: Path) -> Any:
    """Paths in a parameter as seen from the job's folder."""
    if isinstance(value, str):
        return folder / Path(value).expanduser()
    if isinstance(value, Mapping):
        return {name: _beside(one, folder) for name, one in value.items()}
    return [_beside(one, folder) for one in value] if isinstance(value, list) else value


def to_toml_dict(method: Method) -> dict[str, Any]:
    """A method as the table of a job file: its name, and the parameters that are not left at their defaults.

    Parameters that hold values of the data are left out: whoever gave them has them in the job file.

    >>> to_toml_dict(ontomask.masking.PRAM(stay=0.5))
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
    """The methods to be compared: each with all combinations of the values that it varies."""
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
