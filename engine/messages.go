package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"daybook"
)

// maxLine is the longest line of a messages file: one note of the largest size,
// with every byte escaped.
const maxLine = 6*daybook.MaxText + 64<<10

// LineError says which line of a file is bad.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Message is a note with the line that it stands on.
type Message struct {
	daybook.Note
	Line int
}

// Messages reads notes from JSON lines of the form
// {"id","session","time","speaker","text"}. Blank lines are passed over. A bad
// line is yielded as a *LineError and the next line follows; an error that is
// not one ends the file.
func Messages(r io.Reader) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxLine)
		number := 0
		for lines.Scan() {
			number++
			text := bytes.TrimSpace(lines.Bytes())
			if number == 1 {
				text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
			}
			if len(text) == 0 {
				continue
			}
			n, err := parseMessage(text)
			if err != nil {
				err = &LineError{number, err}
			}
			if !yield(Message{n, number}, err) {
				return
			}
		}
		if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			yield(Message{}, daybook.Errorf(daybook.Invalid, "line %d is longer than %d bytes", number+1, maxLine))
		} else if err != nil {
			yield(Message{}, daybook.Errorf(daybook.Unavailable, "read line %d: %w", number+1, err))
		}
	}
}

func parseMessage(text []byte) (daybook.Note, error) {
	var m struct {
		ID      looseString `json:"id"`
		Session looseString `json:"session"`
		Time    string      `json:"time"`
		Speaker string      `json:"speaker"`
		Text    *string     `json:"text"`
	}
	if !utf8.Valid(text) { // decoding would put U+FFFD there without a word
		return daybook.Note{}, daybook.Errorf(daybook.Invalid, "not valid UTF-8")
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return daybook.Note{}, notAMessage(err)
	}
	all := string(m.ID) + string(m.Session) + m.Speaker + deref(m.Text)
	if strings.ContainsRune(all, utf8.RuneError) && !bytes.Contains(text, []byte("\uFFFD")) && !bytes.Contains(bytes.ToLower(text), []byte(`\ufffd`)) {
		return daybook.Note{}, daybook.Errorf(daybook.Invalid, "half of a surrogate pair stands alone")
	}
	if m.Text == nil {
		return daybook.Note{}, daybook.Errorf(daybook.Invalid, `"text" is missing`)
	}
	n := daybook.Note{SourceID: string(m.ID), Session: string(m.Session), Speaker: m.Speaker, Text: *m.Text}
	if m.Time == "" {
		return n, daybook.Errorf(daybook.Invalid, `"time" is missing`)
	}
	var err error
	if n.Time, _, err = daybook.ParseTime(m.Time); err != nil {
		return n, err
	}
	return n.Named(), n.Validate()
}

// notAMessage says what is wrong in the words of the file, not of the program.
func notAMessage(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case ok && wrong.Field == "":
		return daybook.Errorf(daybook.Invalid, "not a message: a %s where an object with \"text\" and \"time\" is wanted", wrong.Value)
	case ok:
		return daybook.Errorf(daybook.Invalid, "not a message: %q is a %s", wrong.Field, wrong.Value)
	}
	return daybook.Errorf(daybook.Invalid, "not a message: %w", err)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
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
