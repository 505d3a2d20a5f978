package source

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"daybook"
)

// message is one message as OpenAI's arrays, or {speaker, text, time}, have it.
type message struct {
	ID        looseString     `json:"id"`
	Session   looseString     `json:"session"`
	SessionID looseString     `json:"session_id"`
	Thread    looseString     `json:"conversation_id"`
	Time      looseString     `json:"time"`
	Timestamp looseString     `json:"timestamp"`
	CreatedAt looseString     `json:"created_at"`
	Speaker   string          `json:"speaker"`
	Name      string          `json:"name"`
	Role      string          `json:"role"`
	Text      *string         `json:"text"`
	Content   json.RawMessage `json:"content"`
	Refusal   string          `json:"refusal"`
	ToolCalls []toolCall      `json:"tool_calls"`
	Call      *calledFunction `json:"function_call"`
	Messages  json.RawMessage `json:"messages"` // a conversation
	Title     string          `json:"title"`
}

type toolCall struct {
	Function calledFunction `json:"function"`
}

type calledFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func (c calledFunction) String() string { return "[call " + c.Name + "(" + c.Arguments + ")]" }

// readMessages reads an array of messages, JSON lines of them, or conversations
// {"messages": […]}, one or many.
func readMessages(rd *reader) error {
	for v, err := range rd.values("message") {
		if err != nil {
			return err
		}
		var m message
		if err := unmarshal(v.raw, "message", &m); err != nil {
			rd.bad(v.at, err)
		} else if m.Messages != nil {
			rd.conversation(v, m)
		} else {
			rd.message(v.at, m, v.n-1, "")
		}
		if rd.stopped {
			return nil
		}
	}
	return nil
}

// conversation reads {"messages": […]}.
func (rd *reader) conversation(v value, m message) {
	var messages []json.RawMessage
	if err := unmarshal(m.Messages, "list of messages", &messages); err != nil {
		rd.bad(v.at, err)
		return
	}
	session := first(m.Session, m.SessionID, m.Thread, m.ID, looseString(m.Title))
	if session == "" && v.n > 1 {
		session = fmt.Sprintf("%s %d", rd.name, v.n)
	}
	for i, raw := range messages {
		at := v.at
		at.Part = strings.TrimPrefix(at.Part+fmt.Sprintf(", message %d", i+1), ", ")
		var each message
		if err := unmarshal(raw, "message", &each); err != nil {
			rd.bad(at, err)
		} else {
			rd.message(at, each, i, session)
		}
		if rd.stopped {
			return
		}
	}
}

func (rd *reader) message(at Position, m message, n int, session string) {
	text, err := m.text()
	if err != nil {
		rd.bad(at, err)
		return
	}
	note := daybook.Note{SourceID: string(m.ID), Session: first(m.Session, m.SessionID, m.Thread, looseString(session)), Speaker: rd.speaker(m), Text: text}
	var assumed Assumed
	if said := first(m.Time, m.Timestamp, m.CreatedAt); said != "" {
		if note.Time, err = rd.when(said); err != nil {
			rd.bad(at, err)
			return
		}
	} else if m.Role == "" && rd.Time.IsZero() {
		rd.badf(at, `"time" is missing`)
		return
	} else {
		note.Time, assumed.Time = rd.fallback(n), true
	}
	switch {
	case note.SourceID != "":
	case assumed.Time:
		note.SourceID = rd.id("message", rd.name, note.Session, note.Speaker, text)
	case note.Session == "" && rd.Session == "": // the session will be assumed
		note.SourceID = rd.id("message", note.Time.Format(time.RFC3339Nano), note.Speaker, text)
	}
	rd.note(at, note, assumed)
}

func (rd *reader) speaker(m message) string {
	switch {
	case m.Speaker != "":
		return m.Speaker
	case m.Name != "":
		return m.Name
	case m.Role == "user":
		return rd.me()
	}
	return m.Role
}

// text returns what a message says. What is no text (a picture, a call of a tool)
// stands in brackets.
func (m message) text() (string, error) {
	if m.Text != nil {
		return *m.Text, nil
	}
	said, err := contentText(m.Content)
	if err != nil {
		return "", err
	}
	said = append(said, m.Refusal)
	for _, c := range m.ToolCalls {
		said = append(said, c.Function.String())
	}
	if m.Call != nil {
		said = append(said, m.Call.String())
	}
	text := joinText(said)
	if text == "" && m.Role == "" {
		return "", daybook.Errorf(daybook.Invalid, `"text" is missing`)
	}
	if text == "" {
		return "", daybook.Errorf(daybook.Invalid, `"content" is missing or empty`)
	}
	return text, nil
}

// contentText reads OpenAI's content: null, a string, or parts.
func contentText(content json.RawMessage) ([]string, error) {
	var one string
	if len(content) == 0 || json.Unmarshal(content, &one) == nil {
		return []string{one}, nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		return nil, daybook.Errorf(daybook.Invalid, `not a message: "content" is neither text nor a list of parts`)
	}
	var said []string
	for i, raw := range parts {
		text, err := partText(raw)
		if err != nil {
			return nil, daybook.Errorf(daybook.Invalid, "part %d of \"content\": %w", i+1, err)
		}
		said = append(said, text)
	}
	return said, nil
}

// contentPart is a part of a message in the forms that OpenAI's interfaces and
// ChatGPT's export have.
type contentPart struct {
	Type        string          `json:"type"`
	ContentType string          `json:"content_type"`
	Text        string          `json:"text"`
	Refusal     string          `json:"refusal"`
	Image       json.RawMessage `json:"image_url"`
	File        namedFile       `json:"file"`
	Filename    string          `json:"filename"`
	Audio       struct {
		Transcript string `json:"transcript"`
	} `json:"input_audio"`
	Metadata struct {
		Dalle struct {
			Prompt string `json:"prompt"`
		} `json:"dalle"`
	} `json:"metadata"`
}

type namedFile struct {
	Name string `json:"filename"`
}

func partText(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var p contentPart
	if err := json.Unmarshal(raw, &p); err != nil {
		return "", typeError("part", err)
	}
	kind := p.Type + p.ContentType
	switch {
	case p.Text != "":
		return p.Text, nil
	case p.Refusal != "":
		return p.Refusal, nil
	case strings.Contains(kind, "image"):
		return bracket("image", first(looseString(p.Metadata.Dalle.Prompt), imageName(p.Image))), nil
	case strings.Contains(kind, "audio"):
		return bracket("audio", p.Audio.Transcript), nil
	case strings.Contains(kind, "video"):
		return "[video]", nil
	case strings.Contains(kind, "file"):
		return bracket("file", first(looseString(p.File.Name), looseString(p.Filename))), nil
	case strings.HasSuffix(kind, "text") || string(raw) == "null":
		return "", nil
	case kind == "":
		return "", daybook.Errorf(daybook.Invalid, `it has neither "text" nor "type"`)
	}
	return bracket(kind, string(raw)), nil // of a kind that we do not know: kept as it stands
}

// imageName is the address of a picture, unless the address is the picture.
func imageName(raw json.RawMessage) looseString {
	var image struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(raw, &image) != nil && json.Unmarshal(raw, &image.URL) != nil || strings.HasPrefix(image.URL, "data:") {
		return ""
	}
	return looseString(image.URL)
}

// bracket names what is no text, as a caption does.
func bracket(kind, what string) string {
	if what = strings.TrimSpace(what); what == "" {
		return "[" + kind + "]"
	}
	return "[" + kind + ": " + what + "]"
}

// joinText puts the parts of a message that say something on lines of their own.
func joinText(parts []string) string {
	var said []string
	for _, p := range parts {
		if strings.TrimSpace(p) != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "\n")
}
