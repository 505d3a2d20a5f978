package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/model"
)

func conversation(texts ...string) Conversation {
	c := Conversation{ID: "c"}
	for i, t := range texts {
		c.Notes = append(c.Notes, daybook.Note{SourceID: fmt.Sprint("n", i), Speaker: "Ana", Text: t, Time: time.Unix(int64(i+1), 0)})
	}
	return c
}

func recall(t *testing.T, s System, c Conversation, question string, k int) (ids []string) {
	t.Helper()
	m, err := s.Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	rows, err := m.Recall(t.Context(), Question{Text: question}, k)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestBaselines(t *testing.T) {
	c := conversation("I bought a sailboat in May", "The weather was awful", "My sister teaches physics", "We went sailing on the lake")
	for _, x := range []struct {
		system   System
		question string
		want     string
	}{
		{Recent{}, "anything", "[n3 n2]"},
		{BM25{}, "When did Ana buy the sailboat?", "[n0]"}, // an irregular verb, and only what shares words but the name
		{BM25{}, "Who is teaching?", "[n2]"},
		{BM25{}, "the of and", "[]"},
	} {
		got := recall(t, x.system, c, x.question, 2)
		if x.system.Name() == "bm25" && len(got) > 1 {
			got = got[:1]
		}
		if fmt.Sprint(got) != x.want {
			t.Errorf("%s %q: %v, want %s", x.system.Name(), x.question, got, x.want)
		}
	}
}

// A long turn that has every word somewhere does not stand before a short one
// that has them together, and what its end says is found.
func TestBM25LongTurns(t *testing.T) {
	filler := strings.Repeat("and another point of the list is worth a remark as well ", 30)
	c := conversation("sailboat "+filler+" lake "+filler+" storm", "Our sailboat sank on the lake in a storm", "nothing of note", filler+"the ferry was late")
	if got := recall(t, BM25{}, c, "Which storm hit the sailboat on the lake?", 4); fmt.Sprint(got) != "[n1 n0]" {
		t.Errorf("%v", got)
	}
	if got := recall(t, BM25{}, c, "Was the ferry late?", 1); fmt.Sprint(got) != "[n3]" {
		t.Errorf("%v", got)
	}
}

func TestCutPassages(t *testing.T) {
	for _, x := range []struct{ words, want int }{{0, 1}, {1, 1}, {100, 1}, {101, 2}, {150, 2}, {151, 3}} {
		all, n, last := make([]string, x.words), 0, 0
		for p := range cutPassages(all) {
			n, last = n+1, len(p)
		}
		if n != x.want || x.words > 0 && last == 0 {
			t.Errorf("%d words: %d passages, the last of %d; want %d", x.words, n, last, x.want)
		}
	}
}

// counting is an encoder that counts what it is asked for.
type counting struct{ texts int }

func (c *counting) Encode(_ context.Context, as model.As, texts []string) (model.Vectors, error) {
	c.texts += len(texts)
	v := model.Vectors{Encoder: "counting", Dim: 2}
	for _, t := range texts {
		v.Data = append(v.Data, float32(len(t)), float32(len(as)))
	}
	return v, nil
}

func TestCachedEncoder(t *testing.T) {
	dir := t.TempDir()
	open := func(enc model.Encoder) *CachedEncoder {
		c, err := OpenCachedEncoder(enc, "an/odd id", dir)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	encode := func(c *CachedEncoder, as model.As, texts ...string) model.Vectors {
		v, err := c.Encode(t.Context(), as, texts)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first := &counting{}
	c := open(first)
	encode(c, model.AsPassage, "one", "three")
	if v := encode(c, model.AsPassage, "three", "one"); v.Row(0)[0] != 5 || v.Row(1)[0] != 3 || first.texts != 2 {
		t.Errorf("%v after %d texts", v, first.texts)
	}
	if v := encode(c, model.AsQuery, "one"); v.Row(0)[1] != 5 || first.texts != 3 {
		t.Errorf("another role: %v after %d texts", v, first.texts)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(files[0], info.Size()-3); err != nil { // the last record is cut off
		t.Fatal(err)
	}
	second := &counting{}
	c = open(second)
	defer c.Close()
	encode(c, model.AsPassage, "one", "three")
	if v := encode(c, model.AsQuery, "one"); v.Row(0)[1] != 5 || second.texts != 1 {
		t.Errorf("after reopening: %v, %d texts encoded, want 1", v, second.texts)
	}
}
