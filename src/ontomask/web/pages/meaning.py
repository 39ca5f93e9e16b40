"""Step 3: what the values mean."""

from __future__ import annotations

from typing import Any, get_args

from ontomask.errors import JobError, OntomaskError
from ontomask.job.column_options import change_options, column_options
from ontomask.job.column_roles import KIND_WORDS, POLICY_WORDS, change_column
from ontomask.job.concept_review import (
    RULE_WORDS,
    ColumnReview,
    card,
    children,
    known_ontologies,
    prepare_suggestions,
    search,
)
from ontomask.job.date_formats import change_date_format, date_columns
from ontomask.job.editing import REMOVE
from ontomask.job.input_files import expanded, unreadable
from ontomask.job.toml_text import dotted_key
from ontomask.job.workbench import OF_ONTOLOGY
from ontomask.kinds.calendar import Precision
from ontomask.mapping.mapper import resolve
from ontomask.taxonomy import Taxonomy
from ontomask.web.forms import Form
from ontomask.web.rendering import render
from ontomask.web.workspaces import Workspace

__all__ = ["ACTIONS", "FRAGMENTS", "column_at", "show"]

_PAGE = 40
_FILTERS = {"attention": "Needs attention", "all": "All values", "decided": "Decided by you"}


def _masked(workspace: Workspace) -> list[str]:
    """The columns with a kind: those that are masked or measured by what they hold."""
    return [name for name, column in workspace.bench.settings.columns.items() if column.kind is not None]


def _column(workspace: Workspace, form: Form | None = None) -> str | None:
    names = _masked(workspace)
    if form is not None:
        # The page that follows shows the column of the form, whatever another tab has chosen.
        name = names[form.position("column", len(names))]
        if name != workspace.choices.get("column"):
            for choice in ("filter", "page", "containing"):
                workspace.choices.pop(choice, None)
        workspace.choices["column"] = name
        return name
    chosen = workspace.choices.get("column")
    if chosen in names:
        return str(chosen)
    with_concepts = [name for name in names if name in workspace.bench.concept_columns()]
    return next(iter(with_concepts or names), None)


def column_at(workspace: Workspace, position: str) -> str:
    """The column at a position of the page."""
    return str(_column(workspace, Form([("column", position)])))


def show(workspace: Workspace) -> dict[str, Any]:
    """What the page shows. Only one screen of values reaches the browser."""
    bench = workspace.bench
    lacking = [name for name in bench.concept_columns() if bench.known_review(name) is None]
    task = workspace.task
    failed = task is not None and task.name == "review" and task.state in ("failed", "cancelled")
    if lacking and not failed:
        workspace.start("review", "Looking up what the values mean", bench.review_all)
    names, chosen = _masked(workspace), _column(workspace)
    holds = [KIND_WORDS[str(bench.settings.columns[name].kind)].title for name in names]
    coverages = [_coverage(bench.known_review(name)) for name in names]
    tabs = list(zip(range(len(names)), names, coverages, holds, strict=True))
    found: dict[str, Any] = {"tabs": tabs, "chosen": chosen, "kinds": KIND_WORDS, "policies": POLICY_WORDS}
    found |= {"failed": failed, "review": None, "ontologies": known_ontologies(bench.settings)}
    found |= {"paths": workspace.paths, "rule_words": RULE_WORDS}
    if chosen is None:
        return found
    column, profile = bench.settings.columns[chosen], bench.draft.profiles[chosen]
    found |= {"column": column, "profile": profile, "position": names.index(chosen)}
    found |= {name: bench.settings.policy(chosen, name) for name in ("missing", "unmapped", "missing_tokens")}
    found |= {
        "misfits": bench.misfits(chosen),
        "missing_cells": bench.missing_cells(chosen),
        "precisions": get_args(Precision),
        "dates": next((found for found in date_columns(bench.settings, bench.draft) if found.name == chosen), None),
        "options": column_options(column),
        "others": [name for name in bench.settings.columns if name != chosen],
    }
    review = bench.known_review(chosen)
    if review is not None:
        found |= _values(workspace, review)
    return found


def _coverage(review: ColumnReview | None) -> tuple[int, int, int] | None:
    return None if review is None else (*review.coverage, review.open_values)


def _values(workspace: Workspace, review: ColumnReview) -> dict[str, Any]:
    rows = review.rows
    attention = [row for row in rows if row.status not in ("mapped", "decided")]
    only = workspace.choices.get("filter", "attention" if attention else "all")
    shown = {"attention": attention, "all": rows, "decided": [r for r in rows if r.status == "decided"]}[only]
    wanted = str(workspace.choices.get("containing", "")).casefold()
    if wanted:
        shown = [row for row in shown if wanted in row.value.casefold() or wanted in row.label.casefold()]
    last = max(0, (len(shown) - 1) // _PAGE)
    page = min(int(workspace.choices.get("page", 0)), last)
    mapped, records = review.coverage
    return {
        "review": review,
        "rows": shown[page * _PAGE : (page + 1) * _PAGE],
        "shown": len(shown),
        "page": page,
        "last_page": last,
        "filters": _FILTERS,
        "filter": only,
        "containing": workspace.choices.get("containing", ""),
        "mapped": mapped,
        "records": records,
        "counts": {status: sum(row.status == status for row in rows) for status in ("unmapped", "ambiguous")},
        "suggested": sum(row.is_close for row in rows),
        "root": card(review.taxonomy, review.found.domain or review.taxonomy.root),
    }


def _look(workspace: Workspace, form: Form) -> None:
    """Choose a column, a filter, a page."""
    if form.has("column"):
        _column(workspace, form)
    if form.get("filter") in _FILTERS:
        workspace.choices |= {"filter": form["filter"], "page": 0}
    if form.has("containing"):
        workspace.choices |= {"containing": form["containing"], "page": 0}
    if form.get("page").isdecimal():
        workspace.choices["page"] = int(form["page"])


def _review(workspace: Workspace, form: Form) -> tuple[str, ColumnReview]:
    name = _column(workspace, form)
    review = None if name is None else workspace.bench.known_review(name)
    if name is None or review is None:
        raise OntomaskError("The page is out of date. Load it again.", parameter="column", code="bad-form")
    return name, review


def _value(form: Form, review: ColumnReview) -> str:
    values = review.found.values
    return values[form.position("value", len(values))].value


def _ticked(form: Form, review: ColumnReview) -> list[str]:
    values = review.found.values
    return [values[int(t)].value for t in form.all("ticked") if t.isdecimal() and int(t) < len(values)]


def _decide(workspace: Workspace, form: Form) -> None:
    """Map a value to a concept, by id or label; an empty one takes the decision back."""
    name, review = _review(workspace, form)
    target = form["concept"].strip()
    concept = resolve(review.taxonomy, target, domain=review.found.domain).concept if target else None
    workspace.bench.decide(name, {_value(form, review): concept})


def _accept(workspace: Workspace, form: Form) -> None:
    """Accept the best alternative of many values: of the ticked ones, or of all that are ambiguous or unmapped."""
    name, review = _review(workspace, form)
    what = form["what"]
    if what == "ambiguous":
        found = review.accept(["ambiguous"])
    elif what == "unmapped":
        found = review.accept(["unmapped"], only_close=True)
    else:
        best = review.accept(["unmapped", "ambiguous", "perhaps missing", "mapped"])
        found = {value: best[value] for value in _ticked(form, review) if value in best}
    if not found:
        raise OntomaskError("There is nothing to accept. Tick values with a suggestion.", parameter="ticked")
    workspace.bench.decide(name, found)


def _reject(workspace: Workspace, form: Form) -> None:
    """Take the decisions on ticked values back."""
    name, review = _review(workspace, form)
    known = [value for value in _ticked(form, review) if value in review.explicit]
    if not known:
        raise OntomaskError("Tick values that you decided on.", code="none-ticked")
    workspace.bench.decide(name, dict.fromkeys(known))


def _ontology(workspace: Workspace, form: Form) -> None:
    """Give a column another ontology or domain."""
    name = str(_column(workspace, form))
    first, further, domain = form["taxonomy"], form.get("further"), form.get("domain").strip()
    known = workspace.bench.settings.columns[name]
    chosen = [first, further] if further and further != first else first
    # An empty choice keeps several ontologies together.
    changes: dict[tuple[str, ...], Any] = {("columns", name, "taxonomy"): chosen} if first else {}
    if first and chosen != known.taxonomy:
        changes |= {("columns", name, key): REMOVE for key in OF_ONTOLOGY}
    else:
        changes["columns", name, "domain"] = domain or REMOVE
    workspace.bench.edit(changes, lambda job: job.sources.locate_unknown_concept(name))


def _path(workspace: Workspace, form: Form) -> None:
    """Take an ontology from a file or a folder of this machine."""
    name = str(_column(workspace, form))
    path = expanded(form["path"])
    if not workspace.paths:
        raise JobError("", [("ontology.path", "This server opens no files by their path. Upload it.")], code="no-paths")
    problem = unreadable(path, folders=True)
    if problem:
        raise JobError("", [("ontology.path", problem)], code="not-read")
    workspace.start("ontology", "Reading the ontology", lambda: workspace.bench.add_ontology(path.resolve(), name))


def _kind(workspace: Workspace, form: Form) -> None:
    name = str(_column(workspace, form))
    bench = workspace.bench
    bench.edit(change_column(bench.editor.content, bench.draft, name, kind=form["kind"]))


def _options(workspace: Workspace, form: Form) -> None:
    """Say how dates are written, in which order steps come, and the further settings of a column."""
    name = str(_column(workspace, form))
    given = workspace.bench.settings.columns[name]
    changes: dict[tuple[str, ...], Any] = dict(change_options(name, given, form.to_dict()))
    if form.has("formats"):
        formats = [line.strip() for line in form["formats"].splitlines() if line.strip()]
        changes |= change_date_format(workspace.bench.editor.content, workspace.bench.draft, name, formats)
    if form.has("precision"):
        changes["columns", name, "precision"] = form["precision"]
    if form.has("categories"):
        lines = [line.strip() for line in form["categories"].splitlines() if line.strip()]
        changes["columns", name, "categories"] = lines
    workspace.bench.edit_columns(changes)


def _policy(workspace: Workspace, form: Form) -> None:
    """Say what happens with missing cells and with values without a concept."""
    name = str(_column(workspace, form))
    changes: dict[tuple[str, ...], Any] = {}
    for policy in ("missing", "unmapped"):
        if form.has(policy):
            changes["columns", name, policy] = form[policy]
    if form.has("missing_tokens"):
        tokens = [token.strip() for token in form["missing_tokens"].split(",") if token.strip()]
        changes["columns", name, "missing_tokens"] = tokens or REMOVE
    workspace.bench.edit(changes)


def _confirm(workspace: Workspace, form: Form) -> str:  # noqa: ARG001 (as all actions are called)
    try:
        workspace.bench.check_meaning()
    except JobError as problem:
        keys = {key for key, _ in problem.problems}
        wrong = [
            n for n in _masked(workspace) if keys & {dotted_key("columns", n), dotted_key("columns", n, "missing")}
        ]
        if _column(workspace) not in wrong:
            workspace.choices["column"] = wrong[0]
        raise
    workspace.bench.confirm("policies")
    return "protect"


def _again(workspace: Workspace, form: Form) -> None:  # noqa: ARG001
    workspace.task = None


ACTIONS = {
    "look": _look,
    "decide": _decide,
    "accept": _accept,
    "reject": _reject,
    "ontology": _ontology,
    "path": _path,
    "kind": _kind,
    "options": _options,
    "policy": _policy,
    "confirm": _confirm,
    "again": _again,
}


def _inside(review: ColumnReview) -> Taxonomy:
    return review.taxonomy if review.found.domain is None else review.taxonomy.domain(review.found.domain)


def _alternatives(workspace: Workspace, form: Form) -> str:
    """The concepts that a value may mean, with their neighbours."""
    _, review = _review(workspace, form)
    position = form.position("value", len(review.found.values))
    row = next(row for row in review.rows if row.position == position)
    cards = [card(review.taxonomy, concept) for concept in row.alternatives[:6]]
    return _cards(workspace, form, review, cards, row.concept)


def _search(workspace: Workspace, form: Form) -> str:
    """Concepts that a text may mean."""
    _, review = _review(workspace, form)
    inside = _inside(review)
    similar = prepare_suggestions(inside)
    found = search(inside, form["text"], similar=similar)
    return _cards(workspace, form, review, found, None, pending=not similar)


def _cards(
    workspace: Workspace,
    form: Form,
    review: ColumnReview,
    cards: list[Any],
    chosen: str | None,
    *,
    pending: bool = False,
) -> str:
    inside = _inside(review)
    context = {"workspace": workspace, "column": form["column"], "value": form.get("value"), "chosen": chosen}
    return render("concepts.html", cards=cards, inside=inside, pending=pending, **context)


def _children(workspace: Workspace, form: Form) -> str:
    """The children of a concept in the tree."""
    _, review = _review(workspace, form)
    concept = form["concept"]
    found = children(review.taxonomy, concept) if concept in review.taxonomy else []
    more = len(review.taxonomy.children(concept)) - len(found) if found else 0
    context = {"workspace": workspace, "column": form["column"], "value": form.get("value")}
    return render("branch.html", branches=found, more=more, **context)


FRAGMENTS = {"alternatives": _alternatives, "search": _search, "children": _children}
