package source

import (
	"io"
	"strings"
	"time"
	"unicode"

	"daybook"
)

// block is a paragraph, list or piece of code of a document, verbatim.
type block struct {
	path string // the headings above it, "Guide > Setup"
	text string
	line int
	time time.Time // of a heading that is a date
}

// document is a text with what it says about itself.
type document struct {
	blocks   []block
	time     time.Time
	author   string
	metadata map[string]any
}

// readText reads a plain text: its paragraphs, packed into chunks.
func readText(rd *reader) error {
	lines, err := rd.documentLines()
	if err != nil || lines == nil {
		return err
	}
	var b blocks
	for i, l := range lines {
		b.line(i+1, l)
	}
	b.flush()
	rd.document(document{blocks: b.done})
	return nil
}

// documentLines reads a document whole; nil lines when it is broken or empty.
func (rd *reader) documentLines() (lines []string, err error) {
	for l, err := range rd.lines() {
		if err != nil {
			return nil, err
		}
		if err := checkLine(l.text); err != nil {
			rd.bad(Position{Line: l.number}, err)
			return nil, nil
		}
		lines = append(lines, l.text)
	}
	return lines, nil
}

// blocks gathers lines into blocks, which blank lines part.
type blocks struct {
	done    []block
	current block
	lines   []string
}

func (b *blocks) line(number int, text string) {
	if strings.TrimSpace(text) == "" {
		b.flush()
		return
	}
	if len(b.lines) == 0 {
		b.current.line = number
	}
	b.lines = append(b.lines, text)
}

func (b *blocks) flush() {
	if len(b.lines) > 0 {
		b.current.text = strings.Join(b.lines, "\n")
		b.done = append(b.done, b.current)
		b.lines = nil
	}
}

// document hands on chunks: blocks under the same heading together, up to the
// limit of tokens, with the headings above them as the first line. The id of a
// chunk is made of the document's name and what the chunk says, so that a changed
// document adds only what changed.
func (rd *reader) document(d document) {
	when, assumed := rd.documentTime(d)
	for _, c := range pack(d.blocks, rd.Tokens) {
		n := daybook.Note{Session: rd.Session, Time: when, Speaker: d.author, Text: c.text, Metadata: d.metadata}
		missing := Assumed{Time: assumed}
		if c.path != "" && c.path != c.text {
			n.Text = c.path + "\n\n" + c.text
		}
		n.SourceID = rd.id("document", rd.name+rd.ext, n.Text)
		if !c.time.IsZero() {
			n.Time, missing.Time = c.time, false
		}
		if n.Session == "" {
			n.Session = rd.name + rd.ext
		}
		if !rd.note(Position{Line: c.line}, n, missing) {
			return
		}
	}
}

// documentTime is the document's own date, else --time, else the date that is its
// name, as a diary's pages have it, else when the file was last changed.
func (rd *reader) documentTime(d document) (t time.Time, assumed bool) {
	if !d.time.IsZero() {
		return d.time, false
	}
	if t, g, err := daybook.ParseTime(rd.name); err == nil && g == daybook.Day && rd.Time.IsZero() {
		return inZone(t, rd.Zone), false
	}
	return rd.fallback(0), true
}

// pack joins blocks of one heading into chunks of at most limit tokens.
func pack(blocks []block, limit int) (chunks []block) {
	size := 0
	for _, b := range blocks {
		for _, piece := range pieces(b.text, limit, len(separators)) {
			n := tokens(piece)
			if last := len(chunks) - 1; last >= 0 && chunks[last].path == b.path && chunks[last].time.Equal(b.time) && size+n <= limit {
				chunks[last].text += "\n\n" + piece
				size += n
				continue
			}
			chunks = append(chunks, block{b.path, piece, b.line, b.time})
			size = n
		}
	}
	return chunks
}

// separators are where a text is cut that is too long, the last first: lines,
// sentences, words.
var separators = []string{" ", ". ", "\n"}

// pieces cuts a text that has more than limit tokens. Nothing of it is dropped but
// blanks where it is cut.
func pieces(text string, limit, level int) (out []string) {
	if tokens(text) <= limit {
		return []string{text}
	}
	if level == 0 {
		return cutRunes(text, limit)
	}
	sep := separators[level-1]
	current, size := "", 0
	for part := range strings.SplitAfterSeq(text, sep) {
		n := tokens(part)
		if current != "" && size+n > limit {
			out = append(out, pieces(strings.TrimSpace(current), limit, level-1)...)
			current, size = "", 0
		}
		current += part
		size += n
	}
	if current = strings.TrimSpace(current); current != "" {
		out = append(out, pieces(current, limit, level-1)...)
	}
	return out
}

// cutRunes cuts what has no blanks to cut at.
func cutRunes(text string, limit int) (out []string) {
	runes := []rune(text)
	for len(runes) > limit {
		out, runes = append(out, string(runes[:limit])), runes[limit:]
	}
	return append(out, string(runes))
}

// tokens estimates how many tokens an encoder sees: one for each five letters of
// a word, each sign, and each character of scripts without blanks.
func tokens(text string) (n int) {
	run := 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			n, run = n+1, 0
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if run%5 == 0 {
				n++
			}
			run++
		default:
			run = 0
			if !unicode.IsSpace(r) {
				n++
			}
		}
	}
	return n
}

// readAll reads a part whole, for formats that need to jump about in it.
func (rd *reader) readAll(limit int64) ([]byte, error) {
	f, err := rd.open()
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "read: %w", err)
	}
	if int64(len(data)) > limit {
		return nil, daybook.Errorf(daybook.Invalid, "the file is longer than %d MiB", limit>>20)
	}
	rd.source.done += int64(len(data))
	return data, nil
}
