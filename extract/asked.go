package extract

import (
	"strings"

	"daybook"
	"daybook/english"
)

// askedFrom is the token from which a sentence that ends in a question mark asks, where
// what comes before states something of the speaker: "I love hiking, and you?"; 0 where
// all of it is a question.
func askedFrom(s *english.Sentence) int {
	first := false
	for i, t := range s.Tokens {
		if i >= 3 && first && asksHere(s.Tokens[i:]) {
			for i > 0 && (s.Tokens[i-1].Norm == "," || joiner(s.Tokens[i-1].Norm)) {
				i--
			}
			return i
		}
		first = first || t.Norm == "i" || t.Norm == "my" || t.Norm == "we"
	}
	return 0
}

// asksHere reports whether tokens begin a question to the hearer: "you?", "how about
// you", "do you", "what is your".
func asksHere(t []english.Token) bool {
	next := func(i int) string {
		if i < len(t) {
			return t[i].Norm
		}
		return ""
	}
	yours := func(norm string) bool { return norm == "you" || norm == "u" || norm == "your" || norm == "ya" }
	switch t[0].Norm {
	case "you", "u":
		return next(1) == "?"
	case "do", "are", "have", "did", "would", "can", "is", "were":
		return yours(next(1))
	case "how", "what", "where", "who", "which", "when", "why":
		return next(1) == "about" || yours(next(2)) || yours(next(3))
	}
	return false
}

// takenUp is what a sentence says by taking up what was said right before it: "Mine is
// grey" after "What's your favourite colour?", "I love them" after "Do you like cats?"
func takenUp(s *sentence) (all []Statement) {
	if s.before == "" {
		return nil
	}
	q := english.ReadSentence(s.before)
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.Kind != english.Main || c.Verb < 0 || c.Flags.Has(english.Question) || s.Group(*c).Tense != english.Present {
			continue
		}
		if st, ok := mineOf(&s.Sentence, c, &q); ok {
			all = append(all, st)
		} else if st, ok := likedThat(&s.Sentence, c, &q); ok {
			all = append(all, st)
		}
	}
	return all
}

// askedBy is the last sentence of what somebody else said last: the question that is
// answered, or what "mine" is compared with ("My dentist is Dr. Weiss." – "Mine is …").
func askedBy(before []daybook.Note, speaker string) string {
	if len(before) == 0 || before[len(before)-1].Speaker == speaker {
		return ""
	}
	text := before[len(before)-1].Text
	spans := spoken(text)
	if len(spans) == 0 {
		return ""
	}
	return spans[len(spans)-1].Of(text)
}

// Nth reads the nth sentence of a note as it stands there; false where there are fewer.
func Nth(n daybook.Note, at int) (english.Sentence, bool) {
	return english.ReadNth(n.Own().Text, at)
}

// Completed is the sentence that a bare answer at the start of a note makes with the
// question before it: "I have two kids, both in school." for "Two, both in school." after
// "How many kids do you have?". It is false where the note's first sentence stands for
// itself.
func Completed(n daybook.Note, before *daybook.Note) (english.Sentence, bool) {
	text, _ := saidWith(n, before)
	return english.ReadSentence(text), text != ""
}

// saidWith is the text of Completed, and the answer that it is made of.
func saidWith(n daybook.Note, before *daybook.Note) (string, english.Span) {
	text := n.Own().Text
	spans := english.Sentences(text)
	if before == nil || len(spans) == 0 {
		return "", english.Span{}
	}
	return english.Answered(askedBy([]daybook.Note{*before}, n.Speaker), spans[0].Of(text)), spans[0]
}

// mineOf reads "mine is grey": the question says what is the speaker's.
func mineOf(s *english.Sentence, c *english.Clause, q *english.Sentence) (Statement, bool) {
	if c.Subject < 0 || s.Tokens[s.Phrases[c.Subject].Head].Norm != "mine" || s.Group(*c).Verb != "be" {
		return Statement{}, false
	}
	thing := ""
	asks := strings.HasSuffix(q.Text, "?")
	for i, p := range q.Phrases {
		owner := strings.ToLower(p.Owner)
		if owner == "your" && asks || owner == "my" && !asks && thing == "" || asks && strings.HasPrefix(bareWords(q, i), "favo") {
			thing = bareWords(q, i)
		}
	}
	values := attributes(s, c)
	if thing == "" || len(values) == 0 {
		return Statement{}, false
	}
	st := takes(s, c, textOf(s, values[0].first, values[0].end), values[0].typ)
	st.Relation, st.Unique = thing, true
	return st, true
}

// likedThat reads "I love them": the question names what is liked or had.
func likedThat(s *english.Sentence, c *english.Clause, q *english.Sentence) (Statement, bool) {
	g := s.Group(*c)
	if !strings.HasSuffix(q.Text, "?") || !likings[g.Verb] || !saidByI(s, c) || len(c.Objects) != 1 || !ofUnnamed(s, c) || c.Flags.Has(english.Wish|english.Hypothetical) {
		return Statement{}, false
	}
	for i := range q.Clauses {
		k := &q.Clauses[i]
		if verb := q.Group(*k).Verb; k.Who != english.Hearer || !likings[verb] && verb != "have" && verb != "eat" && verb != "watch" && verb != "play" {
			continue
		}
		for _, o := range k.Objects {
			if v, ok := oneValue(q, o); ok && !deictic(q, o) && !empty(q, o) && v.typ != When {
				st := takes(s, c, bareWords(q, o), v.typ)
				st.Relation = g.Lemma
				return st, true
			}
		}
	}
	return Statement{}, false
}

// takes is a plain statement of the speaker's with a value that the question gave or
// asked for.
func takes(s *english.Sentence, c *english.Clause, object string, typ Type) Statement {
	st := Statement{Start: s.Start, End: s.End, Who: english.Speaker, Object: object, Type: typ}
	st.mean(s, c)
	st.Own, st.plain = true, st.Modality == daybook.Asserted || st.Modality == daybook.Negated
	return st
}
