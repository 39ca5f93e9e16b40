"""What the labels of a hierarchy mean: the senses of its values, and of their ancestors through the values' hypernyms.

A value takes the sense the user gave, else the first. An ancestor is looked at leaf by leaf (V Procedure 2): among the
senses of its label it takes the one that lies above the value. Where none does, the label takes the sense that lies
above most of its other values, else the first. A sense that the user gave holds for all; so does an id behind the
label, as `build_hierarchy` writes it: ``bank (bank.n.02)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.mapping import ColumnMapping, Suggestion, ValueMapping, map_values
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.graph import Graph, gather

__all__ = ["ANY", "HOW", "Senses", "Unmapped", "find_senses"]

ANY = "*"
"""ARX's label for any value."""

HOW = (
    "unmapped",
    "the value itself",
    "any value",
    "given",
    "only sense",
    "hypernym",
    "hypernym of other values",
    "first sense",
)
"""How the concept of an ancestor was found."""

_UNMAPPED, _ITSELF, _ANY, _GIVEN, _ONLY, _HYPERNYM, _OTHERS, _FIRST = range(len(HOW))


_ANY_NOTE = "stands for any value"


@dataclass(frozen=True)
class Unmapped:
    """A label without a concept: the levels it stands on, and how many transitions begin or end there."""

    label: str
    levels: tuple[int, ...]
    transitions: int
    suggestions: tuple[Suggestion, ...] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class Senses:
    """The concepts of a hierarchy's labels.

    Attributes
    ----------
    hierarchy, taxonomy
        The labels and the concepts.
    report
        How each label was mapped, whatever stands below it.
    leaf
        The code of each value's concept; −1 where it has none.
    ancestor
        The code of the concept of each value's (row) ancestor on each level (column, level 1 first); −1 where either
        has none.
    how
        How each of these was found: a place in `HOW`.
    is_a
        Whether the ancestor subsumes the value in the taxonomy.
    given
        The labels whose sense the user gave.
    torn
        Labels that take different senses under different values: for each the concepts, with the number of values.
    better
        Values in their first sense which in another would lie under more of their ancestors: that sense.
    """

    hierarchy: Hierarchy
    taxonomy: Taxonomy
    report: ColumnMapping
    leaf: IntArray
    ancestor: IntArray
    how: NDArray[np.int8]
    is_a: NDArray[np.bool_]
    given: frozenset[str]
    torn: Mapping[str, Mapping[str, int]]
    better: Mapping[str, str]

    def __post_init__(self) -> None:
        for array in (self.leaf, self.ancestor, self.how, self.is_a):
            array.setflags(write=False)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Which transitions have a concept at both ends."""
        return self.ancestor >= 0

    @cached_property
    def first_senses(self) -> tuple[str, ...]:
        """Labels with several senses that were taken in their first, since nothing told them apart."""
        labels, table = self.hierarchy.coded
        values = [v.value for v in self.report.ambiguous if v.value not in self.given]
        leaves = set(self.hierarchy.leaves).intersection(values)
        above = {labels[code] for code in np.unique(table[:, 1:][self.how == _FIRST]).tolist()}
        return tuple(label for label in labels if label in leaves or label in above)

    @cached_property
    def unmapped(self) -> tuple[Unmapped, ...]:
        """Labels without a concept, those first that most transitions are left out for."""
        labels, table = self.hierarchy.coded
        above = table[:, 1:]
        touched = np.bincount(above[above != table[:, :1]], minlength=len(labels))
        touched[: len(table)] += self.hierarchy.height
        levels: dict[int, list[int]] = {}
        for level in range(table.shape[1]):
            for code in np.unique(table[:, level]).tolist():
                levels.setdefault(code, []).append(level)
        place = {label: code for code, label in enumerate(labels)}
        found = [
            Unmapped(v.value, tuple(levels[code]), int(touched[code]), v.suggestions, v.note)
            for v in self.report.values
            if v.concept is None and ((code := place[v.value]) < len(table) or v.note != _ANY_NOTE)
        ]
        return tuple(sorted(found, key=lambda v: (-v.transitions, v.label)))


def find_senses(hierarchy: Hierarchy, taxonomy: Taxonomy, mapping: Mapping[str, str | None]) -> Senses:
    """Find the concept of every value and of its ancestors.

    Parameters
    ----------
    hierarchy
        The labels.
    taxonomy
        The concepts.
    mapping
        For some labels a concept id, or a word with or without a sense; ``None`` for a label that means no concept. A
        word without a sense goes through the hypernyms like any label.
    """
    labels, table = hierarchy.coded
    mapping = {**_with_ids(labels, taxonomy), **mapping}
    report = _map_labels(hierarchy, taxonomy, mapping)
    found = {v.value: v for v in report.values}
    senses = [_senses(found[label], mapping.get(label)) for label in labels]
    given = frozenset(
        label for label, meant in zip(labels, senses, strict=True) if mapping.get(label) is not None and len(meant) == 1
    )
    store = _LabelSenses(taxonomy, senses)
    leaf = store.first[: len(table)]
    hypernyms = _Hypernyms(taxonomy.graph, store.sense[: store.start[len(table)]])

    above = table[:, 1:]
    several = store.count[above] > 1
    ancestor = store.first[above]
    how = np.where(store.count[above] == 0, _UNMAPPED, _ONLY).astype(np.int8)
    how[np.array([label in given for label in labels])[above]] = _GIVEN
    # A label that is repeated means the same; so does a value on the levels that it lacks.
    same = above == table[:, :1]
    how[same] = _ITSELF
    if ANY in found and found[ANY].concept is None and ANY not in mapping and (leaf >= 0).any():
        anything = above == labels.index(ANY)
        ancestor[anything] = taxonomy.graph.lcs(np.unique(leaf[leaf >= 0]).tolist())
        how[anything] = _ANY
    ancestor[leaf < 0] = -1
    how[leaf < 0] = _UNMAPPED

    rows, columns = np.nonzero(several & ~same & (leaf >= 0)[:, None])
    # A label may stand on several levels of one value, which counts once.
    pairs, cell = np.unique(rows * len(labels) + above[rows, columns], return_inverse=True)
    row, code = np.divmod(pairs, len(labels))
    chosen, by, votes = store.choose(leaf[row], code, hypernyms)
    ancestor[rows, columns], how[rows, columns] = chosen[cell], by[cell]
    is_a = np.zeros(above.shape, dtype=bool)
    scored = ancestor >= 0
    is_a[scored] = hypernyms.subsume(np.broadcast_to(leaf[:, None], above.shape)[scored], ancestor[scored])
    return Senses(
        hierarchy,
        taxonomy,
        report,
        leaf,
        ancestor,
        how,
        is_a,
        given,
        {labels[code]: store.tally(code, votes) for code in store.torn(votes)},
        _better(hierarchy, store, hypernyms, found, given),
    )


def _with_ids(labels: Iterable[str], taxonomy: Taxonomy) -> dict[str, str]:
    """Labels with an id in brackets behind them, that id; not where the whole is a label of the taxonomy."""
    found: dict[str, str] = {}
    for label in labels:
        if label.endswith(")") and label not in taxonomy and not taxonomy.texts.find(label):
            behind = [label[bracket.end() : -1] for bracket in re.finditer(r" \(", label)]
            found.update((label, concept) for concept in behind if concept in taxonomy)
    return found


def _map_labels(hierarchy: Hierarchy, taxonomy: Taxonomy, mapping: Mapping[str, str | None]) -> ColumnMapping:
    """Every label mapped by the common rules; ``*`` and what the user left out without looking for suggestions."""
    labels, _ = hierarchy.coded
    meant = {label: target for label, target in mapping.items() if target is not None}
    reasons = {label: "left out by the mapping" for label, target in mapping.items() if target is None}
    if ANY not in meant:
        reasons.setdefault(ANY, _ANY_NOTE)
    report = map_values(
        [label for label in labels if label not in reasons], taxonomy, meant, column=hierarchy.name or "the hierarchy"
    )
    skipped = [ValueMapping(label, 1, None, "unmapped", note=reasons[label]) for label in labels if label in reasons]
    known = set(labels)
    unused = tuple(label for label in mapping if label not in known)
    return replace(report, values=(*report.values, *skipped), unused_keys=unused)


def _senses(found: ValueMapping, target: str | None) -> tuple[str, ...]:
    """The concepts a label can mean, first sense first; one alone where the user gave its id or sense."""
    if found.concept is None:
        return ()
    if found.chosen_by == "sense given" or found.concept == target:
        return (found.concept,)
    return (found.concept, *found.senses_not_taken)


class _Hypernyms:
    """The subsumers of some concepts, as sorted pairs."""

    def __init__(self, graph: Graph, codes: IntArray) -> None:
        self._n = len(graph)
        owner = np.unique(codes).astype(np.int64)
        pairs = owner * self._n + owner
        found = [pairs]
        while pairs.size:
            owner, at = np.divmod(pairs, self._n)
            sizes = graph.parent_start[at + 1] - graph.parent_start[at]
            above = gather(graph.parent_start, graph.parent, at)
            pairs = np.unique(np.repeat(owner, sizes) * self._n + above)
            found.append(pairs)
        self._pairs = np.unique(np.concatenate(found))

    def subsume(self, below: IntArray, above: IntArray) -> NDArray[np.bool_]:
        """Whether above[i] subsumes below[i]."""
        wanted = below.astype(np.int64) * self._n + above
        place = np.minimum(np.searchsorted(self._pairs, wanted), len(self._pairs) - 1)
        return np.asarray(self._pairs[place] == wanted) if len(self._pairs) else np.zeros(len(wanted), dtype=bool)


class _LabelSenses:
    """The senses of every label in one list: those of label c are ``sense[start[c]:start[c + 1]]``."""

    def __init__(self, taxonomy: Taxonomy, senses: list[tuple[str, ...]]) -> None:
        self.ids = taxonomy.ids
        self.count = np.array([len(meant) for meant in senses], dtype=np.int32)
        self.start = np.concatenate([[0], np.cumsum(self.count)]).astype(np.int32)
        self.sense = taxonomy.codes(concept for meant in senses for concept in meant)
        self.first = np.full(len(senses), -1, dtype=np.int32)
        self.first[self.count > 0] = self.sense[self.start[:-1][self.count > 0]]

    def first_above(self, below: IntArray, label: NDArray[np.integer], hypernyms: _Hypernyms) -> IntArray:
        """The slot of the first sense of label[i] that subsumes the concept below[i]; −1 where none does."""
        if not len(label):
            return np.empty(0, dtype=np.int32)
        sizes = self.count[label]
        slots = gather(self.start, np.arange(len(self.sense), dtype=np.int32), label)
        above = hypernyms.subsume(np.repeat(below, sizes), self.sense[slots])
        none = np.int32(len(self.sense))
        firsts = np.minimum.reduceat(np.where(above, slots, none), np.cumsum(sizes) - sizes)
        return np.where(firsts < none, firsts, -1).astype(np.int32)

    def choose(
        self, below: IntArray, label: NDArray[np.integer], hypernyms: _Hypernyms
    ) -> tuple[IntArray, NDArray[np.int8], NDArray[np.intp]]:
        """The sense of label[i] above the concept below[i], how it was found, and for how many each slot lies above."""
        slot = self.first_above(below, label, hypernyms)
        votes = np.bincount(slot[slot >= 0], minlength=len(self.sense))
        fallback, by = self.start[:-1].copy(), np.full(len(self.count), _FIRST, dtype=np.int8)
        for code in np.unique(label[slot < 0]).tolist():
            mine = votes[self.start[code] : self.start[code + 1]]
            if mine.any():
                fallback[code] += mine.argmax()
                by[code] = _OTHERS
        chosen = np.where(slot >= 0, slot, fallback[label])
        return self.sense[chosen], np.where(slot >= 0, _HYPERNYM, by[label]).astype(np.int8), votes

    def torn(self, votes: NDArray[np.intp]) -> list[int]:
        """Labels of which several senses lie above a value."""
        owner = np.repeat(np.arange(len(self.count)), self.count)
        taken = np.bincount(owner[votes > 0], minlength=len(self.count))
        return [int(code) for code in np.flatnonzero(taken > 1)]

    def tally(self, code: int, votes: NDArray[np.intp]) -> dict[str, int]:
        """The senses of a label that lie above a value, with the number of values."""
        slots = range(int(self.start[code]), int(self.start[code + 1]))
        return {self.ids[self.sense[s]]: int(votes[s]) for s in slots if votes[s]}


def _better(
    hierarchy: Hierarchy,
    store: _LabelSenses,
    hypernyms: _Hypernyms,
    found: Mapping[str, ValueMapping],
    given: frozenset[str],
) -> dict[str, str]:
    """For values in their first sense, the sense that lies under more of their ancestors."""
    labels, table = hierarchy.coded
    open_ = np.array([found[leaf].concept is not None and leaf not in given for leaf in hierarchy.leaves])
    values = np.flatnonzero(open_ & (store.count[: len(table)] > 1))
    better: dict[str, str] = {}
    if not len(values):
        return better
    # One question for each sense of each value and each of its ancestors.
    sizes = store.count[values]
    slots = gather(store.start, np.arange(len(store.sense), dtype=np.int32), values)
    owner = np.repeat(values, sizes)
    fit = np.zeros(len(slots), dtype=np.int32)
    for level in range(1, table.shape[1]):
        label = table[owner, level]
        # An ancestor on several levels counts once, and the value itself does not count.
        new = (table[owner, :level] != label[:, None]).all(axis=1) & (store.count[label] > 0)
        fit[new] += store.first_above(store.sense[slots[new]], label[new], hypernyms) >= 0
    ends = np.cumsum(sizes)
    for value, low, high in zip(values.tolist(), (ends - sizes).tolist(), ends.tolist(), strict=True):
        best = low + int(fit[low:high].argmax())
        if fit[best] > fit[low]:
            better[labels[value]] = store.ids[store.sense[slots[best]]]
    return better
