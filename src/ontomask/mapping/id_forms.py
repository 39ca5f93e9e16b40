"""Ids in the forms that people write them: ``HP_0004962``, ``hp:0002067``, ``0002067``, an address, a withdrawn id.

Each form is a rule of its own in the mapping report. A form that could mean two concepts is not used. Nothing is
guessed about the digits: a code with a wrong or missing digit is another code, and at most a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import TypeVar
from weakref import WeakKeyDictionary

from ontomask.taxonomy import Taxonomy

__all__ = ["REPLACED", "find_by_form", "find_replacement", "near_codes", "written_id"]

REPLACED = "replaced id"
"""The rule for a withdrawn id whose source names the concept that takes its place."""

# A prefix, a separator and a local part with digits: HP:0004962, MONDO:0005015, NCIT:C3262.
_CURIE = re.compile(r"([A-Za-z][A-Za-z0-9.]*)[:_]([A-Za-z]{0,3}\d+)")
_DIGIT = re.compile(r"\d")
_SEPARATORS = ":_-. "
Key = TypeVar("Key", bound=Hashable)
_LEAST_DIGITS = 4
_LOOK_ALIKE = str.maketrans("OoIlS", "00115")
# A code that is nearly right may still be another one, so nobody should accept it unseen.
_PART, _ZEROS, _LETTERS = 0.6, 0.7, 0.7


class _Forms:
    """The ids of a taxonomy, its alternative and its withdrawn ids, by simpler forms of them."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        about = taxonomy.annotations
        each = [*taxonomy.ids, *about.aliases.get("alternative id", {}), *about.retired]
        curies = [(m[1].casefold(), m[2].casefold(), text) for text in each if (m := _CURIE.fullmatch(text))]
        self._by_parts = _unique(((prefix, local), text) for prefix, local, text in curies)
        self._prefixes = {prefix for prefix, _ in self._by_parts}
        self._longest = max(map(len, self._prefixes), default=0)
        self._by_local = _unique((local, text) for _, local, text in curies if len(local) >= _LEAST_DIGITS)
        self.widths = sorted({len(local) for local in self._by_local})
        self._by_case = _unique((text.casefold(), text) for text in each if _DIGIT.search(text))

    def find(self, text: str) -> tuple[str, str] | None:
        """The id that a text is a form of, and the rule."""
        folded = text.casefold().strip()
        if folded in self._by_case:
            return self._by_case[folded], "id in another case"
        # A10 BA02 is one code, 250 401 may be two.
        joined = "".join(folded.split())
        if folded[:1].isalpha() and joined in self._by_case:
            return self._by_case[joined], "id with another separator"
        is_address = "://" in folded
        tail = re.split("[/#]", folded.rstrip("/#"))[-1] if is_address else folded
        for end in range(min(self._longest, len(tail)), 0, -1):
            if tail[:end] in self._prefixes:
                found = self._by_parts.get((tail[:end], tail[end:].strip(_SEPARATORS)))
                if found is not None:
                    return found, "id as an address" if is_address else "id with another separator"
        if not is_address and folded in self._by_local:
            return self._by_local[folded], "id without prefix"
        return None


def _unique(pairs: Iterable[tuple[Key, str]]) -> dict[Key, str]:
    """The text of each key that has one only."""
    texts: dict[Key, str | None] = {}
    for key, text in pairs:
        if texts.setdefault(key, text) != text:
            texts[key] = None
    return {key: text for key, text in texts.items() if text is not None}


_FORMS: WeakKeyDictionary[Taxonomy, _Forms] = WeakKeyDictionary()


def _forms(taxonomy: Taxonomy) -> _Forms:
    whole = taxonomy.whole or taxonomy
    if whole not in _FORMS:
        _FORMS[whole] = _Forms(whole)
    return _FORMS[whole]


def written_id(taxonomy: Taxonomy, text: str) -> str:
    """The id, also an alternative or withdrawn one, that is written in another form in ``text``; empty if none is."""
    found = _forms(taxonomy).find(text) if _DIGIT.search(text) else None
    return found[0] if found else ""


def find_by_form(taxonomy: Taxonomy, text: str) -> dict[str, str]:
    """The concept whose id is written in another form in ``text``, with the rule; empty if there is none.

    >>> t = Taxonomy.from_edges([("HP:0000002", "HP:0000001")])
    >>> find_by_form(t, "hp_0000002"), find_by_form(t, "0000002"), find_by_form(t, "2")
    ({'HP:0000002': 'id with another separator'}, {'HP:0000002': 'id without prefix'}, {})
    """
    if not _DIGIT.search(text):
        return {}
    found = _forms(taxonomy).find(text)
    if found is None:
        return {}
    name, rule = found
    if name in taxonomy:
        return {name: rule}
    alias = taxonomy.find_alias(name)
    return dict.fromkeys(alias[1], rule) if alias else find_replacement(taxonomy, name)


def find_replacement(taxonomy: Taxonomy, text: str) -> dict[str, str]:
    """The concept that takes the place of a withdrawn id, if the source says that it does."""
    seen = {text}
    while True:
        retired = taxonomy.annotations.retired.get(text)
        if retired is None or not retired.replaced_by:
            return {}
        text = retired.replaced_by
        if text in taxonomy:
            return {text: REPLACED}
        alias = taxonomy.find_alias(text)
        if alias:
            return dict.fromkeys(alias[1], REPLACED)
        if text in seen:
            return {}
        seen.add(text)


def near_codes(taxonomy: Taxonomy, text: str) -> dict[str, float]:
    """Concepts that a code may mean, with scores: a wider code, lost zeros, letters that look like digits."""
    if not _DIGIT.search(text) or " " in text.strip():
        return {}
    found: dict[str, float] = {}

    def add(code: str, score: float) -> bool:
        alias = taxonomy.find_alias(code)
        for concept in [code] if code in taxonomy else alias[1][:1] if alias else []:
            found.setdefault(concept, score)
        return bool(found)

    digits = text.translate(_LOOK_ALIKE)
    if digits != text:
        add(digits, _LETTERS)
        found.update(dict.fromkeys(find_by_form(taxonomy, digits), _LETTERS))
    parts = _CURIE.fullmatch(text.strip())
    prefix, local = (f"{parts[1]}:", parts[2]) if parts else ("", text)
    # HP:2067 has lost its zeros. HP:000206 has not: it may lack any digit.
    if local.isdecimal() and not (prefix and local.startswith("0")):
        for width in _forms(taxonomy).widths:
            if width > len(local):
                found.update(dict.fromkeys(find_by_form(taxonomy, prefix + local.zfill(width)), _ZEROS))
    # The beginning of a code with a prefix, such as HP:000496, means nothing.
    for end in range(len(text) - 1, 2, -1) if not _CURIE.fullmatch(text) else ():
        if text[end - 1].isalnum() and add(text[:end], _PART):
            break
    return found
