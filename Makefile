# `make app` starts the product, `make test` runs every test. Both make .venv on first use and
# install into it again only when the requirements change.

VENV := .venv
BIN := $(VENV)/bin
FOUND_PYTHON = $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; \
	done)
PYTHON ?= $(FOUND_PYTHON)

.DEFAULT_GOAL := help
.PHONY: help app test lint bench clean

help: ## List these commands
	@sed -n 's/^\([a-z]*\):[^#]*## /make \1	/p' Makefile

app: $(VENV)/.app-installed ## Install the product and start it in the browser
	$(BIN)/streamlit run app.py

test: $(VENV)/.tools-installed ## Install the tools and run every test
	$(BIN)/python -m pytest

lint: $(VENV)/.tools-installed ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.tools-installed ## Measure our speed and memory against the alternatives
	$(BIN)/python -m benchmarks

clean: ## Remove the environment, and caches
	rm -rf $(VENV) .hypothesis .import_linter_cache .mypy_cache .pytest_cache \
		.ruff_cache build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is written last, so an installation that was interrupted is taken up again.
$(VENV)/.app-installed: requirements.txt pyproject.toml | $(VENV)/.made
	$(BIN)/python -m pip install --editable .
	touch $@

$(VENV)/.tools-installed: requirements.txt requirements-dev.txt pyproject.toml | $(VENV)/.made
	$(BIN)/python -m pip install --requirement requirements-dev.txt --editable .
	touch $@ $(VENV)/.app-installed

$(VENV)/.made:
	@test -n "$(PYTHON)" || { \
		echo "No Python 3.11 or newer was found. Install one, or name it: make PYTHON=/path/to/python3" >&2; \
		exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is not Python 3.11 or newer. Name another one: make PYTHON=/path/to/python3" >&2; \
		exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) lacks its venv module. On Debian and Ubuntu: apt-get install python3-venv" >&2; \
		exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	touch $@
