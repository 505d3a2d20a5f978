package answer

import (
	"fmt"
	"slices"
	"strings"

	"daybook"
	"daybook/english"
)

// retold is what a note tells that goes through the history of a state: the values
// that held before, and the one that took their place. A value is empty where the
// clause that tells it has none.
type retold struct {
	before []string
	now    string
}

// pastWords are those without one of which no note tells what was before.
var pastWords = setOf("original originally initial initially first previously previous formerly former used earlier before old beginning start")

// retell reads a note as a history: a clause in the past tense that says that it was
// so at first or before, and a later one that says what it became. It reports false
// for any other note.
func retell(text string) (h retold, ok bool) {
	if !slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }), func(w string) bool { return pastWords[w] }) {
		return h, false
	}
	turned := false
	for _, s := range english.Read(text) {
		for i := range s.Clauses {
			c := &s.Clauses[i]
			switch {
			case c.Verb < 0 || c.Flags.Has(english.Question|english.Imperative|english.Hypothetical|english.Conditional|english.Wish|english.Plan):
			case wasBefore(&s, c):
				h.before = appendValue(h.before, clauseValue(&s, c))
				ok = true
			case ok && becomes(&s, c):
				h.before, h.now = appendValue(h.before, h.now), clauseValue(&s, c)
				turned = true
			case turned && c.Depth == 0 && s.Group(*c).Verb == "be" && s.Group(*c).Tense == english.Present && clauseValue(&s, c) != "":
				h.before, h.now = appendValue(h.before, h.now), clauseValue(&s, c) // "the final date is"
			}
		}
	}
	h.before = slices.DeleteFunc(h.before, func(v string) bool { return sameValue(v, h.now) })
	return h, turned
}

func appendValue(values []string, v string) []string {
	if v == "" {
		return values
	}
	return append(values, v)
}

// wasBefore reports whether a clause tells what was so at first, or before something
// else came: "the original date was", "we used to meet at", "it was Chase before I".
func wasBefore(s *english.Sentence, c *english.Clause) bool {
	g := s.Group(*c)
	if g.Tense != english.Past || c.Kind != english.Main {
		return false
	}
	m := s.MarksOf(*c)
	if m.Has(english.MarkFirst|english.MarkUsedTo) || m.Has(english.MarkBefore) && g.Verb == "be" { // not "I sold my old car"
		return true
	}
	return slices.ContainsFunc(s.Clauses, func(d english.Clause) bool {
		return d.Kind == english.Adverbial && (d.Subordinator == "before" || d.Subordinator == "until") && d.First >= c.First && d.First <= c.End && s.MarksOf(d).Has(english.MarkChange)
	})
}

// becomes reports whether a clause tells what took the place of what was: by its verb,
// or because it sets the present against the past.
func becomes(s *english.Sentence, c *english.Clause) bool {
	if c.Flags.Has(english.Negated) {
		return false
	}
	m := s.MarksOf(*c)
	return m.Has(english.MarkChange) || m.Has(english.MarkNow|english.MarkLatest) && s.Group(*c).Tense == english.Present
}

// clauseValue is what a clause says that something is, or becomes: what follows its
// verb, but for pronouns.
func clauseValue(s *english.Sentence, c *english.Clause) string {
	said := func(phrase int) bool {
		return phrase >= 0 && !s.Phrases[phrase].Pronoun && s.Phrases[phrase].First >= s.Group(*c).End
	}
	if said(c.Attribute) {
		return phraseText(s, c.Attribute)
	}
	for _, p := range c.Preps {
		if said(p.Phrase) && p.Word != "of" && p.Word != "from" {
			return phraseText(s, p.Phrase)
		}
	}
	if at := slices.IndexFunc(c.Objects, said); at >= 0 {
		return phraseText(s, c.Objects[at])
	}
	return ""
}

// phraseText is a phrase as written, with the number that follows it: "March 15th".
func phraseText(s *english.Sentence, phrase int) string {
	end := s.Phrases[phrase].End
	for end < len(s.Tokens) && strings.ContainsAny(s.Tokens[end].Norm[:1], "0123456789") {
		end++
	}
	return trimValue(tokensText(s, s.Phrases[phrase].First, end))
}

// labelRetold labels the rows that retell how a state went. What such a note says was
// before is outdated. Where another row gives what it became, the note is historical
// and stands behind it; else it is the transition.
func labelRetold(rows []Row) {
	for i := range rows {
		row := &rows[i]
		if row.Role != daybook.RoleCurrent {
			continue
		}
		h, ok := retell(row.Own().Text)
		if !ok || len(h.before) == 0 {
			continue
		}
		for _, v := range h.before {
			if !slices.Contains(row.Outdated, v) {
				row.Outdated = append(row.Outdated, v)
			}
		}
		holder := slices.IndexFunc(rows, func(o Row) bool { return o.ID != row.ID && o.Role == daybook.RoleCurrent && givesValue(&o, h) })
		if holder < 0 {
			row.Role, row.Reason = daybook.RoleTransition, fmt.Sprintf("tells what was before: %q", h.before)
			continue
		}
		row.Role, row.Reason = daybook.RoleHistorical, fmt.Sprintf("tells what was before %q", h.now)
		if holder > i {
			moved := rows[holder]
			copy(rows[i+1:holder+1], rows[i:holder])
			rows[i] = moved
		}
	}
}

// tellsBefore reports whether a sentence of a row only tells what was before what the
// row says it became, where somebody asks for what holds.
func tellsBefore(r *Resolved, it *Item, s *english.Sentence) bool {
	if r.View != daybook.Current || it.Role != daybook.RoleTransition || len(it.Outdated) == 0 {
		return false
	}
	return slices.ContainsFunc(s.Clauses, func(c english.Clause) bool { return wasBefore(s, &c) }) &&
		!slices.ContainsFunc(s.Clauses, func(c english.Clause) bool { return becomes(s, &c) })
}

// givesValue reports whether a row says what a history came to, and nothing of what
// was before.
func givesValue(row *Row, h retold) bool {
	said := plainWords(row.Text)
	if now := plainWords(h.now); len(now) == 0 || sharedWords(now, said) < 1 {
		return false
	}
	return !slices.ContainsFunc(h.before, func(v string) bool { return sharedWords(plainWords(v), said) == 1 })
}
