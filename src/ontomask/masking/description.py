"""How a masking method describes itself: its purpose, its parameters, and the name that anybody may read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ontomask.base.frozen import set_fields
from ontomask.errors import MaskingError, OntomaskError, Wording, given

__all__ = [
    "FILES",
    "NO_PROMISE",
    "PRIVATE",
    "PUBLIC",
    "About",
    "Described",
    "Rule",
    "at_least",
    "flag",
    "one_of",
    "share",
]

# Metadata of a parameter, given as ``field(metadata=...)``. Join several with ``|``.
PRIVATE: dict[str, Any] = {"private": True}
"""The parameter holds values of the data: nothing shows it."""
PUBLIC: dict[str, Any] = {"public": True}
"""The parameter is a list or dictionary without values of the data, so that the name of the method may show it."""
FILES: dict[str, Any] = {"files": True}
"""The parameter names files. A job looks for them beside the job file."""

NO_PROMISE = "It guarantees nothing in advance: only the measured risks show whether the release is safe."


class _Hidden:
    """Replaces a value that must not be shown."""

    def __repr__(self) -> str:
        return "…"


@dataclass(frozen=True, kw_only=True)
class About:
    """What a class of methods does and when to choose it. The report, the advice and the documentation read it.

    Attributes
    ----------
    what
        What it does, in sentences for the reader of a report.
    why
        When to choose it, and what it costs.
    summary
        What becomes of the values, as a phrase for a table of all methods.
    masks
        The kinds of column that it masks, as a phrase.
    guarantees
        What it guarantees, as `Guarantee.claim` names it.
    on_request
        What it also guarantees if ``require`` asks for it.
    streams
        Whether a fitted model can mask single records as they arrive.
    baseline
        Whether it is there to compare with, rather than to release data.
    """

    what: str
    why: str
    summary: str = ""
    masks: str = "every kind of column"
    guarantees: tuple[str, ...] = ()
    on_request: tuple[str, ...] = ()
    streams: bool = False
    baseline: bool = False


@dataclass(frozen=True)
class Rule:
    """What a parameter must be.

    Attributes
    ----------
    expected
        In words that follow "must be": ``an int ≥ 2``.
    accepts
        Whether a value is that.
    convert
        Gives the value to store, such as a tuple for a list.
    type
        The type that a form asks for; ``None`` if it cannot ask for one value.
    choices
        The values to choose from, if these are all.
    """

    expected: str | Wording
    accepts: Callable[[Any], bool]
    convert: Callable[[Any], Any] | None = None
    type: type[bool] | type[int] | type[float] | type[str] | None = None
    choices: tuple[str | int, ...] = ()

    @property
    def metadata(self) -> dict[str, Any]:
        """For ``field(metadata=...)``."""
        return {"rule": self}


def at_least(least: int) -> dict[str, Any]:
    """Metadata of a parameter that is an int with a lower bound."""
    return Rule(f"an int ≥ {least}", lambda value: _is_int(value) and value >= least, type=int).metadata


def share() -> dict[str, Any]:
    """Metadata of a parameter that is a number from 0 to 1."""
    return Rule("a number from 0 to 1", lambda value: _is_number(value) and 0 <= value <= 1, type=float).metadata


def one_of(choices: Sequence[str | int]) -> dict[str, Any]:
    """Metadata of a parameter that is one of several texts or ints."""
    texts = isinstance(choices[0], str)
    expected = f"one of {', '.join(map(repr, choices))}"
    return Rule(
        expected,
        lambda value: (isinstance(value, str) if texts else _is_int(value)) and value in choices,
        type=str if texts else int,
        choices=tuple(choices),
    ).metadata


def flag(*, optional: bool = False) -> dict[str, Any]:
    """Metadata of a parameter that is True or False, or None where it is optional."""
    expected = Wording("True, False or None" if optional else "True or False", "true or false")
    return Rule(expected, lambda value: isinstance(value, bool) or (optional and value is None), type=bool).metadata


@dataclass(frozen=True, repr=False, eq=False)
class Described:
    """The part of a method that describes it. Parameters are the fields of the dataclass."""

    about: ClassVar[About] = About(
        what="This method was added to ontomask by its user. Ask its author what it does.",
        why="The report below shows what was verified and measured on its output.",
    )

    def __post_init__(self) -> None:
        """Check each parameter by its rule."""
        for parameter in fields(self):
            self._check_parameter(parameter)

    def _check_parameter(self, parameter: Field[Any]) -> None:
        rule: Rule | None = parameter.metadata.get("rule")
        value = getattr(self, parameter.name)
        if rule is None or (value is None and parameter.default is None):
            return
        if not rule.accepts(value):
            # A list or dictionary may hold values of the data.
            got = given(value) if _is_plain(value) else Wording(type(value).__name__, "something else")
            raise self._wrong(parameter.name, "must be ", rule.expected, ". Got ", got, " instead.")
        if rule.convert is not None:
            try:
                set_fields(self, **{parameter.name: rule.convert(value)})
            except OntomaskError as error:
                error.parameter = error.parameter or parameter.name
                raise

    def _wrong(self, parameter: str, *problem: object) -> MaskingError:
        return MaskingError(f"The {parameter!r} parameter of {type(self).__name__} ", *problem, parameter=parameter)

    def __repr__(self) -> str:
        """The method as it may be shown to anybody: ``Recoding(k=5)``. Values that may be of the data are left out."""
        inside = ", ".join(f"{name}={value!r}" for name, value in self.public_parameters.items())
        return f"{type(self).__name__}({inside})"

    @property
    def public_parameters(self) -> dict[str, Any]:
        """The parameters that its name shows: the first, such as k, and those that differ from their defaults.

        Positional parameters come first. A value that may be of the data shows as ``…``.
        """
        ordered = sorted(fields(self), key=lambda p: p.kw_only is True)
        first = ordered[0] if ordered and not ordered[0].kw_only else None
        return {
            p.name: self._public_value(p) for p in ordered if p is first or not _equal(getattr(self, p.name), p.default)
        }

    def _public_value(self, parameter: Field[Any]) -> Any:
        value = getattr(self, parameter.name)
        if parameter.metadata.get("private") or not (_is_plain(value) or parameter.metadata.get("public")):
            return _Hidden()
        return value.item() if isinstance(value, np.generic) else value

    @property
    def identity(self) -> tuple[Any, ...]:
        """The class and all parameters as plain values, private ones too: equal for methods that are the same."""
        return _plain_parts(self)

    def parameter_texts(self, columns: Mapping[str, Any]) -> dict[str, str]:
        """All parameters in words for a report. Lists and dictionaries show only which columns they name.

        >>> import ontomask as om
        >>> swap = (["ache", "colic"], [[0, 1], [1, 0]])
        >>> om.PRAM(matrices={"symptom": swap}).parameter_texts({"age": None, "symptom": None})
        {'stay': '0.8', 'matrices': 'given for symptom'}
        """
        values = {parameter.name: getattr(self, parameter.name) for parameter in fields(self)}
        required = "; ".join(requirement.text for requirement in values.pop("require", ()))
        texts = {"require": required} if required else {}
        strata = ", ".join(values.pop("by", ()))
        texts |= {"by": strata} if strata else {}
        texts |= {"consistent": "True"} if values.pop("consistent", False) else {}
        return texts | {name: _in_words(value, columns) for name, value in values.items()}


def _plain_parts(value: Any) -> Any:
    """A value as nested tuples of plain values, which can be compared and digested."""
    if is_dataclass(value):
        parts = ((p.name, _plain_parts(getattr(value, p.name))) for p in fields(value))
        return (type(value).__module__, type(value).__qualname__, *parts)
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain_parts(value.tolist())
    if isinstance(value, Mapping):
        return tuple(sorted(((key, _plain_parts(part)) for key, part in value.items()), key=repr))
    return tuple(map(_plain_parts, value)) if isinstance(value, (list, tuple)) else value


def _in_words(value: Any, columns: Mapping[str, Any]) -> str:
    if _is_plain(value):
        return "not given" if value is None else str(value)
    named = [name for name in columns if _names(value, name)]
    if named:
        return f"given for {', '.join(named)}"
    numbers = isinstance(value, (list, tuple)) and all(isinstance(part, Real) for part in value)
    return f"{len(value):,} numbers" if numbers else "given"


def _names(value: Any, column: str) -> bool:
    """Whether a dictionary by column, or a list of columns or of pairs of columns, names this column."""
    if not isinstance(value, (Mapping, list, tuple)):
        return False
    listed = [part for part in value if isinstance(part, (str, list, tuple))]
    return any(part == column if isinstance(part, str) else column in part for part in listed)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (bool, Real, str))


def _is_int(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _equal(value: Any, default: Any) -> bool:
    """Whether a parameter is left at its default. An empty list is as good as the empty tuple."""
    if default is MISSING:
        return False
    if isinstance(value, (list, tuple)) and not value and default == ():
        return True
    return value is default or (_is_plain(value) and bool(value == default))
