package extract

import (
	"slices"
	"testing"

	"daybook"
	"daybook/english"
	"daybook/model"
)

// marksOf marks the words of a text that lie in some part of it.
func marksOf(text, part string) (marks []Mark) {
	from, to := 0, 0
	for i := range text {
		if i+len(part) <= len(text) && text[i:i+len(part)] == part {
			from, to = i, i+len(part)
		}
	}
	for _, t := range english.Tokens(text) {
		m := Mark{Start: t.Start, End: t.End, Score: -4}
		if from < t.End && t.Start < to {
			m.Score = 4
		}
		marks = append(marks, m)
	}
	return marks
}

// TestCandidatesOfMarks: what the marks point out is a candidate, once, also where
// grammar has no such part, and each candidate says how the marks see it.
func TestCandidatesOfMarks(t *testing.T) {
	text := "Well, my pager code went from the old one to seven blue herons over tea."
	for _, part := range []string{"seven blue herons", "code went from the old"} {
		s := english.ReadSentence(text)
		pointed := 0
		for _, c := range Candidates(&s, marksOf(text, part)) {
			if len(c.Signals) != SignalCount+EvidenceCount {
				t.Fatalf("%q has %d signals", c.Text, len(c.Signals))
			}
			whole := c.Signals[SignalCount+10] == 1
			if whole != (c.Text == part) {
				t.Errorf("%q is whole: %v", c.Text, whole)
			}
			if whole {
				pointed++
			}
		}
		if pointed != 1 {
			t.Errorf("%q is a candidate %d times", part, pointed)
		}
	}
}

// TestMarksOverTokens: a token has the mean of the words that touch it, and one that
// no word touches is no value.
func TestMarksOverTokens(t *testing.T) {
	s := english.ReadSentence("Note: it's at 9:30 now.")
	e := evidenceOf(&s, []Mark{{Start: 14, End: 15, Score: 5}, {Start: 15, End: 16, Score: 2}, {Start: 16, End: 18, Score: 5}, {Start: 19, End: 22, Score: -3}})
	at := slices.IndexFunc(s.Tokens, func(x english.Token) bool { return x.Text == "9:30" })
	if at < 0 || e.scores[at] != 4 || e.first != at || e.end != at+1 || e.scores[0] != -surest {
		t.Errorf("token %d: %+v", at, e)
	}
	if evidenceOf(&s, nil) != nil {
		t.Error("evidence without marks")
	}
}

// TestRestate: what is learned of a sentence can be read again from its words and its
// value, whether grammar or the marks found that.
func TestRestate(t *testing.T) {
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	notes := []daybook.Note{
		{Text: "I moved the standup to 9:30."}, {Text: "My dentist is Dr. Okafor these days."}, {Text: "We switched our energy tariff over to Green Flex."},
		{Text: "These days the spare key lives under the blue pot."}, {Text: "I gave up on buses, so it's the tram for me now."},
	}
	for i := range notes {
		notes[i].Speaker, notes[i].Session = "Ann", "s"
		notes[i] = notes[i].Named()
	}
	learned, err := Local{Encoder: enc}.Learn(t.Context(), Window{Notes: notes})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range learned.Facts {
		if f.Stated == nil {
			continue
		}
		seen++
		i := slices.IndexFunc(notes, func(n daybook.Note) bool { return n.ID == f.Sources[0] })
		again, ok := Restate(notes[i].Text, f.Object, f.Vector)
		if !ok || again.Object != f.Object || again.Type != f.Stated.Type || again.Changed != f.Stated.Changed {
			t.Errorf("%q of %q: %v, %+v", f.Object, notes[i].Text, ok, again.Statement)
		}
	}
	if seen < 3 {
		t.Errorf("%d statements of %d sentences", seen, len(notes))
	}
}
