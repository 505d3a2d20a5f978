package eval

import (
	"embed"
	"strings"
	"text/template"

	"daybook/model"
)

// Prompts are files with a version in their name. A change that could change a
// reply is a new file; the name is part of what is asked, so that a reply to an
// older version is never taken for one to a newer.
//
//go:embed prompts/*.txt
var promptFiles embed.FS

// prompt is a system message and a user message, parted by a line of equals
// signs.
type prompt struct {
	name         string
	system, user *template.Template
}

func mustPrompt(name string) prompt {
	data, err := promptFiles.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic("eval: " + err.Error())
	}
	system, user, ok := strings.Cut(string(data), "\n=====\n")
	if !ok {
		panic("eval: prompt " + name + " has no line of equals signs")
	}
	return prompt{name, template.Must(template.New(name).Parse(system)), template.Must(template.New(name).Parse(user))}
}

// request fills the prompt in. The purpose is the prompt's name.
func (p prompt) request(fields any) (model.Request, error) {
	var system, user strings.Builder
	if err := p.system.Execute(&system, fields); err != nil {
		return model.Request{}, err
	}
	if err := p.user.Execute(&user, fields); err != nil {
		return model.Request{}, err
	}
	return model.Request{Purpose: p.name, Messages: []model.Message{
		{Role: model.System, Content: "(" + p.name + ")\n" + strings.TrimSpace(system.String())},
		{Role: model.User, Content: strings.TrimSpace(user.String())},
	}}, nil
}
