"""One exception tree: catch `OntomaskError` and you have caught all of it.

::

    OntomaskError
    ├── TaxonomyError            an is-a graph that cannot be used
    │   ├── ReadError            a file that cannot be read as a taxonomy (carries path and line)
    │   │   └── UnknownFormatError
    │   ├── HierarchyError       a value generalisation hierarchy that cannot be used
    │   └── UnknownConceptError  a concept id the taxonomy does not have
    ├── MappingError             values that could not be mapped to concepts
    ├── DistanceError            a semantic distance that cannot be computed as asked
    ├── TableError               a table, a column or a role that cannot be used as given
    ├── PrivacyError             groups or confidential values from which no k, l or t can be computed
    ├── MaskingError             a method that cannot mask these data as asked, or an output short of its promise
    ├── JobError                 a job file that cannot be run as it stands (carries path and problems)
    ├── PlanError                a plan that does not fit the data, or a damaged plan file
    ├── FigureError              numbers or labels that cannot be drawn, or a picture that cannot be saved
    └── MissingExtraError        an optional dependency is not installed (also an ImportError)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

__all__ = [
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
    "TableError",
    "TaxonomyError",
    "UnknownConceptError",
    "UnknownFormatError",
]


class OntomaskError(Exception):
    """Root of everything this package raises on purpose.

    Messages end in logs and on screens, so none names a rare value of a table. Whoever may see the values finds them
    in the fields.

    Attributes
    ----------
    column
        The column that the error is about, where it is about one.
    values
        The values that the error is about. They may be rare: do not print them where others can read them.
    parameter
        The parameter that was given a wrong value, where there is one.
    """

    def __init__(
        self,
        *message: object,
        column: str | None = None,
        values: Iterable[str] = (),
        parameter: str | None = None,
    ) -> None:
        super().__init__(*message)
        self.column = column
        self.values = tuple(values)
        self.parameter = parameter


class TaxonomyError(OntomaskError):
    """The concepts and is-a links given do not make a usable taxonomy.

    ``code`` is the check that failed, as tabled in `ontomask.taxonomy.validate`.
    """

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(f"[{code}] {message}" if code else message)
        self.code = code


class ReadError(TaxonomyError):
    """A file could not be read; ``path`` and ``line`` tell where it broke."""

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        code: str | None = None,
    ) -> None:
        place = "" if path is None else f"{path}, line {line}: " if line else f"{path}: "
        super().__init__(place + message, code=code)
        self.path = None if path is None else Path(path)
        self.line = line


class UnknownFormatError(ReadError):
    """No reader recognises the file, or the format asked for does not exist."""


class HierarchyError(TaxonomyError):
    """Rows, levels or values that make no usable value generalisation hierarchy."""


class UnknownConceptError(TaxonomyError, KeyError):
    """A concept id that the taxonomy does not contain; the message suggests near ones."""

    # KeyError shows repr() of its argument: the plain sentence is kinder.
    __str__ = Exception.__str__


class MappingError(OntomaskError):
    """Values of a column could not be mapped to concepts.

    The message names none of them, since messages end in logs; ``mapping``, the column's mapping report where there is
    one, lists them with suggestions.
    """

    def __init__(
        self, message: str, *, mapping: Any = None, column: str | None = None, values: Iterable[str] = ()
    ) -> None:
        super().__init__(message, column=column, values=values)
        self.mapping = mapping


class DistanceError(OntomaskError):
    """An unknown measure, an option it does not have, or a source that lacks what it needs."""


class TableError(OntomaskError):
    """A table, a column or a role that cannot be used as given."""


class MaskingError(OntomaskError):
    """A method cannot mask these data with these parameters, or its output does not keep what was asked of it."""


class JobError(OntomaskError):
    """A job file that cannot be run as it stands.

    Attributes
    ----------
    path
        The job file.
    problems
        Each with the key it is about and what to do.
    """

    def __init__(
        self,
        path: str | Path,
        problems: Sequence[tuple[str, str]],
        *,
        column: str | None = None,
        values: Iterable[str] = (),
    ) -> None:
        lines = [f"{key}: {text}" if key else text for key, text in problems]
        self.path = Path(path)
        self.problems = tuple(problems)
        listed = lines[0] if len(lines) == 1 else f"{len(lines)} problems:\n" + "\n".join(f"  {line}" for line in lines)
        super().__init__(f"{path}: {listed}", column=column, values=values)


class PlanError(OntomaskError):
    """A plan is damaged or does not fit the data; ``code`` says what is wrong, such as ``counts`` or ``other-data``."""

    def __init__(self, message: str, *, code: str | None = None, column: str | None = None) -> None:
        super().__init__(message, column=column)
        self.code = code


class PrivacyError(OntomaskError):
    """Groups or confidential values from which no k, l or t can be computed."""


class FigureError(OntomaskError):
    """Numbers or labels that cannot be drawn, or a picture that cannot be saved."""


class MissingExtraError(OntomaskError, ImportError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional dependency. Install it with: pip install 'ontomask[{extra}]'")
        self.extra = extra


def is_panic(problem: BaseException) -> bool:
    """Whether an exception is the panic of a library written in Rust (polars, fastexcel, fastobo).

    Each library has a type of its own for it, which is no `Exception`, so that ``except Exception`` lets it through.
    """
    return type(problem).__name__ == "PanicException"
