"""`HierarchyScore`: what a score is made of, as text and as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.distance import Distance
from ontomask.distance.ties import is_tie
from ontomask.errors import HierarchyError
from ontomask.hierarchy.findings import HierarchyFinding, count
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.hierarchy.levels import (
    LevelFunction,
    LevelScore,
    Transition,
    Weights,
    check_choices,
    vgh_gsl,
    weighted_levels,
)
from ontomask.hierarchy.senses import HOW, Senses, Unmapped

if TYPE_CHECKING:
    import polars

__all__ = ["HierarchyScore", "level_frame", "name_transition", "unmapped_lines"]

_SHOWN = 8


@dataclass(frozen=True, eq=False, repr=False)
class HierarchyScore:
    """The score of a hierarchy against an ontology; print it, or ask for its parts.

    Attributes
    ----------
    hierarchy, distance
        What was scored, and the distance that its losses are.
    weights, level
        How levels are weighted, and what stands for a level.
    levels
        What each level loses, level 1 first.
    loss
        TransGSL of every value (row) on each level (column, level 1 first); NaN where a concept is missing.
    senses
        What the labels mean, and how that was found.
    notes
        What is worth knowing, by the codes of `ontomask.hierarchy.checks`.
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
        """VghGSL: 0 where nothing is lost; the smaller, the better the hierarchy keeps what values mean."""
        return self.total(weights=self.weights, level=self.level)

    def total(self, *, weights: Weights, level: LevelFunction) -> float:
        """VghGSL with other weights, or another function of the levels' losses."""
        check_choices(weights, level)
        return vgh_gsl([found.max if level == "max" else found.mean for found in self.levels], weights)

    def weighted(self, weights: Weights) -> list[float | None]:
        """What each level adds to the score with the given weights, level 1 first (V Figs. 3 and 4)."""
        check_choices(weights, self.level)
        return weighted_levels([found.gsl for found in self.levels], weights)

    @property
    def coverage(self) -> float:
        """The share of transitions (values × levels) that the score is over."""
        return float(self.senses.scored.mean())

    @property
    def unmapped(self) -> tuple[Unmapped, ...]:
        """Labels without a concept, with suggestions, those first that most transitions are left out for."""
        return self.senses.unmapped

    @property
    def better_senses(self) -> Mapping[str, str]:
        """Values in their first sense that fit their ancestors better in another: ready for ``mapping=``."""
        return self.senses.better

    @cached_property
    def transitions(self) -> tuple[Transition, ...]:
        """All scored transitions, value by value, from level 1 up."""
        rows, columns = np.nonzero(self.senses.scored)
        return tuple(self._transition(i, j) for i, j in zip(rows.tolist(), columns.tolist(), strict=True))

    def worst(self, level: int) -> tuple[Transition, ...]:
        """All transitions with the greatest loss of a level."""
        self.hierarchy.at(level)
        found = self.levels[level - 1] if level else None
        if found is None or found.max is None:
            return ()
        tied = np.flatnonzero(is_tie(self.loss[:, level - 1], found.max))
        return tuple(self._transition(i, level - 1) for i in tied.tolist())

    def _transition(self, row: int, column: int) -> Transition:
        return name_transition(self.senses, self.loss, row, column)

    def __repr__(self) -> str:
        return f"<HierarchyScore {self.score:.4f} of {self.hierarchy!r}, coverage {self.coverage:.1%}>"

    def __str__(self) -> str:
        return self.to_text()

    def to_frame(self, what: Literal["levels", "transitions", "unmapped"] = "levels") -> polars.DataFrame:
        """A table with a row for each level, for each scored transition, or for each unmapped label."""
        import polars as pl

        if what == "levels":
            return level_frame(self.levels)
        if what == "transitions":
            return self._transition_frame()
        if what == "unmapped":
            rows = [
                {
                    "label": v.label,
                    "levels": list(v.levels),
                    "transitions": v.transitions,
                    "suggestions": [s.concept for s in v.suggestions],
                    "note": v.note,
                }
                for v in self.unmapped
            ]
            kinds: dict[str, Any] = {
                "label": pl.String,
                "levels": pl.List(pl.Int64),
                "transitions": pl.Int64,
                "suggestions": pl.List(pl.String),
                "note": pl.String,
            }
            return pl.DataFrame(rows, schema=kinds)
        raise HierarchyError(f"there are frames of 'levels', 'transitions' and 'unmapped'. Got {what!r} instead.")

    def _transition_frame(self) -> polars.DataFrame:
        import polars as pl

        labels, table = self.hierarchy.coded
        rows, columns = np.nonzero(self.senses.scored)
        names = pl.Series("label", labels, dtype=pl.String)
        ids = pl.Series("concept", self.distance.taxonomy.ids, dtype=pl.String)
        how = pl.Series("sense", HOW, dtype=pl.String)
        return pl.DataFrame(
            {
                "leaf": names.gather(rows),
                "level": columns + 1,
                "ancestor": names.gather(table[rows, columns + 1]),
                "leaf_concept": ids.gather(self.senses.leaf[rows]),
                "ancestor_concept": ids.gather(self.senses.ancestor[rows, columns]),
                "loss": self.loss[rows, columns],
                "sense": how.gather(self.senses.how[rows, columns]),
                "is_a": self.senses.is_a[rows, columns],
            }
        )

    def to_text(self) -> str:
        """A page to read: the score and what it is over, the levels, what has no concept, and the notes."""
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
            lines.append("  without a concept (map them, or leave them out with None):")
            lines += [f"    {line}" for line in unmapped_lines(self.unmapped)]
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
        """How many values, and how many distinct labels above them, have a concept; ``*`` counts as any other."""
        labels, table = self.hierarchy.coded
        above = table[:, 1:]
        other = above != table[:, :1]
        bare = {v.label for v in self.unmapped}
        inner = [labels[code] for code in np.unique(above[other]).tolist()]
        values = (int((self.senses.leaf >= 0).sum()), len(table))
        return values, (sum(label not in bare for label in inner), len(inner))


def name_transition(senses: Senses, loss: NDArray[np.float64], row: int, column: int) -> Transition:
    """The transition of the value at a row to the level of a column."""
    labels, table = senses.hierarchy.coded
    ids = senses.taxonomy.ids
    return Transition(
        labels[row],
        column + 1,
        labels[table[row, column + 1]],
        ids[senses.leaf[row]],
        ids[senses.ancestor[row, column]],
        float(loss[row, column]),
        HOW[senses.how[row, column]],
    )


def unmapped_lines(unmapped: tuple[Unmapped, ...]) -> list[str]:
    """The first few labels without a concept, with where they stand and what they may mean."""
    lines = []
    for found in unmapped[:_SHOWN]:
        near = ", ".join(f"{s.concept} ({s.label})" if s.label != s.concept else s.concept for s in found.suggestions)
        where = "a value" if found.levels[0] == 0 else "level " + ", ".join(map(str, found.levels))
        note = f" [{found.note}]" if found.note else ""
        lost = count(found.transitions, "transition")
        lines.append(f"{found.label!r} ({where}, {lost}){note}" + (f": perhaps {near}?" if near else ""))
    return lines + ([f"… and {len(unmapped) - _SHOWN:,} more"] if len(unmapped) > _SHOWN else [])


_LEVEL_COLUMNS = {
    "level": "Int64",
    "gsl": "Float64",
    "weight": "Float64",
    "weighted": "Float64",
    "max": "Float64",
    "mean": "Float64",
    "std": "Float64",
    "transitions": "Int64",
    "left_out": "Int64",
    "worst_leaf": "String",
    "worst_ancestor": "String",
    "ties": "Int64",
    "flagged": "Boolean",
}


def level_frame(levels: Iterable[LevelScore]) -> polars.DataFrame:
    """A table with a row for each level."""
    import polars as pl

    rows = []
    for level in levels:
        row = {name: getattr(level, name, None) for name in _LEVEL_COLUMNS}
        if level.worst is not None:
            row |= {"worst_leaf": level.worst.leaf, "worst_ancestor": level.worst.ancestor}
        rows.append(row)
    return pl.DataFrame(rows, schema={name: getattr(pl, kind) for name, kind in _LEVEL_COLUMNS.items()})
