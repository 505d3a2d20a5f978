package engine

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"daybook"
	"daybook/extract"
	"daybook/graph"
)

// Limits of what a learner is told of what is known.
const (
	knownSubjects = 12
	knownStates   = 40
)

// stateReader is the talent of a learner that makes use of what is known already.
type stateReader interface{ WantsStates() bool }

func (e *Engine) wantsStates() bool {
	r, ok := e.learner.(stateReader)
	return ok && r.WantsStates()
}

// statesFor returns values that hold now of those who speak in a window or are
// named there, the latest last.
func statesFor(b *graph.Book, w extract.Window) ([]extract.Known, error) {
	var all []extract.Known
	for _, name := range subjectsOf(w) {
		states, err := b.States(graph.Select{Subject: name, Holding: true})
		if err != nil {
			return nil, err
		}
		for _, st := range states {
			for _, p := range st.Periods {
				if p.Modality == daybook.Asserted && len(p.Facts) > 0 {
					all = append(all, extract.Known{Subject: st.Subject, Fact: p.Facts[len(p.Facts)-1].Fact})
				}
			}
		}
	}
	daybook.Sort(all, func(x, y extract.Known) int {
		return cmp.Or(x.Fact.Valid.From.Compare(y.Fact.Valid.From), cmp.Compare(x.Fact.ID, y.Fact.ID))
	})
	return all[max(0, len(all)-knownStates):], nil
}

// subjectsOf are the names that a window may be about: its speakers, then what is
// written as a name in it, each once.
func subjectsOf(w extract.Window) (names []string) {
	seen := map[daybook.EntityID]bool{}
	add := func(name string) {
		if id := daybook.EntityNamed(name); daybook.Fold(name) != "" && !seen[id] && len(names) < knownSubjects {
			seen[id] = true
			names = append(names, name)
		}
	}
	for _, n := range w.Notes {
		add(n.Speaker)
	}
	for _, n := range w.Notes[w.From:] {
		for _, name := range capitalised(n.Text) {
			add(name)
		}
	}
	return names
}

// capitalised are the runs of words that begin with a capital, one-letter words
// left out.
func capitalised(text string) (names []string) {
	var run []string
	flush := func() {
		if len(run) > 0 {
			names = append(names, strings.Join(run, " "))
		}
		run = nil
	}
	for _, field := range strings.Fields(text) {
		word := strings.TrimFunc(field, unicode.IsPunct)
		if len(word) < 2 || !unicode.IsUpper([]rune(word)[0]) {
			flush()
			continue
		}
		run = append(run, word)
		if strings.HasSuffix(field, ".") || strings.HasSuffix(field, ",") || strings.HasSuffix(field, "!") || strings.HasSuffix(field, "?") {
			flush()
		}
	}
	flush()
	return names
}

// knownFrom are the facts of a lesson that a later window of it may bear on.
func knownFrom(learned extract.Learned) (known []extract.Known) {
	for _, f := range learned.Facts {
		i := slices.IndexFunc(learned.Entities, func(e daybook.Entity) bool { return e.ID == f.Subject })
		if i >= 0 && f.Modality == daybook.Asserted && f.Valid.Until.IsZero() {
			known = append(known, extract.Known{Subject: learned.Entities[i], Fact: f.Fact})
		}
	}
	return known
}

// freshMerges keeps merges of names that the scope does not have yet. A name that
// is known is somebody's own, or was split off; that is for people to merge.
func freshMerges(b *graph.Book, merges []daybook.Merge) (ops []daybook.Op, err error) {
	for _, m := range merges {
		if b.Head().Seq > 0 {
			old, err := b.Entity(m.From)
			if err != nil {
				return nil, err
			}
			if old.Name != "" {
				continue
			}
		}
		if slices.ContainsFunc(ops, func(o daybook.Op) bool {
			return o.Merge.From == m.From || o.Merge.Into == m.From || o.Merge.From == m.Into
		}) {
			continue
		}
		ops = append(ops, daybook.Op{Merge: &m})
	}
	return ops, nil
}
