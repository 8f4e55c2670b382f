PYTHON ?= python3
BIN = .venv/bin
# one more than cores, as some tests wait
WORKERS = $(shell $(PYTHON) -c "import os; print(1 + (os.cpu_count() or 1))")
unexport PYTHONDONTWRITEBYTECODE  # tests start many processes, which read what is compiled once

.PHONY: setup check test quick oracle packaging arch lint types docs bench checker harden golden clean

setup: .venv/ready
.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv && $(BIN)/python -m pip install --quiet --editable '.[dev]' && touch $@

check: setup
	$(BIN)/verifier check --quiet --strict models/*/*.yaml
test: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations 5 -m "not oracle"
quick: setup  # between two edits
	$(BIN)/python -m pytest -n auto --dist worksteal -m quick --hypothesis-profile quick
oracle: .venv/oracle  # the tests that ask z3 and cvxpy a second time, audit a library, or run notebooks
	$(BIN)/python -m pytest -n auto --dist worksteal -m oracle
.venv/oracle: .venv/ready
	$(BIN)/python -m pip install --quiet --editable '.[oracle]' && touch $@
packaging: setup  # builds the distributions, and installs them in fresh environments; asks an index
	$(BIN)/python -m pytest -n 2 --dist loadscope -m packaging tests/packaging
arch: setup  # the plan of the rooms and other generated parts, written into the pages; then held against the imports
	$(BIN)/python -m docs.generate && $(BIN)/python -m pytest tests/test_architecture.py tests/test_rooms.py
lint: setup
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
types: setup
	$(BIN)/mypy
docs: .venv/docs .venv/browser  # the site, in site/; not --quiet, which hides the warnings that --strict counts
	$(BIN)/python -m docs.generate && NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
.venv/browser: docs/browser/package-lock.json .venv/ready  # Python for browsers
	mkdir -p $@ && cp docs/browser/package*.json $@ && touch $@
	cd $@ && npm ci --silent --no-audit --no-fund || echo "without npm no page of the site can check a certificate"
.venv/docs: .venv/ready
	$(BIN)/python -m pip install --quiet --editable '.[docs]' && touch $@
bench: setup  # PEERS=PYTHON, one that has other solvers; an hour
	$(BIN)/python -m benchmarks.lp
	$(BIN)/python -m benchmarks
checker: setup  # the checker as one file, dist/privacy-checker.pyz, which needs nothing but Python
	$(BIN)/python -m verifier.standalone.build
harden: .venv/oracle  # SAMPLE=1 for a few minutes
	$(BIN)/python -m tests.harden $(if $(SAMPLE),--sample)
golden: setup  # writes the frozen reports of models anew
	$(BIN)/python -m tests.golden
clean:
	rm -rf .venv site .verifier-cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
