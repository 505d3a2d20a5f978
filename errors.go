package daybook

import (
	"errors"
	"fmt"
)

// Kind sorts errors by what the caller can do about them. Doors translate
// kinds to exit codes and status codes in one place each.
type Kind uint8

const (
	// Internal is a fault of ours; it is what KindOf says of any error that
	// carries no kind.
	Internal Kind = iota
	// NotFound says that the named thing is not in this scope.
	NotFound
	// Invalid says that the input is wrong; the same call will fail again.
	Invalid
	// Conflict says that the call clashes with what the ledger holds.
	Conflict
	// Unavailable says that disk, lock, network or model did not serve; the
	// same call may succeed later.
	Unavailable
	// Corrupt says that stored bytes are not what was written.
	Corrupt
)

var kindNames = [...]string{"internal", "not found", "invalid", "conflict", "unavailable", "corrupt"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// kindError gives an error its kind without adding words to its text.
type kindError struct {
	kind Kind
	err  error
}

func (e *kindError) Error() string { return e.err.Error() }
func (e *kindError) Unwrap() error { return e.err }

// Errorf formats as fmt.Errorf does, %w included, and gives the result a kind.
func Errorf(kind Kind, format string, args ...any) error {
	return &kindError{kind: kind, err: fmt.Errorf(format, args...)}
}

// KindOf returns the kind given outermost in err's chain, or Internal.
func KindOf(err error) Kind {
	if ke, ok := errors.AsType[*kindError](err); ok {
		return ke.kind
	}
	return Internal
}
