"""What noise takes from the data: means, variances, covariances, pairs; and how it is added to records with them."""

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
from ontomask.errors import MaskingError
from ontomask.kinds import Column, nominal_columns
from ontomask.masking.noise_errors import Block, Distribution, Errors, is_covariance, nearest_covariance
from ontomask.masking.noise_replacement import NO_REFERENCE, Replacement, replace_values
from ontomask.microdata import FrequencyTable, Microdata
from ontomask.microdata.disclosure_control import DisclosureControl
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.dependence import CentredDistances, Contingency, covariance
from ontomask.operators.space import marginal
from ontomask.taxonomy import Taxonomy

__all__ = ["KEPT", "REFERENCES", "FittedNoise", "Noise", "Reference", "fit_correlated", "fit_uncorrelated"]

Reference = Literal["mean", "pair", "root"]
REFERENCES: tuple[Reference, ...] = ("mean", "pair", "root")

# In place of the point of a cell that stays as it stands. As a reference it is none, which is what it has to be.
KEPT = NO_REFERENCE


@dataclass(frozen=True, eq=False)
class Noise:
    """Noise added to records: for each column the replacements, and the errors that asked for them, one row a record.

    A kept cell has no error, and its replacement is `KEPT`.
    """

    points: IntArray
    errors: NDArray[np.float64]
    replacements: Sequence[Replacement]


@dataclass(frozen=True, eq=False, repr=False)
class FittedNoise:
    """Statistics of the data that noise is made of. It holds no record.

    Attributes
    ----------
    names, spaces
        The attributes.
    errors
        The distribution of the errors.
    reference, points
        What signs refer to, and for each attribute the point (``mean``, ``root``) or the place of its partner among
        the attributes (``pair``).
    figures
        For each attribute the statistics, for reading.
    notes
        What is worth knowing about them.
    """

    names: tuple[str, ...]
    spaces: tuple[NominalSpace, ...]
    errors: Errors
    reference: Reference
    points: tuple[int, ...]
    figures: Mapping[str, Mapping[str, Any]]
    notes: tuple[Note, ...] = ()

    def add(self, points: IntArray, levels: float | NDArray[np.float64], rng: np.random.Generator) -> Noise:
        """Add noise to records, given by the points of their values, one row each; `KEPT` cells stay.

        All errors are drawn first, then for every value the number that picks one of the concepts that tie: the same
        draws give the same result in whatever order records are looked at.
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
                # The partner's cell is kept as it stands: there is no side to be on.
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
        """Variances and covariances of the errors, for a noise level of 1."""
        out = np.zeros((len(self.names), len(self.names)))
        for block in self.errors.blocks:
            out[np.ix_(block.columns, block.columns)] = block.covariance
        return out


@dataclass(frozen=True, eq=False)
class _Sample:
    """The columns of a table as noise sees them: values with counts, kept cells left out."""

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
                    f"The domain of {column.name!r} is a single concept: there is nothing to replace its values by. "
                    f"Name a wider domain: Nominal(..., domain=...), or give the column the role 'other' if it need "
                    f"not be masked.",
                    column=column.name,
                    values=[space.domain.root],
                )
        return cls(data.table, columns, spaces, data.disclosure_control)

    def name(self, j: int) -> str:
        return self.columns[j].name

    def records(self, columns: Sequence[int]) -> tuple[list[IntArray], NDArray[np.int64]]:
        """The tuples that keep no cell of some columns: their points, column by column, and how many records have each.

        Tuples that differ in other columns only are not put together.
        """
        whole = np.ones(len(self.table), dtype=bool)
        for j in columns:
            whole &= ~self.table.values[j].kept[self.table.tuples[:, j]]
        return [self.table.points(j)[whole] for j in columns], self.table.counts[whole]

    def mean(self, j: int) -> tuple[int, float]:
        """The semantic mean of a column, and its semantic variance."""
        (points,), counts = self.records([j])
        values, often, _ = marginal(points, counts)
        mean = self.spaces[j].mean(values, often)
        return mean, self.spaces[j].variance(values, often, mean)

    def covariance(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Distance variances and covariances (N eq. 22, C eq. 12) of the records that keep none of the columns' cells.

        All entries come from the same records: of two columns, they then make a covariance matrix.
        """
        points, counts = self.records(columns)
        names = [self.name(j) for j in columns]
        if not len(counts):
            raise MaskingError(
                f"No record has a value in all of {join_some(names)}, so how they depend on each other cannot be told. "
                f"Use UncorrelatedNoise, or mask fewer columns at once."
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
                text = "the distance covariance of {first!r} and {second!r} has a negative square: it counts as 0."
                self.notes.append(Note.of("negative-covariance", text, first=names[i], second=names[j]))
        return out


def _check_varies(name: str, spread: float) -> None:
    if not spread > 0:
        raise MaskingError(
            f"The values of {name!r} do not vary, so noise in proportion to their variance would change nothing and "
            f"release them as they are. Give the column the role 'other' if that may be, or leave it out."
        )


def fit_uncorrelated(data: Microdata, distribution: Distribution) -> FittedNoise:
    """Errors in proportion to the semantic variance (N 4.4), each column by itself."""
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
    """Errors in proportion to distance variances and covariances (N 4.5, C 3.2)."""
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
    """The matrix itself, or the nearest one that can be a covariance matrix: distance covariances need not make one."""
    if is_covariance(matrix):
        return matrix
    nearest = nearest_covariance(matrix)
    deviation = np.sqrt(np.diag(matrix))
    change = np.abs((nearest - matrix) / np.outer(deviation, deviation)).max()
    text = (
        "the distance covariances of {columns} columns make no covariance matrix; the nearest one with the same "
        "variances was taken, in which no correlation differs by more than {change:.3g}."
    )
    sample.notes.append(Note.of("nearest-covariance", text, columns=len(matrix), change=float(change)))
    return nearest


def _check_root(name: str, space: NominalSpace) -> None:
    """Where all concepts lie equally far from the root, no error has a side."""
    others = np.arange(1, len(space.domain), dtype=np.int32)
    away = space.pairs(np.zeros(len(others), dtype=np.int32), others)
    if len(levels_of(away)[1]) == 1:
        raise MaskingError(
            f"reference='root' cannot mask {name!r}: under its distance ({space.distance.name}"
            f"{', root_depth=0' if getattr(space.distance, 'root_depth', None) == 0 else ''}) all concepts lie equally "
            f"far from the root. Use reference='mean', or another distance, such as wu_palmer with root_depth=1."
        )


def _paired(sample: _Sample, pairs: Sequence[tuple[str, str]] | None) -> list[Block]:
    """Disjoint pairs of all columns, with their covariances: those given, else by highest correlation."""
    number = {column.name: j for j, column in enumerate(sample.columns)}
    if pairs is None:
        return _best_pairs(sample)
    unknown = [name for pair in pairs for name in pair if name not in number]
    if unknown:
        raise MaskingError(
            f"'pairs' names {join_some(unknown)}, which is no quasi-identifier. There are {join_some(number)}."
        )
    left = [name for name in number if not any(name in pair for pair in pairs)]
    if left:
        raise MaskingError(
            f"'pairs' leaves {join_some(left)} over, which would then not be masked. Pair every quasi-identifier, or "
            f"give it another role."
        )
    for a, b in pairs:
        if not _same_domain(sample.spaces[number[a]].domain, sample.spaces[number[b]].domain):
            raise MaskingError(
                f"{a!r} and {b!r} cannot be a pair: {_domains(sample, [number[a], number[b]])}. A value is moved "
                f"towards or away from its partner, so both need the same domain: name it, Nominal(..., domain=...), "
                f"or use reference='root' or 'mean'."
            )
    return [Block(columns, sample.covariance(columns)) for columns in ((number[a], number[b]) for a, b in pairs)]


def _best_pairs(sample: _Sample) -> list[Block]:
    """Pairs of columns with the same domain, the most correlated ones first; of equal ones the first in order."""
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
            f"reference='pair' needs pairs of columns with the same domain, and one of "
            f"{join_some([sample.name(j) for j in odd[0]])} would be left over: {domains}. "
            f"Name a domain that they share, Nominal(..., domain=...), mask another column with it, or use "
            f"reference='root' or 'mean'."
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
    """The domain of each column, named where it is no rare value of the column."""
    roots = [(sample.name(j), sample.spaces[j].domain.root) for j in columns]
    return ", ".join(
        f"{name!r} has the domain {repr(root) if sample.control.may_name(name, root) else WITHHELD}"
        for name, root in roots
    )
