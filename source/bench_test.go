package source_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"daybook/source"
)

// BenchmarkWhatsApp reads a chat of ten thousand messages.
func BenchmarkWhatsApp(b *testing.B) {
	var chat strings.Builder
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 10_000 {
		at = at.Add(20 * time.Minute)
		fmt.Fprintf(&chat, "%s - Ana: message %d of a chat about boats, bread and the sea\n", at.Format("02/01/2006, 15:04"), i)
	}
	b.SetBytes(int64(chat.Len()))
	for b.Loop() {
		if got, bad := read(b, "chat.txt", chat.String(), source.Options{}); len(got) != 10_000 || len(bad) != 0 {
			b.Fatal(len(got), bad)
		}
	}
}
