#!/usr/bin/env bash
# corpora.sh installs the pinned real sources that ./test/compare and ./test/bench ask about into .servers/corpora/ of
# the project, one folder each. It writes nothing else, except the caches of the clients.
#
#   scripts/corpora.sh               all of them, but for the trees of BenchmarkTrees
#   scripts/corpora.sh leveldb ...   only these
#   scripts/corpora.sh --print ...   name, version and folder of each, tab separated; "-" for what is not there
#
# LSPI_SERVERS names another folder than .servers, as for servers.sh, whose node is used.
#
# Everything comes from package registries by their ordinary clients: Go modules, npm, crates.io, PyPI. What is there from
# the same pin already is left alone; scripts/frame.sh says how. The tests change none of them.
set -euo pipefail

self=$(cd "${BASH_SOURCE[0]%/*}" && pwd)/${BASH_SOURCE[0]##*/}
# shellcheck source=scripts/frame.sh
. "${self%/*}/frame.sh"
dir=$base/corpora
limit=300 # seconds for one corpus
at_once=3

# name | version | how | package. Language servers must load each of them without network: its dependencies come along.
columns=(version how package)
table='
x-tools      | 0.45.0 | go    | golang.org/x/tools
cobra        | 1.10.2 | go    | github.com/spf13/cobra
leveldb      | 6.1.1  | cxx   | leveldown
regex-syntax | 0.8.5  | crate | regex-syntax
zod          | 4.1.12 | npm   | zod
click        | 8.1.8  | wheel | click
tree-tools   | 0.23.0 | tools | golang.org/x/tools/gopls
tree-leveldb | 1.23   | deb   | leveldb
tree-ripgrep | 14.1.1 | rg    | ripgrep
tree-clangd  | 22.1.8 | llvm  | llvm-toolchain-22
'

# The trees of benchmarks alone: larger, and laid out as people have them.
apart='tree-tools
tree-leveldb
tree-ripgrep
tree-clangd'

# fields NAME sets the columns and pin.
fields() {
	row "$1"
	# The folder is part of it: compile_commands.json holds absolute paths. The last part is this script's own way of
	# laying the sources out; raise it with every change of that.
	pin="$version|$how|$package|$dir|2"
}

installed() {
	local got
	fields "$1"
	stamped "$1" && [[ -d $dir/$1 ]]
}

# take_npm FOLDER: the package as it was published, unpacked into FOLDER.
take_npm() {
	mkdir -p "$1"
	(cd "$1" && npm pack --ignore-scripts "$package@$version" >/dev/null && tar -xzf ./*.tgz --strip-components=1 && rm -f ./*.tgz)
}

# The module as the proxy gives it, which is read-only in the cache, and everything that it needs, for gopls.
corpus_go() {
	local from
	command -v go >/dev/null || die "missing: Go, the version of go.mod or newer"
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
	need 'command -v g++' g++ # clangd needs its standard library
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

# working_cargo makes cargo run where it is rustup's proxy without a default toolchain: with the toolchains beside it, or else by any that is installed.
working_cargo() {
	! cargo --version >/dev/null 2>&1 || return 0
	local home
	home=$("${self%/*}/rustup_home.sh")
	if [[ $home ]]; then
		export RUSTUP_HOME=$home
		return
	fi
	RUSTUP_TOOLCHAIN=$(rustup toolchain list 2>/dev/null | sed -n 's/^\([a-z0-9.]*-[^ ]*\).*/\1/p' | head -n 1)
	export RUSTUP_TOOLCHAIN
	cargo --version >/dev/null 2>&1 ||
		die "missing: a Rust toolchain: $(command -v cargo) is rustup's, and has none for HOME=$HOME. Run: rustup default stable, or set RUSTUP_HOME to that of the user who has one"
}

# Without the optional dependencies, so that cargo metadata needs neither network nor a lock file.
corpus_crate() {
	need 'command -v cargo' cargo
	working_cargo
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
	need 'python3 -m pip --version' python3 python3-pip
	python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d "$work/wheel" "$package==$version"
	mkdir "$new"
	python3 -m zipfile -e "$work"/wheel/*.whl "$new"
	printf '{}\n' >"$new/pyrightconfig.json"
}

# The folder gopls/ of x/tools is a module of its own.
corpus_tools() {
	cp -R "$("$self" --print x-tools | cut -f 3)" "$new"
	cp -R "$(cd "$(mktemp -d "$work/XXXXXX")" && GOFLAGS='' GOWORK=off go mod download -json "$package@v$version" |
		sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p')" "$new/gopls"
	chmod -R u+w "$new"
	(cd "$new/gopls" && GOFLAGS='' GOWORK=off go mod download && GOFLAGS='' GOWORK=off GOPROXY=off go list -deps ./... >/dev/null)
}

# Debian's source; the database lists what the library is made of, and neither tests nor benchmarks.
corpus_deb() {
	local mirror file comma=
	need 'command -v g++' g++
	mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true; } |
		grep -v '^[[:space:]]*#' | grep -oE 'https?:/[^[:space:]]*/debian(/[^[:space:]]*)?' | head -n 1)
	curl -fsSL "${mirror%/}/pool/main/${package:0:1}/$package/${package}_$version.orig.tar.gz" | tar -xzC "$work"
	mv "$work/$package-$version" "$new"
	cd "$new"
	{
		echo '['
		for file in db/*.cc table/*.cc util/*.cc helpers/memenv/*.cc; do
			case $file in *_test.cc | util/env_windows.cc | db/leveldbutil.cc | util/testutil.cc) continue ;; esac
			printf '%s{"directory": "%s", "file": "%s/%s", "arguments": ["g++", "-std=c++11", "-I.", "-Iinclude",' \
				"$comma" "$final" "$final" "$file"
			printf ' "-DLEVELDB_PLATFORM_POSIX=1", "-c", "%s"]}' "$file"
			comma=$',\n'
		done
		printf '\n]\n'
	} >compile_commands.json
}

# The crates of ripgrep's repository as one workspace, each used by the others by its path; all others are vendored.
corpus_rg() {
	local crate
	need 'command -v cargo' cargo
	working_cargo
	mkdir -p "$new/src"
	cd "$new"
	: >src/lib.rs
	printf '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n' "$package" "$version" >Cargo.toml
	cargo vendor -q vendor >config.toml
	mkdir -p crates .cargo
	mv config.toml .cargo/config.toml
	printf '[workspace]\nresolver = "2"\nmembers = ["crates/*"]\n[patch.crates-io]\n' >Cargo.toml
	for crate in ripgrep globset grep grep-cli grep-matcher grep-printer grep-regex grep-searcher ignore; do
		mv "vendor/$crate" "crates/$crate"
		rm -f "crates/$crate"/{.cargo-checksum.json,Cargo.toml.orig,Cargo.lock}
		# Without what no build here needs: optional dependencies and what they are features for, and those of tests.
		awk 'function flush() { if (!(part ~ /^\[.*dependencies\./ && part ~ /optional = true/)) printf "%s", part; part = "" }
			/^\[/ { flush(); skip = /dev-dependencies|^\[profile/; features = /^\[features\]/ }
			features && !/^\[/ { if (/^[a-zA-Z0-9_-]+ *=/) part = part $1 " = []\n"; next }
			!skip { part = part $0 "\n" }
			END { flush() }' "crates/$crate/Cargo.toml" >Cargo.toml.new
		mv Cargo.toml.new "crates/$crate/Cargo.toml"
		printf '%s = { path = "crates/%s" }\n' "$crate" "$crate" >>Cargo.toml
	done
	rm -rf src Cargo.lock
	printf 'vendor/\ntarget/\n' >.gitignore
	cargo metadata --offline --format-version 1 >/dev/null
}

# clangd's own part of LLVM's clang-tools-extra, as Debian's source package has it, in project/; beside it the headers of
# the suite, of clang and LLVM among them, and what their build makes. The database lists every source that is left.
corpus_llvm() {
	local file llvm=${package##*-} out=() comma=
	need 'command -v python3' python3
	suite "$work/source" trixie source
	(cd "$work/source" && apt-get "${apt[@]}" source --download-only --tar-only "$package")
	compgen -G "$work/source/${package}_$version"'*.orig.tar.xz' >/dev/null || die "the suite has no $package $version"
	mkdir -p "$new/project" "$new/headers" "$new/made" "$work/headers"
	tar -xJf "$work/source/${package}_$version"*.orig.tar.xz -C "$new/project" --strip-components=2 --wildcards \
		'*/clang-tools-extra/clangd/*' '*/clang-tools-extra/clang-tidy/*.h' '*/clang-tools-extra/include-cleaner/*'
	suite "$work/lists" trixie
	apt-get "${apt[@]}" install -y --download-only g++ "libclang-$llvm-dev" "llvm-$llvm-dev"
	for file in "$work"/lists/cache/archives/*-dev_*.deb; do dpkg-deb -x "$file" "$work/headers"; done
	mkdir -p "$new/headers/usr/lib/llvm-$llvm"
	mv "$work/headers/usr/include" "$new/headers/usr"
	mv "$work"/headers/usr/lib/{gcc,linux} "$new/headers/usr/lib"
	mv "$work/headers/usr/lib/llvm-$llvm/include" "$new/headers/usr/lib/llvm-$llvm"
	cd "$new/project"
	sed -e 's/@CLANGD_MALLOC_TRIM@/1/; s/@[A-Z_]*@/0/' clangd/Features.inc.in >../made/Features.inc
	: >../made/clang-tidy-config.h
	python3 clangd/quality/CompletionModelCodegen.py --filename CompletionModel --cpp_class clang::clangd::Example \
		--model clangd/quality/model --output_dir ../made
	# What needs gRPC, another system, or a part of LLVM's tests.
	find . -depth -type d \( -name remote -o -name xpc -o -name unittests -o -name test -o -name fuzzer -o -name benchmarks \) \
		-exec rm -rf {} +
	out=(clang++ -std=c++17 -fno-rtti -fno-exceptions -w "--sysroot=$final/headers" -Iclangd -Iinclude-cleaner/include -I.
		"-I$final/made" "-I$final/headers/usr/lib/llvm-$llvm/include" -D_GNU_SOURCE -D__STDC_CONSTANT_MACROS
		-D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS -c)
	{
		echo '['
		while IFS= read -r file; do
			printf '%s{"directory": "%s", "file": "%s/%s", "command": "%s %s"}' "$comma" "$final/project" "$final/project" \
				"$file" "${out[*]}" "$file"
			comma=$',\n'
		done < <(find . -name '*.cpp' | sed 's|^\./||' | sort)
		printf '\n]\n'
	} >compile_commands.json
}

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
	stamp "$1"
}

# places NAME is its folder.
places() { echo "$dir/$1"; }

main "$@"
