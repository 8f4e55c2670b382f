PYTHON ?= python3
BIN = .venv/bin

.PHONY: setup check test oracle arch lint types docs bench harden golden clean

setup: .venv/ready
.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv && $(BIN)/python -m pip install --quiet --editable '.[dev]' && touch $@

check: setup
	$(BIN)/verifier check --quiet --strict models/*/*.yaml
test: setup
	$(BIN)/python -m pytest -n auto
oracle: .venv/oracle  # the tests that ask z3 and cvxpy a second time
	$(BIN)/python -m pytest -n auto -m oracle
.venv/oracle: .venv/ready
	$(BIN)/python -m pip install --quiet --editable '.[oracle]' && touch $@
arch: setup  # writes the plan of the rooms into README.md and ARCHITECTURE.md
	$(BIN)/python -m tests.rooms
lint: setup
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
types: setup
	$(BIN)/mypy
docs: .venv/docs  # the site, in site/
	$(BIN)/python -m docs.generate && NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
.venv/docs: .venv/ready
	$(BIN)/python -m pip install --quiet --editable '.[docs]' && touch $@
bench: setup
	$(BIN)/python -m benchmarks
harden: .venv/oracle  # SAMPLE=1 for a few minutes
	$(BIN)/python -m tests.harden $(if $(SAMPLE),--sample)
golden: setup  # writes the frozen reports of models anew
	$(BIN)/python -m tests.golden
clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis
