# One Makefile: continuous integration runs what a person runs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check install --constraint constraints.txt
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help check reference conformance test slow differential enumerate comparisons coverage-of-inputs kills ray-kills corpus power mutants fuzz live live-groups live-extenders descheduler horizontal-autoscaler karpenter cluster-autoscaler control-plane control-plane-test image plugin lint format bench docs site divergences versions tla tlc answers parity parity-of-groups parity-of-pools wheel clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r target says; do printf '%-23s %s\n' "$$target" "$$says"; done

# setuptools comes first so that the pinned one builds the project, not the newest.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) setuptools wheel
	@$(PIP) --no-build-isolation --editable '.[dev]'
	@touch $@

check: $(READY) ## Check the small example; fails if a property is violated
	@$(BIN)/schedcheck check examples/gpu-small

reference: $(READY) ## Check the reference example of about a million states
	@$(BIN)/schedcheck check --no-symmetry examples/reference

conformance: $(READY) ## Compare with the recorded answers of kube-scheduler
	@$(BIN)/schedcheck conformance --profile kubernetes-1.34.1 tests/data/conformance/*.jsonl.gz

test: $(READY) ## Run the quick tests
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not (medium or slow or control_plane)"

slow: $(READY) ## Run the tests that test leaves out: those of more than three seconds, and most cases of long families
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "(medium or slow) and not control_plane"

differential: $(READY) ## Search ten minutes for differences from the specification: make differential SECONDS=600 SEED=0 JOBS=2 KEPT=.searched, or CASES=100 ENGINE=ray ADDRESS=host:6379
	@$(BIN)/python -m tests.checker.differential.search $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS)) $(if $(KEPT),--kept $(KEPT)) $(if $(CASES),--cases $(CASES)) $(if $(ENGINE),--engine $(ENGINE)) $(if $(ADDRESS),--address $(ADDRESS))

enumerate: $(READY) ## Compare all small clusters of each feature; resumes: make enumerate SECONDS=600 COUNT=500 PAIRS=yes
	@$(BIN)/python -m tests.checker.differential.enumeration $(if $(SECONDS),--seconds $(SECONDS)) $(if $(COUNT),--most $(COUNT)) $(if $(PAIRS),--pairs) $(if $(JOBS),--jobs $(JOBS))

comparisons: $(READY) ## Compare random clusters of every family, also with the early scheduler and with the optimum
	@$(BIN)/python -m tests.checker.differential.long

coverage-of-inputs: $(READY) ## Count the random clusters that use each field of the objects
	@$(BIN)/python -m tests.checker.drawing.coverage

kills: $(READY) ## Kill explorations at fifty moments, and resume them
	@$(BIN)/python -m tests.checker.tabulated.kills

ray-kills: $(READY) ## Kill one of two nodes of a Ray cluster at twenty moments: make ray-kills SCENE=seven MOMENTS=20
	@$(BIN)/python -m tests.checker.tabulated.ray_kills $(or $(SCENE),seven) $(or $(MOMENTS),20)

corpus: $(READY) ## Reintroduce defects of real schedulers, and count the detected ones
	@$(BIN)/python -m tests.corpus

power: $(READY) ## Count the defects that search alone finds: make power SECONDS=8 SEED=0
	@$(BIN)/python -m tests.power --write $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED))

mutants: $(READY) ## Try 600 mutants of the specification and the production scheduler; resumes after an interrupt: make mutants SEED=7 SIZE=1000 FOLDER=checker/judging
	@$(BIN)/python -m tests.mutants $(if $(SEED),--seed $(SEED)) $(if $(SIZE),--size $(SIZE)) $(if $(FOLDER),--folder $(FOLDER))

fuzz: $(READY) ## Try 10,000 changed examples as inputs: make fuzz SEED=7 COUNT=500
	@$(BIN)/python -m tests.fuzz $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

live: $(READY) ## Compare with kube-scheduler itself, which Go builds: make live VERSION=1.36 COUNT=2000 SEED=0 JOBS=2 ENGINE=ray ADDRESS=host:6379
	@$(BIN)/python -m tests.live $(if $(VERSION),--version $(VERSION)) $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS)) $(if $(ENGINE),--engine $(ENGINE)) $(if $(ADDRESS),--address $(ADDRESS)) $(if $(CASE),--case $(CASE))

live-groups: $(READY) ## Compare the cycles of PodGroups with kube-scheduler itself, which Go builds: make live-groups VERSION=1.36 KIND=storage COUNT=1000 SEED=0
	@$(BIN)/python -m tests.live.groups $(if $(VERSION),--version $(VERSION)) $(if $(KIND),--kind $(KIND)) $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

live-extenders: $(READY) ## Compare cycles in which an extender refuses nodes with kube-scheduler itself, which Go builds: make live-extenders VERSION=1.36 COUNT=1000 SEED=0
	@$(BIN)/python -m tests.live.extending $(if $(VERSION),--version $(VERSION)) $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

descheduler: $(READY) ## Compare the descheduler itself, which Go builds, with its model: make descheduler COUNT=2000 SEED=0
	@$(BIN)/python -m tests.descheduler $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

horizontal-autoscaler: $(READY) ## Compare the horizontal autoscaler itself, which Go builds, with its model: make horizontal-autoscaler COUNT=2000 SEED=0
	@$(BIN)/python -m tests.horizontal_autoscaler $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

karpenter: $(READY) ## Compare Karpenter itself, which Go builds, with its model: make karpenter CLUSTERS=2000 SEED=0
	@$(BIN)/python -m tests.karpenter $(if $(CLUSTERS),--clusters $(CLUSTERS)) $(if $(SEED),--seed $(SEED))

cluster-autoscaler: $(READY) ## Compare the cluster autoscaler itself, which Go builds from a checkout, with its model: make cluster-autoscaler SOURCES=path/to/autoscaler COUNT=2000 SEED=0
	@$(BIN)/python -m tests.node_pools $(if $(SOURCES),--sources $(SOURCES)) $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

control-plane: $(READY) ## Run kube-apiserver, kube-scheduler and others here, which Go builds: make control-plane NODES=3 COMMAND=...
	@$(BIN)/python -m tests.control_plane $(if $(NODES),--nodes $(NODES)) $(if $(PODS),--pods $(PODS)) $(if $(RUN),--run $(RUN)) $(if $(KEPT),--kept $(KEPT)) $(if $(COMMAND),--command '$(COMMAND)')

control-plane-test: $(READY) ## Hold what a real control plane does against the specification; Go builds it
	@$(BIN)/python -m tests.control_plane --build
	@$(BIN)/python -m pytest -n 0 -m control_plane

image: $(READY) ## Build the container image and try it: make image BASE=debian where no container registry answers
	@$(BIN)/python -m tests.image $(if $(BASE),--base $(BASE))

plugin: $(READY) ## Build the archive of the kubectl plugin and its manifest for Krew into dist/: make plugin OWNER=somebody
	@test -n "$(OWNER)" || { echo 'usage: make plugin OWNER=somebody' >&2; exit 2; }
	@$(BIN)/python adapters/kubectl/release.py "$(OWNER)" dist

lint: $(READY) ## Check format, lint and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy -p schedcheck

format: $(READY) ## Format the code, and apply automatic fixes
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

bench: $(READY) ## Run the benchmarks
	@$(BIN)/python -m benchmarks

tla: $(READY) ## Regenerate the modules of the examples
	@$(BIN)/python -m tests.tla.regenerate

tlc: $(READY) ## Run the modules in TLC: make tlc JAR=path/to/tla2tools.jar
	@test -n "$(JAR)" || { echo 'usage: make tlc JAR=path/to/tla2tools.jar' >&2; exit 2; }
	@$(BIN)/python tests/tla/run_tlc.py --jar "$(JAR)"

answers: $(READY) ## Compare TLC and Python on random snapshots and graphs: make answers JAR=path/to/tla2tools.jar
	@test -n "$(JAR)" || { echo 'usage: make answers JAR=path/to/tla2tools.jar' >&2; exit 2; }
	@$(BIN)/python -m tests.tla.parity --jar "$(JAR)"
	@$(BIN)/python -m tests.tla.kubernetes_parity --jar "$(JAR)"
	@$(BIN)/python -m tests.tla.kubernetes_parity --jar "$(JAR)" --broken
	@$(BIN)/python -m tests.tla.production_refinement --jar "$(JAR)"
	@$(BIN)/python -m tests.tla.production_refinement --jar "$(JAR)" --broken
	@$(BIN)/python -m tests.tla.temporal_parity --jar "$(JAR)"

parity: $(READY) ## Compare every operator of tla/ with its twin in Python on at least 500 random snapshots
	@$(BIN)/python -m tests.tla.operators --part printed --part kubernetes --part rollouts
	@$(BIN)/python -m tests.tla.operators --broken

parity-of-groups: $(READY) ## Compare those of PodGroups, each on 150 random clusters: make parity-of-groups COUNT=500
	@$(BIN)/python -m tests.tla.operators --part pod-groups --snapshots $(or $(COUNT),150)

parity-of-pools: $(READY) ## Compare those of the cluster autoscaler and Karpenter on 500 random clusters: make parity-of-pools COUNT=20
	@$(BIN)/python -m tests.tla.operators --part node-pools --part karpenter --snapshots $(or $(COUNT),500)

docs: $(READY) ## Regenerate the outputs on the pages
	@$(BIN)/python -m docs.outputs
	@$(BIN)/python -m docs.notebooks
	@$(BIN)/python -m docs.man

site: $(READY) ## Build the documentation site into docs/_build/html
	@$(PIP) --no-build-isolation --editable '.[dev,docs]'
	@$(BIN)/python -m docs.site

divergences: $(READY) ## Search the smallest case of each divergence, and rewrite their page
	@$(BIN)/python -m docs.divergences

versions: $(READY) ## Search the smallest case of each change between versions, and rewrite their page
	@$(BIN)/python -m docs.versions

wheel: $(READY) ## Build the source distribution and the wheel into dist/
	@rm -rf build dist
	@$(BIN)/python -m build --no-isolation .

clean: ## Remove the virtual environment, caches and build results
	@rm -rf $(VENV) build dist docs/_build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .mutants .enumerated .searched .fuzz .live
	@find . -type d -name __pycache__ -prune -exec rm -rf {} +
