// Package bert answers: what does a BERT-family network say about these tokens,
// and how is such a network kept in one file?
//
// A model file ([Parse], [Write]) holds a JSON [Config], the vocabulary and the
// quantised weights, laid out so that they are used where they lie. [Load] makes
// a [Network] of it; [Network.Run] pushes token sequences through all layers and
// hands the last hidden states to the caller, who pools them or puts a head on
// them ([Network.Pool], [Network.Logits], [Network.TokenLogits]).
//
// Start reading at [Network.Run].
package bert
