#!/usr/bin/env bash
# rustup_home.sh prints the RUSTUP_HOME that cargo needs to run, and nothing where it runs as it is, or cannot run at all.
# rustup's cargo finds its toolchains by HOME. With another HOME than that of the user who installed it there are none, though they lie beside it:
# cargo in .cargo/bin, the toolchains in .rustup.
set -uo pipefail
! cargo --version >/dev/null 2>&1 || exit 0
cargo=$(command -v cargo) || exit 0
home=${cargo%/*/bin/cargo}/.rustup
! RUSTUP_HOME=$home cargo --version >/dev/null 2>&1 || echo "$home"
