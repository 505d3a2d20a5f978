package recall

import (
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"daybook/model"
)

// Prompts are files with a version in their name; a change that could change a reply
// is a new file.
//
//go:embed prompts/*
var prompts embed.FS

const expandPrompt = "expand-1"

var (
	expandText   = mustRead(expandPrompt + ".txt")
	expandSchema = model.MustSchema(expandPrompt, mustRead(expandPrompt+".schema.json"))
)

func mustRead(name string) string {
	text, err := prompts.ReadFile("prompts/" + name)
	if err != nil {
		panic("recall: " + err.Error())
	}
	return string(text)
}

// Expand asks a language model, once, for other ways to ask the plan's question. It
// returns at most as many as are searched, none of them the question itself.
func Expand(ctx context.Context, c model.Completer, p Plan) (queries []string, err error) {
	type reply struct {
		Queries []string `json:"queries"`
	}
	got, _, err := model.CompleteJSON[reply](ctx, c, expandRequest(p), 1)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{strings.ToLower(p.Text): true}
	for _, q := range got.Queries {
		q = strings.TrimSpace(q)
		if low := strings.ToLower(q); low != "" && len(q) <= expansionBytes && !seen[low] && len(queries) < maxExpansions {
			seen[low], queries = true, append(queries, q)
		}
	}
	return queries, nil
}

func expandRequest(p Plan) model.Request {
	system, user, _ := strings.Cut(expandText, "\n=====\n")
	fill := strings.NewReplacer("{{most}}", strconv.Itoa(maxExpansions), "{{now}}", p.Now.Format(time.RFC3339),
		"{{question}}", p.Text, "{{mark}}", fmt.Sprintf("%x", sha256.Sum256([]byte(p.Text)))[:12])
	return model.Request{
		Purpose: expandPrompt, Schema: expandSchema, MaxTokens: 400,
		Messages: []model.Message{
			{Role: model.System, Content: strings.TrimSpace(fill.Replace(system))},
			{Role: model.User, Content: strings.TrimSpace(fill.Replace(user))},
		},
	}
}
