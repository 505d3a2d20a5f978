package wordpiece

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"daybook"
)

func small(t testing.TB, config Config) *Tokenizer {
	t.Helper()
	tk, err := New("[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\nwor\n##ld\n,\ne\n##e\n[MASK]\nÉ\n", config)
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

func TestEncode(t *testing.T) {
	tk := small(t, BERT())
	for text, want := range map[string][]int32{
		"":                       nil,
		"Hello, WORLD":           {4, 7, 5, 6},
		"hello\tworld":           {4, 5, 6},
		"é éé":                   {8, 8, 9},
		"worldx":                 {1},
		"a [SEP] [MASK]b":        {1, 3, 10, 1},
		"[sep]":                  {1, 1, 1},
		"\x00\u200bhello":        {4},
		strings.Repeat("e", 100): append([]int32{8}, slices.Repeat([]int32{9}, 99)...),
		strings.Repeat("e", 101): {1},
	} {
		if got := tk.Encode(nil, text); !slices.Equal(got, want) {
			t.Errorf("%.20q: %v, want %v", text, got, want)
		}
	}
	cased := BERT()
	cased.Lowercase, cased.StripAccents = false, false
	if got := small(t, cased).Encode(nil, "É Hello"); !slices.Equal(got, []int32{11, 1}) {
		t.Errorf("cased: %v", got)
	}
}

func TestVocabularyWithoutSpecials(t *testing.T) {
	if _, err := New("a\nb\n", BERT()); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("no special tokens: %v", err)
	}
}

// skipped mirrors SKIP in tools/encoder/reference.py.
func skipped(c rune) bool {
	return slices.Contains([]rune{0x1C89, 0xA7CB, 0xA7CC, 0xA7CE, 0xA7D2, 0xA7D4, 0xA7DA, 0xA7DC, 0x111C9, 0x11938}, c) ||
		0x10D50 <= c && c <= 0x10D65 || 0x16EA0 <= c && c <= 0x16EB8
}

// TestEveryCodePoint compares what becomes of every character between two
// letters with the reference.
func TestEveryCodePoint(t *testing.T) {
	want, err := os.ReadFile("testdata/unicode.sha256")
	if err != nil {
		t.Fatal(err)
	}
	tk, h := small(t, BERT()), sha256.New()
	for c := rune(0); c <= utf8.MaxRune; c++ {
		if 0xD800 <= c && c <= 0xDFFF || skipped(c) {
			continue
		}
		buf := tk.normalise(nil, "a"+string(c)+"b")
		var words []string
		for len(buf) > 0 {
			var w []byte
			if w, buf = nextWord(buf); len(w) > 0 {
				words = append(words, string(w))
			}
		}
		h.Write([]byte(strings.Join(words, "\x1f") + "\n"))
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != strings.TrimSpace(string(want)) {
		t.Errorf("some code point is normalised differently: %s, want %s", got, want)
	}
}

// TestEncodeWords looks at where the words of a text are said to be.
func TestEncodeWords(t *testing.T) {
	tk := small(t, BERT())
	for text, want := range map[string]string{
		"":                     "",
		"Hello, WORLD":         "Hello|,|WORLD",
		" \thello\n\x00hello ": "hello|hello",
		"e\u0301\u0301e, Éé":   "e\u0301\u0301e|,|Éé",
		"漢字 wor[SEP]ld[MASK]":  "漢|字|wor|[SEP]|ld|[MASK]",
		"hel\u200blo\u200b x":  "hel\u200blo\u200b|x",
	} {
		ids, words := tk.EncodeWords(text)
		var got []string
		for _, w := range words {
			got = append(got, text[w.Start:w.End])
		}
		if all := strings.Join(got, "|"); all != want || !slices.Equal(ids, tk.Encode(nil, text)) {
			t.Errorf("%q: %q, want %q; ids %v, want %v", text, all, want, ids, tk.Encode(nil, text))
		}
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("Hello, wörld [SEP] 漢字")
	f.Add("e\u0301\u302e\u0323\u200b\u0301x \xff[SEP\u0301]")
	f.Fuzz(func(t *testing.T, text string) {
		tk := small(t, BERT())
		all := tk.Encode(nil, text)
		for _, id := range all {
			if id < 0 || int(id) > 11 {
				t.Fatalf("id %d", id)
			}
		}
		ids, words := tk.EncodeWords(text)
		if !slices.Equal(ids, all) {
			t.Fatalf("%q: ids %v by words, %v", text, ids, all)
		}
		var last Word
		for _, w := range words { // a mark and the punctuation that bears it are two words of one place
			if w.First != last.Last || w.Last <= w.First || w.Start < last.Start || w.End < last.End || w.End <= w.Start || w.End > len(text) {
				t.Fatalf("%q: word %+v after %+v", text, w, last)
			}
			last = w
		}
	})
}
