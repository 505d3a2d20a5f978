package timex

import (
	"time"

	"daybook"
)

// Kind says what an expression of time is.
type Kind string

// The kinds of expression.
const (
	Date      Kind = "date"      // a day, or a longer calendar unit: "yesterday", "May 2023", "last week"
	Time      Kind = "time"      // finer than a day: "3pm", "tomorrow morning"
	Range     Kind = "range"     // from one time to another, or open at one end: "since 2016"
	Length    Kind = "duration"  // how long, not when: "for three years"
	Frequency Kind = "frequency" // how often: "every Tuesday"
)

// Expr is an expression of time found in a text.
type Expr struct {
	Start, End int // bytes of the text
	Text       string
	Kind       Kind
	// Span is the time meant; zero for a duration, a frequency and where the
	// words cannot be resolved at all. A range open at one end has a zero
	// there.
	Span daybook.Span
	// At is the one instant the words point to where they are finer than the
	// span says: for "two years ago" the day, for "around noon" noon. It is
	// zero where they are not.
	At time.Time
	// Duration is set for a duration, and for a range given by its length.
	Duration Duration
	// Unit is the unit of a frequency: "week" for "twice a week".
	Unit string
	// Resolved says that Span is what the words mean. It is false for "my
	// birthday last year" (Span is that year) and "the day we met" (no span).
	Resolved bool
	// Approx says that the words are vague: "around noon", "a few days ago".
	Approx bool
}

// Duration is a length of time as a calendar counts it.
type Duration struct {
	Years, Months, Weeks, Days, Hours, Minutes, Seconds int
}

// From returns the time that lies the duration after t.
func (d Duration) From(t time.Time) time.Time { return d.move(t, 1) }

// Before returns the time that lies the duration before t.
func (d Duration) Before(t time.Time) time.Time { return d.move(t, -1) }

func (d Duration) move(t time.Time, sign int) time.Time {
	t = addMonths(t, sign*(12*d.Years+d.Months)).AddDate(0, 0, sign*(7*d.Weeks+d.Days))
	return t.Add(time.Duration(sign) * (time.Duration(d.Hours)*time.Hour + time.Duration(d.Minutes)*time.Minute +
		time.Duration(d.Seconds)*time.Second))
}

// IsZero reports whether the duration is none.
func (d Duration) IsZero() bool { return d == Duration{} }

// Find returns the expressions of time in text, in order and without overlap,
// resolved against ref. It is deterministic and safe for use by many at once.
func Find(text string, ref time.Time) []Expr {
	if y := ref.Year(); y < 1 || y > 9999 {
		return nil
	}
	p := &parser{text: text, toks: scan(text), ref: ref, today: midnight(ref)}
	p.dates = make([]*node, len(p.toks)+1)
	var found []Expr
	for i := 0; i < len(p.toks); {
		if !p.leads(i) {
			i++
			continue
		}
		n, ok := p.expression(i)
		if !ok || n.end <= i || p.refused(n) {
			i++
			continue
		}
		if e, ok := p.expr(n); ok {
			found = append(found, e)
		}
		i = n.end
	}
	return found
}

// parser reads one text. Its rules take the index of a token and return what
// they read from there on; a rule that fails has read nothing.
type parser struct {
	text  string
	toks  []token
	ref   time.Time
	today time.Time
	dates []*node // what date read at a token, so that nested rules stay linear
	depth int
}

// node is what a rule read.
type node struct {
	start, end int // tokens
	kind       Kind
	span       daybook.Span
	at         time.Time
	dur        Duration
	unit       unit
	approx     bool
	unresolved bool
	open       opening
	float      float // what it was resolved by, where the words left something open
}

// opening says which end of a range is open.
type opening byte

const (
	closed  opening = iota
	noEnd           // since
	noStart         // until
)

// float is a date as far as the words give it, so that a later word ("… to 5
// June 2024") can resolve it again.
type float struct {
	year    int
	month   time.Month
	day     int
	weekday bool // by its weekday alone
	clock   bool // a clock time without a day
}

func (p *parser) expr(n node) (Expr, bool) {
	if n.open == noEnd {
		n.span.Until = time.Time{}
	}
	if n.open == noStart {
		n.span.From = time.Time{}
	}
	if n.span.Validate() != nil {
		return Expr{}, false
	}
	first, last := p.toks[n.start], p.toks[n.end-1]
	e := Expr{Start: first.start, End: last.end, Text: p.text[first.start:last.end], Kind: n.kind,
		Span: n.span, At: n.at, Duration: n.dur, Resolved: !n.unresolved, Approx: n.approx}
	if n.kind == Frequency && n.unit != noUnit {
		e.Unit = n.unit.String()
	}
	return e, true
}

// expression reads the longest expression of any kind.
func (p *parser) expression(i int) (node, bool) {
	return longest(p, i, []rule{
		(*parser).moment, (*parser).between, (*parser).open, (*parser).frequency, (*parser).length,
		(*parser).lengthFrom, (*parser).unresolved,
	})
}

type rule func(*parser, int) (node, bool)

// longest tries all rules and keeps what read most; of equals the first.
func longest(p *parser, i int, rules []rule) (node, bool) {
	var best node
	for _, r := range rules {
		if n, ok := r(p, i); ok && n.end > best.end {
			n.start = i
			best = n
		}
	}
	return best, best.end > i
}

// tok returns the token with that number; beyond the text it is an empty mark.
func (p *parser) tok(i int) *token {
	if i < 0 || i >= len(p.toks) {
		return &nothing
	}
	return &p.toks[i]
}

var nothing = token{kind: mark}

// is reports whether token i is one of the words. It is not copied into each of its
// hundreds of callers.
//
//go:noinline
func (p *parser) is(i int, words ...string) bool {
	t := p.tok(i).text
	for _, w := range words {
		if t == w {
			return true
		}
	}
	return false
}

// skip returns the index after token i if it is one of the words, or i.
func (p *parser) skip(i int, words ...string) int {
	if i < len(p.toks) && p.is(i, words...) {
		return i + 1
	}
	return i
}

// seq reports whether the tokens from i on are these words, and the index after
// them.
func (p *parser) seq(i int, words ...string) (int, bool) {
	for k, w := range words {
		if p.tok(i+k).text != w {
			return i, false
		}
	}
	return i + len(words), true
}
