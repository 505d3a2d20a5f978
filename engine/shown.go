package engine

import (
	"time"

	"daybook"
	"daybook/answer"
	"daybook/recall"
)

// Recalled is what Recall returns as every door shows it.
type Recalled struct {
	ID     string           `json:"id,omitempty"`
	View   daybook.View     `json:"view"`
	Shape  recall.Shape     `json:"shape"`
	Rows   []RecalledRow    `json:"rows"`
	Paths  []recall.Path    `json:"paths"`
	Asked  []string         `json:"asked,omitempty"`
	Missed []string         `json:"missed,omitempty"`
	Tokens int              `json:"tokens"`
	Commit daybook.CommitID `json:"commit"`
	TookMS float64          `json:"took_ms"`
	WhyNot *recall.Absence  `json:"why_not,omitempty"`
}

// RecalledRow is one note of Recalled.
type RecalledRow struct {
	Note     daybook.NoteID  `json:"note"`
	SourceID string          `json:"source_id"`
	Text     string          `json:"text"`
	Speaker  string          `json:"speaker"`
	Time     time.Time       `json:"time"`
	Session  string          `json:"session"`
	Role     daybook.Role    `json:"role"`
	Reason   string          `json:"reason,omitempty"`
	Score    float64         `json:"score"`
	Explain  *recall.Explain `json:"explain,omitempty"`
}

// NewRecalled shows a result. The id is the caller's own for the question.
func NewRecalled(id string, r recall.Result, explain bool) *Recalled {
	out := &Recalled{
		ID: id, View: r.View, Shape: r.Shape, Rows: []RecalledRow{}, Paths: append([]recall.Path{}, r.Paths...),
		Tokens: r.Tokens, Commit: r.Commit, TookMS: r.TookMS, WhyNot: r.WhyNot, Asked: r.Asked, Missed: r.Missed,
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		made := RecalledRow{
			Note: row.ID, SourceID: row.SourceID, Text: row.Text, Speaker: row.Speaker, Time: row.Time, Session: row.Session,
			Role: row.Role, Reason: row.Reason, Score: row.Score,
		}
		if explain {
			made.Explain = &row.Explain
		}
		out.Rows = append(out.Rows, made)
	}
	return out
}

// Answered is an answer as every door shows it. Rows are as those of Recalled.
type Answered struct {
	ID        string            `json:"id"`
	AnswerID  string            `json:"answer_id"`
	Answer    string            `json:"answer"`
	Known     bool              `json:"known"`
	View      daybook.View      `json:"view"`
	Intent    answer.Intent     `json:"intent"`
	Rows      []AnsweredRow     `json:"rows"`
	Citations []answer.Citation `json:"citations"`
	By        string            `json:"by"`
	Removed   int               `json:"removed_citations,omitempty"`
	Fallback  string            `json:"fallback,omitempty"`
	TookMS    float64           `json:"took_ms"`
}

// AnsweredRow is one row that an answer was made from.
type AnsweredRow struct {
	Note     daybook.NoteID `json:"note"`
	SourceID string         `json:"source_id"`
	Text     string         `json:"text"`
	Speaker  string         `json:"speaker"`
	Time     time.Time      `json:"time"`
	Session  string         `json:"session"`
	Role     daybook.Role   `json:"role"`
	Reason   string         `json:"reason,omitempty"`
	Value    string         `json:"value,omitempty"`
	Score    float64        `json:"score"`
}

// NewAnswered shows an answer. The id is the caller's own for the question.
func NewAnswered(id string, got answer.Answer, took time.Duration) Answered {
	r := Answered{
		ID: id, AnswerID: got.ID, Answer: got.Text, Known: got.Known, View: got.View, Intent: got.Intent, Rows: []AnsweredRow{},
		Citations: got.Citations, By: got.By, Removed: got.Removed, Fallback: got.Fallback, TookMS: float64(took.Microseconds()) / 1000,
	}
	for _, it := range got.Rows {
		r.Rows = append(r.Rows, AnsweredRow{
			Note: it.ID, SourceID: it.Source, Text: it.Text, Speaker: it.Speaker, Time: it.Time, Session: it.Session,
			Role: it.Role, Reason: it.Reason, Value: it.Value, Score: it.Score,
		})
	}
	return r
}
