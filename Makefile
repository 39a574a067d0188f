# The two commands are demo and test; the rest is for whoever works on lspi.

BIN := bin/lspi
# LSPI_SERVERS names a folder that several checkouts share.
SERVERS := $(or $(LSPI_SERVERS),$(CURDIR)/.servers)/bin
export PATH := $(SERVERS):$(PATH)

.PHONY: demo test build servers generate check bench faults hosts soak clean

# Builds lspi, makes sure that gopls is there, and shows a session over stdio against lspi's own source.
demo: build
	@scripts/servers.sh gopls
	@go run ./cmd/lspi/internal/demo $(BIN)

# Makes sure of every language server and source that the tests use, then runs all tests with the race detector.
test:
	scripts/servers.sh
	scripts/corpora.sh
	# The two that take longest first, beside each other.
	go test -race -timeout 30m ./tools ./compare ./...

build:
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o $(BIN) ./cmd/lspi

servers:
	scripts/servers.sh

# Writes what is generated: the tables in README.
generate:
	go run ./cmd/lspi/internal/gen

# What CI checks besides the tests.
check:
	scripts/check.sh

bench: build
	scripts/servers.sh gopls
	scripts/corpora.sh
	go test -run '^$$' -bench . -benchtime 200x -timeout 20m ./bench ./lsp/wire ./lsp/watch ./router

# Runs every cell of the fault matrix and writes docs/faults.md.
faults:
	scripts/servers.sh
	LSPI_FAULTS=all go test -count 1 -timeout 30m ./faults -update

# Runs the real MCP hosts with a stand-in for their model and writes docs/hosts.md.
hosts:
	scripts/servers.sh gopls node
	scripts/hosts.sh
	LSPI_HOSTS=all go test -count 1 -timeout 30m ./hosts -update

# Edits, questions, kills and cancellations against real servers, each answer held against the truth: SOAK_FOR for each
# of SOAK_SERVERS, one after the other.
SOAK_SERVERS := gopls clangd rust-analyzer typescript-language-server pyright
SOAK_FOR := 20m
soak: build
	scripts/servers.sh $(SOAK_SERVERS)
	for server in $(SOAK_SERVERS); do go run ./soak -lspi $(BIN) -server $$server -for $(SOAK_FOR) || exit 1; done

clean:
	rm -rf bin
