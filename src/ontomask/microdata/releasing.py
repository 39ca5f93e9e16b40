"""The frame that is released: masked cells, kept columns, pseudonyms and weights; no identifiers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.errors import TableError
from ontomask.microdata import frames
from ontomask.microdata.metadata import strip_metadata
from ontomask.microdata.weights import release_mean_weights

if TYPE_CHECKING:
    from ontomask.microdata.table import Microdata

__all__ = ["release_frame"]


def release_frame(
    data: Microdata,
    common: Mapping[str, Collection[object]],
    cells: Mapping[str, Sequence[object]],
    codes: Mapping[str, IntArray],
    suppressed: NDArray[np.bool_] | None,
    pseudonyms: tuple[Sequence[str], IntArray] | None,
    groups: NDArray[np.integer] | None,
    linked: Mapping[str, Sequence[object]],
) -> Any:
    """The frame to release; see `Microdata.release`.

    ``common`` has the cells of categorical columns that many had. A quasi-identifier that it lacks is made anew.
    """
    for name in data.quasi_identifiers:
        if name not in cells or name not in codes or len(codes[name]) != len(data):
            raise TableError(
                f"The quasi-identifier {name!r} needs released cells and one code per record.", column=name
            )
    if suppressed is not None and len(suppressed) != len(data):
        raise TableError(
            f"'suppressed' needs {len(data):,} values, one per record. Got {len(suppressed):,} instead.",
            parameter="suppressed",
        )
    removed = [name for name in data.identifiers if pseudonyms is None or name != data.person]
    frame = frames.drop_columns(data.frame, removed) if removed else data.frame
    # Records are removed first, so that none of their values enters the columns.
    rows: slice | NDArray[np.int64] = slice(None)
    if suppressed is not None and suppressed.any():
        rows = np.flatnonzero(~suppressed)
        frame = strip_metadata(frames.take_rows(frame, rows))
    for name, column in data.quasi_identifiers.items():
        if name not in common:
            frame = frames.new_column(frame, name, cells[name], codes[name][rows])
            continue
        if column.is_released_as_text:
            frame = frames.as_text(frame, name)
        keep = common[name].__contains__
        frame = frames.replace_column(frame, name, cells[name], codes[name][rows], keep_categories=keep)
    if pseudonyms is not None and data.person is not None:
        texts, of_record = pseudonyms
        # As text: a list of categories would show persons in the order of the table.
        frame = frames.replace_column(frames.as_text(frame, data.person), data.person, texts, of_record[rows])
    for follower, leader in data.linked.items():
        if follower not in linked:
            raise TableError(f"The linked column {follower!r} needs released cells.", column=follower)
        of_record = codes[leader][rows]
        frame = frames.replace_column(frame, follower, linked[follower], of_record, keep_categories=False)
    if data.averages_weights and data.weights is not None and data.record_weights is not None:
        if groups is None:
            raise TableError("Averaged weights need the groups of the released records.", parameter="groups")
        frame = release_mean_weights(frame, data.weights, data.record_weights[rows], groups)
    return _forget_categories(data, common, frame)


def _forget_categories(data: Microdata, common: Mapping[str, Collection[object]], frame: Any) -> Any:
    """Remove categories of kept columns that no released record has, unless they were common in the original.

    Even a category that no record had is removed: it may come from records that were removed earlier.
    """
    for name in (*data.confidential, *data.other):
        if name in common:
            codes, cells = frames.factorise(frame, name)
            frame = frames.replace_column(frame, name, cells, codes, keep_categories=common[name].__contains__)
    return frame
