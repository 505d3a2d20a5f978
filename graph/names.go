package graph

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"daybook"
	"daybook/store"
)

// maxNameWords of a name are words that it is found by.
const maxNameWords = 4

// NameWords are the words that an entity is found by: the first ones of its name,
// folded, without the punctuation at their ends; and the initials of a name of
// three words or more that have capitals.
func NameWords(name string) (words []string) {
	for _, w := range strings.Fields(daybook.Fold(name)) {
		w = strings.TrimFunc(strings.ReplaceAll(w, "’", "'"), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
		if len(words) == maxNameWords {
			break
		}
	}
	if i := initials(name); i != "" {
		words = append(words, i)
	}
	return words
}

// initials are the first letters of the words with capitals, folded; empty when
// there are fewer than three.
func initials(name string) string {
	var letters []rune
	for _, w := range strings.Fields(name) {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
			letters = append(letters, unicode.ToLower(r))
		}
	}
	if len(letters) < 3 {
		return ""
	}
	return string(letters)
}

// WithWord returns entities that have a word in their name, up to a limit, in the
// order of recording: each as it was declared, whatever it is known as.
func (b *Book) WithWord(word string, limit int) (found []daybook.Entity, err error) {
	at := map[daybook.EntityID]int{}
	for o, err := range b.ops(wordKey(word)) {
		if err != nil {
			return nil, err
		}
		if i, again := at[o.Entity.ID]; again {
			found[i] = *o.Entity // told again with a surer kind
			continue
		}
		if len(found) == limit {
			break
		}
		at[o.Entity.ID] = len(found)
		found = append(found, *o.Entity)
	}
	return found, nil
}

// Speaks reports whether somebody of this name says a note of the scope.
func (b *Book) Speaks(name string) (bool, error) {
	n, err := b.upTo(1, speakerKey(name))
	return n > 0, err
}

// InSession reports whether an entity takes part in an event of a session.
func (b *Book) InSession(e daybook.EntityID, session string) (bool, error) {
	n, err := b.upTo(1, inSessionKey(e, session))
	return n > 0, err
}

// upTo counts what stands under a key, in force or not, and stops at a limit: a
// key may hold much of the scope.
func (b *Book) upTo(limit int, key store.Key) (n int, err error) {
	for _, err := range b.r.ByKey(key, store.UpTo(b.head.Seq)) {
		if err != nil {
			return n, err
		}
		if n++; n == limit {
			break
		}
	}
	return n, nil
}

// KnownAs is the entity that e was merged into, directly, with the reason; false
// when it stands for itself.
func (b *Book) KnownAs(e daybook.EntityID) (m daybook.Merge, merged bool, err error) {
	into, ok := b.merged[e]
	if !ok {
		return m, false, nil
	}
	for o, err := range b.ops(mergeKey(e)) {
		if err != nil {
			return m, false, err
		}
		if o.Merge != nil && o.Merge.From == e && o.Merge.Into == into {
			m = *o.Merge
		}
	}
	return m, true, nil
}

// Ruled reports whether a rule gave the reason of a merge or split: it begins with
// "rule:" and the rule's name then, as the By of a link does.
func Ruled(why string) bool { return strings.HasPrefix(why, "rule:") }

// parted reports whether a person split an entity from another. No rule merges it
// again then.
func (b *Book) parted(e daybook.EntityID) (bool, error) {
	for o, err := range b.ops(mergeKey(e)) {
		if err != nil {
			return false, err
		}
		if o.Split != nil && o.Split.Entity == e && !Ruled(o.Split.Why) {
			return true, nil
		}
	}
	return false, nil
}

// SessionsOf returns sessions with events in which an entity takes part, up to a
// limit, in the order of recording.
func (b *Book) SessionsOf(e daybook.EntityID, limit int) (sessions []string, err error) {
	for o, err := range b.ops(participantKey(e)) {
		if err != nil {
			return nil, err
		}
		if o.Event == nil || slices.Contains(sessions, o.Event.Session) {
			continue
		}
		if sessions = append(sessions, o.Event.Session); len(sessions) == limit {
			break
		}
	}
	return sessions, nil
}

// EntityViews lists every entity under the name that it is known by, most spoken
// of first. It reads the whole scope.
func (b *Book) EntityViews() ([]daybook.EntityView, error) {
	views := map[daybook.EntityID]*daybook.EntityView{}
	view := func(id daybook.EntityID) *daybook.EntityView {
		id = b.canonical(id)
		if views[id] == nil {
			views[id] = &daybook.EntityView{Entity: daybook.Entity{ID: id}}
		}
		return views[id]
	}
	for o, err := range b.ops(kindKey('e')) {
		if err != nil {
			return nil, err
		}
		v, e := view(o.Entity.ID), o.Entity
		if v.ID == e.ID {
			v.Name = e.Name
		} else if !slices.Contains(v.Aliases, e.Name) {
			v.Aliases = append(v.Aliases, e.Name)
		}
		if kindRank(e.Kind) > kindRank(v.Kind) {
			v.Kind = e.Kind
		}
	}
	if err := b.countEntities(view); err != nil {
		return nil, err
	}
	all := make([]daybook.EntityView, 0, len(views))
	for _, v := range views {
		slices.Sort(v.Aliases)
		all = append(all, *v)
	}
	daybook.Sort(all, func(x, y daybook.EntityView) int {
		return cmp.Or(cmp.Compare(y.Facts+y.Events, x.Facts+x.Events), cmp.Compare(x.Name, y.Name), cmp.Compare(x.ID, y.ID))
	})
	return all, nil
}

// countEntities counts facts and events in force at each entity.
func (b *Book) countEntities(view func(daybook.EntityID) *daybook.EntityView) error {
	n := b.neighbourhood()
	if err := n.readAll(); err != nil {
		return err
	}
	for _, kind := range []byte{'f', 'v'} {
		seen := map[string]bool{}
		for o, err := range b.ops(kindKey(kind)) {
			if err != nil {
				return err
			}
			if seen[o.asserts()] {
				continue
			}
			seen[o.asserts()] = true
			if live, err := n.alive(o.asserts()); err != nil || live == nil {
				if err != nil {
					return err
				}
				continue
			}
			if o.Fact != nil {
				view(o.Fact.Subject).Facts++
				continue
			}
			for _, p := range b.known(o.Event.Participants) {
				view(p).Events++
			}
		}
	}
	return nil
}
