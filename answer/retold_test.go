package answer

import (
	"slices"
	"strings"
	"testing"

	"daybook"
)

func TestRetell(t *testing.T) {
	for text, want := range map[string]retold{
		"The original deadline was Tuesday May 4th. Then we moved it to Wednesday May 5th because the printer broke. But after the call, the final deadline is Friday May 7th.": {[]string{"Tuesday May 4th", "Wednesday May 5th"}, "Friday May 7th"},
		"It was originally on Friday, but we moved it to Monday.":            {[]string{"Friday"}, "Monday"},
		"We used to meet at the library; now it is the cafe on Main Street.": {[]string{"the library"}, "the cafe"},
		"My bank was Granite Trust before I switched to Cobalt Savings.":     {[]string{"Granite Trust"}, "Cobalt Savings"},
		"At first the budget was $500, then it went up to $700.":             {[]string{"$500"}, "$700"},
		"The dentist used to be on Elm Street. It has moved to Oak Avenue.":  {[]string{"Elm Street"}, "Oak Avenue"},
	} {
		h, ok := retell(text)
		if !ok || !slices.Equal(h.before, want.before) || h.now != want.now {
			t.Errorf("%s: %v %q, want %q", text, ok, h, want)
		}
	}
	for _, text := range []string{
		"My first car was a Volvo. I drive it still.",
		"I used to play the cello. I loved it.",
		"The budget is $700.",
		"I sold my old car, I drive a van now.",
		"If it was originally on Friday, we would move it to Monday.",
	} {
		if h, ok := retell(text); ok && len(h.before) > 0 {
			t.Errorf("%s: is no history, got %q", text, h)
		}
	}
}

// A note that goes through a history is behind what holds, and its old values are
// labelled; by itself it is the transition, and answers with what it came to.
func TestRetoldRows(t *testing.T) {
	history := Evidence{Note: daybook.Note{ID: "h", Time: monday, Speaker: "Anna", Text: "The original deadline was Tuesday May 4th. Then we moved it to Friday May 7th."}, Score: 2, Role: daybook.RoleCurrent}
	holds := Evidence{Note: daybook.Note{ID: "n", Time: monday, Speaker: "Anna", Text: "deadline: Friday May 7th"}, Score: 1, Role: daybook.RoleCurrent}
	q := ReadQuestion("When is the deadline?", "").Seen(monday.AddDate(1, 0, 0))
	r := Resolve(q, []Evidence{history, holds}, Background{})
	if r.Rows[0].ID != "n" || r.Rows[1].Role != daybook.RoleHistorical || !strings.Contains(r.Rows[1].Reason, "Friday May 7th") {
		t.Errorf("with what holds beside it: %+v", r.Rows)
	}
	r = Resolve(q, []Evidence{history}, Background{})
	p := Assemble(r, nil, DefaultBudget)
	if r.Rows[0].Role != daybook.RoleTransition || !strings.Contains(p.String(), `[CHANGE] [OUTDATED: "Tuesday May 4th"]`) {
		t.Errorf("by itself: %s", p)
	}
	if best := sentencesFor(r, p); len(best) != 1 || !strings.HasPrefix(best[0].text, "Then we moved") {
		t.Errorf("what was before may answer: %+v", best)
	}
}

// Rows of one state stand together in a packet, whatever recall put between them.
func TestPacketIsGroupedByState(t *testing.T) {
	row := func(id, role, heir string) Row {
		return Row{Note: daybook.Note{ID: daybook.NoteID(id), Time: monday, Speaker: "Anna", Text: "note " + id}, Role: daybook.Role(role), Heir: daybook.NoteID(heir)}
	}
	order := func(r *Resolved) (ids string) {
		for _, it := range Assemble(r, nil, DefaultBudget).Items {
			ids += string(it.ID)
		}
		return ids
	}
	r := &Resolved{Rows: []Row{row("a", "current", ""), row("x", "", ""), row("b", "historical", "a"), row("y", "", ""), row("c", "historical", "a")}}
	if got := order(r); got != "abcxy" {
		t.Errorf("by the ledger's states: %s", got)
	}
	r = &Resolved{Stands: true, Rows: []Row{row("x", "", ""), row("a", "current", ""), row("y", "", ""), row("b", "historical", "")}}
	r.Rows[1].State, r.Rows[3].State = true, true
	if got := order(r); got != "xaby" {
		t.Errorf("by the asked state: %s", got)
	}
}
