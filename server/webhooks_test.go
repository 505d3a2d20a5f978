package server_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"daybook/server"
)

type delivered struct {
	event     string
	body      []byte
	signature string
}

// receiver takes deliveries; the first is refused, so that it is sent again.
func receiver(t *testing.T) (url string, got chan delivered) {
	got = make(chan delivered, 100)
	refused := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !refused {
			refused = true
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		got <- delivered{r.Header.Get("X-Daybook-Event"), body, r.Header.Get("X-Daybook-Signature")}
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func TestWebhooks(t *testing.T) {
	d := open(t, func(o *server.Options) { o.PrivateHooks = true })
	key := d.admin("acme")
	url, got := receiver(t)
	hook := get[server.Webhook](d, key, "POST", "/v1/webhooks", object{"url": url, "events": []string{"commit", "superseded"}})
	if hook.Secret == "" {
		t.Fatal("no secret")
	}
	if _, text := d.call(key, "GET", "/v1/webhooks", nil); strings.Contains(text, hook.Secret) || !strings.Contains(text, hook.ID) {
		t.Errorf("list: %s", text)
	}
	d.dentist(d.admin("other"), "u") // another tenant's
	d.dentist(key, "u")
	seen := map[string]int{}
	for deadline := time.After(20 * time.Second); seen["superseded"] == 0 || seen["commit"] < 3; {
		select {
		case x := <-got:
			seen[x.event]++
			checkSignature(t, hook.Secret, x)
			var body map[string]any
			if err := json.Unmarshal(x.body, &body); err != nil || body["user_id"] != "u" || body["commit"] == "" || strings.Contains(string(x.body), "dentist") {
				t.Errorf("%v %s", err, x.body)
			}
		case <-deadline:
			t.Fatalf("only %v came", seen)
		}
	}
	if status, _ := d.call(d.admin("other"), "DELETE", "/v1/webhooks/"+hook.ID, nil); status != http.StatusNotFound {
		t.Errorf("another tenant deletes it: %d", status)
	}
	get[object](d, key, "DELETE", "/v1/webhooks/"+hook.ID, nil)
}

func checkSignature(t *testing.T, secret string, x delivered) {
	t.Helper()
	at, sum, ok := strings.Cut(strings.TrimPrefix(x.signature, "t="), ",v1=")
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "." + string(x.body)))
	if !ok || hex.EncodeToString(mac.Sum(nil)) != sum {
		t.Errorf("signature %s", x.signature)
	}
}

// No webhook reaches what only this machine or its network can see.
func TestWebhooksGoNowherePrivate(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	for _, url := range []string{
		"http://127.0.0.1/x", "http://localhost:8080/", "http://[::1]/", "http://10.1.2.3/", "http://192.168.0.1", "http://169.254.169.254/latest/meta-data",
		"http://[::ffff:10.0.0.1]/", "http://[fd00::1]/", "http://0.0.0.0/", "http://100.64.0.1/", "http://metadata.google.internal/", "ftp://example.com/",
		"file:///etc/passwd", "http://user:secret@example.com/", "//example.com", "http://LOCALHOST./",
		"http://0x7f000001/", "http://127.1/", "http://0/", "http://2130706433/", "http://0177.0.0.1/", "http://127.0.0.1./", "http://0x7f.1:80/",
	} {
		if status, text := d.call(key, "POST", "/v1/webhooks", object{"url": url, "events": []string{"commit"}}); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", url, status, text)
		}
	}
}
