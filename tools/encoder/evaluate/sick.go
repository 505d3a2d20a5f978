package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"daybook/eval"
	"daybook/model"
)

type sickPair struct {
	a, b, label string
	score       float64
}

func readSICK(path string) ([]sickPair, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var pairs []sickPair
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		cell := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if i == 0 || len(cell) < 5 {
			continue
		}
		score, err := strconv.ParseFloat(cell[3], 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		pairs = append(pairs, sickPair{cell[1], cell[2], cell[4], score})
	}
	return pairs, nil
}

// relatedness prints the rank correlation of cosines with people's scores.
func relatedness(ctx context.Context, e *model.LocalEncoder, path string) error {
	pairs, err := readSICK(path)
	if err != nil {
		return err
	}
	var texts []string
	var want []float64
	for _, p := range pairs {
		texts, want = append(texts, p.a, p.b), append(want, p.score)
	}
	v, err := e.Encode(ctx, model.AsText, texts)
	if err != nil {
		return err
	}
	got := make([]float64, len(pairs))
	for i := range pairs {
		got[i] = dot(v.Row(2*i), v.Row(2*i+1))
	}
	fmt.Printf("SICK: %d pairs, Spearman %.4f\n", len(pairs), eval.Spearman(got, want))
	return nil
}

// entailment prints how often the lexical entailer's likeliest verdict is
// people's.
func entailment(ctx context.Context, e *model.LocalEncoder, path string) error {
	pairs, err := readSICK(path)
	if err != nil {
		return err
	}
	questions := make([]model.Pair, len(pairs))
	for i, p := range pairs {
		questions[i] = model.Pair{Premise: p.a, Hypothesis: p.b}
	}
	judge := model.NewLexicalEntailer(e)
	verdicts, err := judge.Entail(ctx, questions)
	if err != nil {
		return err
	}
	right, table := 0, map[string]map[string]int{}
	for i, v := range verdicts {
		word := "NEUTRAL"
		if v.Entail > v.Neutral && v.Entail >= v.Contradict {
			word = "ENTAILMENT"
		} else if v.Contradict > v.Neutral {
			word = "CONTRADICTION"
		}
		if table[pairs[i].label] == nil {
			table[pairs[i].label] = map[string]int{}
		}
		table[pairs[i].label][word]++
		if word == pairs[i].label {
			right++
		}
	}
	fmt.Printf("%s: accuracy %.4f of %d; by label %v\n", judge.Name(), float64(right)/float64(len(pairs)), len(pairs), table)
	return nil
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
