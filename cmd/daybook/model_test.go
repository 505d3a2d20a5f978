package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// command runs the program as a person would and returns what it prints.
func command(t *testing.T, in string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = runApp(&app{ctx: t.Context(), terminal: newTerminal(strings.NewReader(in), &stdout, &stderr), now: time.Now}, args)
	return code, stdout.String(), stderr.String()
}

func TestEncode(t *testing.T) {
	code, out, errOut := command(t, "the boat is red\nthe ship is crimson\ninterest rates rose\n", "encode")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 3 {
		t.Fatalf("code %d, %d lines, %s", code, len(lines), errOut)
	}
	rows := make([][]float64, 3)
	for i, l := range lines {
		if err := json.Unmarshal([]byte(l), &rows[i]); err != nil || len(rows[i]) != 384 {
			t.Fatalf("line %d: %d numbers, %v", i+1, len(rows[i]), err)
		}
	}
	cosine := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	if n := cosine(rows[0], rows[0]); math.Abs(n-1) > 1e-3 {
		t.Errorf("a vector has length %v", n)
	}
	if near, far := cosine(rows[0], rows[1]), cosine(rows[0], rows[2]); near <= far {
		t.Errorf("what means the same has %.3f, what does not has %.3f", near, far)
	}
}

func TestModels(t *testing.T) {
	home := t.TempDir()
	code, out, _ := command(t, "", "--home", home, "--json", "models", "--no-speed")
	var listed struct {
		Models []struct{ ID, Name, Slot, Licence, Kernel string }
	}
	if err := json.Unmarshal([]byte(out), &listed); err != nil || code != 0 {
		t.Fatalf("code %d, %v: %s", code, err, out)
	}
	first := listed.Models[0]
	if first.Slot != "encoder" || first.ID == "" || first.Licence == "" || first.Kernel == "" {
		t.Errorf("the encoder is listed as %+v", first)
	}
	if entries, _ := os.ReadDir(home); len(entries) != 0 {
		t.Errorf("listing models left %d files in the home", len(entries))
	}
}

func TestModelMistakes(t *testing.T) {
	dir := t.TempDir()
	garbled := filepath.Join(dir, "garbled.dbm")
	if err := os.WriteFile(garbled, []byte("DAYBOOKM and then nothing of the kind"), 0o600); err != nil {
		t.Fatal(err)
	}
	llama := filepath.Join(dir, "llama")
	if err := os.MkdirAll(llama, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(llama, "config.json"), []byte(`{"model_type":"llama","architectures":["LlamaForCausalLM"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"encode", "x", "--encoder", "nowhere"}, 3, "nowhere"},
		{[]string{"encode", "x", "--encoder", garbled}, 6, "garbled.dbm"},
		{[]string{"models", "--reranker", garbled}, 6, "garbled.dbm"},
		{[]string{"model", "import", filepath.Join(dir, "nothing")}, 3, "nothing"},
		{[]string{"model", "import", llama}, 2, "llama"},
		{[]string{"model", "import", llama, "--name", "../out"}, 2, "../out"},
		{[]string{"encode", "x", "--as", "poem"}, 2, "poem"},
	} {
		code, _, errOut := command(t, "", append([]string{"--home", dir}, c.args...)...)
		if code != c.code || !strings.Contains(errOut, c.says) {
			t.Errorf("%v: code %d, %q; want code %d and %q", c.args, code, errOut, c.code, c.says)
		}
	}
}

func TestEmbed(t *testing.T) {
	home := t.TempDir()
	if code, _, errOut := command(t, "", "--home", home, "embed"); code != 3 {
		t.Errorf("embed without a memory: code %d, %s", code, errOut)
	}
	for _, text := range []string{"the boat is red", "rates rose"} {
		if code, _, errOut := command(t, "", "--home", home, "add", text); code != 0 {
			t.Fatal(errOut)
		}
	}
	for _, args := range [][]string{{"embed"}, {"embed"}, {"embed", "--again"}, {"embed", "--drop-others", "--everyone"}} {
		code, out, errOut := command(t, "", append([]string{"--home", home, "--json"}, args...)...)
		var done struct {
			Scopes []struct{ Vectors, Head, Up_to int }
		}
		if err := json.Unmarshal([]byte(out), &done); err != nil || code != 0 || len(done.Scopes) != 1 || done.Scopes[0].Vectors != 2 {
			t.Errorf("%v: code %d, %s %s", args, code, out, errOut)
		}
	}
}
