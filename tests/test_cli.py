from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


def ontomask(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ontomask", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={"COLUMNS": "200", "PATH": ""})


def test_demo_prints_the_mapping_report():
    done = ontomask("demo")
    assert done.returncode == 0, done.stderr
    assert "14 of 14 values mapped (100.0%), 30,162 of 30,162 records" in done.stdout
    assert "41 of 41 values mapped" in done.stdout
    assert "least common subsumer: person.n.01" in done.stdout
    assert "least common subsumer: district.n.01" in done.stdout


def test_demo_as_json():
    columns = json.loads(ontomask("demo", "--json").stdout)
    assert [column["column"] for column in columns] == ["occupation", "native-country"]
    assert columns[0]["record_coverage"] == 1.0


def test_ontology_info_and_find():
    assert "82,115 concepts" in ontomask("ontology", "info", "wordnet").stdout
    found = ontomask("ontology", "find", "wordnet", "tiger").stdout.splitlines()
    assert [line.split()[0] for line in found] == ["tiger.n.01", "tiger.n.02"]
    assert ontomask("ontology", "find", "icd9cm", "25083").stdout.startswith("250.83 ")


def test_ontology_distance():
    done = ontomask("ontology", "distance", "wordnet", "dog", "cat.n.01")
    assert done.returncode == 0, done.stderr
    assert "0.1429" in done.stdout


def test_a_word_nobody_knows_ends_with_suggestions():
    done = ontomask("ontology", "find", "wordnet", "tigger")
    assert done.returncode == 1
    assert "perhaps" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ontology", "info", "no-such-file.obo"), "there is no such file or folder"),
        (("ontology", "distance", "wordnet", "dog", "--measure", "wup"), "not a semantic distance"),
        (("ontology", "distance", "wordnet", "dogg"), "neither an id nor a label"),
    ],
)
def test_mistakes_end_in_one_message_and_no_traceback(arguments, message):
    done = ontomask(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_compiling_is_announced_and_cached(tmp_path):
    code = "import ontomask as om; om.distance('path', om.Taxonomy.from_edges([('b', 'a')]))('a', 'b')"
    command = [sys.executable, "-c", code]
    env = {"NUMBA_CACHE_DIR": str(tmp_path), "PATH": "", "HOME": str(Path.home())}
    first = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300, check=True)
    again = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300, check=True)
    assert "compiling kernels for this machine, once" in first.stderr
    assert again.stderr == ""


def test_kernels_work_where_nothing_can_be_cached():
    code = (
        "from numba.core import caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "import ontomask as om\n"
        "print(om.distance('path', om.Taxonomy.from_edges([('b', 'a')]), raw=True)('a', 'b'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "1.0"
