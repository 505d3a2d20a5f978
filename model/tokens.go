package model

// Tokens counts the word pieces of a text, without those that mark its
// beginning and end. Other models cut text otherwise; the count says how long
// the text is to this one.
func (e *LocalEncoder) Tokens(text string) int {
	return len(e.net.Tokenizer.Encode(nil, text))
}
