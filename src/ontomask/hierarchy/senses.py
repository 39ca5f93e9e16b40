"""What the labels of a hierarchy mean: the sense of each value, and of its ancestors.

A value takes the sense that the user gave, or else its first sense. An ancestor is disambiguated value by value
(Ayala-Rivera 2014, Procedure 2): it takes the sense of its label that is a hypernym of the value. If no sense is, it
takes the sense that is a hypernym of most other values below the label, or else the first sense. A sense that the user
gave holds for all values. So does an id after the label, as `build_hierarchy` writes it: ``bank (bank.n.02)``.
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

__all__ = ["ANY", "SENSE_RULES", "Senses", "Unmapped", "find_senses"]

ANY = "*"
"""ARX's label for any value."""

SENSE_RULES = (
    "unmapped",
    "the value itself",
    "any value",
    "given",
    "only sense",
    "hypernym",
    "hypernym of other values",
    "first sense",
)
"""The rules that find the concept of an ancestor."""

_UNMAPPED, _ITSELF, _ANY, _GIVEN, _ONLY, _HYPERNYM, _OTHERS, _FIRST = range(len(SENSE_RULES))


@dataclass(frozen=True)
class Unmapped:
    """A label without a concept, the levels it is on, and the number of transitions that begin or end there."""

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
        How each label was mapped by itself.
    leaf
        The code of each value's concept, or −1 if it has none.
    ancestor
        The code of the concept of each value's (row) ancestor on each level (column, level 1 first), or −1 if the
        value or the ancestor has none.
    rule
        The rule that found each of these, as an index into `SENSE_RULES`.
    is_a
        Whether the ancestor subsumes the value in the taxonomy.
    given
        The labels whose sense the user gave.
    any_value
        Whether ``*`` stands for any value. It does unless the mapping names it.
    conflicting
        Labels with different senses for different values: the concepts of each, with the number of values.
    better
        Values for which another sense than the first would lie under more of their ancestors, with that sense.
    """

    hierarchy: Hierarchy
    taxonomy: Taxonomy
    report: ColumnMapping
    leaf: IntArray
    ancestor: IntArray
    rule: NDArray[np.int8]
    is_a: NDArray[np.bool_]
    given: frozenset[str]
    any_value: bool
    conflicting: Mapping[str, Mapping[str, int]]
    better: Mapping[str, str]

    def __post_init__(self) -> None:
        for array in (self.leaf, self.ancestor, self.rule, self.is_a):
            array.setflags(write=False)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Transitions with a concept at both ends."""
        return self.ancestor >= 0

    @cached_property
    def first_senses(self) -> tuple[str, ...]:
        """Labels with several senses that took the first by default."""
        labels, table = self.hierarchy.coded
        values = [v.value for v in self.report.ambiguous if v.value not in self.given]
        leaves = set(self.hierarchy.leaves).intersection(values)
        above = {labels[code] for code in np.unique(table[:, 1:][self.rule == _FIRST]).tolist()}
        return tuple(label for label in labels if label in leaves or label in above)

    @cached_property
    def unmapped(self) -> tuple[Unmapped, ...]:
        """Labels without a concept. Those that exclude most transitions come first."""
        labels, table = self.hierarchy.coded
        above = table[:, 1:]
        touched = np.bincount(above[above != table[:, :1]], minlength=len(labels))
        touched[: len(table)] += self.hierarchy.height
        levels: dict[int, list[int]] = {}
        for level in range(table.shape[1]):
            for code in np.unique(table[:, level]).tolist():
                levels.setdefault(code, []).append(level)
        code_of = {label: code for code, label in enumerate(labels)}
        found = [
            Unmapped(v.value, tuple(levels[code]), int(touched[code]), v.suggestions, v.note)
            for v in self.report.values
            if v.concept is None and ((code := code_of[v.value]) < len(table) or v.value != ANY or not self.any_value)
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
        For some labels a concept id, or a word with or without a sense; ``None`` for a label without a concept. A
        word without a sense is disambiguated like any label.
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
    rule = np.where(store.count[above] == 0, _UNMAPPED, _ONLY).astype(np.int8)
    rule[np.array([label in given for label in labels])[above]] = _GIVEN
    # A repeated label means the same, also where a short row was extended by its value.
    same = above == table[:, :1]
    rule[same] = _ITSELF
    any_value = ANY not in mapping
    if any_value and ANY in found and (leaf >= 0).any():
        star = above == labels.index(ANY)
        ancestor[star] = taxonomy.graph.lcs(np.unique(leaf[leaf >= 0]).tolist())
        rule[star] = _ANY
    ancestor[leaf < 0] = -1
    rule[leaf < 0] = _UNMAPPED

    rows, columns = np.nonzero(several & ~same & (leaf >= 0)[:, None])
    # A label on several levels of one value counts once.
    pairs, cell = np.unique(rows * len(labels) + above[rows, columns], return_inverse=True)
    row, code = np.divmod(pairs, len(labels))
    chosen, by, votes = store.choose(leaf[row], code, hypernyms)
    ancestor[rows, columns], rule[rows, columns] = chosen[cell], by[cell]
    is_a = np.zeros(above.shape, dtype=bool)
    scored = ancestor >= 0
    is_a[scored] = hypernyms.subsume(np.broadcast_to(leaf[:, None], above.shape)[scored], ancestor[scored])
    return Senses(
        hierarchy,
        taxonomy,
        report,
        leaf,
        ancestor,
        rule,
        is_a,
        given,
        any_value,
        {labels[code]: found for code, found in store.conflicting(votes).items()},
        _better_senses(hierarchy, store, hypernyms, found, given),
    )


def _with_ids(labels: Iterable[str], taxonomy: Taxonomy) -> dict[str, str]:
    """The ids of labels such as ``bank (bank.n.02)``, unless the taxonomy has such a label itself."""
    found: dict[str, str] = {}
    for label in labels:
        if label.endswith(")") and label not in taxonomy and not taxonomy.texts.find(label):
            ids = [label[bracket.end() : -1] for bracket in re.finditer(r" \(", label)]
            found.update((label, concept) for concept in ids if concept in taxonomy)
    return found


def _map_labels(hierarchy: Hierarchy, taxonomy: Taxonomy, mapping: Mapping[str, str | None]) -> ColumnMapping:
    """Map every label by the common rules, except ``*`` and labels that the user excluded."""
    labels, _ = hierarchy.coded
    meant = {label: target for label, target in mapping.items() if target is not None}
    reasons = {label: "left out by the mapping" for label, target in mapping.items() if target is None}
    if ANY not in meant:
        reasons.setdefault(ANY, "stands for any value")
    report = map_values(
        [label for label in labels if label not in reasons], taxonomy, meant, column=hierarchy.name or "the hierarchy"
    )
    skipped = [ValueMapping(label, 1, None, "unmapped", note=reasons[label]) for label in labels if label in reasons]
    known = set(labels)
    unused = tuple(label for label in mapping if label not in known)
    return replace(report, values=(*report.values, *skipped), unused_keys=unused)


def _senses(found: ValueMapping, target: str | None) -> tuple[str, ...]:
    """The concepts that a label can mean, first sense first; only one if the user gave its id or sense."""
    if found.concept is None:
        return ()
    if found.chosen_by == "sense given" or found.concept == target:
        return (found.concept,)
    return (found.concept, *found.senses_not_taken)


class _Hypernyms:
    """The subsumers of given concepts, as sorted pairs (concept, subsumer) coded in one number."""

    def __init__(self, graph: Graph, codes: IntArray) -> None:
        self._n = len(graph)
        owner = np.unique(codes).astype(np.int64)
        pairs = owner * self._n + owner
        found = [pairs]
        while pairs.size:
            owner, at = np.divmod(pairs, self._n)
            sizes = graph.parent_start[at + 1] - graph.parent_start[at]
            pairs = np.unique(np.repeat(owner, sizes) * self._n + graph.parents_of(at))
            found.append(pairs)
        self._pairs = np.unique(np.concatenate(found))

    def subsume(self, below: IntArray, above: IntArray) -> NDArray[np.bool_]:
        """Whether above[i] subsumes below[i]."""
        wanted = below.astype(np.int64) * self._n + above
        position = np.minimum(np.searchsorted(self._pairs, wanted), len(self._pairs) - 1)
        return np.asarray(self._pairs[position] == wanted) if len(self._pairs) else np.zeros(len(wanted), dtype=bool)


class _LabelSenses:
    """The senses of all labels in one array. Those of label c are ``sense[start[c]:start[c + 1]]``."""

    def __init__(self, taxonomy: Taxonomy, senses: list[tuple[str, ...]]) -> None:
        self.ids = taxonomy.ids
        self.count = np.array([len(meant) for meant in senses], dtype=np.int32)
        self.start = np.concatenate([[0], np.cumsum(self.count)]).astype(np.int32)
        self.sense = taxonomy.codes(concept for meant in senses for concept in meant)
        self.first = np.full(len(senses), -1, dtype=np.int32)
        self.first[self.count > 0] = self.sense[self.start[:-1][self.count > 0]]

    def first_above(self, below: IntArray, label: NDArray[np.integer], hypernyms: _Hypernyms) -> IntArray:
        """The slot of the first sense of label[i] that subsumes the concept below[i], or −1."""
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
        """The sense of label[i] for the concept below[i], the rule that found it, and the votes for each slot.

        A slot has one vote for each concept that it is the first to subsume.
        """
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

    def conflicting(self, votes: NDArray[np.intp]) -> dict[int, dict[str, int]]:
        """For each label with votes for several senses, these senses with their votes."""
        owner = np.repeat(np.arange(len(self.count)), self.count)
        found: dict[int, dict[str, int]] = {}
        for slot in np.flatnonzero(votes).tolist():
            found.setdefault(int(owner[slot]), {})[self.ids[self.sense[slot]]] = int(votes[slot])
        return {code: senses for code, senses in found.items() if len(senses) > 1}


def _better_senses(
    hierarchy: Hierarchy,
    store: _LabelSenses,
    hypernyms: _Hypernyms,
    found: Mapping[str, ValueMapping],
    given: frozenset[str],
) -> dict[str, str]:
    """For values in their first sense, the sense that lies under more of their ancestors, if there is one."""
    labels, table = hierarchy.coded
    open_ = np.array([found[leaf].concept is not None and leaf not in given for leaf in hierarchy.leaves])
    values = np.flatnonzero(open_ & (store.count[: len(table)] > 1))
    better: dict[str, str] = {}
    if not len(values):
        return better
    sizes = store.count[values]
    slots = gather(store.start, np.arange(len(store.sense), dtype=np.int32), values)
    owner = np.repeat(values, sizes)
    fit = np.zeros(len(slots), dtype=np.int32)
    for level in range(1, table.shape[1]):
        label = table[owner, level]
        # An ancestor on several levels counts once. The value itself does not count.
        new = (table[owner, :level] != label[:, None]).all(axis=1) & (store.count[label] > 0)
        fit[new] += store.first_above(store.sense[slots[new]], label[new], hypernyms) >= 0
    ends = np.cumsum(sizes)
    for value, low, high in zip(values.tolist(), (ends - sizes).tolist(), ends.tolist(), strict=True):
        best = low + int(fit[low:high].argmax())
        if fit[best] > fit[low]:
            better[labels[value]] = store.ids[store.sense[slots[best]]]
    return better
