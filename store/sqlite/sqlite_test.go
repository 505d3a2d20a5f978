package sqlite

import (
	"testing"

	"daybook/store"
	"daybook/store/storetest"
)

func open(t testing.TB, home string) store.Store {
	s, err := Open(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStore(t *testing.T) { storetest.Run(t, open) }
