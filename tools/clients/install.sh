#!/bin/sh
# Installs what tests of clients need, pinned, into a cache folder outside of the
# repository, and prints what to run: the interpreter of a virtual environment (python,
# own-python), or the folder that holds node_modules (node, own-node). The first of each
# are clients that others publish, the own ones what builds and checks the clients of this
# repository and the packages that they integrate with.
#
#     tools/clients/install.sh python|node|own-python|own-node
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
python) pins=$here/requirements.txt ;;
node) pins=$here/package.json ;;
own-python) pins=$here/own-python.txt ;;
own-node) pins=$here/own-node.json ;;
*) echo "usage: $0 python|node|own-python|own-node" >&2; exit 2 ;;
esac
cache=${DAYBOOK_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/daybook/clients}
dir=$cache/$1-$(cksum <"$pins" | cut -d' ' -f1)
mkdir -p "$cache"
exec 9>"$dir.lock"
flock 9 # another test may be installing
if [ ! -e "$dir/installed" ]; then
  rm -rf "$dir"
  case $1 in
  *python)
    python3 -m venv "$dir" >&2
    "$dir/bin/pip" install --quiet --disable-pip-version-check -r "$pins" >&2
    ;;
  *)
    mkdir "$dir"
    cp "$pins" "$dir/package.json"
    omit="--omit=optional"
    [ "$1" = own-node ] && omit="" # the compiler of TypeScript comes as an optional package
    (cd "$dir" && npm install --silent --no-audit --no-fund $omit --omit=peer --legacy-peer-deps >&2)
    ;;
  esac
  touch "$dir/installed"
fi
case $1 in
*python) echo "$dir/bin/python" ;;
*) echo "$dir" ;;
esac
