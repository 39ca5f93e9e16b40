"""Jobs whose rows stay in an engine: what they cannot do, and how their files are recognised."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ontomask.engines.files import find_files
from ontomask.errors import JobError
from ontomask.job.private_file import file_hash
from ontomask.job.sources import Sources

if TYPE_CHECKING:
    from ontomask.job.job import Job

__all__ = ["check_engine_job", "check_reads_masked", "hash_files", "hash_input"]

# Larger inputs are recognised by a part of their content, in bytes.
_WHOLE = 4 << 30
_BLOCK = 1 << 20
_BLOCKS = 1000


def check_engine_job(job: Job) -> None:
    """Refuse at once what an engine cannot do."""
    engine, output = job.sources.engine, job.settings.output
    suffixes = ("",) if engine == "spark" else ("", ".parquet", ".csv", ".tsv")
    problems = []
    if job.output.suffix.lower() not in suffixes:
        names = ", ".join(suffix or "no extension, for a folder of Parquet files" for suffix in suffixes)
        problems.append(("output.masked", f"The engine {engine!r} writes files with these extensions: {names}."))
    for name, usual in (("delimiter", None), ("encoding", "utf-8")):
        if getattr(output, name) != usual:
            text = f"The engine {engine!r} writes comma-separated UTF-8. Leave this out, or use the engine 'memory'."
            problems.append((f"output.{name}", text))
    if output.plan is not None and job.method.by:
        text = (
            f"In the engine {engine!r}, each of the strata has a plan of its own, and a file holds one plan. Leave it "
            f"out. With the private file, the run can be repeated."
        )
        problems.append(("output.plan", text))
    if problems:
        raise JobError(job.path, problems, code="engine-cannot")


def check_reads_masked(job: Job) -> None:
    """Refuse to pair a masked file with originals in an engine."""
    if job.sources.engine is not None:
        text = (
            f"The originals are in the engine {job.sources.engine!r}, so the rows of a file cannot be paired with "
            f"them. A report of the run (output.report) evaluates what it wrote. For other files, use 'memory'."
        )
        raise JobError(job.path, [("input.engine", text)], code="engine-cannot")


def hash_input(sources: Sources) -> str:
    """Identifies the input by its content, and by the names of files or of a table where there may be several."""
    given = sources.settings.input
    path = sources.beside(given.path)
    if sources.engine is None:
        return file_hash(path)
    if "://" in given.path:
        return sha256(repr((given.path, given.table)).encode()).hexdigest()
    # What was written to a database last may not be in its file yet.
    log = path.with_name(f"{path.name}.wal")
    files = find_files(str(path))[0] if given.table is None else [path, *([log] if log.exists() else [])]
    sizes = [file.stat().st_size for file in files]
    names = [given.table] if given.table is not None else [file.name for file in files]
    found = sha256(repr((names, sizes)).encode())
    # All of it, or evenly spaced blocks and the end, where Parquet keeps what it knows of a file.
    step = _BLOCK if sum(sizes) <= _WHOLE else max(_BLOCK, sum(sizes) // _BLOCKS)
    for path, size in zip(files, sizes, strict=True):
        with path.open("rb") as file:
            for start in [*range(0, size, step), *([max(0, size - _BLOCK)] if step > _BLOCK else [])]:
                file.seek(start)
                found.update(file.read(_BLOCK))
    return found.hexdigest()


def hash_files(paths: Iterable[Path]) -> str:
    """The hash of a file, or of all files in a folder."""
    found = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    hashes = [file_hash(file) for file in found if file.is_file()]
    return hashes[0] if len(hashes) == 1 else sha256(" ".join(hashes).encode()).hexdigest()
