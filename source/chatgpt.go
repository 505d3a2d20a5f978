package source

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"daybook"
)

type gptConversation struct {
	Title          string             `json:"title"`
	ConversationID string             `json:"conversation_id"`
	ID             string             `json:"id"`
	CreateTime     looseString        `json:"create_time"`
	CurrentNode    string             `json:"current_node"`
	Mapping        map[string]gptNode `json:"mapping"`
}

type gptNode struct {
	Message  json.RawMessage `json:"message"`
	Parent   string          `json:"parent"`
	Children []string        `json:"children"`
}

type gptMessage struct {
	ID     string `json:"id"`
	Author struct {
		Role string `json:"role"`
		Name string `json:"name"`
	} `json:"author"`
	CreateTime looseString `json:"create_time"`
	Content    gptContent  `json:"content"`
	Metadata   struct {
		Hidden        bool `json:"is_visually_hidden_from_conversation"`
		UserSystem    bool `json:"is_user_system_message"`
		CustomContext struct {
			AboutUser  string `json:"about_user_message"`
			AboutModel string `json:"about_model_message"`
		} `json:"user_context_message_data"`
	} `json:"metadata"`
}

type gptContent struct {
	Type   string            `json:"content_type"`
	Parts  []json.RawMessage `json:"parts"`
	Text   string            `json:"text"`
	Result string            `json:"result"`
}

// readChatGPT reads conversations.json: each conversation is a tree of messages, of
// which the branch that leads to current_node is what people saw. Messages that
// were edited or regenerated away, hidden ones, and the model's thoughts are left
// out and counted.
func readChatGPT(rd *reader) error {
	for v, err := range rd.values("conversation") {
		if err != nil {
			return err
		}
		var c gptConversation
		if err := unmarshalTree(v.raw, &c); err != nil {
			rd.bad(v.at, err)
		} else {
			rd.gptConversation(v.at, c)
		}
		if rd.stopped {
			return nil
		}
	}
	return nil
}

// unmarshalTree decodes a conversation whose messages are checked one by one
// later, so that a broken message does not cost the others.
func unmarshalTree(raw json.RawMessage, c *gptConversation) error {
	if err := json.Unmarshal(raw, c); err != nil {
		return typeError("ChatGPT conversation", err)
	}
	if c.Mapping == nil {
		return daybook.Errorf(daybook.Invalid, `not a ChatGPT conversation: "mapping" is missing`)
	}
	return nil
}

func (rd *reader) gptConversation(at Position, c gptConversation) {
	branch, err := c.branch()
	if err != nil {
		rd.bad(at, err)
		return
	}
	id := cmp.Or(c.ConversationID, c.ID, at.Part)
	session := titled(c.Title, id)
	last, err := rd.when(string(c.CreateTime))
	if err != nil {
		last = time.Time{}
	}
	place := at.Part
	for i, node := range branch {
		at.Part = fmt.Sprintf("%s, message %d", place, i+1)
		last = rd.gptMessage(at, session, node, c.Mapping[node].Message, last)
		if rd.stopped {
			return
		}
	}
	for range c.messages() - len(branch) {
		rd.leave("on a branch that was edited or regenerated away")
	}
}

// messages counts the nodes that hold a message.
func (c gptConversation) messages() (n int) {
	for _, node := range c.Mapping {
		if node.holds() {
			n++
		}
	}
	return n
}

func (n gptNode) holds() bool { return len(n.Message) > 0 && string(n.Message) != "null" }

// branch returns the nodes with messages from the root to the current node.
func (c gptConversation) branch() (nodes []string, err error) {
	at := c.CurrentNode
	if _, ok := c.Mapping[at]; !ok {
		if at = c.newestLeaf(); at == "" && len(c.Mapping) > 0 {
			return nil, daybook.Errorf(daybook.Invalid, "the messages form a circle")
		}
	}
	seen := map[string]bool{}
	for at != "" {
		node, ok := c.Mapping[at]
		if !ok {
			return nil, daybook.Errorf(daybook.Invalid, "message %q is named as a parent and is not there", shorten(at, 60))
		}
		if seen[at] {
			return nil, daybook.Errorf(daybook.Invalid, "the messages form a circle")
		}
		seen[at] = true
		if node.holds() {
			nodes = append(nodes, at)
		}
		at = node.Parent
	}
	slices.Reverse(nodes)
	return nodes, nil
}

// newestLeaf stands in for a current node that is missing.
func (c gptConversation) newestLeaf() (leaf string) {
	var newest float64 = -1
	for id, node := range c.Mapping {
		if len(node.Children) > 0 {
			continue
		}
		var m struct {
			CreateTime float64 `json:"create_time"`
		}
		_ = json.Unmarshal(node.Message, &m) // a broken one is reported when it is read
		if m.CreateTime > newest || m.CreateTime == newest && id > leaf {
			newest, leaf = m.CreateTime, id
		}
	}
	return leaf
}

// gptMessage reads one message and returns its time; a message without one was
// said when the one before it was.
func (rd *reader) gptMessage(at Position, session, node string, raw json.RawMessage, last time.Time) time.Time {
	var m gptMessage
	if err := unmarshal(raw, "message", &m); err != nil {
		rd.bad(at, err)
		return last
	}
	if m.CreateTime != "" {
		t, err := rd.when(string(m.CreateTime))
		if err != nil {
			rd.bad(at, err)
			return last
		}
		last = t
	}
	if why := m.leftOut(); why != "" {
		rd.leave(why)
		return last
	}
	text, err := m.text()
	switch {
	case err != nil:
		rd.bad(at, err)
	case text == "":
		rd.leave("without text")
	case last.IsZero():
		rd.badf(at, `neither the message nor its conversation has a "create_time"`)
	default:
		rd.note(at, daybook.Note{SourceID: "chatgpt:" + cmp.Or(m.ID, node), Session: session, Time: last, Speaker: rd.gptSpeaker(m), Text: text}, Assumed{Session: true})
	}
	return last
}

func (m gptMessage) leftOut() string {
	switch {
	case m.Content.Type == "thoughts" || m.Content.Type == "reasoning_recap":
		return "thoughts of the model"
	case m.Metadata.UserSystem:
		return "" // what the person wrote about themselves
	case m.Metadata.Hidden || m.Author.Role == "system":
		return "hidden from the person"
	}
	return ""
}

func (m gptMessage) text() (string, error) {
	said := []string{m.Content.Text, m.Content.Result}
	if m.Metadata.UserSystem {
		said = append(said, m.Metadata.CustomContext.AboutUser, m.Metadata.CustomContext.AboutModel)
	}
	for i, raw := range m.Content.Parts {
		text, err := partText(raw)
		if err != nil {
			return "", daybook.Errorf(daybook.Invalid, "part %d: %w", i+1, err)
		}
		said = append(said, text)
	}
	return joinText(said), nil
}

func (rd *reader) gptSpeaker(m gptMessage) string {
	if m.Metadata.UserSystem || m.Author.Role == "user" {
		return rd.me()
	}
	if m.Author.Role == "tool" && m.Author.Name != "" {
		return m.Author.Name
	}
	return m.Author.Role
}
