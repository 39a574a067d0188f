#!/usr/bin/env bash
# hosts.sh installs the pinned MCP hosts that `make hosts` runs into .servers/hosts/ of the project, one folder each,
# with a launcher in .servers/hosts/bin. It writes nothing else, except the caches of npm and pip.
#
#   scripts/hosts.sh               all of them
#   scripts/hosts.sh opencode ...  only these
#   scripts/hosts.sh --print ...   name, version and launcher of each, tab separated; "-" for what is not installed
#
# LSPI_SERVERS names another folder than .servers, as for servers.sh, whose node runs npm and the hosts.
#
# Everything comes from the npm registry and PyPI by their ordinary clients, from npm without install scripts: they would
# download from elsewhere. What is installed from the same pin already is left alone; scripts/frame.sh says how.
set -euo pipefail

self=$(cd "${BASH_SOURCE[0]%/*}" && pwd)/${BASH_SOURCE[0]##*/}
# shellcheck source=scripts/frame.sh
. "${self%/*}/frame.sh"
dir=$base/hosts
limit=600 # seconds for one host

# name | version | package | program
#   a name    of node_modules/.bin, run by node
#   !PATH     of node_modules, runs by itself
#   pip:NAME  the package is one of PyPI, and this is its command; run by the Python of servers.sh
columns=(version package program)
table='
opencode | 1.18.33 | opencode-ai               | !opencode-linux-*/bin/opencode
gemini   | 0.61.0  | @google/gemini-cli        | gemini
qwen     | 0.24.4  | @qwen-code/qwen-code      | qwen
cline    | 3.0.65  | cline                     | cline
copilot  | 1.0.102 | @github/copilot           | copilot
codex    | 0.169.0 | @openai/codex             | codex
kimi     | 2.1.0   | @moonshot-ai/kimi-code    | kimi
claude   | 2.1.197 | @anthropic-ai/claude-code | !@anthropic-ai/claude-code-linux-*/claude
cn       | 1.5.47  | @continuedev/cli          | cn
vibe     | 3.0.2   | mistral-vibe              | pip:vibe
'

# fields NAME sets the columns and pin.
fields() {
	row "$1"
	pin="$version|$package|$program|$dir" # launchers hold absolute paths
}

installed() {
	local got
	fields "$1"
	stamped "$1" && [[ -x $dir/bin/$1 ]]
}

install() {
	fields "$1"
	local home=$dir/npm/$1 node python run
	rm -f "$dir/stamp/$1"
	case $program in
	pip:*)
		home=$dir/pip/$1 python=python3
		# mistral-vibe 3.0 needs Python 3.12.
		python3 -c 'import sys; sys.exit(sys.version_info < (3, 12))' || { "${self%/*}/servers.sh" python; python=$(readlink -f "$base/bin/python3.13"); }
		pip_folder "$home" "$python" "$package==$version"
		set -- "$1" "$home/bin/${program#pip:}"
		;;
	!*)
		npm_folder "$home" "$package@$version"
		# shellcheck disable=SC2086 # the program of this machine is a pattern
		run=$(ls -d "$home"/node_modules/${program#!} | head -n 1)
		chmod +x "$run"
		set -- "$1" "$run"
		;;
	*)
		npm_folder "$home" "$package@$version"
		run=$(readlink -f "$home/node_modules/.bin/$program")
		chmod +x "$run"
		if head -c 64 "$run" | grep -q '^#!.*node'; then set -- "$1" "$node" "$run"; else set -- "$1" "$run"; fi
		;;
	esac
	{ printf '#!/bin/sh\nexec'; printf ' "%s"' "${@:2}"; printf ' "$@"\n'; } >"$dir/bin/$1"
	chmod +x "$dir/bin/$1"
	stamp "$1"
}

# places NAME is its launcher.
places() { echo "$dir/bin/$1"; }

main "$@"
