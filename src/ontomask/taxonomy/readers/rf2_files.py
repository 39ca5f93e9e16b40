"""Where the files of an RF2 release are, and what they are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import data_name

__all__ = ["find_files", "is_release_file", "release_name", "snapshot_files"]

_NAME = re.compile(
    r"x?(?:sct2_(?P<core>Concept|Description|Relationship)_"
    r"|der2_cRefset_(?P<refset>Language|AttributeValue|[a-z]*Association))"
    r"[a-z]*(?P<type>Snapshot|Full|Delta)"
    r"(?:-[a-z-]+)?(?:_(?P<edition>[a-z0-9]+))?(?:_(?P<date>\d{8})\w*)?\.txt",
    re.IGNORECASE,
)
_TYPES = ("Snapshot", "Full", "Delta")

Files = dict[tuple[str, str], list[Path]]


def is_release_file(path: Path) -> bool:
    """Whether a file is called as one of those read here."""
    return _NAME.fullmatch(data_name(path)) is not None


def snapshot_files(path: Path) -> dict[str, list[Path]]:
    """The snapshot files by kind (``concept``, ``language``, …); the needed kinds are there."""
    found = find_files(path)
    files = {kind: paths for (kind, release_type), paths in found.items() if release_type == "snapshot"}
    if not any(kind == "concept" for kind, _ in found):
        raise ReadError(
            "there is no RF2 concept file (such as sct2_Concept_Snapshot_INT_20250101.txt) in it.", path=path
        )
    if "concept" not in files:
        others = " and ".join(t for t in _TYPES if ("concept", t.lower()) in found)
        raise ReadError(
            f"holds {others} files only. They tell how concepts changed, not how things stand: "
            f"use the Snapshot files of the same release.",
            path=path,
        )
    for kind in ("description", "relationship"):
        if kind not in files:
            raise ReadError(
                f"there is no {kind} file (such as sct2_{kind.capitalize()}_Snapshot…_INT_20250101.txt) beside "
                f"the concept file. Unpack the whole release: stated relationships and text definitions are no "
                f"substitute.",
                path=path,
            )
    return files


def find_files(path: Path) -> Files:
    """RF2 files by kind and release type, in the order of their names.

    Only the places are searched where releases have their files: this runs on any folder that is to be
    recognised, however large.
    """
    top = path if path.is_dir() else path.parent
    if top.name.lower() == "terminology":
        top = top.parent
    elif top.parent.name.lower() == "refset":
        top = top.parent.parent
    bases = [top, *(base for t in _TYPES for base in (top / t, *top.glob(f"*/{t}")))]
    folders = [folder for base in bases for folder in (base, base / "Terminology", *base.glob("Refset/*"))]
    found: dict[tuple[str, str], dict[tuple[Path, str], Path]] = {}
    for file in sorted(file for folder in folders if folder.is_dir() for file in folder.iterdir()):
        match = _NAME.fullmatch(data_name(file))
        if match and file.is_file():
            kind = (match["core"] or match["refset"]).lower()
            key = ("association" if kind.endswith("association") else kind, match["type"].lower())
            # A file that is there both plain and gzipped counts once.
            found.setdefault(key, {}).setdefault((file.parent, data_name(file)), file)
    return {key: list(files.values()) for key, files in found.items()}


def release_name(files: Sequence[Path]) -> str:
    """The release's name with its editions and dates."""
    parts = []
    for file in files:
        match = _NAME.fullmatch(file.name.removesuffix(".gz"))
        parts.append(" ".join(part for part in (match["edition"], match["date"]) if part) if match else "")
    return " ".join(["SNOMED CT", " + ".join(dict.fromkeys(part for part in parts if part))]).strip()
