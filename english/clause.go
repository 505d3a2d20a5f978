package english

// Sentence is one sentence, read. Offsets are those of the text that was read.
type Sentence struct {
	Span
	Text    string
	Tokens  []Token
	Phrases []NounPhrase
	Groups  []VerbGroup
	Clauses []Clause // in the order of their verbs
	units   []unit
}

// Kind says how a clause hangs in its sentence.
type Kind string

// Kinds of clauses.
const (
	Main       Kind = "main"       // also a coordinated one
	Adverbial  Kind = "adverbial"  // because, when, if, …
	Complement Kind = "complement" // that, whether; what was said, thought, heard
	Relative   Kind = "relative"   // who, which, that
	Reduced    Kind = "reduced"    // infinitive, gerund or participle
)

// Who says whose state a clause speaks of.
type Who string

// Subjects.
const (
	Nobody       Who = ""              // no subject was found
	Speaker      Who = "speaker"       // I, we, or dropped
	SpeakerThing Who = "speaker thing" // my car; and my manager in "my manager is Lorenzo"
	Hearer       Who = "hearer"        // you
	HearerThing  Who = "hearer thing"  // your car
	Person       Who = "person"        // Anna, she, my dad, the doctor
	PersonThing  Who = "person thing"  // her car, Anna's car
	Thing        Who = "thing"         // it, the car
)

// Prep is a preposition with its noun phrase.
type Prep struct {
	Word   string // lower case
	Token  int
	Phrase int // index in Sentence.Phrases
}

// Clause is a verb with what belongs to it. Indexes are -1 where there is none.
type Clause struct {
	First, End   int // tokens; clauses inside it may lie between
	Kind         Kind
	Parent       int // clause it depends on, or -1
	Depth        int // 0 for main
	Subordinator string
	Subject      int    // phrase
	CoSubjects   []int  // phrases joined to the subject by "and"
	Implicit     bool   // the subject was dropped, shared or understood, not written here
	Who          Who    // whose state
	Role         string // with SpeakerThing, HearerThing, PersonThing and Person by role: the noun: "car", "dad"
	Verb         int    // verb group; -1 in a fragment
	Objects      []int  // phrases
	Attribute    int    // phrase that a linking verb joins to the subject
	Adjective    int    // token of a predicate adjective
	Preps        []Prep
	Times        []int // phrases that name a time, without preposition
	Adverbs      []int // tokens
	Flags        Flags
}

// Read reads a text sentence by sentence.
func Read(text string) []Sentence {
	spans := Sentences(text)
	out := make([]Sentence, len(spans))
	for i, span := range spans {
		out[i] = readSentence(text, span)
	}
	return out
}

// ReadNth is the nth sentence of what Read returns; false where there are fewer.
func ReadNth(text string, n int) (Sentence, bool) {
	spans := Sentences(text)
	if n < 0 || n >= len(spans) {
		return Sentence{}, false
	}
	return readSentence(text, spans[n]), true
}

// ReadSpan reads a part of a text as one sentence.
func ReadSpan(text string, span Span) Sentence { return readSentence(text, span) }

// ReadSentence reads a text as one sentence.
func ReadSentence(text string) Sentence { return readSentence(text, Span{0, len(text)}) }

func readSentence(text string, span Span) Sentence {
	s := Sentence{Span: span, Text: span.Of(text), Tokens: Tokens(span.Of(text))}
	Tag(s.Tokens)
	s.Phrases, s.Groups = chunk(s.Tokens)
	s.units = s.makeUnits()
	s.findClauses()
	s.fillClauses()
	s.flagClauses()
	for i := range s.Tokens {
		s.Tokens[i].Start += span.Start
		s.Tokens[i].End += span.Start
	}
	return s
}

// PhraseText returns a phrase as written; "" for -1.
func (s *Sentence) PhraseText(phrase int) string {
	if phrase < 0 {
		return ""
	}
	np := s.Phrases[phrase]
	return joinTokens(s.Tokens, np.First, np.End)
}

// FullText returns a phrase as written, with what "of" links to it.
func (s *Sentence) FullText(phrase int) string {
	if phrase < 0 {
		return ""
	}
	last := phrase
	for s.Phrases[last].Of >= 0 {
		last = s.Phrases[last].Of
	}
	return joinTokens(s.Tokens, s.Phrases[phrase].First, s.Phrases[last].End)
}

// Head returns the lemma of a phrase's head; "" for -1.
func (s *Sentence) Head(phrase int) string {
	if phrase < 0 {
		return ""
	}
	return s.Tokens[s.Phrases[phrase].Head].Lemma
}

// WholeEnd is where a clause ends together with the clauses that hang on it: of "because
// it kept crashing" behind "crashing".
func (s *Sentence) WholeEnd(clause int) int {
	end := s.Clauses[clause].End
	for k := clause + 1; k < len(s.Clauses); k++ {
		if s.Under(k, clause) {
			end = max(end, s.Clauses[k].End)
		}
	}
	return end
}

// Under reports whether a clause hangs on one before it, by itself or by those between.
func (s *Sentence) Under(clause, other int) bool {
	p := s.Clauses[clause].Parent
	for p > other {
		p = s.Clauses[p].Parent
	}
	return p == other
}

// Group returns the verb group of a clause; a zero group if it has none.
func (s *Sentence) Group(c Clause) VerbGroup {
	if c.Verb < 0 {
		return VerbGroup{Main: -1, inner: -1}
	}
	return s.Groups[c.Verb]
}

// findClauses makes a clause for each verb group and deals out the units.
func (s *Sentence) findClauses() {
	prev := -1
	for v := range s.units {
		if s.units[v].kind != unitGroup {
			continue
		}
		c := Clause{Parent: -1, Subject: -1, Verb: s.units[v].index, Attribute: -1, Adjective: -1, Kind: Main}
		start := s.openClause(&c, prev, v)
		s.deal(prev, start, v, c.Kind)
		c.First = s.units[start].first
		s.Clauses = append(s.Clauses, c)
		prev = v
	}
	if len(s.Clauses) == 0 && len(s.units) > 0 {
		s.Clauses = append(s.Clauses, Clause{Parent: -1, Subject: -1, Verb: -1, Attribute: -1, Adjective: -1, Kind: Main})
	}
	s.closeClauses()
}

// deal gives the units between two verbs to the clause before start and to the
// new one from start on.
func (s *Sentence) deal(prev, start, v int, kind Kind) {
	clause := len(s.Clauses)
	for u := prev + 1; u < start; u++ {
		if s.units[u].clause < 0 && prev >= 0 {
			s.units[u].clause = clause - 1
		}
	}
	for u := start; u <= v; u++ {
		s.units[u].clause = clause
	}
	if kind == Main {
		for u := range start { // what waited for a finite verb: fronted phrases
			if s.units[u].clause < 0 {
				s.units[u].clause = clause
			}
		}
	}
}

// closeClauses gives what is left to the last clause and sets the ends.
func (s *Sentence) closeClauses() {
	last := len(s.Clauses) - 1
	for u := len(s.units) - 1; u >= 0 && s.units[u].clause < 0; u-- {
		s.units[u].clause = last
	}
	for u := range s.units {
		if s.units[u].clause < 0 {
			s.units[u].clause = 0
		}
	}
	for c := range s.Clauses {
		first, end := -1, 0
		for u, x := range s.units {
			if x.clause != c {
				continue
			}
			if first < 0 {
				first = x.first
			}
			end = len(s.Tokens)
			if u+1 < len(s.units) {
				end = s.units[u+1].first
			}
		}
		s.Clauses[c].First, s.Clauses[c].End = max(first, 0), end
	}
}
