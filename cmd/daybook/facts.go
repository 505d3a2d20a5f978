package main

import (
	"cmp"
	"time"

	"daybook"
	"daybook/engine"
)

// asOfFlags fix the two clocks of a read.
type asOfFlags struct {
	AsOf    string `help:"What held in the world at this time." placeholder:"TIME"`
	KnownAt string `help:"As the ledger knew it at this time." placeholder:"TIME"`
}

func (f asOfFlags) parse(now time.Time) (daybook.AsOf, error) {
	return engine.ParseAsOf(f.AsOf, f.KnownAt, now)
}

type factsCmd struct {
	asOfFlags
	Subject  string `help:"Only facts about this subject." placeholder:"NAME"`
	Relation string `help:"Only facts of this relation." placeholder:"NAME"`
	All      bool   `help:"Also what no longer holds or is only planned."`
}

func (c *factsCmd) Run(a *app) error {
	return a.reading(func(e *engine.Engine) error {
		at, err := c.parse(e.Now())
		if err != nil {
			return err
		}
		states, err := e.Facts(a.ctx, a.scope(), engine.FactQuery{Subject: c.Subject, Relation: c.Relation, Session: a.Session, At: at, All: c.All})
		if err != nil {
			return err
		}
		return a.printFacts(states)
	})
}

// factRow is one value of a state, flat, for JSON.
type factRow struct {
	ID         daybook.FactID   `json:"id"`
	Subject    string           `json:"subject"`
	SubjectID  daybook.EntityID `json:"subject_id"`
	Relation   string           `json:"relation"`
	State      string           `json:"state,omitempty"` // the relation that names the state, where it is another
	Object     string           `json:"object"`
	Role       daybook.Role     `json:"role"`
	Reason     string           `json:"reason,omitempty"`
	Modality   daybook.Modality `json:"modality,omitempty"`
	ValidFrom  time.Time        `json:"valid_from,omitzero"`
	ValidUntil time.Time        `json:"valid_until,omitzero"`
	Known      daybook.Known    `json:"known,omitempty"`
	Context    daybook.Context  `json:"context,omitzero"`
	Confidence float64          `json:"confidence,omitempty"`
	Sources    []daybook.NoteID `json:"sources,omitempty"`
	Session    string           `json:"session,omitempty"`
	RecordedAt time.Time        `json:"recorded_at"`
	Commit     daybook.CommitID `json:"commit"`
	EndedBy    daybook.FactID   `json:"ended_by,omitempty"`
	Restated   []daybook.FactID `json:"restated,omitempty"` // other facts that say the same
}

func rowOf(st daybook.State, p daybook.Period) factRow {
	f := p.Facts[0]
	row := factRow{
		ID: f.ID, Subject: st.Subject.Name, SubjectID: st.Subject.ID, Relation: relationOf(st, p), Object: p.Object,
		Role: p.Role, Reason: p.Reason, Modality: p.Modality, ValidFrom: p.Valid.From, ValidUntil: p.Valid.Until,
		Known: p.Valid.Known, Context: f.Context, Confidence: f.Confidence, Sources: f.Sources, Session: f.Session,
		RecordedAt: f.RecordedAt, Commit: f.Commit, EndedBy: p.EndedBy,
	}
	if p.Relation != "" {
		row.State = st.Relation
	}
	for _, again := range p.Facts[1:] {
		row.Restated = append(row.Restated, again.ID)
	}
	return row
}

// relationOf is the relation that a value was stated with.
func relationOf(st daybook.State, p daybook.Period) string { return cmp.Or(p.Relation, st.Relation) }

func (a *app) printFacts(states []daybook.State) error {
	rows := []factRow{}
	text := [][]string{}
	for _, st := range states {
		for _, p := range st.Periods {
			rows = append(rows, rowOf(st, p))
			text = append(text, []string{
				line(st.Subject.Name, 30), line(relationOf(st, p), 40), a.bold(line(p.Object, 60)), p.Valid.String(), a.role(p.Role), a.dim(why(p.Facts[0].Context.Why)),
			})
		}
	}
	if a.JSON {
		return a.json(map[string]any{"facts": rows})
	}
	if len(rows) == 0 {
		a.printf("nothing is known for that in this scope; 'daybook entities' lists who and what is known\n")
		return nil
	}
	a.table(text)
	return nil
}

func why(reason string) string {
	if reason == "" {
		return ""
	}
	return "(" + line(reason, 80) + ")"
}
