// Package storetest is the definition of a store: what must every
// implementation of store.Store do? Each implementation calls Run from a test
// and passes all of it.
//
// Start reading at Run.
package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"daybook"
	"daybook/store"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Open opens a store on the given home; opening the same home again must show
// what was written before.
type Open func(t testing.TB, home string) store.Store

// Run checks that a store keeps every promise of its contract.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Open)
	}{
		{"an unwritten scope is empty", testEmpty},
		{"what was appended is read back", testAppend},
		{"what was written survives reopening", testReopen},
		{"an update that errs leaves nothing", testRollback},
		{"an update that writes nothing makes no scope", testNoScope},
		{"commits are found by prefix", testFindCommits},
		{"contents are found by key and range", testByKey},
		{"reads may be nested", testNested},
		{"erase removes contents and keys and leaves commits", testErase},
		{"the index can be replaced", testReplaceKeys},
		{"vectors are kept by encoder", testVectors},
		{"scopes never mix", testScopes},
		{"records are kept, replaced and trimmed", testRecords},
		{"records that many change at once are all kept", testRecordsAtOnce},
		{"odd keys and bytes are kept", testOddBytes},
		{"first entries are found by leaping", testFirsts},
		{"a view does not change while it is read", testSnapshot},
		{"updates run one at a time", testSerial},
		{"a cancelled call says so", testCancel},
		{"a sequence number is used once", testDuplicateSeq},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open) })
	}
}

func records(t *testing.T, s store.Store, scope daybook.Scope, kind string) (got []string) {
	t.Helper()
	view(t, s, scope, func(r store.Reader) error {
		for rec, err := range r.Records(kind) {
			if err != nil {
				return err
			}
			got = append(got, rec.Kind+" "+rec.ID+" "+string(rec.Body))
		}
		return nil
	})
	return got
}

func testRecords(t *testing.T, open Open) {
	s := openNew(t, open)
	for _, scope := range []daybook.Scope{alice, store.Common} {
		name := scope.User
		update(t, s, scope, func(w store.Writer) error {
			for _, id := range []string{"c", "a", "b"} {
				if err := w.PutRecord(store.Record{Kind: "letter", ID: id, Body: []byte(name + id)}); err != nil {
					return err
				}
			}
			return errors.Join(w.PutRecord(store.Record{Kind: "letter", ID: "b", Body: []byte(name + "new")}),
				w.PutRecord(store.Record{Kind: "other", ID: "x", Body: []byte(name)}))
		})
	}
	for _, scope := range []daybook.Scope{alice, store.Common} {
		name := scope.User
		want := []string{"letter a " + name + "a", "letter b " + name + "new", "letter c " + name + "c"}
		if got := records(t, s, scope, "letter"); !slices.Equal(got, want) {
			t.Errorf("records are %q, want %q", got, want)
		}
	}
	if got := records(t, s, daybook.Scope{User: "nobody"}, "letter"); len(got) != 0 {
		t.Errorf("an unwritten scope has %q", got)
	}
	update(t, s, alice, func(w store.Writer) error { return w.TrimRecords("letter", 2) })
	if got := records(t, s, alice, "letter"); len(got) != 2 || got[0][:8] != "letter b" {
		t.Errorf("the two last are %q", got)
	}
	update(t, s, alice, func(w store.Writer) error { return w.TrimRecords("letter", 0) })
	if got := records(t, s, alice, "letter"); len(got) != 0 {
		t.Errorf("after removing all: %q", got)
	}
	if got := append(records(t, s, alice, "other"), records(t, s, store.Common, "letter")...); len(got) != 4 {
		t.Errorf("others were removed, too: %q", got)
	}
	if scopes, err := s.Scopes(t.Context()); err != nil || len(scopes) != 0 {
		t.Errorf("records make scopes: %v, %v", scopes, err)
	}
	err := s.Update(t.Context(), store.Common, func(w store.Writer) error {
		c, leaves, contents := example(1, 1)
		return w.Append(c, leaves, contents)
	})
	if err == nil {
		t.Error("a commit was appended to what has no ledger")
	}
}

func testRecordsAtOnce(t *testing.T, open Open) {
	home := t.TempDir()
	one, other := open(t, home), open(t, home)
	defer one.Close()
	defer other.Close()
	var all sync.WaitGroup
	const n = 20
	for i := range n {
		s := []store.Store{one, other}[i%2]
		all.Go(func() {
			if err := s.Update(t.Context(), store.Common, func(w store.Writer) error {
				return w.PutRecord(store.Record{Kind: "k", ID: fmt.Sprint(i), Body: []byte("x")})
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := records(t, one, store.Common, "k"); len(got) != n {
		t.Errorf("%d of %d records are there", len(got), n)
	}
}

var alice = daybook.Scope{Tenant: "t", User: "alice"}

func openNew(t *testing.T, open Open) store.Store {
	s := open(t, t.TempDir())
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// example makes the seq-th commit of a chain with n contents. Each content has a
// key of its own, a key per commit and a key that all share.
func example(seq uint64, n int) (store.Commit, []store.Hash, []store.Content) {
	c := store.Commit{
		Seq:        seq,
		ID:         sha256.Sum256(fmt.Append(nil, "commit", seq)),
		RecordedAt: time.Date(2026, 1, 1, 0, 0, int(seq), 1000, time.UTC),
		Author:     fmt.Sprintf("author %d", seq),
	}
	if seq > 1 {
		c.Parent = sha256.Sum256(fmt.Append(nil, "commit", seq-1))
	}
	var leaves []store.Hash
	var contents []store.Content
	for pos := range n {
		body := fmt.Appendf(nil, "body %d.%d", seq, pos)
		leaves = append(leaves, sha256.Sum256(body))
		contents = append(contents, store.Content{
			Place: store.Place{Seq: seq, Pos: pos},
			Salt:  []byte{byte(seq), byte(pos)},
			Body:  body,
			Keys:  []store.Key{store.Key(fmt.Sprintf("own %d.%d", seq, pos)), store.Key(fmt.Sprintf("commit %d", seq)), "shared"},
		})
	}
	return c, leaves, contents
}

// someContents returns one content of an example commit.
func someContents(seq uint64, pos int) []store.Content {
	_, _, contents := example(seq, pos+1)
	return contents[pos:]
}

func update(t *testing.T, s store.Store, scope daybook.Scope, write func(store.Writer) error) {
	t.Helper()
	if err := s.Update(t.Context(), scope, write); err != nil {
		t.Fatalf("update: %v", err)
	}
}

func view(t *testing.T, s store.Store, scope daybook.Scope, read func(store.Reader) error) {
	t.Helper()
	if err := s.View(t.Context(), scope, read); err != nil {
		t.Fatalf("view: %v", err)
	}
}

func appendN(t *testing.T, s store.Store, scope daybook.Scope, commits, contents int) {
	t.Helper()
	for i := range commits {
		update(t, s, scope, func(w store.Writer) error { return w.Append(example(uint64(i+1), contents)) })
	}
}

func collect[T any](t *testing.T, seq iter.Seq2[T, error]) (all []T) {
	t.Helper()
	for v, err := range seq {
		if err != nil {
			t.Fatalf("iterate: %v", err)
		}
		all = append(all, v)
	}
	return all
}

func equal(t *testing.T, what string, got, want any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, append(opts, cmpopts.EquateEmpty())...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func testEmpty(t *testing.T, open Open) {
	s := openNew(t, open)
	view(t, s, alice, func(r store.Reader) error {
		head, err := r.Head()
		equal(t, "head", head, store.Commit{})
		equal(t, "commits", len(collect(t, r.Commits(store.All))), 0)
		equal(t, "contents", len(collect(t, r.Contents(store.All))), 0)
		equal(t, "by key", len(collect(t, r.ByKey("shared", store.All))), 0)
		equal(t, "keys", len(collect(t, r.Keys())), 0)
		return err
	})
}

func testAppend(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 3, 2)
	view(t, s, alice, func(r store.Reader) error {
		var wantCommits []store.Commit
		var wantContents []store.Content
		for seq := range uint64(3) {
			c, leaves, contents := example(seq+1, 2)
			got, err := r.Leaves(seq + 1)
			if err != nil {
				return err
			}
			equal(t, "leaves", got, leaves)
			wantCommits = append(wantCommits, c)
			wantContents = append(wantContents, contents...)
		}
		noKeys := cmpopts.IgnoreFields(store.Content{}, "Keys")
		equal(t, "commits", collect(t, r.Commits(store.All)), wantCommits)
		equal(t, "one commit", collect(t, r.Commits(store.Range{From: 2, To: 2})), wantCommits[1:2])
		equal(t, "contents", collect(t, r.Contents(store.All)), wantContents, noKeys)
		equal(t, "contents up to 1", collect(t, r.Contents(store.UpTo(1))), wantContents[:2], noKeys)
		equal(t, "contents up to 0", len(collect(t, r.Contents(store.UpTo(0)))), 0)
		head, err := r.Head()
		equal(t, "head", head, wantCommits[2])
		return err
	})
}

func testReopen(t *testing.T, open Open) {
	home := t.TempDir()
	s := open(t, home)
	appendN(t, s, alice, 2, 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, home)
	defer s.Close()
	view(t, s, alice, func(r store.Reader) error {
		equal(t, "commits", len(collect(t, r.Commits(store.All))), 2)
		return nil
	})
}

func testRollback(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 1, 1)
	broken := errors.New("broken")
	err := s.Update(t.Context(), alice, func(w store.Writer) error {
		if err := w.Append(example(2, 3)); err != nil {
			return err
		}
		if err := w.Erase(someContents(1, 0)); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("update returned %v, want the writer's own error", err)
	}
	view(t, s, alice, func(r store.Reader) error {
		equal(t, "commits", len(collect(t, r.Commits(store.All))), 1)
		equal(t, "contents", len(collect(t, r.Contents(store.All))), 1)
		return nil
	})
}

func testNoScope(t *testing.T, open Open) {
	s := openNew(t, open)
	update(t, s, alice, func(store.Writer) error { return nil })
	scopes, err := s.Scopes(t.Context())
	if err != nil || len(scopes) != 0 {
		t.Errorf("scopes = %v, %v; want none", scopes, err)
	}
}

func testFindCommits(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 40, 1)
	view(t, s, alice, func(r store.Reader) error {
		want, _, _ := example(17, 1)
		for _, n := range []int{64, 63, 12, 9} {
			found, err := r.FindCommits(want.ID.String()[:n], 2)
			if err != nil || len(found) != 1 {
				t.Errorf("prefix of %d: %d found, %v", n, len(found), err)
				continue
			}
			equal(t, "found", found[0], want)
		}
		some, err := r.FindCommits("", 5)
		if err != nil || len(some) != 5 {
			t.Errorf("limit 5: %d found, %v", len(some), err)
		}
		for _, bad := range []string{"zz", strings.Repeat("0", 65), "' OR 1=1 --"} {
			if found, err := r.FindCommits(bad, 5); err != nil || len(found) != 0 {
				t.Errorf("prefix %q: %d found, %v", bad, len(found), err)
			}
		}
		return nil
	})
}

func bodies(contents []store.Content) (out []string) {
	for _, c := range contents {
		out = append(out, string(c.Body))
	}
	return out
}

func testByKey(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 3, 2)
	view(t, s, alice, func(r store.Reader) error {
		equal(t, "own", bodies(collect(t, r.ByKey("own 2.1", store.All))), []string{"body 2.1"})
		equal(t, "shared", bodies(collect(t, r.ByKey("shared", store.All))),
			[]string{"body 1.0", "body 1.1", "body 2.0", "body 2.1", "body 3.0", "body 3.1"})
		equal(t, "shared, second commit", bodies(collect(t, r.ByKey("shared", store.Range{From: 2, To: 2}))), []string{"body 2.0", "body 2.1"})
		equal(t, "a prefix is not the key", len(collect(t, r.ByKey("share", store.All))), 0)
		n, err := r.Count("shared")
		equal(t, "count", n, 6)
		return err
	})
}

func testNested(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 3, 2)
	seen := 0
	update(t, s, alice, func(w store.Writer) error {
		for outer, err := range w.ByKey("shared", store.All) {
			if err != nil {
				return err
			}
			for inner, err := range w.ByKey(store.Key(fmt.Sprintf("own %d.%d", outer.Seq, outer.Pos)), store.All) {
				if err != nil {
					return err
				}
				equal(t, "inner", string(inner.Body), string(outer.Body))
				seen++
			}
		}
		return nil
	})
	equal(t, "contents seen", seen, 6)
}

func testErase(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 2, 2)
	update(t, s, alice, func(w store.Writer) error { return w.Erase(append(someContents(1, 1), someContents(2, 0)...)) })
	view(t, s, alice, func(r store.Reader) error {
		equal(t, "contents", bodies(collect(t, r.Contents(store.All))), []string{"body 1.0", "body 2.1"})
		equal(t, "by key", bodies(collect(t, r.ByKey("shared", store.All))), []string{"body 1.0", "body 2.1"})
		if _, ok, err := r.Content(store.Place{Seq: 1, Pos: 1}); ok || err != nil {
			t.Errorf("an erased content is there: %v", err)
		}
		c, ok, err := r.Content(store.Place{Seq: 2, Pos: 1})
		if !ok || err != nil || string(c.Body) != "body 2.1" || len(c.Salt) != 2 {
			t.Errorf("content 2.1: %+v, %v, %v", c, ok, err)
		}
		equal(t, "erased key", len(collect(t, r.ByKey("own 1.1", store.All))), 0)
		for _, c := range collect(t, r.Commits(store.All)) {
			want, leaves, _ := example(c.Seq, 2)
			equal(t, "commit", c, want)
			got, err := r.Leaves(c.Seq)
			if err != nil {
				return err
			}
			equal(t, "leaves", got, leaves)
		}
		return nil
	})
}

// replaceKeys makes the entries all that the index of alice's scope has.
func replaceKeys(t *testing.T, s store.Store, entries []store.Entry) {
	t.Helper()
	update(t, s, alice, func(w store.Writer) error {
		return w.ReplaceKeys(func(yield func(store.Entry, error) bool) {
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
		})
	})
}

func testReplaceKeys(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 2, 1)
	entries := []store.Entry{{Key: "a", Place: store.Place{Seq: 2}}, {Key: "b", Place: store.Place{Seq: 1}}}
	replaceKeys(t, s, entries)
	view(t, s, alice, func(r store.Reader) error {
		equal(t, "index", collect(t, r.Keys()), entries)
		equal(t, "old key", len(collect(t, r.ByKey("shared", store.All))), 0)
		equal(t, "new key", bodies(collect(t, r.ByKey("a", store.All))), []string{"body 2.0"})
		return nil
	})
}

// testFirsts asks a store that can leap from key to key for the first entry of
// each.
func testFirsts(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 3, 1)
	entries := []store.Entry{
		{Key: "a", Place: store.Place{Seq: 1}}, {Key: "s1", Place: store.Place{Seq: 2}}, {Key: "s1", Place: store.Place{Seq: 3}},
		{Key: "s2", Place: store.Place{Seq: 1}}, {Key: "s\xff\xff", Place: store.Place{Seq: 3}}, {Key: "t", Place: store.Place{Seq: 1}},
	}
	replaceKeys(t, s, entries)
	view(t, s, alice, func(r store.Reader) error {
		f, ok := r.(store.Firsts)
		if !ok {
			t.Skip("this store does not leap")
		}
		equal(t, "firsts", collect(t, f.Firsts('s')), []store.Entry{entries[1], entries[3], entries[4]})
		equal(t, "none", len(collect(t, f.Firsts('z'))), 0)
		return nil
	})
}

func testVectors(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 2, 2)
	vector := func(seq uint64, pos, part int, data string) store.Vector {
		return store.Vector{Place: store.Place{Seq: seq, Pos: pos}, Part: part, Data: []byte(data)}
	}
	a := []store.Vector{vector(1, 0, 0, "a"), vector(1, 1, 0, "b"), vector(1, 1, 1, "c"), vector(2, 0, 0, "\x00\xff")}
	update(t, s, alice, func(w store.Writer) error { return w.PutVectors("one", 1, a[:3]) })
	update(t, s, alice, func(w store.Writer) error {
		if err := w.PutVectors("one", 2, append(a[3:4:4], vector(9, 9, 0, "of nothing"))); err != nil {
			return err
		}
		return w.PutVectors("two", 1, a[:1])
	})
	view(t, s, alice, func(r store.Reader) error {
		spaces, err := r.Spaces()
		equal(t, "spaces", spaces, []store.Space{{Encoder: "one", UpTo: 2, Count: 4}, {Encoder: "two", UpTo: 1, Count: 1}})
		equal(t, "one", collect(t, r.Vectors("one", store.All)), a)
		equal(t, "one, second commit", collect(t, r.Vectors("one", store.Range{From: 2, To: 2})), a[3:])
		equal(t, "two", collect(t, r.Vectors("two", store.All)), a[:1])
		equal(t, "three", len(collect(t, r.Vectors("three", store.All))), 0)
		return err
	})
	view(t, s, daybook.Scope{User: "other"}, func(r store.Reader) error {
		equal(t, "another scope's", len(collect(t, r.Vectors("one", store.All))), 0)
		return nil
	})
	update(t, s, alice, func(w store.Writer) error { return w.Erase(someContents(1, 1)) })
	update(t, s, alice, func(w store.Writer) error { return w.PutVectors("one", 1, []store.Vector{a[1]}) }) // too late
	update(t, s, alice, func(w store.Writer) error { return w.DropVectors("two") })
	view(t, s, alice, func(r store.Reader) error {
		spaces, err := r.Spaces()
		equal(t, "spaces after", spaces, []store.Space{{Encoder: "one", UpTo: 2, Count: 2}})
		equal(t, "one after", collect(t, r.Vectors("one", store.All)), []store.Vector{a[0], a[3]})
		return err
	})
	update(t, s, alice, func(w store.Writer) error {
		return w.RemoveVectors("one", []store.Place{a[3].Place, {Seq: 9, Pos: 9}})
	})
	update(t, s, alice, func(w store.Writer) error { return w.RemoveVectors("three", []store.Place{a[0].Place}) })
	view(t, s, alice, func(r store.Reader) error {
		one, err := r.Covers("one")
		equal(t, "one covers", one, uint64(2))
		none, err2 := r.Covers("three")
		equal(t, "three covers", none, uint64(0))
		equal(t, "one without the last", collect(t, r.Vectors("one", store.All)), []store.Vector{a[0]})
		return errors.Join(err, err2)
	})
}

func testScopes(t *testing.T, open Open) {
	s := openNew(t, open)
	scopes := []daybook.Scope{
		{}, {User: "a"}, {Tenant: "a"}, {Agent: "a"}, {Tenant: "a", User: "b"}, {Tenant: "ab"},
		{User: "a/b"}, {User: "a", Agent: "b"}, {User: "A"}, {User: "' OR '1'='1"}, {User: "../../etc"}, {User: "a "},
	}
	for i, sc := range scopes {
		appendN(t, s, sc, i+1, 1)
	}
	for i, sc := range scopes {
		view(t, s, sc, func(r store.Reader) error {
			equal(t, sc.String()+" commits", len(collect(t, r.Commits(store.All))), i+1)
			equal(t, sc.String()+" by key", len(collect(t, r.ByKey("shared", store.All))), i+1)
			equal(t, sc.String()+" index", len(collect(t, r.Keys())), 3*(i+1))
			return nil
		})
	}
	update(t, s, scopes[11], func(w store.Writer) error { return w.Erase(someContents(1, 0)) })
	view(t, s, scopes[1], func(r store.Reader) error {
		equal(t, "a scope beside an erased one", len(collect(t, r.Contents(store.All))), 2)
		return nil
	})
	listed, err := s.Scopes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byText := func(a, b daybook.Scope) int { return strings.Compare(fmt.Sprintf("%q", a), fmt.Sprintf("%q", b)) }
	slices.SortFunc(listed, byText)
	slices.SortFunc(scopes, byText)
	equal(t, "scopes", listed, scopes)
}

func testOddBytes(t *testing.T, open Open) {
	s := openNew(t, open)
	keys := []store.Key{"", "\x00", "\xff\xfe", "a\x00b", "'; DROP TABLE commits; --", store.Key(strings.Repeat("k", 500))}
	big := []byte(strings.Repeat("x\x00é\xff", 1<<20))
	c, leaves, _ := example(1, 0)
	var contents []store.Content
	for i, k := range keys {
		contents = append(contents, store.Content{Place: store.Place{Seq: 1, Pos: i}, Salt: []byte{0}, Body: big[:len(big)-i], Keys: []store.Key{k}})
		leaves = append(leaves, store.Hash{byte(i)})
	}
	update(t, s, alice, func(w store.Writer) error { return w.Append(c, leaves, contents) })
	view(t, s, alice, func(r store.Reader) error {
		for i, k := range keys {
			got := collect(t, r.ByKey(k, store.All))
			if len(got) != 1 || string(got[0].Body) != string(contents[i].Body) {
				t.Errorf("key %.20q: %d contents, or other bytes", k, len(got))
			}
		}
		return nil
	})
}

func testSnapshot(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 1, 1)
	view(t, s, alice, func(r store.Reader) error {
		before, err := r.Head()
		if err != nil {
			return err
		}
		update(t, s, alice, func(w store.Writer) error { return w.Append(example(2, 1)) })
		after, err := r.Head()
		equal(t, "head inside one view", after, before)
		equal(t, "commits inside one view", len(collect(t, r.Commits(store.All))), 1)
		return err
	})
}

func testSerial(t *testing.T, open Open) {
	s := openNew(t, open)
	const writers, each = 8, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				err := s.Update(context.Background(), alice, func(w store.Writer) error {
					head, err := w.Head()
					if err != nil {
						return err
					}
					return w.Append(example(head.Seq+1, 1))
				})
				if err != nil {
					t.Errorf("update: %v", err)
				}
			}
		})
	}
	wg.Wait()
	view(t, s, alice, func(r store.Reader) error {
		equal(t, "commits", len(collect(t, r.Commits(store.All))), writers*each)
		return nil
	})
}

func testCancel(t *testing.T, open Open) {
	s := openNew(t, open)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Update(ctx, alice, func(w store.Writer) error { return w.Append(example(1, 1)) }); !errors.Is(err, context.Canceled) {
		t.Errorf("update returned %v, want context.Canceled", err)
	}
	if err := s.View(ctx, alice, func(store.Reader) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("view returned %v, want context.Canceled", err)
	}
}

func testDuplicateSeq(t *testing.T, open Open) {
	s := openNew(t, open)
	appendN(t, s, alice, 1, 1)
	c, leaves, contents := example(1, 1)
	c.ID[0]++
	if err := s.Update(t.Context(), alice, func(w store.Writer) error { return w.Append(c, leaves, contents) }); err == nil {
		t.Error("a second commit 1 was taken")
	}
}
