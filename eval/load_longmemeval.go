package eval

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"daybook"
)

type longMemItem struct {
	ID         string          `json:"question_id"`
	Type       string          `json:"question_type"`
	Question   string          `json:"question"`
	Date       string          `json:"question_date"`
	Answer     loose           `json:"answer"`
	Answers    []string        `json:"answer_session_ids"`
	Dates      []string        `json:"haystack_dates"`
	SessionIDs []string        `json:"haystack_session_ids"`
	Sessions   [][]longMemTurn `json:"haystack_sessions"`
}

type longMemTurn struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	HasAnswer bool   `json:"has_answer"`
}

// LoadLongMemEval reads a file of LongMemEval: S, M or oracle, all of one form.
//
// Every question has a conversation of its own, with the sessions in order of
// their dates and a minute between turns. A note is SESSION#N, counted from one;
// turns marked has_answer are Evidence, and answer_session_ids are Sessions.
// Questions whose id ends in _abs are Absent. Turns without text are left out
// and tolerated, as are answer sessions that the haystack does not hold.
//
// The file is read as a stream and equal texts are kept once: sessions of M come
// in many haystacks.
func LoadLongMemEval(path string) (Dataset, error) {
	if err := checkFile(path); err != nil {
		return Dataset{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return Dataset{}, daybook.Errorf(daybook.Unavailable, "read data: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read
	sum := sha256.New()
	in := skipMark(bufio.NewReaderSize(io.TeeReader(file, sum), 1<<16))
	d := Dataset{Name: "longmemeval"}
	if err := d.readLongMem(path, json.NewDecoder(&checkUTF8{r: in, path: path})); err != nil {
		return Dataset{}, err
	}
	if _, err := io.Copy(io.Discard, in); err != nil { // what follows the array belongs to the hash
		return Dataset{}, daybook.Errorf(daybook.Unavailable, "read data: %w", err)
	}
	var f files
	f.add(sum.Sum(nil))
	d.Hash = f.hash()
	return d, nil
}

// skipMark passes over a byte order mark.
func skipMark(r *bufio.Reader) *bufio.Reader {
	if mark, err := r.Peek(3); err == nil && string(mark) == "\uFEFF" {
		_, _ = r.Discard(3)
	}
	return r
}

func (d *Dataset) readLongMem(path string, dec *json.Decoder) error {
	at := place{path: path}
	tok, err := dec.Token()
	if errors.Is(err, io.EOF) {
		return at.errorf("the file is empty")
	}
	if err != nil {
		return streamError(at, err)
	}
	if tok != json.Delim('[') {
		return at.errorf("an array of questions was expected, not %v", tok)
	}
	texts, seen := map[string]string{}, map[string]bool{}
	for i := 0; dec.More(); i++ {
		var item longMemItem
		at := at.in("question %d", i)
		if err := dec.Decode(&item); err != nil {
			return streamError(at, err)
		}
		if seen[item.ID] {
			return at.errorf("question_id %q comes a second time", item.ID)
		}
		seen[item.ID] = true
		c, err := d.longMemConversation(at, item, texts)
		if err != nil {
			return err
		}
		d.Conversations = append(d.Conversations, c)
	}
	if _, err := dec.Token(); err != nil {
		return streamError(at, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return at.errorf("something follows the array of questions")
	}
	if len(d.Conversations) == 0 {
		return at.errorf("no questions")
	}
	return nil
}

// streamError is jsonError for a stream, which counts no lines.
func streamError(at place, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return at.errorf("the JSON is cut short")
	}
	if daybook.KindOf(err) == daybook.Invalid {
		return err
	}
	if syn, ok := errors.AsType[*json.SyntaxError](err); ok {
		return at.errorf("not JSON (byte %d): %w", syn.Offset, err)
	}
	return jsonError(at, nil, 0, err)
}

func (d *Dataset) longMemConversation(at place, item longMemItem, texts map[string]string) (Conversation, error) {
	if err := at.need(text("question_id", item.ID), text("question_type", item.Type), text("question", item.Question),
		text("question_date", item.Date), text("answer", string(item.Answer)), list("haystack_sessions", item.Sessions)); err != nil {
		return Conversation{}, err
	}
	at = place{path: at.path, record: item.ID}
	if len(item.Dates) != len(item.Sessions) || len(item.SessionIDs) != len(item.Sessions) {
		return Conversation{}, at.errorf("%d sessions, but %d dates and %d ids", len(item.Sessions), len(item.Dates), len(item.SessionIDs))
	}
	asked, err := longMemTime(item.Date)
	if err != nil {
		return Conversation{}, at.errorf("question_date: %w", err)
	}
	q := Question{ID: item.ID, Text: item.Question, Category: item.Type, AsOf: asked,
		Answers: []string{string(item.Answer)}, Absent: strings.HasSuffix(item.ID, "_abs")}
	b := builder{}
	if err := d.longMemSessions(at, item, texts, &b, &q); err != nil {
		return Conversation{}, err
	}
	for _, id := range item.Answers {
		if slices.Contains(item.SessionIDs, id) {
			q.Sessions = append(q.Sessions, id)
		} else {
			d.tolerate(at, "answer session %q is not in the haystack and was left out", id)
		}
	}
	daybook.Sort(b.notes, func(x, y daybook.Note) int { return x.Time.Compare(y.Time) })
	return Conversation{ID: item.ID, Notes: b.notes, Questions: []Question{q}}, nil
}

func (d *Dataset) longMemSessions(at place, item longMemItem, texts map[string]string, b *builder, q *Question) error {
	times := map[string]int{} // how often a session's id has come
	for i, turns := range item.Sessions {
		at := at.in("session %d", i)
		start, err := longMemTime(item.Dates[i])
		if err != nil {
			return at.errorf("haystack_dates: %w", err)
		}
		session := item.SessionIDs[i]
		if session == "" {
			return at.errorf("haystack_session_ids: the id is empty")
		}
		prefix := session
		if times[session]++; times[session] > 1 {
			prefix = fmt.Sprintf("%s(%d)", session, times[session])
			d.tolerate(at, "session %q comes again; its turns are %s#N", session, prefix)
		}
		for j, t := range turns {
			n := daybook.Note{SourceID: fmt.Sprintf("%s#%d", prefix, j+1), Session: session,
				Time: start.Add(time.Duration(j) * time.Minute), Speaker: t.Role, Text: intern(texts, t.Content)}
			if err := d.longMemTurn(at.in("turn %d", j), b, q, n, t.HasAnswer); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Dataset) longMemTurn(at place, b *builder, q *Question, n daybook.Note, evidence bool) error {
	if err := at.need(text("role", n.Speaker)); err != nil {
		return err
	}
	if strings.TrimSpace(n.Text) == "" {
		d.tolerate(at, "%s has no text and was left out", n.SourceID)
		return nil
	}
	if evidence {
		q.Evidence = append(q.Evidence, n.SourceID)
	}
	return b.add(at, n)
}

func longMemTime(s string) (time.Time, error) {
	t, err := time.Parse("2006/01/02 (Mon) 15:04", s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no time such as 2023/05/20 (Sat) 02:21", s)
	}
	return t, nil
}

func intern(texts map[string]string, s string) string {
	if t, ok := texts[s]; ok {
		return t
	}
	texts[s] = s
	return s
}
