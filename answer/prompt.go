package answer

import (
	"embed"
	"strings"

	"daybook/model"
)

// Prompts are files with a version in their name: a change that could change a
// reply is a new file.
//
//go:embed prompts/*.txt
var promptFiles embed.FS

// promptFile returns the system and the user message of a prompt.
func promptFile(name string) (system, user string) {
	system, user, _ = strings.Cut(mustRead(name), "=====\n")
	return strings.TrimSpace(system), strings.TrimSpace(user)
}

func mustRead(name string) string {
	data, err := promptFiles.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic("answer: " + err.Error())
	}
	return string(data)
}

// planFor is the part of the plans that suits an intent.
func planFor(i Intent) string {
	_, rest, ok := strings.Cut(mustRead("plans-1"), "===== "+string(i)+"\n")
	if !ok {
		return ""
	}
	plan, _, _ := strings.Cut(rest, "=====")
	return strings.TrimSpace(plan)
}

// RequestFor asks a language model for an answer from a packet.
func RequestFor(r *Resolved, p *Packet) model.Request {
	system, user := promptFile("answer-1")
	system = strings.ReplaceAll(system, "{{plan}}", planFor(r.Intent))
	user = strings.ReplaceAll(user, "{{packet}}", p.String())
	return model.Request{Purpose: "answer", MaxTokens: 300, Messages: []model.Message{
		{Role: model.System, Content: system}, {Role: model.User, Content: user},
	}}
}
