package eval

import (
	"context"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"daybook"
	"daybook/model"
)

// goldReader reads what the annotation says, but for one message in three, of which it says
// nothing: the figures of the bench are then known.
type goldReader struct{ chat readerChat }

func (g goldReader) Statements(_ context.Context, windows []model.Window) ([][]model.Statement, error) {
	out := make([][]model.Statement, len(windows))
	states := map[string]int{}
	for _, c := range g.chat.claims {
		if _, ok := states[c.state]; !ok {
			states[c.state] = len(states)
		}
		if c.message%3 == 2 {
			continue
		}
		v := make([]float32, 64)
		v[states[c.state]] = 1
		out[c.message] = append(out[c.message], model.Statement{Start: c.start, End: c.end, Sure: 1, Holder: c.who, Stance: model.Stance(c.stance), Vector: v})
	}
	return out, nil
}

func (g goldReader) Compare(_ context.Context, comparisons []model.Comparison) ([][]model.Bearing, error) {
	var out [][]model.Bearing
	for _, c := range comparisons {
		at := g.find(c.New)
		var all []model.Bearing
		for _, e := range c.Earlier {
			old := g.find(e)
			switch {
			case old.state != at.state:
				all = append(all, model.Bearing{Other: 1})
			case slices.Contains(at.closes, old.message):
				all = append(all, model.Bearing{Ends: 1})
			default:
				all = append(all, model.Bearing{Same: 1})
			}
		}
		out = append(out, all)
	}
	return out, nil
}

func (g goldReader) find(s model.Stated) readerClaim {
	at := slices.IndexFunc(g.chat.claims, func(c readerClaim) bool {
		return c.start == s.Start && c.end == s.End && g.chat.Notes[c.message].Text == s.Text
	})
	return g.chat.claims[at]
}

func (g goldReader) Questions(_ context.Context, questions []string) ([]model.Asked, error) {
	out := make([]model.Asked, len(questions))
	for i := range out {
		out[i].Kind = g.chat.Questions[i].Category
	}
	return out, nil
}

// Answers says of every row that holds the answer that it answers, with .75.
func (g goldReader) Answers(_ context.Context, question string, windows []model.Window) ([]model.Answering, error) {
	q := g.chat.Questions[slices.IndexFunc(g.chat.Questions, func(q Question) bool { return q.Text == question })]
	out := make([]model.Answering, len(windows))
	for i, w := range windows {
		out[i].None = 1
		for _, a := range q.Answers {
			if at := strings.Index(w.Text, a); at >= 0 {
				out[i] = model.Answering{None: 0.25, Answers: 0.75, Start: at, End: at + len(a)}
			}
		}
	}
	return out, nil
}

// Choose takes every candidate that holds the answer, with .75.
func (g goldReader) Choose(ctx context.Context, question string, candidates []model.Stated) ([]model.Choice, error) {
	windows := make([]model.Window, len(candidates))
	for i, c := range candidates {
		windows[i].Said = c.Said
	}
	read, err := g.Answers(ctx, question, windows)
	out := make([]model.Choice, len(candidates))
	for i := range out {
		out[i] = model.Choice{Other: 1 - read[i].Answers, Answers: read[i].Answers}
	}
	return out, err
}

const readerClaims = `{"msg":"k1m01","who":"Bram","about":"home","words":"reservoir house","stance":"holds","closes":[]}
{"msg":"k1m02","who":"Bram","about":"rent","words":"610","stance":"holds","closes":[]}
{"msg":"k1m12","who":"Bram","about":"home","words":"Elvet","stance":"holds","closes":["k1m01"]}
{"msg":"k1m14","who":"Bram","about":"rent","words":"740","stance":"holds","closes":["k1m02"]}
`

func TestReaderBench(t *testing.T) {
	dir := chatFiles{"chat1.claims.jsonl": readerClaims}.copyOf(t, naturalSet, "chat1.jsonl", "chat1.questions.jsonl")
	chats, _, err := loadReaderChats(dir)
	if err != nil {
		t.Fatal(err)
	}
	env := Env{Reader: goldReader{chats[0]}, Rows: func(_ context.Context, c Conversation, _ int) ([][]string, error) {
		rows := make([][]string, len(c.Questions))
		for i, q := range c.Questions {
			rows[i] = append([]string{"k1m08"}, q.Evidence...)
		}
		return rows, nil
	}}
	r, err := readerBench(t.Context(), dir, env)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, m := range r.Metrics {
		got[m.Name] = m.Mean
	}
	for name, want := range map[string]float64{
		"statements: F1": 2 * 1.0 * 0.75 / 1.75, "statements: precision": 1, "statements: stance": 1, "statements: holder": 1,
		"statements: value overlaps": 0.75, "statements: value exact": 0.75, "statements: silent where nothing is said": 1,
		"pairs: an earlier one of the state is nearest": 1, "pairs: among the first three": 1, "pairs: same state, recall at precision .85": 1,
		"pairs: ends, precision above .5": 1, "questions: kind": 1, "questions: view": 1, "answers: unlikely where nobody said it": 1,
	} {
		if math.Abs(got[name]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if math.Abs(got["answers: right message"]-7.0/9) > 1e-9 || math.Abs(got["answers: right words"]-7.0/9) > 1e-9 { // two answers stand in no message
		t.Errorf("right message %v, right words %v", got["answers: right message"], got["answers: right words"])
	}
	if _, err := readerBench(t.Context(), dir, Env{}); daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("without a reader: %v", err)
	}
}

func TestCalibration(t *testing.T) {
	var judged []judgedPair
	for i := range 100 {
		judged = append(judged, judgedPair{0.8, i < 60})
	}
	if e := calibrationError(judged); math.Abs(e-0.2) > 1e-9 {
		t.Errorf("said .8 and came true in .6: an error of %v", e)
	}
	if r := recallAt([]judgedPair{{0.9, true}, {0.8, false}, {0.7, true}, {0.6, true}}, 0.75); r != 1 {
		t.Errorf("recall at precision .75 is %v", r)
	}
}

// chatFiles are files by name.
type chatFiles map[string]string

// copyOf writes the set to a folder, with some files of another.
func (s chatFiles) copyOf(t *testing.T, folder string, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		var f files
		data, err := f.read(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, string(data))
	}
	for name, text := range s {
		write(t, dir, name, text)
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := writeTo(filepath.Join(dir, name), func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		t.Fatal(err)
	}
}
