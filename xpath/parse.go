package xpath

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"daybook"
)

// Limits on a query. They are far above what a person or a model writes, and keep
// the parser's recursion shallow.
const (
	MaxBytes = 8 << 10
	MaxDepth = 100
)

// SyntaxError says where a query is wrong and what was expected there.
type SyntaxError struct {
	Query string
	At    int // byte; the length of the query when it ends too early
	Want  string
}

func (e *SyntaxError) Error() string {
	found := "the query ends there"
	if e.At < len(e.Query) {
		r, _ := utf8.DecodeRuneInString(e.Query[e.At:])
		found = fmt.Sprintf("found %q", r)
	}
	return fmt.Sprintf("query, byte %d: %s; %s", e.At, e.Want, found)
}

// Parse reads a query. Its errors are Invalid and hold a *SyntaxError.
func Parse(text string) (q Query, err error) {
	p := &parser{text: text}
	defer func() {
		switch wrong := recover().(type) {
		case nil:
		case *SyntaxError:
			q, err = Query{}, daybook.Errorf(daybook.Invalid, "%w", wrong)
		default:
			panic(wrong)
		}
	}()
	if len(text) > MaxBytes {
		p.failAt(MaxBytes, "a query has at most %d bytes, and this one has %d", MaxBytes, len(text))
	}
	if bad := strings.IndexRune(text, utf8.RuneError); bad >= 0 && !utf8.ValidString(text) {
		p.failAt(bad, "expected valid UTF-8")
	}
	q = p.query()
	if p.blanks(); p.at < len(text) {
		p.fail("expected '/' or '//'")
	}
	return q, nil
}

// parser reads from left to right and gives up, by panicking with a *SyntaxError,
// at the first thing that cannot be right.
type parser struct {
	text  string
	at    int
	depth int
}

func (p *parser) fail(format string, args ...any) { p.failAt(p.at, format, args...) }

func (p *parser) failAt(at int, format string, args ...any) {
	panic(&SyntaxError{Query: p.text, At: at, Want: fmt.Sprintf(format, args...)})
}

// deeper counts a nesting; the caller defers what it returns.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > MaxDepth {
		p.fail("a query is nested at most %d deep", MaxDepth)
	}
	return func() { p.depth-- }
}

func (p *parser) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// sees reports whether the text goes on with s, blanks before it left out.
func (p *parser) sees(s string) bool {
	p.blanks()
	return strings.HasPrefix(p.text[p.at:], s)
}

// takes is sees, and moves past s.
func (p *parser) takes(s string) bool {
	if !p.sees(s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *parser) need(s, want string) {
	if !p.takes(s) {
		p.fail("expected %s", want)
	}
}

// query reads ( query )[i] if it is there, and steps.
func (p *parser) query() Query {
	var q Query
	if p.takes("(") {
		q.Group = p.group()
	}
	for p.sees("/") {
		q.Steps = append(q.Steps, p.step())
	}
	return q
}

func (p *parser) group() *Group {
	defer p.deeper()()
	inner := p.query()
	if inner.Group == nil && len(inner.Steps) == 0 {
		p.fail("expected '/' or '//'")
	}
	p.need(")", "')'")
	p.need("[", "'[' and a position")
	at, ok := p.position()
	if !ok {
		p.fail("expected a position")
	}
	return &Group{Query: inner, At: at}
}

func (p *parser) step() Step {
	s := Step{Descend: p.takes("//")}
	if !s.Descend {
		p.need("/", "'/' or '//'")
	}
	if s.Type = p.name(); s.Type == "" {
		if s.Type = Any; !p.takes(Any) {
			p.fail("expected a node type or '*'")
		}
	}
	for p.sees("[") {
		p.bracket(&s)
	}
	return s
}

// bracket reads one bracket of a step: as-of, position, predicate, shift.
func (p *parser) bracket(s *Step) {
	open := p.at
	p.at++
	if s.AsOf.IsZero() && p.asOf(s) {
		return
	}
	if s.Shift == 0 && p.shift(s) {
		return
	}
	if s.Pred != nil || s.Shift != 0 {
		p.failAt(open, "a step takes one position and then one predicate")
	}
	if s.At.IsAll() {
		if at, ok := p.position(); ok {
			s.At = at
			return
		}
	}
	if p.sees("]") || p.sees(":") {
		p.fail("expected a position or a predicate")
	}
	s.Pred = p.pred()
	p.need("]", "']'")
}

func (p *parser) asOf(s *Step) bool {
	start := p.at
	if p.blanks(); p.name() != "as-of" || !p.sees(`"`) {
		p.at = start
		return false
	}
	at := p.at
	when, err := daybook.ParseAsOf(p.quoted(false))
	if err != nil || when.IsZero() {
		p.failAt(at, "expected a time, such as \"2026-05-01\"")
	}
	s.AsOf = when
	p.need("]", "']'")
	return true
}

func (p *parser) shift(s *Step) bool {
	start := p.at
	if !p.takes("@") || !p.sees("+") && !p.sees("-") {
		p.at = start
		return false
	}
	sign := 1
	if p.text[p.at] == '-' {
		sign = -1
	}
	p.at++
	n, ok := p.number()
	if !ok {
		p.fail("expected how many places")
	}
	s.Shift = sign * n
	p.need("]", "']'")
	return true
}

// position reads the rest of [i], [-i], [i:j] or [i:], closing bracket included.
// It returns false, and reads nothing, where a predicate stands instead.
func (p *parser) position() (Range, bool) {
	start := p.at
	from, ok := p.ordinal()
	if !ok {
		p.at = start
		return Range{}, false
	}
	switch {
	case p.takes("]"):
		return Range{from, from}, true
	case p.takes(":"):
		return p.rangeFrom(from), true
	case from == 1 && p.sees("-"): // 1-P
		p.at = start
		return Range{}, false
	case from > 1 && p.sees("-"):
		p.failAt(start, "expected a predicate: only 1-P can be subtracted from")
	case p.sees("."):
		p.fail("a position is a whole number")
	}
	p.fail("expected ']', ':' or '-'")
	return Range{}, false
}

func (p *parser) rangeFrom(from int) Range {
	if p.sees("]") {
		if from == 1 { // it would say nothing, so something was left out
			p.fail("expected the end of the range: [1:] alone leaves nothing out")
		}
		p.at++
		return Range{From: from}
	}
	to, ok := p.ordinal()
	if !ok {
		p.fail("expected the end of the range")
	}
	p.need("]", "']'")
	return Range{from, to}
}

// ordinal reads a number that counts from 1, or from the end.
func (p *parser) ordinal() (int, bool) {
	sign := 1
	if p.takes("-") {
		sign = -1
	}
	n, ok := p.number()
	return sign * n, ok
}

func (p *parser) number() (int, bool) {
	p.blanks()
	start, n := p.at, 0
	for ; p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9'; p.at++ {
		if n = n*10 + int(p.text[p.at]-'0'); n > 1e9 {
			p.failAt(start, "a position is at most a billion")
		}
	}
	if p.at == start {
		return 0, false
	}
	if n == 0 {
		p.failAt(start, "positions start at 1")
	}
	return n, true
}

// pred reads 1-P or a product. 1-a*b is 1-(a*b).
func (p *parser) pred() Pred {
	defer p.deeper()()
	start := p.at
	if p.takes("1") {
		if p.takes("-") {
			return Not{p.pred()}
		}
		p.at = start
	}
	parts := []Pred{p.factor()}
	for p.takes("*") || p.takes("·") {
		parts = append(parts, p.factor())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return Join{Product, parts}
}

func (p *parser) factor() Pred {
	switch {
	case p.takes("["):
		inner := p.pred()
		p.need("]", "']'")
		return inner
	case p.takes("("):
		return p.paren()
	case p.takes("@"):
		return p.exact()
	}
	start := p.at
	switch name := p.name(); {
	case name == "":
		p.fail("expected a predicate")
	case p.takes("("):
		return p.function(start, Op(name))
	default:
		return p.local(name)
	}
	return nil
}

// paren reads the rest of (P) or (P+P)/2.
func (p *parser) paren() Pred {
	first := p.pred()
	if !p.takes("+") {
		p.need(")", "')' or '+'")
		return first
	}
	second := p.pred()
	p.need(")", "')'")
	p.need("/", "'/2' after a sum")
	p.need("2", "'2'")
	return Join{Avg, []Pred{first, second}}
}

func (p *parser) exact() Pred {
	name := p.name()
	if name == "" {
		p.fail("expected the name of an attribute")
	}
	if p.sees("~") {
		return p.local(name)
	}
	p.need("=", "'='")
	return Exact{name, p.quoted(true)}
}

func (p *parser) local(name string) Pred {
	p.need("~", "'~='")
	if p.at < len(p.text) && p.text[p.at] == '=' {
		p.at++
	}
	return Local{name, p.quoted(false)}
}

// function reads the rest of an aggregation or of min, max and avg of predicates.
func (p *parser) function(start int, by Op) Pred {
	defer p.deeper()()
	if by != Avg && by != Min && by != Max && by != GMean {
		p.failAt(start, "unknown function %q, expected avg, min, max or gmean", string(by))
	}
	if p.sees("/") {
		inner := p.step()
		if p.sees("/") {
			p.fail("an aggregation takes one step")
		}
		p.need(")", "')'")
		return Agg{by, inner}
	}
	if p.startsPred(by) {
		return p.joined(by)
	}
	p.fail("expected a step ('/' or '//')")
	return nil
}

// startsPred tells min([a],[b]) from avg(POI[…]), in which a slash is missing.
func (p *parser) startsPred(by Op) bool {
	if by == GMean || p.sees(")") {
		return false
	}
	if p.sees("[") || p.sees("(") || p.sees("@") || p.sees("1") {
		return true
	}
	start := p.at
	named := p.name() != "" && (p.sees("~") || p.sees("("))
	p.at = start
	return named
}

func (p *parser) joined(by Op) Pred {
	parts := []Pred{p.pred()}
	for len(parts) < 2 || p.sees(",") {
		p.need(",", "','")
		parts = append(parts, p.pred())
	}
	if by == Avg && len(parts) > 2 {
		p.fail("the average is that of two predicates")
	}
	p.need(")", "')'")
	return Join{by, parts}
}

// name reads a type or an attribute: a letter or underscore, then letters,
// digits, underscores, hyphens and dots. It returns "" where there is none.
func (p *parser) name() string {
	p.blanks()
	start := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		first := r == '_' || unicode.IsLetter(r)
		if !first && (p.at == start || r != '-' && r != '.' && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)) {
			break
		}
		p.at += size
	}
	return p.text[start:p.at]
}

// quoted reads a string in double quotes, in which \" and \\ are escapes.
func (p *parser) quoted(mayBeEmpty bool) string {
	p.blanks()
	start := p.at
	if !p.takes(`"`) {
		p.fail("expected a string in double quotes")
	}
	var out strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			if out.Len() == 0 && !mayBeEmpty {
				p.failAt(start, "the string is empty")
			}
			return out.String()
		case c == '\\' && p.at < len(p.text) && (p.text[p.at] == '"' || p.text[p.at] == '\\'):
			out.WriteByte(p.text[p.at])
			p.at++
		default:
			out.WriteByte(c)
		}
	}
	p.failAt(start, "the string is not closed")
	return ""
}

// IsName reports whether s can be a type or the name of an attribute.
func IsName(s string) bool {
	p := &parser{text: s}
	return s != "" && p.name() == s
}
