#!/bin/sh
# Throws what /openapi.json allows, and what it forbids, at a server of its own, and fails where that answers
# with a 5xx. EXAMPLES for each endpoint, SECONDS_MAX in all. Needs Python and PyPI; says so where they are missing.
# Time limits are long on both sides: on a busy machine a request that took its time was answered with 503, or given
# up after the fuzzer's ten seconds, and not when it was tried again, which the fuzzer reports as an inconsistency.
set -eu
EXAMPLES=${EXAMPLES:-30}
SECONDS_MAX=${SECONDS_MAX:-240}
PORT=${PORT:-7079}
bin=$(realpath "${1:-bin/daybook}")
mkdir -p dist
cd dist # the fuzzer leaves files where it runs
venv=$PWD/api-venv

if [ ! -x "$venv/bin/schemathesis" ]; then
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet schemathesis==4.32.5; } >api-install.log 2>&1; then
    echo "=== api: NOT RUN: schemathesis could not be installed, see dist/api-install.log ==="
    exit 0
  fi
fi

home=$(mktemp -d)
key=$("$bin" key create --home "$home" --tenant fuzz --right admin)
"$bin" serve --quiet --home "$home" --addr "127.0.0.1:$PORT" --timeout 100s >"$home/serve.log" 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$home"' EXIT
"$venv/bin/schemathesis" run "http://127.0.0.1:$PORT/openapi.json" --wait-for-schema 30 -H "Authorization: Bearer $key" \
  --checks not_a_server_error --max-examples "$EXAMPLES" --max-time "$SECONDS_MAX" --workers 2 --request-timeout 120 --suppress-health-check all --warnings off
if grep -E '"level":"ERROR"' "$home/serve.log"; then
  echo "=== api: the server logged errors ==="
  exit 1
fi
