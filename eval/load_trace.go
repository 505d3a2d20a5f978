package eval

import (
	"path/filepath"

	"daybook"
)

type traceProbe struct {
	ID       string `json:"id"`
	Sample   *int   `json:"locomo_sample_idx"`
	Type     string `json:"type"`
	Question string `json:"question"`
	Current  string `json:"current_valid_answer"`
	Outdated string `json:"outdated_answer"`
	TRACE    string `json:"trace_prediction"` // what TRACE itself answered; may be missing
}

// LoadTrace reads TRACE's stress test, one question per line, and the LoCoMo file
// that it asks about: the locomo*.json beside it, else in a folder locomo beside
// its own. The conversations are LoCoMo's without LoCoMo's questions; those that
// no question is about are left out.
func LoadTrace(path string) (Dataset, error) {
	if err := checkFile(path); err != nil {
		return Dataset{}, err
	}
	locomo, err := beside(path, "locomo*.json")
	if daybook.KindOf(err) == daybook.NotFound {
		locomo, err = beside(path, filepath.Join("..", "locomo", "locomo*.json"))
	}
	if err != nil {
		return Dataset{}, err
	}
	return loadTraceOn(path, locomo)
}

// loadTraceOn is LoadTrace with the LoCoMo file given.
func loadTraceOn(path, locomo string) (Dataset, error) {
	var f files
	d := Dataset{Name: "trace"}
	if err := d.readLocomo(&f, locomo); err != nil {
		return Dataset{}, err
	}
	d.Tolerated = nil // all of LoCoMo's key, which is not asked here
	for i := range d.Conversations {
		d.Conversations[i].Questions = nil
	}
	seen := map[string]bool{}
	err := readLines(&f, path, func(at place, p traceProbe) error {
		if seen[p.ID] {
			return at.errorf("id %q comes a second time", p.ID)
		}
		seen[p.ID] = true
		return d.traceQuestion(at, p)
	})
	if err != nil {
		return Dataset{}, err
	}
	asked := d.Conversations[:0]
	for _, c := range d.Conversations {
		if len(c.Questions) > 0 {
			asked = append(asked, c)
		}
	}
	d.Conversations, d.Hash = asked, f.hash()
	return d, nil
}

func (d *Dataset) traceQuestion(at place, p traceProbe) error {
	if err := at.need(text("id", p.ID), field{"locomo_sample_idx", p.Sample != nil}, text("type", p.Type), text("question", p.Question),
		text("current_valid_answer", p.Current), text("outdated_answer", p.Outdated)); err != nil {
		return err
	}
	c := d.locomoSample(*p.Sample)
	if c == nil {
		return at.errorf("locomo_sample_idx %d: the LoCoMo file does not hold that conversation", *p.Sample)
	}
	q := Question{ID: p.ID, Text: p.Question, Category: p.Type, Answers: []string{p.Current},
		State: &StateProbe{By: ByReference, Kind: "current", Values: []string{p.Current}, StaleValues: []string{p.Outdated}}}
	if p.TRACE != "" {
		q.Published = map[string]string{"TRACE": p.TRACE}
	}
	c.Questions = append(c.Questions, q)
	return nil
}
