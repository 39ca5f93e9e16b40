"""What a check found, and the checks that need nothing but the hierarchy and the data.

The codes of all checks stand in `ontomask.hierarchy.checks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import cell_text, join_some
from ontomask.errors import HierarchyError, TaxonomyError
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.taxonomy.labels import normalise
from ontomask.taxonomy.validate import Finding

__all__ = ["HierarchyFinding", "count", "data_findings", "shape_findings"]


@dataclass(frozen=True)
class HierarchyFinding(Finding):
    """Something worth knowing about a hierarchy, by its code; where it belongs to one level, that level.

    ``labels`` are all that it concerns, where the message shows some.
    """

    level: int | None = None
    labels: tuple[str, ...] = ()


def count(n: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> count(1, "label"), count(1200, "value is", "values are")
    ('1 label', '1,200 values are')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def shape_findings(hierarchy: Hierarchy) -> Iterator[HierarchyFinding]:
    """Two branches, redundant levels, circles and the like."""
    labels, table = hierarchy.coded
    yield from _two_branches(labels, table)
    for level in range(1, table.shape[1]):
        found = _redundant(table, level)
        if found:
            yield HierarchyFinding("V104", found, level)
    try:
        hierarchy.to_taxonomy()
    except TaxonomyError as problem:
        if problem.code != "T101":
            raise
        cycles = str(problem).partition("\n")[2]
        yield HierarchyFinding("V112", f"labels lie above themselves:\n{cycles}")
    yield from _spelt_alike(labels)
    tops = hierarchy.labels(hierarchy.height)
    if len(tops) > 1:
        many = count(len(tops), "label")
        message = f"the last level has {many}, so that not all values can be made equal: {join_some(tops)}"
        yield HierarchyFinding("V114", message, hierarchy.height, tops)
    short = tuple(dict.fromkeys(row[0] for row in hierarchy.rows if len(row) <= hierarchy.height))
    if short:
        yield HierarchyFinding(
            "V115",
            f"{count(len(short), 'row is', 'rows are')} shorter than the {hierarchy.height + 1} cells of the others; "
            f"these values stand for themselves on the levels that they lack: {join_some(short)}",
            labels=short,
        )
    inner = table[:, 1:]
    others = np.unique(inner[inner != table[:, :1]])
    both = tuple(labels[code] for code in others[others < len(table)].tolist())
    if both:
        yield HierarchyFinding(
            "V117",
            f"{count(len(both), 'value is', 'values are')} an ancestor of other values as well: {join_some(both)}. "
            f"Such a label, released, does not tell whether it was generalised",
            labels=both,
        )


def data_findings(hierarchy: Hierarchy, values: Iterable[object]) -> Iterator[HierarchyFinding]:
    """Values of the data without a leaf, and leaves without a value; missing cells do not count."""
    if isinstance(values, str) or hasattr(values, "columns") or not isinstance(values, Iterable):
        raise HierarchyError(f"the values must be those of one column. Got {type(values).__name__} instead.")
    present = dict.fromkeys(text for text in map(cell_text, dict.fromkeys(values)) if text is not None)
    leaves = set(hierarchy.leaves)
    missing = tuple(value for value in present if value not in leaves)
    if missing:
        yield HierarchyFinding(
            "V103",
            f"{count(len(missing), 'value of the data has', 'values of the data have')} no leaf: "
            f"{_with_nearest(missing, hierarchy)}. Add a row for each",
            0,
            missing,
        )
    unused = tuple(leaf for leaf in hierarchy.leaves if leaf not in present)
    if unused:
        yield HierarchyFinding(
            "V111",
            f"{count(len(unused), 'leaf does', 'leaves do')} not occur in the data: {join_some(unused)}",
            0,
            unused,
        )


def _two_branches(labels: tuple[str, ...], table: NDArray[np.int32]) -> Iterator[HierarchyFinding]:
    """Ancestors that are generalised in two ways; a value with two ways up is refused when it is read."""
    below, above = table[:, :-1].ravel().astype(np.int64), table[:, 1:].ravel()
    links = np.unique((below * len(labels) + above)[below != above])
    child, parent = np.divmod(links, len(labels))
    starts = np.flatnonzero(np.diff(child, prepend=-1))
    ends = np.append(starts[1:], len(child))
    torn = np.flatnonzero(ends - starts > 1)
    if len(torn):
        branches = {
            labels[child[low]]: " and ".join(labels[p] for p in parent[low:high].tolist())
            for low, high in zip(starts[torn].tolist(), ends[torn].tolist(), strict=True)
        }
        shown = join_some(f"{label} under {parents}" for label, parents in branches.items())
        message = f"{count(len(branches), 'label lies', 'labels lie')} in several branches: {shown}"
        yield HierarchyFinding("V102", message, labels=tuple(branches))


def _redundant(table: NDArray[np.int32], level: int) -> str:
    """Why a level is redundant: it puts the same values together as the level below."""
    below, here = table[:, level - 1].astype(np.int64), table[:, level]
    pairs = np.unique(below * (int(table.max()) + 1) + here)
    groups = len(np.unique(here))
    if not len(pairs) == groups == len(np.unique(below)):
        return ""
    if groups == len(table):
        return f"level {level} is redundant: it puts no values together" if len(table) > 1 else ""
    renamed = "" if (below == here).all() else ", under other names"
    return f"level {level} is redundant: it groups the values as level {level - 1} does{renamed}"


def _spelt_alike(labels: tuple[str, ...]) -> Iterator[HierarchyFinding]:
    """Labels that a mapping would not tell apart."""
    spellings: dict[str, list[str]] = {}
    for label, plain in zip(labels, normalise("\n".join(labels)).split("\n"), strict=True):
        if plain:
            spellings.setdefault(plain, []).append(label)
    groups = [alike for alike in spellings.values() if len(alike) > 1]
    if groups:
        alike = tuple(label for group in groups for label in group)
        message = f"labels differ only in case or punctuation: {join_some(' and '.join(group) for group in groups)}"
        yield HierarchyFinding("V113", message, labels=alike)


def _with_nearest(missing: tuple[str, ...], hierarchy: Hierarchy, most: int = 5) -> str:
    """The first few values, each with the leaf that is spelt most like it."""
    from rapidfuzz import process

    shown = []
    for value in missing[:most]:
        near = process.extractOne(value, hierarchy.leaves, processor=normalise, score_cutoff=80)
        shown.append(f"{value!r} (perhaps {near[0]!r})" if near else repr(value))
    rest = f" and {len(missing) - most:,} more" if len(missing) > most else ""
    return ", ".join(shown) + rest
