"""The columns of records that a fitted model masks as they arrive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ontomask.base.text import join_some
from ontomask.errors import MaskingError
from ontomask.microdata import Microdata, frames
from ontomask.microdata.metadata import check_index, strip_metadata

__all__ = ["StreamColumns"]


@dataclass(frozen=True)
class StreamColumns:
    """The columns that a model masks, removes and keeps. Records with other columns are refused."""

    masked: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]

    @classmethod
    def of(cls, data: Microdata) -> StreamColumns:
        """The columns of the data that the model is made for."""
        return cls(tuple(data.quasi_identifiers), (*data.identifiers, *data.drop), (*data.confidential, *data.other))

    def check(self, names: Sequence[str]) -> None:
        """Refuse records with missing or unknown columns."""
        absent = [name for name in self.masked if name not in names]
        if absent:
            raise MaskingError(
                f"The model masks the columns {join_some(self.masked)}, and {join_some(absent)} is missing. Add it to "
                f"the records.",
                column=absent[0],
            )
        known = (*self.masked, *self.removed, *self.kept)
        unknown = [name for name in names if name not in known]
        if unknown:
            raise MaskingError(
                f"The model was made for data without {join_some(unknown)}. Leave these columns out, or make a model "
                f"for data that have them.",
                column=unknown[0],
            )

    def read_batch(self, frame: Any) -> Any:
        """Check a table, and remove its metadata."""
        self.check(frames.columns(frame))
        check_index(frame)
        return strip_metadata(frame)

    def remove(self, record: Mapping[str, object]) -> dict[str, object]:
        """A record without the columns that are not released."""
        return {name: cell for name, cell in record.items() if name not in self.removed}

    def remove_from(self, frame: Any) -> Any:
        """A table without the columns that are not released."""
        return frames.drop_columns(frame, [name for name in self.removed if name in frames.columns(frame)])
