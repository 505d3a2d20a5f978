package engine

import (
	"slices"
	"strings"
	"sync"

	"daybook"
	"daybook/extract"
	"daybook/graph"
	"daybook/index"
	"daybook/store"
)

// stated is an assertion of a state that is in the ledger or about to be.
type stated struct {
	fact     daybook.Fact
	value    string // as values are compared
	vector   []byte // of the sentence, as it is kept
	variable []float32
	read     *extract.Stated // nil until it is needed
	mute     bool            // its words were read and do not state it
	near     []neighbour     // where listed: the nearest among those in the ledger
	listed   bool
	beyond   float64   // where it is not listed: all its nearest are at least so near
	strange  []float64 // how alike strangers are; nil until it is needed
}

// strangers returns how alike the statement is to the first n strangers.
func (s *stated) strangers(n int) []float64 {
	if n <= 0 {
		return nil
	}
	if s.strange == nil {
		s.strange = extract.Strangers(s.variable)
	}
	return s.strange[:min(n, len(s.strange))]
}

func newStated(f daybook.Fact, vector []byte) stated {
	return stated{fact: f, value: bareValue(f.Object), vector: vector, variable: extract.VariableOf(index.Unpack(vector))}
}

// bareValue is a value without its article: "a waterbed" is "the waterbed".
func bareValue(object string) string {
	value := daybook.Fold(object)
	if first, rest, ok := strings.Cut(value, " "); ok && (first == "a" || first == "an" || first == "the") {
		return rest
	}
	return value
}

// within reports whether one value only says more of the other: "pescatarian" and
// "pescatarian diet".
func within(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < shortestValue {
		return false
	}
	for from := 0; ; from++ {
		at := strings.Index(b[from:], a)
		if at < 0 {
			return false
		}
		from += at
		end := from + len(a)
		if (from == 0 || b[from-1] == ' ') && (end == len(b) || b[end] == ' ') {
			return true
		}
	}
}

// oneValue reports whether two values are the same, or one begins or ends with the
// words of the other: "pescatarian", "pescatarian diet".
func oneValue(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if a == b || len(a) < shortestValue || len(a) == len(b) || strings.Count(b, " ") > mostSpaces {
		return a == b
	}
	return strings.HasPrefix(b, a) && b[len(a)] == ' ' || strings.HasSuffix(b, a) && b[len(b)-len(a)-1] == ' '
}

// partsOf are a value and the words that it begins and ends with, the value first.
func partsOf(value string) []string {
	all := []string{value}
	if strings.Count(value, " ") > mostSpaces {
		return all
	}
	for i := range value {
		if value[i] != ' ' {
			continue
		}
		for _, part := range []string{value[:i], value[i+1:]} {
			if len(part) >= shortestValue && !slices.Contains(all, part) {
				all = append(all, part)
			}
		}
	}
	return all
}

// mostSpaces is how many spaces a value may have to be told by its parts.
const mostSpaces = 3

// shortestValue is how many bytes a value needs to be told within another.
const shortestValue = 4

// rivals reports whether two statements may give two values of one state: what one
// note says at once, and one value said twice, do not.
func (s *stated) rivals(o *stated) bool {
	return s.value != o.value && !within(s.value, o.value) && s.fact.ID != o.fact.ID && (len(s.fact.Sources) == 0 || len(o.fact.Sources) == 0 || s.fact.Sources[0] != o.fact.Sources[0])
}

// neighbour is a rival by its number, and how alike it is.
type neighbour struct {
	at   int
	like float64
	id   daybook.FactID
}

// nearer orders neighbours. Of two that are equally alike the id decides, so that
// the order of arrival does not show.
func (n neighbour) nearer(o neighbour) bool {
	return n.like > o.like || n.like == o.like && n.id < o.id
}

// neighbours is how many of the nearest are kept of each statement. They must
// give as many values as the crowd has; the rest is for values said repeatedly.
const neighbours = 32

// insert puts a neighbour where it belongs and keeps the nearest.
func insert(list []neighbour, n neighbour) []neighbour {
	at, _ := slices.BinarySearchFunc(list, n, func(a, b neighbour) int {
		if a.nearer(b) {
			return -1
		}
		return 1
	})
	if at == neighbours {
		return list
	}
	list = slices.Insert(list, at, n)
	return list[:min(len(list), neighbours)]
}

// reaches reports whether n belongs into the list.
func reaches(list []neighbour, n neighbour) bool {
	return len(list) < neighbours || n.nearer(list[len(list)-1])
}

// circle are the statements of one subject in the ledger.
type circle struct {
	all    []stated
	at     map[daybook.FactID]int
	valued map[string][]int // the statements that give a value, by its parts
}

func newCircle() *circle {
	return &circle{at: map[daybook.FactID]int{}, valued: map[string][]int{}}
}

// list returns the nearest rivals of a statement in the ledger. It is worked out
// once and kept up to date.
func (c *circle) list(i int) []neighbour {
	s := &c.all[i]
	if !s.listed {
		for j := range c.all {
			if n, ok := meet(s, &c.all[j], j); ok && reaches(s.near, n) {
				s.near = insert(s.near, n)
			}
		}
		s.listed = true
	}
	return s.near
}

// meet returns o as a neighbour of s, if it is alike enough to matter to it.
func meet(s, o *stated, at int) (neighbour, bool) {
	if s == o {
		return neighbour{}, false
	}
	like := extract.Likeness(s.variable, o.variable)
	if like <= extract.CrowdFloor || !s.rivals(o) {
		return neighbour{}, false
	}
	return neighbour{at: at, like: like, id: o.fact.ID}, true
}

// surrounded reports whether a statement that was not listed yet has so many
// neighbours nearer than n that n is none of them.
func (c *circle) surrounded(i int, n neighbour) bool {
	if c.all[i].listed || n.like < c.all[i].beyond {
		return !c.all[i].listed
	}
	nearer := 0
	for j := range c.all {
		if o, ok := meet(&c.all[i], &c.all[j], j); ok && o.nearer(n) {
			if nearer++; nearer == neighbours {
				c.all[i].beyond = n.like
				return true
			}
		}
	}
	return false
}

// add takes in a statement that was appended to the ledger.
func (c *circle) add(s stated) {
	if _, known := c.at[s.fact.ID]; known {
		return
	}
	at := len(c.all)
	c.at[s.fact.ID] = at
	c.all = append(c.all, s)
	for _, part := range partsOf(s.value) {
		c.valued[part] = append(c.valued[part], at)
	}
	for i := range c.all[:at] {
		o := &c.all[i]
		if !o.listed {
			continue
		}
		if n, ok := meet(o, &c.all[at], at); ok && reaches(o.near, n) {
			o.near = insert(o.near, n)
		}
	}
}

// statedFacts are the statements of a scope that new ones are compared with, by
// subject. They follow the ledger; all of it is derived.
type statedFacts struct {
	mu        sync.Mutex
	upTo      uint64
	bySubject map[daybook.EntityID]*circle
}

func (k *statedFacts) of(subject daybook.EntityID) *circle {
	c := k.bySubject[subject]
	if c == nil {
		c = newCircle()
		k.bySubject[subject] = c
	}
	return c
}

// follow brings the known statements up to the ledger's head.
func (e *Engine) follow(r store.Reader, known *statedFacts) error {
	return factVectors(r, stateSpace, &known.upTo, func(f daybook.Fact, vector []byte) { known.of(f.Subject).add(newStated(f, vector)) })
}

// factVectors gives each fact that came after upTo and has a vector in a space, with that vector, and
// moves upTo to the ledger's head.
func factVectors(r store.Reader, space string, upTo *uint64, give func(f daybook.Fact, vector []byte)) error {
	head, err := r.Head()
	if err != nil || head.Seq == *upTo {
		return err
	}
	for v, err := range r.Vectors(space, store.Range{From: *upTo + 1, To: head.Seq}) {
		if err != nil {
			return err
		}
		f, ok, err := graph.FactAt(r, v.Place)
		if err != nil {
			return err
		}
		if ok {
			give(f, slices.Clone(v.Data))
		}
	}
	*upTo = head.Seq
	return nil
}

// keepStated puts the vectors of new statements beside the ledger, in the
// transaction that appended them.
func (e *Engine) keepStated(w store.Writer, seq uint64, facts []extract.Fact) error {
	vectors := map[daybook.FactID][]byte{}
	for _, f := range facts {
		if f.Stated != nil {
			vectors[f.ID] = index.Pack(f.Vector)
		}
	}
	return putFactVectors(w, stateSpace, seq, vectors)
}

// putFactVectors puts vectors of the facts of a commit beside the ledger.
func putFactVectors(w store.Writer, space string, seq uint64, vectors map[daybook.FactID][]byte) error {
	if len(vectors) == 0 {
		return nil
	}
	placed, err := graph.FactsIn(w, store.Range{From: seq, To: seq})
	if err != nil {
		return err
	}
	var put []store.Vector
	for _, f := range placed {
		if v := vectors[f.ID]; len(v) > 0 {
			put = append(put, store.Vector{Place: f.Place, Data: v})
		}
	}
	return w.PutVectors(space, seq, put)
}

func newStatedFacts() *statedFacts { return &statedFacts{bySubject: map[daybook.EntityID]*circle{}} }
