package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"daybook"
	"daybook/extract"
	"daybook/model"
)

// attribute is a state of somebody's life with sentences about it, and what was
// read out of them.
type attribute struct {
	name   string
	values []string
	said   map[string][]string // by kind, with {v} for the value
	read   map[[2]string]*extract.Stated
}

// held reports whether the encoder was not tuned on an attribute.
func held(name string) bool { return crc32.ChecksumIEEE([]byte(name))%5 == 0 }

func readAttributes(path string, all bool) (out []*attribute, err error) {
	err = lines(path, func(line []byte) error {
		var raw map[string]json.RawMessage
		if err := json.Unmarshal(line, &raw); err != nil {
			return err
		}
		a := &attribute{said: map[string][]string{}, read: map[[2]string]*extract.Stated{}}
		if err := json.Unmarshal(raw["attribute"], &a.name); err != nil {
			return err
		}
		if !all && !held(a.name) {
			return nil
		}
		if err := json.Unmarshal(raw["values"], &a.values); err != nil {
			return err
		}
		for kind, text := range raw {
			if kind != "attribute" && kind != "values" && text[0] == '[' {
				var said []string
				if json.Unmarshal(text, &said) == nil { // other fields are no lists of sentences
					a.said[kind] = said
				}
			}
		}
		out = append(out, a)
		return nil
	})
	return out, err
}

func lines(path string, each func([]byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<22)
	for in.Scan() {
		if err := each(in.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return in.Err()
}

// reader reads sentences as the engine does.
type reader struct {
	ctx   context.Context
	local extract.Local
}

func newReader(ctx context.Context) (reader, error) {
	enc, err := model.Default()
	return reader{ctx, extract.Local{Encoder: enc}}, err
}

// read returns the first statement of each text that asserts a state; nil where there is none.
func (r reader) read(texts []string) ([]*extract.Stated, error) {
	out := make([]*extract.Stated, len(texts))
	const batch = 64
	for from := 0; from < len(texts); from += batch {
		var notes []daybook.Note
		at := map[daybook.NoteID]int{}
		for i, t := range texts[from:min(from+batch, len(texts))] {
			n := daybook.Note{SourceID: fmt.Sprint(from + i), Session: "s", Speaker: "Ann", Text: t}.Named()
			notes, at[n.ID] = append(notes, n), from+i
		}
		learned, err := r.local.Learn(r.ctx, extract.Window{Notes: notes})
		if err != nil {
			return nil, err
		}
		for _, f := range learned.Facts {
			if i := at[f.Sources[0]]; f.Stated != nil && out[i] == nil && f.Subject == daybook.EntityNamed("Ann") {
				out[i] = f.Stated
			}
		}
	}
	return out, nil
}

// attributes reads every sentence of every attribute with every value it may be
// drawn with.
func (r reader) attributes(all []*attribute) error {
	for _, a := range all {
		var keys [][2]string
		var texts []string
		for kind, said := range a.said {
			for _, s := range said {
				for _, v := range a.values {
					keys = append(keys, [2]string{kind + "\x00" + s, v})
					texts = append(texts, strings.ReplaceAll(s, "{v}", v))
				}
			}
		}
		read, err := r.read(texts)
		if err != nil {
			return err
		}
		for i, k := range keys {
			a.read[k] = read[i]
		}
	}
	return nil
}

// talk returns the statements that are found in conversations.
func (r reader) talk(path string) (out []*extract.Stated, err error) {
	var texts []string
	err = lines(path, func(line []byte) error {
		var c struct {
			Turns []struct{ Text string }
		}
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		for _, t := range c.Turns {
			texts = append(texts, t.Text)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	read, err := r.read(texts)
	return slices.DeleteFunc(read, func(s *extract.Stated) bool { return s == nil }), err
}

// said is one statement of a made-up speaker.
type said struct {
	*extract.Stated
	state int // which state it is of; -1 for what is none
	order int // of the statements of its state
}

// speaker is what one made-up speaker said, and how many changes of state he told.
type speaker struct {
	said    []said
	changes int
}

// The kinds of sentences that tell a state, and those that only look like it.
var (
	first = []string{"state", "state", "paraphrase"}
	later = []string{"state", "update", "update", "reason", "paraphrase"}
	lures = []string{"third", "plan", "temp", "hyp", "rumor", "add", "topic", "past"}
)

const (
	statesOfSpeaker = 40
	talkOfSpeaker   = 80
)

// simulate makes up a speaker.
func simulate(rng *rand.Rand, attributes []*attribute, talk []*extract.Stated) (s speaker) {
	for n, k := range rng.Perm(len(attributes))[:min(statesOfSpeaker, len(attributes))] {
		a := attributes[k]
		values := rng.Perm(len(a.values))
		times := []int{1, 2, 2, 2, 3, 3}[rng.IntN(6)]
		for i := range times {
			v := values[i]
			if i == 2 && rng.IntN(2) == 0 {
				v = values[0] // back to the old one
			}
			kinds := later
			if i == 0 {
				kinds = first
			}
			s.changes += min(i, 1)
			s.add(a.draw(rng, kinds, v), n, i)
		}
		s.add(a.draw(rng, lures, values[len(values)-1]), -1, 0)
	}
	for range talkOfSpeaker {
		s.add(talk[rng.IntN(len(talk))], -1, 0)
	}
	return s
}

func (s *speaker) add(st *extract.Stated, state, order int) {
	if st != nil {
		s.said = append(s.said, said{st, state, order})
	}
}

func (a *attribute) draw(rng *rand.Rand, kinds []string, value int) *extract.Stated {
	kind := kinds[rng.IntN(len(kinds))]
	texts := a.said[kind]
	if len(texts) == 0 {
		return nil
	}
	return a.read[[2]string{kind + "\x00" + texts[rng.IntN(len(texts))], a.values[value]}]
}
