package english

import (
	"slices"
	"strings"
)

// AsStatement turns a question about somebody into the words in which the
// speaker would have said it: "What coffee does Caroline drink?" asked about
// Caroline gives "I drink coffee"; "Who is Caroline's manager?" gives "my manager
// is". The speaker is recognised by name, by any part of it, or as "you", "the
// user" and the pronouns he, she and they when nobody else is named. A question
// about somebody else keeps its subject.
func AsStatement(question, speaker string) string {
	q := ReadQuestion(question)
	s := &q.Sentence
	if q.Verb.Main < 0 || q.Verb.Verb == "" {
		return firstPerson(s, 0, len(s.Tokens), speaker)
	}
	subject, first := q.subjectWords(speaker)
	words := []string{subject, conjugate(q.Verb, first), q.objectWords(speaker)}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// subjectWords returns the subject in first person, and whether it is "I".
func (q *Asking) subjectWords(speaker string) (words string, first bool) {
	s := &q.Sentence
	if q.Clause.Subject < 0 {
		return "I", true
	}
	np := s.Phrases[q.Clause.Subject]
	last := np.End
	for of := np.Of; of >= 0; of = s.Phrases[of].Of {
		last = s.Phrases[of].End
	}
	words = firstPerson(s, np.First, last, speaker)
	switch words {
	case "me", "I", "i":
		return "I", true
	case "we", "We":
		return "we", true
	}
	return words, false
}

// conjugate writes a verb group in the order of a statement.
func conjugate(g VerbGroup, first bool) string {
	verb := strings.TrimPrefix(g.Lemma, g.Verb)
	base := g.Verb
	var out string
	switch {
	case g.UsedTo:
		out = "used to " + base
	case g.Modal != "":
		out = g.Modal + " " + base
	case g.Tense == Future:
		out = "will " + base
	case g.Perfect && g.Progressive:
		out = "have been " + ingForm(base)
	case g.Perfect:
		out = "have " + participleForm(base)
	case g.Progressive && g.Tense == Past:
		out = "was " + ingForm(base)
	case g.Progressive:
		out = be(first) + " " + ingForm(base)
	case g.Passive && g.Tense == Past:
		out = "was " + participleForm(base)
	case g.Passive:
		out = be(first) + " " + participleForm(base)
	case g.Tense == Past:
		out = PastForm(base)
	case base == "be":
		out = be(first)
	case first:
		out = base
	default:
		out = ThirdForm(base)
	}
	if g.Negated {
		out += " not"
	}
	return out + verb
}

func be(first bool) string {
	if first {
		return "am"
	}
	return "is"
}

func ingForm(base string) string {
	switch {
	case base == "be":
		return "being"
	case strings.HasSuffix(base, "ie"):
		return base[:len(base)-2] + "ying"
	case strings.HasSuffix(base, "e") && !strings.HasSuffix(base, "ee"):
		return base[:len(base)-1] + "ing"
	case doublesLast(base):
		return base + base[len(base)-1:] + "ing"
	}
	return base + "ing"
}

func participleForm(base string) string {
	for _, w := range splitRows(irregularVerbs) {
		if w[0] == base {
			part, _, _ := strings.Cut(w[2], "/")
			return part
		}
	}
	return PastForm(base)
}

// objectWords returns what follows the verb: the noun asked for, then the rest of
// the question as it stands.
func (q *Asking) objectWords(speaker string) string {
	s := &q.Sentence
	g := q.Verb
	from := g.End
	if q.Clause.Subject >= 0 {
		from = max(from, s.Phrases[q.Clause.Subject].End)
		for of := s.Phrases[q.Clause.Subject].Of; of >= 0; of = s.Phrases[of].Of {
			from = max(from, s.Phrases[of].End)
		}
	}
	asked := q.Asked
	if g.Verb == "be" && !g.Inverted && q.Clause.Subject >= 0 && strings.HasPrefix(s.PhraseText(q.Clause.Subject), asked) {
		asked = ""
	}
	return asked + " " + firstPerson(s, from, len(s.Tokens), speaker)
}

// firstPerson writes tokens with the speaker turned into I, me and my, without
// question words and marks.
func firstPerson(s *Sentence, first, end int, speaker string) string {
	var out []string
	for i := first; i < end; i++ {
		t := s.Tokens[i]
		switch {
		case t.Tag == "." || t.Tag == "POS" && len(out) > 0 && out[len(out)-1] == "my":
			continue
		case isSpeaker(t, speaker) || t.Norm == "you" || t.Norm == "user" && len(out) > 0 && out[len(out)-1] == "the":
			out = appendSpeaker(out, s, i)
			for i+1 < end && isSpeaker(s.Tokens[i+1], speaker) {
				i++ // the surname
			}
		case (t.Norm == "she" || t.Norm == "he" || t.Norm == "him" || t.Norm == "they" || t.Norm == "them" || t.Norm == "her" && t.Tag == "PRP") && !s.namesOther(speaker):
			out = appendSpeaker(out, s, i)
		case (t.Norm == "his" || t.Norm == "her" || t.Norm == "their" || t.Norm == "your") && (!s.namesOther(speaker) || t.Norm == "your"):
			out = append(out, "my")
		default:
			out = appendJoined(out, s.Tokens, i, first)
		}
	}
	return strings.Join(out, " ")
}

// appendJoined appends a token; a clitic or a mark is joined to the one before.
func appendJoined(out []string, t []Token, i, first int) []string {
	if i > first && len(out) > 0 && t[i].Start == t[i-1].End {
		out[len(out)-1] += t[i].Text
		return out
	}
	return append(out, t[i].Text)
}

// appendSpeaker appends "my" before a possessive, "I" before a verb, else "me".
func appendSpeaker(out []string, s *Sentence, i int) []string {
	if len(out) > 0 && out[len(out)-1] == "the" {
		out = out[:len(out)-1]
	}
	next := i + 1
	for next < len(s.Tokens) && strings.HasPrefix(s.Tokens[next].Tag, "NNP") {
		next++
	}
	switch {
	case next < len(s.Tokens) && s.Tokens[next].Tag == "POS":
		return append(out, "my")
	case next < len(s.Tokens) && isFinite(s.Tokens[next].Tag):
		return append(out, "I")
	}
	return append(out, "me")
}

func isSpeaker(t Token, speaker string) bool {
	return speaker != "" && slices.Contains(strings.Fields(strings.ToLower(speaker)), t.Norm) && strings.HasPrefix(t.Tag, "NNP")
}

// namesOther reports whether the sentence names a person who is not the speaker.
func (s *Sentence) namesOther(speaker string) bool {
	return slices.ContainsFunc(s.Names(), func(n Name) bool {
		return n.Kind == PersonName && !isSpeaker(s.Tokens[n.First], speaker)
	})
}
