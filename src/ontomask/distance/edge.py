"""Edge-counting measures: how many is-a links lie between two concepts, and how deep they meet (T 3.2.1)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.base import FloatArray
from ontomask.distance.subsumer import BestSubsumer, Scores
from ontomask.errors import DistanceError
from ontomask.taxonomy import Taxonomy

__all__ = ["LeacockChodorow", "PathLength", "WuPalmer"]

# Scores are looked up in a table that grows with the square of the depth; is-a taxonomies have 5 to 40 levels.
_DEEPEST = 1000


class WuPalmer(BestSubsumer):
    """Wu and Palmer's distance: the links between two concepts against the depth at which they meet.

    ``1 − 2d/(2d + path(a, L) + path(b, L))`` with L the deepest common subsumer, ties by the shortest joint path,
    and ``d = depth(L) + root_depth`` (N eq. 11–12; T eq. 3.3).

    Parameters
    ----------
    taxonomy
        The concepts.
    root_depth
        The depth the root counts for: 1 counts nodes (N, C, R), 0 counts links (T 3.3, V Appendix C), 2 counts
        nodes below a virtual root (V's tables).

    Notes
    -----
    With ``root_depth=0`` concepts that meet only at the root are at distance 1, whatever the path; d(root, root)
    is 0 (the formula leaves it open). NLTK's ``wup_similarity`` differs where several subsumers lie equally deep
    or paths of several lengths exist: it takes the depth of a concept by another path than the one it counts.
    """

    name = "wu_palmer"

    def __init__(self, taxonomy: Taxonomy, root_depth: int = 1) -> None:
        super().__init__(taxonomy)
        if isinstance(root_depth, bool) or root_depth not in (0, 1, 2):
            raise DistanceError(f"The 'root_depth' of wu_palmer must be 0, 1 or 2. Got {root_depth!r} instead.")
        self.root_depth = root_depth

    @cached_property
    def _shift(self) -> int:
        """depth·2^shift outweighs any number of links."""
        depth = self.taxonomy.graph.max_depth
        if depth > _DEEPEST:
            raise DistanceError(
                f"wu_palmer works on taxonomies up to {_DEEPEST:,} links deep; {self.taxonomy!r} is deeper."
            )
        return max(2 * depth, 1).bit_length()

    def _scores(self) -> Scores:
        graph, shift = self.taxonomy.graph, self._shift
        lowest = -(2**shift)
        score = np.arange(lowest, (graph.max_depth << shift) + 1)
        depth = (score + (1 << shift) - 1) >> shift
        links = (depth << shift) - score
        below = 2 * (depth + self.root_depth) + links
        table = 1 - np.divide(below - links, below, out=np.ones(len(score)), where=below > 0)
        return Scores(graph.depth << shift, 1, lowest, table)

    def _matrix(self, rows: IntArray, columns: IntArray, dtype: np.dtype[Any]) -> FloatArray:
        from ontomask.distance.kernels.best import depth_matrix

        graph, scores = self.taxonomy.graph, self.scores
        out = np.empty((len(rows), len(columns)), dtype=dtype)
        depth_matrix(
            graph.parent_start,
            graph.parent,
            scores.value,
            rows,
            columns,
            scores.lowest,
            self._shift,
            self.root_depth,
            out,
        )
        return out


class PathLength(BestSubsumer):
    """The fewest is-a links from one concept to the other through a common subsumer (Rada; T eq. 3.1).

    Divided by twice the depth of the taxonomy, the most there could be; ``raw=True`` gives the count itself,
    which is then no longer bounded by 1. In a taxonomy of one concept the distance is 0.
    """

    name = "path"

    def __init__(self, taxonomy: Taxonomy, raw: bool = False) -> None:
        super().__init__(taxonomy)
        if not isinstance(raw, bool):
            raise DistanceError(f"The 'raw' of path must be True or False. Got {raw!r} instead.")
        self.raw = raw

    def _scores(self) -> Scores:
        graph = self.taxonomy.graph
        most = 2 * graph.max_depth
        links = np.arange(most, -1, -1, dtype=np.float64)
        return Scores(np.zeros(len(graph), dtype=np.int64), 1, -most, self._of_links(links))

    def _of_links(self, links: NDArray[np.float64]) -> NDArray[np.float64]:
        return links if self.raw else links / max(1, 2 * self.taxonomy.graph.max_depth)


class LeacockChodorow(PathLength):
    """Leacock and Chodorow's measure: the logarithm of the path against the depth of the taxonomy.

    ``sim = −log(Np / 2D)`` (T eq. 3.2) with Np = links + 1, the nodes on the path, and D the depth of the taxonomy
    in nodes; with links, as printed, it is not defined for equal concepts. The distance is ``1 − sim/max sim``,
    that is ``log(Np)/log(2D)``: 0 for equal concepts, less than 1 for all. NLTK returns ``sim`` itself.
    """

    name = "leacock_chodorow"

    def __init__(self, taxonomy: Taxonomy) -> None:
        super().__init__(taxonomy)

    def _of_links(self, links: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log(links + 1) / np.log(2 * (self.taxonomy.graph.max_depth + 1))
