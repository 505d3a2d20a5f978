package wordpiece

import (
	"unicode"
	"unicode/utf8"
)

// Word is a word of a text, or a special token that it spells out: the bytes from
// Start to End. Its pieces are the ids from First to Last, without Last.
type Word struct{ Start, End, First, Last int }

// EncodeWords is Encode with the words that the ids are of, in order.
func (t *Tokenizer) EncodeWords(text string) (ids []int32, words []Word) {
	for at := 0; at < len(text); {
		plain, found, rest := t.cutSpecial(text[at:])
		ids, words = t.plainWords(ids, words, plain, at)
		at = len(text) - len(rest)
		if found != nil {
			words = append(words, Word{Start: at - len(found.text), End: at, First: len(ids), Last: len(ids) + 1})
			ids = append(ids, found.id)
		}
	}
	return ids, words
}

// plainWords appends the ids and words of a text without special tokens, which
// begins at base in the whole.
func (t *Tokenizer) plainWords(ids []int32, words []Word, text string, base int) ([]int32, []Word) {
	buf, starts, ends := t.traced(text)
	scratch := make([]byte, 0, 64)
	for at := 0; at < len(buf); {
		word, rest := nextWord(buf[at:])
		if n := len(word); n > 0 {
			first := len(ids)
			ids = t.pieces(ids, word, scratch)
			words = append(words, Word{Start: base + starts[at], End: base + ends[at+n-1], First: first, Last: len(ids)})
		}
		at = len(buf) - len(rest)
	}
	return ids, words
}

// traced normalises a text and says of every byte of the result from where to where
// the characters reach that it was made of.
func (t *Tokenizer) traced(text string) (buf []byte, starts, ends []int) {
	var scratch []byte
	for at := 0; at < len(text); {
		end := at + clusterLen(text[at:])
		scratch = t.normalise(scratch[:0], text[at:end])
		for range scratch {
			starts, ends = append(starts, at), append(ends, end)
		}
		buf = append(buf, scratch...)
		at = end
	}
	return buf, starts, ends
}

// clusterLen is how many bytes the first character of a text has with the marks that
// belong to it. Normalising cluster by cluster is normalising the whole: marks change
// places with each other only.
func clusterLen(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	for n < len(text) && text[n] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !unicode.IsMark(r) && !isControl(r) {
			break
		}
		n += size
	}
	return n
}
