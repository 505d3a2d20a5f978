package tree

import (
	"slices"
	"strings"
	"unicode"

	"daybook"
	"daybook/xpath"
)

// mention is a place in a request that names nodes: by their type, by position,
// by what they are called.
type mention struct {
	typ         string
	step        xpath.Step // how they are chosen among their brothers; bare when they are not
	first, last int        // words
	prep        string     // the preposition before it
	partOf      bool       // it follows "which of", "all of"
	plural      bool
	outside     bool // all but these are meant
}

// bare reports whether the mention names only a type.
func (m mention) bare() bool { return m.step.At.IsAll() && m.step.Pred == nil }

// contentTypes are the types below the Version level, outer ones first.
func (r *reading) contentTypes() (types []string) {
	for _, t := range r.schema.Types {
		if r.schema.Below(VersionType, t.Name) {
			types = append(types, t.Name)
		}
	}
	slices.SortStableFunc(types, func(a, b string) int {
		switch {
		case r.schema.Below(a, b) && !r.schema.Below(b, a):
			return -1
		case r.schema.Below(b, a) && !r.schema.Below(a, b):
			return 1
		}
		return 0
	})
	return types
}

// inner reports whether nodes of a type have others below them.
func (r *reading) inner(typ string) bool {
	t, _ := r.schema.Type(typ)
	return len(t.Children) > 0
}

// typeWords are the stems of a type's name: MealPlan is meal plan.
func typeWords(typ string) []string {
	var out strings.Builder
	runes := []rune(typ)
	for i, c := range runes {
		if i > 0 && unicode.IsUpper(c) && unicode.IsLower(runes[i-1]) {
			out.WriteByte(' ')
		}
		out.WriteRune(c)
	}
	return stems(out.String())
}

// typeAt returns the type that the word at i names.
func (r *reading) typeAt(i int) (string, bool) {
	w := r.words[i]
	if w.stem == "" || w.taken {
		return "", false
	}
	for _, t := range r.contentTypes() {
		if names := typeWords(t); len(names) > 0 && names[len(names)-1] == w.stem {
			return t, true
		}
	}
	t, ok := r.calledAlike()[w.stem]
	return t, ok && strings.HasPrefix(w.Tag, "NN")
}

// calledAlike gives the types of containers that are mostly called by one word:
// sections named Day 1, Day 2, Day 3 are days.
func (r *reading) calledAlike() map[string]string {
	if r.alike != nil {
		return r.alike
	}
	r.alike = map[string]string{}
	for _, t := range r.contentTypes() {
		if !r.inner(t) {
			continue
		}
		counts, names := map[string]int{}, r.namesOf(t)
		for _, n := range names {
			for _, s := range slices.Compact(slices.Sorted(slices.Values(stems(n.name)))) {
				counts[s]++
			}
		}
		for s, n := range counts {
			if _, digit := number(s); n > 1 && 2*n > len(names) && !digit {
				r.alike[s] = t
			}
		}
	}
	return r.alike
}

// findMentions reads all names of nodes in the request.
func (r *reading) findMentions() error {
	for i := range r.words {
		if typ, ok := r.typeAt(i); ok {
			r.typed(typ, i)
		}
	}
	for _, typ := range r.contentTypes() {
		if r.inner(typ) {
			r.named(typ)
		}
	}
	if err := r.sensed(); err != nil {
		return err
	}
	daybook.Sort(r.mentions, func(a, b mention) int { return a.first - b.first })
	for i := range r.mentions {
		m := &r.mentions[i]
		var at int
		m.prep, at = r.prepBefore(m.first)
		m.partOf = m.prep == "of" && at > 0 && slices.Contains([]string{"which", "all", "any", "each", "some", "none", "whichever", "one"}, r.words[at-1].Norm)
		if m.outside = m.prep == "outside"; m.outside {
			r.words[at].taken = true
		}
	}
	return nil
}

// prepBefore returns the preposition that leads to a word, over articles,
// adjectives and owners.
func (r *reading) prepBefore(i int) (string, int) {
	for i--; i >= 0; i-- {
		switch w := r.words[i]; {
		case w.Norm == "outside" || w.Norm == "under" || w.Tag == "IN" || w.Tag == "TO":
			return w.Norm, i
		case w.Tag == "DT" || w.Tag == "PRP$" || w.Tag == "POS" || strings.HasPrefix(w.Tag, "JJ") || strings.HasPrefix(w.Tag, "NN") || w.Tag == "CD" || w.Norm == "whichever":
		default:
			return "", -1
		}
	}
	return "", -1
}

// typed reads a type with a position beside it: Day 7, days 2 to 4, the third day,
// the first two tasks, the second to last task.
func (r *reading) typed(typ string, i int) {
	m := mention{typ: typ, first: i, last: i, plural: r.words[i].plural()}
	if at, end, ok := r.numberAfter(i + 1); ok {
		m.step.At, m.last = at, end-1
	} else if at, begin, ok := r.numberBefore(i - 1); ok {
		m.step.At, m.first = at, begin
	}
	if old := slices.IndexFunc(r.mentions, func(o mention) bool { return o.typ == typ && m.bare() && o.last+3 < i }); old >= 0 && r.words[i].sentence != r.main {
		return // said again
	}
	r.take(m.first, m.last+1)
	r.mentions = append(r.mentions, m)
}

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"eleventh": 11, "twelfth": 12, "last": -1, "final": -1, "latest": -1,
	"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "6th": 6, "7th": 7, "8th": 8, "9th": 9, "10th": 10,
}

var numerals = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}

func number(s string) (int, bool) {
	if n, ok := numerals[s]; ok {
		return n, true
	}
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1e6 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n > 0
}

// numberAfter reads 7, two to four, 6 through 8 behind a noun.
func (r *reading) numberAfter(i int) (at xpath.Range, end int, ok bool) {
	if i < len(r.words) && r.words[i].Norm == "number" {
		i++
	}
	if i >= len(r.words) {
		return at, i, false
	}
	from, ok := number(r.words[i].Norm)
	if !ok {
		return at, i, false
	}
	if i+2 < len(r.words) && slices.Contains([]string{"to", "through", "until", "till", "and"}, r.words[i+1].Norm) {
		if to, ok := number(r.words[i+2].Norm); ok && to > from {
			return xpath.Range{From: from, To: to}, i + 3, true
		}
	}
	return one(from), i + 1, true
}

// numberBefore reads third, last, last two, first three, second to last before a
// noun, over a word that stands between.
func (r *reading) numberBefore(i int) (at xpath.Range, begin int, ok bool) {
	if i > 0 && ordinals[r.words[i].Norm] == 0 && !r.words[i].taken && (strings.HasPrefix(r.words[i].Tag, "NN") || strings.HasPrefix(r.words[i].Tag, "JJ")) && ordinals[r.words[i-1].Norm] != 0 {
		at, begin, ok = r.numberBefore(i - 1) // the last dinner option
		r.words[begin].taken = true
		return at, i + 1, ok
	}
	if i < 0 {
		return at, i, false
	}
	if n, ok := number(r.words[i].Norm); ok && i > 0 && ordinals[r.words[i-1].Norm] != 0 {
		if ordinals[r.words[i-1].Norm] < 0 {
			return xpath.Range{From: -n, To: -1}, i - 1, true
		}
		return xpath.Range{From: 1, To: n}, i - 1, true
	}
	n := ordinals[r.words[i].Norm]
	if n == -1 && i > 1 && r.words[i-1].Norm == "to" && ordinals[r.words[i-2].Norm] > 0 {
		return one(-ordinals[r.words[i-2].Norm]), i - 2, true
	}
	return one(n), i, n != 0
}

func one(n int) xpath.Range { return xpath.Range{From: n, To: n} }

// nameAttrs hold what a node is called.
var nameAttrs = []string{"name", "title", "label", "date", "weekday"}

// nodeName is what nodes are called, and how many are.
type nodeName struct {
	name, attr string
	count      int
}

// namesOf lists what the nodes of a type are called, each name once.
func (r *reading) namesOf(typ string) (names []nodeName) {
	seen := map[string]bool{}
	walk(r.h.Current().Root(), func(n *Node) {
		if n.Type != typ {
			return
		}
		for _, attr := range nameAttrs {
			if v, ok := n.Attr(attr); ok && v != "" && len(v) < 100 {
				if !seen[v] {
					seen[v] = true
					names = append(names, nodeName{v, attr, 0})
				}
				names[slices.IndexFunc(names, func(o nodeName) bool { return o.name == v })].count++
				return
			}
		}
	})
	return names
}

// named looks for containers by what they are called. All words of the name must
// stand in the request, or some that fit no other name, with a capital or beside
// the word for the type.
func (r *reading) named(typ string) {
	at := slices.IndexFunc(r.mentions, func(m mention) bool { return m.typ == typ })
	if at >= 0 && !r.mentions[at].bare() {
		return
	}
	var best nodeName
	var bestWords []int
	tie := false
	for _, n := range r.namesOf(typ) {
		found := r.wordsOf(n.name)
		if len(found) == 0 || (len(found) < len(stems(n.name)) || n.count == 1) && !r.likeName(typ, found) {
			continue
		}
		switch {
		case len(found) > len(bestWords):
			best, bestWords, tie = n, found, false
		case len(found) == len(bestWords):
			tie = true
		}
	}
	if best.name == "" || tie {
		return
	}
	for _, i := range bestWords {
		r.words[i].taken = true
	}
	pred := xpath.Exact{Attr: best.attr, Text: best.name}
	if at >= 0 && r.adjacent(typ, bestWords) {
		r.mentions[at].step.Pred, r.mentions[at].first = pred, min(r.mentions[at].first, bestWords[0])
		return
	}
	m := mention{typ: typ, step: xpath.Step{Pred: pred}, first: bestWords[0], last: bestWords[len(bestWords)-1], plural: r.words[bestWords[0]].plural()}
	r.mentions = append(r.mentions, m)
}

// wordsOf returns the free words of the request that a name has.
func (r *reading) wordsOf(name string) (found []int) {
	for _, s := range stems(name) {
		i := slices.IndexFunc(r.words, func(w word) bool { return w.stem == s && w.meaningful() })
		if i >= 0 && !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	slices.Sort(found)
	return found
}

// likeName reports whether words are used as a name: beside the word for the
// type, with a capital inside a sentence, or as the place that something goes to or
// comes from.
func (r *reading) likeName(typ string, found []int) bool {
	if r.adjacent(typ, found) {
		return true
	}
	if prep, _ := r.prepBefore(found[0]); slices.Contains([]string{"to", "under", "into"}, prep) && r.intent == Add {
		return true
	}
	return slices.ContainsFunc(found, func(i int) bool {
		return i > 0 && r.words[i].sentence == r.words[i-1].sentence && unicode.IsUpper([]rune(r.words[i].Text)[0])
	})
}

// adjacent reports whether the word for a type stands beside the words of a name.
func (r *reading) adjacent(typ string, found []int) bool {
	last := found[len(found)-1]
	return slices.ContainsFunc(r.mentions, func(m mention) bool {
		return m.typ == typ && (m.first == last+1 || m.first == last+2 || m.last == found[0]-1)
	})
}

// personWords name types that "who" can ask for.
var personWords = stemSet("member person people user guest player student employee attendee participant customer patient colleague friend speaker author contact")

func stemSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, s := range stems(text) {
		set[s] = true
	}
	return set
}

// sensed finds what the main sentence asks for when it does not say the name of a
// type: who, or a noun that is nearest to one type in meaning.
func (r *reading) sensed() error {
	first, last := r.span(r.main)
	if r.says(r.main, "who", "whose", "whom") {
		for _, t := range r.contentTypes() {
			if w := typeWords(t); len(w) > 0 && personWords[w[len(w)-1]] && !slices.ContainsFunc(r.mentions, func(m mention) bool { return m.typ == t }) {
				r.mentions = append(r.mentions, mention{typ: t, first: first, last: first})
				return nil
			}
		}
	}
	if slices.ContainsFunc(r.mentions, func(m mention) bool { return m.first >= first && m.last <= last && (m.bare() || !r.inner(m.typ)) }) {
		return nil
	}
	i := r.askedNoun(first, last)
	if i < 0 {
		return nil
	}
	types := r.typesSaying(r.words[i].stem, r.leafTypes())
	typ, err := r.sense(r.words[i].Lemma, types)
	if len(types) == 1 {
		typ = types[0]
	}
	if err != nil || typ == "" {
		return err
	}
	m := mention{typ: typ, first: i, last: i, plural: r.words[i].plural()}
	if at, begin, ok := r.numberBefore(i - 1); ok {
		m.step.At, m.first = at, begin
	}
	if m.first < i { // a position was read
		r.take(m.first, i)
	}
	if generalNouns[r.words[i].stem] {
		r.words[i].taken = true
	}
	r.mentions = append(r.mentions, m)
	return nil
}

// typesSaying keeps the types that have a node which says a word; all of them
// where none has.
func (r *reading) typesSaying(stem string, types []string) (saying []string) {
	walk(r.h.Current().Root(), func(n *Node) {
		if slices.Contains(types, n.Type) && !slices.Contains(saying, n.Type) && slices.Contains(stems(n.Own()), stem) {
			saying = append(saying, n.Type)
		}
	})
	if len(saying) == 0 {
		return types
	}
	return saying
}

// askedNoun is the noun that a question or an order is about: the first one after
// which, what, any, all, the verb.
func (r *reading) askedNoun(first, last int) int {
	for i := first; i <= last; i++ {
		w := r.words[i]
		if strings.HasPrefix(w.Tag, "NN") && w.meaningful() && r.bareNoun(i) && !(r.intent == Update && r.isAttr(w.stem)) {
			for i < last && strings.HasPrefix(r.words[i+1].Tag, "NN") && r.words[i+1].meaningful() {
				i++ // the last noun of a row is its head
			}
			return i
		}
		if (w.Tag == "IN" || strings.HasPrefix(w.Tag, "VB") && i > first && !w.taken && !functionWords[w.Norm] && !politeWords[w.Norm]) && i > first {
			return -1
		}
	}
	return -1
}

// isAttr reports whether a word names an attribute of nodes.
func (r *reading) isAttr(stem string) bool {
	return slices.ContainsFunc(r.schema.Types, func(t Type) bool {
		return r.schema.Below(VersionType, t.Name) && slices.ContainsFunc(t.Attrs, func(attr string) bool {
			return slices.Contains(stems(strings.ReplaceAll(attr, "_", " ")), stem)
		})
	})
}

func (r *reading) bareNoun(i int) bool {
	prep, at := r.prepBefore(i)
	return prep == "" || prep == "of" && at > 0 && (r.words[at-1].Norm == "which" || r.words[at-1].Norm == "any")
}

// leafTypes are the types with nothing below them.
func (r *reading) leafTypes() (types []string) {
	for _, t := range r.contentTypes() {
		if !r.inner(t) {
			types = append(types, t)
		}
	}
	return types
}

// senseMargin is by how much one type must be nearer to a noun than the others.
const senseMargin = 0.01

// sense returns which of several types a noun is nearest to, by their names and
// by what their nodes are called; "" when none stands out.
func (r *reading) sense(noun string, types []string) (string, error) {
	if len(types) < 2 || r.senses.encoder == nil {
		return "", nil
	}
	best, second, which := -1.0, -1.0, ""
	for _, t := range types {
		var labels []string
		walk(r.h.Current().Root(), func(n *Node) {
			if n.Type == t && len(labels) < 8 {
				labels = append(labels, n.Label())
			}
		})
		name := strings.ToLower(t)
		near, err := r.senses.cosines(r.ctx, noun, []string{name, name + ": " + strings.Join(labels, ", ")})
		if err != nil {
			return "", err
		}
		if sum := (near[0] + near[1]) / 2; sum > best {
			best, second, which = sum, best, t
		} else {
			second = max(second, sum)
		}
	}
	if best-second < senseMargin {
		return "", nil
	}
	return which, nil
}
