package model

import (
	"context"
	"strings"
	"testing"

	"daybook"
)

// pointedText is the stretch of at most ten words that a pointer likes best.
func pointedText(p Pointed, text string) string {
	best, at := float32(-1e9), [2]int{}
	for i, a := range p.Words {
		for _, b := range p.Words[i:min(i+10, len(p.Words))] {
			if s := a.First + b.Last; s > best {
				best, at = s, [2]int{a.Start, b.End}
			}
		}
	}
	return text[at[0]:at[1]]
}

func TestPointer(t *testing.T) {
	p, err := DefaultPointer()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Verify(); err != nil {
		t.Error(err)
	}
	passages := []string{
		"Ingrid: The ferry was late again, so I read on the pier for an hour.",
		"Ingrid: We named the new kayak Mermaid and painted it bright yellow!",
		"Tobias: I could never live on an island, I get seasick in the bath.",
	}
	for question, want := range map[string]string{
		"What colour is Ingrid's kayak?":       "yellow",
		"What did Ingrid call her boat?":       "Mermaid",
		"Where did Ingrid read while waiting?": "pier",
	} {
		read, err := p.Point(t.Context(), question, passages)
		if err != nil {
			t.Fatal(err)
		}
		best := 0
		for i := range read {
			if read[i].Answers > read[best].Answers {
				best = i
			}
		}
		if got := pointedText(read[best], passages[best]); !strings.Contains(got, want) {
			t.Errorf("%s: pointed at %q of %q, want %s", question, got, passages[best], want)
		}
	}
}

// Words have their places in the passage, and those beyond the window are left out.
func TestPointerPlaces(t *testing.T) {
	p, err := DefaultPointer()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("Zoë's café opened. ", 200)
	read, err := p.Point(t.Context(), strings.Repeat("why ", 300)+"?", []string{"", long})
	if err != nil {
		t.Fatal(err)
	}
	if len(read) != 2 || len(read[0].Words) != 0 || len(read[1].Words) < 50 {
		t.Fatalf("read %d passages, %d and %d words", len(read), len(read[0].Words), len(read[1].Words))
	}
	for _, w := range read[1].Words {
		if got := long[w.Start:w.End]; !strings.Contains("Zoë's café opened.", got) || got == "" {
			t.Fatalf("a word at %d is %q", w.Start, got)
		}
	}
}

func TestPointerStops(t *testing.T) {
	p, err := DefaultPointer()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := p.Point(ctx, "Who?", []string{"Anna.", "Ben."}); daybook.KindOf(err) != daybook.Unavailable {
		t.Errorf("a run whose context ended: %v", err)
	}
	if _, err := p.Point(t.Context(), "Who?", []string{strings.Repeat("a", maxTextBytes+1)}); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("a passage that is too long: %v", err)
	}
}
