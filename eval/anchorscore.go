package eval

import (
	"regexp"
	"strings"
	"time"

	"daybook"
	"daybook/timex"
)

// AnchorReport says how often the time of an event was read from the note that
// tells it.
type AnchorReport struct {
	// All are the questions scored; Single those of them with one gold note.
	All, Single TimexTally
	// NoteDay is All, had every anchor been the day of its note.
	NoteDay TimexTally
	// Exact are those of All whose interval is that of the key, day by day.
	Exact TimexTally
	// Groups are the scores by the granularity of the key.
	Groups map[string]TimexTally
	// Excluded counts the questions that are not scored, by reason.
	Excluded map[string]int
	Missed   []AnchorMiss
}

// AnchorMiss is a question whose time was not read.
type AnchorMiss struct {
	Question, Answer string
	Gold             daybook.Span
	Notes            []daybook.Note
	Got              []timex.Anchored
}

// ScoreAnchors asks of every question of the category temporal whose answer is a
// date or an interval: does timex.Anchor of the gold note give it? Where a
// question has several gold notes, one that does is enough.
//
// An anchor is right when it holds the gold interval at the granularity of that
// interval, and is at most one step coarser:
//
//   - gold of a day: the day lies in the anchor, which is no longer than a week;
//   - gold of a week or a weekend, also "the week before 9 June": the two overlap,
//     and the anchor is no longer than a month;
//   - gold of a month: the anchor's months hold it, and it is no longer than a
//     season; of a season and of a year likewise (a year, two years).
//
// An anchor that is open at its end ("for four months now") counts by its
// beginning.
func ScoreAnchors(d Dataset) AnchorReport {
	r := AnchorReport{Groups: map[string]TimexTally{}, Excluded: map[string]int{}}
	for _, c := range d.Conversations {
		notes := map[string]daybook.Note{}
		for _, n := range c.Notes {
			notes[n.SourceID] = n
		}
		for _, q := range c.Questions {
			if q.Category == "temporal" {
				r.score(q, notes)
			}
		}
	}
	return r
}

func (r *AnchorReport) score(q Question, notes map[string]daybook.Note) {
	if len(q.Answers) == 0 || len(q.Evidence) == 0 {
		r.Excluded["no answer or no gold note"]++
		return
	}
	m := AnchorMiss{Question: q.Text, Answer: q.Answers[0]}
	for _, id := range q.Evidence {
		m.Notes = append(m.Notes, notes[id])
	}
	gold, why := goldSpan(q.Answers[0], m.Notes[0].Time)
	if why != "" {
		r.Excluded[why]++
		return
	}
	m.Gold = gold
	hit, exact, noteDay := false, false, false
	for _, n := range m.Notes {
		a := timex.Anchor(n.Text, n.Time)
		m.Got = append(m.Got, a)
		hit = hit || anchorHits(a.Span, gold)
		noteDay = noteDay || anchorHits(timex.Anchor("", n.Time).Span, gold)
		exact = exact || a.Span.From.Equal(gold.From) && a.Span.Until.Equal(gold.Until)
	}
	r.NoteDay = r.NoteDay.with(noteDay)
	group := string(gold.Granularity)
	r.All, r.Exact, r.Groups[group] = r.All.with(hit), r.Exact.with(exact), r.Groups[group].with(hit)
	if len(m.Notes) == 1 {
		r.Single = r.Single.with(hit)
	}
	if !hit {
		r.Missed = append(r.Missed, m)
	}
}

var digit = regexp.MustCompile(`\d`)

// goldSpan reads an answer as a closed interval. It says why it is none.
func goldSpan(answer string, ref time.Time) (daybook.Span, string) {
	found := timex.Find(answer, ref)
	for _, e := range found {
		switch {
		case e.Kind == timex.Length:
			return daybook.Span{}, "the answer is a duration"
		case strings.HasSuffix(e.Text, "ago"):
			return daybook.Span{}, "the answer is relative (…ago)"
		}
	}
	if len(found) != 1 || !digit.MatchString(found[0].Text) {
		return daybook.Span{}, "the answer is no date or interval"
	}
	e := found[0]
	if len(strings.Trim(answer, " .,"))-len(e.Text) > 12 {
		return daybook.Span{}, "the answer says more than a time"
	}
	s := e.Span
	if s.From.IsZero() {
		return s, "the answer has no beginning"
	}
	if s.Until.IsZero() {
		s.Until = s.Granularity.End(s.From)
	}
	return s, ""
}

// anchorHits reports whether an anchor gives the gold interval.
func anchorHits(a, gold daybook.Span) bool {
	if a.From.IsZero() {
		return false
	}
	if a.Until.IsZero() {
		a.Until = a.Granularity.End(a.From)
	}
	day, length := 24*time.Hour, a.Until.Sub(a.From)
	switch gold.Granularity {
	case daybook.Week:
		return a.From.Before(gold.Until) && gold.From.Before(a.Until) && length <= 31*day
	case daybook.Month:
		a.From, a.Until = monthsAround(a)
		return length <= 93*day && !gold.From.Before(a.From) && !gold.Until.After(a.Until)
	case daybook.Season:
		return a.From.Before(gold.Until) && gold.From.Before(a.Until) && length <= 366*day
	case daybook.Year, daybook.Decade:
		return length <= 2*366*day && a.From.Year() <= gold.From.Year() && a.Until.Add(-1).Year() >= gold.From.Year()
	}
	if gold.Until.Sub(gold.From) > 25*time.Hour { // a weekend or a few days
		return a.From.Before(gold.Until) && gold.From.Before(a.Until) && length <= 31*day
	}
	y, m, d := a.From.Date()
	first := time.Date(y, m, d, 0, 0, 0, 0, a.From.Location())
	return length <= 7*day && !gold.From.Before(first) && gold.From.Before(a.Until)
}

// monthsAround widens a span to whole months.
func monthsAround(s daybook.Span) (from, until time.Time) {
	y, m, _ := s.From.Date()
	from = time.Date(y, m, 1, 0, 0, 0, 0, s.From.Location())
	y, m, _ = s.Until.Add(-1).Date()
	return from, time.Date(y, m+1, 1, 0, 0, 0, 0, s.From.Location())
}
