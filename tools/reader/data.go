package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/engine"
	"daybook/eval"
	"daybook/extract"
	"daybook/model"
	"daybook/store/sqlite"
)

type conversation struct {
	ID    string `json:"id"`
	Turns []struct {
		Speaker string `json:"speaker"`
		Text    string `json:"text"`
		Session int    `json:"session"`
	} `json:"turns"`
	Questions []struct {
		Text   string  `json:"q"`
		Shape  string  `json:"shape"`
		Answer *string `json:"answer"`
	} `json:"questions"`
}

// speakers are those who speak, in the order in which they begin.
func (c *conversation) speakers() (names []string) {
	for _, t := range c.Turns {
		if !slices.Contains(names, t.Speaker) {
			names = append(names, t.Speaker)
		}
	}
	return names
}

// example is a question with the spans of its rows and how well each answers.
type example struct {
	conversation int
	shape        string
	intent       answer.Intent
	gold         string
	spans        []answer.Span
	sparse       [][]entry // the signals of each span that are not 0
	f1           []float64
	best         float64 // of the spans
	hold         held
}

// entry is a signal that is not 0.
type entry struct {
	at    int
	value float32
}

// held is what tells whether the rows hold an answer, and whether they do.
type held struct {
	signals []float64
	answers bool
	state   bool // a state is asked for
	stands  bool // it is known; nobody asks the judge then
}

// corpus are all examples, and questions that nobody answered.
type corpus struct {
	examples []example
	strange  []held
	states   []string // questions about states
	rng      *rand.Rand
	pointer  *model.LocalPointer
}

func read(files []string, states, cache string) (all corpus, err error) {
	all.rng = rand.New(rand.NewPCG(1, 1))
	if all.states, err = readStates(states); err != nil {
		return all, err
	}
	local, err := model.Default()
	if err != nil {
		return all, err
	}
	if all.pointer, err = model.DefaultPointer(); err != nil {
		return all, err
	}
	encoder, err := eval.OpenCachedEncoder(local, local.ID(), cache)
	if err != nil {
		return all, err
	}
	defer func() { _ = encoder.Close() }()
	var before *conversation
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return all, err
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			c := new(conversation)
			if err := json.Unmarshal(lines.Bytes(), c); err != nil {
				return all, fmt.Errorf("%s: %w", file, err)
			}
			if !heldOut(c.ID) {
				continue
			}
			if err := all.add(c, before, encoder); err != nil {
				return all, fmt.Errorf("%s, %s: %w", file, c.ID, err)
			}
			before = c
		}
		f.Close()
	}
	return all, nil
}

// heldOut reports whether the pointer was trained without a conversation: on the others
// it is surer than it will be. tools/points holds out the same.
func heldOut(id string) bool { return crc32.ChecksumIEEE([]byte(id))%5 == 0 }

// began is when the first session of a conversation was.
var began = time.Date(2024, 1, 8, 18, 0, 0, 0, time.UTC)

// add puts a conversation into an engine and recalls each of its questions, and
// those of another conversation as if its people were meant.
func (all *corpus) add(c, other *conversation, encoder *eval.CachedEncoder) error {
	dir, err := os.MkdirTemp("", "daybook-reader-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return err
	}
	e := engine.New(store).WithEncoder(encoder).WithLearner(extract.Local{Encoder: encoder})
	defer func() { _ = e.Close() }()
	scope, last := daybook.Scope{User: "reader"}, began
	var notes []daybook.Note
	for i, t := range c.Turns {
		last = began.AddDate(0, 0, 9*t.Session).Add(time.Duration(i) * time.Minute)
		notes = append(notes, daybook.Note{SourceID: fmt.Sprint(i), Session: fmt.Sprint(t.Session), Time: last, Speaker: t.Speaker, Text: t.Text})
	}
	if _, err := e.Add(ctx, scope, engine.By{Author: "reader"}, notes); err != nil {
		return err
	}
	ask := func(text string) (engine.Asking, error) {
		asking, err := e.Evidence(ctx, scope, engine.Asked{Text: text, At: daybook.AsOf{ValidAt: last.Add(time.Hour)}})
		if err != nil {
			return asking, err
		}
		return asking, answer.Point(ctx, all.pointer, asking.Resolved, asking.Packet)
	}
	number := 0
	if n := len(all.examples); n > 0 {
		number = all.examples[n-1].conversation + 1
	}
	all.rng.Shuffle(len(c.Questions), func(i, j int) { c.Questions[i], c.Questions[j] = c.Questions[j], c.Questions[i] })
	c.Questions = c.Questions[:min(len(c.Questions), most)]
	for _, q := range c.Questions {
		asking, err := ask(q.Text)
		if err != nil {
			return err
		}
		if q.Answer == nil {
			all.strange = append(all.strange, newHeld(asking, false))
			continue
		}
		all.examples = append(all.examples, newExample(number, q.Shape, *q.Answer, asking))
	}
	if err := all.addUntold(c, ask); err != nil {
		return err
	}
	return all.addStrange(c, other, ask)
}

// most is how many questions of one conversation are asked.
const most = 20

// untold is how many questions about states each conversation is asked that it says
// nothing of.
const untold = 12

// addUntold asks for states that nobody told.
func (all *corpus) addUntold(c *conversation, ask func(string) (engine.Asking, error)) error {
	names := c.speakers()
	for range untold {
		name := names[all.rng.IntN(len(names))]
		text := strings.ReplaceAll(all.states[all.rng.IntN(len(all.states))], "{name}", name)
		asking, err := ask(text)
		if err != nil {
			return err
		}
		all.strange = append(all.strange, newHeld(asking, false))
	}
	return nil
}

// readStates reads questions about states, with {name} for whom they ask about.
func readStates(file string) (questions []string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a struct {
			Current []string `json:"q_current"`
			Past    []string `json:"q_past"`
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		questions = append(append(questions, a.Current...), a.Past...)
	}
	return questions, lines.Err()
}

// addStrange asks what another conversation answers.
func (all *corpus) addStrange(c, other *conversation, ask func(string) (engine.Asking, error)) error {
	if other == nil {
		return nil
	}
	own, theirs := c.speakers(), other.speakers()
	for _, q := range other.Questions {
		text := q.Text
		for i := range min(len(own), len(theirs)) {
			text = strings.ReplaceAll(text, theirs[i], own[i])
		}
		asking, err := ask(text)
		if err != nil {
			return err
		}
		all.strange = append(all.strange, newHeld(asking, false))
	}
	return nil
}

func newHeld(asking engine.Asking, answers bool) held {
	x := answer.HoldSignals(asking.Resolved, asking.Packet)
	return held{signals: x[:], answers: answers, state: asking.Resolved.OfState(), stands: asking.Resolved.Stands}
}

func newExample(number int, shape, gold string, asking engine.Asking) example {
	x := example{conversation: number, shape: shape, intent: asking.Resolved.Intent, gold: gold, hold: newHeld(asking, true)}
	x.spans = answer.SpansFor(asking.Resolved, asking.Packet)
	for i := range x.spans {
		s := &x.spans[i]
		f := eval.JudgeText(s.Text, []string{gold})["f1"]
		x.best = max(x.best, f)
		if x.intent == answer.WantsList {
			f = max(f, partF1(s.Text, gold))
		}
		x.f1 = append(x.f1, f)
		var some []entry
		for k, v := range s.Signals {
			if v != 0 {
				some = append(some, entry{k, v})
			}
		}
		x.sparse = append(x.sparse, some)
	}
	return x
}

// partF1 is how well a span is one of several that are asked for.
func partF1(span, gold string) (best float64) {
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(gold, " and ", ","), func(r rune) bool { return r == ',' || r == ';' }) {
		best = max(best, 0.9*eval.JudgeText(span, []string{part})["f1"])
	}
	return best
}
