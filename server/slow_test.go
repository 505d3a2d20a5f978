package server_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"daybook/server"
)

// A body that never arrives holds a connection for no longer than a request may take,
// wherever it was sent.
func TestBodiesThatNeverArrive(t *testing.T) {
	const limit = 2 * time.Second
	d := open(t, func(o *server.Options) { o.Timeout = limit })
	d.s.Mount("/mounted", server.Read, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	key := d.admin("acme")
	for _, path := range []string{"/mounted", "/nothing", "/v1/memories", "/v1/recall", "/health", "/v1/import", "/metrics"} {
		for _, secret := range []string{key, "", "wrong"} {
			t.Run(path+" "+secret, func(t *testing.T) {
				t.Parallel()
				conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				began := time.Now()
				if _, err := io.WriteString(conn, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nX-API-Key: "+secret+"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"); err != nil {
					t.Fatal(err)
				}
				_ = conn.SetReadDeadline(time.Now().Add(10 * limit))
				if _, err := io.ReadAll(conn); err != nil {
					if ne, ok := err.(net.Error); ok && ne.Timeout() {
						t.Fatalf("the connection is still open after %s", time.Since(began))
					}
				}
				if took := time.Since(began); took > 4*limit {
					t.Errorf("the connection was closed after %s", took)
				}
			})
		}
	}
}

// What is mounted may go on for longer than a request may take, once it has its body.
func TestMountedTakesItsTime(t *testing.T) {
	d := open(t, func(o *server.Options) { o.Timeout = 500 * time.Millisecond })
	d.s.Mount("/mounted", server.Read, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		select {
		case <-r.Context().Done():
			t.Error("cut off: ", r.Context().Err())
		case <-time.After(2 * time.Second):
		}
		_, _ = w.Write(body)
	}))
	if status, text := d.call(d.admin("acme"), "POST", "/mounted", "hello"); status != http.StatusOK || text != "hello" {
		t.Errorf("%d %q", status, text)
	}
}
