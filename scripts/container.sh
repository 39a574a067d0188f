#!/usr/bin/env bash
# container.sh builds the image lspi from packaging/Containerfile and the deb in dist, and asks it a question, with the
# first of podman, docker and buildah that works here. When none does, it says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."
builder=
for one in podman docker buildah; do
  if command -v "$one" >/dev/null && "$one" info >/dev/null 2>&1; then builder=$one; break; fi
done
[[ -n $builder ]] || { echo "container.sh: no container was built: none of podman, docker and buildah works here"; exit 0; }
case $(uname -m) in
x86_64) arch=amd64 ;;
aarch64) arch=arm64 ;;
*) echo "container.sh: no deb for $(uname -m)"; exit 1 ;;
esac
compgen -G "dist/lspi_*_$arch.deb" >/dev/null || { echo "container.sh: run make packages first"; exit 1; }
"$builder" build -f packaging/Containerfile --build-arg "TARGETARCH=$arch" -t lspi .
[[ $builder != buildah ]] || exit 0
"$builder" run --rm -v "$PWD:$PWD:ro" -w "$PWD" lspi call find_references file_path=cmd/lspi/version.go symbol_name=version
