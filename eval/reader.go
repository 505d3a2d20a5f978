package eval

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"daybook"
	"daybook/model"
)

// Systems that only recall are given a reader, so that answers can be compared
// too: either their best row is quoted, or a language model reads their rows.

// Quoting lets a system's best row stand for its answer: the least that a reader
// can do. A system that answers itself is left as it is.
type Quoting struct{ System }

// Reader says who answers.
func (Quoting) Reader() string { return "quote" }

// Version is what answers depend on beside the system's name.
func (s Quoting) Version() string { return versionWith(s.System, s.Reader()) }

// Build implements System.
func (s Quoting) Build(ctx context.Context, c Conversation) (Memory, error) {
	m, err := s.System.Build(ctx, c)
	if err != nil {
		return nil, err
	}
	return withReader(m, c, 1, quote), nil
}

func quote(_ context.Context, _ Question, rows []Row, notes map[string]daybook.Note) (Answer, error) {
	if len(rows) == 0 {
		return Answer{Abstained: true}, nil
	}
	return Answer{Text: notes[rows[0].ID].Text}, nil
}

// Reading lets a language model answer from a system's rows: the same model and
// the same prompt for every system.
type Reading struct {
	System
	Completer model.Completer
	Model     string
	Depth     int // rows that it reads; 0 means 10
}

var readerPrompt = mustPrompt("reader-1")

// Reader says who answers.
func (s Reading) Reader() string { return readerPrompt.name + " by " + s.Model }

// Version is what answers depend on beside the system's name.
func (s Reading) Version() string { return versionWith(s.System, s.Reader()) }

// Build implements System.
func (s Reading) Build(ctx context.Context, c Conversation) (Memory, error) {
	m, err := s.System.Build(ctx, c)
	if err != nil {
		return nil, err
	}
	return withReader(m, c, cmp.Or(s.Depth, 10), s.read), nil
}

func versionWith(s System, reader string) string {
	if v, ok := s.(interface{ Version() string }); ok {
		return v.Version() + ", " + reader
	}
	return reader
}

func (s Reading) read(ctx context.Context, q Question, rows []Row, notes map[string]daybook.Note) (Answer, error) {
	in := map[string]string{"question": q.Text, "notes": numbered(rows, notes), "asof": ""}
	if !q.AsOf.IsZero() {
		in["asof"] = "The question is asked of " + q.AsOf.Format("2 January 2006") + "."
	}
	req := readerPrompt.request(in)
	req.MaxTokens = 256
	reply, err := s.Completer.Complete(ctx, req)
	if err != nil {
		return Answer{}, err
	}
	text := strings.TrimSpace(reply.Text)
	unknown := text == "" || strings.EqualFold(strings.TrimRight(text, "."), "not known")
	return Answer{Text: text, Abstained: unknown, Rows: rows}, nil
}

// numbered lists notes with their times and, where there are any, roles.
func numbered(rows []Row, notes map[string]daybook.Note) string {
	var list strings.Builder
	for i, row := range rows {
		n, role := notes[row.ID], ""
		if row.Role != "" {
			role = "[" + row.Role + "] "
		}
		fmt.Fprintf(&list, "%d. %s %s%s\n", i+1, n.Time.Format("2 January 2006, 15:04"), role, n.Passage())
	}
	return strings.TrimSuffix(list.String(), "\n")
}

// readMemory is a memory with a reader.
type readMemory struct {
	Memory
	notes map[string]daybook.Note
	depth int
	read  reads
}

// reads answers a question from rows, best first.
type reads func(context.Context, Question, []Row, map[string]daybook.Note) (Answer, error)

func withReader(m Memory, c Conversation, depth int, read reads) Memory {
	if _, answers := talent[Answerer](m); answers {
		return m
	}
	return &readMemory{Memory: m, notes: byID(c), depth: depth, read: read}
}

func (m *readMemory) inner() Memory { return m.Memory }

// Answer implements Answerer.
func (m *readMemory) Answer(ctx context.Context, q Question) (Answer, error) {
	rows, err := m.Recall(ctx, q, m.depth)
	if err != nil {
		return Answer{}, err
	}
	return m.read(ctx, q, rows, m.notes)
}

func byID(c Conversation) map[string]daybook.Note {
	notes := make(map[string]daybook.Note, len(c.Notes))
	for _, n := range c.Notes {
		notes[n.SourceID] = n
	}
	return notes
}
