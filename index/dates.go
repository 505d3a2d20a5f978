package index

import "strings"

// appendTimes adds the dates and times of day that the words of a text name. Both
// readings of a date like 5/7/2023 are added, for either may be meant.
func appendTimes(out []string, ws []word) []string {
	for i := range ws {
		rest := ws[i:]
		switch {
		case ws[i].number >= 0:
			out = appendCompound(out, rest)
			out = appendNumericDate(out, rest)
			out = appendDayMonth(out, rest)
			out = appendClock(out, rest)
		case monthOf(ws[i]) > 0 && !dayBefore(ws[:i]):
			out = appendMonthDay(out, rest)
		default:
			out = appendShortClock(out, rest[0])
			out = appendDotted(out, rest[0])
		}
	}
	return out
}

// appendCompound reads twenty-five.
func appendCompound(out []string, ws []word) []string {
	tens := ws[0].number
	if len(ws) < 2 || ws[0].after != '-' || tens < 20 || tens > 90 || tens%10 > 0 || ws[1].number < 1 || ws[1].number > 9 || ws[0].folded[0] <= '9' {
		return out
	}
	return append(out, itoa(tens+ws[1].number))
}

// appendDotted reads 7.5.2023, which is one word, the day first.
func appendDotted(out []string, w word) []string {
	if w.folded[0] > '9' || strings.Count(w.folded, ".") != 2 {
		return out
	}
	var n [3]int
	for i, digits := range strings.Split(w.folded, ".") {
		if len(digits) > 4 || strings.Trim(digits, "0123456789") != "" {
			return out
		}
		for _, d := range digits {
			n[i] = 10*n[i] + int(d-'0')
		}
	}
	if !isYear(n[2]) {
		return out
	}
	return appendDate(out, n[2], n[1], n[0])
}

// appendNumericDate reads 2023-05-07 and 7/5/2023.
func appendNumericDate(out []string, ws []word) []string {
	if len(ws) < 3 || ws[1].number < 0 || ws[2].number < 0 || ws[0].after != ws[1].after || ws[0].after != '-' && ws[0].after != '/' {
		return out
	}
	a, b, c := ws[0].number, ws[1].number, ws[2].number
	if isYear(a) {
		return appendDate(out, a, b, c)
	}
	if !isYear(c) {
		return out
	}
	out = appendDate(out, c, a, b)
	if a != b {
		out = appendDate(out, c, b, a)
	}
	return out
}

// appendDayMonth reads 7 May 2023, 7th of May.
func appendDayMonth(out []string, ws []word) []string {
	at := 1
	if len(ws) > 2 && ws[1].folded == "of" {
		at = 2
	}
	if len(ws) <= at || monthOf(ws[at]) == 0 || !ws[at-1].joined {
		return out
	}
	return appendDate(out, yearAfter(ws, at), monthOf(ws[at]), ws[0].number)
}

// appendMonthDay reads May 7, 2023, May 7th and May 2023.
func appendMonthDay(out []string, ws []word) []string {
	if len(ws) < 2 || ws[1].number < 0 || !ws[0].joined && ws[0].after != '.' && ws[0].after != ',' {
		return out
	}
	if isYear(ws[1].number) {
		return append(out, "@"+itoa(ws[1].number)+"-"+two(monthOf(ws[0])))
	}
	return appendDate(out, yearAfter(ws, 1), monthOf(ws[0]), ws[1].number)
}

// dayBefore reports whether words end in what may be the day of a month, with "of"
// or without.
func dayBefore(ws []word) bool {
	if n := len(ws); n > 0 && ws[n-1].folded == "of" {
		ws = ws[:n-1]
	}
	n := len(ws)
	return n > 0 && ws[n-1].joined && ws[n-1].number >= 1 && ws[n-1].number <= 31
}

// yearAfter is the year that follows the word at a place, or 0.
func yearAfter(ws []word, at int) int {
	if at+1 < len(ws) && isYear(ws[at+1].number) && (ws[at].joined || ws[at].after == ',') {
		return ws[at+1].number
	}
	return 0
}

func isYear(n int) bool { return n >= 1000 && n < 3000 }

// appendDate adds a date if there is such a day; a year of 0 is not known.
func appendDate(out []string, year, month, day int) []string {
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return out
	}
	if year > 0 {
		y := "@" + itoa(year) + "-" + two(month)
		out = append(out, y+"-"+two(day), y)
	}
	return append(out, "@"+two(month)+"-"+two(day))
}

// appendClock reads 3 pm, 3:30 pm and 15:30.
func appendClock(out []string, ws []word) []string {
	hour, minute, next, clock := ws[0].number, 0, 1, false
	if len(ws) > 1 && ws[0].after == ':' && ws[1].number >= 0 && ws[1].number < 60 && len(ws[1].folded) == 2 {
		minute, next, clock = ws[1].number, 2, true
	}
	if next < len(ws) && ws[next-1].joined {
		if h, ok := halfDay(hour, ws[next].folded); ok {
			return append(out, "@"+two(h)+":"+two(minute))
		}
		if next < len(ws)-1 && ws[next].after == '.' && ws[next+1].folded == "m" { // p.m.
			if h, ok := halfDay(hour, ws[next].folded+"m"); ok {
				return append(out, "@"+two(h)+":"+two(minute))
			}
		}
	}
	if clock && hour < 24 {
		out = append(out, "@"+two(hour)+":"+two(minute))
	}
	return out
}

// appendShortClock reads 3pm, and the minutes of 3:30pm as a time of their own.
func appendShortClock(out []string, w word) []string {
	s := w.folded
	if len(s) < 3 || len(s) > 4 || s[0] < '0' || s[0] > '9' {
		return out
	}
	hour := 0
	for _, c := range s[:len(s)-2] {
		if c < '0' || c > '9' {
			return out
		}
		hour = 10*hour + int(c-'0')
	}
	if h, ok := halfDay(hour, s[len(s)-2:]); ok {
		out = append(out, "@"+two(h)+":00")
	}
	return out
}

// halfDay is an hour of the day, of one given with am or pm.
func halfDay(hour int, half string) (int, bool) {
	if half != "am" && half != "pm" || hour < 1 || hour > 12 {
		return 0, false
	}
	hour %= 12
	if half == "pm" {
		hour += 12
	}
	return hour, true
}

// monthOf is the month that a word names, or 0. May is one only with a capital.
func monthOf(w word) int {
	if w.folded == "may" && !w.capital {
		return 0
	}
	return months[w.folded]
}
