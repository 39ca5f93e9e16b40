"""What an ontology says about a hierarchy: levels in the wrong order, steps that are no is-a, senses that stay open.

The codes of all checks stand in `ontomask.hierarchy.checks`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ontomask.base.text import join_some
from ontomask.hierarchy.findings import HierarchyFinding, count
from ontomask.hierarchy.levels import LevelScore
from ontomask.hierarchy.senses import Senses

__all__ = ["level_findings", "sense_findings"]


def level_findings(levels: tuple[LevelScore, ...]) -> Iterator[HierarchyFinding]:
    """Levels that lose more than the one above, and levels without a loss."""
    for level in levels:
        if level.flagged:
            yield HierarchyFinding(
                "V101",
                f"level {level.level} loses more ({level.gsl:.4f}, worst {level.worst}) than the level above it: its "
                f"labels are less specific than what stands above them",
                level.level,
            )
    for level in levels:
        if level.gsl is None:
            message = f"nothing on level {level.level} could be scored: its weight goes to the other levels"
            yield HierarchyFinding("V110", message, level.level)


def sense_findings(senses: Senses) -> Iterator[HierarchyFinding]:
    """Steps that are no is-a, and labels whose meaning is doubtful or unknown."""
    yield from _no_is_a(senses)
    if senses.torn:
        shown = join_some(
            f"{label}: " + ", ".join(f"{concept} ({count(n, 'value')})" for concept, n in taken.items())
            for label, taken in senses.torn.items()
        )
        message = (
            f"{count(len(senses.torn), 'label means', 'labels mean')} different things for different values: {shown}"
        )
        yield HierarchyFinding("V106", message, labels=tuple(senses.torn))
    if senses.better:
        shown = join_some(f"{leaf} as {concept}" for leaf, concept in senses.better.items())
        yield HierarchyFinding(
            "V107",
            f"{count(len(senses.better), 'value')} would fit the ancestors better in another sense than the first: "
            f"{shown}. Put better_senses into the mapping if that is meant",
            0,
            tuple(senses.better),
        )
    bare = tuple(v.label for v in senses.unmapped)
    if bare:
        message = f"{count(len(bare), 'label has', 'labels have')} no concept: {join_some(bare)}"
        yield HierarchyFinding("V108", message, labels=bare)
    open_ = senses.first_senses
    if open_:
        message = f"{count(len(open_), 'label')} with several senses taken in the first, by default: {join_some(open_)}"
        yield HierarchyFinding("V109", message, labels=open_)
    stems = {v.value: v.concept for v in senses.report.values if v.rule == "stem"}
    if stems:
        shown = join_some(f"{label} as {concept}" for label, concept in stems.items())
        message = f"{count(len(stems), 'label was', 'labels were')} found by the word stem only: {shown}"
        yield HierarchyFinding("V118", message, labels=tuple(stems))
    unused = senses.report.unused_keys
    if unused:
        message = (
            f"the mapping names {count(len(unused), 'label')} that the hierarchy does not have: {join_some(unused)}"
        )
        yield HierarchyFinding("V116", message, labels=unused)


def _no_is_a(senses: Senses) -> Iterator[HierarchyFinding]:
    labels, table = senses.hierarchy.coded
    for level in range(1, table.shape[1]):
        scored = senses.scored[:, level - 1]
        odd = np.flatnonzero(scored & ~senses.is_a[:, level - 1])
        if len(odd):
            shown = join_some(f"{labels[i]} → {labels[table[i, level]]}" for i in odd.tolist())
            verb = "is" if len(odd) == 1 else "are"
            yield HierarchyFinding(
                "V105",
                f"level {level}: {len(odd):,} of {count(int(scored.sum()), 'transition')} {verb} no is-a in the "
                f"ontology: {shown}",
                level,
                tuple(labels[code] for code in np.unique(table[odd, level]).tolist()),
            )
