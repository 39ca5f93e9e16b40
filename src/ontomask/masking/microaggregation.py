"""Microaggregation: clusters of at least k records, each released as its centroid (T chapter 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.errors import MaskingError
from ontomask.masking.anonymous import KAnonymous
from ontomask.masking.base import GroupRequirement
from ontomask.masking.cluster_index import cluster_index
from ontomask.masking.groups import Groups, centroid_of, centroids_of
from ontomask.masking.mdav import clusters_around_extremes
from ontomask.masking.parameters import nominal_only, one_of, yes_or_no
from ontomask.masking.refinement import refined_clusters
from ontomask.microdata import Microdata
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Sets

__all__ = ["RELATED", "Microaggregation", "Variant"]

Variant = Literal["refined", "sa_mdav", "sa_mdav_static", "mdav"]
VARIANTS: tuple[Variant, ...] = ("refined", "sa_mdav", "sa_mdav_static", "mdav")

# What T 6.3.4 compares with, and the bounded clusters of T Fig. 19-B: Microaggregation(k=5, **RELATED["abril"]).
RELATED: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        # Domingo-Ferrer and Torra 2005.
        "domingo_ferrer_torra": {"variant": "mdav", "comparison": "equality", "centroid": "mode"},
        # Abril et al. 2010: the attributes' distance is to be wu_palmer, which it is by default.
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
        The least number of records (of persons, where the data tell them apart) that share a released tuple.
    variant
        ``refined``: clusters of whole tuples by local search on the sum of squared distances to the centroids; it loses
        least. ``sa_mdav``: T's SA-MDAV (Algorithm 4); clusters of whole tuples around extremes, the centroid moving as
        a cluster grows. ``sa_mdav_static``: the same with the first tuple in place of the centroid. ``mdav``: MDAV
        (Algorithm 3); clusters of exactly k records, so that tuples are divided.
    weigh_distant, weigh_closest
        For ``sa_mdav`` and ``sa_mdav_static``: whether distances are multiplied by a tuple's records, as T eq. 4.2 has
        it, where the most distant and where the closest tuple is looked for.
    join
        For the same two: ``all`` tuples may join a cluster, as in Algorithm 4, or only those ``below_k``, as T 6.3.3
        describes it; then tuples of k records are clusters at once.
    bounded
        For the same two: whether clusters have at most 2k − 1 records (T Fig. 19-B), so that tuples are divided.
    comparison
        How tuples are compared: ``semantic``, by the distances of their attributes, or ``equality``, by the share of
        attributes in which they differ.
    centroid
        What a cluster is released as: ``semantic``, each attribute's own centroid; ``lcs``, each attribute's least
        common subsumer (nominal attributes only); ``mode``, the most frequent tuple.
    require
        What is asked of the clusters besides, such as `Diversity` or `Closeness`: clusters that fall short are merged
        with the nearest until all comply. As many clusters that do not fall short are drawn and merged, too, so that a
        merger does not give away confidential values. Where k counts persons, clusters with too few are merged as
        well. Where tuples are divided, nothing can be merged, since records are shared out at random: there it is
        checked on the output only.

    Notes
    -----
    Nothing but mergers for ``require`` is left to chance; ties go to the tuple or the cluster that comes first. Numbers
    are released as means with as many decimals as the column has, ordered categories as lower medians.

    ``refined`` starts from clusters that small ones form by joining their nearest, or from SA-MDAV where clusters have
    many tuples. Weighting the most distant by records (the default) and not the closest loses least in SA-MDAV: see
    docs/experiments/microaggregation_variants.md, which also tells what refinement does to the risk of linkage.
    Readings of Algorithm 4 where it leaves room: sizes count records; s is looked for among the tuples that are left;
    what is left in the end, less than k records, joins the clusters with the closest centroids as these stand, and all
    centroids are taken once more.

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

    variant: Variant = "refined"
    _: KW_ONLY
    weigh_distant: bool | None = None
    weigh_closest: bool | None = None
    join: Literal["all", "below_k"] = "all"
    bounded: bool = False
    comparison: Literal["semantic", "equality"] = "semantic"
    centroid: Literal["semantic", "lcs", "mode"] = "semantic"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self, "variant", self.variant, VARIANTS)
        one_of(self, "join", self.join, ("all", "below_k"))
        one_of(self, "comparison", self.comparison, ("semantic", "equality"))
        one_of(self, "centroid", self.centroid, ("semantic", "lcs", "mode"))
        yes_or_no(self, "weigh_distant", "weigh_closest", or_none=True)
        yes_or_no(self, "bounded")
        given = {
            "weigh_distant": self.weigh_distant is not None,
            "weigh_closest": self.weigh_closest is not None,
            "join": self.join != "all",
            "bounded": self.bounded,
        }
        names = [name for name, is_given in given.items() if is_given]
        if names and self.variant not in ("sa_mdav", "sa_mdav_static"):
            raise MaskingError(
                f"{names[0]!r} is an option of the variants sa_mdav and sa_mdav_static. Got variant={self.variant!r}: "
                f"leave it out, or choose one of these."
            )
        if self.bounded and self.join == "below_k":
            raise MaskingError("bounded clusters divide tuples of k records, join='below_k' keeps them: choose one.")

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask: only concepts have a least common subsumer."""
        super().check(data)
        if self.centroid == "lcs":
            nominal_only(self, data, "least common subsumers need is-a links; use centroid='semantic'")

    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:  # noqa: ARG002
        field = cluster_index(tuples, strategy=self.centroid, equality=self.comparison == "equality")
        details: dict[str, Any] = {}
        if self.variant == "refined":
            found, details["rounds"] = refined_clusters(field, self.k)
        elif self.variant == "mdav":
            found = clusters_around_extremes(field, self.k, fixed=True)
        else:
            found = clusters_around_extremes(
                field,
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
    def merges_groups(self) -> bool:
        """Clusters of whole tuples are merged until they have what is required."""
        return self.variant != "mdav" and not self.bounded

    def _needs(self, data: Microdata) -> list[GroupRequirement]:
        return [*super()._needs(data), *(r for r in self.require if isinstance(r, GroupRequirement))]
