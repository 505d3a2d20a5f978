package extract

import (
	"cmp"
	"strings"

	"daybook/english"
)

// relation names what a value is a value of: the thing it describes, or the verb
// with what stands between it and the value.
func relation(s *english.Sentence, c *english.Clause, v value) string {
	if v.said != "" {
		return v.said
	}
	if a := c.Attribute; v.subject && a >= 0 && isFirstPerson(s.Phrases[a].Owner) {
		return bareWords(s, a) // "Anna is my manager"
	}
	var parts []string
	if c.Who == english.SpeakerThing || c.Who == english.PersonThing || c.Who == english.Thing && !v.subject {
		parts = append(parts, bareWords(s, c.Subject))
	}
	g := s.Group(*c)
	linking := c.Attribute >= 0 || c.Adjective >= 0 && (being[g.Verb] || linkingOnly[g.Verb]) || g.Verb == "be"
	if !linking && v.typ != Activity {
		parts = append(parts, g.Lemma)
		for _, o := range c.Objects {
			if s.Phrases[o].End <= v.first || v.subject {
				parts = append(parts, cmp.Or(bareWords(s, o), s.Tokens[s.Phrases[o].Head].Norm)) // "moved it to" is no move
				break
			}
		}
	} else if len(parts) == 0 {
		parts = append(parts, "is")
	}
	if v.prep != "" {
		parts = append(parts, v.prep)
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// bareWords are the words of a phrase without determiner, owner and pronouns.
func bareWords(s *english.Sentence, phrase int) string {
	if phrase < 0 || s.Phrases[phrase].Pronoun {
		return ""
	}
	var words []string
	p := s.Phrases[phrase]
	for i := p.First; i < p.End; i++ {
		switch t := s.Tokens[i]; t.Tag {
		case "DT", "PRP$", "POS", "PRP", "PDT":
		default:
			words = append(words, t.Norm)
		}
	}
	return strings.Join(words, " ")
}

// frame is the sentence without what leads up to it, its reason, the given value and
// the clauses to skip, and the lemmas of its content words.
func frame(s *english.Sentence, v value, skip func(*english.Clause) bool) (string, []string) {
	drop := make([]bool, len(s.Tokens))
	for i := range leadInEnd(s) {
		drop[i] = i < v.first
	}
	for i := range s.Clauses {
		c := &s.Clauses[i]
		if c.Verb < 0 || skip(c) || c.Kind == english.Adverbial && (c.Subordinator == "because" || c.Subordinator == "since") {
			for t := c.First; t < c.End && t < len(drop); t++ {
				drop[t] = true
			}
		}
	}
	var b strings.Builder
	var words []string
	for i, t := range s.Tokens {
		switch {
		case i == v.first:
			b.WriteString(" something")
		case i > v.first && i < v.end, drop[i]:
		default:
			if t.Tag != "POS" && !strings.HasPrefix(t.Norm, "'") && t.Norm != "n't" && !isMark(t.Norm) {
				b.WriteByte(' ')
			}
			b.WriteString(t.Text)
			if content(t) {
				words = append(words, t.Lemma)
			}
		}
	}
	return strings.TrimSpace(b.String()), words
}

// content reports whether a token carries meaning of its own.
func content(t english.Token) bool {
	switch t.Lemma {
	case "be", "have", "do", "now":
		return false
	}
	return strings.HasPrefix(t.Tag, "NN") || strings.HasPrefix(t.Tag, "VB") || strings.HasPrefix(t.Tag, "JJ") || t.Tag == "CD" || strings.HasPrefix(t.Tag, "RB") && len(t.Norm) > 3
}

func isMark(norm string) bool { return len(norm) == 1 && strings.ContainsAny(norm, ".,;:!?") }
