// Package recall answers: which notes does a question need, in which order, and why?
//
// A Plan is a question as it is read: view, shape, speakers, time. Legs find
// candidates in the index, each in its own way; together they are the pool. For
// each candidate Signals say what speaks for it, and weights.go how much each
// counts. Paths lead from the best rows along what was learned from them. Every
// row can explain itself, and a note that is missing can be asked after.
//
// Recall only reads: an index.Snapshot, a graph.Book, and vectors that the caller made
// of the plan's texts. The same question on the same ledger gives the same rows.
//
// Start reading at Find.
package recall

// The sets of vectors that are searched: notes as they were said, and short notes
// with what was said just before.
const (
	Content = "content"
	Latent  = "latent"
)
