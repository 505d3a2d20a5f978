package eval

import (
	"context"
	"fmt"

	"daybook/model"
)

var sickJudgements = []string{"entailment", "neutral", "contradiction"}

// sickBench measures how well the encoder's cosine follows people's judgement of
// relatedness, and how often the entailer agrees with them.
func sickBench(ctx context.Context, path string, env Env) (ComponentReport, error) {
	pairs, hash, err := LoadSick(path)
	if err != nil {
		return ComponentReport{}, fmt.Errorf("bench sick: %w", err)
	}
	if env.Encoder == nil {
		return ComponentReport{}, missingPart("sick", "encoder")
	}
	pairs = pairs[:env.limited(len(pairs))]
	r := ComponentReport{Name: "sick", Hash: hash, Part: env.EncoderName, Cases: len(pairs)}
	got, err := relatedness(ctx, pairs, env)
	if err != nil {
		return r, err
	}
	want := make([]float64, len(pairs))
	for i, p := range pairs {
		want[i] = p.Relatedness
	}
	r.Metrics = []ComponentMetric{
		{"Spearman", BootstrapOf(len(pairs), env.Seed, pairStatistic(got, want, Spearman))},
		{"Pearson", BootstrapOf(len(pairs), env.Seed, pairStatistic(got, want, Pearson))},
	}
	if env.Entailer == nil {
		r.Notes = append(r.Notes, "there is no entailer")
		return r, nil
	}
	return r, r.entailment(ctx, pairs, env)
}

// relatedness is the cosine of each pair's sentences.
func relatedness(ctx context.Context, pairs []SickPair, env Env) ([]float64, error) {
	const batch = 256
	cosines := make([]float64, 0, len(pairs))
	for rest := pairs; len(rest) > 0; {
		some := rest[:min(batch, len(rest))]
		rest = rest[len(some):]
		var texts []string
		for _, p := range some {
			texts = append(texts, p.A, p.B)
		}
		v, err := env.Encoder.Encode(ctx, model.AsText, texts)
		if err != nil {
			return nil, fmt.Errorf("encode %d sentences: %w", len(texts), err)
		}
		for i := range some {
			cosines = append(cosines, dot(v.Row(2*i), v.Row(2*i+1)))
		}
		env.told(len(cosines), len(pairs))
	}
	return cosines, nil
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// entailment adds the entailer's accuracy, and what it said of each judgement.
func (r *ComponentReport) entailment(ctx context.Context, pairs []SickPair, env Env) error {
	asked := make([]model.Pair, len(pairs))
	for i, p := range pairs {
		asked[i] = model.Pair{Premise: p.A, Hypothesis: p.B}
	}
	verdicts, err := env.Entailer.Entail(ctx, asked)
	if err != nil {
		return fmt.Errorf("judge %d pairs: %w", len(pairs), err)
	}
	right := make([]float64, len(pairs))
	said := map[string]map[string]int{}
	for i, p := range pairs {
		judgement := judgementOf(verdicts[i])
		right[i] = one(judgement == p.Judgement)
		if said[p.Judgement] == nil {
			said[p.Judgement] = map[string]int{}
		}
		said[p.Judgement][judgement]++
	}
	r.Metrics = append(r.Metrics, ComponentMetric{"entailment accuracy", Bootstrap(right, env.Seed)})
	t := Table{Title: "people said ↓, " + env.EntailerName + " said →", Rows: [][]string{append([]string{""}, sickJudgements...)}}
	for _, gold := range sickJudgements {
		row := []string{gold}
		for _, judgement := range sickJudgements {
			row = append(row, itoa(said[gold][judgement]))
		}
		t.Rows = append(t.Rows, row)
	}
	r.Tables = append(r.Tables, t)
	return nil
}

func judgementOf(v model.Verdict) string {
	switch {
	case v.Entail >= v.Neutral && v.Entail >= v.Contradict:
		return "entailment"
	case v.Contradict > v.Neutral:
		return "contradiction"
	}
	return "neutral"
}
