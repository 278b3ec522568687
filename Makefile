# Everything a newcomer needs: `make run` and `make test`. Only Python 3.11+ and make are assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test slow coverage bench theorems lint format clean

run: $(READY)  ## the published optima checked, then a reduced version of the paper's experiment
	@$(BIN)/cpcbench list --verify
	@$(BIN)/cpcbench reproduce --quick

test: $(READY)  ## the tests
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

coverage: $(READY)  ## the tests, and which lines they reach; takes half as long again
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" --cov --cov-report=term

slow: $(READY)  ## the tests that take minutes
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

bench: $(READY)  ## speed, as ratios against NumPy, C and other packages in one run
	$(BIN)/python -m benchmarks

theorems: $(READY)  ## the packaged proofs checked by Coq, which is installed where that is possible
	@command -v coqc > /dev/null || (apt-get update -q && apt-get install -q -y --no-install-recommends coq libcoq-interval) || \
	  { echo "Coq could not be installed: it needs coq and libcoq-interval of Debian" >&2; exit 1; }
	$(BIN)/python -m benchmarks.theorems

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "cpcbench needs Python 3.11 or newer; say which one with: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@
