"""How long it takes to read FHIR code systems, beside the fastest parsers of JSON on the same bytes.

A parser only makes dictionaries; ontomask makes a taxonomy with labels, and checks it. The large file is generated. The
others come from the package that ``make vocabularies`` fetches.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from timing import Report, best_of_each, duration, in_new_process, megabytes, peak_memory, times

import ontomask as om

CONCEPTS = 100_000
PACKAGE = Path(__file__).parents[1] / ".vocabularies" / "hl7.terminology.r4" / "package"
SYSTEMS = ("v3-ActCode", "conceptdomains", "v2-tables", "v3-Race")


def main() -> None:
    """Print the table."""
    report = Report("fhir", "Reading FHIR code systems")
    with tempfile.TemporaryDirectory() as scratch:
        large = Path(scratch) / "large.json"
        large.write_text(json.dumps(generate(CONCEPTS)))
        files = [(f"generated, {CONCEPTS:,} concepts", large)]
        files += [(name, PACKAGE / f"CodeSystem-{name}.json") for name in SYSTEMS if PACKAGE.is_dir()]
        rows = [_row(title, file) for title, file in files]
    report.text(
        "Processor time, best of several, without garbage collection. A ratio says how many times as long ontomask "
        "takes. Memory is what reading adds to the process at its peak."
    )
    report.table(("code system", "size", "concepts", "ontomask", "memory", "parser", "its time", "ratio"), rows)
    report.close()


def generate(number: int) -> dict[str, Any]:
    """A code system in which each concept has a parent by property, and two designations."""
    draw = random.Random(0)
    concepts = [
        {
            "code": str(10_000_000 + i),
            "display": f"Concept number {i} of the large system",
            "designation": [{"language": "de", "value": f"Begriff {i}"}, {"language": "en", "value": f"Synonym {i}"}],
            "property": [
                *([{"code": "parent", "valueCode": str(10_000_000 + draw.randrange(i))}] if i else []),
                {"code": "inactive", "valueBoolean": False},
            ],
        }
        for i in range(number)
    ]
    head = {"resourceType": "CodeSystem", "url": "http://example.org/large", "content": "complete"}
    return {**head, "status": "active", "hierarchyMeaning": "is-a", "concept": concepts}


def parsers() -> dict[str, Callable[[bytes], Any]]:
    """The parsers that are installed."""
    found: dict[str, Callable[[bytes], Any]] = {"json": json.loads}
    for package, path in (("orjson", "loads"), ("msgspec.json", "decode")):
        try:
            found[package.partition(".")[0]] = getattr(import_module(package), path)
        except ImportError:
            continue
    return found


def memory_of(path: str) -> int | None:
    """The memory that reading a file adds to a new process."""
    # Numba loads its libraries at the first use, which is not part of reading.
    om.Taxonomy.from_edges([("b", "a")])
    before = peak_memory(since_now=True)
    om.read_taxonomy(path)
    after = peak_memory()
    return None if before is None or after is None else after - before


def _row(title: str, file: Path) -> tuple[str, ...]:
    raw = file.read_bytes()
    calls: dict[str, Callable[[], object]] = {name: lambda p=p: p(raw) for name, p in parsers().items()}  # type: ignore[misc]
    calls["ontomask"] = lambda: om.read_taxonomy(file)
    concepts = len(om.read_taxonomy(file))
    best = best_of_each(calls, seconds=3, clock=time.process_time)
    ours = best.pop("ontomask")
    fastest = min(best, key=best.__getitem__)
    memory, _ = in_new_process(memory_of, str(file))
    return (
        title,
        f"{len(raw) / 1e6:.1f} MB",
        f"{concepts:,}",
        duration(ours),
        megabytes(memory),
        fastest,
        duration(best[fastest]),
        times(ours / best[fastest]),
    )


if __name__ == "__main__":
    main()
