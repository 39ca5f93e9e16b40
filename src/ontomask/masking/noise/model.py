"""`NoiseModel`: noise for records that arrive one by one or in batches, from statistics computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import progress
from ontomask.base.text import cell_text
from ontomask.errors import MaskingError
from ontomask.kinds import NominalColumn, Policies, Release, nominal_columns
from ontomask.mapping.mapper import resolve
from ontomask.masking.noise.errors import as_numbers
from ontomask.masking.noise.statistics import KEPT, FittedNoise
from ontomask.masking.seeds import generator
from ontomask.masking.stream_columns import StreamColumns
from ontomask.microdata import Microdata, frames
from ontomask.microdata.cells import canonical_codes
from ontomask.microdata.metadata import strip_metadata
from ontomask.microdata.table import RARE

__all__ = ["NoiseModel"]

# In place of the point of a cell whose record is dropped.
DROPPED = KEPT - 1


@dataclass(frozen=True, eq=False, repr=False)
class _Wording:
    """How cells of a column are read and concepts are written, without the data.

    It knows the spelling of values that at least `RARE` records have; a rarer spelling could identify a person. Other
    concepts are released by their label, or by their code if the column holds codes.
    """

    column: NominalColumn
    policies: Policies
    spellings: Mapping[int, object]

    @classmethod
    def of(cls, data: Microdata, column: NominalColumn) -> _Wording:
        kind, domain = column.kind, column.domain
        given = {
            key: resolve(kind.taxonomy, to, domain=column.mapping.domain).concept
            for key, to in (kind.mapping or {}).items()
        }
        fixed = replace(
            kind,
            taxonomy=domain if kind.scope == "domain" else kind.taxonomy,
            mapping={key: concept for key, concept in given.items() if concept in domain},
            domain=domain.root,
        )
        common = np.flatnonzero((data.count_cells(column.name) >= RARE) & ~column.kept & ~column.dropped)
        cells = tuple(column.cells[i] for i in common.tolist())
        texts = {cell_text(cell) for cell in cells}
        mapping = replace(column.mapping, values=tuple(v for v in column.mapping.values if v.value in texts), missing=0)
        nobody = np.zeros(len(common), dtype=bool)
        template = replace(
            column,
            kind=fixed,
            cells=cells,
            code=np.arange(len(common), dtype=np.int32),
            point=column.point[common],
            kept=nobody,
            dropped=nobody,
            mapping=mapping,
        )
        return cls(template, data.policies[column.name], column.safe_spellings(data.persons, RARE))

    def points(self, cells: Sequence[object]) -> IntArray:
        """The point of each cell; `KEPT` or `DROPPED` if the policies say so."""
        is_code = self.column.kind.taxonomy.annotations.code_ids
        texts = [cell_text(cell, code_column=is_code, column=self.column.name) or "" for cell in cells]
        texts = ["" if text in self.policies.missing_tokens else text for text in texts]
        mapped = self.column.kind.map(dict.fromkeys(texts, 1), self.column.name, ())
        policies = self.policies.while_encoding
        decision = mapped.decide(unmapped=policies.unmapped, missing=policies.missing)
        point = {text: self.column.domain.code(concept) for text, concept in decision.concepts.items()}
        point |= dict.fromkeys(decision.dropped, DROPPED)
        if decision.kept:
            point |= dict.fromkeys(decision.kept, self._kept_point("unmapped"))
        if "" in texts:
            point[""] = DROPPED if decision.drop_missing else self._kept_point("missing")
        return np.array([point[text] for text in texts], dtype=np.int32)

    def _kept_point(self, which: str) -> int:
        """The point of cells that the policies keep, or that they make the root or a value of their own."""
        policy = getattr(self.policies, which)
        if policy == "root":
            return self.column.anything
        if policy == "keep":
            return KEPT
        own = self.column.own.get(which)
        if own is None:
            raise MaskingError(
                f"The model was fitted on data without {which} cells in {self.column.name!r}, so it has no value for "
                f"them. Fit it on data that have some, or choose another policy.",
                column=self.column.name,
            )
        return int(own.point)

    def kept_cell(self, cell: object) -> object:
        """What a kept cell is released as: missing cells are equal, and text has no blanks around it."""
        if self.policies.is_missing(cell):
            return None
        return cell.strip() if isinstance(cell, str) else cell

    @cached_property
    def _release(self) -> Release:
        return self.column.release(self.spellings)

    def cells(self, points: Sequence[int], beside: Sequence[object]) -> list[object]:
        """The cells that points are released as. They differ from the kept cells ``beside`` them."""
        release, column, kept = self._release, self.column, len(beside)
        if kept:
            column = replace(
                column,
                cells=(*column.cells, *beside),
                code=np.arange(len(column.cells) + kept, dtype=np.int32),
                point=np.append(column.point, np.full(kept, KEPT, dtype=np.int32)),
                kept=np.append(column.kept, np.ones(kept, dtype=bool)),
                dropped=np.append(column.dropped, np.zeros(kept, dtype=bool)),
            )
            release = column.release(self.spellings)
        return [release.cell(point) for point in points]


@dataclass(frozen=True, eq=False, repr=False)
class NoiseModel:
    """Noise with fitted statistics, for a stream of records. The ``fit`` method of a noise method makes it.

    It holds means, variances and covariances, the taxonomies, and the spelling of values that at least ten records had.
    It holds no record and no rarer value, except those in ``mapping=`` and the values of categories: keep the model
    private if these are the words of single persons. It can be pickled. Columns, domains, and policies for missing and
    unmapped cells are those of the data that it was fitted on. The statistics do not follow the stream.

    Attributes
    ----------
    alpha
        The default noise level; ``None`` if the method had one for each record.
    statistics
        The statistics of the data by column: the semantic mean or the pair, and the variance.

    Examples
    --------
    >>> import numpy as np, ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> frame = pd.DataFrame({"symptom": ["ache", "colic", "rash", "ache"], "name": ["Ada", "Bob", "Cyd", "Dan"]})
    >>> data = om.Microdata(frame, {"symptom": om.Nominal(t)}, identifiers=["name"])
    >>> model = om.UncorrelatedNoise(alpha=0.3).fit(data)
    >>> rng = np.random.default_rng(0)
    >>> [model.mask_record({"name": "Eve", "symptom": "ache"}, seed=rng) for _ in range(2)]
    [{'symptom': 'pain'}, {'symptom': 'pain'}]
    >>> model.mask_batch(frame, seed=rng)["symptom"].tolist()
    ['pain', 'symptom', 'symptom', 'pain']
    """

    alpha: float | None
    _fitted: FittedNoise
    _wordings: tuple[_Wording, ...]
    _columns: StreamColumns

    @classmethod
    def of(cls, data: Microdata, fitted: FittedNoise, alpha: float | None) -> NoiseModel:
        """Make a model of a table's columns and roles."""
        columns = nominal_columns(data.quasi_identifiers.values())
        wordings = tuple(_Wording.of(data, column) for column in columns)
        return cls(alpha, fitted, wordings, StreamColumns.of(data))

    def __repr__(self) -> str:
        level = "one level for each record" if self.alpha is None else f"level {self.alpha:g}"
        return f"<NoiseModel for {', '.join(self._fitted.names)}: {level}>"

    @property
    def statistics(self) -> Mapping[str, Mapping[str, Any]]:
        """The statistics of the data by column."""
        return {name: dict(figures) for name, figures in self._fitted.figures.items()}

    def mask_record(
        self, record: Mapping[str, object], *, alpha: float | None = None, seed: int | np.random.Generator | None = None
    ) -> dict[str, object] | None:
        """Mask one record.

        Parameters
        ----------
        record
            Its cells by column. Identifiers are removed; columns that are not quasi-identifiers are kept.
        alpha
            The noise level of this record, if it differs from the model's; 0 leaves the record unchanged.
        seed
            To make a stream repeatable, give the same generator for all its records. (A number would draw the same
            errors for each record.)

        Returns
        -------
        dict or None
            ``None`` for a record that the policies drop.
        """
        self._columns.check(list(record))
        points = np.stack([wording.points([record[wording.column.name]]) for wording in self._wordings], axis=1)
        level = self._levels(alpha, 1)
        if (points == DROPPED).any():
            return None
        noisy = self._fitted.add(points, level, generator(seed)).points[0].tolist()
        out = self._columns.remove(record)
        for wording, point in zip(self._wordings, noisy, strict=True):
            name = wording.column.name
            if point != KEPT:
                out[name] = wording.cells([point], [])[0]
            else:
                out[name] = wording.kept_cell(out[name])
        return out

    @progress("Masking a batch")
    def mask_batch(
        self,
        frame: Any,
        *,
        alpha: float | Sequence[float] | NDArray[np.float64] | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> Any:
        """Mask the records of a table, and return a table of the same type.

        Parameters
        ----------
        frame
            A table with the columns of the data, or at least their quasi-identifiers. Identifiers, metadata, and
            records that the policies drop are removed. A pandas index with its own labels is refused. Rows keep their
            order.
        alpha
            The noise level, or one for each record, if it differs from the model's; 0 leaves a record unchanged.
        seed
            A number or generator that makes the result repeatable. Give one generator for all batches of a stream: a
            number would draw the same errors for each batch.
        """
        frame = self._columns.read_batch(frame)
        levels = np.broadcast_to(self._levels(alpha, frames.length(frame)), frames.length(frame))
        taken = [frames.factorise(frame, wording.column.name) for wording in self._wordings]
        read = [wording.points(cells) for wording, (_, cells) in zip(self._wordings, taken, strict=True)]
        points = np.stack([point[code] for point, (code, _) in zip(read, taken, strict=True)], axis=1)
        stay = np.flatnonzero((points != DROPPED).all(axis=1))
        noise = self._fitted.add(points[stay], levels[stay], generator(seed))
        out = self._columns.remove_from(frame)
        if len(stay) < len(points):
            out = strip_metadata(frames.take_rows(out, stay))
        out = _forget_categories(out)
        for j, (wording, (code, cells)) in enumerate(zip(self._wordings, taken, strict=True)):
            out = _released(out, wording, cells, code[stay], noise.points[:, j])
        return out

    def _levels(self, alpha: float | Sequence[float] | NDArray[np.float64] | None, n: int) -> NDArray[np.float64]:
        given = self.alpha if alpha is None else alpha
        if given is None:
            raise MaskingError(
                "The model was fitted with one noise level for each record. Give 'alpha' for these records.",
                parameter="alpha",
            )
        levels = as_numbers(given)
        if levels.shape not in ((), (n,)) or not ((levels >= 0) & (levels < inf)).all():
            raise MaskingError(
                f"The 'alpha' parameter must be a number ≥ 0, or {n:,} such numbers, one for each record.",
                parameter="alpha",
            )
        return levels


def _released(frame: Any, wording: _Wording, cells: Sequence[object], code: IntArray, points: IntArray) -> Any:
    """The table with the released cells of one column. Kept cells stay as they are; missing cells become equal."""
    code, cells = canonical_codes(code, [wording.kept_cell(cell) for cell in cells])
    stays = points == KEPT
    kept, kept_code = np.unique(code[stays], return_inverse=True)
    beside = [cells[i] for i in kept.tolist()]
    released, released_code = np.unique(points[~stays], return_inverse=True)
    codes = np.empty(len(points), dtype=np.int32)
    codes[~stays] = released_code
    codes[stays] = len(released) + kept_code
    name = wording.column.name
    if any(isinstance(cell, float) for cell in cells):
        # Codes that were read as numbers are released as digits.
        frame = frames.as_text(frame, name)
    texts = [*wording.cells(released.tolist(), beside), *beside]
    return frames.replace_column(frame, name, texts, codes, keep_categories=False)


def _forget_categories(frame: Any) -> Any:
    """Remove categories that no record has: they may come from dropped or earlier records."""
    for name in frames.columns(frame):
        if frames.is_categorical(frame, name):
            codes, cells = frames.factorise(frame, name)
            frame = frames.replace_column(frame, name, cells, codes, keep_categories=False)
    return frame
