"""How far the work on a table is: the six steps, and the checklist before a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ontomask.errors import OntomaskError
from ontomask.job.methods import spell_method
from ontomask.job.preflight import Preflight
from ontomask.job.validation import unconfirmed
from ontomask.job.workbench import Workbench

__all__ = ["STEPS", "Check", "StepState", "checklist", "step_states"]

STEPS: Mapping[str, str] = {
    "table": "Table",
    "roles": "Roles",
    "meaning": "Meaning",
    "protect": "Protect",
    "compare": "Compare",
    "release": "Release",
}

State = Literal["done", "todo", "open"]


@dataclass(frozen=True)
class StepState:
    """Where a step is: ``done``, ``todo`` (something is to be decided there), or ``open`` (it may be skipped)."""

    state: State
    text: str


@dataclass(frozen=True)
class Check:
    """A line of the checklist before a release.

    Attributes
    ----------
    passed
        ``None`` if it is not known yet.
    step
        The step where it is solved.
    """

    title: str
    passed: bool | None
    text: str
    step: str


def step_states(bench: Workbench) -> dict[str, StepState]:
    """The state of every step."""
    if not bench.is_open:
        return {step: StepState("todo" if step == "table" else "open", "") for step in STEPS}
    given = bench.settings
    guesses = unconfirmed(given)
    to_confirm = sum(key.startswith("columns") for key in guesses)
    undecided = sum(column.role == "undecided" for column in given.columns.values())
    roles = StepState("done", "Every column has a role.")
    if undecided:
        roles = StepState("todo", f"{undecided:,} to decide")
    elif to_confirm:
        roles = StepState("todo", f"{to_confirm:,} to confirm")
    table = StepState("todo", "to confirm") if "input" in guesses else StepState("done", "")
    protect = StepState("todo", "choose a method") if "method" in guesses else StepState("done", "")
    compare = StepState("done" if bench.comparison is not None else "open", "")
    release = StepState("done" if bench.released is not None else "open", "")
    return {
        "table": table,
        "roles": roles,
        "meaning": _meaning(bench),
        "protect": protect,
        "compare": compare,
        "release": release,
    }


def _meaning(bench: Workbench) -> StepState:
    given = bench.settings
    open_values = 0
    for name in bench.concept_columns():
        review = bench.known_review(name)
        if review is None:
            return StepState("todo", "to look up")
        open_values += review.open_values if given.policy(name, "unmapped") == "error" else 0
    if open_values:
        return StepState("todo", f"{open_values:,} without a concept")
    if "policies" in unconfirmed(given):
        return StepState("todo", "to confirm")
    return StepState("done", "")


def checklist(bench: Workbench) -> list[Check]:
    """What must hold before a release, and what the owner should know."""
    return list(_checks(bench))


def _checks(bench: Workbench) -> Iterator[Check]:
    given, states = bench.settings, step_states(bench)
    removed = [name for name, column in given.columns.items() if column.role in ("identifier", "drop")]
    masked = [name for name, column in given.columns.items() if column.role == "quasi-identifier"]
    kept = [name for name, column in given.columns.items() if column.role in ("confidential", "other", "weight")]
    yield Check(
        "Every column has a role that you confirmed",
        states["roles"].state == "done" and states["table"].state == "done",
        f"{len(masked):,} masked, {len(kept):,} kept, {len(removed):,} left out.",
        "roles" if states["table"].state == "done" else "table",
    )
    yield Check(
        "Every value has a meaning, or you said what happens to it",
        states["meaning"].state == "done",
        states["meaning"].text or "Nothing is open.",
        "meaning",
    )
    short_of = bench.short_of_aims()
    text = " ".join([_method(bench), *short_of])
    yield Check("A method is chosen", states["protect"].state == "done" and not short_of, text, "protect")
    yield _checked(bench.checked, is_released=bench.released is not None)
    found = bench.trial
    if found is not None and found.score.attacks is not None:
        yield Check("You looked at what an intruder could learn", True, found.score.attacks.worst.sentence, "compare")
    else:
        text = "Try the method in the step Compare. The report of the release measures it, too."
        yield Check("You looked at what an intruder could learn", None, text, "compare")


def _method(bench: Workbench) -> str:
    try:
        return spell_method(bench.job.method)
    except OntomaskError as problem:
        return problem.reason


def _checked(found: Preflight | None, *, is_released: bool) -> Check:
    title = "The job can run"
    if is_released:
        return Check(title, True, "It has run as it stands.", "release")
    if found is None:
        return Check(title, None, "It is checked when you make the release.", "release")
    return Check(title, found.ready, " ".join([*found.problems, *found.warnings]) or "Nothing stops it.", "release")
