package extract

import (
	"slices"
	"strings"

	"daybook"
	"daybook/english"
)

// relationName is a canonical relation with the phrasings that mean it. A phrasing
// is the relation as relation() builds it: verb and preposition by lemma, or a
// noun.
type relationName struct {
	name  string
	holds daybook.Cardinality
	said  string // separated by |
}

// vocabulary names the relations that people speak of in many ways. It is open:
// what is not here keeps its own words as its name. docs/vocabulary.md prints it.
var vocabulary = []relationName{
	{"lives_in", daybook.OneValue, "live in|reside in|be base in|home town is|live at|stay in|dwell in|current city|home city|city|rent room in|rent flat in|rent apartment in|rent house in|rent place in|share flat in|share apartment in|share house in|have flat in|have apartment in|have house in|have place in"},
	{"moved_to", daybook.Many, "move to|move into|relocate to|move back to|settle in|settle down in"},
	{"from", daybook.OneValue, "is from|come from|grow up in|be bear in|originate from|be raise in|hometown|be originally from"},
	{"works_at", daybook.OneValue, "work at|work for|be employ by|employer|company|workplace|be employ at"},
	{"job", daybook.OneValue, "work as|job|job title|occupation|profession|be employ as|career|make living as|position"},
	{"manager", daybook.OneValue, "manager|boss|supervisor|report to|line manager"},
	{"studies", daybook.Many, "study|major in|be study|learn|take class in|take course in"},
	{"studies_at", daybook.OneValue, "study at|go to school at|attend|be enrol in|enroll at|go to college at|school|university|college"},
	{"married_to", daybook.OneValue, "marry|be marry to|husband|wife|spouse"},
	{"partner", daybook.OneValue, "partner|date|be in relationship with|girlfriend|boyfriend|fiance|fiancee"},
	{"name", daybook.OneValue, "name|be call|be name|full name|first name"},
	{"nickname", daybook.Many, "nickname|go by|people call"},
	{"age", daybook.OneValue, "age|turn"},
	{"birthday", daybook.OneValue, "birthday|be bear on|date of birth"},
	{"likes", daybook.Many, "like|love|enjoy|adore|be fan of|is into|be fond of|appreciate|be crazy about|love to|like to|enjoy to|be passionate about|be interested in|be obsessed with|passion"},
	{"dislikes", daybook.Many, "dislike|hate|can not stand|detest|despise|avoid|be tire of"},
	{"allergic_to", daybook.Many, "allergic to|intolerant to|intolerant of|sensitive to"},
	{"afraid_of", daybook.Many, "afraid of|scared of|terrified of"},
	{"prefers", daybook.Many, "prefer|favor|favour|would rather"},
	{"wants", daybook.Many, "want|wish for|desire|would like|would love|crave|need"},
	{"owns", daybook.Many, "own|possess"},
	{"has", daybook.Many, "have|have get|get to have"},
	{"bought", daybook.Many, "buy|purchase|order"},
	{"drives", daybook.OneValue, "drive|car|vehicle"},
	{"plays", daybook.Many, "play|play in|perform in"},
	{"reads", daybook.Many, "read|be read"},
	{"watches", daybook.Many, "watch|binge"},
	{"listens_to", daybook.Many, "listen to"},
	{"eats", daybook.Many, "eat|have for dinner|have for lunch|have for breakfast"},
	{"drinks", daybook.Many, "drink"},
	{"cooks", daybook.Many, "cook|bake|make for dinner|grill"},
	{"speaks", daybook.Many, "speak|be fluent in"},
	{visited, daybook.Many, "visit|go to|travel to|fly to|take trip to|be to|head to|stop by|check out"},
	{goesTo, daybook.Many, "be regular at|frequent"}, // and "go to" of what is done again and again
	{"attended", daybook.Many, "attend|take part in|participate in|go to see"},
	{"joined", daybook.Many, "join|sign up for|become member of|enroll in|enrol in"},
	{"volunteers_at", daybook.Many, "volunteer at|volunteer for|volunteer with|help out at"},
	{"started", daybook.Many, "start|begin|launch|found|set up|open"},
	{"stopped", daybook.Many, "stop|quit|give up|drop"},
	{"met", daybook.Many, "meet|meet up with|run into|hang out with|catch up with"},
	{"made", daybook.Many, "make|create|build|craft|design|write|paint|draw|compose"},
	{"won", daybook.Many, "win"},
	{"lost", daybook.Many, "lose"},
	{"believes", daybook.Many, "believe in|believe|follow"},
	{"is", daybook.Many, "is|be|become"},
}

var canonicalOf = func() map[string]relationName {
	m := map[string]relationName{}
	for _, r := range vocabulary {
		for _, said := range strings.Split(r.said, "|") {
			m[said] = r
		}
	}
	return m
}()

// canonical is the relation's name in the ledger, and how many values it holds. A
// relation that English marks as single ("my bank is") holds one value at a time;
// whatever adds to what holds already, or is meant otherwise than as an
// assertion, says nothing of how many there are.
func canonical(st Statement) (string, daybook.Cardinality) {
	said, set := st.thing()
	name, holds := daybook.FoldRelation(said), daybook.Unsaid
	if r, ok := canonicalOf[said]; ok && (!set || r.holds == daybook.OneValue) {
		name, holds = r.name, r.holds
		if r.holds == daybook.OneValue && !st.Present {
			holds = daybook.Many // "I worked at a bank" closes nothing
		}
		if name == visited && st.Present && !st.past && st.Modality == daybook.Asserted {
			name = goesTo // "I go to Dr. Moreau"
		}
	} else if st.Unique || set {
		holds = daybook.OneValue
	}
	if st.Additive || st.Modality != daybook.Asserted || st.Ended {
		holds = daybook.Unsaid
	}
	return name, holds
}

// thing is what a statement tells a value of, by its relation. Where it sets that value
// (set), only the thing is named and there is one value at a time: "price" of "we raised the
// price to 59 euros", "exam" of "the exam got moved to Friday" and "my exam is on Friday".
func (st *Statement) thing() (said string, set bool) {
	said = withoutNew(strings.ToLower(st.Relation))
	words := strings.Fields(said)
	n := len(words)
	switch {
	case n < 2 || st.Type != When && st.Type != Number && st.Type != Money:
	case st.linking && st.Type == When && st.Who == english.SpeakerThing && timePreps[words[n-1]]:
		return strings.Join(words[:n-1], " "), true
	case n < 3 || words[n-1] != "to" && words[n-1] != "until":
	case setting[words[0]] && st.past:
		return strings.Join(words[1:n-1], " "), true
	case setting[words[n-2]]:
		return strings.Join(words[:n-2], " "), true
	}
	return said, false
}

func (st *Statement) sets() bool {
	_, set := st.thing()
	return set
}

var (
	timePreps = setOf("on at in")
	// setting are verbs that give a thing another time, number or price.
	setting = setOf("move shift push bump postpone reschedule change set reset raise lower increase decrease reduce cut extend slip upgrade downgrade")
)

// withoutNew is a relation without the adjective that says that its value is the present
// one: "roommate" of "new roommate".
func withoutNew(said string) string {
	if first, rest, ok := strings.Cut(said, " "); ok && (first == "new" || first == "current" || first == "latest") {
		return rest
	}
	return said
}

// State is the name of the state that a statement speaks of, as far as its words name
// one: its relation, or that which its relation changes. It is empty for what is over,
// or was so at another time.
func (st *Statement) State() string {
	name, _ := canonical(*st)
	switch {
	case name == movedTo:
		return livesIn
	case !st.Present && !st.Changed && !st.sets():
		return ""
	}
	return name
}

// The relation that ends and begins another's values; where somebody was, and where
// they go again and again.
const (
	movedTo, livesIn = "moved_to", "lives_in"
	worksAt, jobName = "works_at", "job"
	visited, goesTo  = "visited", "goes_to"
)

// Tellers are the relations whose facts tell a state, as State has it.
func Tellers(state string) []string {
	switch state {
	case livesIn:
		return []string{livesIn, movedTo}
	case worksAt:
		return []string{worksAt, "work_in"}
	}
	return []string{state}
}

// AskedState is the name of the state that a question asks for, as State has it; empty
// where its words name none.
func AskedState(a *english.Asking) string {
	s := &a.Sentence
	if thing := Nameless(a); thing != "" {
		return stateOfThing(thing)
	}
	if np := a.Clause.Subject; a.Verb.Verb == "be" && np >= 0 && np < len(s.Phrases) && (s.Phrases[np].Owner != "" || s.Phrases[np].Determiner == "the" && s.Phrases[np].Of < 0) {
		return stateOfThing(namedThing(s, np))
	}
	if noun := Had(a); noun != "" {
		return stateOfThing(noun)
	}
	if a.Verb.Verb == "be" && a.Wh == "how old" && a.Clause.Who == english.Speaker {
		return "age"
	}
	if a.Verb.Verb == "be" {
		return ""
	}
	if a.Wh == "what" && a.Verb.Verb == "do" && a.AsksForWork() {
		return jobName
	}
	for _, prep := range append(placePreps[a.Wh], lastWord(s)) {
		if r, ok := canonicalOf[strings.TrimSpace(a.Verb.Verb+" "+prep)]; ok && r.holds == daybook.OneValue {
			return r.name
		}
	}
	if (a.Wh == "what" || a.Wh == "which") && a.Asked != "" && using[a.Verb.Verb] {
		return stateOfThing(strings.ToLower(a.Asked))
	}
	return ""
}

// using are verbs that a question asks by for the value of what its noun names: "which bank
// do I use?"
var using = setOf("use have")

// stateOfThing is the state that a noun names.
func stateOfThing(said string) string {
	if r, ok := canonicalOf[said]; ok && r.holds == daybook.OneValue {
		return r.name
	}
	return daybook.FoldRelation(Kind(said))
}

// Nameless are the words for somebody or something whose name a question asks for: "dog"
// of "what is my dog called", "dentist" of "the name of my dentist". They are empty where
// it asks for anything else.
func Nameless(a *english.Asking) string {
	s, np := &a.Sentence, a.Clause.Subject
	if np < 0 || np >= len(s.Phrases) {
		return ""
	}
	p := s.Phrases[np]
	switch verb := a.Verb.Verb; {
	case (verb == "call" || verb == "name") && a.Verb.Passive && p.Owner != "":
		return singular(s, np)
	case verb != "be" || s.Tokens[p.Head].Lemma != "name":
	case p.Of >= 0 && s.Phrases[p.Of].Owner != "":
		return singular(s, p.Of)
	case strings.Contains(p.Owner, " "):
		words := strings.Fields(strings.ToLower(p.Owner))
		return words[len(words)-1]
	}
	return ""
}

// singular are the words for a thing as namedThing has them, the last in its base form.
func singular(s *english.Sentence, phrase int) string {
	words := strings.Fields(namedThing(s, phrase))
	if len(words) > 0 && words[len(words)-1] == s.Tokens[s.Phrases[phrase].Head].Norm {
		words[len(words)-1] = s.Tokens[s.Phrases[phrase].Head].Lemma
	}
	return strings.Join(words, " ")
}

// Had is what a question asks whether somebody has, where that is a person or an animal:
// "dog" of "Do I have a dog?"; empty for other questions.
func Had(a *english.Asking) string {
	s := &a.Sentence
	if !a.YesNo || a.Verb.Verb != "have" || a.Verb.Perfect || len(a.Clause.Objects) != 1 {
		return ""
	}
	if noun := s.Tokens[s.Phrases[a.Clause.Objects[0]].Head].Lemma; isTie(noun) {
		return noun
	}
	return ""
}

// Apart reports whether two names are of states that are never one: of both it is
// known that they hold one value at a time, and which.
func Apart(a, b string) bool {
	return a != b && single[a] && single[b] && !merging[[2]string{min(a, b), max(a, b)}]
}

// merging are pairs of one-valued relations that may tell of one state.
var merging = map[[2]string]bool{{"married_to", "partner"}: true, {"job", "works_at"}: true, {"from", "lives_in"}: true}

// single are the names of one-valued relations.
var single = func() map[string]bool {
	m := map[string]bool{}
	for _, r := range vocabulary {
		m[r.name] = r.holds == daybook.OneValue
	}
	return m
}()

// placePreps are the prepositions that a question word stands for.
var placePreps = map[string][]string{"where": {"in", "at"}}

// lastWord is the preposition that a question ends in: "work for?"
func lastWord(s *english.Sentence) string {
	for _, t := range slices.Backward(s.Tokens) {
		switch t.Tag {
		case "IN", "TO", "RP":
			return t.Norm
		case ".", "RB":
			continue
		}
		break
	}
	return ""
}

// namedThing are the words for a thing without what says which of several in time:
// "dentist" of "my previous dentist".
func namedThing(s *english.Sentence, phrase int) string {
	owner := strings.ToLower(s.Phrases[phrase].Owner)
	words := slices.DeleteFunc(strings.Fields(bareWords(s, phrase)), func(w string) bool { return w == owner || timeAdjectives[w] })
	return strings.Join(words, " ")
}

// timeAdjectives say which of several values in time is meant.
var timeAdjectives = map[string]bool{
	"current": true, "previous": true, "former": true, "old": true, "new": true, "last": true, "latest": true, "first": true,
	"original": true, "earlier": true, "present": true, "initial": true, "past": true, "prior": true,
}
