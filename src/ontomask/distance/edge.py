"""Edge-counting distances: is-a links between two concepts, and the depth or height of their common subsumer.

Martínez 2012, section 3.2.1; Byun 2007 for the height.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.base import FloatArray
from ontomask.distance.subsumer import BestSubsumer, Scores
from ontomask.errors import DistanceError, Wording, given
from ontomask.taxonomy import Taxonomy

__all__ = ["Height", "LeacockChodorow", "PathLength", "WuPalmer"]

# The look-up table of scores grows with the square of the depth. Is-a taxonomies have 5 to 40 levels.
_DEEPEST = 1000


class WuPalmer(BestSubsumer):
    """Wu and Palmer's distance: the links between two concepts, relative to the depth of their common subsumer.

    ``1 − 2d/(2d + path(a, L) + path(b, L))`` with L the deepest common subsumer, ties by the shortest joint path,
    and ``d = depth(L) + root_depth`` (Wu and Palmer 1994; Rodriguez-Garcia 2017, eq. 11–12; Martínez 2012, eq. 3.3).

    Parameters
    ----------
    taxonomy
        The concepts.
    root_depth
        The depth of the root. 1 counts nodes (Rodriguez-Garcia 2016, 2017, 2019). 0 counts links (Martínez 2012,
        eq. 3.3; Ayala-Rivera 2014, Appendix C). 2 counts nodes below a virtual root (Ayala-Rivera 2014, tables).

    Notes
    -----
    With ``root_depth=0``, concepts whose only common subsumer is the root are at distance 1. d(root, root) is 0, where
    the formula is undefined. NLTK's ``wup_similarity`` differs if several subsumers are equally deep or if there are
    paths of several lengths: it measures depth along another path than the one whose links it counts.
    """

    name = "wu_palmer"
    links_only = True

    def __init__(self, taxonomy: Taxonomy, root_depth: int = 1) -> None:
        super().__init__(taxonomy)
        if isinstance(root_depth, bool) or root_depth not in (0, 1, 2):
            text = "The 'root_depth' of wu_palmer must be 0, 1 or 2. Got "
            raise DistanceError(text, given(root_depth), " instead.", parameter="root_depth")
        self.root_depth = root_depth

    @cached_property
    def _shift(self) -> int:
        return _shift(self)

    def _scores(self) -> Scores:
        graph, shift = self.taxonomy.graph, self._shift
        lowest, depth, links = _levels_and_links(graph.max_depth, shift)
        below = 2 * (depth + self.root_depth) + links
        table = 1 - np.divide(below - links, below, out=np.ones(len(links)), where=below > 0)
        return Scores(graph.depth << shift, 1, lowest, table)

    def _matrix(self, rows: IntArray, columns: IntArray, dtype: np.dtype[Any]) -> FloatArray:
        from ontomask.distance.kernels.best import depth_matrix

        graph, scores = self.taxonomy.graph, self.scores
        out = np.empty((len(rows), len(columns)), dtype=dtype)
        root_depth = self.root_depth
        depth_matrix(*graph.links, scores.value, rows, columns, scores.lowest, self._shift, root_depth, out)
        return out


def _shift(distance: BestSubsumer) -> int:
    """The exponent with which one level, 2^shift, outweighs any number of links."""
    depth = distance.taxonomy.graph.max_depth
    if depth > _DEEPEST:
        raise DistanceError(
            f"The taxonomy {distance.taxonomy!r} is {depth:,} links deep. {distance.name} works up to {_DEEPEST:,}. "
            f"Use another distance, such as 'log_sc'.",
            code="too-deep",
        )
    return max(2 * depth, 1).bit_length()


def _levels_and_links(most: int, shift: int) -> tuple[int, IntArray, IntArray]:
    """The lowest score, and for each score ``level·2^shift − links`` the level of the subsumer and the links."""
    lowest = -(2**shift)
    score = np.arange(lowest, (most << shift) + 1)
    level = (score + (1 << shift) - 1) >> shift
    return lowest, level, (level << shift) - score


class Height(BestSubsumer):
    """The height of the lowest common subsumer, relative to the height of the root (Byun 2007).

    The height of a concept is the number of links on the longest path down from it. With two levels, values of one
    group are at distance ½ and all others at 1; without groups, all are at 1. In a tree the distance is an ultrametric:
    of three distances between three concepts, the two largest are equal. A wider concept is never nearer to a set of
    values than the best of them, so the centroid of leaves is a leaf. In a taxonomy of one concept the distance is 0.
    """

    name = "height"
    links_only = True

    def _scores(self) -> Scores:
        graph, shift = self.taxonomy.graph, _shift(self)
        most = graph.max_depth
        lowest, level, links = _levels_and_links(most, shift)
        # Only a concept and itself have no link between them.
        table = np.where(links == 0, 0, np.clip(most - level, 0, most) / max(1, most))
        return Scores((most - graph.height) << shift, 1, lowest, table)


class PathLength(BestSubsumer):
    """The number of is-a links on the shortest path through a common subsumer (Rada 1989; Martínez 2012, eq. 3.1).

    The count is divided by its maximum, twice the depth of the taxonomy. ``raw=True`` gives the count itself, which may
    exceed 1. In a taxonomy of one concept the distance is 0.
    """

    name = "path"
    links_only = True

    def __init__(self, taxonomy: Taxonomy, raw: bool = False) -> None:
        super().__init__(taxonomy)
        if not isinstance(raw, bool):
            either = Wording("True or False", "true or false")
            raise DistanceError(
                "The 'raw' of path must be ", either, ". Got ", given(raw), " instead.", parameter="raw"
            )
        self.raw = raw

    def _scores(self) -> Scores:
        graph = self.taxonomy.graph
        most = 2 * graph.max_depth
        links = np.arange(most, -1, -1, dtype=np.float64)
        return Scores(np.zeros(len(graph), dtype=np.int64), 1, -most, self._of_links(links))

    def _of_links(self, links: NDArray[np.float64]) -> NDArray[np.float64]:
        return links if self.raw else links / max(1, 2 * self.taxonomy.graph.max_depth)


class LeacockChodorow(PathLength):
    """Leacock and Chodorow's measure: the logarithm of the path length, relative to the depth of the taxonomy.

    ``sim = −log(Np / 2D)`` (Leacock and Chodorow 1998; Martínez 2012, eq. 3.2). Np is the number of nodes on the path,
    links + 1: with links, as printed, the formula is undefined for equal concepts. D is the depth of the taxonomy in
    nodes. The distance is ``1 − sim/max sim = log(Np)/log(2D)``: 0 for equal concepts, always less than 1. NLTK returns
    ``sim``.
    """

    name = "leacock_chodorow"

    def __init__(self, taxonomy: Taxonomy) -> None:
        super().__init__(taxonomy)

    def _of_links(self, links: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log(links + 1) / np.log(2 * (self.taxonomy.graph.max_depth + 1))
