package tree

import "context"

// Select runs a plan's query and returns the nodes that are meant: the best one,
// or all that weigh enough.
func (p *Plan) Select(ctx context.Context, src Source, scorer Scorer) (*Result, error) {
	res, err := Run(ctx, src, p.Query, scorer)
	if err != nil || !p.Query.Weighs() {
		return res, err
	}
	switch {
	case len(res.Nodes) == 0 || res.Nodes[0].Weight < Doubtful:
		res.Nodes = nil // nothing fits; better said than guessed
	case p.One:
		res.Nodes = res.Keep(1e-9, 1)
	case res.Nodes[0].Weight < Likely: // nothing stands out; what comes nearest is meant
		res.Nodes = res.Keep(max(1e-9, 0.8*res.Nodes[0].Weight), 0)
	default:
		res.Nodes = res.Keep(Likely, 0)
	}
	return res, nil
}

// Likely is the weight from which a node is taken to be meant. One step's
// predicate gives 0.5 to what stands halfway out; negations and products lie lower.
const Likely = 0.4

// Doubtful is the weight below which even the best node is not what was meant.
const Doubtful = 0.1
