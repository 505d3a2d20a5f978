package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
	"daybook/recall"
)

// partTalk is a memory in which every part has something to do.
var partTalk = []string{
	"Ana: My main bank is Granite Trust.",
	"Bo: Mine is Pinecrest, they are fine.",
	"Ana: We met Carla at the Lakeside Fair because the picnic was rained off.",
	"Bo: What colour did you choose for the garden fence?",
	"Ana: A dark green.",
	"Ana: I switched banks, I bank with Cobalt Savings now because the fees went up.",
	"Bo: Carla sold me a kayak at the Lakeside Fair.",
}

// memoryWithout takes partTalk in, a month between notes, with parts left undone.
func memoryWithout(t *testing.T, parts ...engine.Part) (*engine.Engine, daybook.Scope) {
	t.Helper()
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	e, scope := open(t).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc}).Without(parts...), daybook.Scope{User: "u"}
	for i, s := range partTalk {
		speaker, text, _ := strings.Cut(s, ": ")
		n := daybook.Note{SourceID: fmt.Sprintf("t%d", i+1), Session: "s", Speaker: speaker, Text: text, Time: begin.AddDate(0, i-8, 0)}
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
	return e, scope
}

// Each part does something, and without it that is not done.
func TestWithout(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the encoder")
	}
	does := map[engine.Part]func(*testing.T, *engine.Engine, daybook.Scope) bool{
		engine.Learning: func(t *testing.T, e *engine.Engine, scope daybook.Scope) bool { return len(factsOf(t, e, scope)) > 0 },
		engine.Judges:   bankIsClosed,
		engine.Links:    bankIsClosed,
		engine.Latent: func(t *testing.T, e *engine.Engine, scope daybook.Scope) bool {
			em, err := e.Embed(t.Context(), scope, nil)
			if err != nil || em.Vectors == 0 {
				t.Fatal(em, err)
			}
			return em.Latent > 0
		},
		engine.Vectors: legOf("Which bank does Ana use now?", "dense"),
		engine.Times:   legOf("What happened between 1 January 2020 and 1 January 2030?", "time"),
		engine.Graph:   legOf("Where did Carla go?", "entity"),
		engine.States: func(t *testing.T, e *engine.Engine, scope daybook.Scope) bool {
			asking, err := e.Evidence(t.Context(), scope, engine.Asked{Text: "Which bank did Ana use before?"})
			if err != nil {
				t.Fatal(err)
			}
			return asking.Resolved.Stands && asking.Packet.Items[0].Source == "t1"
		},
		engine.Pointer: answers("Whom did Ana meet?", "Carla"),
	}
	full, scope := memoryWithout(t)
	for _, part := range engine.Parts() {
		if part == engine.Reader {
			continue // TestWithoutReader
		}
		if !does[part](t, full, scope) {
			t.Errorf("with %s it is not done", part)
		}
		less, scope := memoryWithout(t, part)
		if does[part](t, less, scope) {
			t.Errorf("without %s it is done", part)
		}
	}
}

// The reader finds candidates for an answer; without it there are none.
func TestWithoutReader(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the reader")
	}
	reader, err := model.DefaultReader()
	if err != nil {
		t.Fatal(err)
	}
	full, scope := memoryWithout(t)
	full = full.WithReader(reader)
	for _, e := range []*engine.Engine{full, full.Without(engine.Reader)} {
		asking, err := e.Evidence(t.Context(), scope, engine.Asked{Text: "Which bank does Ana use?"})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(asking.Candidates) > 0, e == full; got != want {
			t.Errorf("candidates: %v, want %v", got, want)
		}
	}
}

func factsOf(t *testing.T, e *engine.Engine, scope daybook.Scope) []daybook.State {
	t.Helper()
	states, err := e.Facts(t.Context(), scope, engine.FactQuery{All: true})
	if err != nil {
		t.Fatal(err)
	}
	return states
}

// bankIsClosed reports whether the first bank was superseded in the ledger.
func bankIsClosed(t *testing.T, e *engine.Engine, scope daybook.Scope) bool {
	for _, state := range factsOf(t, e, scope) {
		for _, p := range state.Periods {
			if strings.Contains(p.Object, "Granite") {
				return p.EndedBy != ""
			}
		}
	}
	t.Fatal("the bank was not learned")
	return false
}

// legOf reports whether a leg finds a row for a question.
func legOf(question, leg string) func(*testing.T, *engine.Engine, daybook.Scope) bool {
	return func(t *testing.T, e *engine.Engine, scope daybook.Scope) bool {
		found, err := e.Recall(t.Context(), scope, recall.Question{Text: question}, daybook.AsOf{})
		if err != nil || len(found.Rows) == 0 {
			t.Fatal(found.Rows, err)
		}
		for _, row := range found.Rows {
			if row.Explain.Legs[leg] > 0 {
				return true
			}
		}
		return false
	}
}

// answers reports whether a word is in the answer to a question.
func answers(question, word string) func(*testing.T, *engine.Engine, daybook.Scope) bool {
	return func(t *testing.T, e *engine.Engine, scope daybook.Scope) bool {
		a, err := e.Ask(t.Context(), scope, engine.Asked{Text: question})
		if err != nil {
			t.Fatal(err)
		}
		return a.Known && strings.Contains(a.Text, word)
	}
}

func TestReadParts(t *testing.T) {
	parts, err := engine.ReadParts([]string{"states", "links", "states"})
	if err != nil || engine.PartNames(parts) != "links, states" {
		t.Errorf("%v, %v", parts, err)
	}
	if _, err := engine.ReadParts([]string{"links", "luck"}); daybook.KindOf(err) != daybook.Invalid || !strings.Contains(err.Error(), `"luck"; there are learning, judges`) {
		t.Error(err)
	}
}
