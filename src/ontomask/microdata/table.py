"""`Microdata`: a table of persons' records with the role of every column, ready to be masked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import PairCounts, count_holders, group_rows, number_texts
from ontomask.base.notes import Note
from ontomask.base.text import join_some
from ontomask.errors import Choice, Setting, TableError
from ontomask.kinds import KINDS, Column, Kind, Policies, Release, nominal_columns
from ontomask.mapping import MappingReport
from ontomask.microdata import frames
from ontomask.microdata.disclosure_control import RARE, DisclosureControl
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.metadata import check_index, find_metadata, strip_metadata

__all__ = ["RARE", "Microdata", "dropped_metadata"]


class Microdata:
    """A table with roles. Every column has exactly one role, which must be stated.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table. It is never changed. A custom pandas index is an error: it can identify
        persons, and it has no role.
    quasi_identifiers
        The columns to be masked, each with its kind: `Nominal`, `Numeric` or `Ordinal`.
    identifiers
        Columns that identify a person. They are always removed.
    person
        The identifier of persons, if a person can have several records. k then counts persons.
    confidential
        Columns that are kept, and whose values nobody may learn about a person: names, or names with kinds.
    other
        Columns that are kept unchanged.
    missing
        The policy for missing cells of quasi-identifiers and of confidential columns with a kind: ``error``, ``keep``
        (all are released as missing, without their token), or ``drop`` the record.
    missing_tokens
        Texts that stand for a missing cell, such as ``?``.
    unmapped
        The policy for values without a concept: ``error``, ``keep``, ``drop``, or map them to the ``root``.

    Attributes
    ----------
    frame
        The records that remain under the policies, unchanged. Metadata (frame attributes, schema and column metadata)
        is dropped, and a note says so.
    mapping
        How every value of the nominal columns was mapped.
    notes
        What the user should know before the table is released.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"name": ["Ada", "Bob"], "job": ["clerk", "Soldier"], "income": [3, 4]})
    >>> jobs = om.Nominal(om.load_wordnet(), domain="person")
    >>> data = om.Microdata(frame, {"job": jobs}, identifiers=["name"], confidential=["income"])
    >>> data.mapping["job"].concepts["Soldier"]
    'soldier.n.01'
    """

    def __init__(
        self,
        frame: Any,
        quasi_identifiers: Mapping[str, Kind],
        *,
        identifiers: Sequence[str] = (),
        person: str | None = None,
        confidential: Sequence[str] | Mapping[str, Kind | None] = (),
        other: Sequence[str] = (),
        missing: str = "error",
        missing_tokens: Collection[str] = (),
        unmapped: str = "error",
    ) -> None:
        if not isinstance(quasi_identifiers, Mapping):
            raise TableError("The quasi-identifiers must be a dictionary from column name to kind.")
        lists = {"identifiers": identifiers, "confidential": confidential, "other": other}
        for parameter, names in {**lists, "missing_tokens": missing_tokens}.items():
            if isinstance(names, str) or not isinstance(names, Collection):
                hint = f" Write [{names!r}]." if isinstance(names, str) else ""
                text = f"{parameter!r} must be a list. Got {names!r} instead.{hint}"
                raise TableError(text, parameter=parameter)
        of_confidential = dict(confidential) if isinstance(confidential, Mapping) else dict.fromkeys(confidential)
        kinds = {**quasi_identifiers, **{name: kind for name, kind in of_confidential.items() if kind is not None}}
        self.person = person
        self.identifiers = tuple(dict.fromkeys([*identifiers, *([person] if person is not None else [])]))
        self.other = tuple(other)
        self.confidential = tuple(of_confidential)
        self.policies = Policies(missing, tuple(missing_tokens), unmapped)
        self._check_roles(frame, quasi_identifiers)
        _check_kinds(kinds)
        check_index(frame)
        self._metadata = find_metadata(frame)
        frame = strip_metadata(frame)
        if frames.length(frame) == 0:
            raise TableError("The table has no records. Give a table with at least one.")

        # Counted before records are dropped: a value of a dropped record must not be released.
        categorical = [name for name in (*self.confidential, *self.other) if frames.is_categorical(frame, name)]
        people = None if person is None else _number_persons(frame, person)
        counted = {name: _count_cells(frame, name, people) for name in (*quasi_identifiers, *categorical)}
        self._rare = {name: {cell for cell, n in cells if n < RARE} for name, cells in counted.items()}
        self._common = {name: {cell for cell, n in cells if n >= RARE} for name, cells in counted.items()}
        encoded = {name: self._encode(frame, name, kind) for name, kind in kinds.items()}
        self.mapping = MappingReport(tuple(column.mapping for column in nominal_columns(encoded.values())))
        self.frame = _drop_records(frame, encoded)
        if self.frame is not frame:
            # Domains and ranges are those of the records that remain.
            encoded = {name: self._encode(self.frame, name, column.kind) for name, column in encoded.items()}
        self.quasi_identifiers: dict[str, Column] = {name: encoded[name] for name in quasi_identifiers}
        self.confidential_columns: dict[str, Column] = {
            name: encoded[name] for name in of_confidential if name in encoded
        }
        self.dropped_records = frames.length(frame) - frames.length(self.frame)
        self._releases: dict[int, dict[str, Release]] = {}
        self.notes = tuple(self._notes())

    def __len__(self) -> int:
        return frames.length(self.frame)

    def __repr__(self) -> str:
        masked = ", ".join(self.quasi_identifiers)
        return f"<Microdata: {len(self):,} records, quasi-identifiers {masked}>"

    def _check_roles(self, frame: Any, quasi_identifiers: Mapping[str, Kind]) -> None:
        columns = frames.columns(frame)
        if not quasi_identifiers:
            raise TableError("There is no quasi-identifier. Name at least one column to be masked, with its kind.")
        named = [*quasi_identifiers, *self.identifiers, *self.confidential, *self.other]
        absent = [name for name in dict.fromkeys(named) if name not in columns]
        if absent:
            raise TableError(f"The table has no column {join_some(absent)}. It has {join_some(columns, 30)}.")
        twice = [name for name in dict.fromkeys(named) if named.count(name) > 1]
        if twice:
            raise TableError(f"These columns have more than one role: {join_some(twice)}. Keep one for each.")
        without = [name for name in columns if name not in named]
        if without:
            raise TableError(
                f"These columns have no role: {join_some(without, 30)}. Name each as a quasi-identifier (masked), in "
                f"'identifiers' (removed), 'confidential' (kept, protected by the masking) or 'other' (kept)."
            )

    def _encode(self, frame: Any, name: str, kind: Kind) -> Column:
        code, cells = frames.factorise(frame, name)
        return kind.encode(name, cells, code, self.policies)

    def _notes(self) -> list[Note]:
        notes: list[Note] = []
        if self._metadata:
            notes.append(dropped_metadata(self._metadata))
        if self.dropped_records:
            text = "{records:,} records with missing or unmapped cells were dropped, as the policies say."
            notes.append(Note.of("records-dropped", text, records=self.dropped_records))
        for name, column in self.quasi_identifiers.items():
            kept = int(column.counts[column.kept].sum())
            if kept:
                text = "{cells:,} cells of {column!r} are kept unchanged: they are not masked."
                notes.append(Note.of("cells-kept", text, cells=kept, column=name))
        if self.person is None:
            for name in self.identifiers:
                code, cells = frames.factorise(self.frame, name)
                if len(cells) < len(code):
                    text = (
                        "The identifier {column!r} repeats, and k counts records. If it identifies persons, declare "
                        "that in {person}, so that k counts persons."
                    )
                    person = Setting("columns", name, "person")
                    notes.append(Note.of("identifier-repeats", text, column=name, person=person))
        return notes

    @cached_property
    def table(self) -> FrequencyTable:
        """The distinct tuples of the quasi-identifiers, by meaning."""
        return FrequencyTable.of(tuple(self.quasi_identifiers.values()))

    @cached_property
    def releases(self) -> dict[str, Release]:
        """How each quasi-identifier's points are written and read, if the method guarantees no larger groups."""
        return self.releases_for(RARE)

    def releases_for(self, least: int) -> dict[str, Release]:
        """As `releases`; the data's own spelling is released only if at least ``least`` records have it."""
        if least not in self._releases:
            self._releases[least] = {
                name: column.release(column.safe_spellings(self.persons, least))
                for name, column in self.quasi_identifiers.items()
            }
        return self._releases[least]

    @cached_property
    def persons(self) -> IntArray | None:
        """A number for the person of each record; ``None`` if persons are not known."""
        return None if self.person is None else _number_persons(self.frame, self.person)

    @cached_property
    def persons_by_tuple(self) -> PairCounts | None:
        """Which persons have which distinct tuple, and with how many records; ``None`` where persons are not known."""
        return None if self.persons is None else self.table.count_with(self.persons)

    def persons_at(self, rows: NDArray[np.integer]) -> IntArray | None:
        """The persons of the records at the given positions; ``None`` if persons are not known."""
        return None if self.persons is None else self.persons[rows]

    @cached_property
    def kept_groups(self) -> IntArray | None:
        """A number for each record. Records with equal ``other`` columns, which are released unchanged, have the same.

        ``None`` if there are no such columns.
        """
        if not self.other:
            return None
        found = [frames.factorise(self.frame, name) for name in self.other]
        return group_rows([code for code, _ in found], [len(cells) for _, cells in found])[0]

    @cached_property
    def disclosure_control(self) -> DisclosureControl:
        """Which values of the table may be shown to others."""
        columns = {**self.quasi_identifiers, **self.confidential_columns}
        rare_before = self._rare if self.dropped_records else {}
        return DisclosureControl(columns, {m.column: m for m in self.mapping}, rare_before, self.persons)

    def codes(self, column: str) -> IntArray:
        """A number for each record's cell in a column; equal cells have equal numbers."""
        return frames.factorise(self.frame, column)[0]

    def release(
        self,
        cells: Mapping[str, Sequence[object]],
        codes: Mapping[str, IntArray],
        suppressed: NDArray[np.bool_] | None = None,
    ) -> Any:
        """The frame to release: quasi-identifiers replaced, identifiers and suppressed records removed.

        Record i gets ``cells[name][codes[name][i]]`` in a quasi-identifier. A categorical column keeps categories that
        no record has any more if they were common in the original.
        """
        for name in self.quasi_identifiers:
            if name not in cells or name not in codes or len(codes[name]) != len(self):
                raise TableError(
                    f"The quasi-identifier {name!r} needs released cells and one code per record.", column=name
                )
        if suppressed is not None and len(suppressed) != len(self):
            raise TableError(
                f"'suppressed' needs {len(self):,} values, one per record. Got {len(suppressed):,} instead."
            )
        frame = frames.drop_columns(self.frame, list(self.identifiers)) if self.identifiers else self.frame
        # Records are removed first, so that none of their values enters the columns.
        rows = np.arange(len(self)) if suppressed is None else np.flatnonzero(~suppressed)
        if len(rows) < len(self):
            frame = strip_metadata(frames.take_rows(frame, rows))
        for name, column in self.quasi_identifiers.items():
            if column.is_released_as_text:
                frame = frames.as_text(frame, name)
            common = self._common[name].__contains__
            frame = frames.replace_column(frame, name, cells[name], codes[name][rows], keep_categories=common)
        return self._forget_categories(frame)

    def _forget_categories(self, frame: Any) -> Any:
        """Remove categories of kept columns that no released record has, unless they were common in the original.

        Even a category that no record had is removed: it may come from records that were removed earlier.
        """
        for name in (*self.confidential, *self.other):
            if name in self._common:
                codes, cells = frames.factorise(frame, name)
                common = self._common[name].__contains__
                frame = frames.replace_column(frame, name, cells, codes, keep_categories=common)
        return frame


def _check_kinds(kinds: Mapping[str, object]) -> None:
    for name, kind in kinds.items():
        if not isinstance(kind, Kind):
            known = ", ".join(known.__name__ for known in KINDS.values())
            raise TableError(
                f"The column {name!r} needs one of these kinds: {known}. Got {type(kind).__name__} instead.",
                column=name,
            )


def _number_persons(frame: Any, name: str) -> IntArray:
    """A number for the person of each record. Surrounding spaces are ignored, since k would count too many persons."""
    code, cells = frames.factorise(frame, name)
    return number_texts(cells)[0][code]


def _count_cells(frame: Any, name: str, persons: IntArray | None) -> list[tuple[object, int]]:
    """The cells of a column, and the number of persons or records with each."""
    codes, cells = frames.factorise(frame, name)
    return list(zip(cells, count_holders(codes, len(cells), persons).tolist(), strict=True))


def _drop_records(frame: Any, columns: dict[str, Column]) -> Any:
    """The frame without the records that the policies drop."""
    gone = np.zeros(frames.length(frame), dtype=bool)
    for column in columns.values():
        if column.dropped.any():
            gone |= column.dropped[column.code]
    if not gone.any():
        return frame
    if gone.all():
        raise TableError(
            "No record is left after dropping those with missing or unmapped cells. Keep some: ",
            Choice(Setting("policies", "missing", values=["keep"]), Setting("policies", "unmapped", values=["root"])),
            ".",
        )
    return strip_metadata(frames.take_rows(frame, np.flatnonzero(~gone)))


def dropped_metadata(kinds: Sequence[str]) -> Note:
    """A note on the metadata that is not released."""
    return Note.of(
        "metadata-dropped",
        "The table has metadata, which is dropped because it has no role: {kinds}.",
        kinds=", ".join(kinds),
    )
