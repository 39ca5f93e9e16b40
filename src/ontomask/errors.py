"""One exception tree: catch `OntomaskError` and you have caught all of it.

::

    OntomaskError
    ├── TaxonomyError            an is-a graph that cannot be used
    │   ├── ReadError            a file that cannot be read as a taxonomy
    │   │   └── UnknownFormatError
    │   ├── HierarchyError       a value generalisation hierarchy that cannot be used
    │   └── UnknownConceptError  a concept id the taxonomy does not have
    ├── MappingError             values that could not be mapped to concepts (carries mapping)
    ├── DistanceError            a semantic distance that cannot be computed as asked
    ├── TableError               a table, a column or a role that cannot be used as given
    ├── PrivacyError             groups or confidential values from which no k, l or t can be computed
    ├── MaskingError             a method that cannot mask these data, or an output that breaks its guarantee
    ├── JobError                 a job file that cannot be run (carries problems)
    ├── PlanError                a plan that does not fit the data, or a damaged plan file
    ├── FigureError              numbers or labels that cannot be drawn, or a picture that cannot be saved
    └── MissingExtraError        an optional dependency is not installed (also an ImportError)

`Cancelled` is not an error: somebody asked the work to stop. Like an interruption, it is not an `Exception`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from ontomask.messages import (
    LISTED,
    READ_AS_TEXT,
    Alternatives,
    Choice,
    Setting,
    Spelling,
    Wording,
    given,
    in_python,
    join_or,
    worded,
)

__all__ = [
    "LISTED",
    "READ_AS_TEXT",
    "Alternatives",
    "Cancelled",
    "Choice",
    "DistanceError",
    "FigureError",
    "HierarchyError",
    "JobError",
    "MappingError",
    "MaskingError",
    "MissingExtraError",
    "OntomaskError",
    "PlanError",
    "PrivacyError",
    "ReadError",
    "Setting",
    "Spelling",
    "TableError",
    "TaxonomyError",
    "UnknownConceptError",
    "UnknownFormatError",
    "Wording",
    "given",
    "is_foreign",
    "is_panic",
    "join_or",
    "worded",
]


class _Fields(TypedDict, total=False):
    path: str | Path | None
    line: int | None
    column: str | None
    values: Iterable[str]
    parameter: str | None
    code: str | None


class OntomaskError(Exception):
    """Root of everything this package raises on purpose. A message is made of texts, settings and notes.

    Messages end up in logs and on screens, so they never quote a rare value of a table. Callers that may see such
    values find them in ``values``.

    Attributes
    ----------
    path, line
        The file that the error is about, and the line in it. The message begins with them.
    column
        The column that the error is about.
    values
        The values that the error is about. They may be rare: do not print them where others can read them.
    parameter
        The parameter that was given a wrong value.
    code
        What is wrong, for programs: a check that failed (``"T103"``) or a short name (``"damaged"``). It tells apart
        errors that the other fields do not.
    """

    def __init__(
        self,
        *message: object,
        path: str | Path | None = None,
        line: int | None = None,
        column: str | None = None,
        values: Iterable[str] = (),
        parameter: str | None = None,
        code: str | None = None,
    ) -> None:
        self.message = message
        self.path = None if path is None else Path(path)
        self.line = line
        self.column = column
        self.values = tuple(values)
        self.parameter = parameter
        self.code = code
        super().__init__(self.worded())

    @property
    def reason(self) -> str:
        """The message without file and line."""
        return "".join(map(str, self.message))

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings in the message: what the user can change to solve the problem."""
        named = [part.settings if isinstance(part, Choice) else (part,) for part in self.message]
        return tuple(part for parts in named for part in parts if isinstance(part, Setting))

    @property
    def suggestions(self) -> tuple[str, ...]:
        """The names in the message that the user may have meant, or can choose instead."""
        return tuple(name for part in self.message if isinstance(part, Alternatives) for name in part.names)

    def worded(self, spell: Spelling = in_python) -> str:
        """The whole message, with each setting written by ``spell``."""
        line = "" if not self.line else f"Line {self.line}: " if self.path is None else f", line {self.line}: "
        where = line if self.path is None else f"{self.path}{line or ': '}"
        return where + "".join(worded(part, spell) for part in self.message)


class TaxonomyError(OntomaskError):
    """The concepts and is-a links given do not make a usable taxonomy.

    If a check of `ontomask.taxonomy.validate` or `ontomask.hierarchy.checks` failed, ``code`` is its code, such as
    ``"T103"``, and the message begins with it.
    """

    def worded(self, spell: Spelling = in_python) -> str:
        """The whole message after the code of the check that failed, with each setting written by ``spell``."""
        is_check = self.code is not None and self.code.isupper()
        return f"[{self.code}] {super().worded(spell)}" if is_check else super().worded(spell)


class ReadError(TaxonomyError):
    """A file could not be read; ``path`` and ``line`` say where."""


class UnknownFormatError(ReadError):
    """No reader recognises the file, or the format asked for does not exist."""


class HierarchyError(TaxonomyError):
    """Rows, levels or values that make no usable value generalisation hierarchy."""


class UnknownConceptError(TaxonomyError, KeyError):
    """A concept id that the taxonomy does not contain; the message suggests similar ids."""

    # KeyError would show repr() of the message.
    __str__ = Exception.__str__


class MappingError(OntomaskError):
    """Values of a column could not be mapped to concepts.

    The message names none of them. ``mapping``, the column's mapping report if there is one, lists them with
    suggestions.
    """

    def __init__(self, *message: object, mapping: Any = None, **fields: Unpack[_Fields]) -> None:
        super().__init__(*message, **fields)
        self.mapping = mapping


class DistanceError(OntomaskError):
    """An unknown measure, an option it does not have, or a source that lacks what it needs."""


class TableError(OntomaskError):
    """A table, a column or a role that cannot be used as given."""


class MaskingError(OntomaskError):
    """A method cannot mask these data with these parameters, or its output breaks its guarantee."""


class JobError(OntomaskError):
    """A job file that cannot be run.

    Attributes
    ----------
    path
        The job file.
    problems
        Pairs of a key and what is wrong there. The key is empty if the problem is about the whole file.
    """

    def __init__(
        self,
        path: str | Path,
        problems: Sequence[tuple[str, str]],
        *,
        column: str | None = None,
        values: Iterable[str] = (),
        parameter: str | None = None,
        code: str | None = None,
    ) -> None:
        lines = [f"{key}: {text}" if key else text for key, text in problems]
        self.problems = tuple(problems)
        listed = lines[0] if len(lines) == 1 else f"{len(lines)} problems:\n" + "\n".join(f"  {line}" for line in lines)
        super().__init__(listed, path=path, column=column, values=values, parameter=parameter, code=code)

    @property
    def key(self) -> str:
        """The key of the first problem."""
        return self.problems[0][0]


class PlanError(OntomaskError):
    """A plan is damaged or does not fit the data; ``code`` says what is wrong, such as ``counts`` or ``other-data``."""


class PrivacyError(OntomaskError):
    """Groups or confidential values from which no k, l or t can be computed."""


class FigureError(OntomaskError):
    """Numbers or labels that cannot be drawn, or a picture that cannot be saved."""


class MissingExtraError(OntomaskError, ImportError):  # type: ignore[misc]  # ImportError.path is a str
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional dependency. Install it with: pip install 'ontomask[{extra}]'")
        self.extra = extra


class Cancelled(BaseException):
    """Work was cancelled by `ProgressWatch.cancel`. No handler of errors stops it on its way."""


def is_panic(problem: BaseException) -> bool:
    """Whether an exception is the panic of a library written in Rust (polars, fastexcel, fastobo).

    Each library has its own type for it. None is an `Exception`, so ``except Exception`` does not catch it.
    """
    return type(problem).__name__ == "PanicException"


def is_foreign(problem: BaseException) -> bool:
    """Whether an exception is a failure of another library: not one of ours, and not an interruption."""
    return not isinstance(problem, OntomaskError) and (isinstance(problem, Exception) or is_panic(problem))
