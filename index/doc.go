// Package index answers: how are candidates found?
//
// An [Index] holds the notes in force of one scope in memory: by their words
// (BM25 over several fields, stems, names kept whole, numbers and dates), by
// vectors (any number of sets, several vectors a note), by time, by session and
// by entity. All of it is derived from the ledger and the vectors in the store,
// and can be dropped and made again.
//
// Readers take a [Snapshot], which never changes and never waits; [Index.Apply]
// makes the next one, which shares with the last all that is the same. What a
// snapshot answers depends only on the notes in it and never on how they came:
// notes are kept in ledger order, scores are summed in whole numbers, ties go to
// the earlier note, and nothing is trained.
//
// Words lie in segments: sorted keys, each with a list of notes. New notes make a
// small segment; segments of a size are joined; a removed note is cut out of its
// segment at once, so that nothing of it is left. The best notes are found by
// looking only at lists that can still lift a note among them (search.go).
//
// Vectors lie in a [Space]: rows of twelve bits a dimension, of which the upper
// eight are scanned. Beyond [ExactRows] rows, sketches of two bits a dimension
// choose which rows are compared in full (sketch.go). Vectors of different encoders
// are never compared: every set is of one.
//
// A [Pool] keeps the indexes that were asked for last within a limit of memory,
// and brings each up to date before it hands out a snapshot.
//
// Start reading at [Snapshot], then index.go, segment.go, search.go, space.go and nearest.go.
package index
