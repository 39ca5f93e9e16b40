"""ESCO, the European classification of occupations and skills, and ISCO-08 in it: the CSV files of a download.

The occupations are ``occupations_en.csv`` below ``ISCOGroups_en.csv``, linked by ``broaderRelationsOccPillar_en.csv``.
The skills are ``skills_en.csv`` below ``skillGroups_en.csv``, linked by ``broaderRelationsSkillPillar_en.csv``. Ids are
the codes (``2512``, ``2512.4``); a concept without a code has the last part of its address as id. Aliases are the
addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ontomask.base.text import join_some
from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import check_option, data_name, peek
from ontomask.taxonomy.readers.tables import csv_table
from ontomask.taxonomy.readers.terms import short_id
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

_NAME = re.compile(
    r"(occupations|iscogroups|skills|skillgroups|broaderrelations(?:occ|skill)pillar)(?:_([a-z-]+))?\.csv"
)
# The file of groups, of concepts and of links.
_PILLARS = {
    "occupations": ("iscogroups", "occupations", "broaderrelationsoccpillar"),
    "skills": ("skillgroups", "skills", "broaderrelationsskillpillar"),
}
_PUBLISHED = {
    "iscogroups": "ISCOGroups",
    "broaderrelationsoccpillar": "broaderRelationsOccPillar",
    "skillgroups": "skillGroups",
    "broaderrelationsskillpillar": "broaderRelationsSkillPillar",
}
_COLUMNS = ("conceptUri", "preferredLabel", "altLabels", "hiddenLabels", "description", "code", "iscoGroup")
_OPTIONAL = _COLUMNS[2:]
_LICENCE = "ESCO is published by the European Commission, free of charge; name it as the source (Decision 2011/833/EU)."

_Files = dict[str, Path]


def can_read(path: Path) -> bool:
    """Whether the path is a folder with files of ESCO, or one of these files."""
    try:
        if path.is_file() and not _NAME.fullmatch(data_name(path)):
            return False
        files = [file for language in _find(path).values() for file in language.values()]
        return any("conceptUri" in peek(file).partition("\n")[0] for file in files)
    except OSError:
        return False


def read(
    path: Path,
    *,
    pillar: Literal["occupations", "skills"] | None = None,
    language: str | None = None,
    groups_only: bool = False,
    glosses: bool = False,
) -> Taxonomy:
    """Read occupations or skills.

    Parameters
    ----------
    path
        The folder of a download, or one of its files.
    pillar
        ``occupations`` or ``skills``. By default occupations, if the folder has them.
    language
        The language of the files, such as ``de``. By default ``en``, or the only one.
    groups_only
        Read the groups only: ISCO-08 without ESCO's occupations.
    glosses
        Keep the descriptions.
    """
    check_option(path, "language", language, example="en", optional=True)
    if pillar not in (None, *_PILLARS):
        raise ReadError(
            f"The 'pillar' must be 'occupations' or 'skills'. Got {pillar!r} instead.", path=path, parameter="pillar"
        )
    files = _choose_language(path, language)
    if pillar is None:
        pillar = "skills" if not any(kind in files for kind in _PILLARS["occupations"]) else "occupations"
    groups, concepts, broader = _PILLARS[pillar]
    for kind in (groups,) if groups_only else (groups, concepts):
        if kind not in files:
            raise ReadError(
                f"The file {_PUBLISHED.get(kind, kind)}_en.csv (or in another language) is missing. Give the folder of "
                f"a download from ESCO.",
                path=path,
                values=[kind],
                code="no-file",
            )
    found = _Found()
    _read_concepts(files[groups], found)
    if not groups_only:
        _read_concepts(files[concepts], found)
    links = _broader(files[broader], found, strict=not groups_only) if broader in files else _by_code(found)
    ids = _ids(found)
    source = files.get(broader, files[groups])
    return Taxonomy.from_edges(
        [(ids[child], ids[parent]) for child, parent in links],
        {ids[address]: words for address, words in found.labels.items()},
        concepts=list(ids.values()),
        annotations=Annotations(
            name="ISCO-08" if groups_only and pillar == "occupations" else f"ESCO {pillar}",
            licence=_LICENCE,
            code_ids=True,
            aliases={"IRI": {address: (concept,) for address, concept in ids.items()}},
            glosses={ids[a]: text for a, text in found.glosses.items()} if glosses else None,
        ),
        path=source,
        lines=list(links.values()),
    )


@dataclass
class _Found:
    """Labels, codes, groups and descriptions by address."""

    labels: dict[str, list[str]] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    group_of: dict[str, str] = field(default_factory=dict)
    glosses: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


def _find(path: Path) -> dict[str, _Files]:
    """The files of a folder by language and kind. Some releases have no language in the names of relations."""
    found: dict[str, _Files] = {}
    folder = path if path.is_dir() else path.parent
    for file in sorted(folder.iterdir(), reverse=True):
        name = _NAME.fullmatch(data_name(file))
        if name and file.is_file():
            found.setdefault(name[2] or "", {})[name[1]] = file
    shared = found.pop("", {})
    return {language: {**shared, **files} for language, files in found.items()} or ({"": shared} if shared else {})


def _choose_language(path: Path, language: str | None) -> _Files:
    found = _find(path)
    if not found:
        raise ReadError(
            "The folder has no files of ESCO, such as occupations_en.csv. Give the folder of a download.",
            path=path,
            code="no-file",
        )
    named = _NAME.fullmatch(data_name(path)) if path.is_file() else None
    wanted = language or (named[2] if named and named[2] else None) or ("en" if "en" in found else None)
    if wanted is None and len(found) == 1:
        [files] = found.values()
        return files
    if wanted not in found:
        asked = f"There are no files in the language {wanted!r}." if wanted else "There are several languages."
        raise ReadError(f"{asked} Choose a language: {join_some(sorted(found))}.", path=path, parameter="language")
    return found[wanted]


def _read_concepts(path: Path, found: _Found) -> None:
    for line, (address, label, others, hidden, description, code, group) in csv_table(path, _COLUMNS, _OPTIONAL):
        if not address or not label:
            fail("T106", "The address or the label is empty. Use the file as published.", path=path, line=line)
        if address in found.labels:
            fail("T104", f"{address!r} is repeated. Use the file as published.", path=path, line=line, values=[address])
        found.labels[address] = [label, *_words(others), *_words(hidden)]
        found.lines[address] = line
        if code:
            found.codes[address] = code
        if group:
            found.group_of[address] = group
        if description:
            found.glosses[address] = description


def _words(cell: str) -> Iterator[str]:
    """The labels of a cell, one per line."""
    return (word.strip() for word in cell.splitlines() if word.strip())


def _broader(path: Path, found: _Found, *, strict: bool) -> dict[tuple[str, str], int]:
    """Child, parent and line of each link. If not ``strict``, links of concepts that were not read are ignored."""
    links: dict[tuple[str, str], int] = {}
    for line, (child, parent) in csv_table(path, ("conceptUri", "broaderUri")):
        unknown = [end for end in (child, parent) if end not in found.labels]
        if not unknown:
            links.setdefault((child, parent), line)
        elif strict:
            fail(
                "T103",
                f"The link has a concept that is not in the other files: {join_some(unknown)}. Use the files of one "
                f"download.",
                path=path,
                line=line,
                values=unknown,
            )
    return links


def _by_code(found: _Found) -> dict[tuple[str, str], int]:
    """Links without a file of relations: an occupation is below its group, a group below the next shorter code."""
    address_of = {code: address for address, code in found.codes.items()}
    links: dict[tuple[str, str], int] = {}
    for address, code in found.codes.items():
        group = found.group_of.get(address)
        above = [group] if group else [code[:n] for n in range(len(code) - 1, 0, -1)]
        parent = next((address_of[text] for text in above if text in address_of), None)
        if parent is not None and parent != address:
            links[address, parent] = found.lines[address]
    return links


def _ids(found: _Found) -> Mapping[str, str]:
    """The code, else the last part of the address, else the address: the first that no other concept has."""
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for address in found.labels:
        for name in (found.codes.get(address, ""), short_id(address), address):
            if name and name not in taken:
                ids[address] = name
                taken.add(name)
                break
    return ids
