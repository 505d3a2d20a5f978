package eval

import (
	"context"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/store/sqlite"
)

func temporary(t *testing.T) func(context.Context) (*engine.Engine, func() error, error) {
	return func(ctx context.Context) (*engine.Engine, func() error, error) {
		s, err := sqlite.Open(ctx, t.TempDir())
		if err != nil {
			return nil, nil, err
		}
		e := engine.New(s)
		return e, e.Close, nil
	}
}

// stating recalls the notes in order, as the engine gives them.
func stating(ctx context.Context, e *engine.Engine, scope daybook.Scope, _ Question, k int) (rows []Row, _ error) {
	err := e.Notes(ctx, scope, "", daybook.AsOf{}, func(n daybook.Note) error {
		rows = append(rows, Row{ID: n.SourceID, Role: "aside"})
		return nil
	})
	return rows[:min(k, len(rows))], err
}

func TestOursSaysWhatIsMissing(t *testing.T) {
	o := Ours{Open: temporary(t)}
	if !strings.Contains(o.Missing(), "no recall") {
		t.Error(o.Missing())
	}
	if _, err := o.Build(t.Context(), conversation("x")); daybook.KindOf(err) != daybook.Invalid {
		t.Error(err)
	}
	o.Recall = stating
	if o.Missing() != "" {
		t.Error(o.Missing())
	}
}

// Ours goes through the engine: notes are added, recalled, and the bank follows
// what facts say of them.
func TestOurs(t *testing.T) {
	var open *engine.Engine
	o := Ours{Recall: stating, Open: func(ctx context.Context) (*engine.Engine, func() error, error) {
		e, done, err := temporary(t)(ctx)
		open = e
		return e, done, err
	}}
	c := conversation("I live in Paris", "I live in Rome", "Nice weather")
	m, err := o.Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, ok := talent[Answerer](m); ok {
		t.Error("answers, without Ask")
	}
	for i, city := range []string{"Paris", "Rome"} {
		_, err := open.AddFact(t.Context(), oursScope, engine.By{Author: "t"}, engine.NewFact{Subject: "Ana", Relation: "lives_in", Object: city, Valid: daybook.Span{From: c.Notes[i].Time}, Sources: []string{c.Notes[i].SourceID}})
		if err != nil {
			t.Fatal(err)
		}
	}
	rows, err := m.Recall(t.Context(), Question{}, 2)
	if err != nil || len(rows) != 2 || rows[0].ID != "n0" || rows[0].Role != "other" {
		t.Errorf("%+v, %v", rows, err)
	}
	bank, err := banked(t.Context(), m, c)
	if err != nil || len(bank) != 3 || bank[0].Conversation != "c" {
		t.Fatalf("%+v, %v", bank, err)
	}
	rate := ScoreBank([]Timeline{{Conversation: "c", Chain: "two", States: []TimelineState{
		{Evidence: "n0", ValidFrom: time.Unix(1, 0), ValidTo: time.Unix(2, 0)}, {Evidence: "n1", ValidFrom: time.Unix(2, 0)},
	}}}, bank)
	if rate["old_closed_at_right_time"].Rate != 1 || rate["current_left_open"].Rate != 1 || rate["all_states_stored"].Rate != 1 {
		t.Errorf("%v; bank %+v", rate, bank)
	}
	result, err := recalled(t.Context(), m, Question{ID: "1", Evidence: []string{"n2"}}, rows, nil)
	if err != nil || lostStage(result, "n2") != stageLost {
		t.Errorf("%+v, %v", result, err)
	}
}

// What a conversation states under keys is a fact, which closes what it names; what belongs
// to others is not the asker's.
func TestOursStates(t *testing.T) {
	o := Ours{Recall: stating, Open: temporary(t)}
	c := conversation("room: 1", "room_v2: 2", "a secret")
	c.Stated = []Stated{
		{Note: "n0", Subject: "Acme", Key: "room", Value: "1", Time: c.Notes[0].Time},
		{Note: "n1", Subject: "Acme", Key: "room_v2", Value: "2", Time: c.Notes[1].Time, Supersedes: []string{"n0"}},
		{Note: "n2", Subject: "Acme", Key: "room", Value: "3", Time: c.Notes[2].Time},
	}
	c.Apart = map[string]string{"n2": "directors"}
	m, err := o.Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	bank, err := banked(t.Context(), m, c)
	if err != nil || len(bank) != 2 || !bank[0].ValidTo.Equal(c.Notes[1].Time) || !bank[1].ValidTo.IsZero() {
		t.Errorf("%+v, %v", bank, err)
	}
	c.Stated[1].Supersedes = []string{"n7"}
	if _, err := o.Build(t.Context(), c); daybook.KindOf(err) != daybook.NotFound {
		t.Errorf("a note that is not there: %v", err)
	}
}

func TestOursAsks(t *testing.T) {
	o := Ours{Open: temporary(t), Recall: stating, Ask: func(_ context.Context, _ *engine.Engine, _ daybook.Scope, q Question) (Answer, error) {
		return Answer{Text: "You asked: " + q.Text, Rows: []Row{{ID: "n0", Role: "current"}}, Packet: "four words of evidence", Citations: []string{"n0"}}, nil
	}}
	c := conversation("I live in Paris")
	c.Questions = []Question{{ID: "1", Text: "Where?", Category: "k", Evidence: []string{"n0"}, Answers: []string{"Paris"}}}
	report, err := Run{Dataset: Dataset{Conversations: []Conversation{c}}, Systems: []System{o}, Ks: []int{1}, Tokens: func(text string) float64 { return float64(len(strings.Fields(text))) }}.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := report.Systems[0]
	if r := s.Results[0]; r.Answer != "You asked: Where?" || len(r.Packet) != 1 || s.Levels.Groups[0].Metrics["cited"].Mean != 1 || len(s.Bank) != 1 {
		t.Errorf("%+v, %+v", r, s.Levels)
	}
	if p := s.Packets; p == nil || *p != (Packets{N: 1, Tokens: 4, Rows: 1, Recall: 1, Known: 1}) {
		t.Errorf("packets %+v", p)
	}
}
