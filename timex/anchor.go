package timex

import (
	"strings"
	"time"

	"daybook"
)

// Relation is where a time lies, seen from the reference.
type Relation string

// The relations.
const (
	Before Relation = "before"
	During Relation = "during" // the reference lies in it
	After  Relation = "after"
)

// Anchored is the time that an utterance is about.
type Anchored struct {
	Expr     Expr // the words that say so; zero where none do
	Span     daybook.Span
	Relation Relation // of the span to the reference
}

// Anchor returns the time that an utterance speaks of: that of its best
// expression, which is the first that names a closed time other than the
// present. "I have played for four months" is anchored at its beginning. An
// utterance that says no time is anchored on the day it was spoken; Known is
// then daybook.Spoken.
func Anchor(text string, ref time.Time) Anchored {
	found := Find(text, ref)
	best, score := -1, 0
	for i, e := range found {
		if s := weight(e, ref); s > score {
			best, score = i, s
		}
	}
	if score < vagueWeight {
		if e, ok := sinceLength(text, found, ref); ok {
			return Anchored{Expr: e, Span: e.Span, Relation: relate(e.Span, ref)}
		}
	}
	if score <= stateWeight {
		day := days.whole(ref)
		day.Known = daybook.Spoken
		return Anchored{Span: day, Relation: During}
	}
	return Anchored{Expr: found[best], Span: found[best].Span, Relation: relate(found[best].Span, ref)}
}

const (
	stateWeight = 1 // says of the present that it is so: "now", "these days"
	vagueWeight = 4
)

// weight says how well an expression anchors an event; 0 is not at all.
func weight(e Expr, ref time.Time) int {
	if e.Kind == Length || e.Kind == Frequency || e.Span == (daybook.Span{}) {
		return 0
	}
	open := e.Span.From.IsZero() || e.Span.Until.IsZero()
	switch {
	case !open && !e.Span.From.After(ref) && !e.Resolved && e.Span.Until.After(ref), e.Kind == Time && e.Span.From.Equal(ref):
		return stateWeight
	case !e.Resolved:
		return 2
	case open:
		return 3
	case !e.Span.From.After(ref) && !e.Span.Until.Before(ref) && !within(e.Span, 24*time.Hour):
		return vagueWeight
	case e.Approx:
		return 6
	}
	return 7
}

func within(s daybook.Span, d time.Duration) bool { return s.Until.Sub(s.From) <= d }

func relate(s daybook.Span, ref time.Time) Relation {
	switch {
	case !s.Until.IsZero() && !ref.Before(s.Until):
		return Before
	case s.From.After(ref):
		return After
	}
	return During
}

// sinceLength turns "have … for four months" and "seven years now" into a range
// that began so long ago and goes on.
func sinceLength(text string, found []Expr, ref time.Time) (Expr, bool) {
	for _, e := range found {
		if e.Kind != Length {
			continue
		}
		before, after := strings.ToLower(text[:e.Start]), strings.ToLower(strings.TrimLeft(text[e.End:], " "))
		perfect := strings.Contains(before, "'ve ") || strings.Contains(before, "’ve ") || strings.Contains(before, "have ") ||
			strings.Contains(before, "has ") || strings.Contains(before, "been ")
		since := perfect && strings.HasSuffix(trimLoose(before), "for")
		if !since && !strings.HasPrefix(after, "now") {
			continue
		}
		d := e.Duration
		u := unitOf(d)
		e.Span = u.whole(d.Before(ref))
		e.Span.Until, e.Kind = time.Time{}, Range
		return e, e.Span.Validate() == nil
	}
	return Expr{}, false
}

// trimLoose cuts words such as "about" off the end.
func trimLoose(s string) string {
	for {
		t := strings.TrimRight(s, " ")
		for _, w := range []string{" about", " around", " almost", " nearly", " over", " just", " under", " like", " the past", " the last"} {
			t = strings.TrimSuffix(t, w)
		}
		if t == s {
			return s
		}
		s = t
	}
}

// unitOf is the coarsest unit of a duration.
func unitOf(d Duration) unit {
	switch {
	case d.Years > 0:
		return years
	case d.Months > 0:
		return months
	case d.Weeks > 0:
		return weeks
	}
	return days
}
