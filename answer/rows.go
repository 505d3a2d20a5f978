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
	out := &Resolved{Question: *r.q, Contested: r.clash, Known: r.known}
	for _, c := range r.timeline {
		out.Timeline = append(out.Timeline, *c.Claim)
	}
	for _, c := range r.asked {
		out.Asked = append(out.Asked, *c.Claim)
	}
	type placed struct {
		Row
		class int
		when  int64
	}
	var rows []placed
	for i := range r.all {
		row, class := r.row(&r.all[i])
		rows = append(rows, placed{row, class, row.Time.UnixNano()})
	}
	daybook.Sort(rows, func(a, b placed) int {
		if a.class != b.class {
			return cmp.Compare(a.class, b.class)
		}
		if a.class < classRest {
			return cmp.Compare(b.when, a.when)
		}
		return cmp.Compare(b.Score, a.Score)
	})
	for _, p := range rows {
		out.Rows = append(out.Rows, p.Row)
	}
	return out
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
	row, class := Row{Note: e.Note, Score: e.Score}, classRest
	best := r.best()
	for i := range r.claims {
		c := &r.claims[i]
		if c.Note != e.ID || c.role == "" {
			continue
		}
		at := r.classOf(c, best)
		if at < class || row.Role == "" {
			class = min(class, at)
			row.Role, row.Reason, row.Value, row.State = c.role, c.reason, c.Object, at < classRest
		}
	}
	if row.Role == "" {
		row.Role, row.Reason = r.restRole(e)
	}
	return row, r.neutral(class)
}

// neutral leaves the order to recall where no state is asked for.
func (r *resolver) neutral(class int) int {
	if r.q.View == daybook.Neutral && r.q.Intent != WantsReason && r.q.Intent != WantsChanged {
		return classRest
	}
	return class
}

func (r *resolver) classOf(c *told, best float64) int {
	switch {
	case slices.ContainsFunc(r.asked, func(a *told) bool { return a.Claim == c.Claim }):
		return classAsked
	case slices.ContainsFunc(r.timeline, func(a *told) bool { return a.Claim == c.Claim }):
		return classState
	case c.group >= groupShare*best && c.group >= groupLeast:
		return classAside
	}
	return classRest
}

// restRole is the role of a row that says nothing of the asked state: that of its
// own state in the ledger, and aside where it speaks of somebody else.
func (r *resolver) restRole(e *Evidence) (daybook.Role, string) {
	if e.Role == daybook.RoleCurrent && r.q.Subject != "" && !SameName(e.Speaker, r.q.Subject) {
		return daybook.RoleAside, "of " + e.Speaker
	}
	if e.Role != "" {
		return e.Role, "by the ledger"
	}
	return "", ""
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
