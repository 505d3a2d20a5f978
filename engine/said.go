package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"daybook"
	"daybook/answer"
	"daybook/extract"
	"daybook/graph"
	"daybook/index"
	"daybook/store"
)

// said is a sentence that may tell of a state.
type said struct {
	place    store.Place // of the note
	index    int         // among the sentences of the note
	variable []float32   // of the state that it would speak of
	vector   []float32   // of its words, as the encoder made it
}

// speech is what one speaker said: the vectors of the sentences, and those of the
// states that they would speak of, row by row. It never changes.
type speech struct{ vectors, variables *index.Space }

// sentences are the sentences of a scope that questions are matched with, by
// speaker. They follow the ledger; all of it is derived, and kept with the index.
type sentences struct {
	mu        sync.Mutex
	upTo      uint64       // the commit up to which they were listened to
	head      store.Commit // up to here, erasures have been looked for
	bySpeaker map[string]speech
	// claims are what sentences claim. After an erasure there are new ones, so that what
	// somebody still reads of before it is kept nowhere.
	claims *claims
}

// keptClaims is how many sentences a generation of claims holds, and how many values.
const keptClaims = 2048

// claims are what the sentences of a scope claim that were asked about lately, and how
// its notes give values that the ledger has from them.
type claims struct {
	*lately[sentenceAt, claimed]
	values *lately[valueOf, claimed]
}

// sentenceAt is a sentence by the place of its note and its index there.
type sentenceAt struct {
	store.Place
	index int
}

// valueOf is a value that a note gives.
type valueOf struct {
	note  daybook.NoteID
	value string
}

// claimed is what a sentence claims; false where it claims nothing of a state.
type claimed struct {
	answer.Claim
	ok bool
}

// lists are the sentences as they are kept, and the commit up to which nothing of them
// was erased.
func (s *sentences) lists() (lists []index.List, head store.Commit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, who := range slices.Sorted(maps.Keys(s.bySpeaker)) {
		one := s.bySpeaker[who]
		lists = append(lists, index.List{Name: who, UpTo: s.upTo, Space: one.vectors}, index.List{Name: who, UpTo: s.upTo, Space: one.variables})
	}
	return lists, s.head
}

// take takes what lists returned, where nothing was listened to yet.
func (s *sentences) take(lists []index.List, head store.Commit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.upTo > 0 {
		return
	}
	for i := 0; i+1 < len(lists); i += 2 {
		s.upTo, s.head = lists[i].UpTo, head
		s.bySpeaker[lists[i].Name] = speech{lists[i].Space, lists[i+1].Space}
	}
}

// saidSpace is the space of the vectors of sentences that may tell of a state.
func (e *Engine) saidSpace() string { return e.encoder.ID() + saidSuffix }

const saidSuffix = "#said"

// keepSaid puts the vectors of new sentences beside the ledger, in the transaction
// that appended what was learned from their notes. Where other notes up to that
// commit have none yet, it leaves all to hear.
func (e *Engine) keepSaid(w store.Writer, upTo uint64, learned lesson) error {
	if e.encoder == nil || len(learned.said) == 0 {
		return nil
	}
	heard, err := w.Covers(e.saidSpace())
	if err != nil || heard >= upTo {
		return err
	}
	notes, err := graph.NotesIn(w, store.Range{From: heard + 1, To: upTo})
	if err != nil || slices.ContainsFunc(notes, func(n graph.PlacedNote) bool { return !learned.read[n.ID] }) {
		return err
	}
	return w.PutVectors(e.saidSpace(), upTo, saidVectors(notes, learned.said))
}

func saidVectors(notes []graph.PlacedNote, all []extract.Said) (put []store.Vector) {
	places := map[daybook.NoteID]store.Place{}
	for _, n := range notes {
		places[n.ID] = n.Place
	}
	for _, s := range all {
		if at, ok := places[s.Note]; ok {
			put = append(put, store.Vector{Place: at, Part: s.Index, Data: index.Pack(s.Vector)})
		}
	}
	return put
}

// hearCommits are heard at a time.
const hearCommits = 256

// hear makes the vectors of sentences that are missing, up to a commit: of notes that
// were added without an encoder, or before there were any. Encoding holds no transaction.
func (e *Engine) hear(ctx context.Context, scope daybook.Scope, upTo uint64) error {
	for {
		var notes []graph.PlacedNote
		var within store.Range
		err := e.store.View(ctx, scope, func(r store.Reader) error {
			head, err := r.Head()
			if err != nil {
				return err
			}
			heard, err := r.Covers(e.saidSpace())
			last := min(upTo, head.Seq)
			if err != nil || heard >= last {
				return err
			}
			within = store.Range{From: heard + 1, To: min(heard+hearCommits, last)}
			notes, err = graph.NotesIn(r, within)
			return err
		})
		if err != nil || within.To == 0 {
			return err
		}
		heard, err := e.withBefore(ctx, scope, notes)
		if err != nil {
			return err
		}
		all, err := extract.Local{Encoder: e.encoder}.Hear(ctx, heard)
		if err != nil {
			return err
		}
		err = e.store.Update(ctx, scope, func(w store.Writer) error {
			return w.PutVectors(e.saidSpace(), within.To, saidVectors(notes, all))
		})
		if err != nil {
			return err
		}
	}
}

// withBefore gives notes the ones before them in their sessions.
func (e *Engine) withBefore(ctx context.Context, scope daybook.Scope, notes []graph.PlacedNote) ([]extract.Heard, error) {
	view, err := e.Index(ctx, scope)
	if err != nil {
		return nil, err
	}
	heard := make([]extract.Heard, len(notes))
	err = e.read(ctx, scope, daybook.AsOf{}, func(b *graph.Book) (err error) {
		for i := range notes {
			heard[i].Note = notes[i].Note
			if heard[i].Before, err = noteBefore(view, b, notes[i].Place); err != nil {
				return err
			}
		}
		return nil
	})
	return heard, err
}

// follow lets go of all where something was erased since.
func (s *sentences) follow(r store.Reader) error {
	head, err := r.Head()
	if err != nil || head.ID == s.head.ID {
		return err
	}
	whole, err := graph.Unerased(r, s.head)
	if err != nil {
		return err
	}
	if !whole {
		s.upTo, s.bySpeaker, s.claims = 0, map[string]speech{}, newClaims()
	}
	s.head = head
	return nil
}

// listen brings the known sentences up to the last commit that was heard.
func (e *Engine) listen(r store.Reader, known *sentences) error {
	if err := known.follow(r); err != nil {
		return err
	}
	heard, err := r.Covers(e.saidSpace())
	if err != nil || heard <= known.upTo {
		return err
	}
	fresh, n := map[string][]store.Vector{}, 0
	for from := known.upTo + 1; from <= heard; from += listenCommits {
		more, err := e.spoken(r, store.Range{From: from, To: min(from+listenCommits-1, heard)}, fresh)
		if err != nil {
			return err
		}
		if n += more; n >= listenVectors {
			if err := known.hear(fresh); err != nil {
				return err
			}
			fresh, n = map[string][]store.Vector{}, 0
		}
	}
	if err := known.hear(fresh); err != nil {
		return err
	}
	known.upTo = heard
	return nil
}

// listenCommits are read at a time, and what is read is laid down when it is
// listenVectors: all at once, a large scope would be held twice.
const (
	listenCommits = 64
	listenVectors = 1 << 15
)

// spoken reads the vectors of the sentences of some commits, by speaker, and says how
// many there are.
func (e *Engine) spoken(r store.Reader, within store.Range, into map[string][]store.Vector) (n int, err error) {
	notes, err := graph.NotesIn(r, within)
	if err != nil {
		return 0, err
	}
	speaker := make(map[store.Place]string, len(notes))
	for i := range notes {
		speaker[notes[i].Place] = strings.ToLower(notes[i].Speaker)
	}
	for v, err := range r.Vectors(e.saidSpace(), within) {
		if err != nil {
			return n, err
		}
		if who, ok := speaker[v.Place]; ok {
			v.Data = slices.Clone(v.Data)
			into[who] = append(into[who], v)
			n++
		}
	}
	return n, nil
}

// hear takes in sentences, by speaker. Sentences that are there already are replaced.
func (s *sentences) hear(fresh map[string][]store.Vector) (err error) {
	for who, vectors := range fresh {
		if s.bySpeaker[who], err = s.bySpeaker[who].with(vectors); err != nil {
			return err
		}
	}
	return nil
}

// with is the speech with more sentences, given by their vectors.
func (s speech) with(vectors []store.Vector) (speech, error) {
	variables := make([]store.Vector, len(vectors))
	for i, v := range vectors {
		variables[i] = store.Vector{Place: v.Place, Part: v.Part, Data: index.Pack(extract.VariableOf(index.Unpack(v.Data)))}
	}
	if s.vectors == nil {
		s = speech{index.NewList(len(vectors[0].Data) / 2), index.NewList(len(variables[0].Data) / 2)}
	}
	words, err := s.vectors.With(vectors)
	if err != nil {
		return s, err
	}
	states, err := s.variables.With(variables)
	return speech{words, states}, err
}

// sentence is one of them.
func (s speech) sentence(row int) said {
	one := said{variable: make([]float32, s.variables.Dim()), vector: make([]float32, s.vectors.Dim())}
	s.variables.Row(one.variable, row)
	one.place, one.index = s.vectors.Row(one.vector, row)
	return one
}

// of is the speech of whom a question is about: of the first of the people it names
// who said anything, of self where one asks about oneself (under the user's name, or as
// "user"), else of everybody. That person becomes the question's subject.
func (s *sentences) of(q *answer.Question, self string) (all []speech) {
	speakers := slices.Sorted(maps.Keys(s.bySpeaker))
	for _, n := range q.Asking.Names {
		for _, who := range speakers {
			if answer.SameName(who, n.Text) {
				q.Subject = n.Text
				return []speech{s.bySpeaker[who]}
			}
		}
	}
	for _, who := range []string{self, daybook.Scope{}.Speaker("", "")} {
		if own, ok := s.bySpeaker[who]; ok && q.Self {
			q.Subject = who
			return []speech{own}
		}
	}
	q.Subject = ""
	if len(speakers) == 1 && q.Named == "" {
		q.Sole = speakers[0]
	}
	for _, who := range speakers {
		all = append(all, s.bySpeaker[who])
	}
	return all
}

func newSentences() *sentences {
	return &sentences{bySpeaker: map[string]speech{}, claims: newClaims()}
}

func newClaims() *claims {
	return &claims{newLately[sentenceAt, claimed](keptClaims), newLately[valueOf, claimed](keptClaims)}
}
