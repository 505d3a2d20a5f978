package daybook_test

import (
	"testing"

	"daybook"
)

func TestSpeaker(t *testing.T) {
	for _, c := range []struct{ user, role, name, want string }{
		{"", "", "", "user"}, {"ana", "", "", "ana"}, {"ana", "User", "", "ana"}, {"ana", "human", "Bo", "Bo"},
		{"ana", "assistant", "", "assistant"}, {"", "human", "", "user"},
	} {
		if got := (daybook.Scope{User: c.user}).Speaker(c.role, c.name); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
