"""Groups of values: the group above each value and above each group, from a dictionary, a file or a hierarchy."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from ontomask.base.text import cell_text
from ontomask.errors import ReadError, TableError, Wording
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.readers.arx_csv import read_rows

__all__ = ["Groups", "Rows", "make_taxonomy", "read_groups"]

_HEADING = ["value", "group"]


class Rows(Protocol):
    """A hierarchy: one row per value, from the value to the top."""

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """The rows."""


Groups = Mapping[str, Sequence[object]] | str | Path | Rows
"""Groups with their values, the path of a file, or a hierarchy."""


def read_groups(groups: Groups | None) -> dict[str, str]:
    """The group above each value and above each group. Equal texts are one value or group.

    >>> read_groups({"couple": ["married", "partners"], "ever": ["couple", "widowed"]})
    {'married': 'couple', 'partners': 'couple', 'couple': 'ever', 'widowed': 'ever'}
    """
    if groups is None:
        return {}
    if isinstance(groups, (str, Path)):
        path = Path(groups)
        found = read_rows(path)
        if [cell.casefold() for cell in found[0][1][:2]] == _HEADING:
            found = found[1:]
        return _check_tree([(link, line) for line, cells in found for link in pairwise(cells)], path)
    if isinstance(groups, Mapping):
        members = [(member, group) for group, values in groups.items() for member in _values_of(values)]
        return _check_tree([((_text(member), _text(group)), None) for member, group in members])
    rows = getattr(groups, "rows", None)
    if rows is None:
        raise _wrong_type(groups)
    return _check_tree([(link, None) for row in rows for link in pairwise(row)])


def _values_of(values: object) -> Sequence[object]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise _wrong_type(values)
    return values


def _text(value: object) -> str:
    if isinstance(value, Collection) and not isinstance(value, str):
        raise _wrong_type(value)
    text = cell_text(value)
    if text is None:
        raise TableError("A group, or a value of a group, is empty. Remove it.", parameter="groups")
    return text


def _wrong_type(given: object) -> TableError:
    return TableError(
        f"The 'groups' must list the values of each group, or be the path of a CSV file with a value and its group in "
        f"each row, or a Hierarchy. Got {type(given).__name__} instead.",
        parameter="groups",
    )


def _check_tree(links: Iterable[tuple[tuple[str, str], int | None]], path: Path | None = None) -> dict[str, str]:
    """The links as a dictionary. Each value must have one group, and no group may be above itself."""
    above: dict[str, str] = {}
    for (child, parent), line in links:
        if child != parent and above.setdefault(child, parent) != parent:
            text = "A value is in two groups. Keep one of them."
            raise _failure(text, path, line, [child])
    safe: set[str] = set()
    for start in above:
        walk: list[str] = []
        at: str | None = start
        while at is not None and at not in safe:
            if at in walk:
                text = "A group is above itself. Remove one of its links."
                raise _failure(text, path, None, walk[walk.index(at) :])
            walk.append(at)
            at = above.get(at)
        safe.update(walk)
    return above


def _failure(text: str, path: Path | None, line: int | None, values: Sequence[str]) -> ReadError | TableError:
    named = Wording(" They are in this error's 'values'.")
    if path is not None:
        return ReadError(text, named, path=path, line=line, values=values, parameter="groups")
    return TableError(text, named, values=values, parameter="groups")


def make_taxonomy(values: Iterable[str], above: Mapping[str, str], top: str) -> Taxonomy:
    """The values, their groups, and the top above all that are in no group.

    Its order, which breaks ties, does not depend on the order of the records.

    >>> make_taxonomy(["c", "a"], {"a": "A", "b": "A"}, "*").ids
    ('*', 'A', 'c', 'a', 'b')
    """
    concepts = dict.fromkeys([top, *above.values(), *above, *sorted(values)])
    links = [(concept, above.get(concept, top)) for concept in concepts if concept != top]
    return Taxonomy.from_edges(links, concepts=list(concepts))
