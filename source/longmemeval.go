package source

import (
	"fmt"
	"strings"
	"time"

	"daybook"
)

type longMemItem struct {
	ID         string          `json:"question_id"`
	Dates      []string        `json:"haystack_dates"`
	SessionIDs []string        `json:"haystack_session_ids"`
	Sessions   [][]longMemTurn `json:"haystack_sessions"`
}

type longMemTurn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// readLongMemEval reads the haystacks of a LongMemEval file: QUESTION/SESSION#N are
// ids, and turns are a minute apart from the session's date. Every question has a
// haystack of its own; to ask one, import a file with that one.
func readLongMemEval(rd *reader) error {
	for v, err := range rd.values("question") {
		if err != nil {
			return err
		}
		var item longMemItem
		if err := unmarshal(v.raw, "LongMemEval question", &item); err != nil {
			rd.bad(v.at, err)
		} else if item.ID == "" || item.Sessions == nil {
			rd.badf(v.at, `not a LongMemEval question: "question_id" or "haystack_sessions" is missing`)
		} else if len(item.Dates) != len(item.Sessions) || len(item.SessionIDs) != len(item.Sessions) {
			rd.badf(v.at, "%d sessions, but %d dates and %d ids", len(item.Sessions), len(item.Dates), len(item.SessionIDs))
		} else {
			rd.longMemItem(v.at, item)
		}
		if rd.stopped {
			return nil
		}
	}
	return nil
}

func (rd *reader) longMemItem(at Position, item longMemItem) {
	times := map[string]int{} // how often a session's id has come
	place := at.Part
	for i, turns := range item.Sessions {
		at.Part = fmt.Sprintf("%s, session %d", place, i+1)
		start, err := time.Parse("2006/01/02 (Mon) 15:04", item.Dates[i])
		if err != nil {
			rd.badf(at, "%q is no time such as 2023/05/20 (Sat) 02:21", shorten(item.Dates[i], 60))
			continue
		}
		session := item.SessionIDs[i]
		if times[session]++; times[session] > 1 {
			session = fmt.Sprintf("%s(%d)", session, times[session])
		}
		rd.longMemTurns(at, daybook.Note{Session: item.ID + "/" + session, Time: start}, turns)
		if rd.stopped {
			return
		}
	}
}

func (rd *reader) longMemTurns(at Position, n daybook.Note, turns []longMemTurn) {
	place, start := at.Part, n.Time
	for j, t := range turns {
		at.Part = fmt.Sprintf("%s, turn %d", place, j+1)
		n.SourceID, n.Text, n.Speaker = fmt.Sprintf("%s#%d", n.Session, j+1), t.Content, t.Role
		n.Time = start.Add(time.Duration(j) * time.Minute)
		if t.Role == "user" {
			n.Speaker = rd.me()
		}
		switch {
		case t.Role == "":
			rd.badf(at, `"role" is missing`)
		case strings.TrimSpace(t.Content) == "":
			rd.leave("without text")
		default:
			rd.note(at, n, Assumed{})
		}
		if rd.stopped {
			return
		}
	}
}
