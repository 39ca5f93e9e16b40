"""`MetricPrivacyModel`: metric privacy for records that arrive one by one or in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.base.progress import progress
from ontomask.base.text import join_some
from ontomask.errors import MaskingError
from ontomask.kinds import Kind, Policies
from ontomask.masking.metric_privacy.budgets import budgets_by_column
from ontomask.masking.metric_privacy.mechanisms import Mechanism
from ontomask.masking.metric_privacy.randomness import secure_words
from ontomask.microdata import Microdata, frames
from ontomask.microdata.metadata import check_index, strip_metadata

if TYPE_CHECKING:
    from ontomask.masking.metric_privacy.method import MetricPrivacy

__all__ = ["MetricPrivacyModel"]


@dataclass(frozen=True, eq=False, repr=False)
class _Masker:
    """Reads, draws and writes the cells of one column."""

    kind: Kind
    policies: Policies
    mechanism: Mechanism

    def mask(self, name: str, cells: Sequence[object], code: Any) -> list[object]:
        """The released cell of each record; record i has the cell ``cells[code[i]]``."""
        # A column needs a value that is not missing, whatever the batch holds. Nobody has this one.
        sample = self.mechanism.domain.release.cell(self.mechanism.domain.points[0])
        sample = str(sample) if any(isinstance(cell, str) for cell in cells) else sample
        column = self.kind.encode(name, [*cells, sample], np.append(code, len(cells)).astype(np.int32), self.policies)
        domain = self.mechanism.domain
        drawn = self.mechanism.draw(domain.inputs(column.point)[column.code[:-1]], secure_words)
        used, index = np.unique(drawn, return_inverse=True)
        texts = domain.release.cells(domain.points[used])
        return [texts[i] for i in index.tolist()]


@dataclass(frozen=True, eq=False, repr=False)
class MetricPrivacyModel:
    """Metric privacy for a stream of records. `MetricPrivacy.fit` makes it.

    It holds the description of the columns and nothing of the data. Each record is masked by itself, with random bits
    of the operating system. So it does not matter in which batches, in which order or where records are masked. A
    record that is masked twice spends its budget twice.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> frame = pd.DataFrame({"symptom": ["ache", "colic"], "name": ["Ada", "Bob"]})
    >>> data = om.Microdata(frame, {"symptom": om.Nominal(t, domain="symptom")}, identifiers=["name"])
    >>> model = om.MetricPrivacy(epsilon=2.0).fit(data)
    >>> model.mask_record({"name": "Eve", "symptom": "rash"})["symptom"] in t.ids
    True
    >>> len(model.mask_batch(frame))
    2
    """

    method: MetricPrivacy
    _maskers: Mapping[str, _Masker]
    _identifiers: tuple[str, ...]
    _kept: tuple[str, ...]

    @classmethod
    def of(cls, data: Microdata, method: MetricPrivacy, mechanisms: Mapping[str, Mechanism]) -> MetricPrivacyModel:
        """Make a model of a table's columns and roles."""
        maskers = {
            name: _Masker(data.quasi_identifiers[name].kind, data.policies[name], mechanism)
            for name, mechanism in mechanisms.items()
        }
        return cls(method, maskers, (*data.identifiers, *data.drop), (*data.confidential, *data.other))

    def __repr__(self) -> str:
        return f"<MetricPrivacyModel for {', '.join(self._maskers)}: {self.method}>"

    @property
    def budgets(self) -> dict[str, float]:
        """The ε of each column."""
        return {name: masker.mechanism.epsilon for name, masker in self._maskers.items()}

    def mask_record(
        self, record: Mapping[str, object], *, epsilon: float | Mapping[str, float] | None = None
    ) -> dict[str, object]:
        """Mask one record.

        Parameters
        ----------
        record
            Its cells by column. Identifiers are removed; columns that are not quasi-identifiers are kept.
        epsilon
            The budget of this record, if it differs from the model's. It must not depend on the record's values.
        """
        self._check_columns(list(record))
        out = {name: cell for name, cell in record.items() if name not in self._identifiers}
        for name, masker in self._for(epsilon).items():
            (out[name],) = masker.mask(name, [record[name]], np.zeros(1, dtype=np.int32))
        return out

    @progress("Masking a batch")
    def mask_batch(self, frame: Any, *, epsilon: float | Mapping[str, float] | None = None) -> Any:
        """Mask the records of a table, and return a table of the same type.

        Parameters
        ----------
        frame
            A table with the columns of the data, or at least their quasi-identifiers. Identifiers and metadata are
            removed. A pandas index with its own labels is refused. Rows keep their order.
        epsilon
            The budget of each of these records, if it differs from the model's.
        """
        self._check_columns(frames.columns(frame))
        check_index(frame)
        frame = strip_metadata(frame)
        out = frames.drop_columns(frame, [name for name in self._identifiers if name in frames.columns(frame)])
        for name, masker in self._for(epsilon).items():
            code, cells = frames.factorise(frame, name)
            released = masker.mask(name, cells, code)
            texts = list(dict.fromkeys(released))
            index = {text: i for i, text in enumerate(texts)}
            codes = np.array([index[text] for text in released], dtype=np.int32)
            out = frames.new_column(out, name, texts, codes)
        return frames.tidy_categories(out)

    def _for(self, epsilon: float | Mapping[str, float] | None) -> Mapping[str, _Masker]:
        if epsilon is None:
            return self._maskers
        given = type(self.method)(epsilon=epsilon).epsilon
        if isinstance(given, Sequence):
            text = "A model masks records with one 'epsilon', or one for each column. Give a number or a dictionary."
            raise MaskingError(text, parameter="epsilon")
        budgets = budgets_by_column(given, list(self._maskers), 1)
        return {
            name: replace(masker, mechanism=replace(masker.mechanism, epsilon=budgets[name]))
            for name, masker in self._maskers.items()
        }

    def _check_columns(self, names: Sequence[str]) -> None:
        absent = [name for name in self._maskers if name not in names]
        if absent:
            raise MaskingError(
                f"The model masks the columns {join_some(self._maskers)}, and {join_some(absent)} is missing. Add it "
                f"to the records.",
                column=absent[0],
            )
        known = (*self._maskers, *self._identifiers, *self._kept)
        unknown = [name for name in names if name not in known]
        if unknown:
            raise MaskingError(
                f"The model was made for data without {join_some(unknown)}. Leave these columns out, or make a model "
                f"for data that have them.",
                column=unknown[0],
            )
