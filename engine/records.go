package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"daybook"
	"daybook/answer"
	"daybook/store"
)

// Records is what doors keep in the store for the whole home: keys, webhooks, the audit
// log. It is safe for use by many goroutines, and by many processes.
type Records struct{ store store.Store }

// Records are those of the engine's store.
func (e *Engine) Records() Records { return Records{e.store} }

// List returns the bodies of the records of a kind, by id.
func (r Records) List(ctx context.Context, kind string) (bodies [][]byte, err error) {
	err = r.store.View(ctx, store.Common, func(v store.Reader) (err error) {
		bodies, err = bodiesOf(v, kind)
		return err
	})
	return bodies, err
}

// Change runs change on the records of a kind while nobody else changes any. What it
// returns is kept in their place; nil changes nothing.
func (r Records) Change(ctx context.Context, kind string, change func(now [][]byte) (map[string][]byte, error)) error {
	return r.store.Update(ctx, store.Common, func(w store.Writer) error {
		now, err := bodiesOf(w, kind)
		if err != nil {
			return err
		}
		then, err := change(now)
		if err != nil || then == nil {
			return err
		}
		if err := w.TrimRecords(kind, 0); err != nil {
			return err
		}
		return putAll(w, kind, then)
	})
}

// Append adds records, whose ids rise with time, and keeps the newest.
func (r Records) Append(ctx context.Context, kind string, added map[string][]byte, keep int) error {
	return r.store.Update(ctx, store.Common, func(w store.Writer) error {
		if err := putAll(w, kind, added); err != nil {
			return err
		}
		return w.TrimRecords(kind, keep)
	})
}

func putAll(w store.Writer, kind string, all map[string][]byte) error {
	for id, body := range all {
		if err := w.PutRecord(store.Record{Kind: kind, ID: id, Body: body}); err != nil {
			return err
		}
	}
	return nil
}

func bodiesOf(r store.Reader, kind string) (bodies [][]byte, err error) {
	for rec, err := range r.Records(kind) {
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, rec.Body)
	}
	return bodies, nil
}

// answersKind are answers that were given, by the time of asking. They quote the memory, so
// every erasure in their scope drops them.
const answersKind = "answer"

// answersKept is how many answers of a scope can be traced.
const answersKept = 1000

// KeptAnswer is an answer with the question as it was asked.
type KeptAnswer struct {
	Text   string        `json:"text"`
	View   daybook.View  `json:"view"`
	At     daybook.AsOf  `json:"at"`
	Budget int           `json:"budget"`
	Answer answer.Answer `json:"answer"`
}

// KeepAnswer keeps an answer, so that it can be traced. Where the store cannot be written
// it is not kept; that is no reason not to give it.
func (e *Engine) KeepAnswer(ctx context.Context, scope daybook.Scope, q Asked, got answer.Answer) error {
	got.Rows = nil // found again when it is traced
	body, err := json.Marshal(KeptAnswer{q.Text, q.View, q.At, q.Budget, got})
	if err != nil {
		return daybook.Errorf(daybook.Internal, "keep the answer: %w", err)
	}
	err = e.store.Update(ctx, scope, func(w store.Writer) error {
		id := fmt.Sprintf("%016x %s", e.ledger.Now().UnixMicro(), got.ID)
		if err := w.PutRecord(store.Record{Kind: answersKind, ID: id, Body: body}); err != nil {
			return err
		}
		return w.TrimRecords(answersKind, answersKept)
	})
	if store.CannotWrite(err) {
		return nil
	}
	return err
}

// FindAnswer returns the last kept answer whose id begins with a prefix of at least eight
// letters.
func (e *Engine) FindAnswer(ctx context.Context, scope daybook.Scope, prefix string) (found KeptAnswer, err error) {
	var body []byte
	err = e.store.View(ctx, scope, func(r store.Reader) error {
		for rec, err := range r.Records(answersKind) {
			if err != nil {
				return err
			}
			if _, id, _ := strings.Cut(rec.ID, " "); len(prefix) >= 8 && strings.HasPrefix(id, prefix) {
				body = rec.Body
			}
		}
		return nil
	})
	if err != nil {
		return found, err
	}
	if body == nil {
		return found, daybook.Errorf(daybook.NotFound, "no answer %s is kept in this scope; 'daybook ask' keeps them until something is erased", prefix)
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return found, daybook.Errorf(daybook.Corrupt, "kept answer %s: %w", prefix, err)
	}
	return found, nil
}
