package engine

import (
	"slices"
	"strings"

	"daybook"
	"daybook/extract"
)

// Part is something that an engine does beyond keeping notes and finding them by their
// words. An engine can leave it undone, so that what it adds can be measured; nobody
// else has a reason to.
type Part string

// The parts, in the order in which a note and then a question meets them: what an
// engine without each does.
const (
	Learning Part = "learning" // nothing is learned from notes
	Judges   Part = "judges"   // notes are learned from by grammar alone, without the encoder
	Links    Part = "links"    // a value closes only what was told under its relation, not what was told of its state in other words
	Latent   Part = "latent"   // notes have no vectors together with what was said before them
	Vectors  Part = "vectors"  // recall goes by words alone; states are found as ever
	Times    Part = "times"    // recall does not look for the time that a question names
	Graph    Part = "graph"    // nothing that was learned leads recall from note to note, and no paths are shown
	States   Part = "states"   // rows stay as recall ranks them, and no state is looked for to answer from
	Pointer  Part = "pointer"  // words that answer are not pointed at where grammar answers
	Reader   Part = "reader"   // notes are learned from, and questions answered, without the trained reader
)

// Parts are all parts.
func Parts() []Part {
	return []Part{Learning, Judges, Links, Latent, Vectors, Times, Graph, States, Pointer, Reader}
}

// PartNames are the names of parts as a list to be read.
func PartNames(parts []Part) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// ReadParts reads the names of parts and returns each once, in the order of Parts. It is
// Invalid for a name that is none.
func ReadParts(names []string) (parts []Part, err error) {
	for _, name := range names {
		if !slices.Contains(Parts(), Part(name)) {
			return nil, daybook.Errorf(daybook.Invalid, "no part is called %q; there are %s", name, PartNames(Parts()))
		}
	}
	for _, p := range Parts() {
		if slices.Contains(names, string(p)) {
			parts = append(parts, p)
		}
	}
	return parts, nil
}

// Without returns an engine that leaves parts undone; for measurements. What it is
// given by With… comes before.
func (e *Engine) Without(parts ...Part) *Engine {
	c := *e
	c.without = map[Part]bool{}
	for _, p := range parts {
		c.without[p] = true
	}
	switch {
	case c.without[Learning]:
		c.learner = nil
	case c.without[Judges]:
		c.learner = extract.Local{}
	case c.without[Reader]:
		if l, ok := c.learner.(extract.Reading); ok {
			c.learner = l.Grammar
		}
	}
	if c.without[Reader] {
		c.reader = nil
	}
	return &c
}
