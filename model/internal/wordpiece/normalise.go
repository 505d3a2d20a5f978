package wordpiece

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalise appends the normalised text to buf.
func (t *Tokenizer) normalise(buf []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return t.normaliseUnicode(buf[:0], text)
		}
		buf = t.appendASCII(buf, text[i])
	}
	return buf
}

func (t *Tokenizer) appendASCII(buf []byte, c byte) []byte {
	switch {
	case t.config.Lowercase && 'A' <= c && c <= 'Z':
		return append(buf, c+'a'-'A')
	case !t.config.CleanText || c >= ' ' && c != 0x7f:
		return append(buf, c)
	case c == '\t' || c == '\n' || c == '\r':
		return append(buf, ' ')
	}
	return buf // a control character
}

func (t *Tokenizer) normaliseUnicode(buf []byte, text string) []byte {
	for _, r := range text {
		if t.config.CleanText {
			if r == 0 || r == utf8.RuneError || isControl(r) {
				continue
			}
			if isSpace(r) {
				r = ' '
			}
		}
		if t.config.SplitCJK && isCJK(r) {
			buf = append(buf, ' ')
			buf = utf8.AppendRune(buf, r)
			buf = append(buf, ' ')
			continue
		}
		buf = utf8.AppendRune(buf, r)
	}
	if t.config.StripAccents {
		buf = stripAccents(buf)
	}
	if t.config.Lowercase {
		buf = lower(buf)
	}
	return buf
}

// stripAccents takes characters apart and drops the marks without width.
func stripAccents(text []byte) []byte {
	apart := norm.NFD.Bytes(text)
	out := apart[:0]
	for i := 0; i < len(apart); {
		r, size := utf8.DecodeRune(apart[i:])
		if !isMark(r) {
			out = append(out, apart[i:i+size]...)
		}
		i += size
	}
	return out
}

func lower(text []byte) []byte {
	out := make([]byte, 0, len(text)+8)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if r == 'İ' { // the one character whose lower case is two
			out = append(out, "i̇"...)
			continue
		}
		out = utf8.AppendRune(out, unicode.ToLower(r))
	}
	return out
}

// isControl reports the characters that cleaning drops: control, format
// and private use.
func isControl(r rune) bool {
	if r == '\t' || r == '\n' || r == '\r' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs) && !isNewer(r)
}

// isMark reports the marks without width. The reference still counts the
// Hanunoo pamudpod as one; Unicode has since made it a spacing mark.
func isMark(r rune) bool {
	if r < 0x300 {
		return false
	}
	return unicode.Is(unicode.Mn, r) && !isNewer(r) || r == 0x1734
}

func isSpace(r rune) bool { return unicode.Is(unicode.White_Space, r) }

// isPunctuation reports the characters that stand alone. The reference still
// counts the Canadian syllabics chi sign; Unicode has since made it a symbol.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.Is(unicode.P, r) && !isNewer(r) || r == 0x166D
}

// isCJK reports the characters that stand as words of their own. The fifth
// range begins where the reference's does, not where its block does.
func isCJK(r rune) bool {
	if r < 0x3400 {
		return false
	}
	return 0x4E00 <= r && r <= 0x9FFF || 0x3400 <= r && r <= 0x4DBF || 0x20000 <= r && r <= 0x2A6DF ||
		0x2A700 <= r && r <= 0x2B73F || 0x2B740 <= r && r <= 0x2B81F || 0x2B920 <= r && r <= 0x2CEAF ||
		0xF900 <= r && r <= 0xFAFF || 0x2F800 <= r && r <= 0x2FA1F
}
