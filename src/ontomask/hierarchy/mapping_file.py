"""Mapping files: which concept each label means, a row a label."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ontomask.errors import MappingError, ReadError
from ontomask.taxonomy.readers.source import rows, sniff_delimiter

__all__ = ["as_mapping", "read_mapping"]


def read_mapping(path: str | Path, delimiter: str | None = None, encoding: str = "utf-8") -> dict[str, str | None]:
    """Read a mapping: a row has a label and a concept id, or a word with or without a sense.

    A row without a concept says that the label means none. A first row ``value;concept`` (or ``label;concept``) is
    a heading.

    Parameters
    ----------
    path
        A delimited file of two columns.
    delimiter
        Recognised among ``;``, tab, ``,`` and ``|`` unless it is given.
    encoding
        Of the text.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "animals.csv"
    >>> _ = file.write_text("label,concept\\ntiger,tiger#2\\nwarm-blooded,homeotherm\\nOther,\\n")
    >>> read_mapping(file)
    {'tiger': 'tiger#2', 'warm-blooded': 'homeotherm', 'Other': None}
    """
    file = Path(path)
    mapping: dict[str, str | None] = {}
    if delimiter is None:
        delimiter = sniff_delimiter(file) or ","
    for line, raw in rows(file, delimiter, encoding=encoding):
        cells = [cell.strip() for cell in raw]
        if not any(cells) or (line == 1 and _is_heading(cells)):
            continue
        if len(cells) != 2 or not cells[0]:
            raise ReadError(
                f"A mapping has two cells in a row, the label and its concept, such as 'tiger,tiger#2'. "
                f"This row has {len(cells):,}{'' if cells[0] else ' and no label'}. Pass delimiter= if it is none of "
                f"';', tab, ',' and '|'.",
                path=file,
                line=line,
            )
        label, concept = cells[0], cells[1] or None
        if mapping.setdefault(label, concept) != concept:
            raise ReadError(
                f"The label of this row is mapped to {concept!r} here and to {mapping[label]!r} above. Keep one row.",
                path=file,
                line=line,
            )
    return mapping


def as_mapping(mapping: Mapping[str, str | None] | str | Path | None) -> dict[str, str | None]:
    """A mapping given as a dictionary, as a file, or not at all."""
    if mapping is None:
        return {}
    if isinstance(mapping, (str, Path)):
        return read_mapping(mapping)
    if not isinstance(mapping, Mapping):
        raise MappingError(
            f"The mapping must be a dictionary from label to concept, or the path of a file with both. "
            f"Got {type(mapping).__name__} instead."
        )
    return dict(mapping)


def _is_heading(cells: list[str]) -> bool:
    return [cell.casefold() for cell in cells] in (["value", "concept"], ["label", "concept"])
