"""Read a masked table back to points: one of ours from a file, or one of another tool.

Other tools release more than values and concepts: ``*`` for any value, labels of a hierarchy, intervals of numbers,
fewer records. A text without a meaning is an error. Its message lists such texts, since the masked table is public, but
none that is a rare value of the original: the user may have given the original table by mistake. The error's ``values``
has all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import number_texts
from ontomask.base.notes import Cells, Note
from ontomask.base.text import cell_text, join_some
from ontomask.errors import Choice, Setting, TableError
from ontomask.evaluation.pairing import Pairing
from ontomask.hierarchy import Hierarchy
from ontomask.kinds import ANYTHING, Column
from ontomask.kinds.base import MaskedReader
from ontomask.kinds.foreign import is_suppressed
from ontomask.kinds.policy_cells import merge_kept_cells
from ontomask.microdata import Microdata, frames
from ontomask.microdata.masked import MaskedData
from ontomask.operators.ranges import make_points
from ontomask.operators.space import Points

__all__ = ["note_unrelated_rows", "number_cells", "read_masked"]

# The fewest records that `note_unrelated_rows` judges, and the size of its sample.
_LEAST, _SAMPLE = 100, 2_000

_PAIR_RECORDS = Choice(
    Setting("key", about="a column that identifies a record in both tables"),
    Setting("rows", about="the positions of the originals, as Result.write returns them"),
)


def read_masked(
    data: Microdata,
    frame: Any,
    *,
    key: str | Sequence[str] | None = None,
    rows: ArrayLike | None = None,
    mapping: Mapping[str, Mapping[str, str]] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> tuple[MaskedData, tuple[Note, ...]]:
    """A masked frame with its original, and notes on how its cells were read.

    Parameters
    ----------
    data
        The original table with its roles.
    frame
        The masked table: the same records in the same order or, with ``key`` or ``rows``, any of them in any order.
    key
        Columns that identify a record in both tables; originals that are missing count as suppressed. An identifier
        among them counts as not released.
    rows
        The position of each masked record's original, as ``Result.write`` returns it; originals that are missing count
        as suppressed.
    mapping
        The meaning of released texts, by column: concept ids or labels.
    hierarchies
        The hierarchy whose labels were released, by column. A label means the common subsumer of its values; for
        numbers, dates and ordered categories, the range that it describes or that of its values.
    """
    present = frames.columns(frame)
    absent = [name for name in data.quasi_identifiers if name not in present]
    if absent:
        raise TableError(
            f"The masked table has no column {join_some(absent)}. It has {join_some(present, 30)}. If the column was "
            f"left out on purpose, describe the original with it as an identifier.",
            column=absent[0],
            code="no-column",
        )
    lacking = [name for name in data.confidential if name not in present]
    if lacking:
        raise TableError(
            f"The masked table has no confidential column {join_some(lacking)}, whose l and t are measured. Bring it "
            f"along, or give it another role in the original.",
            column=lacking[0],
            code="no-column",
        )
    for what, given in (("mapping", mapping), ("hierarchies", hierarchies)):
        unknown = [name for name in given or {} if name not in data.quasi_identifiers]
        if unknown:
            raise TableError(
                f"{what!r} names {join_some(unknown)}, which are not quasi-identifiers of the original. Remove them.",
                parameter=what,
                column=unknown[0],
                code="unknown-column",
            )
    positions = _match(data, frame, key, rows)
    notes: list[Note] = []
    columns: dict[str, Column] = {}
    stands_for: dict[str, dict[int, float]] = {}
    for name, column in data.quasi_identifiers.items():
        meanings, hierarchy = (mapping or {}).get(name, {}), (hierarchies or {}).get(name)
        columns[name], stands_for[name] = _read(data, column, frame, meanings, hierarchy, notes)
    notes.extend(_confidential_notes(data, frame, positions))
    keys = [name for name in ([key] if isinstance(key, str) else key or ()) if name in data.identifiers]
    if keys:
        # The key is needed for this comparison only. Releasing it would identify every person.
        frame = frames.drop_columns(frame, keys)
        text = "The key {keys} counts as not released. Remove it before the table is released."
        notes.append(Note.of("key-not-released", text, keys=", ".join(keys)))
    if len(positions) < len(data):
        text = "{suppressed:,} of {records:,} records are not in the masked table: suppressed."
        notes.append(Note.of("records-suppressed", text, suppressed=len(data) - len(positions), records=len(data)))
    units = _read_pseudonyms(data, frame, positions)
    masked = MaskedData(frame, columns, positions, len(data), units, stands_for)
    return masked, tuple(map(data.disclosure_control.redact, notes))


def _read_pseudonyms(data: Microdata, frame: Any, rows: NDArray[np.int64]) -> IntArray | None:
    """The pseudonym of each record; ``None`` if the column of persons is not released, or not as pseudonyms."""
    if data.person is None or data.person not in frames.columns(frame):
        return None
    ours, theirs = number_cells(data, frame, data.person)
    return None if (ours[rows] == theirs).any() else theirs


def _match(data: Microdata, frame: Any, key: str | Sequence[str] | None, rows: ArrayLike | None) -> NDArray[np.int64]:
    """The position of each masked record's original."""
    if rows is not None:
        if key is not None:
            raise TableError("'key' and 'rows' both pair the records. Give one of them.", parameter="rows")
        return _check_rows(data, frame, rows)
    if key is None:
        if frames.length(frame) != len(data):
            raise TableError(
                f"The masked table has {frames.length(frame):,} records, the original {len(data):,}. To pair the "
                f"records, give ",
                _PAIR_RECORDS,
                ".",
                code="other-length",
            )
        _refuse_other_order(data, frame)
        return np.arange(len(data))
    names = [key] if isinstance(key, str) else list(key)
    for which, table in (("original", data.frame), ("masked", frame)):
        lacking = [name for name in names if name not in frames.columns(table)]
        if lacking:
            raise TableError(
                f"The {which} table has no key column {join_some(lacking)}. Name one that both tables have.",
                parameter="key",
                column=lacking[0],
                code="no-column",
            )
    ours, theirs = _keys(data.frame, names), _keys(frame, names)
    position = {text: i for i, text in enumerate(ours)}
    for which, keys in (("original", ours), ("masked", theirs)):
        if len(set(keys)) < len(keys):
            raise TableError(
                f"The key {join_some(names)} repeats in the {which} table, so it does not identify records. Name more "
                f"columns.",
                parameter="key",
                code="not-unique",
            )
    strange = sum(text not in position for text in theirs)
    if strange:
        raise TableError(
            f"{strange:,} records of the masked table have a key that the original does not have. Remove them, or name "
            f"another key.",
            parameter="key",
            code="unknown-records",
        )
    return np.array([position[text] for text in theirs], dtype=np.int64)


def _check_rows(data: Microdata, frame: Any, rows: ArrayLike) -> NDArray[np.int64]:
    """Validate the positions of the originals."""
    given = np.asarray(rows)
    length = frames.length(frame)
    if given.shape != (length,) or given.dtype.kind not in "iu":
        raise TableError(f"'rows' must have one integer for each masked record: {length:,}.", parameter="rows")
    if length and (given.min() < 0 or given.max() >= len(data) or len(np.unique(given)) < length):
        raise TableError(
            f"'rows' must be distinct positions in the original, from 0 to {len(data) - 1:,}.", parameter="rows"
        )
    return given.astype(np.int64)


def _refuse_other_order(data: Microdata, frame: Any) -> None:
    """Refuse records in another order, as `Result.write` and jobs write them. Columns that are kept reveal it.

    A column has the same cells, but not row by row, and no column that varies is the same row by row.
    """
    present, shuffled = frames.columns(frame), False
    for name in (*data.confidential, *data.other):
        if name not in present:
            continue
        ours, theirs = number_cells(data, frame, name)
        if (ours == theirs).all():
            if (ours != ours[0]).any():
                return
        elif (np.sort(ours) == np.sort(theirs)).all():
            shuffled = True
    if shuffled:
        raise TableError(
            "The masked records are in another order than the originals, as in files of jobs and of Result.write. To "
            "pair the records, give ",
            _PAIR_RECORDS,
            ". For a file of a job, give ",
            Setting("private", about="the private file of the run that wrote it"),
            ". If the order is the same and kept columns were swapped, give the positions of the rows.",
            code="other-order",
        )


def note_unrelated_rows(pairing: Pairing) -> tuple[Note, ...]:
    """A note if masked records are not nearer to their originals than to other records: the rows may be shuffled.

    This is measured on a sample: the mean difference between both distances is below two standard errors. Fewer than
    100 records, or records that are all equal, give no note.
    """
    pair = pairing.by_record.pair
    records = len(pair)
    if records < _LEAST:
        return ()
    sample = np.random.default_rng(0).choice(records, min(records, _SAMPLE), replace=False)
    a, b = pairing.a[pair[sample]], pairing.b[pair[sample]]
    own, other = (replace(pairing, a=a, b=masked).distances() for masked in (b, np.roll(b, 1)))
    nearer = other - own
    if not nearer.any() or nearer.mean() > 2 * nearer.std() / np.sqrt(len(nearer)):
        return ()
    return (
        Note.of(
            "rows-unrelated",
            "The masked records are not nearer to their originals than to other records. Unless the masking was very "
            "strong, the rows are in another order: give {identify}.",
            identify=Choice(Setting("key"), Setting("rows")),
        ),
    )


def number_cells(data: Microdata, frame: Any, name: str, *, exact: bool = False) -> tuple[IntArray, IntArray]:
    """The cells of a column in the original and in the masked table as numbers: see `number_texts`."""
    (code, cells), (masked_code, masked_cells) = (frames.factorise(table, name) for table in (data.frame, frame))
    ours, theirs = number_texts(cells, masked_cells, exact=exact)
    return ours[code], theirs[masked_code]


def _confidential_notes(data: Microdata, frame: Any, rows: NDArray[np.int64]) -> list[Note]:
    """Notes on confidential columns that were changed: the originals are measured."""
    notes = []
    for name in data.confidential:
        ours, theirs = number_cells(data, frame, name)
        changed = int((ours[rows] != theirs).sum())
        if changed:
            text = "{cells:,} cells of the confidential {column!r} were changed; l and t are of its originals."
            notes.append(Note.of("confidential-changed", text, cells=changed, column=name))
    return notes


def _keys(frame: Any, names: Sequence[str]) -> list[tuple[str | None, ...]]:
    columns = []
    for name in names:
        code, cells = frames.factorise(frame, name)
        texts = [cell_text(cell) for cell in cells]
        columns.append([texts[i] for i in code.tolist()])
    return list(zip(*columns, strict=True))


def _read(
    data: Microdata,
    column: Column,
    frame: Any,
    mapping: Mapping[str, str],
    hierarchy: Hierarchy | None,
    notes: list[Note],
) -> tuple[Column, dict[int, float]]:
    """Encode a masked column, and count the values that texts list. Cells that the original keeps have no point."""
    code, cells = frames.factorise(frame, column.name)
    policies, own = data.policies[column.name], column.own.get("missing")
    texts = [cell_text(cell) for cell in cells]
    texts = [None if policies.is_missing(text) and text not in mapping else text for text in texts]
    kept_texts = {cell_text(column.cells[i]) for i in np.flatnonzero(column.kept)}
    reader = column.masked_reader(data.releases[column.name], mapping, _values_below(hierarchy))
    found: list[Any] = []
    unread: list[str] = []
    for text in texts:
        try:
            if own is not None and text is None:
                found.append(own.point)
            else:
                found.append(None if text in kept_texts else _point_of(reader, text))
        except LookupError:
            found.append(None)
            unread.append(text or "a missing cell")
    if unread:
        message = Note.of(
            "values-without-meaning",
            "The masked column {column!r} has {number:,} values without a known meaning: {values}. Give their concepts "
            "in {mapping}, or the hierarchy that they come from in {hierarchies}.",
            mapping=Setting("evaluation", "mapping"),
            hierarchies=Setting("evaluation", "hierarchies"),
            column=column.name,
            number=len(unread),
            values=Cells(column.name, unread, most=12),
        )
        raise TableError(data.disclosure_control.redact(message), column=column.name, values=unread, code="no-meaning")
    kept = np.array([point is None for point in found], dtype=bool)
    points = make_points([0 if point is None else point for point in found], column.point.dtype)
    notes.extend(reader.notes())
    listed = _count_values(column, texts, code, points, reader.listed)
    return merge_kept_cells(column.with_cells(cells, code, points, kept), policies), listed


def _count_values(
    column: Column, texts: Sequence[str | None], code: IntArray, points: Points, listed: Mapping[str, Sequence[int]]
) -> dict[int, float]:
    """For points of texts that list values: how many of the column's values their records stand for, on average."""
    domain = column.space.domain
    if not listed or domain is None:
        return {}
    above = [set(domain.graph.ancestors([value]).tolist()) for value in np.unique(column.point[column.live]).tolist()]
    records = np.bincount(code, minlength=len(texts))
    found: dict[int, float] = {}
    for point in {int(points[i]) for i, text in enumerate(texts) if text in listed}:
        cells = np.flatnonzero(points == point)
        meant = [listed.get(texts[i] or "", (point,)) for i in cells.tolist()]
        values = [sum(not wider.isdisjoint(some) for wider in above) for some in meant]
        found[point] = float(np.average(values, weights=records[cells]))
    return found


def _point_of(reader: MaskedReader, text: str | None) -> Any:
    """The point of a text. `NA` and the like are suppressed cells, unless they mean something else here."""
    try:
        return reader.read(text)
    except LookupError:
        if text is None or not is_suppressed(text):
            raise
        return reader.read(None)


def _values_below(hierarchy: Hierarchy | None) -> dict[str, list[str]]:
    """The values below each inner label of a hierarchy."""
    below: dict[str, list[str]] = {}
    if hierarchy is not None:
        for leaf in hierarchy.leaves:
            for label in set(hierarchy.levels(leaf)[1:]) - {leaf, ANYTHING}:
                below.setdefault(label, []).append(leaf)
    return below
