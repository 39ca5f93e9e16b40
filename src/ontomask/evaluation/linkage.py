"""Disclosure risk by record linkage: how often an intruder who has the originals finds the right record.

There are three intruders (Martínez 2012, sections 5.2.5 and 8.2). One links each masked record to the originals with
equal values (RL). One links each original to the masked records with equal values (MRL). One links each original to the
masked records that are nearest in meaning (SRL). If several records are linked, each is equally likely to be the right
one. All figures are exact, and are computed from the joint count of original and masked tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.progress import progress
from ontomask.base.threads import in_threads
from ontomask.distance.ties import TIE
from ontomask.errors import TableError
from ontomask.evaluation.blocks import MaskedBlocks
from ontomask.evaluation.pairing import NEEDS_RECORDS, Pairing
from ontomask.privacy.groups import freeze

__all__ = ["ROOM", "Linkage", "ValueDistances", "lay_out", "lines_of", "link", "nearest_masked"]

# Up to this many distances between values (256 MiB) are held. Beyond, they are computed again for every tuple.
ROOM = 2**25
# Distances between tuples that are compared at a time (32 MiB).
_COMPARED = 2**22


@dataclass(frozen=True, eq=False)
class Linkage:
    """Risks of re-identification.

    Attributes
    ----------
    rl, mrl, srl
        The share of records linked correctly, in percent of the records that the intruder knows.
    before
        By measure, the share that would be linked if nothing had been masked, in percent.
    columns
        The columns that the intruder knows.
    record_risk
        By measure (``rl``, ``mrl``, ``srl``), the probability for every original record. Records that were suppressed
        or that the intruder does not know have 0. ``None`` for a plan, which does not decide about single records.
    """

    rl: float
    mrl: float
    srl: float
    before: dict[str, float]
    columns: tuple[str, ...]
    record_risk: dict[str, NDArray[np.float64]] | None = None

    def __post_init__(self) -> None:
        freeze(*(self.record_risk or {}).values())

    @property
    def risk(self) -> dict[str, NDArray[np.float64]]:
        """By measure, the probability for every original record. An error for a plan: apply it first."""
        if self.record_risk is None:
            raise TableError(NEEDS_RECORDS, code="needs-records")
        return self.record_risk


@progress("Linking by quasi-identifiers")
def link(pairing: Pairing, *, known: Sequence[str] | None = None, records: ArrayLike | None = None) -> Linkage:
    """Link original and masked records.

    Parameters
    ----------
    pairing
        The two tables.
    known
        The columns that the intruder knows. All quasi-identifiers by default.
    records
        The originals that the intruder knows and looks for: positions, or one boolean per record. All by default.
    """
    names = [known] if isinstance(known, str) else known
    seen = pairing if names is None else pairing.restricted(tuple(dict.fromkeys(names)))
    # The sought records of each original tuple and of each pair.
    originals, counts, sought = seen.original.counts, seen.counts, None
    if records is not None:
        sought = _sought(records, seen.records)
        originals = np.bincount(seen.by_record.tuples[sought], minlength=len(seen.original))
        of_record = seen.by_record
        counts = np.bincount(of_record.pair[sought[of_record.rows]], minlength=len(seen.a))
    same = seen.same
    of_pair = {
        # The originals that the masked record is linked to, if its own is among them (Martínez 2012, eq. 5.8). An
        # intruder links only to known originals.
        "rl": np.where(same, 1 / np.maximum(originals[seen.a], 1), 0.0),
        # Martínez 2012, eq. 8.4 with the distance of eq. 8.6.
        "mrl": np.where(same, 1 / np.maximum(seen.masked.counts[seen.b], 1), 0.0),
        "srl": _semantic(seen),
    }
    number = int(originals.sum())
    percent = {name: 100 * float(values @ counts) / number for name, values in of_pair.items()}
    unmasked = 100 * float((originals / seen.original.counts).sum()) / number
    before = {"rl": 100 * int((originals > 0).sum()) / number, "mrl": unmasked, "srl": unmasked}
    risk = None
    if seen.record_pairs is not None:
        risk = {name: seen.per_record(values) for name, values in of_pair.items()}
        if sought is not None:
            risk = {name: np.where(sought, values, 0.0) for name, values in risk.items()}
    return Linkage(percent["rl"], percent["mrl"], percent["srl"], before, seen.names, risk)


def _sought(records: ArrayLike, n: int) -> NDArray[np.bool_]:
    """Which original records the intruder looks for."""
    given = np.asarray(records)
    if given.dtype == bool and given.shape == (n,) and given.any():
        return given
    if given.dtype.kind in "iu" and given.ndim == 1 and len(given) and given.min() >= 0 and given.max() < n:
        sought = np.zeros(n, dtype=bool)
        sought[given] = True
        return sought
    raise TableError(
        f"The 'records' that an intruder looks for must be positions from 0 to {n - 1:,}, or {n:,} booleans, and at "
        f"least one record.",
        parameter="records",
    )


def _semantic(pairing: Pairing) -> NDArray[np.float64]:
    """For every pair the probability that its original is linked to its masked record (Martínez 2012, eq. 8.1–8.4)."""
    if not len(pairing.a):
        return np.zeros(0)
    own = pairing.distances()
    # The nearest masked record is at most as far as the own one, so the search can stop there.
    bound = np.full(len(pairing.original), np.inf)
    np.minimum.at(bound, pairing.a, own)
    least, linked = nearest_masked(pairing, bound)
    return np.where(own <= least[pairing.a] + TIE, 1 / linked[pairing.a], 0.0)


class ValueDistances:
    """Distances from the values of some original tuples to those of all masked ones, in the form that the index uses.

    Attributes
    ----------
    order
        The attributes, the one with the most values first: it separates the most tuples.
    present, released
        For each attribute the values of the original tuples and of the masked tuples, ascending.
    fits
        Whether the matrices fit into memory.
    """

    def __init__(self, pairing: Pairing, tuples: NDArray[np.integer] | slice = slice(None)) -> None:
        sizes = [pairing.size(j) for j in range(len(pairing.names))]
        self.order = sorted(range(len(sizes)), key=lambda j: -sizes[j])
        self.present = [np.unique(pairing.original.indices[tuples, j]) for j in self.order]
        self.released = [np.unique(pairing.masked.indices[:, j]) for j in self.order]
        self.fits = sum(len(a) * len(b) for a, b in zip(self.present, self.released, strict=True)) <= ROOM
        self._pairing = pairing

    @cached_property
    def matrices(self) -> list[NDArray[np.float64]]:
        """The distances in each attribute."""
        by_attribute = zip(self.order, self.present, self.released, strict=True)
        matrices = [self._pairing.value_distances(j, rows, columns) for j, rows, columns in by_attribute]
        # The index needs a second attribute: one in which all values are equal.
        return matrices if len(matrices) > 1 else [*matrices, np.zeros((1, 1))]

    @cached_property
    def layout(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The matrices; see `lay_out`."""
        return lay_out(self.matrices)


def nearest_masked(
    pairing: Pairing, bound: NDArray[np.float64], distances: ValueDistances | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For every original tuple that was released, the least distance to a masked tuple, and how many records tie.

    ``bound`` is the distance to the nearest record that comes from the tuple. If a masked tuple is nearer, any such
    distance may be returned, and the number has no meaning. ``distances`` are those between values, computed once for
    several parts of a table.
    """
    sought = np.flatnonzero(np.isfinite(bound))
    least = np.full(len(bound), np.inf)
    linked = np.ones(len(bound), dtype=np.int64)
    if distances is None or not distances.fits:
        distances = ValueDistances(pairing, sought)
    if distances.fits:
        _nearest_by_value(pairing, sought, distances, bound, least, linked)
        return least, linked
    if _nearest_along_lines(pairing, sought, bound, least, linked):
        return least, linked
    _nearest_of_all(pairing, sought, least, linked)
    return least, linked


def _nearest_of_all(
    pairing: Pairing, sought: NDArray[np.integer], least: NDArray[np.float64], linked: NDArray[np.int64]
) -> None:
    """The same by comparing all, for attributes with many values that do not lie on a line."""
    masked, counts = pairing.masked.indices, pairing.masked.counts
    present = [np.unique(column, return_inverse=True) for column in masked.T]
    step = max(1, _COMPARED // len(masked))
    with progress("Linking records", len(sought)) as advance:
        for first in range(0, len(sought), step):
            tuples = sought[first : first + step]
            away = np.zeros((len(tuples), len(masked)))
            for j, (columns, index) in enumerate(present):
                rows, row = np.unique(pairing.original.indices[tuples, j], return_inverse=True)
                away += pairing.value_distances(j, rows, columns)[row.ravel()][:, index.ravel()]
            least[tuples] = away.min(axis=1)
            linked[tuples] = (away <= least[tuples, None] + TIE) @ counts
            advance(len(tuples))


def _nearest_by_value(
    pairing: Pairing,
    sought: NDArray[np.integer],
    distances: ValueDistances,
    bound: NDArray[np.float64],
    least: NDArray[np.float64],
    linked: NDArray[np.int64],
) -> None:
    """The same with an index: masked tuples are sorted by their values, and the nearest values are tried first."""
    from ontomask.evaluation.kernels import link_by_blocks, link_to_nearest

    order = distances.order
    flat, start, size, near = distances.layout
    masked, original = pairing.masked.indices[:, order], pairing.original.indices[sought][:, order]
    rows = np.stack([np.searchsorted(values, original[:, at]) for at, values in enumerate(distances.present)], axis=1)
    columns = [np.searchsorted(values, masked[:, at]) for at, values in enumerate(distances.released)]
    masked = np.stack(columns, axis=1).astype(np.int32)
    if len(order) == 1:
        masked, rows = (np.pad(indices, ((0, 0), (0, 1))) for indices in (masked, rows))
    if MaskedBlocks.fit(distances.matrices, len(masked), ROOM):
        blocks = MaskedBlocks.of(distances.matrices, masked)
        masked, counts = masked[blocks.order], pairing.masked.counts[blocks.order]
        bounds = (blocks.low, blocks.start, blocks.edges)
        # Tuples with the same values of the last attributes, which have the fewest values, follow each other.
        by = np.lexsort(rows.T)
        sought, rows = sought[by], rows[by]

        def by_blocks(part: slice, found: NDArray[Any], records: NDArray[Any]) -> None:
            link_by_blocks(flat, start, size, *bounds, masked, counts, rows[part], TIE, found, records)

        _in_batches(by_blocks, sought, bound, least, linked)
        return
    by_value = np.lexsort((masked[:, 1], masked[:, 0]))
    masked, counts = np.ascontiguousarray(masked[by_value]), pairing.masked.counts[by_value]
    new = np.ones(len(masked), dtype=bool)
    new[1:] = (masked[1:, :2] != masked[:-1, :2]).any(axis=1)
    inside = np.append(np.flatnonzero(new), len(masked))
    bucket = np.searchsorted(masked[inside[:-1], 0], np.arange(size[0] + 1))
    index = (bucket, masked[inside[:-1], 1], inside, masked, counts)

    def to_nearest(part: slice, found: NDArray[Any], records: NDArray[Any]) -> None:
        link_to_nearest(flat, start, size, near, *index, rows[part], TIE, found, records)

    _in_batches(to_nearest, sought, bound, least, linked)


def _nearest_along_lines(
    pairing: Pairing,
    sought: NDArray[np.integer],
    bound: NDArray[np.float64],
    least: NDArray[np.float64],
    linked: NDArray[np.int64],
) -> bool:
    """The same for attributes with many numbers: tuples of a bucket are sorted by number. False if there is none."""
    from ontomask.evaluation.kernels import link_along_lines

    lines = lines_of(pairing)
    sizes = [pairing.size(j) for j in range(len(pairing.names))]
    present = [np.unique(pairing.original.indices[sought, j]) for j in range(len(sizes))]
    # The attributes with the most values separate the most tuples.
    along = sorted(lines, key=lambda j: -sizes[j])
    others = sorted(set(range(len(sizes))) - set(lines), key=lambda j: -sizes[j])
    if not lines or sum(len(present[j]) * sizes[j] for j in others) > ROOM:
        return False
    # If there are no other attributes, one in which all values are equal takes their place.
    matrices = [pairing.value_distances(j, present[j]) for j in others] or [np.zeros((1, 1))]
    masked, original = pairing.masked.indices, pairing.original.indices[sought]
    rows = np.zeros((len(sought), len(matrices)), dtype=np.int64)
    values = np.zeros((len(masked), len(matrices)), dtype=np.int64)
    for at, j in enumerate(others):
        rows[:, at] = np.searchsorted(present[j], original[:, j])
        values[:, at] = masked[:, j]
    order = np.lexsort((lines[along[0]][masked[:, along[0]]], values[:, 0]))
    values, counts = values[order], pairing.masked.counts[order]
    there = np.stack([lines[j][masked[order, j]] for j in along], axis=1)
    here = np.stack([lines[j][original[:, j]] for j in along], axis=1)
    bucket = np.searchsorted(values[:, 0], np.arange(matrices[0].shape[1] + 1))
    flat, start, size, near = lay_out(matrices)

    def along_lines(part: slice, found: NDArray[Any], records: NDArray[Any]) -> None:
        link_along_lines(
            here[part], there, flat, start, size, near, bucket, rows[part], values, counts, TIE, found, records
        )

    _in_batches(along_lines, sought, bound, least, linked)
    return True


def _in_batches(
    find: Callable[[slice, NDArray[Any], NDArray[Any]], None],
    sought: NDArray[np.integer],
    bound: NDArray[np.float64],
    least: NDArray[np.float64],
    linked: NDArray[np.int64],
) -> None:
    """Call ``find`` for parts of the sought tuples, with arrays for their least distances and ties, and store these."""

    def run(part: slice) -> None:
        tuples = sought[part]
        found, records = bound[tuples], np.zeros(len(tuples), dtype=np.int64)
        find(part, found, records)
        least[tuples], linked[tuples] = found, records

    in_threads("Linking records", len(sought), lambda: run)


def lines_of(pairing: Pairing) -> dict[int, NDArray[np.float64]]:
    """The attributes whose values all lie on a line, such as numbers, with the weighted positions of their values."""
    lines = {}
    for j, (space, points) in enumerate(zip(pairing.spaces, pairing.points, strict=True)):
        x = space.positions(points) if pairing.size(j) == len(points) else None
        if x is not None:
            lines[j] = pairing.shares[j] * x
    return lines


def lay_out(
    matrices: Sequence[NDArray[np.float64]], *, nearest: bool = True
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """All matrices in one array, their starts and widths, and for each row of the first the order by distance."""
    flat = np.concatenate([matrix.ravel() for matrix in matrices])
    start = np.concatenate([[0], np.cumsum([matrix.size for matrix in matrices])])
    size = np.array([matrix.shape[1] for matrix in matrices])
    order = np.argsort(matrices[0], axis=1, kind="stable") if nearest else np.empty((0, 0))
    return flat, start, size, order.astype(np.int32)
