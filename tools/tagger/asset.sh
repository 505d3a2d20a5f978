#!/bin/sh
# Makes the assets of package english again, from two packages of PyPI.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
pip download -q --no-deps -d "$dir" textblob-aptagger==0.2.0
pip download -q --no-deps --no-binary :all: -d "$dir" textblob==0.20.1
(cd "$dir" && sha256sum -c) <<SUMS
1ed281f37b3646475503ce77347d0ed92a5f4de176a63c6ab4d1064636067dcc  textblob_aptagger-0.2.0-py2.py3-none-any.whl
fbd1a3307532e9dddb8f50284874559e01020e79b5fe5ae4c1da709a9e2087ea  textblob-0.20.1.tar.gz
SUMS
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q zopfli==0.4.3
"$dir/venv/bin/python" "$here/convert.py" "$dir/textblob_aptagger-0.2.0-py2.py3-none-any.whl" "$dir/textblob-0.20.1.tar.gz" "$here/../../english/assets"
