package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// modelServer serves the replies one after the other, then the last again, and
// points the environment at itself. An empty reply is an error of the server.
func modelServer(t *testing.T, replies ...string) {
	t.Helper()
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reply := replies[min(n, len(replies)-1)]
		n++
		if reply == "" {
			w.WriteHeader(http.StatusBadRequest) // not asked again, as a 5xx would be
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"model": "tiny", "usage": map[string]int{"prompt_tokens": 50, "completion_tokens": 5},
			"choices": []map[string]any{{"finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": reply}}},
		})
	}))
	t.Cleanup(server.Close)
	t.Setenv("DAYBOOK_LLM_BASE_URL", server.URL)
	t.Setenv("DAYBOOK_LLM_MODEL", "tiny")
	t.Setenv("DAYBOOK_LEARN", "true")
}

const petReply = `{"notes":[],"entities":[{"name":"Biscuit","kind":"thing","aliases":[]}],
"events":[{"id":"e1","kind":"state_change","text":"Anna has a dog called Biscuit.","with":["Anna","Biscuit"],"when":"","modality":"asserted","polarity":"positive","why":"","quotes":[{"note":1,"from":1,"to":4,"text":""}]},
{"id":"e2","kind":"action","text":"Anna went to Rome.","with":["Anna"],"when":"","modality":"asserted","polarity":"positive","why":"","quotes":[{"note":1,"from":50,"to":51,"text":""}]}],
"facts":[{"id":"f1","event":"e1","subject":"Anna","relation":"owns","object":"Biscuit","holds":"many","from":"","until":"","sentiment":"positive","intensity":0.9,"alternatives":[],"confidence":0.9,"importance":0.8}],
"links":[],"updates":[]}`

// With a model that is configured, add and import learn with it, and learned and
// stats say so.
func TestLearnWithAModel(t *testing.T) {
	modelServer(t, petReply)
	home := []string{"--home", t.TempDir()}
	code, out, errOut := command(t, "", append(home, "add", "My dog is Biscuit", "--speaker", "Anna", "--id", "m1")...)
	if code != 0 || !strings.Contains(out, "learned 1 fact") || !strings.Contains(out, "dropped 1 claim") {
		t.Fatalf("code %d\n%s%s", code, out, errOut)
	}
	if _, out, _ = command(t, "", append(home, "learned", "m1")...); !strings.Contains(out, "by model:tiny:learn-1") || !strings.Contains(out, "Anna owns Biscuit") {
		t.Errorf("learned says\n%s", out)
	}
	if _, out, _ = command(t, "", append(home, "stats")...); !strings.Contains(out, "model:tiny:learn-1 made 1 event, 1 fact") {
		t.Errorf("stats says\n%s", out)
	}
	file := `{"id":"a","speaker":"Anna","text":"My dog is Biscuit","time":"2024-01-01"}` + "\n"
	if code, out, errOut = command(t, file, "--home", t.TempDir(), "import", "-", "--json"); code != 0 || !strings.Contains(out, `"learned": 1`) || !strings.Contains(out, `"dropped": 1`) {
		t.Errorf("import: code %d\n%s%s", code, out, errOut)
	}
}

// Without its model, a note is kept and read locally, and everybody is told.
func TestLearnWithoutItsModel(t *testing.T) {
	modelServer(t, "")
	home := []string{"--home", t.TempDir()}
	code, out, errOut := command(t, "", append(home, "add", "I live in Porto.", "--speaker", "Anna", "--id", "m1")...)
	if code != 0 || !strings.Contains(out, "learned 1 fact") || !strings.Contains(out, "learned locally: model server: rejected") {
		t.Fatalf("code %d\n%s%s", code, out, errOut)
	}
	if _, out, _ = command(t, "", append(home, "log")...); !strings.Contains(out, "learned locally: model server: rejected") {
		t.Errorf("log says\n%s", out)
	}
	if _, out, _ = command(t, "", append(home, "add", "I live in Faro.", "--speaker", "Anna", "--local-only")...); strings.Contains(out, "locally") || !strings.Contains(out, "learned 1 fact") {
		t.Errorf("--local-only says\n%s", out)
	}
	if _, out, _ = command(t, "", append(home, "add", "I live in Rome.", "--speaker", "Anna", "--no-learn")...); strings.Contains(out, "learned") {
		t.Errorf("--no-learn says\n%s", out)
	}
	if _, out, _ = command(t, "", append(home, "add", "I live in Oslo.", "--speaker", "Anna", "--llm-tokens", "10", "--json")...); !strings.Contains(out, `"fallback": "the token budget is spent"`) {
		t.Errorf("with a spent budget:\n%s", out)
	}
}
