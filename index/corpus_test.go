package index_test

import (
	"encoding/gob"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"daybook/eval"
	"daybook/model"
)

// corpus is real text with its vectors, for measuring: sentences of the data sets
// in the folder DAYBOOK_DATA, and their questions.
type corpus struct {
	Dim                  int
	Sentences, Questions []string
	Vectors, Queries     []float32 // rows of Dim
}

func (c *corpus) row(i int) []float32   { return c.Vectors[i*c.Dim : (i+1)*c.Dim] }
func (c *corpus) query(i int) []float32 { return c.Queries[i*c.Dim : (i+1)*c.Dim] }

// openCorpus reads the corpus, or makes it and keeps it in the folder
// DAYBOOK_BENCH_CACHE. Without data, what needs it is skipped.
func openCorpus(tb testing.TB) *corpus {
	tb.Helper()
	data, cache := os.Getenv("DAYBOOK_DATA"), os.Getenv("DAYBOOK_BENCH_CACHE")
	if data == "" || cache == "" {
		tb.Skip("SKIPPED, NOTHING WAS MEASURED ON REAL TEXT: set DAYBOOK_DATA to the folder of the data sets and DAYBOOK_BENCH_CACHE to one for the vectors")
	}
	path := filepath.Join(cache, "corpus.gob")
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		var c corpus
		if err := gob.NewDecoder(f).Decode(&c); err != nil {
			tb.Fatal(err)
		}
		return &c
	}
	c := readCorpus(tb, data)
	c.encode(tb)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		tb.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	if err := gob.NewEncoder(f).Encode(c); err != nil {
		tb.Fatal(err)
	}
	return c
}

// maxSentences keeps the making of a corpus to some minutes.
const maxSentences = 40_000

func readCorpus(tb testing.TB, root string) *corpus {
	c, seen := &corpus{}, map[string]bool{}
	for _, set := range []struct {
		path string
		load func(string) (eval.Dataset, error)
	}{
		{"locomo/locomo_dev.json", eval.LoadLocomo}, {"longmemeval/one_item.json", eval.LoadLongMemEval},
		{"beam/1M", eval.LoadBeam}, {"beam/500K", eval.LoadBeam}, {"beam/100K", eval.LoadBeam},
	} {
		d, err := set.load(filepath.Join(root, set.path))
		if err != nil {
			tb.Fatal(err)
		}
		for _, conv := range d.Conversations {
			for _, n := range conv.Notes {
				c.addSentences(seen, n.Text)
			}
			for _, q := range conv.Questions {
				c.Questions = append(c.Questions, q.Text)
			}
		}
	}
	return c
}

func (c *corpus) addSentences(seen map[string]bool, text string) {
	for s := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".!?\n", r) }) {
		s = strings.TrimSpace(s)
		if len(s) < 20 || len(s) > 300 || seen[s] || len(c.Sentences) == maxSentences {
			continue
		}
		seen[s] = true
		c.Sentences = append(c.Sentences, s)
	}
}

func (c *corpus) encode(tb testing.TB) {
	enc, err := model.Default()
	if err != nil {
		tb.Fatal(err)
	}
	c.Dim = enc.Dim()
	all := func(as model.As, texts []string) (rows []float32) {
		for len(texts) > 0 {
			n := min(256, len(texts))
			v, err := enc.Encode(tb.Context(), as, texts[:n])
			if err != nil {
				tb.Fatal(err)
			}
			rows, texts = append(rows, v.Data...), texts[n:]
		}
		return rows
	}
	c.Vectors, c.Queries = all(model.AsPassage, c.Sentences), all(model.AsQuery, c.Questions)
}

func TestCorpus(t *testing.T) {
	c := openCorpus(t)
	t.Logf("%d sentences, %d questions, %d dimensions", len(c.Sentences), len(c.Questions), c.Dim)
}
