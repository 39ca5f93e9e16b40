"""The concepts of a FHIR CodeSystem as they are decoded: labels, links and what their properties say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ontomask.taxonomy.readers.fhir_json import Cursor, Resource
from ontomask.taxonomy.taxonomy import Retired
from ontomask.taxonomy.validate import fail

__all__ = ["Concepts", "property_roles", "property_value"]

_STANDARD = "concept-properties#"
_ROLES = (
    "parent",
    "child",
    "inactive",
    "status",
    "notSelectable",
    "synonym",
    "deprecated",
    "deprecationDate",
    "retirementDate",
)
_WITHDRAWN = ("retired", "inactive")
_REPLACED_BY = "codesystem-replacedby"


def property_roles(header: Mapping[str, Any]) -> dict[str, str]:
    """The standard property that each property code stands for: by its URI or, without one, by the code itself.

    >>> uri = "http://hl7.org/fhir/concept-properties#parent"
    >>> property_roles({"property": [{"code": "subsumedBy", "uri": uri}, {"code": "status", "uri": "http://x"}]})["subsumedBy"]
    'parent'
    """
    roles = {role: role for role in _ROLES}
    for declared in header.get("property") or ():
        uri = declared.get("uri")
        if uri:
            standard = uri.partition(_STANDARD)[2]
            roles.pop(declared["code"], None)
            if standard in _ROLES:
                roles[declared["code"]] = standard
    return roles


def property_value(given: Mapping[str, Any]) -> Any:
    """The value of a property, whatever its type. That of a Coding is its code."""
    value = given.get("valueCode")
    if value is None:
        value = next((value for name, value in given.items() if name.startswith("value")), None)
    return value.get("code") if isinstance(value, dict) else value


class Concepts:
    """The concepts of a code system, in the order of the file.

    Attributes
    ----------
    texts, languages
        The texts of each concept, and the language of each text, which may be empty. Languages are kept only if the
        user asks for one.
    links
        Pairs (child, parent), each once.
    retired
        Concepts that are no longer in use, with the reason.
    deprecated, grouping
        Concepts that should no longer be used, and those that only group others.
    """

    def __init__(self, resource: Resource, header: Mapping[str, Any], language: str | None) -> None:
        self.resource = resource
        self.language = language
        self.texts: dict[str, list[str]] = {}
        self.languages: dict[str, list[str]] = {}
        self.links: dict[tuple[str, str], None] = {}
        self.retired: dict[str, str] = {}
        self.deprecated: dict[str, None] = {}
        self.grouping: dict[str, None] = {}
        self.glosses: dict[str, str] = {}
        self._synonyms: dict[str, dict[str, None]] = {}
        self._replacements: dict[str, list[str]] = {}
        self._own_language = str(header.get("language") or "")
        try:
            self._roles = property_roles(header)
        except (AttributeError, KeyError, TypeError) as problem:
            raise resource.misshapen(f"'property' has a wrong element ({problem})") from None

    def __len__(self) -> int:
        return len(self.texts)

    def take_all(self, cursor: Cursor) -> None:
        """Decode the concepts at the cursor, one after the other."""
        for start in cursor.elements():
            stack: list[tuple[Any, str | None]] = [(cursor.value(), None)]
            try:
                while stack:
                    concept, parent = stack.pop()
                    code = self._take(concept, parent)
                    nested = concept.get("concept")
                    if nested:
                        stack.extend((child, code) for child in reversed(nested))
            except (AttributeError, KeyError, TypeError) as problem:
                raise self.resource.misshapen(f"a concept is wrong ({problem})", start) from None

    def _take(self, concept: Any, parent: str | None) -> str:
        code: str = concept["code"]
        if not isinstance(code, str) or not code.strip():
            raise TypeError("'code' must be a non-empty text")
        if code in self.texts:
            fail(
                "T104",
                f"The code {code!r} is declared twice. Remove one of the concepts, or give it several parents by "
                f"properties.",
                path=self.resource.path,
                line=self.line(code, occurrence=2),
                values=[code],
            )
        texts = self.texts[code] = [_text(concept["display"])] if "display" in concept else []
        named = concept.get("designation") or ()
        if self.language is not None:
            self.languages[code] = [self._own_language] * len(texts) + [_text(d.get("language") or "") for d in named]
        texts.extend([_text(d["value"]) for d in named])
        if "definition" in concept:
            self.glosses[code] = _text(concept["definition"])
        if parent is not None:
            self.links[code, parent] = None
        for given in concept.get("property") or ():
            role = self._roles.get(given["code"])
            if role == "parent":
                self.links[code, _text(property_value(given))] = None
            elif role is not None:
                self._take_property(code, role, property_value(given))
        for extension in concept.get("extension") or ():
            if str(extension.get("url")).endswith(_REPLACED_BY):
                self._replacements.setdefault(code, []).append(_text(property_value(extension)))
        return code

    def _take_property(self, code: str, role: str, value: Any) -> None:
        if role == "child":
            self.links[_text(value), code] = None
        elif role == "synonym":
            self._synonyms.setdefault(_text(value), {})[code] = None
        elif role == "status":
            if value in _WITHDRAWN:
                self.retired[code] = value
            elif value == "deprecated":
                self.deprecated[code] = None
        elif value in (True, "true") or role.endswith("Date") or role == "deprecated":
            # Dates mean that it happened. 'deprecated' is a date in R4.
            if role == "notSelectable":
                self.grouping[code] = None
            elif role in ("inactive", "retirementDate"):
                self.retired.setdefault(code, "retired" if role == "retirementDate" else "inactive")
            elif value not in (False, "false"):
                self.deprecated[code] = None

    def add(self, supplement: Concepts) -> None:
        """Add what a supplement says about these concepts."""
        for code in supplement.texts.keys() & self.texts.keys():
            self.texts[code] += supplement.texts[code]
            if self.language is not None:
                self.languages[code] += supplement.languages[code]
        self.links |= {link: None for link in supplement.links if link[0] in self.texts}
        self.retired |= {code: reason for code, reason in supplement.retired.items() if code in self.texts}
        self.deprecated |= {code: None for code in supplement.deprecated if code in self.texts}
        self.grouping |= {code: None for code in supplement.grouping if code in self.texts}

    def labels(self, code: str) -> list[str]:
        """The labels of a concept in the language that was asked for, preferred first."""
        texts = self.texts[code]
        if self.language is not None:
            wanted = self.language.lower()
            spoken = [(language.lower(), text) for language, text in zip(self.languages[code], texts, strict=True)]
            matching = [text for language, text in spoken if language == wanted or language.startswith(f"{wanted}-")]
            texts = [*matching, *(text for language, text in spoken if not language)] or texts
        return [label for text in texts if (label := " ".join(text.split()))]

    def links_between(self, live: Collection[str]) -> list[tuple[str, str]]:
        """The links of the concepts in use, each once."""
        return list(self.links if len(live) == len(self.texts) else dict.fromkeys(self._links_over_gaps(live)))

    def _links_over_gaps(self, live: Collection[str]) -> Iterator[tuple[str, str]]:
        """A withdrawn parent is replaced by its own parents, since is-a is transitive."""
        gone = self.texts.keys() - live
        above: dict[str, list[str]] = {}
        for child, parent in self.links:
            if child in gone:
                above.setdefault(child, []).append(parent)
        for child, parent in self.links:
            queue, seen = [parent], {child}
            for one in queue if child not in gone else ():
                if one in seen:
                    continue
                seen.add(one)
                if one in gone:
                    queue.extend(above.get(one, ()))
                else:
                    yield child, one

    def aliases(self, live: Collection[str]) -> dict[str, dict[str, tuple[str, ...]]]:
        """Alternative codes that are not concepts themselves."""
        found = {
            alias: tuple(code for code in codes if code in live)
            for alias, codes in self._synonyms.items()
            if alias not in live
        }
        found = {alias: codes for alias, codes in found.items() if codes}
        return {"alternative id": found} if found else {}

    def withdrawn(self) -> dict[str, Retired]:
        """The concepts that are no longer in use, with their replacements."""
        return {code: Retired(why, tuple(self._replacements.get(code, ()))) for code, why in self.retired.items()}

    def line(self, code: str, occurrence: int = 1) -> int:
        """The line of a concept's code."""
        return self.resource.line(self._position(code, occurrence), "code")

    def line_of_link(self, child: str, parent: str) -> int:
        """The line of the property that states a link, or of the child if it is nested."""
        for owner, role, other in ((child, "parent", parent), (parent, "child", child)):
            at = self._position(owner)
            for number, given in enumerate(self.resource.cursor(at).value().get("property") or ()):
                if self._roles.get(given["code"]) == role and property_value(given) == other:
                    return self.resource.line(at, "property", number)
        return self.line(child)

    def _position(self, code: str, occurrence: int = 1) -> int:
        """The position of a concept; of the whole resource if it is not there."""
        cursor = self.resource.cursor()
        found = sorted(at for name in cursor.members() if name == "concept" for one, at in _walk(cursor) if one == code)
        return found[occurrence - 1] if len(found) >= occurrence else self.resource.start


def _walk(cursor: Cursor) -> Iterable[tuple[str, int]]:
    """The code and the position of each concept."""
    for start in cursor.elements():
        code = ""
        for name in cursor.members():
            if name == "code":
                code = cursor.value()
            elif name == "concept":
                yield from _walk(cursor)
        yield code, start


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text was expected, not {type(value).__name__}")
    return value
