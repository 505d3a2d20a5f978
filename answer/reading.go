package answer

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/english"
	"daybook/model"
	"daybook/timex"
)

// Candidate is a note that may answer a question, as a reader sees it.
type Candidate struct {
	Note   daybook.Note
	Read   model.Answering
	Choice model.Choice // what it is beside the other candidates
}

// Words are the words of the note that answer, if it does.
func (c *Candidate) Words() string { return c.Note.Text[c.Read.Start:c.Read.End] }

// Sentence is the sentence of the note that these words stand in.
func (c *Candidate) Sentence() string {
	for _, s := range english.Sentences(c.Note.Text) {
		if s.Start <= c.Read.Start && c.Read.End <= s.End {
			return strings.TrimSpace(c.Note.Text[s.Start:s.End])
		}
	}
	return c.Note.Text
}

// Heard is a note with the messages before it in its session, oldest first.
type Heard struct {
	Note   daybook.Note
	Before []daybook.Note
}

// Window is the note as a reader reads it.
func (h Heard) Window() model.Window {
	w := model.Window{Said: said(h.Note)}
	for _, n := range h.Before {
		w.Before = append(w.Before, said(n))
	}
	return w
}

func said(n daybook.Note) model.Said {
	return model.Said{Speaker: n.Speaker, Time: n.Time, Text: n.Text}
}

// RowsRead is how many notes are read for a question.
const RowsRead = 20

// Candidates lets a reader look for the answer to a question in notes, best found first: at
// each note by itself, then at the likeliest together. The likeliest answer comes first. Notes
// that were said after by do not count, unless by is zero.
func Candidates(ctx context.Context, r model.Reader, question string, notes []Heard, by time.Time) ([]Candidate, error) {
	var windows []model.Window
	var all []Candidate
	for _, h := range notes {
		if len(all) == RowsRead {
			break
		}
		if strings.TrimSpace(h.Note.Text) != "" && (by.IsZero() || !h.Note.Time.After(by)) {
			windows, all = append(windows, h.Window()), append(all, Candidate{Note: h.Note})
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	read, err := r.Answers(ctx, question, windows)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Read = read[i]
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(a.Read.None, b.Read.None) })
	all = all[:min(len(all), model.MostChoices)]
	slices.SortStableFunc(all, func(a, b Candidate) int { return a.Note.Time.Compare(b.Note.Time) })
	stated := make([]model.Stated, len(all))
	for i, c := range all {
		stated[i] = model.Stated{Said: said(c.Note), Start: c.Read.Start, End: c.Read.End}
	}
	chosen, err := r.Choose(ctx, question, stated)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Choice = chosen[i]
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(b.Choice.Answers, a.Choice.Answers) })
	return all, nil
}

// likelyAnswer is how likely a candidate must be the answer for the question to be answered.
const likelyAnswer = 0.3

// Held is candidates without those that are still to come where it is asked what holds: plans
// whose time, by their words, lies ahead of now.
func Held(asked model.Asked, all []Candidate, now time.Time) []Candidate {
	if asked.Kind != "current" {
		return all
	}
	return slices.DeleteFunc(all, func(c Candidate) bool { return c.Read.Stance == model.Intended && ahead(c.Note, now) })
}

// ahead reports whether a note names a time that begins after now.
func ahead(n daybook.Note, now time.Time) bool {
	return slices.ContainsFunc(timex.Find(n.Text, n.Time), func(e timex.Expr) bool { return e.Resolved && e.Span.From.After(now) })
}

// fromCandidates answers a question from what a reader found, likeliest first.
func fromCandidates(asked model.Asked, all []Candidate) (string, []Claim) {
	if len(all) == 0 || all[0].Choice.Answers < likelyAnswer {
		return "", nil
	}
	first := &all[0]
	cited := []Claim{{Note: first.Note.ID, Sentence: first.Sentence()}}
	switch {
	case asked.Form == "yes/no":
		if first.Read.Yes >= 0.5 {
			return "Yes: " + trimValue(first.Words()) + ".", cited
		}
		return "No: " + trimValue(first.Words()) + ".", cited
	case asked.Kind == "when":
		return dated(first), cited
	case asked.Kind == "why":
		return because(trimValue(first.Words())), cited
	case asked.Kind == "list":
		return listed(all)
	}
	return trimValue(first.Words()), cited
}

// because is a reason as a sentence.
func because(reason string) string {
	if start := "because "; len(reason) > len(start) && strings.EqualFold(reason[:len(start)], start) {
		reason = reason[len(start):]
	}
	return "Because " + reason + "."
}

// dated is when something happened by the words of a candidate, or the day of its note.
func dated(c *Candidate) string {
	words := trimValue(c.Words())
	for _, e := range timex.Find(c.Note.Text, c.Note.Time) {
		if e.Resolved && e.Kind == timex.Date && e.Start < c.Read.End && e.End > c.Read.Start {
			return words + " (" + timex.Say(e.Span) + ")"
		}
	}
	return words + " (said on " + day(c.Note.Time) + ")"
}

// listed are the words of all candidates that are likely an answer.
func listed(all []Candidate) (string, []Claim) {
	var words []string
	var cited []Claim
	for i := range all {
		c := &all[i]
		w := trimValue(c.Words())
		if c.Choice.Answers < likelyAnswer || slices.ContainsFunc(words, func(o string) bool { return strings.EqualFold(o, w) }) {
			continue
		}
		words, cited = append(words, w), append(cited, Claim{Note: c.Note.ID, Sentence: c.Sentence()})
	}
	return strings.Join(words, ", "), cited
}

// ReadWith answers a question from what a reader found in the notes.
func ReadWith(q *Question, asked model.Asked, all []Candidate, p *Packet) Answer {
	a := Answer{Question: q.Text, View: q.View, Intent: q.Intent, Rows: p.Items, Citations: []Citation{}, By: Reader, Packet: p}
	text, from := fromCandidates(asked, all)
	if text == "" {
		return a.unknown(p)
	}
	a.Text, a.Known = text, true
	for _, c := range from {
		a.cite(p, c.Note, c.Sentence)
	}
	return a
}

// How likely a claim must tell the asked state for grammar to answer; or, in a memory of so few
// notes that all are read, how likely the reader must take the note that grammar answers from for
// one that tells a value of the state.
const (
	plainState = 0.95
	plainly    = 0.9
)

// Plain reports whether grammar tells the state that is asked for and the reader sees it so, too:
// the note that it answers from is of that state. Among sentences of a plain form grammar is surer
// of the right one than a reader that was trained on natural talk.
func Plain(r *Resolved, all []Candidate) bool {
	if !r.Stands {
		return false
	}
	if len(all) == 0 || all[0].Choice.Answers < likelyAnswer {
		return true
	}
	from := r.Asked[len(r.Asked)-1].Note
	at := slices.IndexFunc(all, func(c Candidate) bool { return c.Note.ID == from })
	if at < 0 || all[at].Choice.Other >= 0.5 {
		return false
	}
	return r.Match >= plainState || len(r.Rows) < RowsRead && all[at].Read.Answers >= plainly
}
