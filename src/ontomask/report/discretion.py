"""What a report may name: no value of the original that only a few have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.mapping import ColumnMapping
from ontomask.mapping.words import cell_text
from ontomask.microdata import Microdata
from ontomask.microdata.columns import Column, NominalColumn
from ontomask.microdata.table import RARE
from ontomask.taxonomy.labels import normalise

__all__ = ["WITHHELD", "Discretion", "holders"]

WITHHELD = "(withheld)"
"""Stands where a value would have been named."""

_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def holders(place: NDArray[np.integer], size: int, persons: NDArray[np.integer] | None) -> NDArray[np.int64]:
    """How many hold each of some places: distinct persons where they are known, else records.

    >>> holders(np.array([0, 0, 1]), 3, None), holders(np.array([0, 0, 1]), 3, np.array([7, 7, 7]))
    (array([2, 1, 0]), array([1, 1, 0]))
    """
    if persons is None:
        return np.bincount(place, minlength=size)
    pairs = np.unique(np.stack([place, persons.astype(np.int64)]), axis=1)
    return np.bincount(pairs[0], minlength=size)


class Discretion:
    """Tells which values of a table are rare: held by fewer than ten records, or persons where these are known.

    Counted are the records that were masked and, for what only records had that the policies dropped, those that came
    in.
    """

    def __init__(self, data: Microdata) -> None:
        self.persons = data.persons
        self._names = {*data.quasi_identifiers, *data.identifiers, *data.confidential, *data.other}
        columns = {**data.quasi_identifiers, **data.confidential_columns}
        mapped = {mapping.column: mapping for mapping in data.mapping}
        self._columns = {name: _Rare(column, mapped.get(name), data.persons) for name, column in columns.items()}

    def may_name(self, column: str, text: str) -> bool:
        """Whether a text may stand in the report as a value or as the name of a concept of the column."""
        return _form(text) not in self._columns[column].texts

    def may_name_point(self, column: str, point: float) -> bool:
        """Whether a concept, a number or a category may be named."""
        return point not in self._columns[column].points

    def may_name_concept(self, column: str, code: int, *texts: str) -> bool:
        """Whether a concept of the column's domain may be named by these texts."""
        return self.may_name_point(column, code) and all(self.may_name(column, text) for text in texts)

    def redact(self, text: str) -> str:
        """A sentence without rare values that it quotes; names of columns stay."""

        def check(found: re.Match[str]) -> str:
            quoted = found[1] if found[1] is not None else found[2]
            if quoted in self._names or all(self.may_name(column, quoted) for column in self._columns):
                return found[0]
            return WITHHELD

        return _QUOTED.sub(check, text)


class _Rare:
    """The rare points of one column, and the rare texts: its cells in normal form."""

    def __init__(self, column: Column, mapped: ColumnMapping | None, persons: NDArray[np.integer] | None) -> None:
        forms = [_form(cell_text(cell) or "") for cell in column.cells]
        number = {form: i for i, form in enumerate(dict.fromkeys(forms))}
        place = np.array([number[form] for form in forms], dtype=np.int64)[column.code]
        texts = dict(zip(number, holders(place, len(number), persons).tolist(), strict=True))

        points, at = np.unique(column.point, return_inverse=True)
        meant = ~column.kept[column.code]
        held = holders(at[column.code[meant]], len(points), None if persons is None else persons[meant])
        codes = dict(zip(points.tolist(), held.tolist(), strict=True))

        texts_before: Counter[str] = Counter()
        codes_before: Counter[int] = Counter()
        if mapped is not None and isinstance(column, NominalColumn):
            for value in mapped.values:
                texts_before[_form(value.value)] += value.count
                if value.concept is not None and value.concept in column.domain:
                    codes_before[column.domain.code(value.concept)] += value.count
        self.texts = _few(texts, texts_before)
        self.points = _few(codes, codes_before)


def _few(now: Mapping[Any, int], before: Mapping[Any, int]) -> set[Any]:
    """What some have, but few: now or, where nobody has it any longer, before records were dropped."""
    gone = {key for key, count in before.items() if not now.get(key) and 0 < count < RARE}
    return gone | {key for key, count in now.items() if 0 < count < RARE}


def _form(text: str) -> str:
    """Spellings that are read alike count as one."""
    return normalise(text) or text
