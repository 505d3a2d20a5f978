package recall

import (
	"testing"
	"time"

	"daybook"
)

func TestReadShape(t *testing.T) {
	for question, want := range map[string]Shape{
		"How many cats does Ana have?":              Aggregate,
		"What books has Bo read?":                   Aggregate,
		"What are Ana's hobbies?":                   Aggregate,
		"When did Ana move to Lima?":                Temporal,
		"How long has Bo worked there?":             Temporal,
		"Does Ana still live in Lima?":              YesNo,
		"What kind of tea does Ana prefer?":         Preference,
		"Where does Ana live and what does she do?": MultiHop,
		"Where does Ana live?":                      Factual,
	} {
		p, err := Read(Question{Text: question})
		if err != nil || p.Shape != want {
			t.Errorf("%s: %s, %v; want %s", question, p.Shape, err, want)
		}
	}
}

func TestReadPlan(t *testing.T) {
	now := time.Date(2026, 6, 10, 9, 0, 0, 0, time.UTC)
	p, err := Read(Question{Text: "What did Ana cook for my sister in May 2024?", Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Names["ana"] || !p.Self || p.K != DefaultK {
		t.Errorf("names %v, self %v, k %d", p.Names, p.Self, p.K)
	}
	if want := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC); !p.Window.From.Equal(want) || p.Window.Holds(now) {
		t.Errorf("window %v", p.Window)
	}
	if _, err := Read(Question{Text: " "}); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("an empty question: %v", err)
	}
	if _, err := Read(Question{Text: "who?", K: -1}); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("k below 0: %v", err)
	}
}

// A question asks what the listener said, or what to do, or neither.
func TestReadListener(t *testing.T) {
	for question, want := range map[string][2]bool{
		"Which hotel did you recommend for Rome?": {true, false},
		"What have you told me of the visa?":      {true, false},
		"What was the wine that you suggested?":   {true, false},
		"Which hotel would you recommend?":        {false, true},
		"How should I cook the rice?":             {false, true},
		"Help me plan the garden":                 {false, true},
		"Where did I leave the keys?":             {false, false},
		"What does Ana do on Sundays?":            {false, false},
	} {
		p, err := Read(Question{Text: question})
		if err != nil || p.OfListener != want[0] || p.Advice != want[1] {
			t.Errorf("%s: of the listener %v, advice %v, %v; want %v", question, p.OfListener, p.Advice, err, want)
		}
	}
}

// Words that are in every question say nothing, unless there are no others.
func TestWordsOf(t *testing.T) {
	if terms, _ := wordsOf("What is the name of her cat?"); len(terms) != 3 {
		t.Errorf("terms %q", terms)
	}
	if terms, q := wordsOf("Who was it?"); len(terms) == 0 || len(q.Terms) == 0 {
		t.Error("a question of function words alone asks for nothing")
	}
}

func TestTraits(t *testing.T) {
	got := readTraits("We finally went to Rome last week! Did you see my 3 photos?")
	want := traits{firstPerson: true, secondPerson: true, firstPast: true, asks: true, time: true, number: true, name: true}
	if got != want {
		t.Errorf("%+v", got)
	}
	if got := readTraits("She walked there. I like it."); got.firstPast || got.asks || got.number {
		t.Errorf("%+v", got)
	}
}

// What is asked for good is told from what is said of every day, and what somebody likes
// better from what somebody likes.
func TestLastingTraits(t *testing.T) {
	for text, want := range map[string][2]bool{
		"Always answer in French, please.":                 {true, false},
		"Thanks. Please never call me Bob":                 {true, false},
		"From now on, give me metres":                      {true, false},
		"Use short sentences whenever I ask for help":      {true, false},
		"I always forget her name, and never lock the car": {false, false},
		"I would rather take the train":                    {false, true},
		"My favourite colour is green":                     {false, true},
		"I like rice. She told him of her preference":      {false, false},
	} {
		if got := readTraits(text); got.instructs != want[0] || got.prefers != want[1] {
			t.Errorf("%q: instructs %v, prefers %v; want %v", text, got.instructs, got.prefers, want)
		}
	}
}

// Every signal has both its names, and every weight in use is of a signal.
func TestSignalNames(t *testing.T) {
	seen := map[string]bool{}
	for i := range signals {
		for _, name := range signalNames[i] {
			if name == "" || seen[name] {
				t.Errorf("signal %d has the name %q", i, name)
			}
			seen[name] = true
		}
	}
}

func TestReversed(t *testing.T) {
	day := func(n int) daybook.Span { return daybook.Span{From: time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC)} }
	for _, c := range []struct {
		kind     daybook.LinkKind
		from, to int
		want     bool
	}{
		{daybook.Causes, 1, 2, false}, {daybook.Causes, 2, 1, true}, {daybook.Before, 2, 1, true},
		{daybook.Updates, 2, 1, false}, {daybook.Updates, 1, 2, true}, {daybook.Contradicts, 1, 2, false},
	} {
		if got := reversed(c.kind, day(c.from), day(c.to)); got != c.want {
			t.Errorf("%s from day %d to day %d: %v", c.kind, c.from, c.to, got)
		}
	}
}
