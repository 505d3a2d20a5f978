package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"daybook"
)

// locomoCategories are the data set's numbers in words.
var locomoCategories = map[int]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}

// locomoOrder is the order of the ten published conversations; audits and
// TRACE name a conversation by its number in it, whatever part a file holds.
var locomoOrder = []string{"conv-26", "conv-30", "conv-41", "conv-42", "conv-43", "conv-44", "conv-47", "conv-48", "conv-49", "conv-50"}

type locomoSample struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	QA           []locomoQuestion           `json:"qa"`
}

type locomoTurn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

type locomoQuestion struct {
	Question string    `json:"question"`
	Answer   loose     `json:"answer"`
	Category int       `json:"category"`
	Evidence looseList `json:"evidence"`
}

// LoadLocomo reads a LoCoMo file with its key as published.
//
// A note is a turn; a picture's caption follows the text in brackets; a turn is a
// minute after the one before, from the session's time. Evidence is read in all
// the forms that the key has ("D8:6; D9:17", "D:11:26"); what names no turn is
// left out and tolerated. Adversarial questions are Absent; their Evidence is
// what the question falsely builds on.
func LoadLocomo(path string) (Dataset, error) {
	var f files
	d := Dataset{Name: "locomo"}
	if err := d.readLocomo(&f, path); err != nil {
		return Dataset{}, err
	}
	d.Hash = f.hash()
	return d, nil
}

// LoadLocomoCorrected is LoadLocomo with the corrections of a file beside it
// whose name begins with gold_errors and ends in .json. Evidence is replaced;
// the answer too, except that an ambiguous or incomplete one stays acceptable
// beside the correction.
func LoadLocomoCorrected(path string) (Dataset, error) {
	var f files
	d := Dataset{Name: "locomo-corrected"}
	if err := d.readLocomo(&f, path); err != nil {
		return Dataset{}, err
	}
	key, err := beside(path, "gold_errors*.json")
	if err != nil {
		return Dataset{}, err
	}
	if err := d.correctLocomo(&f, key); err != nil {
		return Dataset{}, err
	}
	d.Hash = f.hash()
	return d, nil
}

// beside returns the one file in path's folder whose name matches.
func beside(path, pattern string) (string, error) {
	found, err := filepath.Glob(filepath.Join(filepath.Dir(path), pattern))
	if err != nil || len(found) == 0 {
		return "", daybook.Errorf(daybook.NotFound, "no %s beside %s", pattern, path)
	}
	if len(found) > 1 {
		return "", daybook.Errorf(daybook.Invalid, "several %s beside %s; leave one", pattern, path)
	}
	return found[0], nil
}

func (d *Dataset) readLocomo(f *files, path string) error {
	var samples []locomoSample
	if err := readJSON(f, path, &samples); err != nil {
		return err
	}
	if len(samples) == 0 {
		return daybook.Errorf(daybook.Invalid, "%s: no conversations", path)
	}
	seen := map[string]bool{}
	for i, s := range samples {
		at := place{path: path, record: fmt.Sprintf("conversation %d", i)}
		if err := at.need(text("sample_id", s.ID), field{"conversation", s.Conversation != nil}, list("qa", s.QA)); err != nil {
			return err
		}
		if seen[s.ID] {
			return at.errorf("sample_id %q comes a second time", s.ID)
		}
		seen[s.ID] = true
		c, err := d.locomoConversation(place{path: path, record: s.ID}, s)
		if err != nil {
			return err
		}
		d.Conversations = append(d.Conversations, c)
	}
	return nil
}

func (d *Dataset) locomoConversation(at place, s locomoSample) (Conversation, error) {
	b := builder{}
	for _, n := range locomoSessions(s.Conversation) {
		if err := d.locomoSession(at.in("session_%d", n), &b, s.Conversation, n); err != nil {
			return Conversation{}, err
		}
	}
	if len(b.notes) == 0 {
		return Conversation{}, at.errorf("no session with turns")
	}
	c := Conversation{ID: s.ID, Notes: b.notes}
	for i, q := range s.QA {
		question, err := d.locomoQuestion(at.in("qa %d", i), &b, q)
		if err != nil {
			return Conversation{}, err
		}
		question.ID = fmt.Sprintf("%s-qa%d", s.ID, i)
		c.Questions = append(c.Questions, question)
	}
	return c, nil
}

var locomoSessionKey = regexp.MustCompile(`^session_(\d+)$`)

// locomoSessions returns the numbers of the sessions that have turns, in order.
// The published file has dates of sessions that it does not hold.
func locomoSessions(conversation map[string]json.RawMessage) []int {
	var ns []int
	for key := range conversation {
		if m := locomoSessionKey.FindStringSubmatch(key); m != nil {
			n, err := strconv.Atoi(m[1])
			if err == nil && strconv.Itoa(n) == m[1] {
				ns = append(ns, n)
			}
		}
	}
	slices.Sort(ns)
	return ns
}

func (d *Dataset) locomoSession(at place, b *builder, conversation map[string]json.RawMessage, n int) error {
	key := fmt.Sprintf("session_%d", n)
	var turns []locomoTurn
	if err := json.Unmarshal(conversation[key], &turns); err != nil {
		return jsonError(at, conversation[key], 0, err)
	}
	var said string
	if raw, ok := conversation[key+"_date_time"]; !ok {
		return at.errorf("%q is missing", key+"_date_time")
	} else if err := json.Unmarshal(raw, &said); err != nil {
		return at.errorf("%s_date_time is not text", key)
	}
	start, err := time.Parse("3:04 pm on 2 January, 2006", strings.TrimSpace(said))
	if err != nil {
		return at.errorf("%s_date_time %q is no time such as 1:56 pm on 8 May, 2023", key, said)
	}
	for i, t := range turns {
		at := at.in("turn %d", i)
		if err := at.need(text("dia_id", t.ID), text("speaker", t.Speaker)); err != nil {
			return err
		}
		said := captioned(t.Text, t.Caption)
		if said == "" {
			d.tolerate(at, "%s has no text and was left out", t.ID)
			continue
		}
		note := daybook.Note{SourceID: t.ID, Session: key, Time: start.Add(time.Duration(i) * time.Minute), Speaker: t.Speaker, Text: said}
		if err := b.add(at, note); err != nil {
			return err
		}
	}
	return nil
}

func captioned(text, caption string) string {
	if caption = strings.TrimSpace(caption); caption != "" {
		text += " [image: " + caption + "]"
	}
	return strings.TrimSpace(text)
}

func (d *Dataset) locomoQuestion(at place, b *builder, q locomoQuestion) (Question, error) {
	if err := at.need(text("question", q.Question)); err != nil {
		return Question{}, err
	}
	category, ok := locomoCategories[q.Category]
	if !ok {
		return Question{}, at.errorf("category %d is not one of 1 to 5", q.Category)
	}
	absent := q.Category == 5
	if q.Answer == "" && !absent {
		return Question{}, at.errorf("%q is missing or empty", "answer")
	}
	out := Question{Text: q.Question, Category: category, Absent: absent, Evidence: d.locomoEvidence(at, b, q.Evidence)}
	if q.Answer != "" {
		out.Answers = []string{string(q.Answer)}
	}
	return out, nil
}

var locomoID = regexp.MustCompile(`D:?(\d+):(\d+)`)

// locomoEvidence returns the ids in the entries that name a turn, each once.
func (d *Dataset) locomoEvidence(at place, b *builder, entries []string) []string {
	var ids []string
	for _, entry := range entries {
		found := locomoID.FindAllStringSubmatch(entry, -1)
		if len(found) == 0 {
			d.tolerate(at, "evidence %q names no turn and was left out", entry)
		}
		for _, m := range found {
			id := "D" + cmp.Or(strings.TrimLeft(m[1], "0"), "0") + ":" + cmp.Or(strings.TrimLeft(m[2], "0"), "0")
			switch {
			case !b.ids[id]:
				d.tolerate(at, "evidence %q: there is no turn %s; it was left out", entry, id)
			case !slices.Contains(ids, id):
				ids = append(ids, id)
			}
		}
	}
	return ids
}

type locomoCorrection struct {
	ID       string    `json:"question_id"` // locomo_0_qa12: conversation and question by number
	Question string    `json:"question"`
	Type     string    `json:"error_type"`
	Evidence looseList `json:"correct_evidence"`
	Answer   loose     `json:"correct_answer"`
}

func (d *Dataset) correctLocomo(f *files, path string) error {
	var fixes []locomoCorrection
	if err := readJSON(f, path, &fixes); err != nil {
		return err
	}
	for i, fix := range fixes {
		if err := d.correct(place{path: path, record: fmt.Sprintf("correction %d", i)}, fix); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dataset) correct(at place, fix locomoCorrection) error {
	var sample, number int
	if _, err := fmt.Sscanf(fix.ID, "locomo_%d_qa%d", &sample, &number); err != nil {
		return at.errorf("question_id %q is not of the form locomo_0_qa12", fix.ID)
	}
	c := d.locomoSample(sample)
	if c == nil {
		d.tolerate(at, "%s: the file does not hold conversation %d", fix.ID, sample)
		return nil
	}
	if number < 0 || number >= len(c.Questions) {
		return at.errorf("%s: %s has %d questions", fix.ID, c.ID, len(c.Questions))
	}
	q := &c.Questions[number]
	if fix.Question != q.Text {
		return at.errorf("%s is another question in the data: %q", fix.ID, q.Text)
	}
	b := builder{ids: map[string]bool{}}
	for _, n := range c.Notes {
		b.ids[n.SourceID] = true
	}
	if ids := d.locomoEvidence(at, &b, fix.Evidence); len(ids) > 0 {
		q.Evidence = ids
	}
	q.Answers = correctedAnswers(q.Answers, fix)
	return nil
}

func correctedAnswers(old []string, fix locomoCorrection) []string {
	answer := string(fix.Answer)
	if answer == "" || slices.Contains(old, answer) {
		return old
	}
	if fix.Type == "AMBIGUOUS" || fix.Type == "INCOMPLETE" {
		return append([]string{answer}, old...)
	}
	return []string{answer}
}

// locomoSample returns the conversation with that number among the published
// ten; where the ids are others, the one at that position; nil when the file
// does not hold it.
func (d *Dataset) locomoSample(n int) *Conversation {
	published := false
	for i := range d.Conversations {
		at := slices.Index(locomoOrder, d.Conversations[i].ID)
		published = published || at >= 0
		if at == n && at >= 0 {
			return &d.Conversations[i]
		}
	}
	if published || n < 0 || n >= len(d.Conversations) {
		return nil
	}
	return &d.Conversations[n]
}
