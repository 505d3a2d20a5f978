package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The chats that are held out, as a set for 'daybook bench natural': their states are worked out
// from the claims.

// timeline is a state as the bench reads it.
type timeline struct {
	Subject   string   `json:"subject"`
	Attribute string   `json:"attribute"`
	Timeline  []*entry `json:"timeline"`
	Lures     []string `json:"lures"`
}

type entry struct {
	Value     string   `json:"value"`
	Told      []string `json:"told"`
	HoldsFrom string   `json:"holds_from"`
	ClosedBy  *string  `json:"closed_by"`
	ClosedOn  *string  `json:"closed_on"`
}

// timelines are the states of a chat that change.
func timelines(c Chat) []*timeline {
	day := map[string]string{}
	for _, m := range c.Messages {
		day[m.ID] = m.Time.Format("2006-01-02")
	}
	byState := map[string]*timeline{}
	var all []*timeline
	for _, claim := range c.Claims {
		t := byState[claim.State()]
		if t == nil {
			t = &timeline{Subject: claim.Who, Attribute: claim.About, Timeline: []*entry{}, Lures: []string{}}
			byState[claim.State()] = t
			all = append(all, t)
		}
		t.add(claim, day[claim.Msg])
	}
	return slices.DeleteFunc(all, func(t *timeline) bool {
		return !slices.ContainsFunc(t.Timeline, func(e *entry) bool { return e.ClosedBy != nil })
	})
}

// add tells a timeline of one more claim, made on a day.
func (t *timeline) add(c Claim, day string) {
	switch c.Stance {
	case "holds", "rule":
		t.close(c, day)
		if open := t.open(c.Value); open != nil {
			open.Told = append(open.Told, c.Msg)
			return
		}
		t.Timeline = append(t.Timeline, &entry{Value: c.Value, Told: []string{c.Msg}, HoldsFrom: orUnknown(c.Since)})
	case "ended":
		t.close(c, day)
	default:
		t.Lures = append(t.Lures, fmt.Sprintf("%s (%s, %s)", c.Msg, c.Value, c.Stance))
	}
}

// open is the entry of a value that has not ended.
func (t *timeline) open(value string) *entry {
	at := slices.IndexFunc(t.Timeline, func(e *entry) bool { return e.ClosedBy == nil && strings.EqualFold(e.Value, value) })
	if at < 0 {
		return nil
	}
	return t.Timeline[at]
}

// close ends the entries that a claim closes, on the day that it says or else on which it was made.
func (t *timeline) close(c Claim, day string) {
	for _, e := range t.Timeline {
		told := slices.ContainsFunc(e.Told, func(id string) bool { return slices.Contains(c.Closes, id) })
		if e.ClosedBy != nil || !told || strings.EqualFold(e.Value, c.Value) && c.Stance != "ended" {
			continue
		}
		on := day
		if c.Since != "" {
			on = c.Since
		}
		by := c.Msg
		e.ClosedBy, e.ClosedOn = &by, &on
	}
}

func orUnknown(date string) string {
	if date == "" {
		return "unknown"
	}
	return date
}

// writeNatural writes the chats that are held out as a set of natural chats.
func writeNatural(folder string, chats []Chat) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	n := 0
	for _, c := range chats {
		if !heldOut(c.Name) {
			continue
		}
		n++
		base := filepath.Join(folder, fmt.Sprintf("chat%d", n))
		err := errors.Join(writeLines(base+".jsonl", c.Messages), writeLines(base+".claims.jsonl", c.Claims),
			writeLines(base+".questions.jsonl", c.Questions), writeLines(base+".states.jsonl", timelines(c)))
		if err != nil {
			return err
		}
	}
	return nil
}
