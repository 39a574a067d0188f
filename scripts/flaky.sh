#!/usr/bin/env bash
# flaky.sh runs the tests of one package many times beside two busy loops, with the race detector as make test does. It
# prints each failure; a test that fails once is a defect until its cause is known.
#
#   scripts/flaky.sh PACKAGE TIMES [TESTS]     such as: scripts/flaky.sh ./tools 20 'TestSymbolBundle'
set -uo pipefail
cd "$(dirname "$0")/.."
(($# == 2 || $# == 3)) || { sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit 2; }
package=$1 times=$2 tests=${3:-.}
limit=1200 # seconds for one run
export PATH="${LSPI_SERVERS:-$PWD/.servers}/bin:$PATH"
work=$(mktemp -d)
loops=()
trap 'kill "${loops[@]}" 2>/dev/null; rm -rf "$work"' EXIT
test=$work/$(basename "$package").test # the name that go test gives it
go test -race -c -o "$test" "$package" || exit
for _ in 1 2; do
	(while :; do :; done) &
	loops+=($!)
done
passed=0 failed=0
for ((n = 1; n <= times; n++)); do
	if (cd "$package" && timeout $((limit + 60)) "$test" -test.count=1 -test.timeout="${limit}s" -test.run="$tests") >"$work/said" 2>&1; then
		((passed++))
	else
		((failed++))
		echo "== run $n of $times failed:"
		tail -n 200 "$work/said"
	fi
done
echo "$passed passed, $failed failed"
((failed == 0))
