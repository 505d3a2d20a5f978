package daybook

import "time"

// View says which state a read asks for.
type View string

// Views.
const (
	Current    View = "current"
	Historical View = "historical"
	Change     View = "change"
	Neutral    View = "neutral"
)

// Check reports a view that there is not, as the value of a parameter so named. An
// empty one stands for what the question itself says.
func (v View) Check(name string) error {
	switch v {
	case "", Current, Historical, Change, Neutral:
		return nil
	}
	return Errorf(Invalid, "%s is %q; it is one of current, historical, change, neutral", name, v)
}

// Role says what a row is in the view that was asked for.
type Role string

// Roles.
const (
	RoleCurrent    Role = "current"
	RoleHistorical Role = "historical"
	RoleTransition Role = "transition"
	RoleContested  Role = "contested"
	RolePlanned    Role = "planned"
	// RoleAside marks what was said but not as something that holds: a rumour, a
	// denial, a single occasion.
	RoleAside Role = "aside"
)

// AsOf fixes both clocks of a read. Zero values mean now.
type AsOf struct {
	ValidAt time.Time // what held in the world at this time
	KnownAt time.Time // as the ledger knew it at this time
}
