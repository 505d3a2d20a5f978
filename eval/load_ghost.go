package eval

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"daybook"
)

// GhostState is what held, and when, of one attribute: the gold of the bank level.
type GhostState struct {
	Conversation, Subject, Attribute, Chain string
	States                                  []GhostValue
	Lures                                   []GhostLure
}

// GhostValue is a state: the note that states it, and the span in which it held.
// A state that was not superseded has a zero Until and no ClosedBy.
type GhostValue struct {
	Value, Evidence string
	From, Until     time.Time
	ClosedBy        string
	CueKind         string
}

// GhostLure is a note that mentions a value without stating it.
type GhostLure struct{ Type, Evidence, Value string }

var ghostKinds = []string{"current", "historical", "asof", "transition_when", "transition_why", "transition_how", "contested", "absent"}

// turnLine is a turn or message as GHOST and natural chats write it.
type turnLine struct {
	ID      string `json:"id"`
	Session loose  `json:"session"`
	Time    string `json:"time"`
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
}

type ghostProbe struct {
	ID              string    `json:"id"`
	Conv            loose     `json:"conv"`
	Kind            string    `json:"kind"`
	Question        string    `json:"question"`
	AsOf            string    `json:"asof"`
	Subject         string    `json:"subject"`
	Attribute       string    `json:"attribute"`
	Gold            looseList `json:"gold_value"`
	GoldEvidence    []string  `json:"gold_evidence"`
	StaleValues     []string  `json:"stale_values"`
	StaleEvidence   []string  `json:"stale_evidence"`
	LureValues      []string  `json:"lure_values"`
	LureEvidence    []string  `json:"lure_evidence"`
	NeutralEvidence []string  `json:"neutral_evidence"`
	ContextEvidence []string  `json:"context_evidence"`
	GoldTime        string    `json:"gold_time"`
	Role            string    `json:"expected_role"`
	Difficulty      struct {
		Level       string   `json:"level"`
		NewKind     string   `json:"new_kind"`
		Chain       string   `json:"chain"`
		Distractors []string `json:"distractors"`
	} `json:"difficulty"`
}

// LoadGhost reads a set of GHOST: a folder with convN.turns.jsonl and
// probes.jsonl. A note that a probe names must be there. AsOf is set for asof
// probes only, as the others are asked after the last note. With a states.jsonl
// beside them there are Timelines; the hash is that of turns and probes alone.
func LoadGhost(path string) (Dataset, error) {
	var f files
	convs, order, err := ghostConversations(&f, path)
	if err != nil {
		return Dataset{}, err
	}
	questions, seen := map[string][]Question{}, map[string]bool{}
	err = readLines(&f, filepath.Join(path, "probes.jsonl"), func(at place, p ghostProbe) error {
		b := convs[string(p.Conv)]
		if b == nil {
			return at.errorf("conv %q: there is no conv%s.turns.jsonl", p.Conv, p.Conv)
		}
		if seen[p.ID] {
			return at.errorf("id %q comes a second time", p.ID)
		}
		seen[p.ID] = true
		q, err := p.question(at, b)
		questions[string(p.Conv)] = append(questions[string(p.Conv)], q)
		return err
	})
	if err != nil {
		return Dataset{}, err
	}
	d := Dataset{Name: "ghost", Hash: f.hash()}
	for _, name := range order {
		d.Conversations = append(d.Conversations, Conversation{ID: name, Notes: convs[name].notes, Questions: questions[name]})
	}
	d.Timelines, err = ghostTimelines(path)
	return d, err
}

// ghostTimelines are the states of a set, or none where it has no states.jsonl.
func ghostTimelines(path string) ([]Timeline, error) {
	if !exists(filepath.Join(path, "states.jsonl")) {
		return nil, nil
	}
	states, err := LoadGhostStates(path)
	if err != nil {
		return nil, err
	}
	lines := make([]Timeline, len(states))
	for i, s := range states {
		lines[i] = Timeline{Conversation: s.Conversation, Subject: s.Subject, Attribute: s.Attribute, Chain: s.Chain}
		for _, v := range s.States {
			lines[i].States = append(lines[i].States, TimelineState{Value: v.Value, Evidence: v.Evidence, ValidFrom: v.From, ValidTo: v.Until})
		}
	}
	return lines, nil
}

// ghostConversations reads all turns of a set, and returns the conversations'
// names in order.
func ghostConversations(f *files, path string) (map[string]*builder, []string, error) {
	if err := checkFolder(path); err != nil {
		return nil, nil, err
	}
	found, err := filepath.Glob(filepath.Join(path, "conv*.turns.jsonl"))
	if err != nil || len(found) == 0 {
		return nil, nil, daybook.Errorf(daybook.Invalid, "%s: no conv*.turns.jsonl", path)
	}
	convs, order := map[string]*builder{}, []string{}
	for _, file := range found {
		order = append(order, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "conv"), ".turns.jsonl"))
	}
	slices.SortFunc(order, byNumber)
	for _, name := range order {
		b := &builder{}
		if err := readLines(f, filepath.Join(path, "conv"+name+".turns.jsonl"), b.turn); err != nil {
			return nil, nil, err
		}
		convs[name] = b
	}
	return convs, order, nil
}

func (b *builder) turn(at place, t turnLine) error {
	if err := at.need(text("id", t.ID), text("time", t.Time), text("speaker", t.Speaker), text("text", t.Text)); err != nil {
		return err
	}
	when, err := parseTime(t.Time)
	if err != nil {
		return at.errorf("time: %w", err)
	}
	return b.add(at, daybook.Note{SourceID: t.ID, Session: string(t.Session), Time: when, Speaker: t.Speaker, Text: t.Text})
}

func (p ghostProbe) question(at place, b *builder) (Question, error) {
	if err := p.check(at, b); err != nil {
		return Question{}, err
	}
	asOf, err := optionalTime(at, "asof", p.AsOf)
	if err != nil {
		return Question{}, err
	}
	changed, err := optionalTime(at, "gold_time", p.GoldTime)
	if err != nil {
		return Question{}, err
	}
	return Question{
		ID: p.ID, Text: p.Question, Category: p.Kind, AsOf: asOf, Answers: p.Gold, Evidence: p.GoldEvidence, Absent: p.Kind == "absent",
		State: &StateProbe{
			Kind: p.Kind, Subject: p.Subject, Attribute: p.Attribute, Values: p.Gold, Time: changed, Role: p.Role,
			StaleValues: p.StaleValues, LureValues: p.LureValues, StaleEvidence: p.StaleEvidence, LureEvidence: p.LureEvidence,
			NeutralEvidence: p.NeutralEvidence, ContextEvidence: p.ContextEvidence,
			NewKind: p.Difficulty.NewKind, Chain: p.Difficulty.Chain, Level: p.Difficulty.Level, Distractors: p.Difficulty.Distractors,
		},
	}, nil
}

// check reports what a probe lacks: fields, those of its kind, and the notes
// that it names.
func (p ghostProbe) check(at place, b *builder) error {
	if err := at.need(text("id", p.ID), text("kind", p.Kind), text("question", p.Question), text("subject", p.Subject),
		text("attribute", p.Attribute), list("gold_evidence", p.GoldEvidence), list("stale_values", p.StaleValues),
		list("stale_evidence", p.StaleEvidence)); err != nil {
		return err
	}
	at = at.in("%s", p.ID)
	if !slices.Contains(ghostKinds, p.Kind) {
		return at.errorf("kind %q is none of %s", p.Kind, strings.Join(ghostKinds, ", "))
	}
	want := map[string]int{"absent": 0, "transition_how": 2, "contested": 2}
	if n, special := want[p.Kind]; special && len(p.Gold) != n || !special && len(p.Gold) != 1 {
		return at.errorf("gold_value has %d values; kind %s has another number", len(p.Gold), p.Kind)
	}
	if err := at.need(field{"asof", p.Kind != "asof" || p.AsOf != ""}, field{"gold_time", p.Kind != "transition_when" || p.GoldTime != ""}); err != nil {
		return err
	}
	return cmp.Or(b.known(at, "gold_evidence", p.GoldEvidence), b.known(at, "stale_evidence", p.StaleEvidence),
		b.known(at, "lure_evidence", p.LureEvidence), b.known(at, "neutral_evidence", p.NeutralEvidence),
		b.known(at, "context_evidence", p.ContextEvidence))
}

func optionalTime(at place, name, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := parseTime(s)
	if err != nil {
		return t, at.errorf("%s: %w", name, err)
	}
	return t, nil
}

type ghostStates struct {
	Conv      loose  `json:"conv"`
	Subject   string `json:"subject"`
	Attribute string `json:"attribute"`
	Chain     string `json:"chain"`
	States    []struct {
		Value    string `json:"value"`
		Evidence string `json:"evidence"`
		From     string `json:"valid_from"`
		Until    string `json:"valid_to"`
		ClosedBy string `json:"closed_by"`
		CueKind  string `json:"cue_kind"`
	} `json:"states"`
	Lures []struct {
		Type     string `json:"type"`
		Evidence string `json:"evidence"`
		Value    string `json:"value"`
	} `json:"lures"`
}

// LoadGhostStates reads the gold timelines (states.jsonl) of a set of GHOST, in
// the order of the file.
func LoadGhostStates(path string) ([]GhostState, error) {
	var f files
	convs, _, err := ghostConversations(&f, path)
	if err != nil {
		return nil, err
	}
	var all []GhostState
	err = readLines(&f, filepath.Join(path, "states.jsonl"), func(at place, raw ghostStates) error {
		b := convs[string(raw.Conv)]
		if b == nil {
			return at.errorf("conv %q: there is no conv%s.turns.jsonl", raw.Conv, raw.Conv)
		}
		s, err := raw.state(at, b)
		all = append(all, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (raw ghostStates) state(at place, b *builder) (GhostState, error) {
	out := GhostState{Conversation: string(raw.Conv), Subject: raw.Subject, Attribute: raw.Attribute, Chain: raw.Chain}
	if err := at.need(text("subject", raw.Subject), text("attribute", raw.Attribute), field{"states", len(raw.States) > 0}); err != nil {
		return out, err
	}
	for i, s := range raw.States {
		at := at.in("state %d", i)
		if err := cmp.Or(at.need(text("value", s.Value), text("valid_from", s.From)), b.known(at, "evidence", []string{s.Evidence})); err != nil {
			return out, err
		}
		from, err := optionalTime(at, "valid_from", s.From)
		if err != nil {
			return out, err
		}
		until, err := optionalTime(at, "valid_to", s.Until)
		if err != nil {
			return out, err
		}
		if !until.IsZero() && !from.Before(until) {
			return out, at.errorf("valid_to %s is not after valid_from %s", s.Until, s.From)
		}
		out.States = append(out.States, GhostValue{s.Value, s.Evidence, from, until, s.ClosedBy, s.CueKind})
	}
	for i, l := range raw.Lures {
		if err := b.known(at.in("lure %d", i), "evidence", []string{l.Evidence}); err != nil {
			return out, err
		}
		out.Lures = append(out.Lures, GhostLure{l.Type, l.Evidence, l.Value})
	}
	return out, nil
}
