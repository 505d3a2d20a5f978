package eval

import (
	"context"

	"daybook"
)

// System is something that remembers: Daybook itself, a baseline, or a server.
type System interface {
	// Name is what results are filed under.
	Name() string
	// Build takes in one conversation.
	Build(ctx context.Context, c Conversation) (Memory, error)
}

// Memory is one conversation taken in by a system. It is used by one goroutine.
type Memory interface {
	// Recall returns up to k rows for a question, best first.
	Recall(ctx context.Context, q Question, k int) ([]Row, error)
	Close() error
}

// noClose is for memories that hold nothing.
type noClose struct{}

func (noClose) Close() error { return nil }

// Recent is the baseline that returns the latest notes, whatever is asked.
type Recent struct{}

// Name implements System.
func (Recent) Name() string { return "recent" }

// Build implements System.
func (Recent) Build(_ context.Context, c Conversation) (Memory, error) {
	return recentMemory{notes: c.Notes}, nil
}

type recentMemory struct {
	noClose
	notes []daybook.Note
}

func (m recentMemory) Recall(_ context.Context, _ Question, k int) ([]Row, error) {
	var rows []Row
	for i := len(m.notes) - 1; i >= 0 && len(rows) < k; i-- {
		rows = append(rows, Row{ID: m.notes[i].SourceID, Score: 1 / float64(len(rows)+1)})
	}
	return rows, nil
}
