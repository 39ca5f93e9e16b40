"""Cells of any table: canonical codes, and the type of a column whose cells are replaced."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import cell_text

__all__ = [
    "Codes",
    "Encoded",
    "alphabetical",
    "canonical_codes",
    "extend_categories",
    "fit_cells",
    "plain_cell",
    "to_text",
    "used_cells",
]

Codes = NDArray[np.int32]


# Codes and cells

_BLOCK = 1 << 16


class Encoded(NamedTuple):
    """A column as codes and distinct cells.

    Attributes
    ----------
    codes
        The code of each record.
    cells
        Lists the cells as Python objects. Nothing is listed before it is called.
    is_canonical
        Whether codes are in order of first appearance, and cells are distinct and plain. Otherwise `canonical_codes`
        makes them so; a missing cell may then have the code -1.
    """

    codes: NDArray[Any]
    cells: Callable[[], list[object]]
    is_canonical: bool

    @classmethod
    def in_order(cls, codes: NDArray[Any], distinct: Any) -> Encoded:
        """Distinct cells in order of first appearance, with -1 for missing."""
        codes, missing = _number_missing(codes)

        def cells() -> list[object]:
            listed = [plain_cell(cell) for cell in _list(distinct)]
            return listed if missing is None else [*listed[:missing], None, *listed[missing:]]

        return cls(codes, cells, True)


def canonical_codes(codes: NDArray[Any], cells: Sequence[object]) -> tuple[Codes, list[object]]:
    """Codes in order of first appearance, and the cells they stand for.

    ``codes`` may be in any order, with -1 for missing. ``cells`` may list values that no record has, duplicates and
    missing values.
    """
    found: dict[tuple[bool, object], int] = {}
    number = np.zeros(len(cells) + 1, dtype=np.int32)  # the last entry is that of code -1
    for code in _in_order_of_appearance(codes, len(cells)):
        cell = None if code < 0 else plain_cell(cells[code])
        number[code] = found.setdefault((isinstance(cell, bool), cell), len(found))
    return number[codes], [cell for _, cell in found]


def _in_order_of_appearance(codes: NDArray[Any], size: int) -> list[int]:
    """Every code once. It is fast because the first block usually holds nearly all codes."""
    new = np.ones(size + 1, dtype=bool)
    order: list[int] = []
    for start in range(0, len(codes), _BLOCK):
        block = codes[start : start + _BLOCK]
        fresh, first = np.unique(block[new[block]], return_index=True)
        order += fresh[np.argsort(first)].tolist()
        new[fresh] = False
    return order


def _number_missing(codes: NDArray[Any]) -> tuple[Codes, int | None]:
    """Codes in order of first appearance, given all but those of missing cells, which are -1; and the missing's code.

    >>> _number_missing(np.array([0, -1, 1, 0]))
    (array([0, 1, 2, 0], dtype=int32), 1)
    """
    codes = codes.astype(np.int32, copy=False)
    missing = codes < 0
    first = int(missing.argmax()) if len(codes) else 0
    if not len(codes) or not missing[first]:
        return codes, None
    number = int(codes[:first].max(initial=-1)) + 1
    return np.where(missing, np.int32(number), codes + (codes >= number)), number


def _list(made: Any) -> list[object]:
    """The cells of an array of any library."""
    listed: list[object] = made.to_pylist() if hasattr(made, "to_pylist") else made.to_list()
    return listed


def used_cells(cells: Sequence[object], codes: NDArray[Any]) -> tuple[list[object], NDArray[Any]]:
    """The cells that occur, and the codes for them: other cells must not affect the type or be listed as categories."""
    used = np.zeros(len(cells), dtype=bool)
    used[codes] = True
    if used.all():
        return [plain_cell(cell) for cell in cells], codes
    number = np.cumsum(used, dtype=np.int32) - 1
    return [plain_cell(cells[i]) for i in np.flatnonzero(used).tolist()], number[codes]


def plain_cell(cell: Any) -> object:
    """The cell as a plain Python object; ``None`` if it is missing."""
    if isinstance(cell, (np.number, np.bool_, np.str_)):
        cell = cell.item()
    if isinstance(cell, (float, Decimal)):
        return None if cell != cell else cell
    # pandas.NA and NaT are recognised by their types.
    return None if type(cell).__name__ in ("NAType", "NaTType") else cell


# The type of a column of released cells


def _integer(cell: object) -> int:
    if isinstance(cell, str):
        if str(int(cell)) == cell:
            return int(cell)
    elif isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool) and cell == int(cell):
        return int(cell)
    raise ValueError


def _number(cell: object) -> float:
    if isinstance(cell, (float, Decimal)):
        return float(cell)
    number = _integer(cell)
    if float(number) != number:
        raise ValueError
    return float(number)


def _decimal(cell: object) -> Decimal:
    if isinstance(cell, Decimal):
        return cell
    return Decimal(str(cell)) if isinstance(cell, float) else Decimal(_integer(cell))


def _truth(cell: object) -> bool:
    if isinstance(cell, bool):
        return cell
    if cell in ("True", "False"):
        return cell == "True"
    raise ValueError


def to_text(cell: object) -> str:
    """The text that a cell is released as."""
    return cell if isinstance(cell, str) else cell_text(cell) or ""


# The types that a column may become, best first, and how a cell is converted.
_TARGETS: dict[str, list[tuple[str, Callable[[object], object]]]] = {
    "text": [("own", to_text), ("text", to_text)],
    "integer": [("own", _integer), ("integer", _integer), ("float", _number), ("text", to_text)],
    "float": [("own", _number), ("float", _number), ("text", to_text)],
    "decimal": [("own", _decimal), ("float", _number), ("text", to_text)],
    "boolean": [("own", _truth), ("boolean", _truth), ("text", to_text)],
    "other": [("own", lambda cell: cell), ("text", to_text)],
}


def fit_cells(
    family: str, cells: Sequence[object], make: Callable[[str, list[object]], Any]
) -> tuple[Any, list[object]]:
    """The cells as an array of the best type that preserves them, and the converted cells."""
    for target, convert in _TARGETS[family]:
        try:
            fitting = [None if cell is None else convert(cell) for cell in cells]
            made = make(target, fitting)
        except Exception:  # the cells do not fit, and each library raises its own errors: try the next type
            continue
        if _preserves(_list(made), fitting):
            return made, fitting
    raise AssertionError("Any cell can be text.")


def _preserves(stored: Sequence[object], wanted: Sequence[object]) -> bool:
    """Whether a type preserves the cells. Floats may be rounded (float32), but not become infinite."""
    return all(
        math.isclose(cell, expected, rel_tol=1e-3, abs_tol=1e-6)
        if isinstance(cell, float) and isinstance(expected, float)
        else cell == expected
        for cell, expected in zip(map(plain_cell, stored), wanted, strict=True)
    )


# Categories


def extend_categories(
    backend: Any,
    own: Any,
    family: str,
    categories: Sequence[object],
    cells: Sequence[object],
    keep: Callable[[object], bool],
) -> tuple[Any, NDArray[np.int32], bool]:
    """Add released cells to categories. Returns the categories, the code of every cell, and whether any is new.

    The code of a missing cell is -1. ``own`` and ``family`` are the type of the categories.
    """
    present = [i for i, cell in enumerate(cells) if cell is not None]
    given = [*categories, *(cells[i] for i in present)]
    made, fitting = fit_cells(family, given, partial(backend.make, own))
    released = fitting[len(categories) :]
    wanted = set(released)
    chosen = [i for i, category in enumerate(fitting[: len(categories)]) if keep(categories[i]) or category in wanted]
    code_of = {fitting[i]: code for code, i in enumerate(chosen)}
    known = len(code_of)
    codes = np.full(len(cells), -1, dtype=np.int32)
    for i, cell in enumerate(released):
        codes[present[i]] = code_of.setdefault(cell, len(code_of))
        if len(code_of) > len(chosen):
            chosen.append(len(categories) + i)
    return backend.take(made, np.array(chosen, dtype=np.int32)), codes, len(code_of) > known


def alphabetical(categories: Sequence[Any]) -> list[int]:
    """The positions of the sorted categories. They are sorted as text if they cannot be compared."""
    positions = range(len(categories))
    try:
        return sorted(positions, key=lambda i: categories[i])
    except TypeError:
        return sorted(positions, key=lambda i: str(categories[i]))
