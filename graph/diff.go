package graph

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"daybook"
	"daybook/store"
)

// Diff is what is believed after commit B and was not after commit A, and the
// other way round.
type Diff struct {
	A            daybook.CommitID `json:"a"`
	B            daybook.CommitID `json:"b"`
	NotesAdded   []daybook.Note   `json:"notes_added,omitempty"`
	NotesRemoved []daybook.Note   `json:"notes_removed,omitempty"`
	States       []StateDiff      `json:"states,omitempty"`
	Trees        []TreeMoved      `json:"trees,omitempty"`
}

// TreeMoved is a tree that stands at another version; 0 is no tree.
type TreeMoved struct {
	Tree string `json:"tree"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// StateDiff is one state that reads differently.
type StateDiff struct {
	Subject  daybook.Entity   `json:"subject"`
	Relation string           `json:"relation"`
	Removed  []daybook.Period `json:"removed,omitempty"`
	Added    []daybook.Period `json:"added,omitempty"`
}

// Compare folds the scope after two commits, both seen from the same valid time,
// and returns the difference.
func Compare(r store.Reader, a, b store.Commit, validAt time.Time) (Diff, error) {
	d := Diff{A: a.ID, B: b.ID}
	before, err := openSeq(r, a.Seq, validAt)
	if err != nil {
		return d, err
	}
	after, err := openSeq(r, b.Seq, validAt)
	if err != nil {
		return d, err
	}
	notes, variables, err := touchedBetween(before, after)
	if err != nil {
		return d, err
	}
	if err := d.compareNotes(before, after, notes); err != nil {
		return d, err
	}
	if err := d.compareStates(before, after, variables); err != nil {
		return d, err
	}
	return d, d.compareTrees(before, after)
}

func (d *Diff) compareTrees(before, after *Book) error {
	was, err := before.Trees()
	if err != nil {
		return err
	}
	is, err := after.Trees()
	if err != nil {
		return err
	}
	versions := map[string]*TreeMoved{}
	for _, t := range was {
		versions[t.Name] = &TreeMoved{Tree: t.Name, From: t.Version}
	}
	for _, t := range is {
		if versions[t.Name] == nil {
			versions[t.Name] = &TreeMoved{Tree: t.Name}
		}
		versions[t.Name].To = t.Version
	}
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		if v := versions[name]; v.From != v.To {
			d.Trees = append(d.Trees, *v)
		}
	}
	return nil
}

// touchedBetween lists the notes and states that the commits between two books
// may have changed.
func touchedBetween(before, after *Book) ([]daybook.NoteID, []daybook.Variable, error) {
	low, high := before.head.Seq, after.head.Seq
	if low > high {
		low, high = high, low
	}
	s := &stage{Book: after}
	var notes []daybook.NoteID
	for seq := low + 1; seq <= high; seq++ {
		ops, err := after.undoneBy(seq)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range ops {
			if o.Observe != nil {
				notes = append(notes, o.Observe.ID)
			}
			if o.Retract != nil {
				notes = append(notes, daybook.NoteID(o.Retract.Target))
			}
			if err := s.touchOp(o); err != nil {
				return nil, nil, err
			}
		}
	}
	slices.Sort(notes)
	return slices.Compact(notes), s.touched, nil
}

// undoneBy returns the operations of a commit and of all commits that it
// reverts.
func (b *Book) undoneBy(seq uint64) ([]*op, error) {
	ops, err := b.decodeCommit(seq)
	for _, o := range ops {
		if err == nil && o.Revert != nil {
			var inner []*op
			inner, err = b.undoneBy(o.Revert.Seq)
			ops = append(ops, inner...)
		}
	}
	return ops, err
}

func (d *Diff) compareNotes(before, after *Book, ids []daybook.NoteID) error {
	for _, id := range ids {
		was, err := before.alive(string(id))
		if err != nil {
			return err
		}
		is, err := after.alive(string(id))
		if err != nil {
			return err
		}
		switch {
		case was == nil && is != nil && is.Observe != nil:
			d.NotesAdded = append(d.NotesAdded, *is.Observe)
		case was != nil && is == nil && was.Observe != nil:
			d.NotesRemoved = append(d.NotesRemoved, *was.Observe)
		}
	}
	return nil
}

func (d *Diff) compareStates(before, after *Book, variables []daybook.Variable) error {
	done := map[[2]daybook.Variable]bool{} // names that were merged read the same state
	for ; len(variables) > 0; variables = variables[1:] {
		v := variables[0]
		both := [2]daybook.Variable{
			{Subject: before.canonical(v.Subject), Relation: v.Relation}, {Subject: after.canonical(v.Subject), Relation: v.Relation},
		}
		if done[both] {
			continue
		}
		done[both] = true
		was, joined, err := before.stateOf(v)
		if err != nil {
			return err
		}
		variables = append(variables, joined...)
		is, joined, err := after.stateOf(v)
		if err != nil {
			return err
		}
		variables = append(variables, joined...)
		sd := StateDiff{Subject: is.Subject, Relation: v.Relation, Removed: minus(was.Periods, is.Periods), Added: minus(is.Periods, was.Periods)}
		if is.Subject.Name == "" {
			sd.Subject = was.Subject
		}
		if len(sd.Removed)+len(sd.Added) > 0 {
			d.States = append(d.States, sd)
		}
	}
	daybook.Sort(d.States, func(a, b StateDiff) int {
		return cmp.Or(cmp.Compare(a.Subject.Name, b.Subject.Name), cmp.Compare(a.Relation, b.Relation))
	})
	return nil
}

// stateOf returns the periods that one state variable has in its state, and the
// variables that are joined with it.
func (b *Book) stateOf(v daybook.Variable) (daybook.State, []daybook.Variable, error) {
	folded, err := b.joined(v)
	if err != nil {
		return daybook.State{}, nil, err
	}
	st, err := b.state(folded, Select{})
	st.Periods = slices.DeleteFunc(st.Periods, func(p daybook.Period) bool {
		return cmp.Or(p.Relation, st.Relation) != v.Relation
	})
	var joined []daybook.Variable
	for _, r := range folded.relations {
		if r != v.Relation {
			joined = append(joined, daybook.Variable{Subject: folded.subject, Relation: r})
		}
	}
	return st, joined, err
}

// minus returns the periods of a that do not read the same in b.
func minus(a, b []daybook.Period) (rest []daybook.Period) {
	for _, p := range a {
		if !slices.ContainsFunc(b, func(q daybook.Period) bool {
			return p.Object == q.Object && p.Modality == q.Modality && p.Role == q.Role &&
				p.Valid.From.Equal(q.Valid.From) && p.Valid.Until.Equal(q.Valid.Until)
		}) {
			rest = append(rest, p)
		}
	}
	return rest
}
