package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/store"
	"daybook/store/sqlite"
)

// Markers are strings that stand nowhere else. Each has characters that JSON
// may escape, so that both of its forms are searched for.
func marker(name string) string { return "mark<" + name + ">é&ß" }

// traces returns the markers whose bytes are in any file below dir.
func traces(t *testing.T, dir string, markers []string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			return nil // a log that was put away meanwhile
		}
		for _, m := range markers {
			for _, form := range forms(m) {
				if bytes.Contains(b, form) {
					found[m] = filepath.Base(path)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// forms are the bytes that a marker may be stored as.
func forms(m string) [][]byte {
	var all [][]byte
	for _, escape := range []bool{true, false} {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(escape)
		if err := enc.Encode(m); err != nil {
			panic(err)
		}
		all = append(all, bytes.Trim(buf.Bytes(), "\"\n"))
	}
	ascii := strings.Map(func(r rune) rune {
		if r > 127 {
			return -1
		}
		return r
	}, m)
	escaped := strings.Trim(fmt.Sprintf("%+q", m), `"`)
	for _, form := range []string{m, daybook.Fold(m), daybook.FoldRelation(m), escaped, ascii} {
		all = append(all, []byte(form))
	}
	return all
}

// eraseHome is a home under test with its command line.
type eraseHome struct {
	t    *testing.T
	dir  string
	user []string // the flags that name the scope
}

func (h eraseHome) daybook(args ...string) (out string, code int) {
	h.t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(h.t.Context(), append(append([]string{"--home", h.dir}, h.user...), args...), strings.NewReader(""), &stdout, &stderr)
	return stdout.String() + stderr.String(), code
}

func (h eraseHome) must(args ...string) string {
	h.t.Helper()
	out, code := h.daybook(args...)
	if code != 0 {
		h.t.Fatalf("daybook %s: code %d\n%s", quoteArgs(args), code, out)
	}
	return out
}

// engine runs do on the home through the engine, where there is no command.
func (h eraseHome) engine(do func(*engine.Engine) error) {
	h.t.Helper()
	e := openHome(h.t, h.dir)
	if err := errors.Join(do(e), e.Close()); err != nil {
		h.t.Fatal(err)
	}
}

// Every kind of text that a scope holds, once to be erased and once to be kept.
// tell writes the story of one conversation and returns its markers.
func (h eraseHome) tell(who string, scope daybook.Scope) (markers []string) {
	h.t.Helper()
	m := func(what string) string {
		s := marker(who + " " + what)
		markers = append(markers, s)
		return s
	}
	person, session := m("entity"), m("session")
	note := who + "-note"
	h.must("--session", session, "add", "I am "+person+" "+m("text"), "--id", note, "--speaker", m("speaker"), "-m", m("note message"))
	long := strings.Repeat("so much to say ", 2000) // over several pages
	h.must("--session", session, "add", long+m("long text")+" of "+person+", "+long, "--id", m("source id"), "--no-learn")
	h.must("--session", session, "fact", "add", person, "lives_in", m("object"), "--source", note,
		"--why", m("why"), "--sentiment", m("sentiment"), "--alternative", m("alternative"), "-m", m("fact message"))
	h.must("--session", session, "fact", "add", person, "lives_in", m("later object"), "--source", note)
	h.must("--session", session, "fact", "add", person, m("relation"), m("other object"), "--source", note)
	h.engine(func(e *engine.Engine) error {
		n, err := e.Note(h.t.Context(), scope, note)
		if err != nil {
			return err
		}
		_, err = e.AddEvent(h.t.Context(), scope, engine.By{Author: "test", Message: m("event message")}, daybook.Event{
			Kind: daybook.Action, Text: m("event text"), Participants: []daybook.EntityID{daybook.EntityNamed(person)},
			Sources: []daybook.NoteID{n.ID}, Session: session, Time: daybook.Span{From: time.Unix(1e9, 0)},
		})
		return err
	})
	return markers
}

// world is a home with a story to erase, one to keep, and a backup of both.
func world(t *testing.T) (h eraseHome, erased, kept []string, backup string) {
	t.Helper()
	h = eraseHome{t: t, dir: filepath.Join(t.TempDir(), "home"), user: []string{"--user", "maya"}}
	kept = h.tell("ben", daybook.Scope{User: "maya"})
	erased = h.tell("ada", daybook.Scope{User: "maya"})
	backups := t.TempDir()
	h.must("backup", filepath.Join(backups, "before.db"))
	// The search can find them: in the home and in the backup.
	all := append(append([]string{}, kept...), erased...)
	for _, dir := range []string{h.dir, backups} {
		found := traces(t, dir, all)
		for _, m := range all {
			if found[m] == "" {
				t.Fatalf("%q is not found in %s before it is erased", m, dir)
			}
		}
	}
	return h, erased, kept, backups
}

// verifyErased asserts what an erasure promises, with its certificate.
func (h eraseHome) verifyErased(certificate string, erased, kept []string) {
	h.t.Helper()
	for m, file := range traces(h.t, h.dir, erased) {
		h.t.Errorf("%q is still in %s", m, file)
	}
	found := traces(h.t, h.dir, kept)
	for _, m := range kept {
		if found[m] == "" {
			h.t.Errorf("%q is gone too", m)
		}
	}
	for _, m := range erased {
		if strings.Contains(certificate, m) {
			h.t.Errorf("the certificate holds %q", m)
		}
	}
	if out := h.must("check"); !strings.Contains(out, "sound") {
		h.t.Errorf("check says %s", out)
	}
	if code := h.verifyCertificate([]byte(certificate)); code != 0 {
		h.t.Errorf("the certificate is not valid: code %d\n%s", code, certificate)
	}
}

// verifyCertificate returns the exit code for a certificate.
func (h eraseHome) verifyCertificate(text []byte) (code int) {
	h.t.Helper()
	file := filepath.Join(h.t.TempDir(), "certificate.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		h.t.Fatal(err)
	}
	_, code = h.daybook("check", "--certificate", file)
	return code
}

// A certificate says what the ledger says, or it is not valid.
func TestTamperedCertificate(t *testing.T) {
	h, _, _, _ := world(t)
	var cert map[string]any
	if err := json.Unmarshal([]byte(h.must("forget", "ada-note", "--yes")), &cert); err != nil {
		t.Fatal(err)
	}
	second := h.must("forget", "ben-note", "--yes")
	for field, lie := range map[string]any{
		"format": "daybook erasure 9", "commit": strings.Repeat("ab", 32), "digest": strings.Repeat("cd", 32),
		"recorded_at": "2001-01-01T00:00:00Z", "erased": 1e6, "seq": 1e6, "selector": "scope",
		"scope": map[string]string{"user": "somebody else"}, "counts": map[string]int{"notes": 1e6},
	} {
		t.Run(field, func(t *testing.T) {
			if _, ok := cert[field]; !ok {
				t.Fatal("the certificate has no such field")
			}
			tampered := maps.Clone(cert)
			tampered[field] = lie
			b, err := json.Marshal(tampered)
			if err != nil {
				t.Fatal(err)
			}
			if h.verifyCertificate(b) == 0 {
				t.Errorf("a certificate with a false %q is valid", field)
			}
		})
	}
	t.Run("of another erasure", func(t *testing.T) {
		var other map[string]any
		if err := json.Unmarshal([]byte(second), &other); err != nil {
			t.Fatal(err)
		}
		mixed := maps.Clone(cert)
		mixed["commit"], mixed["seq"] = other["commit"], other["seq"]
		b, err := json.Marshal(mixed)
		if err != nil {
			t.Fatal(err)
		}
		if h.verifyCertificate(b) == 0 {
			t.Error("a certificate with the commit of another erasure is valid")
		}
	})
	for _, text := range []string{"", "null", "[]", "{}", "not json"} {
		if h.verifyCertificate([]byte(text)) == 0 {
			t.Errorf("%q is a valid certificate", text)
		}
	}
}

// Forgetting an entity erases whatever names it, wherever the name stands and
// in every form that Fold takes for the same name.
func TestForgetEntityMentions(t *testing.T) {
	h := eraseHome{t: t, dir: filepath.Join(t.TempDir(), "home")}
	h.must("fact", "add", "Zoë Brandt", "lives_in", "Ulm")
	h.must("fact", "add", "Tim", "lives_in", "Jena")
	h.must("fact", "add", "Timmy", "lives_in", "Jena")
	mentions := map[string]func(mark string){
		"note text":       func(m string) { h.must("add", "I met Zoë Brandt, "+m) },
		"note speaker":    func(m string) { h.must("add", m, "--speaker", "Zoë Brandt") },
		"possessive":      func(m string) { h.must("add", "this is Zoë Brandt's "+m) },
		"upper case":      func(m string) { h.must("add", "ZOË BRANDT "+m) },
		"decomposed":      func(m string) { h.must("add", "I met Zoe\u0308 Brandt "+m) },
		"two spaces":      func(m string) { h.must("add", "I met Zoë  Brandt "+m) },
		"over a line end": func(m string) { h.must("add", "I met Zoë\nBrandt "+m) },
		"no-break space":  func(m string) { h.must("add", "I met Zoë\u00a0Brandt "+m) },
		"commit message":  func(m string) { h.must("add", "nothing much", "-m", "what Zoë Brandt said: "+m) },
		"object":          func(m string) { h.must("fact", "add", "Tim", "knows", "Zoë Brandt "+m) },
		"why":             func(m string) { h.must("fact", "add", "Tim", "likes", m, "--why", "for Zoë Brandt") },
		"sentiment":       func(m string) { h.must("fact", "add", "Tim", "fears", m, "--sentiment", "cross with Zoë Brandt") },
		"alternative":     func(m string) { h.must("fact", "add", "Tim", "eats", m, "--alternative", "Zoë Brandt's cake") },
		"merge why":       func(m string) { h.must("merge", "Timmy", "Tim", "--why", "Zoë Brandt says so "+m) },
		"session":         func(m string) { h.must("--session", "with Zoë Brandt", "add", m) },
	}
	marks := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(mentions)) {
		marks[name] = marker("at " + name)
		mentions[name](marks[name])
	}
	stays := marker("a note of nobody")
	h.must("add", "Zoëy Brandtner is another person, "+stays)
	h.must("forget", "--entity", "zoë brandt", "--yes")
	for name, m := range marks {
		t.Run(name, func(t *testing.T) {
			if file := traces(t, h.dir, []string{m})[m]; file != "" {
				t.Errorf("what names the entity in its %s is still in %s", name, file)
			}
		})
	}
	if len(traces(t, h.dir, []string{stays})) == 0 {
		t.Error("what names somebody else is gone")
	}
	if out := h.must("check"); !strings.Contains(out, "sound") {
		t.Errorf("check says %s", out)
	}
}

func TestForgetLeavesNoBytes(t *testing.T) {
	for _, c := range []struct {
		name string
		// only what these parts of the story hold must go; nil means all of it
		parts []string
		args  func(h eraseHome) []string
		keeps bool // the other story of the same scope
	}{
		{"by session", nil, func(eraseHome) []string { return []string{"--session", marker("ada session"), "forget", "--yes"} }, true},
		{"by entity", nil, func(eraseHome) []string { return []string{"forget", "--entity", marker("ada entity"), "--yes"} }, true},
		{"by ids", nil, func(eraseHome) []string { return []string{"forget", "ada-note", marker("ada source id"), "--yes"} }, true},
		{"by one id", []string{"text", "speaker", "note message", "object", "why", "sentiment", "alternative", "fact message", "later object", "relation", "other object", "event text", "event message"},
			func(eraseHome) []string { return []string{"forget", "ada-note", "--yes"} }, true},
		{"by user", nil, func(eraseHome) []string { return []string{"forget", "--yes"} }, false},
		{"everything", nil, func(eraseHome) []string { return []string{"forget", "--everything", "--yes"} }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, erased, kept, backups := world(t)
			other := eraseHome{t: t, dir: h.dir, user: []string{"--user", "zoe"}}
			far := other.tell("zoe", daybook.Scope{User: "zoe"})
			if c.parts != nil {
				erased = nil
				for _, p := range c.parts {
					erased = append(erased, marker("ada "+p))
				}
			}
			if c.keeps {
				far = append(far, kept...)
			} else {
				erased = append(erased, kept...)
			}
			h.verifyErased(h.must(c.args(h)...), erased, far)
			if found := traces(t, backups, erased); len(found) != len(erased) {
				t.Errorf("the backup has %d of %d erased markers", len(found), len(erased))
			}
		})
	}
}

// Forgetting a user erases all of the user's scopes, each with a certificate.
func TestForgetUserWithAgents(t *testing.T) {
	h, erased, kept, _ := world(t)
	agent := eraseHome{t: t, dir: h.dir, user: []string{"--user", "maya", "--agent", "coach"}}
	more := agent.tell("coach", daybook.Scope{User: "maya", Agent: "coach"})
	other := eraseHome{t: t, dir: h.dir, user: []string{"--user", "zoe"}}
	far := other.tell("zoe", daybook.Scope{User: "zoe"})
	var certs []json.RawMessage
	out := h.must("forget", "--yes")
	if err := json.Unmarshal([]byte(out), &certs); err != nil || len(certs) != 2 {
		t.Fatalf("want two certificates: %v\n%s", err, out)
	}
	for _, cert := range certs {
		h.verifyErased(string(cert), append(append(erased, kept...), more...), far)
	}
}

// What was withdrawn or undone before is in the ledger still, and is erased with
// the rest; so are merges and their reasons.
func TestForgetWithdrawn(t *testing.T) {
	h, erased, kept, _ := world(t)
	extra := []string{marker("retract why"), marker("merge why"), marker("alias"), marker("reverted")}
	ada := marker("ada entity")
	h.must("fact", "add", extra[2], "likes", "tea")
	h.must("merge", extra[2], ada, "--why", extra[1])
	h.must("--session", marker("ada session"), "fact", "add", ada, "works_at", extra[3])
	h.must("revert", "HEAD")
	h.must("retract", "ada-note", "--why", extra[0])
	found := traces(t, h.dir, extra)
	if len(found) != len(extra) {
		t.Fatalf("only %v are found before", found)
	}
	h.verifyErased(h.must("forget", "--entity", ada, "--yes"), append(erased, extra...), kept)
}

// Others may have the home open: idle, in the middle of a read that began before
// the erasure, and in another process.
func TestForgetWithOpenReaders(t *testing.T) {
	noLeaks(t)
	t.Run("idle handle", func(t *testing.T) {
		h, erased, kept, _ := world(t)
		e := openHome(t, h.dir)
		defer e.Close()
		before, err := notesOf(t.Context(), e, "", daybook.AsOf{})
		if err != nil {
			t.Fatal(err)
		}
		cert := h.must("--session", marker("ada session"), "forget", "--yes")
		h.verifyErased(cert, erased, kept)
		after, err := e.Entities(t.Context(), daybook.Scope{User: "maya"})
		if err != nil || len(after) == 0 {
			t.Errorf("the open handle sees %d entities after %d notes before: %v", len(after), len(before), err)
		}
		for _, entity := range after {
			if slices.ContainsFunc(erased, func(mark string) bool { return strings.Contains(entity.Name, mark) }) {
				t.Errorf("the open handle sees %q", entity.Name)
			}
		}
	})
	t.Run("reader in the middle", func(t *testing.T) {
		h, erased, kept, _ := world(t)
		held, err := sqlite.Open(t.Context(), h.dir)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		cert := h.forgetWhileReading(held)
		h.verifyErased(cert, erased, kept)
	})
	t.Run("other process", func(t *testing.T) {
		h, erased, kept, _ := world(t)
		reader, stop := startReader(t, h.dir)
		cert := h.must("--session", marker("ada session"), "forget", "--yes")
		h.verifyErased(cert, erased, kept)
		reader() // it goes on reading
		h.verifyErased(cert, erased, kept)
		stop()
		h.verifyErased(cert, erased, kept)
	})
}

// forgetWhileReading holds a snapshot that still has the old pages until the
// erasure is committed and waits for it to end.
func (h eraseHome) forgetWhileReading(held *sqlite.Store) (cert string) {
	h.t.Helper()
	scope := daybook.Scope{User: "maya"}
	done := make(chan string, 1)
	err := held.View(h.t.Context(), scope, func(r store.Reader) error {
		head, err := r.Head()
		if err != nil {
			return err
		}
		go func() {
			out, code := h.daybook("--session", marker("ada session"), "forget", "--yes")
			done <- fmt.Sprintf("%d %s", code, out)
		}()
		for now := head; now.Seq == head.Seq; {
			err := held.View(h.t.Context(), scope, func(r store.Reader) (err error) {
				now, err = r.Head()
				return err
			})
			if err != nil {
				return err
			}
		}
		for range r.Contents(store.All) { // the snapshot still serves
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	out, ok := strings.CutPrefix(<-done, "0 ")
	if !ok {
		h.t.Fatalf("forget: %s", out)
	}
	return out
}

// TestEraseReader is not a test: it is the other process that reads a home. It
// reads once for each line that it is sent.
func TestEraseReader(t *testing.T) {
	if os.Getenv(roleEnv) != "reader" {
		t.Skip("only as a child of TestForgetWithOpenReaders")
	}
	e := openHome(t, os.Getenv(homeEnv))
	defer e.Close()
	for lines := bufio.NewReader(os.Stdin); ; {
		ids, err := notesOf(t.Context(), e, "", daybook.AsOf{})
		fmt.Printf("> %d %v\n", len(ids), err)
		if _, err := lines.ReadString('\n'); err != nil {
			return
		}
	}
}

// startReader starts a process that has the home open. read makes it read again;
// stop ends it.
func startReader(t *testing.T, home string) (read, stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cmd := child(ctx, "TestEraseReader", "reader", home, "")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hear := func() {
		t.Helper()
		var n int
		var failed string
		if _, err := fmt.Fscanf(out, "> %d %s\n", &n, &failed); err != nil || failed != "<nil>" {
			t.Errorf("the reader says %d %s, %v", n, failed, err)
		}
	}
	hear()
	read = func() {
		if _, err := io.WriteString(in, "\n"); err != nil {
			t.Error(err)
		}
		hear()
	}
	stop = func() {
		in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("reader: %v", err)
		}
		cancel()
	}
	return read, stop
}
