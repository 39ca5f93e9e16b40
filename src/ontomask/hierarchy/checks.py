"""Coded checks of a hierarchy: alone, against the data, and against an ontology.

===== ======== ==================================================================================
code  needs    meaning
===== ======== ==================================================================================
V101  ontology a level loses more than the next level: a child is less specific than its parent
V102           a label is in two branches (two branches for a value are an error on reading)
V103  data     a value of the data has no leaf
V104           a level is redundant: it groups the values as the level below does
V105  ontology a value is not a kind of its ancestor
V106  ontology a label means different things for different values
V107  ontology another sense than the first would fit the ancestors of a value better
V108  ontology a label has no concept
V109  ontology a label with several senses took the first by default
V110  ontology no transition of a level could be scored
V111  data     a leaf does not occur in the data
V112           a label is its own ancestor
V113           labels differ only in case or punctuation
V114           the last level has several labels
V115           rows are shorter than others
V116  ontology the mapping names a label that the hierarchy does not have
V117           a value is also an ancestor of other values
V118  ontology a label was found only by its word stem
V119           a label such as 20-24 describes a range that excludes some of its values
V201  others   compared hierarchies have different values
V202  others   compared hierarchies are scored over different shares of their transitions
V203  others   compared hierarchies have different heights
===== ======== ==================================================================================

V201 to V203 are notes of `ontomask.compare_hierarchies`.

What to do: remove a level of V101 or V104 with `Hierarchy.without`. Add senses of V107 and V109 and labels of V108 to
the mapping (`HierarchyScore.better_senses` and ``unmapped`` make suggestions). If the mapping of a value of V105 is
right, move the value to another branch. If most of the hierarchy is wrong,
``build_hierarchy(cells, taxonomy, groups=hierarchy)`` makes another one with as many groups on each level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import progress
from ontomask.base.text import cell_text, join_some
from ontomask.distance import Distance
from ontomask.errors import HierarchyError
from ontomask.hierarchy.hierarchy import Hierarchy, require_hierarchy
from ontomask.hierarchy.levels import (
    LevelFunction,
    LevelScore,
    check_choices,
    distance_over,
    level_scores,
    transition_losses,
)
from ontomask.hierarchy.range_labels import false_ranges
from ontomask.hierarchy.reading import as_mapping
from ontomask.hierarchy.senses import Senses, find_senses
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.graph import CyclicGraphError, DeepGraphError, Graph
from ontomask.taxonomy.labels import normalise
from ontomask.taxonomy.validate import Finding

__all__ = ["HierarchyFinding", "check_hierarchy", "count", "ontology_findings"]


@dataclass(frozen=True)
class HierarchyFinding(Finding):
    """A finding about a hierarchy.

    Attributes
    ----------
    code, message
        The code in the table of `ontomask.hierarchy.checks`, and the finding in words.
    level
        The level that it is about, if it is about one.
    labels
        All labels that it is about. The message may name only a few.
    facts
        What the message was made from, such as the nearest leaves of unknown values.
    """

    level: int | None = None
    labels: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)


@progress("Checking the hierarchy")
def check_hierarchy(
    hierarchy: Hierarchy,
    taxonomy: Taxonomy | None = None,
    values: Iterable[object] | None = None,
    *,
    mapping: Mapping[str, str | None] | str | Path | None = None,
    distance: str | Mapping[str, Any] | Distance | None = None,
    root_depth: int | None = None,
    level: LevelFunction = "max",
) -> tuple[HierarchyFinding, ...]:
    """Find errors and oddities in a hierarchy. The findings are sorted by code.

    Parameters
    ----------
    hierarchy
        The hierarchy to check.
    taxonomy
        An ontology to check it against.
    values
        The cells of its column. Missing cells are ignored.
    mapping, distance, root_depth, level
        As in `score_hierarchy`. They need a taxonomy.

    Examples
    --------
    >>> h = Hierarchy.from_rows([("Leeds", "UK", "Europe", "*"), ("York", "UK", "Commonwealth", "*")])
    >>> for finding in check_hierarchy(h, values=["Leeds", "Yorck", None]):
    ...     print(finding)
    V102: 1 label is in several branches: 'UK under Europe and Commonwealth'
    V103: 1 value of the data has no leaf: 'Yorck' (perhaps 'York'). Add a row for each
    V111: 1 leaf does not occur in the data: 'York'
    """
    require_hierarchy(hierarchy)
    check_choices("constant", level)
    findings = list(_shape_findings(hierarchy))
    if values is not None:
        findings += _data_findings(hierarchy, values)
    if taxonomy is not None:
        measure = distance_over(taxonomy, distance, root_depth)
        senses = find_senses(hierarchy, taxonomy, as_mapping(mapping))
        levels = level_scores(senses, transition_losses(senses, measure), "constant", level)
        findings += ontology_findings(levels, senses)
    else:
        options = {"mapping": mapping, "distance": distance, "root_depth": root_depth}
        useless = [name for name, option in options.items() if option is not None] + ["level"] * (level != "max")
        if useless:
            raise HierarchyError(
                f"The option {useless[0]!r} needs an ontology. Give a taxonomy as well.", parameter=useless[0]
            )
    return tuple(sorted(findings, key=lambda finding: finding.code))


def count(n: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> count(1, "label"), count(1200, "value is", "values are")
    ('1 label', '1,200 values are')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


# Checks of the hierarchy alone


def _shape_findings(hierarchy: Hierarchy) -> Iterator[HierarchyFinding]:
    labels, table = hierarchy.coded
    child, parent = _links(table, len(labels))
    yield from _several_branches(labels, child, parent)
    for level in range(1, table.shape[1]):
        yield from _redundant_level(table, level)
    yield from _cycles(labels, child, parent)
    yield from _similar_spellings(labels)
    tops = hierarchy.labels(hierarchy.height)
    if len(tops) > 1:
        message = f"The last level has {len(tops):,} labels, so not all values can become equal: {join_some(tops)}"
        yield HierarchyFinding("V114", message, hierarchy.height, tops)
    short = tuple(dict.fromkeys(row[0] for row in hierarchy.rows if len(row) <= hierarchy.height))
    if short:
        yield HierarchyFinding(
            "V115",
            f"{count(len(short), 'row is', 'rows are')} shorter than the {hierarchy.height + 1} cells of the others. "
            f"Their values stand for themselves on the missing levels: {join_some(short)}",
            labels=short,
        )
    false = false_ranges(hierarchy.leaves, hierarchy.levels)
    if false:
        message = f"Ranges exclude some of their values: {join_some(false)}. See with_true_ranges()"
        yield HierarchyFinding("V119", message, labels=false)
    inner = table[:, 1:]
    others = np.unique(inner[inner != table[:, :1]])
    both = tuple(labels[code] for code in others[others < len(table)].tolist())
    if both:
        yield HierarchyFinding(
            "V117",
            f"{count(len(both), 'value is', 'values are')} also an ancestor of other values: {join_some(both)}. In a "
            f"release, such a label does not show whether it was generalised",
            labels=both,
        )


def _links(table: IntArray, labels: int) -> tuple[IntArray, IntArray]:
    """The distinct links between labels, child and parent, sorted by child."""
    below, above = table[:, :-1].ravel().astype(np.int64), table[:, 1:].ravel()
    child, parent = np.divmod(np.unique((below * labels + above)[below != above]), labels)
    return child.astype(np.int32), parent.astype(np.int32)


def _several_branches(labels: tuple[str, ...], child: IntArray, parent: IntArray) -> Iterator[HierarchyFinding]:
    """Ancestors with several parents. A value with two parents is an error on reading."""
    parents: dict[str, list[str]] = {}
    for low, high in zip(child.tolist(), parent.tolist(), strict=True):
        parents.setdefault(labels[low], []).append(labels[high])
    several = {label: found for label, found in parents.items() if len(found) > 1}
    if several:
        shown = join_some(f"{label} under {' and '.join(found)}" for label, found in several.items())
        message = f"{count(len(several), 'label is', 'labels are')} in several branches: {shown}"
        yield HierarchyFinding("V102", message, labels=tuple(several), facts={"parents": several})


def _redundant_level(table: IntArray, level: int) -> Iterator[HierarchyFinding]:
    """A level that groups the values as the level below does."""
    below, here = table[:, level - 1].astype(np.int64), table[:, level]
    pairs = np.unique(below * (int(table.max()) + 1) + here)
    groups = len(np.unique(here))
    if not len(pairs) == groups == len(np.unique(below)) or len(table) == 1:
        return
    renamed = bool((below != here).any())
    same = f"it groups the values as level {level - 1} does{', under other names' if renamed else ''}"
    message = f"Level {level} is redundant: {'it groups no values' if groups == len(table) else same}"
    yield HierarchyFinding("V104", message, level, facts={"groups": groups, "renamed": renamed})


def _cycles(labels: tuple[str, ...], child: IntArray, parent: IntArray) -> Iterator[HierarchyFinding]:
    """Labels that are their own ancestors."""
    try:
        with suppress(DeepGraphError):
            Graph.build(labels, child, parent)
    except CyclicGraphError as problem:
        cycles = tuple(tuple(labels[code] for code in cycle) for cycle in problem.cycles)
        shown = "\n".join(f"  {' → '.join(cycle)}" for cycle in cycles)
        involved = tuple(dict.fromkeys(label for cycle in cycles for label in cycle))
        yield HierarchyFinding(
            "V112", f"Labels are their own ancestors:\n{shown}", labels=involved, facts={"cycles": cycles}
        )


def _similar_spellings(labels: tuple[str, ...]) -> Iterator[HierarchyFinding]:
    """Labels that a mapping would not distinguish."""
    spellings: dict[str, list[str]] = {}
    for label, plain in zip(labels, normalise("\n".join(labels)).split("\n"), strict=True):
        if plain:
            spellings.setdefault(plain, []).append(label)
    groups = [alike for alike in spellings.values() if len(alike) > 1]
    if groups:
        alike = tuple(label for group in groups for label in group)
        message = f"Labels differ only in case or punctuation: {join_some(' and '.join(group) for group in groups)}"
        yield HierarchyFinding("V113", message, labels=alike)


# Checks against the data


def _data_findings(hierarchy: Hierarchy, values: Iterable[object]) -> Iterator[HierarchyFinding]:
    """Values of the data without a leaf, and leaves without a value."""
    if isinstance(values, str) or hasattr(values, "columns") or not isinstance(values, Iterable):
        raise HierarchyError(
            f"The 'values' must be the cells of one column. Got {type(values).__name__} instead.", parameter="values"
        )
    present = dict.fromkeys(text for text in map(cell_text, dict.fromkeys(values)) if text is not None)
    leaves = set(hierarchy.leaves)
    missing = tuple(value for value in present if value not in leaves)
    if missing:
        nearest = _nearest_leaves(missing[:5], hierarchy)
        shown = ", ".join(f"{v!r} (perhaps {nearest[v]!r})" if v in nearest else repr(v) for v in missing[:5])
        rest = f" and {len(missing) - 5:,} more" if len(missing) > 5 else ""
        has = count(len(missing), "value of the data has", "values of the data have")
        message = f"{has} no leaf: {shown}{rest}. Add a row for each"
        yield HierarchyFinding("V103", message, 0, missing, {"nearest": nearest})
    unused = tuple(leaf for leaf in hierarchy.leaves if leaf not in present)
    if unused:
        message = f"{count(len(unused), 'leaf does', 'leaves do')} not occur in the data: {join_some(unused)}"
        yield HierarchyFinding("V111", message, 0, unused)


def _nearest_leaves(values: Iterable[str], hierarchy: Hierarchy) -> dict[str, str]:
    """The leaf with the most similar spelling, for values that have a similar one."""
    from rapidfuzz import process

    found = {
        value: process.extractOne(value, hierarchy.leaves, processor=normalise, score_cutoff=80) for value in values
    }
    return {value: near[0] for value, near in found.items() if near}


# Checks against an ontology


def ontology_findings(levels: tuple[LevelScore, ...], senses: Senses) -> Iterator[HierarchyFinding]:
    """Levels in the wrong order or without a loss, transitions that are not is-a, and labels without a clear sense."""
    for level in levels:
        if level.flagged:
            yield HierarchyFinding(
                "V101",
                f"Level {level.level} loses more ({level.gsl:.4f}, worst {level.worst}) than the level above it: its "
                f"labels are less specific than their parents",
                level.level,
                facts={"worst": level.worst},
            )
    for level in levels:
        if level.gsl is None:
            message = f"No transition of level {level.level} could be scored. Its weight goes to the other levels"
            yield HierarchyFinding("V110", message, level.level)
    yield from _not_is_a(senses)
    if senses.conflicting:
        shown = join_some(
            f"{label}: " + ", ".join(f"{concept} ({count(n, 'value')})" for concept, n in found.items())
            for label, found in senses.conflicting.items()
        )
        means = count(len(senses.conflicting), "label means", "labels mean")
        yield _about("V106", f"{means} different things for different values: {shown}", senses.conflicting)
    if senses.better:
        many = count(len(senses.better), "value")
        yield HierarchyFinding(
            "V107",
            f"{many} would fit the ancestors better in another sense than the first: {_as_concepts(senses.better)}. "
            f"Add better_senses to the mapping if that is meant",
            0,
            tuple(senses.better),
            {"concepts": senses.better},
        )
    unmapped = [found.label for found in senses.unmapped]
    if unmapped:
        has = count(len(unmapped), "label has", "labels have")
        yield _about("V108", f"{has} no concept: {join_some(unmapped)}", unmapped)
    first = senses.first_senses
    if first:
        many = count(len(first), "label")
        yield _about("V109", f"{many} with several senses took the first by default: {join_some(first)}", first)
    stems = {v.value: v.concept for v in senses.report.values if v.rule == "stem" and v.concept is not None}
    if stems:
        was = count(len(stems), "label was", "labels were")
        yield _about("V118", f"{was} found only by the word stem: {_as_concepts(stems)}", stems)
    unused = senses.report.unused_keys
    if unused:
        many = count(len(unused), "label")
        yield _about("V116", f"The mapping names {many} that the hierarchy lacks: {join_some(unused)}", unused)


def _about(code: str, message: str, labels: Iterable[str]) -> HierarchyFinding:
    """A finding about labels; if they come with their concepts, these are its facts."""
    facts = {"concepts": labels} if isinstance(labels, Mapping) else {}
    return HierarchyFinding(code, message, labels=tuple(labels), facts=facts)


def _as_concepts(concepts: Mapping[str, str]) -> str:
    return join_some(f"{label} as {concept}" for label, concept in concepts.items())


def _not_is_a(senses: Senses) -> Iterator[HierarchyFinding]:
    """Levels with transitions from a value to an ancestor that does not subsume it."""
    labels, table = senses.hierarchy.coded
    for level in range(1, table.shape[1]):
        scored: NDArray[np.bool_] = senses.scored[:, level - 1]
        rows = np.flatnonzero(scored & ~senses.is_a[:, level - 1])
        if len(rows):
            transitions = [(labels[i], labels[table[i, level]]) for i in rows.tolist()]
            shown = join_some(f"{leaf} → {ancestor}" for leaf, ancestor in transitions)
            verb = "is" if len(rows) == 1 else "are"
            yield HierarchyFinding(
                "V105",
                f"Level {level}: {len(rows):,} of {count(int(scored.sum()), 'transition')} {verb} not is-a in the "
                f"ontology: {shown}",
                level,
                tuple(labels[code] for code in np.unique(table[rows, level]).tolist()),
                {"transitions": transitions, "scored": int(scored.sum())},
            )
