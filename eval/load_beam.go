package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"daybook"
)

// beamAbilities are BEAM's ten, in the order in which questions are listed.
var beamAbilities = []string{
	"abstention", "contradiction_resolution", "event_ordering", "information_extraction", "instruction_following",
	"knowledge_update", "multi_session_reasoning", "preference_following", "summarization", "temporal_reasoning",
}

type beamBatch struct {
	Number int             `json:"batch_number"`
	Anchor string          `json:"time_anchor"`
	Turns  [][]beamMessage `json:"turns"`
}

type beamMessage struct {
	ID      *int   `json:"id"`
	Role    string `json:"role"`
	Content string `json:"content"`
	Anchor  string `json:"time_anchor"`
}

// beamQuestion holds the answer under whatever name its ability gives it. The
// abilities instruction_following and preference_following have a rubric only.
type beamQuestion struct {
	Question      string          `json:"question"`
	Answer        loose           `json:"answer"`
	IdealResponse loose           `json:"ideal_response"`
	IdealAnswer   loose           `json:"ideal_answer"`
	IdealSummary  loose           `json:"ideal_summary"`
	Rubric        []string        `json:"rubric"`
	Sources       json.RawMessage `json:"source_chat_ids"`
}

// LoadBeam reads the folder of one BEAM chat (chat.json, and
// probing_questions.json beside it or in a folder of that name), or a folder of
// such folders, in order of their names.
//
// A batch is a session; its turns are a minute apart from its time anchor. The
// generator's marks at the end of messages ("->-> 1,2") are taken off.
// source_chat_ids, flat or by event, are Evidence; ids that the chat does not
// hold are left out and tolerated. Abstention questions are Absent.
func LoadBeam(path string) (Dataset, error) {
	chats, err := beamChats(path)
	if err != nil {
		return Dataset{}, err
	}
	var f files
	d := Dataset{Name: "beam"}
	for _, dir := range chats {
		c, err := d.beamChat(&f, dir)
		if err != nil {
			return Dataset{}, err
		}
		d.Conversations = append(d.Conversations, c)
	}
	d.Hash = f.hash()
	return d, nil
}

func beamChats(path string) ([]string, error) {
	if err := checkFolder(path); err != nil {
		return nil, err
	}
	if exists(filepath.Join(path, "chat.json")) {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "read data: %w", err)
	}
	var names []string
	for _, e := range entries {
		if exists(filepath.Join(path, e.Name(), "chat.json")) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, daybook.Errorf(daybook.Invalid, "%s: neither chat.json nor folders that have one", path)
	}
	slices.SortFunc(names, byNumber)
	for i, name := range names {
		names[i] = filepath.Join(path, name)
	}
	return names, nil
}

// byNumber compares names, numbers by their value and before all else.
func byNumber(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return strings.Compare(a, b)
}

func (d *Dataset) beamChat(f *files, dir string) (Conversation, error) {
	c := Conversation{ID: filepath.Base(dir)}
	if abs, err := filepath.Abs(dir); err == nil { // 100K/1: chats of all sizes are numbered from one
		c.ID = filepath.Base(filepath.Dir(abs)) + "/" + filepath.Base(abs)
	}
	var b builder
	if err := d.beamNotes(f, filepath.Join(dir, "chat.json"), &b); err != nil {
		return Conversation{}, err
	}
	c.Notes = b.notes
	path := filepath.Join(dir, "probing_questions", "probing_questions.json")
	if !exists(path) {
		path = filepath.Join(dir, "probing_questions.json")
	}
	err := d.beamQuestions(f, path, &b, &c)
	return c, err
}

func (d *Dataset) beamNotes(f *files, path string, b *builder) error {
	var batches []beamBatch
	if err := readJSON(f, path, &batches); err != nil {
		return err
	}
	var start time.Time
	for i, batch := range batches {
		at := place{path: path, record: fmt.Sprintf("batch %d", i+1)}
		if err := at.need(list("turns", batch.Turns)); err != nil {
			return err
		}
		messages := slices.Concat(batch.Turns...)
		var err error
		if start, err = d.beamStart(at, batch, messages, start); err != nil {
			return err
		}
		session := strconv.Itoa(cmp.Or(batch.Number, i+1))
		for j, m := range messages {
			if err := d.beamNote(at.in("message %d", j), b, m, session, start.Add(time.Duration(j)*time.Minute)); err != nil {
				return err
			}
		}
	}
	if len(b.notes) == 0 {
		return daybook.Errorf(daybook.Invalid, "%s: no messages", path)
	}
	return nil
}

// beamStart returns when a batch begins: at its own time anchor or the first of
// its messages', else a day after the batch before.
func (d *Dataset) beamStart(at place, batch beamBatch, messages []beamMessage, before time.Time) (time.Time, error) {
	anchor := batch.Anchor
	for _, m := range messages {
		anchor = cmp.Or(anchor, m.Anchor)
	}
	if anchor == "" {
		if before.IsZero() {
			return before, at.errorf("%q is missing from the first batch", "time_anchor")
		}
		d.tolerate(at, "no time_anchor; it is taken to be a day after the batch before")
		return before.AddDate(0, 0, 1), nil
	}
	t, err := time.Parse("January-2-2006", anchor)
	if err != nil {
		return t, at.errorf("time_anchor %q is no date such as March-15-2024", anchor)
	}
	return t, nil
}

var beamMark = regexp.MustCompile(`\s*->->\s*\d+,\s*(\d+|N/A)\)?\s*$`)

func (d *Dataset) beamNote(at place, b *builder, m beamMessage, session string, t time.Time) error {
	if err := at.need(field{"id", m.ID != nil}, text("role", m.Role)); err != nil {
		return err
	}
	said := beamMark.ReplaceAllString(m.Content, "")
	if strings.TrimSpace(said) == "" {
		d.tolerate(at, "message %d has no text and was left out", *m.ID)
		return nil
	}
	return b.add(at, daybook.Note{SourceID: strconv.Itoa(*m.ID), Session: session, Time: t, Speaker: m.Role, Text: said})
}

func (d *Dataset) beamQuestions(f *files, path string, b *builder, c *Conversation) error {
	var byAbility map[string][]beamQuestion
	if err := readJSON(f, path, &byAbility); err != nil {
		return err
	}
	for ability := range byAbility {
		if !slices.Contains(beamAbilities, ability) {
			return daybook.Errorf(daybook.Invalid, "%s: %q is none of BEAM's ten abilities", path, ability)
		}
	}
	for _, ability := range beamAbilities {
		for i, q := range byAbility[ability] {
			at := place{path: path, record: fmt.Sprintf("%s %d", ability, i+1)}
			out, err := d.beamQuestion(at, b, q)
			if err != nil {
				return err
			}
			out.ID, out.Category, out.Absent = fmt.Sprintf("%s-%s-%d", c.ID, ability, i+1), ability, ability == "abstention"
			c.Questions = append(c.Questions, out)
		}
	}
	return nil
}

func (d *Dataset) beamQuestion(at place, b *builder, q beamQuestion) (Question, error) {
	if err := at.need(text("question", q.Question), list("rubric", q.Rubric)); err != nil {
		return Question{}, err
	}
	out := Question{Text: q.Question, Rubric: q.Rubric}
	if a := cmp.Or(q.Answer, q.IdealResponse, q.IdealAnswer, q.IdealSummary); a != "" {
		out.Answers = []string{string(a)}
	}
	var sources any
	if q.Sources != nil {
		if err := json.Unmarshal(q.Sources, &sources); err != nil {
			return Question{}, jsonError(at, q.Sources, 0, err)
		}
	}
	ids, err := flatIDs(sources)
	if err != nil {
		return Question{}, at.errorf("source_chat_ids: %w", err)
	}
	for _, id := range ids {
		switch {
		case !b.ids[id]:
			d.tolerate(at, "source_chat_ids names %s; the chat has no such message, it was left out", id)
		case !slices.Contains(out.Evidence, id):
			out.Evidence = append(out.Evidence, id)
		}
	}
	return out, nil
}

// flatIDs returns the numbers in a value, however deep in lists and objects;
// objects in order of their keys.
func flatIDs(v any) ([]string, error) {
	var all []string
	var parts []any
	switch v := v.(type) {
	case nil:
		return nil, nil
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}, nil
	case []any:
		parts = v
	case map[string]any:
		for _, key := range sortedKeys(v) {
			parts = append(parts, v[key])
		}
	default:
		return nil, fmt.Errorf("%v is neither a number nor a list of them", v)
	}
	for _, part := range parts {
		ids, err := flatIDs(part)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	return all, nil
}

func sortedKeys[T any](m map[string]T) []string {
	return slices.Sorted(maps.Keys(m))
}
