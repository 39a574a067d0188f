#!/usr/bin/env bash
# The checks of CI that need no language server: gofmt, vet, staticcheck, go.mod, the version of the LSP library, and
# generated files. Changes nothing: what a command would rewrite is compared and restored.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${LSPI_SERVERS:-$PWD/.servers}/bin:$PATH"
failed=0

say() { printf '%s\n' "$*" >&2; failed=1; }

unformatted=$(git ls-files '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || say "gofmt: $unformatted"

go vet ./... || say 'go vet found something'
go vet -tags man ./cmd/lspi || say "go vet found something in the man pages"
for os in darwin windows; do
  GOOS=$os go build ./... || say "go build for $os found something"
  GOOS=$os go vet ./... || say "go vet for $os found something"
done

if command -v staticcheck >/dev/null; then
  staticcheck ./... || say 'staticcheck found something'
else
  say 'staticcheck is missing: run scripts/servers.sh staticcheck'
fi

go mod tidy -diff >/dev/null || say 'go.mod or go.sum is stale: run go mod tidy'

# The version list of the LSP library ends at v0.12.0 of 2022, which drops data silently.
for module in protocol jsonrpc2 uri; do
  version=$(go list -m -f '{{.Version}}' "go.lsp.dev/$module")
  case $version in
    v1.*) ;;
    *) say "go.lsp.dev/$module is $version, not v1" ;;
  esac
done

go run ./internal/house -check || say 'the code has grown beyond its limits'

go run ./cmd/lspi/internal/gen -check || say 'a generated file is stale: run make generate'

exit "$failed"
