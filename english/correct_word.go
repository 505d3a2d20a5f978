package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shape fixes capitals and names of days and months.
func (c corrector) shape(i int) {
	t := &c.t[i]
	r, _ := utf8.DecodeRuneInString(t.Text)
	switch {
	case weekdays[t.Norm] || months[t.Norm] && t.Norm != "may" && t.Norm != "march":
		t.Tag = "NNP"
	case interjections[t.Norm] && !(t.Norm == "thanks" && isVerbTag(c.tag(i-1))):
		t.Tag = "UH"
	case numberWords[t.Norm] && t.Tag != "PRP" && t.Tag != "NN":
		t.Tag = "CD"
	case !unicode.IsUpper(r) || t.Norm == "i" || i == 0 || c.shouting:
	case c.titled(i):
		t.Tag = "NNP"
	case strings.Contains(".:``(\"", c.tag(i-1)) && c.tag(i-1) != "" || c.tag(i-1) == "UH" || c.tag(i-1) == "SYM" || c.tag(i-1) == ",":
		if isKnownWord(t.Norm) && !firstNames[t.Norm] {
			return
		}
		fallthrough
	case (isNounTag(t.Tag) || isAdjTag(t.Tag) || isVerbTag(t.Tag) || t.Tag == "FW" || t.Tag == "CD") && !strings.HasPrefix(t.Tag, "NNP") && !closedWords[t.Norm]:
		if isAllUpper(t.Text) && isKnownWord(t.Norm) && len(t.Text) > 4 {
			return // one shouted word
		}
		t.Tag = "NNP"
	}
}

// titled reports whether the word stands in a title: between quotation marks, where
// every longer word has a capital.
func (c corrector) titled(i int) bool {
	open, end := i-1, i+1
	for open > 0 && open > i-6 && !isQuote(c.norm(open)) {
		open--
	}
	for end < len(c.t) && end < i+6 && !isQuote(c.norm(end)) {
		end++
	}
	if open < 1 || end >= len(c.t) || !isQuote(c.norm(open)) || !isQuote(c.norm(end)) || c.norm(open-1) == "," {
		return false
	}
	for _, t := range c.t[open+1 : end] {
		if len(t.Text) > 3 && !isCapital(t) {
			return false
		}
	}
	return true
}

func isQuote(norm string) bool { return norm == "\"" || norm == "“" || norm == "”" }

func isAllUpper(s string) bool { return strings.ToUpper(s) == s }

// clitic tells apart the readings of 's and 'd.
func (c corrector) clitic(i int) {
	t := &c.t[i]
	switch t.Norm {
	case "n't":
		t.Tag = "RB"
	case "'m", "'re", "'ve":
		t.Tag = "VBP"
	case "'ll":
		t.Tag = "MD"
	case "'d":
		t.Tag = "MD"
		if n := c.tag(c.ahead(i)); n == "VBN" || c.norm(i+1) == "better" {
			t.Tag = "VBD"
		}
	case "'s":
		t.Tag = c.tagS(i)
	case "'":
		if i > 0 && strings.HasSuffix(c.norm(i-1), "s") && c.t[i-1].End == t.Start && isNounTag(c.tag(i+1)) {
			t.Tag = "POS"
		}
	}
}

func (c corrector) tagS(i int) string {
	prev := c.t[i-min(i, 1)]
	if prev.Norm == "let" {
		return "PRP"
	}
	if !isNounTag(prev.Tag) && !isAdjTag(prev.Tag) && prev.Tag != "CD" && !indefinite[prev.Norm] || prev.Norm == "that" || prev.Norm == "here" || prev.Norm == "there" {
		return "VBZ"
	}
	next := c.ahead(i)
	switch tag := c.tag(next); {
	case tag == "DT" || tag == "IN" || tag == "PRP$" || tag == "PRP" || tag == "TO" || tag == "MD":
		return "VBZ"
	case tag == "VBG" || tag == "VBN":
		if isNounTag(c.tag(next+1)) && next == i+1 {
			return "POS"
		}
		return "VBZ"
	case isAdjTag(tag) && !isNounTag(c.tag(next+1)) && !isAdjTag(c.tag(next+1)) && c.tag(next+1) != "CD":
		return "VBZ"
	case next > i+1:
		return "VBZ"
	}
	return "POS"
}

// closed fixes words whose tag the next word decides.
func (c corrector) closed(i int) {
	t := &c.t[i]
	next := c.tag(i + 1)
	switch t.Norm {
	case "i":
		t.Tag = "PRP"
	case "her":
		t.Tag = "PRP"
		if isNounTag(next) || isAdjTag(next) || next == "CD" || next == "VBG" && isNounTag(c.tag(i+2)) {
			t.Tag = "PRP$"
		}
	case "to":
		t.Tag = "TO"
	case "there":
		t.Tag = "RB"
		if l := c.norm(c.ahead(i)); beForms[l] || l == "'s" || c.tag(i+1) == "MD" {
			t.Tag = "EX"
		}
	case "not", "n't", "also", "just", "too", "still", "never", "ever", "already", "currently", "instead", "anymore", "yesterday", "today", "tomorrow", "tonight":
		if t.Norm == "yesterday" || t.Norm == "today" || t.Norm == "tomorrow" || t.Norm == "tonight" {
			t.Tag = "NN"
		} else if !(t.Norm == "just" && next == "NN") {
			t.Tag = "RB"
		}
	case "lets":
		t.Tag = "VBZ"
	case "beside", "near", "inside", "outside", "above", "below", "behind", "opposite", "underneath", "beneath", "alongside":
		if t.Tag == "RB" && (next == "DT" || next == "PRP$" || next == "NNP") {
			t.Tag = "IN" // "I sit beside the window"
		}
	case "one":
		if p := c.tag(i - 1); isAdjTag(p) || p == "DT" && c.norm(i-1) != "no" {
			t.Tag = "NN" // "the other one"
		}
	case "who", "whom":
		t.Tag = "WP"
	case "where", "when", "why", "how":
		t.Tag = "WRB"
	case "because", "if", "although", "though", "unless", "whereas":
		t.Tag = "IN"
	case "used":
		if next == "TO" && !isBe(c.t, c.back(i)) {
			t.Tag = "VBD"
		}
	case "while":
		if c.tag(i-1) != "DT" {
			t.Tag = "IN"
		}
	}
}

// opening fixes words that mostly open a question or a phrase.
func (c corrector) opening(i int) {
	t := &c.t[i]
	next := c.tag(i + 1)
	switch t.Norm {
	case "do":
		if next == "PRP" && subjectPronouns[c.norm(i+1)] && strings.HasPrefix(c.tag(i-1), "W") || c.t[i].Tag == "VB" && isNounTag(c.tag(i-1)) || i == 0 && (next == "PRP" || next == "NNP" || next == "DT" || next == "PRP$" || next == "NNS") && c.norm(i+1) != "the" && c.norm(i+1) != "it" {
			t.Tag = "VBP"
		}
	case "have":
		if i == 0 && next == "PRP" {
			t.Tag = "VBP"
		}
	case "going":
		if t.Text != "going" && !isCapital(*t) {
			t.Tag = "VBG" // gonna
		}
	case "will":
		if next == "PRP" || next == "DT" || next == "PRP$" {
			t.Tag = "MD"
		}
	case "first":
		if c.tag(i+1) == "VB" || c.tag(i+1) == "VBD" || c.tag(i+1) == "NN" && (isNounTag(c.tag(i-1)) || c.tag(i-1) == "PRP") {
			t.Tag = "RB"
		}
	case "according":
		if next == "TO" {
			t.Tag = "IN"
		}
	}
}

func isBe(t []Token, i int) bool {
	return i >= 0 && (beForms[t[i].Norm] || t[i].Norm == "'s" && t[i].Tag == "VBZ" || t[i].Norm == "got" || t[i].Norm == "get" || t[i].Norm == "getting")
}

var beForms = set("am is are was were be been being 'm 're")
var doForms = set("do does did")
var haveForms = set("have has had 've having")

// afterAuxiliary gives a verb the form that its auxiliary asks for.
func (c corrector) afterAuxiliary(i int) {
	t := &c.t[i]
	if closedWords[t.Norm] && !beForms[t.Norm] && !doForms[t.Norm] && !haveForms[t.Norm] {
		return
	}
	p := c.back(i)
	if p < 0 {
		return
	}
	prev := c.t[p]
	switch {
	case prev.Tag == "MD" || prev.Norm == "n't" || doForms[prev.Norm] && c.t[i-1].Norm == "n't":
		c.makeBase(i)
	case prev.Tag == "TO" && p == i-1:
		if t.Tag == "VBP" || t.Tag == "VBD" && !pasts[t.Norm] || (t.Tag == "NN" || t.Tag == "JJ") && lexicon()[t.Norm] == "VB" && !c.afterMotion(p) {
			t.Tag = "VB"
		} else if t.Tag == "NN" && isKnownWord(ThirdForm(t.Norm)) && (startsObject(c.tag(i+1)) || isAdjTag(c.tag(i+1)) && isNounTag(c.tag(i+2))) && isVerbish(lexicon()[t.Norm]) && !c.afterMotion(p) {
			t.Tag = "VB"
		}
	case prev.Tag == "DT" && p == i-1 && t.Tag == "MD":
		t.Tag = "NN" // "a must"
	case haveForms[prev.Norm] && p == i-1 && (t.Tag == "VBN" || t.Tag == "VBD") && !participles[t.Norm] && (!strings.HasSuffix(t.Norm, "ed") || len(t.Norm) < 4) && isNameWord(lexicon()[t.Norm]):
		t.Tag = lexicon()[t.Norm] // "I have cat and red hair"
	case haveForms[prev.Norm] && (t.Tag == "VBD" || (t.Tag == "VB" || t.Tag == "VBP") && (participles[t.Norm] || strings.HasSuffix(t.Norm, "ed"))), isBe(c.t, p) && t.Tag == "VBD" && !stativeAdjectives[t.Norm]:
		t.Tag = "VBN"
	case isBe(c.t, p) && !getForms[prev.Norm] && stativeAdjectives[t.Norm] && c.norm(i+1) != "by":
		t.Tag = "JJ"
	case isBe(c.t, p) && t.Tag == "NN" && strings.HasSuffix(t.Norm, "ing") && !nounsInIng[t.Norm]:
		t.Tag = "VBG"
	case prev.Tag == "PRP" && p > 0 && (doForms[c.norm(p-1)] || c.tag(p-1) == "MD" || c.norm(p-1) == "n't" && p > 1):
		c.makeBase(i)
	}
}

// isNameWord reports whether a tag is that of a common noun or an adjective.
func isNameWord(tag string) bool { return tag == "NN" || tag == "NNS" || tag == "JJ" }

// stativeAdjectives look like participles and say how somebody is.
var stativeAdjectives = set("tired married excited interested bored worried scared divorced engaged retired pleased surprised disappointed confused stressed exhausted annoyed ashamed embarrassed relaxed frustrated thrilled concerned overwhelmed used boring exciting interesting tiring amazing relaxing")

var nounsInIng = set("thing something anything nothing everything morning evening spring ceiling king ring string wedding building clothing pudding sibling feeling meeting")

// afterMotion: "to" after a verb of motion leads to a place: "went to work".
func (c corrector) afterMotion(to int) bool {
	p := c.back(to)
	if p >= 0 && getForms[c.norm(p)] {
		return bareGoals[c.norm(to+1)] // "get to work", not "get to share"
	}
	return p >= 0 && motionVerbs[verbLemma(c.t[p].Norm)] && c.norm(p) != "going"
}

var motionVerbs = set("go come get walk drive ride head return travel commute run move cycle bike get back")

func startsObject(tag string) bool {
	return tag == "DT" || tag == "PRP" || tag == "PRP$" || tag == "RP" || tag == "NNP"
}

// makeBase tags a word as a base verb if its form allows.
func (c corrector) makeBase(i int) {
	t := &c.t[i]
	switch t.Tag {
	case "VBP", "NN", "VBD", "VBN", "JJ", "IN", "NNP":
		if t.Tag == "JJ" && isNounTag(c.tag(i+1)) && lexicon()[t.Norm] != "VB" {
			return
		}
		if t.Tag == "IN" && t.Norm != "like" || strings.HasSuffix(t.Norm, "ing") || strings.HasSuffix(t.Norm, "ed") && !strings.HasSuffix(t.Norm, "eed") {
			return
		}
		if base := irregularForms[t.Norm]; base != "" && !pastIsBase(t.Norm) {
			return
		}
		t.Tag = "VB"
	}
}

// pastIsBase: put, cut, read, and others whose past looks like the base.
func pastIsBase(norm string) bool { return irregularForms[norm] == norm || irregularForms[norm] == "" }

var subjectPronouns = set("i you he she it we they")

// afterPronoun makes the word after a subject pronoun a finite verb.
func (c corrector) afterPronoun(i int) {
	t := &c.t[i]
	p := c.back(i)
	if p < 0 || !subjectPronouns[c.t[p].Norm] || c.t[p].Tag != "PRP" || closedWords[t.Norm] && !beForms[t.Norm] && !haveForms[t.Norm] && !doForms[t.Norm] {
		return
	}
	inverted := p > 0 && (isFinite(c.tag(p-1)) && isAuxWord(c.norm(p-1)) || doForms[c.norm(p-1)] || c.norm(p-1) == "n't")
	object := (c.t[p].Norm == "it" || c.t[p].Norm == "you") && p > 0 && (isVerbTag(c.tag(p-1)) || c.tag(p-1) == "IN" || c.tag(p-1) == "TO") && !isAuxWord(c.norm(p-1)) && !clauseVerbs[verbLemma(c.norm(p-1))] && !subordinators[c.norm(p-1)]
	if inverted || object {
		return
	}
	third := c.t[p].Norm == "he" || c.t[p].Norm == "she" || c.t[p].Norm == "it"
	switch t.Tag {
	case "VBN":
		t.Tag = "VBD"
	case "VBP":
		if t.Norm == "quit" {
			t.Tag = "VBD"
		}
	case "VB", "NN", "JJ":
		if !third && (t.Tag == "VB" || isVerbish(lexicon()[t.Norm]) && lexicon()[t.Norm] != "JJ") && !strings.HasSuffix(t.Norm, "ing") {
			t.Tag = "VBP"
		}
		if pasts[t.Norm] && !pastIsBase(t.Norm) || t.Norm == "quit" {
			t.Tag = "VBD"
		}
	case "NNS":
		if third && lexicon()[verbLemma(t.Norm)] != "" {
			t.Tag = "VBZ"
		}
	}
}

func isAuxWord(norm string) bool {
	return beForms[norm] || doForms[norm] || haveForms[norm] || modals[norm] || norm == "'s" || norm == "'ll" || norm == "'d"
}

var modals = set("will would can could should may might must shall 'll 'd ought")
