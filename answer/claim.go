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
	Time     time.Time      // when it was said
	Valid    daybook.Span   // when it holds, as far as the ledger knows
	Variable []float32      // of the state; nil where it is not known
	Vector   []float32      // of its words, Centred
	Chance   float64        // how likely it states that something is so
	Others   bool           // it speaks of somebody else
	Sure     bool           // it is of the asked state beyond doubt
	Gone     []extract.Gone // what its sentence says is over
	read     *english.Sentence
	crowd    *float64 // how crowded it is around its variable; nil while nobody asked
}

// leastStated is how likely a sentence must state something to be taken for a
// claim where the judge thinks something else likelier.
const leastStated = 0.2

// ClaimIn returns what a sentence of a note claims; false where it claims nothing of a
// state. The vector is that of the sentence.
func ClaimIn(n daybook.Note, s *english.Sentence, vector []float32) (Claim, bool) {
	role, chance := extract.Judge(s, vector)
	if st, ok := extract.Reset(s); ok {
		c := claimed(n, s, st, max(chance, surelyStated))
		c.Vector = Centred(vector)
		return c, true
	}
	switch role {
	case extract.Asks, extract.Chats, extract.Happens, extract.Touches, extract.Views:
		if chance < leastStated {
			return givenUp(n, s, vector)
		}
		role = extract.States
	case extract.Adds, extract.Ended:
		if !borne(s, role) && chance >= leastHidden {
			role = extract.States
		}
	}
	st, ok := extract.StatementOf(s, role)
	if !ok {
		return givenUp(n, s, vector)
	}
	c := claimed(n, s, st, chance)
	c.Vector = Centred(vector)
	if role == extract.Others && !ownPerson(s) || role == extract.States && otherPerson(s) {
		c.Modality, c.Others = daybook.Reported, true
	}
	if role == extract.Others && ownPerson(s) {
		c.Modality, c.Chance = daybook.Asserted, 1
	}
	if c.asserted() {
		c.Modality = meant(s, role, chance)
	}
	return c, true
}

// givenUp is the claim of a sentence that something is over, where it claims nothing else.
func givenUp(n daybook.Note, s *english.Sentence, vector []float32) (Claim, bool) {
	st, ok := extract.Given(s)
	if !ok {
		return Claim{}, false
	}
	c := claimed(n, s, st, surelyStated)
	c.Vector = Centred(vector)
	return c, true
}

// ClaimOf returns the claim of a note that gives a value of which the ledger says that
// it is so: how it is meant need not be judged again.
func ClaimOf(n daybook.Note, value string) (Claim, bool) {
	for _, s := range english.Read(n.Own().Text) {
		if st, ok := extract.StatementOf(&s, extract.States); ok && sameValue(st.Object, value) {
			return claimed(n, &s, st, 1), true
		}
	}
	return Claim{}, false
}

// FactClaim is the claim of a note that gives the value of a fact that the ledger learned
// from it, where no sentence is known to.
func FactClaim(n daybook.Note, f *daybook.Fact) Claim {
	c := Claim{Of: n.Speaker, Sentence: n.Text, Note: n.ID, Session: n.Session, Time: n.Time, Valid: f.Valid, Chance: 1}
	c.Object, c.Modality, c.Who = f.Object, daybook.Asserted, english.Speaker
	return c
}

// Gives reports whether a claim is of a value.
func (c *Claim) Gives(value string) bool { return sameValue(c.Object, value) }

// claimed is the claim of a sentence of a note that states something, as likely as
// given.
func claimed(n daybook.Note, s *english.Sentence, st extract.Statement, chance float64) Claim {
	c := Claim{Statement: st, Of: n.Speaker, Sentence: s.Text, Note: n.ID, Session: n.Session, Time: n.Time, Chance: chance, Gone: extract.Over(s), read: s}
	c.Valid = validOf(&c)
	return c
}

// leastHidden is how likely a sentence must state something for it to be taken so
// where grammar does not bear out that it adds to what holds, or says that it is over.
const leastHidden = 0.04

// borne reports whether grammar bears out that a sentence adds to what holds ("also",
// "another"), or says that something is over: what it tells of now is not.
func borne(s *english.Sentence, role extract.Role) bool {
	if role == extract.Adds {
		return slices.ContainsFunc(s.Clauses, func(c english.Clause) bool { return c.Flags.Has(english.Additive) })
	}
	c := lastSubject(s)
	return c == nil || c.Flags.Has(english.Ended|english.Negated) || s.Group(*c).Tense != english.Present || !tellsNow(s, c)
}

// lastSubject is the last main clause that has a subject, or nil.
func lastSubject(s *english.Sentence) (c *english.Clause) {
	for i := range s.Clauses {
		if tellsOfSubject(s, &s.Clauses[i]) {
			c = &s.Clauses[i]
		}
	}
	return c
}

// tellsOfSubject reports whether a clause is a main one with a subject.
func tellsOfSubject(s *english.Sentence, c *english.Clause) bool {
	return c.Depth == 0 && c.Verb >= 0 && c.Subject >= 0 && c.Subject < len(s.Phrases)
}

// tellsNow reports whether a clause says that it is so at present: "now", "these
// days".
func tellsNow(s *english.Sentence, c *english.Clause) bool {
	for _, t := range s.Tokens[c.First:min(c.End, len(s.Tokens))] {
		switch t.Norm {
		case "now", "nowadays", "currently", "these":
			return true
		}
	}
	return false
}

// surelyMeant is how likely a sentence must state something for it to stand against
// a word of wishing at its head.
const surelyMeant = 0.9

// meant is how an assertion is meant, where its role or its grammar says more than
// its own clause: what is planned, wished for, or so for a bounded time only.
func meant(s *english.Sentence, role extract.Role, chance float64) daybook.Modality {
	head, _ := subjectOf(s)
	switch {
	case role == extract.Plans:
		return daybook.Planned
	case head != nil && chance < surelyMeant && head.Flags.Has(english.Wish):
		return daybook.Wished
	case forNow(s):
		return daybook.OneOff
	}
	return daybook.Asserted
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
// than of the speaker: "my deskmate has …", "my brother's goal is …", "a neighbour
// drives …". One who is named may be what the speaker tells of: "Rajesh leads my
// project".
func otherPerson(s *english.Sentence) bool {
	c, np := subjectOf(s)
	if np == nil || ownPerson(s) {
		return false
	}
	if first := &s.Phrases[0]; first.First == 0 && indefinite(first) && first.End < len(s.Tokens) && isI(s.Tokens[first.End]) { // "a potter I know fires"
		return true
	}
	return c.Who == english.PersonThing || c.Who == english.Person && (isOwn(np.Owner) || !np.Named && !np.Pronoun && !ofSpeaker(s, np))
}

func isI(t english.Token) bool { return t.Norm == "i" || t.Norm == "we" }

func indefinite(np *english.NounPhrase) bool {
	return np.Determiner == "a" || np.Determiner == "an" || np.Determiner == "some"
}

// coordinated is how many tokens a second part of a subject may have: "and gents".
const coordinated = 2

// ofSpeaker reports whether a sentence speaks of the speaker outside of its subject,
// or its subject is who the speaker says: "the folks I ride with".
func ofSpeaker(s *english.Sentence, subject *english.NounPhrase) bool {
	for i, t := range s.Tokens {
		switch t.Norm {
		case "my", "me", "our", "us", "mine":
			if i < subject.First || i >= subject.End {
				return true
			}
		}
		if isI(t) && i >= subject.End && i <= subject.End+coordinated && !indefinite(subject) {
			return true
		}
	}
	return false
}

// otherWords are the words for the person of whom a sentence tells: "my brother" in
// "my brother's goal is …", "the couple upstairs".
func otherWords(s *english.Sentence) []string {
	c, np := subjectOf(s)
	switch {
	case np == nil || c.Who != english.Person && c.Who != english.PersonThing:
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
		if c := &s.Clauses[i]; tellsOfSubject(s, c) {
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
