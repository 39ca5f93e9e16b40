"""Decisions about values that were made before: which concept each value means, and what the concept was called then.

A decision is kept when the ontology changes. If its concept was withdrawn, renamed or moved since, or is gone, the
mapping report lists the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ontomask.taxonomy import Taxonomy

__all__ = ["ACCEPTED", "Change", "Decided", "Decisions"]

ACCEPTED = "accepted"
"""The rule of a suggestion that was accepted for its score."""


@dataclass(frozen=True)
class Decided:
    """The concept that was chosen for a value.

    Attributes
    ----------
    concept
        An id, or a label with or without a sense.
    score
        The score of a suggestion that was accepted for it. ``None`` if a person or a rule chose the concept.
    label, parents
        What the concept was called, and the ids above it, when it was chosen. Both are empty if that is not known, as
        for a concept that a person typed.
    line
        The line of the file that it was read from.
    """

    concept: str
    score: float | None = None
    label: str = ""
    parents: tuple[str, ...] = ()
    line: int | None = field(default=None, compare=False)

    @property
    def is_described(self) -> bool:
        """Whether the concept was in the ontology when it was chosen."""
        return bool(self.label)


@dataclass(frozen=True)
class Change:
    """How a concept that was chosen for a value differs in the ontology of today.

    Attributes
    ----------
    kind
        ``retired`` (withdrawn), ``unknown`` (gone), ``renamed``, ``moved`` (it has other parents), ``outside`` (it is
        not in the domain, so the rules choose anew), or ``rule`` (the rules would choose another concept today).
    before, now
        The former and the present concept, label or parents; ``now`` is empty if there is none.
    """

    value: str
    concept: str
    kind: Literal["retired", "unknown", "renamed", "moved", "outside", "rule"]
    before: str
    now: str


class Decisions(Mapping[str, str]):
    """A mapping from values to concepts that knows how each was chosen. Give it as ``mapping`` to `Nominal`.

    >>> dict(Decisions({"Tech-support": Decided("technician.n.01", score=0.93)}))
    {'Tech-support': 'technician.n.01'}
    """

    def __init__(self, decided: Mapping[str, Decided], path: Path | None = None) -> None:
        self._decided = dict(decided)
        self.path = path

    def __repr__(self) -> str:
        # Tracebacks and logs must not show values of the table.
        return f"<Decisions on {len(self):,} values>"

    def __getitem__(self, value: str) -> str:
        return self._decided[value].concept

    def __iter__(self) -> Iterator[str]:
        return iter(self._decided)

    def __len__(self) -> int:
        return len(self._decided)

    def about(self, value: str) -> Decided:
        """How the concept of a value was chosen."""
        return self._decided[value]

    def with_entries(self, entries: Mapping[str, str]) -> Decisions:
        """The decisions with other concepts for some values."""
        changed = {value: Decided(concept) for value, concept in entries.items()}
        return Decisions(self._decided | changed, self.path)

    def changes(self, value: str, taxonomy: Taxonomy, now: str) -> list[Change]:
        """What is different about a value's concept, which is ``now`` in the taxonomy."""
        then = self._decided[value]
        if not then.is_described:
            return []
        if now != then.concept:
            return [Change(value, then.concept, "retired", then.concept, now)]
        found = []
        label, parents = taxonomy.label(now), taxonomy.parents(now)
        if label != then.label:
            found.append(Change(value, now, "renamed", then.label, label))
        if set(parents) != set(then.parents):
            found.append(Change(value, now, "moved", ", ".join(then.parents), ", ".join(parents)))
        return found
