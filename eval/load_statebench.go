package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"daybook"
)

type stateTimeline struct {
	ID     string `json:"id"`
	Track  string `json:"track"`
	Level  string `json:"difficulty"`
	Actors struct {
		User struct {
			Organisation string `json:"org"`
		} `json:"user"`
	} `json:"actors"`
	Initial struct {
		Facts []struct {
			stateWrite
			Time string `json:"ts"`
		} `json:"persistent_facts"`
		Working []struct {
			Content string `json:"content"`
			Time    string `json:"ts"`
		} `json:"working_set"`
		Environment map[string]loose `json:"environment"`
	} `json:"initial_state"`
	Events []stateEvent `json:"events"`
}

type stateEvent struct {
	Time    string       `json:"ts"`
	Type    string       `json:"type"`
	Speaker string       `json:"speaker"`
	Text    string       `json:"text"`
	Writes  []stateWrite `json:"writes"`
	Prompt  string       `json:"prompt"`
	Truth   *stateTruth  `json:"ground_truth"`
}

// stateWrite is a value under a key. It takes the place of what stood there, and of
// what it names by key or id.
type stateWrite struct {
	ID         string `json:"id"`
	Key        string `json:"key"`
	Value      loose  `json:"value"`
	Supersedes string `json:"supersedes"`
}

type stateTruth struct {
	Decision string   `json:"decision"`
	Must     []string `json:"must_mention"`
	MustNot  []string `json:"must_not_mention"`
}

// stateStanding are decisions that tell what to do and are not an answer.
var stateStanding = []string{
	"see critical state", "recall primary task", "use fresh signal", "use only global/committed information",
	"use only permitted information", "refuse to disclose other tenant's information",
	"acknowledge uncertainty or ask for clarification",
}

// stateAbsent are the tracks whose right answer is that it is not known here.
var stateAbsent = []string{"hallucination_resistance", "enterprise_privacy"}

// StateBench's notes are of two sessions, so that a run can leave out the second.
const (
	// StateTurns are what was said.
	StateTurns = "turns"
	// StateWrites are the state that the data set gives in so many words: the
	// facts, working set and environment at the start, and later writes.
	StateWrites = "writes"
)

// LoadStateBench reads a file of StateBench: a timeline is a conversation, a
// track is a category. Ids in the data repeat, so notes are named by position.
//
// Notes stand in the order of the file, whose times do not always rise. Phrases
// that must be mentioned are the state's Values, those that must not its
// StaleValues; there is no evidence. Decisions that are instructions ("use fresh
// signal") are no answers.
func LoadStateBench(path string) (Dataset, error) {
	var f files
	d := Dataset{Name: "statebench"}
	seen := map[string]bool{}
	err := readLines(&f, path, func(at place, t stateTimeline) error {
		if err := at.need(text("id", t.ID), text("track", t.Track), list("events", t.Events)); err != nil {
			return err
		}
		at = at.in("%s", t.ID)
		if seen[t.ID] {
			return at.errorf("id %q comes a second time", t.ID)
		}
		seen[t.ID] = true
		c, err := t.conversation(at)
		d.Conversations = append(d.Conversations, c)
		return err
	})
	if err != nil {
		return Dataset{}, err
	}
	d.Hash = f.hash()
	return d, nil
}

func (t stateTimeline) conversation(at place) (Conversation, error) {
	b := stateBuilder{apart: map[string]string{}, subject: cmp.Or(t.Actors.User.Organisation, stateWriter), last: map[string]string{}, times: map[string]time.Time{}}
	c := Conversation{ID: t.ID}
	if err := t.initial(at, &b); err != nil {
		return c, err
	}
	for i, e := range t.Events {
		at := at.in("event %d", i)
		when, err := parseTime(e.Time)
		if err != nil {
			return c, at.errorf("ts: %w", err)
		}
		switch e.Type {
		case "conversation_turn":
			if err := at.need(text("speaker", e.Speaker), text("text", e.Text)); err != nil {
				return c, err
			}
			err = b.add(at, daybook.Note{SourceID: fmt.Sprintf("event-%d", i), Session: StateTurns, Time: when, Speaker: e.Speaker, Text: e.Text})
		case "state_write", "supersession":
			for j, w := range e.Writes {
				if err = b.write(at, fmt.Sprintf("event-%d-%d", i, j), when, w); err != nil {
					break
				}
			}
		case "query":
			var q Question
			q, err = t.question(at, e, when)
			q.ID = fmt.Sprintf("%s-q%d", t.ID, len(c.Questions))
			c.Questions = append(c.Questions, q)
		default:
			err = at.errorf("type %q is none of conversation_turn, state_write, supersession, query", e.Type)
		}
		if err != nil {
			return c, err
		}
	}
	c.Notes, c.Stated, c.Apart = b.notes, b.stated, b.apart
	if len(c.Questions) == 0 {
		return c, at.errorf("no query among the events")
	}
	return c, nil
}

func (t stateTimeline) initial(at place, b *stateBuilder) error {
	for i, fact := range t.Initial.Facts {
		at := at.in("persistent fact %d", i)
		when, err := parseTime(fact.Time)
		if err != nil {
			return at.errorf("ts: %w", err)
		}
		if err := b.write(at, fmt.Sprintf("fact-%d", i), when, fact.stateWrite); err != nil {
			return err
		}
	}
	for i, item := range t.Initial.Working {
		at := at.in("working set %d", i)
		when, err := parseTime(item.Time)
		if err != nil {
			return at.errorf("ts: %w", err)
		}
		if err := b.write(at, fmt.Sprintf("working-%d", i), when, stateWrite{Value: loose(item.Content)}); err != nil {
			return err
		}
	}
	return t.environment(at.in("environment"), b)
}

func (t stateTimeline) environment(at place, b *stateBuilder) error {
	for _, key := range sortedKeys(t.Initial.Environment) {
		if key == "now" {
			continue
		}
		now, err := parseTime(string(t.Initial.Environment["now"]))
		if err != nil {
			return at.errorf("now: %w", err)
		}
		if err := b.write(at, "environment-"+key, now, stateWrite{Key: key, Value: t.Initial.Environment[key]}); err != nil {
			return err
		}
	}
	return nil
}

// stateBuilder also knows which note wrote last under a key or an id of a scope.
type stateBuilder struct {
	builder
	subject string
	apart   map[string]string // scopes of notes that are not the asker's
	last    map[string]string
	times   map[string]time.Time // of notes that state something
}

// stateWriter speaks what is written, and is its subject where nobody else is named.
const stateWriter = "system"

// write adds a note that states a value in words, and what it states where it has a key.
func (b *stateBuilder) write(at place, id string, when time.Time, w stateWrite) error {
	if err := at.need(text("value", string(w.Value))); err != nil {
		return err
	}
	words := string(w.Value)
	if w.Key != "" {
		words = strings.ReplaceAll(w.Key, "_", " ") + ": " + words
	}
	if err := b.add(at, daybook.Note{SourceID: id, Session: StateWrites, Time: when, Speaker: stateWriter, Text: words}); err != nil {
		return err
	}
	scope := stateScope(string(w.Value))
	if scope != "" {
		b.apart[id] = scope
	}
	if w.Key == "" {
		return nil
	}
	s := Stated{Note: id, Subject: b.subject, Key: w.Key, Value: string(w.Value), Time: when}
	for _, name := range []string{w.Key, w.Supersedes} {
		old, known := b.last[scope+"\n"+name]
		if name == w.Supersedes && name != "" && !known {
			return at.errorf("supersedes names %q, which nothing was written under", name)
		}
		if known && !slices.Contains(s.Supersedes, old) {
			s.Supersedes = append(s.Supersedes, old)
		}
	}
	for _, old := range s.Supersedes { // of one second the later in the file is the later
		if !s.Time.After(b.times[old]) {
			s.Time = b.times[old].Add(time.Microsecond)
		}
	}
	b.times[id] = s.Time
	b.stated = append(b.stated, s)
	for _, name := range []string{w.ID, w.Key} {
		if name != "" {
			b.last[scope+"\n"+name] = id
		}
	}
	return nil
}

// stateScope is the scope that a value says it belongs to, by the notation of the data
// set: "[SCOPE: a what-if discussion] …", "[RESTRICTED: for directors] …".
func stateScope(value string) string {
	inside, _, closed := strings.Cut(value, "]")
	for _, mark := range []string{"[SCOPE:", "[RESTRICTED:"} {
		if name, ok := strings.CutPrefix(inside, mark); ok && closed {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

func (t stateTimeline) question(at place, e stateEvent, asked time.Time) (Question, error) {
	if err := at.need(text("prompt", e.Prompt), field{"ground_truth", e.Truth != nil}); err != nil {
		return Question{}, err
	}
	if err := at.need(list("must_mention", e.Truth.Must), list("must_not_mention", e.Truth.MustNot)); err != nil {
		return Question{}, err
	}
	q := Question{Text: e.Prompt, Category: t.Track, AsOf: asked, Absent: slices.Contains(stateAbsent, t.Track)}
	if d := e.Truth.Decision; d != "" && !slices.Contains(stateStanding, d) {
		q.Answers = []string{d}
	}
	kind := "current"
	if q.Absent {
		kind = "absent"
	}
	q.State = &StateProbe{By: ByPhrase, Kind: kind, Values: e.Truth.Must, StaleValues: e.Truth.MustNot, Level: t.Level}
	return q, nil
}
