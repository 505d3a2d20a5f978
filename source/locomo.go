package source

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"daybook"
)

type locomoSample struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
}

type locomoTurn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

// readLoCoMo reads the conversations of a LoCoMo file. Notes are as in the
// evaluation: a turn each, a picture's caption in brackets after the text, turns a
// minute apart from the session's time. Questions are no notes.
func readLoCoMo(rd *reader) error {
	for v, err := range rd.values("sample") {
		if err != nil {
			return err
		}
		var s locomoSample
		if err := unmarshal(v.raw, "LoCoMo sample", &s); err != nil {
			rd.bad(v.at, err)
		} else if s.Conversation == nil {
			rd.badf(v.at, `not a LoCoMo sample: "conversation" is missing`)
		} else {
			rd.locomoSample(v, s)
		}
		if rd.stopped {
			return nil
		}
	}
	return nil
}

func (rd *reader) locomoSample(v value, s locomoSample) {
	if s.ID == "" {
		s.ID = fmt.Sprintf("sample-%d", v.n)
	}
	for _, n := range locomoSessions(s.Conversation) {
		at := v.at
		at.Part += fmt.Sprintf(", session_%d", n)
		rd.locomoSession(at, s, fmt.Sprintf("session_%d", n))
		if rd.stopped {
			return
		}
	}
}

// locomoSessions returns the numbers of the sessions that have turns, in order.
func locomoSessions(conversation map[string]json.RawMessage) (ns []int) {
	for key := range conversation {
		number, ok := strings.CutPrefix(key, "session_")
		if n, err := strconv.Atoi(number); ok && err == nil && strconv.Itoa(n) == number {
			ns = append(ns, n)
		}
	}
	slices.Sort(ns)
	return ns
}

func (rd *reader) locomoSession(at Position, s locomoSample, key string) {
	var turns []locomoTurn
	if err := json.Unmarshal(s.Conversation[key], &turns); err != nil {
		rd.bad(at, typeError("list of turns", err))
		return
	}
	var said string
	_ = json.Unmarshal(s.Conversation[key+"_date_time"], &said) // what is no text is no time either
	start, err := time.Parse("3:04 pm on 2 January, 2006", strings.TrimSpace(said))
	if err != nil {
		rd.badf(at, "%s_date_time %q is no time such as 1:56 pm on 8 May, 2023", key, shorten(said, 60))
		return
	}
	place := at.Part
	for i, t := range turns {
		at.Part = fmt.Sprintf("%s, turn %d", place, i+1)
		text := strings.TrimSpace(t.Text)
		if caption := strings.TrimSpace(t.Caption); caption != "" {
			text = strings.TrimSpace(t.Text + " " + bracket("image", caption))
		}
		switch {
		case t.ID == "" || t.Speaker == "":
			rd.badf(at, `"dia_id" or "speaker" is missing`)
		case text == "":
			rd.leave("without text")
		default:
			rd.note(at, daybook.Note{SourceID: s.ID + "/" + t.ID, Session: s.ID + "/" + key, Time: start.Add(time.Duration(i) * time.Minute), Speaker: t.Speaker, Text: text}, Assumed{})
		}
		if rd.stopped {
			return
		}
	}
}
