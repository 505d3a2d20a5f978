package engine

import (
	"context"

	"daybook"
	"daybook/graph"
)

// EventQuery selects events to read.
type EventQuery struct {
	graph.EventSelect
	At daybook.AsOf
}

// Events returns the events that the query selects, in the order of their time,
// each with its validity at the asked time.
func (e *Engine) Events(ctx context.Context, scope daybook.Scope, q EventQuery) (events []daybook.EventView, err error) {
	err = e.read(ctx, scope, q.At, func(b *graph.Book) (err error) {
		events, err = b.Events(q.EventSelect)
		return err
	})
	return events, err
}

// EventLinks returns the links from and to an event, those that follow from links
// between facts included.
func (e *Engine) EventLinks(ctx context.Context, scope daybook.Scope, id daybook.EventID, at daybook.AsOf) (links []daybook.LinkView, err error) {
	err = e.read(ctx, scope, at, func(b *graph.Book) (err error) {
		links, err = b.EventLinks(id)
		return err
	})
	return links, err
}

// Learned returns what stands on a note, by our id or the caller's: its enriched
// text, events, facts, and their links.
func (e *Engine) Learned(ctx context.Context, scope daybook.Scope, note string, at daybook.AsOf) (l daybook.Learned, err error) {
	err = e.read(ctx, scope, at, func(b *graph.Book) (err error) {
		l, err = b.Learned(note)
		return err
	})
	return l, err
}
