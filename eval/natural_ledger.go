package eval

import (
	"slices"
	"strings"
	"time"
)

// LedgerFact is a fact that a system keeps, as its ledger has it at the end of a conversation.
type LedgerFact struct {
	Conversation string    `json:"conversation"`
	Subject      string    `json:"subject"`
	Relation     string    `json:"relation"`
	Object       string    `json:"object"`
	Sources      []string  `json:"sources"` // SourceIDs of the notes that say it
	Role         string    `json:"role"`
	Asserted     bool      `json:"asserted"` // not a plan, a wish, hearsay …
	Until        time.Time `json:"until,omitzero"`
	ClosedBy     []string  `json:"closed_by,omitempty"` // SourceIDs of the notes that ended it
}

func (f LedgerFact) closed() bool { return f.Role == "historical" }

// ChatLevels are the figures of a set of natural chats that are not about single questions.
type ChatLevels struct {
	Ledger map[string]Rate            `json:"ledger,omitempty"`
	Labels map[string]Rate            `json:"labels,omitempty"`
	Roles  map[string]Rate            `json:"roles,omitempty"` // precision of each role
	ByChat map[string]map[string]Rate `json:"by_chat,omitempty"`
	// Unmatched are facts that match no entry of any state: to be read, not counted as wrong.
	Unmatched []LedgerFact `json:"unmatched,omitempty"`
	Messages  int          `json:"messages"`
	Groups    []Group      `json:"groups,omitempty"` // answers by chat
}

// rates say how often something was so, by name.
type rates map[string]Rate

func (t rates) add(name string, ok bool) {
	r := t[name]
	r.Rate = (r.Rate*float64(r.N) + one(ok)) / float64(r.N+1)
	r.N++
	t[name] = r
}

// ledgerRates and labelRates say which figures there are, in the order in which they are shown.
var (
	ledgerRates = []string{"stored", "stored exactly", "ended closed", "closed exactly", "closed by the message", "closed on the day",
		"holding but closed", "closings right", "lures current"}
	labelRates = []string{"ended labelled historical", "holding labelled otherwise"}
)

// scoreLedger measures what the ledger keeps of the states of a chat:
//
//	stored                an asserted fact with the entry's value comes from a message that tells it
//	stored exactly        the same, and subject and value are spelled as the entry spells them
//	ended closed          of entries that ended: such a fact is closed
//	closed exactly        the same: a fact that is stored exactly is closed by the very message that ends the entry
//	closed by the message of those: by the message that the chat closes it with, or one that tells the next value
//	closed on the day     of those whose day is known: on that day, or in that month
//	holding but closed    of entries that hold: such a fact is closed
//	closings right        of closed facts that match an entry: the entry ended, and by that message
//	lures current         of lures: a current fact from the message has the value that the lure names
func scoreLedger(states []ChatState, facts []LedgerFact, t rates) (unmatched []LedgerFact) {
	matched := make([]bool, len(facts))
	for _, s := range states {
		for i := range s.Entries {
			scoreEntry(s, i, facts, matched, t)
		}
		for _, l := range s.Lures {
			t.add("lures current", slices.ContainsFunc(facts, func(f LedgerFact) bool { return lured(l, s, f) }))
		}
	}
	for i, f := range facts {
		if !matched[i] {
			unmatched = append(unmatched, f)
		}
	}
	return unmatched
}

func scoreEntry(s ChatState, i int, facts []LedgerFact, matched []bool, t rates) {
	e := s.Entries[i]
	var mine, exact []LedgerFact
	for j, f := range facts {
		if f.Asserted && tells(f, e) {
			mine, matched[j] = append(mine, f), true
			if strings.EqualFold(f.Object, e.Value) && sameWords(f.Subject, s.Subject) {
				exact = append(exact, f)
			}
		}
	}
	t.add("stored", len(mine) > 0)
	t.add("stored exactly", len(exact) > 0)
	closedAt := slices.IndexFunc(mine, LedgerFact.closed)
	for _, f := range mine {
		if f.closed() {
			t.add("closings right", e.ClosedBy != "" && closedRightly(s, i, f))
		}
	}
	if e.ClosedBy == "" {
		t.add("holding but closed", closedAt >= 0)
		return
	}
	t.add("ended closed", closedAt >= 0)
	t.add("closed exactly", slices.ContainsFunc(exact, func(f LedgerFact) bool { return f.closed() && slices.Contains(f.ClosedBy, e.ClosedBy) }))
	if closedAt < 0 {
		return
	}
	t.add("closed by the message", slices.ContainsFunc(mine, func(f LedgerFact) bool { return closedRightly(s, i, f) }))
	if e.ClosedOn != "" {
		t.add("closed on the day", slices.ContainsFunc(mine, func(f LedgerFact) bool {
			return f.closed() && strings.HasPrefix(f.Until.UTC().Format(time.DateOnly), e.ClosedOn)
		}))
	}
}

// closedRightly reports whether a fact of an entry was closed by the message that the chat ends
// it with, or by one that tells the next value.
func closedRightly(s ChatState, i int, f LedgerFact) bool {
	right := []string{s.Entries[i].ClosedBy}
	if i+1 < len(s.Entries) {
		right = append(right, s.Entries[i+1].Told...)
	}
	return slices.ContainsFunc(f.ClosedBy, func(id string) bool { return slices.Contains(right, id) })
}

// tells reports whether a fact has the value of an entry, from a message that tells it: one
// holds the other as whole words; what stands in brackets explains the value.
func tells(f LedgerFact, e ChatEntry) bool {
	if !slices.ContainsFunc(f.Sources, func(id string) bool { return slices.Contains(e.Told, id) }) {
		return false
	}
	value, _, _ := strings.Cut(e.Value, "(")
	return chatHas(f.Object, value) || chatHas(e.Value, f.Object)
}

func sameWords(a, b string) bool { return slices.Equal(chatWords(a), chatWords(b)) }

// lured reports whether a fact takes a lure for the state.
func lured(l ChatLure, s ChatState, f LedgerFact) bool {
	return f.Role == "current" && slices.Contains(f.Sources, l.Message) && chatHas(l.Why, f.Object) && !slices.ContainsFunc(s.Entries, func(e ChatEntry) bool {
		return slices.Contains(e.Told, l.Message) && tells(f, e)
	})
}

// told is what a message says of the states of its chat.
type told struct {
	ended, holds int  // entries that it tells
	lure         bool // it names a value of none
	changes      bool // it ends an entry
}

func toldBy(states []ChatState) map[string]told {
	by := map[string]told{}
	update := func(id string, change func(*told)) {
		t := by[id]
		change(&t)
		by[id] = t
	}
	for _, s := range states {
		for _, e := range s.Entries {
			for _, id := range e.Told {
				update(id, func(t *told) { t.ended += oneInt(e.ClosedBy != ""); t.holds += oneInt(e.ClosedBy == "") })
			}
			if e.ClosedBy != "" {
				update(e.ClosedBy, func(t *told) { t.changes = true })
			}
		}
		for _, l := range s.Lures {
			update(l.Message, func(t *told) { t.lure = true })
		}
	}
	return by
}

// scoreLabels measures the roles of the rows that answers came with, over the rows whose
// message tells a state or names a lure.
func scoreLabels(by map[string]told, rows []Row, labels, roles rates) {
	for _, r := range rows {
		if r.Role == "other" {
			r.Role = "aside"
		}
		t, known := by[r.ID]
		if !known {
			continue
		}
		if t.ended > 0 && t.holds == 0 {
			labels.add("ended labelled historical", r.Role == "historical")
		}
		if t.holds > 0 && t.ended == 0 {
			labels.add("holding labelled otherwise", r.Role == "historical" || r.Role == "planned" || r.Role == "aside")
		}
		if right, judged := t.fits(r.Role); judged {
			roles.add(r.Role, right)
		}
	}
}

// fits reports whether a role is right for the message, where the gold can tell.
func (t told) fits(role string) (right, judged bool) {
	switch role {
	case "current":
		return t.holds > 0, true
	case "historical":
		return t.holds == 0 && t.ended > 0, true
	case "planned", "aside":
		return t.lure && t.holds+t.ended == 0, true
	case "transition":
		return t.changes, true
	}
	return false, false
}

// chatLevels measures ledger and labels over all chats and each by itself.
func (r Run) chatLevels(results []Result, ledger []LedgerFact, scores map[string]Scores) *ChatLevels {
	if len(r.Dataset.Chats) == 0 {
		return nil
	}
	out := &ChatLevels{ByChat: map[string]map[string]Rate{}}
	byID := map[string]Result{}
	for _, result := range results {
		byID[result.ID] = result
	}
	sum, roles := rates{}, rates{}
	for _, c := range r.Dataset.Conversations {
		one := rates{}
		states := slices.DeleteFunc(slices.Clone(r.Dataset.Chats), func(s ChatState) bool { return s.Conversation != c.ID })
		facts := slices.DeleteFunc(slices.Clone(ledger), func(f LedgerFact) bool { return f.Conversation != c.ID })
		if ledger != nil {
			out.Unmatched = append(out.Unmatched, scoreLedger(states, facts, one)...)
		}
		by := toldBy(states)
		for _, q := range c.Questions {
			scoreLabels(by, byID[q.ID].Asked, one, roles)
		}
		out.ByChat[c.ID] = one
		sum.merge(one)
		out.Messages += len(c.Notes)
	}
	out.Ledger, out.Labels, out.Roles = sum.only(ledgerRates), sum.only(labelRates), roles
	out.Groups = r.chatGroups(scores)
	return out
}

func (t rates) merge(other rates) {
	for name, r := range other {
		sum := t[name]
		sum.Rate = (sum.Rate*float64(sum.N) + r.Rate*float64(r.N)) / float64(sum.N+r.N)
		sum.N += r.N
		t[name] = sum
	}
}

func (t rates) only(names []string) map[string]Rate {
	out := map[string]Rate{}
	for _, name := range names {
		if r, ok := t[name]; ok {
			out[name] = r
		}
	}
	return out
}

// chatGroups averages the answers over each chat.
func (r Run) chatGroups(scores map[string]Scores) (groups []Group) {
	for _, c := range r.Dataset.Conversations {
		var mine []Scores
		for _, q := range c.Questions {
			if s := scores[q.ID]; s != nil {
				mine = append(mine, s)
			}
		}
		groups = append(groups, r.group(c.ID, mine))
	}
	return groups
}
