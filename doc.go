// Package daybook holds the nouns: what is a note, a fact, a state, a commit?
//
// Every other package speaks in these types, and so do the command line, the
// HTTP and MCP doors and the documents (docs/glossary.md). The package does no
// I/O and knows no store, no model and no clock.
//
// Two clocks run through all of it. Valid time says when something held in the
// world and is a Span: an interval with a granularity and how we know it.
// Recorded time says when the ledger learned it and is an instant that only
// the ledger sets.
//
// Start reading at Fact and State in fact.go, then Span in time.go.
package daybook
