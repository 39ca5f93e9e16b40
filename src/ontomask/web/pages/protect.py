"""Step 4: what must be guaranteed, and with which method."""

from __future__ import annotations

from typing import Any, cast, get_args

from ontomask.comparison.advice import Keep
from ontomask.errors import JobError, OntomaskError
from ontomask.job.column_roles import POLICY_WORDS
from ontomask.job.editing import REMOVE
from ontomask.job.method_choices import KEEP_WORDS, check_aims, method_choices, read_parameter
from ontomask.job.methods import make_method, spell_method
from ontomask.job.page_words import notes_for_page
from ontomask.web.forms import Form
from ontomask.web.workspaces import Workspace

__all__ = ["ACTIONS", "show"]

_GOAL: dict[str, Any] = {"guarantee": True, "keep": "meaning", "k": 5, "require": []}


def show(workspace: Workspace) -> dict[str, Any]:
    """What the page shows."""
    bench = workspace.bench
    given = bench.settings
    roles = {name: column.role for name, column in given.columns.items()}
    goal = {**_GOAL, **({"k": k} if isinstance(k := given.method.parameters.get("k"), int) else {})}
    advice = bench.advice
    return {
        "goal": goal | workspace.choices.get("goal", {}),
        "keeps": KEEP_WORDS,
        "confidential": [name for name, role in roles.items() if role == "confidential"],
        "masked": [(name, column) for name, column in given.columns.items() if column.role == "quasi-identifier"],
        "workload": bench.workload,
        "advice": advice,
        "advised": None if advice is None else spell_method(advice.method),
        "reasons": () if advice is None else notes_for_page(advice.reasons),
        "cautions": () if advice is None else notes_for_page(advice.cautions),
        "methods": method_choices(),
        "method": given.method,
        "confirmed": given.method.confirmed,
        "limits": given.require,
        "rare_kept": given.policies.rare_kept,
        "policies": POLICY_WORDS,
    }


def _number(form: Form, name: str, kind: type[int] | type[float]) -> Any:
    """A typed number, or ``None`` for an empty field."""
    text = form.get(name).strip().replace(",", ".")
    if not text:
        return None
    try:
        return kind(text)
    except ValueError:
        words = "a whole number" if kind is int else "a number"
        raise JobError("", [(name, f"Must be {words}. Got {text!r} instead.")], parameter=name) from None


def _aims(workspace: Workspace, form: Form) -> dict[str, Any]:
    """What the person asks for."""
    confidential = [name for name, c in workspace.bench.settings.columns.items() if c.role == "confidential"]
    require: list[dict[str, Any]] = []
    for position, column in enumerate(confidential):
        least, most = _number(form, f"l{position}", int), _number(form, f"t{position}", float)
        require += [{"column": column, "l": least}] if least is not None else []
        require += [{"column": column, "t": most}] if most is not None else []
    return {"guarantee": form.get("guarantee") == "yes", "k": _number(form, "k", int), "require": require}


def _advise(workspace: Workspace, form: Form) -> None:
    """Ask for advice."""
    keep = form.get("keep", "meaning")
    if keep not in get_args(Keep):
        raise OntomaskError("There is no such choice. Load the page again.", parameter="keep", code="bad-form")
    aims = _aims(workspace, form)
    aims["k"] = 5 if aims["k"] is None else aims["k"]
    workspace.bench.aims = aims
    goal = aims | {"keep": keep}
    workspace.choices["goal"] = goal
    options: dict[str, Any] = {**goal, "keep": cast("Keep", keep)}
    workspace.start("advice", "Looking for a method", lambda: workspace.bench.recommend(**options))


def _use(workspace: Workspace, form: Form) -> None:  # noqa: ARG001 (as all actions are called)
    """Take the advice over into the job."""
    advice = workspace.bench.advice
    if advice is None:
        raise OntomaskError("The advice is out of date. Ask for it again.", code="out-of-date")
    workspace.bench.use_method(advice.method)


def _method(workspace: Workspace, form: Form) -> None:
    """Choose a method by hand."""
    bench = workspace.bench
    choice = next((choice for choice in method_choices() if choice.name == form["name"]), None)
    if choice is None:
        raise OntomaskError("There is no such method. Load the page again.", parameter="name", code="bad-form")
    given: dict[str, Any] = {}
    for parameter in choice.parameters:
        field = f"{choice.name}.{parameter.name}"
        if parameter.input == "flag":
            if form.has(field) != bool(parameter.default):
                given[parameter.name] = form.has(field)
        elif form.get(field).strip():
            value = read_parameter(parameter, form[field])
            if value != parameter.default:
                given[parameter.name] = value
    old = bench.editor.content["method"]
    kept = {key: old[key] for key in ("require", "by", "consistent") if key in old}
    # Refuse wrong parameters here, beside their fields.
    make_method(choice.name, {**given, **kept}, path=bench.editor.path)
    new = {"name": choice.name, **given, **kept}
    gone: dict[tuple[str, ...], Any] = {("method", key): REMOVE for key in old if key not in new}
    bench.edit(gone | {("method", key): value for key, value in new.items() if old.get(key) != value})
    # The page then shows the k that was chosen here.
    workspace.choices.get("goal", {}).pop("k", None)


def _weights(workspace: Workspace, form: Form) -> None:
    """Say which columns weigh more."""
    masked = [name for name, c in workspace.bench.settings.columns.items() if c.role == "quasi-identifier"]
    changes: dict[tuple[str, ...], Any] = {}
    for position, name in enumerate(masked):
        weight = _number(form, f"w{position}", float)
        changes["columns", name, "weight"] = REMOVE if weight in (None, 1.0) else weight
    workspace.bench.edit_columns(changes)


def _limits(workspace: Workspace, form: Form) -> None:
    """Set limits on what intruders may find."""
    k_all, linked = _number(form, "k_all", int), _number(form, "linked_at_most", float)
    workspace.bench.edit(
        {
            ("require", "k_all"): REMOVE if k_all is None else k_all,
            ("require", "linked_at_most"): REMOVE if linked is None else linked,
            ("policies", "rare_kept"): form.get("rare_kept") if form.get("rare_kept", "error") != "error" else REMOVE,
        }
    )


def _confirm(workspace: Workspace, form: Form) -> str:
    """Confirm the method, unless it gives less than the aims on the page, which are sent, too."""
    bench = workspace.bench
    asked = bench.settings.method.parameters.get("require", [])
    aims = _aims(workspace, form)
    check_aims(bench.job.method, asked, **aims)
    bench.aims = aims
    bench.confirm("method")
    return "compare"


ACTIONS = {
    "advise": _advise,
    "use": _use,
    "method": _method,
    "weights": _weights,
    "limits": _limits,
    "confirm": _confirm,
}
