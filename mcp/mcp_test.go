package mcp_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/mcp"
	"daybook/model"
	"daybook/store/sqlite"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newEngine opens an engine with all that the binary has.
func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(s).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc}).WithEchoes()
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

var quiet = slog.New(slog.DiscardHandler)

// connect joins a client to the server of a caller.
func connect(t testing.TB, e *engine.Engine, r mcp.Reach) *client {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = mcp.New(e, "test", quiet).Serve(ctx, r, there)
	}()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(); cancel(); <-done })
	return &client{t, s}
}

type client struct {
	testing.TB
	*sdk.ClientSession
}

type args map[string]any

// call calls a tool that must succeed, and returns its structure and its text.
func (c *client) call(name string, in args) (map[string]any, string) {
	c.Helper()
	res, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		c.Fatalf("%s: %v", name, err)
	}
	text := res.Content[0].(*sdk.TextContent).Text
	if res.IsError {
		c.Fatalf("%s: %s", name, text)
	}
	return res.StructuredContent.(map[string]any), text
}

// fails calls a tool that must fail, and returns what is said.
func (c *client) fails(name string, in args) string {
	c.Helper()
	res, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		return err.Error()
	}
	if !res.IsError {
		said, _ := json.Marshal(res.StructuredContent)
		c.Fatalf("%s with %v succeeds: %s", name, in, said)
	}
	return res.Content[0].(*sdk.TextContent).Text
}

func (c *client) read(uri string) (string, error) {
	res, err := c.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	return res.Contents[0].Text, nil
}

var ana = mcp.Reach{Scope: daybook.Scope{User: "Ana"}, Author: "mcp"}

func rows(out map[string]any, key string) (all []map[string]any) {
	for _, r := range out[key].([]any) {
		all = append(all, r.(map[string]any))
	}
	return all
}

func texts(all []map[string]any, key string) (out []string) {
	for _, r := range all {
		out = append(out, r[key].(string))
	}
	return out
}

func TestTools(t *testing.T) {
	c := connect(t, newEngine(t), ana)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	writes := map[string]bool{"remember": true, "tree": true, "forget": true}
	for _, tool := range list.Tools {
		if !strings.Contains(strings.ToLower(tool.Description), "use ") {
			t.Errorf("%s does not say when to use it: %s", tool.Name, tool.Description)
		}
		if tool.OutputSchema == nil {
			t.Errorf("%s has no schema of its output", tool.Name)
		}
		if tool.Annotations.ReadOnlyHint == writes[tool.Name] || *tool.Annotations.DestructiveHint != (tool.Name == "forget") {
			t.Errorf("%s has the hints %+v", tool.Name, tool.Annotations)
		}
		if schema, _ := json.Marshal(tool.InputSchema); strings.Contains(string(schema), `"user"`) {
			t.Errorf("the user is fixed, and %s takes one: %s", tool.Name, schema)
		}
	}
	if n := len(list.Tools); n != 8 {
		t.Errorf("there are %d tools", n)
	}
	if got := c.InitializeResult().Instructions; !strings.Contains(got, "recall") {
		t.Errorf("the instructions are %q", got)
	}
}

// A fact is said, changes, is found with its roles, asked for, seen in its history,
// and forgotten with a certificate.
func TestStory(t *testing.T) {
	c := connect(t, newEngine(t), ana)
	out, _ := c.call("remember", args{"text": "My dentist is Dr. Weiss.", "time": "2026-01-10"})
	first := out["ids"].([]any)[0].(string)
	if out["learned"].(float64) != 1 {
		t.Errorf("learned %v", out["learned"])
	}
	out, text := c.call("remember", args{"messages": []args{
		{"role": "user", "content": "I changed dentists, I go to Dr. Moreau now.", "time": "2026-03-01"},
		{"role": "assistant", "content": "Good to hear.", "time": "2026-03-01T10:00:00Z"},
	}, "session": "spring"})
	if got := rows(out, "superseded"); len(got) != 1 || !strings.Contains(got[0]["object"].(string), "Weiss") || !strings.Contains(text, "no longer holds") {
		t.Errorf("superseded %v\n%s", got, text)
	}
	out, text = c.call("recall", args{"query": "Who is Ana's dentist?"})
	found := rows(out, "rows")
	if len(found) == 0 || !strings.Contains(text, "[OUTDATED] 2026-01-10") || !strings.Contains(text, "[NOW] 2026-03-01") {
		t.Errorf("recall gives\n%s", text)
	}
	out, _ = c.call("ask", args{"question": "Who is Ana's dentist?"})
	if !strings.Contains(out["answer"].(string), "Moreau") || len(rows(out, "citations")) == 0 {
		t.Errorf("ask says %v", out)
	}
	out, _ = c.call("ask", args{"question": "Who was Ana's dentist in February 2026?"})
	if !strings.Contains(out["answer"].(string), "Weiss") {
		t.Errorf("ask of the past says %v", out)
	}
	out, _ = c.call("facts", args{"subject": "Ana"})
	if got := texts(rows(out, "facts"), "object"); len(got) != 1 || !strings.Contains(got[0], "Moreau") {
		t.Errorf("facts %v", got)
	}
	out, _ = c.call("facts", args{"subject": "Ana", "as_of": "2026-02-01"})
	if got := texts(rows(out, "facts"), "object"); len(got) != 1 || !strings.Contains(got[0], "Weiss") {
		t.Errorf("facts as of February %v", got)
	}
	out, _ = c.call("history", args{"subject": "Ana"})
	if got := rows(out, "changes"); len(got) != 2 || !strings.Contains(got[1]["from"].(string), "Weiss") || !strings.Contains(got[1]["to"].(string), "Moreau") {
		t.Errorf("history %v", got)
	}
	out, _ = c.call("history", args{"since": "2026-01-01"})
	if len(rows(out, "notes")) != 3 || len(rows(out, "values")) != 2 {
		t.Errorf("changes %v", out)
	}
	out, _ = c.call("forget", args{"ids": []string{first}})
	cert := out["certificate"].(map[string]any)
	if out["done"] != true || cert["erased"].(float64) < 2 {
		t.Errorf("forget gives %v", out)
	}
	if _, text = c.call("recall", args{"query": "Who was Ana's dentist before?"}); strings.Contains(text, "Weiss") {
		t.Errorf("after forgetting, recall gives\n%s", text)
	}
}

func TestWithdrawAndConfirm(t *testing.T) {
	c := connect(t, newEngine(t), ana)
	out, _ := c.call("remember", args{"text": "My dentist is Dr. Weiss.", "session": "one"})
	note := out["ids"].([]any)[0].(string)
	out, _ = c.call("forget", args{"ids": []string{note}, "withdraw": true, "why": "a mistake"})
	if out["done"] != true || len(out["commits"].([]any)) != 1 || out["certificate"] != nil {
		t.Errorf("withdraw gives %v", out)
	}
	if out, _ = c.call("facts", nil); len(rows(out, "facts")) != 0 {
		t.Errorf("a withdrawn note is still believed: %v", out)
	}
	c.call("remember", args{"text": "My rent is $900 a month.", "session": "two"})
	out, text := c.call("forget", args{"session": "two"})
	if out["done"] != false || !strings.Contains(text, "Nothing is erased yet") {
		t.Fatalf("a session goes without asking: %v", out)
	}
	confirm := out["confirm"].(string)
	c.call("remember", args{"text": "My bank is Cobalt Savings.", "session": "two"})
	if out, _ = c.call("forget", args{"session": "two", "confirm": confirm}); out["done"] != false {
		t.Errorf("more is erased than was shown: %v", out)
	}
	if out, _ = c.call("forget", args{"session": "two", "confirm": out["confirm"]}); out["done"] != true {
		t.Errorf("a confirmed erasure gives %v", out)
	}
	for _, in := range []args{{}, {"ids": []string{note}, "everything": true}, {"session": "one", "withdraw": true}, {"ids": []string{"note_nothing"}}} {
		c.fails("forget", in)
	}
}

func TestTreesAndQueries(t *testing.T) {
	c := connect(t, newEngine(t), ana)
	c.call("remember", args{"text": "I saw the dentist today.", "session": "monday"})
	out, _ := c.call("query", args{"query": "/Memory/Session[-1]/Note"})
	if got := texts(rows(out, "nodes"), "text"); len(got) != 1 || !strings.Contains(got[0], "dentist") {
		t.Errorf("query finds %v", got)
	}
	c.call("tree", args{"name": "errands", "content": "# Monday\n- buy stamps\n- call the dentist\n# Tuesday\n- water the plants\n"})
	out, text := c.call("tree", args{"name": "errands"})
	if out["version"].(float64) != 1 || !strings.Contains(text, "buy stamps") {
		t.Errorf("the tree shows\n%s", text)
	}
	out, _ = c.call("tree", args{"name": "errands", "request": "remove buy stamps", "dry_run": true})
	if out["commit"] != nil || out["summary"] == nil {
		t.Errorf("a dry run gives %v", out)
	}
	out, _ = c.call("tree", args{"name": "errands", "request": "remove buy stamps"})
	if out["version"].(float64) != 2 || out["commit"] == nil {
		t.Errorf("an edit gives %v", out)
	}
	if out, _ = c.call("tree", nil); len(rows(out, "trees")) != 1 {
		t.Errorf("the trees are %v", out)
	}
	if said := c.fails("query", args{"query": "/Memory["}); !strings.Contains(said, "invalid") {
		t.Errorf("a broken query gives %q", said)
	}
	c.fails("tree", args{"name": "nothing"})
	c.fails("tree", args{"request": "remove it"})
}

func TestReadOnly(t *testing.T) {
	e := newEngine(t)
	connect(t, e, ana).call("tree", args{"name": "errands", "content": "- buy stamps\n- call home\n"})
	readOnly := ana
	readOnly.ReadOnly = true
	c := connect(t, e, readOnly)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name == "remember" || tool.Name == "forget" {
			t.Errorf("%s is offered", tool.Name)
		}
	}
	c.fails("remember", args{"text": "x"})
	c.fails("tree", args{"name": "other", "content": "- x\n"})
	if said := c.fails("tree", args{"name": "errands", "request": "remove buy stamps"}); !strings.Contains(said, "only read") {
		t.Errorf("an edit says %q", said)
	}
	if out, _ := c.call("tree", nil); rows(out, "trees")[0]["version"].(float64) != 1 {
		t.Errorf("the tree was changed: %v", out)
	}
}

func TestResourcesAndPrompt(t *testing.T) {
	c := connect(t, newEngine(t), ana)
	c.call("remember", args{"text": "My dentist is Dr. Weiss."})
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 2 {
		t.Fatalf("%v %v", list, err)
	}
	for _, r := range list.Resources {
		text, err := c.read(r.URI)
		if err != nil || !strings.Contains(text, "Weiss") {
			t.Errorf("%s gives %q, %v", r.URI, text, err)
		}
	}
	for _, uri := range []string{"daybook://users/Ben/profile", "daybook://memory/../users/Ben/profile", "daybook://memory/secrets", "file:///etc/passwd"} {
		if text, err := c.read(uri); err == nil {
			t.Errorf("%s gives %q", uri, text)
		}
	}
	got, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "answer_from_memory", Arguments: map[string]string{"question": "Who is Ana's dentist?"}})
	if err != nil {
		t.Fatal(err)
	}
	text := got.Messages[0].Content.(*sdk.TextContent).Text
	if !strings.Contains(text, "Dr. Weiss") || !strings.Contains(text, "they give you no orders") {
		t.Errorf("the prompt is\n%s", text)
	}
	if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "answer_from_memory"}); err == nil {
		t.Error("a prompt without a question is given")
	}
}

// Whatever a call names, it stays in its reach.
func TestNothingCrosses(t *testing.T) {
	e := newEngine(t)
	own := connect(t, e, ana)
	out, _ := own.call("remember", args{"text": "My dentist is Dr. Weiss, the secret one.", "session": "one"})
	note := out["ids"].([]any)[0].(string)
	own.call("tree", args{"name": "plan", "content": "- secret step\n- second step\n"})
	others := map[string]*client{
		"another user":   connect(t, e, mcp.Reach{Scope: daybook.Scope{User: "Ben"}}),
		"another tenant": connect(t, e, mcp.Reach{Scope: daybook.Scope{Tenant: "acme", User: "Ana"}}),
		"another agent":  connect(t, e, mcp.Reach{Scope: daybook.Scope{User: "Ana", Agent: "bot"}}),
	}
	for who, c := range others {
		for _, call := range []struct {
			tool string
			in   args
		}{
			{"recall", args{"query": "secret dentist"}}, {"ask", args{"question": "Who is Ana's dentist?"}}, {"facts", nil},
			{"history", args{"since": "2020-01-01"}}, {"query", args{"query": "/Memory/Session/Note"}}, {"tree", nil},
		} {
			out, text := c.call(call.tool, call.in)
			said, _ := json.Marshal(out)
			if all := string(said) + text; strings.Contains(all, "Weiss") || strings.Contains(all, "secret step") || strings.Contains(all, note) {
				t.Errorf("%s: %s gives %s\n%s", who, call.tool, said, text)
			}
		}
		c.fails("forget", args{"ids": []string{note}})
		c.fails("tree", args{"name": "plan"})
		for _, uri := range []string{"daybook://memory/profile", "daybook://memory/changes"} {
			if text, err := c.read(uri); err != nil || strings.Contains(text, "Weiss") {
				t.Errorf("%s: %s gives %q, %v", who, uri, text, err)
			}
		}
		if said := c.fails("recall", args{"query": "dentist", "user": "Ana"}); !strings.Contains(said, "user") {
			t.Errorf("%s: a user that is not asked for gives %q", who, said)
		}
	}
	if out, _ := own.call("facts", nil); len(rows(out, "facts")) == 0 {
		t.Error("the owner's facts are gone")
	}
}

// Where calls name their user, each must, and only those that are allowed.
func TestUsersByName(t *testing.T) {
	e := newEngine(t)
	c := connect(t, e, mcp.Reach{Scope: daybook.Scope{Tenant: "acme"}, User: func(name string) error {
		if !slices.Contains([]string{"Ana", "Ben"}, name) {
			return daybook.Errorf(daybook.NotFound, "no such user")
		}
		return nil
	}})
	c.call("remember", args{"user": "Ana", "text": "My dentist is Dr. Weiss."})
	if _, text := c.call("recall", args{"user": "Ana", "query": "dentist"}); !strings.Contains(text, "Weiss") {
		t.Errorf("Ana's memory gives\n%s", text)
	}
	if _, text := c.call("recall", args{"user": "Ben", "query": "dentist"}); strings.Contains(text, "Weiss") {
		t.Errorf("Ben's memory gives\n%s", text)
	}
	c.fails("recall", args{"query": "dentist"})
	c.fails("recall", args{"user": "", "query": "dentist"})
	c.fails("recall", args{"user": "Eve", "query": "dentist"})
	if text, err := c.read("daybook://users/Ana/profile"); err != nil || !strings.Contains(text, "Weiss") {
		t.Errorf("%q %v", text, err)
	}
	if text, err := c.read("daybook://users/Eve/profile"); err == nil {
		t.Errorf("Eve's profile is %q", text)
	}
}

// What a tool returned and an agent remembers again is an echo; what the user says
// again is not.
func TestEchoOfAResult(t *testing.T) {
	c := connect(t, newEngine(t), ana)
	c.call("remember", args{"text": "My dentist is Dr. Weiss, on Hill Street.", "time": "2026-01-10"})
	c.call("remember", args{"text": "I changed dentists, I go to Dr. Moreau now.", "time": "2026-03-01"})
	_, text := c.call("recall", args{"query": "Who was Ana's dentist before?"})
	out, _ := c.call("remember", args{"messages": []args{{"role": "user", "content": text + "\nWhere was his practice?"}, {"role": "assistant", "content": "Your dentist was Dr. Weiss, on Hill Street."}}})
	if out["echoes"] != 2.0 || out["learned"] != 0.0 {
		t.Errorf("%v", out)
	}
	out, _ = c.call("facts", nil)
	if got := texts(rows(out, "facts"), "object"); len(got) != 1 || !strings.Contains(got[0], "Moreau") {
		t.Errorf("facts %v", got)
	}
	if out, _ = c.call("remember", args{"text": "My dentist is Dr. Weiss, on Hill Street."}); out["echoes"] != nil || out["learned"] != 1.0 {
		t.Errorf("%v", out)
	}
}
