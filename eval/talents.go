package eval

import (
	"context"
	"fmt"
	"slices"
)

// A Memory that can more than recall says so by further methods. A run uses them
// where they are there, so that the three levels (what is kept, what is
// retrieved, what is answered) are measured apart.

// Banker tells what it keeps of each note, and when that held.
type Banker interface {
	// Bank returns a row per note that is kept as something that holds or held.
	// The run fills in the conversation.
	Bank(ctx context.Context) ([]BankRow, error)
}

// Ledgerer tells which facts it keeps.
type Ledgerer interface {
	// Ledger returns every fact that the memory keeps, in a fixed order. The run fills in the
	// conversation.
	Ledger(ctx context.Context) ([]LedgerFact, error)
}

// Answerer answers.
type Answerer interface {
	// Answer answers the question from what the memory holds. An abstention is
	// an answer, not an error.
	Answer(ctx context.Context, q Question) (Answer, error)
}

// Answer is what a system says.
type Answer struct {
	Text      string
	Abstained bool // it says outright that it is not known
	// Rows are what the answer was made from, best first, with roles; nil when
	// not told.
	Rows []Row
	// Packet is the evidence in the words in which a reader gets it; empty when not
	// told.
	Packet string
	// Citations are the notes that it names as its evidence.
	Citations []string
}

// Tracer tells what became of a note on the way to the rows.
type Tracer interface {
	Trace(ctx context.Context, q Question, id string) (Trail, error)
}

// Trail is the way of one note: which legs found it, at which rank it came out
// (0: not at all), and whether the budget cut it off.
type Trail struct {
	Legs    []string `json:"legs"`
	Rank    int      `json:"rank"`
	Dropped bool     `json:"dropped,omitempty"`
}

// talent finds a further method of a memory, or of the one that it is wrapped
// around.
func talent[T any](m Memory) (T, bool) {
	if t, ok := m.(T); ok {
		return t, true
	}
	if w, ok := m.(interface{ inner() Memory }); ok {
		return talent[T](w.inner())
	}
	var none T
	return none, false
}

// recalled makes the result of a question from the rows that a memory recalled,
// its answer, where it answers, and the trails of the evidence that is not there. Count,
// where it is not nil, counts the tokens of a packet.
func recalled(ctx context.Context, m Memory, q Question, rows []Row, count func(string) float64) (Result, error) {
	r := Result{ID: q.ID, Rows: rows}
	if a, ok := talent[Answerer](m); ok {
		answer, err := a.Answer(ctx, q)
		if err != nil {
			return r, fmt.Errorf("answer: %w", err)
		}
		r.take(answer)
		if count != nil && answer.Packet != "" {
			r.PacketTokens = count(answer.Packet)
		}
	}
	t, ok := talent[Tracer](m)
	if !ok {
		return r, nil
	}
	for _, id := range q.Evidence {
		if slices.ContainsFunc(rows, func(row Row) bool { return row.ID == id }) {
			continue
		}
		trail, err := t.Trace(ctx, q, id)
		if err != nil {
			return r, fmt.Errorf("trace %s: %w", id, err)
		}
		if r.Trails == nil {
			r.Trails = map[string]Trail{}
		}
		r.Trails[id] = trail
	}
	return r, nil
}

// take puts an answer into the result. Roles that only the answer knows go onto
// the rows; the order stays that of recall.
func (r *Result) take(a Answer) {
	r.Answer, r.Abstain, r.Citations = a.Text, a.Abstained, a.Citations
	if a.Rows == nil {
		return
	}
	roles := map[string]string{}
	r.Packet, r.Asked = make([]string, len(a.Rows)), a.Rows
	for i, row := range a.Rows {
		r.Packet[i], roles[row.ID] = row.ID, row.Role
	}
	for i := range r.Rows {
		if r.Rows[i].Role == "" {
			r.Rows[i].Role = roles[r.Rows[i].ID]
		}
	}
}

// ledgerOf asks a memory for its facts, if it tells them.
func ledgerOf(ctx context.Context, m Memory, c Conversation) ([]LedgerFact, error) {
	l, ok := talent[Ledgerer](m)
	if !ok {
		return nil, nil
	}
	facts, err := l.Ledger(ctx)
	if err != nil {
		return nil, fmt.Errorf("ledger of conversation %s: %w", c.ID, err)
	}
	for i := range facts {
		facts[i].Conversation = c.ID
	}
	return facts, nil
}

// banked asks a memory for its bank, if it has one.
func banked(ctx context.Context, m Memory, c Conversation) ([]BankRow, error) {
	b, ok := talent[Banker](m)
	if !ok {
		return nil, nil
	}
	rows, err := b.Bank(ctx)
	if err != nil {
		return nil, fmt.Errorf("bank of conversation %s: %w", c.ID, err)
	}
	for i := range rows {
		rows[i].Conversation = c.ID
	}
	return rows, nil
}
