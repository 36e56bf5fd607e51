# Runs under GNU make 3.81 (macOS) and a POSIX sh.

VENV := .venv
BIN := $(VENV)/bin
# Tried in this order; `make PYTHON=/path/to/python3 test` takes that one.
PYTHON := python3.14 python3.13 python3.12 python3.11 python3 python
comma := ,

.PHONY: help demo test lint types fuzz bench bench-mypy bench-analyze mutants test-matrix test-real clean

help: ## list the targets (the default)
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 - \2/p' Makefile | awk -F ' - ' '{ printf "%-22s %s\n", $$1, $$2 }'

demo: $(VENV)/demo.stamp ## install what the example plugin needs, and run it once
	$(BIN)/capdeco demo

test: lint types ## everything that must pass: ruff, mypy, pytest
	$(BIN)/python -m pytest

lint: $(VENV)/dev.stamp ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp ## mypy --strict, with capdeco's plugin
	$(BIN)/mypy

fuzz: $(VENV)/dev.stamp ## look much longer for a counterexample to the laws
	$(BIN)/python -m pytest tests/laws --hypothesis-profile=fuzz

bench: $(VENV)/bench.stamp ## cost of a dispatch, beside other hosts
	$(BIN)/python -m tests.benchmarks.dispatch

bench-mypy: $(VENV)/dev.stamp ## cost of the mypy plugin
	$(BIN)/python -m tests.benchmarks.mypy_cost

bench-analyze: $(VENV)/dev.stamp ## cost of the source analyzer
	$(BIN)/python -m tests.benchmarks.analyze_tree

mutants: $(VENV)/dev.stamp ## plant wiring faults into valid declarations, and count what is found
	$(BIN)/python -m tests.typing.mutants

test-matrix: $(VENV)/dev.stamp ## the mypy plugin under each mypy and Python that is supported
	$(BIN)/python -m tests.typing.matrix

test-real: $(VENV)/dev.stamp ## the mypy plugin over real packages that do not use it: same messages, and its cost
	$(BIN)/python -m tests.typing.real_projects

clean: ## remove the venv, builds and caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The first Python >= 3.11 on PATH that can make a venv. Each candidate is run, not only found: a version manager's
# shim is on PATH for Pythons that it will not start.
$(BIN)/python:
	@for python in $(PYTHON); do \
	  if $$python -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    echo "making $(VENV) with $$python"; \
	    exec $$python -m venv --clear --without-pip $(VENV); \
	  fi; \
	done; \
	echo 'capdeco needs Python 3.11 or newer on PATH, with its venv module (Debian: apt install python3-venv):' >&2; \
	echo 'none was found. Install one, or name it: make PYTHON=/path/to/python3' >&2; \
	exit 1

# A stamp is written last, and every stamp is withdrawn first: an interrupted install is run again.
# $(1): the extras to install; $(2): the stamps that are then true.
define install
	@rm -f $(VENV)/*.stamp
	@echo 'installing capdeco[$(1)] into $(VENV)'
	@$(BIN)/python -m ensurepip --upgrade --default-pip >/dev/null
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(1)]'
	@touch $(2)
endef

$(VENV)/demo.stamp: pyproject.toml $(BIN)/python
	$(call install,mypy$(comma)pdf,$@)

$(VENV)/dev.stamp: pyproject.toml $(BIN)/python
	$(call install,dev,$@ $(VENV)/demo.stamp)

$(VENV)/bench.stamp: pyproject.toml $(BIN)/python
	$(call install,dev$(comma)bench,$@ $(VENV)/dev.stamp $(VENV)/demo.stamp)
