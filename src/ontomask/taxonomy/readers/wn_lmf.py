"""Wordnets in WN-LMF, the XML of the Global WordNet Association: Open English WordNet and those of other languages.

Concepts are the synsets of one part of speech, by default nouns. Ids are those of the file. Labels are the words, in
the order of the synset's ``members``. Is-a links are hypernyms and instance hypernyms, also those stated as hyponyms.
The order of a word's senses is that of its entry, or ``n`` if the senses have it. Aliases are the interlingual id
(``i35545``) and the word with its sense (``dog.n.01``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ontomask.base.text import join_some
from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import check_option, head
from ontomask.taxonomy.readers.xml_stream import XmlReader
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

_UP = ("hypernym", "instance_hypernym")
_DOWN = ("hyponym", "instance_hyponym")
_PART = ("mero_part", "mero_member", "mero_substance", "mero_location", "mero_portion", "meronym")
_WHOLE = tuple(name.replace("mero", "holo") for name in _PART)
_RELATIONS = frozenset((*_UP, *_DOWN, *_PART, *_WHOLE))


def can_read(path: Path) -> bool:
    """Whether the file is XML with the root element ``LexicalResource``."""
    return "<LexicalResource" in head(path)


def read(
    path: Path, *, lexicon: str | None = None, pos: str = "n", glosses: bool = False, parts: bool = False
) -> Taxonomy:
    """Read one part of speech of a wordnet.

    Parameters
    ----------
    lexicon
        The id of the lexicon, such as ``oewn``. Required if the file has several.
    pos
        The part of speech: ``n`` (nouns) or ``v`` (verbs). Others have no hypernyms.
    glosses, parts
        Keep definitions, and part-of links.
    """
    check_option(path, "lexicon", lexicon, example="oewn", optional=True)
    check_option(path, "pos", pos, example="n")
    found = _Wordnet(path, lexicon, pos)
    found.run()
    _check(found, lexicon, pos)
    links = _links(found)
    labels, ranks, named = _names(found, pos)
    return Taxonomy.from_edges(
        list(links),
        labels,
        concepts=list(found.synsets),
        ranks=ranks,
        annotations=Annotations(
            name=found.name or "wordnet",
            licence=found.licence,
            aliases={
                "interlingual id": {s.ili: (key,) for key, s in found.synsets.items() if s.ili},
                "sense": {name: tuple(keys) for name, keys in named.items()},
            },
            glosses={key: s.gloss for key, s in found.synsets.items() if s.gloss} if glosses else None,
            parts=_parts(found) if parts else None,
            counts={key: count for key, count in found.counts.items() if key in found.synsets} or None,
        ),
        path=path,
        lines=list(links.values()),
    )


@dataclass
class _Synset:
    line: int
    members: str
    ili: str
    gloss: str = ""
    relations: list[tuple[str, str, int]] = field(default_factory=list)


@dataclass(frozen=True)
class _Sense:
    entry: str
    id: str
    word: str
    rank: int


class _Wordnet(XmlReader):
    """The synsets of one part of speech and the senses of their words."""

    def __init__(self, path: Path, lexicon: str | None, pos: str) -> None:
        super().__init__(path)
        self.lexicons: list[str] = []
        self.name = self.licence = ""
        self.requires: list[str] = []
        self.synsets: dict[str, _Synset] = {}
        self.senses: dict[str, list[_Sense]] = {}
        self.counts: dict[str, int] = {}
        self._lexicon, self._pos = lexicon, pos
        self._is_read = False
        self._entry = self._word = self._counted = ""
        self._count = 0
        self._synset: _Synset | None = None
        self._text: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Lexicon":
            self._begin(attributes)
        elif not self._is_read:
            return
        elif name == "LexicalEntry":
            self._entry, self._word, self._count = attributes.get("id", ""), "", 0
        elif name == "Lemma":
            is_wanted = attributes.get("partOfSpeech") == self._pos
            self._word = self.required(name, attributes, "writtenForm") if is_wanted else ""
        elif name == "Sense":
            if self._word:
                self._add_sense(attributes)
        elif name == "Count":
            self._text = []
            self.collect(self._text)
        elif name == "Synset":
            if attributes.get("partOfSpeech", self._pos) == self._pos:
                self._add_synset(attributes)
        elif self._synset is None:
            if name == "Requires":
                self.requires.append(attributes.get("ref") or attributes.get("id", ""))
        elif name == "SynsetRelation":
            kind = attributes.get("relType", "")
            if kind in _RELATIONS:
                self._synset.relations.append((kind, self.required(name, attributes, "target"), self.line))
        elif name == "Definition":
            self._text = []
            self.collect(self._text)

    def _begin(self, attributes: dict[str, str]) -> None:
        """A lexicon begins. It is read if it is the chosen one, or the first."""
        key = self.required("Lexicon", attributes, "id")
        self._is_read = key == self._lexicon if self._lexicon else not self.lexicons
        self.lexicons.append(key)
        if self._is_read:
            self.name = f"{attributes.get('label', key)} {attributes.get('version', '')}".strip()
            self.licence = attributes.get("license", "")

    def _add_sense(self, attributes: dict[str, str]) -> None:
        self._count += 1
        given = attributes.get("n", "")
        rank = int(given) if given.isdecimal() and len(given) < 6 else self._count
        sense = _Sense(self._entry, attributes.get("id", ""), self._word, rank)
        self._counted = self.required("Sense", attributes, "synset")
        self.senses.setdefault(self._counted, []).append(sense)

    def _add_synset(self, attributes: dict[str, str]) -> None:
        key = self.required("Synset", attributes, "id")
        ili = attributes.get("ili", "")
        synset = _Synset(self.line, attributes.get("members", ""), "" if ili == "in" else ili)
        if self.synsets.setdefault(key, synset) is not synset:
            message = f"The synset {key!r} is declared twice. Remove one of them."
            fail("T104", message, path=self.path, line=self.line, values=[key])
        self._synset = synset

    def end(self, name: str) -> None:
        if name == "Count" and self._is_read:
            self.collect(None)
            count = "".join(self._text).strip()
            if self._word and self._counted and count.isdecimal() and len(count) < 16:
                self.counts[self._counted] = self.counts.get(self._counted, 0) + int(count)
        elif name == "Definition" and self._synset is not None:
            self.collect(None)
            self._synset.gloss = self._synset.gloss or " ".join("".join(self._text).split())
        elif name == "Synset":
            self._synset = None
        elif name in ("Lexicon", "LexiconExtension"):
            self._is_read = False


def _check(found: _Wordnet, lexicon: str | None, pos: str) -> None:
    if not found.lexicons or (lexicon is not None and lexicon not in found.lexicons):
        have = f"Choose one of: {join_some(found.lexicons)}." if found.lexicons else "The file has none."
        asked = f"There is no lexicon {lexicon!r}." if lexicon else "There is no lexicon."
        raise ReadError(f"{asked} {have}", path=found.path, parameter="lexicon", code="T105")
    if lexicon is None and len(found.lexicons) > 1:
        raise ReadError(
            f"The file has several lexicons. Choose one with lexicon=: {join_some(found.lexicons)}.",
            path=found.path,
            parameter="lexicon",
        )
    if not found.synsets:
        raise ReadError(
            f"The lexicon has no synsets with the part of speech {pos!r}. Choose another pos=, such as 'n'.",
            path=found.path,
            parameter="pos",
            code="T105",
        )
    if found.requires and not any(kind in (*_UP, *_DOWN) for s in found.synsets.values() for kind, *_ in s.relations):
        raise ReadError(
            f"The lexicon has no hypernyms of its own: they are those of {join_some(found.requires)}. Read that one.",
            path=found.path,
            code="no-links",
        )


def _links(found: _Wordnet) -> dict[tuple[str, str], int]:
    """Child, parent and line. A link that both synsets state counts once."""
    links: dict[tuple[str, str], int] = {}
    for key, synset in found.synsets.items():
        for kind, target, line in synset.relations:
            if kind in _UP:
                links.setdefault((key, target), line)
            elif kind in _DOWN:
                links.setdefault((target, key), line)
    return links


def _names(found: _Wordnet, pos: str) -> tuple[dict[str, list[str]], dict[str, list[int]], dict[str, list[str]]]:
    """The words of each synset, their ranks, and the synsets by the name of their first word and its sense."""
    labels: dict[str, list[str]] = {}
    ranks: dict[str, list[int]] = {}
    named: dict[str, list[str]] = {}
    for key, synset in found.synsets.items():
        senses = found.senses.get(key, [])
        if synset.members and len(senses) > 1:
            # A member is an entry or a sense.
            place = {member: i for i, member in enumerate(synset.members.split())}
            senses.sort(key=lambda s: min(place.get(s.entry, len(place)), place.get(s.id, len(place))))
        words: dict[str, int] = {}
        for sense in senses:
            words[sense.word] = min(sense.rank, words.get(sense.word, sense.rank))
        if words:
            labels[key], ranks[key] = list(words), list(words.values())
            first = senses[0]
            named.setdefault(f"{first.word.lower().replace(' ', '_')}.{pos}.{first.rank:02d}", []).append(key)
    return labels, ranks, named


def _parts(found: _Wordnet) -> dict[str, tuple[str, ...]]:
    """The parts of each whole. Either of them, or both, may state the link."""
    table: dict[str, dict[str, None]] = {}
    for key, synset in found.synsets.items():
        for kind, target, _ in synset.relations:
            if kind in (*_PART, *_WHOLE) and target in found.synsets:
                whole, part = (key, target) if kind in _PART else (target, key)
                table.setdefault(whole, {}).setdefault(part)
    return {whole: tuple(parts) for whole, parts in table.items()}
