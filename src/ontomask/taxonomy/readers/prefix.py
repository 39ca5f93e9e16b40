"""Codes whose first characters mean something, in a CSV or TSV file: ATC, ISCO, NACE, NAICS, postcodes.

::

    code,title
    A,Alimentary tract and metabolism
    A10,Drugs used in diabetes
    A10B,Blood glucose lowering drugs

The columns are found by their names: ``code`` and ``title``, ``label``, ``name`` or ``description``. Without such a
header the first column has the codes and the second, if there is one, the labels. `ontomask.taxonomy.prefix_codes` has
the rules.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.prefix_codes import SCHEMES, Cuts, build, resolve_cuts
from ontomask.taxonomy.readers.source import check_width, file_title, first_lines, is_delimited, rows, sniff_delimiter
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

_CODE = ("code", "codes")
_LABEL = ("title", "label", "labels", "name", "description")
_PARENT = ("parent", "parent_id", "is_a")


def can_read(path: Path) -> bool:
    """Whether the file has a header of code and title, and half of the codes begin with another code of the file."""
    delimiter = sniff_delimiter(path, _CODE, _LABEL) if is_delimited(path) else None
    if delimiter is None:
        return False
    found = [cells for cells in csv.reader(first_lines(path), delimiter=delimiter) if cells]
    head = [cell.strip().lower() for cell in found[0]] if found else []
    if not (set(head) & set(_CODE) and set(head) & set(_LABEL)) or set(head) & set(_PARENT):
        return False
    at = _find(head, _CODE)
    codes = ["".join(filter(str.isalnum, cells[at])) for cells in found[1:] if at is not None and len(cells) > at]
    known = set(codes)
    below = sum(any(code[:n] in known for n in range(1, len(code))) for code in codes)
    return bool(codes) and 2 * below >= len(codes)


def read(
    path: Path,
    *,
    cuts: Cuts = None,
    code_column: str | None = None,
    label_column: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    name: str = "",
) -> Taxonomy:
    """Read a file of codes.

    Parameters
    ----------
    cuts
        The lengths of the codes that are groups, such as ``[1, 3, 4, 5, 7]``, or the name of a known scheme: ``atc``,
        ``isco``, ``nace``, ``nace_2.1``, ``isic``, ``naics``, ``kldb``, ``isced_f``, ``postcode_de``, ``zip``. By
        default the lengths of the codes in the file.
    code_column, label_column
        The columns of codes and labels, if they have other names.
    """
    try:
        lengths = resolve_cuts(cuts)
    except ValueError as problem:
        raise ReadError(f"The 'cuts' {problem}", path=path, parameter="cuts") from None
    labels: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    columns: tuple[int, int | None] | None = None
    width = 0
    delimiter = delimiter or sniff_delimiter(path, _CODE, _LABEL) or ","
    hint = f"Put quotes around a label with {delimiter!r}."
    for line, cells in rows(path, delimiter, encoding=encoding):
        if columns is None:
            columns, is_header = _columns(path, cells, code_column, label_column)
            width = len(cells)
            if is_header:
                continue
        at, label_at = columns
        code = cells[at].strip() if at < len(cells) else ""
        if not code:
            if any(cell.strip() for cell in cells):
                raise ReadError("The code is empty. Give one in every row.", path=path, line=line, code="T106")
            continue
        check_width(path, line, cells, width, hint)
        if code in lines:
            message = f"The code {code!r} is repeated. Remove one of the rows."
            fail("T104", message, path=path, line=line, values=[code])
        lines[code] = line
        word = " ".join(cells[label_at].split()) if label_at is not None and label_at < len(cells) else ""
        labels[code] = [word] if word else []
    scheme = SCHEMES.get(cuts) if isinstance(cuts, str) else None
    return build(labels, lengths, scheme, name=name or file_title(path), path=path, lines=lines)


def _columns(
    path: Path, head: Sequence[str], code_column: str | None, label_column: str | None
) -> tuple[tuple[int, int | None], bool]:
    names = [cell.strip().lower() for cell in head]
    for parameter, wanted in (("code_column", code_column), ("label_column", label_column)):
        if wanted is not None and str(wanted).lower() not in names:
            raise ReadError(
                f"The header has no column {wanted!r}. Its columns: {', '.join(names)}.",
                path=path,
                line=1,
                parameter=parameter,
            )
    code = _find(names, (code_column.lower(),) if code_column else _CODE)
    label = _find(names, (label_column.lower(),) if label_column else _LABEL)
    if code is not None:
        return (code, label), True
    return (0, 1 if len(head) > 1 else None), False


def _find(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)
