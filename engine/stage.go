package engine

import (
	"context"
	"time"
)

type stageKey struct{}

// WithStages returns a context under which the engine tells how long each stage of
// a read took.
func WithStages(ctx context.Context, tell func(stage string, began, ended time.Time)) context.Context {
	return context.WithValue(ctx, stageKey{}, tell)
}

// stage begins a stage; the function that it returns ends it.
func stage(ctx context.Context, name string) (end func()) {
	tell, ok := ctx.Value(stageKey{}).(func(string, time.Time, time.Time))
	if !ok {
		return func() {}
	}
	began := time.Now()
	return func() { tell(name, began, time.Now()) }
}
