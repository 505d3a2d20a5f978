package model

import (
	"encoding/json"
	"iter"
	"strings"
)

// maxStarts bounds how many brackets in a chatty reply are tried as the start
// of the JSON value.
const maxStarts = 16

// jsonIn yields the JSON values that a model's reply may have meant, likeliest
// first, each of them valid JSON: the whole text, what is in a code fence, then
// what begins at each bracket. Chatter, comments of thought, trailing commas and
// raw line breaks in strings are taken out. With mayClose, brackets missing at
// the end are added, but only where nothing else can be missing: after a whole
// value, never in a string, a number, or after a comma or colon.
func jsonIn(text string, mayClose bool) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		text = strings.TrimSpace(strings.TrimPrefix(afterThought(text), "\ufeff"))
		if json.Valid([]byte(text)) {
			yield([]byte(text)) // brackets inside it are parts of it
			return
		}
		if inside, ok := fenced(text); ok {
			for value := range valuesFrom(inside, mayClose) {
				if !yield(value) {
					return
				}
			}
		}
		for value := range valuesFrom(text, mayClose) {
			if !yield(value) {
				return
			}
		}
	}
}

// afterThought drops the <think> block that reasoning models put first.
func afterThought(text string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "<think>")
	if !ok {
		return text
	}
	if _, said, ok := strings.Cut(rest, "</think>"); ok {
		return said
	}
	return text
}

// fenced returns what is between the first ``` line and the next, or the end
// when the second is missing.
func fenced(text string) (string, bool) {
	_, rest, ok := strings.Cut(text, "```")
	if !ok {
		return "", false
	}
	label, rest, ok := strings.Cut(rest, "\n")
	if !ok || strings.ContainsAny(label, "{[") {
		return "", false
	}
	inside, _, _ := strings.Cut(rest, "\n```")
	return strings.TrimSpace(inside), true
}

// valuesFrom yields the values that begin at the brackets of text. After a
// value it goes on behind it, so its parts are not offered as values.
func valuesFrom(text string, mayClose bool) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for range maxStarts {
			start := strings.IndexAny(text, "{[")
			if start < 0 {
				return
			}
			text = text[start:]
			value, used := scanValue(text, mayClose)
			if value == nil {
				text = text[1:]
				continue
			}
			if !yield(value) {
				return
			}
			text = text[used:]
		}
	}
}

// scanValue reads the object or array that text begins with. It returns it
// repaired, and how many bytes of text it took; or nil when it cannot be made
// valid safely.
func scanValue(text string, mayClose bool) (value []byte, used int) {
	s := valueScan{text: text, out: make([]byte, 0, len(text)+8)}
	for s.pos < len(text) {
		if !s.step() {
			return nil, 0
		}
		if len(s.open) == 0 {
			return s.valid(s.out), s.pos
		}
	}
	if !mayClose || !s.afterValue() {
		return nil, 0
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		s.out = append(s.out, s.open[i])
	}
	return s.valid(s.out), s.pos
}

// valueScan copies one value from text to out, tracking the open brackets.
type valueScan struct {
	text  string
	pos   int
	out   []byte
	open  []byte // closing brackets that are owed, outermost first
	comma int    // where in out a comma is that has nothing behind it yet, plus 1
}

// step copies the next byte, or the whole next string. It returns false when
// brackets do not match.
func (s *valueScan) step() bool {
	c := s.text[s.pos]
	switch c {
	case '"':
		s.comma = 0
		return s.string()
	case '{', '[':
		s.comma = 0
		s.open = append(s.open, c+2) // in ASCII, } and ] come two after { and [
	case '}', ']':
		if len(s.open) == 0 || s.open[len(s.open)-1] != c {
			return false
		}
		s.open = s.open[:len(s.open)-1]
		if s.comma > 0 {
			s.out = append(s.out[:s.comma-1], s.out[s.comma:]...)
			s.comma = 0
		}
	case ',':
		s.comma = len(s.out) + 1
	case ' ', '\t', '\n', '\r':
	default:
		s.comma = 0
	}
	s.out = append(s.out, c)
	s.pos++
	return true
}

// string copies a string, escaping the control characters that JSON forbids in
// one. An unterminated string ends the scan.
func (s *valueScan) string() bool {
	s.out = append(s.out, '"')
	for s.pos++; s.pos < len(s.text); s.pos++ {
		c := s.text[s.pos]
		switch {
		case c == '"':
			s.out = append(s.out, c)
			s.pos++
			return true
		case c == '\\' && s.pos+1 < len(s.text):
			s.out = append(s.out, c, s.text[s.pos+1])
			s.pos++
		case c < ' ':
			s.out = append(s.out, escapeControl(c)...)
		default:
			s.out = append(s.out, c)
		}
	}
	return false
}

func escapeControl(c byte) []byte {
	switch c {
	case '\n':
		return []byte(`\n`)
	case '\r':
		return []byte(`\r`)
	case '\t':
		return []byte(`\t`)
	}
	const hex = "0123456789abcdef"
	return []byte{'\\', 'u', '0', '0', hex[c>>4], hex[c&15]}
}

// afterValue reports whether the text ends where a whole value has just ended.
// A number may have lost digits, so it does not count.
func (s *valueScan) afterValue() bool {
	end := strings.TrimRight(string(s.out), " \t\r\n")
	for _, whole := range []string{"}", "]", `"`, "true", "false", "null"} {
		if strings.HasSuffix(end, whole) {
			return true
		}
	}
	return false
}

func (s *valueScan) valid(value []byte) []byte {
	if !json.Valid(value) {
		return nil
	}
	return value
}
