"""What `Microdata` asks of a table whose records are not in memory, and what it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ontomask.errors import TableError
from ontomask.kinds import Kind
from ontomask.microdata import frames

if TYPE_CHECKING:
    from ontomask.microdata.table import Microdata

__all__ = ["check_in_memory", "check_source", "columns_to_count"]


def check_source(data: Microdata, *, pseudonyms: bool) -> None:
    """Refuse at once what an engine cannot do."""
    assert data.source is not None
    for name in (*data.confidential, *data.other):
        if data.source.is_compound(name):
            raise frames.compound_cells(name)
    instead = " Read the table into memory (ontomask.read_table), or leave this out."
    if pseudonyms:
        raise TableError(
            f"The engine {data.source.engine!r} cannot release pseudonyms: the records of a person are masked "
            f"together, which needs all of them at once.{instead}",
            parameter="pseudonyms",
            code="engine-cannot",
        )
    if data.weights is not None:
        raise TableError(
            f"The engine {data.source.engine!r} cannot use sampling weights: sums of fractions would depend on the "
            f"order in which it adds them.{instead}",
            column=data.weights,
            parameter="weights",
            code="engine-cannot",
        )


def check_in_memory(data: Microdata, what: str) -> None:
    """Refuse data in an engine for something that needs single records."""
    if data.source is not None:
        raise TableError(
            f"{what} needs single records, and the engine {data.source.engine!r} gives counts only. Read the table, or "
            f"a sample of it, into memory (ontomask.read_table).",
            parameter="data",
            code="engine-cannot",
        )


def columns_to_count(data: Microdata, kinds: Mapping[str, Kind]) -> list[str]:
    """The columns whose distinct combinations are counted: what planning looks at, and what goes with it."""
    under = [name for kind in kinds.values() if isinstance(name := getattr(kind, "under", None), str)]
    person = [data.person] if data.person is not None else []
    assert data.source is not None
    also = [name for name in data.source.also if name not in data.drop]
    return list(dict.fromkeys([*kinds, *person, *data.linked, *under, *also]))
