"""How much work a table is for the methods that compare records, known before they begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ontomask.base.grouping import group_rows
from ontomask.job.settings import Settings
from ontomask.microdata import frames

__all__ = ["Workload", "workload"]

# Kinds whose values are compared by a matrix of distances.
_BY_MATRIX = frozenset({"nominal", "category", "prefix"})
# More combinations of masked values than this take long; distances with more bytes than this, too.
_MANY, _LARGE = 250_000, 2**31


@dataclass(frozen=True)
class Workload:
    """What decides how long methods take, and whether that is long.

    Attributes
    ----------
    records
        The number of records.
    combinations
        How many of them differ in the masked columns, before values are mapped to concepts.
    distinct
        The number of different values of each masked column, the largest first.
    distance_bytes
        By column, how much room the distances between all its values need, where that is much.
    """

    records: int
    combinations: int
    distinct: Mapping[str, int]
    distance_bytes: Mapping[str, int]

    @property
    def is_long(self) -> bool:
        """Whether methods that compare records will take long."""
        return self.combinations > _MANY or bool(self.distance_bytes)


def workload(frame: Any, settings: Settings) -> Workload:
    """Count the combinations of values in the masked columns of a table in memory.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, 30, 40], "town": ["Ely", "Ely", "Rye"]})
    >>> masked = {"role": "quasi-identifier", "kind": "category"}
    >>> job = {"input": {"path": "t.csv"}, "columns": {"age": masked, "town": masked}, "method": {"name": "Recoding"}}
    >>> workload(frame, Settings.model_validate(job | {"output": {"masked": "m.csv"}})).combinations
    2
    """
    masked = {name: column.kind for name, column in settings.columns.items() if column.role == "quasi-identifier"}
    cells = {name: frames.number_cells(frame, name) for name in masked}
    _, firsts = group_rows([codes for codes, _ in cells.values()], [size for _, size in cells.values()])
    distinct = {name: size for name, (_, size) in sorted(cells.items(), key=lambda item: -item[1][1])}
    room = {name: 8 * size**2 for name, size in distinct.items() if masked[name] in _BY_MATRIX}
    return Workload(
        frames.length(frame), len(firsts), distinct, {name: size for name, size in room.items() if size > _LARGE}
    )
