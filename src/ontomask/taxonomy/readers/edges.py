"""Links in a CSV or TSV file: child, parent and, optionally, the child's labels.

::

    child,parent,labels
    symptom,,
    pain,symptom,
    ache,pain,ache|aching

With a header the columns ``child`` (or ``id``, ``concept``), ``parent`` and ``labels`` (or ``label``) may
stand in any order and other columns are ignored; without one the first two or three columns are taken.
Several labels are separated by ``|``. A child with several parents has several rows. A row without a
parent declares a root.
"""

from __future__ import annotations

from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import data_name, peek, rows, sniff_delimiter
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy

__all__ = ["can_read", "read"]

_CHILD = ("child", "id", "concept")
_PARENT = ("parent", "parent_id", "is_a")
_LABELS = ("labels", "label", "name")


def can_read(path: Path) -> bool:
    """A CSV or TSV file whose header names a child and a parent, or of two or three columns all along."""
    if not path.is_file() or not data_name(path).endswith((".csv", ".tsv", ".tab", ".txt")):
        return False
    delimiter = sniff_delimiter(path)
    if delimiter is None:
        return False
    head = [cell.strip().lower() for cell in peek(path).splitlines()[0].split(delimiter)]
    named = bool(set(head) & set(_CHILD)) and bool(set(head) & set(_PARENT))
    return named or (len(head) in (2, 3) and "*" not in peek(path))


def read(
    path: Path,
    *,
    delimiter: str | None = None,
    label_separator: str = "|",
    encoding: str = "utf-8",
    name: str = "",
) -> Taxonomy:
    """Read a file of links. See the module's description for the columns."""
    delimiter = delimiter or sniff_delimiter(path) or ","
    columns: tuple[int, int, int | None] | None = None
    pairs: list[tuple[str, str]] = []
    places: list[int] = []
    labels: dict[str, list[str]] = {}
    concepts: dict[str, None] = {}
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
        concepts.setdefault(child)
        if label_at is not None and label_at < len(cells):
            words = [word.strip() for word in cells[label_at].split(label_separator)]
            labels.setdefault(child, []).extend(word for word in words if word)
    return Taxonomy.from_edges(
        pairs,
        labels,
        concepts=list(concepts),
        annotations=Annotations(name=name or data_name(path).rsplit(".", 1)[0]),
        path=path,
        lines=places,
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
