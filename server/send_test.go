package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A name that turns out to stand for a private address is not connected to, and no
// redirection is followed.
func TestSenderConnectsToNothingPrivate(t *testing.T) {
	hits := 0
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ }))
	defer inner.Close()
	port := inner.URL[strings.LastIndex(inner.URL, ":"):]
	for _, url := range []string{inner.URL, "http://localhost" + port, "http://127.0.0.1.nip.io" + port} {
		if err := newSender(false).send(t.Context(), delivery{hook: Webhook{URL: url}}); err == nil {
			t.Errorf("%s was sent to", url)
		}
	}
	away := httptest.NewServer(http.RedirectHandler(inner.URL, http.StatusTemporaryRedirect))
	defer away.Close()
	if err := newSender(true).send(t.Context(), delivery{hook: Webhook{URL: away.URL}}); err == nil {
		t.Error("a redirection counts as delivered")
	}
	if hits > 0 {
		t.Errorf("%d requests came in", hits)
	}
	if err := newSender(true).send(t.Context(), delivery{hook: Webhook{URL: inner.URL}}); err != nil || hits != 1 {
		t.Errorf("with leave: %v, %d requests", err, hits)
	}
}
