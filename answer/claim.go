package answer

import (
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/english"
	"daybook/extract"
	"daybook/timex"
)

// Claim is one thing that a note says: of whom, which value, how it is meant.
type Claim struct {
	extract.Statement
	Of       string // the name of whom it is about
	Sentence string // the words that say so
	Note     daybook.NoteID
	Session  string
	Time     time.Time    // when it was said
	Valid    daybook.Span // when it holds, as far as the ledger knows
	Variable []float32    // of the state; nil where it is not known
	Vector   []float32    // of its words, Centred
	Chance   float64      // how likely it states that something is so
	Others   bool         // it speaks of somebody else
	read     *english.Sentence
}

// leastStated is how likely a sentence must state something to be taken for a
// claim where the judge thinks something else likelier.
const leastStated = 0.2

// ClaimIn returns what the sentence at an index of a note claims; false where it
// claims nothing of a state. The vector is that of the sentence.
func ClaimIn(n daybook.Note, index int, vector []float32) (Claim, bool) {
	one, ok := english.ReadNth(n.Own().Text, index)
	if !ok {
		return Claim{}, false
	}
	s := &one
	role, chance := extract.Judge(s, vector)
	switch role {
	case extract.Asks, extract.Chats, extract.Happens, extract.Touches, extract.Views:
		if chance < leastStated {
			return Claim{}, false
		}
		role = extract.States
	}
	st, ok := extract.StatementOf(s, role)
	if !ok {
		return Claim{}, false
	}
	c := Claim{Statement: st, Of: n.Speaker, Sentence: s.Text, Note: n.ID, Session: n.Session, Time: n.Time, Vector: Centred(vector), Chance: chance, read: s}
	c.Valid = validOf(&c)
	if role == extract.Others && !ownPerson(s) || role == extract.States && otherPerson(s) {
		c.Modality, c.Others = daybook.Reported, true
	}
	if role == extract.Others && ownPerson(s) {
		c.Modality = daybook.Asserted
	}
	if c.asserted() && forNow(s) {
		c.Modality = daybook.OneOff
	}
	return c, true
}

// forNow reports whether a sentence says that it is so for a bounded time only.
func forNow(s *english.Sentence) bool {
	return slices.ContainsFunc(s.Clauses, func(c english.Clause) bool { return c.Depth == 0 && c.Flags.Has(english.Temporary) })
}

// ownPerson reports whether a sentence tells who somebody is to the speaker: "my
// roommate is Dmitri", "Dmitri is my roommate now".
func ownPerson(s *english.Sentence) bool {
	return slices.ContainsFunc(s.Clauses, func(c english.Clause) bool {
		if c.Depth > 0 || c.Subject < 0 || c.Attribute < 0 {
			return false
		}
		a, b := &s.Phrases[c.Subject], &s.Phrases[c.Attribute]
		return isOwn(a.Owner) && b.Named || a.Named && isOwn(b.Owner)
	})
}

// otherPerson reports whether a sentence tells of a person of the speaker's rather
// than of the speaker: "my deskmate has …", "my brother's goal is …".
func otherPerson(s *english.Sentence) bool {
	c, np := subjectOf(s)
	if np == nil || ownPerson(s) {
		return false
	}
	return c.Who == english.PersonThing || c.Who == english.Person && isOwn(np.Owner)
}

// otherWords are the words for the person of whom a sentence tells: "my brother" in
// "my brother's goal is …", "the couple upstairs".
func otherWords(s *english.Sentence) []string {
	c, np := subjectOf(s)
	switch {
	case np == nil:
		return nil
	case c.Who == english.PersonThing && np.Owner != "":
		return contentWords(np.Owner)
	}
	return contentWords(tokensText(s, np.First, np.End))
}

func isOwn(owner string) bool {
	o := strings.ToLower(owner)
	return o == "my" || o == "our"
}

// subjectOf is the first main clause that has a subject, and its subject.
func subjectOf(s *english.Sentence) (*english.Clause, *english.NounPhrase) {
	for i := range s.Clauses {
		if c := &s.Clauses[i]; c.Depth == 0 && c.Verb >= 0 && c.Subject >= 0 && c.Subject < len(s.Phrases) {
			return c, &s.Phrases[c.Subject]
		}
	}
	return nil, nil
}

// validOf is since when a claim holds: the time its words tell, or when it was
// said.
func validOf(c *Claim) daybook.Span {
	if c.Changed && c.Type != extract.When {
		if a := timex.Anchor(c.Sentence, c.Time); a.Expr.Resolved && a.Relation == timex.Before {
			return a.Span
		}
	}
	return daybook.Span{From: c.Time, Known: daybook.Spoken}
}

// asserted reports whether the claim says that its value holds.
func (c *Claim) asserted() bool { return c.Modality == daybook.Asserted && !c.Ended && !c.Additive }

// since is when the claim's value came to hold: the time its words tell, or when
// it was said.
func (c *Claim) since() time.Time {
	if c.Valid.Known != daybook.Spoken && c.Valid.Known != daybook.Assumed && !c.Valid.From.IsZero() && c.Valid.From.Before(c.Time) {
		return c.Valid.From
	}
	return c.Time
}

func (c *Claim) stated() extract.Stated {
	return extract.Stated{Statement: c.Statement, Variable: c.Variable}
}

// contentWords are those of the sentence, which is not read again where it was.
func (c *Claim) contentWords() []string {
	if c.read != nil {
		return contentOf(c.read)
	}
	return contentWords(c.Sentence)
}

func contentWords(text string) []string {
	s := english.ReadSentence(text)
	return contentOf(&s)
}

func contentOf(s *english.Sentence) (words []string) {
	for _, t := range s.Tokens {
		if isContent(t) {
			words = append(words, t.Lemma)
		}
	}
	return words
}

// sameValue reports whether two values are the same but for case, articles and
// punctuation.
func sameValue(a, b string) bool { return foldValue(a) == foldValue(b) }

func foldValue(s string) string {
	f := daybook.Fold(s)
	for _, article := range []string{"a ", "an ", "the ", "my "} {
		if len(f) > len(article) && f[:len(article)] == article {
			return f[len(article):]
		}
	}
	return f
}
