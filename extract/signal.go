package extract

import (
	"slices"
	"strings"

	"daybook/english"
)

// signals is what the place of a candidate tells.
func signals(s *english.Sentence, c *english.Clause, v value, built form) []float32 {
	x := make([]float32, 0, SignalCount)
	for f := range formCount {
		x = append(x, bit(built == f))
	}
	for _, t := range valueTypes {
		x = append(x, bit(v.typ == t))
	}
	x = append(x, clauseSignals(s, c)...)
	x = append(x, roleSignals(s, c, v)...)
	x = append(x, phraseSignals(s, v)...)
	return append(x, whereSignals(s, v)...)
}

var (
	valueTypes = [...]Type{Name, Number, Money, When, Thing, Activity, Quality}
	kinds      = [...]english.Kind{english.Main, english.Complement, english.Relative, english.Adverbial, english.Reduced}
	// prepWords are the prepositions that are told apart before a value, and inside.
	prepWords = [...]string{"in", "on", "at", "to", "from", "with", "by", "for", "as", "of", "into", "about", "through", "called", "named"}
)

// SignalCount is how many signals grammar has of a candidate.
const SignalCount = int(formCount) + len(valueTypes) + len(kinds) + len(traitWho) + 9 + len(prepWords) + 9 + len(prepWords) + 16 + 10

// clauseSignals tell of the clause: its kind, whose state it is, and its verb.
func clauseSignals(s *english.Sentence, c *english.Clause) (x []float32) {
	g := s.Group(*c)
	for _, k := range kinds {
		x = append(x, bit(c.Kind == k))
	}
	for _, w := range traitWho {
		x = append(x, bit(c.Who == w))
	}
	return append(x,
		bit(c.Verb < 0), bit(g.Verb == "be"), bit(g.Verb == "have" || g.Lemma == "get"), bit(changeVerbs[g.Verb]), bit(likings[g.Verb]),
		bit(g.Tense == english.Past && !g.Perfect), bit(g.Passive), bit(c.Kind == english.Reduced && g.Form == english.Infinitive),
		bit(c.Subject >= 0 && s.Phrases[c.Subject].Pronoun))
}

// roleSignals tell what the value is to its clause.
func roleSignals(s *english.Sentence, c *english.Clause, v value) (x []float32) {
	for _, p := range prepWords {
		x = append(x, bit(v.prep == p))
	}
	phrase := phraseFrom(s, v.first)
	object := slices.Index(c.Objects, phrase)
	g := s.Group(*c)
	return append(x,
		bit(v.prep != "" && !slices.Contains(prepWords[:], v.prep)), bit(v.subject), bit(phrase >= 0 && phrase == c.Attribute),
		bit(phrase >= 0 && object == 0), bit(object > 0), bit(slices.Contains(c.Times, phrase)),
		bit(c.Verb >= 0 && v.first < g.First), bit(c.Verb >= 0 && v.first == g.End),
		bit(v.prep != "" && c.Verb >= 0 && v.first < g.First))
}

// phraseSignals tell what the words of the value are.
func phraseSignals(s *english.Sentence, v value) (x []float32) {
	inner := map[string]bool{}
	for i := v.first + 1; i < v.end; i++ {
		inner[s.Tokens[i].Norm] = true
	}
	for _, p := range prepWords {
		x = append(x, bit(inner[p]))
	}
	p := english.NounPhrase{}
	head := ""
	if phrase := phraseFrom(s, v.first); phrase >= 0 {
		p = s.Phrases[phrase]
		head = s.Tokens[p.Head].Lemma
	}
	owner := strings.ToLower(p.Owner)
	timeInside := slices.ContainsFunc(s.Phrases, func(q english.NounPhrase) bool { return q.First > v.first && q.End <= v.end && q.Time })
	return append(x,
		bit(p.Determiner == "a" || p.Determiner == "an"), bit(p.Determiner == "the"), bit(p.Determiner == "this" || p.Determiner == "that"),
		bit(isFirstPerson(owner)), bit(owner != "" && !isFirstPerson(owner)), bit(p.Determiner == "" && owner == ""),
		bit(p.Human), bit(p.Plural), bit(vague[head]), bit(p.Named), bit(recurs(s, v)), bit(timeInside),
		bit(inner["my"] || inner["our"]), float32(min(v.end-v.first, 8))/4,
		bit(head != "" && p.Determiner == "" && owner == "" && p.End == p.First+1 && s.Tokens[p.Head].Tag == "NN"),
		bit(v.end-1 == p.Head))
}

// whereSignals tell where in the sentence the value stands.
func whereSignals(s *english.Sentence, v value) []float32 {
	before, after := "", ""
	if v.first > 0 {
		before = s.Tokens[v.first-1].Norm
	}
	if v.end < len(s.Tokens) {
		after = s.Tokens[v.end].Norm
	}
	words := len(s.Tokens)
	rest := 0 // phrases that come after it
	for _, p := range s.Phrases {
		if p.First >= v.end && !p.Pronoun {
			rest++
		}
	}
	past := english.Token{}
	if v.end < len(s.Tokens) {
		past = s.Tokens[v.end]
	}
	return []float32{
		bit(before == ":"), bit(before == "," || before == "-" || before == "–"), bit(v.first == 0), bit(after == "" || after == "." || after == "!"),
		bit(after == "," || after == ":" || after == "-"), bit(after == "and" || after == "or" || after == "&"),
		bit(past.Tag == "IN" || past.Tag == "TO"), bit(strings.HasPrefix(past.Tag, "NN") || past.Tag == "CD" || past.Tag == "VBN"),
		float32(min(rest, 4)) / 2, float32(v.first) / float32(max(words, 1)),
	}
}
