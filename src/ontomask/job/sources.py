"""The inputs of a job: its table, ontologies and mappings, and the `Microdata` made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.base.grouping import count_codes
from ontomask.base.notes import Note
from ontomask.base.text import join_some
from ontomask.engines.base import Source
from ontomask.errors import DistanceError, JobError, MappingError, TableError
from ontomask.hierarchy import read_hierarchy, read_mapping
from ontomask.job.problems import did_you_mean, locate_errors
from ontomask.job.settings import COLUMN_POLICIES, ColumnSettings, InputSettings, Settings
from ontomask.job.toml_text import dotted_key
from ontomask.kinds import KINDS, Kind, Policies
from ontomask.mapping import ConceptMapping, Decisions
from ontomask.mapping.decision_file import is_decision_file, read_decisions
from ontomask.mapping.links import combine
from ontomask.microdata import Microdata, frames, read_table, scan
from ontomask.microdata.decimals import number_columns
from ontomask.microdata.files import delimiter_of, file_metadata, is_delimited
from ontomask.microdata.formulas import Formulas
from ontomask.microdata.metadata import dropped_metadata
from ontomask.microdata.roles import complete_kind
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.cache import read_cached
from ontomask.taxonomy.embedded import load_icd9cm, load_wordnet
from ontomask.taxonomy.readers.icd10 import load_icd10cm
from ontomask.taxonomy.value_set import read_value_set

__all__ = ["EMBEDDED", "Sources", "cell_counts", "column_mapping", "open_taxonomy"]

EMBEDDED: Mapping[str, Callable[[], Taxonomy]] = {
    "wordnet": load_wordnet,
    "icd9cm": load_icd9cm,
    "icd10cm": load_icd10cm,
}


# With the engine "auto", larger files stay on the disk.
_LARGE = 2**30


def open_taxonomy(name: str | Path, format: str | None = None, **options: Any) -> Taxonomy:
    """Load an embedded ontology by its name, or read one from a file or folder."""
    embedded = EMBEDDED.get(str(name))
    return embedded() if embedded is not None else read_cached(name, format, **options)


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
        found = {"the job": self.path, "the input": self.beside(self.settings.input.path)}
        found |= {f"the ontology {n!r}": self.beside(o.path) for n, o in self.settings.ontologies.items()}
        for name, column in self.settings.columns.items():
            if isinstance(column.mapping, str):
                found[f"the mapping of {name!r}"] = self.beside(column.mapping)
            if column.mapping_file is not None:
                found[f"the mapping of {name!r}"] = self.beside(column.mapping_file.path)
            if column.value_set is not None:
                found[f"the value set of {name!r}"] = self.beside(column.value_set.path)
            if isinstance(column.groups, str):
                found[f"the groups of {name!r}"] = self.beside(column.groups)
            for number, taxonomy in enumerate(_listed(column.taxonomy), start=1):
                if taxonomy not in (*self.settings.ontologies, *EMBEDDED):
                    which = f" {number}" if isinstance(column.taxonomy, list) else ""
                    found[f"the ontology{which} of {name!r}"] = self.beside(taxonomy)
            if isinstance(column.links, str) and column.links != "xrefs":
                found[f"the links of {name!r}"] = self.beside(column.links)
        for name, file in self.settings.evaluation.hierarchies.items():
            found[f"the hierarchy of the masked {name!r}"] = self.beside(file)
        for name, mapping in self.settings.evaluation.mapping.items():
            if isinstance(mapping, str):
                found[f"the mapping of the masked {name!r}"] = self.beside(mapping)
        return found

    @cached_property
    def frame(self) -> Any:
        """The input table. Every column must have a role."""
        with locate_errors(self.path, "input"):
            frame = self._read_input(**self._marks) if self.engine is None else self._scan(self.engine)
        self._check_columns(frame.columns if isinstance(frame, Source) else frames.columns(frame))
        return frame

    @cached_property
    def engine(self) -> str | None:
        """The engine that keeps the rows; ``None`` for memory."""
        given = self.settings.input
        if given.engine != "auto":
            return None if given.engine == "memory" else given.engine
        if given.remote is not None:
            return "spark"
        path = self.beside(given.path)
        is_small = path.is_file() and path.stat().st_size < _LARGE and given.table is None
        return None if is_small else "duckdb"

    def _scan(self, engine: str) -> Source:
        given = self.settings.input
        usual = InputSettings(path=given.path)
        for name in ("delimiter", "encoding", "header", "decimal", "thousands", "sheet"):
            if getattr(given, name) != getattr(usual, name):
                text = f"The engine {engine!r} reads Parquet, and CSV in UTF-8 with a header and decimal points. "
                raise TableError(f"{text}Leave out {name!r}, or use the engine 'memory'.", parameter=name)
        path = given.path if "://" in given.path else str(self.beside(given.path))
        return scan(path, engine=engine, key=given.key, name=given.table, remote=given.remote)

    def cell_counts(self, name: str) -> dict[Any, int]:
        """The distinct cells of a column with their number of records."""
        if not isinstance(self.frame, Source):
            return cell_counts(self.frame, name)
        counted, records = self.frame.count([name])
        code, cells = frames.factorise(counted, name)
        return dict(zip(cells, count_codes(code, len(cells), records).tolist(), strict=True))

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
            given["taxonomy"] = self._taxonomy(name, given.pop("links", None), given.pop("combine", "integrated"))
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
    def _opened(self) -> dict[str, Taxonomy]:
        return {}

    def _taxonomy(self, column: str, links: Any, how: str) -> Taxonomy:
        """The ontology of a column, or its ontologies merged into one. Columns with the same ontologies share them."""
        names = self.settings.columns[column].taxonomy
        opened = [self._open(name, column) for name in _listed(names)]
        if not isinstance(names, list):
            return opened[0]
        key = repr((names, links, how))
        if key not in self._opened:
            with locate_errors(self.path, dotted_key("columns", column, "links")):
                given = self.beside(links) if isinstance(links, str) and links != "xrefs" else links
                self._opened[key] = combine(opened, given, in_order=how == "in_order")
        return self._opened[key]

    def _open(self, taxonomy: str, column: str) -> Taxonomy:
        """The ontology of a column. Columns with the same ontology share it."""
        if taxonomy not in self._opened:
            self._opened[taxonomy] = self._read(taxonomy, column)
        return self._opened[taxonomy]

    def _read(self, taxonomy: str, column: str) -> Taxonomy:
        known = self.settings.ontologies.get(taxonomy)
        if known is not None:
            with locate_errors(self.path, dotted_key("ontologies", taxonomy)):
                return read_cached(self.beside(known.path), known.format, **(known.model_extra or {}))
        if taxonomy in EMBEDDED:
            return EMBEDDED[taxonomy]()
        file = self.beside(taxonomy)
        if not file.exists():
            names = [*EMBEDDED, *self.settings.ontologies]
            text = f"Must be one of {', '.join(names)}, or the path of an ontology. There is no file {file}."
            raise JobError(self.path, [(dotted_key("columns", column, "taxonomy"), text)])
        with locate_errors(self.path, dotted_key("columns", column, "taxonomy")):
            return read_cached(file)

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
                raise MappingError(*problem.message, path=file, values=problem.values) from None

    def _locate_distance_error(self) -> None:
        """Raise a `JobError` with the key if the distance of a column is invalid."""
        for name, kind in self.attributes.items():
            with locate_errors(self.path, dotted_key("columns", name, "distance")):
                kind.check_distance()


def _listed(names: str | list[str] | None) -> list[str]:
    return [] if names is None else [names] if isinstance(names, str) else names


def _is_csv(path: Path) -> bool:
    return path.name.lower().endswith((".csv", ".csv.gz"))


def column_mapping(file: str | Path, column: str = "", **options: Any) -> Mapping[str, str]:
    """Read the mapping of a column from a file. Each value must have a concept, unless it is a mapping file."""
    if is_decision_file(Path(file)):
        return read_decisions(file, column)
    found = read_mapping(file, **options)
    if isinstance(found, ConceptMapping):
        return found
    if not found:
        raise MappingError(
            "The file is empty. Give it rows of a value and its concept, or leave it out.", path=file, code="empty"
        )
    without = [number for number, concept in enumerate(found.values(), start=1) if concept is None]
    if without:
        # The message gives a number, since the values are cells of records.
        raise MappingError(
            f"{len(without):,} of {len(found):,} values have no concept; the first is value {without[0]:,}. Give them "
            f"one, or delete the rows and choose a policy for unmapped values.",
            path=file,
            code="no-concept",
        )
    return {value: concept for value, concept in found.items() if concept is not None}


# Mappings that know how each concept was chosen.
_KNOWING = (ConceptMapping, Decisions)


def with_entries(mapping: Mapping[str, str], entries: Mapping[str, str]) -> Mapping[str, str]:
    """A mapping with other concepts for some values."""
    return mapping.with_entries(entries) if isinstance(mapping, _KNOWING) else {**mapping, **entries}


def cell_counts(frame: Any, column: str) -> dict[Any, int]:
    """The distinct cells of a column with their number of records."""
    code, cells = frames.factorise(frame, column)
    return dict(zip(cells, np.bincount(code, minlength=len(cells)).tolist(), strict=True))
