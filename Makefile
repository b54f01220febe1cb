# SPDX-License-Identifier: Apache-2.0
# For people: `make demo` and `make test` do all the set-up. Sessions are in noxfile.py.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(shell find native -name '*.cpp' -o -name '*.hpp' -o -name 'CMakeLists.txt')

# Objects that the extension and the native tests have in common are compiled once, where ccache is installed.
CCACHE := $(shell command -v ccache 2>/dev/null)
ifneq ($(CCACHE),)
export CMAKE_C_COMPILER_LAUNCHER := $(CCACHE)
export CMAKE_CXX_COMPILER_LAUNCHER := $(CCACHE)
endif

.PHONY: setup demo test test-long fuzz bench lint format docs clean
.DEFAULT_GOAL := setup

setup: $(VENV)/.installed

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "linpoint needs Python 3.11 or later: make PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml $(NATIVE)
	@echo "setting up $(VENV) (a minute or two the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

demo: setup
	@$(BIN)/linpoint demo

test: setup
	@$(BIN)/nox --session native test

test-long: setup
	@$(BIN)/nox --session analyze sanitize long versions

# make fuzz FUZZ='--seconds 600 --seed 7 native-lines token'
fuzz: setup
	@$(BIN)/nox --session fuzz -- $(FUZZ)

bench: setup
	@$(BIN)/nox --session bench

lint: setup
	@$(BIN)/nox --session lint

format: setup
	@$(BIN)/nox --session format

docs: setup
	@$(BIN)/nox --session docs

clean:
	@rm -rf $(VENV) build dist docs/_build .nox .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
