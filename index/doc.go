// Package index answers: how are candidates found?
//
// Today it finds by meaning: vectors of notes, one space per encoder, kept by
// the store beside the contents they stand for. All of it is derived from the
// ledger and can be dropped and made again. Vectors of different encoders are
// never compared: every call names one space.
//
// Start reading at Nearest.
package index
