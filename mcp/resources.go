package mcp

import (
	"context"
	"net/url"
	"strings"
	"time"

	"daybook"
	"daybook/answer"
	"daybook/engine"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Resources of a memory, by the end of their address.
const (
	profileName = "profile"
	changesName = "changes"
)

// recently is how far back the changes go.
const recently = 7 * 24 * time.Hour

const scheme = "daybook"

// addResources offers the profile and the recent changes: daybook://memory/profile, or
// daybook://users/NAME/profile where calls name their user.
func (c *caller) addResources(s *sdk.Server) {
	for _, r := range []struct{ name, title, about string }{
		{profileName, "What is known now", "The facts that hold now, as a profile of the user. Attach it to begin a conversation with what is known."},
		{changesName, "What changed lately", "What came to be believed in the last seven days, and what is believed no longer."},
	} {
		if c.User == nil {
			s.AddResource(&sdk.Resource{URI: scheme + "://memory/" + r.name, Name: r.name, Title: r.title, Description: r.about, MIMEType: "text/plain"}, c.resource)
			continue
		}
		s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: scheme + "://users/{user}/" + r.name, Name: r.name, Title: r.title, Description: r.about, MIMEType: "text/plain"}, c.resource)
	}
}

// resource reads a resource by its address.
func (c *caller) resource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	user, name, ok := c.address(req.Params.URI)
	if !ok {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	scope, err := c.scope(user)
	if err != nil {
		return nil, c.shown(err)
	}
	var out output
	if name == profileName {
		out, err = c.facts(ctx, scope, factsIn{Limit: mostFacts})
	} else {
		since := c.engine.Now().Add(-recently).UTC().Format(time.RFC3339)
		out, err = c.history(ctx, scope, historyIn{Since: since})
	}
	if err != nil {
		return nil, c.shown(err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: out.text()}}}, nil
}

// address takes a resource's address apart: whose it is, where calls name their user,
// and which.
func (c *caller) address(uri string) (user, name string, ok bool) {
	rest, ok := strings.CutPrefix(uri, scheme+"://")
	if !ok {
		return "", "", false
	}
	parts := strings.Split(rest, "/")
	name = parts[len(parts)-1]
	if name != profileName && name != changesName {
		return "", "", false
	}
	if c.User == nil {
		return "", name, len(parts) == 2 && parts[0] == "memory"
	}
	if len(parts) != 3 || parts[0] != "users" {
		return "", "", false
	}
	user, err := url.PathUnescape(parts[1])
	return user, name, err == nil
}

// promptName is the one prompt.
const promptName = "answer_from_memory"

// addPrompts offers "answer from memory": the evidence for a question with how to
// read it.
func (c *caller) addPrompts(s *sdk.Server) {
	p := &sdk.Prompt{
		Name: promptName, Title: "Answer from memory",
		Description: "Finds what the memory holds on a question and asks for an answer that stands on it alone, with citations.",
		Arguments:   []*sdk.PromptArgument{{Name: "question", Description: "the question in full, with names", Required: true}},
	}
	if c.User != nil {
		p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: "user", Description: "whose memory", Required: true})
	}
	s.AddPrompt(p, c.prompt)
}

func (c *caller) prompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	question := req.Params.Arguments["question"]
	if question == "" {
		return nil, c.shown(daybook.Errorf(daybook.Invalid, "question is missing"))
	}
	scope, err := c.scope(req.Params.Arguments["user"])
	if err != nil {
		return nil, c.shown(err)
	}
	asking, err := c.engine.Evidence(ctx, scope, engine.Asked{Text: question})
	if err != nil {
		return nil, c.shown(err)
	}
	var said []string // prompts have no system message: one message says it all
	for _, m := range answer.RequestFor(asking.Resolved, asking.Packet).Messages {
		said = append(said, m.Content)
	}
	return &sdk.GetPromptResult{Description: "Answer from memory", Messages: []*sdk.PromptMessage{
		{Role: "user", Content: &sdk.TextContent{Text: strings.Join(said, "\n\n")}},
	}}, nil
}
