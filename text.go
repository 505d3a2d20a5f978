package daybook

import (
	"strings"
	"unicode/utf8"
)

// Limits on input. They keep one caller's mistake from becoming everyone's
// memory problem; both are far above what a message or a name needs.
const (
	MaxText = 16 << 20 // bytes of one note's text
	MaxName = 4 << 10  // bytes of a key, id, name, relation or object
)

// CheckText reports why text cannot be kept verbatim: it is too long, is not
// UTF-8, or holds a NUL byte, which databases and terminals cut short.
func CheckText(what, text string) error { return checkString(what, text, MaxText) }

// CheckName is CheckText for short strings: ids, keys, names, relations.
func CheckName(what, name string) error { return checkString(what, name, MaxName) }

func checkString(what, s string, limit int) error {
	if len(s) > limit {
		return Errorf(Invalid, "%s is %d bytes long; at most %d are kept", what, len(s), limit)
	}
	if !utf8.ValidString(s) {
		return Errorf(Invalid, "%s is not valid UTF-8 (byte %d)", what, firstInvalid(s))
	}
	if i := strings.IndexByte(s, 0); i >= 0 {
		return Errorf(Invalid, "%s has a NUL byte (byte %d)", what, i)
	}
	return nil
}

// WordSet returns the words of a list, which white space parts, as a set.
func WordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

func firstInvalid(s string) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
