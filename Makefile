# `make demo` and `make test` set up what they need. PYTHON may name any Python 3.11 or later.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: golden help demo test lint types unit bench clean

help:
	@echo "make demo   set up and run the first useful job"
	@echo "make test   set up and run every check"
	@echo "make bench  measure, with the peers in an environment of their own"
	@echo "make clean  remove the environments and caches"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ontomask needs Python 3.11 or later; try: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

# A stamp a set-up: it is done again when the dependencies change.
$(VENV)/.user: pyproject.toml | $(BIN)/python
	@echo "Installing ontomask into $(VENV) ..."
	$(PIP) install -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Installing ontomask with its extras and the development tools into $(VENV) ..."
	$(PIP) install -e '.[all,dev]'
	@touch $@ $(VENV)/.user

demo: $(VENV)/.user
	$(BIN)/ontomask demo

test: lint types unit

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

unit: $(VENV)/.dev
	$(BIN)/pytest -n 2

golden: $(VENV)/.dev
	$(BIN)/python tests/support/golden_distances.py

bench: $(VENV)/.user
	$(PYTHON) benchmarks/run.py

clean:
	rm -rf $(VENV) .venv-bench .mypy_cache .pytest_cache .ruff_cache .hypothesis
