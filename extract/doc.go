// Package extract answers: what do the notes say?
//
// Learn reads notes in the order in which they were said and returns what they
// state: an enriched text for each note, entities, events with the words they
// stand on, facts, and how notes bear on what was said before. It reads by grammar
// and with an encoder, or with a language model where there is one; it never
// writes, and the same notes give the same result.
//
// Start reading at Local.Learn, then statement.go (what one sentence says),
// value.go (which part of it is the value) and pair.go (do two statements speak
// of one state?).
package extract
