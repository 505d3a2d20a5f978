// Package store answers: what must a place that keeps ledgers be able to do?
//
// A store is deliberately dull. It keeps, per scope, a chain of commits, the
// contents of their operations, and an index from keys to contents. It does not
// know what a fact is: package graph gives operations their meaning, computes
// every hash and chooses every key. storetest is the definition of a store;
// every implementation passes all of it.
//
// Start reading at Store.
package store
