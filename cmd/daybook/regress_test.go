package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// daybookRun runs one command in a home and returns its exit code and output.
func daybookRun(t *testing.T, home string, args ...string) (int, string) {
	t.Helper()
	var out, errOut bytes.Buffer
	code := run(context.Background(), append([]string{"--home", home}, args...), strings.NewReader(""), &out, &errOut)
	return code, out.String() + errOut.String()
}

func must(t *testing.T, home string, args ...string) string {
	t.Helper()
	code, out := daybookRun(t, home, args...)
	if code != 0 {
		t.Fatalf("%q ended with %d: %s", args, code, out)
	}
	return out
}

func TestAddingAgainByIDNeedsNoTime(t *testing.T) {
	home := t.TempDir()
	must(t, home, "add", "hi", "--id", "m1")
	if out := must(t, home, "add", "hi", "--id", "m1"); !strings.Contains(out, "known already") {
		t.Error(out)
	}
}

func TestRevertKeepsTheNameOfASubjectThatOthersSpeakOf(t *testing.T) {
	home := t.TempDir()
	must(t, home, "fact", "add", "Maya", "lives_in", "Oslo")
	must(t, home, "fact", "add", "Maya", "likes", "tea")
	must(t, home, "revert", "HEAD~1")
	if out := must(t, home, "facts"); !strings.HasPrefix(out, "Maya  likes") {
		t.Error(out)
	}
	must(t, home, "revert", "HEAD")
	if out := must(t, home, "entities"); strings.Count(out, "Maya") != 1 {
		t.Error(out)
	}
	must(t, home, "check")
}

func TestNoteThatComesBackTwiceIsOneNote(t *testing.T) {
	home := t.TempDir()
	must(t, home, "add", "hi", "--id", "m1", "--time", "2020")
	must(t, home, "revert", "HEAD")
	must(t, home, "add", "hi", "--id", "m1", "--time", "2020")
	must(t, home, "revert", "HEAD~1")
	if out := must(t, home, "notes"); strings.Count(out, "hi") != 1 {
		t.Error(out)
	}
	if out := must(t, home, "stats", "--json"); !strings.Contains(out, `"notes": 1,`) {
		t.Error(out)
	}
}

func TestRefusedJudgementLeavesTheValueOpenForTheNext(t *testing.T) {
	home := t.TempDir()
	must(t, home, "fact", "add", "A", "lives_in", "X", "--valid-from", "2020")
	must(t, home, "fact", "add", "A", "lives_in", "Y", "--valid-from", "2021")
	link := must(t, home, "show", "HEAD", "--json")
	link = link[strings.Index(link, "link_"):]
	must(t, home, "retract", link[:strings.IndexByte(link, '"')])
	must(t, home, "fact", "add", "A", "lives_in", "Z", "--valid-from", "2022")
	if out := must(t, home, "facts"); strings.Count(out, "\n") != 1 || !strings.Contains(out, "Z") {
		t.Error(out)
	}
	must(t, home, "check")
}

func TestImportErasesWhatTheExportErased(t *testing.T) {
	home, old, later := t.TempDir(), filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "later")
	must(t, home, "--user", "a", "add", "TOPSECRET", "--id", "m1")
	must(t, home, "--user", "a", "export", "-o", old)
	must(t, home, "--user", "a", "forget", "m1", "--yes")
	must(t, home, "--user", "a", "export", "-o", later)
	must(t, home, "--user", "b", "import", old)
	must(t, home, "--user", "b", "import", later)
	must(t, home, "check")
	raw, err := os.ReadFile(filepath.Join(home, "daybook.db"))
	if err != nil || bytes.Contains(raw, []byte("TOPSECRET")) {
		t.Errorf("the erased text is still on disk (%v)", err)
	}
}

func TestImportRefusesContentThatIsMissing(t *testing.T) {
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "export")
	must(t, home, "--user", "a", "add", "one")
	lines := strings.SplitAfter(must(t, home, "--user", "a", "export"), "\n")
	var l map[string]any
	if err := json.Unmarshal([]byte(lines[1]), &l); err != nil {
		t.Fatal(err)
	}
	op := l["ops"].([]any)[0].(map[string]any)
	delete(op, "body")
	delete(op, "salt")
	text, _ := json.Marshal(l)
	if err := os.WriteFile(file, append([]byte(lines[0]), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := daybookRun(t, home, "--user", "b", "import", file); code != 2 || !strings.Contains(out, "no erasure explains it") {
		t.Error(code, out)
	}
}

func TestForgetIsComplete(t *testing.T) {
	for name, c := range map[string]struct {
		before [][]string
		forget []string
		gone   string
	}{
		"script without spaces": {[][]string{{"fact", "add", "田中", "likes", "tea"}, {"add", "田中さんは東京"}}, []string{"--entity", "田中"}, "田中"},
		"name of two words":     {[][]string{{"fact", "add", "Ana Smith", "likes", "tea"}, {"add", "met ana smith"}}, []string{"--entity", "Ana Smith"}, "ana smith"},
		"reverted declaration":  {[][]string{{"fact", "add", "Zoelle", "likes", "tea"}, {"revert", "HEAD"}, {"add", "Zoelle was here"}}, []string{"--entity", "Zoelle"}, "Zoelle"},
		"only in a note":        {[][]string{{"add", "Zoelle was here"}}, []string{"--entity", "Zoelle"}, "Zoelle"},
		"merged names": {[][]string{{"add", "x", "--id", "m1"}, {"fact", "add", "Bobbyx", "likes", "tea", "--source", "m1"},
			{"fact", "add", "Robertx", "likes", "tea", "--source", "m1"}, {"merge", "Bobbyx", "Robertx"}}, []string{"m1"}, "Bobbyx"},
		"session of a fact that lives on": {[][]string{{"add", "x", "--id", "m1", "--session", "secretsess"}, {"add", "y", "--id", "m2"},
			{"fact", "add", "A", "likes", "tea", "--source", "m1", "--source", "m2", "--session", "secretsess"}}, []string{"--session", "secretsess"}, "secretsess"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			for _, args := range c.before {
				must(t, home, args...)
			}
			must(t, home, append([]string{"forget", "--yes"}, c.forget...)...)
			must(t, home, "check")
			raw, err := os.ReadFile(filepath.Join(home, "daybook.db"))
			if err != nil || bytes.Contains(raw, []byte(c.gone)) {
				t.Errorf("%q is still on disk (%v)", c.gone, err)
			}
		})
	}
}

func TestForgottenFactDoesNotLiveOn(t *testing.T) {
	home := t.TempDir()
	must(t, home, "add", "one", "--id", "m1")
	must(t, home, "add", "two", "--id", "m2")
	out := must(t, home, "fact", "add", "A", "likes", "B", "--source", "m1", "--source", "m2")
	must(t, home, "forget", "m1", strings.Fields(out)[0], "--yes")
	if out := must(t, home, "facts"); !strings.Contains(out, "nothing is known") {
		t.Error(out)
	}
}

func TestBadCommandLinesAreInvalid(t *testing.T) {
	home := t.TempDir()
	must(t, home, "--user", "ana", "add", "keep me", "-m", "a message")
	for _, args := range [][]string{
		{"forget", "--user", "ana", "--entity", "", "--yes"}, {"forget", "--user", "ana", "--session", "", "--yes"},
		{"check", "--certificate", ""}, {"facts", "--as-of", ""}, {"add", "bad \xff"}, {"fact", "add", "A", "-", "B"},
		{"fact", "add", "A", "likes", " "}, {"fact", "add", "A", "likes", "B", "--confidence", "NaN"}, {"forget", "ent_x", "--yes"},
	} {
		if code, out := daybookRun(t, home, args...); code != 2 {
			t.Errorf("%q: code %d: %s", args, code, out)
		}
	}
	for _, ref := range []string{"root", "HEAD~1"} {
		if code, out := daybookRun(t, home, "--user", "ana", "show", ref); code != 3 {
			t.Errorf("show %s: code %d: %s", ref, code, out)
		}
	}
	if _, out := daybookRun(t, home, "--json", "bogus"); !json.Valid([]byte(out)) {
		t.Error(out)
	}
	if out := must(t, home, "--user", "ana", "show", "HEAD", "--json"); strings.Contains(out, "{},") {
		t.Errorf("the message is shown as an operation: %s", out)
	}
	must(t, home, "fact", "add", "A", "likes", "B", "--alternative", "Paris, France")
	if out := must(t, home, "facts", "--json"); !strings.Contains(out, `"Paris, France"`) {
		t.Error(out)
	}
}

func TestSkipBadKeepsTheFirstOfThreeLinesWithOneID(t *testing.T) {
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "m.jsonl")
	text := `{"id":"a","time":"2020","text":"X"}` + "\n" + strings.Repeat(`{"id":"a","time":"2020","text":"Y"}`+"\n", 2)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := must(t, home, "import", "messages", "--skip-bad", file); !strings.HasPrefix(out, "1 note added, 0 known already, 2 lines skipped") &&
		!strings.Contains(out, "1 note added") {
		t.Error(out)
	}
}

func TestDiffNamesAMergedStateOnce(t *testing.T) {
	home := t.TempDir()
	must(t, home, "fact", "add", "Bob", "likes", "tea")
	must(t, home, "fact", "add", "Rob", "likes", "coffee")
	must(t, home, "merge", "Bob", "Rob")
	must(t, home, "fact", "add", "Bob", "likes", "milk")
	must(t, home, "fact", "add", "Rob", "likes", "wine")
	if out := must(t, home, "diff", "HEAD~2..HEAD"); strings.Count(out, "milk") != 1 {
		t.Error(out)
	}
}

func TestBackupIsPrivate(t *testing.T) {
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "copy.db")
	must(t, home, "add", "hi")
	must(t, home, "backup", file)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
}

func TestInterruptEndsAReadFromAPerson(t *testing.T) {
	home := t.TempDir()
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code := run(ctx, []string{"--home", home, "add", "-"}, in, &bytes.Buffer{}, &bytes.Buffer{}); code != 5 {
		t.Errorf("code %d", code)
	}
}

func TestCheckNamesAMissingCommit(t *testing.T) {
	home := t.TempDir()
	for range 3 {
		must(t, home, "add", "hi")
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(home, "daybook.db")+"?vfs=daybook")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("DELETE FROM commits WHERE seq = 2"); err != nil {
		t.Fatal(err)
	}
	if code, out := daybookRun(t, home, "check"); code != 6 || !strings.Contains(out, "commit 2 is missing") {
		t.Error(code, out)
	}
}
