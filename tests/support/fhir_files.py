"""Small FHIR resources, and a literal reading of code systems to compare with."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

HL7 = ("hl7.terminology.r4", "hl7.fhir.r5.core")
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "vocabularies" / "fhir.md"
STANDARD = "http://hl7.org/fhir/concept-properties#"
SYSTEM = "http://example.org/jobs"


def documented_outcomes(kind: str, package: str) -> dict[str, int]:
    """How many resources of a package are read or refused, and why, according to the table of the guide."""
    table = GUIDE.read_text(encoding="utf-8").partition(f"| {kind} |")[2].partition("\n\n")[0]
    found = {}
    for row in table.splitlines()[2:]:
        reason, *numbers = (cell.strip() for cell in row.strip("|").split("|"))
        code = re.search("`([^`]+)`", reason)
        found[code[1] if code else reason] = int(numbers[HL7.index(package)])
    return {reason: number for reason, number in found.items() if number}


def jobs(**changes: Any) -> dict[str, Any]:
    """A code system with nested concepts, and parents and children by properties with codes of their own."""
    return {
        "resourceType": "CodeSystem",
        "id": "jobs",
        "language": "en",
        "url": SYSTEM,
        "version": "2",
        "title": "Jobs",
        "status": "active",
        "copyright": "CC0",
        "hierarchyMeaning": "is-a",
        "content": "complete",
        "property": [
            {"code": "subsumedBy", "uri": STANDARD + "parent", "type": "code"},
            {"code": "kinds", "uri": STANDARD + "child", "type": "code"},
            {"code": "abstract", "uri": STANDARD + "notSelectable", "type": "boolean"},
            {"code": "otherCode", "uri": STANDARD + "synonym", "type": "code"},
            {"code": "parent", "uri": "http://example.org/mother", "type": "string"},
        ],
        "concept": [
            {
                "code": "job",
                "display": "Job",
                "property": [{"code": "abstract", "valueBoolean": True}],
                "concept": [
                    {
                        "code": "health",
                        "display": "Health worker",
                        "definition": "Works in health.",
                        "designation": [
                            {"language": "de", "value": "Gesundheitsberuf"},
                            {"language": "de-AT", "value": "Sanitäter"},
                            {"value": "HW"},
                        ],
                        "concept": [{"code": "nurse", "display": "Nurse"}],
                    },
                    {"code": "teacher", "property": [{"code": "parent", "valueString": "Anna"}]},
                ],
            },
            {
                "code": "trainer",
                "display": "Trainer of nurses",
                "property": [
                    {"code": "subsumedBy", "valueCode": "nurse"},
                    {"code": "subsumedBy", "valueCode": "teacher"},
                    {"code": "otherCode", "valueCode": "TR"},
                ],
            },
            {"code": "helper", "display": "Helper", "property": [{"code": "kinds", "valueCode": "porter"}]},
            {"code": "porter", "display": "Porter"},
        ],
        **changes,
    }


def flat(*concepts: Any, **changes: Any) -> dict[str, Any]:
    """A code system of the given concepts, without declared properties."""
    listed = [{"code": concept} if isinstance(concept, str) else concept for concept in concepts]
    return {
        "resourceType": "CodeSystem",
        "url": "http://example.org/flat",
        "status": "active",
        "hierarchyMeaning": "is-a",
        "content": "complete",
        "concept": listed,
        **changes,
    }


def under(code: str, *parents: str, **more: Any) -> dict[str, Any]:
    """A concept with parents by property."""
    return {"code": code, "property": [{"code": "parent", "valueCode": p} for p in parents], **more}


def bundle(*resources: Any) -> dict[str, Any]:
    """A Bundle of resources."""
    return {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": one} for one in resources]}


def literal_parents(path: Path) -> dict[str, set[str]]:
    """The parents of each concept in use, straight from the definition of FHIR's properties.

    A parent that is withdrawn is replaced by its own parents.
    """
    system = json.loads(path.read_text(encoding="utf-8"))
    named = {name: name for name in ("parent", "child", "inactive", "status")}
    for declared in system.get("property", []):
        for name in list(named):
            if declared.get("uri", "").endswith("concept-properties#" + name):
                named[declared["code"]] = name
    parents: dict[str, set[str]] = {}
    gone: set[str] = set()

    def visit(concept: Any, above: str | None) -> None:
        code = concept["code"]
        parents.setdefault(code, set())
        if above is not None:
            parents[code].add(above)
        for one in concept.get("property", []):
            name, value = named.get(one["code"]), one.get("valueCode", one.get("valueBoolean"))
            if name == "parent":
                parents[code].add(value)
            if name == "child":
                parents.setdefault(value, set()).add(code)
            if (name, value) in (
                ("inactive", True),
                ("inactive", "true"),
                ("status", "retired"),
                ("status", "inactive"),
            ):
                gone.add(code)
        for below in concept.get("concept", []):
            visit(below, code)

    for concept in system.get("concept", []):
        visit(concept, None)
    while any(gone & above for above in parents.values()):
        for code, above in parents.items():
            for withdrawn in above & gone:
                above.remove(withdrawn)
                above |= parents[withdrawn] - {code}
    return {code: above for code, above in parents.items() if code not in gone}


def concept_map(*elements: Any, **changes: Any) -> dict[str, Any]:
    """A ConceptMap from a list of codes to the jobs. An element is its JSON, or (code, relationship, target, …)."""
    listed = [one if isinstance(one, dict) else element(*one) for one in elements]
    return {
        "resourceType": "ConceptMap",
        "title": "Trades to jobs",
        "group": [{"source": "http://example.org/trades", "target": SYSTEM, "element": listed}],
        **changes,
    }


def element(code: str, *targets: str, key: str = "relationship") -> dict[str, Any]:
    """An element with pairs of a relationship and a target."""
    pairs = zip(targets[::2], targets[1::2], strict=True)
    return {"code": code, "target": [{"code": target, key: relation} for relation, target in pairs]}


def value_set(*include: Any, exclude: Any = (), **changes: Any) -> dict[str, Any]:
    """A ValueSet of the jobs. A part is its JSON, or a list of codes, or (operator, code)."""
    return {
        "resourceType": "ValueSet",
        "url": "http://example.org/vs",
        "title": "Some jobs",
        "compose": {"include": [*map(part, include)], "exclude": [*map(part, exclude)]},
        **changes,
    }


def part(given: Any) -> dict[str, Any]:
    """A part of a ValueSet."""
    if isinstance(given, dict):
        return given
    if isinstance(given, list):
        return {"system": SYSTEM, "concept": [{"code": code} for code in given]}
    return {"system": SYSTEM, "filter": [{"property": "concept", "op": given[0], "value": given[1]}]}
