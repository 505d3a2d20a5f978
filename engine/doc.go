// Package engine is Daybook as a program uses it: how does a call become a read
// or a write of one scope?
//
// An Engine joins a store with the packages that give it meaning. Slow work is
// done first and holds nothing; then one short update writes. Every method takes
// the scope; nothing is remembered between calls.
//
// Start reading at Add in add.go for the way in, and at Facts in read.go for the
// way out.
package engine
