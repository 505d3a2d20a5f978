package extract

import (
	"slices"
	"strings"

	"daybook/english"
)

// claim makes a state the speaker's where the sentence says so and its subject is
// not somebody with a name: "they collect the trash at my place", "the one who
// signs my papers is Anna". A subject that is itself the value is nobody's state:
// "Anna became my manager". Nor is what is said of something with a name.
func (st *Statement) claim(s *english.Sentence, c *english.Clause, v value) {
	mine := firstPerson(s) || own(s)
	switch st.Who {
	case english.Person, english.PersonThing:
		if v.subject || st.Own && anonymous(st.Subject) {
			st.Who, st.Own = english.Thing, true
		}
	case english.Hearer, english.HearerThing:
		if mine {
			st.Who, st.Own = english.Thing, true
		}
	default:
		named := c.Subject >= 0 && s.Phrases[c.Subject].Named && !s.Phrases[c.Subject].Time
		st.Own = st.Own || mine && (v.subject || !named)
	}
}

// anonymous reports whether a subject names nobody and points at nobody known:
// "they", "the one".
func anonymous(subject string) bool {
	first, _, _ := strings.Cut(strings.ToLower(subject), " ")
	switch first {
	case "they", "the", "one", "someone", "somebody", "everyone", "everybody", "people":
		return true
	}
	return false
}

// subjectOf is the subject as written, where it is neither the speaker nor
// something of the speaker's.
func subjectOf(s *english.Sentence, c *english.Clause) string {
	switch c.Who {
	case english.Speaker, english.SpeakerThing:
		return ""
	}
	return s.FullText(c.Subject)
}

// ownThing names the first thing before a token that the sentence calls the
// speaker's: what "it" in "I changed my order, it's …" stands for. It is empty where
// there is none.
func ownThing(s *english.Sentence, before int) string {
	for i, p := range s.Phrases {
		if p.First < before && isFirstPerson(p.Owner) {
			if words := bareWords(s, i); words != "" {
				return words
			}
		}
	}
	return ""
}

// ownThings are the nouns of what a sentence calls the speaker's, each once.
func ownThings(s *english.Sentence) (all []string) {
	for _, p := range s.Phrases {
		if noun := s.Tokens[p.Head].Lemma; isFirstPerson(p.Owner) && !p.Named && !slices.Contains(all, noun) {
			all = append(all, noun)
		}
	}
	return all
}

// ownPlace reports whether the subject, or what links to it, is the speaker's: "the
// code to my apartment is …".
func ownPlace(s *english.Sentence, c *english.Clause) bool {
	of := s.Phrases[c.Subject].Of
	if of >= 0 && isFirstPerson(s.Phrases[of].Owner) {
		return true
	}
	for i := c.First; i < c.End && i < len(s.Tokens); i++ {
		if n := s.Tokens[i].Norm; n == "my" || n == "our" {
			return true
		}
	}
	return false
}

// topic names the first thing that a sentence speaks of before a token.
func topic(s *english.Sentence, before int) string {
	for i, p := range s.Phrases {
		if p.End <= before && !p.Pronoun && !p.Time && !vague[s.Tokens[p.Head].Lemma] {
			return bareWords(s, i)
		}
	}
	return ""
}

// mentionsSpeaker reports whether a clause is about something of the speaker's:
// "Benedict is leading my project".
func mentionsSpeaker(s *english.Sentence, c *english.Clause) bool {
	moved := moving[s.Group(*c).Verb]
	own := func(phrase int) bool {
		return phrase >= 0 && (isFirstPerson(s.Phrases[phrase].Owner) || s.Tokens[s.Phrases[phrase].Head].Norm == "me" && !moved)
	}
	for _, o := range c.Objects {
		if own(o) {
			return true
		}
	}
	for _, p := range c.Preps {
		if own(p.Phrase) {
			return true
		}
	}
	return own(c.Attribute) || c.Who == english.Person && speakerRelative(s, c)
}

// moving verbs tell what something does to somebody, and nothing of whose it is:
// "Yoga makes me feel strong".
var moving = setOf("make let have help bring give keep remind inspire teach show tell ask send lend cheer get drive allow encourage motivate")

// speakerRelative reports whether a clause about the speaker says which thing is
// meant: "Benedict runs the project I'm on".
func speakerRelative(s *english.Sentence, c *english.Clause) bool {
	for i := range s.Clauses {
		r := &s.Clauses[i]
		if r.Kind == english.Relative && r.Who == english.Speaker && r.First > c.First && len(c.Objects) > 0 {
			return true
		}
	}
	return false
}

func isFirstPerson(owner string) bool {
	o := strings.ToLower(owner)
	return o == "my" || o == "our"
}
