package answer

import (
	"cmp"
	"context"
	"time"

	"daybook"
	"daybook/english"
	"daybook/extract"
	"daybook/model"
)

// Foreign is a row of another memory.
type Foreign struct {
	ID        string
	Text      string
	Speaker   string
	CreatedAt time.Time
	// ValidAt and InvalidAt are when it came to hold and stopped to, where the
	// other memory knows.
	ValidAt, InvalidAt time.Time
	Session            string
	Score              float64
}

// Overlay gives rows of another memory their roles for a question, and makes the
// packet. States are inferred from what the rows say; nothing is stored. Without an
// encoder only what the rows themselves tell counts.
func Overlay(ctx context.Context, rows []Foreign, q Question, encoder model.Encoder) (*Resolved, *Packet, error) {
	if encoder != nil {
		vectors, err := encoder.Encode(ctx, model.AsQuery, []string{q.Text})
		if err != nil {
			return nil, nil, err
		}
		said, err := encoder.Encode(ctx, model.AsText, []string{cmp.Or(q.Statement, q.Text)})
		if err != nil {
			return nil, nil, err
		}
		q = q.Embedded(vectors.Row(0), said.Row(0))
	}
	all := make([]Evidence, len(rows))
	for i, row := range rows {
		claims, err := claimsIn(ctx, row, encoder)
		if err != nil {
			return nil, nil, err
		}
		all[i] = Evidence{Note: noteOf(row), Score: row.Score, Claims: claims}
		if !row.InvalidAt.IsZero() && (q.Now.IsZero() || !row.InvalidAt.After(q.Now)) {
			all[i].Role = daybook.RoleHistorical
		}
	}
	if !heard(q.Subject, rows) {
		q.Subject = ""
	}
	r := Resolve(q, all, Background{})
	return r, Assemble(r, nil, DefaultBudget), nil
}

func heard(name string, rows []Foreign) bool {
	for _, r := range rows {
		if SameName(r.Speaker, name) {
			return true
		}
	}
	return false
}

func noteOf(row Foreign) daybook.Note {
	at := row.ValidAt
	if at.IsZero() {
		at = row.CreatedAt
	}
	return daybook.Note{ID: daybook.NoteID(row.ID), SourceID: row.ID, Session: row.Session, Time: at, Speaker: row.Speaker, Text: row.Text}
}

// claimsIn reads the sentences of a row. One that is no longer valid has ended.
func claimsIn(ctx context.Context, row Foreign, encoder model.Encoder) (claims []Claim, err error) {
	sentences := english.Read(row.Text)
	if encoder == nil || len(sentences) == 0 {
		return nil, nil
	}
	texts := make([]string, len(sentences))
	for i := range sentences {
		texts[i] = sentences[i].Text
	}
	vectors, err := encoder.Encode(ctx, model.AsText, texts)
	if err != nil {
		return nil, err
	}
	note := noteOf(row)
	for i := range sentences {
		if c, ok := ClaimIn(note, &sentences[i], vectors.Row(i)); ok {
			c.Variable = extract.VariableOf(vectors.Row(i))
			c.Ended = c.Ended || !row.InvalidAt.IsZero()
			claims = append(claims, c)
		}
	}
	return claims, nil
}
