"""Coded checks of a hierarchy, alone, against the data and against an ontology.

===== ======== ===================================================================================
code  needs    meaning
===== ======== ===================================================================================
V101  ontology a level loses more than the next one above it: a child less specific than its parent
V102           a label lies in two branches (a value that does is refused when it is read)
V103  data     a value of the data has no leaf
V104           a level is redundant: it groups the values as the level below does
V105  ontology a value and its ancestor are no is-a
V106  ontology a label means different things for different values
V107  ontology a value would fit its ancestors better in another sense than the first
V108  ontology a label has no concept
V109  ontology a label with several senses was taken in the first, since nothing told them apart
V110  ontology nothing on a level could be scored
V111  data     a leaf does not occur in the data
V112           a label lies above itself
V113           labels differ only in case or punctuation
V114           the last level has several labels
V115           rows are shorter than others
V116  ontology the mapping names a label that the hierarchy does not have
V117           a value is an ancestor of other values as well
V118  ontology a label was found by its word stem only
V201  others   hierarchies that are compared have different values
V202  others   hierarchies that are compared are scored over different shares of their transitions
V203  others   hierarchies that are compared have different heights
===== ======== ===================================================================================

V201 to V203 are notes of `ontomask.hierarchy.comparing.compare_hierarchies`.

What to do: a level of V101 or V104 leaves with `Hierarchy.without`; senses of V107 and V109 and labels of V108 are
settled by a mapping (`HierarchyScore.better_senses` and ``unmapped`` are the proposals); a value of V105 belongs
elsewhere, if the mapping is right. Where most of it is wrong, ``build_hierarchy(cells, taxonomy, groups=hierarchy)``
makes another one with as many groups on each level.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ontomask.distance import Distance
from ontomask.errors import HierarchyError
from ontomask.hierarchy.findings import HierarchyFinding, data_findings, shape_findings
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.hierarchy.levels import LevelFunction
from ontomask.hierarchy.scoring import measure
from ontomask.taxonomy import Taxonomy

__all__ = ["check_hierarchy"]


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
    """Look for what is wrong with a hierarchy, or odd, in the order of the codes above.

    Parameters
    ----------
    hierarchy
        What is checked.
    taxonomy
        An ontology to check it against.
    values
        The cells of the column that it is for; missing ones do not count.
    mapping, distance, root_depth, level
        As in `score_hierarchy`; they need a taxonomy.

    Examples
    --------
    >>> h = Hierarchy.from_rows([("Leeds", "UK", "Europe", "*"), ("York", "UK", "Commonwealth", "*")])
    >>> for finding in check_hierarchy(h, values=["Leeds", "Yorck", None]):
    ...     print(finding)
    V102: 1 label lies in several branches: 'UK under Europe and Commonwealth'
    V103: 1 value of the data has no leaf: 'Yorck' (perhaps 'York'). Add a row for each
    V111: 1 leaf does not occur in the data: 'York'
    """
    if not isinstance(hierarchy, Hierarchy):
        raise HierarchyError(f"The hierarchy must be a Hierarchy. Got {type(hierarchy).__name__} instead.")
    findings = list(shape_findings(hierarchy))
    if values is not None:
        findings += data_findings(hierarchy, values)
    if taxonomy is not None:
        score = measure(
            hierarchy, taxonomy, mapping, distance=distance, root_depth=root_depth, weights="constant", level=level
        )
        findings += score.notes
    elif mapping is not None or distance is not None or root_depth is not None or level != "max":
        raise HierarchyError(
            "a mapping, a distance and a function of levels are of use only with an ontology: give a taxonomy as well."
        )
    return tuple(sorted(findings, key=lambda finding: finding.code))
