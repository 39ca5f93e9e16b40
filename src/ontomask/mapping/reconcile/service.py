"""The answers of a reconciliation service (W3C Reconciliation Service API 0.2), as plain data.

An entity is a concept of the ontology. A type is a concept too: it restricts candidates to what is below it. The types
of a candidate are its parents.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ontomask.mapping.reconcile.candidates import Candidate, Candidates
from ontomask.taxonomy import Taxonomy

__all__ = ["BadRequestError", "ReconciliationService"]

_MOST_QUERIES, _MOST_IDS, _MOST_GIVEN, _LONGEST = 500, 5000, 50, 2000
_MOST, _USUAL = 50, 5
_PROPERTIES = {
    "label": "preferred label",
    "labels": "all labels",
    "parents": "parents",
    "children": "children",
    "ancestors": "all concepts above",
    "depth": "depth",
    "definition": "definition",
    "codes": "other codes",
}


class BadRequestError(Exception):
    """A request that the service does not understand. The message says why and quotes nothing of it."""


class ReconciliationService:
    """A taxonomy as a reconciliation service.

    >>> t = Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> service = ReconciliationService(t, "http://127.0.0.1:8000")
    >>> service.reconcile({"q0": {"query": "Ache"}})["q0"]["result"][0]["match"]
    True
    """

    def __init__(self, taxonomy: Taxonomy, address: str) -> None:
        self._taxonomy = taxonomy
        self._address = address
        self._candidates = Candidates(taxonomy)
        self._fixed = lru_cache(maxsize=100_000)(self._describe)
        self._codes: dict[str, list[str]] = {}
        for table in taxonomy.annotations.aliases.values():
            for code, concepts in table.items():
                for concept in concepts:
                    self._codes.setdefault(concept, []).append(code)

    def manifest(self) -> dict[str, Any]:
        """What the service offers."""
        taxonomy, address = self._taxonomy, self._address
        name = taxonomy.annotations.name or "ontology"

        def part(path: str) -> dict[str, str]:
            return {"service_url": address, "service_path": path}

        return {
            "versions": ["0.2"],
            "name": f"{name} (ontomask)",
            "identifierSpace": f"{address}/concepts/",
            "schemaSpace": f"{address}/concepts/",
            "defaultTypes": [self._named(c) for c in (taxonomy.root, *taxonomy.children(taxonomy.root)[:20])],
            "view": {"url": f"{address}/view?id={{{{id}}}}"},
            "preview": {"url": f"{address}/preview?id={{{{id}}}}", "width": 420, "height": 260},
            "suggest": {
                "entity": {**part("/suggest/entity"), "flyout_service_url": address,
                           "flyout_service_path": "/flyout?id=${id}"},
                "property": part("/suggest/property"),
                "type": part("/suggest/type"),
            },
            "extend": {"propose_properties": part("/properties"), "property_settings": []},
        }  # fmt: skip

    # Queries

    def answer(self, queries: str) -> str:
        """The answer to a batch of queries, both as JSON."""
        return json.dumps(self.reconcile(parse(queries)), ensure_ascii=False, separators=(",", ":"))

    def reconcile(self, queries: Any) -> dict[str, Any]:
        """The candidates of each query of a batch."""
        if not isinstance(queries, dict) or not all(isinstance(query, dict) for query in queries.values()):
            raise BadRequestError("'queries' must be a JSON object of queries.")
        if len(queries) > _MOST_QUERIES:
            raise BadRequestError(f"A batch has at most {_MOST_QUERIES:,} queries.")
        # Queries with the same types and limit are searched together.
        groups: dict[tuple[tuple[str, ...], str, int], list[tuple[str, str, list[dict[str, Any]]]]] = {}
        for name, query in queries.items():
            key = (_types(query), _strict(query), _limit(query.get("limit")))
            groups.setdefault(key, []).append((name, _text(query), _given(query)))
        found: dict[str, Any] = {}
        for (types, strict, limit), members in groups.items():
            texts = [text for _, text, _ in members]
            searched = self._search(texts, types, strict, limit)
            for (name, _, properties), candidates in zip(members, searched, strict=True):
                found[name] = {"result": [self._result(c, properties) for c in self._refine(candidates, properties)]}
        return {name: found[name] for name in queries}

    def _search(self, texts: Sequence[str], types: tuple[str, ...], strict: str, limit: int) -> list[list[Candidate]]:
        if not types or strict == "any" or (strict == "all" and len(types) == 1):
            return self._candidates.find(texts, types, limit)
        is_below = self._candidates.is_below
        known = [t for t in types if t in self._taxonomy]
        found = self._candidates.find(texts, (), 5 * limit)
        if strict == "all":
            kept = [[c for c in one if all(is_below(c.concept, t) for t in known)] for one in found]
            return [one[:limit] if len(known) == len(types) else [] for one in kept]
        return [sorted(one, key=lambda c: -any(is_below(c.concept, t) for t in known))[:limit] for one in found]

    def _refine(self, candidates: list[Candidate], properties: Collection[Mapping[str, Any]]) -> list[Candidate]:
        """Put candidates first that have more of the properties of the query."""
        if not properties:
            return candidates
        return sorted(candidates, key=lambda c: -sum(self._has(c.concept, one) for one in properties))

    def _has(self, concept: str, given: Mapping[str, Any]) -> bool:
        """Whether a concept has the value of a property: a concept above it, one of its parents, a label, …"""
        values = given.get("v")
        wanted = {
            str(v.get("id", "")) if isinstance(v, dict) else str(v)
            for v in (values if isinstance(values, list) else [values])
        }
        own = self._values(concept, given["pid"])
        texts = {str(text) for value in own for text in value.values()}
        return bool(wanted & texts)

    def _result(self, candidate: Candidate, properties: Collection[Mapping[str, Any]]) -> dict[str, Any]:
        result = {**self._fixed(candidate.concept), "score": candidate.score, "match": candidate.match}
        if properties:
            features = [{"id": p["pid"], "value": self._has(candidate.concept, p)} for p in properties]
            result["features"] = features
        return result

    def _describe(self, concept: str) -> dict[str, Any]:
        """What every answer says about a concept."""
        taxonomy = self._taxonomy
        parents = taxonomy.parents(concept)[:3]
        gloss = (taxonomy.annotations.glosses or {}).get(concept, "")
        above = ", ".join(map(taxonomy.label, parents))
        return {
            **self._named(concept),
            "description": gloss or (f"a kind of {above}" if above else "the root"),
            "type": [self._named(parent) for parent in parents] or [self._named(concept)],
        }

    def _named(self, concept: str) -> dict[str, str]:
        return {"id": concept, "name": self._taxonomy.label(concept)}

    # Suggest and preview

    def suggest_entities(self, prefix: str, limit: object = None) -> dict[str, Any]:
        """Concepts for what somebody has typed so far."""
        return self._completed(prefix, limit, inner=False)

    def suggest_types(self, prefix: str, limit: object = None) -> dict[str, Any]:
        """Concepts with others below them."""
        return self._completed(prefix, limit, inner=True)

    def _completed(self, prefix: str, limit: object, *, inner: bool) -> dict[str, Any]:
        concepts = self._candidates.complete(prefix[:_LONGEST], _limit(limit, 10), inner=inner)
        described = map(self._fixed, concepts)
        return {"result": [{"notable" if k == "type" else k: v for k, v in one.items()} for one in described]}

    def suggest_properties(self, prefix: str) -> dict[str, Any]:
        """Properties whose name has what somebody has typed so far."""
        wanted = prefix.casefold().strip()
        return {"result": [p for p in self._properties() if wanted in p["name"].casefold() or wanted in p["id"]]}

    def _properties(self) -> list[dict[str, str]]:
        has_glosses = self._taxonomy.annotations.glosses is not None
        return [{"id": k, "name": name} for k, name in _PROPERTIES.items() if k != "definition" or has_glosses]

    def propose_properties(self, type_: str, limit: object = None) -> dict[str, Any]:
        """The properties that the data of a type can be extended with: all of them."""
        return {"type": type_, "properties": self._properties()[: _limit(limit, _MOST)]}

    def flyout(self, concept: str) -> dict[str, str]:
        """A short view of a concept."""
        return {"id": concept, "html": self._html(concept)}

    def preview(self, concept: str) -> str:
        """A page about a concept. All texts of the ontology are escaped."""
        title = html.escape(self._taxonomy.label(concept))
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
            f"<body>{self._html(concept)}</body></html>\n"
        )

    def _html(self, concept: str) -> str:
        taxonomy = self._taxonomy
        above, below = taxonomy.parents(concept), taxonomy.children(concept)
        gloss = (taxonomy.annotations.glosses or {}).get(concept)
        parts = [
            f"<h1>{html.escape(taxonomy.label(concept))}</h1><p><code>{html.escape(concept)}</code></p>",
            *([f"<p>{html.escape(gloss)}</p>"] if gloss else []),
            self._list("Also called", taxonomy.labels(concept)[1:]),
            self._list("A kind of", [taxonomy.label(c) for c in above]),
            self._list(f"Above {len(below):,} concepts", [taxonomy.label(c) for c in below[:12]]),
        ]
        return "".join(parts)

    @staticmethod
    def _list(title: str, texts: Sequence[str]) -> str:
        shown = ", ".join(map(html.escape, texts[:12])) + (", …" if len(texts) > 12 else "")
        return f"<p><b>{html.escape(title)}:</b> {shown}</p>" if texts else ""

    def known(self, concept: str) -> str:
        """The id of an existing concept."""
        if concept not in self._taxonomy:
            raise BadRequestError("There is no concept with this id.")
        return concept

    # Data extension

    def extend(self, query: Any) -> dict[str, Any]:
        """The values of some properties of some concepts."""
        valid = isinstance(query, dict) and isinstance(query.get("ids"), list)
        given = query.get("properties") if valid else None
        if not isinstance(given, list) or not all(isinstance(p, dict) and isinstance(p.get("id"), str) for p in given):
            raise BadRequestError("'extend' must be a JSON object with 'ids' and 'properties'.")
        ids = query["ids"]
        if len(ids) > _MOST_IDS or not all(isinstance(concept, str) for concept in ids):
            raise BadRequestError(f"'ids' must be at most {_MOST_IDS:,} ids.")
        names = list(dict.fromkeys(p["id"] for p in given if p["id"] in _PROPERTIES))
        rows = {
            concept: {name: self._values(concept, name) if concept in self._taxonomy else [] for name in names}
            for concept in dict.fromkeys(ids)
        }
        return {"meta": [{"id": name, "name": _PROPERTIES[name]} for name in names], "rows": rows}

    def _values(self, concept: str, name: str) -> list[dict[str, Any]]:
        taxonomy = self._taxonomy
        of_concepts: Mapping[str, Callable[[str], Collection[str]]] = {
            "parents": taxonomy.parents,
            "children": taxonomy.children,
            "ancestors": lambda c: [a for a in sorted(taxonomy.subsumers(c), key=taxonomy.code) if a != c],
        }
        if name in of_concepts:
            return [self._named(other) for other in of_concepts[name](concept)]
        if name == "depth":
            return [{"int": taxonomy.depth(concept)}]
        gloss = (taxonomy.annotations.glosses or {}).get(concept)
        texts: Mapping[str, Sequence[str]] = {
            "label": [taxonomy.label(concept)],
            "labels": taxonomy.labels(concept),
            "definition": [gloss] if gloss else [],
            "codes": self._codes.get(concept, []),
        }
        return [{"str": text} for text in texts.get(name, ())]


def parse(text: str) -> Any:
    """Parse JSON that a client sent."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadRequestError("This is not valid JSON.") from None


def _text(query: Mapping[str, Any]) -> str:
    """The text of a query. Without one, a label among its properties is searched."""
    text = query.get("query", "")
    if not text:
        labels = [p.get("v") for p in _given(query) if p["pid"] in _LABELS]
        text = next((label for label in labels if isinstance(label, str)), "")
    if not isinstance(text, str):
        raise BadRequestError("The 'query' must be a text.")
    return text[:_LONGEST]


_LABELS = ("label", "labels")


def _types(query: Mapping[str, Any]) -> tuple[str, ...]:
    types = query.get("type") or ()
    listed = (types,) if isinstance(types, str) else types
    if not isinstance(listed, (list, tuple)) or not all(isinstance(one, str) for one in listed):
        raise BadRequestError("The 'type' must be an id or a list of ids.")
    return tuple(listed)


def _strict(query: Mapping[str, Any]) -> str:
    strict = query.get("type_strict", "any")
    if strict not in ("any", "all", "should"):
        raise BadRequestError("'type_strict' must be 'any', 'all' or 'should'.")
    return str(strict)


def _given(query: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The properties that a query asks for."""
    given = query.get("properties") or []
    if not isinstance(given, list) or not all(isinstance(p, dict) and isinstance(p.get("pid"), str) for p in given):
        raise BadRequestError("The 'properties' of a query must be a list, each with a 'pid' and a value 'v'.")
    if len(given) > _MOST_GIVEN:
        raise BadRequestError(f"A query has at most {_MOST_GIVEN} properties.")
    return given


def _limit(given: object, usual: int = _USUAL) -> int:
    if given is None or given == "":
        return usual
    try:
        return min(max(int(float(str(given))), 1), _MOST)
    except (ValueError, OverflowError):
        raise BadRequestError("The 'limit' must be a number.") from None
