#!/bin/sh
# Speed of our encoder beside ONNX Runtime float32 on the same sentences, in
# turns, so that a busy machine disturbs both alike. Run from the repository's
# root. Python needs numpy, onnxruntime and tokenizers.
#
#   PYTHON=venv/bin/python tools/encoder/compare.sh MODEL.onnx TOKENIZER.json [ROUNDS] [SECONDS]
#
# DAYBOOK_BENCH_MODEL names a model file of ours, the embedded encoder otherwise.
set -eu
onnx=$1 tokenizer=$2 rounds=${3:-5} seconds=${4:-2}
bench=$(mktemp)
trap 'rm -f "$bench"' EXIT
go test -c -o "$bench" ./model
ours() {
	(cd model && DAYBOOK_CPU=$1 "$bench" -test.run '^$' -test.bench "Encode/tokens=$2/batch=$3/" -test.benchtime "${seconds}s") | grep ^Benchmark
}
for round in $(seq "$rounds"); do
	for shape in "22 32" "22 1" "128 8"; do
		set -- $shape
		"${PYTHON:-python3}" tools/encoder/reference.py speed "$onnx" "$tokenizer" "model/testdata/tokens$1.txt" "$2" "$seconds"
		ours "" "$1" "$2" # the best that the processor has
		ours avx512 "$1" "$2"
		ours avx2 "$1" "$2"
	done
done
