"""`Microdata`: a table of persons' records with the role of every column, ready to be masked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, Records
from ontomask.base.grouping import PairCounts, count_holders, group_rows
from ontomask.base.notes import Note
from ontomask.base.progress import progress, with_progress
from ontomask.engines.base import Source
from ontomask.errors import Setting, TableError
from ontomask.kinds import Column, Kind, Release, mapped_columns
from ontomask.kinds.categorical import note_rare_categories
from ontomask.kinds.policies import RARE_KEPT, check_choice, policies_by_column
from ontomask.kinds.policy_cells import kept_records
from ontomask.mapping import MappingReport
from ontomask.microdata import frames
from ontomask.microdata.disclosure_control import RARE, DisclosureControl
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.linked import note_conflicts, read_links
from ontomask.microdata.metadata import check_index, dropped_metadata, find_metadata, strip_metadata
from ontomask.microdata.persons import check_pseudonyms, note_similar_persons, number_persons
from ontomask.microdata.releasing import release_frame
from ontomask.microdata.roles import check_kinds, check_roles, complete_kind
from ontomask.microdata.sources import check_source, columns_to_count
from ontomask.microdata.weights import note_weights, read_weights

__all__ = ["RARE", "Microdata"]


class Microdata:
    """A table with roles. Every column has exactly one role, which must be stated.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table, or what `ontomask.scan` gives. It is never changed. A custom pandas index is
        an error: it can identify persons, and it has no role.
    quasi_identifiers
        The columns to be masked, each with its kind: `Nominal`, `ConceptSet`, `Category`, `Prefix`, `Numeric`,
        `Ordinal` or `Date`.
    identifiers
        Columns that identify a person. They are always removed.
    person
        The identifier of persons, if a person can have several records. k then counts persons.
    pseudonyms
        Whether the ``person`` column is released with random pseudonyms instead of being removed, so that the records
        of a person stay together. An intruder then sees all of them, and k counts persons with equal sets of records.
    confidential
        Columns that are kept, and whose values nobody may learn about a person: names, or names with kinds.
    other
        Columns that are kept unchanged.
    weights
        The column of sampling weights, if the table is a sample: how many persons of the population a record stands
        for. The population risk is then estimated.
    average_weights
        Whether a release has the mean weight of each group of equal records. Otherwise the weights are kept, and count
        as a column that others may know.
    linked
        Lists of a quasi-identifier and the columns that follow it, such as ``["code", "label"]``. A follower has no
        other role: each released value gets the follower's value that most of its originals have, if at least ten (or
        k) have it, and an empty cell otherwise.
    drop
        Columns that are left out.
    missing
        The policy for missing cells of columns with a kind: ``error``; ``keep`` (all are released as missing, without
        their token, and k counts them as a value); ``drop`` the record; ``root``: the cell becomes the root of the
        column, which says nothing; ``category``: missing is a value of its own, released as the first of the tokens or
        as ``missing``, and masked like any other. One for all columns, or a dictionary by column; columns that it does
        not name have the policy under the key ``None``, or ``error``.
    missing_tokens
        Texts that stand for a missing cell, such as ``?``: one list for all columns, or a dictionary by column.
    unmapped
        The same as ``missing``, for values that the column cannot hold: without a concept, not a number, not among the
        categories. As a ``category``, all of them are one value, released as ``unmapped``.
    rare_kept
        What k-anonymous methods do with kept cells that fewer than k records (or persons) share: ``error``, ``drop``
        these records, or release these cells as the ``root``.

    Attributes
    ----------
    frame
        The records that remain under the policies, unchanged. Metadata (frame attributes, schema and column metadata)
        is dropped, and a note says so.
    row_keys
        What identifies each record in random draws: its position in the given table.
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

    @progress("Preparing the table")
    def __init__(
        self,
        frame: Any,
        quasi_identifiers: Mapping[str, Kind],
        *,
        identifiers: Sequence[str] = (),
        person: str | None = None,
        pseudonyms: bool = False,
        confidential: Sequence[str] | Mapping[str, Kind | None] = (),
        other: Sequence[str] = (),
        weights: str | None = None,
        average_weights: bool = True,
        linked: Sequence[Sequence[str]] = (),
        drop: Sequence[str] = (),
        missing: str | Mapping[Any, str] = "error",
        missing_tokens: Collection[str] | Mapping[Any, Collection[str]] = (),
        unmapped: str | Mapping[Any, str] = "error",
        rare_kept: str = "error",
    ) -> None:
        if not isinstance(quasi_identifiers, Mapping):
            raise TableError(
                "Quasi-identifiers must be a dictionary from column to kind.", parameter="quasi_identifiers"
            )
        lists: dict[str, Any] = {"identifiers": identifiers, "confidential": confidential, "other": other}
        lists |= {"drop": drop, "linked": linked}
        for parameter, names in lists.items():
            if isinstance(names, str) or not isinstance(names, Collection):
                hint = f" Write [{names!r}]." if isinstance(names, str) else ""
                text = f"{parameter!r} must be a list. Got {names!r} instead.{hint}"
                raise TableError(text, parameter=parameter)
        of_confidential = dict(confidential) if isinstance(confidential, Mapping) else dict.fromkeys(confidential)
        kinds = {**quasi_identifiers, **{name: kind for name, kind in of_confidential.items() if kind is not None}}
        self.person = person
        self.identifiers = tuple(dict.fromkeys([*identifiers, *([person] if person is not None else [])]))
        self.weights = weights
        self.averages_weights = weights is not None and average_weights
        self.other = (*other, *([weights] if weights is not None and not average_weights else []))
        self.confidential = tuple(of_confidential)
        self.drop = tuple(drop)
        self.linked = read_links(linked, quasi_identifiers)
        #: Where the records are, if they are not in memory. Then `frame` has the distinct ones.
        self.source = frame if isinstance(frame, Source) else None
        check_roles(self, frames.columns(frame) if self.source is None else self.source.columns, quasi_identifiers)
        check_kinds(kinds)
        if self.source is not None:
            check_source(self, pseudonyms=pseudonyms)
        self.policies = policies_by_column(kinds, missing=missing, missing_tokens=missing_tokens, unmapped=unmapped)
        check_choice("rare_kept", rare_kept, RARE_KEPT)
        self.rare_kept = rare_kept
        #: How many records each row of `frame` stands for; ``None``: one.
        self.row_records: Records = None
        self._declared = partial(
            Microdata,
            quasi_identifiers=quasi_identifiers,
            identifiers=identifiers,
            person=person,
            confidential=confidential,
            other=other,
            linked=linked,
            drop=drop,
            missing=missing,
            missing_tokens=missing_tokens,
            unmapped=unmapped,
            rare_kept=rare_kept,
        )
        if self.source is None:
            check_index(frame)
            frame = frames.drop_columns(frame, self.drop) if self.drop else frame
        else:
            frame, self.row_records = self.source.count(columns_to_count(self, kinds))
        self._metadata = find_metadata(frame)
        frame = strip_metadata(frame)
        if frames.length(frame) == 0:
            raise TableError("The table has no records. Give a table with at least one.", parameter="frame")
        self.pseudonyms = check_pseudonyms(frame, person, pseudonyms)

        # Counted before records are dropped: a value of a dropped record must not be released.
        kept_columns = (*self.confidential, *self.other) if self.source is None else ()
        categorical = [name for name in kept_columns if frames.is_categorical(frame, name)]
        people = None if person is None else number_persons(frame, person)
        names = with_progress("Counting values", dict.fromkeys((*kinds, *categorical)))
        coded = {name: frames.factorise(frame, name) for name in names}
        given = frames.length(frame) if self.row_records is None else int(self.row_records.sum())
        counted = {
            name: _count_cells(*coded[name], people, self.row_records) for name in (*quasi_identifiers, *categorical)
        }
        self._rare = {name: {cell for cell, n in cells if n < RARE} for name, cells in counted.items()}
        self._common = {name: {cell for cell, n in cells if n >= RARE} for name, cells in counted.items()}
        encoded = self._encode_all(frame, kinds, coded)
        self.mapping = MappingReport(tuple(column.mapping for column in mapped_columns(encoded.values())))
        kept, self.frame = kept_records(frames.length(frame), encoded), frame
        self.row_keys: NDArray[Any] = np.arange(frames.length(frame)) if kept is None else kept
        if kept is not None:
            self.frame = strip_metadata(frames.take_rows(frame, kept))
            self.row_records = None if self.row_records is None else self.row_records[kept]
            # Domains and ranges are those of the records that remain.
            coded = {name: frames.factorise(self.frame, name) for name in kinds}
            encoded = self._encode_all(self.frame, kinds, coded)
        elif people is not None:
            self.__dict__["persons"] = people
        self.quasi_identifiers: dict[str, Column] = {name: encoded[name] for name in quasi_identifiers}
        self.confidential_columns: dict[str, Column] = {
            name: encoded[name] for name in of_confidential if name in encoded
        }
        self.dropped_records = given - len(self)
        self._releases: dict[int, dict[str, Release]] = {}
        weight_notes = note_weights(self.weights, self.record_weights, kept=not self.averages_weights)
        self.notes = (*self._notes(), *note_similar_persons(self.frame, person), *weight_notes, *note_conflicts(self))

    def __len__(self) -> int:
        return frames.length(self.frame) if self.row_records is None else int(self.row_records.sum())

    def __repr__(self) -> str:
        masked = ", ".join(self.quasi_identifiers)
        return f"<Microdata: {len(self):,} records, quasi-identifiers {masked}>"

    def _encode_all(self, frame: Any, kinds: Mapping[str, Kind], coded: Mapping[str, Any]) -> dict[str, Column]:
        hidden, encoded = (*self.identifiers, *self.confidential), {}
        for name in with_progress("Encoding columns", kinds):
            code, cells = coded[name]
            policies, records = self.policies, self.row_records
            kind = complete_kind(
                kinds[name], name, frame, hidden=hidden, person=self.person, policies=policies, records=records
            )
            encoded[name] = kind.encode(name, cells, code, policies[name], records)
        return encoded

    def counted_by(self, names: Iterable[str]) -> Microdata:
        """The table whose distinct records are also told apart by these columns. In memory all columns are there."""
        if self.source is None:
            return self
        known = frames.columns(self.frame)
        new = [name for name in dict.fromkeys(names) if name not in known and name in self.source.columns]
        return self._declared(self.source.counting(new)) if new else self

    def _notes(self) -> list[Note]:
        notes: list[Note] = []
        if self._metadata:
            notes.append(dropped_metadata(self._metadata))
        if self.dropped_records:
            text = "{records:,} records with missing or unmapped cells were dropped, as the policies say."
            notes.append(Note.of("records-dropped", text, records=self.dropped_records))
        for name, column in self.quasi_identifiers.items():
            notes += column.notes()
            kept = int(column.counts[column.kept].sum())
            if kept:
                text = "{cells:,} cells of {column!r} are kept unchanged: they are not masked."
                notes.append(Note.of("cells-kept", text, cells=kept, column=name))
            notes += note_rare_categories(column, self.persons)
        if self.person is None:
            for name in self.identifiers:
                source = self.source
                if frames.repeats(self.frame, name) if source is None else source.repeats(name):
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
    def public_releases(self) -> dict[str, Release]:
        """How quasi-identifiers are written if nothing may depend on the data; an error if a column cannot be."""
        return {name: column.public_domain(None).release for name, column in self.quasi_identifiers.items()}

    def count_cells(self, name: str) -> NDArray[np.int64]:
        """The number of persons, or of records if persons are not known, with each cell of a quasi-identifier."""
        column = self.quasi_identifiers[name]
        return count_holders(column.code, len(column.cells), self.persons, self.row_records)

    @property
    def holders(self) -> int:
        """The number of persons, or of records if persons are not known."""
        return len(self) if self.persons is None else int(self.persons.max()) + 1

    @cached_property
    def persons(self) -> IntArray | None:
        """A number for the person of each record; ``None`` if persons are not known."""
        return None if self.person is None else number_persons(self.frame, self.person)

    @cached_property
    def persons_by_tuple(self) -> PairCounts | None:
        """Which persons have which distinct tuple, and with how many records; ``None`` where persons are not known."""
        return None if self.persons is None else self.table.count_with(self.persons)

    @cached_property
    def record_weights(self) -> NDArray[np.float64] | None:
        """The sampling weight of each record; ``None`` if there are none."""
        return None if self.weights is None else read_weights(self.frame, self.weights)

    def persons_at(self, rows: NDArray[np.integer]) -> IntArray | None:
        """The persons of the records at the given positions; ``None`` if persons are not known."""
        return None if self.persons is None else self.persons[rows]

    @cached_property
    def kept_groups(self) -> IntArray | None:
        """A number for each record. Records with equal ``other`` columns, which are released unchanged, have the same.

        ``None`` if there are no such columns.
        """
        return self.strata(self.other) if self.other else None

    @cached_property
    def disclosure_control(self) -> DisclosureControl:
        """Which values of the table may be shown to others."""
        columns = {**self.quasi_identifiers, **self.confidential_columns}
        rare_before = self._rare if self.dropped_records else {}
        return DisclosureControl(columns, {m.column: m for m in self.mapping}, rare_before, self.persons)

    def strata(self, by: Sequence[str]) -> IntArray:
        """A number for each record. Records with equal cells in these columns have the same."""
        found = [frames.number_cells(self.frame, name) for name in by]
        return group_rows([code for code, _ in found], [number for _, number in found])[0]

    @property
    def counted_confidential(self) -> tuple[str, ...]:
        """The confidential columns whose values are known for each row of `frame`. In memory these are all."""
        if self.source is None:
            return self.confidential
        return tuple(name for name in self.confidential if name in self.frame.columns)

    def confidential_cells(self, column: str) -> tuple[IntArray, list[object]]:
        """The cells of a confidential column without a kind: a code for each record, and the distinct cells."""
        return frames.factorise(self.frame, column)

    def codes(self, column: str) -> IntArray:
        """A number for each record's cell in a column; equal cells have equal numbers."""
        return frames.number_cells(self.frame, column)[0]

    def release(
        self,
        cells: Mapping[str, Sequence[object]],
        codes: Mapping[str, IntArray],
        suppressed: NDArray[np.bool_] | None = None,
        pseudonyms: tuple[Sequence[str], IntArray] | None = None,
        groups: NDArray[np.integer] | None = None,
        linked: Mapping[str, Sequence[object]] | None = None,
        *,
        is_public: bool = False,
    ) -> Any:
        """The frame to release: quasi-identifiers replaced, identifiers and suppressed records removed.

        Record i gets ``cells[name][codes[name][i]]`` in a quasi-identifier. A categorical column keeps categories that
        no record has any more if they were common in the original. With ``pseudonyms``, texts and their codes, record i
        has its text in the ``person`` column. ``groups`` are those of the released records, to average weights in.
        ``linked`` has a follower's cell for each cell of its leader. If it ``is_public``, the types of the
        quasi-identifiers follow from the released cells, too: a list of categories tells what occurred, and a column of
        integers that became floats had a missing cell.
        """
        hidden = self.quasi_identifiers if is_public else {}
        common = {name: cells for name, cells in self._common.items() if name not in hidden}
        return release_frame(self, common, cells, codes, suppressed, pseudonyms, groups, linked or {})


def _count_cells(
    codes: IntArray, cells: list[object], persons: IntArray | None, records: Records
) -> list[tuple[object, int]]:
    """The cells of a column, and the number of persons or records with each."""
    return list(zip(cells, count_holders(codes, len(cells), persons, records).tolist(), strict=True))
