"""Is-a links in a CSV or TSV file: child, parent and, optionally, the child's labels.

::

    child,parent,labels
    symptom,,
    pain,symptom,
    ache,pain,ache|aching

With a header, the columns ``child`` (or ``id``, ``concept``), ``parent`` and ``labels`` (or ``label``) may be in any
order, and other columns are ignored. Without a header, the first two or three columns are used. Labels are separated by
``|``. A row with more cells than the first is an error. A child with several parents has several rows. A row without a
parent declares a root. If there is such a row, every concept must occur as a child, because a parent that does not is
probably misspelt.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from ontomask.base.text import join_some
from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import (
    check_option,
    check_width,
    file_title,
    first_lines,
    is_delimited,
    rows,
    sniff_delimiter,
)
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

_CHILD = ("child", "id", "concept")
_PARENT = ("parent", "parent_id", "is_a")
_LABELS = ("labels", "label", "name")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


def can_read(path: Path) -> bool:
    """Whether the file is CSV or TSV with a header of child and parent, or with two or three columns of links.

    Tables of data and ARX hierarchies may also have two or three columns, so the cells are checked.
    """
    delimiter = sniff_delimiter(path, _CHILD, _PARENT) if is_delimited(path) else None
    if delimiter is None:
        return False
    found = [[cell.strip() for cell in cells] for cells in csv.reader(first_lines(path), delimiter=delimiter)]
    found = [cells for cells in found if any(cells)]
    if not found:
        return False
    head = {cell.lower() for cell in found[0]}
    if head & set(_CHILD) and head & set(_PARENT):
        return True
    if head & {*_CHILD, *_PARENT, *_LABELS} or any("*" in cells or "\0" in "".join(cells) for cells in found):
        return False
    return all(len(cells) in (2, 3) for cells in found) and not _has_header(found) and _are_links(found)


def _has_header(found: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is a header: it is above numbers, and its cells do not occur again."""
    head, *others = found
    if not others or any(cell in cells for cells in others for cell in head if cell):
        return False
    columns = range(min(map(len, found)))
    return any(not _are_numbers([head[i]]) and _are_numbers([cells[i] for cells in others]) for i in columns)


def _are_links(found: Sequence[Sequence[str]]) -> bool:
    """Whether rows without a header are probably links: child, parent and possibly labels."""
    children = {cells[0] for cells in found}
    parents = [cells[1] for cells in found if cells[1]]
    third = [cells[2] if len(cells) > 2 else "" for cells in found]
    # There are as many labels as concepts that have them, but each level of a hierarchy has fewer than the one before.
    if all(third) and len(set(third)) < len(set(parents)):
        return False
    if any(cells[1] in children and cells[1] != cells[0] for cells in found):
        return True
    return len(set(parents)) < len(parents) and not _are_numbers(parents) and not _are_numbers(third)


def _are_numbers(cells: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(cell) for cell in cells)


def read(
    path: Path,
    *,
    delimiter: str | None = None,
    label_separator: str = "|",
    encoding: str = "utf-8",
    name: str = "",
) -> Taxonomy:
    """Read a file of links. The module's documentation describes the columns."""
    check_option(path, "label_separator", label_separator, example="|")
    if not label_separator:
        message = "The 'label_separator' is empty. Give the text that separates labels, such as '|'."
        raise ReadError(message, path=path, parameter="label_separator")
    if delimiter is None:
        delimiter = sniff_delimiter(path, _CHILD, _PARENT) or ","
    hint = f"Put quotes around a cell with {delimiter!r}, and separate labels by {label_separator!r}."
    columns: tuple[int, int, int | None] | None = None
    width = 0
    pairs: list[tuple[str, str]] = []
    link_lines: list[int] = []
    labels: dict[str, list[list[str]]] = {}
    concepts: dict[str, None] = {}
    children: set[str] = set()
    has_root = False
    for line, cells in rows(path, delimiter, encoding=encoding):
        if columns is None:
            columns, is_header = _columns(path, cells)
            width = len(cells)
            if is_header:
                continue
        child_at, parent_at, label_at = columns
        if len(cells) <= max(child_at, parent_at):
            raise ReadError(
                f"The row lacks a child or a parent. Write both, separated by {delimiter!r}, or remove the row.",
                path=path,
                line=line,
                code="columns",
            )
        check_width(path, line, cells, width, hint)
        child, parent = cells[child_at].strip(), cells[parent_at].strip()
        if not child:
            raise ReadError("The child is empty. Give one in every row.", path=path, line=line, code="T106")
        if parent:
            concepts.setdefault(parent)
            pairs.append((child, parent))
            link_lines.append(line)
        else:
            has_root = True
        concepts.setdefault(child)
        children.add(child)
        if label_at is not None and label_at < len(cells):
            words = [word.strip() for word in cells[label_at].split(label_separator)]
            labels.setdefault(child, []).append([word for word in words if word])
    if has_root:
        _check_parents(path, pairs, link_lines, children)
    return Taxonomy.from_edges(
        pairs,
        # Of several rows with labels, the first by text comes first, so that the order of the rows does not matter.
        {child: [word for words in sorted(rows_of) for word in words] for child, rows_of in labels.items()},
        concepts=list(concepts),
        annotations=Annotations(name=name or file_title(path)),
        path=path,
        lines=link_lines,
    )


def _check_parents(path: Path, pairs: list[tuple[str, str]], lines: list[int], children: set[str]) -> None:
    """T103: a file that declares roots must not have other concepts without a parent."""
    loose = [i for i, (_, parent) in enumerate(pairs) if parent not in children]
    if loose:
        child, parent = pairs[loose[0]]
        unknown = dict.fromkeys(pairs[i][1] for i in loose)
        fail(
            "T103",
            f"The parent {parent!r} of {child!r} is never a child. The file declares its roots by rows without a "
            f"parent. Correct the spelling, or add such rows for: {join_some(unknown)}.",
            path=path,
            line=lines[loose[0]],
            values=unknown,
        )


def _columns(path: Path, head: list[str]) -> tuple[tuple[int, int, int | None], bool]:
    names = [cell.strip().lower() for cell in head]
    child = next((names.index(n) for n in _CHILD if n in names), None)
    parent = next((names.index(n) for n in _PARENT if n in names), None)
    if child is not None and parent is not None:
        return (child, parent, next((names.index(n) for n in _LABELS if n in names), None)), True
    if len(head) < 2:
        raise ReadError("The file has one column. Give two: child and parent.", path=path, line=1, code="columns")
    return (0, 1, 2 if len(head) > 2 else None), False
