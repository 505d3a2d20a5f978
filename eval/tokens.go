package eval

// tokensPerPiece is how many tokens of o200k_base, the tokenizer of current
// OpenAI models, there are to a word piece of the embedded encoder in
// conversation: 0.94 on LoCoMo, GHOST and LongMemEval text. Code has fewer (0.80
// to 0.90 on BEAM), so what has much code in it is counted too high by up to a
// sixth. The tokenizer itself would add 7 MB to the binary.
const tokensPerPiece = 0.94

// TokenCounter counts the tokens that a text is to a language model, by the word
// pieces that it has.
func TokenCounter(pieces interface{ Tokens(text string) int }) func(text string) float64 {
	return func(text string) float64 { return tokensPerPiece * float64(pieces.Tokens(text)) }
}
