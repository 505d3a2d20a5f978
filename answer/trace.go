package answer

import (
	"cmp"
	"slices"
	"strings"

	"daybook"
	"daybook/english"
)

// Trace is what an answer stands on: made after the answer, and without changing
// it.
type Trace struct {
	Answer    Answer       `json:"answer"`
	Sentences []Supported  `json:"sentences"`
	Paths     []TracedPath `json:"paths"`
}

// Supported is a sentence of an answer with the rows that bear it out; none where
// it is unsupported.
type Supported struct {
	Text    string           `json:"text"`
	Rows    []int            `json:"rows"`
	Notes   []daybook.NoteID `json:"notes"`
	Support float64          `json:"support"` // the share of its words that the rows have
}

// TracedPath is a path with how much it has to do with the answer.
type TracedPath struct {
	Path  string  `json:"path"`
	Score float64 `json:"score"`
	// The parts of the score: likeness to the answer and to the question, the
	// path's own confidence, agreement in time, and whether it touches a name of
	// the answer.
	Answer, Query, Confidence, Temporal float64
	Touches                             bool
}

// Weights of a traced path: answer, question, confidence, time, and what touching
// a name of the answer adds. They are TRACE's (eq. 23).
const (
	traceAnswer     = 0.35
	traceQuery      = 0.25
	traceConfidence = 0.25
	traceTemporal   = 0.15
	traceEntity     = 0.15
	tracePaths      = 5
)

// PathOf is a path that was found for the question: its text, its confidence, and
// whether its events stand in order of time.
type PathOf struct {
	Text       string
	Confidence float64
	InOrder    bool
}

// Explain maps each sentence of an answer to the rows that bear it out, and scores
// the paths against it. Paths that share no word with the answer are left out.
func Explain(a Answer, paths []PathOf) Trace {
	t := Trace{Answer: a, Sentences: []Supported{}, Paths: []TracedPath{}}
	for _, span := range english.Sentences(a.Text) {
		t.Sentences = append(t.Sentences, support(strings.TrimSpace(a.Text[span.Start:span.End]), a))
	}
	said, asked := contentWords(a.Text), contentWords(a.Question)
	for _, p := range paths {
		words := contentWords(p.Text)
		tp := TracedPath{Path: p.Text, Answer: sharedWords(said, words), Query: sharedWords(asked, words), Confidence: p.Confidence, Temporal: real(p.InOrder), Touches: touches(a.Text, p.Text)}
		if tp.Answer == 0 && tp.Query == 0 {
			continue
		}
		tp.Score = traceAnswer*tp.Answer + traceQuery*tp.Query + traceConfidence*tp.Confidence + traceTemporal*tp.Temporal + traceEntity*real(tp.Touches)
		t.Paths = append(t.Paths, tp)
	}
	daybook.Sort(t.Paths, func(a, b TracedPath) int { return cmp.Compare(b.Score, a.Score) })
	t.Paths = t.Paths[:min(len(t.Paths), tracePaths)]
	return t
}

// supported is the share of a sentence's words that its rows must have.
const supported = 0.5

// support finds the rows that bear a sentence out: those it cites, and those that
// have its words. Dates may come from the day of a row.
func support(text string, a Answer) Supported {
	s := Supported{Text: text, Rows: []int{}, Notes: []daybook.NoteID{}}
	words := contentWords(citation.ReplaceAllString(text, ""))
	for _, c := range a.Citations {
		i := slices.IndexFunc(a.Rows, func(it Item) bool { return it.N == c.N })
		if i < 0 {
			continue
		}
		it := a.Rows[i]
		said := append(contentWords(it.Text), contentWords(it.Reason+" "+it.Time.Format("2 January 2006"))...)
		if share := sharedWords(words, said); share > 0 || len(words) == 0 {
			s.Rows, s.Notes = append(s.Rows, it.N), append(s.Notes, it.ID)
			s.Support = max(s.Support, share)
		}
	}
	if s.Support < supported && len(words) > 0 {
		s.Rows, s.Notes = []int{}, []daybook.NoteID{}
	}
	return s
}

// touches reports whether a path has a name that the answer has.
func touches(answer, path string) bool {
	sentence := english.ReadSentence(answer)
	for _, n := range sentence.Names() {
		if strings.Contains(strings.ToLower(path), strings.ToLower(n.Text)) {
			return true
		}
	}
	return false
}
