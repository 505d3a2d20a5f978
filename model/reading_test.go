package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"daybook"
	"daybook/model/internal/kernel"

	"github.com/google/go-cmp/cmp"
)

// readerFile is a model file of a reader with random weights and one layer, on the words of an
// encoder. It says nothing of what a trained reader finds, only how one is run.
func readerFile(t *testing.T, encoder *LocalEncoder) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 9))
	c := encoder.file.Config
	c.Name, c.Layers, c.TunedFrom, c.Pooling = "random reader", 1, encoder.file.Digest, "none"
	var body bytes.Buffer
	places := map[string]map[string]int{}
	put := func(name string, data []byte) {
		body.Write(make([]byte, -body.Len()&63))
		places[name] = map[string]int{"offset": body.Len(), "length": len(data)}
		body.Write(data)
	}
	draw := func(n int, mean, spread float64) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(mean + spread*rng.NormFloat64())
		}
		return x
	}
	floats := func(name string, x []float32) {
		var b []byte
		for _, v := range x {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		put(name, b)
	}
	floats("position", draw(c.Positions*c.Hidden, 0, 0.1))
	floats("type", draw(c.Types*c.Hidden, 0, 0.1))
	for _, n := range []string{"norm", "layer0.attention_norm", "layer0.output_norm"} {
		floats(n+".gamma", draw(c.Hidden, 1, 0.1))
		floats(n+".beta", draw(c.Hidden, 0, 0.1))
	}
	for name, size := range map[string][2]int{"qkv": {c.Hidden, 3 * c.Hidden}, "output": {c.Hidden, c.Hidden}, "up": {c.Hidden, c.FFN}, "down": {c.FFN, c.Hidden}} {
		w := kernel.PackWeights(draw(size[0]*size[1], 0, 0.05), draw(size[1], 0, 0.1), size[0], size[1])
		data := make([]byte, len(w.Data))
		for i, v := range w.Data {
			data[i] = byte(v)
		}
		put("layer0."+name+".data", data)
		floats("layer0."+name+".scale", w.Scale)
		floats("layer0."+name+".sum", w.Sum)
		floats("layer0."+name+".bias", w.Bias)
	}
	for name, size := range map[string][2]int{
		"tag": {1, 2}, "stance": {3, 10}, "vector": {3, 256}, "holder_query": {3, 128}, "holder_key": {1, 128}, "kind": {2, 11}, "form": {2, 12},
		"question_vector": {2, 256}, "about_vector": {2, 256}, "pair": {2, 4}, "answer": {1, 3}, "points": {1, 2}, "yes": {1, 2},
		"answer_stance": {3, 10}, "choice": {2, 3},
	} {
		halves := func(n int) []byte {
			b := make([]byte, 0, 2*n)
			for range n {
				b = binary.LittleEndian.AppendUint16(b, uint16(rng.IntN(2)<<15|0x2800|rng.IntN(1<<10))) // ±0.03 to ±0.06
			}
			return b
		}
		put("reader."+name+".weight", halves(size[0]*c.Hidden*size[1]))
		put("reader."+name+".bias", halves(size[1]))
	}
	sum := sha256.Sum256(body.Bytes())
	head, err := json.Marshal(map[string]any{"config": c, "digest": strings.ToLower(hexOf(sum[:])), "sections": places})
	if err != nil {
		t.Fatal(err)
	}
	file := binary.LittleEndian.AppendUint32([]byte("DAYBOOKM"), 2)
	file = append(binary.LittleEndian.AppendUint32(file, uint32(len(head))), head...)
	file = append(append(file, make([]byte, -len(file)&63)...), body.Bytes()...)
	sum = sha256.Sum256(file)
	return string(append(file, sum[:]...))
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 2*len(b))
	for _, v := range b {
		out = append(out, digits[v>>4], digits[v&15])
	}
	return string(out)
}

func randomReader(t *testing.T) *LocalReader {
	t.Helper()
	encoder, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(encoder, readerFile(t, encoder))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var noon = time.Date(2025, 3, 2, 12, 0, 0, 0, time.UTC)

// awkward are messages that a reader must take without harm.
func awkward() []string {
	return []string{
		"", " ", "ok", "👍🏽👍🏽", "\x00\x01\x02", "\ufeff\u200b", "mañana ya no vivo en Cádiz, me mudé", "我搬到上海了", strings.Repeat("lol ", 25000),
		strings.Repeat("a", 100000), "[SEP] [CLS] [MASK]", "port 5433 → 5440\n\n```\nx = 1\n```", "é" + strings.Repeat("\u0301", 300),
	}
}

// TestReaderAwkward: whatever is read, nothing panics, all probabilities are ones, and all places lie
// in the text at the borders of characters.
func TestReaderAwkward(t *testing.T) {
	r, ctx := randomReader(t), context.Background()
	var windows []Window
	for _, text := range awkward() {
		windows = append(windows, Window{Known: []string{"", "Ana", text}, Before: []Said{{"Ben", noon, text}, {"", time.Time{}, "who?"}}, Said: Said{"Ana", noon, text}})
	}
	begin := time.Now()
	statements, err := r.Statements(ctx, windows)
	if err != nil {
		t.Fatal(err)
	}
	answers, err := r.Answers(ctx, awkward()[8], windows)
	if err != nil {
		t.Fatal(err)
	}
	inText := func(text string, start, end int) bool {
		return start >= 0 && start <= end && end <= len(text) && utf8.ValidString(text[start:end])
	}
	for i, w := range windows {
		for _, s := range statements[i] {
			if !inText(w.Text, s.Start, s.End) || s.Start == s.End || !probable(s.Sure, s.HolderSure, s.StanceSure) || len(s.Vector) != vectorDim {
				t.Errorf("%.20q: %d to %d, %v %v %v", w.Text, s.Start, s.End, s.Sure, s.HolderSure, s.StanceSure)
			}
		}
		a := answers[i]
		if !inText(w.Text, a.Start, a.End) || !probable(a.None, a.Mentions, a.Answers, a.Yes) || math.Abs(float64(a.None+a.Mentions+a.Answers-1)) > 1e-4 {
			t.Errorf("%.20q: %+v", w.Text, a)
		}
	}
	if len(statements[0]) > 0 || len(statements[1]) > 0 {
		t.Error("nothing was said, and something was read")
	}
	for _, text := range awkward() {
		c := Comparison{New: Stated{Said{"Ana", noon, text}, 0, len(text)}, Earlier: []Stated{{Said{"Ana", noon, text}, 0, 1}, {Said{"Ben", noon, "ok"}, 5, 9}}}
		got, err := r.Compare(ctx, []Comparison{c})
		if err != nil {
			t.Fatalf("%.20q: %v", text, err)
		}
		for _, b := range got[0] {
			if !probable(b.Other, b.Repeats, b.Ends, b.Same) || math.Abs(float64(b.Other+b.Repeats+b.Ends+b.Same-1)) > 1e-4 {
				t.Errorf("%.20q: %+v", text, b)
			}
		}
	}
	if asked, err := r.Questions(ctx, awkward()); err != nil || len(asked) != len(awkward()) {
		t.Error(asked, err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

func probable(ps ...float32) bool {
	for _, p := range ps {
		if !(p >= 0 && p <= 1.0001) {
			return false
		}
	}
	return true
}

// TestReaderAlone: what is read of a message does not depend on what is read beside it, nor on when.
func TestReaderAlone(t *testing.T) {
	r, ctx := randomReader(t), context.Background()
	windows := []Window{
		{Known: []string{"Ana", "Ben"}, Said: Said{"Ana", noon, "moved to Elvet on friday, rent is 740"}},
		{Before: []Said{{"Ana", noon, "still at the bakery?"}}, Said: Said{"Ben", noon, "nope. the archive, since may"}},
		{Said: Said{"Ben", noon, strings.Repeat("blah ", 300)}},
	}
	together, err := r.Statements(ctx, windows)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range windows {
		alone, err := r.Statements(ctx, []Window{w})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(together[i], alone[0]); diff != "" {
			t.Errorf("message %d (-together +alone):\n%s", i, diff)
		}
	}
}

// TestReaderNames: a holder's name is a known one, the speaker's, or words of the talk.
func TestReaderNames(t *testing.T) {
	r := randomReader(t)
	w := Window{Known: []string{"Sunniva", "the staging API"}, Before: []Said{{"Ben", noon, "is Halloran still your boss"}}, Said: Said{"Ana", noon, "he left, Chidi took over"}}
	in := r.statementInput(w)
	for i := range in.IDs {
		last := make([]float32, len(in.IDs))
		last[i] = 1
		name := in.nameAt(i, last)
		if name != "" && name != "Ana" && !strings.Contains("Sunniva|the staging API", name) && !strings.Contains(w.Text+"|"+w.Before[0].Text, name) {
			t.Errorf("token %d is %q", i, name)
		}
	}
	if got := in.knownAt(2); got != "Sunniva" {
		t.Errorf("the second token names %q", got)
	}
}

// TestReaderOfAnother: a reader of another encoder, or a damaged one, is refused.
func TestReaderOfAnother(t *testing.T) {
	encoder, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	good := readerFile(t, encoder)
	digest := encoder.file.Digest
	for name, c := range map[string]struct {
		file string
		kind daybook.Kind
	}{
		"another encoder": {strings.Replace(good, digest, strings.Repeat("0", len(digest)), 1), daybook.Invalid},
		"no head":         {strings.Replace(good, `"reader.pair.bias"`, `"reader.pair.bios"`, 1), daybook.Corrupt},
		"cut short":       {good[:len(good)/2], daybook.Corrupt},
		"empty":           {"", daybook.Corrupt},
	} {
		if _, err := OpenReader(encoder, c.file); daybook.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := randomReader(t).Compare(t.Context(), []Comparison{{}}); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("nothing to compare with: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	many := make([]Window, 50)
	if _, err := randomReader(t).Statements(ctx, many); daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("cancelled: %v", err)
	}
}

var _ Reader = (*LocalReader)(nil)
