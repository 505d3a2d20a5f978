package recall

import (
	"strings"
	"time"

	"daybook"
	"daybook/english"
	"daybook/index"
	"daybook/timex"
)

// Question is what is asked of a memory.
type Question struct {
	Text   string
	K      int          // rows wanted; 0 means DefaultK
	View   daybook.View // empty: as the question itself reads
	Now    time.Time    // when it is asked; what "last week" is seen from
	Budget int          // most tokens of all rows together; 0 means no limit
	WhyNot string       // a note, by our id or the caller's, to ask after
	Wide   bool         // look around the best, too: at their entities and at their topic, which takes longer
	Chains bool         // paths may also go by what only comes before or after in time, which takes longer
}

// DefaultK is how many rows are returned where nobody says.
const DefaultK = 10

// wanted is how many rows a question wants.
func (q Question) wanted() int {
	if q.K == 0 {
		return DefaultK
	}
	return q.K
}

// Shape says what kind of answer a question wants.
type Shape string

// Shapes.
const (
	Factual    Shape = "factual"
	Temporal   Shape = "temporal"   // when, how long, since when
	Preference Shape = "preference" // what somebody likes
	MultiHop   Shape = "multi-hop"  // joins two people or two questions
	Aggregate  Shape = "aggregate"  // a list or a count: every part is wanted
	YesNo      Shape = "yes-no"
)

// Plan is a question, read.
type Plan struct {
	Question
	Asking english.Asking
	Shape  Shape
	Self   bool // asked by the person whose memory it is: I, my
	// OfListener says that it asks what the listener said before, and Advice that it asks
	// what to do.
	OfListener, Advice bool

	Names  map[string]bool // words of the names in it, folded
	Window daybook.Span    // the time that it speaks of; zero when it names none
	Terms  []string        // its content words, as the index has them
	Words  index.Query
}

// Read makes the plan of a question. It is Invalid for an empty one.
func Read(q Question) (Plan, error) {
	q.Text = strings.TrimSpace(q.Text)
	if q.Text == "" {
		return Plan{}, daybook.Errorf(daybook.Invalid, "the question is empty")
	}
	if q.K < 0 {
		return Plan{}, daybook.Errorf(daybook.Invalid, "k is %d; it cannot be below 0", q.K)
	}
	q.K = q.wanted()
	p := Plan{Question: q, Asking: english.ReadQuestion(q.Text), Names: map[string]bool{}}
	if p.View == "" {
		p.View = p.Asking.View
	}
	for _, n := range p.Asking.Names {
		for w := range strings.FieldsSeq(strings.ToLower(n.Text)) {
			p.Names[strings.TrimSuffix(w, "'s")] = true
		}
	}
	p.Self = asksOfSelf(p.Asking.Sentence)
	p.OfListener = asksOfListener(p.Asking.Sentence.Tokens)
	p.Advice = !p.OfListener && asksForAdvice(p.Asking.Sentence.Tokens)
	p.Shape = shapeOf(p.Asking)
	p.Window = windowOf(q)
	p.Terms, p.Words = wordsOf(q.Text)
	return p, nil
}

// asksOfSelf reports whether a question is asked in the first person.
func asksOfSelf(s english.Sentence) bool {
	for _, t := range s.Tokens {
		switch t.Norm {
		case "i", "my", "me", "mine", "myself":
			return true
		}
	}
	return false
}

// asksOfListener reports whether a question asks what the listener did: "did you say",
// "you told me".
func asksOfListener(tokens []english.Token) bool {
	for i, t := range tokens {
		if t.Norm != "you" {
			continue
		}
		if i > 0 && (tokens[i-1].Norm == "did" || tokens[i-1].Norm == "have") || i+1 < len(tokens) && (tokens[i+1].Tag == "VBD" || tokens[i+1].Norm == "have" || tokens[i+1].Norm == "'ve") {
			return true
		}
	}
	return false
}

// asksForAdvice reports whether a question asks what the asker should do, or to be helped:
// "should I", "how do I", "would you suggest", "help me".
func asksForAdvice(tokens []english.Token) bool {
	for i, t := range tokens {
		next := ""
		if i+1 < len(tokens) {
			next = tokens[i+1].Norm
		}
		switch t.Norm {
		case "should", "can", "could", "shall", "would", "do":
			if next == "you" || next == "i" || next == "we" {
				return true
			}
		case "help":
			if next == "me" || next == "us" {
				return true
			}
		}
	}
	return false
}

// shapeOf reads the shape off the question's grammar.
func shapeOf(a english.Asking) Shape {
	switch {
	case a.Wh == "how many" || a.Wh == "how often" || asksForSeveral(a):
		return Aggregate
	case a.Wh == "when" || a.Wh == "how long" || a.Marks.Has(english.MarkSinceWhen):
		return Temporal
	case len(a.Parts) > 1 || peopleIn(a) > 1:
		return MultiHop
	case likingVerbs[a.Verb.Verb]:
		return Preference
	case a.YesNo:
		return YesNo
	}
	return Factual
}

var likingVerbs = map[string]bool{"like": true, "love": true, "prefer": true, "enjoy": true, "hate": true, "dislike": true, "favor": true, "favour": true}

// asksForSeveral reports whether what is asked for stands in the plural: "which
// books", "what are her hobbies".
func asksForSeveral(a english.Asking) bool {
	if a.Wh != "what" && a.Wh != "which" && a.Wh != "where" && a.Wh != "who" {
		return false
	}
	for i, t := range a.Sentence.Tokens {
		if t.Norm == "all" || t.Norm == "both" || t.Norm == "list" {
			return true
		}
		if t.Tag == "NNS" && i < 5 && a.Asked != "" && strings.Contains(a.Asked, t.Text) {
			return true
		}
	}
	np := a.Clause.Subject
	return a.Verb.Verb == "be" && np >= 0 && np < len(a.Sentence.Phrases) && a.Sentence.Phrases[np].Plural && !a.Sentence.Phrases[np].Pronoun
}

func peopleIn(a english.Asking) (n int) {
	for _, name := range a.Names {
		if name.Kind == english.PersonName {
			n++
		}
	}
	return n
}

// windowOf is the closed time that a question names, or the zero span.
func windowOf(q Question) daybook.Span {
	for _, e := range timex.Find(q.Text, q.Now) {
		if e.Resolved && (e.Kind == timex.Date || e.Kind == timex.Time || e.Kind == timex.Range) && !e.Span.From.IsZero() && !e.Span.Until.IsZero() {
			return e.Span
		}
	}
	return daybook.Span{}
}

// wordsOf makes the query by words: the content words of the question, or all of
// its words where it has no other.
func wordsOf(text string) (content []string, q index.Query) {
	all := index.QueryTerms(text)
	for _, t := range all {
		if !index.IsFunctionWord(t) {
			content = append(content, t)
		}
	}
	if len(content) == 0 {
		content = all
	}
	for _, t := range content {
		q.Terms = append(q.Terms, index.QueryTerm{Field: index.Content, Term: t})
	}
	return content, q
}

// Statement is the question as the person it asks about would have stated the
// answer; empty where nobody is named.
func (p Plan) Statement() string {
	speaker := ""
	if len(p.Asking.Names) > 0 {
		speaker = p.Asking.Names[0].Text
	} else if !p.Self {
		return ""
	}
	said := english.AsStatement(p.Text, speaker)
	if said == "" {
		return ""
	}
	return daybook.Note{Speaker: speaker, Text: said}.Passage()
}

// Parts are the questions that a question asks at once, where it asks several.
func (p Plan) Parts() []string {
	parts := p.Asking.Conjuncts()
	return parts[:min(len(parts), maxExpansions)]
}

// Topic is the question without its question words, helping verbs and names: what
// it is about.
func (p Plan) Topic() string {
	var words []string
	for _, t := range p.Asking.Sentence.Tokens {
		if p.Names[t.Norm] || strings.HasPrefix(t.Tag, "W") || t.Tag == "." || t.Tag == "POS" || t.Tag == "MD" || t.Tag == "DT" || t.Tag == "PRP" || t.Tag == "PRP$" {
			continue
		}
		switch t.Lemma {
		case "do", "be", "have":
			continue
		}
		words = append(words, t.Text)
	}
	return strings.Join(words, " ")
}

// wantsNumber reports whether a count or a measure is asked for.
func (p Plan) wantsNumber() bool {
	return strings.HasPrefix(p.Asking.Wh, "how ") && p.Asking.Wh != "how soon"
}

// wantsName reports whether a person, a place or one of several is asked for.
func (p Plan) wantsName() bool {
	return p.Asking.Wh == "who" || p.Asking.Wh == "where" || p.Asking.Wh == "which"
}
