# Everything a checkout needs; each target sets up its own environment in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA := $(or $(SWEEPLESS_DATA),$(wildcard $(abspath ../shared/data)))
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint types imports bench bench-big paper paper-gisette clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	@$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "sweepless needs Python 3.11 or newer"'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready-demo: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[reports,progress]'
	@touch $@

$(VENV)/.ready-dev: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[dev]'
	@touch $@

$(VENV)/.ready-bench: $(VENV)/.ready-dev
	$(PIP) install --editable '.[bench]'
	@touch $@

demo: $(VENV)/.ready-demo  ## a real selection on embedded data, with a report
	$(BIN)/python examples/demo.py

test: $(VENV)/.ready-dev  ## all tests
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile $(TESTS)

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples

types: $(VENV)/.ready-dev  ## mypy, strict, on the package
	$(BIN)/mypy

imports: $(VENV)/.ready-dev  ## the import rules of the house
	$(BIN)/lint-imports

bench: $(VENV)/.ready-bench  ## speed as ratios against peers in the same run
	$(BIN)/python benchmarks/bench.py --out benchmarks/results/latest.json --picture docs/results/speed.svg $(ARGS)

bench-big: $(VENV)/.ready-dev  ## a hundred thousand and a million sparse features
	$(BIN)/python benchmarks/big.py $(ARGS)

paper: $(VENV)/.ready-dev  ## every table and figure of the paper, ours beside the printed numbers; ARGS=--quick for ten minutes
	$(if $(DATA),SWEEPLESS_DATA=$(DATA)) $(BIN)/sweepless reproduce all --jobs -1 $(ARGS)

paper-gisette: $(VENV)/.ready-dev  ## full SFFS on gisette to 320 features, beside sSFFS
	$(BIN)/python benchmarks/paper_gisette.py $(ARGS)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis demo-report.html
