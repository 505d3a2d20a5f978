package model

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"daybook"
	"daybook/model/internal/kernel"
)

func embedded(t testing.TB) *LocalEncoder {
	t.Helper()
	e, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func goldenSentences(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/sentences.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func encode(t testing.TB, e Encoder, texts ...string) Vectors {
	t.Helper()
	v, err := e.Encode(context.Background(), AsText, texts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestFidelity compares the quantised network with the float32 original, whose
// vectors tools/encoder/reference.py made in ONNX Runtime.
func TestFidelity(t *testing.T) {
	e, sentences := embedded(t), goldenSentences(t)
	raw, err := os.ReadFile("testdata/vectors.f16")
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) != 2*len(sentences)*e.Dim() {
		t.Fatalf("golden has %d bytes for %d sentences", len(raw), len(sentences))
	}
	if raceEnabled {
		sentences = sentences[:50]
	}
	v, least, sum := encode(t, e, sentences...), 1.0, 0.0
	want := make([]float32, e.Dim())
	for i := range sentences {
		for j := range want {
			want[j] = halfFloat(binary.LittleEndian.Uint16(raw[2*(i*e.Dim()+j):]))
		}
		c := cosine(v.Row(i), want) / math.Sqrt(cosine(want, want))
		least, sum = min(least, c), sum+c
	}
	average := sum / float64(len(sentences))
	t.Logf("cosine to float32: mean %.5f, least %.5f over %d sentences (%s)", average, least, len(sentences), e.Info().Kernel)
	if average < 0.99 || least < 0.97 {
		t.Errorf("cosine to float32: mean %.5f, least %.5f; want 0.99 and 0.97", average, least)
	}
}

// halfFloat widens a normal or zero half-precision number.
func halfFloat(h uint16) float32 {
	v := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
	return math.Float32frombits(math.Float32bits(v) | uint32(h&0x8000)<<16)
}

// TestKernelsAgree checks that vectors of different instruction sets may be
// compared. They are not equal: the sets round floats differently in the last
// bit, a rounded activation tips over, and twelve layers later the two differ by
// about as much as either does from float32.
func TestKernelsAgree(t *testing.T) {
	e := embedded(t)
	texts := goldenSentences(t)[:8]
	want := encode(t, e, texts...)
	for _, set := range kernel.Available() {
		t.Setenv(kernel.Variable, set.Name())
		l, err := load(asset)
		if err != nil {
			t.Fatal(err)
		}
		other, err := asEncoder(l)
		if err != nil {
			t.Fatal(err)
		}
		if other.Info().Kernel != set.Name() || other.ID() != e.ID() {
			t.Errorf("forced %s, got %+v", set.Name(), other.Info())
		}
		v := encode(t, other, texts...)
		for i := range texts {
			if c := cosine(v.Row(i), want.Row(i)); c < 0.98 {
				t.Errorf("%s: cosine %.6f to %s", set.Name(), c, e.Info().Kernel)
			}
		}
	}
}

func TestForcedKernelUnknown(t *testing.T) {
	t.Setenv(kernel.Variable, "sse9")
	if _, err := load(asset); daybook.KindOf(err) != daybook.Invalid || !strings.Contains(err.Error(), "DAYBOOK_CPU=sse9") {
		t.Errorf("unknown set: %v", err)
	}
}

// TestTokens compares ids with the reference's for texts meant to break
// tokenizers.
func TestTokens(t *testing.T) {
	f, err := os.Open("testdata/tokens.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, texts := embedded(t).net.Tokenizer, 0
	lines := bufio.NewScanner(zr)
	lines.Buffer(nil, 1<<20)
	for ; lines.Scan(); texts++ {
		var want struct {
			Text string `json:"text"`
			N    int    `json:"n"`
			IDs  string `json:"ids"`
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		ids := append(tokenizer.Encode([]int32{tokenizer.Class}, want.Text), tokenizer.Separator)
		h := fnv.New64a()
		for _, id := range ids {
			h.Write(binary.LittleEndian.AppendUint32(nil, uint32(id)))
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); len(ids) != want.N || got != want.IDs {
			t.Errorf("text %d %.80q: %d ids (%s), want %d (%s)", texts, want.Text, len(ids), got, want.N, want.IDs)
		}
	}
	if err := lines.Err(); err != nil || texts < 2000 {
		t.Fatalf("%d texts: %v", texts, err)
	}
}

func TestVectorsAreUnitAndOrdered(t *testing.T) {
	e := embedded(t)
	texts := []string{"", "one", "\xff\xfe broken", strings.Repeat("long text about boats. ", 800), "one", "漢字", "\x00"}
	v := encode(t, e, texts...)
	if v.Encoder != e.ID() || v.Len() != len(texts) || v.Dim != e.Dim() {
		t.Fatalf("%d vectors of %d by %q", v.Len(), v.Dim, v.Encoder)
	}
	for i := range texts {
		if n := cosine(v.Row(i), v.Row(i)); math.Abs(n-1) > 1e-5 {
			t.Errorf("text %d: squared length %g", i, n)
		}
	}
	if !slices.Equal(v.Row(1), v.Row(4)) {
		t.Error("the same text got two vectors")
	}
	if none := encode(t, e); none.Len() != 0 {
		t.Errorf("no texts gave %d vectors", none.Len())
	}
}

// TestBatchDoesNotMatter checks that neighbours in a batch leave a vector alone.
func TestBatchDoesNotMatter(t *testing.T) {
	e := embedded(t)
	texts := goldenSentences(t)[:20]
	all := encode(t, e, texts...)
	for i, text := range texts {
		if c := cosine(all.Row(i), encode(t, e, text).Row(0)); c < 0.9999 {
			t.Errorf("sentence %d alone: cosine %.6f to itself in a batch", i, c)
		}
	}
}

func TestConcurrentEncode(t *testing.T) {
	e := embedded(t)
	texts := goldenSentences(t)[:12]
	want := encode(t, e, texts...)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			v, err := e.Encode(context.Background(), AsText, texts)
			if err != nil || !slices.Equal(v.Data, want.Data) {
				t.Errorf("another caller changed the vectors: %v", err)
			}
		})
	}
	wg.Wait()
}

// TestSharedEncode checks that a text alone gets the same bits whether one
// worker reads it, two share it, or other callers come and go meanwhile.
func TestSharedEncode(t *testing.T) {
	e := embedded(t)
	texts := goldenSentences(t)[:8]
	procs := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(procs)
	var want []Vectors
	for _, text := range texts {
		want = append(want, encode(t, e, text))
	}
	runtime.GOMAXPROCS(max(2, procs))
	same := func(i int) {
		v, err := e.Encode(context.Background(), AsText, texts[i:i+1])
		if err != nil || !slices.Equal(v.Data, want[i].Data) {
			t.Errorf("sentence %d: other bits than one worker gives: %v", i, err)
		}
	}
	for i := range texts {
		same(i)
	}
	var wg sync.WaitGroup
	for i := range texts {
		wg.Go(func() {
			for range 5 {
				same(i)
			}
		})
	}
	wg.Wait()
}

func TestCancelledEncode(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := embedded(t).Encode(ctx, AsText, []string{"x"}); daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("cancelled: %v", err)
	}
}

func TestTooLongText(t *testing.T) {
	if _, err := embedded(t).Encode(context.Background(), AsText, []string{strings.Repeat("x", maxTextBytes+1)}); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("too long: %v", err)
	}
}

// TestWindows checks that a long text's vector knows its end, which truncation
// would have lost.
func TestWindows(t *testing.T) {
	if raceEnabled {
		t.Skip("slow under the race detector")
	}
	e := embedded(t)
	filler := strings.Repeat("The committee discussed the budget for the northern harbour. ", 90)
	tail := strings.Repeat("My sister adopted a greyhound called Moss. ", 40)
	v := encode(t, e, filler+tail, filler, "A dog named Moss was adopted by my sister.")
	if with, without := cosine(v.Row(0), v.Row(2)), cosine(v.Row(1), v.Row(2)); with <= without+0.005 {
		t.Errorf("the end of a long text is lost: cosine %.3f with it, %.3f without", with, without)
	}
}

// TestEncodeWindows checks that a long passage's own vector is the mean of its
// windows'.
func TestEncodeWindows(t *testing.T) {
	e, ctx := embedded(t), context.Background()
	passages := []string{"short", strings.Repeat("The ferry to the island leaves at noon. ", 60), "also short"}
	v, first, err := e.EncodeWindows(ctx, passages)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 4 || first[1] != 1 || first[2] < 3 || first[3] != first[2]+1 || v.Len() != first[3] {
		t.Fatalf("%d vectors, first %v", v.Len(), first)
	}
	whole, err := e.Encode(ctx, AsPassage, passages)
	if err != nil {
		t.Fatal(err)
	}
	mean := make([]float32, e.Dim())
	meanOf(mean, v.Data[first[1]*v.Dim:first[2]*v.Dim])
	if c := cosine(mean, whole.Row(1)); c < 0.9999 {
		t.Errorf("cosine %.6f between a passage and the mean of its windows", c)
	}
}

func TestDefaultInfo(t *testing.T) {
	e := embedded(t)
	if err := e.Verify(); err != nil {
		t.Error(err)
	}
	i := e.Info()
	if i.Licence == "" || i.Origin == "" || len(i.SourceSHA256) != 64 || i.Task != "encode" || !strings.HasPrefix(i.ID, i.Name+"@") {
		t.Errorf("incomplete: %+v", i)
	}
}

// TestEncodeWords: the vectors are those of Encode, the words are where the text has
// them, and their vectors do not depend on the batch.
func TestEncodeWords(t *testing.T) {
	e := embedded(t)
	texts := append([]string{"I moved the standup to 9:30, thanks!", "", "Zoë’s café is naïve", strings.Repeat("long ago ", 400)}, goldenSentences(t)[:20]...)
	got := make([][]Word, len(texts))
	vectors, err := e.EncodeWords(t.Context(), texts, func(i int, words []Word) {
		for _, w := range words {
			got[i] = append(got[i], Word{w.Start, w.End, slices.Clone(w.Vector)})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := encode(t, e, texts...); !slices.Equal(vectors.Data, want.Data) || vectors.Encoder != want.Encoder {
		t.Error("the vectors of the texts are others than Encode's")
	}
	var said []string
	for _, w := range append(slices.Clone(got[0]), got[2]...) {
		of := texts[0]
		if len(said) >= len(got[0]) {
			of = texts[2]
		}
		said = append(said, of[w.Start:w.End])
	}
	if all := strings.Join(said, "|"); all != "I|moved|the|standup|to|9|:|30|,|thanks|!|Zoë|’|s|café|is|naïve" {
		t.Errorf("words %s", all)
	}
	if n, window := len(got[3]), e.Info().MaxTokens-2; n != window {
		t.Errorf("%d words of a text longer than the window of %d", n, window)
	}
	alone := 0
	_, err = e.EncodeWords(t.Context(), texts[:1], func(_ int, words []Word) {
		for i, w := range words {
			alone++
			if !slices.Equal(w.Vector, got[0][i].Vector) || len(w.Vector) != e.Dim() {
				t.Errorf("word %d has another vector alone", i)
			}
		}
	})
	if err != nil || alone != len(got[0]) {
		t.Errorf("%d words alone: %v", alone, err)
	}
}
