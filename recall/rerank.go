package recall

import "slices"

// Reranked says how a cross-encoder moved a row. All but Raw are from 0 to 1 among
// the candidates that were reranked.
type Reranked struct {
	Raw      float64 `json:"raw"`      // what the model said
	Semantic float64 `json:"semantic"` // the same, scaled
	Lexical  float64 `json:"lexical"`  // by words
	Before   float64 `json:"before"`   // by the sum of signals
	After    float64 `json:"after"`    // all together
}

// rerank lets the model look at the best candidates and puts them in order by what
// it, the words and the signals say (Hydra eq. 14 and 15). They stay before the
// others: their scores keep the range that they had. Where the model fails, the order
// stays, and the result says so.
func (p *pool) rerank() error {
	first := p.all[:min(len(p.all), max(rerankRows, p.plan.K))]
	if p.aids.Rerank == nil || len(first) < 2 {
		return nil
	}
	texts := make([]string, len(first))
	for i, c := range first {
		n, err := p.read(c)
		if err != nil {
			return err
		}
		texts[i] = n.Passage()
	}
	raw, err := p.aids.Rerank(p.plan.Text, texts)
	if err != nil || len(raw) != len(first) {
		p.aids.Missed = append(p.aids.Missed, missed("reranker", err))
		return nil
	}
	semantic, lexical, before := make([]float64, len(first)), make([]float64, len(first)), make([]float64, len(first))
	for i, c := range first {
		semantic[i], lexical[i], before[i] = float64(raw[i]), c.values[Window], c.score
	}
	low, high := slices.Min(before), slices.Max(before)
	unit(semantic)
	unit(lexical)
	unit(before)
	for i, c := range first {
		after := rerankSignals*before[i] + (1-rerankSignals)*(rerankModel*semantic[i]+(1-rerankModel)*lexical[i])
		c.reranked = &Reranked{float64(raw[i]), semantic[i], lexical[i], before[i], after}
		c.moved = low + (high-low)*after - c.score
		c.score += c.moved
	}
	p.sort()
	return nil
}

// unit scales values to lie from 0 to 1; those that are all the same become 0.
func unit(values []float64) {
	low, high := slices.Min(values), slices.Max(values)
	for i, v := range values {
		values[i] = 0
		if high > low {
			values[i] = (v - low) / (high - low)
		}
	}
}

// missed names a model and why it did not do its part.
func missed(model string, err error) string {
	if err == nil {
		return model + ": it did not score every text"
	}
	return model + ": " + err.Error()
}
