package server_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"daybook/server"
)

// locked is a buffer that many may write to.
type locked struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(b)
}

// raw sends a request as it stands and returns what comes back.
func raw(t *testing.T, d *door, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

// Whatever strangers send, they make neither the logs nor the metrics grow by it.
func TestStrangersLeaveLittle(t *testing.T) {
	var log, audit locked
	d := open(t, func(o *server.Options) {
		o.Log, o.Audit = slog.New(slog.NewJSONHandler(&log, nil)), slog.New(slog.NewJSONHandler(&audit, nil))
	})
	const tries, size = 400, 50_000
	for i := range tries {
		method := fmt.Sprintf("M%d", i) + strings.Repeat("X", size)
		raw(t, d, method+" /v1/memories HTTP/1.1\r\nHost: "+strings.TrimPrefix(d.url, "http://")+"\r\nConnection: close\r\n\r\n")
	}
	if n := log.Len() + audit.Len(); n > 400*tries {
		t.Errorf("%d requests without a key leave %d bytes of logs", tries, n)
	}
	_, text := d.call(d.admin("acme"), "GET", "/metrics", nil)
	if strings.Contains(text, "XXXX") || len(text) > 100_000 {
		t.Errorf("the metrics have %d bytes", len(text))
	}
	if !strings.Contains(text, `method="other"`) || !strings.Contains(text, `status="429"`) {
		t.Errorf("what was refused is not counted: %.2000s", text)
	}
}

// A caller's own names are shortened in the logs.
func TestLongNamesInLogs(t *testing.T) {
	var log, audit locked
	d := open(t, func(o *server.Options) {
		o.Log, o.Audit = slog.New(slog.NewJSONHandler(&log, nil)), slog.New(slog.NewJSONHandler(&audit, nil))
	})
	user := strings.Repeat("u", 4000)
	get[object](d, d.admin("acme"), "POST", "/v1/memories", object{"user_id": user, "messages": "hello"})
	if text := audit.String(); strings.Contains(text, user) || !strings.Contains(text, "uuuu") {
		t.Errorf("the audit log has %d bytes: %.300s", len(text), text)
	}
}

// Metrics tell of all tenants.
func TestMetricsTakeAnAdminKey(t *testing.T) {
	d := open(t, nil)
	for right, want := range map[server.Right]int{server.Read: http.StatusForbidden, server.Write: http.StatusForbidden, server.Admin: http.StatusOK} {
		if got, _ := d.call(d.key(server.Key{Tenant: "acme", Right: right}), "GET", "/metrics", nil); got != want {
			t.Errorf("with the right to %s: %d", right, got)
		}
	}
}
