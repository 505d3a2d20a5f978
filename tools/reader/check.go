package main

import (
	"fmt"
	"maps"
	"slices"

	"daybook/answer"
	"daybook/eval"
)

// folds are the parts that are left out in turn.
const folds = 5

// check prints how well readers do on conversations that they were not fitted on.
func check(all []example) {
	got, could, lists := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	for f := range folds {
		var in, out []example
		for _, x := range all {
			if x.conversation%folds == f {
				out = append(out, x)
			} else {
				in = append(in, x)
			}
		}
		r := fit(in, uint64(f))
		for i := range out {
			if x := &out[i]; len(x.spans) > 0 && x.intent != answer.WantsDate {
				choose(r, x, got, could, lists)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		fmt.Printf("%-20s n %4d  F1 of the chosen span %.3f, of the best there is %.3f\n", key, len(got[key]), mean(got[key]), mean(could[key]))
	}
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		fmt.Printf("%s: F1 %.3f of %d\n", key, mean(lists[key]), len(lists[key]))
	}
}

// choose notes how well the span that a reader likes best answers.
func choose(r *answer.SpanReader, x *example, got, could, lists map[string][]float64) {
	for i := range x.spans {
		x.spans[i].Score = r.Score(&x.spans[i].Signals)
	}
	text, _ := answer.JoinSpans(x.spans, 0)
	f1 := eval.JudgeText(text, []string{x.gold})["f1"]
	for _, key := range []string{"all", x.shape, "intent " + string(x.intent)} {
		got[key], could[key] = append(got[key], f1), append(could[key], x.best)
	}
	for _, within := range []float64{0, 0.5, 1, 1.5, 2} {
		key := fmt.Sprintf("joined within %.1f, others", within)
		if x.intent == answer.WantsList {
			key = fmt.Sprintf("joined within %.1f, lists", within)
		}
		text, _ := answer.JoinSpans(x.spans, within)
		lists[key] = append(lists[key], eval.JudgeText(text, []string{x.gold})["f1"])
	}
}

// checkHold prints how often questions are declined that are answered, and that are
// not, at several bounds: those about states, where those that are known anyway count,
// and the others. The judge is fitted on the other half of the questions.
func checkHold(all []held) {
	var halves [2][]held
	for i, x := range all {
		halves[i%2] = append(halves[i%2], x)
	}
	for _, state := range []bool{true, false} {
		for _, least := range []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7} {
			declined, n := map[bool]float64{}, map[bool]float64{}
			for i := range halves {
				r := new(answer.SpanReader)
				fitHold(r, halves[1-i])
				for _, x := range halves[i] {
					if x.state != state {
						continue
					}
					n[x.answers]++
					if !x.stands && r.Holds([len(r.Hold)]float64(x.signals)) < least {
						declined[x.answers]++
					}
				}
			}
			fmt.Printf("state %v, declined below %.1f: %.3f of %.0f answered, %.3f of %.0f strange\n", state, least, declined[true]/n[true], n[true], declined[false]/n[false], n[false])
		}
	}
}

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}
