// Package xpath answers: what does a query in Semantic XPath say?
//
// It turns the text of a query into a syntax tree and back. A query walks down a
// tree of typed nodes by steps; positions choose among brothers, predicates give
// weights between 0 and 1. The package knows nothing of running a query: that is
// package tree. docs/query.md describes the language with examples.
//
// Start reading at Query in query.go, then at Parse in parse.go.
package xpath
