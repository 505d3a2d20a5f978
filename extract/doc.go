// Package extract answers: what do the notes say?
//
// Learn reads notes in the order in which they were said and returns what they
// state: an enriched text for each note, entities, events with the words they
// stand on, facts, and how notes bear on what was said before. It reads by grammar
// and with an encoder, or with a language model where there is one; it never
// writes, and the same notes give the same result.
//
// What a model says is held against the notes: words that are not there, ids that
// name nothing and times that no note tells are dropped and counted, and where the
// model is no use at all the grammar stands in.
//
// Start reading at Local.Learn, then statement.go (what one sentence says), told.go
// (which values a clause tells: attribute.go, object.go, doing.go, liking.go and place.go
// read one kind of clause each), pick.go (which part of a sentence is likeliest its
// value), settle.go (what stands where the two differ) and pair.go (do two statements
// speak of one state?). LLM.Learn is the way with a model; llm_reply.go checks what it
// said.
package extract
