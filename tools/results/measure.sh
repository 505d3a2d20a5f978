#!/bin/sh
# Measures every figure of docs/results.md that needs no quiet machine, one after the
# other, and keeps what each command printed under OUT. Run from the repository's root.
#
#   tools/results/measure.sh DATA OUT [PART ...]
#
# DATA holds locomo/, beam/, ghost/ and so on, as docs/results.md names them. Parts:
# quality (the benches, the default), tests (tests that want data), ranking (the
# ablation of recall), without (the engine with each of its parts left undone). What is
# there already is not measured again.
set -u
data=$1 out=$2
shift 2
mkdir -p "$out"
make -s build || exit 1
failed=0

# keep NAME COMMAND... runs a command and keeps its output.
keep() {
	name=$1
	shift
	[ -s "$out/$name.txt" ] && return
	echo "== $name: $*" >&2
	if ! { echo "\$ $*"; "$@"; } >"$out/$name.tmp" 2>&1; then
		echo "   failed: see $out/$name.tmp" >&2
		failed=1
		return
	fi
	mv "$out/$name.tmp" "$out/$name.txt"
}

bench() {
	name=$1 kind=$2 path=$3
	shift 3
	keep "$name" ./bin/daybook bench "$kind" --data "$data/$path" --no-cache "$@"
}

quality() {
	bench natural-friends natural natural/friends --misses "$out/natural-friends.misses"
	bench natural-assistant natural natural/assistant --misses "$out/natural-assistant.misses"
	bench locomo locomo locomo/locomo_dev.json --misses "$out/locomo.misses"
	bench locomo-corrected locomo-corrected locomo/locomo_dev.json
	bench ghost ghost ghost/dev --misses "$out/ghost.misses"
	bench beam-100K beam beam/100K --misses "$out/beam.misses"
	bench statebench statebench statebench/dev.jsonl
	bench trace trace trace/stress_dev.jsonl
	bench personaext personaext personaext/dev.jsonl
	bench timex timex time_expressions
	bench anchors anchors locomo/locomo_dev.json
	bench sick sick sick/SICK.txt
	bench xpath xpath semantic_xpath
	bench longmemeval longmemeval longmemeval/one_item.json
	bench beam-500K beam beam/500K
	bench beam-1M beam beam/1M
}

test_with_data() {
	name=$1
	shift
	keep "$name" env DAYBOOK_DATA="$data" DAYBOOK_OWN=1 DAYBOOK_MISSES=1 DAYBOOK_SICK="$data/sick/SICK.txt" go test -count=1 -timeout 2h -v "$@"
}

tests() {
	test_with_data bank ./eval -run TestBankOfGhost
	test_with_data own-answers ./eval -run TestAnswersOfOurs
	test_with_data own-bank ./eval -run TestBankOfOurs
	test_with_data tree ./tree -run Gold
	test_with_data xpath-errors ./xpath -run TestGoldErrors
	test_with_data scripts ./engine -run TestGoldScripts
	test_with_data names ./engine -run 'TestNamesOfRealConversations|TestTopicsOfRealConversations'
	test_with_data agreement ./eval -run Agree
	test_with_data encoder ./model -run 'Fidelity|SICK|Tokens'
}

ranking() {
	keep rank go run ./tools/rank --learn --locomo "$data/locomo/locomo_dev.json" --beam "$data/beam/100K" --dump "$out/signals"
	keep ablation go run ./tools/rank --learn --locomo "$data/locomo/locomo_dev.json" --beam "$data/beam/100K" --dump "$out/signals" --ablate
}

without() {
	for left in learning judges links latent vectors times graph states pointer learning,states judges,states links,states; do
		bench "ghost-without-$left" ghost ghost/dev --systems ours --without "$left"
		bench "locomo-without-$left" locomo locomo/locomo_dev.json --systems ours --without "$left"
	done
}

for part in "${@:-quality}"; do
	"$part"
done
exit $failed
