# make demo   set everything up and run the benchmark on nine tasks with a replayed agent
# make test   set everything up, lint, type-check and run all tests
# make check  lint and type-check only; make test-agents  the real agent programs; make clean
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
WORKERS ?= 2
BIN := $(VENV)/bin
REAL_AGENTS := tests/agent/test_real_programs.py
# The installation is made anew when pyproject.toml changes in content, not in time: a clone has arbitrary times.
STAMP := $(VENV)/.installed-$(shell sha256sum pyproject.toml | cut -c1-12)

.PHONY: demo test check test-unit test-agents setup clean
.DEFAULT_GOAL := demo

demo: setup
	$(BIN)/aka run examples/run.yaml --workers $(WORKERS)

test: check test-unit

test-unit: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadscope --ignore $(REAL_AGENTS) tests

check: setup
	$(BIN)/ruff check src tests suite examples
	$(BIN)/mypy

# Real agent programs, installed from their registries, against a scripted model: needs npm.
test-agents: setup
	$(BIN)/python -m pytest $(REAL_AGENTS)

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
