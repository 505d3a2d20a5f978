package source

import (
	"encoding/json"
	"fmt"

	"daybook"
)

type claudeConversation struct {
	ID       string            `json:"uuid"`
	Name     string            `json:"name"`
	Messages []json.RawMessage `json:"chat_messages"`
}

type claudeMessage struct {
	ID          string        `json:"uuid"`
	Text        string        `json:"text"`
	Content     []claudeBlock `json:"content"`
	Sender      string        `json:"sender"`
	CreatedAt   string        `json:"created_at"`
	Attachments []struct {
		Name string `json:"file_name"`
		Text string `json:"extracted_content"`
	} `json:"attachments"`
	Files []struct {
		Name string `json:"file_name"`
	} `json:"files"`
}

type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content json.RawMessage `json:"content"`
}

// readClaude reads conversations.json of a Claude export. A message is its text
// blocks, calls of tools and their results in brackets, and the text of what was
// attached; the model's thoughts are left out and counted.
func readClaude(rd *reader) error {
	for v, err := range rd.values("conversation") {
		if err != nil {
			return err
		}
		var c claudeConversation
		if err := json.Unmarshal(v.raw, &c); err != nil {
			rd.bad(v.at, typeError("Claude conversation", err))
		} else if c.ID == "" || c.Messages == nil {
			rd.badf(v.at, `not a Claude conversation: "uuid" or "chat_messages" is missing`)
		} else {
			rd.claudeConversation(v.at, c)
		}
		if rd.stopped {
			return nil
		}
	}
	return nil
}

func (rd *reader) claudeConversation(at Position, c claudeConversation) {
	if len(c.Messages) == 0 {
		rd.leave("conversations without messages")
	}
	place := at.Part
	for i, raw := range c.Messages {
		at.Part = fmt.Sprintf("%s, message %d", place, i+1)
		var m claudeMessage
		if err := unmarshal(raw, "message", &m); err != nil {
			rd.bad(at, err)
		} else {
			rd.claudeMessage(at, titled(c.Name, c.ID), m)
		}
		if rd.stopped {
			return
		}
	}
}

func (rd *reader) claudeMessage(at Position, session string, m claudeMessage) {
	text := rd.claudeText(m)
	t, err := rd.when(m.CreatedAt)
	switch {
	case m.ID == "":
		rd.badf(at, `"uuid" is missing`)
	case m.CreatedAt == "":
		rd.badf(at, `"created_at" is missing`)
	case err != nil:
		rd.bad(at, err)
	case text == "":
		rd.leave("without text")
	default:
		speaker := m.Sender
		if speaker == "human" {
			speaker = rd.me()
		}
		rd.note(at, daybook.Note{SourceID: "claude:" + m.ID, Session: session, Time: t, Speaker: speaker, Text: text}, Assumed{Session: true})
	}
}

// claudeText prefers the blocks to the plain text, which older exports have alone
// and newer ones fill with placeholders for what it cannot show.
func (rd *reader) claudeText(m claudeMessage) string {
	var said []string
	for _, b := range m.Content {
		if b.Type == "thinking" {
			rd.leave("thoughts of the model")
			continue
		}
		said = append(said, b.text())
	}
	if joinText(said) == "" {
		said = []string{m.Text}
	}
	for _, a := range m.Attachments {
		said = append(said, bracket("attachment", a.Name), a.Text)
	}
	for _, f := range m.Files {
		said = append(said, bracket("file", f.Name))
	}
	return joinText(said)
}

func (b claudeBlock) text() string {
	switch b.Type {
	case "tool_use":
		return calledFunction{b.Name, string(b.Input)}.String()
	case "tool_result":
		return b.resultText()
	}
	return b.Text
}

// resultText is what a tool gave back: text, or blocks of text and other things.
func (b claudeBlock) resultText() string {
	var one string
	if json.Unmarshal(b.Content, &one) == nil {
		return one
	}
	var blocks []claudeBlock
	if json.Unmarshal(b.Content, &blocks) != nil {
		return bracket("result", string(b.Content))
	}
	var said []string
	for _, block := range blocks {
		text := block.Text
		if text == "" && block.Type != "text" {
			text = bracket("result", block.Type)
		}
		said = append(said, text)
	}
	return joinText(said)
}
