# Every target that needs something installs it first: `setup` costs milliseconds when all is there.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .venv/bin
# One test at a time is handed out: the long ones begin first (tests/conftest.py) and would else be the chunk of one worker.
PYTEST := $(BIN)/pytest -n 5 --maxschedchunk 1
TYPED := $(wildcard src tests scripts bench prove)

.PHONY: help
help: ## show this list
	@awk -F ':[^#]*## ' '/^[a-z-]+:[^#]*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: setup ## start the server with two demo agents that work and ask; prints an address for your browser; Ctrl-C ends it
	@$(BIN)/paneward up --demo $(UP)

.PHONY: demo
demo: setup ## play the 30-second tour: the demo agent in a tmux pane, a send, its receipt, a menu answered
	@$(BIN)/paneward demo

.PHONY: test
test test-real: export PYTHONDONTWRITEBYTECODE := # else each worker, and each program that it starts, compiles anew
test: setup ## every test that needs only Debian's and Python's packages
	@scripts/setup test
	@$(PYTEST)

.PHONY: test-real
test-real: setup ## the tests on the real agents, which are installed at pinned versions below ~/.cache/paneward
	@scripts/lab-install >/dev/null
	@$(PYTEST) -m real

.PHONY: lab
lab: setup ## open the real agents in one tmux session, to be driven by hand, with a model that answers by script
	@scripts/lab-install >/dev/null
	@$(BIN)/python -m tests.lab.open

.PHONY: prove
prove: setup ## the long proofs: resumable, one JSON line per cell (PROVE="--help" for what they take)
	@$(BIN)/python -m prove $(PROVE)

.PHONY: prove-states
prove-states: setup ## the state of real agents, sampled through 20 turns of each; resumable (PROVE="codex --turns 3")
	@scripts/lab-install >/dev/null
	@$(BIN)/python -m prove.states $(PROVE)

.PHONY: prove-slow
prove-slow: setup ## the tests on the real agents, each agent with 40 % of a core; resumable, as root (PROVE="codex --share 25")
	@scripts/lab-install >/dev/null
	@$(BIN)/python -m prove.slow $(PROVE)

.PHONY: prove-agents
prove-agents: setup ## texts, dialogs and drafts on the real agents, idle and loaded; resumable (PROVE="codex --rounds 1")
	@scripts/lab-install >/dev/null
	@$(BIN)/python -m prove.agents $(PROVE)

.PHONY: prove-terminals
prove-terminals: setup ## the real agents in every usual terminal and on three versions of Node; resumable (PROVE="gemini --cover pairs")
	@scripts/lab-install --every-node >/dev/null
	@$(BIN)/python -m prove.terminals $(PROVE)

.PHONY: prove-tmux
prove-tmux: setup ## the live tests on the tmux of other Debian releases; too old a tmux is refused
	@$(BIN)/python scripts/prove_tmux.py $(PROVE)

.PHONY: prove-bare
prove-bare: ## `make run`, `make demo` and `make test`, twice each, in a fresh clone on a minimal Debian (as root and as a user)
	@scripts/bare-machine
	@scripts/bare-machine --user

.PHONY: prove-install
prove-install: setup ## the wheel, `pipx install .` and `uv tool install .`, each tried in a throwaway home
	@scripts/install-check

.PHONY: setup
setup: ## install what is missing: tmux and the test tools by apt, Python packages into .venv
	@scripts/setup

.PHONY: lock
lock: setup ## choose the newest versions that pyproject.toml allows and pin them in requirements.lock
	@scripts/lock

.PHONY: fmt
fmt: setup ## format the code and repair what the linter can
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

.PHONY: check
check: check-format check-lint check-types check-imports check-measures check-addresses ## format, lint, strict types, import contracts, measures (`make -k check`: all of them, even after a red one)

.PHONY: check-format check-lint check-types check-imports check-measures check-addresses
check-format: setup
	@$(BIN)/ruff format --check .
check-lint: setup
	@$(BIN)/ruff check .
check-types: setup
	@$(BIN)/mypy $(TYPED)
check-imports: setup
	@$(BIN)/lint-imports --no-logo
check-measures: setup
	@$(BIN)/python scripts/measures.py
check-addresses: setup
	@$(BIN)/python scripts/addresses.py

.PHONY: bench
bench: setup ## measure the speeds: a table and JSON
	@$(BIN)/python -m bench $(BENCH)

.PHONY: docs
docs: setup ## write the generated pages of docs/ anew
	@$(BIN)/python -m scripts.docs
