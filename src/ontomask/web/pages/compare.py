"""Step 5: methods side by side, and one of them looked at closely."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ontomask.comparison.compare import Comparison
from ontomask.comparison.results import summary_cells
from ontomask.errors import JobError, OntomaskError
from ontomask.job.job import Job
from ontomask.job.method_choices import method_choices
from ontomask.job.methods import spell_method
from ontomask.job.page_words import notes_on_comparison
from ontomask.job.parameter_words import parameter_words
from ontomask.report.html import draw_distribution
from ontomask.web.forms import Form
from ontomask.web.workspaces import Workspace

__all__ = ["ACTIONS", "show"]

_FIRST = ("Microaggregation", "Recoding", "Resampling")
# Parameters by which methods are compared, with the usual values.
_LEVELS = {"k": "2, 5, 10", "alpha": "0.3", "epsilon": "1"}
_TITLES: dict[str, Any] = {
    "title": "Each method on your table",
    "frontier_name": "no method beats these",
    "x_title": "records linked in the worst case (%)",
    "y_title": "detail lost (%)",
}
_MOST_RUNS = 20
_MOST_PICTURES = 12
_MOST_PAIRS = 20
# The measures of `summary_cells` in plain words.
_HEADINGS = (
    "Detail lost (%)",
    "Linked, worst case (%)",
    "Linked by meaning (%)",
    "People alike (k)",
    "Alike in all columns",
    "Relations changed by",
    "Runs",
)


def show(workspace: Workspace) -> dict[str, Any]:
    """What the page shows."""
    bench = workspace.bench
    given = bench.settings.compare
    comparison, trial = bench.comparison, bench.trial
    found: dict[str, Any] = {
        "workload": bench.workload,
        "methods": [choice for choice in method_choices() if not choice.about.baseline],
        "ticked": _FIRST if given is None else [method.name for method in given.methods],
        "levels": dict(_LEVELS) if given is None else _levels_of(given),
        "level_words": {name: words.meaning for name in _LEVELS if (words := parameter_words("", name))},
        "comparison": comparison,
        "trial": trial,
        "current": _current(workspace),
        "runs": _runs(given),
        "short_of": bench.short_of_aims(),
    }
    if comparison is not None:
        _, rows = summary_cells(comparison)
        names = [row[1] for row in rows]
        spelled = [spell_method(comparison.method(name)) for name in names]
        drawn = comparison.drawn_methods()
        found |= {
            "headings": _HEADINGS,
            "rows": list(zip(names, spelled, rows, strict=True)),
            "failed": _failed(comparison),
            "figure": replace(comparison.chart(), **_TITLES).figure() if drawn else None,
            "order": [names.index(name) for name in drawn],
            "notes": notes_on_comparison(comparison),
        }
    if trial is not None:
        drawn_columns = [d for d in trial.report.distributions if d.categories][:_MOST_PICTURES]
        attacks, pairs = trial.score.attacks, _pairs(trial.report)
        found |= {
            "distributions": [(facts, draw_distribution(facts)) for facts in drawn_columns],
            "findings": () if attacks is None else attacks.findings,
            "pairs": pairs[:_MOST_PAIRS],
            "more_pairs": len(pairs[_MOST_PAIRS:]),
            "changed": [tuple(a != b for a, b in zip(*both, strict=True)) for both in _both(trial)],
        }
    return found


def _runs(given: Any) -> int:
    seeds = 1 if given is None else given.seeds
    return len(seeds) if isinstance(seeds, list) else int(seeds)


def _failed(comparison: Comparison) -> list[str]:
    """The methods that could not mask the data. None of them is offered."""
    return [row["method"] for row in comparison.summary().iter_rows(named=True) if row["failed"] == row["runs"]]


def _both(trial: Any) -> Any:
    return zip(trial.before, trial.after, strict=True)


def _pairs(report: Any) -> list[tuple[str, str, float | None, float | None]]:
    """The correlation of each pair of columns before and after, those that change most first."""
    facts = report.dependence
    if facts is None:
        return []
    names = facts.columns
    pairs = [
        (names[i], names[j], facts.before[i][j], facts.after[i][j])
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]
    return sorted(pairs, key=lambda pair: _change(*pair[2:]), reverse=True)


def _change(before: float | None, after: float | None) -> float:
    return -1.0 if before is None or after is None else abs(after - before)


def _levels_of(given: Any) -> dict[str, str]:
    found = dict(_LEVELS)
    for method in given.methods:
        for name in _LEVELS:
            values = method.vary.get(name) or ([method.parameters[name]] if name in method.parameters else [])
            if values:
                found[name] = ", ".join(map(str, values))
    return found


def _current(workspace: Workspace) -> str:
    try:
        return spell_method(workspace.bench.job.method)
    except OntomaskError:
        return workspace.bench.settings.method.name


def _numbers(form: Form, name: str, kind: type[int] | type[float]) -> list[Any]:
    parts = [part.strip() for part in form.get(name).replace(";", ",").split(",") if part.strip()]
    try:
        return list(dict.fromkeys(kind(part) for part in parts))
    except ValueError:
        text = f"Must be numbers divided by commas, such as {_LEVELS.get(name, 1)}. Got {form.get(name)!r} instead."
        raise JobError("", [(name, text)], parameter=name) from None


def _run(workspace: Workspace, form: Form) -> None:
    """Write the methods to compare into the job, and compare them."""
    bench = workspace.bench
    levels = {name: _numbers(form, name, int if name == "k" else float) for name in _LEVELS}
    chosen = [choice for choice in method_choices() if choice.name in form.all("methods")]
    if not chosen:
        raise JobError("", [("compare.methods", "Tick at least one method.")], code="none-ticked")
    # What the job's method must also have is asked of all.
    shared = {key: value for key, value in bench.editor.content["method"].items() if key in ("require", "by")}
    methods = []
    for choice in chosen:
        vary = {p.name: levels[p.name] for p in choice.parameters if levels.get(p.name)}
        methods.append({"name": choice.name, **shared} | ({"vary": vary} if vary else {}))
    bench.job.check_confirmed(method=False)
    runs = (_numbers(form, "runs", int) or [1])[0]
    if not 1 <= runs <= _MOST_RUNS:
        raise JobError("", [("runs", f"Must be a number from 1 to {_MOST_RUNS}. Got {runs} instead.")])
    changes: dict[tuple[str, ...], Any] = {("compare", "methods"): methods}
    # A list of seeds in the job stays as it is.
    if bench.settings.compare is None or runs != _runs(bench.settings.compare):
        changes["compare", "seeds"] = runs
    bench.edit(changes, Job.compared)
    workspace.start("compare", "Comparing methods", bench.compare)


def _choose(workspace: Workspace, form: Form) -> None:
    """Take one of the compared methods, and look at it closely."""
    comparison = workspace.bench.comparison
    if comparison is None:
        raise OntomaskError("The comparison is out of date. Run it again.", code="out-of-date")
    methods = comparison.methods
    workspace.bench.use_method(methods[form.position("point", len(methods))])
    _try(workspace, form)


def _try(workspace: Workspace, form: Form) -> None:  # noqa: ARG001 (as all actions are called)
    """Try the method of the job."""
    workspace.bench.job.check_confirmed(method=True)
    workspace.start("trial", "Trying the method", workspace.bench.try_method)


ACTIONS = {"run": _run, "choose": _choose, "try": _try}
