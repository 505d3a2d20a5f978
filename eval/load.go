package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"daybook"
)

// Source is a data set that this package reads. None is bundled; a user gets it
// where Where says and gives its path.
type Source struct {
	Name     string
	Measures string
	Licence  string
	Where    string
	// Load reads the set from a path. It is nil for the sets that measure one
	// component; those have records and a loader of their own.
	//
	// What is wrong with a file is an Invalid error that says file, line or
	// record, and what was expected; a path that leads nowhere is NotFound.
	Load func(path string) (Dataset, error)
}

// Sources returns every data set that can be read, in a fixed order: first those
// that a whole memory is asked about, then those of one component.
func Sources() []Source {
	return []Source{
		{"natural", "chats as people write them: ledger, labels, retrieval and answers apart",
			"made for Daybook, free", "a folder with chatN.jsonl, chatN.questions.jsonl and chatN.states.jsonl", LoadNatural},
		{"locomo", "recall over long conversations of two people, five kinds of question",
			"CC BY-NC 4.0", "github.com/snap-research/locomo, data/locomo10.json", LoadLocomo},
		{"locomo-corrected", "the same, with the errors of its key that the audit found put right",
			"CC BY-NC 4.0", "locomo, with the corrections of github.com/dial481/locomo-audit beside it as gold_errors.json", LoadLocomoCorrected},
		{"longmemeval", "recall from many chats with an assistant: one session, several, updates, time, abstention",
			"MIT", "github.com/xiaowu0162/LongMemEval: longmemeval_s, _m or _oracle .json", LoadLongMemEval},
		{"beam", "ten abilities of memory over chats of 100K to 1M tokens, judged by rubric",
			"none stated", "github.com/mohammadtavakoli78/BEAM: the folder of one size (100K, 500K, 1M) or of one chat", LoadBeam},
		{"ghost", "what is true now, what was, what changed: bank, retrieval and answer apart",
			"CC BY-NC 4.0 (built on LoCoMo text); the smoke set is free", "made for Daybook, comes with its evaluation data", LoadGhost},
		{"statebench", "state under change: supersession, repair, scope, freshness, authority",
			"MIT", "github.com/Parslee-ai/statebench, release v1.0, train.jsonl or dev.jsonl", LoadStateBench},
		{"trace", "current against outdated answer after an update in the conversation",
			"MIT (text from LoCoMo: CC BY-NC 4.0)", "github.com/MorinWang/TRACE, the stress test; needs a LoCoMo file beside it", LoadTrace},
		{"reader", "component: statements, pairs, questions and answers as the trained reader reads them",
			"made for Daybook, free", "go run ./tools/corpus natural FOLDER, or a folder of natural chats", nil},
		{"personaext", "component: relations found in one utterance (head, relation, tail)",
			"none stated", "github.com/Cyn7hia/PAED, PersonaExt", nil},
		{"timex", "component: expressions of time found and resolved",
			"MIT", "github.com/microsoft/Recognizers-Text, Specs/DateTime/English", nil},
		{"anchors", "component: when an event was, read from the note that tells it",
			"CC BY-NC 4.0", "a LoCoMo file: its temporal questions whose answer is a date or an interval", nil},
		{"sick", "component: relatedness, entailment and contradiction of two sentences",
			"CC BY-NC-SA", "the SICK data set of SemEval 2014, SICK.txt", nil},
		{"xpath", "component: queries by path and meaning over trees, edits, versions, grammar",
			"made for Daybook; two trees CC BY-NC 4.0", "comes with Daybook's evaluation data", nil},
	}
}

// files reads files and remembers what it has read, for the hash.
type files struct{ sum []byte }

// read returns the text of a file: UTF-8, not empty, without byte order mark.
func (f *files) read(path string) ([]byte, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "read data: %w", err)
	}
	sum := sha256.Sum256(data)
	f.add(sum[:])
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "%s: the file is empty", path)
	}
	if n := invalidUTF8(data); n >= 0 {
		return nil, daybook.Errorf(daybook.Invalid, "%s:%d: not UTF-8 (byte %d)", path, lineAt(data, n), n)
	}
	return data, nil
}

func (f *files) add(sum []byte) { f.sum = append(f.sum, sum...) }

// hash is the SHA-256 of the one file that was read, or, over several, of their
// hashes in the order of reading. Where the files lie does not enter.
func (f *files) hash() string {
	if len(f.sum) == sha256.Size {
		return hex.EncodeToString(f.sum)
	}
	sum := sha256.Sum256(f.sum)
	return hex.EncodeToString(sum[:])
}

func checkFile(path string) error {
	info, err := stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return daybook.Errorf(daybook.Invalid, "%s is a folder; a file was expected", path)
	}
	return nil
}

func checkFolder(path string) error {
	info, err := stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return daybook.Errorf(daybook.Invalid, "%s is a file; a folder was expected", path)
	}
	return nil
}

func stat(path string) (os.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, daybook.Errorf(daybook.NotFound, "no data at %s", path)
	case err != nil:
		return nil, daybook.Errorf(daybook.Unavailable, "read data: %w", err)
	}
	return info, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), len(data))], []byte("\n"))
}

// place says where in the data something is.
type place struct {
	path   string
	line   int    // 0 when it is not known
	record string // empty when the line says it all
}

func (p place) String() string {
	s := p.path
	if p.line > 0 {
		s = fmt.Sprintf("%s:%d", s, p.line)
	}
	if p.record != "" {
		s += ": " + p.record
	}
	return s
}

// in is the place of a record, printed with format, within p's.
func (p place) in(format string, args ...any) place {
	r := fmt.Sprintf(format, args...)
	if p.record != "" {
		r = p.record + ", " + r
	}
	return place{p.path, p.line, r}
}

func (p place) errorf(format string, args ...any) error {
	return daybook.Errorf(daybook.Invalid, "%s: %w", p, fmt.Errorf(format, args...))
}

// field is a value that a record must have.
type field struct {
	name string
	has  bool
}

func text(name, value string) field        { return field{name, strings.TrimSpace(value) != ""} }
func list[T any](name string, v []T) field { return field{name, v != nil} }

// need reports the first field that is missing.
func (p place) need(fields ...field) error {
	for _, f := range fields {
		if !f.has {
			return p.errorf("%q is missing or empty", f.name)
		}
	}
	return nil
}

// readJSON reads one JSON value from a file into v.
func readJSON(f *files, path string, v any) error {
	data, err := f.read(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return jsonError(place{path: path}, data, 1, err)
	}
	return nil
}

// readLines reads a file of one JSON value per line and calls do with each and
// its place. Blank lines are passed over; a file without any value is Invalid.
func readLines[T any](f *files, path string, do func(place, T) error) error {
	data, err := f.read(path)
	if err != nil {
		return err
	}
	for n := 1; len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return jsonError(place{path: path, line: n}, line, n, err)
		}
		if err := do(place{path: path, line: n}, v); err != nil {
			return err
		}
	}
	return nil
}

// jsonError says in plain words and with its line what is wrong with JSON. data
// begins at line first of the file; 0 says that this is not known.
func jsonError(at place, data []byte, first int, err error) error {
	line := func(offset int64) int {
		if first == 0 {
			return at.line
		}
		return first + lineAt(data, int(offset)) - 1
	}
	if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at.line = line(typ.Offset)
		what := typ.Field
		if what == "" {
			what = "the value"
		}
		return at.errorf("%s is a JSON %s; %s was expected", what, typ.Value, jsonName(typ.Type.Kind().String()))
	}
	if syn, ok := errors.AsType[*json.SyntaxError](err); ok {
		at.line = line(syn.Offset)
		if int(syn.Offset) >= len(data) {
			return at.errorf("the JSON is cut short: %w", err)
		}
		return at.errorf("not JSON: %w", err)
	}
	return at.errorf("%w", err)
}

func jsonName(kind string) string {
	switch kind {
	case "slice", "array":
		return "an array"
	case "struct", "map":
		return "an object"
	case "int", "int64", "float64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

// loose is text that some files write as a number: 2022 for "2022". It is empty
// for null.
type loose string

// UnmarshalJSON reads a string, a number, or null.
func (l *loose) UnmarshalJSON(data []byte) error {
	switch {
	case data[0] == '"':
		var s string
		err := json.Unmarshal(data, &s)
		*l = loose(s)
		return err
	case data[0] == '-' || data[0] >= '0' && data[0] <= '9':
		*l = loose(data)
		return nil
	case string(data) == "null":
		*l = ""
		return nil
	}
	return fmt.Errorf("%.40s: text or a number was expected", data)
}

// looseList is a list of texts that some files write as one text, or as null.
type looseList []string

// UnmarshalJSON reads an array of what loose reads, or one of these, or null.
func (l *looseList) UnmarshalJSON(data []byte) error {
	*l = nil
	if string(data) == "null" {
		return nil
	}
	many := []loose{""}
	var err error
	if data[0] == '[' {
		err = json.Unmarshal(data, &many)
	} else {
		err = json.Unmarshal(data, &many[0])
	}
	for _, s := range many {
		*l = append(*l, string(s))
	}
	return err
}

// parseTime reads RFC 3339, or the same without a zone, which is taken as UTC.
func parseTime(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time such as 2024-03-01T12:00:00Z", s)
}

// builder collects a conversation's notes, and says of which ids there is one.
type builder struct {
	notes  []daybook.Note
	ids    map[string]bool
	stated []Stated
}

// add takes a note whose SourceID is new and that can be stored.
func (b *builder) add(at place, n daybook.Note) error {
	if n.SourceID == "" {
		return at.errorf("the id is missing or empty")
	}
	if b.ids == nil {
		b.ids = map[string]bool{}
	}
	if b.ids[n.SourceID] {
		return at.errorf("id %q comes a second time", n.SourceID)
	}
	if err := n.Validate(); err != nil {
		return at.errorf("%w", err)
	}
	b.ids[n.SourceID] = true
	b.notes = append(b.notes, n)
	return nil
}

// known reports the first of the ids that names no note.
func (b *builder) known(at place, field string, ids []string) error {
	for _, id := range ids {
		if !b.ids[id] {
			return at.errorf("%s names %q; the conversation has no such turn", field, id)
		}
	}
	return nil
}

// tolerate notes what was wrong and did no harm.
func (d *Dataset) tolerate(at place, format string, args ...any) {
	at.path = filepath.Base(at.path)
	d.Tolerated = append(d.Tolerated, at.String()+": "+fmt.Sprintf(format, args...))
}

// checkUTF8 passes a stream through and fails where it is not UTF-8.
type checkUTF8 struct {
	r    io.Reader
	path string
	tail []byte // the beginning of a rune whose end has not come yet
	n    int64
}

// Read reads from the stream beneath.
func (c *checkUTF8) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	chunk := append(c.tail, p[:n]...)
	for i := 0; i < len(chunk); {
		if !utf8.FullRune(chunk[i:]) && err == nil {
			c.tail = append([]byte(nil), chunk[i:]...)
			c.n += int64(i)
			return n, nil
		}
		r, size := utf8.DecodeRune(chunk[i:])
		if r == utf8.RuneError && size == 1 {
			return 0, daybook.Errorf(daybook.Invalid, "%s: not UTF-8 (byte %d)", c.path, c.n+int64(i))
		}
		i += size
	}
	c.n += int64(len(chunk))
	c.tail = nil
	return n, err
}
