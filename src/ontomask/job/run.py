"""Run a job: read, mask, evaluate, report, and write all outputs or none."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ontomask.base.notes import Note
from ontomask.errors import JobError, MaskingError
from ontomask.evaluation import Evaluation
from ontomask.evaluation.attacks.attack import attack
from ontomask.job.engines import check_engine_job, hash_files, hash_input
from ontomask.job.methods import spell_method
from ontomask.job.outputs import REPORTS, Outputs, try_format
from ontomask.job.private_file import PrivateFile, earlier_runs, file_hash, order_seed
from ontomask.job.problems import locate_errors, notes_for_job
from ontomask.masking import Result
from ontomask.masking.seeds import draw_seed, is_weak
from ontomask.masking.writing import Written
from ontomask.microdata import Microdata, save_plan

if TYPE_CHECKING:
    from ontomask.job.job import Job
    from ontomask.report import Report

__all__ = ["JobRun", "run_job"]

_log = logging.getLogger("ontomask")

_WEAK_SEED = (
    "The seed is below 2⁶⁴, so it can be found by trying, and then used to undo the masking. Leave it out: a "
    "strong seed is then drawn and kept in the private file. For tests and public data, allow it with "
    "--allow-weak-seed (allow_weak_seed in Python)."
)


@dataclass(frozen=True, eq=False)
class JobRun:
    """The results of running a job.

    Attributes
    ----------
    result
        The masked table, its plan and its guarantee.
    score
        The evaluation; ``None`` if the job asks for neither evaluation nor report.
    report
        The content of the report files; ``None`` if the job asks for none.
    files
        The files that were written: ``masked``, ``report``, ``private``, ``plan``.
    notes
        What the user should know.
    """

    result: Result
    score: Evaluation | None
    report: Report | None
    files: Mapping[str, Path]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<JobRun: {self.result!r} in {self.files['masked']}>"


def run_job(
    job: Job, *, seed: int | None, repeat: str | Path | None, overwrite: bool | None, allow_weak_seed: bool
) -> JobRun:
    """Do what `Job.run` documents."""
    job.check_confirmed(method=True)
    private = _check_seed(job, seed, repeat, allow_weak_seed=allow_weak_seed)
    method = job.method
    if not method.takes_seed and (seed is not None or repeat is not None):
        text = (
            f"{type(method).__name__} takes its random bits from the operating system, so a run cannot be repeated. "
            f"Leave out the seed or the private file."
        )
        raise JobError(job.path, [("method", text)], parameter="seed", code="seed-refused")
    if not method.takes_seed and job.requirements:
        text = (
            f"{type(method).__name__} guarantees nothing for output that is chosen among several runs. Leave this out, "
            f"and read the measured risks in the report."
        )
        raise JobError(job.path, [("require", text)], parameter="require", code="require-refused")
    outputs = _check_outputs(job, overwrite)
    _log.info("reading %s", job.settings.input.path)
    data = job.data
    _check_inputs(job, data, outputs)
    job.check_distances(data)
    files = {what: file_hash(file) for what, file in job.inputs.items() if file.is_file() and what != "the input"}
    files["the input"] = hash_input(job.sources)
    # The job file may have changed since it was read.
    files["the job"] = job.sha256
    notes: tuple[str, ...] = job.sources.notes
    if repeat is not None and private is not None:
        notes += private.check(Path(repeat), files)
        seed = private.seed
    notes += _note_earlier_runs(outputs, files, seed)
    seed = draw_seed() if seed is None else seed

    _log.info("masking %s records with %s", f"{len(data):,}", spell_method(method))
    with locate_errors(job.path, "method"):
        result = method.mask(data, seed=seed if method.takes_seed else None)
    score = job.evaluate(result) if job.settings.wants_evaluation else None
    _check_requirements(job, data, result, score)
    report = job.build_report(data, result, score) if job.settings.output.report and score is not None else None

    with locate_errors(job.path, "output"), outputs.writing() as drafts:
        for what, draft in drafts.items():
            if what == "masked":
                written = _write_masked(job, result, draft, order_seed(seed, files))
                given = job.settings.output
                order = given.order if job.sources.engine is None or given.order == "as_is" else "engine"
                about = {"masked": hash_files([draft]), "order": order, "formulas": given.formulas}
            elif what == "private":
                PrivateFile(int(seed), files, about).save(draft, repeats=method.takes_seed)
            elif what == "plan":
                save_plan(result.plan, draft)
            elif report is not None:
                report.save(draft)
    return JobRun(result, score, report, outputs.files, notes_for_job((*notes, *result.notes, *written.notes)))


def _check_seed(job: Job, seed: int | None, repeat: str | Path | None, *, allow_weak_seed: bool) -> PrivateFile | None:
    """Validate the seed, or load the private file of the run to repeat."""
    if seed is not None and repeat is not None:
        raise JobError(
            job.path, [("", "Give a seed or the private file of the run to repeat, not both.")], code="seed-and-repeat"
        )
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
        text = f"The 'seed' must be an int ≥ 0, so that the private file can keep it. Got {seed!r} instead."
        raise JobError(job.path, [("", text)], parameter="seed")
    private = None if repeat is None else PrivateFile.load(Path(repeat))
    if is_weak(seed if private is None else private.seed) and not allow_weak_seed:
        text = _WEAK_SEED if private is None else f"{repeat}: {_WEAK_SEED}"
        raise JobError(job.path, [("", text)], parameter="seed", code="weak-seed")
    return private


def _check_outputs(job: Job, overwrite: bool | None) -> Outputs:
    """The output files, checked before any long work."""
    given = job.settings.output
    files = {"masked": job.output}
    for number, name in enumerate(given.report, start=1):
        files["report" if number == 1 else f"report {number}"] = job.sources.beside(name)
        if Path(name).suffix.lower() not in REPORTS:
            text = f"The name {name!r} must end in one of {', '.join(REPORTS)}."
            raise JobError(job.path, [("output.report", text)])
    files["private"] = job.private
    if given.plan is not None:
        files["plan"] = job.sources.beside(given.plan)
    folders = () if job.sources.engine is None else ("masked",)
    outputs = Outputs(files, job.inputs, given.overwrite if overwrite is None else overwrite, folders)
    with locate_errors(job.path, "output"):
        outputs.check()
    with locate_errors(job.path, "output.masked"):
        if job.sources.engine is None:
            try_format(job.output, **job.sources.write_options(job.output))
        else:
            check_engine_job(job)
    return outputs


def _check_inputs(job: Job, data: Microdata, outputs: Outputs) -> None:
    """Refuse outputs over the files that an engine reads, of which a folder or a pattern can have many."""
    for what, path in outputs.files.items():
        if data.source is not None and data.source.is_input(path):
            text = f"It is a part of the input, or may be, and inputs are never overwritten. Give {what} a new name."
            raise JobError(job.path, [(f"output.{what}", text)], code="is-an-input")


def _note_earlier_runs(outputs: Outputs, files: Mapping[str, str], seed: int | None) -> tuple[Note, ...]:
    earlier = earlier_runs(outputs.files["private"].parent, files, seed)
    if not earlier:
        return ()
    text = (
        "An earlier run masked the same input: {files}. Two releases of the same persons can be joined, and their "
        "guarantees no longer hold. Release only one."
    )
    return (Note.of("earlier-release", text, files=", ".join(path.name for path in earlier)),)


def _check_requirements(job: Job, data: Microdata, result: Result, score: Evaluation | None) -> None:
    """Raise an error if intruders find more than the job allows."""
    if not job.requirements:
        return
    found = score.attacks if score is not None else None
    found = attack(data, result) if found is None else found
    problems = []
    for requirement in job.requirements:
        try:
            requirement.verify_attacks(found)
        except MaskingError as problem:
            problems.append(("require", str(problem)))
            code = problem.code
    if problems:
        raise JobError(job.path, problems, code=code)


def _write_masked(job: Job, result: Result, draft: Path, seed: int) -> Written:
    given = job.settings.output
    shuffle_seed = seed if given.order == "shuffled" else None
    options = job.sources.write_options(draft) if job.sources.engine is None else {}
    return result.write(draft, order=given.order, seed=shuffle_seed, formulas=given.formulas, **options)
