// Package graph answers: what is believed, and since when?
//
// It gives the store's bytes their meaning. Ledger.Apply is the only writer: it
// turns a Change into one hashed commit, after judging what the new facts do to
// the old ones. A Book reads a scope as it was known at some time and folds the
// operations into states. Nothing here calls a model or looks at a real clock.
//
// Start reading at Apply in apply.go for writing, and at Open in book.go for
// reading; fold.go is the heart of states, near.go of events.
package graph
