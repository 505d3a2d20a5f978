package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"daybook"
	"daybook/english"
	"daybook/extract"
	"daybook/timex"
)

// Evidence is a note that may bear on a question, with what was learned from it.
type Evidence struct {
	daybook.Note
	Score  float64      // how well recall finds it; higher is better
	Role   daybook.Role // that the ledger gives to what it states; empty where it states nothing
	Reason string       // why it has that role
	// Outdated are values that it gives and that were superseded, by the ledger. Repeats
	// says that it only says again what another note states.
	Outdated []string
	Repeats  bool
	Heir     daybook.NoteID // the note with what holds in the place of its value; empty where none is known
	Claims   []Claim
	// Follows are values that it gives and of which the ledger says that they took the
	// place of one of the asked state.
	Follows []string
}

// Row is a note with the role that it has for a question.
type Row struct {
	daybook.Note
	Role   daybook.Role
	Reason string // why it has that role
	Value  string // what it says of the asked state; empty where it says nothing
	Score  float64
	// Outdated are values that it gives beside and that were superseded.
	Outdated []string
	// State says whether the row speaks of the state that is asked for.
	State bool
	Heir  daybook.NoteID // see Evidence
}

// Resolved is a question with its rows in order and what they say of the state
// that is asked for.
type Resolved struct {
	Question
	Rows []Row // the requested state first, then what guards it, then the rest
	// Timeline are the claims of the asked state that were asserted, in order of
	// time.
	Timeline []Claim
	// Asked are those that the question asks for; two where they are contested.
	Asked     []Claim
	Contested bool
	// Doubt is what possibly took the place of what holds; nil where nothing did.
	Doubt *Claim
	// Over is what held last of the asked state where it is over and nothing took its
	// place, and OverWhy says so; nil where something holds.
	Over    *Claim
	OverWhy string
	// Stopped is what says that the thing is over of which the question asks whether it is
	// so; nil where nothing does.
	Stopped *Claim
	Gone    extract.Gone // that thing
	// Known is how likely the notes hold the answer, in [0, 1].
	Known float64
	// Match is how likely the likeliest claim tells what is asked, in (0, 1).
	Match float64
	// Stands says whether the notes tell the state that is asked for: then the
	// rows are in its order, else in that of recall.
	Stands bool
}

// told is a claim with what was found out about it.
type told struct {
	*Claim
	signals [matchCount]float64
	speaks  float64 // how likely it speaks of what is asked
	match   float64 // how likely it tells what is asked
	group   float64 // how likely it is of the state of the likeliest
	nearest bool    // it is most like that state among all that was said
	named   bool    // its words and those of the question name one state
	follows bool    // the ledger says that it took the place of one of the asked state
	over    string  // why it was superseded, by the ledger; empty where it was not
	role    daybook.Role
	reason  string
}

// Resolve finds the state that is asked for among the evidence, and gives every
// row its role. The background is that of all statements of the subject; for a zero
// one what is usual stands in.
func Resolve(q Question, all []Evidence, background Background) *Resolved {
	r := &resolver{q: &q, all: all}
	r.gather(background)
	r.grouping()
	r.assign()
	return r.resolved()
}

type resolver struct {
	q        *Question
	all      []Evidence
	claims   []told         // of the subject
	timeline []*told        // of the asked state, asserted, in order of time
	frame    map[string]int // how many of the timeline have a word around their value
	asked    []*told
	clash    bool
	doubted  *told // what possibly took the place of what holds
	ended    *told // what held last, where nothing holds any more
	stopped  *told // what says that the thing which the question names is over
	gone     extract.Gone
	known    float64
	match    float64 // of the likeliest assertion
	others   int     // claims that are of other states
}

// gather weighs the claims of the asked subject.
func (r *resolver) gather(b Background) {
	if b.N == 0 {
		b = BackgroundOf(nil, nil)
	}
	other := r.other()
	for i := range r.all {
		for j := range r.all[i].Claims {
			c := &r.all[i].Claims[j]
			if r.ofSubject(c) && !r.ofAnother(c, other, r.all[i].Text) {
				r.ownOthers(c)
				r.ofOther(c, other)
				r.ownAims(c)
				r.claims = append(r.claims, told{Claim: c, follows: slices.Contains(r.all[i].Follows, c.Object), over: outdated(&r.all[i], c)})
			}
		}
	}
	for i := range r.claims {
		c := &r.claims[i]
		c.signals = matchSignals(r.q, c.Claim, b)
		c.speaks = match(c.signals)
		c.match = c.speaks * (0.4 + 0.6*min(1, 2*c.Chance))
		if c.named = c.asserted() && r.q.State != "" && r.names(c.Claim); c.named {
			c.speaks, c.match, c.Chance = max(c.speaks, surelyMatch), max(c.match, surelyMatch), max(c.Chance, surelyStated)
			if c.Variable == nil {
				c.Variable = r.q.Variable // no sentence was matched, but the state is the asked one
			}
		}
	}
	r.known = r.standsOut()
	if slices.ContainsFunc(r.claims, func(c told) bool { return c.named }) {
		r.known = 1
	}
}

// names reports whether a claim names the state that the question names. What was given
// another value may be called by its last words alone: "they moved the exam" of "my maths exam".
func (r *resolver) names(c *Claim) bool {
	state := c.State()
	if state == r.q.State {
		return true
	}
	if c.read == nil || state == "" || !strings.HasSuffix(r.q.State, "_"+state) {
		return false
	}
	_, reset := extract.Reset(c.read)
	return reset
}

// outdated is why the ledger says that what a claim tells was superseded; empty where it
// does not say so. The ledger speaks of the whole note: what has no word of the values
// that were superseded is something else.
func outdated(e *Evidence, c *Claim) string {
	if e.Role != daybook.RoleHistorical || !c.asserted() {
		return ""
	}
	own := plainWords(c.Object)
	for _, value := range e.Outdated {
		if e.Repeats || sharedWords(own, plainWords(value)) > 0 {
			return e.Reason
		}
	}
	return ""
}

// plainWords are the content words of a value, numbers without commas.
func plainWords(value string) []string { return contentWords(strings.ReplaceAll(value, ",", "")) }

// ofSubject reports whether a claim is about whom the question asks.
func (r *resolver) ofSubject(c *Claim) bool {
	return r.q.Subject == "" || SameName(c.Of, r.q.Subject)
}

// ownOthers takes what is said of somebody else for an assertion where the question
// asks about that person: "my nephew's school" for "Anna's nephew".
func (r *resolver) ownOthers(c *Claim) {
	if !c.Others || c.read == nil {
		return
	}
	if who := otherWords(c.read); len(who) > 0 && sharedWords(who, r.q.Words) == 1 {
		c.Modality, c.Others, c.Chance = daybook.Asserted, false, 1
	}
}

// other is whom the question asks about by name where that is nobody who speaks, and
// notes speak of them; empty for all other questions.
func (r *resolver) other() string {
	name := r.q.Named
	if name == "" || r.q.Subject != "" || !slices.ContainsFunc(r.all, func(e Evidence) bool { return len(e.Claims) > 0 && hasWord(e.Text, name) }) {
		return ""
	}
	return name
}

// ofOther takes what is said of somebody for an assertion where the question asks about
// them by name: "Helen has moved to Leeds", "our daughter Helen lives in Leeds".
func (r *resolver) ofOther(c *Claim, name string) {
	if name == "" || !c.Others || c.read == nil {
		return
	}
	if _, np := subjectOf(c.read); np != nil && hasWord(tokensText(c.read, np.First, np.End), name) {
		c.Modality, c.Others = daybook.Asserted, false
	}
}

// ofAnother reports whether a claim is another person's than the one whom the question asks
// about: the speaker's own where it names somebody else, or of somebody with a name where the
// speaker asks about themselves.
func (r *resolver) ofAnother(c *Claim, name, text string) bool {
	switch own := c.Who == english.Speaker || c.Who == english.SpeakerThing; {
	case r.q.Called && (c.State() == "name" && c.Who != english.PersonThing || c.Who == english.Speaker && c.Relation == "is" && c.Type == extract.Name):
		return true // the speaker's own name
	case name != "":
		return (own || ofNamed(c)) && !hasWord(text, name)
	}
	return r.q.Self && ofNamed(c) && ofPeople[c.State()]
}

// ofNamed reports whether a claim is about a person by name: "Peter has moved to Leeds".
func ofNamed(c *Claim) bool {
	if c.Who != english.Person || c.read == nil {
		return false
	}
	_, np := subjectOf(c.read)
	return np != nil && np.Named && np.Owner == ""
}

// ofPeople are states of which each person has their own.
var ofPeople = setOf("lives_in works_at job studies_at age birthday name from")

// hasWord reports whether a text has a word or a name, in whatever case. No text has the empty one.
func hasWord(text, word string) bool {
	if word == "" {
		return false
	}
	text, word = strings.ToLower(text), strings.ToLower(word)
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		if end := at + len(word); (at == 0 || !isLetter(text[at-1])) && (end == len(text) || !isLetter(text[end])) {
			return true
		}
		from = at + 1
	}
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 0x80 }

// aimWords ask for what somebody means to reach: the answer is a plan that holds.
var aimWords = setOf("goal aim plan target intention intend ambition resolution hope want wish dream")

// ownAims takes a plan or a wish for an assertion where the question asks for those.
func (r *resolver) ownAims(c *Claim) {
	if (c.Modality == daybook.Planned || c.Modality == daybook.Wished) && slices.ContainsFunc(r.q.Words, func(w string) bool { return aimWords[w] }) {
		c.Modality = daybook.Asserted
	}
}

// standsOut is how likely one of the assertions answers the question at all.
func (r *resolver) standsOut() float64 {
	var best [][matchCount]float64
	for i := range r.claims {
		if c := &r.claims[i]; c.asserted() && c.Variable != nil {
			best = append(best, c.signals)
		}
	}
	daybook.Sort(best, func(a, b [matchCount]float64) int { return cmp.Compare(standsOut(b), standsOut(a)) })
	return known(best)
}

// assign builds the timeline of the asked state and gives its claims their roles.
func (r *resolver) assign() {
	r.heirs()
	for i := range r.claims {
		c := &r.claims[i]
		switch {
		case c.match == 0:
		case !c.asserted():
			c.role, c.reason = aside(c.Claim)
		case r.joins(c):
			r.timeline = append(r.timeline, c)
		}
	}
	slices.SortStableFunc(r.timeline, func(a, b *told) int { return a.Time.Compare(b.Time) })
	r.addLate()
	r.dropUnsure()
	r.endings() // by what the notes state, and by the words that answer
	r.values()
	r.endings()
	r.stop()
	r.label()
	r.pick()
	r.labelOthers()
}

// heirs lets what took the place of something join the state that this was of, where its
// own words say so: "we replaced logrus with slog".
func (r *resolver) heirs() {
	for i := range r.claims {
		e := &r.claims[i]
		if !e.asserted() || !slices.ContainsFunc(e.Gone, func(g extract.Gone) bool { return sameValue(g.Heir, e.Object) }) {
			continue
		}
		e.follows = e.follows || slices.ContainsFunc(r.claims, func(c told) bool {
			return c.asserted() && c.Time.Before(e.Time) && r.joins(&c) && e.ends(c.Claim) != ""
		})
	}
}

// addLate adds to the timeline what was said after all of it and is likely of the
// same state.
func (r *resolver) addLate() {
	if len(r.timeline) == 0 {
		return
	}
	newest := r.timeline[len(r.timeline)-1].Time
	for i := range r.claims {
		if c := &r.claims[i]; c.asserted() && c.nearest && c.group >= lateGroup && c.group < inGroup && c.Time.After(newest) {
			r.timeline = append(r.timeline, c)
		}
	}
	slices.SortStableFunc(r.timeline, func(a, b *told) int { return a.Time.Compare(b.Time) })
}

// joins reports whether a claim takes part in deciding what holds: it is likely of the
// asked state. Where somebody asks for what holds, nothing outside may explain it better
// unless it is so surely.
func (r *resolver) joins(c *told) bool {
	return c.sure() || c.group >= inGroup && (c.nearest || r.q.View != daybook.Current)
}

// dropUnsure takes from the end of the timeline what is not surely of the asked state,
// where somebody asks for what holds and something before it surely is: it only casts
// doubt on that.
func (r *resolver) dropUnsure() {
	if r.q.View != daybook.Current {
		return
	}
	last := len(r.timeline) - 1
	for last > 0 && !r.timeline[last].sure() {
		last--
	}
	if last >= 0 && r.timeline[last].sure() {
		r.timeline = r.timeline[:last+1]
	}
}

// sure reports whether a claim is of the asked state beyond doubt.
func (c *told) sure() bool { return c.group >= inCore || c.named || c.follows }

// aside is the role of what was said and does not hold.
func aside(c *Claim) (daybook.Role, string) {
	switch {
	case c.Modality == daybook.Planned:
		return daybook.RolePlanned, "a plan"
	case c.Ended:
		return daybook.RoleHistorical, "said to be over"
	case c.Additive:
		return daybook.RoleAside, "said beside what holds"
	case c.Modality == daybook.OneOff:
		return daybook.RoleAside, "for a while, or on one occasion"
	case c.Modality == daybook.Negated:
		return daybook.RoleAside, "said not to be so"
	case c.Modality == daybook.Reported:
		return daybook.RoleAside, "somebody else's word or state"
	}
	return daybook.RoleAside, "supposed or wished"
}

// endings drops from the end of the timeline what a later claim says is over.
func (r *resolver) endings() {
	for i := range r.claims {
		e := &r.claims[i]
		for _, c := range r.timeline {
			if over := e.ends(c.Claim); over != "" && c.over == "" && c.Time.Before(e.Time) {
				c.Object = over
				c.over = "over by " + day(e.Time)
				c.role, c.reason = daybook.RoleHistorical, c.over
			}
		}
	}
}

// ends is the value of an older claim that a claim says is over, and empty where it does not
// say so. The older one may have other words for a thing with a name: "FitInn, the one by the
// station".
func (c *Claim) ends(older *Claim) string {
	if c.Ended && sameValue(c.Object, older.Object) {
		return older.Object
	}
	for _, g := range c.Gone {
		switch {
		case sameValue(g.Object, older.Object):
			return older.Object
		case older.Type != extract.Name && startsUpper(g.Object) && hasWord(older.Sentence, g.Object):
			return g.Object
		}
	}
	return ""
}

// stop finds what says that a thing is over of which somebody asks whether it is so, where
// nothing says later that it is: "I gave up coffee" for "do I drink coffee?"
func (r *resolver) stop() {
	if r.q.Intent != WantsVerdict || r.q.View != daybook.Current || extract.GivesUp(r.q.Asking.Verb) {
		return
	}
	for i := range r.claims {
		c, gone := &r.claims[i], r.claims[i].Gone
		if c.Ended {
			gone = append(slices.Clone(gone), extract.Gone{Object: c.Object})
		}
		for _, g := range gone {
			if hasWord(r.q.Text, trimValue(g.Object)) && (r.stopped == nil || c.Time.After(r.stopped.Time)) && !r.future(c) {
				r.stopped, r.gone = c, g
			}
		}
	}
	for i := range r.claims {
		if c := &r.claims[i]; r.stopped != nil && c.asserted() && c.Time.After(r.stopped.Time) && sameValue(c.Object, r.gone.Object) {
			r.stopped = nil
		}
	}
}

// label gives the claims of the timeline their roles: the newest is current, what
// came before with another value is historical, and two values of one session
// without a word of change are contested.
func (r *resolver) label() {
	now := len(r.timeline) - 1
	for now >= 0 && r.future(r.timeline[now]) {
		c := r.timeline[now]
		c.role, c.reason = daybook.RoleHistorical, "said later, on "+day(c.Time)
		now--
	}
	now = r.labelOver(now)
	if now < 0 {
		return
	}
	newest := r.timeline[now]
	if newest.role == "" {
		newest.role, newest.reason = daybook.RoleCurrent, "the latest, of "+day(newest.Time)
	}
	for i := now - 1; i >= 0; i-- {
		c, next := r.timeline[i], r.timeline[i+1]
		switch {
		case c.role != "":
		case sameValue(c.Object, newest.Object) && next.role == daybook.RoleCurrent:
			c.role, c.reason = daybook.RoleCurrent, "said again on "+day(newest.Time)
		case c.Session == newest.Session && sameThing(c.read, newest.read) && next.role == daybook.RoleCurrent:
			c.role, c.reason = daybook.RoleCurrent, "of the same thing as on "+day(newest.Time)
		case r.contests(c, newest, i, now):
			c.role, c.reason = daybook.RoleContested, fmt.Sprintf("against %q of the same session", newest.Object)
			newest.role, newest.reason = daybook.RoleContested, fmt.Sprintf("against %q of the same session", c.Object)
			r.clash = true
		default:
			c.role, c.reason = daybook.RoleHistorical, r.superseded(i)
		}
	}
}

// labelOver labels what the ledger says was superseded, and returns which is the newest
// of the others up to the given one.
func (r *resolver) labelOver(now int) int {
	for i, c := range r.timeline[:now+1] {
		if c.over == "" {
			continue
		}
		c.role, c.reason = daybook.RoleHistorical, r.superseded(i)
		if c.reason == noNewer {
			c.reason = c.over
		}
	}
	for now >= 0 && r.timeline[now].over != "" {
		now--
	}
	return now
}

// sameThing reports whether a later sentence speaks of what an earlier one brought up:
// "a grey cat", and then "the cat Miso".
func sameThing(older, newer *english.Sentence) bool {
	if older == nil || newer == nil {
		return false
	}
	for i := range older.Phrases {
		np := &older.Phrases[i]
		if !indefinite(np) || np.Time {
			continue
		}
		head := older.Tokens[np.Head].Lemma
		again := slices.ContainsFunc(newer.Phrases, func(p english.NounPhrase) bool {
			return p.Determiner == "the" && slices.ContainsFunc(newer.Tokens[p.First:p.End], func(t english.Token) bool { return t.Lemma == head })
		})
		if again {
			return true
		}
	}
	return false
}

// future reports whether a claim was made after the time that is asked about.
func (r *resolver) future(c *told) bool {
	return !r.q.Now.IsZero() && c.Time.After(r.q.Now)
}

// contests reports whether two values of one session stand against each other.
func (r *resolver) contests(c, newest *told, i, now int) bool {
	return i == now-1 && c.Session == newest.Session && c.Session != "" && !newest.Changed && !c.Changed &&
		(newest.role == daybook.RoleCurrent || newest.role == daybook.RoleContested) && !sameValue(c.Object, newest.Object)
}

// superseded says what took the place of the i-th value.
func (r *resolver) superseded(i int) string {
	for _, c := range r.timeline[i+1:] {
		if !sameValue(c.Object, r.timeline[i].Object) {
			return fmt.Sprintf("superseded by %q on %s", c.Object, day(c.since()))
		}
	}
	return noNewer
}

// noNewer is the reason of what was superseded by nobody knows what.
const noNewer = "superseded"

// labelOthers labels older claims that may be of the asked state, to be safe.
func (r *resolver) labelOthers() {
	if len(r.timeline) == 0 {
		return
	}
	newest, later := r.timeline[len(r.timeline)-1], (*told)(nil)
	for i := range r.claims {
		c := &r.claims[i]
		switch {
		case c.role != "" || !c.asserted() || c.group < mayBeGroup || r.future(c):
		case c.Time.Before(newest.Time):
			c.role, c.reason = daybook.RoleHistorical, "older than what holds, and likely of the same state"
		case r.mayFollow(c) && c.Time.After(newest.Time) && !sameValue(c.Object, newest.Object) && (later == nil || c.group > later.group):
			later = c
		}
	}
	if later != nil {
		r.value(later, nil)
		r.doubt(later)
	}
}

// mayFollow reports whether a claim is like enough to the asked state to cast doubt on
// what holds. Where little else is told, being nearest to it says nothing.
func (r *resolver) mayFollow(c *told) bool {
	if r.others < fewOthers {
		return c.group >= lateGroup
	}
	return c.nearest || c.group >= mayFollow
}

// doubt labels what holds, as far as is sure, as possibly superseded by a later claim.
func (r *resolver) doubt(later *told) {
	for _, c := range r.timeline {
		if c.role == daybook.RoleCurrent {
			r.doubted = later
			c.role, c.reason = daybook.RoleHistorical, fmt.Sprintf("possibly superseded by %q on %s", later.Object, day(later.Time))
		}
	}
	if r.doubted != nil && r.q.View == daybook.Current {
		later.role, later.reason = daybook.RoleCurrent, "possibly what holds since "+day(later.Time)
	}
}

// pick chooses what the question asks for.
func (r *resolver) pick() {
	if len(r.timeline) == 0 {
		return
	}
	current := r.timeline[len(r.timeline)-1]
	for i := len(r.timeline) - 1; i >= 0 && r.future(r.timeline[i]); i-- {
		current = r.timeline[max(0, i-1)]
	}
	if current.over != "" {
		standing := r.standing()
		if standing == nil {
			r.ended = current
		}
		if r.q.View == daybook.Current {
			current = standing
		}
		if current == nil {
			return
		}
	}
	switch {
	case r.q.View == daybook.Historical:
		r.asked = []*told{r.earlier(current)}
	case r.clash:
		for _, c := range r.timeline {
			if c.role == daybook.RoleContested {
				r.asked = append(r.asked, c)
			}
		}
	default:
		r.asked = []*told{current}
	}
	r.transition()
}

// standing is the latest claim of the timeline that nothing superseded, or nil.
func (r *resolver) standing() *told {
	for _, c := range slices.Backward(r.timeline) {
		if c.over == "" && !r.future(c) {
			return c
		}
	}
	return nil
}

// transition marks the claim that made the change that is asked about.
func (r *resolver) transition() {
	if r.q.View != daybook.Change && r.q.Intent != WantsReason || len(r.timeline) < 2 {
		return
	}
	last := r.asked[len(r.asked)-1]
	if c := r.change(); c != nil {
		last = c
	}
	last.role, last.reason = daybook.RoleTransition, "made the change on "+day(last.since())
	r.asked = []*told{last}
}

// change is the first claim of the value that holds now.
func (r *resolver) change() (c *told) {
	now := len(r.timeline) - 1
	for i := now; i >= 0 && sameValue(r.timeline[i].Object, r.timeline[now].Object); i-- {
		c = r.timeline[i]
	}
	return c
}

// earlier is the past value that a historical question means.
func (r *resolver) earlier(current *told) *told {
	switch r.q.Pick {
	case PickFirst:
		return r.timeline[0]
	case PickAt:
		var held *told
		for _, c := range r.timeline {
			if c.since().Before(endOf(r.q.At)) {
				held = c
			}
		}
		if held != nil {
			return held
		}
		return r.timeline[0]
	}
	for i := len(r.timeline) - 1; i >= 0; i-- {
		if c := r.timeline[i]; !sameValue(c.Object, current.Object) && c.Time.Before(current.Time) {
			return c
		}
	}
	return r.timeline[0]
}

func day(t time.Time) string {
	return timex.Say(daybook.Span{From: t.Truncate(24 * time.Hour), Until: t.Truncate(24*time.Hour).AddDate(0, 0, 1), Granularity: daybook.Day})
}

// endOf is the first instant after a span.
func endOf(s daybook.Span) time.Time {
	if !s.Until.IsZero() {
		return s.Until
	}
	return s.Granularity.End(s.From)
}
