package eval

import (
	"slices"
	"testing"
)

func TestStages(t *testing.T) {
	current := Question{Evidence: []string{"g"}, State: &StateProbe{Kind: "current"}}
	past := Question{Evidence: []string{"g"}, State: &StateProbe{Kind: "historical"}}
	for _, c := range []struct {
		name  string
		q     Question
		r     Result
		stage string
		rank  int
	}{
		{"nothing is told", current, Result{}, stageLost, 0},
		{"no leg has it", current, Result{Trails: map[string]Trail{"g": {}}}, stageNoLeg, 0},
		{"a leg has it, far down", current, Result{Trails: map[string]Trail{"g": {Legs: []string{"words"}, Rank: 40}}}, stageRanked, 0},
		{"the budget, by its trail", current, Result{Trails: map[string]Trail{"g": {Legs: []string{"words"}, Rank: 3, Dropped: true}}}, stageDropped, 0},
		{"a system that does not tell", current, Result{Trails: map[string]Trail{"g": {Rank: unknownRank}}}, stageLost, 0},
		{"below k", current, Result{Rows: []Row{{ID: "a"}, {ID: "b"}, {ID: "g"}}}, stageRanked, 3},
		{"the budget, by its row", current, Result{Rows: []Row{{ID: "g", Dropped: true}}}, stageDropped, 1},
		{"the budget, by the packet", current, Result{Rows: []Row{{ID: "g"}}, Packet: []string{"a"}}, stageDropped, 1},
		{"called past", current, Result{Rows: []Row{{ID: "g", Role: "historical"}}}, stageMislabeled, 1},
		{"called current", past, Result{Rows: []Row{{ID: "g", Role: "current"}}}, stageMislabeled, 1},
		{"right role", past, Result{Rows: []Row{{ID: "g", Role: "historical"}}}, stageFound, 1},
		{"no role", current, Result{Rows: []Row{{ID: "g"}}, Packet: []string{"g"}}, stageFound, 1},
	} {
		if stage, rank := stageOf(c.q, c.r, "g", 2); stage != c.stage || rank != c.rank {
			t.Errorf("%s: %q at %d, want %q at %d", c.name, stage, rank, c.stage, c.rank)
		}
	}
}

// An answer that is wrong beside all its evidence is a miss of its own; what was
// only quoted is not.
func TestMissOfTheAnswer(t *testing.T) {
	c := conversation("I bought a sailboat")
	c.Questions = []Question{{ID: "1", Text: "What?", Evidence: []string{"n0"}, Answers: []string{"a sailboat"}}}
	d := Dataset{Conversations: []Conversation{c}}
	s := SystemReport{
		Results: []Result{{ID: "1", Rows: []Row{{ID: "n0"}}, Answer: "a kite"}},
		Levels:  Levels{Scores: map[string]Scores{"1": {"f1": 0}}},
	}
	if m := Misses(d, s, 1); len(m) != 1 || m[0].Stage != stageAnswer || m[0].Answer != "a kite" {
		t.Errorf("%+v", m)
	}
	s.Levels.Scores["1"]["judge"] = 1 // the judge knows better than words
	if m := Misses(d, s, 1); len(m) != 0 {
		t.Errorf("%+v", m)
	}
	s.Levels = Levels{Reader: "quote", Scores: map[string]Scores{"1": {"f1": 0}}}
	if m := Misses(d, s, 1); len(m) != 0 {
		t.Errorf("%+v", m)
	}
}

// Where no evidence is known, phrases and answers tell what went wrong.
func TestMissWithoutEvidence(t *testing.T) {
	c := conversation("I bought a sailboat")
	c.Questions = []Question{{ID: "phrase", Text: "What?"}, {ID: "words", Text: "What?"}, {ID: "absent", Text: "Whose?", Absent: true, Evidence: []string{"n0"}}, {ID: "right", Text: "What?"}}
	s := SystemReport{Levels: Levels{Scores: map[string]Scores{
		"phrase": {"must@5": 0, "answer_must": 0}, "words": {"valid_acc": 0}, "absent": {"abstention": 0}, "right": {"valid_acc": 1},
	}}}
	misses := Misses(Dataset{Conversations: []Conversation{c}}, s, 5)
	var got []string
	for _, m := range misses {
		got = append(got, m.ID+": "+m.Stage)
		if m.Gold == nil || len(m.Gold) > 0 {
			t.Errorf("%s has gold %v", m.ID, m.Gold)
		}
	}
	if want := []string{"phrase: " + stageLost, "words: " + stageWrong, "absent: " + stageAnswered}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
