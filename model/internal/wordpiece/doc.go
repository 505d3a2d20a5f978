// Package wordpiece answers: which tokens does a BERT model see in this text?
//
// A [Tokenizer] gives the ids that the reference (Hugging Face tokenizers) gives
// for a BERT vocabulary: clean the text, set Chinese characters apart, strip
// accents, lower the case, split on white space and punctuation, then cut every
// word into the longest pieces the vocabulary has. As there, a special token
// spelt out in the text ("[SEP]") becomes that token.
//
// Start reading at [Tokenizer.Encode].
package wordpiece
