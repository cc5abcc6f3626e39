# Short names for everything one does here; `make` alone lists them.
# All that is needed is make and python3 (>= 3.11): the first use builds .venv.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
UV := $(shell command -v uv 2>/dev/null)
INSTALL := $(if $(UV),uv pip install --python $(PY),$(PY) -m pip install --disable-pip-version-check --quiet)
ARGS ?=

# An environment that forbids compiled files would make every process read and compile all sources again.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast check format docs transcripts bench peers crash soak fuzz-http e2e e2e-openclaw e2e-claude e2e-model e2e-page pictures

help: ## List the targets
	@sed -n 's/^\([a-z0-9-]*\): .*## \(.*\)/  make \1 — \2/p' Makefile

setup: $(READY) ## Build .venv with the package and the tools of development

demo: $(READY) ## Build a sample workspace in demo-workspace, ask it, pack from it, explain it
	$(VENV)/bin/commonplace demo demo-workspace

test: $(READY) ## Run the tests on all cores (ARGS="-k word" narrows them)
	$(PY) -m pytest -n auto -m "not e2e" $(ARGS) || \
	  { [ $$? -ne 5 ] || echo "make test: no test was collected, and a run of nothing proves nothing" >&2; exit 1; }

test-fast: $(READY) ## Run the quick tests of every package in one process: a minute of CPU at most (ARGS as above)
	COMMONPLACE_FAST=1 $(PY) -m pytest -m "not slow and not e2e" --ignore tests/test_structure.py $(ARGS)

check: $(READY) ## Check format, lint, types, docs and the rules of the structure
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -m pytest tests/test_structure.py $(wildcard tests/test_docs.py)

format: $(READY) ## Format the code and mend what the linter can mend
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

docs: $(READY) ## Write the generated reference pages anew
	@[ -f docs/generate.py ] || { echo "make docs: docs/generate.py does not exist yet" >&2; exit 1; }
	$(PY) docs/generate.py

transcripts: $(READY) ## Write the outputs in tests/transcripts anew; read the diff before you commit it
	COMMONPLACE_REWRITE=1 $(PY) -m pytest tests/test_transcripts.py

bench: $(READY) ## Measure speed and recall (ARGS names the benches)
	@[ -f bench/__main__.py ] || { echo "make bench: bench/__main__.py does not exist yet" >&2; exit 1; }
	$(PY) -m bench $(ARGS)

peers: $(READY) ## Measure other memories beside this one (pip and npm install them, outside; long)
	$(PY) -m bench peers $(ARGS)

crash: $(READY) ## Kill, fail, cut the power and crowd at every call, and run what is `sampled` in full (an hour or so)
	COMMONPLACE_CRASH=whole $(PY) -m pytest -n 0 -s tests/crash $(ARGS)
	COMMONPLACE_CRASH=whole $(PY) -m pytest -n auto -m sampled $(ARGS)

soak: $(READY) ## Run the daemon for an hour under changes and requests (ARGS="--minutes 5" for less)
	$(PY) -m bench.soak $(ARGS)

fuzz-http: $(READY) ## Send the daemon 5,000 requests made from its own OpenAPI document (ARGS="--cases 500")
	$(PY) -m bench.fuzz_http $(ARGS)

e2e: e2e-openclaw e2e-claude e2e-model e2e-page ## Run what needs a real host, a real model or a real browser

e2e-openclaw: $(READY) ## Run the checks with the real OpenClaw, which npm installs outside (1 GB, ten minutes)
	@command -v npm >/dev/null || { echo "make e2e-openclaw: npm is not here; it installs the host" >&2; exit 1; }
	cd tests && ../$(PY) -m e2e $(ARGS)

e2e-claude: $(READY) ## Run the checks with the real Claude Code, which npm installs outside (400 MB, a minute)
	@command -v npm >/dev/null || { echo "make e2e-claude: npm is not here; it installs the host" >&2; exit 1; }
	cd tests && ../$(PY) -m e2e.claude

e2e-model: $(READY) ## Ask a real small model, which pip installs outside (230 MB, four minutes)
	cd tests && ../$(PY) -m e2e_model.runtime
	$(PY) -m pytest -n 0 -m e2e tests/e2e_model $(ARGS)

e2e-page: $(READY) ## Drive the page in Chromium; pip installs Playwright, npm axe-core (60 MB, a few minutes)
	@command -v npm >/dev/null || { echo "make e2e-page: npm is not here; it installs axe-core" >&2; exit 1; }
	$(INSTALL) --requirement tests/e2e_page/requirements.txt
	cd tests && ../$(PY) -m e2e_page.runtime
	$(PY) -m pytest -n 0 tests/e2e_page $(ARGS)

pictures: $(READY) ## Take the pictures of the page in the README again (what they need, `make e2e-page` installs)
	PYTHONPATH=tests $(PY) -m e2e_page.pictures

# The list of tools is read with tomllib because only pip >= 25.1 knows --group.
$(READY): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make: no $(PYTHON); install Python 3.11 or newer, or say make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("make: $(PYTHON) is %d.%d; Commonplace needs 3.11 or newer: make PYTHON=python3.13" % v[:2])'
ifdef UV
	@[ -x $(PY) ] || uv venv --python $(PYTHON) $(VENV)
else
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV) || \
	  { echo "make: $(PYTHON) cannot build a virtual environment; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
endif
	@$(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["dev"], sep="\n")' > $(VENV)/dev.txt
	$(INSTALL) --editable . --requirement $(VENV)/dev.txt
	@$(PY) -m compileall -q src/commonplace # an editable install compiles nothing, and an agent starts us on every turn
	@touch $@
