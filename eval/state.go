package eval

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Judged apart, on three levels: was the right thing kept (the bank), was it put
// before the wrong ones (retrieval), was it said (the answer). The rules are
// those of GHOST's score.py and give its numbers.

// Roles that say that a row is not what holds now.
var notCurrent = set(strings.Fields("historical superseded stale past old closed expired retracted contested planned " +
	"hypothetical temporary negated quoted other other_subject invalid"))

// JudgeState measures retrieval, among the first k rows, and answer of a question
// about a state. The names say 5 whatever k is. The question must have a State.
//
// Retrieval: hit@1, hit@5, mrr@5, all_evidence@5; state_order and lure_order (some
// evidence is there and stands above every stale row, every lure);
// stale_in_top5; stale_unlabelled (of a current question: a stale row whose role
// does not say so), stale_unlabelled_given_present, lure_unlabelled; role_acc;
// contested_labelled.
//
// Answer: answer_acc, answer_has_gold, stale_leak, lure_leak, abstention,
// over_abstention.
func JudgeState(q Question, r Result, k int) Scores {
	s := Scores{}
	top := newTopRows(r.Rows, k)
	judgeEvidence(s, q, top)
	judgeRoles(s, q, top)
	judgeAnswer(s, q, r)
	return s
}

// topRows are the first rows: the rank and the role of each id, at its best.
type topRows struct {
	rank map[string]int
	role map[string]string
}

func newTopRows(rows []Row, k int) topRows {
	top := topRows{rank: map[string]int{}, role: map[string]string{}}
	for i, r := range rows[:min(max(k, 0), len(rows))] {
		if _, seen := top.rank[r.ID]; !seen {
			top.rank[r.ID], top.role[r.ID] = i, r.Role
		}
	}
	return top
}

// present returns those of the ids that are there, in the order given.
func (t topRows) present(ids []string) []string {
	var there []string
	for _, id := range ids {
		if _, ok := t.rank[id]; ok {
			there = append(there, id)
		}
	}
	return there
}

// best returns the lowest rank of the ids, -1 when none is there.
func (t topRows) best(ids []string) int {
	best := -1
	for _, id := range t.present(ids) {
		if best < 0 || t.rank[id] < best {
			best = t.rank[id]
		}
	}
	return best
}

// above reports whether some gold is there and above all the others.
func (t topRows) above(gold, others []string) bool {
	g, o := t.best(gold), t.best(others)
	return g >= 0 && (o < 0 || g < o)
}

// unlabelled reports whether one of the ids is there and its role does not say
// that it is not current.
func (t topRows) unlabelled(ids []string) bool {
	return slices.ContainsFunc(t.present(ids), func(id string) bool { return !saysNotCurrent(t.role[id]) })
}

func saysNotCurrent(role string) bool { return notCurrent[strings.ToLower(trimSpace(role))] }

// oneState reports whether the kind asks for one state.
func oneState(kind string) bool { return kind == "current" || kind == "historical" || kind == "asof" }

func judgeEvidence(s Scores, q Question, top topRows) {
	if len(q.Evidence) > 0 {
		best := top.best(q.Evidence)
		s["hit@1"], s["hit@5"], s["mrr@5"] = one(best == 0), one(best >= 0), 0
		if best >= 0 {
			s["mrr@5"] = 1 / float64(best+1)
		}
		if len(q.Evidence) > 1 {
			s["all_evidence@5"] = one(len(top.present(q.Evidence)) == len(q.Evidence))
		}
	}
	if !oneState(q.State.Kind) {
		return
	}
	if stale := q.State.StaleEvidence; len(stale) > 0 {
		s["state_order"] = one(top.above(q.Evidence, stale))
		s["stale_in_top5"] = one(top.best(stale) >= 0)
	}
	if lures := q.State.LureEvidence; len(lures) > 0 {
		s["lure_order"] = one(top.above(q.Evidence, lures))
	}
}

func judgeRoles(s Scores, q Question, top topRows) {
	p := q.State
	role := "" // of the first evidence that is there
	if there := top.present(q.Evidence); len(there) > 0 {
		role = top.role[there[0]]
	}
	switch p.Kind {
	case "current":
		if len(p.StaleEvidence) > 0 {
			s["stale_unlabelled"] = one(top.unlabelled(p.StaleEvidence))
			if top.best(p.StaleEvidence) >= 0 {
				s["stale_unlabelled_given_present"] = s["stale_unlabelled"]
			}
		}
		if len(p.LureEvidence) > 0 {
			s["lure_unlabelled"] = one(top.unlabelled(p.LureEvidence))
		}
		lower := strings.ToLower(role)
		s["role_acc"] = one(lower == "current" || lower == "transition")
	case "historical", "asof":
		s["role_acc"] = one(saysNotCurrent(role))
	case "contested":
		s["contested_labelled"] = one(!slices.ContainsFunc(q.Evidence, func(id string) bool {
			return strings.ToLower(top.role[id]) != "contested"
		}))
	}
}

func judgeAnswer(s Scores, q Question, r Result) {
	p, abstains := q.State, Abstains(r)
	answer := r.Answer
	if r.Abstain {
		answer = "" // who abstains answers nothing
	}
	if p.Kind == "absent" {
		s["abstention"], s["answer_acc"] = one(abstains), one(abstains)
		if len(p.LureValues) > 0 {
			s["lure_leak"] = one(!abstains && hasAnyValue(answer, p.LureValues))
		}
		return
	}
	s["over_abstention"] = one(abstains)
	switch p.Kind {
	case "current":
		judgeValue(s, p, answer, marksPast)
	case "historical", "asof":
		judgeValue(s, p, answer, marksPresent)
	case "transition_when":
		right := hasDate(answer, firstOf(p.Values))
		s["answer_acc"] = one(right)
		s["stale_leak"] = one(!right && slices.ContainsFunc(p.StaleValues, func(d string) bool { return hasDate(answer, d) }))
	case "transition_why":
		s["answer_acc"] = one(contentRecall(answer, firstOf(p.Values)) >= 0.6)
	case "transition_how":
		s["answer_acc"] = one(countValues(answer, p.Values) == len(p.Values))
	case "contested":
		n := countValues(answer, p.Values)
		s["answer_acc"] = one(n == len(p.Values) || n >= 1 && says(marksConflict, answer))
	}
}

// judgeValue judges an answer that should give one value and no stale one. A
// stale value is excused only beside the right one (or an abstention), in a
// clause that marks it as another state.
func judgeValue(s Scores, p *StateProbe, answer string, excuse *regexp.Regexp) {
	has := hasValue(answer, firstOf(p.Values))
	excusable := has || says(marksAbstention, answer)
	leak := slices.ContainsFunc(p.StaleValues, func(v string) bool {
		if excusable {
			return asserts(answer, v, excuse)
		}
		return hasValue(answer, v)
	})
	s["answer_has_gold"], s["stale_leak"] = one(has), one(leak)
	s["answer_acc"] = one(has && !leak)
	if len(p.LureValues) > 0 {
		s["lure_leak"] = one(!has && hasAnyValue(answer, p.LureValues))
	}
}

// Abstains reports whether the result says that it does not know: by its flag, by
// an empty answer, or in words.
func Abstains(r Result) bool {
	return r.Abstain || trimSpace(r.Answer) == "" || says(marksAbstention, r.Answer)
}

func countValues(answer string, values []string) int {
	n := 0
	for _, v := range values {
		n += int(one(hasValue(answer, v)))
	}
	return n
}

// StateReport are the means per kind of question, with "ALL", and per slice of
// difficulty ("cue=a/current", "chain=two/historical", "level=easy/current"),
// to four places.
type StateReport struct {
	Missing     int // questions without a result; they count as empty
	Kinds       map[string]Aggregate
	Slices      map[string]Aggregate
	PerQuestion map[string]Scores
}

// ScoreStates judges every question that has a State, among the first k rows of
// its result. Of two results for one question the later counts.
func ScoreStates(questions []Question, results []Result, k int) StateReport {
	byID := make(map[string]Result, len(results))
	for _, r := range results {
		byID[r.ID] = r
	}
	report := StateReport{PerQuestion: map[string]Scores{}}
	kinds, cuts := tally{}, tally{}
	for _, q := range questions {
		if q.State == nil {
			continue
		}
		r, ok := byID[q.ID]
		if !ok {
			report.Missing++
		}
		s := JudgeState(q, r, k)
		report.PerQuestion[q.ID] = s
		kinds.add(s, q.State.Kind, "ALL")
		cuts.add(s, difficulties(q.State)...)
	}
	report.Kinds, report.Slices = rounded(kinds.means()), rounded(cuts.means())
	return report
}

func difficulties(p *StateProbe) []string {
	if p.Kind != "current" && p.Kind != "historical" {
		return nil
	}
	name := func(what, value string) string {
		if value == "" {
			value = "None" // as score.py prints it
		}
		return what + "=" + value + "/" + p.Kind
	}
	return []string{name("cue", p.NewKind), name("chain", p.Chain), name("level", p.Level)}
}

// Timeline is how one attribute went: a row of GHOST's states.jsonl.
type Timeline struct {
	Conversation string
	Subject      string
	Attribute    string
	Chain        string // two, three, revert, contested
	States       []TimelineState
}

// TimelineState is one value with the span in which it held.
type TimelineState struct {
	Value     string
	Evidence  string    // SourceID of the note that states it
	ValidFrom time.Time // of that note
	ValidTo   time.Time // of the note that supersedes it; zero for none
}

// Rate is a share of n cases, to four places.
type Rate struct {
	N    int     `json:"n"`
	Rate float64 `json:"rate"`
}

// closingTolerance is how far a closing may lie from the time of the superseding
// note.
const closingTolerance = 60 * time.Second

// ScoreBank measures what is kept, independent of any question: all_states_stored
// (per timeline); of the states that are stored old_closed,
// old_closed_at_right_time, current_left_open, contested_both_open. Of two rows
// for one note the later counts.
func ScoreBank(timelines []Timeline, bank []BankRow) map[string]Rate {
	type key struct{ conversation, id string }
	rows := make(map[key]BankRow, len(bank))
	for _, b := range bank {
		rows[key{b.Conversation, b.ID}] = b
	}
	cases := map[string][]float64{}
	count := func(name string, ok bool) { cases[name] = append(cases[name], one(ok)) }
	for _, t := range timelines {
		stored := true
		for _, state := range t.States {
			row, ok := rows[key{t.Conversation, state.Evidence}]
			if !ok {
				stored = false
				continue
			}
			open := row.ValidTo.IsZero()
			switch {
			case t.Chain == "contested":
				count("contested_both_open", open)
			case state.ValidTo.IsZero():
				count("current_left_open", open)
			default:
				count("old_closed", !open)
				count("old_closed_at_right_time", !open && row.ValidTo.Sub(state.ValidTo).Abs() <= closingTolerance)
			}
		}
		count("all_states_stored", stored)
	}
	rates := make(map[string]Rate, len(cases))
	for name, values := range cases {
		rates[name] = Rate{N: len(values), Rate: fourPlaces(mean(values))}
	}
	return rates
}

// Verdict is how one answer of TRACE's stress test was judged: whether it gives
// the state that holds, whether it gives one that was superseded. Each is 0 or 1,
// or a share where several runs of a judge differ.
type Verdict struct{ Valid, Outdated float64 }

// LexicalVerdict stands in for a judge where no model is configured: an answer
// gives a state when it has at least 60 % of the content words of that state's
// reference and more of them than of the other's. It is stricter than a judge on
// paraphrases, and says nothing about numbers in the paper.
func LexicalVerdict(answer, current, outdated string) Verdict {
	c, o := contentRecall(answer, current), contentRecall(answer, outdated)
	return Verdict{Valid: one(c >= 0.6 && c > o), Outdated: one(o >= 0.6 && o > c)}
}

// ScoreUpdates are TRACE's metrics: valid_acc, outdated_leak, and strict_net, the
// first less the second. Nil for no verdicts.
func ScoreUpdates(verdicts []Verdict) Scores {
	if len(verdicts) == 0 {
		return nil
	}
	var valid, outdated []float64
	for _, v := range verdicts {
		valid, outdated = append(valid, v.Valid), append(outdated, v.Outdated)
	}
	acc, leak := mean(valid), mean(outdated)
	return Scores{"valid_acc": acc, "outdated_leak": leak, "strict_net": acc - leak}
}

func rounded(groups map[string]Aggregate) map[string]Aggregate {
	for _, g := range groups {
		for name, v := range g.Means {
			g.Means[name] = fourPlaces(v)
		}
	}
	return groups
}

// fourPlaces rounds the exact binary value, as Python's round does.
func fourPlaces(x float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 4, 64), 64)
	if err != nil {
		panic("eval: a formatted number does not parse: " + err.Error())
	}
	return r
}

func firstOf(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

func trimSpace(s string) string { return strings.TrimFunc(s, isSpace) }

func itoa(n int) string { return strconv.Itoa(n) }
