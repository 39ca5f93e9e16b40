"""Data mining before and after masking: clusters, and a classifier that is trained on masked records."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.progress import progress
from ontomask.errors import MissingExtraError, TableError
from ontomask.evaluation.pairing import Pairing, Side
from ontomask.microdata import Microdata
from ontomask.microdata.tuples import Tuples
from ontomask.operators.ranges import is_off_line
from ontomask.operators.set_space import ConceptSetSpace
from ontomask.privacy.confidential import Confidential

__all__ = [
    "MOST_RECORDS",
    "Classification",
    "Clustering",
    "compare_classifiers",
    "compare_clusterings",
    "partition_distance",
    "ward_clusters",
]

# All distances between the records are needed, so larger tables are sampled.
MOST_RECORDS = 3000


@dataclass(frozen=True)
class Clustering:
    """Clusters of the original and of the masked records.

    Attributes
    ----------
    distance
        Between the two partitions. 0: the same clusters. 1: nothing in common.
    clusters
        The number of clusters on each side.
    records
        The number of records that were clustered.
    """

    distance: float
    clusters: int
    records: int


@progress("Clustering both tables")
def compare_clusterings(pairing: Pairing, clusters: int = 10, *, seed: int | None = None) -> Clustering:
    """Ward's clusters of the same records before and after masking, and the distance between the two partitions.

    Of a table with more than `MOST_RECORDS`, a random sample is clustered.

    Parameters
    ----------
    pairing
        The tables. Suppressed records are in no cluster on either side.
    clusters
        The number of clusters on each side.
    seed
        For the sample.
    """
    released = len(pairing.by_record.pair)
    size = min(released, MOST_RECORDS)
    if not isinstance(clusters, int) or not 2 <= clusters <= size:
        raise TableError(
            f"The 'clusters' must be an int from 2 to the {size:,} records to be clustered. Got {clusters!r} instead.",
            parameter="clusters",
        )
    sample = np.arange(released)
    if size < released:
        sample = np.sort(np.random.default_rng(seed).choice(released, size, replace=False))
    pairs = pairing.by_record.pair[sample]
    before = ward_clusters(_matrix(pairing, pairing.original, pairing.a[pairs]), clusters)
    after = ward_clusters(_matrix(pairing, pairing.masked, pairing.b[pairs]), clusters)
    return Clustering(partition_distance(before, after), clusters, size)


def _matrix(pairing: Pairing, side: Side, records: NDArray[np.integer]) -> NDArray[np.float64]:
    """Distances between records, given by the indices of their tuples."""
    tuples, index = np.unique(records, return_inverse=True)
    table = Tuples(pairing.spaces, pairing.points, side.indices[tuples], side.counts[tuples])
    between = np.stack([table.distances_from(i) for i in range(len(table))])
    return between[np.ix_(index, index)]


def ward_clusters(distances: ArrayLike, clusters: int) -> NDArray[np.int64]:
    """The cluster of every object by Ward's method, over distances of any kind (as Batet et al. 2008 apply it).

    >>> ward_clusters([[0, 0.1, 0.9], [0.1, 0, 0.8], [0.9, 0.8, 0]], 2).tolist()
    [0, 0, 1]
    """
    from ontomask.evaluation.kernels import ward

    found = ward(np.array(distances, dtype=np.float64), clusters)
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def partition_distance(a: ArrayLike, b: ArrayLike) -> float:
    """De Mántaras' distance between two partitions of the same objects in [0, 1] (Martínez 2012, eq. 5.3–5.6).

    >>> partition_distance([0, 0, 1, 1], [5, 5, 6, 6]), partition_distance([0, 0, 1, 1], [0, 1, 0, 1])
    (0.0, 1.0)
    """
    left, right = (np.unique(np.asarray(part), return_inverse=True)[1] for part in (a, b))
    if len(left) != len(right):
        raise TableError("Both partitions must have the same number of objects.", code="lengths")
    together = _information(left * (int(right.max(initial=0)) + 1) + right)
    # With one cluster on both sides there is nothing to compare.
    return (2 * together - _information(left) - _information(right)) / together if together > 0 else 0.0


def _information(labels: NDArray[np.integer]) -> float:
    share = np.unique(labels, return_counts=True)[1] / len(labels)
    return float(-(share * np.log2(share)).sum())


@dataclass(frozen=True)
class Classification:
    """How well a confidential column is predicted for original records that were not used for training.

    Attributes
    ----------
    target
        The column.
    original, masked
        The share of records predicted correctly after training on original and on masked records.
    baseline
        The share predicted correctly by the most frequent value.
    """

    target: str
    original: float
    masked: float
    baseline: float

    @property
    def lost(self) -> float:
        """The loss in the share of records predicted correctly."""
        return self.original - self.masked


@progress("Training classifiers")
def compare_classifiers(data: Microdata, pairing: Pairing, target: str, *, seed: int | None = None) -> Classification:
    """Train a classifier on masked and one on original records, and test both on the same other originals, a third.

    The classifier is a logistic regression on the values and all concepts above them, so that it can use records with
    generalised values. It needs the extra ``learn``.

    Parameters
    ----------
    data, pairing
        The tables.
    target
        The confidential column to be predicted.
    seed
        For the division into training and test.
    """
    try:
        linear_model = import_module("sklearn.linear_model")
        sparse = import_module("scipy.sparse")
    except ImportError:
        raise MissingExtraError("classifiers", "learn") from None
    codes = Confidential.of(data, target).codes[pairing.by_record.rows]
    order = np.random.default_rng(seed).permutation(len(codes))
    cut = round(len(codes) * (1 - 1 / 3))
    train, test = order[:cut], order[cut:]
    if len(np.unique(codes[train])) < 2 or not len(test):
        message = f"The column {target!r} has one value in the training records. Choose a column with several values."
        raise TableError(message, column=target, parameter="target")
    sides = []
    for side, numbers in ((pairing.original, pairing.a), (pairing.masked, pairing.b)):
        blocks = [_features(pairing, side, j, sparse) for j in range(len(pairing.names))]
        sides.append(sparse.hstack(blocks).tocsr()[numbers[pairing.by_record.pair]])
    original, masked = sides
    right = []
    for features in (original, masked):
        classifier = linear_model.LogisticRegression(max_iter=1000)
        classifier.fit(features[train], codes[train])
        right.append(float(np.mean(classifier.predict(original[test]) == codes[test])))
    most_frequent = np.bincount(codes[train] - codes.min()).argmax() + codes.min()
    return Classification(target, right[0], right[1], float(np.mean(codes[test] == most_frequent)))


def _features(pairing: Pairing, side: Side, j: int, sparse: Any) -> Any:
    """One row per tuple: positions on a line scaled to [0, 1], concepts as indicators of all concepts above them."""
    space, points, index = pairing.spaces[j], pairing.points[j], side.indices[:, j]
    known = index < len(points)
    if isinstance(space, ConceptSetSpace):
        above = [space.elements.domain.graph.ancestors(space.sets[int(point)]) for point in points]
    elif space.domain is not None:
        above = [space.domain.graph.ancestors([int(point)]) for point in points]
    else:
        values = np.zeros((len(index), 1))
        off_line = is_off_line(points)
        if off_line.all():
            return sparse.csr_matrix(values)
        known[known] = ~off_line[index[known]]
        at = space.coordinates(points)
        at[off_line] = at[~off_line].min()
        values[known, 0] = (at[index[known]] - at.min()) / (float(np.ptp(at)) or 1.0)
        return sparse.csr_matrix(values)
    columns = np.unique(np.concatenate(above))
    rows = [
        np.searchsorted(columns, above[p]) if k else np.empty(0, dtype=np.int64)
        for p, k in zip(np.where(known, index, 0), known, strict=True)
    ]
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    flat = np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)
    return sparse.csr_matrix((np.ones(len(flat)), flat, start), shape=(len(index), len(columns)))
