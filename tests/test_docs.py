"""The documentation: guides run, tables match the code, every public name has an API page, the site builds."""

from __future__ import annotations

import inspect
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

import ontomask as om
from ontomask.distance.base import MEASURES
from ontomask.evaluation.measures import DEFINITIONS
from ontomask.job.methods import SHARED
from ontomask.job.settings import Settings
from ontomask.masking import METHODS
from ontomask.taxonomy.readers import FORMATS

from support.guide_files import write_omop, write_snomed
from support.guides import blocks, run_guide

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("guides/**/*.md")])
LANGUAGES = {"python", "console", "sh", "text", "toml"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem if page.stem != "index" else page.parent.name)
def test_what_a_guide_shows_is_what_happens(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(DOCS / "files" / "patients.csv", tmp_path)
    write_snomed(tmp_path / "SnomedCT_InternationalRF2_20250101")
    write_omop(tmp_path / "athena")
    problems = run_guide(page, tmp_path)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem if page.stem != "index" else page.parent.name)
def test_no_example_is_left_out(page):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for block in blocks(page):
        at = f"{page.name}: line {block.line}"
        assert block.title is not None or block.language in LANGUAGES, at
        if block.language == "python":
            assert ">>> " in block.text, at
        if block.language == "console":
            assert block.text.startswith("$ "), at
        if block.language != "sh":
            continue
        for line in filter(None, (line.partition("#")[0].strip() for line in block.text.splitlines())):
            made, installed = re.fullmatch(r"make (\w+)", line), re.fullmatch(r"pip install '?\.(?:\[(.+)\])?'?", line)
            assert (made and made[1] in targets) or installed, f"{at}: {line}"
            if installed and installed[1]:
                assert set(installed[1].split(",")) <= set(extras), f"{at}: {line}"


def test_the_table_of_the_guides_is_what_its_script_makes():
    made = runpy.run_path(str(DOCS / "files" / "make.py"))["rows"]()
    assert (DOCS / "files" / "patients.csv").read_text().splitlines() == made


# Tables that match the code.


def tables(page: Path) -> dict[str, list[list[str]]]:
    """The rows of each table of a page, by the heading above it."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("|") and not line.startswith("|--"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            found.setdefault(heading, []).append(cells)
    return {heading: rows[1:] for heading, rows in found.items()}


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def inner(annotation: Any) -> type[BaseModel] | None:
    """The model behind a key, or behind each name in it."""
    parts = [annotation, *get_args(annotation)]
    parts += [part for one in get_args(annotation) for part in get_args(one)]
    return next((part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)), None)


def allowed(annotation: Any) -> list[str]:
    parts = [annotation, *get_args(annotation)]
    return [value for part in parts if get_origin(part) is Literal for value in get_args(part)]


def as_toml(value: Any) -> str:
    return {True: "true", False: "false"}.get(value, f'"{value}"') if isinstance(value, (bool, str)) else str(value)


@pytest.mark.parametrize("key", [*Settings.model_fields, "compare.methods"])
def test_the_job_file_page_lists_every_key(key):
    first, _, second = key.partition(".")
    table = inner(Settings.model_fields[first].annotation)
    assert table is not None
    if second:
        table = inner(table.model_fields[second].annotation)
        assert table is not None
    rows = tables(DOCS / "guides" / "job-file.md")
    heading = {"columns": "[columns.NAME]", "ontologies": "[ontologies.NAME]", "compare.methods": "[[compare.methods]]"}
    listed = rows[heading.get(key, f"[{key}]")]
    known = {name: field for name, field in table.model_fields.items() if key != "compare" or name != "methods"}
    assert [code(row[0])[0] for row in listed if code(row[0])] == list(known)
    for row, (name, field) in zip([row for row in listed if code(row[0])], known.items(), strict=True):
        assert set(allowed(field.annotation)) <= {text.strip('"') for text in code(row[1])}, name
        default = field.get_default(call_default_factory=True)
        expected = "needed" if field.is_required() else "—" if default is None else f"`{as_toml(default)}`"
        assert row[2] == expected, f"{key}.{name}: {expected}"


def test_the_job_file_page_lists_what_can_be_required():
    listed = {code(row[0])[0]: row for row in tables(DOCS / "guides" / "job-file.md")["[[method.require]]"]}
    known = {field.name: field for kind in (om.Diversity, om.Closeness, om.ColumnsK) for field in fields(kind)}
    assert listed.keys() == known.keys()
    assert listed["kind"][2] == f"`{as_toml(known['kind'].default)}`"


def test_the_job_file_page_lists_every_method_with_its_parameters():
    listed = {code(row[0])[0]: code(row[1]) for row in tables(DOCS / "guides" / "job-file.md")["Methods"]}
    assert listed == {
        name: [field.name for field in fields(method) if field.init and field.name not in SHARED]
        for name, method in sorted(METHODS.items())
    }


def test_the_page_on_methods_has_what_they_say_of_themselves():
    made, baselines = [], []
    for name, method in METHODS.items():
        about = method.about
        if about.baseline:
            baselines.append([f"`{name}`", about.summary])
            continue
        on_request = f"; {' and '.join(about.on_request)} on request" if about.on_request else ""
        guarantees = ", ".join(about.guarantees) + on_request or "nothing"
        made.append([f"`{name}`", guarantees, about.masks, about.summary])
    listed = tables(DOCS / "guides" / "which-method.md")
    for heading, rows in (("The methods", made), ("Methods to compare with", baselines)):
        text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        assert listed[heading] == rows, f"write these rows below {heading!r} in which-method.md:\n{text}"


def test_the_page_of_the_api_has_every_method():
    listed = re.findall(r"^::: ontomask\.(\w+)$", (DOCS / "api" / "masking.md").read_text(), re.MULTILINE)
    assert set(METHODS) <= set(listed), "add them to docs/api/masking.md"


def test_the_job_file_page_lists_every_format_of_ontologies():
    listed = {code(row[0])[0]: code(row[3]) for row in tables(DOCS / "guides" / "job-file.md")["[ontologies.NAME]"]}
    assert [name.strip('"') for name in listed["format"]] == list(FORMATS)


def test_the_page_on_reports_lists_every_measure():
    listed = tables(DOCS / "guides" / "report.md")
    cells = [row[0] for heading in ("What was lost", "What intruders can find") for row in listed[heading]]
    names = {name.partition(" of ")[0] for cell in cells for name in cell.split(", ")}
    assert not set(DEFINITIONS) - names, "add a row for each of these to docs/guides/report.md"


def test_the_readme_names_every_distance():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in MEASURES if f"`{name}`" not in text] == []


def test_the_page_on_distances_lists_them_all():
    listed = {code(row[0])[0]: code(row[2]) for row in tables(DOCS / "guides" / "which-distance.md")["All distances"]}
    assert listed == {name: list(inspect.signature(measure).parameters)[1:] for name, measure in MEASURES.items()}


def test_the_page_on_the_command_line_lists_every_command():
    from typer.main import get_command

    from ontomask.cli.commands import app

    known: Any = get_command(app)
    commands = [
        " ".join(["ontomask", name, *inner])
        for name, command in known.commands.items()
        for inner in ([[name] for name in command.commands] if hasattr(command, "commands") else [[]])
    ]
    page = tables(DOCS / "guides" / "command-line.md")["Command line and exit codes"]
    listed = [re.match(r"[a-z]+(?: [a-z]+)+", code(row[0])[0]) for row in page]
    assert [found and found[0] for found in listed] == commands


def test_the_page_on_exit_codes_lists_them_all():
    from ontomask.cli.console import CHECK_FAILED, FAULT, INTERRUPTED, MISTAKE

    listed = [int(row[0]) for row in tables(DOCS / "guides" / "command-line.md")["Exit codes"]]
    assert listed == [0, CHECK_FAILED, MISTAKE, FAULT, INTERRUPTED, 143]


def test_every_public_name_has_an_api_page():
    shown = [
        name.rsplit(".", 1)[-1]
        for page in sorted(DOCS.glob("api/*.md"))
        for name in re.findall(r"^::: ontomask\.([\w.]+)$", page.read_text(), re.MULTILINE)
        if not name.startswith("figures.")
    ]
    assert sorted(shown) == sorted(om.__all__)


def test_every_experiment_is_in_the_index():
    # Building the site checks that it is in the navigation.
    index = (DOCS / "experiments" / "index.md").read_text()
    for page in DOCS.glob("experiments/*.md"):
        assert page.name == "index.md" or f"]({page.name})" in index, page.name


def test_the_links_of_the_readme_lead_somewhere():
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / "README.md").read_text())
    local = [link for link in links if not link.startswith("http")]
    assert local
    assert [link for link in local if not (ROOT / link).exists()] == []


def test_the_pictures_are_small():
    pictures = list(DOCS.glob("images/*.svg"))
    assert pictures
    for picture in pictures:
        assert picture.stat().st_size < 100_000, picture.name
        assert "<script" not in picture.read_text()


def test_the_site_builds_with_every_link_right(tmp_path):
    pytest.importorskip("mkdocs")
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|link|iframe)[^>]+(?:src|href)="(https?:[^"]+)"', text)
        assert not loaded, f"{page.name} loads {loaded}"
