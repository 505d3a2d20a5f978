package extract

import (
	"slices"
	"strings"

	"daybook"
	"daybook/english"
)

// Limits of what a note takes over from the one before it.
const (
	contextBytes = 240
	longNote     = 400 // a note of this length stands for itself
)

// Enrich returns the note's text made self-contained from the notes around it:
// with its speaker, with the question it answers or the answer it got, with what a
// bare reference at its start points to, and with third-person pronouns named where
// only one person can be meant. Where the evidence is not clear the words are left
// alone. It reports false when nothing was there to add; the note then stands for
// itself.
func Enrich(n daybook.Note, before, after []daybook.Note) (string, bool) {
	text, named := nameHim(n, before)
	context, answer := "", ""
	if len(n.Text) < longNote {
		context, answer = contextOf(n, before), answerTo(n, after)
	}
	if !named && context == "" && answer == "" {
		return "", false
	}
	n.Text = text
	return strings.TrimSpace(context + " " + n.Passage() + " " + answer), true
}

// answerTo is what somebody else says first after a note that ends in a question.
func answerTo(n daybook.Note, after []daybook.Note) string {
	if len(after) == 0 || after[0].Speaker == n.Speaker {
		return ""
	}
	asked, said := spoken(n.Text), spoken(after[0].Text)
	if len(asked) == 0 || len(said) == 0 || !strings.HasSuffix(asked[len(asked)-1].Of(n.Text), "?") {
		return ""
	}
	return after[0].Speaker + " answered: " + clip(after[0].Text[said[0].Start:said[len(said)-1].End])
}

// enrichments are the enriched texts of the notes of a window from From on, and of the
// note before them where what follows it now makes it another.
func enrichments(w Window) (all []daybook.Enrichment) {
	for i := max(0, w.From-1); i < len(w.Notes); i++ {
		n, before, after := w.Notes[i], w.Notes[max(0, i-LookBack):i], w.Notes[i+1:]
		text, ok := Enrich(n, before, after[:min(1, len(after))])
		if i < w.From && !w.changes(n, before, text) {
			continue
		}
		if !ok && i < w.From {
			text, ok = n.Passage(), true // the answer that it had is another's now
		}
		if ok {
			all = append(all, daybook.Enrichment{Note: n.ID, Text: text, From: lenders(n, before, after), By: By})
		}
	}
	return all
}

// changes reports whether the text of the note before the new ones is another than it
// was with the notes that were known.
func (w Window) changes(n daybook.Note, before []daybook.Note, text string) bool {
	var known []daybook.Note
	for _, a := range w.Notes[w.From:] {
		if w.Read[a.ID] {
			known = append(known, a)
			break
		}
	}
	was, _ := Enrich(n, before, known)
	return was != text
}

// lenders are the notes that Enrich may have taken words from: the last two before a
// note, and the one that answers it.
func lenders(n daybook.Note, before, after []daybook.Note) (ids []daybook.NoteID) {
	for _, b := range before[max(0, len(before)-2):] {
		ids = append(ids, b.ID)
	}
	if answerTo(n, after) != "" {
		ids = append(ids, after[0].ID)
	}
	return ids
}

// contextOf is what was said just before and this note takes up: the question it
// answers, or the last words that "that" or "it" at its start stands for.
func contextOf(n daybook.Note, before []daybook.Note) string {
	if len(before) == 0 {
		return ""
	}
	last := before[len(before)-1]
	if last.Speaker == n.Speaker {
		return ""
	}
	spans := spoken(last.Text)
	for i := len(spans) - 1; i >= 0 && i >= len(spans)-2; i-- {
		if s := spans[i].Of(last.Text); strings.HasSuffix(s, "?") {
			return last.Speaker + " asked: " + clip(s)
		}
	}
	if len(spans) > 0 && refersBack(n.Text) {
		return last.Speaker + " said: " + clip(spans[len(spans)-1].Of(last.Text))
	}
	return ""
}

// spoken are the sentences of a note without the captions of its images.
func spoken(text string) []english.Span {
	return slices.DeleteFunc(english.Sentences(text), func(s english.Span) bool {
		return strings.HasPrefix(s.Of(text), "[image")
	})
}

// refersBack reports whether a text begins with words that stand for something
// said before.
func refersBack(text string) bool {
	tokens := english.Tokens(text)
	for i, t := range tokens {
		switch t.Norm {
		case "that", "it", "this", "those", "these", "they", "he", "she", "there", "same":
			return true
		}
		if i >= 5 {
			break
		}
	}
	return len(tokens) <= 6
}

func clip(s string) string {
	if len(s) <= contextBytes {
		return s
	}
	cut := len(s) - contextBytes
	for cut < len(s) && s[cut] != ' ' {
		cut++
	}
	return strings.TrimSpace(s[cut:])
}

// nameHim puts a name beside the first third-person pronoun of a note that has no
// name of its own, when the notes before it and the note itself speak of exactly
// one other person.
func nameHim(n daybook.Note, before []daybook.Note) (string, bool) {
	at, end := pronounAt(n.Text)
	if at < 0 {
		return n.Text, false
	}
	who := ""
	for _, b := range append(before[max(0, len(before)-2):len(before):len(before)], n) {
		for _, name := range people(b) {
			if name == n.Speaker || len(before) > 0 && name == before[len(before)-1].Speaker {
				continue
			}
			if who != "" && who != name {
				return n.Text, false
			}
			who = name
		}
	}
	if who == "" {
		return n.Text, false
	}
	return n.Text[:end] + " (" + who + ")" + n.Text[end:], true
}

// pronounAt finds the first he or she of a text that no person's name comes before.
func pronounAt(text string) (start, end int) {
	for _, t := range english.Tokens(text) {
		switch t.Norm {
		case "he", "she", "him", "her", "his":
			return t.Start, t.End
		}
	}
	return -1, -1
}

// people are the persons that a note names, or refers to by their tie to the
// speaker.
func people(n daybook.Note) (names []string) {
	for _, s := range english.Read(n.Text) {
		for _, name := range s.Names() {
			if name.Kind == english.PersonName {
				names = append(names, name.Text)
			}
		}
		for i, p := range s.Phrases {
			if p.Human && !p.Named && !p.Pronoun && !p.Plural && isFirstPerson(p.Owner) {
				names = append(names, n.Speaker+"'s "+bareWords(&s, i))
			}
		}
	}
	return names
}
