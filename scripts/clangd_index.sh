#!/usr/bin/env bash
# clangd_index.sh makes clangd-indexer and clangd-index-server of the pinned clangd and puts them beside the servers of
# servers.sh. No package has them: they are compiled from Debian's source package of LLVM against its libraries, with
# the compiler of the same suite in a folder of its own. It downloads 0.5 GB, needs 3 GB of disk meanwhile, and takes
# some five minutes.
set -euo pipefail

self=$(cd "${BASH_SOURCE[0]%/*}" && pwd)/${BASH_SOURCE[0]##*/}
columns=(version launchers how details)
table=$(grep '^clangd ' "${self%/*}/../lsp/servers/pins.txt")
# shellcheck source=scripts/frame.sh
. "${self%/*}/frame.sh"

programs=(clangd-indexer clangd-index-server)
row clangd
read -r release package _ <<<"$details"
llvm=${package##*-} home=$base/deb/clangd-index work=$base/deb/clangd-index.work

if [[ $(cat "$home/version" 2>/dev/null || true) == "$version $base" ]]; then exit 0; fi
command -v apt-get >/dev/null || die "they are made from Debian packages, and there is no apt-get"
"${self%/*}/servers.sh" clangd bubblewrap

suite "$work.source" "$release" source
mkdir -p "$work.source/llvm"
(cd "$work.source" && apt-get "${apt[@]}" source --download-only --tar-only "llvm-toolchain-$llvm")
tar -xJf "$work.source"/llvm-toolchain-*.orig.tar.xz -C "$work.source/llvm" --strip-components=2 --wildcards \
	'*/clang-tools-extra/clangd/*' '*/clang-tools-extra/clang-tidy/*.h' '*/clang-tools-extra/include-cleaner/include/*'

suite "$work" "$release"
apt-get "${apt[@]}" install -y --download-only g++ "libclang-$llvm-dev" "llvm-$llvm-dev" libgrpc++-dev libprotobuf-dev \
	protobuf-compiler protobuf-compiler-grpc
root=$work/root
mkdir -p "$root"
for file in "$work"/cache/archives/*.deb; do dpkg-deb -x "$file" "$root"; done
for dir in bin lib lib64; do ln -sfn "usr/$dir" "$root/$dir"; done # as base-files has them

# inside WORD... runs a program of the suite, in the folder of the sources.
inside() {
	nice -n 19 "$base/bin/bwrap" --bind "$root" / --dev /dev --proc /proc --tmpfs /tmp --bind "$work.source/llvm" /src \
		--chdir /src --setenv PATH /usr/bin "$@"
}

src=$work.source/llvm
mkdir -p "$src/gen"
sed -e 's/@CLANGD_ENABLE_REMOTE@/1/; s/@CLANGD_MALLOC_TRIM@/1/; s/@[A-Z_]*@/0/' "$src/clangd/Features.inc.in" \
	>"$src/gen/Features.inc"
inside protoc --proto_path=clangd/index/remote --cpp_out=gen --grpc_out=gen \
	--plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin Index.proto Service.proto MonitoringService.proto
flags=(-std=c++17 -O1 -fno-rtti -fno-exceptions -w -Igen -Iclangd -Iinclude-cleaner/include "-I/usr/lib/llvm-$llvm/include"
	-D_GNU_SOURCE -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS -DGOOGLE_PROTOBUF_NO_RTTI=1)
# What clangd itself is made of is in archives; clang and LLVM, which are larger, in the libraries that clangd loads.
libs=("-L/usr/lib/llvm-$llvm/lib" -s -Wl,--copy-dt-needed-entries,--as-needed,--gc-sections,--start-group)
for lib in "$root/usr/lib/llvm-$llvm/lib"/lib{clangTidy,clangdR,clangdMonitoringServiceProto}*.a; do
	libs+=("-l:${lib##*/}")
done
libs+=(-lclangQuery -lclangDynamicASTMatchers -lclangDaemon -lclangdSupport -lclangIncludeCleaner -Wl,--end-group)
for lib in "$root/usr/lib/llvm-$llvm/lib"/lib{clang-cpp,LLVM}.so.*.*; do libs+=("-l:${lib##*/}"); done
libs+=(-lgrpc++ -lprotobuf)
# They run with the loader and the libraries of the clangd beside them, which has its headers there, too.
libs+=("-Wl,--disable-new-dtags,-rpath,$home/lib,--dynamic-linker=$home/lib/ld-linux-x86-64.so.2")
inside g++ "${flags[@]}" clangd/indexer/IndexerMain.cpp -o clangd-indexer "${libs[@]}"
inside g++ "${flags[@]}" clangd/index/remote/server/Server.cpp -o clangd-index-server "${libs[@]}"

rm -rf "$home"
mkdir -p "$home/bin"
ln -s ../clangd/lib "$home/lib"
for name in "${programs[@]}"; do
	mv "$src/$name" "$home/bin/$name"
	ln -sfn "$home/bin/$name" "$base/bin/$name"
	"$home/bin/$name" --version | head -n 1
done
rm -rf "$work" "$work.source"
echo "$version $base" >"$home/version"
