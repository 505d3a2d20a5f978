package eval

import (
	"context"
	"maps"
	"slices"
	"strings"

	"daybook"
)

// Levels are a system's figures apart: what it keeps, what it retrieves of the
// state that was asked for, what it answers. A level that the system does not
// give or the data set cannot judge is empty.
type Levels struct {
	Bank     map[string]Rate `json:"bank,omitempty"`      // see ScoreBank
	SoftBank map[string]Rate `json:"soft_bank,omitempty"` // the same, possible updates counted
	// Kept and Closed count the bank: the notes that are there, and those whose
	// state has an end.
	Kept   int     `json:"kept,omitempty"`
	Closed int     `json:"closed,omitempty"`
	Groups []Group `json:"groups,omitempty"` // all first, then by category
	// Slices are by how hard a question about a state is made, such as
	// "cue=c/current".
	Slices []Group           `json:"slices,omitempty"`
	Scores map[string]Scores `json:"scores,omitempty"` // by question
	// Chats are further figures of natural chats.
	Chats *ChatLevels `json:"chats,omitempty"`
	// Reader is what made the answers: "" for the system itself, "quote" for its
	// best row, else the prompt and the model.
	Reader string `json:"reader,omitempty"`
	// Judge is the prompt and the model of the judge; Unjudged are answers that
	// it gave no verdict on.
	Judge    string `json:"judge,omitempty"`
	Unjudged int    `json:"unjudged,omitempty"`
}

// Reference is what something that is no system gives on the same questions: the
// raw transcript, or answers that the data set brings along.
type Reference struct {
	Name   string          `json:"name"`
	Bank   map[string]Rate `json:"bank,omitempty"`
	Groups []Group         `json:"groups,omitempty"`
}

// stateDepth is how many rows are looked at on the level of states; score.py's
// default.
const stateDepth = 5

// answerScores are the metrics of JudgeState that need an answer.
var answerScores = []string{"answer_acc", "answer_has_gold", "stale_leak", "lure_leak", "abstention", "over_abstention"}

// levels judges what a system gave, from its results alone.
func (r Run) levels(ctx context.Context, s System, results []Result, bank []BankRow, ledger []LedgerFact) (Levels, error) {
	l := Levels{Scores: map[string]Scores{}}
	if n, ok := s.(interface{ Reader() string }); ok {
		l.Reader = n.Reader()
	}
	l.bank(r.Dataset.Timelines, bank)
	byID, answers := map[string]Result{}, false
	for _, result := range results {
		byID[result.ID] = result
		answers = answers || result.Answer != "" || result.Abstain
	}
	for _, c := range r.Dataset.Conversations {
		texts := passages(c)
		for _, q := range c.Questions {
			if s := judgeLevels(q, byID[q.ID], texts, answers); len(s) > 0 {
				l.Scores[q.ID] = s
			}
		}
	}
	if answers && r.Judge != nil {
		if err := r.judged(ctx, &l, byID); err != nil {
			return l, err
		}
	}
	l.Groups, l.Slices = r.levelGroups(l.Scores), r.levelSlices(l.Scores)
	l.Chats = r.chatLevels(results, ledger, l.Scores)
	return l, nil
}

func (l *Levels) bank(timelines []Timeline, bank []BankRow) {
	if bank == nil {
		return
	}
	l.Kept = len(bank)
	soft, softer := slices.Clone(bank), false
	for i, row := range bank {
		l.Closed += oneInt(!row.ValidTo.IsZero())
		if row.ValidTo.IsZero() && !row.SoftTo.IsZero() {
			soft[i].ValidTo, softer = row.SoftTo, true
		}
	}
	if len(timelines) == 0 {
		return
	}
	l.Bank = ScoreBank(timelines, bank)
	if softer {
		l.SoftBank = ScoreBank(timelines, soft)
	}
}

// judgeLevels measures one question by the rules that it is judged by. Without
// answers only what was retrieved is measured.
func judgeLevels(q Question, r Result, texts map[string]string, answers bool) Scores {
	s := Scores{}
	switch {
	case q.State != nil && q.State.By == ByValue:
		s = JudgeState(q, r, stateDepth)
		if !answers {
			maps.DeleteFunc(s, func(name string, _ float64) bool { return slices.Contains(answerScores, name) })
		}
	case q.State != nil && q.State.By == ByPhrase:
		maps.Copy(s, rowPhrases(q.State, r.Rows[:min(stateDepth, len(r.Rows))], texts))
	}
	if !answers {
		return s
	}
	switch {
	case q.Chat != nil:
		maps.Copy(s, judgeChat(q, r))
	case q.State == nil || q.State.By != ByValue:
		maps.Copy(s, judgeSaid(q, r))
	}
	maps.Copy(s, judgeCitations(q, r))
	return s
}

// judgeSaid measures an answer by its words, and whether it should have been
// given at all.
func judgeSaid(q Question, r Result) Scores {
	said := r.Answer
	if r.Abstain {
		said = ""
	}
	if q.Absent {
		return Scores{"abstention": one(Abstains(r))}
	}
	s := Scores{"over_abstention": one(Abstains(r))}
	switch {
	case q.State == nil:
		maps.Copy(s, JudgeText(said, q.Answers))
	case q.State.By == ByPhrase:
		maps.Copy(s, answerPhrases(q.State, said))
	case q.State.By == ByReference:
		maps.Copy(s, judgeReference(q.State, said))
	}
	return s
}

// judgeReference sets an answer against the current and the outdated one, by its
// words: f1 and f1_outdated (over distinct words, as TRACE counts it),
// outdated_wins (the outdated one is nearer), and LexicalVerdict's.
func judgeReference(p *StateProbe, said string) Scores {
	current, outdated := firstOf(p.Values), firstOf(p.StaleValues)
	s := Scores{"f1": SetF1(said, current), "f1_outdated": SetF1(said, outdated)}
	s["outdated_wins"] = one(s["f1_outdated"] > s["f1"])
	v := LexicalVerdict(said, current, outdated)
	s.verdict(v)
	return s
}

func (s Scores) verdict(v Verdict) {
	s["valid_acc"], s["outdated_leak"], s["strict_net"] = v.Valid, v.Outdated, v.Valid-v.Outdated
}

// rowPhrases looks for phrases in rows: must@5 is 1 when every phrase that must
// be mentioned is there, stale@5 when one that must not is, in a row whose role
// does not say that it is not current.
func rowPhrases(p *StateProbe, rows []Row, texts map[string]string) Scores {
	var all, unlabelled []string
	for _, row := range rows {
		all = append(all, texts[row.ID])
		if !saysNotCurrent(row.Role) {
			unlabelled = append(unlabelled, texts[row.ID])
		}
	}
	return phraseScores(p, strings.Join(all, "\n"), strings.Join(unlabelled, "\n"), "must@5", "stale@5")
}

// answerPhrases looks for phrases in an answer. One that must not be mentioned
// is forgiven in a clause that marks it as what used to be.
func answerPhrases(p *StateProbe, said string) Scores {
	s := phraseScores(p, said, "", "answer_must", "")
	if len(p.StaleValues) > 0 {
		s["answer_stale"] = one(slices.ContainsFunc(p.StaleValues, func(v string) bool { return asserts(said, v, marksPast) }))
	}
	return s
}

func phraseScores(p *StateProbe, text, unlabelled, must, stale string) Scores {
	s := Scores{}
	if len(p.Values) > 0 {
		s[must] = one(!slices.ContainsFunc(p.Values, func(v string) bool { return !hasPhrase(text, v) }))
	}
	if stale != "" && len(p.StaleValues) > 0 {
		s[stale] = one(slices.ContainsFunc(p.StaleValues, func(v string) bool { return hasPhrase(unlabelled, v) }))
	}
	return s
}

// hasPhrase reports whether the words of a phrase stand in a row in the text,
// "March 18" in "March 18th" too.
func hasPhrase(text, phrase string) bool { return inARow(phraseTokens(text), phraseTokens(phrase)) }

func phraseTokens(s string) []string {
	tokens := stems(valueTokens(s))
	for i, t := range tokens {
		if t[0] >= '0' && t[0] <= '9' {
			tokens[i] = strings.TrimRight(t, "stndrh")
		}
	}
	return tokens
}

// judgeCitations: cited is the share of the evidence that the answer names,
// citation_precision the share of what it names that is evidence.
func judgeCitations(q Question, r Result) Scores {
	if r.Citations == nil || len(q.Evidence) == 0 || q.Absent {
		return nil
	}
	gold, right := set(q.Evidence), map[string]bool{}
	for _, id := range r.Citations {
		if gold[id] {
			right[id] = true
		}
	}
	s := Scores{"cited": float64(len(right)) / float64(len(gold))}
	if n := len(set(r.Citations)); n > 0 {
		s["citation_precision"] = float64(len(right)) / float64(n)
	}
	return s
}

// levelGroups averages over all questions, absent ones too as their metrics are
// others, and over each category.
func (r Run) levelGroups(scores map[string]Scores) []Group {
	byCategory := map[string][]Scores{}
	var all []Scores
	for _, c := range r.Dataset.Conversations {
		for _, q := range c.Questions {
			if s := scores[q.ID]; s != nil {
				all = append(all, s)
				byCategory[q.Category] = append(byCategory[q.Category], s)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	groups := []Group{r.group("all", all)}
	for _, name := range slices.Sorted(maps.Keys(byCategory)) {
		groups = append(groups, r.group(name, byCategory[name]))
	}
	return groups
}

// levelSlices averages over questions about a state that are made equally hard.
func (r Run) levelSlices(scores map[string]Scores) []Group {
	slices := map[string][]Scores{}
	for _, c := range r.Dataset.Conversations {
		for _, q := range c.Questions {
			if q.State == nil || q.State.By != ByValue || scores[q.ID] == nil {
				continue
			}
			for _, name := range difficulties(q.State) {
				slices[name] = append(slices[name], scores[q.ID])
			}
		}
	}
	var groups []Group
	for _, name := range sortedKeys(slices) {
		groups = append(groups, r.group(name, slices[name]))
	}
	return groups
}

// references are what stands beside the systems: a bank that keeps all and closes
// nothing; where phrases are looked for, the raw transcript, and it together with
// the state that the data set gives in so many words; the answers that the data
// set brings along.
func (r Run) references(ctx context.Context) ([]Reference, error) {
	var refs []Reference
	if len(r.Dataset.Timelines) > 0 {
		refs = append(refs, Reference{Name: "append-only", Bank: ScoreBank(r.Dataset.Timelines, r.Dataset.openBank())})
	}
	for _, t := range []struct {
		name  string
		takes func(daybook.Note) bool
	}{
		{"raw transcript", func(n daybook.Note) bool { return n.Session != StateWrites }},
		{"transcript and writes", func(daybook.Note) bool { return true }},
	} {
		if groups := r.levelGroups(r.transcript(t.takes)); groups != nil {
			refs = append(refs, Reference{Name: t.name, Groups: groups})
		}
	}
	published, err := r.published(ctx)
	return append(refs, published...), err
}

// transcript looks for phrases in all notes that it takes.
func (r Run) transcript(takes func(daybook.Note) bool) map[string]Scores {
	scores := map[string]Scores{}
	for _, c := range r.Dataset.Conversations {
		var all strings.Builder
		for _, n := range c.Notes {
			if takes(n) {
				all.WriteString(n.Passage() + "\n")
			}
		}
		for _, q := range c.Questions {
			if q.State != nil && q.State.By == ByPhrase {
				scores[q.ID] = phraseScores(q.State, all.String(), all.String(), "must@5", "stale@5")
			}
		}
	}
	return scores
}

// published judges the answers that the data set brings along as if they were a
// system's.
func (r Run) published(ctx context.Context) ([]Reference, error) {
	answers := map[string]map[string]Result{}
	levels := map[string]*Levels{}
	for _, c := range r.Dataset.Conversations {
		for _, q := range c.Questions {
			for name, text := range q.Published {
				if answers[name] == nil {
					answers[name], levels[name] = map[string]Result{}, &Levels{Scores: map[string]Scores{}}
				}
				result := Result{ID: q.ID, Answer: text}
				answers[name][q.ID], levels[name].Scores[q.ID] = result, judgeSaid(q, result)
			}
		}
	}
	var refs []Reference
	for _, name := range sortedKeys(answers) {
		if r.Judge != nil {
			if err := r.judged(ctx, levels[name], answers[name]); err != nil {
				return nil, err
			}
		}
		refs = append(refs, Reference{Name: name + ", its answers in the file", Groups: r.levelGroups(levels[name].Scores)})
	}
	return refs, nil
}

// openBank has every note, for ever.
func (d Dataset) openBank() (bank []BankRow) {
	for _, c := range d.Conversations {
		for _, n := range c.Notes {
			bank = append(bank, BankRow{Conversation: c.ID, ID: n.SourceID, ValidFrom: n.Time})
		}
	}
	return bank
}

func passages(c Conversation) map[string]string {
	texts := make(map[string]string, len(c.Notes))
	for _, n := range c.Notes {
		texts[n.SourceID] = n.Passage()
	}
	return texts
}
