# Everything a newcomer needs: `make run` and `make test`. Only Python 3.11+ and make are assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

# Tests and studies start hundreds of processes: what they import is compiled once, and not by each of them.
unexport PYTHONDONTWRITEBYTECODE

# What is installed, each once and only when something needs it.
PACKAGE := $(VENV)/.package
TOOLS := $(VENV)/.tools
LIBRARIES := $(VENV)/.libraries
SITE := $(VENV)/.site

.PHONY: run test slow coverage bench theorems docs lint format clean

run: $(PACKAGE)  ## the published optima checked, then a reduced version of the paper's experiment
	@echo "checking the published optima"
	@$(BIN)/cpcbench list --verify
	@echo "running the paper's experiment in small"
	@$(BIN)/cpcbench reproduce --quick

test: $(LIBRARIES)  ## the tests
	@echo "running the tests; what is skipped is named at the end"
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

coverage: $(LIBRARIES)  ## the tests, and which lines they reach; takes half as long again
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" --cov --cov-report=term

slow: $(LIBRARIES)  ## the tests that take minutes
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

bench: $(LIBRARIES)  ## speed, as ratios against NumPy, C and other packages in one run
	$(BIN)/python -m benchmarks

theorems: $(PACKAGE)  ## the packaged proofs checked by Coq, which is installed where that is possible
	@command -v coqc > /dev/null || (apt-get update -q && apt-get install -q -y --no-install-recommends coq libcoq-interval) || \
	  { echo "Coq could not be installed: it needs coq and libcoq-interval of Debian" >&2; exit 1; }
	$(BIN)/python -m benchmarks.theorems

docs: $(SITE)  ## the documentation as a site in the folder `site`, to be opened without a server
	@echo "making the site; a broken link or a warning ends it"
	@$(BIN)/python .ci/site/build.py

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(TOOLS)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage site

$(PACKAGE): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "cpcbench needs Python 3.11 or newer; say which one with: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@echo "installing cpcbench and what draws its figures into $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --editable ".[figures]"
	@touch $@

$(TOOLS): $(PACKAGE)
	@echo "installing the tools that test and check: pytest, hypothesis, ruff, mypy"
	@$(PIP) --editable ".[dev]"
	@touch $@

$(LIBRARIES): $(TOOLS) .ci/libraries.py
	@echo "installing the libraries of outside solvers and other optional ones, one by one"
	@$(BIN)/python .ci/libraries.py all trials site
	@touch $@

$(SITE): $(PACKAGE)
	@echo "installing what makes the site: Sphinx, its theme and its readers"
	@$(PIP) --editable ".[figures,site]"
	@touch $@
