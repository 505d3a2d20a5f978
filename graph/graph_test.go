package graph

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/store"
	"daybook/store/sqlite"
)

func openStore(t testing.TB) store.Store {
	s, err := sqlite.Open(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The hashes are part of the format: these values must never change.
func TestHashesAreFixed(t *testing.T) {
	leaf := leafHash([]byte("0123456789abcdef"), []byte(`{"observe":{"id":"x"}}`))
	if got := hex.EncodeToString(leaf[:]); got != "98f126186f67b7e864221abc44731769b43b5162c392923345ca082d45a169f4" {
		t.Errorf("leaf hash changed: %s", got)
	}
	id := commitID(store.Commit{Seq: 1, RecordedAt: time.UnixMicro(1234567), Author: "a"}, []store.Hash{leaf})
	if got := id.String(); got != "ab38579cd837775a0c6c5e7b7f4ffd0262d2c4649ffbefe43dccd4b5c354122c" {
		t.Errorf("commit id changed: %s", got)
	}
}

func TestJudge(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	fact := func(object string, from, until int, change ...func(*daybook.Fact)) daybook.Fact {
		f := daybook.Fact{Subject: "s", Relation: "lives_in", Object: object, Valid: daybook.Span{From: day(from)}}
		if until > 0 {
			f.Valid.Until = day(until)
		}
		for _, c := range change {
			c(&f)
		}
		return f.Named()
	}
	as := func(m daybook.Modality) func(*daybook.Fact) { return func(f *daybook.Fact) { f.Modality = m } }
	many := func(f *daybook.Fact) { f.Relation = "likes" }
	for _, c := range []struct {
		name  string
		facts []daybook.Fact
		want  string
	}{
		{"a later value closes", []daybook.Fact{fact("Oslo", 1, 0), fact("Rome", 2, 0)}, "Rome updates Oslo"},
		{"an earlier value closes nothing", []daybook.Fact{fact("Rome", 2, 0), fact("Oslo", 1, 0)}, "Rome updates Oslo"},
		{"the same value closes nothing", []daybook.Fact{fact("Oslo", 1, 0), fact(" oslo", 2, 0)}, ""},
		{"the same instant contradicts", []daybook.Fact{fact("Oslo", 1, 0), fact("Rome", 1, 0)}, "Rome contradicts Oslo"},
		{"what has ended is not closed", []daybook.Fact{fact("Oslo", 1, 2), fact("Rome", 2, 0)}, ""},
		{"a chain", []daybook.Fact{fact("A", 1, 0), fact("B", 2, 0), fact("C", 3, 0)}, "B updates A, C updates B"},
		{"there and back", []daybook.Fact{fact("A", 1, 0), fact("B", 2, 0), fact("A", 3, 0)}, "B updates A, A updates B"},
		{"a restatement is closed too", []daybook.Fact{fact("A", 1, 0), fact("A", 2, 0), fact("B", 3, 0)}, "B updates A, B updates A"},
		{"a plan closes nothing", []daybook.Fact{fact("A", 1, 0), fact("B", 2, 0, as(daybook.Planned))}, ""},
		{"a wish closes nothing", []daybook.Fact{fact("A", 1, 0), fact("B", 2, 0, as(daybook.Wished))}, ""},
		{"a rumour closes nothing", []daybook.Fact{fact("A", 1, 0), fact("B", 2, 0, as(daybook.Reported))}, ""},
		{"a one-off closes nothing", []daybook.Fact{fact("A", 1, 0), fact("B", 2, 0, as(daybook.OneOff))}, ""},
		{"many values close nothing", []daybook.Fact{fact("A", 1, 0, many), fact("B", 2, 0, many)}, ""},
	} {
		var v variable
		for i, f := range c.facts {
			v.facts = append(v.facts, knownFact(&op{Place: store.Place{Seq: uint64(i + 1)}, body: body{Op: daybook.Op{Fact: &f}}}))
		}
		v.sort()
		var got []string
		for _, l := range v.judge() {
			got = append(got, fmt.Sprintf("%s %s %s", objectOf(c.facts, l.From), l.Kind, objectOf(c.facts, l.To)))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

func objectOf(facts []daybook.Fact, id string) string {
	for _, f := range facts {
		if string(f.ID) == id {
			return f.Object
		}
	}
	return "?"
}

// A link that somebody judged passes the same guard as the rules.
func TestRelateIsGuarded(t *testing.T) {
	s := openStore(t)
	ledger := Ledger{Now: time.Now, Rand: rand.Reader}
	day := func(d int) daybook.Span { return daybook.Span{From: time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC)} }
	facts := map[string]daybook.Fact{
		"old":      {Subject: "s", Relation: "likes", Object: "tea", Valid: day(1)},
		"new":      {Subject: "s", Relation: "likes", Object: "coffee", Valid: day(2)},
		"plan":     {Subject: "s", Relation: "likes", Object: "milk", Valid: day(3), Modality: daybook.Planned},
		"other":    {Subject: "s", Relation: "owns", Object: "coffee", Valid: day(2)},
		"last":     {Subject: "s", Relation: "likes", Object: "water", Valid: day(4)},
		"again":    {Subject: "s", Relation: "likes", Object: "Tea", Valid: day(4)},
		"stranger": {Subject: "t", Relation: "likes", Object: "coffee", Valid: day(2)},
	}
	apply := func(ops ...daybook.Op) error {
		return s.Update(t.Context(), daybook.Scope{}, func(w store.Writer) error {
			_, err := ledger.Apply(w, Change{Author: "test", Ops: ops})
			return err
		})
	}
	for name, f := range facts {
		f = f.Named()
		facts[name] = f
		if err := apply(daybook.Op{Fact: &f}); err != nil {
			t.Fatal(err)
		}
	}
	link := func(kind daybook.LinkKind, from, to string) error {
		return apply(daybook.Op{Relate: &daybook.Link{Kind: kind, From: string(facts[from].ID), To: string(facts[to].ID), By: "test"}})
	}
	for _, c := range []struct {
		kind     daybook.LinkKind
		from, to string
		want     string
	}{
		{daybook.Updates, "old", "new", "not later"},
		{daybook.Updates, "plan", "old", "planned and not asserted"},
		{daybook.Updates, "stranger", "old", "different subjects"},
		{daybook.Updates, "last", "plan", "nothing to close"},
		{daybook.Updates, "again", "old", "the same value"},
		{daybook.Updates, "missing", "old", "has the id"},
		{"resembles", "new", "old", "is not one of"},
		{daybook.Updates, "new", "old", ""},
		{daybook.Contradicts, "new", "other", ""},
		{daybook.Updates, "other", "old", ""}, // another relation of the same subject
		{daybook.MayUpdate, "plan", "old", ""},
	} {
		err := link(c.kind, c.from, c.to)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %s %s: %v, want %q", c.from, c.kind, c.to, err, c.want)
		}
	}
}

func TestMentions(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"Will came by", "Will", true},
		{"we will see", "Will", false},
		{"WILL!", "Will", true},
		{"Willow came by", "Will", false},
		{"ask alice", "alice", true},
		{"ask Alice", "alice", true},
		{"malice", "alice", false},
		{"met Ana-María.", "Ana-María", true},
		{"日本のアナさん", "アナ", true}, // no word boundary is visible, and what may name her goes
		{"met ana smith", "Ana Smith", true},
		{"", "x", false},
		{"x", "", false},
	} {
		if got := c.name != "" && mentionsName(c.text, c.name); got != c.want {
			t.Errorf("mentionsName(%q, %q) = %v", c.text, c.name, got)
		}
	}
}

// FuzzImport feeds forged exports to the import. Whatever is taken must be read
// without a panic, an endless loop or an error that has no kind.
func FuzzImport(f *testing.F) {
	s := openStore(f)
	f.Add(`{"entity":{"id":"ent_a","name":"a"}}`, `{"fact":{"id":"fact_a","subject":"ent_a","relation":"lives_in","object":"b"}}`, "x")
	f.Add(`{"merge":{"from":"ent_a","into":"ent_b"}}`, `{"merge":{"from":"ent_b","into":"ent_a"}}`, "x")
	f.Add(`{"revert":{"commit":"","seq":1}}`, `{"erase":{"targets":[{"seq":1,"from":-1,"to":9}]}}`, "x")
	f.Add(`{"relate":{"id":"l","kind":"updates","from":"fact_a","to":"fact_a"}}`, `{"retract":{"target":""}}`, "")
	f.Add(`{"message":"m"}`, `{}`, "x")
	f.Add(`{"observe":{"id":"note_a","time":"2026-01-01T00:00:00Z","text":"a"}}`, `{"enrich":{"note":"note_a","text":"b","by":"c"}}`, "x")
	f.Add(`{"observe":{"id":"note_a","time":"2026-01-01T00:00:00Z","text":"a"}}`, `{"event":{"id":"event_a","kind":"plan","text":"t","quotes":[{"note":"note_a","start":-1,"end":9}],"sources":["note_a"]}}`, "x")
	f.Add(`{"event":{"id":"event_a","kind":"plan","text":"t"}}`, `{"relate":{"id":"l","kind":"causes","from":"event_a","to":"event_a"}}`, "x")
	f.Add(`[]`, `{"fact":{"valid":{"from":"0000-00-00T00:00:00Z"}}}`, "x")
	n := 0
	f.Fuzz(func(t *testing.T, a, b, author string) {
		n++
		scope := daybook.Scope{User: fmt.Sprint("into ", n)}
		line := forge(author, a, b)
		err := s.Update(t.Context(), scope, func(w store.Writer) error {
			_, _, err := Import(w, Header{Format: exportFormat, Head: line.ID, Commits: 1}, func(yield func(Line, error) bool) { yield(line, nil) })
			return err
		})
		if err != nil {
			if daybook.KindOf(err) == daybook.Internal {
				t.Errorf("import: %v", err)
			}
			return
		}
		err = s.View(t.Context(), scope, func(r store.Reader) error {
			b, err := Open(r, daybook.AsOf{}, time.Now())
			if err != nil {
				return err
			}
			if _, err := b.States(Select{}); err != nil {
				return err
			}
			if err := readEvents(b); err != nil {
				return err
			}
			if _, err := b.Plan(Forget{All: true}); err != nil {
				return err
			}
			_, err = b.Check()
			return err
		})
		if err != nil && daybook.KindOf(err) == daybook.Internal {
			t.Errorf("read: %v", err)
		}
	})
}

// readEvents reads all that can be read of events and notes.
func readEvents(b *Book) error {
	events, err := b.Events(EventSelect{})
	if err != nil {
		return err
	}
	for _, e := range events {
		if _, err := b.EventLinks(e.ID); err != nil {
			return err
		}
	}
	return b.Notes("", func(n daybook.Note) error {
		_, err := b.Learned(string(n.ID))
		if daybook.KindOf(err) == daybook.NotFound { // two notes of one id, one of them withdrawn
			err = nil
		}
		return err
	})
}

// forge makes a line whose hashes are right, whatever it says.
func forge(author string, bodies ...string) Line {
	c := store.Commit{Seq: 1, Author: author, RecordedAt: time.UnixMicro(1).UTC()}
	l := Line{Seq: 1, Author: author, RecordedAt: c.RecordedAt}
	salt := make([]byte, saltSize)
	var leaves []store.Hash
	for _, text := range bodies {
		leaf := leafHash(salt, []byte(text))
		leaves = append(leaves, leaf)
		l.Ops = append(l.Ops, LineOp{Hash: hex.EncodeToString(leaf[:]), Salt: salt, Body: json.RawMessage(text)})
	}
	l.ID = commitID(c, leaves)
	return l
}
