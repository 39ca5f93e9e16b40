"""Information content (IC) of concepts, from the structure of the taxonomy or from counts.

=============  =================================================================================================
``ic=``        IC(c)
=============  =================================================================================================
``"seco"``     1 − log(descendants(c) + 1)/log(n) (Seco 2004)
``"zhou"``     ½ seco + ½ log(depth in nodes)/log(largest depth in nodes) (Zhou 2008)
``"sanchez"``  −log((leaves(c)/subsumers(c) + 1)/(all leaves + 1)) (Sánchez 2011)
``"source"``   from the counts that came with the source, such as WordNet's sense counts
a mapping      from counts by concept id, such as the frequencies of the data or `read_counts` of a corpus file
=============  =================================================================================================

From counts, ``IC(c) = −log p(c)`` (Martínez 2012, eq. 3.10). p(c) is the share of all counts that belong to c or its
descendants. Each concept counts once, even if several paths lead up to c.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import join_some
from ontomask.errors import DistanceError, ReadError, given
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.readers.source import rows, sniff_delimiter

__all__ = ["InformationContent", "information_content", "read_counts", "summed_below"]

InformationContent = Literal["seco", "zhou", "sanchez", "source"] | Mapping[str, float]


def information_content(taxonomy: Taxonomy, ic: InformationContent = "seco", smoothing: int = 1) -> NDArray[np.float64]:
    """Information content of every concept, in the order of ``taxonomy.ids``. It is never less than the parents'.

    ``smoothing`` is added to the count of every concept, so that concepts without a count have a finite IC. It applies
    to counts only.

    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("b", "a"), ("c", "a"), ("d", "b")])
    >>> om.information_content(t, {"d": 2, "c": 2}, smoothing=0).round(3).tolist()
    [0.0, 0.693, 0.693, 0.693]
    """
    if isinstance(smoothing, bool) or not isinstance(smoothing, (int, float)) or not 0 <= smoothing < math.inf:
        text = "The 'smoothing' must be a number ≥ 0. Got "
        raise DistanceError(text, given(smoothing), " instead.", parameter="smoothing")
    if ic == "source":
        if taxonomy.annotations.counts is None:
            raise DistanceError(
                f"{taxonomy.annotations.name or 'The ontology'} was read without counts. Choose another ic: 'seco', "
                f"'zhou', 'sanchez', or a table from concepts to counts.",
                parameter="ic",
            )
        return _from_counts(
            taxonomy, {c: n for c, n in taxonomy.annotations.counts.items() if c in taxonomy}, smoothing
        )
    if isinstance(ic, Mapping):
        return _from_counts(taxonomy, ic, smoothing)
    if not isinstance(ic, str) or ic not in _INTRINSIC:
        raise DistanceError(
            f"The 'ic' must be one of {', '.join(_INTRINSIC)}, source, or a table from concepts to counts. Got ",
            given(ic),
            " instead.",
            parameter="ic",
        )
    return _INTRINSIC[ic](taxonomy) if len(taxonomy) > 1 else np.zeros(1)


def summed_below(taxonomy: Taxonomy, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """For every concept, the sum of a weight over the concept and its descendants."""
    from ontomask.distance.kernels.climbing import count_over_subsumers

    total = np.zeros(len(taxonomy))
    count_over_subsumers(*taxonomy.graph.links, weight, total)
    return total


def _seco(taxonomy: Taxonomy) -> NDArray[np.float64]:
    n = len(taxonomy)
    return 1 - np.log(summed_below(taxonomy, np.ones(n))) / math.log(n)


def _zhou(taxonomy: Taxonomy) -> NDArray[np.float64]:
    graph = taxonomy.graph
    return 0.5 * _seco(taxonomy) + 0.5 * np.log(graph.depth + 1) / math.log(graph.max_depth + 1)


def _sanchez(taxonomy: Taxonomy) -> NDArray[np.float64]:
    from ontomask.distance.kernels.climbing import subsumer_counts

    graph = taxonomy.graph
    is_leaf = np.diff(graph.child_start) == 0
    leaves = summed_below(taxonomy, is_leaf.astype(np.float64)) - is_leaf  # a leaf is not its own descendant
    subsumers = np.empty(len(graph), dtype=np.int32)
    subsumer_counts(*graph.links, subsumers)
    return -np.log((leaves / subsumers + 1) / (is_leaf.sum() + 1))


_INTRINSIC = {"seco": _seco, "zhou": _zhou, "sanchez": _sanchez}


def _from_counts(taxonomy: Taxonomy, counts: Mapping[str, float], smoothing: int) -> NDArray[np.float64]:
    codes = taxonomy.codes(counts)
    bad = [c for c, n in counts.items() if not isinstance(n, (int, float, np.number)) or not 0 <= n < math.inf]
    if bad:
        raise DistanceError(
            f"Counts must be numbers ≥ 0. Correct the counts of {join_some(bad)}.", parameter="ic", values=bad
        )
    given = np.array(list(counts.values()), dtype=np.float64)
    if not given.any():
        raise DistanceError(
            "All counts are zero, so probabilities cannot be estimated. Give other counts, or ic='seco'.",
            parameter="ic",
        )
    weight = np.full(len(taxonomy), float(smoothing))
    np.add.at(weight, codes, given)
    below = summed_below(taxonomy, weight)
    if below.min() == 0:
        uncounted = [taxonomy.ids[c] for c in np.flatnonzero(below == 0)[:6]]
        raise DistanceError(
            f"{int((below == 0).sum()):,} concepts and their descendants have no counts ({join_some(uncounted)}), so "
            f"their information content would be infinite. Give smoothing=1.",
            parameter="smoothing",
        )
    return np.log(below[0]) - np.log(below)


def read_counts(path: str | Path, taxonomy: Taxonomy, delimiter: str | None = None) -> dict[str, int]:
    """Read the counts of concepts in a corpus from a CSV or TSV file with the columns concept and count.

    A concept is given by its id or by an alias. Several rows of one concept add up. A first row that names no concept
    and has no count is a header.
    """
    path = Path(path)
    counts: dict[str, int] = {}
    header = False
    for line, cells in rows(path, delimiter or sniff_delimiter(path) or ","):
        if len(cells) < 2:
            raise ReadError("Expected a concept and a count. Got one column instead.", path=path, line=line)
        concept, text = cells[0].strip(), cells[1].strip()
        if not text.isdecimal():
            if not counts and concept not in taxonomy and taxonomy.find_alias(concept) is None and not header:
                header = True
                continue
            raise ReadError(f"A count must be an integer ≥ 0. Got {text!r} instead.", path=path, line=line)
        if concept not in taxonomy:
            alias = taxonomy.find_alias(concept)
            if alias is None:
                raise ReadError(
                    f"{concept!r} is not a concept of {taxonomy!r}. Correct or remove the line.", path=path, line=line
                )
            concept = alias[1][0]
        counts[concept] = counts.get(concept, 0) + int(text)
    if not counts:
        raise ReadError("The file has no counts. Give rows of a concept and a count.", path=path, code="empty")
    return counts
