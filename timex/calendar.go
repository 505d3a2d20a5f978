package timex

import (
	"time"

	"daybook"
)

func midnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// monday is the midnight that t's week begins at.
func monday(t time.Time) time.Time {
	return midnight(t).AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

// saturday is the one of t's week: where its weekend begins.
func saturday(t time.Time) time.Time { return monday(t).AddDate(0, 0, 5) }

// begin is the first instant of the unit that t lies in.
func (u unit) begin(t time.Time) time.Time {
	y, m, _ := t.Date()
	first := func(y int, m time.Month) time.Time { return time.Date(y, m, 1, 0, 0, 0, 0, t.Location()) }
	switch u {
	case seconds:
		return t.Truncate(time.Second)
	case minutes:
		return t.Truncate(time.Minute)
	case hours:
		return t.Truncate(time.Hour)
	case weeks, fortnights:
		return monday(t)
	case weekends:
		return saturday(t)
	case months:
		return first(y, m)
	case quarters:
		return first(y, (m-1)/3*3+1)
	case years:
		return first(y, 1)
	case decades:
		return first(floor(y, 10), 1)
	case centuries:
		return first(floor(y, 100), 1)
	}
	return midnight(t)
}

func floor(y, n int) int { return y - ((y%n)+n)%n }

// add moves t by n units. A month is not run over: 31 May and a month is 30 June.
func (u unit) add(t time.Time, n int) time.Time {
	switch u {
	case seconds:
		return t.Add(time.Duration(n) * time.Second)
	case minutes:
		return t.Add(time.Duration(n) * time.Minute)
	case hours:
		return t.Add(time.Duration(n) * time.Hour)
	case weeks, weekends:
		return t.AddDate(0, 0, 7*n)
	case fortnights:
		return t.AddDate(0, 0, 14*n)
	case months:
		return addMonths(t, n)
	case quarters:
		return addMonths(t, 3*n)
	case years:
		return addMonths(t, 12*n)
	case decades:
		return addMonths(t, 120*n)
	case centuries:
		return addMonths(t, 1200*n)
	case workdays:
		return addWorkdays(t, n)
	}
	return t.AddDate(0, 0, n)
}

func addMonths(t time.Time, n int) time.Time {
	moved := t.AddDate(0, n, 0)
	if moved.Day() != t.Day() {
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return moved
}

func addWorkdays(t time.Time, n int) time.Time {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	for n > 0 {
		t = t.AddDate(0, 0, step)
		if t.Weekday() != time.Saturday && t.Weekday() != time.Sunday {
			n--
		}
	}
	return t
}

// whole is the unit that t lies in, as a span.
func (u unit) whole(t time.Time) daybook.Span {
	from := u.begin(t)
	s := daybook.Span{From: from, Until: u.add(from, 1), Granularity: u.granularity(), Known: daybook.Resolved}
	if u == weekends {
		s.Until = from.AddDate(0, 0, 2)
	}
	return s
}

// nthWeekday is the nth such day at or after from; n below 0 counts back from
// until. It is zero where the span has no such day.
func nthWeekday(s daybook.Span, wd time.Weekday, n int) time.Time {
	var t time.Time
	if n > 0 {
		t = s.From.AddDate(0, 0, (int(wd)-int(s.From.Weekday())+7)%7+7*(n-1))
	} else {
		last := s.Until.AddDate(0, 0, -1)
		t = last.AddDate(0, 0, -(int(last.Weekday())-int(wd)+7)%7+7*(n+1))
	}
	if t.Before(s.From) || !t.Before(s.Until) {
		return time.Time{}
	}
	return t
}

// easter is Easter Sunday of the Gregorian calendar, by the rule of the epact.
func easter(year int, loc *time.Location) time.Time {
	golden, century := year%19, year/100
	epact := (century - century/4 - (8*century+13)/25 + 19*golden + 15) % 30
	epact -= (epact / 28) * (1 - (29/(epact+1))*((21-golden)/11))
	weekday := (year + year/4 + epact + 2 - century + century/4) % 7
	day := epact - weekday
	month := 3 + (day+40)/44
	return time.Date(year, time.Month(month), day+28-31*(month/4), 0, 0, 0, 0, loc)
}

func validDate(y int, m time.Month, d int) bool {
	return m >= 1 && m <= 12 && d >= 1 && d <= 31 && time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Day() == d
}
