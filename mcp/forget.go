package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"daybook"
	"daybook/graph"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var forgetTool = toolOf[forgetIn, forgetOut](sdk.Tool{
	Name: "forget", Annotations: hints("Forget", false, true),
	Description: "Erase from the memory for good, with all that was learned from it. Use only when the user asks to have something deleted; " +
		"never because it changed (remember the new state instead). Give ids from recall or facts; or a session, an entity, a tree, or everything. " +
		"All but ids take two calls: the first says what would go and returns confirm; show that to the user, then call again with it. " +
		"withdraw takes ids back without erasing them: use it to correct a mistake; it can be undone.",
})

type forgetIn struct {
	who
	IDs        []string `json:"ids,omitempty" jsonschema:"of notes, facts or events"`
	Session    string   `json:"session,omitempty" jsonschema:"a conversation"`
	Entity     string   `json:"entity,omitempty" jsonschema:"a person, place or thing, and everything that names it"`
	Tree       string   `json:"tree,omitempty" jsonschema:"a plan or list with all its versions"`
	Everything bool     `json:"everything,omitempty" jsonschema:"all that is remembered"`
	Withdraw   bool     `json:"withdraw,omitempty" jsonschema:"do not erase: only take the ids back, with what was learned from them"`
	Why        string   `json:"why,omitempty" jsonschema:"the reason, for the log of what was withdrawn"`
	Confirm    string   `json:"confirm,omitempty" jsonschema:"what the first call returned"`
}

type forgetOut struct {
	Done    bool           `json:"done" jsonschema:"false: nothing is erased yet, call again with confirm"`
	Counts  map[string]int `json:"counts" jsonschema:"what goes, by kind"`
	Confirm string         `json:"confirm,omitempty"`
	// Certificate proves the erasure; 'daybook check --certificate' verifies it.
	Certificate *certificate `json:"certificate,omitempty" jsonschema:"proves the erasure; it holds no content"`
	Commits     []string     `json:"commits,omitempty" jsonschema:"that withdrew the ids"`
}

type certificate struct {
	Format     string `json:"format"`
	Commit     string `json:"commit"`
	Seq        uint64 `json:"seq"`
	RecordedAt string `json:"recorded_at"`
	Selector   string `json:"selector"`
	Erased     int    `json:"erased"`
	Digest     string `json:"digest"`
}

func (o forgetOut) text() string {
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(o.Counts)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", o.Counts[k], k))
	}
	counts := strings.Join(kinds, ", ")
	switch {
	case !o.Done:
		return fmt.Sprintf("this would erase %s. Nothing is erased yet. If the user wants that, call forget again with confirm: %s\n", counts, o.Confirm)
	case o.Certificate == nil:
		return fmt.Sprintf("withdrawn: %s; it can be undone by reverting %s\n", counts, strings.Join(o.Commits, ", "))
	}
	return fmt.Sprintf("erased %s; certificate: commit %.12s, digest %.12s\n", counts, o.Certificate.Commit, o.Certificate.Digest)
}

// what turns the arguments into what to forget.
func (in forgetIn) what() (graph.Forget, error) {
	given := 0
	for _, is := range []bool{len(in.IDs) > 0, in.Session != "", in.Entity != "", in.Tree != "", in.Everything} {
		if is {
			given++
		}
	}
	if given != 1 {
		return graph.Forget{}, daybook.Errorf(daybook.Invalid, "forget: give ids, or session, or entity, or tree, or everything, and only one of them")
	}
	if in.Withdraw && len(in.IDs) == 0 {
		return graph.Forget{}, daybook.Errorf(daybook.Invalid, "forget: withdraw takes ids")
	}
	return graph.Forget{IDs: in.IDs, Session: in.Session, Entity: in.Entity, Tree: in.Tree, All: in.Everything}, nil
}

func (c *caller) forget(ctx context.Context, scope daybook.Scope, in forgetIn) (out forgetOut, err error) {
	what, err := in.what()
	if err != nil {
		return out, err
	}
	if in.Withdraw {
		return c.withdraw(ctx, scope, in)
	}
	plan, err := c.engine.PlanForget(ctx, scope, what)
	if err != nil {
		return out, err
	}
	if len(plan.Counts) == 0 {
		return out, daybook.Errorf(daybook.NotFound, "forget: there is nothing to erase")
	}
	out.Counts = plan.Counts
	token := confirmation(scope, what, plan.Counts)
	if len(in.IDs) == 0 && in.Confirm != token {
		out.Confirm = token
		return out, nil
	}
	cert, err := c.engine.Forget(ctx, scope, c.by(""), what)
	if err != nil {
		return out, err
	}
	out.Done = true
	out.Certificate = &certificate{
		Format: cert.Format, Commit: cert.Commit.String(), Seq: cert.Seq, RecordedAt: cert.RecordedAt.UTC().Format("2006-01-02T15:04:05.999999Z07:00"),
		Selector: cert.Selector, Erased: cert.Erased, Digest: cert.Digest,
	}
	return out, nil
}

// confirmation is what a caller must repeat to erase: it stands for this choice and
// for what it comes to now, so that more cannot go than was shown.
func confirmation(scope daybook.Scope, what graph.Forget, counts map[string]int) string {
	said, err := json.Marshal([]any{scope, what, counts})
	if err != nil {
		panic("mcp: a choice cannot be written: " + err.Error())
	}
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:8])
}

// withdraw retracts ids, one commit each.
func (c *caller) withdraw(ctx context.Context, scope daybook.Scope, in forgetIn) (out forgetOut, err error) {
	out = forgetOut{Done: true, Counts: map[string]int{}}
	for _, id := range in.IDs {
		r, err := c.engine.Retract(ctx, scope, c.by(""), id, in.Why)
		if err != nil {
			return out, fmt.Errorf("withdrew %d of %d: %w", len(out.Commits), len(in.IDs), err)
		}
		out.Counts["retractions"]++
		out.Commits = append(out.Commits, r.Commit.String())
	}
	return out, nil
}
