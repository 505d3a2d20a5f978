package engine

import (
	"context"

	"daybook"
	"daybook/extract"
)

// linkFacts judges which facts of the scope the new ones update or contradict.
func (e *Engine) linkFacts(context.Context, daybook.Scope, []extract.Fact) ([]daybook.Op, error) {
	return nil, nil
}
