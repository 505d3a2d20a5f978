package tree

import (
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/timex"
	"daybook/xpath"
)

// dated is a node that an attribute gives a day.
type dated struct {
	typ, attr, text string
	day             time.Time
}

// dates lists the days that attributes of the tree's nodes name in full.
func (r *reading) dates() (all []dated) {
	walk(r.h.Current().Root(), func(n *Node) {
		for _, a := range n.Attrs {
			if day, err := time.Parse(time.DateOnly, a[1]); err == nil {
				all = append(all, dated{n.Type, a[0], a[1], day})
			}
		}
	})
	return all
}

// findDates reads the days that a request speaks of, where nodes of the tree have
// days: May 2, 2026-05-02, tomorrow. A day that no node has is Invalid, and so is
// one that is counted from another.
func (r *reading) findDates(text string, now time.Time) error {
	all := r.dates()
	if len(all) == 0 || r.intent == Add {
		return nil
	}
	now, near := now.UTC(), timex.Find(text, all[0].day)
	for _, x := range timex.Find(text, now) {
		first, last := r.wordsIn(x.Start, x.End)
		if first < 0 || r.settingAt(first) || x.Kind != timex.Date || !x.Resolved || x.Span.Until.Sub(x.Span.From) != 24*time.Hour {
			continue
		}
		if first > 0 && slices.Contains([]string{"before", "after", "since", "until", "from", "by"}, r.words[first-1].Norm) {
			return daybook.Errorf(daybook.Invalid, "the request is not understood: it counts from %s, and templates do not count with dates; name the day itself", x.Text)
		}
		d, ok := r.onDay(all, x, near)
		if !ok {
			return daybook.Errorf(daybook.Invalid, "the request is not understood: no node of the tree has the date %s (%q)", x.Span.From.Format(time.DateOnly), x.Text)
		}
		r.take(first, last+1)
		m := mention{typ: d.typ, first: first, last: last, step: xpath.Step{Pred: xpath.Exact{Attr: d.attr, Text: d.text}}}
		r.mentions = append(r.mentions, m)
	}
	return nil
}

// onDay finds what has the day of an expression. One that names day and month
// without a year means the same whenever it is said, and then the tree's year counts.
func (r *reading) onDay(all []dated, x timex.Expr, near []timex.Expr) (dated, bool) {
	days := []time.Time{x.Span.From}
	i := slices.IndexFunc(near, func(n timex.Expr) bool { return n.Start == x.Start && n.End == x.End })
	if i >= 0 && near[i].Span.From.Format("01-02") == x.Span.From.Format("01-02") {
		days = append(days, near[i].Span.From)
	}
	for _, day := range days {
		for _, d := range all {
			if d.day.Format(time.DateOnly) == day.Format(time.DateOnly) {
				return d, true
			}
		}
	}
	return dated{}, false
}

// wordsIn returns the first and the last word within some bytes of the request; -1
// for none.
func (r *reading) wordsIn(start, end int) (first, last int) {
	first = slices.IndexFunc(r.words, func(w word) bool { return w.Start >= start })
	if first < 0 {
		return -1, -1
	}
	for last = first; last+1 < len(r.words) && r.words[last+1].End <= end; {
		last++
	}
	return first, last
}

// settingAt reports whether a word stands in what an update sets: "change the date
// to May 3".
func (r *reading) settingAt(i int) bool {
	return r.intent == Update && slices.ContainsFunc(r.words[max(r.verb, 0):i], func(w word) bool { return w.Norm == "to" })
}

// shifted reads "the day after …", "the stop before …": the brother of what the
// words describe.
func (r *reading) shifted(target *mention) int {
	if target == nil || target.plural {
		return 0
	}
	i := target.last + 1
	if i < len(r.words) && strings.HasPrefix(r.words[i].Tag, "V") {
		i++ // which stop comes after …
	}
	if i+1 >= len(r.words) || r.words[i].taken {
		return 0
	}
	by, next := map[string]int{"after": 1, "before": -1}[r.words[i].Norm], r.words[i+1]
	if by == 0 || next.Tag != "DT" && !strings.HasPrefix(next.Tag, "NN") {
		return 0
	}
	r.take(target.last+1, i+1)
	return by
}
