"""Validation of a taxonomy. Each check has a code.

===== ======== ==========================================================================
code  severity meaning
===== ======== ==========================================================================
T101  error    the is-a links contain a cycle (up to five are shown)
T102  note     several concepts have no parent: they were joined under a virtual root ``⊤``
T103  error    a link has a concept that the source does not declare
T104  error    an id is declared twice
T105  error    there are no concepts
T106  error    an id or a label is not a non-empty text (a number, NaN, None, …)
T107  note     a link was repeated; it counts once
T108  note     a link leads to an ancestor that another parent also leads to
T109  note     several concepts share a label: values with this label are ambiguous
T110  note     is-a links were left out because the parent was not chosen, is no longer valid (OMOP) or is not in the
               file, which has only a part of the source (FHIR)
T111  note     no preferred terms are marked: the first synonym of each concept is preferred (RF2)
T112  note     parents without a declaration in the file were added (OWL, SKOS, prefix codes)
T113  note     a number is one concept's code and another's concept_id; it is read as an id (OMOP)
T114  error    a chain of is-a links is too long for an ontology
T115  note     several ontologies were merged
T116  note     links between ontologies name concepts that these do not have
T117  note     links were left out because a concept would have two equivalents in one ontology
T118  note     links between ontologies were left out because they make cycles
T120  note     the file has only a part of the code system: a fragment or an example (FHIR)
T121  note     the hierarchy is not declared as is-a, but it is read as such (FHIR)
T122  note     the code system is a draft, or its publisher has retired it (FHIR)
T123  note     concepts are deprecated: they can be used, but should not be (FHIR)
T124  note     concepts are for grouping only; a masked value may be one of them (FHIR)
T131  note     codes have a length that their scheme does not have (prefix codes)
T132  note     a heading is placed below itself: that link was left out (MeSH)
T133  note     optional last characters of some codes were not added (ClaML)
===== ======== ==========================================================================

Errors, and most notes, arise while a taxonomy is read or built; ``taxonomy.notes`` has the notes. `validate` also finds
T108 and T109, which take longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
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
    """A note about a taxonomy. The table above explains the codes. ``values`` are the ids or labels it is about."""

    code: str
    message: str
    values: tuple[str, ...] = field(default=(), kw_only=True)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def fail(
    code: str,
    message: str,
    *,
    path: str | Path | None = None,
    line: int | None = None,
    values: Iterable[str] = (),
) -> NoReturn:
    """Raise an error with a code: a `ReadError` with file and line if the source is a file."""
    if path is None:
        raise TaxonomyError(message, code=code, values=values)
    raise ReadError(message, path=path, line=line, code=code, values=values)


def check_ids(ids: Sequence[str], *, path: str | Path | None = None) -> None:
    """T106: ids must be non-empty texts on one line. All are checked at once, and each only if something is wrong."""
    try:
        all_ids = "\t".join(ids)
        all_ids.encode()
    except (TypeError, UnicodeEncodeError):
        are_valid = False
    else:
        are_valid = "\n" not in all_ids and all(map(str.strip, ids))
    if not are_valid:
        for text in ids:
            check_text(text, "A concept id", path=path)


def check_text(text: object, what: str, *, path: str | Path | None = None, line: int | None = None) -> str:
    """T106: ids and labels must be non-empty texts."""
    if isinstance(text, str) and text.strip():
        if "\n" in text and what == "A concept id":
            fail("T106", f"{what} must be on one line. Got {text!r} instead.", path=path, line=line)
        if not text.isprintable() and any("\ud800" <= c <= "\udfff" for c in text):
            fail("T106", f"{what} must not contain a lone surrogate. Got {text!r} instead.", path=path, line=line)
        return text
    shown = "an empty text" if isinstance(text, str) else f"{text!r} ({type(text).__name__})"
    hint = "Give codes as text: a code that is read as a number loses leading zeros and digits after the point."
    fail("T106", f"{what} must be a non-empty text. Got {shown} instead. {hint}", path=path, line=line)


def cycle_message(cycles: Sequence[Sequence[str]]) -> str:
    """T101: list the cycles, so that the user can break them."""
    shown = "\n".join("  " + " → ".join(_shortened(cycle)) for cycle in cycles)
    return (
        f"The is-a links contain a cycle. Remove one link of each cycle (child → parent; up to 5 are shown):\n{shown}"
    )


def _shortened(cycle: Sequence[str]) -> Sequence[str]:
    """The first and the last concepts of a long cycle."""
    half = _MOST_SHOWN // 2
    return cycle if len(cycle) <= _MOST_SHOWN else [*cycle[:half], f"({len(cycle) - 2 * half:,} more)", *cycle[-half:]]


def validate(taxonomy: Taxonomy) -> tuple[Finding, ...]:
    """All notes on a taxonomy, including those that take too long to find while it is built.

    >>> from ontomask import Taxonomy
    >>> t = Taxonomy.from_edges([("cat", "animal"), ("pet", "animal"), ("tom", "cat"), ("tom", "animal")])
    >>> [str(finding) for finding in validate(t)]
    ["T108: 1 link leads to an ancestor that another parent also leads to: 'tom → animal'"]
    """
    findings = list(taxonomy.notes)
    redundant = [f"{taxonomy.ids[c]} → {taxonomy.ids[p]}" for c, p in _redundant_links(taxonomy)]
    if redundant:
        many = "1 link leads" if len(redundant) == 1 else f"{len(redundant):,} links lead"
        message = f"{many} to an ancestor that another parent also leads to: {join_some(redundant)}"
        findings.append(Finding("T108", message, values=tuple(redundant)))
    shared = taxonomy.ambiguous_labels()
    if shared:
        many = "1 label is" if len(shared) == 1 else f"{len(shared):,} labels are"
        findings.append(
            Finding("T109", f"{many} shared by several concepts: {join_some(shared)}", values=tuple(shared))
        )
    return tuple(findings)


def _redundant_links(taxonomy: Taxonomy) -> Iterable[tuple[int, int]]:
    """Links to a parent that is also an ancestor of another parent."""
    graph = taxonomy.graph
    for c in np.flatnonzero(np.diff(graph.parent_start) > 1).tolist():
        parents = graph.parents(c)
        above = graph.ancestors(np.unique(graph.parents_of(parents)))
        yield from ((c, p) for p in parents[np.isin(parents, above)].tolist())
