package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"daybook/eval"
)

// Every level is printed, for ours too.
func TestBenchLevels(t *testing.T) {
	code, out, errOut := command(t, "", "bench", "smoke", "--cache", t.TempDir(), "--systems", "ours,bm25")
	if code != 0 || !strings.Contains(out, "ours by category") {
		t.Fatalf("code %d\n%s%s", code, out, errOut)
	}
	for _, says := range []string{"\nbank\n", "append-only", "retrieval: states", "answers: states", "bm25 (quote)"} {
		if !strings.Contains(out, says) {
			t.Errorf("%q is not in\n%s", says, out)
		}
	}
	if _, out, _ := command(t, "", "bench", "smoke", "--systems", "bm25", "--reader", "none"); strings.Contains(out, "answers: states") {
		t.Error("answers without a reader")
	}
}

func TestBenchSick(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sick.txt")
	text := "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n" +
		"1\tA man sails a boat\tA man is sailing a boat\t5\tENTAILMENT\n2\tA man sails a boat\tA woman cuts an onion\t1\tNEUTRAL\n3\tA man sails a boat\tNobody sails a boat\t4\tCONTRADICTION\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errOut := command(t, "", "bench", "sick", "--data", path, "--cache", dir)
	if code != 0 || !strings.Contains(out, "Spearman") || !strings.Contains(out, "entailment accuracy") {
		t.Errorf("code %d\n%s%s", code, out, errOut)
	}
	code, out, _ = command(t, "", "bench", "sick", "--data", path, "--cache", dir, "--json")
	var r eval.ComponentReport
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil || r.Cases != 3 || len(r.Metrics) != 3 {
		t.Errorf("code %d, %v: %s", code, err, out)
	}
	if code, _, errOut := command(t, "", "bench", "sick"); code != 2 || !strings.Contains(errOut, "--data") {
		t.Errorf("code %d, %s", code, errOut)
	}
	if code, _, errOut := command(t, "", "bench", "personaext", "--data", filepath.Join(dir, "gone")); code != 3 {
		t.Errorf("code %d, %s", code, errOut)
	}
}

// A server is measured beside the baselines.
func TestBenchServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/search") {
			fmt.Fprint(w, `{"results":[{"id":"x","memory":"something else"}]}`)
		}
	}))
	defer server.Close()
	code, out, errOut := command(t, "", "bench", "smoke", "--no-cache", "--systems", "http:"+server.URL+",recent")
	if code != 0 || !strings.Contains(out, "http:127.0.0.1") {
		t.Errorf("code %d\n%s%s", code, out, errOut)
	}
	for _, bad := range []string{"http:", "https:x", "ftp://x"} {
		if code, _, errOut := command(t, "", "bench", "smoke", "--no-cache", "--systems", bad); code != 2 {
			t.Errorf("%s: code %d, %s", bad, code, errOut)
		}
	}
}

// With a model, answers are read and judged; a second run asks nothing.
func TestBenchJudge(t *testing.T) {
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var body struct {
			Messages []struct{ Content string } `json:"messages"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		reply := "a red bicycle"
		if strings.Contains(body.Messages[0].Content, "judge-") {
			reply = `{"why":"so it is","correct":true}`
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"model": "tiny", "usage": map[string]int{"prompt_tokens": 50, "completion_tokens": 5},
			"choices": []map[string]any{{"finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": reply}}},
		})
	}))
	defer server.Close()
	for _, name := range []string{"OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"} {
		t.Setenv(name, "")
	}
	t.Setenv("DAYBOOK_LLM_MODEL", "")
	if code, _, errOut := command(t, "", "bench", "smoke", "--no-cache", "--systems", "bm25", "--judge", "binary"); code != 3 || !strings.Contains(errOut, "need a language model") {
		t.Errorf("without a model: code %d, %s", code, errOut)
	}
	t.Setenv("DAYBOOK_LLM_BASE_URL", server.URL)
	t.Setenv("DAYBOOK_LLM_MODEL", "tiny")
	cache := t.TempDir()
	args := []string{"bench", "smoke", "--systems", "bm25", "--judge", "binary", "--reader", "llm", "--cache", cache}
	code, out, errOut := command(t, "", args...)
	if code != 0 || !strings.Contains(out, "answers: judge") || !strings.Contains(out, "reader-1 by tiny") || !strings.Contains(out, "judge-binary-1") {
		t.Fatalf("code %d\n%s%s", code, out, errOut)
	}
	before := calls.Load()
	if code, again, errOut := command(t, "", args...); code != 0 || calls.Load() != before || !strings.Contains(again, "answers: judge") {
		t.Errorf("second run: code %d, %d calls more\n%s", code, calls.Load()-before, errOut)
	}
	code, out, errOut = command(t, "", append(args, "--no-cache", "--price", "1,2")...)
	if code != 0 || calls.Load() != 2*before || !strings.Contains(out, "dollars") || strings.Contains(out, "no --price") {
		t.Errorf("without the cache: code %d, %d calls more\n%s%s", code, calls.Load()-before, out, errOut)
	}
	if code, _, errOut := command(t, "", append(args, "--price", "1")...); code != 2 || !strings.Contains(errOut, "--price") {
		t.Errorf("half a price: code %d, %s", code, errOut)
	}
}
