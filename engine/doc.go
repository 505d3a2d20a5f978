// Package engine is Daybook as a program uses it: how does a call become a read
// or a write of one scope?
//
// An Engine joins a store with the packages that give it meaning. Slow work is
// done first and holds nothing; then one short update writes. Every method takes
// the scope. What an Engine keeps between calls (indexes, folds, claims, what it
// returned lately) is derived or may be lost, and never changes what the ledger says.
//
// Start reading at Add in add.go for the way in, at Recall in recall.go and Ask in
// ask.go for the way out of a question, and at Facts in read.go for plain reads.
package engine
