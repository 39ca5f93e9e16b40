"""The whole flow on one screen: read, map, mask, evaluate, report. A `Job` is a TOML file."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.base.notes import Note
from ontomask.comparison.compare import Comparison, compare
from ontomask.errors import JobError, MaskingError
from ontomask.evaluation import Evaluation, evaluate
from ontomask.evaluation.attacks.attack import Attacks, attack
from ontomask.evaluation.attacks.requirements import AllColumnsK, LinkedAtMost
from ontomask.evaluation.pairing import columns_under
from ontomask.evaluation.reading import read_masked
from ontomask.job.fitting import unconfirmed, undecided
from ontomask.job.methods import expand, files_of, make_method, methods
from ontomask.job.outputs import REPORTS, Outputs, try_format
from ontomask.job.preflight import Preflight, preflight
from ontomask.job.private import Private, digest, earlier_runs, order_seed, private_name
from ontomask.job.problems import locate_errors
from ontomask.job.released import read_released, was_written_by
from ontomask.job.sources import Sources
from ontomask.masking import Method, Requirement, Result
from ontomask.masking.seeds import draw_seed, is_weak
from ontomask.masking.writing import Written
from ontomask.microdata import Microdata, save_plan
from ontomask.microdata.masked import MaskedData

if TYPE_CHECKING:
    from ontomask.job.settings import Settings
    from ontomask.report import Report

__all__ = ["Job", "JobRun"]

_log = logging.getLogger("ontomask")

# What a job's own method is compared with unless the job says otherwise.
_USUAL = ("Microaggregation", "Recoding", "Resampling", "RankSwapping", "UncorrelatedNoise", "CorrelatedNoise")
_LEVELS: Mapping[str, Any] = {"k": 5, "alpha": 0.3}


_WEAK_SEED = (
    "The seed is below 2⁶⁴: it can be found by trying, and whoever finds it undoes the masking. Leave it out, and a "
    "strong one is drawn and kept in the private file; or make one: "
    "python -c 'import secrets; print(secrets.randbits(128))'. For tests and public data, allow it: --allow-weak-seed "
    "on the command line, allow_weak_seed=True in Python."
)


@dataclass(frozen=True, eq=False)
class JobRun:
    """What a run of a job made.

    Attributes
    ----------
    result
        The masked table, and how it came about.
    score
        What it cost and bought; ``None`` where the job asks for neither evaluation nor report.
    report
        What is in the report files; ``None`` where the job asks for none.
    files
        What was written, by what it is: ``masked``, ``report``, ``private``, ``plan``.
    notes
        What is worth knowing.
    """

    result: Result
    score: Evaluation | None
    report: Report | None
    files: Mapping[str, Path]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<JobRun: {self.result!r} in {self.files['masked']}>"


class Job:
    """A masking job: what to read, what each column is, how to mask it, and where the results go.

    Paths in the file are seen from its folder. A job runs once every guess in it is confirmed and every role decided.

    Attributes
    ----------
    path
        The job file.
    settings
        What it says, checked.

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
        self._sha256 = sha256
        self._sources = Sources(settings, path)

    @classmethod
    def from_toml(cls, path: str | Path) -> Job:
        """Read a job file. Everything that is wrong with it is said at once, with file and key."""
        # Checking is pydantic's: who only wants to mask a frame need not load it.
        from ontomask.job.reading import parse_settings, read_bytes

        path = Path(path)
        raw = read_bytes(path)
        return cls(parse_settings(raw, path), path, sha256(raw).hexdigest())

    def __repr__(self) -> str:
        return f"<Job {self.path}>"

    @property
    def guesses(self) -> tuple[str, ...]:
        """The tables of the file that hold guesses which nobody has confirmed."""
        return unconfirmed(self.settings)

    def _refuse_guesses(self, *, method: bool) -> None:
        guesses = [key for key in self.guesses if method or key != "method"]
        problems = list(undecided(self.settings))
        if guesses:
            listed = ", ".join(guesses)
            text = (
                f"these are guesses that nobody has confirmed: {listed}. Look at each, correct it, and write "
                f"confirmed = true there."
            )
            problems.append(("confirmed", text))
        if problems:
            raise JobError(self.path, problems)

    @property
    def inputs(self) -> Mapping[str, Path]:
        """Every file that the job reads, by what it is."""
        method = self.settings.method
        return {**self._sources.files, **files_of(method.name, method.parameters, path=self.path)}

    @property
    def output(self) -> Path:
        """Where the masked table goes."""
        return self._sources.beside(self.settings.output.masked)

    @property
    def _private(self) -> Path:
        """Where the private file goes."""
        given = self.settings.output.private
        return private_name(self.output) if given is None else self._sources.beside(given)

    @property
    def data(self) -> Microdata:
        """The table with its roles, once these are confirmed."""
        self._refuse_guesses(method=False)
        return self._sources.data

    @cached_property
    def method(self) -> Method:
        """The masking method with its parameters."""
        given = self.settings.method
        return make_method(given.name, given.parameters, path=self.path)

    def check(self, *, strict: bool = False) -> Preflight:
        """Look at the mapping and at what would stop the run; nothing is masked, and guesses are allowed."""
        return preflight(self._sources, self.guesses, self._check_method, strict=strict)

    def _check_method(self) -> None:
        """Refuse data that the method cannot mask, once somebody has decided on the method."""
        if "method" not in self.guesses:
            with locate_errors(self.path, "method"):
                self.method.check(self._sources.data)

    def mask(self, *, seed: int | None = None) -> Result:
        """Mask the table; nothing is written."""
        self._refuse_guesses(method=True)
        method, data = self.method, self.data
        with locate_errors(self.path, "method"):
            return method.mask(data, seed=seed)

    @property
    def requirements(self) -> list[AllColumnsK | LinkedAtMost]:
        """What intruders may find at most."""
        asked = self.settings.require
        found: list[AllColumnsK | LinkedAtMost] = []
        if asked.k_all is not None:
            found.append(AllColumnsK(asked.k_all))
        if asked.linked_at_most is not None:
            found.append(LinkedAtMost(asked.linked_at_most))
        return found

    def attack(
        self, masked: Any = None, *, key: str | None = None, seed: int | None = None, method: Method | None = None
    ) -> Attacks:
        """Attack a masked frame; without one, mask the table anew and attack that, knowing the method."""
        result = self.mask(seed=seed) if masked is None else masked
        found = self.evaluate(result, key=key, attacks=True, method=method).attacks
        assert found is not None
        return found

    def evaluate(
        self, masked: Any, *, key: str | None = None, attacks: bool | None = None, method: Method | None = None
    ) -> Evaluation:
        """Measure a result, or a masked frame, as the job says; ``attacks`` may say otherwise.

        Records of a frame are compared with the originals by position, or found by a ``key``. `read` gives the job's
        own output in the order of the original, and `method_of` the method that made it.
        """
        data = self.data
        self._check_evaluation(data)
        _log.info("measuring what was lost and what can be linked")
        given = self.settings.evaluation
        options = {} if given is None else given.options
        if attacks is not None:
            options["attacks"] = attacks
        if not isinstance(masked, (Result, MaskedData)):
            options |= self._sources.how_to_read
        with locate_errors(self.path, "evaluation"):
            return evaluate(data, masked, key=key, method=method, **options)

    def read(self, masked: Path, *, private: Path | None = None, ordered: bool = True) -> Any:
        """A masked table from a file: the job's own output, or that of another tool, with the same decimal mark.

        Parameters
        ----------
        masked
            The file. The job's own output is returned in the order of the original, as it was before it was written.
        private
            The private file of the run that wrote it, which tells the order; by default where the job writes it.
        ordered
            Whether the order matters; it does not where records are found by a key.
        """
        return read_released(self._sources, Path(masked), self.output, self._private, private=private, ordered=ordered)

    def method_of(self, masked: Path, *, private: Path | None = None) -> Method | None:
        """The job's method, if a run of this very job wrote the masked table; else nobody knows what made it."""
        same_run = was_written_by(Path(masked), private or self._private, self._sha256)
        return self.method if same_run else None

    def _check_evaluation(self, data: Microdata) -> None:
        """Refuse a distance that there is none of before any long work."""
        wanted = None if self.settings.evaluation is None else self.settings.evaluation.distance
        if wanted is None:
            return
        with locate_errors(self.path, "evaluation.distance"):
            columns_under(data, wanted, None)

    def compared(self, **levels: float) -> list[Method]:
        """The methods that `compare` runs: those the job lists, or its own beside the usual ones.

        The usual ones have the ``k`` and ``alpha`` given here, else those of the job's own method, and are held to what
        that requires.
        """
        if self.settings.compare is not None:
            return expand(self.settings.compare.methods, path=self.path)
        own, known = self.method, methods()
        level = {**_LEVELS} | {name: getattr(own, name) for name in _LEVELS if hasattr(own, name)} | levels
        usual = [
            known[name](**{f.name: level[f.name] for f in fields(known[name]) if f.name in level}, require=own.require)
            for name in _USUAL
            if name in known
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
        """Mask by the methods of `compared` and measure each; nothing of it is written but the journal.

        With ``require`` all methods are held to that, too.
        """
        data = self.data
        self._check_evaluation(data)
        given, measured = self.settings.compare, self.settings.evaluation
        if seeds is None:
            seeds = 3 if given is None else given.seeds
        options = {} if measured is None else {"distance": measured.distance, "scope": measured.scope}
        held = self.compared(**levels)
        if require:
            asked = [[*method.require, *(r for r in require if r not in method.require)] for method in held]
            both = (replace(method, require=each) for method, each in zip(held, asked, strict=True))
            held = list({method.identity: method for method in both}.values())
        attacks = measured is None or measured.attacks
        return compare(data, held, seeds=seeds, jobs=jobs, journal=journal, attacks=attacks, **options)

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
            Without one it is drawn from the operating system. Either way it goes into the private file, and nowhere
            else. It also decides the order of rows. A number below 2⁶⁴ is refused: it can be found by trying.
        repeat
            The private file of a run to be repeated, instead of a seed.
        overwrite
            Whether output files that are there may be replaced; by default as the job says.
        allow_weak_seed
            Whether a seed below 2⁶⁴ may be used, for tests and public data.
        """
        from ontomask.report.families import safe_name

        self._refuse_guesses(method=True)
        if seed is not None and repeat is not None:
            raise JobError(self.path, [("", "give a seed or the private file of the run to be repeated, not both.")])
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
            text = f"The 'seed' must be an int ≥ 0: the private file keeps it. Got {seed!r} instead."
            raise JobError(self.path, [("", text)])
        private = None if repeat is None else Private.load(Path(repeat))
        if is_weak(seed if private is None else private.seed) and not allow_weak_seed:
            raise JobError(self.path, [("", _WEAK_SEED if private is None else f"{repeat}: {_WEAK_SEED}")])
        method = self.method
        outputs = self._outputs(overwrite)
        _log.info("reading %s", self.settings.input.path)
        data = self.data
        self._check_evaluation(data)
        files = {what: digest(file) for what, file in self.inputs.items() if file.is_file()}
        # As it was when it was read.
        files["the job"] = self._sha256
        notes: tuple[str, ...] = self._sources.notes
        if repeat is not None and private is not None:
            notes += private.check(Path(repeat), files)
            seed = private.seed
        earlier = earlier_runs(outputs.files["private"].parent, files, seed)
        if earlier:
            notes += (
                Note.of(
                    "earlier-release",
                    "An earlier run masked the same input: {files}. Two releases of the same persons can be joined, "
                    "and their guarantees no longer hold (see om.compose). Release one only.",
                    files=", ".join(path.name for path in earlier),
                ),
            )
        seed = draw_seed() if seed is None else seed

        _log.info("masking %s records with %s", f"{len(data):,}", safe_name(method))
        with locate_errors(self.path, "method"):
            result = method.mask(data, seed=seed)
        reports = self.settings.output.report
        measured = reports or self.settings.evaluation is not None
        score = self.evaluate(result) if measured else None
        self._check_requirements(data, result, score)
        report = self._report(data, result, score) if reports and score is not None else None

        with locate_errors(self.path, "output"), outputs.writing() as drafts:
            for what, draft in drafts.items():
                if what == "masked":
                    written = self._write(result, draft, order_seed(seed, files))
                    given = self.settings.output
                    about = {"masked": digest(draft), "order": given.order, "formulas": given.formulas}
                elif what == "private":
                    Private(int(seed), files, about).save(draft)
                elif what == "plan":
                    save_plan(result.plan, draft)
                elif report is not None:
                    report.save(draft)
        told = dict.fromkeys((*notes, *result.notes, *written.notes))
        return JobRun(result, score, report, outputs.files, tuple(told))

    def _write(self, result: Result, draft: Path, seed: int) -> Written:
        given = self.settings.output
        of_order = seed if given.order == "shuffled" else None
        options = self._sources.writing(draft)
        return result.write(draft, order=given.order, seed=of_order, formulas=given.formulas, **options)

    def _check_requirements(self, data: Microdata, result: Result, score: Evaluation | None) -> None:
        """Refuse a result in which intruders find more than they may."""
        if not self.requirements:
            return
        found = score.attacks if score is not None else None
        found = attack(data, result) if found is None else found
        with locate_errors(self.path, "require"):
            missed = []
            for asked in self.requirements:
                try:
                    asked.verify_attacks(found)
                except MaskingError as problem:
                    missed.append(("require", str(problem)))
            if missed:
                raise JobError(self.path, missed)

    def report(
        self, masked: Any, *, key: str | None = None, exposed: bool = False, method: Method | None = None
    ) -> tuple[Evaluation, Report]:
        """Measure a masked frame, ours or another tool's, and put together what is to be told about it.

        With ``exposed`` the report lists the records at highest risk and is not to be passed on.
        """
        data = self.data
        with locate_errors(self.path, "evaluation"):
            read, notes = read_masked(data, masked, key=key, **self._sources.how_to_read)
        score = self.evaluate(read, method=method)
        score = replace(score, notes=(*notes, *score.notes))
        return score, self._report(data, read, score, exposed=exposed)

    def _report(
        self, data: Microdata, result: Result | MaskedData, score: Evaluation, *, exposed: bool = False
    ) -> Report:
        from ontomask.report import build_report

        table = Path(self.settings.input.path).name
        # No date: the same run gives the same report.
        about = {"table": table, "job": self.path.name, "made with": f"ontomask {version('ontomask')}"}
        with locate_errors(self.path, "output.report"):
            return build_report(data, result, score, title=f"Masking of {table}", about=about, exposed=exposed)

    def _outputs(self, overwrite: bool | None) -> Outputs:
        """The output files, checked before any long work."""
        given = self.settings.output
        masked = self.output
        files = {"masked": masked}
        for number, name in enumerate(given.report, start=1):
            files["report" if number == 1 else f"report {number}"] = self._sources.beside(name)
            if Path(name).suffix.lower() not in REPORTS:
                text = f"{name!r} must end in one of {', '.join(REPORTS)}."
                raise JobError(self.path, [("output.report", text)])
        files["private"] = self._private
        if given.plan is not None:
            files["plan"] = self._sources.beside(given.plan)
        outputs = Outputs(files, self.inputs, given.overwrite if overwrite is None else overwrite)
        with locate_errors(self.path, "output"):
            outputs.check()
        with locate_errors(self.path, "output.masked"):
            try_format(masked, **self._sources.writing(masked))
        return outputs
