"""Spellings of words: texts that mean a missing cell, and word stems."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from threading import Lock, local
from typing import Any
from weakref import WeakKeyDictionary

from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.labels import LabelStore, TextIndex, normalise

__all__ = ["find_by_stem", "looks_missing", "stem", "stems"]

# Texts that often mean a missing cell, in several languages, in lower case.
_MISSING = frozenset(
    {"?", "??", ".", "..", "-", "--", "---", "–", "—", "na", "n/a", "#n/a", "<na>", "n.a.", "n.a", "n. a.", "nan"}
    | {"null", "none", "nil", "missing", "unknown", "unspecified", "undefined", "no data", "no answer", "no response"}
    | {"not available", "not applicable", "not known", "not stated", "not specified", "not reported", "not recorded"}
    | {"k.a.", "k. a.", "keine angabe", "keine angaben", "unbekannt", "fehlend", "nicht bekannt", "onbekend"}
    | {"don't know", "dont know", "do not know", "refused", "prefer not to say", "prefer not to answer", "weiß nicht"}
    | {"weiss nicht", "verweigert", "ne sait pas", "no sabe", "ns/nc", "non so", "não sabe", "weet niet"}
    | {"inconnu", "inconnue", "manquant", "non renseigné", "non disponible", "desconocido", "desconocida", "sin dato"}
    | {"sin datos", "no consta", "no disponible", "sconosciuto", "non disponibile", "desconhecido", "sem dados"}
)


def looks_missing(text: str) -> bool:
    """Whether a text often means a missing cell. Only somebody who knows the table can be certain.

    >>> looks_missing("None"), looks_missing("n.a."), looks_missing("nun")
    (True, True, False)
    """
    return " ".join(text.casefold().split()).strip("()[]") in _MISSING


class _Stemmers(local):
    """One stemmer per thread: a stemmer keeps what it has seen."""

    @cached_property
    def porter(self) -> Any:
        import Stemmer

        return Stemmer.Stemmer("porter")


_STEMMERS = _Stemmers()


def stem(text: str) -> str:
    """The stems (Porter 1980) of a text's words, normalised.

    >>> stem("Sports") == stem("sport"), stem("relaxation") == stem("relax")
    (True, True)
    """
    return " ".join(stems(normalise(text).split(" ")))


def stems(words: Iterable[str]) -> list[str]:
    """The stem of each word, which must be in normal form."""
    found: list[str] = _STEMMERS.porter.stemWords(list(words))
    return found


_STEM_INDEX: WeakKeyDictionary[LabelStore, TextIndex] = WeakKeyDictionary()
_BUILDING = Lock()


def find_by_stem(taxonomy: Taxonomy, text: str) -> list[str]:
    """Concepts that have a label with the same stems as ``text``.

    Those that differ only in number come first: *nurses* is *nurse* rather than *nursing*. Then the first sense does.
    """
    store = taxonomy.texts.store
    with _BUILDING:
        index = _STEM_INDEX.get(store)
        if index is None:
            names = store.each_normalised()
            index = _STEM_INDEX[store] = TextIndex(" ".join(stems(name.split(" "))) for name in names)
    wanted = stem(text)
    if not wanted:
        return []
    numbers = _singulars(text)
    hits: dict[int, tuple[bool, int, int]] = {}
    for entry in index.candidates(wanted).tolist():
        code = taxonomy.texts.code_of_entry(entry)
        label = store.entry(entry)
        if code >= 0 and stem(label) == wanted:
            order = (numbers.isdisjoint(_singulars(label)), int(store.rank[entry]), code)
            hits[code] = min(order, hits.get(code, order))
    return [taxonomy.ids[code] for code in sorted(hits, key=hits.__getitem__)]


def _singulars(text: str) -> set[str]:
    """The normal form of a text, and what it may be in the singular, in English."""
    name = normalise(text)
    endings = (("s", ""), ("es", ""), ("ies", "y"))
    return {name} | {name.removesuffix(end) + new for end, new in endings if name.endswith(end)}
