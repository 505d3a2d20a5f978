package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/server"
)

// Traces go to the collector that the environment names, with a span for each stage.
func TestTraces(t *testing.T) {
	got := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.URL.Path + " " + r.Header.Get("X-Team") + " " + string(body)
	}))
	defer collector.Close()
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "OTEL_EXPORTER_OTLP_HEADERS": "X-Team=blue%20one"}
	traces, err := server.NewTracing(func(n string) string { return env[n] }, "v1")
	if err != nil || traces == nil {
		t.Fatal(traces, err)
	}
	d := open(t, func(o *server.Options) { o.Tracer = traces.Tracer("daybook") })
	key := d.admin("acme")
	d.dentist(key, "u")
	req, _ := http.NewRequest("POST", d.url+"/v1/recall", strings.NewReader(`{"user_id":"u","query":"dentist"}`))
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	res.Body.Close()
	sent := ""
	// The request's own span ends after its answer was sent.
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(sent, "POST /v1/recall") && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if err := traces.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for len(got) > 0 {
			one := <-got
			sent = one + sent
			if !json.Valid([]byte(one[strings.Index(one, "{"):])) {
				t.Errorf("no JSON: %.300s", one)
			}
		}
	}
	if err := traces.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(sent, "/v1/traces blue one {") {
		t.Fatalf("sent %.300s", sent)
	}
	for _, want := range []string{
		`"traceId":"0af7651916cd43dd8448eb211c80319c"`, `"parentSpanId":"b7ad6b7169203331"`, `"name":"POST /v1/recall","kind":2`, `"name":"find"`, `"stringValue":"daybook"`,
		`{"key":"http.response.status_code","value":{"intValue":"200"}}`,
	} {
		if !strings.Contains(sent, want) {
			t.Errorf("the traces lack %s: %s", want, sent)
		}
	}
	if strings.Contains(sent, "dentist") {
		t.Error("a trace holds content")
	}
}

func TestTracingSettings(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		on   bool
		kind daybook.Kind
	}{
		{nil, false, 0},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true, 0},
		{map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, false, 0},
		{map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, false, 0},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "x"}, false, daybook.Invalid},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, daybook.Invalid},
	} {
		traces, err := server.NewTracing(func(n string) string { return c.env[n] }, "v1")
		if (traces != nil) != c.on || (err != nil) != (c.kind != 0) || err != nil && daybook.KindOf(err) != c.kind {
			t.Errorf("%v: %v %v", c.env, traces, err)
		}
	}
}
