package timex_test

import (
	"testing"
	"time"
	"unicode/utf8"

	"daybook/timex"
)

// FuzzFind holds what Find promises of any text: it ends, its offsets lie in the
// text in order, and no span ends before it begins.
func FuzzFind(f *testing.F) {
	for _, s := range []string{
		"two weekends ago, next Friday at 3pm", "from 4 to 22 January 1995", "between 2 and 4 pm on 6/9/2023", "the 90s; '99; 2016-12-16T12:23:59Z",
		"the day before the day before the day before yesterday", "31 February", "9999-12-31", "since the end of 0001", "99999999 years ago",
		"a year and a half from the last week of the third quarter of two thousand", "İ 3pm ’til \xff noon", "every every other second of May",
		"in 4999 centuries", "5000 workdays later", "year 1", "1st century", "more than 3 weeks before early mid late June",
	} {
		f.Add(s, int64(1686340500))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		ref := time.Unix(unix%(1<<36), 0).UTC()
		last := 0
		for _, e := range timex.Find(text, ref) {
			if e.Start < last || e.End <= e.Start || e.End > len(text) {
				t.Fatalf("%q: %d to %d after %d", text, e.Start, e.End, last)
			}
			last = e.End
			if e.Text != text[e.Start:e.End] || utf8.ValidString(text) && !utf8.ValidString(e.Text) {
				t.Fatalf("%q: %q is not the text at %d", text, e.Text, e.Start)
			}
			if err := e.Span.Validate(); err != nil {
				t.Fatalf("%q: %q: %v", text, e.Text, err)
			}
			if s := timex.Say(e.Span); s == "" {
				t.Fatalf("%q: nothing said", text)
			}
		}
		if a := timex.Anchor(text, ref); a.Span.Validate() != nil {
			t.Fatalf("%q: anchor %v", text, a)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	const text = "Hey Sam! Since we last spoke I took my kids to a park yesterday, and next Friday at 3pm we fly to Rome for two weeks."
	b.ReportAllocs()
	for b.Loop() {
		timex.Find(text, ref)
	}
}

func BenchmarkFindNothing(b *testing.B) {
	const text = "Thanks! It has been a real comfort to have people around who listen, and I feel that painting helps me to relax a lot."
	b.ReportAllocs()
	for b.Loop() {
		timex.Find(text, ref)
	}
}
