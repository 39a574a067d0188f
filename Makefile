# The two commands are demo and test; the rest is for whoever works on lspi.

BIN := bin/lspi
# LSPI_SERVERS names a folder that several checkouts share.
SERVERS := $(or $(LSPI_SERVERS),$(CURDIR)/.servers)/bin
export PATH := $(SERVERS):$(PATH)
RUSTUP := $(shell scripts/rustup_home.sh)
ifneq ($(RUSTUP),)
export RUSTUP_HOME := $(RUSTUP)
endif

.PHONY: demo session test test-all build packages packages-test container servers generate check bench benchmarks benchmarks-shared benchmarks-others large proofs faults hosts hooks hooks-hosts hooks-searches conformance soak soak-shared edit-loop audit-trial clangd-index moves fresh explore nightly clean

# Builds lspi, makes sure that gopls is there, and shows a session over stdio against lspi's own source.
demo: build
	@scripts/servers.sh gopls
	@go run ./cmd/lspi/internal/demo $(BIN)

# Writes the session that README shows, and its picture.
session: build
	@scripts/servers.sh gopls
	go run ./cmd/lspi/internal/demo $(BIN) -record README.md

# What make test installs: the servers that its tests run. The others are for make proofs and make test-all.
TESTED := gopls clangd rust-analyzer typescript-language-server typescript pyright basedpyright bash-language-server \
	yaml-language-server vscode-langservers-extracted ruff mcp-inspector cmake mcp-server-everything mcp-server-filesystem mcp-server-time bubblewrap
# The packages that take longest come first, and those that wait most: at the end waits leave the processors idle. Six
# at a time: a running test keeps its place from the compiler, and waits for a third of its time (starts of servers,
# deadlines); with four the processors were idle for a fifth of the first ninety seconds. check.sh vets; a program with
# the race detector would wait for a second when it ends.
# The scripted server of the tests is a program without the detector: half of the time of the tests that have one was its own.
RACED := $(CURDIR)/bin/lspi-race
FAKELS := $(CURDIR)/bin/fakels
# Half of a fresh machine's work is compiling. Nobody debugs these programs: without DWARF (stack traces keep their lines) and with fewer
# collections a compiler takes 2.8 s of CPU for ./tools instead of 4.5 s, and the tests and their gopls a tenth less.
SPARING := GOGC=400
# The types of LSP are the largest package, a tenth of what is compiled: a third less without inlining.
DETECTOR := -race -gcflags=all=-dwarf=false '-gcflags=go.lsp.dev/protocol=-dwarf=false -l' -ldflags='-s -w'
PROGRAMS := $(SPARING) go build -buildvcs=false $(DETECTOR) -o $(RACED) ./cmd/lspi && $(SPARING) go build -o $(FAKELS) ./cmd/lspi/internal/fakels
RACE := $(SPARING) GORACE=atexit_sleep_ms=0 LSPI_TEST_PROGRAM=$(RACED) LSPI_TEST_FAKELS=$(FAKELS) go test $(DETECTOR) -vet=off -p 6
LONGEST := ./tools ./test/faults ./cmd/lspi ./lsp ./cmd/lspi/internal/gateway/mcpclient ./cmd/lspi/internal/mcpserver ./router ./test/trial ./test/soak ./test/compare ./lsp/edit ./lsp/watch ./tools/recall ./cmd/lspi/internal/config ./cmd/lspi/internal/daemon

# Makes sure of every language server and source that the tests use, then runs the tests with the race detector: each
# feature at one real server at least. The compiler works while the servers are installed, and the longest tests run while it compiles the others.
test:
	@mkdir -p bin
	{ $(PROGRAMS); } & compiler=$$!; \
		{ while kill -0 $$compiler 2>/dev/null; do sleep 1; done; exec env $(SPARING) go list $(DETECTOR) -deps -test -export ./... >/dev/null 2>&1; } & ahead=$$!; \
		scripts/servers.sh $(TESTED) && scripts/corpora.sh && wait $$compiler; made=$$?; kill $$ahead 2>/dev/null; exit $$made
	$(RACE) -timeout 25m $(LONGEST) ./...

# Runs all of the matrix: every test at every server, and the whole of what a run of every day does a part of. It takes
# an hour or more. LSPI_COMPARE_POSITIONS=500, LSPI_PARTIAL=500 and LSPI_CHECKS=1000 make it longer.
test-all:
	scripts/servers.sh
	scripts/corpora.sh
	mkdir -p bin && $(PROGRAMS)
	LSPI_TESTS=all LSPI_FAULTS=all LSPI_RENAMES=all LSPI_TREES=all LSPI_ACTIONS=all LSPI_RELOADS=1000 \
		$(RACE) -timeout 3h $(LONGEST) ./...

# The version is that of the tag, where there is git; else what the module says.
VERSION = $(shell scripts/version.sh)
build:
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w$(if $(VERSION), -X main.release=v$(VERSION))' -o $(BIN) ./cmd/lspi

# Everything that a release has, into dist (docs/releasing.md). HOMEPAGE is the page of the project, ONLY some parts: ONLY=programs,documents,wheels.
# packages-test installs and runs what this machine can.
HOMEPAGE := https://example.com/lspi
packages:
	scripts/servers.sh node hatchling
	go run ./scripts/packages -version '$(VERSION)' -homepage '$(HOMEPAGE)' $(if $(ONLY),-only $(ONLY))

packages-test:
	scripts/packages-test.sh

# An image with lspi and language servers, where podman, docker or buildah works.
container:
	scripts/container.sh

servers:
	scripts/servers.sh

# Writes what is generated: tables in README and docs, docs/contract.md.
generate:
	go run ./cmd/lspi/internal/gen

# What CI checks besides the tests.
check:
	scripts/check.sh

# The larger sources of BenchmarkTrees.
TREES := tree-tools tree-leveldb tree-ripgrep

# lspi beside raw LSP in all ways. BENCH selects: BENCH=Rows/gopls/references.
BENCH := .
bench: build
	scripts/servers.sh $(SOAK_SERVERS)
	scripts/corpora.sh
	scripts/corpora.sh $(TREES)
	go test -run '^$$' -bench '$(BENCH)' -benchtime 200x -timeout 40m ./test/bench ./lsp/wire ./lsp/watch ./router

# Measures every row of bench at every server and writes docs/benchmarks.md: 15 minutes of a machine that does nothing else.
benchmarks:
	scripts/servers.sh $(SOAK_SERVERS)
	scripts/corpora.sh
	scripts/corpora.sh $(TREES)
	go test -count 1 -run '^$$' -bench 'Rows|Trees|Cold' -timeout 60m ./test/bench -update

# Measures what sharing one process brings, and writes docs/benchmarks-shared.md: three minutes.
benchmarks-shared:
	scripts/servers.sh gopls clangd rust-analyzer
	scripts/corpora.sh
	go test -count 1 -run '^$$' -bench Shared -timeout 20m ./test/bench -update

# Measures what lspi adds to calls of other MCP servers, and writes it into docs/mcp-servers.md: a minute.
benchmarks-others:
	scripts/servers.sh mcp-server-everything
	go test -count 1 -run '^$$' -bench Others -benchtime 1x -timeout 10m ./test/bench -update

# Measures large projects and writes the tables of docs/large.md, with the picture: an hour, 6 GB of memory, 3 GB of disk, and the
# network for kubernetes and LLVM. LSPI_LARGE=rust,worktrees measures some; tables of which nothing is measured stay.
large:
	scripts/servers.sh gopls clangd rust-analyzer typescript-language-server typescript bubblewrap scip-go scip-typescript
	scripts/clangd_index.sh
	scripts/corpora.sh x-tools leveldb tree-ripgrep tree-clangd
	LSPI_LARGE=$(or $(LSPI_LARGE),all) go test -count 1 -run '^$$' -bench Large -timeout 150m ./test/bench -update

# Asks every proven server what its script says, and writes docs/servers.md.
proofs:
	scripts/servers.sh
	LSPI_TESTS=all go test -count 1 -p 1 -timeout 60m ./test/proofs -update

# Runs every cell of the fault matrix and writes docs/faults.md.
faults:
	scripts/servers.sh
	LSPI_FAULTS=all go test -count 1 -timeout 30m ./test/faults -update

# Runs the real MCP hosts with a stand-in for their model and writes docs/hosts.md.
hosts:
	scripts/servers.sh gopls node
	scripts/hosts.sh
	LSPI_HOSTS=all go test -count 1 -timeout 30m ./test/hosts -update

# Plays 200 edits in each of five languages through lspi hook, holds what it tells against the compiler, and writes the table of docs/hooks.md.
hooks: build
	scripts/servers.sh gopls clangd rust-analyzer typescript-language-server typescript pyright
	LSPI_HOOKS=all LSPI_TEST_PROGRAM=$(CURDIR)/$(BIN) go test -count 1 -timeout 40m -run TestHookTrial -v ./test/trial -update

# The same edits by the models of the real hosts, 40 in each language. LSPI_HOSTS=claude,codex and LSPI_HOOK_LANGUAGES=go,rust run a part, whose rows alone are written.
hooks-hosts: export LSPI_HOSTS := $(or $(LSPI_HOSTS),all)
hooks-hosts: build
	scripts/servers.sh gopls clangd rust-analyzer typescript-language-server typescript pyright node
	scripts/hosts.sh claude codex gemini
	LSPI_HOOKS=hosts LSPI_TEST_PROGRAM=$(CURDIR)/$(BIN) go test -count 1 -timeout 60m -run TestHookTrial -v ./test/hosts -update

# Searches for SEARCHES random identifiers in each of five corpora, and holds what the model is told behind them against the servers.
SEARCHES := 100
hooks-searches:
	scripts/servers.sh $(SOAK_SERVERS)
	scripts/corpora.sh
	LSPI_SEARCHES=$(SEARCHES) go test -count 1 -timeout 40m -run TestSearchTrial -v ./test/compare -update

# Runs the conformance tests of MCP against lspi over HTTP and writes docs/conformance.md.
conformance:
	scripts/servers.sh mcp-conformance mcp-server-everything
	LSPI_CONFORMANCE=all go test -count 1 -timeout 10m -run TestConformance ./cmd/lspi -update

# Edits, questions, kills and cancellations against real servers, each answer held against the truth: SOAK_FOR for each
# of SOAK_SERVERS, one after the other. SOAK_SEED repeats the same edits and questions; without it each run has its own.
SOAK_SERVERS := gopls clangd rust-analyzer typescript-language-server pyright
SOAK_FOR := 20m
soak: build
	scripts/servers.sh $(SOAK_SERVERS)
	for server in $(SOAK_SERVERS); do go run ./test/soak -lspi $(BIN) -server $$server -for $(SOAK_FOR) $(if $(SOAK_SEED),-seed $(SOAK_SEED)) || exit 1; done

# The same with four hosts that share one process.
soak-shared: build
	scripts/servers.sh $(SOAK_SERVERS)
	for server in $(SOAK_SERVERS); do go run ./test/soak -lspi $(BIN) -server $$server -hosts 4 -for $(SOAK_FOR) $(if $(SOAK_SEED),-seed $(SOAK_SEED)) || exit 1; done

# The edit loop of an agent LOOPS times at each of SOAK_SERVERS: an error into a file, its diagnostics, the error mended, its diagnostics.
LOOPS := 500
edit-loop: build
	scripts/servers.sh $(SOAK_SERVERS)
	for server in $(SOAK_SERVERS); do go run ./test/soak -lspi $(BIN) -server $$server -loop -steps $(LOOPS) -for 1h $(if $(SOAK_SEED),-seed $(SOAK_SEED)) || exit 1; done

# Moves uses of random symbols to where the servers do not see them, and asks, TRIALS times in each of the corpora: no
# answer that is called complete may lack the place. LSPI_COMPARE_SEED gives other symbols.
TRIALS := 200
audit-trial:
	scripts/servers.sh $(SOAK_SERVERS)
	scripts/corpora.sh
	LSPI_TRIALS=$(TRIALS) go test -count 1 -v -run TestAuditTrial -timeout 5h ./test/compare

# Makes clangd-indexer and clangd-index-server from Debian's packages, holds the answers by them against those by clangd's
# own index, and compares what the first answer takes (docs/index.md).
clangd-index:
	scripts/clangd_index.sh
	LSPI_TESTS=own go test -count 1 -run TestExternalIndex -timeout 10m ./tools
	LSPI_TESTS=own go test -run '^$$' -bench RemoteIndex -benchtime 1x -timeout 30m ./test/bench

# Moves random files, folders and declarations of the corpora, and asks how their code goes together: each move is held
# against the project's compiler, and the raw server's own edit, each path against the raw server. LSPI_MOVES_IN names
# some of the corpora. The last line of each is its row of docs/moves.md.
MOVES := 20
moves:
	scripts/servers.sh $(SOAK_SERVERS) typescript basedpyright
	scripts/corpora.sh
	scripts/corpora.sh tree-ripgrep
	LSPI_MOVES=$(MOVES) LSPI_SYMBOL_MOVES=$(MOVES) go test -count 1 -v -run 'TestMoves|TestSymbolMoves' -timeout 5h ./test/trial

# Makes random changes to the corpora, and asks a session that was there and a new one the same; the rounds of each.
FRESH := 20
fresh:
	scripts/servers.sh $(SOAK_SERVERS) typescript basedpyright
	scripts/corpora.sh
	scripts/corpora.sh tree-ripgrep
	LSPI_FRESH=$(FRESH) go test -count 1 -v -run TestFresh -timeout 5h ./test/trial

explore:
	scripts/servers.sh $(SOAK_SERVERS)
	scripts/corpora.sh
	LSPI_EXPLORE=all go test -count 1 -v -run TestExplore -timeout 1h ./test/compare

# What is too long for every change, part by part.
nightly:
	.ci/nightly

clean:
	rm -rf bin
