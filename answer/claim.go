package answer

import (
	"time"

	"daybook"
	"daybook/english"
	"daybook/extract"
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
	Fact     daybook.FactID
	Variable []float32 // of the state; nil where it is not known
	Vector   []float32 // of its words, Centred
}

// ClaimOf makes the claim of a fact that the words of a note assert. Words that no
// longer read as a statement of the fact's object still give its value.
func ClaimOf(f daybook.Fact, of string, n daybook.Note, words string) Claim {
	c := Claim{Of: of, Sentence: words, Note: n.ID, Session: n.Session, Time: n.Time, Valid: f.Valid, Fact: f.ID}
	for _, st := range extract.Read(words) {
		if st.Object == f.Object {
			c.Statement = st
			break
		}
	}
	if c.Object == "" {
		c.Statement = extract.Statement{Object: f.Object, Relation: f.Relation, Why: f.Context.Why, Words: contentWords(words)}
	}
	c.Modality = f.Modality
	c.Ended = c.Ended || f.Modality == daybook.Asserted && f.Valid.From.IsZero() && !f.Valid.Until.IsZero()
	if c.Why == "" {
		c.Why = f.Context.Why
	}
	return c
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

func contentWords(text string) (words []string) {
	for _, t := range english.ReadSentence(text).Tokens {
		switch t.Tag[:min(2, len(t.Tag))] {
		case "NN", "VB", "JJ", "CD":
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
