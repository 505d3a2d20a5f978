package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"daybook"
)

// Kept keeps what systems gave in files, one for each system, version, data set,
// code and depth, and each result as soon as it is there: a run that was cut off
// goes on where it stopped, and an unchanged system on unchanged data is not run
// again. Seed and the number of questions do not matter to a result and so not to
// its file. A nil Kept keeps nothing.
//
// Files are only ever added to; two processes may do so at once. What is damaged
// is told to Warn and made anew.
type Kept struct {
	Folder string
	Warn   func(string) // may be nil
}

// Versioned is a System whose results depend on more than its name and the code:
// on settings, a model, a server. Results of another version are not its own.
type Versioned interface {
	Version() string
}

func versionOf(s System) string {
	if v, ok := s.(Versioned); ok {
		return v.Version()
	}
	return ""
}

// keptKey is all that a result depends on.
type keptKey struct {
	System, Version, Dataset, Hash, Code string
	Depth                                int
}

// file is where results are kept: readable, and different for different keys.
func (k keptKey) file() string {
	text, err := json.Marshal(k)
	if err != nil {
		panic("eval: a key of strings and a number did not become JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	name := []rune(strings.Map(fileRune, k.System+"-"+k.Dataset))
	return string(name[:min(60, len(name))]) + "-" + hex.EncodeToString(sum[:8]) + ".results"
}

type questionKey struct{ conversation, question string }

// keptResult is what a system gave for a question, and how long it took.
type keptResult struct {
	Result  Result  `json:"result"`
	Seconds float64 `json:"seconds"`
}

// keptBuild is what taking in a conversation cost, and the bank of a system that
// tells it.
type keptBuild struct {
	Seconds   float64      `json:"seconds"`
	Notes     int          `json:"notes"`
	PeakBytes uint64       `json:"peak_bytes"`
	Bank      []BankRow    `json:"bank,omitempty"`
	Ledger    []LedgerFact `json:"ledger,omitempty"`
}

// keptLine is one line of a file: a result, or what a conversation cost.
type keptLine struct {
	Conversation string      `json:"conversation"`
	Asked        *keptResult `json:"asked,omitempty"`
	Built        *keptBuild  `json:"built,omitempty"`
}

// keptFile is the file of one key, read and open to be added to. A nil one is
// empty and keeps nothing.
type keptFile struct {
	file    *os.File
	results map[questionKey]keptResult
	builds  map[string]keptBuild
}

func (k *Kept) open(key keptKey) (*keptFile, error) {
	if k == nil {
		return nil, nil
	}
	folder := filepath.Join(k.Folder, "results")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "open the cache of results: %w", err)
	}
	path := filepath.Join(folder, key.file())
	f := &keptFile{results: map[questionKey]keptResult{}, builds: map[string]keptBuild{}}
	sound, err := f.load(path)
	if err == nil && sound != nil { // damaged: what is sound stays
		k.warn(fmt.Sprintf("%s is damaged; what cannot be read is made anew", path))
		err = replaceFile(path, sound)
	}
	if err == nil {
		f.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	}
	if err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "open the cache of results: %w", err)
	}
	return f, nil
}

func (k *Kept) warn(text string) {
	if k.Warn != nil {
		k.Warn(text)
	}
}

// load reads a file. When some of it is damaged it returns the lines that are
// not, else nil.
func (f *keptFile) load(path string) (sound []byte, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	damaged := false
	sound = []byte{}
	for line := range bytes.Lines(data) {
		if f.read(line) {
			sound = append(sound, line...)
		} else {
			damaged = true
		}
	}
	if !damaged {
		return nil, nil
	}
	return sound, nil
}

// read takes one line: a checksum, a space, JSON, a line feed. It reports whether
// the line is sound.
func (f *keptFile) read(line []byte) bool {
	sum, text, found := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	var l keptLine
	if !found || !bytes.HasSuffix(line, []byte("\n")) || string(sum) != checksum(text) || json.Unmarshal(text, &l) != nil {
		return false
	}
	if l.Asked != nil {
		f.results[questionKey{l.Conversation, l.Asked.Result.ID}] = *l.Asked
	}
	if l.Built != nil {
		f.builds[l.Conversation] = *l.Built
	}
	return true
}

func checksum(text []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(text)) }

// replaceFile puts data in the place of a file, whole or not at all.
func replaceFile(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".results-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	if _, err := temp.Write(data); err != nil {
		return errors.Join(err, temp.Close())
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// get returns the result of a question, if it is kept.
func (f *keptFile) get(conversation, question string) (keptResult, bool) {
	if f == nil {
		return keptResult{}, false
	}
	r, ok := f.results[questionKey{conversation, question}]
	return r, ok
}

// whole returns what a conversation cost, if that and the results of all its
// questions are kept.
func (f *keptFile) whole(c Conversation) (keptBuild, bool) {
	if f == nil {
		return keptBuild{}, false
	}
	b, ok := f.builds[c.ID]
	for _, q := range c.Questions {
		_, has := f.get(c.ID, q.ID)
		ok = ok && has
	}
	return b, ok
}

func (f *keptFile) keep(conversation string, r keptResult) error {
	return f.write(keptLine{Conversation: conversation, Asked: &r})
}

func (f *keptFile) keepBuild(conversation string, b keptBuild) error {
	return f.write(keptLine{Conversation: conversation, Built: &b})
}

// write adds a line in one piece, so that lines of two processes do not mix.
func (f *keptFile) write(l keptLine) error {
	if f == nil {
		return nil
	}
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("keep a result: %w", err)
	}
	if _, err := f.file.Write([]byte(checksum(text) + " " + string(text) + "\n")); err != nil {
		return daybook.Errorf(daybook.Unavailable, "keep a result: %w", err)
	}
	return nil
}

func (f *keptFile) close() error {
	if f == nil {
		return nil
	}
	return f.file.Close()
}
