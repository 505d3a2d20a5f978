package graph

import (
	"slices"
	"strings"
	"unicode"

	"daybook"
)

// maxNameWords of a name are words that it is found by.
const maxNameWords = 4

// NameWords are the words that an entity is found by: the first ones of its name,
// folded, without the punctuation at their ends.
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
	return words
}

// WithWord returns entities that have a word in their name, up to a limit, in the
// order of recording: each as it was declared, whatever it is known as.
func (b *Book) WithWord(word string, limit int) (found []daybook.Entity, err error) {
	seen := map[daybook.EntityID]bool{}
	for o, err := range b.ops(wordKey(word)) {
		if err != nil {
			return nil, err
		}
		if o.Entity == nil || seen[o.Entity.ID] {
			continue
		}
		seen[o.Entity.ID] = true
		e, err := b.Entity(o.Entity.ID)
		if err != nil {
			return nil, err
		}
		if found = append(found, e); len(found) == limit {
			break
		}
	}
	return found, nil
}

// Speaks reports whether somebody of this name says a note of the scope.
func (b *Book) Speaks(name string) (bool, error) {
	n, err := b.r.Count(speakerKey(name))
	return n > 0, err
}

// InSession reports whether an entity takes part in an event of a session.
func (b *Book) InSession(e daybook.EntityID, session string) (bool, error) {
	n, err := b.r.Count(inSessionKey(e, session))
	return n > 0, err
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

// ruled reports whether a rule gave the reason of a merge or split: it begins with
// "rule:" and the rule's name then, as the By of a link does.
func ruled(why string) bool { return strings.HasPrefix(why, "rule:") }

// parted reports whether a person split an entity from another. No rule merges it
// again then.
func (b *Book) parted(e daybook.EntityID) (bool, error) {
	for o, err := range b.ops(mergeKey(e)) {
		if err != nil {
			return false, err
		}
		if o.Split != nil && o.Split.Entity == e && !ruled(o.Split.Why) {
			return true, nil
		}
	}
	return false, nil
}
