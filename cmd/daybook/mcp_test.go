package main

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
)

// A malformed line is answered, and the agent is served on.
func TestMCPGoesOnAfterAMalformedLine(t *testing.T) {
	in := "this is no message\n" +
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		"{\"jsonrpc\":\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	hostIn, host := io.Pipe()
	fromServer, out := io.Pipe()
	var errOut bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), []string{"mcp", "--home", t.TempDir(), "--user", "u"}, hostIn, out, &errOut)
		out.Close()
	}()
	go func() { _, _ = io.WriteString(host, in) }()
	refused, listed := 0, false
	for answers := bufio.NewScanner(fromServer); !listed && answers.Scan(); {
		if strings.Contains(answers.Text(), "-32700") {
			refused++
		}
		listed = strings.Contains(answers.Text(), `"remember"`)
	}
	host.Close()
	go func() { _, _ = io.Copy(io.Discard, fromServer) }()
	if code := <-ended; code != 0 || refused != 2 || !listed {
		t.Errorf("ended with %d after %d refusals, tools listed: %t; %s", code, refused, listed, errOut.String())
	}
}
