package eval

import (
	"encoding/json"
	"io"
)

// Miss is a question whose evidence was not all among the first K rows, or
// whose answer is wrong although it was, with what was returned instead: a row of
// what --misses writes.
type Miss struct {
	System       string      `json:"system"`
	ID           string      `json:"id"`
	Conversation string      `json:"conversation"`
	Category     string      `json:"category"`
	Question     string      `json:"question"`
	Answers      []string    `json:"answers,omitempty"`
	Stage        string      `json:"stage,omitempty"`  // where all evidence was there and the answer is wrong
	Answer       string      `json:"answer,omitempty"` // what the system said
	Gold         []MissedRow `json:"gold"`
	Returned     []MissedRow `json:"returned"`
}

// MissedRow is a note with the rank at which it was returned; 0 when it was not.
type MissedRow struct {
	ID    string `json:"id"`
	Rank  int    `json:"rank"`
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
		texts := map[string]string{}
		for _, n := range c.Notes {
			texts[n.SourceID] = n.Passage()
		}
		for _, q := range c.Questions {
			if m := miss(q, results[q.ID], texts, k, wrongAnswer(s.Levels, q.ID)); m != nil {
				m.System, m.Conversation = s.Name, c.ID
				misses = append(misses, *m)
			}
		}
	}
	return misses
}

// miss describes one question, or returns nil when all its evidence was there or
// none is known, and its answer is not known to be wrong.
func miss(q Question, r Result, texts map[string]string, k int, wrong bool) *Miss {
	m := &Miss{ID: q.ID, Category: q.Category, Question: q.Text, Answers: q.Answers, Answer: r.Answer}
	complete := true
	for _, id := range q.Evidence {
		stage, rank := stageOf(q, r, id, k)
		complete = complete && stage == stageFound
		m.Gold = append(m.Gold, MissedRow{ID: id, Rank: rank, Stage: stage, Text: texts[id]})
	}
	if complete && wrong && len(q.Evidence) > 0 {
		m.Stage = stageAnswer
	}
	if complete && m.Stage == "" || q.Absent {
		return nil
	}
	for i, row := range r.Rows[:min(k, len(r.Rows))] {
		m.Returned = append(m.Returned, MissedRow{ID: row.ID, Rank: i + 1, Text: texts[row.ID]})
	}
	return m
}

// WriteMisses writes one JSON object a line.
func WriteMisses(w io.Writer, misses []Miss) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, m := range misses {
		if err := enc.Encode(m); err != nil {
			return err
		}
	}
	return nil
}
