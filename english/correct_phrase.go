package english

import "strings"

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
