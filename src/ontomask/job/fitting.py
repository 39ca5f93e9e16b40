"""Keys of a job that must fit each other: what a role needs, what a kind has, columns that are named elsewhere.

And what a person has to decide or confirm before the job runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ontomask.job.problems import dotted
from ontomask.kinds import KINDS
from ontomask.microdata.delimited import is_delimiter

if TYPE_CHECKING:
    from ontomask.job.settings import ColumnSettings, Settings

__all__ = ["cross_check", "unconfirmed", "undecided"]

_PLAN = ".plan"
_WITH_KIND = ("quasi-identifier", "confidential", "undecided")

Misfit = tuple[str, str]


def cross_check(settings: Settings) -> Iterator[Misfit]:
    """Every key that does not fit the others, with what is wrong."""
    for name, column in settings.columns.items():
        for key, text in _of_column(column):
            yield dotted("columns", name, key), text
    roles = {name: column.role for name, column in settings.columns.items()}
    masked = [name for name, role in roles.items() if role == "quasi-identifier"]
    if not masked and "undecided" not in roles.values():
        yield "columns", "none has the role 'quasi-identifier', so there is nothing to mask. Give it to one at least."
    persons = [name for name, column in settings.columns.items() if column.person]
    if len(persons) > 1:
        yield (
            dotted("columns", persons[1], "person"),
            f"one column tells persons apart, and that is {persons[0]!r}. Keep one of them.",
        )
    for key, delimiter in (("input", settings.input.delimiter), ("output", settings.output.delimiter)):
        if delimiter is not None and not is_delimiter(delimiter):
            yield dotted(key, "delimiter"), f"must be one plain character (ASCII). Got {delimiter!r} instead."
    plan = settings.output.plan
    if plan is not None and not plan.lower().endswith(_PLAN):
        yield "output.plan", f"must end in {_PLAN}: it is a file of its own format. Got {plan!r} instead."
    evaluation = settings.evaluation
    if evaluation is None:
        return
    for key in ("mapping", "hierarchies"):
        for name in getattr(evaluation, key):
            if name not in masked:
                yield dotted("evaluation", key, name), f"is no quasi-identifier. Those are {', '.join(masked)}."
    for name in evaluation.known or ():
        if name not in masked:
            yield "evaluation.known", f"{name!r} is no quasi-identifier. Those are {', '.join(masked)}."
    if isinstance(evaluation.distance, dict) and "name" not in evaluation.distance:
        for name in evaluation.distance:
            if name not in masked:
                yield dotted("evaluation", "distance", name), f"is no quasi-identifier. Those are {', '.join(masked)}."
    if evaluation.target is not None and roles.get(evaluation.target) != "confidential":
        confidential = [name for name, role in roles.items() if role == "confidential"]
        yield (
            "evaluation.target",
            f"must be a column with the role 'confidential': {', '.join(confidential) or 'there is none'}. "
            f"Got {evaluation.target!r} instead.",
        )


def _of_column(column: ColumnSettings) -> Iterator[Misfit]:
    if column.person is not None and column.role != "identifier":
        yield "person", f"only an identifier can tell persons apart, and the role is {column.role!r}. Leave it out."
    options = dict.fromkeys(name for kind in KINDS.values() for name in kind.option_names())
    given = [key for key in options if getattr(column, key) is not None]
    if column.kind is None:
        if column.role == "quasi-identifier":
            yield "kind", "is missing: a quasi-identifier needs one of 'nominal', 'numeric', 'ordinal'."
        for key in given:
            yield (
                key,
                "belongs to a column with a 'kind': 'nominal', 'numeric' or 'ordinal'. Give it one, or leave this out.",
            )
        return
    if column.role not in _WITH_KIND:
        what = "removed" if column.role == "identifier" else "kept as it is"
        yield "kind", f"a column with the role {column.role!r} is {what}: leave out what it holds."
        return
    for key in given:
        if key not in KINDS[column.kind].option_names():
            owner = next(name for name, kind in KINDS.items() if key in kind.option_names())
            yield key, f"belongs to kind = {owner!r}, and this column has kind = {column.kind!r}. Leave it out."
    for needed in KINDS[column.kind].option_names(required=True):
        if getattr(column, needed) is None:
            yield needed, f"is missing: kind = {column.kind!r} needs it."


def undecided(settings: Settings) -> Iterator[Misfit]:
    """The columns whose role nobody has decided, if there are any, with what to write."""
    names = [dotted(name) for name, column in settings.columns.items() if column.role == "undecided"]
    if names:
        yield (
            "columns",
            f"the role of these is undecided: {', '.join(names)}. Write for each role = 'identifier' (it is removed), "
            "'quasi-identifier' with a kind (others may know it about a person: it is masked), 'confidential' (nobody "
            "may learn it: it is kept and measured) or 'other' (nobody can know it about a person: it is kept as it "
            "is).",
        )


def unconfirmed(settings: Settings) -> tuple[str, ...]:
    """The tables that hold guesses which nobody has confirmed."""
    columns = [dotted("columns", name) for name, column in settings.columns.items() if not column.confirmed]
    tables = {"policies": settings.policies.confirmed, "method": settings.method.confirmed}
    before = () if settings.input.confirmed else ("input",)
    return (*before, *columns, *(name for name, confirmed in tables.items() if not confirmed))
