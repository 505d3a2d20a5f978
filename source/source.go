package source

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"daybook"
)

// Format is the kind of a file.
type Format string

// The formats that are read. Ledger is recognised and not read here: it is a
// scope, not notes.
const (
	Auto        Format = "auto"
	Messages    Format = "messages"    // OpenAI messages, or {speaker, text, time}; an array or JSON lines
	ChatGPT     Format = "chatgpt"     // conversations.json of a ChatGPT export
	Claude      Format = "claude"      // conversations.json of a Claude export
	WhatsApp    Format = "whatsapp"    // the text of "Export chat"
	LoCoMo      Format = "locomo"      // the LoCoMo data set
	LongMemEval Format = "longmemeval" // the LongMemEval data set
	Mem0        Format = "mem0"        // memories of mem0 or OpenMemory
	Markdown    Format = "markdown"
	Text        Format = "text"
	PDF         Format = "pdf"
	Ledger      Format = "ledger" // what 'daybook export' writes
)

// Defaults of Options.
const (
	DefaultGap    = 4 * time.Hour // a night's sleep is longer, a lunch is shorter
	DefaultTokens = 256           // half of what the embedded encoder sees of a text
)

// Input is a file to read.
type Input struct {
	Name     string // its name, for positions and for names of sessions
	Data     io.ReaderAt
	Size     int64
	Modified time.Time // stands in where neither the file nor Options.Time says a time
}

// Options say what cannot be seen in a file itself.
type Options struct {
	Format    Format         // Auto when empty
	Session   string         // of records that have none; empty: cut by gaps in time
	Gap       time.Duration  // between sessions; DefaultGap when zero
	Time      time.Time      // of records that have none
	Zone      *time.Location // of times without a zone; nil is UTC
	DateOrder DateOrder      // of WhatsApp dates; empty: worked out from the whole file
	Me        string         // speaker of what "user" or "human" said; empty: "user"
	Tokens    int            // limit of a chunk of a document; DefaultTokens when zero
	Now       time.Time      // no message is from later; zero: not checked
}

func (o Options) withDefaults() Options {
	if o.Format == "" {
		o.Format = Auto
	}
	if o.Gap <= 0 {
		o.Gap = DefaultGap
	}
	if o.Tokens <= 0 {
		o.Tokens = DefaultTokens
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return o
}

// Record is a note with its place in a file.
type Record struct {
	daybook.Note
	At      Position
	Assumed Assumed
}

// Assumed marks fields of a note that its file does not say. Where the note is
// known already with other values there, the old values stand. A record with
// something assumed always has a SourceID, which does not depend on it.
type Assumed struct{ Time, Session bool }

// Position is a place in a file; zero fields are not known.
type Position struct {
	File string // of several files, or inside an archive
	Part string // "conversation 2, message 5"
	Line int
	Byte int64
}

func (p Position) String() string {
	var s []string
	if p.Part != "" {
		s = append(s, p.Part)
	}
	switch {
	case p.Line > 0:
		s = append(s, fmt.Sprintf("line %d", p.Line))
	case p.Byte > 0:
		s = append(s, fmt.Sprintf("byte %d", p.Byte))
	}
	text := strings.Join(s, ", ")
	if p.File != "" && text != "" {
		return p.File + ": " + text
	}
	return p.File + text
}

// BadRecord says which record of a file is broken, and how.
type BadRecord struct {
	At  Position
	Err error
}

func (e *BadRecord) Error() string {
	if at := e.At.String(); at != "" {
		return at + ": " + e.Err.Error()
	}
	return e.Err.Error()
}

func (e *BadRecord) Unwrap() error { return e.Err }

// Source is an opened file. It is not safe for use by several goroutines.
type Source struct {
	parts []part
	opts  Options
	done  int64
	left  map[string]int
}

// part is one stream of records: the file itself, or a member of an archive.
type part struct {
	file     string // in positions; empty for the file itself
	name     string // base name without extension
	ext      string
	format   Format
	size     int64
	modified time.Time
	open     func() (io.ReadCloser, error)
}

// Open finds out what a file is. An error is Invalid and says what to do.
func Open(in Input, o Options) (*Source, error) {
	s := &Source{opts: o.withDefaults()}
	base := filepath.Base(in.Name)
	whole := newPart(base, in.Size, in.Modified)
	whole.open = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(in.Data, 0, in.Size)), nil }
	if isZip(in) {
		parts, err := zipParts(in)
		if err != nil {
			return nil, err
		}
		s.parts = parts
	} else {
		s.parts = []part{whole}
	}
	for i := range s.parts {
		p := &s.parts[i]
		if p.format = s.opts.Format; p.format != Auto {
			continue
		}
		var err error
		if p.format, err = detect(*p); err != nil {
			return nil, daybook.Errorf(daybook.KindOf(err), "%s%w", filePrefix(p.file), err)
		}
	}
	return s, nil
}

func newPart(base string, size int64, modified time.Time) part {
	ext := filepath.Ext(base)
	return part{name: strings.TrimSuffix(base, ext), ext: strings.ToLower(ext), size: size, modified: modified}
}

func filePrefix(file string) string {
	if file == "" {
		return ""
	}
	return file + ": "
}

// Format returns the format of the file, or of the first file in an archive.
func (s *Source) Format() Format { return s.parts[0].format }

// Progress returns the bytes that the current pass has read, of how many.
func (s *Source) Progress() (done, total int64) {
	for _, p := range s.parts {
		total += p.size
	}
	return min(s.done, total), total
}

// LeftOut returns how many records the last pass left out by design, by reason.
func (s *Source) LeftOut() map[string]int { return maps.Clone(s.left) }

// Records reads the file from its beginning; it can be called again. A broken
// record is yielded as a *BadRecord and reading goes on where the format allows
// it; any other error ends the file. Notes are valid and have their ids.
func (s *Source) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		s.done, s.left = 0, map[string]int{}
		for _, p := range s.parts {
			rd := &reader{part: p, Options: s.opts, source: s, yield: yield, seen: map[string]int{}}
			if err := rd.run(); err != nil && !rd.stopped {
				rd.stopped = !yield(Record{}, err)
			}
			if rd.stopped {
				return
			}
		}
	}
}

var parsers = map[Format]func(*reader) error{
	Messages: readMessages, ChatGPT: readChatGPT, Claude: readClaude, WhatsApp: readWhatsApp, LoCoMo: readLoCoMo,
	LongMemEval: readLongMemEval, Mem0: readMem0, Markdown: readMarkdown, Text: readText, PDF: readPDF,
}

// reader is one pass over one part; parsers put into it what they find.
type reader struct {
	part
	Options
	source  *Source
	yield   func(Record, error) bool
	stopped bool           // the caller wants no more
	seen    map[string]int // how often an id was made from the same content
	cut     cutter
	found   bool // a record or a broken one
}

func (rd *reader) run() error {
	parse, ok := parsers[rd.format]
	if !ok {
		return daybook.Errorf(daybook.Invalid, "%sformat %s is not read as notes", filePrefix(rd.file), rd.format)
	}
	err := parse(rd)
	if err == nil && !rd.found && !rd.stopped {
		err = &BadRecord{Position{File: rd.file}, daybook.Errorf(daybook.Invalid, "there is nothing to import in it (read as %s; --format says otherwise)", rd.format)}
	}
	return err
}

// note hands on a note, with a session if it has none. It returns false when no
// more is wanted.
func (rd *reader) note(at Position, n daybook.Note, assumed Assumed) bool {
	if n.Session == "" {
		n.Session = rd.Session
	}
	if n.Session == "" {
		n.Session = rd.cut.session(rd.name, n.Time, rd.Gap, assumed.Time)
		assumed.Session = true
	}
	n = n.Named()
	if err := n.Validate(); err != nil {
		return rd.bad(at, err)
	}
	return rd.hand(Record{n, rd.in(at), assumed}, nil)
}

// bad hands on a broken record.
func (rd *reader) bad(at Position, err error) bool {
	return rd.hand(Record{}, &BadRecord{rd.in(at), err})
}

func (rd *reader) badf(at Position, format string, args ...any) bool {
	return rd.bad(at, daybook.Errorf(daybook.Invalid, format, args...))
}

func (rd *reader) hand(r Record, err error) bool {
	rd.found = true
	if !rd.stopped {
		rd.stopped = !rd.yield(r, err)
	}
	return !rd.stopped
}

// leave counts what is left out by design.
func (rd *reader) leave(reason string) bool {
	rd.found = true
	rd.source.left[reason]++
	return true
}

func (rd *reader) in(at Position) Position {
	at.File = rd.file
	return at
}

// me is how the person is called whom an export calls "user".
func (rd *reader) me() string {
	if rd.Me != "" {
		return rd.Me
	}
	return "user"
}

// fallback is the time of a record that has none. Records keep their order by a
// thousandth of a second each.
func (rd *reader) fallback(n int) time.Time {
	t := rd.Time
	if t.IsZero() {
		t = rd.modified
	}
	return t.Truncate(time.Second).Add(time.Duration(n) * time.Millisecond)
}
