package answer

import (
	"cmp"
	"slices"
	"strings"

	"daybook"
)

// resolved puts the rows in order: what is asked for, the other values of the
// state, what was said of it without holding, and then the rest by score.
func (r *resolver) resolved() *Resolved {
	out := &Resolved{Question: *r.q, Contested: r.clash, Known: r.known, Match: r.match}
	for _, c := range r.timeline {
		c.Sure = c.sure()
		out.Timeline = append(out.Timeline, *c.Claim)
	}
	for _, c := range r.asked {
		out.Asked = append(out.Asked, *c.Claim)
	}
	if r.doubted != nil {
		out.Doubt = r.doubted.Claim
	}
	if r.stopped != nil {
		out.Stopped, out.Gone = r.stopped.Claim, r.gone
	}
	if r.ended != nil {
		out.Over, out.OverWhy = r.ended.Claim, r.ended.over
	}
	classes := make([]int, len(r.all))
	for i := range r.all {
		var row Row
		row, classes[i] = r.row(&r.all[i])
		out.Rows = append(out.Rows, row)
	}
	if out.Stands = stands(out); out.Stands {
		out.Rows = inOrder(out.Rows, classes, out.Match < surelyMatch)
	}
	if r.q.View == daybook.Current || r.q.View == daybook.Neutral {
		labelRetold(out.Rows)
	}
	return out
}

// inOrder puts rows in the order of their classes: of the asked state the latest
// first, the rest as recall has it. Where it is less sure, only what is asked for
// moves, to the place of the first row of its state.
func inOrder(rows []Row, classes []int, unsure bool) []Row {
	order, first := make([]int, len(rows)), 0
	for i := range order {
		order[i] = i
	}
	if unsure {
		first = max(0, slices.IndexFunc(classes, func(c int) bool { return c <= classState }))
	}
	slices.SortStableFunc(order[first:], func(a, b int) int {
		x, y := classes[a], classes[b]
		if unsure {
			x, y = min(x, classState), min(y, classState)
		} else if x == y && x < classRest {
			return rows[b].Time.Compare(rows[a].Time)
		}
		return cmp.Compare(x, y)
	})
	sorted := make([]Row, len(rows))
	for i, at := range order {
		sorted[i] = rows[at]
	}
	return sorted
}

// Classes of rows, in the order in which they are shown.
const (
	classAsked = iota
	classState // another value of the asked state
	classAside // said of it, without holding
	classRest
)

// row is a note with the role of what it says of the asked state, or else of the
// likeliest thing that it says.
func (r *resolver) row(e *Evidence) (Row, int) {
	row, class := Row{Note: e.Note, Score: e.Score, Outdated: e.Outdated, Heir: e.Heir}, classRest
	for i := range r.claims {
		c := &r.claims[i]
		if c.Note != e.ID || c.role == "" {
			continue
		}
		at := r.classOf(c)
		if at < class || row.Role == "" {
			class = min(class, at)
			row.Role, row.Reason, row.Value, row.State = c.role, c.reason, c.Object, at < classRest
		}
	}
	if row.Role == "" || row.Role == daybook.RoleAside && e.Role == daybook.RoleHistorical && len(e.Outdated) > 0 {
		row.Role, row.Reason = e.Role, e.Reason // of its own state in the ledger
	}
	return row, class
}

// tellsAside is how likely a claim that does not hold must speak of what is asked to
// count as said of the asked state.
const tellsAside = 0.5

func (r *resolver) classOf(c *told) int {
	switch {
	case slices.ContainsFunc(r.asked, func(a *told) bool { return a.Claim == c.Claim }), r.q.View == daybook.Current && c == r.doubted:
		return classAsked
	case slices.ContainsFunc(r.timeline, func(a *told) bool { return a.Claim == c.Claim }):
		return classState
	case c.group >= inGroup, !c.asserted() && c.speaks >= tellsAside:
		return classAside
	}
	return classRest
}

// SameName reports whether two names are of one person: the same, or one the
// first or last part of the other.
func SameName(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a) < len(b) {
		a, b = b, a
	}
	if b == "" {
		return false
	}
	return a == b || strings.HasPrefix(a, b+" ") || strings.HasSuffix(a, " "+b) && !strings.Contains(a, "'s")
}
