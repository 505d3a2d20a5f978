package source

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"daybook"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	// maxLine is the longest line of a file of messages, or of text.
	maxLine = 10 << 20
	// maxRecord is the most that one conversation takes in a file.
	maxRecord = 128 << 20
	// headSize is how much of a file is looked at to tell what it is.
	headSize = 64 << 10
)

var errTooLong = daybook.Errorf(daybook.Invalid, "one record is longer than %d MiB", maxRecord>>20)

// meter counts what is read of a source, and refuses a record without end.
type meter struct {
	r     io.Reader
	count func(n int)
	since int   // bytes since the last record
	total int64 // all bytes
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.count(n)
	m.total += int64(n)
	if m.since += n; m.since > maxRecord {
		return n, errTooLong
	}
	return n, err
}

// text opens the part as UTF-8 text, whatever Unicode encoding it is in. The
// caller closes it.
func (rd *reader) text() (*bufio.Reader, *meter, io.Closer, error) {
	f, err := rd.open()
	if err != nil {
		return nil, nil, nil, err
	}
	m := &meter{r: f, count: func(n int) { rd.source.done += int64(n) }}
	return decode(m), m, f, nil
}

// decode passes over a byte order mark and turns UTF-16 into UTF-8.
func decode(r io.Reader) *bufio.Reader {
	br := bufio.NewReaderSize(r, headSize)
	head, _ := br.Peek(3) // an error comes again at the next read
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = br.Discard(3)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		utf16 := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
		return bufio.NewReaderSize(transform.NewReader(br, utf16), headSize)
	}
	return br
}

// textLine is a line without its end.
type textLine struct {
	number int
	text   string
}

// lines reads lines that end in LF or CRLF. An error ends them.
func (rd *reader) lines() iter.Seq2[textLine, error] {
	return func(yield func(textLine, error) bool) {
		br, m, f, err := rd.text()
		if err != nil {
			yield(textLine{}, err)
			return
		}
		defer f.Close() //nolint:errcheck // only read
		for l, err := range scanLines(br, m) {
			if !yield(l, err) {
				return
			}
		}
	}
}

func scanLines(r io.Reader, m *meter) iter.Seq2[textLine, error] {
	return func(yield func(textLine, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxLine)
		number := 0
		for lines.Scan() {
			number, m.since = number+1, 0
			if !yield(textLine{number, lines.Text()}, nil) {
				return
			}
		}
		if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			yield(textLine{}, daybook.Errorf(daybook.Invalid, "line %d is longer than %d MiB; cut it into several, or leave it out", number+1, maxLine>>20))
		} else if err != nil {
			yield(textLine{}, daybook.Errorf(daybook.Unavailable, "read line %d: %w", number+1, err))
		}
	}
}

// checkLine reports why a line is not text.
func checkLine(s string) error {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return daybook.Errorf(daybook.Invalid, "a NUL byte (byte %d of the line); this is no text", i)
	}
	if utf8.ValidString(s) {
		return nil
	}
	at := 0
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			at = i
			break
		}
	}
	return daybook.Errorf(daybook.Invalid, "not valid UTF-8 (byte %d of the line); convert the file first, such as with 'iconv -f WINDOWS-1252 -t UTF-8'", at)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// shorten cuts s to at most n characters.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}
