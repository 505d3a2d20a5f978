package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/extract"
	"daybook/graph"
	"daybook/recall"
	"daybook/store"
)

// returnedSpace is where the store keeps what was returned lately: not the words, only
// hashes that they are known again by. Each row stands under the note that it was returned
// from, or that it stands on, and every erasure in the scope drops the space.
const returnedSpace = "#returned"

// Limits of the record of what was returned.
const (
	mostReturned = 1024             // texts of a scope
	mostAtOnce   = 100              // texts of one read
	keepEvery    = 10 * time.Second // writes of the record of a scope are this far apart
	lookEvery    = 5 * time.Second  // another process may have returned something since
)

// WithEchoes returns an engine that remembers what it returns, so that text which comes
// back is known for an echo. Doors have it; who only measures does not.
func (e *Engine) WithEchoes() *Engine {
	c := *e
	c.records = true
	return &c
}

// echoes is what was returned from a scope lately. All of it is derived, and erased
// with the notes that it is of.
type echoes struct {
	mu     sync.Mutex
	texts  map[returnedKey]returnedText
	fresh  map[returnedKey]bool // not in the store yet
	looked time.Time            // when the store was read last
	kept   time.Time            // when it was written last
}

// returnedKey tells texts of one note apart: 0 is the note itself.
type returnedKey struct {
	note daybook.NoteID
	part uint32
}

type returnedText struct {
	extract.Returned
	at time.Time
}

func newEchoes() *echoes {
	return &echoes{texts: map[returnedKey]returnedText{}, fresh: map[returnedKey]bool{}}
}

// given is a text that is handed out.
type given struct {
	note          daybook.NoteID
	part          uint32
	speaker, text string
}

// returned records what is handed out. It costs the reader no wait: the store is written
// behind its back, and only now and then.
func (e *Engine) returned(scope daybook.Scope, all []given) {
	if !e.records || len(all) == 0 {
		return
	}
	now := e.ledger.Now()
	known := e.echoes.of(scope)
	known.mu.Lock()
	defer known.mu.Unlock()
	for _, g := range all[:min(len(all), mostAtOnce)] {
		key := returnedKey{g.note, g.part}
		if old, ok := known.texts[key]; ok && now.Sub(old.at) < time.Hour {
			continue
		}
		if r := extract.ReturnedText(g.note, g.speaker, g.text); g.note != "" && r.Telling() {
			known.texts[key], known.fresh[key] = returnedText{r, now}, true
		}
	}
	known.bound()
	if len(known.fresh) > 0 && now.Sub(known.kept) >= keepEvery {
		known.kept = now
		e.behind.Go(func() { e.keepReturned(context.Background(), scope) })
	}
}

// bound forgets the oldest where there are too many, which it looks for when a quarter
// more has come.
func (k *echoes) bound() {
	if len(k.texts) <= mostReturned+mostReturned/4 {
		return
	}
	var times []time.Time
	for _, t := range k.texts {
		times = append(times, t.at)
	}
	slices.SortFunc(times, time.Time.Compare)
	oldest := times[len(times)-mostReturned]
	for key, t := range k.texts {
		if t.at.Before(oldest) {
			delete(k.texts, key)
			delete(k.fresh, key)
		}
	}
}

func (e *Engine) returnedRows(scope daybook.Scope, rows []recall.Row) {
	if !e.records {
		return
	}
	var all []given
	for i := range rows {
		all = append(all, given{note: rows[i].ID, speaker: rows[i].Speaker, text: rows[i].Text})
	}
	e.returned(scope, all)
}

func (e *Engine) returnedPacket(scope daybook.Scope, p *answer.Packet) {
	if !e.records {
		return
	}
	var all []given
	for _, it := range p.Items {
		all = append(all, given{note: it.ID, speaker: it.Speaker, text: it.Text})
	}
	e.returned(scope, all)
}

// returnedAnswer records an answer under the first note that it cites. What stands on
// none is nothing that was remembered.
func (e *Engine) returnedAnswer(scope daybook.Scope, a answer.Answer) {
	if !e.records || len(a.Citations) == 0 {
		return
	}
	e.returned(scope, []given{{note: a.Citations[0].ID, part: partOf(a.Text), text: a.Text}})
}

func (e *Engine) returnedStates(scope daybook.Scope, states []daybook.State) {
	if !e.records {
		return
	}
	var all []given
	for _, st := range states {
		for _, p := range st.Periods {
			f := p.Facts[0]
			if len(f.Sources) > 0 {
				text := st.Subject.Name + " " + f.Relation + " " + p.Object
				all = append(all, given{note: f.Sources[0], part: partOf(string(f.ID)), text: text})
			}
		}
	}
	e.returned(scope, all)
}

// partOf is never 0, which is the note itself.
func partOf(s string) uint32 { return extract.Hash(s)>>2 | 1 }

// keepReturned writes what is new of a scope's record into the store, and drops what is
// too old there. The record is derived: a store that cannot be written is no failure.
func (e *Engine) keepReturned(ctx context.Context, scope daybook.Scope) {
	known := e.echoes.of(scope)
	known.mu.Lock()
	defer known.mu.Unlock()
	if len(known.fresh) == 0 {
		return
	}
	err := e.store.Update(ctx, scope, func(w store.Writer) error {
		b, err := graph.Open(w, daybook.AsOf{}, e.ledger.Now())
		if err != nil {
			return err
		}
		var put []store.Vector
		for key := range known.fresh {
			at, ok, err := b.NotePlace(key.note)
			if err != nil {
				return err
			}
			if ok {
				put = append(put, store.Vector{Place: at, Part: int(key.part), Data: known.texts[key].encode()})
			}
		}
		return errors.Join(w.PutVectors(returnedSpace, 0, put), dropOldReturned(w))
	})
	if err != nil {
		slog.Debug("what was returned could not be kept", "error", err)
		return
	}
	clear(known.fresh)
}

// dropOldReturned removes the oldest rows where the store has far too many.
func dropOldReturned(w store.Writer) error {
	type row struct {
		store.Place
		at int64
	}
	var rows []row
	for v, err := range w.Vectors(returnedSpace, store.All) {
		if err != nil {
			return err
		}
		if len(v.Data) >= 8 {
			rows = append(rows, row{v.Place, int64(binary.LittleEndian.Uint64(v.Data))})
		}
	}
	if len(rows) <= 2*mostReturned {
		return nil
	}
	daybook.Sort(rows, func(a, b row) int { return int(min(max(a.at-b.at, -1), 1)) })
	var old []store.Place
	for _, r := range rows[:len(rows)-mostReturned] {
		old = append(old, r.Place)
	}
	return w.RemoveVectors(returnedSpace, old)
}

// encode is the row of a text: when it was returned in microseconds, the speaker's hash,
// the hashes of the pairs, all little endian.
func (t returnedText) encode() []byte {
	data := binary.LittleEndian.AppendUint64(nil, uint64(t.at.UnixMicro()))
	data = binary.LittleEndian.AppendUint32(data, t.Speaker)
	for _, p := range t.Pairs {
		data = binary.LittleEndian.AppendUint32(data, p)
	}
	return data
}

func decodeReturned(of daybook.NoteID, data []byte) (t returnedText) {
	if len(data) < 12 {
		return t
	}
	t.at = time.UnixMicro(int64(binary.LittleEndian.Uint64(data)))
	t.Of, t.Speaker = of, binary.LittleEndian.Uint32(data[8:])
	for data = data[12:]; len(data) >= 4; data = data[4:] {
		t.Pairs = append(t.Pairs, binary.LittleEndian.Uint32(data))
	}
	return t
}

// markEchoes marks what notes repeat of what was returned. Notes that cannot hold an
// echo cost nothing.
func (e *Engine) markEchoes(ctx context.Context, scope daybook.Scope, notes []daybook.Note) (marked int, err error) {
	if !slices.ContainsFunc(notes, extract.MayEcho) {
		return 0, nil
	}
	returned, err := e.returnedLately(ctx, scope)
	if err != nil || len(returned) == 0 {
		return 0, err
	}
	for i := range notes {
		if notes[i].Echoes = extract.Echoes(notes[i], returned); len(notes[i].Echoes) > 0 {
			marked++
		}
	}
	return marked, nil
}

// returnedLately is what this process and others returned from the scope.
func (e *Engine) returnedLately(ctx context.Context, scope daybook.Scope) ([]extract.Returned, error) {
	known := e.echoes.of(scope)
	known.mu.Lock()
	defer known.mu.Unlock()
	if now := e.ledger.Now(); now.Sub(known.looked) >= lookEvery || now.Before(known.looked) {
		if err := e.store.View(ctx, scope, known.load); err != nil {
			return nil, err
		}
		known.looked = now
		known.bound()
	}
	all := make([]extract.Returned, 0, len(known.texts))
	for _, t := range known.texts {
		all = append(all, t.Returned)
	}
	return all, nil
}

// load adds what the store holds to what is known.
func (k *echoes) load(r store.Reader) error {
	var b *graph.Book
	for v, err := range r.Vectors(returnedSpace, store.All) {
		if err != nil {
			return err
		}
		if b == nil {
			if b, err = graph.Open(r, daybook.AsOf{}, time.Time{}); err != nil {
				return err
			}
		}
		n, ok, err := b.NoteObserved(v.Place)
		if err != nil {
			return err
		}
		key := returnedKey{n.ID, uint32(v.Part)}
		if t := decodeReturned(n.ID, v.Data); ok && (k.texts[key].at.IsZero() || t.at.After(k.texts[key].at)) {
			k.texts[key] = t
		}
	}
	return nil
}
