"""WordNet database folders (WNdb: ``data.noun``, ``index.noun``, plain or gzipped), any version; nouns only.

Concepts are synsets. An id is a word, ``n`` and the number of the sense of that word (``dog.n.01``), as NLTK writes it.
The labels are the synset's words. Is-a links are hypernyms and instance hypernyms. The order of a word's senses is that
of the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import data_name, lines
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

_DATA, _INDEX = "data.noun", "index.noun"
_IS_A = ("@", "@i")
_HAS_PART = ("%m", "%s", "%p")
_PART_OF = ("#m", "#s", "#p")
_LICENCE = "WordNet is © Princeton University and may be used, copied and distributed free of charge with this notice."


@dataclass(frozen=True)
class _Synset:
    line: int
    offset: str
    words: list[str]
    keys: list[str]
    parents: list[str]
    wholes: list[str]
    parts: list[str]
    gloss: str


def can_read(path: Path) -> bool:
    """Whether the path is a folder with the noun files, or one of the two files."""
    folder = path if path.is_dir() else path.parent
    try:
        if path.is_file() and data_name(path) not in (_DATA, _INDEX):
            return False
        return _find(folder, _DATA) is not None and _find(folder, _INDEX) is not None
    except OSError:
        return False


def _find(folder: Path, name: str) -> Path | None:
    """A file of the folder. A plain file has priority over a gzipped one."""
    return next((file for file in (folder / name, folder / f"{name}.gz") if file.is_file()), None)


def read(path: Path, *, glosses: bool = False, parts: bool = False) -> Taxonomy:
    """Read the nouns of a WNdb folder, with definitions if ``glosses`` and part-of links if ``parts``."""
    folder = path if path.is_dir() else path.parent
    data, index = _find(folder, _DATA), _find(folder, _INDEX)
    if data is None or index is None:
        missing = folder / (_DATA if data is None else _INDEX)
        raise ReadError(
            "The file is missing. Give a folder with data.noun and index.noun.", path=missing, code="no-file"
        )
    senses = _read_index(index)
    synsets = list(_read_data(data))
    ids = _name(synsets, senses, data)
    counts = _read_counts(folder, synsets, ids)
    return Taxonomy.from_edges(
        # A missing parent is reported by its offset.
        [(ids[s.offset], ids.get(parent, parent)) for s in synsets for parent in s.parents],
        {ids[s.offset]: [word.replace("_", " ") for word in s.words] for s in synsets},
        concepts=[ids[s.offset] for s in synsets],
        ranks={ids[s.offset]: [senses.get(word.lower(), {}).get(s.offset, 999) for word in s.words] for s in synsets},
        annotations=Annotations(
            name="WordNet nouns",
            licence=_LICENCE,
            aliases={"synset offset": {f"{s.offset}-n": (ids[s.offset],) for s in synsets}},
            glosses={ids[s.offset]: s.gloss for s in synsets} if glosses else None,
            parts=_parts(synsets, ids, data) if parts else None,
            counts=counts,
        ),
        path=data,
        lines=[s.line for s in synsets for _ in s.parents],
    )


def _read_index(path: Path) -> dict[str, dict[str, int]]:
    """For each lemma its synsets with the sense number, from 1."""
    senses: dict[str, dict[str, int]] = {}
    for number, text in lines(path):
        if text.startswith(" "):
            continue
        try:
            lemma, _, synset_count, rest = text.split(" ", 3)
            offsets = rest.split()[-int(synset_count) :]
        except ValueError:
            raise ReadError(
                "This is not a line of a WordNet index. Use the file as it was published.",
                path=path,
                line=number,
                code="not-a-line",
            ) from None
        senses[lemma] = {offset: rank for rank, offset in enumerate(offsets, start=1)}
    return senses


def _read_data(path: Path) -> Iterator[_Synset]:
    for number, text in lines(path):
        if text.startswith(" "):
            continue
        head, _, gloss = text.partition(" | ")
        fields = head.split()
        try:
            offset, lexfile, kind, width = fields[0], fields[1], fields[2], int(fields[3], 16)
            words, lex_ids = fields[4 : 4 + 2 * width : 2], fields[5 : 5 + 2 * width : 2]
            links = fields[5 + 2 * width :]
            if kind != "n" or not words or len(links) != 4 * int(fields[4 + 2 * width]):
                raise ValueError
            keys = [f"{w.lower()}%1:{lexfile}:{int(x, 16):02d}::" for w, x in zip(words, lex_ids, strict=True)]
        except (ValueError, IndexError):
            raise ReadError(
                "This is not a noun of a WordNet data file. Use the file as it was published.",
                path=path,
                line=number,
                code="not-a-line",
            ) from None
        targets: dict[str, list[str]] = {}
        for symbol, target in zip(links[0::4], links[1::4], strict=True):
            targets.setdefault(symbol, []).append(target)
        yield _Synset(
            number,
            offset,
            words,
            keys,
            [t for symbol in _IS_A for t in targets.get(symbol, ())],
            [t for symbol in _PART_OF for t in targets.get(symbol, ())],
            [t for symbol in _HAS_PART for t in targets.get(symbol, ())],
            gloss.strip(),
        )


def _name(synsets: list[_Synset], senses: dict[str, dict[str, int]], path: Path) -> dict[str, str]:
    """Readable ids: the first word with its sense number."""
    ids: dict[str, str] = {}
    for s in synsets:
        lemma = s.words[0].lower()
        rank = senses.get(lemma, {}).get(s.offset)
        if rank is None:
            raise ReadError(
                f"The index has no sense of {lemma!r} with synset {s.offset}. Use data.noun and index.noun of the same "
                f"version.",
                path=path,
                line=s.line,
                values=[lemma],
                code="no-sense",
            )
        ids[s.offset] = f"{lemma}.n.{rank:02d}"
    return ids


def _parts(synsets: list[_Synset], ids: dict[str, str], path: Path) -> dict[str, tuple[str, ...]]:
    """The parts of each whole. The part, the whole or both may state a link."""
    found: dict[str, dict[str, None]] = {}
    for s in synsets:
        for whole, part in (*((s.offset, part) for part in s.parts), *((whole, s.offset) for whole in s.wholes)):
            if whole not in ids or part not in ids:
                fail(
                    "T103",
                    f"The part-of link {part!r} → {whole!r} has a synset that is not in the file. Get a complete copy, "
                    f"or read the file without parts.",
                    path=path,
                    line=s.line,
                    values=[part, whole],
                )
            found.setdefault(ids[whole], {}).setdefault(ids[part])
    return {whole: tuple(parts) for whole, parts in found.items()}


def _read_counts(folder: Path, synsets: list[_Synset], ids: dict[str, str]) -> dict[str, int] | None:
    """How often each synset was tagged in WordNet's corpora, from ``cntlist.rev`` if it exists."""
    file = _find(folder, "cntlist.rev")
    if file is None:
        return None
    owner = {key: s.offset for s in synsets for key in s.keys}
    counts: dict[str, int] = {}
    for number, text in lines(file):
        try:
            key, _, count = text.split(" ")
            if key in owner:
                concept = ids[owner[key]]
                counts[concept] = counts.get(concept, 0) + int(count)
        except ValueError:
            raise ReadError(
                "This is not a line of WordNet's sense counts. Use the file as it was published.",
                path=file,
                line=number,
                code="not-a-line",
            ) from None
    return counts
