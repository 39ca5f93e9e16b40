"""The work of one person on one table, step by step: for front ends that show a job and run it.

The job's text is the only truth. What is computed for it (reviews of columns, advice, a comparison, a trial, a release)
is remembered with the settings it was computed for, and forgotten when these change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ontomask.base.progress import check_cancelled, progress, with_progress
from ontomask.comparison.advice import Advice, Keep, advise
from ontomask.comparison.compare import Comparison
from ontomask.errors import JobError
from ontomask.job.column_roles import KIND_WORDS, change_column
from ontomask.job.concept_review import ColumnReview
from ontomask.job.editing import REMOVE, Changes, JobEditor, edited_text
from ontomask.job.first_job import JobDraft, draft_job
from ontomask.job.input_files import cell_counts
from ontomask.job.job import Job
from ontomask.job.method_choices import check_aims
from ontomask.job.methods import read_requirements, to_toml_dict
from ontomask.job.preflight import Preflight
from ontomask.job.run import JobRun
from ontomask.job.settings import Settings
from ontomask.job.table_reading import recognise_reading
from ontomask.job.toml_text import dotted_key
from ontomask.job.trial import Trial, try_job
from ontomask.job.workload import Workload, workload
from ontomask.kinds import Kind
from ontomask.masking import Method
from ontomask.taxonomy.readers import has_definitions

__all__ = ["OF_ONTOLOGY", "Workbench"]

OF_ONTOLOGY = ("domain", "value_set", "mapping", "mapping_file", "distance", "links", "combine")
"""Keys of a column that mean nothing under another ontology."""

# What decides about the encoded table, and what decides about the concepts of a column.
_DATA = ("input", "columns", "policies", "ontologies")
_NOT_MEANING = frozenset({"mapping", "mapping_file", "confirmed", "role", "weight", "missing", "unmapped"}) | {
    *("release", "top", "distance", "scope")
}


class Workbench:
    """A job in the making.

    Parameters
    ----------
    folder
        A private folder for the job file and its outputs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._editor: JobEditor | None = None
        self._draft: JobDraft | None = None
        self._drafted = ""
        self._reviews: dict[str, tuple[str, ColumnReview | None]] = {}
        self._kept: dict[str, tuple[str, Any]] = {}
        # What the person asked for last: the arguments of `check_aims`. They are no part of the job.
        self.aims: dict[str, Any] | None = None

    # Opening

    @property
    def is_open(self) -> bool:
        """Whether there is a table with a job."""
        return self._editor is not None and self._draft is not None

    @property
    def has_job(self) -> bool:
        """Whether there is a job, perhaps without its table."""
        return self._editor is not None

    @property
    def lacks_table(self) -> bool:
        """Whether a job is open whose table could not be read."""
        return self._editor is not None and self._draft is None

    @property
    def editor(self) -> JobEditor:
        """The job as text that can be edited."""
        if self._editor is None:
            raise JobError(self.folder / "job.toml", [("input.path", "There is no table yet. Open one.")], code="empty")
        return self._editor

    @property
    def draft(self) -> JobDraft:
        """What was seen in the columns, and the guesses."""
        if self._draft is None:
            raise JobError(self.folder / "job.toml", [("input.path", "There is no table yet. Open one.")], code="empty")
        return self._draft

    @property
    def job(self) -> Job:
        """The job."""
        return self.editor.job

    @property
    def settings(self) -> Settings:
        """The settings of the job."""
        return self.job.settings

    def open_table(self, path: Path, reading: Mapping[str, Any] | None = None) -> None:
        """Examine a table and draft a job for it. The former job can be had back by undo."""
        given = recognise_reading(path) if reading is None else dict(reading)
        draft = draft_job(path, (), given)
        text = draft.text(self.folder, by_hand=False)
        if path.resolve().parent != self.folder.resolve():
            # The job then also runs from wherever its owner keeps it.
            text = edited_text(text, {("input", "path"): path.resolve().as_posix()}, self.folder / "job.toml")
        if self._editor is None:
            self._editor = JobEditor(self.folder / "job.toml", text)
        else:
            self._editor.replace(text)
        self._draft, self._drafted = draft, self._reading_key()
        self._reviews.clear()
        # Read once for all that follows.
        _ = self.job.sources.frame

    def open_job(self, path: Path) -> None:
        """Open a job file and examine its table. Edits are written to this file."""
        self._editor = JobEditor(path)
        self.examine()

    def examine(self) -> None:
        """Examine the table of the job again."""
        given = self.settings.input
        options = given.model_dump(include={"delimiter", "encoding", "header", "decimal", "thousands", "sheet"})
        defaults = {name: field.default for name, field in type(given).model_fields.items()}
        reading = {name: value for name, value in options.items() if value != defaults[name]}
        self._draft, self._drafted = draft_job(self.table, (), reading), self._reading_key()
        # Read once for all that follows.
        _ = self.job.sources.frame

    @property
    def is_examined(self) -> bool:
        """Whether the columns were examined as the job reads the table now."""
        return self._drafted == self._reading_key()

    def _reading_key(self) -> str:
        return self.settings.input.model_dump_json(exclude={"confirmed"})

    def attach_table(self, path: Path) -> None:
        """Give a job its table, if that is elsewhere than the job says."""
        self.edit({("input", "path"): path.name if path.parent == self.editor.path.parent else path.as_posix()})
        self.examine()

    @property
    def table(self) -> Path:
        """The file of the table."""
        return self.job.sources.beside(self.settings.input.path)

    # Editing

    def edit(self, changes: Changes, check: Callable[[Job], object] | None = None) -> None:
        """Change keys of the job; see `JobEditor.edit`."""
        self.editor.edit(changes, check)

    def edit_columns(self, changes: Changes) -> None:
        """Change keys of columns, if their kinds can be made of them."""
        self.edit(changes, lambda job: job.sources.attributes)

    def confirm(self, *tables: str) -> None:
        """Confirm guesses: all those whose key begins with one of these tables, such as ``columns``."""
        content = self.editor.content
        changes: dict[tuple[str, ...], Any] = {}
        for table in tables:
            inside = content.get(table, {})
            named = [(table, name) for name in inside] if table == "columns" else [(table,)]
            for key in named:
                found = inside[key[-1]] if len(key) > 1 else inside
                if isinstance(found, dict) and "confirmed" in found and not isinstance(found["confirmed"], dict):
                    changes[*key, "confirmed"] = REMOVE
        self.edit(changes)

    def use_method(self, method: Method) -> None:
        """Take a method over into the job."""
        old, new = self.editor.content.get("method", {}), to_toml_dict(method)
        gone: dict[tuple[str, ...], Any] = {("method", key): REMOVE for key in old if key not in new}
        self.edit(gone | {("method", key): value for key, value in new.items()})

    def short_of_aims(self) -> list[str]:
        """What the job's method does not give, although the person asked for it."""
        try:
            if self.aims is not None:
                check_aims(self.job.method, self.settings.method.parameters.get("require", []), **self.aims)
        except JobError as problem:
            return [text for _, text in problem.problems]
        return []

    def confirm_roles(self) -> None:
        """Confirm the roles of all columns; a `JobError` names those that are undecided."""
        open_ = [dotted_key("columns", n, "role") for n, c in self.settings.columns.items() if c.role == "undecided"]
        if open_:
            raise JobError(self.editor.path, [(key, "Choose what this column is.") for key in open_], code="undecided")
        self.confirm("columns")

    # Meaning

    def concept_columns(self) -> list[str]:
        """The columns whose values are looked up in an ontology."""
        return [name for name, column in self.settings.columns.items() if column.taxonomy is not None]

    def known_review(self, column: str) -> ColumnReview | None:
        """The review of a column, if it was computed for its present settings."""
        key, review = self._reviews.get(column, ("", None))
        if review is None or key != self._meaning_key(column):
            return None
        given = self.settings.columns[column]
        named = isinstance(given.mapping, str) or given.mapping_file is not None
        return review.with_mapping(self._file_mapping(column) if named else given.mapping or {})

    def _file_mapping(self, column: str) -> dict[str, str]:
        kind: Any = self.job.sources.attributes[column]
        return dict(kind.mapping or {})

    @progress("Looking up values")
    def review_all(self) -> None:
        """Review every column with concepts that has no review yet. This takes long."""
        lacking = [name for name in self.concept_columns() if self.known_review(name) is None]
        for name in with_progress("Reviewing columns", lacking):
            sources = self.job.sources
            tokens = self.settings.policy(name, "missing_tokens")
            review = ColumnReview.of(sources.completed(name), cell_counts(sources.frame, name), name, tokens)
            self._reviews[name] = (self._meaning_key(name), review)

    def _meaning_key(self, column: str) -> str:
        given = self.settings
        own = given.columns[column].model_dump(mode="json", exclude_none=True)
        taxonomy = own.get("taxonomy")
        named = taxonomy if isinstance(taxonomy, list) else [taxonomy]
        ontologies = [given.ontologies[name] for name in named if name in given.ontologies]
        parts = [
            {key: value for key, value in own.items() if key not in _NOT_MEANING},
            [ontology.model_dump(mode="json") for ontology in ontologies],
            given.input.model_dump(mode="json", exclude={"confirmed"}),
            given.policy(column, "missing_tokens"),
        ]
        return json.dumps(parts, default=str)

    def misfits(self, column: str) -> list[str]:
        """Values of a column that its kind cannot hold, such as words among numbers."""
        kind = self.job.sources.attributes.get(column)
        return [] if kind is None or self.settings.columns[column].taxonomy else self._misfits(kind, column)

    def _misfits(self, kind: Kind, column: str) -> list[str]:
        tokens = {*self.settings.policy(column, "missing_tokens")}
        return kind.mismatches([text for text in self.draft.profiles[column].sample if text not in tokens])

    def missing_cells(self, column: str) -> int:
        """How many cells are empty, or have one of the texts that mean missing."""
        seen, tokens = self.draft.profiles[column], self.settings.policy(column, "missing_tokens")
        # Texts that look like missing cells were counted, too, and are values if the job does not list them.
        return seen.missing - sum(count for text, count in seen.tokens.items() if text not in tokens)

    def check_meaning(self) -> None:
        """Raise a `JobError` that names the columns with values whose fate is open."""
        problems = []
        for name in self.concept_columns():
            review = self.known_review(name)
            if review is not None and review.open_values and self.settings.policy(name, "unmapped") == "error":
                text = (
                    f"{review.open_values:,} of {len(review.found.values):,} values have no concept. Choose one for "
                    "each, or say what happens with values without a concept."
                )
                problems.append((dotted_key("columns", name), text))
        for name, column in self.settings.columns.items():
            if column.kind is None:
                continue
            misfits = self.misfits(name)
            if misfits and self.settings.policy(name, "unmapped") == "error":
                text = f"{len(misfits):,} values do not fit “{KIND_WORDS[column.kind].title}”. Correct what it holds."
                problems.append((dotted_key("columns", name), text))
            missing = self.missing_cells(name)
            if missing and self.settings.policy(name, "missing") == "error":
                text = f"{missing:,} cells are missing. Say what happens with them."
                problems.append((dotted_key("columns", name, "missing"), text))
        if problems:
            raise JobError(self.editor.path, problems, code="unmapped")

    def add_ontology(self, path: Path, column: str) -> None:
        """Add an ontology in a file, with definitions, and give it to a column. A bad file changes nothing."""
        name = path.name.split(".")[0]
        where = path.name if path.parent == self.editor.path.parent else path.as_posix()
        changes: dict[tuple[str, ...], Any] = {("ontologies", name, "path"): where}
        changes |= {("ontologies", name, "glosses"): True} if has_definitions(path) else {}
        kind = self.settings.columns[column].kind
        if kind == "category":
            changes |= change_column(self.editor.content, self.draft, column, kind="nominal")
        if kind in ("nominal", "concept_set", "category"):
            changes |= {("columns", column, key): REMOVE for key in OF_ONTOLOGY}
            changes["columns", column, "taxonomy"] = name
        self.edit_columns(changes)

    def decide(self, column: str, concepts: Mapping[str, str | None]) -> None:
        """Map values of a column to concepts; ``None`` takes a decision back."""
        given = self.editor.content["columns"][column].get("mapping", {})
        if isinstance(given, str):
            # From a file. From now on, the job itself has the mapping.
            given = self._file_mapping(column)
        new = {value: concept for value, concept in {**given, **concepts}.items() if concept is not None}
        changes: Changes = {("columns", column, "mapping"): new or REMOVE}
        self.edit(changes, lambda job: job.sources.locate_unknown_concept(column))

    # Results that are remembered

    def _key(self, *parts: str) -> str:
        return self.settings.model_dump_json(include=set(parts))

    def _remember(self, name: str, result: Any, *parts: str) -> Any:
        # The job may have changed since its work was cancelled.
        check_cancelled()
        self._kept[name] = (self._key(*parts), result)
        return result

    def _recall(self, name: str, *parts: str) -> Any:
        key, result = self._kept.get(name, ("", None))
        return result if self._editor is not None and key == self._key(*parts) else None

    @property
    def checked(self) -> Preflight | None:
        """The last check of the job, if nothing has changed since."""
        found: Preflight | None = self._recall("check", *Settings.model_fields)
        return found

    def check(self) -> Preflight:
        """Check everything that would stop the run."""
        found: Preflight = self._remember("check", self.job.check(), *Settings.model_fields)
        return found

    @property
    def workload(self) -> Workload | None:
        """How much work the table is for methods; ``None`` if nothing is masked or its rows stay in an engine."""
        given = self.settings
        if self.job.sources.engine is not None or all(c.role != "quasi-identifier" for c in given.columns.values()):
            return None
        known: Workload | None = self._recall("workload", "input", "columns")
        if known is None:
            known = self._remember("workload", workload(self.job.sources.frame, given), "input", "columns")
        return known

    @property
    def advice(self) -> Advice | None:
        """The last advice, if the data have not changed since."""
        found: Advice | None = self._recall("advice", *_DATA)
        return found

    @progress("Asking for advice")
    def recommend(
        self, *, guarantee: bool, keep: Keep, k: int, require: Sequence[Mapping[str, Any]] = (), weight: float = 0.5
    ) -> Advice:
        """Recommend a method; with the comparison, if there is one."""
        job = self.job
        asked = read_requirements(list(require), path=job.path, key="method.require")
        found = advise(
            job.data, guarantee=guarantee, keep=keep, k=k, require=asked, weight=weight, comparison=self.comparison
        )
        advice: Advice = self._remember("advice", found, *_DATA)
        return advice

    @property
    def comparison(self) -> Comparison | None:
        """The last comparison, if neither data nor compared methods have changed since."""
        found: Comparison | None = self._recall("comparison", *_DATA, "compare", "evaluation")
        return found

    def compare(self) -> Comparison:
        """Compare the methods of the job in this process, so that it can be cancelled at any time."""
        found = self.job.compare(jobs=1)
        comparison: Comparison = self._remember("comparison", found, *_DATA, "compare", "evaluation")
        return comparison

    @property
    def trial(self) -> Trial | None:
        """The last trial, if nothing that matters has changed since."""
        found: Trial | None = self._recall("trial", *_DATA, "method", "evaluation")
        return found

    def try_method(self) -> Trial:
        """Mask and measure with the job's method. Randomness is drawn anew at the release."""
        trial: Trial = self._remember("trial", try_job(self.job), *_DATA, "method", "evaluation")
        return trial

    @property
    def released(self) -> JobRun | None:
        """The last release, if the job has not changed since."""
        found: JobRun | None = self._recall("run", *Settings.model_fields)
        return found

    def release(self, *, overwrite: bool = False) -> JobRun:
        """Run the job: read its files anew, mask, verify, evaluate and write all outputs or none."""
        run = Job.from_toml(self.editor.path).run(overwrite=overwrite)
        found: JobRun = self._remember("run", run, *Settings.model_fields)
        return found
