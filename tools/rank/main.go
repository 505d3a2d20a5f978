// Command rank fits the weights of recall to questions whose evidence is known,
// and says how well they do on conversations that they were not fitted to.
//
//	go run ./tools/rank --locomo FILE --beam FOLDER [--learn] [--wide] [--cache DIR] [--dump FILE] [--ablate] [--write recall/weights.go]
//
// It lets the engine recall every candidate of every question, with its signals,
// and fits a softmax over the candidates of each question. Folds leave out whole
// conversations. Data sets are weighed alike per question.
package main

import (
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"daybook"
	"daybook/engine"
	"daybook/eval"
	"daybook/extract"
	"daybook/model"
	"daybook/recall"
	"daybook/store/sqlite"
)

type flags struct {
	locomo, beam, cache, dump, write string
	decay                            float64
	learn, wide, ablate              bool
}

func main() {
	var f flags
	flag.StringVar(&f.locomo, "locomo", "", "LoCoMo file")
	flag.StringVar(&f.beam, "beam", "", "folder of BEAM chats")
	flag.StringVar(&f.cache, "cache", filepath.Join(os.TempDir(), "daybook-rank"), "folder that keeps vectors")
	flag.StringVar(&f.dump, "dump", "", "file that keeps the signals; read instead of recalling where it is there")
	flag.StringVar(&f.write, "write", "", "file of weights to put them into: recall/weights.go")
	flag.Float64Var(&f.decay, "decay", 0.3, "how strongly weights are held to zero")
	flag.BoolVar(&f.learn, "learn", false, "learn from the notes, so that entities and links have a part")
	flag.BoolVar(&f.wide, "wide", false, "look around the best rows, too")
	flag.BoolVar(&f.ablate, "ablate", false, "leave out each group of signals and each leg in turn, and stop there")
	flag.Parse()
	if err := f.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "rank:", err)
		os.Exit(1)
	}
}

func (f flags) run(ctx context.Context) error {
	lists, err := f.lists(ctx)
	if err != nil {
		return err
	}
	fit := fitter{decay: f.decay}
	if f.ablate {
		fit.ablate(lists)
		return nil
	}
	fmt.Println("as they are")
	report(lists, func(l list) []int { return l.order(recall.Weights()) })
	fmt.Println("left out")
	orders := fit.leaveOut(lists)
	report(lists, func(l list) []int { return orders[l.ID] })
	all := fit.fit(lists)
	fmt.Println("fitted to all")
	report(lists, func(l list) []int { return l.order(all) })
	if f.write != "" {
		return write(f.write, all)
	}
	return print(all)
}

// list is the candidates of one question.
type list struct {
	ID, Conversation, Category string
	Set                        string // the data set
	Gold                       int    // notes that answer it, found or not
	Signals                    []recall.Signals
	Legs                       [][]string // that found it
	IsGold                     []bool
}

func (f flags) lists(ctx context.Context) (all []list, err error) {
	if f.dump != "" {
		if file, err := os.Open(f.dump); err == nil {
			defer file.Close()
			return all, gob.NewDecoder(file).Decode(&all)
		}
	}
	local, err := model.Default()
	if err != nil {
		return nil, err
	}
	cached, err := eval.OpenCachedEncoder(local, local.ID(), f.cache)
	if err != nil {
		return nil, err
	}
	defer func() { _ = cached.Close() }()
	for _, set := range []struct {
		path string
		load func(string) (eval.Dataset, error)
	}{{f.locomo, eval.LoadLocomo}, {f.beam, eval.LoadBeam}} {
		if set.path == "" {
			continue
		}
		data, err := set.load(set.path)
		if err != nil {
			return nil, err
		}
		for _, c := range data.Conversations {
			some, err := f.recallAll(ctx, cached, data.Name, c)
			if err != nil {
				return nil, fmt.Errorf("conversation %s: %w", c.ID, err)
			}
			all = append(all, some...)
		}
	}
	return all, f.keep(all)
}

func (f flags) keep(all []list) error {
	if f.dump == "" {
		return nil
	}
	file, err := os.Create(f.dump)
	if err != nil {
		return err
	}
	return errors.Join(gob.NewEncoder(file).Encode(all), file.Close())
}

// wholePool asks for more rows than a pool has.
const wholePool = 100_000

// recallAll recalls every candidate of every question of a conversation.
func (f flags) recallAll(ctx context.Context, enc engine.Encoder, set string, c eval.Conversation) (lists []list, err error) {
	dir, err := os.MkdirTemp("", "daybook-rank-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := sqlite.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	e := engine.New(s).WithEncoder(enc)
	if f.learn {
		e = e.WithLearner(extract.Local{Encoder: enc})
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	scope := daybook.Scope{User: "rank"}
	if _, err := e.Add(ctx, scope, engine.By{Author: "rank"}, c.Notes); err != nil {
		return nil, err
	}
	for _, q := range c.Questions {
		if q.Absent || len(q.Evidence) == 0 {
			continue
		}
		found, err := e.Recall(ctx, scope, recall.Question{Text: q.Text, K: wholePool, Wide: f.wide}, daybook.AsOf{ValidAt: q.AsOf})
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		l := newList(q, found)
		l.Set, l.Conversation = set, c.ID
		lists = append(lists, l)
	}
	return lists, nil
}

func newList(q eval.Question, found recall.Result) list {
	gold := map[string]bool{}
	for _, id := range q.Evidence {
		gold[id] = true
	}
	l := list{ID: q.ID, Category: q.Category, Gold: len(gold)}
	for _, row := range found.Rows {
		if row.Signals == (recall.Signals{}) {
			continue // only the state that is asked for brought it
		}
		l.Signals = append(l.Signals, row.Signals)
		l.Legs = append(l.Legs, slices.Collect(maps.Keys(row.Explain.Legs)))
		l.IsGold = append(l.IsGold, gold[row.SourceID])
	}
	return l
}
