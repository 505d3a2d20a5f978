package wordpiece

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"daybook"
)

// Config says how a vocabulary's model wants its text. It is stored in the
// model file.
type Config struct {
	Lowercase    bool   `json:"lowercase"`
	StripAccents bool   `json:"strip_accents"`
	SplitCJK     bool   `json:"split_cjk"`
	CleanText    bool   `json:"clean_text"`
	Continuation string `json:"continuation"`   // what marks a piece inside a word, "##"
	MaxWordChars int    `json:"max_word_chars"` // a longer word is unknown
	Unknown      string `json:"unknown"`
	Class        string `json:"class"`     // first token of every input, "[CLS]"
	Separator    string `json:"separator"` // last token of every text, "[SEP]"
	// Special tokens are recognised when the text spells them out.
	Special []string `json:"special,omitempty"`
}

// BERT is the configuration of an uncased BERT model.
func BERT() Config {
	return Config{
		Lowercase: true, StripAccents: true, SplitCJK: true, CleanText: true,
		Continuation: "##", MaxWordChars: 100, Unknown: "[UNK]", Class: "[CLS]", Separator: "[SEP]",
		Special: []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"},
	}
}

// Tokenizer is safe for concurrent use.
type Tokenizer struct {
	config  Config
	ids     map[string]int32
	longest int // bytes of the longest piece
	special []special

	Class, Separator, Unknown int32
}

type special struct {
	text string
	id   int32
}

// New makes a tokenizer of a vocabulary: one piece per line, the id is the
// line's number. The bytes are kept, not copied. A vocabulary without the
// tokens that config names is Invalid.
func New(vocabulary string, config Config) (*Tokenizer, error) {
	t := &Tokenizer{config: config, ids: make(map[string]int32, strings.Count(vocabulary, "\n")+1)}
	for id := int32(0); vocabulary != ""; id++ {
		var piece string
		piece, vocabulary, _ = strings.Cut(vocabulary, "\n")
		piece = strings.TrimSuffix(piece, "\r")
		t.ids[piece] = id
		t.longest = max(t.longest, len(piece))
	}
	for _, named := range []struct {
		text string
		id   *int32
	}{{config.Class, &t.Class}, {config.Separator, &t.Separator}, {config.Unknown, &t.Unknown}} {
		id, ok := t.ids[named.text]
		if !ok {
			return nil, daybook.Errorf(daybook.Invalid, "vocabulary has no token %q", named.text)
		}
		*named.id = id
	}
	for _, s := range config.Special {
		if id, ok := t.ids[s]; ok && s != "" {
			t.special = append(t.special, special{s, id})
		}
	}
	return t, nil
}

// Size is the number of distinct pieces.
func (t *Tokenizer) Size() int { return len(t.ids) }

// Encode appends the ids of text to ids, without the class and separator
// tokens.
func (t *Tokenizer) Encode(ids []int32, text string) []int32 {
	for text != "" {
		plain, found, rest := t.cutSpecial(text)
		ids = t.encodePlain(ids, plain)
		if found != nil {
			ids = append(ids, found.id)
		}
		text = rest
	}
	return ids
}

// cutSpecial splits text around the first special token it spells out, the
// longest where several begin there; found is nil when there is none.
func (t *Tokenizer) cutSpecial(text string) (before string, found *special, after string) {
	first := len(text)
	for i := range t.special {
		s := &t.special[i]
		at := strings.Index(text, s.text)
		if at < 0 || at > first {
			continue
		}
		if at < first || len(s.text) > len(found.text) {
			first, found = at, s
		}
	}
	if found == nil {
		return text, nil, ""
	}
	return text[:first], found, text[first+len(found.text):]
}

func (t *Tokenizer) encodePlain(ids []int32, text string) []int32 {
	buf := make([]byte, 0, 128+len(text))
	buf = t.normalise(buf, text)
	scratch := make([]byte, 0, 64)
	for len(buf) > 0 {
		var word []byte
		word, buf = nextWord(buf)
		if len(word) > 0 {
			ids = t.pieces(ids, word, scratch)
		}
	}
	return ids
}

// nextWord cuts the next word off normalised text: a run of letters, or one
// punctuation mark. White space gives an empty word.
func nextWord(text []byte) (word, rest []byte) {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		switch {
		case isSpace(r):
			return text[:i], text[i+size:]
		case isPunctuation(r) && i == 0:
			return text[:size], text[size:]
		case isPunctuation(r):
			return text[:i], text[i:]
		}
		i += size
	}
	return text, nil
}

// pieces appends the ids of one word: always the longest piece that fits next,
// or the unknown token when one place fits none.
func (t *Tokenizer) pieces(ids []int32, word, scratch []byte) []int32 {
	if id, ok := t.ids[string(word)]; ok && len(word) <= t.config.MaxWordChars {
		return append(ids, id) // bytes are never fewer than characters
	}
	if utf8.RuneCount(word) > t.config.MaxWordChars {
		return append(ids, t.Unknown)
	}
	start := len(ids)
	for at := 0; at < len(word); {
		prefix := ""
		if at > 0 {
			prefix = t.config.Continuation
		}
		id, n := t.longestPiece(append(scratch[:0], prefix...), word[at:])
		if n == 0 {
			return append(ids[:start], t.Unknown)
		}
		ids = append(ids, id)
		at += n
	}
	return ids
}

// longestPiece finds the longest piece that prefix and the beginning of rest
// spell, and how many bytes of rest it takes.
func (t *Tokenizer) longestPiece(prefix, rest []byte) (id int32, n int) {
	whole := append(prefix, rest[:min(len(rest), max(0, t.longest-len(prefix)))]...)
	for end := len(whole); end > len(prefix); {
		if id, ok := t.ids[string(whole[:end])]; ok {
			return id, end - len(prefix)
		}
		end--
		for end > len(prefix) && !utf8.RuneStart(whole[end]) {
			end--
		}
	}
	return 0, 0
}

// Vocabulary joins pieces to the form New takes. A piece with a line break in
// it, which the form cannot hold, is Invalid.
func Vocabulary(pieces []string) ([]byte, error) {
	var b bytes.Buffer
	for i, p := range pieces {
		if strings.ContainsAny(p, "\n\r") {
			return nil, daybook.Errorf(daybook.Invalid, "vocabulary piece %d holds a line break", i)
		}
		b.WriteString(p)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}
