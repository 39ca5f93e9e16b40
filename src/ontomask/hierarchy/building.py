"""Build a value generalisation hierarchy from an ontology (the future work of Ayala-Rivera 2014, section 5).

The ontology says what a value may become: the concepts above it. The loss there is TransGSL, the distance between the
value and the concept. What remains is to choose the concepts of each level. By the score alone, the best first level
merges two values, and the best hierarchy is useless because it hides nobody. So the number of groups of each level is
given. By default it falls by the same factor from level to level, from the number of values to one. Of all levels with
that many groups above the level below, the one with the smallest loss is taken (`coarsening`). Lower levels are chosen
first, since they weigh most in the level-based weights.

On each level, every value becomes the nearest concept of the level above it. So one concept of a level may lie above
another: *country*, for islands with no closer group, beside *European country*. Ontologies are ragged, and their
branches do not have equal depths. A value without a group on a level stands for itself there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.progress import progress, with_progress
from ontomask.distance import Distance
from ontomask.distance.ties import TIE
from ontomask.errors import HierarchyError, MappingError
from ontomask.hierarchy.checks import count
from ontomask.hierarchy.coarsening import Groups, coarsen
from ontomask.hierarchy.hierarchy import Hierarchy, check_choice
from ontomask.hierarchy.levels import distance_over
from ontomask.hierarchy.value_tree import ValueTree, value_tree
from ontomask.mapping import ColumnMapping, map_values
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.validate import check_text

__all__ = ["BuiltHierarchy", "build_hierarchy"]

Objective = Literal["max", "mean"]


@dataclass(frozen=True, repr=False)
class BuiltHierarchy(Hierarchy):
    """A hierarchy with the concepts of its labels.

    Attributes
    ----------
    concepts
        The concept id of each label. Give it as the ``mapping`` when you score the hierarchy.
    mapping
        How the values were mapped.
    """

    concepts: Mapping[str, str] = field(default_factory=dict, compare=False)
    mapping: ColumnMapping | None = field(default=None, compare=False)


@progress("Building the hierarchy")
def build_hierarchy(
    values: Iterable[object] | Mapping[str, int] | ColumnMapping,
    taxonomy: Taxonomy,
    mapping: Mapping[str, str] | None = None,
    levels: int | None = None,
    *,
    groups: Sequence[int] | Hierarchy | None = None,
    objective: Objective = "max",
    distance: str | Mapping[str, Any] | Distance | None = None,
    root_depth: int | None = None,
    domain: str | None = None,
    unmapped: str = "error",
    top: str | None = None,
    name: str = "",
) -> BuiltHierarchy:
    """Build a value generalisation hierarchy for the values of a column.

    All values have the same number of levels. Each level has fewer groups than the level below, and the last level has
    one. Each group goes into one group of the next level. A value becomes only concepts above its own.

    Parameters
    ----------
    values
        The cells of the column, or distinct values with their counts, or their mapping report, such as
        ``data.mapping["occupation"]``. Missing cells are ignored.
    taxonomy
        The ontology.
    mapping
        For some values a concept id, or a label with or without a sense (``"tiger#2"``).
    levels
        The number of levels above the values, the top included. The default is the average number of concepts above a
        value at which values meet.
    groups
        The number of groups of each level, from level 1 to the top, which has 1; ``levels`` is then their number. Or a
        hierarchy to improve on: as many groups as it has for these values, without its levels that group nothing. By
        default the numbers fall from the number of values by the same factor per level, rounded up.
    objective
        What each level minimises: ``max``, the maximum loss of a value, and within that limit the mean loss of a
        record; or ``mean``, only the latter, which keeps frequent values rather than rare ones.
    distance
        The loss of a value: the distance between its concept and what it becomes, over the whole taxonomy. A name, a
        dictionary with options or a distance over the taxonomy; by default Wu and Palmer's.
    root_depth
        An option of ``wu_palmer``: 2 by default, as in the tables of Ayala-Rivera 2014.
    domain
        A concept. Values without a meaning below it count as unmapped.
    unmapped
        What to do with values without a concept. ``error`` raises; ``keep`` leaves them as they are up to the top;
        ``root`` generalises them to the top from level 1 on; ``drop`` removes them from the hierarchy. The last three
        do not change the groups of other values.
    top
        The label of the last level, such as ``*``; by default the label of the values' least common subsumer.
    name
        The name of the hierarchy; by default the column's name in a mapping report.

    Notes
    -----
    The label of a concept is its first label in the ontology. If another concept or a value has that label, the id is
    added: ``bank (bank.n.02)``. A value that lies above another in the ontology is a leaf beside it, below the concept
    that both become. In a polyhierarchy each value gets one path up (see `value_tree`). A shortcut may make a concept
    closer to the value than one below it. The loss there is the maximum so far on the path. The level with the smallest
    mean is found exactly if groups × groups of the next level × depth is at most 20 million, and approximately beyond
    that (see `coarsening`).

    Examples
    --------
    >>> import ontomask as om
    >>> pets = {"dog": 40, "cat": 30, "parrot": 5, "canary": 4, "goldfish": 9, "carp": 1}
    >>> h = build_hierarchy(pets, om.load_wordnet(), levels=2, domain="animal", top="*")
    >>> for row in h.rows:
    ...     print(" → ".join(row))
    goldfish → cyprinid → *
    carp → cyprinid → *
    dog → carnivore → *
    cat → carnivore → *
    parrot → bird → *
    canary → bird → *
    >>> h.concepts["bird"], h.mapping.ambiguous[0].value
    ('bird.n.01', 'cat')
    """
    check_choice("objective", objective, ("max", "mean"))
    mapped = _map_values(values, taxonomy, mapping, domain, name)
    mapped.decide(unmapped=unmapped, missing="drop")
    # The order of the values, which may be that of the table, must not decide between equally good levels.
    leaves = sorted((v for v in mapped.values if v.concept is not None), key=lambda v: (-v.count, v.value))
    if len(leaves) < 2:
        raise HierarchyError(
            f"A hierarchy needs at least two values with a concept. Got {len(leaves)}, of {len(mapped.values):,} "
            f"distinct values. Give the whole column, or map more of its values.",
            parameter="values",
        )
    counts = np.array([v.count for v in leaves], dtype=np.int64)
    tree = value_tree(taxonomy.graph, [taxonomy.code(v.concept or "") for v in leaves], counts.tolist())
    loss = _losses(tree, distance_over(taxonomy, distance, root_depth))
    built = [Groups.of_values(tree, loss, counts)]
    if isinstance(groups, Hierarchy):
        groups = _groups_of(groups, [v.value for v in leaves])
    for k in with_progress("Building levels", _group_numbers(tree, levels, groups)):
        built.append(coarsen(built[-1], k, objective))
    others = [] if unmapped == "drop" else sorted(v.value for v in mapped.unmapped)
    label = _labels(tree, built, [v.value for v in leaves], others, taxonomy, top)
    rows = _rows(built, label)
    between = len(built) - 2
    rows += [(text, *[text if unmapped == "keep" else label[0]] * between, label[0]) for text in others]
    # Validate each text once, not on every row. The rows are a hierarchy by construction.
    Hierarchy.from_rows((text, label[0]) for text in (*label.values(), *others))
    concepts = {text: taxonomy.ids[tree.concept[node]] for node, text in label.items()}
    title = mapped.column if isinstance(values, ColumnMapping) else ""
    return BuiltHierarchy(tuple(rows), name or title, concepts, mapped)


def _map_values(
    values: Iterable[object] | Mapping[str, int] | ColumnMapping,
    taxonomy: Taxonomy,
    mapping: Mapping[str, str] | None,
    domain: str | None,
    name: str,
) -> ColumnMapping:
    if not isinstance(taxonomy, Taxonomy):
        raise HierarchyError(
            f"The 'taxonomy' must be a Taxonomy. Got {type(taxonomy).__name__} instead.", parameter="taxonomy"
        )
    if not isinstance(values, ColumnMapping):
        return map_values(values, taxonomy, mapping, domain=domain, column=name or "values")
    if mapping is not None or domain is not None:
        raise MappingError(
            "The values are mapped already. Remove 'mapping' and 'domain', or give the values themselves.",
            parameter="mapping",
        )
    return values


def _losses(tree: ValueTree, distance: Distance) -> NDArray[np.float64]:
    """TransGSL of each value (row) at the node above it at each depth (column); infinite below the value."""
    paths = tree.paths(tree.leaf)
    depth = tree.depth[tree.leaf]
    above = np.arange(paths.shape[1]) < depth[:, None]
    loss = np.zeros(paths.shape)
    value, _ = np.nonzero(above)
    loss[above] = distance.pairs(tree.concept[tree.leaf[value]], tree.concept[paths[above]])
    # On the way up, from the last column to the first, a shortcut does not undo a loss.
    loss = np.maximum.accumulate(loss[:, ::-1], axis=1)[:, ::-1].copy()
    loss[paths < 0] = np.inf
    return loss


def _groups_of(hierarchy: Hierarchy, values: Sequence[str]) -> list[int]:
    """The number of groups of the values on each level of a hierarchy, without levels that group nothing."""
    paths = [hierarchy.levels(value) for value in values]
    sizes = [len(set(labels)) for labels in zip(*paths, strict=True)]
    fewest = np.minimum.accumulate(sizes).tolist()
    return [size for before, size in pairwise(fewest) if size < before]


def _group_numbers(tree: ValueTree, levels: int | None, groups: Sequence[int] | None) -> list[int]:
    """The number of groups of each level."""
    values = len(tree.leaf)
    if groups is not None:
        wanted = [] if isinstance(groups, str) else list(groups)
        integers = all(isinstance(k, (int, np.integer)) and not isinstance(k, bool) for k in wanted)
        if not integers or wanted[-1:] != [1] or any(a <= b for a, b in pairwise([values, *wanted])):
            raise HierarchyError(
                f"The 'groups' must be ints that fall from less than the number of values, {values:,}, to 1. "
                f"Got {groups!r} instead.",
                parameter="groups",
            )
        if levels not in (None, len(wanted)):
            raise HierarchyError(
                f"The 'groups' make {len(wanted)} levels, but 'levels' is {levels!r}. Give only one of them.",
                parameter="levels",
            )
        return [int(k) for k in wanted]
    if levels is None:
        levels = min(max(1, round(float(tree.depth[tree.leaf].mean()))), values - 1)
    elif isinstance(levels, bool) or not isinstance(levels, (int, np.integer)) or levels < 1:
        raise HierarchyError(f"The 'levels' must be an int ≥ 1. Got {levels!r} instead.", parameter="levels")
    if levels > values - 1:
        raise HierarchyError(
            f"{values:,} values make at most {count(values - 1, 'level')}, since each level has fewer groups than the "
            f"level below. Ask for fewer. Got levels={levels} instead.",
            parameter="levels",
        )
    wanted = [values]
    for level in range(1, levels + 1):
        even = math.ceil(values ** (1 - level / levels) - TIE)
        # Leave enough groups for the levels above, each of which has at least one less.
        wanted.append(max(levels - level + 1, min(even, wanted[-1] - 1)))
    return wanted[1:]


def _labels(
    tree: ValueTree,
    built: Sequence[Groups],
    texts: Sequence[str],
    others: Sequence[str],
    taxonomy: Taxonomy,
    top: str | None,
) -> dict[int, str]:
    """A distinct label for each node that is on a level: the value's text, or a label of the concept."""
    label = dict(zip(tree.leaf.tolist(), texts, strict=True))
    inner = [node for node in np.unique(np.concatenate([level.node for level in built])).tolist() if node not in label]
    word = {node: " ".join(taxonomy.texts.first(int(tree.concept[node])).split()) for node in inner}
    if top is not None:
        word[0] = check_text(top, "the label of the top").strip()
    # Readers overlook a difference in case only.
    uses = Counter(text.casefold() for text in (*texts, *others, *word.values()))
    taken = set(uses)
    for node in inner:
        plain, concept = word[node], taxonomy.ids[tree.concept[node]]
        label[node] = plain
        if uses[plain.casefold()] > 1:
            candidates = (f"{plain} ({concept})", concept, f"{concept} ({concept})")
            free = [text for text in candidates if text.casefold() not in taken]
            if not free or (node == 0 and top is not None):
                raise HierarchyError(
                    f"The label {plain!r} for {concept!r} already has another meaning in the hierarchy. Give another "
                    f"label for the top with top=, or change the spelling of the values.",
                    parameter="top",
                )
            label[node] = free[0]
            taken.add(free[0].casefold())
    return label


def _rows(built: Sequence[Groups], label: Mapping[int, str]) -> list[tuple[str, ...]]:
    """The path of each value, with the values of a group next to each other."""
    nodes = np.stack([level.node[level.group_of] for level in built], axis=1)
    order = np.lexsort([level.group_of for level in built])
    return [tuple(label[node] for node in path) for path in nodes[order].tolist()]
