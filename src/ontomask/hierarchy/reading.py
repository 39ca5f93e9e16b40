"""Read hierarchies and mappings from files.

A hierarchy is ARX's CSV with one row per value, an indented list, or JSON with one list per level. A mapping is a
delimited file with one label and its concept per row, or a FHIR ConceptMap.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ontomask.errors import MappingError, ReadError, UnknownFormatError
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.mapping.concept_map import is_concept_map, read_concept_map
from ontomask.taxonomy.readers.arx_csv import read_rows
from ontomask.taxonomy.readers.source import data_name, first_lines, lines, rows, sniff_delimiter

__all__ = ["as_mapping", "read_hierarchy", "read_mapping"]

Format = Literal["arx_csv", "indented", "levels"]

_HEADINGS = (["value", "concept"], ["label", "concept"])


def read_hierarchy(
    path: str | Path, delimiter: str | None = None, encoding: str = "utf-8", *, format: Format | None = None
) -> Hierarchy:
    """Read a value generalisation hierarchy.

    Parameters
    ----------
    path
        A file in one of the formats below.
    delimiter
        For ARX's CSV. By default it is detected among ``;``, tab, ``,`` and ``|``.
    encoding
        The encoding of the text.
    format
        ``arx_csv``: one row per value, from the value to what it generalises to and so on up to the top. ``indented``:
        one label per line; a line is a kind of the line above it that is indented less. ``levels``: JSON with one list
        per level (``{"0": ["Spain"], "1": ["*"]}``). By default the format is detected: a name that ends in ``.json``
        means levels; indented lines that no delimiter splits are a list.

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
    known = format or ("arx_csv" if delimiter is not None else _detect_format(file))
    if known not in ("arx_csv", "indented", "levels"):
        raise UnknownFormatError(
            f"The format {format!r} is unknown. Choose one of: arx_csv, indented, levels.",
            path=file,
            parameter="format",
        )
    if known == "arx_csv":
        found = read_rows(file, delimiter, encoding)
        cells, numbers = [row for _, row in found], [line for line, _ in found]
        return Hierarchy.from_rows(cells, name=name, path=file, lines=numbers)
    if delimiter is not None:
        raise ReadError(
            f"Only ARX's CSV has a delimiter. Remove it, or remove format={format!r}.", path=file, parameter="delimiter"
        )
    text = "\n".join(line for _, line in lines(file, encoding))
    if known == "levels":
        return Hierarchy.from_levels(_parse_levels(text, file), name=name, path=file)
    return Hierarchy.from_indented_text(text, name=name, path=file)


def _detect_format(file: Path) -> Format:
    if data_name(file).endswith(".json"):
        return "levels"
    text = [line for line in first_lines(file) if line.strip()]
    indented = any(line[0].isspace() for line in text[1:]) and not text[0][0].isspace()
    return "indented" if indented and sniff_delimiter(file) is None else "arx_csv"


def _parse_levels(text: str, file: Path) -> dict[int, list[object]]:
    """One list per level from JSON, whose keys are texts."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as problem:
        raise ReadError(
            f"The file is not well-formed JSON: {problem.msg}. Correct it.", path=file, line=problem.lineno
        ) from None
    valid = isinstance(found, dict) and all(
        level.isdecimal() and isinstance(labels, list) for level, labels in found.items()
    )
    if not valid:
        raise ReadError(
            "The file must hold one list of labels per level, such as "
            '{"0": ["Spain", "Peru"], "1": ["Europe", "America"]}.',
            path=file,
            code="not-levels",
        )
    return {int(level): labels for level, labels in found.items()}


def read_mapping(
    path: str | Path,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    *,
    source: str | None = None,
    target: str | None = None,
) -> Mapping[str, str | None]:
    """Read a mapping from values or labels to concepts. The format is recognised by the content.

    In a delimited file, a concept is an id, or a word with or without a sense. A row with an empty concept means that
    the label has none. A first row ``value;concept`` or ``label;concept`` is a heading. A FHIR ConceptMap (JSON, R4 or
    R5) becomes a `ConceptMapping`, which knows how well each concept fits.

    Parameters
    ----------
    path
        A delimited file of two columns, or a ConceptMap.
    delimiter
        By default it is detected among ``;``, tab, ``,`` and ``|``.
    encoding
        The encoding of a delimited file.
    source, target
        The URLs of the code systems in a ConceptMap that has several.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "animals.csv"
    >>> _ = file.write_text("label,concept\\ntiger,tiger#2\\nwarm-blooded,homeotherm\\nOther,\\n")
    >>> read_mapping(file)
    {'tiger': 'tiger#2', 'warm-blooded': 'homeotherm', 'Other': None}
    """
    file = Path(path)
    if is_concept_map(file):
        return read_concept_map(file, source=source, target=target)
    for name, value in (("source", source), ("target", target)):
        if value is not None:
            raise ReadError(
                f"Only a ConceptMap has code systems, and this is a delimited file. Leave out {name}=.",
                path=file,
                parameter=name,
            )
    mapping: dict[str, str | None] = {}
    if delimiter is None:
        delimiter = sniff_delimiter(file) or ","
    for line, raw in rows(file, delimiter, encoding=encoding):
        cells = [cell.strip() for cell in raw]
        if not any(cells) or (line == 1 and [cell.casefold() for cell in cells] in _HEADINGS):
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
                values=[label],
            )
    return mapping


def as_mapping(mapping: Mapping[str, str | None] | str | Path | None) -> dict[str, str | None]:
    """A mapping given as a dictionary, as a file, or not at all."""
    if mapping is None:
        return {}
    if isinstance(mapping, (str, Path)):
        return dict(read_mapping(mapping))
    if not isinstance(mapping, Mapping):
        raise MappingError(
            f"The mapping must be a dictionary from label to concept, or the path of a file with both. "
            f"Got {type(mapping).__name__} instead.",
            parameter="mapping",
        )
    return dict(mapping)
