package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/model"
)

// readerBench measures a reader on chats whose claims and questions are known: what it makes of
// messages, of pairs of statements, of questions, and of questions with rows.
//
// The data is a folder with chatN.jsonl, chatN.questions.jsonl and, where statements are to be
// measured, chatN.claims.jsonl ('go run ./tools/corpus natural' writes one).
func readerBench(ctx context.Context, path string, env Env) (ComponentReport, error) {
	chats, hash, err := loadReaderChats(path)
	if err != nil {
		return ComponentReport{}, err
	}
	if env.Reader == nil {
		return ComponentReport{}, missingPart("reader", "trained reader")
	}
	chats = chats[:env.limited(len(chats))]
	s := readerScores{shares: map[string][]float64{}}
	for i, c := range chats {
		if err := s.chat(ctx, env, c); err != nil {
			return ComponentReport{}, fmt.Errorf("chat %s: %w", c.ID, err)
		}
		env.told(i+1, len(chats))
	}
	return s.report(hash, len(chats), env.Seed), nil
}

// readerChat is a chat with what a careful reader takes from it.
type readerChat struct {
	Conversation
	claims []readerClaim
}

// readerClaim is a claim of a message: where its words stand, and what it does to earlier ones.
type readerClaim struct {
	message    int
	start, end int
	who, state string
	stance     string
	closes     []int // messages
}

type claimLine struct {
	Msg    string   `json:"msg"`
	Who    string   `json:"who"`
	About  string   `json:"about"`
	Words  string   `json:"words"`
	Stance string   `json:"stance"`
	Closes []string `json:"closes"`
}

func loadReaderChats(path string) (chats []readerChat, hash string, err error) {
	if err := checkFolder(path); err != nil {
		return nil, "", err
	}
	names, err := chatNames(path)
	if err != nil {
		return nil, "", err
	}
	var f files
	for _, name := range names {
		base, b := filepath.Join(path, name), &builder{}
		if err := readLines(&f, base+".jsonl", b.turn); err != nil {
			return nil, "", err
		}
		c := readerChat{Conversation: Conversation{ID: name, Notes: b.notes}}
		if c.Questions, err = b.chatQuestions(&f, base+".questions.jsonl"); err != nil {
			return nil, "", err
		}
		if exists(base + ".claims.jsonl") {
			if err := readLines(&f, base+".claims.jsonl", c.claim); err != nil {
				return nil, "", err
			}
		}
		chats = append(chats, c)
	}
	return chats, f.hash(), nil
}

func (c *readerChat) claim(at place, l claimLine) error {
	if err := at.need(text("msg", l.Msg), text("who", l.Who), text("about", l.About), text("words", l.Words), text("stance", l.Stance)); err != nil {
		return err
	}
	i := c.message(l.Msg)
	if i < 0 {
		return at.errorf("msg names %q; the chat has no such message", l.Msg)
	}
	start := strings.Index(c.Notes[i].Text, l.Words)
	if start < 0 {
		return at.errorf("the words %q are not in message %s", l.Words, l.Msg)
	}
	claim := readerClaim{message: i, start: start, end: start + len(l.Words), who: daybook.Fold(l.Who), stance: l.Stance, state: daybook.Fold(l.Who) + " / " + daybook.Fold(l.About)}
	for _, id := range l.Closes {
		claim.closes = append(claim.closes, c.message(id))
	}
	c.claims = append(c.claims, claim)
	return nil
}

func (c *readerChat) message(id string) int {
	return slices.IndexFunc(c.Notes, func(n daybook.Note) bool { return n.SourceID == id })
}

// readBefore is how many messages of its sitting a message is read with.
const readBefore = 4

func said(n daybook.Note) model.Said {
	return model.Said{Speaker: n.Speaker, Time: n.Time, Text: n.Text}
}

// before are the messages of its sitting before one.
func (c *readerChat) before(i int) (notes []daybook.Note) {
	for _, n := range c.Notes[max(0, i-readBefore):i] {
		if n.Session == c.Notes[i].Session {
			notes = append(notes, n)
		}
	}
	return notes
}

// window is a message as the reader gets it: with those before it, and the names known by then.
func (c *readerChat) window(i int) model.Window {
	w := model.Window{Said: said(c.Notes[i])}
	for _, n := range c.before(i) {
		w.Before = append(w.Before, said(n))
	}
	for _, n := range c.Notes {
		w.Known = with(w.Known, n.Speaker)
	}
	for j := len(c.claims) - 1; j >= 0; j-- {
		if c.claims[j].message < i {
			w.Known = with(w.Known, c.claims[j].who)
		}
	}
	return w
}

// readerScores gathers cases by the name of what they measure.
type readerScores struct {
	shares     map[string][]float64
	same, ends []judgedPair
	sure       []judgedPair // how likely an answer was said to be right, and whether it was
	// Statements that were found, and of them those that overlap a claim; claims, and of them
	// those that a statement overlaps.
	found, right, wanted, overlapped int
}

// judgedPair is a probability that something is so, and whether it was.
type judgedPair struct {
	p  float64
	is bool
}

func (s *readerScores) add(name string, ok bool) { s.shares[name] = append(s.shares[name], one(ok)) }

func (s *readerScores) chat(ctx context.Context, env Env, c readerChat) error {
	if len(c.claims) > 0 {
		windows := make([]model.Window, len(c.Notes))
		for i := range c.Notes {
			windows[i] = c.window(i)
		}
		read, err := env.Reader.Statements(ctx, windows)
		if err != nil {
			return err
		}
		if err := s.pairs(ctx, env, c, s.statements(c, read)); err != nil {
			return err
		}
	}
	return cmp.Or(s.questions(ctx, env, c), s.answers(ctx, env, c))
}

// match is a statement that overlaps a claim.
type match struct {
	message   int
	statement model.Statement
	claim     readerClaim
}

// statements measures what was read of messages, and returns the statements that are claims.
func (s *readerScores) statements(c readerChat, read [][]model.Statement) (matches []match) {
	for i, statements := range read {
		var gold []readerClaim
		for _, claim := range c.claims {
			if claim.message == i {
				gold = append(gold, claim)
			}
		}
		s.found += len(statements)
		for _, st := range statements {
			at := slices.IndexFunc(gold, func(g readerClaim) bool { return g.start < st.End && st.Start < g.end })
			if at < 0 {
				continue
			}
			s.right++
			matches = append(matches, match{i, st, gold[at]})
			s.add("statements: stance", string(st.Stance) == gold[at].stance)
			s.add("statements: holder", daybook.Fold(st.Holder) == gold[at].who)
		}
		for _, g := range gold {
			overlaps := slices.ContainsFunc(statements, func(st model.Statement) bool { return g.start < st.End && st.Start < g.end })
			s.wanted, s.overlapped = s.wanted+1, s.overlapped+oneInt(overlaps)
			s.add("statements: value overlaps", overlaps)
			s.add("statements: value exact", slices.ContainsFunc(statements, func(st model.Statement) bool { return g.start == st.Start && g.end == st.End }))
		}
		if len(gold) == 0 {
			s.add("statements: silent where nothing is said", len(statements) == 0)
		}
	}
	return matches
}

// pairs measures which earlier statements are found for each, and what is made of them.
func (s *readerScores) pairs(ctx context.Context, env Env, c readerChat, matches []match) error {
	var comparisons []model.Comparison
	var candidates [][]match
	for i, m := range matches {
		near := nearestMatches(matches[:i], m)
		if len(near) == 0 {
			continue
		}
		sameState := func(o match) bool { return o.claim.state == m.claim.state }
		if slices.ContainsFunc(matches[:i], func(o match) bool { return o.message < m.message && sameState(o) }) {
			s.add("pairs: an earlier one of the state is nearest", sameState(near[0]))
			s.add("pairs: among the first three", slices.ContainsFunc(near[:min(3, len(near))], sameState))
		}
		comparison := model.Comparison{Before: c.window(m.message).Before, New: model.Stated{Said: said(c.Notes[m.message]), Start: m.statement.Start, End: m.statement.End}}
		for _, o := range near {
			comparison.Earlier = append(comparison.Earlier, model.Stated{Said: said(c.Notes[o.message]), Start: o.statement.Start, End: o.statement.End})
		}
		comparisons, candidates = append(comparisons, comparison), append(candidates, append(near, m))
	}
	judged, err := env.Reader.Compare(ctx, comparisons)
	if err != nil {
		return err
	}
	for i, bearings := range judged {
		m := candidates[i][len(candidates[i])-1]
		for j, b := range bearings {
			o := candidates[i][j]
			same := o.claim.state == m.claim.state
			s.same = append(s.same, judgedPair{1 - float64(b.Other), same})
			s.ends = append(s.ends, judgedPair{float64(b.Ends), same && slices.Contains(m.claim.closes, o.message)})
		}
	}
	return nil
}

// nearestMatches are the earlier statements of other messages that are nearest in meaning.
func nearestMatches(earlier []match, m match) []match {
	near := slices.DeleteFunc(slices.Clone(earlier), func(o match) bool { return o.message >= m.message })
	likeness := func(o match) (sum float32) {
		for i, v := range o.statement.Vector {
			sum += v * m.statement.Vector[i]
		}
		return sum
	}
	slices.SortStableFunc(near, func(a, b match) int { return cmp.Compare(likeness(b), likeness(a)) })
	return near[:min(len(near), model.MostEarlier)]
}

// asCurrent are kinds that are asked as a question for what holds is.
var asCurrent = map[string]string{"plain": "current", "multi": "current", "absent": "current", "contested": "current"}

func (s *readerScores) questions(ctx context.Context, env Env, c readerChat) error {
	texts := make([]string, len(c.Questions))
	for i, q := range c.Questions {
		texts[i] = q.Text
	}
	asked, err := env.Reader.Questions(ctx, texts)
	if err != nil {
		return err
	}
	for i, q := range c.Questions {
		s.add("questions: kind", asked[i].Kind == q.Category)
		s.add("questions: view", cmp.Or(asCurrent[asked[i].Kind], asked[i].Kind) == cmp.Or(asCurrent[q.Category], q.Category))
	}
	return nil
}

// rowsRead is how many of recall's rows a question is read with.
const rowsRead = 20

// answers measures the likeliest of recall's rows: is it evidence, do its words answer, was the
// probability right?
func (s *readerScores) answers(ctx context.Context, env Env, c readerChat) error {
	if env.Rows == nil {
		return nil
	}
	rows, err := env.Rows(ctx, c.Conversation, rowsRead)
	if err != nil {
		return err
	}
	for i, q := range c.Questions {
		var notes []answer.Heard
		for _, id := range rows[i] {
			at := c.message(id)
			notes = append(notes, answer.Heard{Note: c.Notes[at], Before: c.before(at)})
		}
		found, err := answer.Candidates(ctx, env.Reader, q.Text, notes, time.Time{})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		best := &found[0]
		right := slices.Contains(q.Evidence, best.Note.SourceID)
		s.sure = append(s.sure, judgedPair{float64(best.Choice.Answers), right})
		if q.Absent {
			s.add("answers: unlikely where nobody said it", best.Choice.Answers < 0.5)
			continue
		}
		s.add("answers: right message", right)
		s.add("answers: right words", chatHasAny(best.Words(), q.Answers))
	}
	return nil
}

func (s *readerScores) report(hash string, chats int, seed uint64) ComponentReport {
	r := ComponentReport{Name: "reader", Hash: hash, Part: "statements, pairs, questions, answers", Cases: chats}
	plain := func(name string, n int, v float64) {
		r.Metrics = append(r.Metrics, ComponentMetric{name, Interval{N: n, Mean: v, Low: v, High: v}})
	}
	if s.wanted > 0 {
		recall, precision := float64(s.overlapped)/float64(s.wanted), float64(s.right)/float64(max(1, s.found))
		plain("statements: F1", s.wanted, 2*recall*precision/max(recall+precision, 1e-9))
		plain("statements: precision", s.found, precision)
	}
	for _, name := range sortedKeys(s.shares) {
		r.Metrics = append(r.Metrics, ComponentMetric{name, Bootstrap(s.shares[name], seed)})
	}
	if len(s.same) > 0 {
		plain("pairs: same state, recall at precision .85", len(s.same), recallAt(s.same, 0.85))
		plain("pairs: ends, recall at precision .85", len(s.ends), recallAt(s.ends, 0.85))
		precision, n := precisionAbove(s.ends, 0.5)
		plain("pairs: ends, precision above .5", n, precision)
	}
	if len(s.sure) > 0 {
		plain("answers: calibration error", len(s.sure), calibrationError(s.sure))
	}
	return r
}

// recallAt is the most of what is so that can be found with a precision of at least p.
func recallAt(judged []judgedPair, p float64) (most float64) {
	judged = slices.Clone(judged)
	slices.SortStableFunc(judged, func(a, b judgedPair) int { return cmp.Compare(b.p, a.p) })
	all, right := 0.0, 0.0
	for _, j := range judged {
		all += one(j.is)
	}
	for i, j := range judged {
		right += one(j.is)
		if right/float64(i+1) >= p {
			most = max(most, right/max(1, all))
		}
	}
	return most
}

func precisionAbove(judged []judgedPair, bound float64) (precision float64, n int) {
	right := 0.0
	for _, j := range judged {
		if j.p > bound {
			n++
			right += one(j.is)
		}
	}
	return right / float64(max(1, n)), n
}

// calibrationError is how far probabilities are from how often they come true, in ten steps.
func calibrationError(judged []judgedPair) (sum float64) {
	const steps = 10
	said, came, count := make([]float64, steps), make([]float64, steps), make([]float64, steps)
	for _, j := range judged {
		at := min(steps-1, int(j.p*steps))
		said[at], came[at], count[at] = said[at]+j.p, came[at]+one(j.is), count[at]+1
	}
	for i := range count {
		if count[i] > 0 {
			sum += math.Abs(said[i]-came[i]) / float64(len(judged))
		}
	}
	return sum
}

// RecalledIDs are the notes that a system recalls for each question of a conversation, by SourceID.
func RecalledIDs(ctx context.Context, s System, c Conversation, k int) (ids [][]string, err error) {
	memory, err := s.Build(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, memory.Close()) }()
	ids = make([][]string, len(c.Questions))
	for i, q := range c.Questions {
		rows, err := memory.Recall(ctx, q, k)
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		for _, r := range rows {
			ids[i] = append(ids[i], r.ID)
		}
	}
	return ids, nil
}
