"""Cells apart from tables: codes for them, and what a column of a sort may become when they are replaced."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import cell_text

__all__ = ["Codes", "canonical_codes", "fit_cells", "plain_cell", "to_text", "used_cells"]

Codes = NDArray[np.int32]


# Codes and cells


_BLOCK = 1 << 16


def canonical_codes(codes: NDArray[Any], cells: Sequence[object]) -> tuple[Codes, list[object]]:
    """Codes in order of first appearance over plain cells, from codes in any order with -1 for missing.

    ``cells`` may list values that no record has, the same value twice, and missing ones.
    """
    found: dict[tuple[bool, object], int] = {}
    place = np.zeros(len(cells) + 1, dtype=np.int32)  # the last is that of -1
    for code in _in_order_of_appearance(codes, len(cells)):
        cell = None if code < 0 else plain_cell(cells[code])
        place[code] = found.setdefault((isinstance(cell, bool), cell), len(found))
    return place[codes], [cell for _, cell in found]


def _in_order_of_appearance(codes: NDArray[Any], size: int) -> list[int]:
    """Every code once. Block by block: after the first few there is nothing new to sort."""
    new = np.ones(size + 1, dtype=bool)
    order: list[int] = []
    for start in range(0, len(codes), _BLOCK):
        block = codes[start : start + _BLOCK]
        fresh, first = np.unique(block[new[block]], return_index=True)
        order += fresh[np.argsort(first)].tolist()
        new[fresh] = False
    return order


def used_cells(cells: Sequence[object], codes: NDArray[Any]) -> tuple[list[object], NDArray[Any]]:
    """Only the cells that some record gets: the others must not decide the type, nor be listed as categories."""
    used = np.zeros(len(cells), dtype=bool)
    used[codes] = True
    if used.all():
        return [plain_cell(cell) for cell in cells], codes
    place = np.cumsum(used, dtype=np.int32) - 1
    return [plain_cell(cells[i]) for i in np.flatnonzero(used).tolist()], place[codes]


def plain_cell(cell: Any) -> object:
    """The cell as a plain Python object; ``None`` where it is missing in any way."""
    if isinstance(cell, (np.number, np.bool_, np.str_)):
        cell = cell.item()
    if isinstance(cell, (float, Decimal)):
        return None if cell != cell else cell
    # pandas.NA and NaT have no value of their own; their types say so.
    return None if type(cell).__name__ in ("NAType", "NaTType") else cell


# What the released cells allow


def _whole(cell: object) -> int:
    if isinstance(cell, str):
        if str(int(cell)) == cell:
            return int(cell)
    elif isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool) and cell == int(cell):
        return int(cell)
    raise ValueError


def _number(cell: object) -> float:
    if isinstance(cell, (float, Decimal)):
        return float(cell)
    number = _whole(cell)
    if float(number) != number:
        raise ValueError
    return float(number)


def _decimal(cell: object) -> Decimal:
    if isinstance(cell, Decimal):
        return cell
    return Decimal(str(cell)) if isinstance(cell, float) else Decimal(_whole(cell))


def _truth(cell: object) -> bool:
    if isinstance(cell, bool):
        return cell
    if cell in ("True", "False"):
        return cell == "True"
    raise ValueError


def to_text(cell: object) -> str:
    """The cell's text as it is released."""
    return cell if isinstance(cell, str) else cell_text(cell) or ""


def _as_it_is(cell: object) -> object:
    return cell


# What a column of a sort may become, best first: the target, and how each cell is brought into it.
_LADDERS: dict[str, list[tuple[str, Callable[[object], object]]]] = {
    "text": [("own", to_text), ("text", to_text)],
    "integer": [("own", _whole), ("integer", _whole), ("float", _number), ("text", to_text)],
    "float": [("own", _number), ("float", _number), ("text", to_text)],
    "decimal": [("own", _decimal), ("float", _number), ("text", to_text)],
    "boolean": [("own", _truth), ("boolean", _truth), ("text", to_text)],
    "other": [("own", _as_it_is), ("text", to_text)],
}


def _rungs(sort: str, cells: Sequence[object]) -> Iterator[tuple[str, list[object]]]:
    for target, bring in _LADDERS[sort]:
        try:
            yield target, [None if cell is None else bring(cell) for cell in cells]
        except (ValueError, OverflowError, ArithmeticError):
            continue


def fit_cells(sort: str, cells: Sequence[object], make: Callable[[str, list[object]], Any]) -> tuple[Any, list[object]]:
    """The cells as an array of the best type that gives them back, and as they are in it."""
    for target, fitting in _rungs(sort, cells):
        try:
            made = make(target, fitting)
        except Exception:  # each library refuses in its own way, and all mean: try the next
            continue
        if _gives_back(made.to_pylist() if hasattr(made, "to_pylist") else made.to_list(), fitting):
            return made, fitting
    raise AssertionError("text holds everything")


def _gives_back(held: Sequence[object], asked: Sequence[object]) -> bool:
    """Whether a type holds what it was given. Floats may be rounded (float32), but not become infinite."""
    return all(
        math.isclose(is_, should, rel_tol=1e-3, abs_tol=1e-6)
        if isinstance(is_, float) and isinstance(should, float)
        else is_ == should
        for is_, should in zip(map(plain_cell, held), asked, strict=True)
    )
