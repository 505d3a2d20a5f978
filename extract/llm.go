package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"daybook"
	"daybook/model"
)

// Limits of one call, where an LLM sets none.
const (
	partNotes   = 24              // notes to read
	partTokens  = 3000            // of their text, at four bytes a token
	lookAhead   = 2               // notes that follow the last one to read
	callTimeout = 2 * time.Minute // for all attempts at one call
	maxStates   = 40              // known values that a call is told
	attempts    = 2               // at a reply that fits the schema
)

// A model server that failed this many times in a row is left alone for a while.
const (
	patience = 2
	rest     = time.Minute
)

// LLM learns with a language model: one call for each stretch of a session, with
// the notes around it as context. What the model says is held against the notes;
// what they do not bear out is dropped and counted. Where the model does not
// serve or talks nonsense, Local stands in and Learned.Fallback says why. It is
// safe for use by many at once.
type LLM struct {
	Completer model.Completer
	Model     string // the model's id, for By
	Local     Reading
	Notes     int              // most notes to read in one call; 0 means 24
	Tokens    int              // most tokens of their text; 0 means 3,000
	Timeout   time.Duration    // of one call; 0 means two minutes
	Now       func() time.Time // the clock by which a failing server is left alone; nil means time.Now

	mu       sync.Mutex
	failures int       // in a row, of the server and not of what it said
	until    time.Time // not asked before
}

// By is who makes what this model finds, and by which prompt.
func (l *LLM) By() string { return "model:" + l.Model + ":" + learnPrompt.name }

// WantsStates says that windows with known values are of use.
func (l *LLM) WantsStates() bool { return true }

// Learn reads the notes of a window from From on. It fails only where Local does.
func (l *LLM) Learn(ctx context.Context, w Window) (Learned, error) {
	var all Learned
	failed := map[string]int{}
	states := w.States
	parts := l.parts(w)
	for _, p := range parts {
		p.states = states[max(0, len(states)-maxStates):]
		got, err := l.learnPart(ctx, p)
		if err != nil {
			failed[failure(ctx, err)]++
			dropped := got.Dropped
			if got, err = l.localPart(ctx, p); err != nil {
				return Learned{}, err
			}
			got.Dropped = dropped
		}
		all.join(got)
		states = append(slices.Clip(states), statesOf(got)...)
	}
	all.Fallback = fallback(failed, len(parts))
	return all, nil
}

// part is what one call is about: notes, some of them to read.
type part struct {
	notes  []daybook.Note
	read   []bool // by note; the others are context
	states []Known
	long   bool // it holds one note that is too long for a model
}

// parts cuts a window into stretches that fit a call.
func (l *LLM) parts(w Window) (all []part) {
	most, tokens := orElse(l.Notes, partNotes), orElse(l.Tokens, partTokens)
	first, count, size := -1, 0, 0
	flush := func(end int) {
		if count > 0 {
			all = append(all, w.part(first, end))
		}
		first, count, size = -1, 0, 0
	}
	for i := w.From; i < len(w.Notes); i++ {
		if w.Read[w.Notes[i].ID] {
			continue
		}
		need := len(w.Notes[i].Text)/4 + 1
		if count == most || size+need > tokens {
			flush(i)
		}
		if first < 0 {
			first = i
		}
		count, size = count+1, size+need
		if need > tokens {
			flush(i + 1)
			all[len(all)-1].long = true
		}
	}
	flush(len(w.Notes))
	return all
}

// part is the stretch [first, end) of the window with the notes around it.
func (w Window) part(first, end int) part {
	for end > first && w.Read[w.Notes[end-1].ID] {
		end--
	}
	from, to := max(0, first-LookBack), min(len(w.Notes), end+lookAhead)
	p := part{notes: w.Notes[from:to], read: make([]bool, to-from)}
	for i := first; i < end; i++ {
		p.read[i-from] = !w.Read[w.Notes[i].ID]
	}
	return p
}

func orElse(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// errors of a call that was not made, or whose reply is no use.
var (
	errLong       = errors.New("a note is too long for the model")
	errResting    = errors.New("the model is left alone after failures")
	errUnfaithful = errors.New("the model said more that the notes do not bear out than that they do")
)

// learnPart asks the model about a part. With an error, Dropped may still say how
// much of a reply was no use.
func (l *LLM) learnPart(ctx context.Context, p part) (Learned, error) {
	if p.long {
		return Learned{}, errLong
	}
	if l.resting() {
		return Learned{}, errResting
	}
	timeout := l.Timeout
	if timeout <= 0 {
		timeout = callTimeout
	}
	call, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	said, _, err := model.CompleteJSON[reply](call, l.Completer, request(p), attempts)
	l.served(ctx, err)
	if err != nil {
		return Learned{}, err
	}
	got, kept := said.check(p, l.By())
	if got.Dropped > kept {
		return Learned{Dropped: got.Dropped}, errUnfaithful
	}
	return got, nil
}

// localPart reads the notes of a part without the model.
func (l *LLM) localPart(ctx context.Context, p part) (all Learned, err error) {
	for i := 0; i < len(p.notes); i++ {
		if !p.read[i] {
			continue
		}
		end := i
		for end < len(p.notes) && p.read[end] {
			end++
		}
		got, err := l.Local.Learn(ctx, Window{Notes: p.notes[:end], From: i, States: p.states})
		if err != nil {
			return Learned{}, err
		}
		all.join(got)
		i = end
	}
	return all, nil
}

// join adds what was learned from another part of the same window.
func (l *Learned) join(o Learned) {
	for _, e := range o.Entities {
		if !slices.ContainsFunc(l.Entities, func(x daybook.Entity) bool { return x.ID == e.ID }) {
			l.Entities = append(l.Entities, e)
		}
	}
	for _, m := range o.Merges {
		if !slices.ContainsFunc(l.Merges, func(x daybook.Merge) bool { return x.From == m.From }) {
			l.Merges = append(l.Merges, m)
		}
	}
	l.Enrichments = append(l.Enrichments, o.Enrichments...)
	l.Events = append(l.Events, o.Events...)
	l.Facts = append(l.Facts, o.Facts...)
	l.Links = append(l.Links, o.Links...)
	l.Dropped += o.Dropped
}

// statesOf are the facts that a later part may bear on.
func statesOf(l Learned) (known []Known) {
	for _, f := range l.Facts {
		if f.Modality != daybook.Asserted || !f.Valid.Until.IsZero() {
			continue
		}
		i := slices.IndexFunc(l.Entities, func(e daybook.Entity) bool { return e.ID == f.Subject })
		if i >= 0 {
			known = append(known, Known{l.Entities[i], f.Fact})
		}
	}
	return known
}

// resting reports whether the server is left alone for now.
func (l *LLM) resting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now().Before(l.until)
}

// served remembers whether the server answered. What it said is another matter,
// and a caller who gave up or a spent budget is no fault of it.
func (l *LLM) served(ctx context.Context, err error) {
	_, nonsense := errors.AsType[*model.NonsenseError](err)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil || nonsense:
		l.failures = 0
	case ctx.Err() != nil || errors.Is(err, model.ErrBudget):
	default:
		if l.failures++; l.failures >= patience {
			l.failures, l.until = 0, l.now().Add(rest)
		}
	}
}

func (l *LLM) now() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}

// failure says in a few words why the model was no use. The words hold nothing of
// notes or replies.
func failure(ctx context.Context, err error) string {
	server, isServer := errors.AsType[*model.ServerError](err)
	nonsense, isNonsense := errors.AsType[*model.NonsenseError](err)
	switch {
	case errors.Is(err, errLong), errors.Is(err, errResting), errors.Is(err, errUnfaithful):
		return err.Error()
	case errors.Is(err, model.ErrBudget):
		return "the token budget is spent"
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled):
		return "the model call was cancelled"
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), isServer && server.Trouble == model.TimedOut:
		return "the model timed out"
	case isNonsense && nonsense.Refused:
		return "the model declined"
	case isNonsense:
		return "the model gave no usable reply"
	case isServer:
		return "model server: " + string(server.Trouble)
	}
	return "the model failed: " + daybook.KindOf(err).String()
}

// fallback sums up the failures of a window's parts.
func fallback(failed map[string]int, parts int) string {
	var all []string
	for why, n := range failed {
		if parts > 1 {
			why = fmt.Sprintf("%s (%d of %d calls)", why, n, parts)
		}
		all = append(all, why)
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}
