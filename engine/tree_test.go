package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/eval"
	"daybook/graph"
	"daybook/model"
	"daybook/store"
	"daybook/store/sqlite"
	"daybook/tree"
)

func plan() *tree.Node {
	day := func(i int, stops ...string) *tree.Node {
		d := &tree.Node{Type: "Day", SourceID: fmt.Sprint("d", i), Attrs: []tree.Attr{{"index", fmt.Sprint(i)}}}
		for j, s := range stops {
			d.Children = append(d.Children, &tree.Node{Type: "Stop", SourceID: fmt.Sprintf("d%d.s%d", i, j+1), Attrs: []tree.Attr{{"name", s}}})
		}
		return d
	}
	return &tree.Node{Type: "Plan", Attrs: []tree.Attr{{"name", "A weekend"}}, Children: []*tree.Node{day(1, "Museum", "Park"), day(2, "Dinner with Zoe", "Harbour")}}
}

func set(node, attr, text string) []daybook.TreeChange {
	return []daybook.TreeChange{{Set: &daybook.TreeSet{Node: node, Attrs: [][2]string{{attr, text}}}}}
}

// Of many writers on one version, one wins, and the others are told to which
// version they lost; what they meant to write can be written on it.
func TestTreeConcurrentEdits(t *testing.T) {
	e, scope := open(t), daybook.Scope{User: "u"}
	if _, err := e.PlantTree(t.Context(), scope, by, "plan", plan()); err != nil {
		t.Fatal(err)
	}
	const writers = 8
	errs := make([]error, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			_, errs[i] = e.EditTree(t.Context(), scope, by, engine.TreeEdit{Tree: "plan", Base: 1, Changes: set("d1.s1", "by", fmt.Sprint(i))})
		})
	}
	all.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case daybook.KindOf(err) != daybook.Conflict || !strings.Contains(err.Error(), "version 2"):
			t.Errorf("the loser hears: %v", err)
		}
	}
	h, err := e.Tree(t.Context(), scope, "plan", daybook.AsOf{})
	if err != nil || won != 1 || len(h.Versions) != 2 {
		t.Fatalf("%d writers won, %d versions, %v", won, len(h.Versions), err)
	}
	if _, err := e.EditTree(t.Context(), scope, by, engine.TreeEdit{Tree: "plan", Base: 2, Changes: set("d1.s2", "by", "loser")}); err != nil {
		t.Error(err)
	}
}

// An edit that was computed before an older version was reverted is a Conflict
// although the number of the current version is the same.
func TestTreeEditAfterRevert(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e, scope := engine.New(s), daybook.Scope{}
	_, err = e.PlantTree(t.Context(), scope, by, "plan", plan())
	second, err2 := e.EditTree(t.Context(), scope, by, engine.TreeEdit{Tree: "plan", Changes: []daybook.TreeChange{{Remove: "d1.s1"}}})
	_, err3 := e.EditTree(t.Context(), scope, by, engine.TreeEdit{Tree: "plan", Changes: set("d2.s1", "time", "20:00")})
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Revert(t.Context(), scope, by, second.Commit.String()); err != nil {
		t.Fatal(err)
	}
	h, err := e.Tree(t.Context(), scope, "plan", daybook.AsOf{})
	if err != nil || h.Current().Number != 3 || h.Current().Find("d1.s1") == nil {
		t.Fatalf("after the revert: version %d, %v", h.Current().Number, err)
	}
	ledger := graph.Ledger{Now: time.Now, Rand: strings.NewReader(strings.Repeat("salt", 1000))}
	err = s.Update(t.Context(), scope, func(w store.Writer) error {
		edit := daybook.TreeEdit{Tree: "plan", Version: 4, Base: 3, Changes: set("d1.s2", "by", "stale")}
		_, err := ledger.Apply(w, graph.Change{Ops: []daybook.Op{{Tree: &edit}}, Trees: map[string]int{"plan": 3}})
		return err
	})
	if daybook.KindOf(err) != daybook.Conflict {
		t.Errorf("an edit on a state that is gone: %v", err)
	}
}

// Forgetting a person takes their name out of every version of a tree and leaves
// the rest.
func TestTreeForgetEntity(t *testing.T) {
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	e, scope := engine.New(s), daybook.Scope{}
	_, err = e.PlantTree(t.Context(), scope, by, "plan", plan())
	_, err2 := e.EditTree(t.Context(), scope, by, engine.TreeEdit{Tree: "plan", Request: "Zoe eats late", Changes: set("d2.s1", "note", "Zoe is late")})
	cert, err3 := e.Forget(t.Context(), scope, by, graph.Forget{Entity: "Zoe"})
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	h, err := e.Tree(t.Context(), scope, "plan", daybook.AsOf{})
	if err != nil || len(h.Versions) != 2 || h.Current().Find("d2.s2") == nil || h.Current().Find("d2.s1") == nil {
		t.Fatalf("what is left of the tree: %+v, %v", h, err)
	}
	reports, err := e.Check(t.Context())
	if err != nil || len(reports[0].Damage) > 0 {
		t.Fatalf("check: %v, %v", reports, err)
	}
	if err := errors.Join(e.VerifyCertificate(t.Context(), cert), e.Close()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err != nil || strings.Contains(string(text), "Zoe") {
			t.Errorf("%s still has the name, or %v", f, err)
		}
	}
}

// counting counts the contents that reads take from a store.
type counting struct {
	store.Store
	contents *int
}

func (c counting) View(ctx context.Context, scope daybook.Scope, read func(store.Reader) error) error {
	return c.Store.View(ctx, scope, func(r store.Reader) error { return read(countingReader{r, c.contents}) })
}

type countingReader struct {
	store.Reader
	n *int
}

func (r countingReader) ByKey(k store.Key, within store.Range) iter.Seq2[store.Content, error] {
	return func(yield func(store.Content, error) bool) {
		for c, err := range r.Reader.ByKey(k, within) {
			*r.n++
			if !yield(c, err) {
				return
			}
		}
	}
}

func (r countingReader) Firsts(letter byte) iter.Seq2[store.Entry, error] {
	return r.Reader.(store.Firsts).Firsts(letter)
}

// The memory is a tree too, and a positional step reads only what it selects.
func TestQueryMemory(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	read := 0
	e, scope := engine.New(counting{s, &read}), daybook.Scope{User: "u"}
	const sessions, notes = 50, 40
	var all []daybook.Note
	for i := range sessions {
		for j := range notes {
			text := fmt.Sprintf("line %d of talk %d", j, i)
			if j == 7 {
				text = "the deadline for the report is Friday"
			}
			all = append(all, daybook.Note{SourceID: fmt.Sprintf("%d/%d", i, j), Session: fmt.Sprintf("s%02d", i), Speaker: "Ana", Text: text, Time: begin.Add(time.Duration(i*notes+j) * time.Minute)})
		}
	}
	if _, err := e.Add(t.Context(), scope, by, all); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query string
		want  []string
		most  int // contents that may be read
	}{
		{`//Session[-1]/Note[1]`, []string{"49/0"}, sessions + notes},
		{`/Memory/Session[3]/Note[-1]`, []string{"2/39"}, sessions + notes},
		{`//Session[-2:-1]/Note[8]`, []string{"48/7", "49/7"}, sessions + 2*notes},
		{`(//Session[-1]/Note[node~="deadline"])[1]`, []string{"49/7"}, sessions + notes},
		{`//Session[@name="s05"]/Note[1]`, []string{"5/0"}, 1 << 20},
		{`//Session[99]`, nil, sessions},
	} {
		read = 0
		found, err := e.Query(t.Context(), scope, engine.Query{Text: c.query, Scorer: tree.Words, Threshold: engine.DefaultThreshold})
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		var got []string
		for _, n := range found.Nodes {
			got = append(got, n.SourceID)
		}
		if !slices.Equal(got, c.want) || read > c.most {
			t.Errorf("%s: %v and %d contents read, want %v and at most %d", c.query, got, read, c.want, c.most)
		}
		if _, err := found.Report(t.Context(), true); err != nil {
			t.Error(err)
		}
	}
	if found, err := e.Query(t.Context(), scope, engine.Query{Text: "//Note"}); err != nil || len(found.Nodes) != sessions*notes {
		t.Errorf("all notes: %d, %v", len(found.Nodes), err)
	}
}

// TestGoldScripts plays the multi-turn scripts of the gold set: every edit lands
// on the right nodes, and earlier versions answer.
func TestGoldScripts(t *testing.T) {
	dir := os.Getenv("DAYBOOK_DATA")
	if dir == "" {
		t.Skip("DAYBOOK_DATA is not set: the multi-turn scripts of Semantic XPath were NOT run")
	}
	dir = filepath.Join(dir, "semantic_xpath")
	gold, err := eval.LoadXPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	e := open(t).WithEncoder(enc)
	right, turns := 0, 0
	for _, s := range gold.Scripts {
		p := &scriptPlayer{t: t, e: e, scope: daybook.Scope{User: s.ID}, script: s}
		text, err := os.ReadFile(filepath.Join(dir, "trees", s.Tree+".json"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := tree.ParseJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.PlantTree(t.Context(), p.scope, by, s.Tree, file); err != nil {
			t.Fatal(err)
		}
		for _, turn := range s.Turns {
			turns++
			if p.play(turn) {
				right++
			}
		}
	}
	t.Logf("%d of %d turns: the gold nodes stand first, edits land, earlier versions answer", right, turns)
	if right < turns {
		t.Errorf("%d turns went wrong", turns-right)
	}
}

type scriptPlayer struct {
	t      *testing.T
	e      *engine.Engine
	scope  daybook.Scope
	script eval.XPathScript
}

// play asks a turn's query, compares the nodes, and makes its edit.
func (p *scriptPlayer) play(turn eval.XPathTurn) bool {
	found, err := p.e.Query(p.t.Context(), p.scope, engine.Query{Text: turn.Query, Tree: p.script.Tree})
	if err != nil {
		p.t.Fatalf("%s#%d: %v", p.script.ID, turn.N, err)
	}
	var got, texts []string
	for _, n := range found.Nodes {
		id := versioned(n.Place)
		if !slices.Contains(turn.Acceptable, id) && len(got) < len(turn.Gold) {
			got, texts = append(got, id), append(texts, n.Own())
		}
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(turn.Gold))
	ok := slices.Equal(got, want)
	for _, a := range turn.AnswerContains {
		ok = ok && strings.Contains(strings.Join(texts, "\n"), a)
	}
	if !ok {
		p.t.Logf("%s#%d %s: got %v, want %v", p.script.ID, turn.N, turn.Query, got, want)
	}
	if turn.Edit == nil {
		return ok
	}
	return p.edit(turn) && ok
}

// versioned is a node's id as the gold set writes it: v2/d3.
func versioned(n *tree.Place) string {
	for up := n.Up; up != nil; up = up.Up {
		if up.Type == tree.VersionType {
			return up.ID + "/" + n.ID
		}
	}
	return n.ID
}

func (p *scriptPlayer) edit(turn eval.XPathTurn) bool {
	var changes []daybook.TreeChange
	switch ed := turn.Edit; ed.Op {
	case "delete":
		for _, id := range ed.Targets {
			changes = append(changes, daybook.TreeChange{Remove: id})
		}
	case "update":
		for _, id := range ed.Targets {
			var attrs [][2]string
			for k, v := range ed.Set {
				attrs = append(attrs, [2]string{k, v})
			}
			changes = append(changes, daybook.TreeChange{Set: &daybook.TreeSet{Node: id, Attrs: attrs}})
		}
	case "add":
		n := daybook.TreeNode{ID: ed.Node.ID, Source: ed.Node.ID, Type: ed.Node.Type, Parent: ed.Parent, At: ed.Position}
		for k, v := range ed.Node.Attrs {
			n.Attrs = append(n.Attrs, [2]string{k, v})
		}
		changes = append(changes, daybook.TreeChange{Add: &n})
	}
	r, err := p.e.EditTree(p.t.Context(), p.scope, by, engine.TreeEdit{Tree: p.script.Tree, Request: turn.Request, Summary: turn.PatchInfo, Changes: changes})
	if err != nil || r.Version != turn.NewVersion {
		p.t.Errorf("%s#%d: version %d, %v", p.script.ID, turn.N, r.Version, err)
		return false
	}
	h, err := p.e.Tree(p.t.Context(), p.scope, p.script.Tree, daybook.AsOf{})
	if err != nil {
		p.t.Fatal(err)
	}
	ok := true
	for _, x := range turn.Expect {
		ok = p.holds(h.Current(), x) && ok
	}
	return ok
}

func (p *scriptPlayer) holds(v *tree.Version, x eval.XPathExpect) bool {
	_, id, _ := strings.Cut(x.Node+x.Parent, "/")
	n := v.Find(id)
	if x.Absent || n == nil {
		return x.Absent && n == nil
	}
	for k, want := range x.Attrs {
		if got, _ := n.Attr(k); got != want {
			return false
		}
	}
	for i, c := range x.Children {
		if _, id, _ := strings.Cut(c, "/"); i >= len(n.Children) || n.Children[i].ID != id {
			return false
		}
	}
	return x.Parent == "" || len(x.Children) == len(n.Children)
}
