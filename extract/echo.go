package extract

import (
	"cmp"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"

	"daybook"
	grammar "daybook/english"
)

// Returned is a text that the memory gave out, as what is left of it to compare
// with: it does not hold the text itself.
type Returned struct {
	Of      daybook.NoteID // the note that it is, or stands on
	Speaker uint32         // hash of who said it; 0 for nobody
	Pairs   []uint32       // hashes of neighbouring words, sorted, each once
}

// ReturnedText is what is kept of a text that is given out.
func ReturnedText(of daybook.NoteID, speaker, text string) Returned {
	r := Returned{Of: of, Pairs: pairs(text)}
	if speaker != "" {
		r.Speaker = Hash(daybook.Fold(speaker))
	}
	r.Pairs = r.Pairs[:min(len(r.Pairs), maxPairs)]
	return r
}

// Telling reports whether there is enough of the text to know it again.
func (r Returned) Telling() bool { return len(r.Pairs) >= leastPairs }

// Limits of what counts as the same words. They were set on conversations of our own
// (TestEchoes), where each has room on both sides.
const (
	leastPairs = 2    // fewer can be chance
	maxPairs   = 1024 // of one text that is given out
	share      = 0.6  // of a stretch's pairs that were given out
	shareOfRow = 0.5  // the same, for a stretch that holds a returned text nearly whole
	nearly     = 0.8  // of a returned text's pairs that a line holds
	verbatim   = 0.9  // both ways, for a list that says nothing of where it is from
)

// MayEcho reports whether a note can hold an echo at all: a machine said it, or it has
// something that is carried over from elsewhere. What a person says in words of their own
// is never an echo, whatever was returned before.
func MayEcho(n daybook.Note) bool {
	if isAssistant(n.Speaker) {
		return true
	}
	return carries.MatchString(n.Text)
}

// carries finds quotation marks, quoted or listed lines, fences, tags, names of speakers, and
// marks of ours.
var carries = regexp.MustCompile("[\"“«]|(?m:^[^:\n]{1,60}:\\s)|(?m:^\\s*(?:>|```|~~~|<[A-Za-z/]|[-*•]\\s|\\d+[.)]\\s|\\[))|(?:note|fact|event)_[0-9a-z]{26}")

// Echoes finds the stretches of a note that repeat what was returned, in the order of
// the text. Of what a machine says, every sentence that was mostly given out is one. Of what a
// person says, only what is carried over: quoted, fenced, in tags, attributed to who said it, marked as
// our rows are, or one of several rows that stand in a list word by word.
func Echoes(n daybook.Note, returned []Returned) []daybook.Echo {
	m := newMatcher(returned)
	if len(m.by) == 0 || !MayEcho(n) {
		return nil
	}
	var all []daybook.Echo
	machine := isAssistant(n.Speaker)
	lines := linesOf(n.Text)
	for i := range lines {
		l := &lines[i]
		switch {
		case l.carried || m.attributed(l.Of(n.Text)):
			all = append(all, m.line(n.Text, l.Span)...)
		case machine:
			all = append(all, m.sentences(n.Text, l.Span)...)
		default:
			l.list = l.bullet && m.sameRow(l.Of(n.Text)) >= 0
			all = append(all, m.quotes(n.Text, l.Span)...)
		}
	}
	all = append(all, m.lists(n.Text, lines)...)
	daybook.Sort(all, func(a, b daybook.Echo) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	last := 0
	return slices.DeleteFunc(all, func(e daybook.Echo) bool { // quotations inside a list
		within := e.Start < last
		last = max(last, e.End)
		return within
	})
}

// line is one line of a note.
type line struct {
	grammar.Span
	carried bool // by a fence, a tag, a mark of quotation
	bullet  bool
	heading bool // it ends in a colon
	list    bool // it is a row of ours word by word
}

var (
	fence    = regexp.MustCompile("^(```|~~~)")
	openTag  = regexp.MustCompile(`^<([A-Za-z][\w-]*)[^>]*>`)
	bulleted = regexp.MustCompile(`^(?:[-*•]|\d+[.)])\s`)
	marks    = regexp.MustCompile(`\[(?:NOW|OUTDATED(?:: "[^"]*")?|CHANGE|CONFLICT|PLAN|NOT A FACT)\]|(?:note|fact|event)_[0-9a-z]{26}|^\W*\d{4}-\d{2}-\d{2}`)
	speech   = regexp.MustCompile(`^\W*(?:\d+\W+)?([^:"]{1,60}?)(?:"? said)?:`)
)

// linesOf cuts a text into lines, and says of each how it is set.
func linesOf(text string) (all []line) {
	fenced, tag := false, ""
	for start := 0; start < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i
		}
		trimmed := strings.TrimSpace(text[start:end])
		if m := openTag.FindStringSubmatch(trimmed); m != nil && tag == "" {
			tag = m[1]
		}
		edge := fence.MatchString(trimmed)
		if trimmed != "" {
			all = append(all, line{
				Span: grammar.Span{Start: start, End: end}, carried: fenced || edge || tag != "" || trimmed[0] == '>' || marks.MatchString(trimmed),
				bullet: bulleted.MatchString(trimmed), heading: strings.HasSuffix(trimmed, ":"),
			})
		}
		if tag != "" && strings.Contains(trimmed, "</"+tag) {
			tag = ""
		}
		fenced = fenced != edge
		start = end + 1
	}
	return all
}

// matcher knows which returned texts hold a pair of words.
type matcher struct {
	returned []Returned
	by       map[uint32][]int
}

func newMatcher(returned []Returned) *matcher {
	m := &matcher{returned: returned, by: map[uint32][]int{}}
	for i, r := range returned {
		if !r.Telling() {
			continue
		}
		for _, p := range r.Pairs {
			m.by[p] = append(m.by[p], i)
		}
	}
	return m
}

// hits counts a text's pairs, those that were returned, and by which texts.
func (m *matcher) hits(text string) (all, hit int, by map[int]int) {
	by = map[int]int{}
	text = strings.TrimLeft(text, " \t")
	said := pairs(text[len(bulleted.FindString(text)):])
	for _, p := range said {
		if len(m.by[p]) > 0 {
			hit++
		}
		for _, i := range m.by[p] {
			by[i]++
		}
	}
	return len(said), hit, by
}

// attributed reports whether a line names as its speaker who said a text that it holds.
func (m *matcher) attributed(text string) bool {
	found := speech.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	speaker := Hash(daybook.Fold(strings.TrimFunc(found[1], unicode.IsPunct)))
	_, _, by := m.hits(text)
	for i, n := range by {
		if m.returned[i].Speaker == speaker && n >= leastPairs {
			return true
		}
	}
	return false
}

// line finds the echoes in a line that may be one: the whole line where it is a row, else
// its sentences.
func (m *matcher) line(text string, at grammar.Span) []daybook.Echo {
	count, hit, by := m.hits(at.Of(text))
	if hit >= leastPairs && (float64(hit) >= share*float64(count) || m.covered(by) && !manySentences(at.Of(text))) {
		return []daybook.Echo{{Start: at.Start, End: at.End, Of: m.sources(by)}}
	}
	return m.sentences(text, at)
}

func (m *matcher) sentences(text string, at grammar.Span) (all []daybook.Echo) {
	for _, s := range grammar.Sentences(at.Of(text)) {
		all = append(all, m.stretch(text, grammar.Span{Start: at.Start + s.Start, End: at.Start + s.End})...)
	}
	return all
}

func manySentences(text string) bool { return len(grammar.Sentences(text)) > 2 }

// covered reports whether a line holds some returned text nearly whole.
func (m *matcher) covered(by map[int]int) bool {
	for i, n := range by {
		if n >= leastPairs && float64(n) >= nearly*float64(len(m.returned[i].Pairs)) {
			return true
		}
	}
	return false
}

// stretch is an echo where most of it was returned.
func (m *matcher) stretch(text string, at grammar.Span) []daybook.Echo {
	count, hit, by := m.hits(at.Of(text))
	enough := share
	if m.covered(by) {
		enough = shareOfRow
	}
	if hit < leastPairs || float64(hit) < enough*float64(count) {
		return nil
	}
	return []daybook.Echo{{Start: at.Start, End: at.End, Of: m.sources(by)}}
}

// sources are the notes that most of an echo is from, the likeliest first.
func (m *matcher) sources(by map[int]int) (of []daybook.NoteID) {
	most := 0
	for _, n := range by {
		most = max(most, n)
	}
	var order []int
	for i, n := range by {
		if 2*n >= most {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if by[a] != by[b] {
			return by[b] - by[a]
		}
		return strings.Compare(string(m.returned[a].Of), string(m.returned[b].Of))
	})
	for _, i := range order {
		if id := m.returned[i].Of; id != "" && !slices.Contains(of, id) {
			of = append(of, id)
		}
	}
	return of[:min(len(of), maxSources)]
}

// maxSources is how many notes an echo names; text that many notes share names none of
// them well.
const maxSources = 8

// quotes finds the echoes between quotation marks.
func (m *matcher) quotes(text string, at grammar.Span) (all []daybook.Echo) {
	inside := at.Of(text)
	for from := 0; from < len(inside); {
		open, size := -1, 0
		for i, r := range inside[from:] {
			if r == '"' || r == '“' || r == '«' {
				open, size = from+i, utf8.RuneLen(r)
				break
			}
		}
		if open < 0 {
			return all
		}
		end := strings.IndexAny(inside[open+size:], "\"”»")
		if end < 0 {
			return all
		}
		end += open + size
		all = append(all, m.stretch(text, grammar.Span{Start: at.Start + open + size, End: at.Start + end})...)
		_, last := utf8.DecodeRuneInString(inside[end:])
		from = end + last
	}
	return all
}

// sameRow is the returned text that a line is, word by word; -1 for none.
func (m *matcher) sameRow(text string) int {
	count, _, by := m.hits(text)
	for i, n := range by {
		if n >= leastPairs && float64(n) >= verbatim*float64(count) && float64(n) >= verbatim*float64(len(m.returned[i].Pairs)) {
			return i
		}
	}
	return -1
}

// lists finds runs of list items that are rows of ours word by word: two below a
// heading, three anywhere. People do not list so what they once said.
func (m *matcher) lists(text string, lines []line) (all []daybook.Echo) {
	for i := 0; i < len(lines); {
		if !lines[i].list {
			i++
			continue
		}
		end, rows := i, map[int]bool{}
		for ; end < len(lines) && lines[end].list; end++ {
			rows[m.sameRow(lines[end].Of(text))] = true
		}
		least := 3
		if i > 0 && lines[i-1].heading {
			least = 2
		}
		if len(rows) >= least {
			for _, l := range lines[i:end] {
				_, _, by := m.hits(l.Of(text))
				all = append(all, daybook.Echo{Start: l.Start, End: l.End, Of: m.sources(by)})
			}
		}
		i = end
	}
	return all
}

// pairs are the hashes of neighbouring words of a text, sorted, each once. Words that
// change with who speaks of whom are left out, and words are brought to their stems, so that "I
// live in Rome" and "you live in Rome" have the same.
func pairs(text string) []uint32 {
	var all []uint32
	last := ""
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }) {
		w, _, _ = strings.Cut(strings.ReplaceAll(strings.Trim(w, "'’"), "’", "'"), "'")
		if w == "" || personal[w] {
			continue
		}
		env := snowballstem.NewEnv(w)
		english.Stem(env)
		w = env.Current()
		if last != "" {
			all = append(all, Hash(last+" "+w))
		}
		last = w
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// personal are words that change when somebody else says the same, and articles.
var personal = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`i me my mine myself you your yours yourself he him his himself she her hers herself it its we us our ours they them their theirs
		am is are was were be been being m re s ve d ll don didn doesn isn aren wasn have has had do does did user assistant said says told mentioned that the a an`) {
		set[w] = true
	}
	return set
}()

// Hash is a short hash of a text, the same in every process.
func Hash(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return h.Sum32()
}
