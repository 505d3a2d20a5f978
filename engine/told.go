package engine

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/extract"
	"daybook/graph"
)

// ledgerSide is the evidence for a question in the making, to which what the ledger says
// of the asked state is added.
type ledgerSide struct {
	*graph.Book
	claims    *claims // that are known; nil where none are kept
	all       []answer.Evidence
	followers map[valueOf][]*daybook.Fact // of values that were looked at
}

// Of a state with more than fewNamed periods, the latest so many join the evidence of a
// question that names it: as of the time that it asks about, and of all.
const (
	fewNamed   = 64
	mostLatest = 32
)

// addNamed adds what the ledger holds of the state that the words of the question name:
// it may have been told in words that no sentence like the question has.
func (l *ledgerSide) addNamed(asked *answer.Question) error {
	subject := cmp.Or(asked.Subject, asked.Named, asked.Sole)
	if asked.State == "" || subject == "" {
		return nil
	}
	known := false
	for _, relation := range extract.Tellers(asked.State) {
		periods, err := l.Told(subject, relation)
		if err != nil {
			return err
		}
		known = known || len(periods) > 0
		for _, facts := range l.bearing(asked, periods) {
			if err := l.addPeriod(facts, asked); err != nil {
				return err
			}
		}
	}
	if asked.Had == "" || known {
		return nil
	}
	return l.addHad(asked, subject)
}

// addPeriod adds the facts of a period of the asked state. What only says that it ended
// tells no value.
func (l *ledgerSide) addPeriod(facts []*daybook.Fact, asked *answer.Question) error {
	begun := slices.ContainsFunc(facts, func(f *daybook.Fact) bool { return !f.Valid.From.IsZero() })
	for _, f := range facts[:min(len(facts), followerTies)] {
		if f.Valid.From.IsZero() && (begun || asked.View == daybook.Current) {
			continue
		}
		if err := l.addTold(f, asked.State); err != nil {
			return err
		}
		if err := l.labelOver(f, asked); err != nil {
			return err
		}
	}
	return nil
}

// labelOver says of a note that recall did not find that what it states is over, where the
// ledger says so.
func (l *ledgerSide) labelOver(f *daybook.Fact, asked *answer.Question) error {
	if len(f.Sources) == 0 {
		return nil
	}
	e, err := l.source(f)
	if err != nil || e.Role != "" {
		return err
	}
	p, err := l.Period(f)
	if err != nil || p.Valid.Until.IsZero() || p.Valid.Until.After(asked.Now) {
		return err
	}
	e.Role, e.Reason, e.Outdated = daybook.RoleHistorical, "ended "+p.Valid.Until.Format(time.DateOnly), append(e.Outdated, f.Object)
	return nil
}

// addHad adds that somebody has a person or an animal whose name was not told: "my dog".
func (l *ledgerSide) addHad(asked *answer.Question, subject string) error {
	periods, err := l.Told(subject, "has")
	if err != nil {
		return err
	}
	for _, facts := range periods {
		if words := strings.Fields(bareValue(facts[0].Object)); extract.Kind(words[len(words)-1]) == extract.Kind(asked.Had) {
			if err := l.addTold(facts[0], asked.State); err != nil {
				return err
			}
		}
	}
	return nil
}

// bearing are the periods of a state that bear on a question for it: all, but where they
// are many and not every one is asked for, the latest as of the time that is asked about and
// the next, the latest of all, the first, and those of notes in the evidence, each with what
// came next.
func (l *ledgerSide) bearing(asked *answer.Question, periods [][]*daybook.Fact) (bear [][]*daybook.Fact) {
	if len(periods) <= fewNamed || asked.WantsEvery() {
		return periods
	}
	found := map[daybook.NoteID]bool{}
	for i := range l.all {
		found[l.all[i].ID] = true
	}
	late := isLate(periods, asked.By())
	next := true // the first, or what came after one that was found
	for _, facts := range periods {
		known := slices.ContainsFunc(facts, func(f *daybook.Fact) bool { return len(f.Sources) > 0 && found[f.Sources[0]] })
		if next || known || late(timeIn(facts)) {
			bear = append(bear, facts)
		}
		next = known
	}
	return bear
}

// isLate tells the times of the latest periods: as of a time, with the next, and of all.
func isLate(periods [][]*daybook.Fact, by time.Time) func(time.Time) bool {
	times := make([]time.Time, len(periods))
	for i, facts := range periods {
		times[i] = timeIn(facts)
	}
	slices.SortFunc(times, time.Time.Compare)
	begun := sort.Search(len(times), func(i int) bool { return times[i].After(by) })
	from, to := times[max(0, begun-mostLatest)], times[min(begun, len(times)-1)]
	last := times[len(times)-mostLatest]
	return func(t time.Time) bool { return !t.Before(last) || !t.Before(from) && !t.After(to) }
}

// timeIn is when a period began or, where that is not known, ended.
func timeIn(facts []*daybook.Fact) time.Time {
	if v := facts[0].Valid; v.From.IsZero() {
		return v.Until
	}
	return facts[0].Valid.From
}

// addTold adds a fact of the asked state, as a claim of its note.
func (l *ledgerSide) addTold(f *daybook.Fact, state string) error {
	if len(f.Sources) == 0 {
		return nil
	}
	e, err := l.source(f)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(e.Claims, func(c answer.Claim) bool { return c.Gives(f.Object) })
	if at < 0 {
		c, ok := l.claimOf(e.Note, f.Object)
		if !ok {
			c = answer.FactClaim(e.Note, f)
		}
		at, e.Claims = len(e.Claims), append(e.Claims, c)
	}
	e.Claims[at].Relation, e.Claims[at].Present = state, true
	if e.Claims[at].Others {
		e.Claims[at].Modality, e.Claims[at].Others = daybook.Asserted, false // "his name is Bruno" tells of the speaker's dog
	}
	return nil
}

// source is the evidence of the first note that a fact stands on, which is added where
// it is not there.
func (l *ledgerSide) source(f *daybook.Fact) (*answer.Evidence, error) {
	at := slices.IndexFunc(l.all, func(e answer.Evidence) bool { return e.ID == f.Sources[0] })
	if at < 0 {
		n, err := l.Note(string(f.Sources[0]))
		if err != nil {
			return nil, err
		}
		at, l.all = len(l.all), append(l.all, answer.Evidence{Note: n})
	}
	return &l.all[at], nil
}

// claimOf is answer.ClaimOf, which is not read again where it was lately.
func (l *ledgerSide) claimOf(n daybook.Note, value string) (answer.Claim, bool) {
	if l.claims == nil {
		return answer.ClaimOf(n, value)
	}
	at := valueOf{n.ID, value}
	known, ok := l.claims.values.get(at)
	if !ok {
		known.Claim, known.ok = answer.ClaimOf(n, value)
		l.claims.values.put(at, known)
	}
	return known.Claim, known.ok
}

// addFollowers adds what the ledger says took the place of claims. It reports whether
// there is any that was not there.
func (l *ledgerSide) addFollowers(timeline []answer.Claim) (more bool, err error) {
	for i := range timeline {
		if !timeline[i].Sure {
			continue // what takes the place of another state's would come along
		}
		followers, err := l.followersOf(&timeline[i])
		if err != nil {
			return false, err
		}
		for _, f := range followers {
			if slices.ContainsFunc(timeline, func(c answer.Claim) bool { return c.Note == f.Sources[0] }) {
				continue
			}
			new, err := l.addFollower(f)
			if err != nil {
				return false, err
			}
			more = more || new
		}
	}
	return more, nil
}

// followersOf are the facts that the ledger says took the place of what a claim gives.
func (l *ledgerSide) followersOf(c *answer.Claim) (all []*daybook.Fact, err error) {
	of := valueOf{c.Note, c.Object}
	if all, known := l.followers[of]; known {
		return all, nil
	}
	standing, err := l.Updated(c.Note, followerTies)
	if err != nil {
		return nil, err
	}
	for _, t := range standing.Ties {
		if !slices.ContainsFunc(standing.Facts, func(f *daybook.Fact) bool { return string(f.ID) == t.To && f.Object == c.Object }) {
			continue
		}
		op, err := l.Get(t.From)
		if err != nil {
			return nil, err
		}
		if op.Fact != nil && len(op.Fact.Sources) > 0 {
			all = append(all, op.Fact)
		}
	}
	l.followers[of] = all
	return all, nil
}

// followerTies is how many links of a note are looked at for what took its place.
const followerTies = 8

// addFollower adds a fact that took the place of a claim, as a claim of its note. It
// reports false where it was there.
func (l *ledgerSide) addFollower(f *daybook.Fact) (bool, error) {
	e, err := l.source(f)
	if err != nil || slices.Contains(e.Follows, f.Object) {
		return false, err
	}
	e.Follows = append(e.Follows, f.Object)
	if !slices.ContainsFunc(e.Claims, func(c answer.Claim) bool { return c.Object == f.Object }) {
		if c, ok := l.claimOf(e.Note, f.Object); ok {
			e.Claims = append(e.Claims, c)
		}
	}
	return true, nil
}
