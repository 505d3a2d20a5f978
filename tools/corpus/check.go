package main

import (
	"fmt"
	"slices"
	"strings"
)

// checkChat names what is wrong with one chat.
func checkChat(c Chat) []string {
	k := &checker{chat: c, at: map[string]int{}, claims: map[string][]Claim{}, states: map[string]bool{}}
	for i, m := range c.Messages {
		k.message(i, m)
	}
	for _, claim := range c.Claims {
		k.claims[claim.Msg] = append(k.claims[claim.Msg], claim)
		k.states[claim.State()] = true
	}
	for _, claim := range c.Claims {
		k.claim(claim)
	}
	seen := map[string]bool{}
	for _, q := range c.Questions {
		if seen[q.ID] {
			k.fault("question %s: a second question of that id", q.ID)
		}
		seen[q.ID] = true
		k.question(q)
	}
	return k.faults
}

type checker struct {
	chat   Chat
	at     map[string]int // place of each message
	claims map[string][]Claim
	states map[string]bool
	faults []string
}

func (k *checker) fault(format string, args ...any) {
	k.faults = append(k.faults, k.chat.Name+": "+fmt.Sprintf(format, args...))
}

func (k *checker) message(i int, m Message) {
	if _, ok := k.at[m.ID]; ok || m.ID == "" {
		k.fault("message %d: id %q is missing or used twice", i+1, m.ID)
	}
	k.at[m.ID] = i
	if m.Speaker == "" || strings.TrimSpace(m.Text) == "" {
		k.fault("message %s: no speaker or no text", m.ID)
	}
	if i > 0 && m.Time.Before(k.chat.Messages[i-1].Time) {
		k.fault("message %s: earlier than the message before it", m.ID)
	}
}

func (k *checker) claim(c Claim) {
	where := fmt.Sprintf("claim %q of %s (%s)", c.Value, c.Msg, c.State())
	at, ok := k.at[c.Msg]
	switch {
	case !ok:
		k.fault("%s: no such message", where)
		return
	case c.Who == "" || c.About == "" || c.Value == "":
		k.fault("%s: who, about and value must be given", where)
	case c.Words == "" || !strings.Contains(k.chat.Messages[at].Text, c.Words):
		k.fault("%s: the words %q are not in the message", where, c.Words)
	case !slices.Contains(stances, c.Stance):
		k.fault("%s: %q is no stance (%s)", where, c.Stance, strings.Join(stances, ", "))
	}
	if len(c.Closes) > 0 && !slices.Contains([]string{"holds", "ended", "rule"}, c.Stance) {
		k.fault("%s: closes %v, but only what holds, ended or is a rule closes", where, c.Closes)
	}
	for _, id := range c.Closes {
		k.refers(where, "closes", c, id)
	}
	for _, id := range c.SameAs {
		k.refers(where, "same_as", c, id)
	}
}

// refers says what is wrong with a reference to an earlier message: it must come before, and
// speak of the same state.
func (k *checker) refers(where, field string, c Claim, id string) {
	at, ok := k.at[id]
	if !ok {
		k.fault("%s: %s names %s, which is no message", where, field, id)
		return
	}
	if at > k.at[c.Msg] {
		k.fault("%s: %s names %s, which comes later", where, field, id)
		return
	}
	for _, other := range k.claims[id] {
		if other.State() == c.State() {
			if field == "closes" && len(k.claims[id]) > 0 && strings.EqualFold(other.Value, c.Value) && c.Stance != "ended" && !k.differs(c, id) {
				k.fault("%s: closes %s, which has the same value", where, id)
			}
			return
		}
	}
	k.fault("%s: %s names %s, which has no claim of this state", where, field, id)
}

// differs is whether the message has a claim of the same state with another value.
func (k *checker) differs(c Claim, id string) bool {
	return slices.ContainsFunc(k.claims[id], func(o Claim) bool {
		return o.State() == c.State() && !strings.EqualFold(o.Value, c.Value)
	})
}

func (k *checker) question(q Question) {
	where := fmt.Sprintf("question %s (%s)", q.ID, q.Question)
	if !slices.Contains(kinds, q.Kind) {
		k.fault("%s: %q is no kind (%s)", where, q.Kind, strings.Join(kinds, ", "))
	}
	if q.Kind == "absent" {
		if q.Answer != "" || len(q.Evidence) > 0 {
			k.fault("%s: an absent question has neither answer nor evidence", where)
		}
		return
	}
	if q.Answer == "" || len(q.Evidence) == 0 {
		k.fault("%s: no answer or no evidence", where)
	}
	for i, id := range q.Evidence {
		at, ok := k.at[id]
		if !ok {
			k.fault("%s: evidence %s is no message", where, id)
		} else if i == 0 && !strings.Contains(k.chat.Messages[at].Text, q.Words) {
			k.fault("%s: the words %q are not in %s", where, q.Words, id)
		}
	}
	if q.Who != "" && !k.states[stateName(q.Who, q.About)] {
		k.fault("%s: no claim is of the state %q", where, stateName(q.Who, q.About))
	}
	if q.Kind == "list" && len(q.Items) == 0 {
		k.fault("%s: a list question names its items", where)
	}
}
