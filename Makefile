# Two commands do all the set-up and the work: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint types contracts fast-tests coverage docs slow-tests test-browser bench soak format clean

demo: $(READY)
	$(BIN)/evoreplay demo

test: lint types contracts fast-tests

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

contracts: $(READY)
	$(BIN)/lint-imports

fast-tests: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2

# the same with the share of lines that they reach; fails below the share in pyproject.toml
coverage: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --cov --cov-report=term

# the site, in site/; a broken link or anchor, or a page that is not in its menu, fails
# (never with --quiet: mkdocs then counts no warnings, and strict means nothing)
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# minutes: real downloads, costs against pass counts, many kills
slow-tests: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/pytest -m slow

# looks at the report and the site with chromium; the pictures go to $$EVOREPLAY_SCREENSHOTS if that is set
test-browser: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/pytest -m browser tests/browser

# a short form; fails only on ratios beyond twice their bar
bench: $(READY)
	$(BIN)/evoreplay bench --rounds 3 --check --only er+ld er+hmc mir naive-er naive-er+ld naive-mir
	$(BIN)/python benchmarks/saving.py
	test -z "$$EVOREPLAY_DATA" || $(BIN)/python benchmarks/reading.py

# half an hour: 200 runs killed at random moments, 10^6 examples through one learner
soak: $(READY)
	OMP_NUM_THREADS=1 EVOREPLAY_KILL_TRIALS=200 $(BIN)/pytest -n 2 tests/running/test_crashes.py
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/long_stream.py

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -c constraints.txt torch
	$(BIN)/pip install --quiet -c constraints.txt -e '.[dev,docs,ray,tensorboard,wandb,mlflow,river]'
	touch $@

clean:
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .coverage
