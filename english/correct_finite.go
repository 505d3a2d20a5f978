package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// like is a verb after a subject, an auxiliary or "to"; else a preposition.
func (c corrector) like(i int) {
	t := &c.t[i]
	if t.Norm != "like" {
		return
	}
	p := c.back(i)
	prev := c.tag(p)
	switch {
	case prev == "MD" || prev == "TO" || doForms[c.norm(p)] || c.norm(i-1) == "n't":
		t.Tag = "VB"
	case prev == "PRP" && subjectPronouns[c.norm(p)] && !(p > 0 && isVerbTag(c.tag(p-1)) && !isAuxWord(c.norm(p-1)) && !clauseVerbs[verbLemma(c.norm(p-1))]):
		t.Tag = "VBP"
		if p > 0 && isAuxWord(c.norm(p-1)) {
			t.Tag = "VB"
		}
	case (prev == "NNS" || prev == "NNPS") && !c.hasFiniteBefore(i):
		t.Tag = "VBP"
	default:
		t.Tag = "IN"
	}
}

func (c corrector) hasFiniteBefore(i int) bool {
	for j := range i {
		if isFinite(c.t[j].Tag) {
			return true
		}
	}
	return false
}

// that is a determiner before a noun, a relative between noun and verb, and a
// conjunction before a subject.
func (c corrector) that(i int) {
	t := &c.t[i]
	if t.Norm != "that" {
		return
	}
	next, n := c.tag(i+1), c.ahead(i)
	prevNoun := isNounTag(c.tag(i - 1))
	switch {
	case prevNoun && (isFinite(c.tag(n))):
		t.Tag = "WDT"
	case next == "PRP" || next == "DT" || next == "PRP$" || next == "NNP" || next == "EX" || next == "NNS":
		t.Tag = "IN"
		if i == 0 && next != "NNP" {
			t.Tag = "DT"
		}
	default:
		t.Tag = "DT"
	}
}

// ambiguousName makes a capitalised word a name before a finite verb, where it is
// also a common word ("Will works late", "Rose said") or begins the sentence and is
// no common word ("Rajesh leads").
func (c corrector) ambiguousName(i int) {
	t := &c.t[i]
	r, _ := utf8.DecodeRuneInString(t.Text)
	begins := i == 0 && t.Tag == "NN" && !isCommonWord(t.Norm)
	if !unicode.IsUpper(r) || !firstNames[t.Norm] && !begins || strings.HasPrefix(t.Tag, "NNP") {
		return
	}
	next := c.tag(i + 1)
	if i > 0 && !strings.Contains(".:,``", c.tag(i-1)) || next == "VBZ" || next == "VBD" || next == "POS" || next == "MD" {
		t.Tag = "NNP"
	}
}

// start reads the first word of a sentence: an imperative, or a past form whose
// subject was dropped.
func (c corrector) start() {
	i := 0
	for i < len(c.t) && (c.t[i].Tag == "UH" || c.t[i].Tag == "," || c.t[i].Tag == "SYM" || c.t[i].Tag == "``" || c.t[i].Tag == "CC" || isAdverbTag(c.t[i].Tag) && c.t[i].Norm != "not" || c.t[i].Tag == "." && i == 0) {
		i++
	}
	if i >= len(c.t) {
		return
	}
	t := &c.t[i]
	next := c.tag(i + 1)
	switch t.Tag {
	case "NN", "NNP", "VBP", "JJ", "VBN":
		if t.Tag == "VBN" || t.Tag != "VBP" && pasts[t.Norm] && !pastIsBase(t.Norm) && !strings.HasPrefix(t.Tag, "NNP") {
			if t.Norm != "born" && t.Norm != "based" && c.norm(i+1) != "by" && (startsObject(next) || next == "IN" || next == "TO" || next == "VBG" || isAdverbTag(next) || next == "RP" || isNounTag(next) || isAdjTag(next)) {
				t.Tag = "VBD"
			}
			return
		}
		if firstNames[t.Norm] || subjectPronouns[t.Norm] || t.Tag == "JJ" && lexicon()[t.Norm] != "VB" {
			return
		}
		verb := t.Tag == "VBP" && !isAuxWord(t.Norm) || lexicon()[t.Norm] == "VB"
		if verb && !c.hasFiniteSoon(i) && (startsObject(next) || next == "TO" || next == "IN" || next == "." || next == "WRB" || next == "WP" || isAdverbTag(next) || isNounTag(next)) {
			t.Tag = "VB"
		}
	}
}

// hasFiniteSoon reports whether a finite verb follows right after the noun phrase
// that i may begin.
func (c corrector) hasFiniteSoon(i int) bool {
	for j := i + 1; j < len(c.t) && j < i+3; j++ {
		if isFinite(c.t[j].Tag) {
			return true
		}
		if !isNounTag(c.t[j].Tag) && !isAdverbTag(c.t[j].Tag) {
			return false
		}
	}
	return false
}

// finite looks for the verb of a part in which none was found: the sentence, and
// what follows a conjunction or comma.
func (c corrector) finite() {
	if !c.hasFinite(0, len(c.t)) {
		c.findFinite(0, len(c.t), false)
		return
	}
	start := 0
	for i := 0; i <= len(c.t); i++ {
		if i < len(c.t) && c.t[i].Tag != "CC" && c.t[i].Tag != "," && !(c.t[i].Tag == "IN" && subordinators[c.t[i].Norm]) {
			continue
		}
		if start > 0 && start < i && startsSubject(c.t[start].Tag) && !c.hasFinite(start, i) {
			c.findFinite(start, i, true)
		}
		start = i + 1
	}
}

func startsSubject(tag string) bool {
	return tag == "PRP$" || tag == "NNP" || tag == "PRP" || tag == "DT"
}

func (c corrector) hasFinite(from, to int) bool {
	for i := from; i < to; i++ {
		if isFinite(c.t[i].Tag) || c.t[i].Tag == "VB" && c.tag(i-1) != "TO" {
			return true
		}
	}
	return false
}

// findFinite makes the likeliest word of a part its verb. With strict, only a
// word that is mostly a verb is taken.
func (c corrector) findFinite(from, to int, strict bool) {
	for i := from + 1; i < to; i++ {
		p := c.back(i)
		if p < from || !isNounTag(c.tag(p)) && c.tag(p) != "PRP" {
			continue
		}
		if strict && (!isVerbTag(lexicon()[c.t[i].Norm]) || lexicon()[c.t[i].Norm] == "VBG") {
			continue
		}
		if tag := c.finiteTag(i, c.tag(p)); tag != "" {
			c.t[i].Tag = tag
			return
		}
	}
}

// finiteTag returns the finite tag that a word can have after a subject, or "".
func (c corrector) finiteTag(i int, subject string) string {
	t := c.t[i]
	known := isVerbish(lexicon()[verbLemma(t.Norm)]) || irregularForms[t.Norm] != ""
	next := c.tag(i + 1)
	open := startsObject(next) || next == "IN" || next == "TO" || isAdverbTag(next) || next == "." || next == "," || next == "" || next == "CD" || next == "VBG" || isNounTag(next) || isAdjTag(next)
	switch {
	case t.Tag == "VBN" && c.norm(i+1) != "by":
		return "VBD"
	case t.Tag == "NNS" && known && open && (subject == "NN" || subject == "NNP") && strings.HasSuffix(t.Norm, "s"):
		return "VBZ"
	case (t.Tag == "NN" || t.Tag == "JJ" || t.Tag == "VB") && known && open && subject == "NNS" && lexicon()[t.Norm] != "JJ" && !strings.HasSuffix(t.Norm, "ing"):
		return "VBP"
	}
	return ""
}
