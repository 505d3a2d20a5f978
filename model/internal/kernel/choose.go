package kernel

import (
	"strings"

	"daybook"
)

// Variable is the environment variable that forces a set.
const Variable = "DAYBOOK_CPU"

// names are the words Choose knows, on every platform.
var names = []string{"portable", "avx2", "avx512", "amx"}

// Available lists the sets this processor can run, best first. Plain Go is
// always there, and last.
func Available() []*Set { return append(native(), portable) }

// Choose returns the set called name, or the best one when name is empty. A
// word that names no set is Invalid; a set this processor cannot run is
// Unavailable.
func Choose(name string) (*Set, error) {
	sets := Available()
	if name == "" {
		return sets[0], nil
	}
	for _, s := range sets {
		if s.name == name {
			return s, nil
		}
	}
	for _, known := range names {
		if known == name {
			return nil, daybook.Errorf(daybook.Unavailable, "%s=%s: this processor does not have it; the best it has is %s", Variable, name, sets[0].name)
		}
	}
	return nil, daybook.Errorf(daybook.Invalid, "%s=%s: no such set, want one of %s", Variable, name, strings.Join(names, ", "))
}
