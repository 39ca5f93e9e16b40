"""Build a value generalisation hierarchy from an ontology (V section 5: its future work).

A hierarchy made by hand says what each value becomes on each level. Here the ontology says what a value may become (the
concepts above it), and what it loses there is V's TransGSL, the distance between the two. What remains to be chosen is
which concepts make up each level. By V's score alone the best first level merges two values and the best hierarchy is
useless, since it hides nobody: how coarse each level is has to be given. So each level has a given number of groups,
by default falling from level to level by the same factor, from the number of values to the one top; and of all levels
with so many groups over the level below it the one that loses least is taken (`coarsening`). The lower levels choose
first: in V's level-based weights they weigh most.

On a level every value stands under the nearest of the level's concepts above it. Concepts of one level may thus lie
above one another, such as *country*, for islands that are nothing more special, beside *European country*; ontologies
are ragged, and their branches do not end in equal steps. A value that nothing groups on a level stands there as itself.
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

from ontomask.distance import Distance
from ontomask.distance.ties import TIE
from ontomask.errors import HierarchyError, MappingError
from ontomask.hierarchy.coarsening import Groups, coarsen
from ontomask.hierarchy.findings import count
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.hierarchy.scoring import distance_over
from ontomask.hierarchy.value_tree import ValueTree, value_tree
from ontomask.mapping import ColumnMapping, map_values
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.validate import check_text

__all__ = ["BuiltHierarchy", "build_hierarchy"]

Objective = Literal["max", "mean"]


@dataclass(frozen=True, repr=False)
class BuiltHierarchy(Hierarchy):
    """A hierarchy that knows what its labels mean.

    Attributes
    ----------
    concepts
        For each label the id of its concept: to be given as the ``mapping`` when the hierarchy is scored.
    mapping
        How the values were mapped.
    """

    concepts: Mapping[str, str] = field(default_factory=dict, compare=False)
    mapping: ColumnMapping | None = field(default=None, compare=False)


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

    All values have the same number of levels; each level has fewer groups than the one below, the last one group; each
    group goes into one group of the next level, and every value becomes concepts above its own only.

    Parameters
    ----------
    values
        The cells of the column, or distinct values with their counts, or a mapping report of them, such as
        ``data.mapping["occupation"]``. Missing cells are no values.
    taxonomy
        The ontology.
    mapping
        For some values a concept id, or a label with or without a sense (``"tiger#2"``).
    levels
        How many levels there are above the values, the top included; by default as many as a value has, on average,
        concepts above it at which values meet.
    groups
        How many groups each level has, from level 1 to the top, which has 1; ``levels`` is then their number. Or a
        hierarchy that is to be done better: as many as it has for these values, without its levels that put none of
        them together. By default the numbers fall from that of the values by the same factor from level to level,
        rounded up.
    objective
        What each level makes least: ``max``, the greatest loss of a value and then, with that as the limit, the mean
        loss of a record; or ``mean``, that alone, which leaves frequent values as they are rather than rare ones.
    distance
        What a value loses: the distance between its concept and the one it becomes, over the whole taxonomy. A name, a
        dictionary with options or a distance over the taxonomy; by default Wu and Palmer's as in V's tables.
    root_depth
        Of ``wu_palmer``: 2 by default, as in V's tables.
    domain
        A concept; values that mean nothing below it count as unmapped.
    unmapped
        What becomes of values without a concept: ``error`` names them; ``keep`` leaves them as they are up to the top;
        ``root`` generalises them to the top from level 1 on; ``drop`` leaves them out of the hierarchy. All but the
        first leave the groups of the other values as they are.
    top
        The label of the last level, such as ``*``; by default that of the values' least common subsumer.
    name
        What the hierarchy is called; by default the column's name in a mapping report.

    Notes
    -----
    A concept goes by its first label; where that is the label of another one, or a value, the id tells it apart:
    ``bank (bank.n.02)``. A value that lies above another in the ontology is a leaf of its own beside it, below the
    concept that both become. In a polyhierarchy each value gets one way up (see `value_tree`), and a shortcut may make
    a concept nearer to it than one below; the loss that counts there is the greatest so far on the way. The level with
    the least mean is found exactly where groups × groups of the next level × depth is at most 20 million; beyond that,
    nearly (see `choosing`).

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
    if objective not in ("max", "mean"):
        raise HierarchyError(f"The 'objective' of a hierarchy must be 'max' or 'mean'. Got {objective!r} instead.")
    mapped = _mapped(values, taxonomy, mapping, domain, name)
    mapped.decide(unmapped=unmapped, missing="drop")
    leaves = [v for v in mapped.values if v.concept is not None]
    if len(leaves) < 2:
        raise HierarchyError(
            f"a hierarchy groups values: it needs at least two that have a concept. Got {len(leaves)}, of "
            f"{len(mapped.values):,} different values. Give the whole column, or map more of its values."
        )
    counts = np.array([v.count for v in leaves], dtype=np.int64)
    tree = value_tree(taxonomy.graph, taxonomy.codes(mapped.concepts.values()).tolist(), counts.tolist())
    loss = _losses(tree, distance_over(taxonomy, distance, root_depth))
    ladder = [Groups.of_values(tree, loss, counts)]
    if isinstance(groups, Hierarchy):
        groups = _groups_of(groups, [v.value for v in leaves])
    for k in _profile(tree, levels, groups):
        ladder.append(coarsen(ladder[-1], k, objective))
    others = [] if unmapped == "drop" else [v.value for v in mapped.unmapped]
    label = _labels(tree, ladder, [v.value for v in leaves], others, taxonomy, top)
    rows = _rows(ladder, label)
    between = len(ladder) - 2
    rows += [(text, *[text if unmapped == "keep" else label[0]] * between, label[0]) for text in others]
    # Each text is checked once, not on each of many rows; that the rows make a hierarchy is how they were made.
    Hierarchy.from_rows((text, label[0]) for text in (*label.values(), *others))
    concepts = {text: taxonomy.ids[tree.concept[node]] for node, text in label.items()}
    title = mapped.column if isinstance(values, ColumnMapping) else ""
    return BuiltHierarchy(tuple(rows), name or title, concepts, mapped)


def _mapped(
    values: Iterable[object] | Mapping[str, int] | ColumnMapping,
    taxonomy: Taxonomy,
    mapping: Mapping[str, str] | None,
    domain: str | None,
    name: str,
) -> ColumnMapping:
    """The values with their concepts."""
    if not isinstance(taxonomy, Taxonomy):
        raise HierarchyError(f"The taxonomy must be a Taxonomy. Got {type(taxonomy).__name__} instead.")
    if not isinstance(values, ColumnMapping):
        return map_values(values, taxonomy, mapping, domain=domain, column=name or "values")
    if mapping is not None or domain is not None:
        raise MappingError(
            "The values come mapped already: leave out 'mapping' and 'domain', or give the values themselves."
        )
    return values


def _losses(tree: ValueTree, distance: Distance) -> NDArray[np.float64]:
    """TransGSL (V eq. 1) of each value (row) at the node above it at each depth (column); infinite below the value."""
    ways = tree.ways(tree.leaf)
    depth = tree.depth[tree.leaf]
    above = np.arange(ways.shape[1]) < depth[:, None]
    loss = np.zeros(ways.shape)
    value, _ = np.nonzero(above)
    loss[above] = distance.pairs(tree.concept[tree.leaf[value]], tree.concept[ways[above]])
    # From the value up, that is from the last column to the first, a loss once suffered is not undone by a shortcut.
    loss = np.maximum.accumulate(loss[:, ::-1], axis=1)[:, ::-1].copy()
    loss[ways < 0] = np.inf
    return loss


def _groups_of(hierarchy: Hierarchy, values: Sequence[str]) -> list[int]:
    """How many groups a hierarchy makes of some values on each level; levels that put nothing together are left out."""
    ways = [hierarchy.levels(value) for value in values]
    sizes = [len(set(labels)) for labels in zip(*ways, strict=True)]
    fewest = np.minimum.accumulate(sizes).tolist()
    return [size for before, size in pairwise(fewest) if size < before]


def _profile(tree: ValueTree, levels: int | None, groups: Sequence[int] | None) -> list[int]:
    """How many groups each level has."""
    values = len(tree.leaf)
    if groups is not None:
        wanted = [] if isinstance(groups, str) else list(groups)
        whole = all(isinstance(k, (int, np.integer)) and not isinstance(k, bool) for k in wanted)
        if not whole or wanted[-1:] != [1] or any(a <= b for a, b in pairwise([values, *wanted])):
            raise HierarchyError(
                f"The 'groups' of a hierarchy must be whole numbers that fall from less than the number of values, "
                f"{values:,}, to 1. Got {groups!r} instead."
            )
        if levels not in (None, len(wanted)):
            raise HierarchyError(f"The 'groups' are those of {len(wanted)} levels, but 'levels' is {levels!r}.")
        return [int(k) for k in wanted]
    if levels is None:
        levels = min(max(1, round(float(tree.depth[tree.leaf].mean()))), values - 1)
    elif isinstance(levels, bool) or not isinstance(levels, (int, np.integer)) or levels < 1:
        raise HierarchyError(f"The 'levels' of a hierarchy must be an int ≥ 1. Got {levels!r} instead.")
    if levels > values - 1:
        raise HierarchyError(
            f"{values:,} values make at most {count(values - 1, 'level')}, since each has fewer groups than the one "
            f"below. Ask for fewer. Got levels={levels} instead."
        )
    wanted = [values]
    for level in range(1, levels + 1):
        even = math.ceil(values ** (1 - level / levels) - TIE)
        # Each level above needs one group less, down to the top's one.
        wanted.append(max(levels - level + 1, min(even, wanted[-1] - 1)))
    return wanted[1:]


def _labels(
    tree: ValueTree,
    ladder: Sequence[Groups],
    texts: Sequence[str],
    others: Sequence[str],
    taxonomy: Taxonomy,
    top: str | None,
) -> dict[int, str]:
    """A label for each node that stands on some level: the value's text, or a word for the concept."""
    label = dict(zip(tree.leaf.tolist(), texts, strict=True))
    inner = [node for node in np.unique(np.concatenate([level.node for level in ladder])).tolist() if node not in label]
    word = {node: " ".join(taxonomy.texts.first(int(tree.concept[node])).split()) for node in inner}
    if top is not None:
        word[0] = check_text(top, "the label of the top").strip()
    # Case alone does not tell two labels apart for a reader.
    uses = Counter(text.casefold() for text in (*texts, *others, *word.values()))
    taken = set(uses)
    for node in inner:
        plain, concept = word[node], taxonomy.ids[tree.concept[node]]
        label[node] = plain
        if uses[plain.casefold()] > 1:
            told_apart = (f"{plain} ({concept})", concept, f"{concept} ({concept})")
            free = [text for text in told_apart if text.casefold() not in taken]
            if not free or (node == 0 and top is not None):
                raise HierarchyError(
                    f"the label {plain!r} for {concept!r} already stands for something else in the hierarchy. "
                    "Give another label for the top with top=, or spell the values in another way."
                )
            label[node] = free[0]
            taken.add(free[0].casefold())
    return label


def _rows(ladder: Sequence[Groups], label: Mapping[int, str]) -> list[tuple[str, ...]]:
    """The way up of each value, with the values of a group side by side."""
    nodes = np.stack([level.node[level.of] for level in ladder], axis=1)
    order = np.lexsort([level.of for level in ladder])
    return [tuple(label[node] for node in way) for way in nodes[order].tolist()]
