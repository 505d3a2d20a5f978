// Package english answers: what are the words of a sentence, and what do they do?
//
// It reads English as people write it to each other: sentences, tokens with byte
// offsets, Penn tags, lemmas, noun phrases, verb groups, clauses with their
// subject and flags, names, and what a question asks for. It is pure: the same
// text gives the same reading, no clock, no network, no state but read-only
// tables that are unpacked at the first use. Every function may be called from
// many goroutines at once, and none fails: text that is not English is read as
// unknown words.
//
// The tables of words are closed classes and general knowledge of English. The
// weights of the tagger and the lexicon are other people's (see NOTICE).
//
// Start reading at [Read], then clause.go: a sentence is cut into units (unit.go), a
// clause is opened for each verb (open.go), takes its units (fill.go) and gets whose
// state it speaks of (who.go). question.go reads what is asked, marks.go the words that
// place it in time, restate.go how the answer would have been said.
package english
