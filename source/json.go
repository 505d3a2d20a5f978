package source

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"daybook"
)

// value is one record of a JSON file.
type value struct {
	raw json.RawMessage
	at  Position
	n   int // counted from 1
}

// values yields the records of a JSON file: the elements of an array, the lines
// of JSON lines, or values one after another. Broken lines go to rd.bad and the
// next one follows; what breaks an array ends it. noun is what a record is called
// in positions.
func (rd *reader) values(noun string) iter.Seq2[value, error] {
	return func(yield func(value, error) bool) {
		br, m, f, err := rd.text()
		if err != nil {
			yield(value{}, err)
			return
		}
		defer f.Close() //nolint:errcheck // only read
		head, _ := br.Peek(headSize)
		switch {
		case len(bytes.TrimSpace(head)) == 0:
			return
		case isArray(head):
			rd.elements(br, m, noun, yield)
		case isLines(head, rd.ext):
			rd.jsonLines(br, m, yield)
		default:
			rd.stream(json.NewDecoder(br), m, noun, yield)
		}
	}
}

func isArray(head []byte) bool {
	head = bytes.TrimSpace(head)
	return len(head) > 0 && head[0] == '['
}

// isLines tells JSON lines from one value over several lines.
func isLines(head []byte, ext string) bool {
	if ext == ".jsonl" || ext == ".ndjson" {
		return true
	}
	first, rest, more := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	first = bytes.TrimSpace(first)
	if !more && len(head) == headSize {
		return false
	}
	if json.Valid(first) || first[0] != '{' {
		return true
	}
	// A broken first line of several; a line that is open goes on in the next.
	return bytes.HasPrefix(bytes.TrimSpace(rest), []byte("{")) && !bytes.ContainsRune([]byte("{[,:"), rune(first[len(first)-1]))
}

func (rd *reader) jsonLines(br *bufio.Reader, m *meter, yield func(value, error) bool) {
	n := 0
	for l, err := range scanLines(br, m) {
		if err != nil {
			yield(value{}, err)
			return
		}
		text := strings.TrimSpace(l.text)
		if text == "" {
			continue
		}
		n++
		if !yield(value{json.RawMessage(text), Position{Line: l.number}, n}, nil) {
			return
		}
	}
}

func (rd *reader) elements(br *bufio.Reader, m *meter, noun string, yield func(value, error) bool) {
	dec := json.NewDecoder(br)
	if _, err := dec.Token(); err != nil { // the bracket
		rd.broken(m, dec, Position{}, err)
		return
	}
	if !rd.stream(dec, m, noun, yield) || rd.stopped {
		return
	}
	if _, err := dec.Token(); err != nil {
		rd.broken(m, dec, Position{}, err)
		return
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		rd.badf(Position{Byte: dec.InputOffset()}, "something follows the end of the array; cut it off, or make it JSON lines")
	}
}

// stream yields the values of a decoder, and reports whether they ended well.
func (rd *reader) stream(dec *json.Decoder, m *meter, noun string, yield func(value, error) bool) bool {
	for n := 1; dec.More(); n++ {
		m.since = 0
		at := Position{Part: fmt.Sprintf("%s %d", noun, n), Byte: dec.InputOffset()}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			rd.broken(m, dec, at, err)
			return false
		}
		if !yield(value{raw, at, n}, nil) {
			return false
		}
	}
	return true
}

// broken reports JSON that cannot be read on.
func (rd *reader) broken(m *meter, dec *json.Decoder, at Position, err error) {
	at.Byte = dec.InputOffset()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at.Byte = syntax.Offset
	}
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		at.Byte = m.total
		rd.badf(at, "the JSON is cut short here; the rest of the file is missing, so download or copy it again")
	case errors.Is(err, errTooLong):
		rd.bad(at, err)
	default:
		rd.badf(at, "not JSON: %w; nothing after it can be read", err)
	}
}

// unmarshal decodes a record; the error is in the words of the file. Bytes and
// escapes that decoding would replace without a word are errors.
func unmarshal(raw json.RawMessage, noun string, v any) error {
	if !utf8.Valid(raw) {
		return daybook.Errorf(daybook.Invalid, "not valid UTF-8")
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return typeError(noun, err)
	}
	if loneSurrogate(raw) {
		return daybook.Errorf(daybook.Invalid, "half of a surrogate pair stands alone")
	}
	return nil
}

func typeError(noun string, err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case ok && wrong.Field == "":
		return daybook.Errorf(daybook.Invalid, "not a %s: a %s where an object is wanted", noun, wrong.Value)
	case ok:
		return daybook.Errorf(daybook.Invalid, "not a %s: %q is a %s", noun, wrong.Field, wrong.Value)
	}
	return daybook.Errorf(daybook.Invalid, "not a %s: %w", noun, err)
}

// loneSurrogate reports whether valid JSON has an escape such as \ud800 that is
// not one of a pair.
func loneSurrogate(raw []byte) bool {
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i+1 < len(raw); {
		step := 2
		if raw[i+1] == 'u' {
			step = 6
			switch u := escape(raw[i:]); {
			case u >= 0xDC00 && u < 0xE000:
				return true
			case u >= 0xD800 && u < 0xDC00:
				if low := escape(raw[i+6:]); low < 0xDC00 || low >= 0xE000 {
					return true
				}
				step = 12
			}
		}
		next := bytes.IndexByte(raw[i+step:], '\\')
		if next < 0 {
			return false
		}
		i += step + next
	}
	return false
}

// escape returns the value of the \uXXXX escape that b begins with, or -1.
func escape(b []byte) int64 {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	u, err := strconv.ParseInt(string(b[2:6]), 16, 32)
	if err != nil {
		return -1
	}
	return u
}

// looseString reads a JSON string or number as text.
type looseString string

func (s *looseString) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(s))
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return errors.New("want a string or a number")
	}
	*s = looseString(n)
	return nil
}

// first returns the first value that is not empty.
func first(values ...looseString) string {
	for _, v := range values {
		if v != "" {
			return string(v)
		}
	}
	return ""
}

// when reads a time: a written one, or seconds (or thousandths) since 1970.
func (rd *reader) when(s string) (time.Time, error) {
	if n, err := strconv.ParseFloat(s, 64); err == nil && (math.Abs(n) > 9999 || strings.Contains(s, ".")) {
		return unixTime(n)
	}
	t, _, err := daybook.ParseTime(s)
	if err != nil || hasZone(s) {
		return t, err
	}
	return inZone(t, rd.Zone), nil
}

// unixTime reads seconds since 1970; a number too large for that is thousandths.
func unixTime(seconds float64) (time.Time, error) {
	if math.Abs(seconds) > 1e11 {
		seconds /= 1000
	}
	if math.Abs(seconds) > 1e11 || math.IsNaN(seconds) {
		return time.Time{}, daybook.Errorf(daybook.Invalid, "%v is no time in seconds since 1970", seconds)
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).UTC(), nil
}

// hasZone reports whether a time that ParseTime reads names its zone.
func hasZone(s string) bool {
	s = strings.TrimSpace(s)
	clock := strings.IndexByte(s, ':')
	return clock > 0 && (strings.HasSuffix(s, "Z") || strings.ContainsAny(s[clock:], "+-"))
}

func inZone(t time.Time, zone *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone).UTC()
}
