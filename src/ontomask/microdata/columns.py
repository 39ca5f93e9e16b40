"""A column taken in: its distinct cells, and the point that each stands for.

A *point* is the code of a concept in the attribute's domain, a number, or the place of a category. A *kept* cell has
no point: it is missing or without a concept, and the user's policy lets it through as it stands.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.text import cell_text
from ontomask.distance import Distance
from ontomask.errors import Setting, TableError
from ontomask.mapping import ColumnMapping, map_values
from ontomask.microdata.attributes import Attribute, Nominal, Numeric, Ordinal
from ontomask.microdata.cells import read_number
from ontomask.microdata.decimals import is_comma_number
from ontomask.taxonomy import Taxonomy

__all__ = [
    "Column",
    "NominalColumn",
    "NumericColumn",
    "OrdinalColumn",
    "Policies",
    "encode_column",
    "with_one_missing_cell",
]

# Whole numbers beyond this are not all told apart by a float.
_EXACT = 2**53


@dataclass(frozen=True)
class Policies:
    """What happens to missing cells and to values without a concept."""

    missing: str = "error"
    missing_tokens: tuple[str, ...] = ()
    unmapped: str = "error"

    def __post_init__(self) -> None:
        for name, allowed in (("missing", ("error", "keep", "drop")), ("unmapped", ("error", "keep", "drop", "root"))):
            if getattr(self, name) not in allowed:
                raise TableError(
                    f"The {name!r} policy must be one of {', '.join(allowed)}. Got {getattr(self, name)!r} instead."
                )

    def is_missing(self, cell: object) -> bool:
        """Whether a cell is missing: empty, or one of the tokens for that."""
        text = cell_text(cell)
        return text is None or text in self.missing_tokens


@dataclass(frozen=True, eq=False, repr=False)
class Column(ABC):
    """A quasi-identifier or confidential column, encoded.

    Attributes
    ----------
    name, attribute
        The column's name and what it holds.
    cells
        The distinct cells, as they came.
    code
        For every record the place of its cell in ``cells``.
    point
        For every distinct cell its point; what stands there for a kept or dropped cell has no meaning.
    kept, dropped
        Which distinct cells the policies keep as they stand, and which remove the record.
    """

    name: str
    attribute: Attribute
    cells: tuple[object, ...]
    code: IntArray
    point: NDArray[Any]
    kept: NDArray[np.bool_]
    dropped: NDArray[np.bool_]

    def __repr__(self) -> str:
        # Cells are a person's values: they are not for tracebacks and logs.
        return f"<{type(self).__name__} {self.name!r}: {len(self.code):,} records, {len(self.cells):,} distinct cells>"

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many records have each distinct cell."""
        return np.bincount(self.code, minlength=len(self.cells))

    @abstractmethod
    def key(self, point: Any) -> str | float:
        """The point in the form that a file keeps: a concept id, a number, a category."""

    @abstractmethod
    def points_of_keys(self, keys: Sequence[Any]) -> NDArray[Any]:
        """Points from the form that a file keeps."""


@dataclass(frozen=True, eq=False, repr=False)
class NominalColumn(Column):
    """Concepts of a domain: a point is a code of ``domain``."""

    mapping: ColumnMapping
    domain: Taxonomy
    distance: Distance

    def key(self, point: Any) -> str:
        """The concept's id."""
        return self.domain.ids[int(point)]

    def points_of_keys(self, keys: Sequence[Any]) -> NDArray[Any]:
        """Codes in the domain from ids."""
        return self.domain.codes(keys)


@dataclass(frozen=True, eq=False, repr=False)
class NumericColumn(Column):
    """Numbers; ``decimals`` is how many digits behind the point the data have at most."""

    low: float
    high: float
    decimals: int

    def key(self, point: Any) -> float:
        """The number."""
        return float(point)

    def points_of_keys(self, keys: Sequence[Any]) -> NDArray[Any]:
        """The numbers."""
        return np.asarray(keys, dtype=np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalColumn(Column):
    """Categories in order; a point is a category's place."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, lowest first."""
        assert isinstance(self.attribute, Ordinal)
        return tuple(self.attribute.categories)

    def key(self, point: Any) -> str:
        """The category."""
        return self.categories[int(point)]

    def points_of_keys(self, keys: Sequence[Any]) -> NDArray[Any]:
        """Places of categories."""
        return np.array([self.categories.index(key) for key in keys], dtype=np.int32)


def encode_column(
    name: str, attribute: Attribute, cells: Sequence[object], code: IntArray, policies: Policies
) -> Column:
    """Encode a column under its attribute and the policies."""
    column = _encode(name, attribute, cells, code, policies)
    return with_one_missing_cell(column, policies)


def with_one_missing_cell(column: Column, policies: Policies) -> Column:
    """All missing cells that are kept as one, however they were spelt: they mean the same, and are released alike.

    The spellings stay among the cells, though no record has them: other tools may release them as they stand.
    """
    if policies.missing != "keep":
        return column
    missing = column.kept & np.array([policies.is_missing(cell) for cell in column.cells], dtype=bool)
    if not missing.any():
        return column
    if None not in column.cells:
        first = int(np.argmax(missing))
        column = replace(
            column,
            cells=(*column.cells, None),
            point=np.append(column.point, column.point[first]),
            kept=np.append(column.kept, True),
            dropped=np.append(column.dropped, False),
        )
        missing = np.append(missing, True)
    code = np.where(missing[column.code], column.cells.index(None), column.code).astype(column.code.dtype)
    return replace(column, code=code)


def _encode(name: str, attribute: Attribute, cells: Sequence[object], code: IntArray, policies: Policies) -> Column:
    if isinstance(attribute, Nominal):
        return _encode_nominal(name, attribute, cells, code, policies)
    texts = [None if policies.is_missing(cell) else cell_text(cell) for cell in cells]
    missing = np.array([text is None for text in texts])
    if missing.all():
        raise TableError(f"the column {name!r} has no value at all. Give it the role 'other', or leave it out.")
    _check_missing(name, int(np.bincount(code, minlength=len(cells))[missing].sum()), policies)
    kept = missing if policies.missing == "keep" else np.zeros(len(cells), dtype=bool)
    dropped = missing if policies.missing == "drop" else np.zeros(len(cells), dtype=bool)
    if isinstance(attribute, Numeric):
        return _encode_numeric(name, attribute, cells, texts, code, kept, dropped)
    if isinstance(attribute, Ordinal):
        return _encode_ordinal(name, attribute, cells, texts, code, kept, dropped)
    raise TableError(
        f"The column {name!r} needs an attribute: Nominal(...), Numeric() or Ordinal([...]). "
        f"Got {type(attribute).__name__} instead."
    )


def _check_missing(name: str, missing: int, policies: Policies) -> None:
    if missing and policies.missing == "error":
        raise TableError(
            f"The column {name!r} has {missing:,} missing cells. Say what to do with them: ",
            Setting("policies", "missing", values=["keep", "drop"]),
            ".",
            column=name,
        )


def _encode_nominal(
    name: str, attribute: Nominal, cells: Sequence[object], code: IntArray, policies: Policies
) -> NominalColumn:
    _refuse_mixed(name, cells)
    is_code = attribute.taxonomy.annotations.code_ids
    texts = [cell_text(cell, code_column=is_code, column=name) for cell in cells]
    counts = np.bincount(code, minlength=len(cells)).tolist()
    of_text: dict[str, int] = {}
    missing_cells = 0
    for text, count in zip(texts, counts, strict=True):
        if text is None:
            missing_cells += count
        else:
            of_text[text] = of_text.get(text, 0) + count
    if missing_cells:
        of_text[""] = missing_cells
    mapped = map_values(
        of_text,
        attribute.taxonomy,
        attribute.mapping,
        domain=attribute.domain,
        column=name,
        missing_tokens=policies.missing_tokens,
    )
    if not mapped.values:
        raise TableError(f"the column {name!r} has no value at all. Give it the role 'other', or leave it out.")
    decision = mapped.decide(unmapped=policies.unmapped, missing=policies.missing)
    if not decision.concepts:
        raise mapped.complaint()
    gone = [text is None or text in policies.missing_tokens for text in texts]
    keep_gone, drop_gone = decision.keep_missing, decision.drop_missing
    kept = [keep_gone if g else text in decision.kept for text, g in zip(texts, gone, strict=True)]
    dropped = [drop_gone if g else text in decision.dropped for text, g in zip(texts, gone, strict=True)]
    concepts = sorted(set(decision.concepts.values()))
    taxonomy = attribute.taxonomy
    domain = taxonomy.domain(mapped.domain) if mapped.domain is not None else taxonomy.domain_of(concepts)
    point = [
        domain.code(decision.concepts[text]) if text is not None and text in decision.concepts else -1 for text in texts
    ]
    return NominalColumn(
        name,
        attribute,
        tuple(cells),
        code,
        np.array(point, dtype=np.int32),
        np.array(kept, dtype=bool),
        np.array(dropped, dtype=bool),
        mapped,
        domain,
        attribute.distance_over(domain if attribute.scope == "domain" else taxonomy),
    )


def _refuse_mixed(name: str, cells: Sequence[object]) -> None:
    present = [cell for cell in cells if cell_text(cell) is not None]
    texts = sum(isinstance(cell, str) for cell in present)
    if 0 < texts < len(present):
        raise TableError(
            f"the column {name!r} mixes texts and numbers ({texts:,} distinct texts, {len(present) - texts:,} others). "
            f"Codes read as numbers lose zeros: read the column as text, for example with dtype=str."
        )


def _encode_numeric(
    name: str,
    attribute: Numeric,
    cells: Sequence[object],
    texts: Sequence[str | None],
    code: IntArray,
    kept: NDArray[np.bool_],
    dropped: NDArray[np.bool_],
) -> NumericColumn:
    point = np.full(len(cells), math.nan)
    wrong: list[str] = []
    decimals = 0
    for i, text in enumerate(texts):
        if text is None:
            continue
        number = read_number(cells[i])
        if number is None or not math.isfinite(number) or abs(number) > _EXACT:
            wrong.append(text)
            continue
        point[i] = number
        if not number.is_integer():
            exponent = Decimal(repr(number)).normalize().as_tuple().exponent
            decimals = max(decimals, -int(exponent))
    if wrong:
        raise TableError(
            f"The column {name!r} is numeric, but {len(wrong):,} of its distinct cells are not finite numbers, or are "
            f"too large to be exact. Declare tokens for missing cells in ",
            Setting("policies", "missing_tokens"),
            ", or give the column another kind.",
            *_hint_at_decimal_commas(texts),
            column=name,
            values=wrong,
        )
    low, high = float(np.nanmin(point)), float(np.nanmax(point))
    return NumericColumn(name, attribute, tuple(cells), code, point, kept, dropped, low, high, decimals)


def _hint_at_decimal_commas(texts: Sequence[str | None]) -> tuple[object, ...]:
    if not any(text is not None and is_comma_number(text) for text in texts):
        return ()
    return " Some are numbers with a decimal comma: read the table with ", Setting("input", "decimal", values=","), "."


def _encode_ordinal(
    name: str,
    attribute: Ordinal,
    cells: Sequence[object],
    texts: Sequence[str | None],
    code: IntArray,
    kept: NDArray[np.bool_],
    dropped: NDArray[np.bool_],
) -> OrdinalColumn:
    place = {category: i for i, category in enumerate(attribute.categories)}
    unknown = [text for text in texts if text is not None and text not in place]
    if unknown:
        raise TableError(
            f"{len(unknown):,} distinct values of the column {name!r} are not among its categories. Add them where "
            f"they belong in the order, or declare them missing in ",
            Setting("policies", "missing_tokens"),
            ". 'ontomask map' lists them for a job; in Python they are in this error's 'values'.",
            column=name,
            values=unknown,
        )
    point = np.array([-1 if text is None else place[text] for text in texts], dtype=np.int32)
    return OrdinalColumn(name, attribute, tuple(cells), code, point, kept, dropped)
