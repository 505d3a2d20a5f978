package server

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/engine"
)

// anything is the value that every value fits.
const anything = "*"

// truth is what is known of a condition: a scope alone may leave it open.
type truth int8

const (
	no truth = iota
	open
	yes
)

func truthOf(is bool) truth {
	if is {
		return yes
	}
	return no
}

// fields gives the values of a memory. Known is false for one that cannot be told yet.
type fields func(name string) (value any, known bool)

// condition is a part of a filter.
type condition func(fields) truth

// filter is a parsed filter: AND, OR and NOT over comparisons of fields.
type filter struct {
	holds condition
	names map[string]bool // fields that it asks for
}

// Limits of a filter.
const (
	filterDepth = 8
	filterParts = 500
)

// parseFilter reads a filter as mem0's clients send it. An empty one holds for
// everything.
func parseFilter(m map[string]any) (filter, error) {
	p := &filterParser{names: map[string]bool{}}
	c, err := p.all(m, 0)
	return filter{c, p.names}, err
}

type filterParser struct {
	names map[string]bool
	parts int
}

// all is the condition that everything in a map holds.
func (p *filterParser) all(m map[string]any, depth int) (condition, error) {
	if p.parts += len(m); depth > filterDepth || p.parts > filterParts {
		return nil, daybook.Errorf(daybook.Invalid, "filters: too many conditions, or too deep")
	}
	var parts []condition
	for _, name := range slices.Sorted(maps.Keys(m)) {
		c, err := p.one(name, m[name], depth)
		if err != nil {
			return nil, err
		}
		parts = append(parts, c)
	}
	return every(parts), nil
}

func (p *filterParser) one(name string, value any, depth int) (condition, error) {
	switch strings.ToUpper(name) {
	case "AND", "OR", "NOT":
		parts, err := p.list(name, value, depth)
		if err != nil {
			return nil, err
		}
		switch strings.ToUpper(name) {
		case "AND":
			return every(parts), nil
		case "OR":
			return some(parts), nil
		}
		return not(some(parts)), nil
	}
	if nested, ok := value.(map[string]any); ok && name == "metadata" {
		return p.all(nested, depth+1)
	}
	p.names[name] = true
	return p.field(name, value)
}

// list are the parts of AND, OR and NOT: a list of maps, or one map.
func (p *filterParser) list(name string, value any, depth int) (parts []condition, err error) {
	all, isList := value.([]any)
	if !isList {
		all = []any{value}
	}
	for _, v := range all {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, daybook.Errorf(daybook.Invalid, "filters: %s takes conditions", name)
		}
		c, err := p.all(m, depth+1)
		if err != nil {
			return nil, err
		}
		parts = append(parts, c)
	}
	return parts, nil
}

// field is a condition on one field: a value, a list of values, or comparisons.
func (p *filterParser) field(name string, value any) (condition, error) {
	switch v := value.(type) {
	case map[string]any:
		var parts []condition
		for _, op := range slices.Sorted(maps.Keys(v)) {
			if p.parts++; p.parts > filterParts {
				return nil, daybook.Errorf(daybook.Invalid, "filters: too many conditions")
			}
			c, err := comparison(name, op, v[op])
			if err != nil {
				return nil, err
			}
			parts = append(parts, c)
		}
		return every(parts), nil
	case []any:
		return comparison(name, "in", v)
	}
	return comparison(name, "eq", value)
}

func every(parts []condition) condition {
	return func(f fields) truth {
		t := yes
		for _, c := range parts {
			t = min(t, c(f))
		}
		return t
	}
}

func some(parts []condition) condition {
	return func(f fields) truth {
		t := no
		for _, c := range parts {
			t = max(t, c(f))
		}
		return t
	}
}

func not(c condition) condition { return func(f fields) truth { return yes - c(f) } }

// comparison is a field compared with a value.
func comparison(name, op string, want any) (condition, error) {
	is, err := operator(strings.ToLower(op), want)
	if err != nil {
		return nil, err
	}
	if is == nil {
		return nil, daybook.Errorf(daybook.Invalid, "filters: %q of %q is not one of eq, ne, gt, gte, lt, lte, in, nin, contains, icontains", op, name)
	}
	return func(f fields) truth {
		got, known := f(name)
		if !known {
			return open
		}
		return truthOf(is(got))
	}, nil
}

// operator is what a comparison does; nil for an operator that there is not.
func operator(op string, want any) (func(any) bool, error) {
	list, isList := want.([]any)
	if (op == "in" || op == "nin") && !isList {
		return nil, daybook.Errorf(daybook.Invalid, "filters: %q takes a list", op)
	}
	switch op {
	case "eq":
		return func(got any) bool { return equal(got, want) }, nil
	case "ne":
		return func(got any) bool { return !equal(got, want) }, nil
	case "in":
		return func(got any) bool { return slices.ContainsFunc(list, func(w any) bool { return equal(got, w) }) }, nil
	case "nin":
		return func(got any) bool { return !slices.ContainsFunc(list, func(w any) bool { return equal(got, w) }) }, nil
	case "contains", "icontains":
		fold := op == "icontains"
		return func(got any) bool { return contains(got, want, fold) }, nil
	case "gt", "gte", "lt", "lte":
		return func(got any) bool {
			c, ok := compare(got, want, op == "gt" || op == "lte")
			return ok && (c > 0 && op[0] == 'g' || c < 0 && op[0] == 'l' || c == 0 && len(op) == 3)
		}, nil
	}
	return nil, nil
}

// equal compares as people mean it: a list is equal to each of its values, a time to
// the day that holds it, "*" to everything that is there.
func equal(got, want any) bool {
	if want == anything {
		return got != nil && got != ""
	}
	switch g := got.(type) {
	case []any:
		return slices.ContainsFunc(g, func(v any) bool { return equal(v, want) })
	case time.Time:
		from, ok := compare(g, want, false)
		until, _ := compare(g, want, true)
		return ok && from >= 0 && until <= 0
	case string, bool, float64, nil:
		return g == want
	}
	return false
}

func contains(got, want any, fold bool) bool {
	part, ok := want.(string)
	if !ok {
		return equal(got, want)
	}
	switch g := got.(type) {
	case string:
		if fold {
			return strings.Contains(strings.ToLower(g), strings.ToLower(part))
		}
		return strings.Contains(g, part)
	case []any:
		return slices.ContainsFunc(g, func(v any) bool {
			s, ok := v.(string)
			return ok && (s == part || fold && strings.EqualFold(s, part))
		})
	}
	return false
}

// compare orders two values of one sort: numbers, texts, times. A coarse time stands for its
// first instant, or for its last one.
func compare(got, want any, last bool) (int, bool) {
	switch g := got.(type) {
	case float64:
		w, ok := want.(float64)
		return cmp.Compare(g, w), ok
	case string:
		w, ok := want.(string)
		return strings.Compare(g, w), ok
	case time.Time:
		w, ok := timeOf(want, last)
		return g.Compare(w), ok
	}
	return 0, false
}

func timeOf(v any, last bool) (time.Time, bool) {
	switch v := v.(type) {
	case float64:
		if v < -1e11 || v > 1e11 {
			return time.Time{}, false
		}
		return time.UnixMicro(int64(v * 1e6)), true
	case string:
		if last {
			t, err := daybook.ParseAsOf(v)
			return t, err == nil
		}
		t, _, err := daybook.ParseTime(v)
		return t, err == nil
	}
	return time.Time{}, false
}

// scopeFields are the fields that a scope alone settles.
func scopeFields(scope daybook.Scope) fields {
	return func(name string) (any, bool) {
		switch name {
		case "user_id":
			return scope.User, true
		case "agent_id":
			return scope.Agent, true
		}
		return nil, false
	}
}

// noteFields are the fields of a note of a scope; what is none of ours is looked up in its
// metadata.
func noteFields(scope daybook.Scope, n daybook.Note) fields {
	ofScope := scopeFields(scope)
	return func(name string) (any, bool) {
		if v, known := ofScope(name); known {
			return v, true
		}
		switch name {
		case "run_id", "session_id":
			return n.Session, true
		case "id", "memory_id":
			return memoryID(scope, n), true
		case "memory", "text", "keywords":
			return n.Text, true
		case "speaker":
			return n.Speaker, true
		case "created_at", "updated_at", "timestamp":
			return n.Time, true
		}
		return n.Metadata[name], true
	}
}

// listedFields are the fields of a note that was not read, where a filter is listable.
func listedFields(scope daybook.Scope, n engine.Listed) fields {
	ofScope := scopeFields(scope)
	return func(name string) (any, bool) {
		switch name {
		case "run_id", "session_id":
			return n.Session, true
		case "created_at", "updated_at", "timestamp":
			return n.Time, true
		}
		return ofScope(name)
	}
}

// listable reports whether listedFields has all that the filter asks for.
func (f filter) listable() bool {
	known := listedFields(daybook.Scope{}, engine.Listed{})
	for name := range f.names {
		if _, ok := known(name); !ok {
			return false
		}
	}
	return true
}

// scoped reports whether the filter says whose memories are meant.
func (f filter) scoped() bool {
	for _, name := range []string{"user_id", "agent_id", "run_id", "session_id", appKey} {
		if f.names[name] {
			return true
		}
	}
	return false
}

// narrow reports whether the filter asks for more than a scope.
func (f filter) narrow() bool {
	for name := range f.names {
		if name != "user_id" && name != "agent_id" {
			return true
		}
	}
	return false
}
