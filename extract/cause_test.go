package extract_test

import (
	"strings"
	"testing"

	"daybook"
)

func TestWhatLedToWhat(t *testing.T) {
	for _, c := range []struct {
		text          string
		kind          daybook.LinkKind
		cause, effect string // what the sentences of the two events hold
	}{
		{"I moved to Berlin because I got a job at Siemens.", daybook.Causes, "Anna got a job at Siemens", "Berlin"},
		{"I got a new job at Bosch, so I moved to Berlin.", daybook.Causes, "Bosch", "moved to Berlin"},
		{"I won a grant from Shell, which let me quit my job.", daybook.Enables, "grant from Shell", "quit Anna's job"},
		{"I couldn't go to Paris because my flight was cancelled.", daybook.Prevents, "Anna's flight was cancelled", "Paris"},
		{"My dad gave me a Nikon. That's why I started a photo blog.", daybook.Causes, "Nikon", "photo blog"},
		{"I broke my left leg in May. As a result, I sold my Yamaha.", daybook.Causes, "left leg", "Yamaha"},
		{"I finished a course at Oxford. Thanks to that, I work at Bosch now.", daybook.Enables, "Oxford", "Bosch"},
	} {
		got := learn(t, daybook.Note{Speaker: "Anna", Text: c.text})
		texts := map[string]string{}
		for _, e := range got.Events {
			texts[string(e.ID)] = e.Text
		}
		if len(got.Links) != 1 {
			t.Errorf("%q: %d links, want 1", c.text, len(got.Links))
			continue
		}
		l := got.Links[0]
		if l.Kind != c.kind || !strings.Contains(texts[l.From], c.cause) || !strings.Contains(texts[l.To], c.effect) {
			t.Errorf("%q: %q %s %q", c.text, texts[l.From], l.Kind, texts[l.To])
		}
		if l.By != "rule:marker" || l.Confidence <= 0 || l.Why == "" {
			t.Errorf("%q: %+v", c.text, l)
		}
	}
}

func TestNoCauseWithoutWords(t *testing.T) {
	for _, text := range []string{
		"I was so happy. I moved to Berlin.", "So how are you? I live in Porto.", "Is it because you moved?",
		"I moved to Berlin and I work at Siemens.", "I have lived in Porto since 2019.",
	} {
		if got := learn(t, daybook.Note{Speaker: "Anna", Text: text}); len(got.Links) > 0 {
			t.Errorf("%q: %s by %s", text, got.Links[0].Kind, got.Links[0].Why)
		}
	}
}
