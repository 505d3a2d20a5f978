package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/graph"
	"daybook/store"
	"daybook/store/sqlite"
	"daybook/tree"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// world is an engine with a clock that the test turns, driven by random
// operations on a small vocabulary, so that they often meet.
type world struct {
	t     *rapid.T
	eng   *engine.Engine
	store store.Store
	scope daybook.Scope
	now   *time.Time
	notes []string
	facts []string
	// events and links that were learned
	events, links []string
}

var begin = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// laws runs a property on fresh worlds, beside the other laws: most of their time
// is waiting for the disk.
func laws(t *testing.T, property func(w *world)) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w, done := newWorld(t, rt)
		defer done()
		property(w)
	})
}

func newWorld(t *testing.T, rt *rapid.T) (*world, func()) {
	s, err := sqlite.Open(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now := begin
	w := &world{t: rt, now: &now, store: s, scope: daybook.Scope{User: "w"}}
	w.eng = engine.New(s).WithClock(func() time.Time { return now })
	return w, func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func (w *world) tick() { *w.now = w.now.Add(time.Minute) }

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%v", err)
	}
}

var by = engine.By{Author: "test"}

// step does one random thing that cannot be wrong, or is refused for a reason
// that the vocabulary allows.
func (w *world) step() {
	w.tick()
	switch rapid.SampledFrom([]string{"note", "fact", "fact", "fact", "supersede", "learn", "learn", "relate", "relate", "retract", "revert", "merge", "split", "tree", "tree"}).Draw(w.t, "op") {
	case "note":
		w.addNote()
	case "tree":
		w.editTree()
	case "fact":
		w.addFact(w.drawFact())
	case "supersede":
		w.supersede()
	case "learn":
		w.learn()
	case "relate":
		w.relate()
	case "retract":
		w.retract()
	case "revert":
		w.revert()
	case "merge":
		_, err := w.eng.Merge(context.Background(), w.scope, by, w.draw(people, "from"), w.draw(people, "into"), "")
		w.allow(err, daybook.NotFound, daybook.Conflict)
	case "split":
		_, err := w.eng.Split(context.Background(), w.scope, by, w.draw(people, "name"), "")
		w.allow(err, daybook.Conflict)
	}
}

// editTree plants a small tree, changes it, or rolls it back.
// revert undoes one of the last commits, where that can be done.
func (w *world) revert() {
	_, err := w.eng.Revert(context.Background(), w.scope, by, fmt.Sprintf("HEAD~%d", rapid.IntRange(0, 4).Draw(w.t, "back")))
	w.allow(err, daybook.NotFound, daybook.Conflict, daybook.Invalid)
}

// retract withdraws something that was learned, where there is any.
func (w *world) retract() {
	if id := w.drawWithdrawal(); id != "" {
		_, err := w.eng.Retract(context.Background(), w.scope, by, id, "wrong")
		w.allow(err, daybook.NotFound)
	}
}

// forgetNote erases one of the notes, where there is any.
func (w *world) forgetNote() {
	if len(w.notes) > 0 {
		_, err := w.eng.Forget(context.Background(), w.scope, by, graph.Forget{IDs: []string{rapid.SampledFrom(w.notes).Draw(w.t, "note")}})
		w.allow(err, daybook.NotFound)
	}
}

func (w *world) editTree() {
	ctx := context.Background()
	h, err := w.eng.Tree(ctx, w.scope, "plan", daybook.AsOf{})
	if daybook.KindOf(err) == daybook.NotFound {
		day := func(n int) *tree.Node {
			return &tree.Node{Type: "Day", Children: []*tree.Node{{Type: "Stop", Attrs: []tree.Attr{{"name", w.draw(objects, "stop")}}}}, Attrs: []tree.Attr{{"index", fmt.Sprint(n)}}}
		}
		_, err = w.eng.PlantTree(ctx, w.scope, by, "plan", &tree.Node{Type: "Plan", Children: []*tree.Node{day(1), day(2)}})
		w.must(err)
		return
	}
	w.must(err)
	if rapid.IntRange(0, 4).Draw(w.t, "roll back") == 0 {
		to := rapid.SampledFrom(h.Versions).Draw(w.t, "version").Number
		_, err := w.eng.RollBackTree(ctx, w.scope, by, "plan", to)
		w.allow(err, daybook.Invalid)
		return
	}
	var ids []string
	for _, d := range h.Current().Task().Children {
		ids = append(ids, d.ID)
		for _, s := range d.Children {
			ids = append(ids, s.ID)
		}
	}
	c := daybook.TreeChange{Add: &daybook.TreeNode{ID: fmt.Sprint("a", len(w.facts), w.now.Unix()), Type: "Day", Parent: h.Current().Task().ID}}
	if len(ids) > 0 {
		id := w.draw(ids, "node")
		switch w.draw([]string{"set", "remove", "add"}, "change") {
		case "set":
			c = daybook.TreeChange{Set: &daybook.TreeSet{Node: id, Attrs: [][2]string{{"name", w.draw(objects, "name")}}}}
		case "remove":
			c = daybook.TreeChange{Remove: id}
		}
	}
	_, err = w.eng.EditTree(ctx, w.scope, by, engine.TreeEdit{Tree: "plan", Changes: []daybook.TreeChange{c}})
	w.must(err)
}

func (w *world) allow(err error, kinds ...daybook.Kind) {
	w.t.Helper()
	for _, k := range kinds {
		if err != nil && daybook.KindOf(err) == k {
			return
		}
	}
	w.must(err)
}

func (w *world) steps(low, high int) {
	for range rapid.IntRange(low, high).Draw(w.t, "steps") {
		w.step()
	}
}

var (
	people    = []string{"Ana", "Bo", "ana"}
	relations = []string{"lives_in", "likes", "desk"}
	objects   = []string{"Oslo", "Rome", "Lima"}
)

func (w *world) draw(from []string, label string) string {
	return rapid.SampledFrom(from).Draw(w.t, label)
}

func (w *world) addNote() {
	id := fmt.Sprintf("n%d", rapid.IntRange(0, 9).Draw(w.t, "note"))
	n := daybook.Note{SourceID: id, Session: "s" + id[1:], Speaker: "Ana", Text: "text of " + id, Time: begin}
	_, err := w.eng.Add(context.Background(), w.scope, by, []daybook.Note{n})
	w.must(err)
	w.notes = append(w.notes, id)
}

func (w *world) drawFact() engine.NewFact {
	f := engine.NewFact{Subject: w.draw(people, "subject"), Relation: w.draw(relations, "relation"), Object: w.draw(objects, "object")}
	if f.Relation == "desk" {
		f.Holds = daybook.OneValue
	}
	day := rapid.IntRange(-1, 6).Draw(w.t, "day")
	if day >= 0 {
		f.Valid = daybook.Span{From: begin.AddDate(0, 0, day-8), Known: daybook.Stated}
		if rapid.IntRange(0, 4).Draw(w.t, "bounded") == 0 {
			f.Valid.Until = f.Valid.From.AddDate(0, 0, rapid.IntRange(1, 3).Draw(w.t, "length"))
		}
	}
	if rapid.IntRange(0, 8).Draw(w.t, "planned") == 0 {
		f.Modality = daybook.Planned
	}
	if len(w.notes) > 0 && rapid.Bool().Draw(w.t, "sourced") {
		f.Sources = []string{rapid.SampledFrom(w.notes).Draw(w.t, "source")}
	}
	return f
}

func (w *world) addFact(f engine.NewFact) {
	r, err := w.eng.AddFact(context.Background(), w.scope, by, f)
	w.allow(err, daybook.NotFound) // the source may have been reverted
	w.facts = append(w.facts, r.IDs...)
}

// supersede adds a fact that takes the place of another, or of what a note states.
func (w *world) supersede() {
	f, old := w.drawFact(), append(append([]string{}, w.facts...), w.notes...)
	if len(old) > 0 {
		f.Supersedes = []string{rapid.SampledFrom(old).Draw(w.t, "superseded")}
	}
	r, err := w.eng.AddFact(context.Background(), w.scope, by, f)
	w.allow(err, daybook.NotFound, daybook.Invalid)
	w.facts = append(w.facts, r.IDs...)
}

// picture is all that a reader can see at some time, as text.
func (w *world) picture(scope daybook.Scope, at daybook.AsOf) string {
	w.t.Helper()
	var out strings.Builder
	states, err := w.eng.Facts(context.Background(), scope, engine.FactQuery{All: true, At: at})
	w.must(err)
	for _, p := range people { // by subject, reads go through the cache
		some, err := w.eng.Facts(context.Background(), scope, engine.FactQuery{Subject: p, All: true, At: at})
		w.must(err)
		states = append(states, some...)
	}
	text, err := json.MarshalIndent(states, "", " ")
	w.must(err)
	out.Write(text)
	w.must(w.eng.Notes(context.Background(), scope, "", at, func(n daybook.Note) error {
		fmt.Fprintf(&out, "\n%s %s", n.ID, n.Text)
		return nil
	}))
	out.WriteString(w.learned(scope, at))
	w.pictureTree(&out, scope, at)
	return out.String()
}

// pictureTree adds every version of the tree.
func (w *world) pictureTree(out *strings.Builder, scope daybook.Scope, at daybook.AsOf) {
	h, err := w.eng.Tree(context.Background(), scope, "plan", at)
	if daybook.KindOf(err) == daybook.NotFound {
		return
	}
	w.must(err)
	for _, v := range h.Versions {
		text, err := tree.Format(tree.YAML, v.Root())
		w.must(err)
		fmt.Fprintf(out, "\nversion %d %s\n%s", v.Number, v.Request, text)
	}
}

func (w *world) sound() {
	w.t.Helper()
	reports, err := w.eng.Check(context.Background())
	w.must(err)
	for _, r := range reports {
		if len(r.Damage) > 0 {
			w.t.Fatalf("check: %v", r.Damage)
		}
	}
}

func (w *world) same(what, got, want string) {
	w.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// As-of a past recorded time never changes, whatever comes later.
func TestLawAsOf(t *testing.T) {
	laws(t, func(w *world) {
		type shot struct {
			at   daybook.AsOf
			seen string
		}
		var shots []shot
		for range rapid.IntRange(1, 12).Draw(w.t, "steps") {
			w.step()
			at := daybook.AsOf{KnownAt: *w.now, ValidAt: begin.AddDate(0, 0, rapid.IntRange(-9, 3).Draw(w.t, "valid"))}
			shots = append(shots, shot{at, w.picture(w.scope, at)})
		}
		for _, s := range shots {
			w.same("as-of "+s.at.KnownAt.String(), w.picture(w.scope, s.at), s.seen)
		}
	})
}

// Adding twice is adding once.
func TestLawAddTwice(t *testing.T) {
	laws(t, func(w *world) {
		w.steps(0, 8)
		n := daybook.Note{SourceID: "twice", Text: "said once", Time: begin}
		f := w.drawFact()
		f.Sources = nil
		add := func() daybook.Receipt {
			_, err := w.eng.Add(context.Background(), w.scope, by, []daybook.Note{n})
			w.must(err)
			r, err := w.eng.AddFact(context.Background(), w.scope, by, f)
			w.must(err)
			return r
		}
		first := add()
		before := w.picture(w.scope, daybook.AsOf{ValidAt: begin})
		w.tick()
		again := add()
		w.same("state", w.picture(w.scope, daybook.AsOf{ValidAt: begin}), before)
		if again.Added != 0 || again.Known != 1 || again.Commit != first.Commit {
			w.t.Fatalf("second add: %+v after %+v", again, first)
		}
	})
}

// Reverting a commit restores the state before it, and reverting the revert
// brings the state after it back.
func TestLawRevert(t *testing.T) {
	laws(t, func(w *world) {
		w.steps(0, 8)
		at := daybook.AsOf{ValidAt: begin.AddDate(0, 0, rapid.IntRange(-9, 3).Draw(w.t, "valid"))}
		before, head := w.picture(w.scope, at), w.head()
		w.step()
		after, next := w.picture(w.scope, at), w.head()
		if head == next {
			return // the step changed nothing
		}
		w.tick()
		_, err := w.eng.Revert(context.Background(), w.scope, by, next.String())
		w.must(err)
		w.same("after revert", w.picture(w.scope, at), before)
		w.tick()
		_, err = w.eng.Revert(context.Background(), w.scope, by, "HEAD")
		w.must(err)
		w.same("after reverting the revert", w.picture(w.scope, at), after)
		w.sound()
	})
}

func (w *world) head() daybook.CommitID {
	entries, err := w.eng.Log(context.Background(), w.scope, 1)
	w.must(err)
	if len(entries) == 0 {
		return daybook.CommitID{}
	}
	return entries[0].ID
}

// An export imported elsewhere gives the same state, the same commits and the
// same export.
func TestLawExport(t *testing.T) {
	laws(t, func(w *world) {
		w.steps(0, 12)
		header, lines := w.export(w.scope)
		copied := daybook.Scope{Tenant: "elsewhere"}
		for range 2 { // importing twice is importing once
			_, err := w.eng.ImportLedger(context.Background(), copied, header, lines2seq(lines))
			w.must(err)
		}
		w.same("state", w.picture(copied, daybook.AsOf{}), w.picture(w.scope, daybook.AsOf{}))
		_, again := w.export(copied)
		w.same("export", string(encode(w.t, again)), string(encode(w.t, lines)))
		w.sound()
	})
}

func (w *world) export(scope daybook.Scope) (header graph.Header, lines []graph.Line) {
	w.must(w.eng.Export(context.Background(), scope,
		func(h graph.Header) error { header = h; return nil },
		func(l graph.Line) error { lines = append(lines, l); return nil }))
	return header, lines
}

func lines2seq(lines []graph.Line) iter.Seq2[graph.Line, error] {
	return func(yield func(graph.Line, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

func encode(t *rapid.T, v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// What one scope holds does not depend on what others do.
func TestLawScopes(t *testing.T) {
	laws(t, func(w *world) {
		mine, other := daybook.Scope{User: "w", Agent: "a"}, daybook.Scope{User: "w"}
		w.scope = mine
		w.steps(1, 6)
		before := w.picture(mine, daybook.AsOf{ValidAt: begin})
		w.scope, w.notes, w.facts, w.events, w.links = other, nil, nil, nil, nil
		w.steps(1, 10)
		if rapid.Bool().Draw(w.t, "forget") && !w.head().IsZero() {
			_, err := w.eng.Forget(context.Background(), other, by, graph.Forget{All: true})
			w.must(err)
		}
		w.same("the other scope's neighbour", w.picture(mine, daybook.AsOf{ValidAt: begin}), before)
		w.sound()
	})
}

// The index can be built anew, and the cache be empty, and the answers are the
// same.
func TestLawRebuild(t *testing.T) {
	laws(t, func(w *world) {
		for range rapid.IntRange(0, 12).Draw(w.t, "steps") {
			w.step()
			w.picture(w.scope, daybook.AsOf{KnownAt: w.now.Add(-time.Minute * time.Duration(rapid.IntRange(0, 3).Draw(w.t, "ago")))})
			if rapid.IntRange(0, 9).Draw(w.t, "forget") == 0 {
				w.forgetNote()
			}
		}
		before := w.picture(w.scope, daybook.AsOf{})
		w.sound()
		warm := w.eng
		w.eng = engine.New(w.store).WithClock(func() time.Time { return *w.now })
		w.same("with an empty cache", w.picture(w.scope, daybook.AsOf{}), before)
		w.eng = warm
		w.must(w.eng.Reindex(context.Background()))
		w.same("after reindex", w.picture(w.scope, daybook.AsOf{}), before)
		w.sound()
	})
}

// The order in which facts arrive does not matter to what is believed.
func TestLawArrival(t *testing.T) {
	laws(t, func(w *world) {
		var facts []engine.NewFact
		for range rapid.IntRange(2, 7).Draw(w.t, "facts") {
			f := w.drawFact()
			f.Sources = nil
			if f.Valid.From.IsZero() {
				f.Valid = daybook.Span{From: begin.AddDate(0, 0, -8), Known: daybook.Stated}
			}
			facts = append(facts, f)
		}
		believed := func(scope daybook.Scope, order []engine.NewFact) string {
			w.scope = scope
			for _, f := range order {
				w.tick()
				w.addFact(f)
			}
			return w.beliefs()
		}
		inOrder := believed(daybook.Scope{User: "one"}, facts)
		shuffled := believed(daybook.Scope{User: "two"}, rapid.Permutation(facts).Draw(w.t, "order"))
		w.same("in another order", shuffled, inOrder)
	})
}

// beliefs is the picture without what tells when it was recorded.
func (w *world) beliefs() string {
	states, err := w.eng.Facts(context.Background(), w.scope, engine.FactQuery{All: true, At: daybook.AsOf{ValidAt: begin}})
	w.must(err)
	var lines []string
	for _, st := range states {
		for _, p := range st.Periods {
			lines = append(lines, fmt.Sprintf("%s %s %s %s %s %d", st.Subject.ID, st.Relation, strings.ToLower(p.Object), p.Valid, p.Role, len(p.Facts)))
		}
	}
	return sortLines(lines)
}

func sortLines(lines []string) string {
	for i := range lines {
		for j := i; j > 0 && lines[j] < lines[j-1]; j-- {
			lines[j], lines[j-1] = lines[j-1], lines[j]
		}
	}
	return strings.Join(lines, "\n")
}

// What was forgotten is in no answer and in no export, and the chain holds.
func TestLawForget(t *testing.T) {
	laws(t, func(w *world) {
		const secret = "Zanzibar"
		w.steps(0, 6)
		n := daybook.Note{SourceID: "secret", Session: "private", Text: "meet me in " + secret, Time: begin}
		_, err := w.eng.Add(context.Background(), w.scope, engine.By{Author: "test", Message: "about " + secret}, []daybook.Note{n})
		w.must(err)
		w.addFact(engine.NewFact{Subject: "Ana", Relation: "lives_in", Object: secret, Sources: []string{"secret"}, Context: daybook.Context{Why: secret}})
		note := n.Named().ID
		ev := daybook.Event{Kind: daybook.Plan, Text: "they meet in " + secret, Why: secret, Quotes: []daybook.Quote{{Note: note, Start: 0, End: 4}}}.Named()
		w.must(w.apply(daybook.Op{Enrich: &daybook.Enrichment{Note: note, Text: "meet Ana in " + secret, By: "rule:window"}}, daybook.Op{Event: &ev}))
		if len(w.events) > 0 {
			w.allow(w.apply(daybook.Op{Relate: &daybook.Link{Kind: daybook.Causes, From: w.events[0], To: string(ev.ID), Why: secret, By: "test"}}), daybook.NotFound)
		}
		w.steps(0, 6)
		cert, err := w.eng.Forget(context.Background(), w.scope, by, rapid.SampledFrom([]graph.Forget{
			{IDs: []string{"secret"}}, {Session: "private"}, {All: true},
		}).Draw(w.t, "what"))
		w.must(err)
		_, lines := w.export(w.scope)
		if text := string(encode(w.t, lines)); strings.Contains(text, secret) {
			w.t.Fatalf("the export still says %s:\n%s", secret, text)
		}
		if seen := w.picture(w.scope, daybook.AsOf{}); strings.Contains(seen, secret) {
			w.t.Fatalf("a read still says %s:\n%s", secret, seen)
		}
		w.must(w.eng.VerifyCertificate(context.Background(), cert))
		w.sound()
	})
}

// Nothing stale comes back unlabelled: of a relation that holds one value, at
// most one period is current at any time, unless they are contested.
func TestLawOneCurrent(t *testing.T) {
	laws(t, func(w *world) {
		w.steps(1, 12)
		at := daybook.AsOf{ValidAt: begin.AddDate(0, 0, rapid.IntRange(-9, 3).Draw(w.t, "valid"))}
		states, err := w.eng.Facts(context.Background(), w.scope, engine.FactQuery{At: at})
		w.must(err)
		for _, st := range states {
			current := 0
			for _, p := range st.Periods {
				if !p.Valid.Holds(at.ValidAt) {
					w.t.Fatalf("%s is returned for %s and does not hold", p.Object, at.ValidAt)
				}
				if p.Role == daybook.RoleCurrent {
					current++
				}
			}
			if st.Holds == daybook.OneValue && current > 1 {
				w.t.Fatalf("%d values of %s are current at once: %+v", current, st.Relation, st.Periods)
			}
		}
	})
}

// Reverting a commit in the middle leaves what would be believed had it never
// been made.
func TestLawRevertMiddle(t *testing.T) {
	laws(t, func(w *world) {
		var facts []engine.NewFact
		for range rapid.IntRange(2, 6).Draw(w.t, "facts") {
			f := w.drawFact()
			f.Sources, f.Subject = nil, "Ana"
			if f.Valid.From.IsZero() {
				f.Valid = daybook.Span{From: begin.AddDate(0, 0, -8), Known: daybook.Stated}
			}
			facts = append(facts, f)
		}
		victim := rapid.IntRange(0, len(facts)-1).Draw(w.t, "victim")
		var bad daybook.CommitID
		for i, f := range facts {
			w.tick()
			before := w.head()
			w.addFact(f)
			if i == victim && w.head() != before {
				bad = w.head()
			}
		}
		if bad.IsZero() {
			return // it was known already
		}
		w.tick()
		_, err := w.eng.Revert(context.Background(), w.scope, by, bad.String())
		w.must(err)
		reverted := w.beliefs()
		w.scope = daybook.Scope{User: "without"}
		first := facts[victim]
		for i, f := range facts {
			w.tick()
			if i == victim || i > victim && cmp.Equal(f, first) {
				continue // a repetition was not written
			}
			w.addFact(f)
		}
		w.same("without the commit", reverted, w.beliefs())
	})
}

// What is believed stands on evidence: no fact outlives all its notes.
func TestLawProvenance(t *testing.T) {
	laws(t, func(w *world) {
		w.addNote()
		w.steps(1, 8)
		if len(w.notes) > 0 && rapid.Bool().Draw(w.t, "retract a note") {
			_, err := w.eng.Retract(context.Background(), w.scope, by, rapid.SampledFrom(w.notes).Draw(w.t, "note"), "never said")
			w.allow(err, daybook.NotFound)
		}
		w.steps(0, 4)
		states, err := w.eng.Facts(context.Background(), w.scope, engine.FactQuery{All: true})
		w.must(err)
		for _, st := range states {
			for _, p := range st.Periods {
				for _, f := range p.Facts {
					if len(f.Sources) == 0 {
						continue
					}
					if _, err := w.eng.Note(context.Background(), w.scope, string(f.Sources[0])); err != nil {
						w.t.Fatalf("%s stands on nothing: %v", f.ID, err)
					}
				}
			}
		}
		w.sound()
	})
}
