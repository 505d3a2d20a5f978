// Package eval answers: how good is it, and where does it fail?
//
// It reads public data sets from paths that the user gives, lets systems answer
// their questions, and measures them on three levels: what was stored, what was
// retrieved, what was answered. The engine is used as any user would use it and
// never hears of a benchmark.
//
// Start reading at Dataset.
package eval
