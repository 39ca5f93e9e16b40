"""Compare several hierarchies for one attribute (Ayala-Rivera 2014, section 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.base.progress import progress
from ontomask.distance import Distance
from ontomask.distance.ties import is_tie
from ontomask.errors import HierarchyError
from ontomask.hierarchy.checks import HierarchyFinding
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.hierarchy.levels import LevelFunction, Weights
from ontomask.hierarchy.reading import as_mapping
from ontomask.hierarchy.scoring import HierarchyScore, score_hierarchy
from ontomask.taxonomy import Taxonomy

if TYPE_CHECKING:
    import polars

    from ontomask.figures import Figure

__all__ = ["HierarchyComparison", "compare_hierarchies"]


@dataclass(frozen=True, eq=False, repr=False)
class HierarchyComparison:
    """The scores of several hierarchies by name, and notes on what limits the comparison."""

    scores: Mapping[str, HierarchyScore]
    weights: Weights
    level: LevelFunction
    notes: tuple[HierarchyFinding, ...]

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names by increasing loss; ties keep the given order."""
        return tuple(sorted(self.scores, key=lambda name: self.scores[name].score))

    @property
    def best(self) -> str:
        """The name of the hierarchy with the least loss."""
        return self.ranking[0]

    def __repr__(self) -> str:
        listed = ", ".join(f"{name} {score.score:.4f}" for name, score in self.scores.items())
        return f"<HierarchyComparison: {listed}>"

    def __str__(self) -> str:
        return self.to_text()

    def to_frame(self) -> polars.DataFrame:
        """A table with one row per hierarchy and level."""
        import polars as pl

        parts = [
            score.to_frame().select(pl.lit(name).alias("hierarchy"), pl.all()) for name, score in self.scores.items()
        ]
        return pl.concat(parts)

    def summary(self) -> polars.DataFrame:
        """A table with one row per hierarchy: VghGSL with both weights, coverage, height and flagged levels."""
        import polars as pl

        rows = [
            {
                "hierarchy": name,
                "constant": score.total(weights="constant", level=self.level),
                "level": score.total(weights="level", level=self.level),
                "coverage": score.coverage,
                "leaves": len(score.hierarchy.leaves),
                "height": score.hierarchy.height,
                "flagged": [level.level for level in score.levels if level.flagged],
            }
            for name, score in self.scores.items()
        ]
        return pl.DataFrame(rows, schema_overrides={"flagged": pl.List(pl.Int64)})

    def to_text(self) -> str:
        """The loss of each level, the scores and the notes, as text."""
        first = next(iter(self.scores.values()))
        ontology = first.distance.taxonomy.annotations.name or "the taxonomy"
        rows = [["", *(f"{name} " for name in self.scores)]]
        for i in range(max(score.hierarchy.height for score in self.scores.values())):
            rows.append([f"level {i + 1}", *(_level_cell(score, i) for score in self.scores.values())])
        for weights in ("constant", "level"):
            totals = [score.total(weights=weights, level=self.level) for score in self.scores.values()]
            rows.append([f"VghGSL, {weights} weights", *(f"{total:.4f} " for total in totals)])
        rows.append(["coverage", *(f"{score.coverage:.1%} " for score in self.scores.values())])
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = [f"{self.level} of each level ({first.distance.name}) over {ontology}"]
        for row in rows:
            cells = [row[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            lines.append("  " + "  ".join(cells).rstrip())
        if any(level.flagged for score in self.scores.values() for level in score.levels):
            lines.append("  ! more than the level above")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def figure(self, weights: Weights | None = None) -> Figure:
        """A line chart of each level's part in the score (Ayala-Rivera 2014, Figs. 3 and 4).

        ``weights`` default to those of the comparison.
        """
        from ontomask.figures import Line, LineChart

        chosen = self.weights if weights is None else weights
        lines = [
            Line(
                name,
                [str(level) for level in range(1, score.hierarchy.height + 1)],
                [nan if loss is None else loss for loss in score.weighted(chosen)],
            )
            for name, score in self.scores.items()
        ]
        title = f"LevelGSL ({self.level}) times {'a constant' if chosen == 'constant' else 'a level-based'} weight"
        return LineChart(lines, x_title="level", y_title="loss × weight", title=title, value_range=(0.0, 0.0)).figure()


@progress("Comparing hierarchies")
def compare_hierarchies(
    hierarchies: Mapping[str, Hierarchy] | Sequence[Hierarchy],
    taxonomy: Taxonomy,
    mapping: Mapping[str, str | None] | str | Path | None = None,
    *,
    distance: str | Mapping[str, Any] | Distance | None = None,
    root_depth: int | None = None,
    weights: Weights = "constant",
    level: LevelFunction = "max",
) -> HierarchyComparison:
    """Score several hierarchies for one attribute and compare them.

    Parameters
    ----------
    hierarchies
        Hierarchies by name, or a list of hierarchies with names.
    taxonomy, mapping, distance, root_depth, weights, level
        As in `score_hierarchy`, the same for all.

    Examples
    --------
    >>> import ontomask as om
    >>> rows = {"horse": "ungulate", "giraffe": "ungulate", "tiger": "carnivore"}
    >>> one = Hierarchy.from_rows([(leaf, rows[leaf], "mammal") for leaf in rows])
    >>> two = Hierarchy.from_rows([(leaf, "animal", "mammal") for leaf in rows])
    >>> print(compare_hierarchies({"one": one, "two": two}, om.load_wordnet(), {"tiger": "tiger#2"}))
    max of each level (wu_palmer) over WordNet 3.0 nouns
                                   one      two
      level 1                   0.1034   0.3333!
      level 2                   0.1852   0.1852
      VghGSL, constant weights  0.1443   0.2593
      VghGSL, level weights     0.1307   0.2840
      coverage                  100.0%   100.0%
      ! more than the level above
    """
    named = _named(hierarchies)
    concepts = as_mapping(mapping)
    scores = {
        name: score_hierarchy(
            hierarchy, taxonomy, concepts, distance=distance, root_depth=root_depth, weights=weights, level=level
        )
        for name, hierarchy in named.items()
    }
    return HierarchyComparison(scores, weights, level, tuple(_differences(scores)))


def _named(hierarchies: Mapping[str, Hierarchy] | Sequence[Hierarchy]) -> dict[str, Hierarchy]:
    if isinstance(hierarchies, Mapping):
        named = dict(hierarchies)
    elif isinstance(hierarchies, Sequence) and all(isinstance(h, Hierarchy) for h in hierarchies):
        named = {h.name: h for h in hierarchies}
        if len(named) < len(hierarchies) or "" in named:
            raise HierarchyError(
                f"Hierarchies in a list need different names. Got {[h.name for h in hierarchies]} instead. "
                f"Give a dictionary {{name: hierarchy}}.",
                parameter="hierarchies",
            )
    else:
        raise HierarchyError(
            "The 'hierarchies' must be a list of Hierarchy, or a dictionary {name: Hierarchy}.", parameter="hierarchies"
        )
    if not named:
        raise HierarchyError("There is no hierarchy to compare. Give at least one.", parameter="hierarchies")
    return named


def _differences(scores: Mapping[str, HierarchyScore]) -> Iterator[HierarchyFinding]:
    """Differences between the hierarchies that limit the comparison of their scores."""
    leaves = [set(score.hierarchy.leaves) for score in scores.values()]
    not_shared = leaves[0].union(*leaves) - leaves[0].intersection(*leaves)
    if not_shared:
        sizes = ", ".join(f"{name} {len(found):,}" for name, found in zip(scores, leaves, strict=True))
        message = f"The hierarchies have different values ({sizes}): {len(not_shared):,} are not in all of them"
        yield HierarchyFinding("V201", message, 0, tuple(sorted(not_shared)))
    coverage = {name: score.coverage for name, score in scores.items()}
    if not is_tie(min(coverage.values()), max(coverage.values())):
        listed = ", ".join(f"{name} {share:.1%}" for name, share in coverage.items())
        message = f"The scores cover different shares of the transitions: {listed}"
        yield HierarchyFinding("V202", message, facts={"coverage": coverage})
    heights = {name: score.hierarchy.height for name, score in scores.items()}
    if len(set(heights.values())) > 1:
        listed = ", ".join(f"{name} {height}" for name, height in heights.items())
        message = f"The hierarchies have different heights, so their levels differ: {listed}"
        yield HierarchyFinding("V203", message, facts={"heights": heights})


def _level_cell(score: HierarchyScore, i: int) -> str:
    """A level's loss, followed by a flag or a blank so that numbers align."""
    if i >= len(score.levels):
        return ""
    level = score.levels[i]
    return "— " if level.gsl is None else f"{level.gsl:.4f}{'!' if level.flagged else ' '}"
