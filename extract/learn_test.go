package extract_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/extract"
)

func learn(t *testing.T, notes ...daybook.Note) extract.Learned {
	t.Helper()
	for i := range notes {
		notes[i].Time = time.Date(2024, 5, 1, 10, i, 0, 0, time.UTC)
		notes[i] = notes[i].Named()
	}
	got, err := extract.Local{}.Learn(context.Background(), extract.Window{Notes: notes})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFacts(t *testing.T) {
	for _, c := range []struct {
		text, relation, object string
		modality               daybook.Modality
	}{
		{"My bank is Northern Trust.", "bank", "Northern Trust", ""},
		{"I live in Porto.", "lives_in", "Porto", ""},
		{"I work at Siemens.", "works_at", "Siemens", ""},
		{"I report to Ingrid.", "manager", "Ingrid", ""},
		{"I drive an old Volvo.", "drives", "an old Volvo", ""},
		{"I love jazz.", "likes", "jazz", ""},
		{"I'm going to move to Berlin next year.", "moved_to", "Berlin", daybook.Planned},
		{"I might study Dutch one day.", "studies", "Dutch", daybook.Hypothetical},
		{"My rent is $900 a month.", "rent", "$900 a month", ""},
		{"I love dogs and horses.", "likes", "horses", ""},
		{"I love dogs and horses.", "likes", "dogs", ""},
		{"We enjoy hiking in the hills.", "likes", "hiking in the hills", ""},
		{"I like to bake bread.", "likes", "to bake bread", ""},
		{"I'm a big fan of old maps.", "likes", "old maps", ""},
		{"Chess is my favourite game.", "favourite_game", "Chess", ""},
		{"I have two kids.", "has", "two kids", ""},
		{"My sister visited me.", "has", "sister", ""},
		{"I can play the flute.", "can", "play the flute", ""},
		{"I can't swim.", "can", "swim", daybook.Negated},
		{"I'm allergic to walnuts.", "allergic_to", "walnuts", ""},
		{"I want to be a pilot.", "is", "a pilot", daybook.Wished},
		{"My wife and I bought a boat.", "bought", "a boat", ""},
		{"We went sailing in the bay.", "go", "sailing in the bay", ""},
		{"I finished my novel.", "finish", "novel", ""},
		{"I went to Lund, a small town in Sweden.", "visited", "Lund", ""},
		{"I'm a fan of The Tale of the Fox.", "likes", "The Tale of the Fox", ""},
		{"Yesterday we watched \"The Old Men of Skye\" again.", "watches", "The Old Men of Skye", daybook.OneOff},
		{"I like to go sailing and read old maps.", "likes", "to go sailing", ""},
		{"I like rowing and goats.", "likes", "goats", ""},
		{"I love purple.", "likes", "purple", ""},
		{"Green and yellow are my favourite colours.", "favourite_colours", "yellow", ""},
		{"I speak Danish and Welsh.", "speaks", "Welsh", ""},
		{"I have my own boat.", "has", "boat", ""},
		{"I have cat and red hair.", "has", "cat", ""},
		{"I'm in the navy.", "is_in", "the navy", ""},
		{"I'm divorced with two sons.", "is", "divorced", ""},
		{"We got engaged.", "is", "engaged", ""},
		{"I never go out because I live in a lighthouse.", "lives_in", "a lighthouse", ""},
		{"I keep bees, and you?", "keep", "bees", ""},
		{"I love rye bread what about you?", "likes", "rye bread", ""},
		{"What is your favourite tree? Mine is the ash.", "favourite_tree", "the ash", ""},
		{"Do you like figs? I love them.", "likes", "figs", ""},
		{"I wanted to let you know I joined a choir.", "joined", "a choir", ""},
		{"My van broke down.", "has", "van", ""},
		{"I use Firefox instead of Chrome.", "use", "Firefox", ""},
		{"I bank with Cobalt rather than Granite Trust.", "bank_with", "Cobalt", ""},
	} {
		got := learn(t, daybook.Note{Speaker: "Anna", Text: c.text})
		found := false
		for _, f := range got.Facts {
			found = found || f.Relation == c.relation && f.Object == c.object && f.Modality == c.modality
		}
		if !found {
			t.Errorf("%q: no (%s, %s, %q) among %d facts", c.text, c.relation, c.object, c.modality, len(got.Facts))
			for _, f := range got.Facts {
				t.Logf("   %s %s %q", f.Relation, f.Object, f.Modality)
			}
		}
	}
}

func TestFillersTeachNothing(t *testing.T) {
	for _, text := range []string{"I'm so excited!", "I had a blast.", "Let's give it a try.", "We made a lot of progress.", "I'm glad to hear that.", "It brings joy to my life.", "I can't wait!", "I like this one.",
		"This means the world to me.", "I feel great.", "You have a lovely home.", "I'm happy for you, Ben.", "Hey!", "Thanks so much!", "Wow, that's awesome.", "How are you?", "Haha, yeah.", "Good night!", "Take care.", "See you soon!", "Sounds great!", "Congrats!",
		"We should plant more trees.", "Together we can build a better town.", "Our kids are our future.", "Tilly brings me so much joy.", "Making my guests happy is key.",
		"I'm a mix of glad and scared.", "I appreciate your help and patience.", "I'm here for you every step of the way.", "I rely on them in hard times.", "Those days are great reminders of our bond.",
		"I wish I wasn't allergic!", "I'm open to learning.", "I think schools matter."} {
		if got := learn(t, daybook.Note{Speaker: "Anna", Text: text}); len(got.Facts) > 0 {
			t.Errorf("%q taught %s %s", text, got.Facts[0].Relation, got.Facts[0].Object)
		}
	}
}

func TestEnrich(t *testing.T) {
	got := learn(t,
		daybook.Note{Speaker: "Ben", Text: "How many kids do you have?"},
		daybook.Note{Speaker: "Anna", Text: "Two, both in school."})
	want := []string{"Ben: How many kids do you have? Anna answered: Two, both in school.", "Ben asked: How many kids do you have? Anna: Two, both in school."}
	if texts := enriched(got); !slices.Equal(texts, want) {
		t.Errorf("enriched: %q, want %q", texts, want)
	}
}

// What a note takes up from the one before is part of what it says: the question that
// it answers, the thing that "mine" and "them" stand for, whom "she" means; what is
// liked is filed as liked, however it is said, and a caption is nobody's word.
func TestWindowExamples(t *testing.T) {
	for _, c := range []struct{ before, text, enriched, relation, object string }{
		{"What's your favourite tea?", "Mine is jasmine.", "Ben asked: What's your favourite tea? Anna: Mine is jasmine.", "favourite_tea", "jasmine"},
		{"Do you like pears?", "I love them.", "Ben asked: Do you like pears? Anna: I love them.", "likes", "pears"},
		{"My sister Ida keeps goats.", "Is she still on the farm?", "Ben said: My sister Ida keeps goats. Anna: Is she (Ida) still on the farm?", "", ""},
		{"How was the lake? [image: a photo of a rowing boat]", "Sailing is one of my favourites.", "Ben asked: How was the lake? Anna: Sailing is one of my favourites.", "likes", "Sailing"},
		{"Where do you live these days?", "In Skagen. [image: a photo of a red house]", "Ben asked: Where do you live these days? Anna: In Skagen. [image: a photo of a red house]", "", ""},
	} {
		got := learn(t, daybook.Note{Speaker: "Ben", Text: c.before}, daybook.Note{Speaker: "Anna", Text: c.text})
		if texts := enriched(got); len(texts) == 0 || texts[len(texts)-1] != c.enriched {
			t.Errorf("%q: %q, want %q", c.text, texts, c.enriched)
		}
		found := c.relation == ""
		for _, f := range got.Facts {
			found = found || f.Relation == c.relation && f.Object == c.object && f.Subject == daybook.EntityNamed("Anna")
			if strings.Contains(f.Object, "photo") || strings.Contains(f.Object, "house") {
				t.Errorf("%q: a caption taught %s %s", c.text, f.Relation, f.Object)
			}
		}
		if !found {
			t.Errorf("%q: no (%s, %s) among %d facts", c.text, c.relation, c.object, len(got.Facts))
		}
	}
}

func enriched(l extract.Learned) (texts []string) {
	for _, e := range l.Enrichments {
		texts = append(texts, e.Text)
	}
	return texts
}

// A question that was known when its answer comes is enriched again, and once more
// when something said between the two comes late.
func TestEnrichLooksAhead(t *testing.T) {
	at := func(minute int, speaker, text string) daybook.Note {
		return daybook.Note{Speaker: speaker, Text: text, Time: time.Date(2026, 5, 4, 10, minute, 0, 0, time.UTC)}.Named()
	}
	asked, late, answered := at(0, "Ben", "Where do you live?"), at(1, "Cleo", "Hello, you two."), at(2, "Anna", "In Skagen.")
	for _, c := range []struct {
		notes []daybook.Note
		from  int
		read  []daybook.NoteID
		want  string
	}{
		{[]daybook.Note{asked, answered}, 1, nil, "Ben: Where do you live? Anna answered: In Skagen."},
		{[]daybook.Note{asked, late, answered}, 1, []daybook.NoteID{asked.ID, answered.ID}, "Ben: Where do you live? Cleo answered: Hello, you two."},
		{[]daybook.Note{asked, answered, at(3, "Ben", "Nice!")}, 2, []daybook.NoteID{asked.ID, answered.ID}, ""},
	} {
		w := extract.Window{Notes: c.notes, From: c.from, Read: map[daybook.NoteID]bool{}}
		for _, id := range c.read {
			w.Read[id] = true
		}
		got, err := extract.Local{}.Learn(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, e := range got.Enrichments {
			if e.Note == asked.ID {
				text = e.Text
			}
		}
		if text != c.want {
			t.Errorf("%q, want %q", text, c.want)
		}
	}
}

// A bare answer says with its question what a sentence would.
func TestBareAnswers(t *testing.T) {
	for _, c := range []struct{ question, answer, relation, object string }{
		{"How many kids do you have?", "Two, both in school.", "has", "two kids"},
		{"Where do you live these days?", "In Skagen.", "lives_in", "Skagen"},
		{"What's your favourite tea?", "Jasmine.", "favourite_tea", "jasmine"},
		{"Where do you work?", "Zalando.", "works_at", "Zalando"},
		{"What do you do for a living?", "A nurse.", "job", "a nurse"},
	} {
		got := learn(t, daybook.Note{Speaker: "Ben", Text: c.question}, daybook.Note{Speaker: "Anna", Text: c.answer})
		var all []string
		for _, f := range got.Facts {
			all = append(all, f.Relation+" "+f.Object)
		}
		if !slices.Contains(all, c.relation+" "+c.object) {
			t.Errorf("%s – %s: %q, want %s %s", c.question, c.answer, all, c.relation, c.object)
		}
	}
}

func TestEnrichLeavesCaptionsAside(t *testing.T) {
	for _, c := range []struct{ before, text, want string }{
		{"Where did you sail? [image: a photo of a boat]", "To the islands.", "Ben asked: Where did you sail? Anna: To the islands."},
		{"I baked rye bread. [image: a photo of a loaf]", "That looks good!", "Ben said: I baked rye bread. Anna: That looks good!"},
		{"I baked rye bread.", "My own oven broke down in the middle of last week.", ""},
		{"Do you ski?", "Every winter.", "Ben asked: Do you ski? Anna: Every winter."},
		{"My brother Leo is here.", "Tell him hello from me.", "Ben said: My brother Leo is here. Anna: Tell him (Leo) hello from me."},
	} {
		got := learn(t, daybook.Note{Speaker: "Ben", Text: c.before}, daybook.Note{Speaker: "Anna", Text: c.text})
		text := ""
		for _, e := range got.Enrichments {
			if strings.Contains(e.Text, c.text[:4]) {
				text = e.Text
			}
		}
		if text != c.want {
			t.Errorf("%q after %q: %q, want %q", c.text, c.before, text, c.want)
		}
	}
}

// A reason goes on to the end of what hangs on it.
func TestReasonsAreWhole(t *testing.T) {
	for text, want := range map[string]string{
		"I use Pocket Casts now because Overcast kept crashing.":               "Overcast kept crashing",
		"I live in Lund because I wanted to be near my mum.":                   "I wanted to be near my mum",
		"I use a paper planner because the app stopped working after a while.": "the app stopped working after a while",
	} {
		got := learn(t, daybook.Note{Speaker: "Anna", Text: text})
		if len(got.Facts) == 0 || got.Facts[0].Context.Why != want {
			t.Errorf("%q: %+v, want the reason %q", text, got.Facts, want)
		}
	}
}
