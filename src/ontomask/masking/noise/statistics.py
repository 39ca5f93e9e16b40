"""The statistics that noise is made from (means, variances, covariances, pairs), and how they add noise to records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.notes import WITHHELD, Note
from ontomask.base.text import join_some
from ontomask.distance.ties import levels_of
from ontomask.errors import MaskingError, Setting
from ontomask.kinds import Column, nominal_columns
from ontomask.masking.noise.errors import (
    NO_REFERENCE,
    Block,
    Distribution,
    Errors,
    Replacement,
    is_covariance,
    nearest_covariance,
    replace_values,
)
from ontomask.microdata import FrequencyTable, Microdata
from ontomask.microdata.disclosure_control import DisclosureControl
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.dependence import CentredDistances, Contingency, covariance
from ontomask.operators.space import marginal
from ontomask.taxonomy import Taxonomy

__all__ = ["KEPT", "REFERENCES", "FittedNoise", "Noise", "Reference", "fit_correlated", "fit_uncorrelated"]

Reference = Literal["mean", "pair", "root"]
REFERENCES: tuple[Reference, ...] = ("mean", "pair", "root")

# The point of a kept cell. As a reference point it means that there is none.
KEPT = NO_REFERENCE


@dataclass(frozen=True, eq=False)
class Noise:
    """Noise added to records, one row per record: the points of the replacements and the errors.

    A kept cell has error 0, and its point is `KEPT`.
    """

    points: IntArray
    errors: NDArray[np.float64]
    replacements: Sequence[Replacement]


@dataclass(frozen=True, eq=False, repr=False)
class FittedNoise:
    """Statistics of the data that noise is made from. It holds no record.

    Attributes
    ----------
    names, spaces
        The attributes.
    errors
        The distribution of the errors.
    reference, points
        The kind of reference, and for each attribute the reference point (``mean``, ``root``) or the number of its
        partner among the attributes (``pair``).
    figures
        For each attribute the statistics, for people.
    notes
        Notes on the statistics.
    """

    names: tuple[str, ...]
    spaces: tuple[NominalSpace, ...]
    errors: Errors
    reference: Reference
    points: tuple[int, ...]
    figures: Mapping[str, Mapping[str, Any]]
    notes: tuple[Note, ...] = ()

    def add(self, points: IntArray, levels: float | NDArray[np.float64], rng: np.random.Generator) -> Noise:
        """Add noise to records, given by the points of their values, one row each. `KEPT` cells stay.

        All errors are drawn first, then for each value the number that breaks ties. So the result does not depend on
        the order in which records are processed.
        """
        errors = self.errors.draw(len(points), levels, rng)
        chances = rng.random(points.shape)
        errors[points == KEPT] = 0.0
        out = np.full(points.shape, KEPT, dtype=np.int32)
        replacements = []
        for j, (name, space) in enumerate(zip(self.names, self.spaces, strict=True)):
            rows = np.flatnonzero(points[:, j] != KEPT)
            references = self._references(j, points)[rows]
            found = replace_values(space, points[rows, j], references, errors[rows, j], chances[rows, j], name=name)
            if self.reference == "pair":
                # The partner's cell is kept, so there is no reference point.
                found.sign_dropped[(references == NO_REFERENCE) & (errors[rows, j] != 0)] = True
            out[rows, j] = found.points
            replacements.append(found)
        return Noise(out, errors, replacements)

    def _references(self, j: int, points: IntArray) -> IntArray:
        if self.reference == "pair":
            return points[:, self.points[j]]
        at = self.points[j]
        if self.reference == "root":
            return np.full(len(points), at, dtype=np.int32)
        return np.where(points[:, j] == at, NO_REFERENCE, at).astype(np.int32)

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Variances and covariances of the errors at noise level 1."""
        out = np.zeros((len(self.names), len(self.names)))
        for block in self.errors.blocks:
            out[np.ix_(block.columns, block.columns)] = block.covariance
        return out


@dataclass(frozen=True, eq=False)
class _Sample:
    """The columns of a table with the counts of their values, without kept cells."""

    table: FrequencyTable
    columns: tuple[Column, ...]
    spaces: tuple[NominalSpace, ...]
    control: DisclosureControl
    notes: list[Note] = field(default_factory=list)

    @classmethod
    def of(cls, data: Microdata) -> _Sample:
        columns = data.table.columns
        spaces = tuple(column.space for column in nominal_columns(columns))
        for column, space in zip(columns, spaces, strict=True):
            if len(space.domain) == 1:
                raise MaskingError(
                    f"The domain of {column.name!r} has a single concept, so its values cannot be replaced. Name a "
                    f"wider domain: ",
                    Setting("columns", column.name, "domain"),
                    ". Or give the column the role 'other' if it need not be masked.",
                    column=column.name,
                    values=[space.domain.root],
                )
        return cls(data.table, columns, spaces, data.disclosure_control)

    def name(self, j: int) -> str:
        return self.columns[j].name

    def records(self, columns: Sequence[int]) -> tuple[list[IntArray], NDArray[np.int64]]:
        """The tuples without kept cells in these columns: their points, column by column, and their counts.

        Tuples that differ in other columns only are listed apart.
        """
        complete = np.ones(len(self.table), dtype=bool)
        for j in columns:
            complete &= ~self.table.values[j].kept[self.table.tuples[:, j]]
        return [self.table.points(j)[complete] for j in columns], self.table.counts[complete]

    def mean(self, j: int) -> tuple[int, float]:
        """The semantic mean of a column, and its semantic variance."""
        (points,), counts = self.records([j])
        values, often, _ = marginal(points, counts)
        mean = self.spaces[j].mean(values, often)
        return mean, self.spaces[j].variance(values, often, mean)

    def covariance(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Distance variances and covariances (Rodriguez-Garcia 2017, eq. 22; Rodriguez-Garcia 2016, eq. 12).

        All entries are computed from the same records, those without kept cells in these columns. So the entries of
        two columns always form a covariance matrix.
        """
        points, counts = self.records(columns)
        names = [self.name(j) for j in columns]
        if not len(counts):
            raise MaskingError(
                f"No record has a value in all of {join_some(names)}, so their covariances are unknown. Use "
                f"UncorrelatedNoise, or mask fewer columns at once.",
                values=names,
                code="no-complete-record",
            )
        found = [marginal(column, counts) for column in points]
        centred = [CentredDistances(self.spaces[j], *values[:2]) for j, values in zip(columns, found, strict=True)]
        out = np.diag([distances.variance for distances in centred])
        for i, name in enumerate(names):
            _check_varies(name, out[i, i])
        for i, j in combinations(range(len(columns)), 2):
            together = covariance(centred[i], centred[j], Contingency.of(found[i][2], found[j][2], counts))
            out[i, j] = out[j, i] = together.value
            if together.negative:
                text = "The squared distance covariance of {first!r} and {second!r} is negative, so 0 is used."
                self.notes.append(Note.of("negative-covariance", text, first=names[i], second=names[j]))
        return out


def _check_varies(name: str, spread: float) -> None:
    if not spread > 0:
        raise MaskingError(
            f"The values of {name!r} do not vary, so noise in proportion to their variance would release them "
            f"unchanged. Give the column the role 'other' if that is acceptable, or leave it out.",
            column=name,
        )


def fit_uncorrelated(data: Microdata, distribution: Distribution) -> FittedNoise:
    """Errors in proportion to the semantic variance of each column (Rodriguez-Garcia 2017, 4.4)."""
    sample = _Sample.of(data)
    blocks, means, figures = [], [], {}
    for j, space in enumerate(sample.spaces):
        mean, spread = sample.mean(j)
        _check_varies(sample.name(j), spread)
        means.append(mean)
        blocks.append(Block((j,), np.array([[spread]])))
        figures[sample.name(j)] = {"semantic_mean": space.domain.ids[mean], "semantic_variance": spread}
    return FittedNoise(tuple(figures), sample.spaces, Errors(blocks, distribution), "mean", tuple(means), figures)


def fit_correlated(
    data: Microdata, distribution: Distribution, reference: Reference, pairs: Sequence[tuple[str, str]] | None
) -> FittedNoise:
    """Errors in proportion to distance variances and covariances (Rodriguez-Garcia 2017, 4.5)."""
    sample = _Sample.of(data)
    columns = range(len(sample.columns))
    figures: dict[str, dict[str, Any]] = {sample.name(j): {} for j in columns}
    points = [0] * len(columns)
    if reference == "pair":
        blocks = _paired(sample, pairs)
        for block in blocks:
            i, j = block.columns
            points[i], points[j] = j, i
            figures[sample.name(i)]["pair"], figures[sample.name(j)]["pair"] = sample.name(j), sample.name(i)
    else:
        blocks = [Block(tuple(columns), _semidefinite(sample, sample.covariance(columns)))]
    for block in blocks:
        for at, j in enumerate(block.columns):
            figures[sample.name(j)]["distance_variance"] = float(block.covariance[at, at])
    for j, space in enumerate(sample.spaces):
        if reference == "mean":
            points[j], spread = sample.mean(j)
            figures[sample.name(j)] |= {"semantic_mean": space.domain.ids[points[j]], "semantic_variance": spread}
        elif reference == "root":
            _check_root(sample.name(j), space)
            figures[sample.name(j)]["root"] = space.domain.root
    return FittedNoise(
        tuple(figures),
        sample.spaces,
        Errors(blocks, distribution),
        reference,
        tuple(points),
        figures,
        tuple(sample.notes),
    )


def _semidefinite(sample: _Sample, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest covariance matrix: distance covariances need not form one."""
    if is_covariance(matrix):
        return matrix
    nearest = nearest_covariance(matrix)
    deviation = np.sqrt(np.diag(matrix))
    change = np.abs((nearest - matrix) / np.outer(deviation, deviation)).max()
    text = (
        "The distance covariances of {columns} columns do not form a covariance matrix. The nearest covariance matrix "
        "with the same variances was used; no correlation differs by more than {change:.3g}."
    )
    sample.notes.append(Note.of("nearest-covariance", text, columns=len(matrix), change=float(change)))
    return nearest


def _check_root(name: str, space: NominalSpace) -> None:
    """Refuse a distance under which all concepts are equally far from the root: then signs mean nothing."""
    others = np.arange(1, len(space.domain), dtype=np.int32)
    away = space.pairs(np.zeros(len(others), dtype=np.int32), others)
    if len(levels_of(away)[1]) == 1:
        raise MaskingError(
            f"Noise with the root as reference cannot mask {name!r}: under its distance ({space.distance.name}"
            f"{', root_depth 0' if getattr(space.distance, 'root_depth', None) == 0 else ''}) all concepts are equally "
            f"far from the root. Use ",
            Setting("method", "reference", values=["mean"]),
            ", or another distance, such as wu_palmer with root_depth 1.",
            column=name,
            parameter="reference",
        )


def _paired(sample: _Sample, pairs: Sequence[tuple[str, str]] | None) -> list[Block]:
    """Disjoint pairs of all columns with their covariances: the given pairs, else by highest correlation."""
    number = {column.name: j for j, column in enumerate(sample.columns)}
    if pairs is None:
        return _best_pairs(sample)
    unknown = [name for pair in pairs for name in pair if name not in number]
    if unknown:
        raise MaskingError(
            f"The 'pairs' parameter names {join_some(unknown)}, which is not a quasi-identifier. Name "
            f"quasi-identifiers: {join_some(number)}.",
            parameter="pairs",
        )
    left = [name for name in number if not any(name in pair for pair in pairs)]
    if left:
        raise MaskingError(
            f"The 'pairs' parameter leaves out {join_some(left)}, which would not be masked. Pair every "
            f"quasi-identifier, or give it another role.",
            parameter="pairs",
        )
    for a, b in pairs:
        if not _same_domain(sample.spaces[number[a]].domain, sample.spaces[number[b]].domain):
            raise MaskingError(
                f"The columns {a!r} and {b!r} cannot be a pair: {_domains(sample, [number[a], number[b]])}. A value is "
                f"moved towards its partner or away from it, so both need the same domain. Name it: ",
                Setting("columns", a, "domain"),
                ". Or use ",
                Setting("method", "reference", values=["root", "mean"]),
                ".",
                parameter="pairs",
                values=[a, b],
                code="other-domain",
            )
    return [Block(columns, sample.covariance(columns)) for columns in ((number[a], number[b]) for a, b in pairs)]


def _best_pairs(sample: _Sample) -> list[Block]:
    """Pairs of columns with the same domain. The highest correlations come first; ties keep the order of columns."""
    families: list[list[int]] = []
    for j, space in enumerate(sample.spaces):
        family = next((f for f in families if _same_domain(sample.spaces[f[0]].domain, space.domain)), None)
        if family is None:
            families.append([j])
        else:
            family.append(j)
    odd = [family for family in families if len(family) % 2]
    if odd:
        domains = _domains(sample, range(len(sample.spaces)))
        raise MaskingError(
            f"Noise with pairs as reference needs pairs of columns with the same domain, and one of "
            f"{join_some([sample.name(j) for j in odd[0]])} would be left over: {domains}. "
            f"Name a domain that they share: ",
            Setting("columns", sample.name(odd[0][0]), "domain"),
            ". Or add a column to mask, or use ",
            Setting("method", "reference", values=["root", "mean"]),
            ".",
            parameter="reference",
            values=[sample.name(j) for j in odd[0]],
            code="other-domain",
        )
    blocks = []
    for family in families:
        candidates = [Block(pair, sample.covariance(pair)) for pair in combinations(family, 2)]
        free = set(family)
        for block in sorted(candidates, key=lambda block: -_correlation(block)):
            if free.issuperset(block.columns):
                blocks.append(block)
                free.difference_update(block.columns)
    return sorted(blocks, key=lambda block: block.columns)


def _correlation(block: Block) -> float:
    # Rounded, so that equal correlations stay in the order of the columns.
    matrix = block.covariance
    return round(float(matrix[0, 1] / np.sqrt(matrix[0, 0] * matrix[1, 1])), 9)


def _same_domain(a: Taxonomy, b: Taxonomy) -> bool:
    same = a.ids == b.ids and np.array_equal(a.graph.parent_start, b.graph.parent_start)
    return a is b or (same and np.array_equal(a.graph.parent, b.graph.parent))


def _domains(sample: _Sample, columns: Sequence[int]) -> str:
    """The domain of each column in words. A domain that is a rare value of the column is not named."""
    roots = [(sample.name(j), sample.spaces[j].domain.root) for j in columns]
    return ", ".join(
        f"{name!r} has the domain {repr(root) if sample.control.may_name(name, root) else WITHHELD}"
        for name, root in roots
    )
