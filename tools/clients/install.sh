#!/bin/sh
# Installs the published clients that tests talk to Daybook with, pinned, into a cache
# folder outside of the repository, and prints what to run: the interpreter of a virtual
# environment (python), or the folder that holds node_modules (node).
#
#     tools/clients/install.sh python
#     tools/clients/install.sh node
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
python) pins=$here/requirements.txt ;;
node) pins=$here/package.json ;;
*) echo "usage: $0 python|node" >&2; exit 2 ;;
esac
cache=${DAYBOOK_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/daybook/clients}
dir=$cache/$1-$(cksum <"$pins" | cut -d' ' -f1)
mkdir -p "$cache"
exec 9>"$dir.lock"
flock 9 # another test may be installing
if [ ! -e "$dir/installed" ]; then
  rm -rf "$dir"
  if [ "$1" = python ]; then
    python3 -m venv "$dir" >&2
    "$dir/bin/pip" install --quiet --disable-pip-version-check -r "$pins" >&2
  else
    mkdir "$dir"
    cp "$pins" "$dir/package.json"
    (cd "$dir" && npm install --silent --no-audit --no-fund --omit=optional --omit=peer --legacy-peer-deps >&2)
  fi
  touch "$dir/installed"
fi
if [ "$1" = python ]; then echo "$dir/bin/python"; else echo "$dir"; fi
