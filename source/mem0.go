package source

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"daybook"
)

type mem0Memory struct {
	ID         looseString                `json:"id"`
	Memory     string                     `json:"memory"`
	Content    string                     `json:"content"` // OpenMemory's word
	State      string                     `json:"state"`
	UserID     looseString                `json:"user_id"`
	AgentID    looseString                `json:"agent_id"`
	RunID      looseString                `json:"run_id"`
	Created    looseString                `json:"created_at"`
	Updated    looseString                `json:"updated_at"`
	Metadata   map[string]json.RawMessage `json:"metadata"`
	Categories []json.RawMessage          `json:"categories"`
}

// readMem0 reads memories: an array, JSON lines, or a page of the interface with
// "results" or "memories". A memory that mem0 has changed since the last import is
// a new note; the old wording stays, as what was true then. Metadata and
// categories follow the text in brackets.
func readMem0(rd *reader) error {
	for v, err := range rd.values("memory") {
		if err != nil {
			return err
		}
		var page struct {
			Results  []json.RawMessage `json:"results"`
			Memories []json.RawMessage `json:"memories"`
		}
		if json.Unmarshal(v.raw, &page) == nil && (page.Results != nil || page.Memories != nil) {
			for i, raw := range append(page.Results, page.Memories...) {
				at := v.at
				at.Part = fmt.Sprintf("memory %d", i+1)
				if rd.mem0Memory(at, raw); rd.stopped {
					return nil
				}
			}
			continue
		}
		if rd.mem0Memory(v.at, v.raw); rd.stopped {
			return nil
		}
	}
	return nil
}

func (rd *reader) mem0Memory(at Position, raw json.RawMessage) {
	var m mem0Memory
	if err := unmarshal(raw, "memory", &m); err != nil {
		rd.bad(at, err)
		return
	}
	said := strings.TrimSpace(m.Memory + m.Content)
	stamp := first(m.Updated, m.Created)
	switch {
	case m.State == "deleted":
		rd.leave("deleted memories")
		return
	case said == "":
		rd.badf(at, `"memory" is missing or empty`)
		return
	case stamp == "":
		rd.badf(at, `neither "created_at" nor "updated_at" is there`)
		return
	}
	t, err := rd.when(stamp)
	if err != nil {
		rd.bad(at, err)
		return
	}
	text := strings.TrimSpace(said + " " + m.aside())
	rd.note(at, daybook.Note{
		SourceID: rd.id("mem0", string(m.ID), first(m.UserID, m.AgentID), text), Session: cmp.Or(string(m.RunID), rd.Session, "mem0"),
		Time: t, Speaker: first(m.UserID, m.AgentID), Text: text,
	}, Assumed{})
}

// aside shows metadata and categories: "[type: work; categories: food, travel]".
func (m mem0Memory) aside() string {
	var said []string
	for _, key := range slices.Sorted(maps.Keys(m.Metadata)) {
		if text := plain(m.Metadata[key]); text != "" {
			said = append(said, key+": "+text)
		}
	}
	var names []string
	for _, c := range m.Categories {
		names = append(names, plain(c))
	}
	if len(names) > 0 {
		said = append(said, "categories: "+strings.Join(names, ", "))
	}
	if len(said) == 0 {
		return ""
	}
	return "[" + strings.Join(said, "; ") + "]"
}

// plain shows a JSON value: text without quotes, all else as it stands.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
