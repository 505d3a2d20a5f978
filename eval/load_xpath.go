package eval

import (
	"cmp"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"daybook"
)

// XPathGold is the gold set for Semantic XPath.
type XPathGold struct {
	Hash        string
	Trees       map[string]*XPathNode // by name of the file, without .json
	Requests    []XPathRequest
	Scripts     []XPathScript
	GrammarTree *XPathNode
	Cases       []XPathCase
	Errors      []XPathError
}

// XPathNode is a node of a tree. Ids are unique within the tree.
type XPathNode struct {
	Type     string            `json:"type"`
	ID       string            `json:"id"`
	Attrs    map[string]string `json:"attrs"`
	Children []*XPathNode      `json:"children"`
}

// XPathRequest is a request in words, as a query, and with the nodes that it means.
// Acceptable nodes count neither way. LexicalSolves is for slicing results, never
// an input.
type XPathRequest struct {
	ID   string `json:"id"`
	Tree string `json:"tree"`
	XPathAsked
	Source        string `json:"source"`
	Candidates    int    `json:"candidates"`
	LexicalSolves bool   `json:"lexical_solves"`
}

// XPathAsked is what requests and turns of scripts have in common.
type XPathAsked struct {
	Request        string   `json:"request"`
	Op             string   `json:"op"`
	Query          string   `json:"query"`
	Gold           []string `json:"gold"`
	Acceptable     []string `json:"acceptable"`
	Kind           string   `json:"kind"`
	NeedsSemantics bool     `json:"needs_semantics"`
	PositionScope  string   `json:"position_scope"`
}

// XPathScript is a run of requests on one tree, in which edits make versions.
type XPathScript struct {
	ID    string      `json:"id"`
	Tree  string      `json:"tree"`
	Title string      `json:"title"`
	Turns []XPathTurn `json:"turns"`
}

// XPathTurn is one request of a script; Edit is nil unless Kind is edit. Gold
// names nodes as they stand before the edit.
type XPathTurn struct {
	N int `json:"n"`
	XPathAsked
	AnswerContains []string      `json:"answer_contains"`
	Edit           *XPathEdit    `json:"edit"`
	PatchInfo      string        `json:"patch_info"`
	NewVersion     int           `json:"new_version"`
	Expect         []XPathExpect `json:"expect"`
	NodesAdded     []string      `json:"nodes_added"`
	NodesRemoved   []string      `json:"nodes_removed"`
}

// XPathEdit is what an edit does: delete or update Targets, or add Node to Parent
// at Position, counted from one; 0 is the end.
type XPathEdit struct {
	Op       string            `json:"op"`
	Targets  []string          `json:"targets"`
	Set      map[string]string `json:"set"`
	Parent   string            `json:"parent"`
	Position int               `json:"position"`
	Node     *XPathNode        `json:"node"`
}

// XPathExpect is what holds after an edit: a node is absent or has attributes, or
// a parent has these children in order.
type XPathExpect struct {
	Node     string            `json:"node"`
	Absent   bool              `json:"absent"`
	Attrs    map[string]string `json:"attrs"`
	Parent   string            `json:"parent"`
	Children []string          `json:"children"`
}

// XPathCase is a query on the grammar tree with given scores ("node|attr~text") and
// the weighted nodes that it gives. PerParent is set where positions per parent,
// which is Daybook's reading, give another result than Expect. Query may be empty.
type XPathCase struct {
	ID        string             `json:"id"`
	Query     string             `json:"query"`
	Scores    map[string]float64 `json:"scores"`
	Expect    []XPathWeight      `json:"expect"`
	PerParent []XPathWeight      `json:"expect_per_parent"`
	Ambiguous string             `json:"ambiguous"`
	Note      string             `json:"note"`
	ByHand    bool               `json:"by_hand"`
}

// XPathWeight is a node and its weight.
type XPathWeight struct {
	Node   string
	Weight float64
}

// UnmarshalJSON reads ["node", weight].
func (w *XPathWeight) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil || len(pair) != 2 {
		return errors.New(`a pair such as ["node", 0.5] was expected`)
	}
	if json.Unmarshal(pair[0], &w.Node) != nil || json.Unmarshal(pair[1], &w.Weight) != nil {
		return errors.New(`a pair such as ["node", 0.5] was expected`)
	}
	return nil
}

// XPathError is a malformed query and the byte at which that shows. Strict says
// why an implementation may accept it all the same.
type XPathError struct {
	ID      string `json:"id"`
	Query   string `json:"query"`
	At      *int   `json:"error_at"`
	Why     string `json:"why"`
	Message string `json:"reference_message"`
	Strict  string `json:"strict"`
}

// LoadXPath reads the gold set from its folder. Every tree that is named must be
// there, and so must every gold and acceptable node of requests and cases; nodes
// of scripts come about as they are played and are not checked.
func LoadXPath(path string) (XPathGold, error) {
	if err := checkFolder(path); err != nil {
		return XPathGold{}, err
	}
	var f files
	g := XPathGold{Trees: map[string]*XPathNode{}}
	ids, err := g.readTrees(&f, path)
	if err != nil {
		return XPathGold{}, err
	}
	if err := g.readLists(&f, path, ids); err != nil {
		return XPathGold{}, err
	}
	g.Hash = f.hash()
	return g, nil
}

// readTrees returns the ids of every tree's nodes; those of the grammar's under
// the empty name.
func (g *XPathGold) readTrees(f *files, path string) (map[string]map[string]bool, error) {
	found, err := filepath.Glob(filepath.Join(path, "trees", "*.json"))
	if err != nil || len(found) == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "%s: no trees/*.json", path)
	}
	slices.Sort(found)
	ids := map[string]map[string]bool{}
	for _, file := range found {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if g.Trees[name], ids[name], err = readTree(f, file); err != nil {
			return nil, err
		}
	}
	g.GrammarTree, ids[""], err = readTree(f, filepath.Join(path, "grammar_tree.json"))
	return ids, err
}

func readTree(f *files, path string) (*XPathNode, map[string]bool, error) {
	var root XPathNode
	if err := readJSON(f, path, &root); err != nil {
		return nil, nil, err
	}
	ids := map[string]bool{}
	return &root, ids, root.check(place{path: path}, ids)
}

func (n *XPathNode) check(at place, ids map[string]bool) error {
	if n == nil {
		return at.errorf("a node is null")
	}
	if err := at.need(text("type", n.Type), text("id", n.ID)); err != nil {
		return err
	}
	if ids[n.ID] {
		return at.errorf("id %q comes a second time", n.ID)
	}
	ids[n.ID] = true
	for _, c := range n.Children {
		if err := c.check(at.in("under %s", n.ID), ids); err != nil {
			return err
		}
	}
	return nil
}

var xpathOps = []string{"read", "add", "update", "delete"}

func (g *XPathGold) readLists(f *files, path string, ids map[string]map[string]bool) error {
	err := readLines(f, filepath.Join(path, "requests.jsonl"), func(at place, r XPathRequest) error {
		g.Requests = append(g.Requests, r)
		return r.check(at, ids)
	})
	if err != nil {
		return err
	}
	err = readLines(f, filepath.Join(path, "multiturn.jsonl"), func(at place, s XPathScript) error {
		g.Scripts = append(g.Scripts, s)
		return s.check(at, ids)
	})
	if err != nil {
		return err
	}
	err = readLines(f, filepath.Join(path, "grammar_cases.jsonl"), func(at place, c XPathCase) error {
		g.Cases = append(g.Cases, c)
		return c.check(at, ids[""])
	})
	if err != nil {
		return err
	}
	return readLines(f, filepath.Join(path, "grammar_errors.jsonl"), func(at place, e XPathError) error {
		g.Errors = append(g.Errors, e)
		return e.check(at)
	})
}

func (r XPathRequest) check(at place, ids map[string]map[string]bool) error {
	if err := at.need(text("id", r.ID), text("tree", r.Tree), text("request", r.Request), text("query", r.Query), list("gold", r.Gold)); err != nil {
		return err
	}
	return cmp.Or(xpathTree(at, r.Tree, ids), xpathOp(at, r.Op), xpathNodes(at, ids[r.Tree], r.Gold, r.Acceptable))
}

func (s XPathScript) check(at place, ids map[string]map[string]bool) error {
	if err := cmp.Or(at.need(text("id", s.ID), text("tree", s.Tree), list("turns", s.Turns)), xpathTree(at, s.Tree, ids)); err != nil {
		return err
	}
	for i, t := range s.Turns {
		at := at.in("turn %d", i+1)
		err := cmp.Or(at.need(text("request", t.Request), text("query", t.Query), list("gold", t.Gold),
			field{"edit", t.Kind != "edit" || t.Edit != nil}), xpathOp(at, t.Op))
		if err != nil {
			return err
		}
	}
	return nil
}

func (c XPathCase) check(at place, ids map[string]bool) error {
	if err := at.need(text("id", c.ID), list("expect", c.Expect)); err != nil {
		return err
	}
	for _, w := range slices.Concat(c.Expect, c.PerParent) {
		if !ids[w.Node] {
			return at.errorf("expect names %q; the tree has no such node", w.Node)
		}
	}
	return nil
}

func (e XPathError) check(at place) error {
	if err := at.need(text("id", e.ID), field{"error_at", e.At != nil}); err != nil {
		return err
	}
	if *e.At < 0 || *e.At > len(e.Query) {
		return at.errorf("error_at %d: the query has %d bytes", *e.At, len(e.Query))
	}
	return nil
}

func xpathTree(at place, name string, ids map[string]map[string]bool) error {
	if ids[name] == nil {
		return at.errorf("tree %q: there is no trees/%s.json", name, name)
	}
	return nil
}

func xpathOp(at place, op string) error {
	if !slices.Contains(xpathOps, op) {
		return at.errorf("op %q is none of %s", op, strings.Join(xpathOps, ", "))
	}
	return nil
}

func xpathNodes(at place, ids map[string]bool, lists ...[]string) error {
	for _, id := range slices.Concat(lists...) {
		if !ids[id] {
			return at.errorf("gold or acceptable names %q; the tree has no such node", id)
		}
	}
	return nil
}
