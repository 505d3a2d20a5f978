package answer

import (
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/english"
	"daybook/extract"
)

func TestMeant(t *testing.T) {
	for _, c := range []struct {
		text   string
		role   extract.Role
		chance float64
		want   daybook.Modality
	}{
		{"My target for the season is 40 points.", extract.States, 0.5, daybook.Asserted},
		{"I set the oven for 6:15.", extract.States, 0.5, daybook.Asserted},
		{"I practise for two hours.", extract.States, 0.5, daybook.Asserted},
		{"I work from Lisbon for two weeks.", extract.States, 0.5, daybook.OneOff},
		{"For the next month I live with my aunt.", extract.States, 0.5, daybook.OneOff},
		{"I wish I played the harp, it sounds so gentle.", extract.States, 0.5, daybook.Wished},
		{"I've been reading about Norwegian classes.", extract.Plans, 0.1, daybook.Planned},
	} {
		s := english.ReadSentence(c.text)
		if got := meant(&s, c.role, c.chance); got != c.want {
			t.Errorf("%q is meant as %q, not %q", c.text, got, c.want)
		}
	}
}

func TestBorne(t *testing.T) {
	for _, c := range []struct {
		text string
		role extract.Role
		want bool
	}{
		{"I also rent a garage in Leeds.", extract.Adds, true},
		{"I can still borrow nine books.", extract.Adds, false},
		{"I no longer play the harp.", extract.Ended, true},
		{"I had a garage in Leeds.", extract.Ended, true},
		{"It all turned around, I'm retired now.", extract.Ended, false},
	} {
		s := english.ReadSentence(c.text)
		if got := borne(&s, c.role); got != c.want {
			t.Errorf("%q bears out %s: %v", c.text, c.role, got)
		}
	}
}

func TestOtherPerson(t *testing.T) {
	for text, want := range map[string]bool{
		"My brother plays the harp.":                    true,
		"A potter I know fires her bowls with gas.":     true,
		"A neighbour drives a van.":                     true,
		"The folks I sing with meet in the town hall.":  false,
		"My piano teacher is Greta.":                    false,
		"I share the boat with Greta.":                  false,
		"The people and dogs I walk with meet at noon.": false,
	} {
		s := english.ReadSentence(text)
		if got := otherPerson(&s); got != want {
			t.Errorf("%q tells of somebody else: %v", text, got)
		}
	}
}

func TestValueThatCameBack(t *testing.T) {
	all := []Evidence{
		saying("a", "s1", monday, "My desk lamp is pale green.", 1),
		saying("b", "s2", monday.AddDate(0, 1, 0), "My desk lamp is orange now.", 1),
		saying("c", "s3", monday.AddDate(0, 2, 0), "My desk lamp is pale green again.", 1),
	}
	r := Resolve(asking("What colour is Anna's desk lamp?", 1), all, Background{})
	if len(r.Asked) != 1 || r.Asked[0].Object != "pale green" {
		t.Errorf("the value that came back is not the answer: %+v", r.Asked)
	}
}

func TestLooseStatement(t *testing.T) {
	for text, want := range map[string]string{
		"This is what our choir is on: Lakeside.":   "Lakeside",
		"Every month $75 leaves for the allotment.": "$75",
	} {
		s := english.ReadSentence(text)
		st, ok := extract.StatementOf(&s, extract.States)
		if !ok || st.Object[:min(len(want), len(st.Object))] != want {
			t.Errorf("%q states %q, not %q", text, st.Object, want)
		}
	}
}

func TestSameThing(t *testing.T) {
	all := []Evidence{
		saying("a", "s1", monday, "I bought a small boat last week.", 1),
		saying("b", "s1", monday.Add(time.Minute), "I call the boat Margit.", 1),
	}
	r := Resolve(asking("What is the name of Anna's boat?", 1), all, Background{})
	for _, row := range r.Rows {
		if row.Role == daybook.RoleHistorical || row.Role == daybook.RoleContested {
			t.Errorf("%q is %s: %s", row.Text, row.Role, row.Reason)
		}
	}
}

func TestExperienceIsNoState(t *testing.T) {
	for text, want := range map[string]bool{
		"Which books has Anna read?":             true,
		"Where has Anna been?":                   true,
		"Which bank does Anna use?":              false,
		"How long has Anna been learning Welsh?": false,
		"What has Anna been reading?":            false,
		"How many tickets does Anna have left?":  false,
	} {
		q := ReadQuestion(text, "")
		if got := ofExperience(&Resolved{Question: q}); got != want {
			t.Errorf("%q asks for what was done so far: %v", text, got)
		}
	}
}

func TestValueAfterReason(t *testing.T) {
	all := []Evidence{
		saying("a", "s1", monday, "My main bank is Granite Trust.", 1),
		saying("b", "s2", monday.AddDate(0, 1, 0), "I switched banks because the fees went up, I bank with Cobalt Savings now.", 1),
	}
	r := Resolve(asking("Which bank does Anna use?", 1), all, Background{})
	if len(r.Asked) != 1 || r.Asked[0].Object != "Cobalt Savings" {
		t.Errorf("what follows a reason is not read: %+v", r.Asked)
	}
}

// TestNoEarlierValue: who asks for what was before, where only one value was told, hears
// that no earlier one is known.
func TestNoEarlierValue(t *testing.T) {
	r := Resolve(asking("What was Anna's bank before?", 1), banks()[:1], Background{})
	r.Stands = true
	if text, _ := fromState(r); !strings.HasPrefix(text, "No earlier value is known") || !strings.Contains(text, "Granite Trust") {
		t.Errorf("%q does not say that no earlier bank is known", text)
	}
	r = Resolve(asking("What was Anna's bank before?", 1), banks(), Background{})
	if text, _ := fromState(r); text != "Granite Trust" {
		t.Errorf("%q, not the bank before", text)
	}
}

// TestIfIsNoPlan: what somebody would do if it were otherwise is supposed, whatever the
// judge of roles thinks.
func TestIfIsNoPlan(t *testing.T) {
	s := english.ReadSentence("If I were rich I would buy a boat.")
	for _, role := range []extract.Role{extract.Plans, extract.Supposes} {
		if st, ok := extract.StatementOf(&s, role); !ok || st.Modality != daybook.Hypothetical {
			t.Errorf("%s: %v, not hypothetical", role, st.Modality)
		}
	}
}

// TestFollowerJoins: what the ledger says took the place of a value is of its state,
// however it is put.
func TestFollowerJoins(t *testing.T) {
	all := banks()[:1]
	n := daybook.Note{ID: "f", Session: "s3", Time: monday.AddDate(0, 2, 0), Speaker: "Anna", Text: "All that I earn goes to Cobalt Savings."}
	c, ok := ClaimOf(n, "Cobalt Savings")
	if !ok {
		t.Fatal("the note does not give the value")
	}
	all = append(all, Evidence{Note: n, Claims: []Claim{c}})
	if r := Resolve(asking("Which bank does Anna use?", 1), all, Background{}); r.Asked[0].Note != "a" {
		t.Fatal("it joined without the ledger's word")
	}
	all[1].Follows = []string{"Cobalt Savings"}
	r := Resolve(asking("Which bank does Anna use?", 1), all, Background{})
	if r.Asked[0].Note != "f" || r.Rows[0].ID != "f" || r.Rows[0].Role != daybook.RoleCurrent {
		t.Errorf("%+v is asked for, not the follower", r.Asked[0])
	}
	for _, row := range r.Rows {
		if row.ID == "a" && row.Role != daybook.RoleHistorical {
			t.Errorf("the value before is %s", row.Role)
		}
	}
}
