"""Hierarchies from files: ARX's CSV with a row a value, an indented list, or lists by level."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from ontomask.errors import ReadError, UnknownFormatError
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.taxonomy.readers.arx_csv import read_rows
from ontomask.taxonomy.readers.source import data_name, first_lines, lines, sniff_delimiter

__all__ = ["read_hierarchy"]

Format = Literal["arx_csv", "indented", "levels"]


def read_hierarchy(
    path: str | Path, delimiter: str | None = None, encoding: str = "utf-8", *, format: Format | None = None
) -> Hierarchy:
    """Read a value generalisation hierarchy.

    Parameters
    ----------
    path
        A file, of one of the formats.
    delimiter
        Of ARX's CSV: recognised among ``;``, tab, ``,`` and ``|`` unless it is given.
    encoding
        Of the text.
    format
        ``arx_csv``: a row a value, from the value to what it generalises to and so on up to the top. ``indented``: a
        label a line, what is further in being a kind of what stands above it. ``levels``: JSON, one list a level
        (``{"0": ["Spain"], "1": ["*"]}``). Recognised unless it is given: a name that ends in ``.json`` has levels;
        indented lines, of which no delimiter splits all, are a list.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "country.csv"
    >>> _ = file.write_text("Spain;Europe;*\\nMalta;Europe;*\\nJapan;Asia;*\\n")
    >>> read_hierarchy(file)
    <Hierarchy 'country': 3 leaves, height 2>
    """
    file = Path(path)
    name = data_name(file).rsplit(".", 1)[0]
    known = format or ("arx_csv" if delimiter is not None else _recognise(file))
    if known not in ("arx_csv", "indented", "levels"):
        raise UnknownFormatError(
            f"{format!r} is no format of hierarchies. Choose one of: arx_csv, indented, levels.", path=file
        )
    if known == "arx_csv":
        found = read_rows(file, delimiter, encoding)
        rows, places = [cells for _, cells in found], [line for line, _ in found]
        return Hierarchy.from_rows(rows, name=name, path=file, lines=places)
    if delimiter is not None:
        raise ReadError(f"only ARX's CSV has a delimiter. Leave it out, or format={format!r}.", path=file)
    text = "\n".join(line for _, line in lines(file, encoding))
    if known == "levels":
        return Hierarchy.from_levels(_levels(text, file), name=name, path=file)
    return Hierarchy.from_indented_text(text, name=name, path=file)


def _recognise(file: Path) -> Format:
    if data_name(file).endswith(".json"):
        return "levels"
    text = [line for line in first_lines(file) if line.strip()]
    indented = any(line[0].isspace() for line in text[1:]) and not text[0][0].isspace()
    return "indented" if indented and sniff_delimiter(file) is None else "arx_csv"


def _levels(text: str, file: Path) -> dict[int, list[object]]:
    """Lists by level from JSON, whose keys are texts."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as problem:
        raise ReadError(f"is not well-formed JSON: {problem.msg}.", path=file, line=problem.lineno) from None
    right = isinstance(found, dict) and all(
        level.isdecimal() and isinstance(labels, list) for level, labels in found.items()
    )
    if not right:
        raise ReadError(
            'must hold one list of labels a level, such as {"0": ["Spain", "Peru"], "1": ["Europe", "America"]}.',
            path=file,
        )
    return {int(level): labels for level, labels in found.items()}
