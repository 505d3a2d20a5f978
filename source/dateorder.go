package source

import (
	"time"

	"daybook"
)

// waChat is what the whole of a chat says about each of its lines.
type waChat struct {
	style waStyle
	order DateOrder
}

// surveyChat reads the chat once to find its style and the order of its dates.
func (rd *reader) surveyChat() (waChat, error) {
	var headers []waHeader
	firstLine, begin := 0, rd.source.done
	for l, err := range rd.lines() {
		if err != nil {
			return waChat{}, err
		}
		h, ok := parseHeader(l.text)
		if !ok || len(headers) > 0 && h.style != headers[0].style {
			continue
		}
		if len(headers) == 0 {
			firstLine = l.number
		}
		h.rest = "" // only the date is wanted
		headers = append(headers, h)
	}
	rd.source.done = begin
	if len(headers) == 0 {
		return waChat{}, &BadRecord{Position{File: rd.file, Line: 1}, daybook.Errorf(daybook.Invalid,
			"no line begins a message as \"15/03/2024, 14:23 - Ana: …\" or \"[15/03/2024, 14:23:05] Ana: …\" does")}
	}
	chat := waChat{style: headers[0].style, order: rd.DateOrder}
	if chat.order == "" {
		chat.order = dateOrder(headers, rd.Now)
	}
	if chat.order == "" {
		return waChat{}, daybook.Errorf(daybook.Invalid,
			"%v: %s has two readings and nothing in the file decides between them; give --date-order dmy (day first) or --date-order mdy (month first)", rd.in(Position{Line: firstLine}), headers[0].raw)
	}
	return chat, nil
}

// dateOrder works out in which order dates are written, or returns "" when the
// file can be read both ways. A year of four digits in front is followed by the
// month, and dots come with the day first, everywhere. Else the order is the one
// in which more of the dates exist and are not in the future; if both do equally,
// the one in which the chat does not jump back in time.
func dateOrder(headers []waHeader, now time.Time) DateOrder {
	if headers[0].long {
		return YearMonthDay
	}
	if headers[0].style.separator == "." {
		return DayMonthYear
	}
	dmy, mdy := judgeOrder(headers, DayMonthYear, now), judgeOrder(headers, MonthDayYear, now)
	if dmy.impossible > 0 && mdy.impossible > 0 {
		if ymd := judgeOrder(headers, YearMonthDay, now); ymd.impossible == 0 {
			return YearMonthDay
		}
	}
	switch {
	case dmy.impossible != mdy.impossible:
		return either(dmy.impossible < mdy.impossible)
	case !dmy.differ: // 05/05/2024 in all of them
		return DayMonthYear
	case (dmy.backward == 0) != (mdy.backward == 0):
		return either(dmy.backward == 0)
	}
	return ""
}

func either(dayFirst bool) DateOrder {
	if dayFirst {
		return DayMonthYear
	}
	return MonthDayYear
}

// orderEvidence is what speaks against an order.
type orderEvidence struct {
	impossible int  // dates that do not exist, or lie in the future
	backward   int  // steps back by more than a day
	differ     bool // some date is another in the other order
}

func judgeOrder(headers []waHeader, order DateOrder, now time.Time) (e orderEvidence) {
	var last time.Time
	for _, h := range headers {
		e.differ = e.differ || h.date[0] != h.date[1]
		y, m, d, ok := h.day(order)
		t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
		if !ok || !now.IsZero() && t.After(now.AddDate(0, 0, 2)) {
			e.impossible++
			continue
		}
		if t.Before(last.AddDate(0, 0, -1)) {
			e.backward++
		}
		last = t
	}
	return e
}
