package engine_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/index"
	"daybook/model"
	"daybook/recall"
	"daybook/store/sqlite"
)

// noise gives passages vectors by chance, and questions those of the real encoder,
// so that a large memory is made fast and a question costs what it costs.
type noise struct{ *model.LocalEncoder }

func (n noise) Encode(ctx context.Context, as model.As, texts []string) (model.Vectors, error) {
	if as == model.AsQuery || len(texts) == 1 {
		return n.LocalEncoder.Encode(ctx, as, texts)
	}
	const dim = 384
	v := model.Vectors{Encoder: n.ID(), Dim: dim, Data: make([]float32, dim*len(texts))}
	for i, t := range texts {
		h := fnv.New64a()
		_, _ = h.Write([]byte(t))
		r, sum := rand.New(rand.NewPCG(h.Sum64(), 1)), 0.0
		row := v.Row(i)
		for j := range row {
			row[j] = float32(r.NormFloat64())
			sum += float64(row[j] * row[j])
		}
		for j := range row {
			row[j] /= float32(math.Sqrt(sum))
		}
	}
	return v, nil
}

// TestRecallSpeed times recall at the sizes that DAYBOOK_RECALL_SPEED lists, beside
// words and vectors alone.
func TestRecallSpeed(t *testing.T) {
	sizes := os.Getenv("DAYBOOK_RECALL_SPEED")
	if sizes == "" {
		t.Skip("SKIPPED, NOTHING WAS TIMED: set DAYBOOK_RECALL_SPEED to sizes such as 1000,10000,100000")
	}
	local, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	for s := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		timeRecall(t, n, noise{local})
	}
}

// zipf makes texts of a vocabulary in which few words are frequent.
type zipf struct {
	*rand.Zipf
	*rand.Rand
}

func (z zipf) text(words int) string {
	out := make([]string, words)
	for i := range out {
		out[i] = strings.Map(func(r rune) rune { return 'a' + r%26 }, strconv.FormatUint(100+z.Uint64(), 16))
	}
	return strings.Join(out, " ")
}

func newZipf(seed uint64) zipf {
	r := rand.New(rand.NewPCG(seed, 2))
	return zipf{rand.NewZipf(r, 1.1, 8, 60_000), r}
}

func (z zipf) Uint64() uint64 { return z.Zipf.Uint64() }

// The first recalls warm up; the others are timed.
const warmUp, timed = 20, 100

func timeRecall(t *testing.T, n int, enc engine.Encoder) {
	e, scope := speedMemory(t, n, enc)
	defer e.Close()
	snapshot, err := e.Index(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	var ours, words, dense []time.Duration
	var spent time.Duration // by all cores, for the recalls that count
	for i := range warmUp + timed {
		q := fmt.Sprintf("What did Ana say about %s?", newZipf(uint64(i+100)).text(4))
		began, before := time.Now(), processorTime(t)
		if _, err := e.Recall(t.Context(), scope, recall.Question{Text: q}, daybook.AsOf{}); err != nil {
			t.Fatal(err)
		}
		ours = append(ours, time.Since(began))
		if i >= warmUp {
			spent += processorTime(t) - before
		}
		began = time.Now()
		snapshot.Search(index.Ask(q, index.Content), 10, nil)
		words = append(words, time.Since(began))
		began = time.Now()
		v, err := enc.Encode(t.Context(), model.AsQuery, []string{q})
		if err != nil {
			t.Fatal(err)
		}
		snapshot.Space(engine.ContentSpace).NearestExact(v.Row(0), 10, nil)
		dense = append(dense, time.Since(began))
	}
	at := func(d []time.Duration, p float64) float64 {
		d = slices.Sorted(slices.Values(d[warmUp:]))
		return float64(d[int(p*float64(len(d)-1))].Microseconds()) / 1000
	}
	t.Logf("%d notes, p50 / p95 ms: recall %.1f / %.1f (processor %.1f), BM25 %.1f / %.1f, brute-force dense with its query %.1f / %.1f; index %d bytes a note",
		n, at(ours, .5), at(ours, .95), float64(spent.Microseconds())/1000/timed, at(words, .5), at(words, .95), at(dense, .5), at(dense, .95), snapshot.Bytes()/n)
}

// speedMemory is a memory of n notes, made anew, or kept under DAYBOOK_RECALL_HOME.
func speedMemory(t *testing.T, n int, enc engine.Encoder) (*engine.Engine, daybook.Scope) {
	home := t.TempDir()
	if kept := os.Getenv("DAYBOOK_RECALL_HOME"); kept != "" {
		home = filepath.Join(kept, strconv.Itoa(n))
	}
	_, made := os.Stat(home + "/made")
	s, err := sqlite.Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	e, scope := engine.New(s).WithEncoder(enc), daybook.Scope{User: "u"}
	if made != nil {
		fillMemory(t, e, scope, n)
		if err := os.WriteFile(home+"/made", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return e, scope
}

func fillMemory(t *testing.T, e *engine.Engine, scope daybook.Scope, n int) {
	z := newZipf(1)
	var batch []daybook.Note
	for i := range n {
		batch = append(batch, daybook.Note{
			SourceID: strconv.Itoa(i), Session: strconv.Itoa(i / 20), Speaker: []string{"Ana", "Bo"}[i%2],
			Text: z.text(5 + z.IntN(30)), Time: begin.Add(time.Duration(i) * time.Minute),
		})
		if len(batch) == 1000 || i == n-1 {
			if _, err := e.Add(t.Context(), scope, by, batch); err != nil {
				t.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	if _, err := e.Embed(t.Context(), scope, nil); err != nil {
		t.Fatal(err)
	}
}
