package recall

import (
	"strings"

	"daybook/english"
)

// traits are what the bare words of a note show, without parsing it.
type traits struct {
	firstPerson, secondPerson bool
	firstPast                 bool // I or we, and soon a verb in the past or perfect
	asks                      bool // ends in a question mark
	time, number, name, image bool
	instructs                 bool // tells the listener what to do from now on
	prefers                   bool // the speaker says what he or she likes better
}

// readTraits reads the traits off the beginning of a text.
func readTraits(text string) (t traits) {
	t.asks = strings.HasSuffix(strings.TrimRight(text, " \n)\"'*_"), "?")
	t.image = strings.Contains(text, "[image:")
	sinceI, sinceMy, opens := pastWithin+1, pastWithin+1, true // and whether a sentence begins
	tokens := english.Tokens(start(text))
	for i, tok := range tokens {
		sinceI, sinceMy = sinceI+1, sinceMy+1
		t.instructs = t.instructs || opens && lasting[tok.Norm] || fromNowOn(tokens[i:])
		t.prefers = t.prefers || min(sinceI, sinceMy) <= pastWithin && prefers[tok.Norm]
		opens = opens && tok.Norm == "please" || strings.ContainsAny(tok.Text, ".!?\n:")
		switch tok.Norm {
		case "i", "we":
			t.firstPerson, sinceI = true, 0
		case "my":
			t.firstPerson, sinceMy = true, 0
		case "me", "our", "mine", "us":
			t.firstPerson = true
		case "you", "your":
			t.secondPerson = true
		}
		t.firstPast = t.firstPast || sinceI > 0 && sinceI <= pastWithin && isPast(tok.Norm)
		digit := tok.Text[0] >= '0' && tok.Text[0] <= '9'
		t.number = t.number || digit || countWords[tok.Norm]
		t.time = t.time || digit || timeWords[tok.Norm]
		t.name = t.name || tok.Start > 0 && len(tok.Text) > 1 && tok.Text[0] >= 'A' && tok.Text[0] <= 'Z'
	}
	return t
}

// fromNowOn reports whether words say that something is so from now on, or each time that
// the speaker speaks of a thing.
func fromNowOn(tokens []english.Token) bool {
	word := func(i int) string {
		if i < len(tokens) {
			return tokens[i].Norm
		}
		return ""
	}
	switch word(0) {
	case "from":
		return word(1) == "now" && word(2) == "on"
	case "going":
		return word(1) == "forward"
	case "whenever":
		return word(1) == "i" && speaking[word(2)]
	case "every", "each", "any":
		return word(1) == "time" && word(2) == "i" && speaking[word(3)]
	case "when", "if":
		return word(1) == "i" && speaking[word(2)]
	}
	return false
}

// pastWithin is how many words may stand between I and the verb: "I just recently
// started".
const pastWithin = 3

// start is as much of a text as is looked at closely.
func start(text string) string { return text[:min(len(text), 2*longNote)] }

// longNote is the length in bytes from which a note stands for itself.
const longNote = 400

// isPast reports whether a word may be a verb in the past or perfect.
func isPast(norm string) bool {
	switch norm {
	case "'ve", "have", "had", "was", "were":
		return true
	}
	if strings.HasSuffix(norm, "ed") && len(norm) > 3 {
		return true
	}
	base := english.Lemma(norm, "VBD")
	return base != norm && english.PastForm(base) == norm
}

// timeWords begin or make up most expressions of time.
var timeWords = words(`yesterday today tomorrow tonight ago last next week weekend month year day night morning afternoon evening
	monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november
	december spring summer autumn fall winter since recently soon weeks months years days christmas easter birthday anniversary`)

// lasting are words that, at the head of a sentence, make a request one for good.
var lasting = words(`always never whenever henceforth`)

// speaking are verbs of somebody who turns to the listener.
var speaking = words(`ask say mention request talk write send share tell bring`)

// prefers are words for what somebody likes better, soon after I or my.
var prefers = words(`prefer prefers preferred preference preferences favourite favorite favourites favorites rather`)

var countWords = words(`one two three four five six seven eight nine ten once twice several`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}
