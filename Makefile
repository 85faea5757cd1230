# Every target sets up what it needs. `make demo` is the one to begin with.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# three workers on two cores: half of the tests wait for servers and simulated clusters
PYTEST := $(BIN)/pytest -n 3
APT_PACKAGES := openssh-server tmux screen mksh ksh busybox tcsh clustershell pdsh gfs2-utils

.PHONY: demo test test-failed test-deps check lint types contracts format bench campaign screenshots recordings gfs2-recording clean

demo: $(READY)
	$(BIN)/restripe demo --plain

test: $(READY) test-deps
	$(PYTEST)

# Only what failed last, one at a time: a race that needs a busy machine shows itself by passing.
test-failed: $(READY)
	$(BIN)/pytest --last-failed --last-failed-no-failures none -n 0

check: lint types contracts

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

contracts: $(READY)
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Ratios to named peers; writes docs/benchmarks.md.
bench: $(READY) test-deps
	$(BIN)/python -m benchmarks

# Random kills on real OpenSSH; writes docs/job-campaign.md. CASE=n plays one case of SEED again.
SEED ?=
KILLS ?= 200
CASE ?=
campaign: $(READY) test-deps
	$(BIN)/python -m tests.campaign --kills $(KILLS) $(if $(SEED),--seed $(SEED)) $(if $(CASE),--case $(CASE))

# What tests use of the system, where root or passwordless sudo may install it; what is missing is skipped by name.
test-deps:
	@sh tests/install-deps.sh $(APT_PACKAGES)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "restripe needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt hatchling editables
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[dev]'
	@touch $(READY)

# the pictures of README and docs, from the shipped recording
screenshots: $(READY)
	$(BIN)/python docs/make_screenshots.py

# a recorded night, some minutes long, best on a machine with nothing else to do
SPEED ?= 60
FILE ?= recordings/night-5.2.jsonl
recordings: $(READY)
	$(BIN)/python docs/make_recordings.py --speed $(SPEED) $(FILE)

# a recorded savemeta of a real GFS2, in some ten minutes, as root: it needs a loop device and namespaces of its own
gfs2-recording: $(READY) test-deps
	$(BIN)/python docs/make_gfs2_recording.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
