"""How good a hierarchy is: what its generalisations lose, measured in an ontology (V section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.distance import Distance
from ontomask.distance import distance as named_distance
from ontomask.errors import DistanceError, HierarchyError, MappingError
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.hierarchy.levels import LevelFunction, Weights, check_choices, level_scores
from ontomask.hierarchy.mapping_file import as_mapping
from ontomask.hierarchy.meaning import level_findings, sense_findings
from ontomask.hierarchy.score import HierarchyScore, name_transition, unmapped_lines
from ontomask.hierarchy.senses import find_senses
from ontomask.taxonomy import Taxonomy

__all__ = ["distance_over", "measure", "score_hierarchy"]


def score_hierarchy(
    hierarchy: Hierarchy,
    taxonomy: Taxonomy,
    mapping: Mapping[str, str | None] | str | Path | None = None,
    *,
    distance: str | Mapping[str, Any] | Distance | None = None,
    root_depth: int | None = None,
    weights: Weights = "constant",
    level: LevelFunction = "max",
) -> HierarchyScore:
    """Score a hierarchy against an ontology: how much meaning do its generalisations lose?

    What a value loses on the way to an ancestor is their distance in the whole ontology (TransGSL, V eq. 1). A level
    loses the most, or the mean, of its transitions (LevelGSL, V eq. 2), the hierarchy the weighted sum of its levels
    (VghGSL, V eq. 3).

    Parameters
    ----------
    hierarchy
        What is scored.
    taxonomy
        The ontology it is scored against.
    mapping
        For some labels, values or ancestors, a concept id or a word with or without a sense (``"tiger#2"``); ``None``
        for a label that means no concept. Also the path of a file with both, see `ontomask.hierarchy.read_mapping`.
        Other values take their first sense, other ancestors the sense found among the hypernyms of each value (V
        Procedure 2).
    distance
        A name, a dictionary with options such as ``{"name": "log_sc"}``, or a `Distance` over the taxonomy; by default
        Wu and Palmer's.
    root_depth
        Of ``wu_palmer``: 2 by default, as in V's tables; 0 counts links, as in V's Appendix C.
    weights
        ``constant``: all levels count alike. ``level``: the lower, the more.
    level
        What stands for a level: the ``max`` of its losses, or the ``mean``.

    Notes
    -----
    ARX's ``*`` means the least common subsumer of the values. A value that is repeated on a level, or lacks it, loses
    nothing there. Transitions from or to a label without a concept are left out, and the score states its coverage; a
    level without any gives its weight to the others.

    Less loss is not more privacy: the finer a hierarchy, the easier it is to guess a value from its ancestor (V
    section 4).

    Examples
    --------
    >>> import ontomask as om
    >>> h = Hierarchy.from_rows([("horse", "ungulate", "mammal"), ("frog", "amphibian", "animal")], name="animals")
    >>> score = score_hierarchy(h, om.load_wordnet())
    >>> round(score.score, 4), score.coverage, score.worst(1)[0].ancestor_concept
    (0.1517, 1.0, 'ungulate.n.01')
    """
    found = measure(
        hierarchy, taxonomy, mapping, distance=distance, root_depth=root_depth, weights=weights, level=level
    )
    if not found.senses.scored.any():
        raise MappingError(_nothing(found))
    return found


def measure(
    hierarchy: Hierarchy,
    taxonomy: Taxonomy,
    mapping: Mapping[str, str | None] | str | Path | None,
    *,
    distance: str | Mapping[str, Any] | Distance | None,
    root_depth: int | None,
    weights: Weights,
    level: LevelFunction,
) -> HierarchyScore:
    """The same, also where nothing has a concept: then the score is NaN."""
    if not isinstance(hierarchy, Hierarchy):
        raise HierarchyError(
            f"The hierarchy must be a Hierarchy, such as from read_hierarchy(). Got {type(hierarchy).__name__} instead."
        )
    check_choices(weights, level)
    measured = distance_over(taxonomy, distance, root_depth)
    senses = find_senses(hierarchy, taxonomy, as_mapping(mapping))
    loss = np.full(senses.ancestor.shape, np.nan)
    scored = senses.scored
    values = np.broadcast_to(senses.leaf[:, None], loss.shape)[scored].astype(np.int64)
    pairs, place = np.unique(values * len(taxonomy) + senses.ancestor[scored], return_inverse=True)
    below, above = np.divmod(pairs, len(taxonomy))
    loss[scored] = measured.pairs(below, above)[place]
    loss.setflags(write=False)
    levels = level_scores(loss, weights, level, lambda row, column: name_transition(senses, loss, row, column))
    notes = (*level_findings(levels), *sense_findings(senses))
    return HierarchyScore(hierarchy, measured, weights, level, levels, loss, senses, notes)


def distance_over(
    taxonomy: Taxonomy, wanted: str | Mapping[str, Any] | Distance | None, root_depth: int | None
) -> Distance:
    """The distance asked for, over the whole taxonomy."""
    if isinstance(wanted, Distance):
        if wanted.taxonomy is not taxonomy:
            raise DistanceError("The 'distance' of a score must be over the taxonomy given. Got another's instead.")
        options = {"name": wanted.name, **wanted.options()}
    elif wanted is None or isinstance(wanted, str):
        options = {"name": wanted or "wu_palmer"}
    elif isinstance(wanted, Mapping) and "name" in wanted:
        options = dict(wanted)
    else:
        raise DistanceError(
            "The 'distance' of a score must be a name, a dictionary with the key 'name' and options, or a Distance. "
            f"Got {wanted!r} instead."
        )
    if root_depth is not None and (options["name"] != "wu_palmer" or "root_depth" in options):
        raise DistanceError(
            "The 'root_depth' of a score belongs to 'wu_palmer', and is given once. Leave it out, or put it into the "
            "distance: {'name': 'wu_palmer', 'root_depth': 1}."
        )
    if isinstance(wanted, Distance):
        return wanted
    if options["name"] == "wu_palmer":
        options.setdefault("root_depth", 2 if root_depth is None else root_depth)
    return named_distance(options.pop("name"), taxonomy, **options)


def _nothing(score: HierarchyScore) -> str:
    """Why there is no score, and what to do."""
    which = "no value" if not (score.senses.leaf >= 0).any() else "no ancestor of a value with a concept"
    lines = [
        f"{score.hierarchy!r} cannot be scored: {which} has a concept in {score.distance.taxonomy!r}. Without one:",
        *(f"  {line}" for line in unmapped_lines(score.unmapped)),
        "Give mapping={label: concept id or word} for them, or score against an ontology of what they mean.",
    ]
    return "\n".join(lines)
