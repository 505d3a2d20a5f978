package tree

import (
	"context"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/english"
	"daybook/model"
	"daybook/xpath"
)

// Intent is what a request wants to happen.
type Intent string

// Intents.
const (
	Read   Intent = "read"
	Add    Intent = "add"
	Update Intent = "update"
	Delete Intent = "delete"
	Move   Intent = "move"
)

// Plan is a request as it was understood.
type Plan struct {
	Intent Intent
	Query  xpath.Query
	One    bool   // the best node alone is meant
	By     string // who understood it: "templates", or "llm"
	// What an edit needs besides the nodes that the query finds.
	Node  *NewNode    // to add below each node found
	Set   []Attr      // for an update
	Where xpath.Query // the place that a move goes to
}

// NewNode is a node that a request adds.
type NewNode struct {
	Type  string `json:"type"`
	Attrs []Attr `json:"attrs,omitempty"`
	Text  string `json:"text,omitempty"`
	At    int    `json:"at,omitempty"` // as in daybook.TreeNode
}

// Planner understands requests by the grammar of English and the schema and names
// of the tree. It is Invalid where it does not understand instead of guessing.
type Planner struct {
	Encoder model.Encoder // tells which type a noun means that is not its name; may be nil
	Now     time.Time     // from which "tomorrow" counts; zero for the clock's time
}

// Plan reads a request about a tree.
func (p Planner) Plan(ctx context.Context, h *History, request string) (*Plan, error) {
	r := &reading{ctx: ctx, h: h, schema: h.Schema(), senses: &blend{encoder: p.Encoder, name: Embedding}, verb: -1}
	text := r.read(request)
	if len(r.words) == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "the request is empty")
	}
	r.findIntent()
	r.findVersion()
	r.takeTask()
	r.findNew()
	if p.Now.IsZero() {
		p.Now = time.Now()
	}
	if err := r.findDates(text, p.Now); err != nil {
		return nil, err
	}
	if err := r.findMentions(); err != nil {
		return nil, err
	}
	if err := r.findSet(); err != nil {
		return nil, err
	}
	return r.build()
}

// reading is a request being understood: each word is taken by what explains it,
// and what is left over is what nodes are weighed by.
type reading struct {
	ctx       context.Context
	h         *History
	schema    *Schema
	senses    *blend
	words     []word
	sentences int
	main      int // the sentence that says what is wanted
	intent    Intent
	verb      int // word of the intent, or -1
	version   *xpath.Step
	mentions  []mention
	node      *NewNode
	set       []Attr
	alike     map[string]string // types by what their nodes are called; see calledAlike
}

// word is a word of the request.
type word struct {
	english.Token
	sentence int
	stem     string
	taken    bool
}

// read splits a request into words and sentences, and returns the text that their
// bytes count in.
func (r *reading) read(request string) string {
	text := strings.NewReplacer(": ", ". ", "; ", ". ", "-to-last", " to last", "’", "'", "–", "-").Replace(request)
	sentences := english.Read(strings.ReplaceAll(text, "-", " "))
	for i, s := range sentences {
		for _, t := range s.Tokens {
			w := word{Token: t, sentence: i}
			if hasLetter(t.Norm) {
				w.stem = stem(t.Norm)
			}
			r.words = append(r.words, w)
		}
	}
	r.sentences = len(sentences)
	return text
}

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c >= '0' && c <= '9' || c > 127 || c >= 'a' && c <= 'z' })
}

// Verbs that ask for an edit.
var (
	addVerbs    = daybook.WordSet("add create insert append include schedule book put")
	deleteVerbs = daybook.WordSet("delete remove cancel drop erase scrap discard clear")
	updateVerbs = daybook.WordSet("change update replace swap mark set make rename raise lower increase decrease reschedule postpone switch edit turn")
	moveVerbs   = daybook.WordSet("move shift transfer")
)

// findIntent looks for the sentence that asks for something: an order to change
// the tree, or else a question, or else the last one that says something.
func (r *reading) findIntent() {
	r.intent, r.main = Read, -1
	asks := slices.ContainsFunc(r.words, func(w word) bool { return w.Norm == "?" })
	for s := range r.sentences {
		first, last := r.span(s)
		for i := first; i <= last; i++ {
			if asks && i > first && r.words[i-1].Norm == "to" {
				continue // "I need to mark papers" beside a question is no order
			}
			if in := r.order(i, first); in != Read {
				r.intent, r.main, r.verb = in, s, i
				r.words[i].taken = true
				r.takeParticle(i)
				return
			}
		}
	}
	for s := range r.sentences {
		first, last := r.span(s)
		if r.main < 0 && (r.words[last].Norm == "?" || strings.HasPrefix(r.words[first].Tag, "W")) {
			r.main = s
		}
	}
	for s := r.sentences - 1; s >= 0 && r.main < 0; s-- {
		if first, last := r.span(s); slices.ContainsFunc(r.words[first:last+1], word.meaningful) {
			r.main = s
		}
	}
	r.main = max(r.main, 0)
}

// takeParticle takes what belongs to a verb of two words: "take … out".
func (r *reading) takeParticle(verb int) {
	if r.words[verb].Norm != "take" {
		return
	}
	for i := verb + 1; i < r.endOf(verb); i++ {
		if slices.Contains([]string{"out", "away", "off"}, r.words[i].Norm) {
			r.words[i].taken = true
			return
		}
	}
}

// takeTask takes the words that only name the tree itself: "the plan", "in
// Toronto" for a trip to Toronto.
func (r *reading) takeTask() {
	task := r.h.Current().Task()
	if task == nil {
		return
	}
	own := append(stems(task.Label()), "plan")
	own = append(own, typeWords(task.Type)...)
	for i, w := range r.words {
		_, named := r.typeAt(i)
		if strings.HasPrefix(w.Tag, "NN") && slices.Contains(own, w.stem) && i > 0 && i != r.verb && !named {
			r.words[i].taken = true
		}
	}
}

// span returns the first and the last word of a sentence.
func (r *reading) span(s int) (first, last int) {
	first = slices.IndexFunc(r.words, func(w word) bool { return w.sentence == s })
	for last = first; last+1 < len(r.words) && r.words[last+1].sentence == s; {
		last++
	}
	return first, last
}

// order returns what a verb in the imperative asks for: one that begins the
// sentence or a part of it.
func (r *reading) order(i, first int) Intent {
	if i > first {
		before := r.words[i-1].Norm
		joined := slices.Contains([]string{",", "and", "please", "then", "you", "also", "now", "next", "instead", "so", "just"}, before)
		wished := before == "to" && r.wishes(i-1, first)
		if !joined && !wished && !r.fronted(first, i) {
			return Read
		}
	}
	w := r.words[i].Norm
	switch {
	case deleteVerbs[w], w == "take" && r.follows(i, "out", "away", "off"):
		return Delete
	case updateVerbs[w]:
		return Update
	case moveVerbs[w]:
		return Move
	case addVerbs[w]:
		return Add
	}
	return Read
}

// fronted reports whether only a phrase of place or time stands before a verb: "On
// Day 9 cancel …".
func (r *reading) fronted(first, i int) bool {
	if r.words[first].Tag != "IN" {
		return false
	}
	for _, w := range r.words[first+1 : i] {
		if strings.HasPrefix(w.Tag, "V") || w.Tag == "PRP" || w.Tag == "MD" {
			return false
		}
	}
	return true
}

// wishes reports whether "to" follows a wish: "I want to", "need to".
func (r *reading) wishes(to, first int) bool {
	return to > first && slices.Contains([]string{"want", "need", "like", "have"}, r.words[to-1].Lemma)
}

func (r *reading) follows(i int, words ...string) bool {
	for j := i + 1; j < len(r.words) && r.words[j].sentence == r.words[i].sentence; j++ {
		if slices.Contains(words, r.words[j].Norm) {
			return true
		}
	}
	return false
}

// says reports whether a free word of a sentence is one of these.
func (r *reading) says(sentence int, words ...string) bool {
	return slices.ContainsFunc(r.words, func(w word) bool { return w.sentence == sentence && slices.Contains(words, w.Norm) })
}

// meaningful reports whether a word carries meaning of its own that nothing has
// explained yet.
func (w word) meaningful() bool {
	return !w.taken && w.stem != "" && !functionWords[w.Norm] && !politeWords[w.Norm] && w.Tag != "POS" && w.Tag != "MD" && w.Tag != "UH" && !strings.HasPrefix(w.Norm, "'")
}

// politeWords belong to asking and not to what is asked for.
var politeWords = daybook.WordSet(`please show list find give tell let see look want need like would could thanks thank also just really actually
	still already ever yet only very much many lot n't get gets got go goes going thing things one ones something anything everything
	everyone somebody anybody everybody stuff item items entry entries overview whole again currently mean me wherever whichever whatever
	planned scheduled happen happens happening arranged
	contain contains include includes consist consists concern concerns appear appears offer offers across altogether`)

// generalNouns stand for a node of any kind and say nothing about which.
var generalNouns = stemSet("activity event place stop spot job chore dish piece part choice kind sort type")

func (r *reading) take(from, to int) {
	for i := from; i < to; i++ {
		r.words[i].taken = true
	}
}

func (w word) plural() bool { return w.Tag == "NNS" || w.Tag == "NNPS" }
