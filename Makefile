# make demo   set everything up and run the benchmark on nine tasks with a replayed agent
# make test   set everything up, lint, type-check and run all tests
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
WORKERS ?= 2
BIN := $(VENV)/bin
# The installation is made anew when pyproject.toml changes in content, not in time: a clone has arbitrary times.
STAMP := $(VENV)/.installed-$(shell sha256sum pyproject.toml | cut -c1-12)

.PHONY: demo test check test-unit test-agents setup clean
.DEFAULT_GOAL := demo

demo: setup
	$(BIN)/aka run examples/run.yaml --workers $(WORKERS)

test: check test-unit

test-unit: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests

check: setup
	$(BIN)/ruff check src tests suite examples
	$(BIN)/mypy

# Real agent programs against a scripted model server: needs npm and installs them into $(VENV).
test-agents: setup
	$(BIN)/python -m pytest tests -m agents

setup: $(STAMP)

$(STAMP):
	@PYTHON=$(PYTHON) .ci/system-packages needed
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@rm -f $(VENV)/.installed-*
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache
