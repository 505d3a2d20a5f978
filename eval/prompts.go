package eval

import (
	"embed"
	"regexp"
	"strings"

	"daybook/model"
)

// Prompts are files with a version in their name. A change that could change a
// reply is a new file; the name is part of what is asked, so that a reply to an
// older version is never taken for one to a newer.
//
//go:embed prompts/*.txt
var promptFiles embed.FS

// prompt is a system message and a user message with {{fields}} to fill in. In
// the file, lines of equals signs part them; parts with a name follow, one of
// which may be put into the field {{rules}}.
type prompt struct {
	name, system, user string
	rules              map[string]string
}

var partLine = regexp.MustCompile(`(?m)^=====(?: (\w+))?\n`)

func mustPrompt(name string) prompt {
	data, err := promptFiles.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic("eval: " + err.Error())
	}
	parts, heads := partLine.Split(string(data), -1), partLine.FindAllStringSubmatch(string(data), -1)
	if len(parts) < 2 {
		panic("eval: prompt " + name + " has no user message")
	}
	p := prompt{name: name, system: strings.TrimSpace(parts[0]), user: strings.TrimSpace(parts[1]), rules: map[string]string{}}
	for i, head := range heads[1:] {
		p.rules[head[1]] = strings.TrimSpace(parts[i+2])
	}
	return p
}

// request fills the prompt in. The purpose is the prompt's name. What is filled
// in is not looked through for fields again.
func (p prompt) request(fields map[string]string) model.Request {
	var pairs []string
	for name, value := range fields {
		pairs = append(pairs, "{{"+name+"}}", value)
	}
	fill := strings.NewReplacer(pairs...)
	return model.Request{Purpose: p.name, Messages: []model.Message{
		{Role: model.System, Content: "(" + p.name + ")\n" + fill.Replace(p.system)},
		{Role: model.User, Content: strings.TrimSpace(fill.Replace(p.user))},
	}}
}
