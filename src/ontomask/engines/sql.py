"""Names, texts and files as parts of SQL. Nothing that a table or a user gives gets into a query in another way."""

from __future__ import annotations

from collections.abc import Sequence
from glob import escape
from pathlib import Path

__all__ = ["file_to_read", "list_names", "quote_name", "quote_text"]


def quote_name(name: str) -> str:
    """The name of a column.

    >>> quote_name('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def quote_text(value: object) -> str:
    """A text.

    >>> quote_text("it's")
    "'it''s'"
    """
    return "'" + str(value).replace("'", "''") + "'"


def file_to_read(path: Path) -> str:
    """A file. DuckDB takes every name for a pattern, so ``a[1].csv`` would be a1.csv.

    >>> file_to_read(Path("a[1].csv"))
    "'a[[]1].csv'"
    """
    return quote_text(escape(str(path)))


def list_names(names: Sequence[str], table: str = "") -> str:
    """The names of columns, with the alias of their table and a dot before each.

    >>> list_names(["a", "b"], "t.")
    't."a", t."b"'
    """
    return ", ".join(f"{table}{quote_name(name)}" for name in names)
