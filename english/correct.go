package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// correctTags repairs what a tagger trained on newspapers gets wrong in talk. The
// rules are of grammar: what may follow an auxiliary, a pronoun, a determiner.
// They run in order; later ones see what earlier ones did.
func correctTags(tokens []Token) {
	c := corrector{t: tokens, shouting: isShouting(tokens)}
	for i := range tokens {
		c.shape(i)
		c.clitic(i)
		c.closed(i)
		c.opening(i)
		c.afterAuxiliary(i)
		c.afterPronoun(i)
	}
	for i := range tokens {
		c.like(i)
		c.that(i)
		c.ambiguousName(i)
	}
	c.start()
	c.finite()
	for i := range tokens {
		c.adjective(i)
		c.askedNoun(i)
		c.inverted(i)
		c.nameVerb(i)
		c.afterTo(i)
		c.joined(i)
		c.compound(i)
		c.shade(i)
	}
}

// shade: a noun before a colour says which shade it is: "jet black hair", "painted
// the door apple green". Where no noun follows, another must come before, or a verb
// of being: "painted the door green" names no shade.
func (c corrector) shade(i int) {
	t := c.t[i]
	if !colours[t.Norm] || i == 0 || !isAdjTag(t.Tag) && !isNounTag(t.Tag) {
		return
	}
	p := &c.t[i-1]
	if p.Tag != "NN" && p.Tag != "RB" || strings.HasSuffix(p.Norm, "ly") || lexicon()[p.Norm] == "RB" || colours[p.Norm] {
		return
	}
	if isNounTag(c.tag(i+1)) || isNounTag(c.tag(i-2)) || isBe(c.t, i-2) {
		p.Tag, c.t[i].Tag = "JJ", "JJ"
	}
}

// nounAfterTo are words after which "to" leads to a thing, and to no verb.
var nounAfterTo = set("allergic intolerant sensitive addicted married close similar")

// colours are the plain words for colours.
var colours = set("red orange yellow green blue purple violet pink brown black white grey gray beige teal turquoise blonde blond")

// joined gives a word after "and" or a comma the form of the verb that it goes on
// with: "we played, ate and hung out", "to build a house and put a roof on it",
// "I'm running a studio and offering classes".
func (c corrector) joined(i int) {
	t := &c.t[i]
	p := c.back(i)
	if c.tag(p) != "CC" && c.tag(p) != "," || p == 0 {
		return
	}
	next := c.tag(i + 1)
	object := startsObject(next) || isNounTag(next) || isAdjTag(next)
	switch {
	case pasts[t.Norm] && !pastIsBase(t.Norm) && (t.Tag == "VBN" || !isVerbTag(t.Tag) && isVerbTag(lexicon()[t.Norm])) && c.verbBefore(p, "VBD") && !c.auxiliaryBefore(p):
		t.Tag = "VBD"
	case t.Tag == "VBD" && pastIsBase(t.Norm) && !strings.HasSuffix(t.Norm, "ed") && c.verbBefore(p, "VB") && !c.verbBefore(p, "VBD"):
		t.Tag = "VB"
	case t.Tag == "NN" && c.tag(p) == "CC" && startsObject(next) && next != "NNP" && c.isBaseVerb(t.Norm) && c.verbBefore(p, "VB"):
		t.Tag = "VB"
	case t.Tag == "NN" && c.tag(p) == "CC" && strings.HasSuffix(t.Norm, "ing") && !nounsInIng[t.Norm] && object && c.verbBefore(p, "VBG") && !strings.HasSuffix(c.norm(p-1), "ing"):
		t.Tag = "VBG"
	}
}

func (c corrector) verbBefore(i int, tag string) bool {
	for j := range i {
		if c.t[j].Tag == tag {
			return true
		}
	}
	return false
}

func (c corrector) auxiliaryBefore(i int) bool {
	for j := range i {
		if haveForms[c.t[j].Norm] || isBe(c.t, j) {
			return true
		}
	}
	return false
}

// compound: what looks like a participle behind a noun with its article, and is a
// base form at the same time, ends a compound: "a charity run in town". Nor is there
// a second verb right after a first.
func (c corrector) compound(i int) {
	t := &c.t[i]
	if t.Tag == "NNS" && (c.norm(i-1) == "who" || c.tag(i-1) == "WDT") && isVerbish(lexicon()[verbLemma(t.Norm)]) && !isVerbTag(c.tag(i+1)) {
		t.Tag = "VBZ" // "the one who signs off"
		return
	}
	if t.Norm == "left" && t.Tag == "VBD" && isNounTag(c.tag(i-1)) && c.verbBefore(i, "VBP") && !startsObject(c.tag(i+1)) {
		t.Tag = "JJ" // "I have nine days left"
		return
	}
	if t.Tag == "VBP" && isFinite(c.tag(i-1)) && !isAuxWord(c.norm(i-1)) && !isAuxWord(t.Norm) {
		t.Tag = "NN" // "my dog eats chicken"
		return
	}
	if t.Tag == "VBG" && c.tag(i-1) == "," && isAdjTag(c.tag(i-2)) && isNounTag(c.tag(i+1)) {
		t.Tag = "JJ" // "a safe, inviting place"
		return
	}
	if (t.Tag == "VBN" || t.Tag == "VBD" || t.Tag == "VB") && c.tag(i-1) == "DT" && (c.norm(i-1) == "a" || c.norm(i-1) == "an" || c.norm(i-1) == "the") && !isNounTag(c.tag(i+1)) && !isAdjTag(c.tag(i+1)) && !isKnownWord(verbLemma(t.Norm)) {
		t.Tag = "NN" // "a waterbed"
		return
	}
	if t.Tag == "VBG" && nounsInIng[t.Norm] && isNounTag(c.tag(i+1)) {
		t.Tag = "NN" // "a wedding dress"
		return
	}
	if t.Tag == "VBG" && c.tag(i-1) == "PRP$" && !isNounTag(c.tag(i+1)) && !isAdjTag(c.tag(i+1)) {
		t.Tag = "NN" // "my studying"
		return
	}
	if t.Tag != "VBN" || !pastIsBase(t.Norm) && irregularForms[t.Norm] != t.Norm && t.Norm != "run" || strings.HasSuffix(t.Norm, "ed") || c.norm(i+1) == "by" || c.tag(i-1) != "NN" {
		return
	}
	for j := i - 2; j >= 0 && j > i-5; j-- {
		switch tag := c.t[j].Tag; {
		case tag == "DT" || tag == "PRP$":
			t.Tag = "NN"
			return
		case !isNounTag(tag) && !isAdjTag(tag) && tag != "CD":
			return
		}
	}
}

// adjective: a word that is mostly an adjective is one after "be" and at the
// start, unless a noun follows or a determiner comes before.
func (c corrector) adjective(i int) {
	t := &c.t[i]
	if t.Tag == "RB" && !strings.HasSuffix(t.Norm, "ly") {
		c.noAdverb(i)
		return
	}
	if t.Tag != "NN" && t.Tag != "VBP" && t.Tag != "VB" || lexicon()[t.Norm] != "JJ" || isNounTag(c.tag(i+1)) {
		return
	}
	p := c.back(i)
	if p < 0 || isBe(c.t, p) || p < i-1 && linkVerbs[verbLemma(c.norm(p))] || linkVerbs[verbLemma(c.norm(i-1))] && isVerbTag(c.tag(i-1)) {
		t.Tag = "JJ"
	}
}

// noAdverb: an unknown word without the ending of an adverb is none, and a word that
// is mostly an adjective is one where it ends a phrase: "went carnivore", "is
// terracotta", "painted it yellow".
func (c corrector) noAdverb(i int) {
	t := &c.t[i]
	switch known := lexicon()[t.Norm]; {
	case !isKnownWord(t.Norm) && isBe(c.t, c.back(i)):
		t.Tag = "JJ"
	case !isKnownWord(t.Norm) && len(t.Norm) > 3:
		t.Tag = "NN"
	case known == "JJ" && !flatAdverbs[t.Norm] && !isAdjTag(c.tag(i+1)) && !isVerbTag(c.tag(i+1)):
		t.Tag = "JJ"
	}
}

// flatAdverbs are adverbs that look like adjectives.
var flatAdverbs = set("hard fast late early long right well back pretty straight high low deep close far near wrong just only even still last first next daily weekly likely enough same much little more most less least better best worse worst")

// askedNoun: between "which" or "what" and an auxiliary there is a noun, and so is
// a bare verb form after a noun that nothing has made a verb.
func (c corrector) askedNoun(i int) {
	t := &c.t[i]
	if t.Tag != "VB" && t.Tag != "VBP" && t.Tag != "JJ" && !(t.Tag == "VBD" && lexicon()[t.Norm] == "NN") || isAuxWord(t.Norm) || i == 0 {
		return
	}
	prev := c.norm(i - 1)
	asked := prev == "which" || prev == "what" || i > 1 && isNounTag(c.tag(i-1)) && (c.norm(i-2) == "which" || c.norm(i-2) == "what")
	if asked && (isAuxWord(c.norm(i+1)) || t.Tag == "VBD" && isNounTag(c.tag(i+1))) {
		t.Tag = "NN"
	}
	if t.Tag == "VB" && isNounTag(c.tag(i-1)) && !c.licensed(i) && lexicon()[t.Norm] == "NN" {
		t.Tag = "NN"
	}
}

// licensed reports whether a word before i can ask for a base form.
func (c corrector) licensed(i int) bool {
	for j := range i {
		if c.t[j].Tag == "MD" || c.t[j].Tag == "TO" || doForms[c.t[j].Norm] || bareVerbs[verbLemma(c.t[j].Norm)] && !beForms[c.t[j].Norm] && c.t[j].Norm != "'s" {
			return true
		}
	}
	return false
}

// inverted finds the verb of a question behind its subject: after "did", a modal
// or "has" and a noun phrase comes a base form or a participle, whatever else the
// word may be: "did Anna move", "has her diet changed".
func (c corrector) inverted(i int) {
	t := c.t[i]
	have := haveForms[t.Norm] && t.Tag != "VBN" || (t.Norm == "was" || t.Norm == "were" || t.Norm == "is" || t.Norm == "are") && i == 0
	if !doForms[t.Norm] && t.Tag != "MD" && !have || have && i > 0 && !strings.HasPrefix(c.tag(i-1), "W") || i > 0 && subjectPronouns[c.norm(i-1)] {
		return
	}
	for j := i + 1; j < len(c.t) && j < i+9; j++ {
		x := &c.t[j]
		switch {
		case x.Tag == "VB" || x.Tag == "VBN" || x.Tag == "VBG" && have || x.Tag == ",":
			return
		case j == i+1 || !isNounTag(c.tag(c.back(j))) && c.tag(c.back(j)) != "PRP":
			continue
		case have && (x.Tag == "VBD" || participles[x.Norm]):
			x.Tag = "VBN"
			return
		case !have && (x.Tag == "NN" || x.Tag == "VBP" || x.Tag == "JJ" || x.Tag == "VBD" || x.Tag == "IN" && x.Norm == "like") && c.isBaseVerb(x.Norm):
			x.Tag = "VB"
			return
		}
	}
}

// isBaseVerb reports whether a word has verb forms of its own.
func (c corrector) isBaseVerb(norm string) bool {
	if irregularForms[norm] != "" && !pastIsBase(norm) || strings.HasSuffix(norm, "ing") {
		return false
	}
	_, irregular := pastOf[norm]
	return irregular || lexicon()[norm] == "VB" || lexicon()[norm] == "VBP" || isVerbish(lexicon()[PastForm(norm)])
}

// nameVerb: after a name, or before "that", a form in -s before an object or a preposition is a
// verb: "Anna lives in".
func (c corrector) nameVerb(i int) {
	t := &c.t[i]
	if t.Tag == "NNS" && isNounTag(c.tag(i-1)) && c.norm(i+1) == "that" && clauseVerbs[verbLemma(t.Norm)] {
		t.Tag = "VBZ" // "my neighbor claims that"
		c.that(i + 1)
		return
	}
	if t.Tag != "NNS" || c.tag(i-1) != "NNP" || !strings.HasSuffix(t.Norm, "s") || !isVerbish(lexicon()[verbLemma(t.Norm)]) {
		return
	}
	next := c.tag(i + 1)
	if firstNames[c.norm(i-1)] || startsObject(next) || next == "IN" || next == "TO" {
		t.Tag = "VBZ"
	}
}

// afterTo: "to work" and "to school" after a verb of going or riding is a way,
// not a purpose. A preposition that ends its clause is an adverb.
func (c corrector) afterTo(i int) {
	t := &c.t[i]
	next := c.tag(i + 1)
	switch {
	case t.Tag == "VB" && c.norm(i-1) == "to" && nounAfterTo[c.norm(i-2)]:
		t.Tag = "NN"
	case c.tag(i-1) == "TO" && bareGoals[t.Norm] && t.Tag == "VB" && (!startsObject(next) || c.norm(i+1) == "every" || c.norm(i+1) == "each" || c.norm(i+1) == "this") && c.rides(i):
		t.Tag = "NN"
	case (t.Norm == "before" || t.Norm == "after" || t.Norm == "since") && (next == "." || next == "" || next == ","):
		t.Tag = "RB"
	case t.Tag == "VB" && c.tag(i-1) == "TO" && isNounTag(next) && lexicon()[t.Norm] == "NN" && !isKnownWord(ingForm(t.Norm)) && !isKnownWord(PastForm(t.Norm)):
		t.Tag = "NN"
	case t.Tag == "VB" && lexicon()[t.Norm] == "NN" && (c.tag(c.back(i)) == "VB" || c.tag(c.back(i)) == "VBD") && !bareVerbs[verbLemma(c.norm(c.back(i)))]:
		t.Tag = "NN"
	case t.Norm == "home" && t.Tag == "NN" && i > 0 && motionVerbs[verbLemma(c.norm(i-1))]:
		t.Tag = "RB"
	}
}

// bareVerbs may be followed by a bare verb.
var bareVerbs = set("let make help go come do have see hear watch be get")

var bareGoals = set("work school church college bed")

func (c corrector) rides(i int) bool {
	for j := i - 2; j >= 0 && j > i-7; j-- {
		if isVerbTag(c.t[j].Tag) {
			lemma := verbLemma(c.t[j].Norm)
			return motionVerbs[lemma] || lemma == "take" || lemma == "bus" || lemma == "carpool" || lemma == "catch"
		}
	}
	return false
}

type corrector struct {
	t        []Token
	shouting bool // most letters are capitals
}

func (c corrector) tag(i int) string {
	if i < 0 || i >= len(c.t) {
		return ""
	}
	return c.t[i].Tag
}

func (c corrector) norm(i int) string {
	if i < 0 || i >= len(c.t) {
		return ""
	}
	return c.t[i].Norm
}

// back returns the nearest token before i that is no adverb or negation.
func (c corrector) back(i int) int {
	i--
	for i >= 0 && (isAdverbTag(c.t[i].Tag) || c.t[i].Norm == "n't") {
		i--
	}
	return i
}

// ahead returns the nearest token after i that is no adverb or negation.
func (c corrector) ahead(i int) int {
	i++
	for i < len(c.t) && (isAdverbTag(c.t[i].Tag) || c.t[i].Norm == "n't") {
		i++
	}
	return i
}

func isAdverbTag(tag string) bool { return tag == "RB" || tag == "RBR" || tag == "RBS" }
func isNounTag(tag string) bool   { return strings.HasPrefix(tag, "NN") }
func isVerbTag(tag string) bool   { return strings.HasPrefix(tag, "VB") }
func isAdjTag(tag string) bool    { return strings.HasPrefix(tag, "JJ") }
func isFinite(tag string) bool {
	return tag == "VBD" || tag == "VBP" || tag == "VBZ" || tag == "MD"
}

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
