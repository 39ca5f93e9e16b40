"""A `Job` is a TOML file: what to read, what each column is, how to mask it, and where the results go."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ontomask.base.progress import progress
from ontomask.base.text import join_some
from ontomask.comparison.compare import Comparison, compare
from ontomask.errors import JobError
from ontomask.evaluation import Evaluation, evaluate
from ontomask.evaluation.attacks.attack import Attacks
from ontomask.evaluation.attacks.requirements import AllColumnsK, LinkedAtMost
from ontomask.evaluation.pairing import columns_under
from ontomask.evaluation.reading import read_masked
from ontomask.job.engines import check_reads_masked
from ontomask.job.methods import expand, files_of, make_method
from ontomask.job.outputs import Outputs
from ontomask.job.preflight import Preflight, preflight
from ontomask.job.private_file import private_path, read_output, was_written_by
from ontomask.job.problems import locate_errors, notes_for_job
from ontomask.job.run import JobRun, run_job
from ontomask.job.settings import InputSettings, Settings
from ontomask.job.sources import Sources
from ontomask.job.validation import parse_settings, read_bytes, unconfirmed, undecided
from ontomask.kinds import Nominal
from ontomask.mapping import ColumnMapping, write_decisions
from ontomask.masking import Method, Requirement, Result
from ontomask.masking.microaggregation import Microaggregation
from ontomask.masking.noise import CorrelatedNoise, UncorrelatedNoise
from ontomask.masking.rank_swapping import RankSwapping
from ontomask.masking.recoding import Recoding
from ontomask.masking.resampling import Resampling
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedData

if TYPE_CHECKING:
    from ontomask.report import Report

__all__ = ["Job"]

_log = logging.getLogger("ontomask")

# By default a job's own method is compared with these.
_USUAL: Sequence[type[Method]] = (
    Microaggregation,
    Recoding,
    Resampling,
    RankSwapping,
    UncorrelatedNoise,
    CorrelatedNoise,
)
_LEVELS: Mapping[str, Any] = {"k": 5, "alpha": 0.3}


class Job:
    """A masking job.

    Paths in the file are relative to its folder. A job runs once every guess in it is confirmed and every role decided.

    Attributes
    ----------
    path
        The job file.
    settings
        Its validated content.
    sources
        Its inputs.
    sha256
        The hash of the file when it was read.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "links.csv").write_text("child,parent\\nache,pain\\ncolic,pain\\n")
    >>> _ = (folder / "data.csv").write_text("symptom,cost\\nache,3\\ncolic,4\\n")
    >>> _ = (folder / "job.toml").write_text('''
    ... input.path = "data.csv"
    ... output.masked = "masked.csv"
    ... method = { name = "PRAM", stay = 0.5 }
    ... [columns]
    ... symptom = { role = "quasi-identifier", kind = "nominal", taxonomy = "links.csv" }
    ... cost = { role = "confidential" }
    ... ''')
    >>> job = Job.from_toml(folder / "job.toml")
    >>> run = job.run(seed=2**64)
    >>> run.files["masked"].read_text().splitlines()
    ['symptom,cost', 'colic,4', 'ache,3']
    >>> job.read(job.output)["cost"].to_list()  # in the order of the original
    ['3', '4']
    >>> sorted(run.files)
    ['masked', 'private']
    """

    def __init__(self, settings: Settings, path: Path, sha256: str) -> None:
        self.settings = settings
        self.path = path
        self.sha256 = sha256
        self.sources = Sources(settings, path)

    @classmethod
    def from_toml(cls, path: str | Path, *, engine: str | None = None) -> Job:
        """Read a job file. All problems are reported at once, with their keys.

        Parameters
        ----------
        path
            The file.
        engine
            Where the rows are masked, instead of what the file says: ``memory``, ``duckdb``, ``spark`` or ``auto``.
        """
        path = Path(path)
        raw = read_bytes(path)
        settings = parse_settings(raw, path)
        if engine is not None:
            known = get_args(InputSettings.model_fields["engine"].annotation)
            if engine not in known:
                text = f"Must be one of {join_some(known)}. Got {engine!r} instead."
                raise JobError(path, [("input.engine", text)], parameter="engine")
            given = settings.input.model_copy(update={"engine": engine})
            settings = settings.model_copy(update={"input": given})
        return cls(settings, path, sha256(raw).hexdigest())

    def __repr__(self) -> str:
        return f"<Job {self.path}>"

    # Inputs and outputs

    @property
    def guesses(self) -> tuple[str, ...]:
        """The tables of the file with guesses that nobody has confirmed."""
        return unconfirmed(self.settings)

    def check_confirmed(self, *, method: bool) -> None:
        """Raise an error if roles are undecided or guesses unconfirmed; the method counts only if asked."""
        guesses = [key for key in self.guesses if method or key != "method"]
        problems = list(undecided(self.settings))
        if guesses:
            text = (
                f"Nobody has confirmed these guesses: {', '.join(guesses)}. Check each, correct it, and write "
                f"confirmed = true there."
            )
            problems.append(("confirmed", text))
        if problems:
            raise JobError(self.path, problems)

    @property
    def inputs(self) -> Mapping[str, Path]:
        """Every file that the job reads, by a description."""
        method = self.settings.method
        return {**self.sources.files, **files_of(method.name, method.parameters, path=self.path)}

    @property
    def output(self) -> Path:
        """The file of the masked table."""
        return self.sources.beside(self.settings.output.masked)

    @property
    def private(self) -> Path:
        """The private file."""
        given = self.settings.output.private
        return private_path(self.output) if given is None else self.sources.beside(given)

    @property
    def outputs(self) -> tuple[Path, ...]:
        """Every file that a run writes."""
        given = self.settings.output
        named = [*given.report, *([] if given.plan is None else [given.plan])]
        return (self.output, self.private, *map(self.sources.beside, named))

    @property
    def data(self) -> Microdata:
        """The table with its roles, which must be confirmed."""
        self.check_confirmed(method=False)
        return self.sources.data

    @cached_property
    def method(self) -> Method:
        """The masking method with its parameters."""
        given = self.settings.method
        return make_method(given.name, given.parameters, path=self.path)

    @property
    def requirements(self) -> list[AllColumnsK | LinkedAtMost]:
        """Limits on what intruders may find."""
        given = self.settings.require
        k = [] if given.k_all is None else [AllColumnsK(given.k_all)]
        return [*k, *([] if given.linked_at_most is None else [LinkedAtMost(given.linked_at_most)])]

    # Checking and masking

    @progress("Checking the job")
    def check(self, *, strict: bool = False) -> Preflight:
        """Check the mapping and everything that would stop the run. Nothing is masked, and guesses are allowed."""
        return preflight(self.sources, self.guesses, self._check_method, strict=strict)

    def write_mapping(self, path: str | Path, report: Iterable[ColumnMapping], *, overwrite: bool = False) -> int:
        """Write the mapping of `check` to a file that people can edit. Returns the number of values.

        It is a private file: it holds original values, also rare ones.
        """
        target = Path(path)
        Outputs({"the mapping file": target}, self.inputs, overwrite).check()
        kinds = self.sources.attributes
        taxonomies = {name: kind.taxonomy for name, kind in kinds.items() if isinstance(kind, Nominal)}
        return write_decisions(target, report, taxonomies)

    def _check_method(self) -> None:
        """Check that the method can mask the data, if the method is confirmed."""
        if "method" not in self.guesses:
            with locate_errors(self.path, "method"):
                self.method.check(self.sources.data)

    def mask(self, *, seed: int | None = None) -> Result:
        """Mask the table; nothing is written."""
        self.check_confirmed(method=True)
        method, data = self.method, self.data
        with locate_errors(self.path, "method"):
            return method.mask(data, seed=seed)

    @progress("Running the job")
    def run(
        self,
        *,
        seed: int | None = None,
        repeat: str | Path | None = None,
        overwrite: bool | None = None,
        allow_weak_seed: bool = False,
    ) -> JobRun:
        """Read, mask, evaluate, report, and write all outputs or none. Rows are written in random order.

        Parameters
        ----------
        seed
            By default drawn from the operating system. Only the private file keeps it. It also decides the order of
            rows. A seed below 2⁶⁴ is an error, since it can be found by trying.
        repeat
            The private file of a run to repeat, instead of a seed.
        overwrite
            Whether existing output files may be replaced; by default the job decides.
        allow_weak_seed
            Whether a seed below 2⁶⁴ may be used, for tests and public data.
        """
        return run_job(self, seed=seed, repeat=repeat, overwrite=overwrite, allow_weak_seed=allow_weak_seed)

    # Evaluating

    def read(self, masked: Path, *, private: Path | None = None, ordered: bool = True) -> Any:
        """Read a masked table: the job's own output, or that of another tool with the same decimal mark.

        Parameters
        ----------
        masked
            The file. The job's own output is returned in the order of the original and without escapes.
        private
            The private file of the run that wrote it, which knows the order; by default where the job writes it.
        ordered
            Whether the order matters; it does not if records are identified by a key.
        """
        check_reads_masked(self)
        return read_output(self.sources, Path(masked), self.output, self.private, private=private, ordered=ordered)

    def method_of(self, masked: Path, *, private: Path | None = None) -> Method | None:
        """The job's method if a run of this very job wrote the masked table, else ``None``."""
        same_run = was_written_by(Path(masked), private or self.private, self.sha256)
        return self.method if same_run else None

    def evaluate(
        self, masked: Any, *, key: str | None = None, attacks: bool | None = None, method: Method | None = None
    ) -> Evaluation:
        """Evaluate a result, or a masked frame, with the options of the job; ``attacks`` overrides one of them.

        Records of a frame are paired with the originals by position or by a ``key``. `read` returns the job's own
        output in the order of the original, and `method_of` the method that made it.
        """
        data = self.data
        self.check_distances(data)
        _log.info("measuring what was lost and what can be linked")
        options = self.settings.evaluation.options
        if attacks is not None:
            options["attacks"] = attacks
        if not isinstance(masked, (Result, MaskedData)):
            options |= self.sources.reading_options
        with locate_errors(self.path, "evaluation"):
            score = evaluate(data, masked, key=key, method=method, **options)
        return replace(score, notes=notes_for_job(score.notes))

    def attack(
        self, masked: Any = None, *, key: str | None = None, seed: int | None = None, method: Method | None = None
    ) -> Attacks:
        """Attack a masked frame. Without one, mask the table and attack the result, knowing the method."""
        result = self.mask(seed=seed) if masked is None else masked
        found = self.evaluate(result, key=key, attacks=True, method=method).attacks
        assert found is not None
        return found

    def check_distances(self, data: Microdata) -> None:
        """Check the distances of the evaluation before any long work."""
        with locate_errors(self.path, "evaluation.distance"):
            columns_under(data, self.settings.evaluation.distance, None)

    def report(
        self, masked: Any, *, key: str | None = None, exposed: bool = False, method: Method | None = None
    ) -> tuple[Evaluation, Report]:
        """Evaluate a masked frame, ours or another tool's, and build a report on it.

        With ``exposed`` the report lists the records at highest risk and must not be shared.
        """
        data = self.data
        with locate_errors(self.path, "evaluation"):
            read, notes = read_masked(data, masked, key=key, **self.sources.reading_options)
        score = self.evaluate(read, method=method)
        score = replace(score, notes=(*notes, *score.notes))
        return score, self.build_report(data, read, score, exposed=exposed)

    def build_report(
        self, data: Microdata, result: Result | MaskedData, score: Evaluation, *, exposed: bool = False
    ) -> Report:
        """The report on an evaluated result. It has no date, so the same run gives the same report."""
        from ontomask.report import build_report

        table = Path(self.settings.input.path).name
        about = {"table": table, "job": self.path.name, "made with": f"ontomask {version('ontomask')}"}
        with locate_errors(self.path, "output.report"):
            return build_report(data, result, score, title=f"Masking of {table}", about=about, exposed=exposed)

    # Comparing

    def compared(self, **levels: float) -> list[Method]:
        """The methods that `compare` runs: those the job lists, or its own and the usual ones.

        The usual ones have the ``k`` and ``alpha`` given here, or those of the job's own method, and its requirements.
        """
        if self.settings.compare is not None:
            return expand(self.settings.compare.methods, path=self.path)
        own = self.method
        level = {**_LEVELS} | {name: getattr(own, name) for name in _LEVELS if hasattr(own, name)} | levels
        usual = [
            cls(**{f.name: level[f.name] for f in fields(cls) if f.name in level}, require=own.require, by=own.by)
            for cls in _USUAL
        ]
        return [own, *(method for method in usual if not method.is_same(own))]

    def compare(
        self,
        *,
        seeds: int | None = None,
        jobs: int | None = None,
        journal: Path | None = None,
        require: Sequence[Requirement] = (),
        **levels: float,
    ) -> Comparison:
        """Mask with the methods of `compared` and evaluate each. Only the journal is written.

        ``require`` is added to the requirements of all methods.
        """
        data = self.data
        self.check_distances(data)
        if seeds is None:
            seeds = 3 if self.settings.compare is None else self.settings.compare.seeds
        compared = self.compared(**levels)
        if require:
            all_required = [[*method.require, *(r for r in require if r not in method.require)] for method in compared]
            both = [replace(method, require=each) for method, each in zip(compared, all_required, strict=True)]
            compared = [method for i, method in enumerate(both) if not any(map(method.is_same, both[:i]))]
        options = self.settings.evaluation.model_dump(include={"distance", "scope", "attacks"})
        return compare(data, compared, seeds=seeds, jobs=jobs, journal=journal, **options)
