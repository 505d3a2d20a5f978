package timex

import (
	"slices"
	"time"
)

// numericDate reads dates of digits: 2023-06-09, 6/9/2023, 21.04.2016, 4/22,
// 2019-sep-1, and the months 2016-11 and 11/2016.
func (p *parser) numericDate(i int) (node, bool) {
	j := p.weekdayPrefix(i)
	a := p.tok(j)
	if a.kind != number || a.ordinal || j > 0 && a.glued && !p.is(j-1, "(", "[", "\"", "'", ",", "-", "|") {
		return node{}, false
	}
	sep := p.tok(j + 1).text
	if sep != "-" && sep != "/" && sep != "." {
		return node{}, false
	}
	tight := p.tok(j+1).glued && p.tok(j+2).glued
	b := p.tok(j + 2)
	if b.kind == word && tight {
		return p.namedMonth(i, j)
	}
	if b.kind != number || b.ordinal {
		return node{}, false
	}
	if y, end := p.thirdNumber(j+3, sep); end > j+3 && tight {
		if n, ok := p.threeNumbers(i, end, [3]*token{a, b, y}); ok {
			return n, true
		}
		return node{}, false
	}
	if n, ok := p.yearAndMonth(i, j+3, a, b); ok {
		return n, true
	}
	if !tight || p.glueAfter(j+3) {
		return node{}, false
	}
	return p.twoNumbers(i, j, sep)
}

// glueAfter reports whether digits or letters go on at token i, as in a phone
// number or a version.
func (p *parser) glueAfter(i int) bool {
	t := p.tok(i)
	return t.glued && (t.kind != mark || p.is(i, "/", ".", "-") && p.tok(i+1).glued && p.tok(i+1).kind == number && !p.rangeAfter(i))
}

// rangeAfter reports whether "-10/7/2018" goes on as the end of a range.
func (p *parser) rangeAfter(i int) bool {
	return p.is(i, "-") && p.is(i+2, "/", "-", ".") && p.tok(i+3).kind == number
}

// thirdNumber reads the last number of a date and what parts it.
func (p *parser) thirdNumber(i int, sep string) (*token, int) {
	if p.tok(i).text != sep && !p.is(i, ",") || !p.tok(i).glued {
		return &nothing, i
	}
	t := p.tok(i + 1)
	if t.kind != number || t.ordinal || !t.glued || p.tok(i+2).glued && (p.tok(i+2).kind == number || p.tok(i+2).kind == word && !p.is(i+2, "t")) {
		return &nothing, i
	}
	return t, i + 2
}

func (p *parser) threeNumbers(i, end int, n [3]*token) (node, bool) {
	year := func(t *token) int {
		if t.digits() <= 2 {
			return p.fullYear(t.val)
		}
		return t.val
	}
	if n[0].digits() == 4 {
		return p.placeValid(i, end, year(n[0]), n[1].val, n[2].val)
	}
	if n[2].digits() != 4 && n[2].digits() != 2 || n[0].digits() > 2 || n[1].digits() > 2 {
		return node{}, false
	}
	if n[0].val <= 12 {
		if out, ok := p.placeValid(i, end, year(n[2]), n[0].val, n[1].val); ok {
			return out, true
		}
	}
	return p.placeValid(i, end, year(n[2]), n[1].val, n[0].val)
}

func (p *parser) placeValid(i, end, y, m, d int) (node, bool) {
	if y < 1 || !validDate(y, time.Month(m), d) {
		return node{}, false
	}
	return p.place(i, end, float{year: y, month: time.Month(m), day: d})
}

func (p *parser) yearAndMonth(i, end int, a, b *token) (node, bool) {
	if b.digits() == 4 {
		a, b = b, a
	}
	if a.digits() != 4 || a.val < 1900 || a.val >= 2200 || b.digits() > 2 || b.val < 1 || b.val > 12 || p.glueAfter(end) {
		return node{}, false
	}
	return p.place(i, end, float{year: a.val, month: time.Month(b.val)})
}

// namedMonth reads 2019-sep-1 and 05-Aug-2016.
func (p *parser) namedMonth(i, j int) (node, bool) {
	m, ok := monthNames[p.tok(j+2).text]
	last := p.tok(j + 4)
	if !ok || p.tok(j+3).text != p.tok(j+1).text || last.kind != number {
		return node{}, false
	}
	y, d := p.tok(j).val, last.val
	if last.digits() == 4 || p.tok(j).digits() != 4 {
		y, d = d, y
	}
	return p.placeValid(i, j+5, p.fullYear(y), int(m), d)
}

// twoNumbers reads 4/22 and 22/04, and with a preposition 4.22 and 4-22. A
// fraction, a score and "24/7" are none.
func (p *parser) twoNumbers(i, j int, sep string) (node, bool) {
	a, b := p.tok(j), p.tok(j+2)
	introduced := p.is(i-1, "on", "by", "until", "till", "since", "from", "before", "after", "between", "for") || j > i
	if sep != "/" && j <= i && (!p.is(i-1, "on", "in") || !p.function(j+3)) || a.val == 24 && b.val == 7 || a.digits() > 2 || b.digits() > 2 {
		return node{}, false
	}
	if a.val < b.val && slices.Contains([]int{2, 3, 4, 5, 6, 8, 10}, b.val) && !introduced {
		return node{}, false
	}
	if !introduced && p.is(j+3, "of", "cup", "cups", "inch", "inches") || a.val == b.val && !introduced && p.tok(j+3).kind != number && !p.is(j+3, ",") {
		return node{}, false
	}
	f := float{month: time.Month(a.val), day: b.val}
	if a.val > 12 {
		f = float{month: time.Month(b.val), day: a.val}
	}
	if !validDate(2024, f.month, f.day) {
		return node{}, false
	}
	if day, fits := p.onWeekday(i, f); sep == "-" && j > i && (!fits || day.Sub(p.today).Abs() > 370*24*time.Hour) {
		return node{}, false // "Monday 3-8" are hours
	}
	if y, end := p.yearNumber(j + 3); y != 0 && p.is(j+3, ",") {
		f.year = y
		return p.placeValid(i, end, y, int(f.month), f.day)
	}
	return p.place(i, j+3, f)
}
