package model

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"daybook"
)

// Tape is a file of replies, so that tests and benches run without models.
//
// A tape is JSON lines, one reply or vector each, keyed by a hash of what was
// asked of which model. It holds no questions, keys, headers or addresses, and
// only what was answered well. Safe for concurrent use.
type Tape struct {
	path   string
	record bool

	mu      sync.Mutex
	entries map[string]entry
	waiting map[string]chan struct{} // calls under way, by hash
	file    *os.File                 // open for appending while recording
	unsaved bool
}

// entry is one line. A reply has Reply set, a vector the last three.
type entry struct {
	Kind    string `json:"kind"` // "complete" or "encode"
	Hash    string `json:"hash"`
	Purpose string `json:"purpose,omitempty"` // for the reader; not part of the hash
	Reply   *Reply `json:"reply,omitempty"`
	Encoder string `json:"encoder,omitempty"`
	Dim     int    `json:"dim,omitempty"`
	Vector  string `json:"vector,omitempty"` // little-endian float32s in base64
}

// OpenTape opens a tape to replay: what is not on it is NotFound. A missing
// file is NotFound, a damaged one Corrupt.
func OpenTape(path string) (*Tape, error) {
	return loadTape(path, false)
}

// RecordTape opens a tape to record: what is on it is replayed, what is not is
// asked of the model and written down at once. A missing file is made. A last
// line that a crash cut off is dropped. Call Close to put the file in order.
func RecordTape(path string) (*Tape, error) {
	t, err := loadTape(path, true)
	if err != nil {
		return nil, err
	}
	t.unsaved = true
	if err := t.rewrite(); err != nil {
		return nil, err
	}
	t.file, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "open tape %s: %w", path, err)
	}
	return t, nil
}

func loadTape(path string, record bool) (*Tape, error) {
	t := &Tape{path: path, record: record, entries: map[string]entry{}, waiting: map[string]chan struct{}{}}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && record:
		return t, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, daybook.Errorf(daybook.NotFound, "open tape: %w", err)
	case err != nil:
		return nil, daybook.Errorf(daybook.Unavailable, "open tape: %w", err)
	}
	if record {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	if err := t.parse(data); err != nil {
		return nil, err
	}
	return t, nil
}

// maxLine is far above the longest reply that clients take.
const maxLine = 4 * maxReplyBody

func (t *Tape) parse(data []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return daybook.Errorf(daybook.Corrupt, "tape %s, line %d: %w", t.path, n, err)
		}
		if err := e.check(); err != nil {
			return daybook.Errorf(daybook.Corrupt, "tape %s, line %d: %w", t.path, n, err)
		}
		t.entries[e.Hash] = e
	}
	if err := lines.Err(); err != nil {
		return daybook.Errorf(daybook.Corrupt, "tape %s: %w", t.path, err)
	}
	return nil
}

func (e entry) check() error {
	switch {
	case e.Hash == "":
		return errors.New("no hash")
	case e.Kind == "complete" && e.Reply != nil:
		return nil
	case e.Kind == "encode" && len(e.row()) == e.Dim && e.Dim > 0:
		return nil
	}
	return fmt.Errorf("not a whole entry of kind %q", e.Kind)
}

// row returns the vector, or nil when it is damaged.
func (e entry) row() []float32 {
	packed, err := base64.StdEncoding.DecodeString(e.Vector)
	if err != nil {
		return nil
	}
	return floats(packed)
}

// Close ends recording: the file is rewritten in order, so that the same
// replies make the same bytes whoever came first. Closing twice is harmless.
func (t *Tape) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "close tape %s: %w", t.path, err)
	}
	return t.rewrite()
}

// rewrite replaces the file by one with all entries in order. The caller holds
// the lock, or is alone.
func (t *Tape) rewrite() error {
	if !t.unsaved {
		return nil
	}
	var out bytes.Buffer
	for _, e := range t.sorted() {
		line, err := json.Marshal(e)
		if err != nil {
			return daybook.Errorf(daybook.Internal, "write tape %s: %w", t.path, err)
		}
		out.Write(append(line, '\n'))
	}
	if err := replaceFile(t.path, out.Bytes(), 0o600); err != nil {
		return daybook.Errorf(daybook.Unavailable, "write tape: %w", err)
	}
	t.unsaved = false
	return nil
}

func (t *Tape) sorted() []entry {
	all := make([]entry, 0, len(t.entries))
	for _, e := range t.entries {
		all = append(all, e)
	}
	daybook.Sort(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Hash, b.Hash))
	})
	return all
}

// replaceFile writes beside the file and renames, so that a crash leaves the
// old one or the new one.
func replaceFile(path string, data []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	if _, err := tmp.Write(data); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := tmp.Chmod(mode); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := tmp.Sync(); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// claim returns the entry when it is on the tape. Otherwise, while recording,
// it waits for whoever is asking the same, and then makes the caller the one who
// asks: the caller must call release.
func (t *Tape) claim(ctx context.Context, hash string) (e entry, found bool, err error) {
	for {
		t.mu.Lock()
		e, found = t.entries[hash]
		other := t.waiting[hash]
		if !found && other == nil && t.record {
			t.waiting[hash] = make(chan struct{})
		}
		t.mu.Unlock()
		if found || other == nil {
			return e, found, nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return entry{}, false, daybook.Errorf(daybook.Unavailable, "wait for recording: %w", ctx.Err())
		}
	}
}

// release ends a claim and wakes those who wait for it.
func (t *Tape) release(hash string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if done := t.waiting[hash]; done != nil {
		close(done)
		delete(t.waiting, hash)
	}
}

// add writes an entry down.
func (t *Tape) add(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return daybook.Errorf(daybook.Internal, "write tape %s: %w", t.path, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return daybook.Errorf(daybook.Unavailable, "write tape %s: it is closed", t.path)
	}
	if _, known := t.entries[e.Hash]; known {
		return nil
	}
	if _, err := t.file.Write(append(line, '\n')); err != nil {
		return daybook.Errorf(daybook.Unavailable, "write tape: %w", err)
	}
	t.entries[e.Hash] = e
	t.unsaved = true
	return nil
}

func (t *Tape) missing(hash, what string) error {
	return daybook.Errorf(daybook.NotFound, "tape %s has no reply for %s, hash %s", t.path, what, hash)
}

// Completer returns a completer that answers from the tape. The model is part
// of what is asked, so that replies of different models can share a tape. While
// recording, inner answers what is not on it; for replay inner may be nil.
func (t *Tape) Completer(inner Completer, model string) *TapeCompleter {
	return &TapeCompleter{tape: t, inner: inner, model: model}
}

// TapeCompleter is a Completer that answers from a Tape. Its replies have Cached
// set when no model was called.
type TapeCompleter struct {
	tape  *Tape
	inner Completer
	model string
}

// Complete answers from the tape; see Completer. What is neither on it nor to
// be recorded is NotFound, and the error names the request's hash and purpose.
func (c *TapeCompleter) Complete(ctx context.Context, req Request) (Reply, error) {
	hash := requestHash(c.model, req)
	e, found, err := c.tape.claim(ctx, hash)
	if err != nil {
		return Reply{}, err
	}
	if found && e.Reply != nil {
		reply := *e.Reply
		reply.Cached = true
		return reply, nil
	}
	if !c.tape.record {
		return Reply{}, c.tape.missing(hash, "purpose "+req.label())
	}
	defer c.tape.release(hash)
	reply, err := c.inner.Complete(ctx, req)
	if err != nil {
		return reply, err
	}
	return reply, c.tape.add(entry{Kind: "complete", Hash: hash, Purpose: req.Purpose, Reply: &reply})
}

// requestHash hashes what a model is asked: everything in the request that
// reaches it, and so not the purpose.
func requestHash(model string, req Request) string {
	canonical := struct {
		Kind        string
		Model       string
		Messages    []Message
		SchemaName  string
		Schema      string
		MaxTokens   int
		Temperature float64
		Seed        int64
	}{"complete", model, req.Messages, "", "", req.MaxTokens, req.Temperature, req.Seed}
	if req.Schema != nil {
		canonical.SchemaName, canonical.Schema = req.Schema.Name(), req.Schema.String()
	}
	return hashJSON(canonical)
}

func textHash(encoder string, as As, text string) string {
	return hashJSON([]string{"encode", encoder, string(as), text})
}

func hashJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil { // a temperature of NaN, which Request.Check refuses
		data = fmt.Appendf(nil, "%#v", v)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Encoder returns an encoder that answers from the tape, text by text, so that
// batches need not be the same. The model names the encoder; it and the role are
// part of what is asked. While recording, inner answers what is not on the tape;
// for replay inner may be nil.
func (t *Tape) Encoder(inner Encoder, model string) *TapeEncoder {
	return &TapeEncoder{tape: t, inner: inner, model: model}
}

// TapeEncoder is an Encoder that answers from a Tape.
type TapeEncoder struct {
	tape  *Tape
	inner Encoder
	model string
}

// Encode answers from the tape; see Encoder. A text that is neither on it nor
// to be recorded is NotFound, and the error names its hash.
func (e *TapeEncoder) Encode(ctx context.Context, as As, texts []string) (Vectors, error) {
	if err := e.fill(ctx, as, texts); err != nil {
		return Vectors{}, err
	}
	e.tape.mu.Lock()
	defer e.tape.mu.Unlock()
	vectors := Vectors{Encoder: e.model}
	for _, text := range texts {
		hash := textHash(e.model, as, text)
		found, ok := e.tape.entries[hash]
		if !ok {
			return Vectors{}, e.tape.missing(hash, "a text to encode with "+e.model)
		}
		if vectors.Dim != 0 && vectors.Dim != found.Dim {
			return Vectors{}, daybook.Errorf(daybook.Corrupt, "tape %s: vectors of lengths %d and %d for %s", e.tape.path, vectors.Dim, found.Dim, e.model)
		}
		vectors.Encoder, vectors.Dim = found.Encoder, found.Dim
		vectors.Data = append(vectors.Data, found.row()...)
	}
	return vectors, nil
}

// fill asks the inner encoder for what is not on the tape, in one call.
func (e *TapeEncoder) fill(ctx context.Context, as As, texts []string) error {
	if !e.tape.record {
		return nil
	}
	missing := e.missing(as, texts)
	if len(missing) == 0 {
		return nil
	}
	vectors, err := e.inner.Encode(ctx, as, missing)
	if err != nil {
		return err
	}
	if vectors.Len() != len(missing) {
		return daybook.Errorf(daybook.Unavailable, "record %s: %d vectors for %d texts", e.model, vectors.Len(), len(missing))
	}
	for i, text := range missing {
		err := e.tape.add(entry{Kind: "encode", Hash: textHash(e.model, as, text),
			Encoder: vectors.Encoder, Dim: vectors.Dim, Vector: packFloats(vectors.Row(i))})
		if err != nil {
			return err
		}
	}
	return nil
}

// missing returns the texts that are not on the tape, each once. Two callers may
// both find the same text missing; the tape keeps the first vector.
func (e *TapeEncoder) missing(as As, texts []string) []string {
	e.tape.mu.Lock()
	defer e.tape.mu.Unlock()
	var missing []string
	seen := map[string]bool{}
	for _, text := range texts {
		if _, ok := e.tape.entries[textHash(e.model, as, text)]; !ok && !seen[text] {
			seen[text] = true
			missing = append(missing, text)
		}
	}
	return missing
}
