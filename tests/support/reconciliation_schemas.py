"""JSON schemas of the W3C Reconciliation Service API 0.2, written from the definitions of the specification.

They are stricter than the text: a name that the specification does not define is an error where it defines all names.
"""

from __future__ import annotations

from typing import Any

TEXT = {"type": "string"}
_TEMPLATE = {"type": "string", "pattern": r"\{\{id\}\}"}


def _object(required: str, optional: str = "", *, closed: bool = True, **kinds: Any) -> dict[str, Any]:
    names = [*required.split(), *optional.split()]
    made = {"type": "object", "required": required.split(), "properties": {n: kinds.get(n, TEXT) for n in names}}
    return made | ({"additionalProperties": False} if closed else {})


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_NAMED = _object("id", "name")
_TYPES = _list({"oneOf": [_NAMED, TEXT]})
_SERVICE = _object(
    "", "service_url service_path flyout_service_url flyout_service_path",
    flyout_service_path={"type": "string", "pattern": r"\$\{id\}"},
)  # fmt: skip

MANIFEST = _object(
    "versions name identifierSpace schemaSpace",
    "documentation serviceVersion logo authentication view feature_view defaultTypes suggest preview extend batchSize",
    versions={"type": "array", "items": TEXT, "contains": {"const": "0.2"}},
    identifierSpace={"type": "string", "format": "uri", "pattern": "^https?://"},
    schemaSpace={"type": "string", "format": "uri", "pattern": "^https?://"},
    view=_object("url", url=_TEMPLATE),
    feature_view=_object("url", url=_TEMPLATE),
    defaultTypes={**_list(_object("id name")), "uniqueItems": True},
    suggest=_object("", "entity property type", entity=_SERVICE, property=_SERVICE, type=_SERVICE),
    preview=_object("url width height", url=_TEMPLATE, width={"type": "integer"}, height={"type": "integer"}),
    extend=_object(
        "", "propose_properties property_settings",
        propose_properties=_object("", "service_url service_path"), property_settings=_list({"type": "object"}),
    ),
    batchSize={"type": "integer"},
)  # fmt: skip

_VALUE = {"oneOf": [TEXT, {"type": "number"}, {"type": "boolean"}, _object("id", "name", closed=False)]}

QUERIES = {
    "type": "object",
    "additionalProperties": {
        **_object(
            "", "query type limit properties type_strict",
            type={"oneOf": [TEXT, _list(TEXT)]},
            limit={"type": "number"},
            properties=_list(_object("pid v", v={"oneOf": [_VALUE, _list(_VALUE)]})),
            type_strict={"enum": ["any", "all", "should"]},
        ),
        "anyOf": [
            {"required": ["query"]},
            {"required": ["properties"], "properties": {"properties": {"minItems": 1}}},
        ],
    },
}  # fmt: skip

_CANDIDATE = _object(
    "id name score", "description features match type",
    score={"type": "number"},
    match={"type": "boolean"},
    type=_TYPES,
    features=_list(_object("id value", "name", value={"oneOf": [{"type": "boolean"}, {"type": "number"}]})),
)  # fmt: skip

RESULTS = {"type": "object", "additionalProperties": _object("result", result=_list(_CANDIDATE))}

ENTITIES = _object("result", result=_list(_object("id name", "description notable", notable=_TYPES)))
PROPERTIES = TYPES = _object("result", result=_list(_object("id name", "description")))
SUGGESTED_TYPES = ENTITIES

PROPOSED = _object("properties", "type limit", properties=_list(_object("id name")), limit={"type": "integer"})

EXTENSION = _object(
    "meta rows",
    meta=_list(_object("id name", "type service", type=_NAMED)),
    rows={
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "additionalProperties": _list(
                {
                    "oneOf": [
                        _object(""),
                        _object("id name", "description"),
                        _object("str"),
                        _object("float", float={"type": "number"}),
                        _object("int", int={"type": "integer"}),
                        _object("bool", bool={"type": "boolean"}),
                        _object("date"),
                    ]
                }
            ),
        },
    },
)  # fmt: skip

FLYOUT = _object("id html")
