package english

import "strings"

// irregularVerbs: base, past, participle; alternatives are joined by "/".
const irregularVerbs = `
arise arose arisen|awake awoke awoken|bear bore borne/born|beat beat beaten|become became become|begin began begun|bend bent bent|bet bet bet|bid bid bid
bind bound bound|bite bit bitten|bleed bled bled|blow blew blown|break broke broken|breed bred bred|bring brought brought|broadcast broadcast broadcast
build built built|burn burnt burnt|burst burst burst|buy bought bought|catch caught caught|choose chose chosen|cling clung clung|come came come
cost cost cost|creep crept crept|cut cut cut|deal dealt dealt|dig dug dug|dive dove dived|do did done|draw drew drawn|dream dreamt dreamt|drink drank drunk
drive drove driven|eat ate eaten|fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found|fit fit fit|flee fled fled|fling flung flung
fly flew flown|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten/got|give gave given|go went gone
grind ground ground|grow grew grown|hang hung hung|have had had|hear heard heard|hide hid hidden|hit hit hit|hold held held|hurt hurt hurt|keep kept kept
kneel knelt knelt|knit knit knit|know knew known|lay laid laid|lead led led|lean leant leant|leap leapt leapt|learn learnt learnt|leave left left|lend lent lent|let let let
lie lay lain|light lit lit|lose lost lost|make made made|mean meant meant|meet met met|mistake mistook mistaken|mow mowed mown|overcome overcame overcome
outgrow outgrew outgrown|pay paid paid|prove proved proven|put put put|quit quit quit|read read read|rebuild rebuilt rebuilt|redo redid redone|rethink rethought rethought|rewrite rewrote rewritten
rid rid rid|ride rode ridden|ring rang rung|rise rose risen|run ran run|say said said|see saw seen|seek sought sought|sell sold sold|send sent sent|set set set
sew sewed sewn|shake shook shaken|shed shed shed|shine shone shone|shoot shot shot|show showed shown|shrink shrank shrunk|shut shut shut|sing sang sung|sink sank sunk
sit sat sat|sleep slept slept|slide slid slid|speak spoke spoken|speed sped sped|spend spent spent|spill spilt spilt|spin spun spun|split split split|spoil spoilt spoilt|spread spread spread
spring sprang sprung|stand stood stood|steal stole stolen|stick stuck stuck|sting stung stung|stink stank stunk|strike struck struck|string strung strung|strive strove striven
swear swore sworn|sweep swept swept|swell swelled swollen|swim swam swum|swing swung swung|take took taken|teach taught taught|tear tore torn|tell told told|think thought thought
throw threw thrown|undergo underwent undergone|understand understood understood|undo undid undone|upset upset upset|wake woke woken|wear wore worn|weave wove woven|weep wept wept|wet wet wet
win won won|wind wound wound|withdraw withdrew withdrawn|withstand withstood withstood|write wrote written|be was been|be were been`

const irregularNouns = `man men|woman women|child children|person people|foot feet|tooth teeth|goose geese|mouse mice|ox oxen|wife wives|life lives|knife knives|leaf leaves|half halves
shelf shelves|wolf wolves|calf calves|loaf loaves|thief thieves|scarf scarves|self selves|fish fish|sheep sheep|deer deer|series series|species species|crisis crises|analysis analyses
basis bases|thesis theses|criterion criteria|phenomenon phenomena|cactus cacti|fungus fungi|hypothesis hypotheses|diagnosis diagnoses|grandchild grandchildren|housewife housewives
stepchild stepchildren|fireman firemen|policeman policemen|aircraft aircraft|news news|headquarters headquarters|movie movies|cookie cookies|pants pants|jeans jeans|glasses glasses
shorts shorts|scissors scissors|clothes clothes|thanks thanks|gas gas|bus buses|tie ties|lie lies|pie pies|shoe shoes|toe toes|canoe canoes|selfie selfies|hoodie hoodies|smoothie smoothies
brownie brownies|calorie calories|zombie zombies|rookie rookies|newbie newbies|bestie besties|foodie foodies|eye eyes|dye dyes|physics physics|mathematics mathematics|athletics athletics
politics politics|economics economics|diabetes diabetes|tennis tennis|Christmas Christmas|boss boss|class class`

// irregularForms maps an inflected verb to its base.
var irregularForms, participles, pasts = buildVerbs()

// nounSingular maps an irregular plural to its singular.
var nounSingular = buildNouns()

func buildVerbs() (forms map[string]string, participles, pasts map[string]bool) {
	forms = map[string]string{"am": "be", "is": "be", "are": "be", "'m": "be", "'re": "be", "has": "have", "does": "do", "'ve": "have", "being": "be", "lying": "lie", "dying": "die", "tying": "tie"}
	participles, pasts = map[string]bool{}, map[string]bool{}
	for _, w := range splitRows(irregularVerbs) {
		setNew(forms, w[1], w[0])
		pasts[w[1]] = true
		for _, part := range strings.Split(w[2], "/") {
			setNew(forms, part, w[0])
			participles[part] = true
		}
	}
	return forms, participles, pasts
}

func setNew(m map[string]string, key, value string) {
	if _, ok := m[key]; !ok {
		m[key] = value
	}
}

func buildNouns() map[string]string {
	singular := map[string]string{}
	for _, w := range splitRows(irregularNouns) {
		singular[w[1]] = w[0]
	}
	return singular
}

// Lemma returns the dictionary form of a lower-case word that has the given
// Penn tag. A word that it does not know how to undo comes back as it is.
func Lemma(norm, tag string) string {
	switch {
	case tag == "":
		return norm
	case tag[0] == 'V' || tag == "MD":
		return verbLemma(norm)
	case tag == "NNS" || tag == "NN" && nounSingular[norm] != "":
		return nounLemma(norm)
	case tag == "RB" && norm == "n't":
		return "not"
	}
	return norm
}

func lemmaOf(tokens []Token, i int) string {
	t := tokens[i]
	switch {
	case t.Norm == "'d" && t.Tag == "MD":
		return "would"
	case t.Norm == "'d":
		return "have"
	case t.Norm == "'ll":
		return "will"
	case t.Norm == "'s" && t.Tag == "VBZ":
		return cliticS(tokens, i)
	case t.Norm == "'s" && t.Tag == "PRP":
		return "us"
	case t.Norm == "found" && t.Tag == "VB", t.Norm == "lay" && t.Tag != "VBD", t.Norm == "wound" && t.Tag == "VB":
		return t.Norm
	case t.Norm == "left" && t.Tag == "JJ":
		return t.Norm
	}
	return Lemma(t.Norm, t.Tag)
}

// cliticS tells "'s" for "is" from "'s" for "has": a participle other than one
// of a passive follows.
func cliticS(tokens []Token, i int) string {
	for j := i + 1; j < len(tokens) && j < i+4; j++ {
		switch tokens[j].Tag {
		case "RB":
			continue
		case "VBN":
			if tokens[j].Norm == "been" || tokens[j].Norm == "got" || tokens[j].Norm == "gotten" || tokens[j].Norm == "had" || intransitive[verbLemma(tokens[j].Norm)] {
				return "have"
			}
		}
		return "be"
	}
	return "be"
}

// intransitive verbs have no passive.
var intransitive = set("be go come become arrive happen live stay fall sleep grow start stop begin change move work die rise appear disappear travel seem switch")

func verbLemma(norm string) string {
	if base, ok := irregularForms[norm]; ok {
		return base
	}
	for _, prefix := range []string{"re", "un", "over", "out", "mis", "under"} {
		rest, ok := strings.CutPrefix(norm, prefix)
		if base := irregularForms[rest]; ok && base != "" && len(rest) > 3 && lexicon()[prefix+base] != "" {
			return prefix + base
		}
	}
	switch {
	case len(norm) < 4:
		return norm
	case strings.HasSuffix(norm, "ies"):
		return ieBase(norm, 3)
	case strings.HasSuffix(norm, "ied"):
		return ieBase(norm, 3)
	case strings.HasSuffix(norm, "ing") && hasVowel(norm[:len(norm)-3]):
		return undouble(norm[:len(norm)-3])
	case strings.HasSuffix(norm, "eed") && lexicon()[norm[:len(norm)-1]] != "":
		return norm[:len(norm)-1] // agreed
	case strings.HasSuffix(norm, "ed") && hasVowel(norm[:len(norm)-2]) && !strings.HasSuffix(norm, "eed"):
		return undouble(norm[:len(norm)-2])
	case strings.HasSuffix(norm, "us") && lexicon()[norm] != "": // focus
		return norm
	case strings.HasSuffix(norm, "s") && !strings.HasSuffix(norm, "ss"):
		return dropS(norm)
	}
	return norm
}

// ieBase undoes -ies and -ied: "tried" → "try", "tied" → "tie".
func ieBase(norm string, n int) string {
	if len(norm) <= 4 {
		return norm[:len(norm)-1]
	}
	return norm[:len(norm)-n] + "y"
}

func hasVowel(s string) bool { return strings.ContainsAny(s, "aeiouy") }

// undouble restores the base from a stem without -ing or -ed: "runn" → "run",
// "hik" → "hike", "play" → "play".
func undouble(stem string) string {
	known := lexicon()
	n := len(stem)
	if n < 2 {
		return stem
	}
	if stem[n-1] == stem[n-2] && n == 3 && isVerbish(known[stem]) {
		return stem // add
	}
	if stem[n-1] == stem[n-2] && !strings.ContainsRune("lsfzaeiou", rune(stem[n-1])) {
		return stem[:n-1]
	}
	if strings.HasSuffix(stem, "ll") && known[stem] == "" && known[stem[:n-1]] != "" {
		return stem[:n-1] // travelled
	}
	withE := isVerbish(known[stem+"e"])
	bare := isVerbish(known[stem])
	switch {
	case withE && !bare:
		return stem + "e"
	case bare && !withE:
		return stem
	case wantsE(stem):
		return stem + "e"
	}
	return stem
}

func isVerbish(tag string) bool { return tag != "" && tag != "RB" && tag != "NNS" && tag != "UH" }

// wantsE guesses a silent e: after c, v, u, z, s following a vowel, dg, and
// after one consonant that follows one vowel in a short stem.
func wantsE(stem string) bool {
	n := len(stem)
	last := stem[n-1]
	switch {
	case strings.ContainsRune("cvuz", rune(last)):
		return true
	case last == 'g' && stem[n-2] != 'n' && stem[n-2] != 'g', strings.HasSuffix(stem, "ang"):
		return true
	case last == 's' && strings.ContainsRune("aeiou", rune(stem[n-2])):
		return true
	case strings.HasSuffix(stem, "at") || strings.HasSuffix(stem, "tl") || strings.HasSuffix(stem, "bl") || strings.HasSuffix(stem, "gl"):
		return true
	case n <= 4 && n >= 3 && !isVowel(last) && last != 'w' && last != 'x' && last != 'y' && isVowel(stem[n-2]) && !isVowel(stem[n-3]):
		return true
	}
	return false
}

func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// dropS undoes the -s of verbs and nouns: "goes" → "go", "watches" → "watch",
// "takes" → "take".
func dropS(norm string) string {
	n := len(norm)
	if !strings.HasSuffix(norm, "es") || n < 4 {
		return norm[:n-1]
	}
	stem := norm[:n-2]
	if strings.HasSuffix(stem, "o") || strings.HasSuffix(stem, "ch") || strings.HasSuffix(stem, "sh") || strings.HasSuffix(stem, "x") || strings.HasSuffix(stem, "ss") || strings.HasSuffix(stem, "zz") {
		if stem == "ach" || stem == "psych" || lexicon()[stem+"e"] != "" && lexicon()[stem] == "" {
			return stem + "e"
		}
		return stem
	}
	if strings.HasSuffix(stem, "s") && lexicon()[stem] != "" && lexicon()[stem+"e"] == "" {
		return stem
	}
	return norm[:n-1]
}

func nounLemma(norm string) string {
	if one, ok := nounSingular[norm]; ok {
		return one
	}
	switch {
	case len(norm) < 4 || strings.HasSuffix(norm, "ss") || strings.HasSuffix(norm, "us") || strings.HasSuffix(norm, "is"):
		return norm
	case strings.HasSuffix(norm, "ies") && len(norm) > 4:
		return norm[:len(norm)-3] + "y"
	case strings.HasSuffix(norm, "men"):
		return norm[:len(norm)-3] + "man"
	case strings.HasSuffix(norm, "s"):
		return dropS(norm)
	}
	return norm
}

// ThirdForm returns the third-person singular of a base form: "go" → "goes".
func ThirdForm(base string) string {
	switch {
	case base == "be":
		return "is"
	case base == "have":
		return "has"
	case base == "do" || base == "go", strings.HasSuffix(base, "ch"), strings.HasSuffix(base, "sh"), strings.HasSuffix(base, "x"), strings.HasSuffix(base, "ss"):
		return base + "es"
	case strings.HasSuffix(base, "y") && len(base) > 1 && !isVowel(base[len(base)-2]):
		return base[:len(base)-1] + "ies"
	}
	return base + "s"
}

// PastForm returns the simple past of a base form: "go" → "went".
func PastForm(base string) string {
	if base == "be" {
		return "was"
	}
	if past, ok := pastOf[base]; ok {
		return past
	}
	n := len(base)
	switch {
	case strings.HasSuffix(base, "e"):
		return base + "d"
	case n > 1 && base[n-1] == 'y' && !isVowel(base[n-2]):
		return base[:n-1] + "ied"
	case doublesLast(base):
		return base + base[n-1:] + "ed"
	}
	return base + "ed"
}

// doublesLast: one syllable, ending in consonant, vowel, consonant.
func doublesLast(base string) bool {
	n := len(base)
	if n < 3 || n > 4 || isVowel(base[n-1]) || strings.ContainsRune("wxy", rune(base[n-1])) {
		return false
	}
	return isVowel(base[n-2]) && !isVowel(base[n-3])
}

var pastOf = func() map[string]string {
	m := map[string]string{}
	for _, w := range splitRows(irregularVerbs) {
		setNew(m, w[0], w[1])
	}
	return m
}()

// splitRows splits a table whose rows end with "|" or a line break, and whose
// cells are words.
func splitRows(text string) [][]string {
	var rows [][]string
	for _, row := range strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == '\n' }) {
		if cells := strings.Fields(row); len(cells) > 0 {
			rows = append(rows, cells)
		}
	}
	return rows
}
