"""Microaggregation: clusters of at least k records, each released as its centroid (Martínez 2012, chapter 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.errors import Setting
from ontomask.masking.anonymous import KAnonymous
from ontomask.masking.cluster_index import cluster_index
from ontomask.masking.description import About, flag, one_of
from ontomask.masking.groups import CENTROIDS, COMPARISONS, Groups, centroid_of, centroids_of
from ontomask.masking.mdav import clusters_around_extremes
from ontomask.masking.refinement import refined_clusters
from ontomask.masking.requirements import ColumnsK
from ontomask.masking.results import GroupRequirement
from ontomask.microdata import Microdata
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Sets

__all__ = ["RELATED", "Microaggregation", "Variant"]

Variant = Literal["refined", "sa_mdav", "sa_mdav_static", "mdav"]
Prefer = Literal["loss", "balance", "risk"]

# What one more cluster costs. The score of Martínez 2012, eq. 6.5 is w·L + (1 − w)·risk. An intruder who knows the
# method links clusters / records of all records, and L is the share of all squares, so a cluster costs
# (1 − w)/w · squares / records: with w = 1, 1/2 and 1/5.
_PRICES: Mapping[Prefer, float] = MappingProxyType({"loss": 0.0, "balance": 1.0, "risk": 4.0})

# The methods compared in Martínez 2012, 6.3.4, and the bounded clusters of its Fig. 19-B:
# Microaggregation(k=5, **RELATED["abril"]).
RELATED: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        # Domingo-Ferrer and Torra 2005.
        "domingo_ferrer_torra": {"variant": "mdav", "comparison": "equality", "centroid": "mode"},
        # Abril et al. 2010, with the distance wu_palmer, which is the default.
        "abril": {"variant": "mdav", "centroid": "lcs"},
        "bounded": {"variant": "sa_mdav", "bounded": True},
    }
)


@dataclass(frozen=True, repr=False)
class Microaggregation(KAnonymous):
    """Gather similar records in clusters of at least k and release each cluster as its centroid.

    Parameters
    ----------
    k
        The least number of records that share a released tuple; of persons, if the data have a ``person`` column.
    variant
        ``refined``: clusters of whole tuples by local search on the sum of squared distances to the centroids; it loses
        least. ``sa_mdav``: SA-MDAV (Martínez 2012, Algorithm 4): clusters of whole tuples around extremes; the centroid
        moves as a cluster grows. ``sa_mdav_static``: the same with the first tuple instead of the centroid. ``mdav``:
        MDAV (Algorithm 3): clusters of exactly k records, so that tuples are divided.
    weigh_distant, weigh_closest
        For ``sa_mdav`` and ``sa_mdav_static``: whether distances are multiplied by a tuple's records (eq. 4.2) in the
        search for the most distant and for the closest tuple.
    join
        For the same two: ``all`` tuples may join a cluster, as in Algorithm 4, or only those ``below_k``, as in 6.3.3;
        then each tuple of k records is a cluster.
    bounded
        For the same two: whether clusters have at most 2k − 1 records (Fig. 19-B), so that tuples are divided.
    comparison
        How tuples are compared: ``semantic``, by the distances of their attributes, or ``equality``, by the share of
        attributes in which they differ.
    centroid
        What a cluster is released as: ``semantic``, the centroid of each attribute; ``lcs``, the least common subsumer
        of each attribute, or the narrowest range of numbers, dates and ordered categories, which shows the smallest and
        the largest value of the cluster; ``mode``, the most frequent tuple.
    prefer
        For ``refined``: what clusters are formed for. ``loss``: the least loss. ``balance``: loss and risk count
        equally. ``risk``: risk counts four times as much as loss. Clusters grow where that costs little. An intruder
        then links fewer records, mostly at less loss than with a larger k: see docs/guides/which-method.md.
    require
        What each cluster must also have, such as `Diversity` or `Closeness`. Clusters that fall short are merged with
        the nearest until all comply. Equally many clusters that comply are drawn and merged, too, so that a merger
        reveals nothing about confidential values. If k counts persons, clusters with too few are also merged. If tuples
        are divided, clusters cannot be merged, because records are assigned at random; then requirements are only
        verified on the output.

    Notes
    -----
    Only the mergers for ``require`` are random. Ties go to the first tuple or cluster. Numbers are released as means
    with as many decimals as the column has, dates as means, ordered categories as lower medians.

    ``refined`` starts from small clusters that join their nearest, or from SA-MDAV if clusters have many tuples.
    With 10 attributes and 10,000 tuples or more, it looks for near clusters only among those of near tuples, which are
    found by comparing part of the tuples, and two near clusters may exchange tuples. This is faster, with no more loss.
    SA-MDAV mostly loses least if distances are weighted by records for the most distant tuple (the default) and not for
    the closest: see docs/experiments/microaggregation_variants.md, also for the effect of refinement on the risk of
    linkage. Where Algorithm 4 is open to interpretation: sizes count records; s is searched for among the remaining
    tuples; the last tuples, with fewer than k records, join the clusters with the closest centroids, and then all
    centroids are computed again.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    >>> symptoms = pd.DataFrame({"symptom": ["ache", "colic", "rash", "rash"], "age": [30, 33, 50, 53]})
    >>> data = om.Microdata(symptoms, {"symptom": om.Nominal(t), "age": om.Numeric()})
    >>> result = Microaggregation(k=2).mask(data)
    >>> result.frame.values.tolist(), result.guarantee.k
    ([['ache', 32], ['ache', 32], ['rash', 52], ['rash', 52]], 2)
    """

    about: ClassVar[About] = About(
        what="Records that are near each other in meaning form groups of at least k. Each group is released as its "
        "centroid: the concepts that are nearest to all its members.",
        why="Among the k-anonymous methods it kept the meaning of records best (Martínez 2012, 9.2.3).",
        summary="groups of similar records become their centroid; combinations may be new",
        guarantees=("k-anonymity",),
        on_request=("l-diversity", "t-closeness"),
    )

    variant: Variant = field(default="refined", metadata=one_of(get_args(Variant)))
    _: KW_ONLY
    weigh_distant: bool | None = field(default=None, metadata=flag(optional=True))
    weigh_closest: bool | None = field(default=None, metadata=flag(optional=True))
    join: Literal["all", "below_k"] = field(default="all", metadata=one_of(("all", "below_k")))
    bounded: bool = field(default=False, metadata=flag())
    comparison: Literal["semantic", "equality"] = field(default="semantic", metadata=one_of(COMPARISONS))
    centroid: Literal["semantic", "lcs", "mode"] = field(default="semantic", metadata=one_of(CENTROIDS))
    prefer: Prefer = field(default="loss", metadata=one_of(get_args(Prefer)))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant not in ("sa_mdav", "sa_mdav_static"):
            own: dict[str, Any] = {"weigh_distant": None, "weigh_closest": None, "join": "all", "bounded": False}
            given = [name for name, default in own.items() if getattr(self, name) != default]
            if given:
                variant = Setting("method", "variant", values=["sa_mdav", "sa_mdav_static"])
                raise self._wrong(given[0], "is not for this variant. Leave it out, or use ", variant, ".")
        if self.prefer != "loss" and self.variant != "refined":
            variant = Setting("method", "variant", values=["refined"])
            raise self._wrong("prefer", "is not for this variant. Leave it out, or use ", variant, ".")
        if self.bounded and self.join == "below_k":
            join = Setting("method", "join", values=["below_k"])
            raise self._wrong("bounded", "divides tuples of k records, and ", join, " keeps them. Choose one.")

    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:  # noqa: ARG002
        index = cluster_index(tuples, strategy=self.centroid, equality=self.comparison == "equality")
        details: dict[str, Any] = {}
        if self.variant == "refined":
            found, details["rounds"] = refined_clusters(index, self.k, _PRICES[self.prefer] / int(tuples.counts.sum()))
        elif self.variant == "mdav":
            found = clusters_around_extremes(index, self.k, fixed=True)
        else:
            found = clusters_around_extremes(
                index,
                self.k,
                static=self.variant == "sa_mdav_static",
                bounded=self.bounded,
                weigh_distant=self.weigh_distant is not False,
                weigh_closest=self.weigh_closest is True,
                apart=self.join == "below_k",
            )
        clusters = Sets.of(found.cluster_of, found.tuple_of, found.records)
        points = centroids_of(tuples, clusters, self.centroid)
        if not found.divided:
            return Groups(found.cluster_of, points, details=details)
        start = np.searchsorted(found.tuple_of, np.arange(len(tuples) + 1))
        return Groups(found.cluster_of, points, start, found.records, details=details)

    def _represent(self, tuples: Tuples, members: IntArray) -> Sequence[Any]:
        """The centroid of a merged cluster."""
        return centroid_of(tuples, members, self.centroid)

    @property
    def _aligns_columns(self) -> bool:
        """Yes, if the centroid of each attribute is computed by itself."""
        return self.centroid != "mode"

    @property
    def is_truthful(self) -> bool:
        """Yes, if clusters are released as what all their values are."""
        return self.centroid == "lcs"

    @property
    def merges_groups(self) -> bool:
        """Yes, if clusters consist of whole tuples."""
        return self.variant != "mdav" and not self.bounded

    def _needs(self, data: Microdata) -> list[GroupRequirement | ColumnsK]:
        return [*super()._needs(data), *(r for r in self.require if isinstance(r, GroupRequirement))]
