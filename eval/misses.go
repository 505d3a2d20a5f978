package eval

import (
	"io"
	"slices"
)

// Miss is a question that went wrong, with what was returned: a row of what
// --misses writes. Either its evidence was not all among the first K rows, or it
// was and something was lost after that. Where the evidence is not known or there
// is none, Gold is empty and the stage says what can be said.
type Miss struct {
	System       string      `json:"system"`
	ID           string      `json:"id"`
	Conversation string      `json:"conversation"`
	Category     string      `json:"category"`
	Question     string      `json:"question"`
	Answers      []string    `json:"answers,omitempty"`
	Stage        string      `json:"stage"`            // the earliest at which something was lost
	Answer       string      `json:"answer,omitempty"` // what the system said
	Gold         []MissedRow `json:"gold"`
	Returned     []MissedRow `json:"returned"`
}

// MissedRow is a note with the rank at which it was returned; 0 when it was not.
type MissedRow struct {
	ID    string `json:"id"`
	Rank  int    `json:"rank"`
	Role  string `json:"role,omitempty"`
	Stage string `json:"stage,omitempty"` // where gold was lost
	Text  string `json:"text"`
}

// Misses lists what a system missed at depth k, in the order of the questions.
func Misses(d Dataset, s SystemReport, k int) []Miss {
	results := map[string]Result{}
	for _, r := range s.Results {
		results[r.ID] = r
	}
	var misses []Miss
	for _, c := range d.Conversations {
		from := newSource(c)
		for _, q := range c.Questions {
			if m := miss(q, results[q.ID], from.texts, k, endStage(q, s.Levels)); m.Stage != stageFound {
				m.System, m.Conversation = s.Name, c.ID
				misses = append(misses, m)
			}
		}
	}
	return misses
}

// miss describes what became of one question that ends at a stage unless some of
// its evidence was lost before; stageFound when nothing was lost.
func miss(q Question, r Result, texts map[string]string, k int, end string) Miss {
	m := Miss{ID: q.ID, Category: q.Category, Question: q.Text, Answers: q.Answers, Answer: r.Answer, Stage: end, Gold: []MissedRow{}, Returned: []MissedRow{}}
	for _, id := range evidence(q) {
		stage, rank := stageOf(q, r, id, k)
		gold := MissedRow{ID: id, Rank: rank, Stage: stage, Text: texts[id]}
		if rank > 0 {
			gold.Role = r.Rows[rank-1].Role
		}
		if slices.Index(stages, stage) < slices.Index(stages, m.Stage) {
			m.Stage = stage
		}
		m.Gold = append(m.Gold, gold)
	}
	for i, row := range r.Rows[:min(k, len(r.Rows))] {
		m.Returned = append(m.Returned, MissedRow{ID: row.ID, Rank: i + 1, Role: row.Role, Text: texts[row.ID]})
	}
	return m
}

// evidence is what should be found: nothing for what nobody said.
func evidence(q Question) []string {
	if q.Absent {
		return nil
	}
	return q.Evidence
}

// WriteMisses writes one JSON object a line.
func WriteMisses(w io.Writer, misses []Miss) error {
	return writeJSONLines(w, misses)
}
