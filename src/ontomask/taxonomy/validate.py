"""Coded checks of a taxonomy.

===== ======== ==========================================================================
code  severity meaning
===== ======== ==========================================================================
T101  error    the is-a links contain a cycle (up to five are shown)
T102  note     several concepts have no parent: a virtual root ``⊤`` was put above them
T103  error    a link names a concept that the source does not declare
T104  error    an id is declared twice
T105  error    there is no concept at all
T106  error    an id or a label is not a non-empty text (a number, NaN, None, …)
T107  note     the same link was given more than once; it counts once
T108  note     a link to an ancestor that is reached through another parent as well
T109  note     a label stands for several concepts: values spelt so are ambiguous
T110  note     is-a links were left out because the parent was not chosen or is no longer valid (OMOP)
T111  note     nothing tells the preferred terms, so each concept's first synonym is taken (RF2)
T112  note     parents were named but not declared in the file; they were added (OWL, SKOS)
T113  note     a number is one concept's code and another's concept_id; it is read as an id only (OMOP)
T114  error    a chain of is-a links is longer than any ontology has
===== ======== ==========================================================================

Errors and the notes T102 and T107 come up while a taxonomy is built (``taxonomy.notes`` keeps the notes);
`validate` looks for all notes, T108 and T109 included, in a finished one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from ontomask.base.text import join_some
from ontomask.errors import ReadError, TaxonomyError

if TYPE_CHECKING:
    from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["Finding", "validate"]

_MOST_SHOWN = 20


@dataclass(frozen=True)
class Finding:
    """Something worth knowing about a taxonomy, by its code in the table above."""

    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def fail(code: str, message: str, *, path: str | Path | None = None, line: int | None = None) -> NoReturn:
    """Raise the coded error, as a `ReadError` with its place where the source is a file."""
    if path is None:
        raise TaxonomyError(message, code=code)
    raise ReadError(message, path=path, line=line, code=code)


def check_text(text: object, what: str, *, path: str | Path | None = None, line: int | None = None) -> str:
    """T106: ids and labels are non-empty texts."""
    if isinstance(text, str) and text.strip():
        if "\n" in text and what == "a concept id":
            fail("T106", f"{what} must be on one line, got {text!r}.", path=path, line=line)
        if not text.isprintable() and any("\ud800" <= c <= "\udfff" for c in text):
            fail("T106", f"{what} holds half a character (a lone surrogate), got {text!r}.", path=path, line=line)
        return text
    shown = "an empty text" if isinstance(text, str) else f"{text!r} ({type(text).__name__})"
    hint = "Give codes as text: a code read as a number has lost leading zeros or digits after the point."
    fail("T106", f"{what} must be a non-empty text, got {shown}. {hint}", path=path, line=line)


def cycle_message(cycles: Sequence[Sequence[str]]) -> str:
    """T101: show the cycles so that the user can cut them."""
    shown = "\n".join("  " + " → ".join(_shortened(cycle)) for cycle in cycles)
    return (
        "the is-a links contain a cycle, so 'is a kind of' has no direction there. Remove one link of each "
        f"(child → parent; up to 5 are shown):\n{shown}"
    )


def _shortened(cycle: Sequence[str]) -> Sequence[str]:
    """The beginning and the end of a long cycle."""
    half = _MOST_SHOWN // 2
    return cycle if len(cycle) <= _MOST_SHOWN else [*cycle[:half], f"({len(cycle) - 2 * half:,} more)", *cycle[-half:]]


def validate(taxonomy: Taxonomy) -> tuple[Finding, ...]:
    """All notes on a taxonomy, including those too costly to look for while it is built.

    >>> from ontomask import Taxonomy
    >>> t = Taxonomy.from_edges([("cat", "animal"), ("pet", "animal"), ("tom", "cat"), ("tom", "animal")])
    >>> [str(finding) for finding in validate(t)]
    ["T108: 1 link goes to an ancestor that another parent already leads to: 'tom → animal'"]
    """
    findings = list(taxonomy.notes)
    redundant = [f"{taxonomy.ids[c]} → {taxonomy.ids[p]}" for c, p in _redundant_links(taxonomy)]
    if redundant:
        many = "1 link goes" if len(redundant) == 1 else f"{len(redundant):,} links go"
        findings.append(
            Finding("T108", f"{many} to an ancestor that another parent already leads to: {join_some(redundant)}")
        )
    shared = taxonomy.ambiguous_labels()
    if shared:
        many = "1 label stands" if len(shared) == 1 else f"{len(shared):,} labels stand"
        findings.append(Finding("T109", f"{many} for several concepts: {join_some(shared)}"))
    return tuple(findings)


def _redundant_links(taxonomy: Taxonomy) -> Iterable[tuple[int, int]]:
    """Links to a parent that is also an ancestor of another parent."""
    graph = taxonomy.graph
    for c in np.flatnonzero(np.diff(graph.parent_start) > 1).tolist():
        parents = graph.parents(c)
        above = graph.ancestors(np.unique(graph.parents_of(parents)))
        yield from ((c, p) for p in parents[np.isin(parents, above)].tolist())
