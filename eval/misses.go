package eval

import (
	"encoding/json"
	"io"
	"slices"
)

// Miss is a question that went wrong, with what was returned: a row of what
// --misses writes. Either its evidence was not all among the first K rows, or it
// was and something was lost after that.
type Miss struct {
	System       string      `json:"system"`
	ID           string      `json:"id"`
	Conversation string      `json:"conversation"`
	Category     string      `json:"category"`
	Question     string      `json:"question"`
	Answers      []string    `json:"answers,omitempty"`
	Stage        string      `json:"stage"` // the earliest at which something was lost
	Said         string      `json:"said,omitempty"`
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

// Where gold can be lost on the way to a reader, in the order of the way; each
// gold note is found or lost at one of the first three.
const (
	stageLost    = "not found"
	stageRanked  = "found but ranked below k"
	stageDropped = "dropped by the budget"
	stageLabel   = "found but mislabelled"
	stageAnswer  = "answer wrong although the evidence was there"
	stageFound   = "found"
)

var stages = []string{stageLost, stageRanked, stageDropped, stageLabel, stageAnswer, stageFound}

// Misses lists what a system missed at depth k, in the order of the questions.
// Questions that the conversation does not answer are left out, and those whose
// evidence is not known.
func Misses(d Dataset, s SystemReport, k int) []Miss {
	results := map[string]Result{}
	for _, r := range s.Results {
		results[r.ID] = r
	}
	var misses []Miss
	for _, c := range d.Conversations {
		from := newSource(c)
		for _, q := range c.Questions {
			if q.Absent || len(q.Evidence) == 0 {
				continue
			}
			if m := miss(q, results[q.ID], from.texts, k); m.Stage != stageFound {
				m.System, m.Conversation = s.Name, c.ID
				misses = append(misses, m)
			}
		}
	}
	return misses
}

// miss describes what became of one question; its stage is stageFound when
// nothing was lost.
func miss(q Question, r Result, texts map[string]string, k int) Miss {
	m := Miss{ID: q.ID, Category: q.Category, Question: q.Text, Answers: q.Answers, Said: r.Answer}
	m.Stage = stageAfter(q, r, k)
	for _, id := range q.Evidence {
		gold := MissedRow{ID: id, Rank: 1 + slices.IndexFunc(r.Rows, func(row Row) bool { return row.ID == id }), Text: texts[id]}
		gold.Stage = stageOf(r.Rows, gold.Rank, k)
		if gold.Rank > 0 {
			gold.Role = r.Rows[gold.Rank-1].Role
		}
		if slices.Index(stages, gold.Stage) < slices.Index(stages, m.Stage) {
			m.Stage = gold.Stage
		}
		m.Gold = append(m.Gold, gold)
	}
	for i, row := range r.Rows[:min(k, len(r.Rows))] {
		m.Returned = append(m.Returned, MissedRow{ID: row.ID, Rank: i + 1, Role: row.Role, Text: texts[row.ID]})
	}
	return m
}

// stageOf says where a note at a rank was lost.
func stageOf(rows []Row, rank, k int) string {
	switch {
	case rank == 0:
		return stageLost
	case rows[rank-1].Dropped:
		return stageDropped
	case rank > k:
		return stageRanked
	}
	return stageFound
}

// stageAfter says what was lost after the notes were found. Labels and answers
// count only where the system gives such: a baseline has neither.
func stageAfter(q Question, r Result, k int) string {
	answered := r.Answer != "" || r.Abstain
	if q.State == nil {
		if answered && len(q.Answers) > 0 && JudgeText(r.Answer, q.Answers)["f1"] < answeredF1 {
			return stageAnswer
		}
		return stageFound
	}
	s := JudgeState(q, r, k)
	labels := slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Role != "" })
	if v, ok := s["role_acc"]; labels && ok && v == 0 {
		return stageLabel
	}
	if v, ok := s["answer_acc"]; answered && ok && v == 0 {
		return stageAnswer
	}
	return stageFound
}

// answeredF1 is how many of its words an answer must share with a right one, to
// be passed over as right where nothing better than words judges it.
const answeredF1 = 0.5

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
