// Package tree answers: what is in a task artifact, and which of its nodes does a
// query or a request mean?
//
// A Tree is a plan, a list, a project: typed nodes with attributes. Its versions
// share what they have in common. Run walks a query over anything that can hand
// out nodes (a Source: one version, all versions, the memory itself), weighs them
// by a Scorer, and keeps every step for the explanation. Changes are computed here and
// written to the ledger by package graph. Do turns a request in plain words into a
// query and changes, by a language model when there is one and by templates when
// there is none.
//
// Start reading at Run in run.go; node.go and versions.go hold the trees, score.go the scorers,
// plan.go the templates.
package tree
