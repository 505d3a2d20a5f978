package xpath

import (
	"strconv"
	"strings"
	"time"
)

// String writes the query in canonical form; Parse reads it back to an equal one.
func (q Query) String() string {
	var out strings.Builder
	if q.Group != nil {
		out.WriteString("(" + q.Group.Query.String() + ")" + q.Group.At.String())
	}
	for _, s := range q.Steps {
		out.WriteString(s.String())
	}
	return out.String()
}

// String writes the step in canonical form.
func (s Step) String() string {
	var out strings.Builder
	out.WriteByte('/')
	if s.Descend {
		out.WriteByte('/')
	}
	out.WriteString(s.Type)
	if !s.AsOf.IsZero() {
		out.WriteString("[as-of " + quote(s.AsOf.UTC().Format(time.RFC3339Nano)) + "]")
	}
	out.WriteString(s.At.String())
	if s.Pred != nil {
		out.WriteString("[" + unbracket(s.Pred) + "]")
	}
	if s.Shift != 0 {
		sign := ""
		if s.Shift > 0 {
			sign = "+"
		}
		out.WriteString("[@" + sign + strconv.Itoa(s.Shift) + "]")
	}
	return out.String()
}

// String writes [i], [i:j] or [i:], and nothing for everything.
func (r Range) String() string {
	switch {
	case r.IsAll():
		return ""
	case r.To == 0:
		return "[" + strconv.Itoa(r.From) + ":]"
	case r.From == r.To:
		return "[" + strconv.Itoa(r.From) + "]"
	}
	return "[" + strconv.Itoa(r.From) + ":" + strconv.Itoa(r.To) + "]"
}

func (l Local) String() string { return "[" + unbracket(l) + "]" }
func (e Exact) String() string { return "[" + unbracket(e) + "]" }
func (n Not) String() string   { return "(1-" + n.P.String() + ")" }
func (a Agg) String() string   { return string(a.By) + "(" + a.Step.String() + ")" }

func (j Join) String() string {
	parts := make([]string, len(j.Parts))
	for i, p := range j.Parts {
		parts[i] = p.String()
	}
	switch j.By {
	case Product:
		return "(" + strings.Join(parts, "*") + ")"
	case Avg:
		return "(" + strings.Join(parts, "+") + ")/2"
	}
	return string(j.By) + "(" + strings.Join(parts, ",") + ")"
}

// unbracket writes a predicate that stands alone between a step's brackets.
func unbracket(p Pred) string {
	switch p := p.(type) {
	case Local:
		return p.Attr + "~=" + quote(p.Text)
	case Exact:
		return "@" + p.Attr + "=" + quote(p.Text)
	case Not:
		return "1-" + p.P.String()
	case Join:
		if text := p.String(); p.By == Product {
			return text[1 : len(text)-1]
		}
	}
	return p.String()
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func quote(s string) string { return `"` + escape.Replace(s) + `"` }
