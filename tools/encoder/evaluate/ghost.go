package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"daybook/model"
)

// probe is a question of GHOST about a state that holds now.
type probe struct {
	Conv       int      `json:"conv"`
	Kind       string   `json:"kind"`
	Question   string   `json:"question"`
	Gold       []string `json:"gold_evidence"`
	Difficulty struct {
		Cue string `json:"new_kind"` // c: paraphrased, away from the question's words
	} `json:"difficulty"`
}

// states prints how often the turn that states what is asked for is among the
// first five by vectors alone, of all questions and of those it paraphrases.
func states(ctx context.Context, e *model.LocalEncoder, folder string) error {
	probes, err := lines[probe](filepath.Join(folder, "probes.jsonl"))
	if err != nil {
		return err
	}
	probes = slices.DeleteFunc(probes, func(p probe) bool { return p.Kind != "current" })
	var all, reworded share
	known := map[int]*turnVectors{}
	for _, p := range probes {
		if known[p.Conv] == nil {
			if known[p.Conv], err = encodeTurns(ctx, e, filepath.Join(folder, fmt.Sprintf("conv%d.turns.jsonl", p.Conv))); err != nil {
				return err
			}
		}
		first, err := known[p.Conv].first(ctx, e, p.Question, 5)
		if err != nil {
			return err
		}
		hit := slices.ContainsFunc(p.Gold, func(id string) bool { return slices.Contains(first, id) })
		all.add(hit)
		if p.Difficulty.Cue == "c" {
			reworded.add(hit)
		}
	}
	fmt.Printf("GHOST current: %d questions, statement in the first five %.3f; paraphrased %d, %.3f\n", all.n, all.of(), reworded.n, reworded.of())
	return nil
}

type share struct{ hits, n int }

func (s *share) add(hit bool) {
	s.n++
	if hit {
		s.hits++
	}
}

func (s *share) of() float64 { return float64(s.hits) / float64(max(1, s.n)) }

// turnVectors are the turns of a conversation with their vectors.
type turnVectors struct {
	ids     []string
	vectors model.Vectors
}

func encodeTurns(ctx context.Context, e *model.LocalEncoder, path string) (*turnVectors, error) {
	type turn struct{ ID, Speaker, Text string }
	turns, err := lines[turn](path)
	if err != nil {
		return nil, err
	}
	t, texts := &turnVectors{}, make([]string, len(turns))
	for i, x := range turns {
		t.ids, texts[i] = append(t.ids, x.ID), x.Speaker+": "+x.Text
	}
	t.vectors, err = e.Encode(ctx, model.AsPassage, texts)
	return t, err
}

// first returns the ids of the n turns nearest to a question.
func (t *turnVectors) first(ctx context.Context, e *model.LocalEncoder, question string, n int) ([]string, error) {
	q, err := e.Encode(ctx, model.AsQuery, []string{question})
	if err != nil {
		return nil, err
	}
	order := make([]int, len(t.ids))
	likeness := make([]float64, len(t.ids))
	for i := range order {
		order[i], likeness[i] = i, dot(q.Row(0), t.vectors.Row(i))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(likeness[b], likeness[a]) })
	var first []string
	for _, i := range order[:min(n, len(order))] {
		first = append(first, t.ids[i])
	}
	return first, nil
}

// lines reads a file of one JSON value a line.
func lines[T any](path string) (all []T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var row T
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(all)+1, err)
		}
		all = append(all, row)
	}
	return all, s.Err()
}
