package eval

import (
	"strings"
)

// Utterance is one of PersonaExt's: what was said, and the relations in it.
type Utterance struct {
	Text     string // the tokens with spaces between
	Tokens   []string
	Triplets []Triplet
}

// Triplet is a relation between two stretches of an utterance. HeadAt and TailAt
// are the numbers of their tokens, which need not be neighbours.
type Triplet struct {
	Head, Relation, Tail string
	HeadAt, TailAt       []int
}

type personaLine struct {
	Triplets []struct {
		Tokens []string `json:"tokens"`
		Head   []int    `json:"head"`
		Tail   []int    `json:"tail"`
		Label  string   `json:"label"`
	} `json:"triplets"`
}

// LoadPersonaExt reads PersonaExt, an utterance per line, and returns its hash too.
func LoadPersonaExt(path string) ([]Utterance, string, error) {
	var f files
	var all []Utterance
	err := readLines(&f, path, func(at place, line personaLine) error {
		u, err := line.utterance(at)
		all = append(all, u)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return all, f.hash(), nil
}

func (line personaLine) utterance(at place) (Utterance, error) {
	var u Utterance
	if err := at.need(field{"triplets", len(line.Triplets) > 0}); err != nil {
		return u, err
	}
	for i, t := range line.Triplets {
		at := at.in("triplet %d", i)
		if err := at.need(field{"tokens", len(t.Tokens) > 0}, text("label", t.Label), field{"head", len(t.Head) > 0}, field{"tail", len(t.Tail) > 0}); err != nil {
			return u, err
		}
		said := strings.Join(t.Tokens, " ")
		if i > 0 && said != u.Text {
			return u, at.errorf("the tokens are not those of the triplet before")
		}
		u.Text, u.Tokens = said, t.Tokens
		head, err := pick(at, t.Tokens, t.Head)
		if err != nil {
			return u, err
		}
		tail, err := pick(at, t.Tokens, t.Tail)
		if err != nil {
			return u, err
		}
		u.Triplets = append(u.Triplets, Triplet{head, t.Label, tail, t.Head, t.Tail})
	}
	return u, nil
}

func pick(at place, tokens []string, numbers []int) (string, error) {
	var words []string
	for _, n := range numbers {
		if n < 0 || n >= len(tokens) {
			return "", at.errorf("token %d: there are %d tokens", n, len(tokens))
		}
		words = append(words, tokens[n])
	}
	return strings.Join(words, " "), nil
}
