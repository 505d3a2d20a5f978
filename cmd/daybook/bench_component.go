package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/eval"
	"daybook/extract"
	"daybook/model"
)

// component returns the bench of one part that has the name, or nil.
func (c *benchRunCmd) component() *eval.Component {
	for _, comp := range eval.Components() {
		if comp.Name == c.Name {
			return &comp
		}
	}
	return nil
}

// runComponent measures one part by itself.
func (c *benchRunCmd) runComponent(a *app, comp *eval.Component) error {
	if c.Data == "" {
		return daybook.Errorf(daybook.Invalid, "bench: give --data PATH; %s is not bundled: 'daybook bench list' says where to get it", c.Name)
	}
	if c.HTML != "" || c.Misses != "" || c.Dump != "" || len(c.Without) > 0 {
		return daybook.Errorf(daybook.Invalid, "bench: %s measures one part; --html, --misses, --dump and --without are for whole systems", c.Name)
	}
	env, closeAll, err := c.env(a)
	if err != nil {
		return err
	}
	report, err := comp.Run(a.ctx, c.Data, env)
	a.endProgress()
	if err := errors.Join(err, closeAll()); err != nil {
		return err
	}
	if err := c.writeJSON(report); err != nil {
		return err
	}
	if a.JSON {
		return a.json(report)
	}
	a.printf("%s  %d cases  sha256 %s\n", a.bold(report.Name), report.Cases, report.Hash[:min(16, len(report.Hash))])
	for _, t := range append([]eval.Table{report.MetricTable()}, report.Tables...) {
		a.printTable(t)
	}
	for _, note := range report.Notes {
		a.printf("%s\n", line(note, 200))
	}
	return nil
}

// env gathers the parts that this binary has. Vectors are kept between runs.
func (c *benchRunCmd) env(a *app) (eval.Env, func() error, error) {
	env := eval.Env{Limit: c.Limit, Seed: c.Seed, Progress: func(done, total int) { a.progress("%s: %d of %d", c.Name, done, total) }}
	nothing := func() error { return nil }
	switch c.Name {
	case "personaext":
		env.Extract = statedTriplets
	case "reader":
		return c.readerEnv(env)
	}
	if c.Name != "sick" && c.Name != "xpath" {
		return env, nothing, nil
	}
	cached, err := c.encoder(a)
	if err != nil {
		return env, nothing, err
	}
	env.Encoder, env.EncoderName = cached, cached.ID()
	env.Query = eval.QueryTrees(cached)
	lexical := model.NewLexicalEntailer(cached)
	env.Entailer, env.EntailerName = lexical, lexical.Name()
	if c.Entailer != "" {
		entailer, err := openSlot(a, c.Entailer, model.OpenEntailer)
		if err != nil {
			return env, nothing, errors.Join(err, cached.Close())
		}
		env.Entailer, env.EntailerName = entailer, entailer.Info().Name
	}
	return env, cached.Close, nil
}

// utteranceSpeaker says what is measured where nobody is named, at a time that
// does not matter.
const utteranceSpeaker = "Speaker"

// statedTriplets are the facts that the engine's extractor learns from one
// utterance by itself.
func statedTriplets(ctx context.Context, text string) ([]eval.Triplet, error) {
	encoder, err := model.Default()
	if err != nil {
		return nil, err
	}
	note := daybook.Note{SourceID: "utterance", Speaker: utteranceSpeaker, Text: text, Time: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}.Named()
	learned, err := extract.Local{Encoder: encoder}.Learn(ctx, extract.Window{Notes: []daybook.Note{note}})
	if err != nil {
		return nil, err
	}
	names := map[daybook.EntityID]string{}
	for _, e := range learned.Entities {
		names[e.ID] = strings.Replace(e.Name, utteranceSpeaker+"'s ", "my ", 1)
	}
	var out []eval.Triplet
	for _, f := range learned.Facts {
		relation := f.Relation
		switch f.Modality {
		case daybook.Negated:
			relation = eval.Not + relation
		case daybook.Wished, daybook.Planned:
			if relation == "is" || relation == "job" || relation == "visited" || relation == "has" {
				relation = eval.Wish + relation
			}
		}
		out = append(out, eval.Triplet{Head: names[f.Subject], Relation: relation, Tail: f.Object})
	}
	return out, nil
}

// reader is the one that --reader-file names, or that of the binary.
func (c *benchRunCmd) reader(encoder *model.LocalEncoder) (*model.LocalReader, error) {
	if c.ReaderFile == "" {
		return model.DefaultReader()
	}
	data, err := os.ReadFile(c.ReaderFile)
	if err != nil {
		return nil, daybook.Errorf(daybook.NotFound, "bench: --reader-file: %w", err)
	}
	r, err := model.OpenReader(encoder, string(data))
	if err != nil {
		return nil, fmt.Errorf("bench: --reader-file %s: %w", c.ReaderFile, err)
	}
	return r, nil
}

// readerEnv adds the reader, and what recall finds without anything learned.
func (c *benchRunCmd) readerEnv(env eval.Env) (eval.Env, func() error, error) {
	nothing := func() error { return nil }
	encoder, err := model.Default()
	if err != nil {
		return env, nothing, err
	}
	if env.Reader, err = c.reader(encoder); err != nil {
		return env, nothing, err
	}
	env.Rows = func(ctx context.Context, chat eval.Conversation, k int) ([][]string, error) {
		system := ours(encoder)
		system.Without, system.Ask = []engine.Part{engine.Learning}, nil
		return eval.RecalledIDs(ctx, system, chat, k)
	}
	return env, nothing, nil
}
