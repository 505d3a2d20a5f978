package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// asked is a system that counts what it is asked, and stops when told to.
type asked struct {
	version         string
	builds, recalls int
	stopAfter       int // recalls; 0 never stops
}

var errStopped = errors.New("stopped")

func (*asked) Name() string      { return "asked/odd" }
func (a *asked) Version() string { return a.version }

func (a *asked) Build(_ context.Context, c Conversation) (Memory, error) {
	a.builds++
	return &askedMemory{asked: a, words: newWords(c.Notes)}, nil
}

type askedMemory struct {
	*asked
	noClose
	words *words
}

func (m *askedMemory) Recall(ctx context.Context, q Question, k int) ([]Row, error) {
	if m.stopAfter > 0 && m.recalls == m.stopAfter {
		return nil, errStopped
	}
	m.recalls++
	return m.words.Recall(ctx, q, k)
}

// twoTalks has two conversations with two questions each.
func twoTalks() Dataset {
	d := Dataset{Name: "d", Hash: "h"}
	for _, id := range []string{"a", "b"} {
		c := conversation("I bought a sailboat", "The weather was awful")
		c.ID = id
		c.Questions = []Question{
			{ID: id + "1", Text: "What about the sailboat?", Category: "boats", Evidence: []string{"n0"}},
			{ID: id + "2", Text: "Xylophone?", Category: "none", Evidence: []string{"n1"}},
		}
		d.Conversations = append(d.Conversations, c)
	}
	return d
}

// keptRun runs a system with a cache and returns the report without times.
func keptRun(t *testing.T, folder string, s *asked, change func(*Run)) (text string, times Times, warnings []string, err error) {
	t.Helper()
	r := Run{
		Dataset: twoTalks(), Systems: []System{s}, Ks: []int{1, 2}, Seed: 1, Code: "c1",
		Kept: &Kept{Folder: folder, Warn: func(w string) { warnings = append(warnings, w) }},
	}
	if change != nil {
		change(&r)
	}
	report, err := r.Do(t.Context())
	if err != nil {
		return "", Times{}, warnings, err
	}
	times, report.Systems[0].Times = report.Systems[0].Times, Times{}
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), times, warnings, nil
}

func TestKeptResume(t *testing.T) {
	dir := t.TempDir()
	fresh, _, _, err := keptRun(t, t.TempDir(), &asked{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := &asked{stopAfter: 3}
	if _, _, _, err := keptRun(t, dir, first, nil); !errors.Is(err, errStopped) {
		t.Fatalf("not stopped: %v", err)
	}
	second := &asked{}
	text, times, warnings, err := keptRun(t, dir, second, nil)
	if err != nil || second.builds != 1 || second.recalls != 1 || times.Cached != 3 || len(warnings) > 0 {
		t.Errorf("after a stop: %d built, %d asked, %d cached, %v, %v; want 1, 1, 3", second.builds, second.recalls, times.Cached, warnings, err)
	}
	if text != fresh {
		t.Errorf("resumed and fresh differ:\n%s\n%s", text, fresh)
	}
	third := &asked{}
	text, times, _, err = keptRun(t, dir, third, nil)
	if err != nil || third.builds+third.recalls != 0 || times.Cached != 4 || times.BuildSeconds == 0 || times.PeakMemoryBytes == 0 || text != fresh {
		t.Errorf("nothing changed: %d built, %d asked, %+v, %v", third.builds, third.recalls, times, err)
	}
}

// What a result depends on makes it another result; what it does not, not.
func TestKeptKey(t *testing.T) {
	for name, x := range map[string]struct {
		change  func(*Run)
		version string
		again   bool
	}{
		"code":    {func(r *Run) { r.Code = "c2" }, "", true},
		"data":    {func(r *Run) { r.Dataset.Hash = "h2" }, "", true},
		"name":    {func(r *Run) { r.Dataset.Name = "d2" }, "", true},
		"depth":   {func(r *Run) { r.Ks = []int{5} }, "", true},
		"version": {nil, "v2", true},
		"ks":      {func(r *Run) { r.Ks = []int{2} }, "", false},
		"seed":    {func(r *Run) { r.Seed = 7 }, "", false},
		"limit": {func(r *Run) {
			r.Dataset.Conversations[0].Questions = r.Dataset.Conversations[0].Questions[:1]
		}, "", false},
	} {
		dir := t.TempDir()
		if _, _, _, err := keptRun(t, dir, &asked{}, nil); err != nil {
			t.Fatal(err)
		}
		s := &asked{version: x.version}
		if _, _, _, err := keptRun(t, dir, s, x.change); err != nil || (s.recalls > 0) != x.again {
			t.Errorf("%s: %d asked again, %v", name, s.recalls, err)
		}
	}
}

func TestKeptDamage(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"cut off":   func(b []byte) []byte { return b[:len(b)-5] },
		"flipped":   func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"garbage":   func([]byte) []byte { return []byte("\x00\x01 nothing of ours\n{}\n\n") },
		"a newline": func(b []byte) []byte { return append(b, '\n') },
	} {
		dir := t.TempDir()
		want, _, _, err := keptRun(t, dir, &asked{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		path := onlyFile(t, dir)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, damage(bytes.Clone(data)), 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, warnings, err := keptRun(t, dir, &asked{}, nil)
		if err != nil || got != want || len(warnings) != 1 || !strings.Contains(warnings[0], "damaged") {
			t.Errorf("%s: %v, %q, same: %v", name, err, warnings, got == want)
		}
		if _, _, warnings, err := keptRun(t, dir, &asked{}, nil); err != nil || len(warnings) > 0 {
			t.Errorf("%s, again: %v, %v", name, warnings, err)
		}
	}
}

func onlyFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "results", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	return files[0]
}

func TestKeptNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := keptRun(t, file, &asked{}, nil); err == nil {
		t.Error("a file was taken for a folder")
	}
	s := &asked{}
	for range 2 {
		if _, _, _, err := keptRun(t, "", s, func(r *Run) { r.Kept = nil }); err != nil {
			t.Fatal(err)
		}
	}
	if s.recalls != 8 {
		t.Errorf("%d asked without a cache, want 8", s.recalls)
	}
}

func TestProgressAndTokens(t *testing.T) {
	var last Progress
	dir := t.TempDir()
	count := func(r *Run) {
		r.Tokens = func(s string) float64 { return float64(len(strings.Fields(s))) }
		r.Progress = func(p Progress) { last = p }
	}
	for _, cached := range []int{0, 4} {
		text, _, _, err := keptRun(t, dir, &asked{}, count)
		if err != nil || last != (Progress{System: "asked/odd", Conversation: 2, Conversations: 2, Done: 4, Total: 4, Cached: cached}) {
			t.Errorf("%+v, %v", last, err)
		}
		// Two questions have one row of five words, two have none.
		if !strings.Contains(text, `"tokens_per_question":2.5`) {
			t.Errorf("%s", text)
		}
	}
}

func TestBuiltFrom(t *testing.T) {
	set := func(pairs ...string) (s []debug.BuildSetting) {
		for i := 0; i < len(pairs); i += 2 {
			s = append(s, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return s
	}
	for _, x := range []struct {
		settings []debug.BuildSetting
		revision string
		clean    bool
	}{
		{nil, "", false},
		{set("vcs.modified", "false"), "", false},
		{set("vcs.revision", "0123456789abcdef", "vcs.modified", "false"), "0123456789ab", true},
		{set("vcs.revision", "0123456789abcdef", "vcs.modified", "true"), "0123456789ab", false},
		{set("vcs.revision", "0123456789abcdef"), "0123456789ab", false},
	} {
		if revision, clean := builtFrom(x.settings); revision != x.revision || clean != x.clean {
			t.Errorf("%v: %q, %v", x.settings, revision, clean)
		}
	}
	if v, err := CodeVersion(); err != nil || v == "" {
		t.Errorf("%q, %v", v, err)
	}
}

func TestHistogram(t *testing.T) {
	got := histogram([]float64{0.000001, 0.00001, 0.000016, 0.001, 0.5})
	want := []Bucket{{1.0 / 64, 2}, {1.0 / 32, 1}, {1, 1}, {512, 1}}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// banking is a system that tells its bank.
type banking struct{ asked }

func (b *banking) Build(ctx context.Context, c Conversation) (Memory, error) {
	m, err := b.asked.Build(ctx, c)
	return &bankingMemory{m}, err
}

type bankingMemory struct{ Memory }

func (*bankingMemory) Bank(context.Context) ([]BankRow, error) {
	return []BankRow{{ID: "n0", ValidFrom: time.Unix(5, 0).UTC(), Role: "current"}}, nil
}

// The bank is kept with the rest.
func TestKeptBank(t *testing.T) {
	kept := &Kept{Folder: t.TempDir()}
	var banks []string
	for range 2 {
		s := &banking{}
		report, err := Run{Dataset: twoTalks(), Systems: []System{s}, Ks: []int{1}, Seed: 1, Kept: kept}.Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(report.Systems[0].Bank)
		if err != nil {
			t.Fatal(err)
		}
		banks = append(banks, string(text))
		if want := 2 * (2 - len(banks)); s.builds != want {
			t.Errorf("%d built in run %d, want %d", s.builds, len(banks), want)
		}
	}
	if banks[0] != banks[1] || !strings.Contains(banks[0], `"conv":"b"`) {
		t.Errorf("banks differ: %v", banks)
	}
}
