"""Lines of the mapping report: sections of values, and what is said about each value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ontomask.mapping.decisions import Change
    from ontomask.mapping.report import ValueMapping

__all__ = ["accepted_line", "change_line", "counted", "section", "unmapped_line"]

_SHOWN = 12
Item = TypeVar("Item")


def section(title: str, values: Sequence[Item], line: Callable[[Item], str]) -> list[str]:
    """A title and a line for each of the first values; nothing if there are none."""
    if not values:
        return []
    more = [f"    … and {len(values) - _SHOWN:,} more"] if len(values) > _SHOWN else []
    return [f"  {title}:", *(f"    {line(v)}" for v in values[:_SHOWN]), *more]


def accepted_line(v: ValueMapping) -> str:
    """A value whose suggestion was accepted."""
    return f"{v.value!r} ({counted(v.count)}) = {v.concept} ({v.label}), score {v.score:.2f}"


def change_line(change: Change) -> str:
    """What changed in the ontology."""
    text = {
        "retired": "{before} was withdrawn" + (", now {now}" if change.now else ""),
        "unknown": "{before} is not in the ontology any more",
        "renamed": "{concept} was called {before!r}, now {now!r}",
        "moved": "{concept} was under {before}, now under {now}",
        "outside": "{before} is outside the domain" + (", now {now}" if change.now else ""),
        "rule": "{before} is kept, though the rules would now choose {now}",
    }[change.kind]
    return f"{change.value!r}: " + text.format(**asdict(change))


def unmapped_line(v: ValueMapping) -> str:
    """A value without a concept, with its suggestions."""
    near = ", ".join(f"{s.concept} ({s.label})" if s.label != s.concept else s.concept for s in v.suggestions)
    note = f" [{v.note}]" if v.note else ""
    return f"{v.value!r} ({counted(v.count)}){note}" + (f": perhaps {near}?" if near else "")


def counted(count: int) -> str:
    """A number of records."""
    return f"{count:,} record{'' if count == 1 else 's'}"
