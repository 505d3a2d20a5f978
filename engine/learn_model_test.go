package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
)

// replies is a completer that gives one reply after the other.
type replies struct {
	texts []string
	asked []string
}

func (r *replies) Complete(_ context.Context, req model.Request) (model.Reply, error) {
	r.asked = append(r.asked, req.Messages[1].Content)
	return model.Reply{Text: r.texts[min(len(r.asked), len(r.texts))-1], Model: "fake"}, nil
}

// lives is a reply: the speaker lives somewhere, by the first four words of the
// last note.
func lives(who, where, note, updates string) string {
	return `{"notes":[],"entities":[],"events":[{"id":"e1","kind":"state_change","text":"` + who + ` lives in ` + where + `.","with":["` + who + `"],"when":"","modality":"asserted","polarity":"positive","why":"","quotes":[{"note":` + note + `,"from":1,"to":4,"text":""}]}],
	"facts":[{"id":"f1","event":"e1","subject":"` + who + `","relation":"home","object":"` + where + `","holds":"one","from":"","until":"","sentiment":"neutral","intensity":0,"alternatives":[],"confidence":0.9,"importance":0.8}],
	"links":[],"updates":[` + updates + `]}`
}

func anna(text string, month time.Month) daybook.Note {
	return daybook.Note{Session: "s" + month.String(), Speaker: "Anna", Text: text, Time: time.Date(2024, month, 1, 10, 0, 0, 0, time.UTC)}
}

// A model is told what is known, and closes it where the guard lets it.
func TestModelUpdatesWhatIsKnown(t *testing.T) {
	fake := &replies{texts: []string{
		lives("Anna", "Porto", "1", ""),
		strings.Replace(lives("Anna", "Faro", "1", `{"kind":"updates","fact":"f1","known":"k1","confidence":0.95,"why":"she moved"}`), `"home"`, `"base"`, 1),
	}}
	e := open(t).WithLearner(&extract.LLM{Completer: fake, Model: "fake"})
	scope := daybook.Scope{User: "anna"}
	for _, n := range []daybook.Note{anna("I live in Porto.", time.January), anna("I live in Faro now.", time.March)} {
		r, err := e.Add(t.Context(), scope, engine.By{Author: "test"}, []daybook.Note{n})
		if err != nil || r.Fallback != "" || r.Learned != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if !strings.Contains(fake.asked[1], "k1: Anna | home | Porto") {
		t.Errorf("the model was not told what is known:\n%s", fake.asked[1])
	}
	states, err := e.Facts(t.Context(), scope, engine.FactQuery{Subject: "Anna"})
	if err != nil || len(states) != 1 || len(states[0].Periods) != 1 || states[0].Periods[0].Object != "Faro" {
		t.Errorf("%+v, %v", states, err)
	}
	st, err := e.Stats(t.Context(), scope)
	if made := st.Makers["model:fake:learn-1"]; err != nil || made.Events != 2 || made.Facts != 2 || made.Links != 1 {
		t.Errorf("%+v, %v", st.Makers, err)
	}
}

// Sessions of one import bear on each other too.
func TestModelSeesEarlierSessionsOfTheSameBatch(t *testing.T) {
	fake := &replies{texts: []string{
		lives("Anna", "Porto", "1", ""),
		lives("Anna", "Faro", "1", `{"kind":"updates","fact":"f1","known":"k1","confidence":0.95,"why":""}`),
	}}
	e := open(t).WithLearner(&extract.LLM{Completer: fake, Model: "fake"})
	r, err := e.Add(t.Context(), daybook.Scope{}, engine.By{}, []daybook.Note{anna("I live in Porto.", time.January), anna("I live in Faro now.", time.March)})
	if err != nil || len(r.Closed) != 1 {
		t.Errorf("closed %v, %v", r.Closed, err)
	}
}

// A model that is no use costs no note: receipt and log say what happened.
func TestModelFailureKeepsNotes(t *testing.T) {
	for _, fault := range []model.Fault{model.TimeOut, model.Break, model.Refuse, model.Truncate, model.Garble, model.HTML, model.Empty} {
		t.Run(fault.String(), func(t *testing.T) {
			faulty := model.NewFaultyCompleter(&replies{texts: []string{lives("Anna", "Porto", "1", "")}}, model.InTurn(fault))
			e := open(t).WithLearner(&extract.LLM{Completer: faulty, Model: "fake"})
			r, err := e.Add(t.Context(), daybook.Scope{}, engine.By{Message: "from the chat"}, []daybook.Note{anna("I live in Porto.", time.January)})
			if err != nil || r.Added != 1 || r.Learned != 1 || r.Fallback == "" {
				t.Fatalf("%+v, %v", r, err)
			}
			log, err := e.Log(t.Context(), daybook.Scope{}, 1)
			if want := "from the chat (learned locally: " + r.Fallback + ")"; err != nil || log[0].Message != want {
				t.Errorf("the log says %q, want %q, %v", log[0].Message, want, err)
			}
		})
	}
}

// A caller who gives up on a model that hangs keeps the note; one who had given up
// before does not write.
func TestCancelledModelKeepsNotes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	faulty := model.NewFaultyCompleter(&replies{texts: []string{"{}"}}, model.InTurn(model.Hang))
	e := open(t).WithLearner(&extract.LLM{Completer: called{faulty, cancel}, Model: "fake"})
	r, err := e.Add(ctx, daybook.Scope{}, engine.By{}, []daybook.Note{anna("I live in Porto.", time.January)})
	if err != nil || r.Added != 1 || !strings.Contains(r.Fallback, "cancelled") {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := e.Add(ctx, daybook.Scope{}, engine.By{}, []daybook.Note{anna("I live in Faro.", time.March)}); err == nil {
		t.Error("a cancelled call wrote")
	}
}

// called tells that a completer is being asked.
type called struct {
	model.Completer
	tell func()
}

func (c called) Complete(ctx context.Context, req model.Request) (model.Reply, error) {
	c.tell()
	return c.Completer.Complete(ctx, req)
}

// A name that a model takes for another's is merged once, and not again after
// somebody split it.
func TestModelAliases(t *testing.T) {
	reply := strings.Replace(lives("Anna", "Porto", "1", ""), `"entities":[`, `"entities":[{"name":"Elizabeth","kind":"person","aliases":["Liz"]}`, 1)
	e := open(t).WithLearner(&extract.LLM{Completer: &replies{texts: []string{reply}}, Model: "fake"})
	add := func(month time.Month) {
		t.Helper()
		if _, err := e.Add(t.Context(), daybook.Scope{}, engine.By{}, []daybook.Note{anna("I live in Porto with Liz, I mean Elizabeth.", month)}); err != nil {
			t.Fatal(err)
		}
	}
	add(time.January)
	add(time.March)
	if _, err := e.Split(t.Context(), daybook.Scope{}, engine.By{}, "Liz", "two people"); err != nil {
		t.Fatal(err)
	}
	add(time.April)
	if _, err := e.Split(t.Context(), daybook.Scope{}, engine.By{}, "Liz", "again"); daybook.KindOf(err) != daybook.Conflict {
		t.Errorf("the name was merged again: %v", err)
	}
}
