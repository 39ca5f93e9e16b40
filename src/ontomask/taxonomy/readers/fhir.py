"""FHIR code systems (JSON, R4 and R5): a CodeSystem in a file, in a Bundle, in NDJSON, or in a folder of these.

Ids are the codes. Links are those of nested concepts and those of properties whose URI ends in
``concept-properties#parent`` or ``#child``, whatever their codes are. A property without a URI is known by its code.
Labels are ``display`` and the designations. Concepts that are inactive or retired are kept as withdrawn. Supplements in
the same Bundle or folder add designations and properties.

``hierarchyMeaning`` says what a link means. ``is-a`` and ``classified-with`` (a classification such as ICD) are read. A
hierarchy without a stated meaning is read as is-a, with a note. ``part-of`` and ``grouped-by`` are refused, because a
part is not a kind of its whole: the option ``as_is_a`` reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ontomask.base.text import join_some
from ontomask.errors import ReadError, Wording
from ontomask.taxonomy.readers.fhir_concepts import Concepts
from ontomask.taxonomy.readers.fhir_json import Resource, is_fhir, read_resources
from ontomask.taxonomy.readers.source import check_option, file_title
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
from ontomask.taxonomy.validate import Finding, fail

__all__ = ["can_read", "read"]

_IS_A = ("is-a", "classified-with")
_CONTENTS = ("complete", "fragment", "example", "not-present", "supplement")
_IN_PART = ("fragment", "example")


def can_read(path: Path) -> bool:
    """Whether the path is FHIR in JSON: a file, or a folder with such files."""
    return is_fhir(path)


def read(
    path: Path,
    *,
    system: str | None = None,
    language: str | None = None,
    glosses: bool = False,
    inactive: bool = False,
    as_is_a: bool = False,
) -> Taxonomy:
    """Read a code system.

    Parameters
    ----------
    path
        A file or a folder.
    system
        The code system to read: its ``url``, with or without ``|version``, or its ``id``. Needed if there are several.
    language
        The language of the labels, such as ``de``. Designations in this language come first, then texts without a
        language. Others are used only if a concept has none of these. By default ``display`` comes first, then all
        designations.
    glosses
        Keep definitions.
    inactive
        Read concepts that are inactive or retired as if they were in use, for tables with old codes.
    as_is_a
        Read the hierarchy as is-a, even if it is declared to mean something else.
    """
    check_option(path, "system", system, example="http://loinc.org", optional=True)
    check_option(path, "language", language, example="de", optional=True)
    found = [(resource, _header(resource)) for resource in read_resources(path, "CodeSystem")]
    resource, header = _choose(path, found, system)
    _check_content(resource, header)
    concepts = _concepts(resource, header, language)
    for other, about in found:
        if _is_supplement_of(about, header):
            _add_supplement(concepts, other, about, header)
    return _build(concepts, resource, header, glosses=glosses, inactive=inactive, as_is_a=as_is_a)


def _header(resource: Resource) -> dict[str, Any]:
    """The members before the concepts, or all others if the first ones do not say which code system it is."""
    header: dict[str, Any] = {}
    with resource.checked():
        cursor = resource.cursor()
        for name in cursor.members():
            if name != "concept":
                header[name] = cursor.value()
            elif "url" in header and (header.get("content", "supplement") != "supplement" or "supplements" in header):
                break
    return header


def _choose(path: Path, found: Sequence[tuple[Resource, dict[str, Any]]], system: str | None) -> Any:
    """The code system that the user names, or the only one."""
    named = [(r, h) for r, h in found if system is None or system in _names(h)]
    whole = [(r, h) for r, h in named if h.get("content") != "supplement"] or named
    if len(whole) == 1:
        return whole[0]
    urls = [_canonical(h) if whole else str(h.get("url", "")) for _, h in whole or found]
    problem = f"No code system is {system!r}" if not whole else f"There are {len(whole):,} code systems"
    raise ReadError(
        f"{problem}. Give ",
        Wording("system=", "the option 'system' with"),
        f" one of these: {join_some(dict.fromkeys(urls), 20)}.",
        path=path,
        parameter="system",
        values=urls,
        code="several-systems" if whole else "unknown-system",
    )


def _names(header: Mapping[str, Any]) -> tuple[object, ...]:
    return header.get("url"), _canonical(header), header.get("id")


def _canonical(header: Mapping[str, Any]) -> str:
    """The address of a code system with its version, as other resources refer to it."""
    return "|".join(str(part) for part in (header.get("url"), header.get("version")) if part)


def _check_content(resource: Resource, header: Mapping[str, Any]) -> None:
    """Raise an error if the resource does not contain the concepts of its code system."""
    content = header.get("content", "complete")
    if content not in _CONTENTS:
        raise resource.misshapen(f"'content' must be one of {', '.join(_CONTENTS)}")
    if content == "not-present":
        raise ReadError(
            "The file only describes the code system (content = not-present); its concepts are elsewhere. Get them "
            "from the publisher.",
            path=resource.path,
            line=resource.line(resource.start, "content"),
            code="not-present",
        )
    if content == "supplement":
        raise ReadError(
            f"The file is a supplement, which only adds to the code system {header.get('supplements')!r}. Give a "
            f"folder or a Bundle with both.",
            path=resource.path,
            line=resource.line(resource.start, "content"),
            code="supplement",
            values=[str(header.get("supplements"))],
        )


def _concepts(resource: Resource, header: dict[str, Any], language: str | None) -> Concepts:
    """Decode the concepts one by one. Members behind them are added to the header."""
    known = set(header)
    with resource.checked():
        cursor = resource.cursor()
        concepts = Concepts(resource, header, language)
        for name in cursor.members():
            if name == "concept":
                concepts.take_all(cursor)
            elif name not in known:
                header[name] = cursor.value()
        resource.check_end(cursor)
    # Properties are declared before the concepts. If they are not, a second pass knows them.
    return (
        concepts
        if {"property", "language"}.isdisjoint(header.keys() - known)
        else _concepts(resource, header, language)
    )


def _is_supplement_of(header: Mapping[str, Any], base: Mapping[str, Any]) -> bool:
    target = str(header.get("supplements", "")).partition("|")
    return (
        header.get("content") == "supplement"
        and target[0] == base.get("url")
        and target[2] in ("", base.get("version"))
    )


def _add_supplement(concepts: Concepts, resource: Resource, header: dict[str, Any], base: Mapping[str, Any]) -> None:
    added = _concepts(resource, header, concepts.language)
    unknown = [code for code in added.texts if code not in concepts.texts]
    if unknown and base.get("content") not in _IN_PART:
        fail(
            "T103",
            f"The supplement has codes that the code system does not have: {join_some(unknown)}. Remove them.",
            path=resource.path,
            line=added.line(unknown[0]),
            values=unknown,
        )
    concepts.add(added)


class _Lines(Sequence[int]):
    """The line of each link, found when it is asked for."""

    def __init__(self, concepts: Concepts, links: Sequence[tuple[str, str]]) -> None:
        self._concepts = concepts
        self._links = links

    def __len__(self) -> int:
        return len(self._links)

    def __getitem__(self, index: Any) -> Any:
        return self._concepts.line_of_link(*self._links[index])


def _build(
    concepts: Concepts, resource: Resource, header: Mapping[str, Any], *, glosses: bool, inactive: bool, as_is_a: bool
) -> Taxonomy:
    path = resource.path
    retired = {} if inactive else concepts.retired
    live = dict.fromkeys(code for code in concepts.texts if code not in retired)
    if not live:
        _fail_empty(resource, len(concepts))
    links = concepts.links_between(live)
    notes = list(_notes(concepts, resource, header, links, as_is_a=as_is_a))
    if header.get("content") in _IN_PART:
        known = [(child, parent) for child, parent in links if child in live and parent in live]
        if len(known) < len(links):
            many = "1 is-a link was" if len(links) - len(known) == 1 else f"{len(links) - len(known):,} is-a links were"
            notes.append(Finding("T110", f"{many} left out, because the parent is not in this part of the code system"))
            links = known
    taxonomy = Taxonomy.from_edges(
        links,
        {code: concepts.labels(code) for code in live},
        concepts=list(live),
        annotations=Annotations(
            name=str(header.get("title") or header.get("name") or file_title(path)),
            licence=str(header.get("copyright") or ""),
            aliases=concepts.aliases(live),
            retired={} if inactive else concepts.withdrawn(),
            code_ids=True,
            glosses={code: text for code, text in concepts.glosses.items() if code in live} if glosses else None,
        ),
        path=path,
        lines=_Lines(concepts, links),
    )
    return replace(taxonomy, notes=(*notes, *taxonomy.notes))


def _fail_empty(resource: Resource, withdrawn: int) -> None:
    if not withdrawn:
        fail(
            "T105",
            "The code system lists no concepts, but a taxonomy needs one. Get a file with its concepts.",
            path=resource.path,
        )
    raise ReadError(
        f"All concepts ({withdrawn:,}) are inactive or retired. To read them as if they were in use, give ",
        Wording("inactive=True", "inactive = true"),
        ".",
        path=resource.path,
        code="T105",
        parameter="inactive",
    )


def _notes(
    concepts: Concepts, resource: Resource, header: Mapping[str, Any], links: Sequence[object], *, as_is_a: bool
) -> Iterator[Finding]:
    """What the user should know about this code system. A hierarchy that is not is-a is an error."""
    if header.get("content") in _IN_PART:
        yield Finding("T120", f"The file has only a part of the code system (content = {header['content']})")
    meaning = header.get("hierarchyMeaning")
    if links and meaning != "is-a":
        if meaning is not None and meaning not in _IS_A and not as_is_a:
            raise ReadError(
                f"The hierarchy means {meaning!r} (hierarchyMeaning), not 'is-a'. If every concept is also a kind of "
                f"its parent, or may be replaced by it, give ",
                Wording("as_is_a=True", "as_is_a = true"),
                ".",
                path=resource.path,
                line=resource.line(resource.start, "hierarchyMeaning"),
                code="hierarchy-meaning",
                parameter="as_is_a",
                values=[str(meaning)],
            )
        stated = "does not say what its hierarchy means" if meaning is None else f"has a hierarchy that means {meaning}"
        yield Finding("T121", f"The code system {stated}: it is read as is-a", values=(str(meaning or ""),))
    status = header.get("status", "active")
    if status != "active":
        yield Finding("T122", f"The code system has the status {status!r}", values=(str(status),))
    for code, found, what in (
        ("T123", concepts.deprecated, "deprecated. Tables should no longer use them"),
        ("T124", concepts.grouping, "for grouping only (notSelectable). A masked value may be one of them"),
    ):
        if found:
            many = "1 concept is" if len(found) == 1 else f"{len(found):,} concepts are"
            yield Finding(code, f"{many} {what}: {join_some(found)}", values=tuple(found))
