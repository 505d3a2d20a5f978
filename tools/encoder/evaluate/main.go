// Command evaluate measures an encoder on data that is not part of the
// repository: SICK relatedness, which turns of LoCoMo conversations a question
// finds, by vectors alone and with words, and which statements of GHOST.
//
//	evaluate -model FILE.dbm -sick SICK.txt -locomo locomo_dev.json -ghost ghost/dev
//
// Without -model it measures the embedded encoder.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"time"

	"daybook/model"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("evaluate: ")
	path := flag.String("model", "", "model file; the embedded one when empty")
	sick := flag.String("sick", "", "SICK.txt")
	locomo := flag.String("locomo", "", "LoCoMo JSON")
	ghost := flag.String("ghost", "", "folder of a set of GHOST")
	weight := flag.Float64("weight", 1, "weight of the vectors' z-value in LoCoMo's hybrid")
	sessions := flag.Bool("sessions", false, "look for whole sessions of LoCoMo too")
	entail := flag.Bool("entail", false, "judge SICK's entailment with the lexical entailer")
	flag.Parse()
	e, err := open(*path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("encoder %s, kernel %s\n", e.ID(), e.Info().Kernel)
	ctx := context.Background()
	if *sick != "" {
		run("SICK", func() error { return relatedness(ctx, e, *sick) })
	}
	if *entail && *sick != "" {
		run("SICK entailment", func() error { return entailment(ctx, e, *sick) })
	}
	if *ghost != "" {
		run("GHOST", func() error { return states(ctx, e, *ghost) })
	}
	if *sessions && *locomo != "" {
		run("LoCoMo sessions", func() error { return long(ctx, e, *locomo) })
	}
	if *locomo != "" {
		run("LoCoMo", func() error { return evidence(ctx, e, *locomo, *weight) })
	}
}

func open(path string) (*model.LocalEncoder, error) {
	if path == "" {
		return model.Default()
	}
	return model.OpenEncoder(path)
}

func run(name string, f func() error) {
	start := time.Now()
	if err := f(); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	fmt.Printf("  (%s took %v)\n", name, time.Since(start).Round(time.Millisecond))
}

func norm(a []float32) float64 { return math.Sqrt(dot(a, a)) }

func dot(a, b []float32) (sum float64) {
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}
