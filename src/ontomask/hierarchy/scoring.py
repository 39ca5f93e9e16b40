"""Score a hierarchy: how much meaning its generalisations lose, measured in an ontology (Ayala-Rivera 2014)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.progress import progress
from ontomask.distance import Distance
from ontomask.distance.ties import is_tie
from ontomask.errors import MappingError
from ontomask.hierarchy.checks import HierarchyFinding, count, ontology_findings
from ontomask.hierarchy.hierarchy import Hierarchy, check_choice, require_hierarchy
from ontomask.hierarchy.levels import (
    LevelFunction,
    LevelScore,
    Transition,
    Weights,
    check_choices,
    distance_over,
    level_scores,
    name_transition,
    transition_losses,
    vgh_gsl,
    weighted_levels,
)
from ontomask.hierarchy.reading import as_mapping
from ontomask.hierarchy.senses import SENSE_RULES, Senses, Unmapped, find_senses
from ontomask.taxonomy import Taxonomy

if TYPE_CHECKING:
    import polars

__all__ = ["HierarchyScore", "score_hierarchy"]

_MOST_SHOWN = 8


@dataclass(frozen=True, eq=False, repr=False)
class HierarchyScore:
    """The score of a hierarchy against an ontology. Print it, or read its parts.

    Attributes
    ----------
    hierarchy, distance
        The hierarchy, and the distance that measures its losses.
    weights, level
        How levels are weighted, and the function that summarises a level.
    levels
        The score of each level, level 1 first.
    loss
        TransGSL of every value (row) on each level (column, level 1 first); NaN if a concept is missing.
    senses
        The concepts of the labels, and how they were found.
    notes
        Findings, with the codes of `ontomask.hierarchy.checks`.
    """

    hierarchy: Hierarchy
    distance: Distance
    weights: Weights
    level: LevelFunction
    levels: tuple[LevelScore, ...]
    loss: NDArray[np.float64]
    senses: Senses
    notes: tuple[HierarchyFinding, ...]

    @property
    def score(self) -> float:
        """VghGSL: 0 if nothing is lost. The smaller it is, the better the hierarchy keeps the meaning of values."""
        return self.total(weights=self.weights, level=self.level)

    def total(self, *, weights: Weights, level: LevelFunction) -> float:
        """VghGSL with other weights, or another function of the levels' losses."""
        check_choices(weights, level)
        return vgh_gsl([found.max if level == "max" else found.mean for found in self.levels], weights)

    def weighted(self, weights: Weights) -> list[float | None]:
        """The part of each level in the score with the given weights (Ayala-Rivera 2014, Figs. 3 and 4)."""
        return weighted_levels([found.gsl for found in self.levels], weights)

    @property
    def coverage(self) -> float:
        """The share of transitions (values × levels) that were scored."""
        return float(self.senses.scored.mean())

    @property
    def unmapped(self) -> tuple[Unmapped, ...]:
        """Labels without a concept, with suggestions. Those that exclude most transitions come first."""
        return self.senses.unmapped

    @property
    def better_senses(self) -> Mapping[str, str]:
        """Values for which another sense than the first fits the ancestors better, ready for ``mapping=``."""
        return self.senses.better

    @cached_property
    def transitions(self) -> tuple[Transition, ...]:
        """All scored transitions, value by value, from level 1 up."""
        rows, columns = np.nonzero(self.senses.scored)
        indices = zip(rows.tolist(), columns.tolist(), strict=True)
        return tuple(name_transition(self.senses, self.loss, row, column) for row, column in indices)

    def worst(self, level: int) -> tuple[Transition, ...]:
        """All transitions with the maximum loss of a level."""
        self.hierarchy.at(level)
        found = self.levels[level - 1] if level else None
        if found is None or found.max is None:
            return ()
        tied = np.flatnonzero(is_tie(self.loss[:, level - 1], found.max))
        return tuple(name_transition(self.senses, self.loss, row, level - 1) for row in tied.tolist())

    def __repr__(self) -> str:
        return f"<HierarchyScore {self.score:.4f} of {self.hierarchy!r}, coverage {self.coverage:.1%}>"

    def __str__(self) -> str:
        return self.to_text()

    def to_frame(self, what: Literal["levels", "transitions", "unmapped"] = "levels") -> polars.DataFrame:
        """A table with one row per level, per scored transition, or per unmapped label."""
        check_choice("what", what, ("levels", "transitions", "unmapped"))
        if what == "transitions":
            return self._transition_frame()
        return self._level_frame() if what == "levels" else self._unmapped_frame()

    def _level_frame(self) -> polars.DataFrame:
        import polars as pl

        kinds: dict[str, Any] = {"level": pl.Int64}
        kinds |= dict.fromkeys(("gsl", "weight", "weighted", "max", "mean", "std"), pl.Float64)
        kinds |= {"transitions": pl.Int64, "left_out": pl.Int64, "worst_leaf": pl.String, "worst_ancestor": pl.String}
        kinds |= {"ties": pl.Int64, "flagged": pl.Boolean}
        rows = [
            {name: getattr(level, name, None) for name in kinds}
            | {f"worst_{end}": getattr(level.worst, end, None) for end in ("leaf", "ancestor")}
            for level in self.levels
        ]
        return pl.DataFrame(rows, schema=kinds)

    def _unmapped_frame(self) -> polars.DataFrame:
        import polars as pl

        rows = [
            (v.label, list(v.levels), v.transitions, [s.concept for s in v.suggestions], v.note) for v in self.unmapped
        ]
        kinds: dict[str, Any] = {
            "label": pl.String,
            "levels": pl.List(pl.Int64),
            "transitions": pl.Int64,
            "suggestions": pl.List(pl.String),
            "note": pl.String,
        }
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def _transition_frame(self) -> polars.DataFrame:
        import polars as pl

        labels, table = self.hierarchy.coded
        rows, columns = np.nonzero(self.senses.scored)
        names = pl.Series("label", labels, dtype=pl.String)
        ids = pl.Series("concept", self.distance.taxonomy.ids, dtype=pl.String)
        rules = pl.Series("sense", SENSE_RULES, dtype=pl.String)
        return pl.DataFrame(
            {
                "leaf": names.gather(rows),
                "level": columns + 1,
                "ancestor": names.gather(table[rows, columns + 1]),
                "leaf_concept": ids.gather(self.senses.leaf[rows]),
                "ancestor_concept": ids.gather(self.senses.ancestor[rows, columns]),
                "loss": self.loss[rows, columns],
                "sense": rules.gather(self.senses.rule[rows, columns]),
                "is_a": self.senses.is_a[rows, columns],
            }
        )

    def to_text(self) -> str:
        """The score, its coverage, the levels, the labels without a concept, and the notes, as text."""
        options = "".join(f", {k}={v!r}" for k, v in self.distance.options().items() if isinstance(v, (int, str)))
        name = self.hierarchy.name or "hierarchy"
        ontology = self.distance.taxonomy.annotations.name or "the taxonomy"
        leaves, ancestors = self._mapped()
        lines = [
            f"{name}: VghGSL {self.score:.4f} over {ontology}",
            f"  {self.distance.name}{options}; {self.level} of a level, {self.weights} weights",
            f"  over {int(self.senses.scored.sum()):,} of {count(self.loss.size, 'transition')} ({self.coverage:.1%}): "
            f"{leaves[0]:,} of {count(leaves[1], 'value')} and {ancestors[0]:,} of {count(ancestors[1], 'ancestor')} "
            f"have a concept",
            "  level  weight     max    mean     std  worst transition",
        ]
        lines += [f"  {self._level_line(level)}" for level in self.levels]
        if self.unmapped:
            lines.append("  without a concept (map them, or exclude them with None):")
            lines += [f"    {line}" for line in _unmapped_lines(self.unmapped)]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes if note.code != "V108")])

    def _level_line(self, level: LevelScore) -> str:
        if level.gsl is None:
            return f"{level.level:>5}       —       —       —       —  no ancestor has a concept"
        worst = self.worst(level.level)
        same = [t.leaf for t in worst if t.ancestor == worst[0].ancestor]
        shown = ", ".join(same[:3]) + (" and others" if len(same) > 3 else "") + f" → {worst[0].ancestor}"
        flag = "  (more than the level above)" if level.flagged else ""
        numbers = "  ".join(f"{number:6.4f}" for number in (level.weight, level.max, level.mean, level.std))
        return f"{level.level:>5}  {numbers}  {shown}{flag}"

    def _mapped(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """How many values, and how many distinct labels above them, have a concept, each with the total."""
        labels, table = self.hierarchy.coded
        above = table[:, 1:]
        unmapped = {v.label for v in self.unmapped}
        inner = [labels[code] for code in np.unique(above[above != table[:, :1]]).tolist()]
        values = (int((self.senses.leaf >= 0).sum()), len(table))
        return values, (sum(label not in unmapped for label in inner), len(inner))


@progress("Scoring the hierarchy")
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

    The loss of a value at an ancestor is their distance in the whole ontology (TransGSL). The loss of a level is the
    maximum or mean loss of its transitions (LevelGSL). The loss of the hierarchy is the weighted sum over its levels
    (VghGSL).

    Parameters
    ----------
    hierarchy
        The hierarchy to score.
    taxonomy
        The ontology to score it against.
    mapping
        For some labels, values or ancestors, a concept id or a word with or without a sense (``"tiger#2"``); ``None``
        for a label without a concept. Or the path of a mapping file, see `ontomask.read_mapping`. Other values take
        their first sense, other ancestors the sense that is a hypernym of the value.
    distance
        A name, a dictionary with options such as ``{"name": "log_sc"}``, or a `Distance` over the taxonomy; by default
        Wu and Palmer's.
    root_depth
        An option of ``wu_palmer``: 2 by default, as in the tables of Ayala-Rivera 2014; 0 counts links, as in its
        Appendix C.
    weights
        ``constant``: all levels weigh the same. ``level``: lower levels weigh more.
    level
        The function that summarises a level: the ``max`` of its losses, or the ``mean``.

    Notes
    -----
    ARX's ``*`` means the least common subsumer of the values. A value that is repeated on a level, or missing from it,
    loses nothing there. Transitions from or to a label without a concept are excluded, and the score states its
    coverage. The weight of a level without any scored transition goes to the other levels.

    Less loss does not mean more privacy: the finer a hierarchy, the easier it is to guess a value from its ancestor
    (Ayala-Rivera 2014, section 4).

    Examples
    --------
    >>> import ontomask as om
    >>> h = Hierarchy.from_rows([("horse", "ungulate", "mammal"), ("frog", "amphibian", "animal")], name="animals")
    >>> score = score_hierarchy(h, om.load_wordnet())
    >>> round(score.score, 4), score.coverage, score.worst(1)[0].ancestor_concept
    (0.1517, 1.0, 'ungulate.n.01')
    """
    require_hierarchy(hierarchy)
    check_choices(weights, level)
    measure = distance_over(taxonomy, distance, root_depth)
    senses = find_senses(hierarchy, taxonomy, as_mapping(mapping))
    if not senses.scored.any():
        raise _no_concepts(senses)
    loss = transition_losses(senses, measure)
    levels = level_scores(senses, loss, weights, level)
    notes = tuple(ontology_findings(levels, senses))
    return HierarchyScore(hierarchy, measure, weights, level, levels, loss, senses, notes)


def _no_concepts(senses: Senses) -> MappingError:
    which = "no value" if not (senses.leaf >= 0).any() else "no ancestor of a value with a concept"
    lines = [
        f"{senses.hierarchy!r} cannot be scored: {which} has a concept in {senses.taxonomy!r}. Without one:",
        *(f"  {line}" for line in _unmapped_lines(senses.unmapped)),
        "Give mapping={label: concept id or word} for them, or score against an ontology that has their concepts.",
    ]
    return MappingError("\n".join(lines), mapping=senses.report, values=[found.label for found in senses.unmapped])


def _unmapped_lines(unmapped: tuple[Unmapped, ...]) -> list[str]:
    """The first few labels without a concept, with their levels and suggestions."""
    lines = []
    for found in unmapped[:_MOST_SHOWN]:
        near = ", ".join(f"{s.concept} ({s.label})" if s.label != s.concept else s.concept for s in found.suggestions)
        where = "a value" if found.levels[0] == 0 else "level " + ", ".join(map(str, found.levels))
        note = f" [{found.note}]" if found.note else ""
        lost = count(found.transitions, "transition")
        lines.append(f"{found.label!r} ({where}, {lost}){note}" + (f": perhaps {near}?" if near else ""))
    return lines + ([f"… and {len(unmapped) - _MOST_SHOWN:,} more"] if len(unmapped) > _MOST_SHOWN else [])
