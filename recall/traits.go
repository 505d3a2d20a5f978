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
}

// readTraits reads the traits off the beginning of a text.
func readTraits(text string) (t traits) {
	t.asks = strings.HasSuffix(strings.TrimRight(text, " \n)\"'*_"), "?")
	t.image = strings.Contains(text, "[image:")
	sinceI := pastWithin + 1
	for _, tok := range english.Tokens(start(text)) {
		sinceI++
		switch tok.Norm {
		case "i", "we":
			t.firstPerson, sinceI = true, 0
		case "my", "me", "our", "mine", "us":
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

var countWords = words(`one two three four five six seven eight nine ten once twice several`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}
