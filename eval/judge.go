package eval

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"daybook"
	"daybook/model"
)

// Protocol is how a judge decides.
type Protocol string

// Protocols.
const (
	// Binary asks whether the answer is right, as Mem0 and TRACE do for LoCoMo.
	// Questions that the conversation does not answer are not judged.
	Binary Protocol = "binary"
	// Graded asks for a score too, by rules for the kind of question, as Hydra DB
	// does for LongMemEval.
	Graded Protocol = "graded"
)

// Judge lets a language model judge answers, several times each. What it costs is
// counted, kept and replayed by the completer (model.Budget, model.Tape): the
// prompt with its version, the model, the question, the gold and the answer are
// what is asked, and so the key of what was answered before.
type Judge struct {
	Completer model.Completer
	Model     string // as results name it
	Protocol  Protocol
	Runs      int // 0 means 3
	Parallel  int // calls under way at once; 0 means 4
}

var (
	judgeBinary = mustPrompt("judge-binary-1")
	judgeGraded = mustPrompt("judge-graded-1")
	judgeUpdate = mustPrompt("judge-update-1")

	binarySchema = model.MustSchema("verdict", `{"type":"object","properties":{"why":{"type":"string"},"correct":{"type":"boolean"}},"required":["why","correct"],"additionalProperties":false}`)
	gradedSchema = model.MustSchema("grade", `{"type":"object","properties":{"why":{"type":"string"},"score":{"type":"number","minimum":0,"maximum":1},"correct":{"type":"boolean"}},"required":["why","score","correct"],"additionalProperties":false}`)
	updateSchema = model.MustSchema("states", `{"type":"object","properties":{"why":{"type":"string"},"current":{"type":"boolean"},"outdated":{"type":"boolean"}},"required":["why","current","outdated"],"additionalProperties":false}`)
)

// ruling is what one run of the judge says, whatever it was asked.
type ruling struct {
	Correct  bool    `json:"correct"`
	Score    float64 `json:"score"`
	Current  bool    `json:"current"`
	Outdated bool    `json:"outdated"`
}

// Name is the prompt and the model, as results name the judge.
func (j *Judge) Name() string { return j.prompt(Question{}).name + " by " + j.Model }

func (j *Judge) prompt(q Question) prompt {
	switch {
	case q.State != nil && q.State.By == ByReference:
		return judgeUpdate
	case j.Protocol == Graded:
		return judgeGraded
	}
	return judgeBinary
}

// takes reports whether the judge has something to say on a question.
func (j *Judge) takes(q Question) bool {
	if q.Absent {
		return j.Protocol == Graded
	}
	return len(q.Answers) > 0 || len(q.Rubric) > 0
}

// Score judges one answer: judge is 1 when most runs find it right, judge_mean
// the mean of the runs (of their scores, where graded). Of a question about an
// update they are valid_acc, outdated_leak and strict_net, as means of the runs,
// beside judge for the current state. Errors are the completer's; a reply that
// stays unusable is one of them.
func (j *Judge) Score(ctx context.Context, q Question, r Result) (Scores, error) {
	runs := cmp.Or(j.Runs, 3)
	right, sum := 0, 0.0
	var v Verdict
	for i := range runs {
		one, err := j.once(ctx, q, r, int64(i+1))
		if err != nil {
			return nil, err
		}
		right += oneInt(one.Correct)
		sum += one.Score
		v.Valid += float64(oneInt(one.Current)) / float64(runs)
		v.Outdated += float64(oneInt(one.Outdated)) / float64(runs)
	}
	s := Scores{"judge": one(2*right > runs), "judge_mean": sum / float64(runs)}
	if q.State != nil && q.State.By == ByReference {
		s.verdict(v)
	}
	return s, nil
}

// once asks for one verdict. The number of the run is sent as the seed, so that
// runs differ where a server can make them.
func (j *Judge) once(ctx context.Context, q Question, r Result, run int64) (ruling, error) {
	p := j.prompt(q)
	req := p.request(judgeFields(p, q, r))
	req.Schema, req.Seed, req.MaxTokens = binarySchema, run, 512
	switch p.name {
	case judgeGraded.name:
		req.Schema = gradedSchema
	case judgeUpdate.name:
		req.Schema = updateSchema
	}
	got, _, err := model.CompleteJSON[ruling](ctx, j.Completer, req, 0)
	switch p.name {
	case judgeBinary.name:
		got.Score = one(got.Correct)
	case judgeUpdate.name:
		got.Correct = got.Current && !got.Outdated
		got.Score = one(got.Correct)
	}
	return got, err
}

func judgeFields(p prompt, q Question, r Result) map[string]string {
	in := map[string]string{"question": q.Text, "answer": r.Answer, "rules": p.rules[judgeKind(q)], "gold": strings.Join(q.Answers, "\nor: "), "outdated": ""}
	if len(q.Rubric) > 0 {
		in["gold"] = strings.Join(append([]string{in["gold"]}, q.Rubric...), "\n- ")
	}
	if q.Absent {
		in["gold"] = "This is not known."
	}
	if q.State != nil {
		in["outdated"] = firstOf(q.State.StaleValues)
	}
	if r.Abstain || strings.TrimSpace(r.Answer) == "" {
		in["answer"] = "It is not known."
	}
	return in
}

// judgeKind tells by the data set's own name of the category which rules suit.
func judgeKind(q Question) string {
	if q.Absent {
		return "absent"
	}
	for _, kind := range []string{"preference", "update", "temporal"} {
		if strings.Contains(q.Category, kind) {
			return kind
		}
	}
	return "other"
}

func oneInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// judged puts the judge's verdicts into the scores. An answer on which the model
// says nothing usable is counted and left without; a budget that is spent leaves
// the rest without.
func (r Run) judged(ctx context.Context, l *Levels, results map[string]Result) error {
	l.Judge = r.Judge.Name()
	var questions []Question
	for _, c := range r.Dataset.Conversations {
		for _, q := range c.Questions {
			if _, answered := results[q.ID]; answered && r.Judge.takes(q) {
				questions = append(questions, q)
			}
		}
	}
	verdicts, err := r.Judge.all(ctx, questions, results)
	if err != nil {
		return err
	}
	for i, q := range questions {
		if verdicts[i] == nil {
			l.Unjudged++
			continue
		}
		if l.Scores[q.ID] == nil {
			l.Scores[q.ID] = Scores{}
		}
		for name, v := range verdicts[i] {
			l.Scores[q.ID][name] = v
		}
	}
	return nil
}

// all judges in parallel; a verdict that could not be had is nil. What is no
// trouble of the model ends it.
func (j *Judge) all(ctx context.Context, questions []Question, results map[string]Result) ([]Scores, error) {
	verdicts, errs := make([]Scores, len(questions)), make([]error, len(questions))
	slots := make(chan struct{}, cmp.Or(j.Parallel, 4))
	var wait sync.WaitGroup
	for i, q := range questions {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			if verdicts[i], errs[i] = j.Score(ctx, q, results[q.ID]); errs[i] != nil {
				verdicts[i] = nil
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, daybook.Errorf(daybook.Unavailable, "judge answers: %w", err)
	}
	for _, err := range errs {
		if err != nil && daybook.KindOf(err) != daybook.Unavailable {
			return nil, err
		}
	}
	if len(questions) > 0 && allFailed(verdicts) {
		return nil, errs[0]
	}
	return verdicts, nil
}

func allFailed(verdicts []Scores) bool {
	for _, v := range verdicts {
		if v != nil {
			return false
		}
	}
	return true
}
