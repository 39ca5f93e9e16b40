"""Links in a CSV or TSV file: child, parent and, optionally, the child's labels.

::

    child,parent,labels
    symptom,,
    pain,symptom,
    ache,pain,ache|aching

With a header the columns ``child`` (or ``id``, ``concept``), ``parent`` and ``labels`` (or ``label``) may
stand in any order and other columns are ignored; without one the first two or three columns are taken.
Several labels are separated by ``|``. A child with several parents has several rows. A row without a
parent declares a root. If there is any such row, every concept must stand as a child: a parent that never does
is then taken for a slip of the pen.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from ontomask.base.text import join_some
from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import TEXT_NAMES, check_option, data_name, first_lines, rows, sniff_delimiter
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

_CHILD = ("child", "id", "concept")
_PARENT = ("parent", "parent_id", "is_a")
_LABELS = ("labels", "label", "name")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


def can_read(path: Path) -> bool:
    """A CSV or TSV file whose header names a child and a parent, or whose two or three columns look like links.

    A table of data has two or three columns as well, and so has a hierarchy as ARX keeps it.
    """
    if not path.is_file() or not data_name(path).endswith(TEXT_NAMES):
        return False
    delimiter = sniff_delimiter(path)
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
    """Whether the first row names columns: it stands above numbers, and nothing in it comes again."""
    head, *others = found
    if not others or any(cell in cells for cells in others for cell in head if cell):
        return False
    columns = range(min(map(len, found)))
    return any(not _are_numbers([head[i]]) and _are_numbers([cells[i] for cells in others]) for i in columns)


def _are_links(found: Sequence[Sequence[str]]) -> bool:
    """Whether rows without a header are likely to be child, parent and, perhaps, labels."""
    children = {cells[0] for cells in found}
    parents = [cells[1] for cells in found if cells[1]]
    third = [cells[2] if len(cells) > 2 else "" for cells in found]
    # Labels are as many as the concepts that have them; the levels of a hierarchy get ever fewer.
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
    """Read a file of links. See the module's description for the columns."""
    check_option(path, "label_separator", label_separator, example="|")
    if not label_separator:
        raise ReadError("the label_separator is empty. Give what stands between labels, such as '|'.", path=path)
    if delimiter is None:
        delimiter = sniff_delimiter(path) or ","
    columns: tuple[int, int, int | None] | None = None
    pairs: list[tuple[str, str]] = []
    places: list[int] = []
    labels: dict[str, list[str]] = {}
    concepts: dict[str, None] = {}
    children: set[str] = set()
    has_root = False
    for line, cells in rows(path, delimiter, encoding=encoding):
        if columns is None:
            columns, is_header = _columns(path, cells)
            if is_header:
                continue
        child_at, parent_at, label_at = columns
        if len(cells) <= max(child_at, parent_at):
            raise ReadError(
                f"expected a child and a parent separated by {delimiter!r}, got {len(cells)} column(s).",
                path=path,
                line=line,
            )
        child, parent = cells[child_at].strip(), cells[parent_at].strip()
        if not child:
            raise ReadError("the child is empty. Every row needs one.", path=path, line=line, code="T106")
        if parent:
            concepts.setdefault(parent)
            pairs.append((child, parent))
            places.append(line)
        else:
            has_root = True
        concepts.setdefault(child)
        children.add(child)
        if label_at is not None and label_at < len(cells):
            words = [word.strip() for word in cells[label_at].split(label_separator)]
            labels.setdefault(child, []).extend(word for word in words if word)
    if has_root:
        _check_parents(path, pairs, places, children)
    return Taxonomy.from_edges(
        pairs,
        labels,
        concepts=list(concepts),
        annotations=Annotations(name=name or data_name(path).rsplit(".", 1)[0]),
        path=path,
        lines=places,
    )


def _check_parents(path: Path, pairs: list[tuple[str, str]], places: list[int], children: set[str]) -> None:
    """T103: a file that says which concepts are roots has no others."""
    loose = [i for i, (_, parent) in enumerate(pairs) if parent not in children]
    if loose:
        child, parent = pairs[loose[0]]
        unknown = dict.fromkeys(pairs[i][1] for i in loose)
        fail(
            "T103",
            f"the parent {parent!r} of {child!r} never stands as a child. Never so: {join_some(unknown)}. The file "
            f"declares its roots by rows without a parent: correct the spelling, or add such a row.",
            path=path,
            line=places[loose[0]],
        )


def _columns(path: Path, head: list[str]) -> tuple[tuple[int, int, int | None], bool]:
    names = [cell.strip().lower() for cell in head]
    child = next((names.index(n) for n in _CHILD if n in names), None)
    parent = next((names.index(n) for n in _PARENT if n in names), None)
    if child is not None and parent is not None:
        return (child, parent, next((names.index(n) for n in _LABELS if n in names), None)), True
    if len(head) < 2:
        raise ReadError("has one column. A file of links needs two: child and parent.", path=path, line=1)
    return (0, 1, 2 if len(head) > 2 else None), False
