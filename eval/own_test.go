package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"daybook"
)

// TestBankOfOurs scores the bank of conversations that are made up of our own
// sentences: states of attributes that the encoder was not tuned on, changed once or
// twice or taken back, each with something that only looks like a change, amid
// talk. Run it with an extract/assets/states.bin that was fitted without those
// attributes (tools/states/train.py --without-held) to see what carries over.
func TestBankOfOurs(t *testing.T) {
	if os.Getenv("DAYBOOK_OWN") == "" {
		t.Skip("SKIPPED: our own bank is not measured; set DAYBOOK_OWN")
	}
	attributes := heldAttributes(t)
	talk := ownTalk(t)
	rng := rand.New(rand.NewPCG(5, 8))
	var d Dataset
	for i := range ownConversations {
		c, lines := madeUp(rng, fmt.Sprint("own", i), ownAttributes, attributes, talk)
		d.Conversations, d.Timelines = append(d.Conversations, c), append(d.Timelines, lines...)
	}
	scoreOwn(t, d)
}

// The size of the made-up data.
const (
	ownConversations = 8
	ownAttributes    = 14 // of each speaker
	ownSessions      = 16
	ownTalkTurns     = 14 // of a session
)

func scoreOwn(t *testing.T, d Dataset) {
	t.Helper()
	var contested, chains, closed share
	bank := bankOf(t, d, func(m *ourMemory, c Conversation) {
		scoreLines(t, m.engine, timelinesOf(d, c.ID), c, &contested, &chains, &closed)
	})
	for name, r := range ScoreBank(d.Timelines, bank) {
		t.Logf("%-26s %.4f of %d", name, r.Rate, r.N)
	}
	t.Logf("closed or softly linked %.4f of %d; chains and reverts %.4f of %d", closed.rate(), closed.all, chains.rate(), chains.all)
}

// ownAttribute is a state of somebody's life with sentences about it.
type ownAttribute struct {
	Attribute                                                              string
	Values                                                                 []string
	State, Update, Paraphrase, Reason, Past, Plan, Temp, Hyp, Rumor, Third []string
	QCurrent                                                               []string `json:"q_current"`
	QPast                                                                  []string `json:"q_past"`
}

func heldAttributes(t *testing.T) (all []ownAttribute) {
	t.Helper()
	eachLine(t, "../tools/states/attributes.jsonl", func(line []byte) {
		var a ownAttribute
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatal(err)
		}
		if crc32.ChecksumIEEE([]byte(a.Attribute))%5 == 0 {
			all = append(all, a)
		}
	})
	return all
}

func ownTalk(t *testing.T) (all []string) {
	t.Helper()
	eachLine(t, "../tools/conversations/friends.jsonl", func(line []byte) {
		var c struct{ Turns []struct{ Text string } }
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		for _, turn := range c.Turns {
			all = append(all, turn.Text)
		}
	})
	return all
}

func eachLine(t *testing.T, path string, each func([]byte)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<22)
	for in.Scan() {
		each(in.Bytes())
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
}

// planted is a sentence that is said in a session.
type planted struct {
	session, speaker int
	text             string
	line, state      int // of which timeline, and which of its states; -1 for none
}

// madeUp makes up a conversation of two speakers with the timelines of their states, of
// so many attributes each.
func madeUp(rng *rand.Rand, id string, each int, attributes []ownAttribute, talk []string) (Conversation, []Timeline) {
	speakers := []string{"Ann", "Ben"}
	var said []planted
	var lines []Timeline
	for who, name := range speakers {
		for _, k := range rng.Perm(len(attributes))[:each] {
			line := Timeline{Conversation: id, Subject: name, Attribute: attributes[k].Attribute}
			said = append(said, attributes[k].plant(rng, &line, who, len(lines))...)
			lines = append(lines, line)
		}
	}
	from := rng.IntN(len(talk))
	for s := range ownSessions {
		for n := range ownTalkTurns {
			said = append(said, planted{s, n % 2, talk[(from+s*ownTalkTurns+n)%len(talk)], -1, -1})
		}
	}
	rng.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
	slices.SortStableFunc(said, func(a, b planted) int { return a.session - b.session })
	c := Conversation{ID: id}
	for i, p := range said {
		at := time.Date(2024, time.Month(1+p.session), 3, 9, i, 0, 0, time.UTC)
		n := daybook.Note{SourceID: fmt.Sprintf("%s:%d", id, i), Session: fmt.Sprintf("S%d", p.session), Speaker: speakers[p.speaker], Text: p.text, Time: at}
		c.Notes = append(c.Notes, n)
		if p.line >= 0 {
			states := lines[p.line].States
			states[p.state].Evidence, states[p.state].ValidFrom = n.SourceID, at
			if p.state > 0 {
				states[p.state-1].ValidTo = at
			}
		}
	}
	return c, lines
}

// plant draws what somebody says of an attribute: its values in the order of
// sessions, and something that only looks like another value.
func (a ownAttribute) plant(rng *rand.Rand, line *Timeline, who, number int) (said []planted) {
	line.Chain = []string{"one", "two", "two", "two", "three", "revert"}[rng.IntN(6)]
	count := map[string]int{"one": 1, "two": 2, "three": 3, "revert": 3}[line.Chain]
	values := rng.Perm(len(a.Values))
	if line.Chain == "revert" {
		values[2] = values[0]
	}
	sessions := rng.Perm(ownSessions - 1)[:count]
	slices.Sort(sessions)
	for i, session := range sessions {
		kinds := [][]string{a.State}
		if i > 0 {
			kinds = [][]string{a.State, a.Update, a.Update, a.Reason, a.Paraphrase}
		}
		value := a.Values[values[i]]
		line.States = append(line.States, TimelineState{Value: value})
		said = append(said, planted{session, who, a.fill(rng, kinds[rng.IntN(len(kinds))], value), number, i})
	}
	lures := [][]string{a.Past, a.Plan, a.Temp, a.Hyp, a.Rumor, a.Third}
	last := sessions[count-1]
	lure := a.fill(rng, lures[rng.IntN(len(lures))], a.Values[values[len(values)-1]])
	return append(said, planted{last + 1 + rng.IntN(ownSessions-1-last), who, lure, -1, -1})
}

func (a ownAttribute) fill(rng *rand.Rand, texts []string, value string) string {
	return strings.ReplaceAll(texts[rng.IntN(len(texts))], "{v}", value)
}
