"""The inputs of a job: its table, ontologies and mappings, and the `Microdata` made from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ontomask.base.notes import Note
from ontomask.base.text import join_some
from ontomask.engines.base import Source
from ontomask.errors import DistanceError, JobError, MappingError
from ontomask.hierarchy import read_hierarchy
from ontomask.job.column_mappings import column_mapping, with_entries
from ontomask.job.input_files import cell_counts, choose_engine, input_files, scan_input
from ontomask.job.ontologies import EMBEDDED, Ontologies, open_taxonomy
from ontomask.job.problems import did_you_mean, locate_errors
from ontomask.job.settings import COLUMN_POLICIES, ColumnSettings, Settings
from ontomask.job.toml_text import dotted_key
from ontomask.kinds import KINDS, Kind, Policies
from ontomask.microdata import Microdata, frames, read_table
from ontomask.microdata.decimals import number_columns
from ontomask.microdata.files import delimiter_of, file_metadata, is_delimited
from ontomask.microdata.formulas import Formulas
from ontomask.microdata.metadata import dropped_metadata
from ontomask.microdata.roles import complete_kind
from ontomask.taxonomy.value_set import read_value_set

__all__ = ["EMBEDDED", "Sources", "column_mapping", "open_taxonomy"]


@dataclass(frozen=True, eq=False)
class Sources:
    """The inputs of a job. Each is read once, when it is first needed."""

    settings: Settings
    path: Path

    def beside(self, name: str) -> Path:
        """Resolve a path of the job file, which is relative to the folder of the job."""
        return self.path.parent / Path(name).expanduser()

    @property
    def files(self) -> dict[str, Path]:
        """Every file that the job reads, by a description. None of them may be overwritten."""
        return input_files(self.settings, self.path, self.beside)

    @cached_property
    def frame(self) -> Any:
        """The input table. Every column must have a role."""
        with locate_errors(self.path, "input"):
            frame = self._scan() if self.engine is not None else self._read_input(**self._marks)
        self._check_columns(frame.columns if isinstance(frame, Source) else frames.columns(frame))
        return frame

    @cached_property
    def engine(self) -> str | None:
        """The engine that keeps the rows; ``None`` for memory."""
        return choose_engine(self.settings.input, self.beside(self.settings.input.path))

    def cell_counts(self, name: str) -> dict[Any, int]:
        """The distinct cells of a column with their number of records."""
        return cell_counts(self.frame, name)

    def _scan(self) -> Source:
        return scan_input(self.settings.input, self.beside(self.settings.input.path), str(self.engine))

    @property
    def _marks(self) -> dict[str, Any]:
        """How the numbers of the input are written. A code or a list of codes is not a number."""
        given = self.settings.input
        if given.thousands is None:
            return {"decimal": given.decimal}
        numbers = [name for name, column in self.settings.columns.items() if column.kind in (None, "numeric")]
        return {"decimal": given.decimal, "thousands": given.thousands, "numbers": numbers}

    def _read_input(self, **marks: Any) -> Any:
        given = self.settings.input
        options = given.model_dump(include={"delimiter", "encoding", "header", "sheet"})
        return read_table(self.beside(given.path), **options, **marks)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the input file."""
        if self.engine is not None:
            return ()
        with locate_errors(self.path, "input"):
            found = file_metadata(self.beside(self.settings.input.path))
        return (dropped_metadata(found),) if found else ()

    def read_masked(self, path: Path, *, is_own: bool, formulas: Formulas) -> Any:
        """Read a masked table, with the marks of the input in numbers. The job's own has the format of its output."""
        if not is_delimited(path):
            return read_table(path)
        given = self.settings.output
        own: dict[str, Any] = {"delimiter": given.delimiter, "encoding": given.encoding} if is_own else {}
        return read_table(path, formulas=formulas, **own, **self._marks)

    def write_options(self, target: Path) -> dict[str, Any]:
        """Options for writing the masked table: by default the delimiter and the decimal mark of the input."""
        given, delimiter = self.settings.input, self.settings.output.delimiter
        source = self.beside(given.path)
        with locate_errors(self.path, "input"):
            if delimiter is None and _is_csv(source) and _is_csv(target) and source.is_file():
                delimiter = given.delimiter or delimiter_of(source)
            options: dict[str, Any] = {} if delimiter is None else {"delimiter": delimiter}
            if given.decimal == "," and is_delimited(target):
                numbers = number_columns(self._read_input(), given.decimal, given.thousands)
                numbers = [name for name in numbers if name in self._marks.get("numbers", numbers)]
                options |= {"decimal": ",", "numbers": numbers}
        if self.settings.output.encoding != "utf-8":
            options["encoding"] = self.settings.output.encoding
        return options

    @cached_property
    def reading_options(self) -> dict[str, Any]:
        """The mapping and hierarchies for reading another tool's masked table."""
        given = self.settings.evaluation
        mapping = {
            name: self._read_mapping(name, concepts, "evaluation", "mapping", name)
            for name, concepts in given.mapping.items()
        }
        hierarchies = {}
        for name, file in given.hierarchies.items():
            with locate_errors(self.path, dotted_key("evaluation", "hierarchies", name)):
                hierarchies[name] = read_hierarchy(self.beside(file))
        return {"mapping": mapping or None, "hierarchies": hierarchies or None}

    def _read_mapping(self, column: str, given: str | dict[str, str], *key: str) -> Mapping[str, str]:
        """A mapping that is given in the job, or as the name of a file: of values and concepts, or a mapping file."""
        with locate_errors(self.path, dotted_key(*key)):
            return column_mapping(self.beside(given), column) if isinstance(given, str) else given

    def _check_columns(self, present: list[str]) -> None:
        if not set(present) & set(self.settings.columns):
            # The first row may be a record, so it is not quoted.
            text = (
                f"The table has none of these columns: {join_some(self.settings.columns, 30)}. Check that its first "
                f"row holds the column names, and check the delimiter."
            )
            raise JobError(self.path, [("columns", text)])
        problems = [
            (
                dotted_key("columns", name),
                f"The table has no such column. It has {join_some(present, 30)}.{did_you_mean(name, present)}",
            )
            for name in self.settings.columns
            if name not in present
        ]
        without = [name for name in present if name not in self.settings.columns]
        if without:
            text = (
                f"These columns of the table have no role: {join_some(without, 30)}. Give each a table such as "
                f"[{dotted_key('columns', without[0])}] with role = 'quasi-identifier', 'identifier', 'confidential', "
                f"'other' or 'drop'."
            )
            problems.append(("columns", text))
        if problems:
            raise JobError(self.path, problems)

    def reuse(self, former: Sources) -> None:
        """Take over what the sources of an earlier state of the same job have read, where the settings are the same.

        The files are not read again, even if they have changed meanwhile.
        """
        if former.path.parent != self.path.parent:
            return
        read, ours = vars(former), vars(self)
        self.ontologies.reuse(former.ontologies)
        if "frame" in read and self._same(former, "input") and self._marks == former._marks:
            if list(self.settings.columns) != list(former.settings.columns):
                return
            ours["frame"] = read["frame"]
            if "data" in read and all(self._same(former, part) for part in ("columns", "policies", "ontologies")):
                ours["data"], ours["attributes"] = read["data"], read["attributes"]

    def _same(self, other: Sources, part: str) -> bool:
        """Whether a part of both jobs is the same, apart from confirmations."""
        mine, others = (_unconfirmed(each.settings.model_dump(include={part})[part]) for each in (self, other))
        return bool(mine == others)

    @cached_property
    def attributes(self) -> dict[str, Kind]:
        """The kinds of columns, with their options."""
        made: dict[str, Kind] = {}
        for name, column in self.settings.columns.items():
            if column.kind is not None:
                with locate_errors(self.path, dotted_key("columns", name)):
                    made[name] = self._attribute(name, column)
        return made

    def _attribute(self, name: str, column: ColumnSettings) -> Kind:
        kind = KINDS[column.kind or "nominal"]
        given = {key: value for key in kind.option_names() if (value := getattr(column, key)) is not None}
        if "taxonomy" in given:
            given["taxonomy"] = self.ontologies.of(name, given.pop("links", None), given.pop("combine", "integrated"))
        if "mapping" in given:
            given["mapping"] = self._read_mapping(name, given["mapping"], "columns", name, "mapping")
        if column.mapping_file is not None:
            file = column.mapping_file
            with locate_errors(self.path, dotted_key("columns", name, "mapping_file")):
                found = column_mapping(self.beside(file.path), name, source=file.source, target=file.target)
            # The entries in the job override those of the file.
            given["mapping"] = with_entries(found, given.get("mapping", {}))
        if column.value_set is not None:
            options = column.value_set.model_dump(exclude={"path"})
            with locate_errors(self.path, dotted_key("columns", name, "value_set")):
                value_set = read_value_set(self.beside(column.value_set.path), **options)
                given["taxonomy"], given["domain"] = value_set.restrict(given["taxonomy"])
        if isinstance(given.get("groups"), str):
            given["groups"] = self.beside(given["groups"])
        return kind(**given)

    def completed(self, name: str) -> Kind:
        """The kind of a column with what it takes from other columns of the table."""
        given = self.settings
        unused = ("identifier", "confidential", "drop")
        hidden = [name for name, column in given.columns.items() if column.role in unused]
        policies = {n: Policies(missing_tokens=tuple(given.policy(n, "missing_tokens"))) for n in self.attributes}
        frame, records, kind = self.frame, None, self.attributes[name]
        if isinstance(frame, Source):
            names = [name, self.person, getattr(kind, "under", None)]
            frame, records = frame.count([one for one in names if isinstance(one, str)])
        return complete_kind(kind, name, frame, hidden=hidden, person=self.person, policies=policies, records=records)

    @property
    def person(self) -> str | None:
        """The column that identifies persons."""
        return next((name for name, column in self.settings.columns.items() if column.person), None)

    @cached_property
    def ontologies(self) -> Ontologies:
        """The ontologies that were opened."""
        return Ontologies(self.settings, self.path)

    @cached_property
    def data(self) -> Microdata:
        """The table with its roles."""
        frame, attributes = self.frame, self.attributes
        of_role: dict[str, list[str]] = {}
        for name, column in self.settings.columns.items():
            of_role.setdefault(column.role, []).append(name)
        policies: dict[str, Any] = {
            policy: {name: self.settings.policy(name, policy) for name in attributes} for policy in COLUMN_POLICIES
        }
        with locate_errors(self.path, "columns"):
            try:
                return Microdata(
                    frame,
                    {name: attributes[name] for name in of_role["quasi-identifier"]},
                    identifiers=of_role.get("identifier", ()),
                    person=self.person,
                    pseudonyms=any(column.pseudonyms for column in self.settings.columns.values()),
                    confidential={name: attributes.get(name) for name in of_role.get("confidential", ())},
                    other=of_role.get("other", ()),
                    drop=of_role.get("drop", ()),
                    rare_kept=self.settings.policies.rare_kept,
                    linked=[[c.to, name] for name, c in self.settings.columns.items() if c.to is not None],
                    weights=next(iter(of_role.get("weight", ())), None),
                    average_weights=all(c.average_weights is not False for c in self.settings.columns.values()),
                    **policies,
                )
            except DistanceError:
                self._locate_distance_error()
                raise
            except MappingError:
                for name in attributes:
                    self.locate_unknown_concept(name)
                raise

    def locate_unknown_concept(self, name: str) -> None:
        """Raise a `JobError` with the key if the domain or the mapping of a column names an unknown concept."""
        kind, column = self.attributes[name], self.settings.columns[name]
        with locate_errors(self.path, dotted_key("columns", name, "domain")):
            kind.check_domain()
        named = column.mapping if column.mapping_file is None else column.mapping_file.path
        key = "mapping" if column.mapping_file is None else "mapping_file"
        with locate_errors(self.path, dotted_key("columns", name, key)):
            try:
                kind.check_mapping()
            except MappingError as problem:
                if not isinstance(named, str):
                    raise
                file = self.beside(named)
                raise MappingError(
                    *problem.message, path=file, line=problem.line, values=problem.values, code=problem.code
                ) from None

    def _locate_distance_error(self) -> None:
        """Raise a `JobError` with the key if the distance of a column is invalid."""
        for name, kind in self.attributes.items():
            with locate_errors(self.path, dotted_key("columns", name, "distance")):
                kind.check_distance()


def _unconfirmed(settings: Any) -> Any:
    """Settings without the keys that say whether a person has confirmed them."""
    if not isinstance(settings, dict):
        return settings
    # A column or a value may have this name, too, but it is not a boolean.
    is_said = {key for key, value in settings.items() if key == "confirmed" and isinstance(value, bool)}
    return {key: _unconfirmed(value) for key, value in settings.items() if key not in is_said}


def _is_csv(path: Path) -> bool:
    return path.name.lower().endswith((".csv", ".csv.gz"))
