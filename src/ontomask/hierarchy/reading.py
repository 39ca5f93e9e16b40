"""Hierarchies from files: ARX's CSV, a row a value."""

from __future__ import annotations

from pathlib import Path

from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.taxonomy.readers.arx_csv import read_rows
from ontomask.taxonomy.readers.source import data_name

__all__ = ["read_hierarchy"]


def read_hierarchy(path: str | Path, delimiter: str | None = None, encoding: str = "utf-8") -> Hierarchy:
    """Read a value generalisation hierarchy.

    Parameters
    ----------
    path
        A file with a row a value: the value, what it generalises to, and so on up to the top, as ARX keeps it.
    delimiter
        Recognised among ``;``, tab, ``,`` and ``|`` unless it is given.
    encoding
        Of the text.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "country.csv"
    >>> _ = file.write_text("Spain;Europe;*\\nMalta;Europe;*\\nJapan;Asia;*\\n")
    >>> read_hierarchy(file)
    <Hierarchy 'country': 3 leaves, height 2>
    """
    file = Path(path)
    found = read_rows(file, delimiter, encoding)
    name = data_name(file).rsplit(".", 1)[0]
    return Hierarchy.from_rows([cells for _, cells in found], name=name, path=file, lines=[line for line, _ in found])
