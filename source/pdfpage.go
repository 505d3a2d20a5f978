package source

import (
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
)

// typesetter follows the operators of a page that place text. A PDF places glyphs
// and knows no words: a gap between glyphs is a blank, a step down is a new line,
// a large one a new paragraph.
type typesetter struct {
	page  pdf.Page
	fonts map[string]*pdfFont
	font  *pdfFont
	size  float64 // of the font, before scaling
	lead  float64 // from line to line

	line, at [2]float64 // where the line began, and where the next glyph stands
	scale    [2]float64 // of the text matrix
	end      [2]float64 // where the last glyph ended
	out      strings.Builder
}

// pdfFont is a font with what is asked of it again and again.
type pdfFont struct {
	font   pdf.Font
	widths []float64
	wide   bool // two bytes are one glyph
	glyphs map[byte]string
	codes  pdf.TextEncoding
}

// do follows one operator. Those that place no text are passed over, and so are
// operators with too few operands.
func (t *typesetter) do(op string, args []pdf.Value) {
	number := func(i int) float64 {
		if i < len(args) {
			return args[i].Float64()
		}
		return 0
	}
	switch op {
	case "BT":
		t.scale = [2]float64{1, 1}
		t.begin(0, 0)
	case "Tm":
		t.scale = [2]float64{math.Hypot(number(0), number(1)), math.Hypot(number(2), number(3))}
		t.begin(number(4), number(5))
	case "TL":
		t.lead = number(0)
	case "TD":
		t.lead = -number(1)
		t.move(number(0), number(1))
	case "Td":
		t.move(number(0), number(1))
	case "T*":
		t.move(0, -t.lead)
	case "Tf":
		if len(args) == 2 {
			t.font, t.size = t.load(args[0].Name()), number(1)
		}
	case "'", "\"":
		t.move(0, -t.lead)
		t.show(args)
	case "Tj", "TJ":
		t.show(args)
	}
}

func (t *typesetter) begin(x, y float64) {
	t.line = [2]float64{x, y}
	t.at = t.line
}

func (t *typesetter) move(x, y float64) {
	t.begin(t.line[0]+x*t.scale[0], t.line[1]+y*t.scale[1])
}

// show writes the last operand: a string, or strings with gaps between them in
// thousandths of the size.
func (t *typesetter) show(args []pdf.Value) {
	if len(args) == 0 || t.font == nil {
		return
	}
	v := args[len(args)-1]
	if v.Kind() == pdf.String {
		t.write(v.RawString())
	}
	for i := range v.Len() {
		if x := v.Index(i); x.Kind() == pdf.String {
			t.write(x.RawString())
		} else {
			t.at[0] -= x.Float64() / 1000 * t.size * t.scale[0]
		}
	}
}

func (t *typesetter) write(raw string) {
	text := t.font.decode(raw)
	if text == "" {
		return
	}
	t.out.WriteString(t.gap())
	t.out.WriteString(text)
	t.at[0] += t.font.width(raw) / 1000 * t.size * t.scale[0]
	t.end = t.at
}

// gap is what stands between the last glyph and the next.
func (t *typesetter) gap() string {
	size := max(math.Abs(t.size)*t.scale[1], 1)
	right, down := (t.at[0]-t.end[0])/size, (t.end[1]-t.at[1])/size
	switch {
	case t.out.Len() == 0:
		return ""
	case down > 1.7 || down < -1.2:
		return "\n\n"
	case math.Abs(down) > 0.6 || right < -3:
		return "\n"
	case right > 0.17:
		return " "
	}
	return ""
}

func (t *typesetter) load(name string) *pdfFont {
	f, ok := t.fonts[name]
	if !ok {
		font := t.page.Font(name)
		if _, err := unpacked(font.V.Key("ToUnicode"), maxPDFFont); err != nil {
			panic(err)
		}
		f = &pdfFont{font: font, codes: font.Encoder(), widths: font.Widths(), wide: font.V.Key("Subtype").Name() == "Type0", glyphs: map[byte]string{}}
		t.fonts[name] = f
	}
	return f
}

// decode turns codes of glyphs into text.
func (f *pdfFont) decode(raw string) string {
	if f.wide {
		return clean(f.codes.Decode(raw))
	}
	var out strings.Builder
	for _, b := range []byte(raw) {
		text, ok := f.glyphs[b]
		if !ok {
			text = clean(f.codes.Decode(string([]byte{b})))
			f.glyphs[b] = text
		}
		out.WriteString(text)
	}
	return out.String()
}

// width is in thousandths of the size; half of it where the font does not say.
func (f *pdfFont) width(raw string) (sum float64) {
	if f.wide || len(f.widths) == 0 {
		n := float64(len(raw))
		if f.wide {
			n /= 2
		}
		return 500 * n
	}
	first := f.font.FirstChar()
	for _, b := range []byte(raw) {
		if i := int(b) - first; i >= 0 && i < len(f.widths) {
			sum += f.widths[i]
		}
	}
	return sum
}

// clean takes joined letters apart, and drops what is no text.
func clean(s string) string {
	s = strings.NewReplacer("ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "\u00ad", "-").Replace(s)
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '\uFFFD' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}
