package eval

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"daybook"
	"daybook/model"
)

// scripted is a completer that replies by what it is asked.
type scripted struct {
	mu    sync.Mutex
	calls int
	reply func(model.Request) (string, error)
}

func (s *scripted) Complete(_ context.Context, req model.Request) (model.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	text, err := s.reply(req)
	return model.Reply{Text: text, Model: "fake", Usage: model.Usage{In: 10, Out: 2}}, err
}

var boat = Question{ID: "1", Text: "What did Ana buy?", Category: "single-hop", Answers: []string{"a sailboat"}}

func TestJudgeMajority(t *testing.T) {
	c := &scripted{reply: func(r model.Request) (string, error) {
		if r.Seed == 2 {
			return `{"why":"another thing","correct":false}`, nil
		}
		return `{"why":"the same","correct":true}`, nil
	}}
	j := &Judge{Completer: c, Model: "fake", Protocol: Binary}
	s, err := j.Score(t.Context(), boat, Result{Answer: "a boat with sails"})
	if err != nil || s["judge"] != 1 || s["judge_mean"] != 2.0/3 || c.calls != 3 {
		t.Errorf("%v, %v after %d calls", s, err, c.calls)
	}
	if j.Name() != "judge-binary-1 by fake" {
		t.Error(j.Name())
	}
}

func TestJudgeGrades(t *testing.T) {
	var system string
	c := &scripted{reply: func(r model.Request) (string, error) {
		system = r.Messages[0].Content
		return `{"why":"half of it","score":0.5,"correct":false}`, nil
	}}
	j := &Judge{Completer: c, Protocol: Graded}
	for category, says := range map[string]string{
		"knowledge-update": "has changed", "single-session-preference": "suits the user", "temporal-reasoning": "length of time", "multi-session": "expected answer is in it",
	} {
		q := boat
		q.Category = category
		s, err := j.Score(t.Context(), q, Result{Answer: "a boat"})
		if err != nil || !maps.Equal(s, Scores{"judge": 0, "judge_mean": 0.5}) || !strings.Contains(system, says) {
			t.Errorf("%s: %v, %v; asked %q", category, s, err, system)
		}
	}
	absent := Question{ID: "2", Text: "What?", Absent: true}
	if _, err := j.Score(t.Context(), absent, Result{}); err != nil || !strings.Contains(system, "does not hold the answer") || !j.takes(absent) {
		t.Errorf("absent: %v, asked %q", err, system)
	}
	if (&Judge{Protocol: Binary}).takes(absent) {
		t.Error("the binary protocol judges what is absent")
	}
}

// Every prompt has what it needs, and nothing of it stays unfilled; what an
// answer says is not taken for a field.
func TestPrompts(t *testing.T) {
	q := boat
	q.State = &StateProbe{StaleValues: []string{"a kite"}}
	for _, p := range []prompt{judgeBinary, judgeGraded, judgeUpdate} {
		req := p.request(judgeFields(p, q, Result{Answer: "{{gold}} [CURRENT]"}))
		user := req.Messages[1].Content
		if strings.Contains(req.Messages[0].Content, "{{") || strings.Count(user, "{{") != 1 || !strings.Contains(user, "a sailboat") || !strings.Contains(user, q.Text) {
			t.Errorf("%s: %+v", p.name, req.Messages)
		}
	}
	read := readerPrompt.request(map[string]string{"question": "Q", "notes": "N", "asof": ""})
	if read.Messages[1].Content != "<notes>\nN\n</notes>\n<question>\nQ\n</question>" {
		t.Errorf("%q", read.Messages[1].Content)
	}
	if len(judgeGraded.rules) != 5 {
		t.Errorf("rules: %v", judgeGraded.rules)
	}
}

func TestJudgeOfUpdates(t *testing.T) {
	q := Question{ID: "1", Text: "Where?", Answers: []string{"Rome"}, State: &StateProbe{By: ByReference, Values: []string{"Rome"}, StaleValues: []string{"Paris"}}}
	c := &scripted{reply: func(r model.Request) (string, error) {
		if !strings.Contains(r.Messages[1].Content, "Paris") {
			t.Error("the outdated answer is not shown")
		}
		if r.Seed == 1 {
			return `{"why":"both","current":true,"outdated":true}`, nil
		}
		return `{"why":"now","current":true,"outdated":false}`, nil
	}}
	s, err := (&Judge{Completer: c, Protocol: Binary}).Score(t.Context(), q, Result{Answer: "Rome"})
	if err != nil || s["judge"] != 1 || !near(s["valid_acc"], 1) || !near(s["outdated_leak"], 1.0/3) || !near(s["strict_net"], 2.0/3) {
		t.Errorf("%v, %v", s, err)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// What was judged before is not asked again; another answer is.
func TestJudgeReplays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "replies.jsonl")
	inner := &scripted{reply: func(model.Request) (string, error) { return `{"why":"","correct":true}`, nil }}
	judged := func(answer string) Scores {
		tape, err := model.RecordTape(path)
		if err != nil {
			t.Fatal(err)
		}
		defer tape.Close()
		budget := model.NewBudget(0, nil)
		j := &Judge{Completer: budget.Completer(tape.Completer(inner, "fake"), "fake"), Model: "fake", Protocol: Binary}
		s, err := j.Score(t.Context(), boat, Result{Answer: answer})
		if err != nil {
			t.Fatal(err)
		}
		if acc := budget.Snapshot().Accounts; len(acc) != 1 || acc[0].Purpose != "judge-binary-1" || acc[0].Calls+acc[0].Replayed != 3 {
			t.Errorf("accounts: %+v", acc)
		}
		return s
	}
	first := judged("a boat")
	if again := judged("a boat"); !maps.Equal(first, again) || inner.calls != 3 {
		t.Errorf("%v, then %v after %d calls", first, again, inner.calls)
	}
	if judged("a yacht"); inner.calls != 6 {
		t.Errorf("another answer: %d calls", inner.calls)
	}
	tape, err := model.OpenTape(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	j := &Judge{Completer: tape.Completer(nil, "fake"), Model: "fake", Protocol: Binary}
	if s, err := j.Score(t.Context(), boat, Result{Answer: "a yacht"}); err != nil || s["judge"] != 1 {
		t.Errorf("replayed: %v, %v", s, err)
	}
}

// An answer that the model says nothing usable about is counted and left out; a
// model that never answers ends the run.
func TestJudgeFails(t *testing.T) {
	c := conversation("I bought a sailboat", "The weather was awful")
	c.Questions = []Question{
		{ID: "1", Text: "What about the sailboat?", Category: "a", Answers: []string{"bought"}, Evidence: []string{"n0"}},
		{ID: "2", Text: "What about the weather?", Category: "a", Answers: []string{"awful"}, Evidence: []string{"n1"}},
	}
	completer := &scripted{reply: func(r model.Request) (string, error) {
		if strings.Contains(r.Messages[1].Content, "weather") {
			return "I would rather not say", nil
		}
		return `{"why":"","correct":true}`, nil
	}}
	run := Run{Dataset: Dataset{Conversations: []Conversation{c}}, Systems: []System{Quoting{BM25{}}}, Ks: []int{1}, Judge: &Judge{Completer: completer, Protocol: Binary}}
	report, err := run.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l := report.Systems[0].Levels
	if l.Unjudged != 1 || l.Scores["1"]["judge"] != 1 || l.Groups[0].Metrics["judge"].N != 1 {
		t.Errorf("%+v", l)
	}
	run.Judge.Completer = &scripted{reply: func(model.Request) (string, error) { return "", daybook.Errorf(daybook.Unavailable, "down") }}
	if _, err := run.Do(t.Context()); daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("a model that is down: %v", err)
	}
}

// A reader gets the rows with times and roles, and what it does not know it says.
func TestReader(t *testing.T) {
	c := conversation("I bought a sailboat", "The weather was awful")
	var asked string
	completer := &scripted{reply: func(r model.Request) (string, error) {
		asked = r.Messages[1].Content
		if strings.Contains(asked, "physics") {
			return "Not known.", nil
		}
		return " a sailboat \n", nil
	}}
	s := Reading{System: BM25{}, Completer: completer, Model: "fake", Depth: 1}
	m, err := s.Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	answers, ok := talent[Answerer](m)
	if !ok {
		t.Fatal("a reader does not answer")
	}
	a, err := answers.Answer(t.Context(), Question{Text: "What about the sailboat?"})
	if err != nil || a.Text != "a sailboat" || a.Abstained || len(a.Rows) != 1 || a.Rows[0].ID != "n0" {
		t.Errorf("%+v, %v", a, err)
	}
	if !strings.Contains(asked, "1. 1 January 1970, 00:00 Ana: I bought a sailboat") || strings.Contains(asked, "weather") {
		t.Errorf("asked %q", asked)
	}
	if a, err := answers.Answer(t.Context(), Question{Text: "Who teaches physics?"}); err != nil || !a.Abstained {
		t.Errorf("%+v, %v", a, err)
	}
	if s.Reader() != "reader-1 by fake" {
		t.Error(s.Reader())
	}
}

// A system that answers itself keeps its own answers, and what is wrapped keeps
// its talents.
func TestReaderLeavesTalents(t *testing.T) {
	m, err := Quoting{oracle{}}.Build(t.Context(), Conversation{})
	if err != nil {
		t.Fatal(err)
	}
	if _, own := m.(*oracleMemory); !own {
		t.Errorf("%T", m)
	}
	wrapped := &readMemory{Memory: m}
	if _, ok := talent[Banker](Memory(wrapped)); !ok {
		t.Error("the bank is lost behind a reader")
	}
}
