package extract

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"strings"

	"daybook"
	"daybook/model"
)

// Prompts are files with a version in their name. A change that could change a
// reply is a new file: By names the version, and recorded replies are for one.
//
//go:embed prompts/*
var promptFiles embed.FS

// prompt is a system message, a user message with {{fields}} to fill in, and what
// the reply must look like.
type prompt struct {
	name, system, user string
	schema             *model.Schema
}

var learnPrompt = mustPrompt("learn-1")

func mustPrompt(name string) prompt {
	text, err := promptFiles.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic("extract: " + err.Error())
	}
	schema, err := promptFiles.ReadFile("prompts/" + name + ".schema.json")
	if err != nil {
		panic("extract: " + err.Error())
	}
	system, user, _ := strings.Cut(string(text), "\n=====\n")
	return prompt{name: name, system: strings.TrimSpace(system), user: strings.TrimSpace(user), schema: model.MustSchema(name, string(schema))}
}

// request is the question about a part. Notes and known values are one line each
// between marks that their writers cannot foresee, so that no note can pass for
// another, or for the end of the notes. What is filled in is not looked through
// for fields again.
func request(p part) model.Request {
	notes, known := p.noteLines(), p.knownLines()
	sum := sha256.Sum256([]byte(notes + "\x00" + known))
	fill := strings.NewReplacer("{{mark}}", fmt.Sprintf("%x", sum[:6]), "{{notes}}", notes, "{{known}}", known)
	read := 0
	for _, r := range p.read {
		if r {
			read++
		}
	}
	return model.Request{
		Purpose: learnPrompt.name, Schema: learnPrompt.schema, MaxTokens: 2048 + 300*read,
		Messages: []model.Message{
			{Role: model.System, Content: learnPrompt.system},
			{Role: model.User, Content: fill.Replace(learnPrompt.user)},
		},
	}
}

// contextWords bounds how much is shown of a note that is context only.
const contextWords = 80

func (p part) noteLines() string {
	var b strings.Builder
	for i, n := range p.notes {
		use, words := "read", strings.Fields(n.Text)
		if !p.read[i] {
			use = "context"
			if len(words) > contextWords {
				words = append(words[:contextWords:contextWords], "…")
			}
		}
		fmt.Fprintf(&b, "%d (%s, %s) %s:", i+1, use, n.Time.Format("Mon 2006-01-02 15:04"), oneLine(speakerOf(n)))
		for j, w := range words {
			b.WriteByte(' ')
			if (j+1)%5 == 0 {
				fmt.Fprintf(&b, "‹%d›", j+1)
			}
			b.WriteString(w)
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}

func (p part) knownLines() string {
	if len(p.states) == 0 {
		return "nothing"
	}
	lines := make([]string, len(p.states))
	for i, k := range p.states {
		lines[i] = fmt.Sprintf("k%d: %s | %s | %s | %s", i+1, oneLine(k.Subject.Name), oneLine(k.Fact.Relation), oneLine(k.Fact.Object), k.Fact.Valid)
	}
	return strings.Join(lines, "\n")
}

func speakerOf(n daybook.Note) string {
	if n.Speaker == "" {
		return "document"
	}
	return n.Speaker
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Relations are the canonical names of the vocabulary.
func Relations() []string {
	names := make([]string, len(vocabulary))
	for i, r := range vocabulary {
		names[i] = r.name
	}
	return names
}
