package engine

import (
	"slices"
	"sort"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/extract"
	"daybook/graph"
)

// mostNamed is how many of the latest periods of a state join the evidence of a question
// that names it, and laterNamed how many that began after the time that it asks about.
const (
	mostNamed  = 64
	laterNamed = 8
)

// withNamed adds to the evidence what the ledger holds of the state that the words of the
// question name: it may have been told in words that no sentence like the question has.
func withNamed(b *graph.Book, asked *answer.Question, all []answer.Evidence) ([]answer.Evidence, error) {
	if asked.State == "" || asked.Subject == "" {
		return all, nil
	}
	for _, relation := range extract.Tellers(asked.State) {
		periods, err := b.Told(asked.Subject, relation)
		if err != nil {
			return nil, err
		}
		for _, facts := range bearing(asked, periods, all) {
			for _, f := range facts[:min(len(facts), followerTies)] {
				if all, err = withTold(b, f, asked.State, all); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// bearing are the periods of a state that bear on a question for it: all, but where they
// are many and not every one is asked for, the latest as of the time that is asked about,
// a few after that, the first, and those of notes in the evidence, each with what came next.
func bearing(asked *answer.Question, periods [][]*daybook.Fact, all []answer.Evidence) (bear [][]*daybook.Fact) {
	if len(periods) <= mostNamed || asked.WantsEvery() {
		return periods
	}
	found := map[daybook.NoteID]bool{}
	for i := range all {
		found[all[i].ID] = true
	}
	first, last := latestBy(periods, asked.By())
	next := true // the first, or what came after one that was found
	for _, facts := range periods {
		at := timeIn(facts)
		known := slices.ContainsFunc(facts, func(f *daybook.Fact) bool { return len(f.Sources) > 0 && found[f.Sources[0]] })
		if next || known || !at.Before(first) && !at.After(last) {
			bear = append(bear, facts)
		}
		next = known
	}
	return bear
}

// latestBy are the times of the first and the last of the periods around a time that are
// looked at.
func latestBy(periods [][]*daybook.Fact, by time.Time) (first, last time.Time) {
	times := make([]time.Time, len(periods))
	for i, facts := range periods {
		times[i] = timeIn(facts)
	}
	slices.SortFunc(times, time.Time.Compare)
	begun := sort.Search(len(times), func(i int) bool { return times[i].After(by) })
	return times[max(0, begun-mostNamed)], times[min(len(times), begun+laterNamed)-1]
}

// timeIn is when a period began or, where that is not known, ended.
func timeIn(facts []*daybook.Fact) time.Time {
	if v := facts[0].Valid; v.From.IsZero() {
		return v.Until
	}
	return facts[0].Valid.From
}

// withTold adds a fact of the asked state to the evidence, as a claim of its note.
func withTold(b *graph.Book, f *daybook.Fact, state string, all []answer.Evidence) ([]answer.Evidence, error) {
	if len(f.Sources) == 0 {
		return all, nil
	}
	all, e, err := withSource(b, f, all)
	if err == nil {
		e.Claims = answer.WithFact(e.Claims, e.Note, f, state)
	}
	return all, err
}
