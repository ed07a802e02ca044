# setup, node, run, test, check, sdk, docs, bench, generate, lock, clean. The others call setup and
# node when they are needed. `make run PORT=9000` listens elsewhere.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
NPM    := npm --prefix clients/typescript --silent
NODE   := clients/typescript/node_modules/.installed

HOST   := 127.0.0.1
PORT   := 8765
DATA   := data

# Tests wait for sockets and disks much of their time, so there may be more of them than processors.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

SITE   := server/hoftag_server/site/index.html
PAGES  := $(shell find docs examples protocol clients/python/hoftag/bots -name '__pycache__' -prune -o \
            -type f -not -path '*/hoftag_protocol/*' -print)

.PHONY: setup node run test check sdk docs bench generate lock clean

# Python alone: server, clients, bots, training, documentation.
setup: $(STAMP)

# What the TypeScript client and the tests need besides.
node: $(NODE)

$(STAMP): requirements.lock pyproject.toml
	@echo "installing into $(VENV), this takes a minute or more"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(NODE): clients/typescript/package-lock.json
	$(NPM) ci --ignore-scripts
	touch $@

run: $(STAMP) $(SITE)
	$(BIN)/hoftag serve --host $(HOST) --port $(PORT) --data $(DATA)

# The tests of the TypeScript client build it, and those of pytest play with what is built.
test: $(STAMP) $(NODE)
	$(MAKE) --no-print-directory --jobs=2 --output-sync check sdk
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup

sdk: $(NODE)
	$(NPM) test

check: $(STAMP) $(NODE)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(NPM) run check

# The site that the server shows at /docs/.
docs: $(SITE)

$(SITE): $(PAGES) | $(STAMP)
	rm -rf $(@D)
	$(BIN)/sphinx-build -q -W --keep-going -E -d build/doctrees docs $(@D)

bench: $(STAMP)
	$(BIN)/python -m tests.bench

# Writes what is made from the code: the schema, and the tables of the pages.
generate: $(STAMP) $(NODE)
	$(BIN)/python -m hoftag_server.schema
	$(BIN)/python -m hoftag_server.asyncapi
	$(BIN)/python -m hoftag_server.reference
	$(NPM) run generate
	$(BIN)/python -m hoftag.rl.reference

# Pins every dependency by hash; needs uv on the PATH.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --quiet \
	  --all-extras --no-emit-index-url --output-file requirements.lock pyproject.toml

clean:
	rm -rf clients/typescript/node_modules clients/typescript/sdk/dist
	rm -rf $(VENV) build dist data server/hoftag_server/site .mypy_cache .ruff_cache .pytest_cache .hypothesis
