#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the daybook binary of a release for this machine, after checking its checksum.
#
#     DAYBOOK_RELEASES=https://example.com/daybook/v0.1.0 sh install.sh
#
# DAYBOOK_RELEASES  folder of the release: the archives and SHA256SUMS (required)
# DAYBOOK_BIN       folder to install to; ~/.local/bin if not given
set -eu

fail() {
  echo "install: $*" >&2
  exit 1
}

from=${DAYBOOK_RELEASES:-}
[ -n "$from" ] || fail "DAYBOOK_RELEASES is not set; it is the address of a release, such as https://example.com/daybook/v0.1.0"
to=${DAYBOOK_BIN:-$HOME/.local/bin}

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) fail "there is no binary for $(uname -s) here; on Windows take the zip file of the release" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no binary for $(uname -m); build from source with 'make build'" ;;
esac

if command -v curl >/dev/null; then
  fetch() { curl -fsSL -o "$2" "$1"; }
elif command -v wget >/dev/null; then
  fetch() { wget -q -O "$2" "$1"; }
else
  fail "curl or wget is needed"
fi
if command -v sha256sum >/dev/null; then
  sum() { sha256sum "$1" | cut -d' ' -f1; }
else
  sum() { shasum -a 256 "$1" | cut -d' ' -f1; }
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fetch "$from/SHA256SUMS" "$work/SHA256SUMS" || fail "cannot fetch $from/SHA256SUMS"
entry=$(grep "_${system}_${arch}.tar.gz\$" "$work/SHA256SUMS") || fail "the release has no binary for $system/$arch"
want=${entry%% *}
name=${entry##* }
fetch "$from/$name" "$work/$name" || fail "cannot fetch $from/$name"
[ "$(sum "$work/$name")" = "$want" ] || fail "the checksum of $name is wrong; nothing was installed"

tar -xzf "$work/$name" -C "$work" daybook
mkdir -p "$to"
mv "$work/daybook" "$to/.daybook.new"
mv "$to/.daybook.new" "$to/daybook" # also while the old one runs
"$to/daybook" version
echo "installed as $to/daybook"
case ":$PATH:" in
*":$to:"*) ;;
*) echo "add $to to your PATH: export PATH=\"$to:\$PATH\"" ;;
esac
