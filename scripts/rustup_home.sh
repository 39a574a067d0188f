#!/usr/bin/env bash
# rustup_home.sh prints the RUSTUP_HOME that cargo needs to run, and nothing where it runs as it is, or cannot run at
# all. rustup's cargo finds its toolchains by HOME. With another HOME than that of the user who installed it there are
# none, though they lie beside it: cargo in .cargo/bin, the toolchains in .rustup.
set -uo pipefail
export RUSTUP_AUTO_INSTALL=0 # to look downloads nothing
! cargo --version >/dev/null 2>&1 || exit 0
cargo=$(command -v cargo) || exit 0
home=${cargo%/*/bin/cargo}/.rustup
[[ -d $home/toolchains ]] || exit 0 # rustup makes the folder that it does not find
! RUSTUP_HOME=$home cargo --version >/dev/null 2>&1 || echo "$home"
