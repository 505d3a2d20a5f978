// Package model answers: who reads text for us — turns it into vectors, ranks
// it, judges it, completes it?
//
// Four one-method interfaces are the slots: [Encoder], [Reranker], [Entailer]
// and [Completer]. [Default] is the encoder inside the binary: a BERT-family
// network in pure Go with assembly kernels, quantised to int8, opened when it is
// first used. Other BERT-family models are converted once by [Import] and opened
// with [OpenEncoder], [OpenReranker], [OpenEntailer] or [OpenTagger];
// [LexicalEntailer] fills its slot when there is no inference model. An encoder
// that also shows the vectors of words is a [WordEncoder], which taggers are fitted on. Models on
// the other side of a network are the clients in the files named openai.
//
// Texts are encoded in a role, [As]: an index stores passages and is asked with
// queries. Vectors carry the id of the encoder that made them, and a local
// encoder's id covers the weights, the shape, the prefixes of the roles, the
// tokenizer and the quantisation: vectors of equal ids may be compared, whatever
// processor made them.
//
// Start reading at model.go, then [LocalEncoder]; the network itself is in
// internal/bert, the kernels in internal/kernel.
package model
