package english

import (
	"slices"
	"strings"
)

// Marks are the words of a question that place it in time.
type Marks uint32

// Marks.
const (
	MarkUsedTo    Marks = 1 << iota // used to
	MarkBefore                      // before, prior to, until, previously, formerly, old, ex-
	MarkAfter                       // after, since then
	MarkFirst                       // first, originally, initially, at first
	MarkLast                        // last
	MarkLatest                      // latest, most recent, newest
	MarkNow                         // now, currently, these days, at the moment, today
	MarkStill                       // still, any more, no longer
	MarkPastDate                    // in 2019, last year, two years ago, back then, as of
	MarkSinceWhen                   // since when, how long, when did it start
	MarkOverTime                    // over time, over the years, history, so far
	MarkChange                      // a verb or noun of change
	MarkStartEnd                    // a verb for the start or the end of something
	MarkBoth                        // asks for then and now
	MarkEver                        // ever, never, how many times
)

// Has reports whether any of the marks is set.
func (m Marks) Has(marks Marks) bool { return m&marks != 0 }

// markPhrases are the expressions behind each mark.
var markPhrases = compileMarks(map[Marks]string{
	MarkUsedTo: "used to|use to",
	MarkBefore: "before|prior to|previously|previous|formerly|former|earlier|past|old|beforehand|until|preceding|back when|ex|prior|in the past|once",
	MarkAfter:  "after|since then|afterwards|following|next",
	MarkFirst:  "first|originally|initially|original|initial|to begin with|in the beginning|to start with|earliest|at first",
	MarkLast:   "last",
	MarkLatest: "latest|most recent|most recently|newest|up to date|current|present",
	MarkNow:    "now|currently|nowadays|these days|at the moment|right now|at present|presently|today|this year|this month|this week|as of now|lately|recently",
	MarkStill:  "still|anymore|any more|no longer|any longer",
	MarkPastDate: "ago|back then|back in|at the time|at that time|last year|last month|last week|last summer|last winter|last spring|last fall|last autumn|as of|in those days|then|when she was|when he was|" +
		"as a child|as a kid|growing up|in college|in high school",
	MarkSinceWhen: "since when|how long",
	MarkOverTime:  "over time|over the years|over the months|over the past|over the last|history|through the years|so far|timeline|progression|evolution",
	MarkEver:      "ever|how many times|how often",
	MarkBoth:      "before and after|then and now|past and present|past and current|used to and|before and now|from what to what|from which",
})

func compileMarks(table map[Marks]string) map[string][]markPhrase {
	out := map[string][]markPhrase{}
	for mark, text := range table {
		for _, phrase := range strings.Split(text, "|") {
			words := strings.Fields(phrase)
			out[words[0]] = append(out[words[0]], markPhrase{words, mark})
		}
	}
	return out
}

type markPhrase struct {
	words []string
	mark  Marks
}

// MarksOf are the words of a clause that place it in time, whether it asks or tells.
func (s *Sentence) MarksOf(c Clause) Marks {
	m := s.marksIn(c.First, min(c.End, len(s.Tokens)))
	if c.Verb >= 0 {
		m |= verbMarks(s.Groups[c.Verb])
	}
	return m
}

// marks reads the words of a question that place it in time.
func (s *Sentence) marks() Marks {
	m := s.marksIn(0, len(s.Tokens))
	for _, c := range s.Clauses {
		if c.Verb >= 0 && c.Kind != Adverbial && c.Kind != Relative && !(c.Kind == Reduced && c.Subordinator != "") {
			m |= verbMarks(s.Groups[c.Verb])
		}
	}
	return m
}

// marksIn are the marks of the tokens [first, end), without those of verbs.
func (s *Sentence) marksIn(first, end int) (m Marks) {
	for i := first; i < end; i++ {
		t := s.Tokens[i]
		reference := s.isReference(i)
		for _, p := range markPhrases[t.Norm] {
			if s.matches(i, p.words) && s.markHolds(i, p) && !(reference && p.mark&(MarkNow|MarkLatest|MarkLast|MarkOverTime) != 0) {
				m |= p.mark
			}
		}
		if t.Tag == "CD" && len(t.Norm) == 4 && (t.Norm[:2] == "19" || t.Norm[:2] == "20") {
			m |= MarkPastDate
		}
		if changeNouns[t.Lemma] && isNounTag(t.Tag) && s.isHead(i) && !reference {
			m |= MarkChange
		}
		if t.Norm == "first" && i+1 < len(s.Tokens) && isVerbTag(s.Tokens[i+1].Tag) {
			m |= MarkStartEnd // "when did she first play"
		}
	}
	return m
}

// isReference reports whether a token stands in a phrase that only says from
// where one looks: "before the latest change", "since the last update".
func (s *Sentence) isReference(token int) bool {
	for _, np := range s.Phrases {
		if token < np.First || token >= np.End {
			continue
		}
		for i := np.First - 1; i >= 0 && i >= np.First-3; i-- {
			if t := s.Tokens[i]; viewpoints[t.Norm] {
				return true
			} else if t.Tag != "TO" && t.Norm != "of" && t.Tag != "DT" {
				break
			}
		}
	}
	return false
}

// viewpoints are the words that open such a phrase.
var viewpoints = set("before after until till prior following preceding during")

func (s *Sentence) isHead(token int) bool {
	return slices.ContainsFunc(s.Phrases, func(np NounPhrase) bool { return np.Head == token })
}

// markHolds rules out other readings: "next" the adjective of a plan, "past" the
// preposition, "then" after "if", "old" in "how old", "since then".
func (s *Sentence) markHolds(i int, p markPhrase) bool {
	prev := ""
	if i > 0 {
		prev = s.Tokens[i-1].Norm
	}
	switch p.words[0] {
	case "old":
		return prev != "how" && len(p.words) == 1 && i+1 < len(s.Tokens) && isNounTag(s.Tokens[i+1].Tag)
	case "next", "following", "once":
		return false
	case "past":
		return isAdjTag(s.Tokens[i].Tag) || isNounTag(s.Tokens[i].Tag)
	case "first":
		return i+1 < len(s.Tokens) && s.Tokens[i+1].Norm != "name"
	case "last":
		return i+1 < len(s.Tokens) && s.Tokens[i+1].Norm != "name"
	case "today", "this", "lately", "recently", "present":
		return p.words[0] != "present" || isAdjTag(s.Tokens[i].Tag)
	case "then":
		return prev != "since"
	case "current":
		return isAdjTag(s.Tokens[i].Tag)
	case "until":
		return i+1 < len(s.Tokens) && s.Tokens[i+1].Norm != "now"
	}
	return true
}

var changeNouns = set("change switch transition update replacement")

// turnVerbs name a change by themselves.
var turnVerbs = set("change switch replace transition shift evolve convert swap become transfer relocate upgrade move trade update differ increase decrease")

func verbMarks(g VerbGroup) Marks {
	var m Marks
	if g.UsedTo {
		m |= MarkUsedTo
	}
	if turnVerbs[g.Verb] || g.Lemma == "go up" || g.Lemma == "go down" {
		m |= MarkChange
	}
	if edgeVerbs[g.Verb] && !g.Passive || g.Lemma == "give up" || g.Lemma == "take up" || g.Lemma == "pick up" {
		m |= MarkStartEnd
	}
	return m
}

// edgeVerbs are about the start or the end of a state.
var edgeVerbs = set("start begin stop quit end cease adopt join leave drop retire abandon hire discontinue resign divorce marry enroll enrol")
