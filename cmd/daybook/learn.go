package main

import (
	"errors"
	"os"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
)

// learnFlags choose what is learned from notes, and by what.
type learnFlags struct {
	Learn     bool `help:"Learn from the messages: who, what, when. --no-learn keeps them and learns nothing." env:"DAYBOOK_LEARN" default:"true" negatable:""`
	LocalOnly bool `help:"Learn with the rules of this binary, also where a language model is configured." env:"DAYBOOK_LOCAL_ONLY"`
	LLMTokens int  `name:"llm-tokens" help:"Most tokens that learning may cost; 0 means no limit. What is left over is learned locally." env:"DAYBOOK_LLM_TOKENS" placeholder:"N"`
}

// learning runs do on an engine that learns as the flags say. A home that is not
// there is made.
func (a *app) learning(f learnFlags, do func(*engine.Engine) error) error {
	learner, closer, err := a.learner(f)
	if err != nil {
		return err
	}
	return errors.Join(a.with(func(e *engine.Engine) error {
		if learner == nil {
			return do(e)
		}
		return do(e.WithLearner(learner))
	}), closer())
}

// learner is the local extractor, or the configured language model with the local
// one behind it; nil where nothing is to be learned.
func (a *app) learner(f learnFlags) (engine.Learner, func() error, error) {
	return a.learnerIn(f, model.NewBudget(f.LLMTokens, nil))
}

// learnerIn is learner with a budget that others may share.
func (a *app) learnerIn(f learnFlags, budget *model.Budget) (engine.Learner, func() error, error) {
	none := func() error { return nil }
	if f.LLMTokens < 0 {
		return nil, none, daybook.Errorf(daybook.Invalid, "--llm-tokens is %d; it cannot be below 0", f.LLMTokens)
	}
	if !f.Learn {
		return nil, none, nil
	}
	encoder, err := model.Default() // the judge of states is fitted to it, whatever notes are found by
	if err != nil {
		return nil, none, err
	}
	reader, err := model.DefaultReader()
	if err != nil {
		return nil, none, err
	}
	local := extract.NewReading(reader, encoder)
	endpoint, err := model.ChatEndpoint(os.Getenv)
	if f.LocalOnly || a.local || daybook.KindOf(err) == daybook.NotFound {
		return local, none, nil
	}
	if err != nil {
		return nil, none, err
	}
	client, err := model.NewOpenAI(endpoint)
	if err != nil {
		return nil, none, err
	}
	completer := budget.Completer(client, client.Model())
	return &extract.LLM{Completer: completer, Model: client.Model(), Local: local}, client.Close, nil
}

// learned says what a write learned, and where a model was no use.
func (a *app) learned(r daybook.Receipt) {
	if r.Learned > 0 {
		a.printf("  learned %s\n", plural(r.Learned, "fact"))
	}
	if r.Echoes > 0 {
		a.printf("  %s with words that the memory returned; nothing is learned from those\n", plural(r.Echoes, "note"))
	}
	if r.Dropped > 0 {
		a.printf("  dropped %s of the model that the messages do not bear out\n", plural(r.Dropped, "claim"))
	}
	if r.Fallback != "" {
		a.printf("  learned locally: %s\n", line(r.Fallback, 200))
	}
}
