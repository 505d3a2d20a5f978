package eval

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/model"
)

// ChatState is everything that a natural chat says of one changing state: the gold of the
// ledger and of the labels.
type ChatState struct {
	Conversation, Subject, Attribute string
	Entries                          []ChatEntry
	Lures                            []ChatLure
}

// ChatEntry is one value of a state. An entry without ClosedBy holds at the end of the chat.
type ChatEntry struct {
	Value    string
	Told     []string // messages that say it
	ClosedBy string   // the message that ends it
	ClosedOn string   // 2006-01-02 or 2006-01; empty where the chat gives no date
}

// ChatLure is a message that names a value which must not be taken for the state's.
type ChatLure struct{ Message, Why string }

// ChatGold is what an answer about a natural chat is judged by.
type ChatGold struct {
	Stale []string // values that were true once, or were only proposed
	Items []string // of a list question: all must be named
}

type chatQuestion struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Kind     string   `json:"kind"`
	Answer   string   `json:"answer"`
	Accept   []string `json:"accept"`
	Stale    []string `json:"stale"`
	Evidence []string `json:"evidence"`
	Items    []string `json:"items"`
}

type chatStateLine struct {
	Subject   string `json:"subject"`
	Attribute string `json:"attribute"`
	Timeline  []struct {
		Value    string   `json:"value"`
		Told     []string `json:"told"`
		ClosedBy loose    `json:"closed_by"`
		ClosedOn loose    `json:"closed_on"`
	} `json:"timeline"`
	Lures []string `json:"lures"`
}

// LoadNatural reads a set of natural chats: a folder with chatN.jsonl, chatN.questions.jsonl and
// chatN.states.jsonl. Every message that a question or a state names must be there.
func LoadNatural(path string) (Dataset, error) {
	if err := checkFolder(path); err != nil {
		return Dataset{}, err
	}
	names, err := chatNames(path)
	if err != nil {
		return Dataset{}, err
	}
	var f files
	d := Dataset{Name: "natural"}
	for _, name := range names {
		base := filepath.Join(path, name)
		b := &builder{}
		if err := readLines(&f, base+".jsonl", b.turn); err != nil {
			return Dataset{}, err
		}
		questions, err := b.chatQuestions(&f, base+".questions.jsonl")
		if err != nil {
			return Dataset{}, err
		}
		states, err := b.chatStates(&f, base+".states.jsonl", name)
		if err != nil {
			return Dataset{}, err
		}
		d.Conversations = append(d.Conversations, Conversation{ID: name, Notes: b.notes, Questions: questions})
		d.Chats = append(d.Chats, states...)
	}
	d.Hash = f.hash()
	return d, questionIDs(path, d)
}

// chatNames are the chats of a folder, in the order of their numbers.
func chatNames(path string) (names []string, err error) {
	found, err := filepath.Glob(filepath.Join(path, "chat*.jsonl"))
	if err != nil {
		return nil, daybook.Errorf(daybook.Invalid, "%s: %w", path, err)
	}
	for _, file := range found {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		if !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, daybook.Errorf(daybook.Invalid,
			"%s: no chat*.jsonl; a set has chatN.jsonl, chatN.questions.jsonl and chatN.states.jsonl", path)
	}
	slices.SortFunc(names, func(a, b string) int { return byNumber(strings.TrimPrefix(a, "chat"), strings.TrimPrefix(b, "chat")) })
	return names, nil
}

// questionIDs reports an id that two chats use, as results are filed under it.
func questionIDs(path string, d Dataset) error {
	chat := map[string]string{}
	for _, c := range d.Conversations {
		for _, q := range c.Questions {
			if other, taken := chat[q.ID]; taken {
				return daybook.Errorf(daybook.Invalid, "%s: question %q is in %s and in %s", path, q.ID, other, c.ID)
			}
			chat[q.ID] = c.ID
		}
	}
	return nil
}

func (b *builder) chatQuestions(f *files, path string) (questions []Question, err error) {
	seen := map[string]bool{}
	err = readLines(f, path, func(at place, q chatQuestion) error {
		if err := q.check(at, b); err != nil {
			return err
		}
		if seen[q.ID] {
			return at.errorf("id %q comes a second time", q.ID)
		}
		seen[q.ID] = true
		asked := Question{
			ID: q.ID, Text: q.Question, Category: q.Kind, Evidence: q.Evidence, Absent: q.Kind == "absent",
			Chat: &ChatGold{Stale: q.Stale, Items: q.Items},
		}
		if !asked.Absent {
			asked.Answers = append([]string{q.Answer}, q.Accept...)
		}
		questions = append(questions, asked)
		return nil
	})
	return questions, err
}

func (q chatQuestion) check(at place, b *builder) error {
	if err := at.need(text("id", q.ID), text("question", q.Question), text("kind", q.Kind)); err != nil {
		return err
	}
	at = at.in("%s", q.ID)
	if !slices.Contains(model.QuestionKinds, q.Kind) {
		return at.errorf("kind %q is none of %s", q.Kind, strings.Join(model.QuestionKinds, ", "))
	}
	if absent := q.Kind == "absent"; absent != (q.Answer == "") {
		return at.errorf("a question has an answer unless its kind is absent; this one is %s with the answer %q", q.Kind, q.Answer)
	}
	return b.known(at, "evidence", q.Evidence)
}

func (b *builder) chatStates(f *files, path, chat string) (states []ChatState, err error) {
	err = readLines(f, path, func(at place, raw chatStateLine) error {
		s, err := raw.state(at, b)
		s.Conversation = chat
		states = append(states, s)
		return err
	})
	return states, err
}

func (raw chatStateLine) state(at place, b *builder) (ChatState, error) {
	s := ChatState{Subject: raw.Subject, Attribute: raw.Attribute}
	if err := at.need(text("subject", raw.Subject), text("attribute", raw.Attribute), list("timeline", raw.Timeline)); err != nil {
		return s, err
	}
	for i, e := range raw.Timeline {
		at := at.in("entry %d", i+1)
		entry := ChatEntry{Value: e.Value, Told: e.Told, ClosedBy: string(e.ClosedBy), ClosedOn: knownDate(string(e.ClosedOn))}
		err := cmp.Or(at.need(text("value", e.Value)), b.known(at, "told", e.Told))
		if entry.ClosedBy != "" {
			err = cmp.Or(err, b.known(at, "closed_by", []string{entry.ClosedBy}))
		}
		if err != nil {
			return s, err
		}
		s.Entries = append(s.Entries, entry)
	}
	for _, l := range raw.Lures {
		id, why, _ := strings.Cut(l, " ")
		if err := b.known(at, "lures", []string{id}); err != nil {
			return s, err
		}
		s.Lures = append(s.Lures, ChatLure{Message: id, Why: strings.Trim(why, " ()")})
	}
	return s, nil
}

// knownDate is a date or a month as a state gives it, or "" for what is neither ("unknown",
// "chapter 9", "2025-11-03 (planned)").
func knownDate(s string) string {
	for _, layout := range []string{time.DateOnly, "2006-01"} {
		if _, err := time.Parse(layout, s); err == nil {
			return s
		}
	}
	return ""
}
