package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
	"daybook/recall"

	"pgregory.net/rapid"
)

// bankTalk is a memory in which a state changes between other things, a month apart.
var bankTalk = []string{
	"Ana: My main bank is Granite Trust.",
	"Bo: Mine is Pinecrest, they are fine.",
	"Ana: We had a lovely picnic by the lake yesterday.",
	"Ana: I switched banks, I bank with Cobalt Savings now because the fees went up.",
	"Bo: I painted the garden fence green on Sunday.",
}

func bankMemory(t *testing.T) (*engine.Engine, daybook.Scope) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the encoder")
	}
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	e, scope := open(t).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc}), daybook.Scope{User: "u"}
	for i, s := range bankTalk {
		speaker, text, _ := strings.Cut(s, ": ")
		n := daybook.Note{SourceID: fmt.Sprintf("t%d", i+1), Session: fmt.Sprint(i), Speaker: speaker, Text: text, Time: begin.AddDate(0, i-8, 0)}
		if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
			t.Fatal(err)
		}
	}
	return e, scope
}

// Recall and ask give the rows of a state in one order, with one role each.
func TestRecallInTheOrderOfAState(t *testing.T) {
	e, scope := bankMemory(t)
	for text, want := range map[string][]string{
		"Which bank does Ana use now?":    {"t4 current", "t1 historical"},
		"Which bank did Ana use before?":  {"t1 historical", "t4 current"},
		"When did Ana change banks?":      {"t4 transition", "t1 historical"},
		"What did Bo paint on the fence?": {"t5 "},
	} {
		found, err := e.Recall(t.Context(), scope, recall.Question{Text: text, K: len(want)}, daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		asked, err := e.Ask(t.Context(), scope, engine.Asked{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		var recalled, answered []string
		for i, row := range found.Rows {
			recalled = append(recalled, row.SourceID+" "+string(row.Role))
			answered = append(answered, asked.Rows[i].Source+" "+string(asked.Rows[i].Role))
		}
		if !slices.Equal(recalled, answered) {
			t.Errorf("%s: recall gives %v, ask %v", text, recalled, answered)
		}
		if len(recalled) != len(want) || !strings.HasPrefix(strings.Join(recalled, ","), strings.Join(want, ",")) {
			t.Errorf("%s: %v, want %v", text, recalled, want)
		}
	}
}

// What stands behind the rows of a state is told so, and the budget holds after the
// rows were put in order.
func TestRecallOfAStateIsCut(t *testing.T) {
	e, scope := bankMemory(t)
	q := recall.Question{Text: "Which bank does Ana use now?", K: 1, WhyNot: "t1"}
	found, err := e.Recall(t.Context(), scope, q, daybook.AsOf{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Rows) != 1 || found.WhyNot == nil || !strings.Contains(found.WhyNot.Reason, "stand before it") {
		t.Errorf("%d rows, %+v", len(found.Rows), found.WhyNot)
	}
	q = recall.Question{Text: q.Text, K: 5, Budget: found.Tokens}
	if found, err = e.Recall(t.Context(), scope, q, daybook.AsOf{}); err != nil {
		t.Fatal(err)
	}
	if found.Tokens > q.Budget || found.Rows[0].SourceID != "t4" {
		t.Errorf("%d tokens of %d, first %s", found.Tokens, q.Budget, found.Rows[0].SourceID)
	}
}

// A packet never holds a value that the ledger knows to be superseded without its
// label, whatever was said in which order and whatever is asked.
func TestLawPacketLabelsWhatIsSuperseded(t *testing.T) {
	values := strings.Fields("Amber Birch Cedar Dahlia Elm Fern Ginkgo Hazel")
	nouns := []string{"bank", "dentist"}
	rapid.Check(t, func(rt *rapid.T) {
		e, scope := open(t), daybook.Scope{User: rapid.StringMatching(`[a-z]{8}`).Draw(rt, "scope")}
		now := map[string]string{}
		for i := range rapid.IntRange(1, 8).Draw(rt, "notes") {
			var said []string
			told := rapid.SliceOfNDistinct(rapid.SampledFrom(nouns), 1, 2, rapid.ID).Draw(rt, "told")
			for _, noun := range told {
				now[noun] = rapid.SampledFrom(values).Draw(rt, "value")
				said = append(said, "my "+noun+" is "+now[noun])
			}
			n := daybook.Note{SourceID: fmt.Sprint(i), Session: fmt.Sprint(i), Speaker: "Ana", Text: strings.Join(said, " and "), Time: begin.Add(time.Duration(i) * time.Hour)}
			if _, err := e.Add(t.Context(), scope, by, []daybook.Note{n}); err != nil {
				rt.Fatal(err)
			}
			for _, noun := range told {
				f := engine.NewFact{Subject: "Ana", Relation: "has_" + noun, Object: now[noun], Holds: daybook.OneValue, Valid: daybook.Span{From: n.Time}, Sources: []string{n.SourceID}}
				if _, err := e.AddFact(t.Context(), scope, by, f); err != nil {
					rt.Fatal(err)
				}
			}
		}
		question := rapid.SampledFrom([]string{"What is Ana's bank?", "What was Ana's dentist before?", "What did Ana say?", "When did the bank change?", "my bank is Elm"}).Draw(rt, "question")
		got, err := e.Evidence(t.Context(), scope, engine.Asked{Text: question})
		if err != nil {
			rt.Fatal(err)
		}
		for _, line := range strings.Split(got.Packet.String(), "\n")[1:] {
			for noun, current := range now {
				for _, v := range values {
					if v != current && strings.Contains(line, "my "+noun+" is "+v) && !labelled(line, v) {
						rt.Fatalf("%s is superseded by %s and stands without its label:\n%s", v, current, got.Packet)
					}
				}
			}
		}
	})
}

// labelled reports whether a line of a packet is outdated, or says that the value is.
func labelled(line, value string) bool {
	_, rest, ok := strings.Cut(line, "[OUTDATED")
	if !ok {
		return false
	}
	inside, _, _ := strings.Cut(rest, "]")
	return inside == "" || strings.Contains(inside, value)
}
