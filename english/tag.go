package english

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed assets/tagger.bin.gz
var taggerFile []byte

//go:embed assets/lexicon.txt.gz
var lexiconFile []byte

// perceptron is an averaged perceptron over fourteen kinds of features. It is
// read-only once loaded.
type perceptron struct {
	classes []string
	only    map[string]uint8   // words that have one tag
	rows    map[uint64]rowSpan // by the hash of a feature
	weights []weight
}

type rowSpan struct{ start, end uint32 }

type weight struct {
	class uint8
	value int16 // hundredths
}

// Kinds of features, in the order of the file.
const (
	featBias = iota
	featSuffix
	featFirst
	featTag1
	featTag2
	featTags
	featWord
	featTagWord
	featWord1
	featSuffix1
	featWord2
	featNext
	featNextSuffix
	featNext2
)

var loadPerceptron = sync.OnceValue(func() *perceptron {
	r := &reader{data: gunzip(taggerFile)[4:]}
	p := &perceptron{only: map[string]uint8{}}
	for n := r.int(); n > 0; n-- {
		p.classes = append(p.classes, r.text(r.int()))
	}
	for n := r.int(); n > 0; n-- {
		word := r.text(r.int())
		p.only[word] = uint8(r.int())
	}
	p.readRows(r)
	return p
})

// readRows reads the rows of weights, which the file has column by column.
func (p *perceptron) readRows(r *reader) {
	kinds, shared, tails, texts, counts, classes, low, high := r.part(), r.part(), r.part(), r.part(), r.part(), r.part(), r.part(), r.part()
	p.rows = make(map[uint64]rowSpan, len(kinds.data))
	p.weights = make([]weight, len(classes.data))
	for i, class := range classes.data {
		v := int(high.data[i])<<8 | int(low.data[i])
		p.weights[i] = weight{class, int16(v>>1 ^ -(v & 1))}
	}
	var rest []byte
	start := uint32(0)
	for _, kind := range kinds.data {
		rest = append(rest[:shared.int()], texts.text(tails.int())...)
		end := start + uint32(counts.int())
		p.rows[hashFeature(int(kind), string(rest))] = rowSpan{start, end}
		start = end
	}
}

// reader reads the varints and texts of the asset, which is ours and whole.
type reader struct{ data []byte }

func (r *reader) int() int {
	v, n := binary.Uvarint(r.data)
	r.data = r.data[n:]
	return int(v)
}

func (r *reader) text(n int) string {
	s := string(r.data[:n])
	r.data = r.data[n:]
	return s
}

// part is the next column.
func (r *reader) part() *reader { return &reader{data: []byte(r.text(r.int()))} }

func gunzip(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		panic("english: embedded asset: " + err.Error())
	}
	out, err := io.ReadAll(z)
	if err != nil {
		panic("english: embedded asset: " + err.Error())
	}
	return out
}

const fnvOffset, fnvPrime = 14695981039346656037, 1099511628211

func hashFeature(kind int, parts ...string) uint64 {
	h := (uint64(fnvOffset) ^ uint64(kind+1)) * fnvPrime
	for i, part := range parts {
		if i > 0 {
			h = (h ^ ' ') * fnvPrime
		}
		for j := range len(part) {
			h = (h ^ uint64(part[j])) * fnvPrime
		}
	}
	return h
}

// lexicon holds the commonest tag of many lower-case words.
var lexicon = sync.OnceValue(func() map[string]string {
	m := make(map[string]string, 48_000)
	for line := range strings.Lines(string(gunzip(lexiconFile))) {
		words := strings.Fields(line)
		for _, w := range words[1:] {
			m[w] = words[0]
		}
	}
	for tag, words := range lexiconMore {
		for _, w := range strings.Fields(words) {
			m[w] = tag
		}
	}
	return m
})

// lexiconMore adds everyday words that older word lists lack or misjudge.
var lexiconMore = map[string]string{
	"NN": "vegan email smartphone laptop podcast app blog wifi selfie latte espresso smoothie yoga pilates sushi ramen tofu kombucha internship roommate flatmate " +
		"coworker girlfriend boyfriend fiance fiancee grandma grandpa mom mum dad daddy mommy hubby bestie kid grandson granddaughter stepdad stepmom stepson " +
		"website startup playlist gym workout commute hometown birthday boss barista therapist firefighter paramedic vet teammate classmate pottery",
	"JJ":  "favourite favorite gluten-free awesome cozy cosy excited nervous proud happy sad glad tired busy amazing cute fun allergic pregnant retired single upset scared cool gorgeous delicious",
	"VB":  "google text jog hike bike reboot upgrade download unwind declutter volunteer mentor rent adopt",
	"UH":  "hey hi hello wow yay yeah yep yup nope haha lol omg ugh oh ah aw aww hmm thanks congrats bye ok okay please hahaha lmao ooh yikes whoa oops cheers",
	"VBD": "texted emailed googled",
	"VBG": "jogging hiking biking texting emailing kayaking snowboarding volunteering mentoring",
	"RB":  "nowadays lately currently anymore tbh btw",
}

// IsPerson reports whether a noun in its base form is one for a person: "sister", "boss".
func IsPerson(noun string) bool {
	return personNouns[noun] || personNouns[strings.TrimPrefix(strings.TrimPrefix(noun, "co"), "-")] // cofounder
}

// IsWord reports whether a word in lower case is known as an English word that is no
// name.
func IsWord(lower string) bool { return isKnownWord(lower) }

func isKnownWord(lower string) bool {
	if lexicon()[lower] != "" || irregularForms[lower] != "" || closedWords[lower] {
		return true
	}
	_, ok := loadPerceptron().rows[hashFeature(featWord, lower)]
	return ok
}

// closedWords are the commonest words of the closed classes.
var closedWords = set("i you he she it we they me him her us them my your his its our their a an the this that these those and or but so if when while because of in on at to for from with by about into over after before under between no not yes very too than as is am are was were be been do does did have has had will would can could should may might must who what which where why how")

// Tag sets Tag and Lemma of the tokens of one sentence.
func Tag(tokens []Token) {
	p := loadPerceptron()
	words := taggedForms(tokens)
	context := contextForms(words)
	prev, prev2 := "-START-", "-START2-"
	scores := make([]int32, len(p.classes))
	for i := range tokens {
		tokens[i].Tag = p.tagOne(tokens[i], words[i], context, i, prev, prev2, scores)
		prev2, prev = prev, tokens[i].Tag
	}
	correctTags(tokens)
	for i := range tokens {
		tokens[i].Lemma = lemmaOf(tokens, i)
	}
}

func (p *perceptron) tagOne(t Token, word string, context []string, i int, prev, prev2 string, scores []int32) string {
	if tag := tagByShape(t); tag != "" {
		return tag
	}
	if class, ok := p.only[word]; ok {
		return penn(p.classes[class])
	}
	clear(scores)
	known := p.score(scores, word, context, i+2, prev, prev2)
	if !known {
		p.addLexicon(scores, word)
	}
	best := 0
	for c := range scores {
		if scores[c] > scores[best] {
			best = c
		}
	}
	return penn(p.classes[best])
}

// score adds the weights of all features, and reports whether the word itself
// was seen in training.
func (p *perceptron) score(scores []int32, word string, ctx []string, i int, prev, prev2 string) bool {
	_, size := utf8.DecodeRuneInString(word)
	p.add(scores, hashFeature(featBias, ""))
	p.add(scores, hashFeature(featSuffix, suffix3(word)))
	p.add(scores, hashFeature(featFirst, word[:size]))
	p.add(scores, hashFeature(featTag1, prev))
	p.add(scores, hashFeature(featTag2, prev2))
	p.add(scores, hashFeature(featTags, prev, prev2))
	known := p.add(scores, hashFeature(featWord, ctx[i]))
	p.add(scores, hashFeature(featTagWord, prev, ctx[i]))
	p.add(scores, hashFeature(featWord1, ctx[i-1]))
	p.add(scores, hashFeature(featSuffix1, suffix3(ctx[i-1])))
	p.add(scores, hashFeature(featWord2, ctx[i-2]))
	p.add(scores, hashFeature(featNext, ctx[i+1]))
	p.add(scores, hashFeature(featNextSuffix, suffix3(ctx[i+1])))
	p.add(scores, hashFeature(featNext2, ctx[i+2]))
	return known
}

func (p *perceptron) add(scores []int32, feature uint64) bool {
	row, ok := p.rows[feature]
	for _, w := range p.weights[row.start:row.end] {
		scores[w.class] += int32(w.value)
	}
	return ok
}

// lexiconBonus is what the lexicon's tag is worth for a word the tagger has
// never seen, in hundredths; its neighbours in the same class get half.
const lexiconBonus = 300

func (p *perceptron) addLexicon(scores []int32, word string) {
	tag := lexicon()[word]
	if tag == "" {
		return
	}
	for c, class := range p.classes {
		switch {
		case class == tag:
			scores[c] += lexiconBonus
		case class[0] == tag[0] && tag[0] == 'V' && verbSwap[tag+class]:
			scores[c] += lexiconBonus / 2
		case tag == "VB" && class == "NN", tag == "NN" && class == "VB" && isKnownWord(word+"ed"):
			scores[c] += lexiconBonus / 2
		}
	}
}

// verbSwap are pairs of verb tags that one form can have.
var verbSwap = set("VBVBP VBPVB VBDVBN VBNVBD")

func suffix3(s string) string {
	i := len(s)
	for n := 0; n < 3 && i > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

// penn maps the bracket tags of the weights to the usual ones.
func penn(class string) string {
	switch class {
	case "-LRB-":
		return "("
	case "-RRB-":
		return ")"
	}
	return class
}

// contextForms returns the forms that features of neighbours use, padded.
func contextForms(words []string) []string {
	ctx := make([]string, 0, len(words)+4)
	ctx = append(ctx, "-START-", "-START2-")
	for _, w := range words {
		ctx = append(ctx, contextForm(w))
	}
	return append(ctx, "-END-", "-END2-")
}

func contextForm(word string) string {
	switch {
	case word[0] != '-' && strings.Contains(word, "-"):
		return "!HYPHEN"
	case len(word) == 4 && strings.Trim(word, "0123456789") == "":
		return "!YEAR"
	case word[0] >= '0' && word[0] <= '9':
		return "!DIGITS"
	}
	return strings.ToLower(word)
}

// taggedForms returns each word in the spelling that the tagger was trained on:
// "I" in capitals, the rest lower-case where a capital says nothing (first word,
// shouting).
func taggedForms(tokens []Token) []string {
	shouting := isShouting(tokens)
	forms := make([]string, len(tokens))
	first := true
	for i, t := range tokens {
		forms[i] = taggedForm(t, first, shouting)
		if isWordRune(firstRune(t.Text)) {
			first = false
		} else if strings.Contains(":“\"(", t.Text) {
			first = true
		}
	}
	return forms
}

func taggedForm(t Token, first, shouting bool) string {
	r, _ := utf8.DecodeRuneInString(t.Text)
	straightText := straight(t.Text)
	switch {
	case t.Norm == "i":
		return "I"
	case t.Norm == `"` || t.Norm == "“":
		return "``"
	case t.Norm == "”":
		return "''"
	case t.Norm != strings.ToLower(straightText): // chat spelling undone
		return t.Norm
	case !unicode.IsUpper(r):
		return straightText
	case shouting && len(t.Norm) > 1:
		return t.Norm
	case first && isCommonWord(t.Norm):
		return t.Norm
	}
	return straightText
}

// isCommonWord reports whether a capital at the start of a sentence is only
// that, and the word no name.
func isCommonWord(lower string) bool {
	return !firstNames[lower] && (closedWords[lower] || lexicon()[lower] != "" || irregularForms[lower] != "" || lexicon()[verbLemma(lower)] != "")
}

// isShouting reports whether most letters of a sentence are capitals.
func isShouting(tokens []Token) bool {
	upper, lower := 0, 0
	for _, t := range tokens {
		for _, r := range t.Text {
			if unicode.IsUpper(r) {
				upper++
			} else if unicode.IsLower(r) {
				lower++
			}
		}
	}
	return upper > 8 && upper > 2*lower
}

// tagByShape tags what is no word.
func tagByShape(t Token) string {
	r, _ := utf8.DecodeRuneInString(t.Text)
	switch {
	case isEmoji(r):
		return "SYM"
	case r == '@':
		return "NNP"
	case r == '#' && len(t.Text) > 1:
		return "NN"
	case strings.HasPrefix(t.Text, "http") && strings.Contains(t.Text, "://"), strings.HasPrefix(t.Text, "www."):
		return "NN"
	case t.Norm == "." || t.Norm == "!" || t.Norm == "?":
		return "."
	case t.Norm == ",":
		return ","
	case t.Norm == "…" || strings.HasPrefix(t.Norm, "..") || strings.HasPrefix(t.Norm, "--") || t.Norm == "–" || t.Norm == "—" || t.Norm == ":" || t.Norm == ";":
		return ":"
	}
	if unicode.IsDigit(r) {
		return tagNumber(t.Norm)
	}
	return ""
}

func tagNumber(norm string) string {
	last := norm[len(norm)-1]
	switch {
	case strings.Contains(norm, "-") && last >= 'a' && last <= 'z':
		return "JJ"
	case strings.HasSuffix(norm, "st"), strings.HasSuffix(norm, "nd"), strings.HasSuffix(norm, "rd"), strings.HasSuffix(norm, "th"):
		return "JJ"
	case strings.HasSuffix(norm, "0s"):
		return "NNS"
	}
	return "CD"
}
