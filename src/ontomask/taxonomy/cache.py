"""A cache of ontologies that took long to read, so that the next command over the same files starts at once.

The key of an entry is the content of the files, the options, and the sources of the readers, so a changed file or a
new version is always read anew. Each entry has a checksum. A damaged entry is removed and the ontology read again.
A folder that other users may write to is not used: their entries could give values wrong concepts.

Commands and jobs use the cache; `ontomask.read_taxonomy` does not. It is in the cache folder of the user: ``ontomask``
in ``$XDG_CACHE_HOME`` or ``~/.cache`` (Linux), ``~/Library/Caches`` (macOS), ``%LOCALAPPDATA%`` (Windows). The
environment variable ``ONTOMASK_CACHE`` names another folder, or is ``off``.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ontomask.base.atomic import write_atomic
from ontomask.base.progress import progress
from ontomask.errors import ReadError, TaxonomyError
from ontomask.taxonomy.readers import FORMATS, read_taxonomy, saved
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["VARIABLE", "cache_folder", "read_cached"]

VARIABLE = "ONTOMASK_CACHE"
"""The environment variable that names the folder, or is ``off``."""

_OFF = ("off", "0", "no", "false")
_MOST_ENTRIES = 20
# Given a file, these readers also read files beside it.
_READ_BESIDE = ("wordnet", "rf2", "omop", "umls", "loinc", "esco")
# An ontology that is read faster than this (in seconds) is not worth an entry.
_LONG = 0.5


def cache_folder() -> Path | None:
    """The folder of the cache; ``None`` if it is switched off."""
    given = os.environ.get(VARIABLE, "")
    if given:
        return None if given.casefold() in _OFF else Path(given).expanduser()
    try:
        home = Path.home()
    except RuntimeError:
        return None  # a user without a home folder
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "ontomask" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "ontomask"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "ontomask"


def read_cached(path: str | Path, format: str | None = None, **options: Any) -> Taxonomy:
    """As `ontomask.read_taxonomy`, but an ontology that was read before comes from the cache."""
    path = Path(path).expanduser()
    folder = cache_folder()
    if folder is None or not _is_safe(folder) or not _is_cacheable(path, format):
        return read_taxonomy(path, format, **options)
    begun = time.perf_counter()
    key = _key(path, format, options)
    entry = folder / f"{key}.taxonomy"
    found = _load(entry)
    if found is None:
        found = read_taxonomy(path, format, **options)
        # A file may have been replaced while it was read.
        if time.perf_counter() - begun >= _LONG and _key(path, format, options) == key:
            _store(entry, found)
    return found


def _is_safe(folder: Path) -> bool:
    """Whether only this user (or the administrator) can write to the folder, or it does not exist yet."""
    if sys.platform == "win32":
        return True
    try:
        found = folder.stat()
    except OSError:
        return True
    return found.st_uid in (0, os.geteuid()) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _is_cacheable(path: Path, format: str | None) -> bool:
    """Whether the content of a path decides the result: not that of a device, or of one file of a release.

    A folder that is no ontology is not worth reading.
    """
    if path.is_file():
        reads_beside = format in _READ_BESIDE if format else any(_reader(n).can_read(path) for n in _READ_BESIDE)
        return not saved.can_read(path) and not reads_beside
    return path.is_dir() and (format is not None or any(reader.can_read(path) for reader in map(_reader, FORMATS)))


def _reader(name: str) -> ModuleType:
    return import_module(f"ontomask.taxonomy.readers.{name}")


def _key(path: Path, format: str | None, options: Mapping[str, Any]) -> str:
    """The hash of everything that the result depends on."""
    found = hashlib.sha256(_readers().encode())
    # The name of a file can become the name of the ontology.
    found.update(repr((path.name, format, sorted(options.items()))).encode())
    for file in _files(path):
        found.update(repr(file.relative_to(path).as_posix()).encode())
        found.update(_digest(file).encode())
    return found.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    yield from sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


@progress("Checking whether the ontology was read before")
def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""  # the reader reports it


@cache
def _readers() -> str:
    """A hash of the modules that read ontologies. Their results may differ in every version."""
    found = hashlib.sha256()
    for module in sorted(Path(__file__).parent.rglob("*.py")):
        found.update(module.read_bytes())
    return found.hexdigest()


def _checksum(entry: Path) -> Path:
    return entry.with_suffix(".sha256")


def _load(entry: Path) -> Taxonomy | None:
    """The taxonomy of an entry. ``None`` if there is no such entry, or a damaged one, which is removed."""
    if not entry.is_file():
        return None
    with suppress(OSError, UnicodeError, ReadError):
        if _checksum(entry).read_text("ascii") == _digest(entry):
            taxonomy = saved.read(entry)
            with suppress(OSError):  # the administrator may have made the folder
                entry.touch()  # the entries not used for longest are removed first
            return taxonomy
    _remove(entry)
    return None


def _store(entry: Path, taxonomy: Taxonomy) -> None:
    """Add an entry. A full disk or a folder without permission must not stop the work."""
    with suppress(OSError, TaxonomyError):
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        saved.save(taxonomy, entry, fast=True)
        write_atomic(_checksum(entry), _digest(entry).encode(), mode=0o600)
        entries = sorted(entry.parent.glob("*.taxonomy"), key=lambda file: file.stat().st_mtime, reverse=True)
        for old in entries[_MOST_ENTRIES:]:
            _remove(old)


def _remove(entry: Path) -> None:
    for file in (entry, _checksum(entry)):
        with suppress(OSError):
            file.unlink(missing_ok=True)
