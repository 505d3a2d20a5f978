package mcp_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"daybook/mcp"
)

// A line that is no message is answered, and those around it pass.
func TestLinesThatAreNoMessages(t *testing.T) {
	good := []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`}
	bad := []string{"hello", "{", `{"a":1}`, "[]", "5", `"text"`, "\x00\xff", strings.Repeat("x", 200_000), `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("y", 200_000) + `"}`}
	in := good[0] + "\n" + strings.Join(bad, "\n") + "\n\n\r\n" + good[1] + "\r\n" + good[2] // without an end of line
	var out bytes.Buffer
	got, err := io.ReadAll(mcp.NewLines(strings.NewReader(in), &out, 100_000))
	if err != nil || string(got) != strings.Join(good, "\n")+"\n" {
		t.Errorf("%v, passed on:\n%.500s", err, got)
	}
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(answers) != len(bad) {
		t.Errorf("%d answers to %d bad lines: %.1000s", len(answers), len(bad), out.String())
	}
	for _, a := range answers {
		if !strings.Contains(a, `"error"`) || len(a) > 300 {
			t.Errorf("answered %.400s", a)
		}
	}
}
