package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// NounPhrase is a run of tokens around a noun or pronoun. "of" and what follows
// it is a phrase of its own, linked by Of.
type NounPhrase struct {
	First, End int    // tokens [First, End)
	Head       int    // token of the head noun
	Determiner string // lower case: "the", "a", "my", "no"; empty if none
	Owner      string // who has it, as written: "my", "Melanie", "my sister"; empty if nobody is named
	Of         int    // the phrase after "of", or -1
	Named      bool   // the head is a proper noun
	Pronoun    bool
	Plural     bool
	Time       bool // it names a time: "last week", "two years"
	Human      bool // by its head: a person noun, a first name, a personal pronoun
}

// Tense of a verb group.
type Tense string

// Tenses. A group that is not finite has none.
const (
	Past    Tense = "past"
	Present Tense = "present"
	Future  Tense = "future"
)

// Form of a verb group.
type Form string

// Forms.
const (
	Finite     Form = "finite"
	Base       Form = "base" // a bare verb that leads a clause: an imperative, or a dropped subject
	Infinitive Form = "infinitive"
	Gerund     Form = "gerund"
	Participle Form = "participle"
)

// VerbGroup is a main verb with its auxiliaries, negation and particle.
type VerbGroup struct {
	First, End  int    // tokens [First, End); a subject inside an inverted group is part of it
	Main        int    // token of the main verb
	Lemma       string // of the main verb, with its particle: "pick up"
	Verb        string // of the main verb alone
	Particle    string
	Tense       Tense
	Form        Form
	Modal       string // "would", "can", "have to"; empty if none
	Perfect     bool
	Progressive bool
	Passive     bool
	Negated     bool
	UsedTo      bool // "used to live"
	GoingTo     bool // "going to live"
	Inverted    bool // the auxiliary comes before the subject
	inner       int  // first token of that subject, or -1
}

// phraseAt reads the noun phrase that begins at token i; ok is false if none
// does.
func phraseAt(t []Token, i int) (np NounPhrase, ok bool) {
	np = NounPhrase{First: i, Head: -1, Of: -1}
	switch tag := t[i].Tag; {
	case tag == "PRP" || tag == "EX" || t[i].Norm == "mine" || t[i].Norm == "yours":
		np.Head, np.End, np.Pronoun = i, i+1, true
	case indefinite[t[i].Norm] && t[i].Tag != "CD":
		np.Head, np.End, np.Pronoun = i, i+1, true
	default:
		np.readFrom(t, i)
	}
	if np.Head < 0 {
		return np, false
	}
	np.describe(t)
	return np, true
}

// readFrom reads determiner, modifiers and head, and again after a possessive.
func (np *NounPhrase) readFrom(t []Token, i int) {
	start := i
	for i < len(t) && (t[i].Tag == "PDT" || t[i].Tag == "DT" || t[i].Tag == "PRP$" || t[i].Norm == "all" || t[i].Norm == "both" || t[i].Norm == "half" || t[i].Norm == "such") {
		np.Determiner = t[i].Norm
		if t[i].Tag == "PRP$" {
			np.Owner = t[i].Text
		}
		i++
	}
	head, end := nounRun(t, i, i > start)
	if head < 0 {
		if i > start && np.Determiner != "the" && np.Determiner != "a" && np.Determiner != "an" && t[i-1].Tag != "PRP$" {
			np.Head, np.End = i-1, i // "that is", "this"
			np.Pronoun = true
		}
		return
	}
	np.Head, np.End = head, end
	if end < len(t) && t[end].Tag == "POS" && end+1 < len(t) {
		inner := *np
		inner.Owner = joinTokens(t, start, end)
		inner.readFrom(t, end+1)
		if inner.End > end+1 {
			inner.First, np.Determiner = np.First, ""
			*np = inner
			np.Owner = joinTokens(t, start, end)
		}
	}
}

// nounRun reads modifiers and head from i; begun says that a determiner came
// before. The head is the last noun.
func nounRun(t []Token, i int, begun bool) (head, end int) {
	head = -1
	for i < len(t) {
		next := ""
		if i+1 < len(t) {
			next = t[i+1].Tag
		}
		switch tag := t[i].Tag; {
		case indefinite[t[i].Norm] && tag != "CD" && !(begun && t[i].Norm == "one") || predicateOnly[t[i].Norm] && !begun:
			return head, end
		case isNounTag(tag):
			if head >= 0 && splitsNouns(t, head, i) {
				return head, end
			}
			head, end = i, i+1
		case tag == "CD" || tag == "$":
			if head >= 0 && !isNounTag(t[head].Tag) || head < 0 || months[t[head].Norm] {
				head, end = i, i+1
			} else {
				return head, end
			}
		case head >= 0 && isNounTag(t[head].Tag):
			return head, end
		case isAdjTag(tag) && (begun || leadsToNoun(t, i)):
			if begun && !leadsToNoun(t, i) {
				return adjectiveHead(t, i, head, end)
			}
		case (tag == "VBN" || tag == "VBG") && (begun || head >= 0) && (isNounTag(next) || isAdjTag(next)):
		case tag == "FW":
			head, end = i, i+1
		case isAdverbTag(tag) && (begun || head >= 0) && (isAdjTag(next) || next == "VBN"):
		case (tag == "," || tag == "CC") && i > 0 && isAdjTag(t[i-1].Tag) && isAdjTag(next) && leadsToNoun(t, i+1):
		default:
			return head, end
		}
		begun = true
		i++
	}
	return head, end
}

// adjectiveHead lets an adjective after a determiner stand for a noun: "the
// latest". After "that" and "no" it does not.
func adjectiveHead(t []Token, i, head, end int) (int, int) {
	if head >= 0 {
		return head, end
	}
	at := i - 1
	if at > 0 && (t[at].Tag == "VBN" || t[at].Tag == "VBG") {
		at-- // "a shared flat"
	}
	if at < 0 || t[at].Norm != "the" && t[at].Tag != "PRP$" && t[at].Norm != "a" {
		return -1, 0
	}
	for i+1 < len(t) && isAdjTag(t[i+1].Tag) {
		i++
	}
	return i, i + 1
}

// splitsNouns reports whether two nouns in a row belong to different phrases: a
// noun of time after another noun, or a name after a common noun in lower case.
func splitsNouns(t []Token, head, i int) bool {
	if nowWords[t[i].Norm] {
		return true
	}
	if weekdays[strings.TrimSuffix(t[i].Norm, "s")] && !timeNouns[t[head].Norm] {
		return true
	}
	return t[head].Tag == "NN" && t[i].Tag == "NNP" && firstNames[t[i].Norm] && !personNouns[t[head].Norm]
}

// predicateOnly adjectives do not stand before their noun.
var predicateOnly = set("sure glad able aware afraid ready alone alive asleep")

var nowWords = set("today tomorrow yesterday tonight")

func leadsToNoun(t []Token, i int) bool {
	for ; i < len(t); i++ {
		switch tag := t[i].Tag; {
		case isNounTag(tag):
			return !nowWords[t[i].Norm] && (!indefinite[t[i].Norm] || t[i].Norm == "one")
		case !isAdjTag(tag) && tag != "VBG" && tag != "VBN" && tag != "CD" && tag != "," && tag != "CC":
			return false
		case tag == "," || tag == "CC":
			if i+1 >= len(t) || !isAdjTag(t[i+1].Tag) {
				return false
			}
		}
	}
	return false
}

// describe fills in what follows from the head.
func (np *NounPhrase) describe(t []Token) {
	head := t[np.Head]
	np.Named = strings.HasPrefix(head.Tag, "NNP") && !timeNouns[head.Norm]
	np.Plural = head.Tag == "NNS" || head.Tag == "NNPS" || head.Norm == "we" || head.Norm == "they" || head.Norm == "us" || head.Norm == "them" || head.Norm == "people"
	np.Time = timeNouns[head.Norm] || timeNouns[strings.TrimSuffix(head.Norm, "s")] || timeNouns[head.Lemma] || isClock(t, *np)
	first := strings.ToLower(t[np.First].Text)
	switch {
	case np.Pronoun:
		np.Human = personPronouns[head.Norm]
	case np.Named:
		np.Human = firstNames[first] || titles[strings.TrimSuffix(first, ".")] || personNouns[head.Norm]
	default:
		np.Human = personNouns[head.Lemma] || personNouns[head.Norm] || strings.HasSuffix(head.Lemma, "mate") && len(head.Lemma) > len("climate")
	}
	if np.Named && np.Owner != "" {
		np.Human = firstNames[head.Norm] || np.titled(t)
	}
}

// titled reports whether the head is the name of somebody whose tie to the owner
// comes before it: "my girlfriend Ola".
func (np *NounPhrase) titled(t []Token) bool {
	for i := np.First; i < np.Head; i++ {
		word := t[i].Lemma
		if personNouns[word] || personNouns[t[i].Norm] || petNouns[word] || strings.HasPrefix(word, "co-") || strings.HasSuffix(word, "mate") || strings.HasSuffix(word, "ist") {
			return true
		}
	}
	return false
}

var personPronouns = set("i me we us you he him she her they them myself yourself himself herself ourselves themselves someone somebody everyone everybody anyone anybody nobody mine yours who")

func isClock(t []Token, np NounPhrase) bool {
	head := t[np.Head]
	if head.Tag != "CD" {
		return false
	}
	year := len(head.Norm) == 4 && (head.Norm[:2] == "19" || head.Norm[:2] == "20")
	return year || strings.Contains(head.Norm, ":") || strings.HasSuffix(head.Norm, "am") || strings.HasSuffix(head.Norm, "pm") ||
		np.First < np.Head && months[t[np.Head-1].Norm]
}

func joinTokens(t []Token, first, end int) string {
	var b strings.Builder
	for i := first; i < end; i++ {
		if i > first && t[i].Start > t[i-1].End {
			b.WriteByte(' ')
		}
		b.WriteString(t[i].Text)
	}
	return b.String()
}

// groupAt reads the verb group that begins at token i.
func groupAt(t []Token, i int, subjectBefore bool) (g VerbGroup, ok bool) {
	g = VerbGroup{First: i, Main: -1, inner: -1}
	c := corrector{t: t}
	if t[i].Tag == "TO" {
		n := c.ahead(i)
		if c.tag(n) != "VB" {
			return g, false
		}
		g.Form = Infinitive
		i = n
	}
	if !isVerbTag(t[i].Tag) && t[i].Tag != "MD" {
		return g, false
	}
	g.negationBetween(t, g.First, i)
	g.setForm(t[i])
	g.readVerbs(t, i, subjectBefore)
	for p := g.First - 1; p >= 0 && isAdverbTag(t[p].Tag); p-- {
		g.Negated = g.Negated || t[p].Norm == "never" || t[p].Norm == "not"
	}
	if t[g.First].Norm == "do" && g.Negated && !g.Inverted && !subjectBefore && g.Main > g.First {
		g.Form, g.Tense = Base, "" // "Don't go"
	}
	return g, g.Main >= 0
}

func (g *VerbGroup) setForm(t Token) {
	if g.Form != "" {
		return
	}
	g.Form = Finite
	switch t.Tag {
	case "VBD":
		g.Tense = Past
	case "VBP", "VBZ":
		g.Tense = Present
	case "MD":
		g.Tense = Present
		if l := t.Lemma; l == "will" || l == "shall" {
			g.Tense = Future
		}
	case "VB":
		g.Form = Base
	case "VBG":
		g.Form = Gerund
	case "VBN":
		g.Form = Participle
	}
}

// readVerbs walks along auxiliaries to the main verb.
func (g *VerbGroup) readVerbs(t []Token, i int, subjectBefore bool) {
	for steps := 0; steps < 8; steps++ {
		next := g.nextVerb(t, i, subjectBefore)
		if next < 0 {
			break
		}
		g.take(t, i, next)
		g.negationBetween(t, i+1, next)
		i = next
		subjectBefore = true
	}
	g.Main, g.End = i, i+1
	g.Verb = t[i].Lemma
	if t[i].Norm == "'s" && t[i].Tag == "VBZ" && g.Verb == "" {
		g.Verb = "be"
	}
	if n := i + 1; n < len(t) && (t[n].Norm == "n't" || t[n].Norm == "not" || t[n].Norm == "never") {
		g.Negated = true
		g.End = n + 1
	}
	g.Lemma = g.Verb
	g.addParticle(t)
}

// nextVerb returns the verb that the auxiliary at i leads to, or -1 if the verb
// at i is the main verb.
func (g *VerbGroup) nextVerb(t []Token, i int, subjectBefore bool) int {
	c := corrector{t: t}
	n := c.ahead(i)
	want := wantedForms(t, i)
	if want == "" || n >= len(t) {
		return -1
	}
	if fits(t, n, want) {
		return n
	}
	if next := semiAuxiliary(c, i, n, g.Progressive); next >= 0 {
		return next
	}
	if subjectBefore && !doForms[t[i].Norm] && t[i].Tag != "MD" {
		return -1
	}
	np, ok := phraseAt(t, n)
	if !ok || np.Time {
		return -1
	}
	if after := c.ahead(np.End - 1); after < len(t) && fits(t, after, want) && !(subjectBefore && t[after].Tag != "VB") {
		g.Inverted, g.inner = true, n
		return after
	}
	return -1
}

// wantedForms returns the tags that may follow an auxiliary, or "" for a verb
// that is none.
func wantedForms(t []Token, i int) string {
	norm := t[i].Norm
	switch {
	case t[i].Tag == "MD":
		return "VB"
	case doForms[norm]:
		return "VB"
	case haveForms[norm] || t[i].Lemma == "have":
		return "VBN"
	case beForms[norm] || norm == "'s" && t[i].Tag == "VBZ":
		return "VBG VBN"
	case norm == "used" || norm == "going" || norm == "got" && t[i].Text != "got":
		return "TO"
	case getForms[norm] && i+1 < len(t) && t[i+1].Tag == "VBN":
		return "VBN"
	}
	return ""
}

var getForms = set("get gets got getting gotten")

// fits reports whether the token has one of the wanted verb forms. A past form
// after "have" counts: taggers confuse them.
func fits(t []Token, n int, want string) bool {
	tag := t[n].Tag
	if !isVerbTag(tag) {
		return false
	}
	return strings.Contains(want, tag) && (tag != "VB" || want == "VB")
}

// semiAuxiliary handles "used to", "going to", "have to", "able to", "about to",
// "supposed to": it returns the verb after "to", or -1.
func semiAuxiliary(c corrector, i, n int, progressive bool) int {
	verbAfter := func(to int) int {
		if v := c.ahead(to); c.tag(to) == "TO" && c.tag(v) == "VB" {
			return v
		}
		return -1
	}
	norm := c.norm(i)
	switch {
	case norm == "used", norm == "going" && (progressive || len(c.t[i].Text) < len("going")), norm == "ought", norm == "got" && i > 0 && c.t[i].Text != "got":
		return verbAfter(n)
	case haveForms[norm] && c.tag(n) == "TO":
		return verbAfter(n)
	case (beForms[norm] || norm == "'s") && (c.norm(n) == "able" || c.norm(n) == "about" || c.norm(n) == "supposed"):
		return verbAfter(n + 1)
	}
	return -1
}

// take records what the auxiliary at i says about the verb at next.
func (g *VerbGroup) take(t []Token, i, next int) {
	norm, tag := t[i].Norm, t[next].Tag
	between := ""
	if next > i+1 {
		between = t[next-1].Norm
	}
	switch {
	case t[i].Tag == "MD":
		g.Modal = t[i].Lemma
		if g.Modal == "will" || g.Modal == "shall" {
			g.Modal = ""
		}
	case norm == "used":
		g.UsedTo, g.Tense = true, Past
	case norm == "going":
		g.GoingTo, g.Progressive, g.Form = true, false, Finite
		if g.Tense != Past {
			g.Tense = Future
		}
	case getForms[norm] && tag == "VBN":
		g.Passive = true
	case norm == "got":
		g.Modal = "have to"
	case (haveForms[norm] || t[i].Lemma == "have") && between == "to":
		g.Modal = "have to"
	case haveForms[norm] || t[i].Lemma == "have":
		g.Perfect = true
		if g.Modal == "would" || g.Modal == "could" || g.Modal == "should" || g.Modal == "might" || g.Modal == "may" {
			g.Tense = Past
		}
	case tag == "VB" && (beForms[norm] || norm == "'s"):
		g.semiBe(t, i)
	case tag == "VBG":
		g.Progressive = true
	case tag == "VBN":
		g.Passive = true
	}
}

// semiBe: "is able to", "is about to", "is supposed to".
func (g *VerbGroup) semiBe(t []Token, i int) {
	switch t[corrector{t: t}.ahead(i)].Norm {
	case "able":
		g.Modal = "can"
	case "about":
		g.Tense = Future
	case "supposed":
		g.Modal = "should"
	}
}

func (g *VerbGroup) negationBetween(t []Token, from, to int) {
	for i := from; i < to; i++ {
		switch t[i].Norm {
		case "n't", "not", "never":
			g.Negated = true
		}
	}
}

// addParticle joins a particle that changes the verb's meaning.
func (g *VerbGroup) addParticle(t []Token) {
	n := g.End
	if n >= len(t) || !particles[t[n].Norm] || !phrasal[g.Verb+" "+t[n].Norm] {
		return
	}
	if t[n].Tag == "IN" && n+1 < len(t) {
		if _, np := phraseAt(t, n+1); np && (t[n].Norm == "in" || t[n].Norm == "on" || t[n].Norm == "over" || t[n].Norm == "by" || t[n].Norm == "into" || t[n].Norm == "across" || t[n].Norm == "through" || t[n].Norm == "around") {
			return
		}
	}
	g.Particle = t[n].Norm
	g.Lemma = g.Verb + " " + g.Particle
	g.End = n + 1
}

// isCapital reports whether a token begins with a capital letter.
func isCapital(t Token) bool {
	r, _ := utf8.DecodeRuneInString(t.Text)
	return unicode.IsUpper(r)
}

// chunk finds the noun phrases and verb groups of a tagged sentence, in order.
func chunk(t []Token) (phrases []NounPhrase, groups []VerbGroup) {
	for i := 0; i < len(t); {
		if g, ok := groupAt(t, i, subjectIsBefore(t, i)); ok && !isModifier(t, i, phrases) {
			groups = append(groups, g)
			if g.inner >= 0 {
				np, _ := phraseAt(t, g.inner)
				phrases = append(phrases, np)
			}
			i = g.End
			continue
		}
		if np, ok := phraseAt(t, i); ok {
			linkOf(t, phrases, len(phrases), i)
			phrases = append(phrases, np)
			i = np.End
			continue
		}
		i++
	}
	return phrases, groups
}

// subjectIsBefore reports whether the token before i can end a subject.
func subjectIsBefore(t []Token, i int) bool {
	p := corrector{t: t}.back(i)
	if p < 0 {
		return false
	}
	for j := range p + 1 { // after a question word the noun is not the subject
		if t[j].Tag == "WP" || t[j].Tag == "WDT" || t[j].Tag == "WRB" {
			if p-j <= 3 {
				return false
			}
		}
	}
	return isNounTag(t[p].Tag) || t[p].Tag == "PRP" || t[p].Tag == "CD"
}

// isModifier reports whether a participle at i stands before a noun inside a
// phrase that a determiner or preposition has begun: "during training sessions".
func isModifier(t []Token, i int, _ []NounPhrase) bool {
	if t[i].Tag != "VBN" || i+1 >= len(t) || !isNounTag(t[i+1].Tag) {
		return false
	}
	return i > 0 && (t[i-1].Tag == "IN" || t[i-1].Tag == "DT")
}

// linkOf links a phrase that comes right after "of" to the one before it.
func linkOf(t []Token, phrases []NounPhrase, index, i int) {
	if i >= 2 && t[i-1].Norm == "of" && len(phrases) > 0 {
		if last := &phrases[len(phrases)-1]; last.End == i-1 {
			last.Of = index
			last.Time = last.Time || months[t[i].Norm] // "the first of July"
		}
	}
}
