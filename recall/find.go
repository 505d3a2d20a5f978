package recall

import (
	"slices"

	"daybook"
	"daybook/graph"
	"daybook/index"
)

// Vectors are the plan's texts, encoded: the question and its topic as queries, its
// statement as a passage. What there is no text for is nil, and without an encoder
// all are.
type Vectors struct {
	Query, Statement, Topic []float32
	Parts                   []Expansion // the questions that the plan asks at once
}

// Aids are what models make of a plan; each may be missing.
type Aids struct {
	Vectors
	Expansions []Expansion
	// Rerank scores texts against the question: see model.Reranker.
	Rerank func(question string, texts []string) ([]float32, error)
	// Topics are the scope's, where the question looks around.
	Topics []daybook.Topic
	// Flat leaves out where what was learned leads: routes, links, importance, paths. It
	// is for measurements.
	Flat bool
	// Missed says which models failed to do their part, and why.
	Missed []string
}

// Expansion is another way to ask the question, with its vector where there is an
// encoder.
type Expansion struct {
	Text   string
	Vector []float32
}

// PartsOf are the parts of a plan, without vectors.
func PartsOf(p Plan) (parts []Expansion) {
	for _, text := range p.Parts() {
		parts = append(parts, Expansion{Text: text})
	}
	return parts
}

func (x Expansion) words() index.Query {
	_, q := wordsOf(x.Text)
	return q
}

// Result is what a memory has for a question.
type Result struct {
	View   daybook.View     `json:"view"`
	Shape  Shape            `json:"shape"`
	Rows   []Row            `json:"rows"`
	Paths  []Path           `json:"paths"`
	Asked  []string         `json:"asked,omitempty"`  // other ways of asking that were searched, too
	Missed []string         `json:"missed,omitempty"` // models that did not do their part, and why
	WhyNot *Absence         `json:"why_not,omitempty"`
	Tokens int              `json:"tokens"` // of all rows, about
	Commit daybook.CommitID `json:"commit"` // up to which the ledger was read
	TookMS float64          `json:"took_ms"`
}

// Row is one note of a result.
type Row struct {
	daybook.Note
	Role   daybook.Role
	Reason string // why it has that role
	// Outdated are values that it gives and that were superseded, by the ledger. Repeats
	// says that it only has the words of one that another note states.
	Outdated []string
	Repeats  bool
	// Heir is a note with what holds in the place of its value, where somebody asks for
	// what holds and it is known.
	Heir    daybook.NoteID
	Score   float64
	Explain Explain
	// Signals are the row's, in the order of the constants; for fitting.
	Signals Signals
}

// Explain says why a row stands where it does.
type Explain struct {
	Legs  map[string]int     `json:"legs"`            // rank in each leg that found it
	Parts map[string]float64 `json:"parts"`           // what each signal adds to the score
	Links []daybook.LinkID   `json:"links,omitempty"` // that led to it
	Route string             `json:"route,omitempty"` // that led to it by way of another event
	// Rerank is what a cross-encoder added, where one looked.
	Rerank *Reranked `json:"rerank,omitempty"`
}

// Find returns the notes that the question needs, best first. The view may know
// more or less than the book: only notes that are in both are returned.
func Find(view *index.Snapshot, book *graph.Book, plan Plan, aids Aids) (Result, error) {
	upTo := book.Head().Seq
	s := &searcher{Snapshot: view, plan: plan, query: aids.Query, aids: &aids}
	if view.Head().Seq > upTo {
		s.keep = func(id index.ID) bool { return view.Place(id).Seq <= upTo }
	}
	pool, err := gather(s, book)
	if err != nil {
		return Result{}, err
	}
	if err := pool.measure(aids.Vectors); err != nil {
		return Result{}, err
	}
	pool.rank()
	joined, err := pool.follow()
	if err != nil {
		return Result{}, err
	}
	if joined { // what joined is measured against the rest
		if err := pool.measure(aids.Vectors); err != nil {
			return Result{}, err
		}
	}
	pool.rank()
	if err := pool.rerank(); err != nil {
		return Result{}, err
	}
	pool.vary()
	return pool.result()
}

// rank scores and sorts.
func (p *pool) rank() {
	w := Weights()
	for _, c := range p.all {
		c.score = c.values.Score(&w)
	}
	p.sort()
}

// result makes the rows, the paths, and the answer to why a note is not there.
func (p *pool) result() (Result, error) {
	r := Result{View: p.plan.View, Shape: p.plan.Shape, Rows: []Row{}, Commit: p.book.Head().ID, Missed: p.aids.Missed}
	for _, x := range slices.Concat(p.aids.Expansions, p.aids.Parts) {
		r.Asked = append(r.Asked, x.Text)
	}
	rows, err := p.rows()
	if err != nil {
		return r, err
	}
	r.Rows = rows
	r = r.Cut(p.plan.Question)
	if r.Paths, err = p.paths(); err != nil || p.plan.WhyNot == "" {
		return r, err
	}
	r.WhyNot, err = p.whyNot(p.plan.WhyNot, r.Rows)
	return r, err
}

// rows are the first candidates, read, with what they are in the states of the ledger.
func (p *pool) rows() ([]Row, error) {
	rows, ends := []Row{}, []over{}
	for _, c := range p.all[:min(len(p.all), p.plan.K)] {
		if _, err := p.read(c); err != nil {
			return nil, err
		}
		row := p.row(c)
		if c.route != nil && len(c.route.Events) > 1 {
			text, err := p.contextOf(c.route)
			if err != nil {
				return nil, err
			}
			row.Explain.Route = text
		}
		at, err := p.standing(c)
		if err != nil {
			return nil, err
		}
		row.Role, row.Reason, row.Outdated = at.role, at.reason, at.outdated
		rows, ends = append(rows, row), append(ends, at.over...)
	}
	if err := p.labelRepeats(rows, ends); err != nil || p.plan.View != daybook.Current {
		return rows, err
	}
	return rows, p.raise(rows, ends)
}

// Cut returns the result with as many of the first rows as a question wants, as far
// as its budget of tokens goes. What became of the note it asks after is said anew.
func (r Result) Cut(q Question) Result {
	all := r.Rows
	r.Rows, r.Tokens = []Row{}, 0
	for _, row := range all[:min(len(all), q.wanted())] {
		if tokens := tokensOf(row.Note); q.Budget == 0 || r.Tokens+tokens <= q.Budget {
			r.Rows, r.Tokens = append(r.Rows, row), r.Tokens+tokens
		}
	}
	if r.WhyNot != nil {
		r.WhyNot.among(r.Rows)
	}
	return r
}

func (p *pool) row(c *candidate) Row {
	w := Weights()
	row := Row{Note: *c.note, Score: c.score, Signals: c.values}
	row.Explain = Explain{Legs: c.legs(), Parts: c.values.parts(&w), Links: c.links, Rerank: c.reranked}
	if c.moved != 0 {
		row.Explain.Parts["rerank"] = c.moved
	}
	if c.again != 0 {
		row.Explain.Parts["said_again"] = c.again
	}
	return row
}

// legs are those that found a candidate, with its rank in each.
func (c *candidate) legs() map[string]int {
	found := map[string]int{}
	for leg, rank := range c.ranks {
		if rank > 0 {
			found[Leg(leg).String()] = rank
		}
	}
	return found
}

// tokensOf is about how many tokens a reader spends on a note: four bytes each.
func tokensOf(n daybook.Note) int { return (len(n.Passage()) + 3) / 4 }
