// Command pairs fits the weights by which two statements are judged to be of one
// state (extract/pair.go), and prints what thresholds would give.
//
//	go run ./tools/pairs -states tools/states/attributes.jsonl -talk tools/conversations/friends.jsonl
//
// It makes up speakers: each states some forty things of his life, some of them
// two or three times with another value, some taken back again, amid things that
// only look like states and amid talk. Only attributes that the encoder was not
// tuned on are used; extract/assets/states.bin should be fitted without them
// (tools/states/train.py --without-held) when this is run, and with them after.
// No evaluation data is read.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
)

func main() {
	states := flag.String("states", "tools/states/attributes.jsonl", "attributes with their sentences")
	talk := flag.String("talk", "tools/conversations/friends.jsonl", "conversations")
	speakers := flag.Int("speakers", 120, "how many speakers are made up")
	all := flag.Bool("all", false, "use all attributes, not only those that were held out")
	flag.Parse()
	if err := run(context.Background(), *states, *talk, *speakers, *all); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, states, talk string, speakers int, all bool) error {
	attributes, err := readAttributes(states, all)
	if err != nil {
		return err
	}
	r, err := newReader(ctx)
	if err != nil {
		return err
	}
	if err := r.attributes(attributes); err != nil {
		return err
	}
	chat, err := r.talk(talk)
	if err != nil {
		return err
	}
	fmt.Printf("%d attributes, %d statements in talk\n", len(attributes), len(chat))
	rng := rand.New(rand.NewPCG(1, 2))
	var halves [2][]speaker
	for i := range speakers {
		half := i % 2
		halves[half] = append(halves[half], simulate(rng, attributes[half*len(attributes)/2:(half+1)*len(attributes)/2], chat))
	}
	var whole []speaker
	for range speakers / 2 {
		whole = append(whole, simulate(rng, attributes, chat))
	}
	for half := range 2 {
		w := fit(examples(halves[half]))
		fmt.Printf("fitted on one half of the attributes, on the other:\n")
		report(w, halves[1-half])
	}
	w := fit(examples(whole))
	fmt.Printf("fitted on all:\npairWeights %.2f, pairBias %.2f\n", w.Weights, w.Bias)
	report(w, whole)
	return nil
}
