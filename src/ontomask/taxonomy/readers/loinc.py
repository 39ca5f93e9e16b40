"""LOINC: the hierarchy of components (``ComponentHierarchyBySystem.csv``, formerly ``MultiAxialHierarchy.csv``).

Give the unpacked release or the file. Links are the rows of the hierarchy; a code may have several parents. If the
release has ``Loinc.csv``, it adds labels, and deprecated codes with their replacements from ``MapTo.csv``.
"""

from __future__ import annotations

from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import data_name, peek
from ontomask.taxonomy.readers.tables import csv_table, withdrawn_concept
from ontomask.taxonomy.taxonomy import Annotations, Retired, Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

_HIERARCHY = ("componenthierarchybysystem.csv", "multiaxialhierarchy.csv")
_COLUMNS = ("IMMEDIATE_PARENT", "CODE", "CODE_TEXT")
_NAMES = ("LONG_COMMON_NAME", "DisplayName", "SHORTNAME", "CONSUMER_NAME")
_LICENCE = "LOINC is © Regenstrief Institute, Inc., free of charge under the licence at https://loinc.org/license."
# How deep below the folder of a release its files are.
_FOLDERS = (".", "AccessoryFiles/ComponentHierarchyBySystem", "AccessoryFiles/MultiAxialHierarchy")
_TABLES = (".", "LoincTable", "../../LoincTable", "..")


def can_read(path: Path) -> bool:
    """Whether the path is the hierarchy of LOINC, or a folder of a release that has it."""
    try:
        file = _hierarchy(path)
    except OSError:
        return False
    return file is not None and {"PATH_TO_ROOT", *_COLUMNS} <= set(
        peek(file).partition("\n")[0].replace('"', "").rstrip("\r").split(",")
    )


def read(path: Path, *, labels: bool = True) -> Taxonomy:
    """Read the hierarchy.

    Parameters
    ----------
    path
        The folder of a release, or the file of the hierarchy.
    labels
        Whether the names in ``Loinc.csv`` are labels too, if the release has it.
    """
    file = _hierarchy(path)
    if file is None:
        raise ReadError(
            "The folder has no ComponentHierarchyBySystem.csv. Give the unpacked release of LOINC.",
            path=path,
            code="no-file",
        )
    links: dict[tuple[str, str], int] = {}
    words: dict[str, list[str]] = {}
    for line, (parent, code, text) in csv_table(file, _COLUMNS):
        if not code:
            fail("T106", "The CODE is empty. Use the file as it was published.", path=file, line=line)
        names = words.setdefault(code, [])
        if text and text not in names:
            names.append(text)
        if parent:
            links.setdefault((code, parent), line)
    if not words:
        fail("T105", "The file has no rows. Check that it is the right file.", path=file)
    retired: dict[str, Retired] = {}
    table = _beside(file, "loinc.csv") if labels else None
    if table is not None:
        retired = _read_names(table, words)
    return Taxonomy.from_edges(
        list(links),
        {code: names for code, names in words.items() if names},
        concepts=list(words),
        annotations=Annotations(name="LOINC", licence=_LICENCE, code_ids=True, retired=retired),
        path=file,
        lines=list(links.values()),
    )


def _hierarchy(path: Path) -> Path | None:
    if path.is_file():
        return path
    for folder in (path / name for name in _FOLDERS):
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            if data_name(file) in _HIERARCHY and file.is_file():
                return file
    return None


def _beside(hierarchy: Path, name: str) -> Path | None:
    """A table of the same release."""
    for folder in (hierarchy.parent / name for name in _TABLES):
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            if data_name(file) == name and file.is_file():
                return file
    return None


def _read_names(path: Path, words: dict[str, list[str]]) -> dict[str, Retired]:
    """Add the names of codes to ``words``. Deprecated codes that the hierarchy lacks are returned."""
    deprecated: list[str] = []
    for _, (code, status, *names) in csv_table(path, ("LOINC_NUM", "STATUS", *_NAMES), optional=_NAMES):
        if code in words:
            words[code] += [name for name in names if name and name not in words[code]]
        elif status == "DEPRECATED":
            deprecated.append(code)
    replaced: dict[str, list[tuple[int, str]]] = {}
    mapping = _beside(path, "mapto.csv")
    if mapping is not None:
        for _, (code, target) in csv_table(mapping, ("LOINC", "MAP_TO")):
            if target in words:
                replaced.setdefault(code, []).append((0, target))
    return {code: withdrawn_concept("deprecated", replaced.get(code, ())) for code in deprecated}
