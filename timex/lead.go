package timex

import "daybook"

// leaders are the words that an expression of time can begin with. Most words of a
// text are none, and no rule needs to look at them.
var leaders = leadingWords()

func leadingWords() map[string]bool {
	set := daybook.WordSet(`a an the my our his her their your this that these same all whole every each once twice thrice
		today tomorrow tmrw tmr tomorow tommorow tommorrow yesterday yday tonight tonite now right just at as when in on from between within
		about around roughly approximately almost nearly over another exactly circa few several some couple dozen half noon noonish midday midnight
		early late mid earlier later rest remainder last final year years months weeks days ages decades ago w q h recently lately
		nowadays someday soon quite not long little more less starting for weekends weekdays weeknights noughties two nineteen oh any eod eom eoy`)
	addKeys(set, units)
	addKeys(set, monthNames)
	addKeys(set, weekdayNames)
	addKeys(set, weekdayPlurals)
	addKeys(set, seasonStart)
	addKeys(set, smallNumbers)
	addKeys(set, tens)
	addKeys(set, ordinalWords)
	addKeys(set, decadeWords)
	addKeys(set, shifts)
	addKeys(set, partWords)
	addKeys(set, adverbs)
	for _, h := range holidays {
		set[h.words[0]] = true
	}
	set["saint"] = true
	for _, b := range boundWords {
		set[b.words[0]] = true
	}
	return set
}

func addKeys[V any](set map[string]bool, words map[string]V) {
	for w := range words {
		set[w] = true
	}
}

// openers are leaders that say nothing alone: what follows one must be a leader
// too, or a word of followers.
var (
	openers = daybook.WordSet(`a an the my our his her their your this that these in on at from between for by before after since until till
		starting as about around over another every each all some not just right more less few several`)
	followers = daybook.WordSet(`morning mornings afternoon afternoons evening evenings night nights lunchtime dinnertime dawn dusk daytime
		other single very age full whole solid business working work calendar o present moment minute birthday anniversary wedding graduation
		honeymoon childhood teens youth least than or`)
)

// leads reports whether an expression can begin at token i.
func (p *parser) leads(i int) bool {
	t := p.toks[i]
	switch t.kind {
	case number:
		return true
	case mark:
		return t.text == "'"
	}
	if t.possessive || !leaders[t.text] || !openers[t.text] {
		return t.possessive || leaders[t.text]
	}
	next := p.tok(i + 1)
	return next.kind != word || next.possessive || leaders[next.text] || followers[next.text]
}
