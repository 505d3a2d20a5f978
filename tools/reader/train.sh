#!/bin/sh
# Trains the reader from the corpus in this repository. Run from its root.
#
#   tools/reader/train.sh pack FOLDER     the chats as token ids, with what recall finds for each question: Go, numpy, tokenizers
#   tools/reader/train.sh train FOLDER    on a machine with a GPU: numpy and torch, nothing else
#   tools/reader/train.sh write FOLDER    the model file that the binary embeds: numpy
#
# The steps can be run on different machines, if FOLDER goes with them. EPOCHS and SEED change the training; with the
# same seed two runs on one machine differ in the last bits only.
set -eu
step=${1:?usage: tools/reader/train.sh pack|train|write FOLDER}
dir=${2:?usage: tools/reader/train.sh pack|train|write FOLDER}
encoder=model/assets/e5-small-v2.dbm
mkdir -p "$dir"

# rows NAME asks recall for every question of a chat and keeps the ids of what it finds.
rows() {
	home=$(mktemp -d)
	./bin/daybook --home "$home" import --no-learn "$dir/chats/$1.jsonl" >/dev/null
	./bin/daybook --home "$home" recall --json -k 30 --questions "$dir/chats/$1.questions.jsonl" |
		python3 -c 'import json, sys
for line in sys.stdin:
    q = json.loads(line)
    print(json.dumps({"id": q["id"], "rows": [r["source_id"] for r in q["rows"]]}))' >"$dir/rows/$1.rows"
	rm -rf "$home"
}

case $step in
pack)
	make -s build
	go run ./tools/corpus export "$dir/chats"
	mkdir -p "$dir/rows"
	for f in "$dir"/chats/*.claims.jsonl; do
		name=$(basename "$f" .claims.jsonl)
		[ "$dir/rows/$name.rows" -nt tools/corpus/chats.jsonl.gz ] || rows "$name"
	done
	python3 tools/reader/base.py $encoder "$dir/base.npz"
	python3 tools/reader/pack.py --encoder $encoder --out "$dir/pack.json.gz" --rows "$dir/rows" --talks tools/conversations/*.jsonl --states tools/states/attributes.jsonl -- "$dir/chats"
	sha256sum tools/corpus/chats.jsonl.gz "$dir/pack.json.gz" "$dir/base.npz"
	;;
train)
	for kind in natural all; do # their mean reads better than either
		[ $kind = natural ] && only=--natural || only=
		python3 tools/reader/train.py --base "$dir/base.npz" --pack "$dir/pack.json.gz" --out "$dir/$kind" --epochs "${EPOCHS:-7}" --seed "${SEED:-1}" $only
	done
	;;
write)
	python3 tools/reader/write.py --encoder $encoder --out model/assets/reader.dbm "$dir/natural" "$dir/all"
	go run ./tools/abouts "$dir/chats" # names for what statements are about, as this reader sees them
	sha256sum model/assets/reader.dbm extract/assets/abouts.bin
	;;
*)
	echo "usage: tools/reader/train.sh pack|train|write FOLDER" >&2
	exit 2
	;;
esac
