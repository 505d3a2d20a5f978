package timex

import (
	"fmt"
	"time"

	"daybook"
)

// Say puts a span into words: "7 May 2023", "May 2023", "the week before 9 June
// 2023", "the weekend of 15 July 2023", "spring 2022", "the 1990s", "since 2016",
// "from 3 to 7 May 2023". Find reads most of what Say writes back to the same
// span.
func Say(s daybook.Span) string {
	switch {
	case s.From.IsZero() && s.Until.IsZero():
		return "at an unknown time"
	case s.Until.IsZero():
		return "since " + sayGranule(s.From, s.Granularity)
	case s.From.IsZero():
		return "until " + sayGranule(s.Until, endGranularity(s))
	}
	if words, ok := sayWhole(s); ok {
		return words
	}
	return sayRange(s)
}

// endGranularity is the one to show an end with: an end may be finer than the span
// says.
func endGranularity(s daybook.Span) daybook.Granularity {
	t := s.Until
	switch {
	case t != midnight(t):
		return daybook.Minute
	case s.Granularity == daybook.Year && t.YearDay() == 1, s.Granularity == daybook.Month && t.Day() == 1:
		return s.Granularity
	}
	return daybook.Day
}

// sayWhole names a span that is one calendar unit.
func sayWhole(s daybook.Span) (string, bool) {
	day := s.From.Format("2 January 2006")
	length := int(s.Until.Sub(s.From).Hours()+12) / 24
	switch {
	case s.From != midnight(s.From) || s.Until != midnight(s.Until):
		return "", false
	case s.Until.Equal(s.From.AddDate(0, 0, 1)):
		return day, true
	case length == 2 && s.From.Weekday() == time.Saturday:
		return "the weekend of " + day, true
	case length == 7 && s.From.Weekday() == time.Monday:
		return "the week of " + day, true
	case length == 7:
		return "the week before " + s.Until.Format("2 January 2006"), true
	case s.From.Day() == 1 && s.Until.Equal(s.From.AddDate(0, 1, 0)):
		return s.From.Format("January 2006"), true
	case s.From.YearDay() == 1 && s.Until.Equal(s.From.AddDate(1, 0, 0)):
		return s.From.Format("2006"), true
	case s.From.YearDay() == 1 && s.From.Year()%10 == 0 && s.Until.Equal(s.From.AddDate(10, 0, 0)):
		return "the " + s.From.Format("2006") + "s", true
	case s.From.Day() == 1 && s.Until.Equal(s.From.AddDate(0, 3, 0)):
		return saySeason(s.From), true
	}
	return "", false
}

func saySeason(from time.Time) string {
	switch from.Month() {
	case time.March:
		return "spring " + from.Format("2006")
	case time.June:
		return "summer " + from.Format("2006")
	case time.September:
		return "autumn " + from.Format("2006")
	case time.December:
		return "winter " + from.Format("2006")
	case time.January, time.April, time.July, time.October:
		return fmt.Sprintf("Q%d %s", (int(from.Month())+2)/3, from.Format("2006"))
	}
	return "from " + from.Format("January 2006") + " to " + from.AddDate(0, 2, 0).Format("January 2006")
}

func sayGranule(t time.Time, g daybook.Granularity) string {
	switch g {
	case daybook.Decade:
		if t.Year()%10 == 0 {
			return "the " + t.Format("2006") + "s"
		}
		return t.Format("2006")
	case daybook.Year:
		return t.Format("2006")
	case daybook.Season:
		return saySeason(t)
	case daybook.Month:
		return t.Format("January 2006")
	case daybook.Week, daybook.Day:
		return t.Format("2 January 2006")
	case daybook.Hour, daybook.Minute:
		return t.Format("15:04 on 2 January 2006")
	}
	return t.Format("15:04:05 on 2 January 2006")
}

// sayRange names a span by its ends. The last day is in it.
func sayRange(s daybook.Span) string {
	if s.From != midnight(s.From) || s.Until != midnight(s.Until) {
		return sayHours(s)
	}
	last := s.Until.AddDate(0, 0, -1)
	switch {
	case s.From.YearDay() == 1 && s.Until.YearDay() == 1:
		return "from " + s.From.Format("2006") + " to " + last.Format("2006")
	case s.From.Day() == 1 && s.Until.Day() == 1:
		return "from " + s.From.Format("January 2006") + " to " + last.Format("January 2006")
	case s.From.Year() == last.Year() && s.From.Month() == last.Month():
		return fmt.Sprintf("from %d to %s", s.From.Day(), last.Format("2 January 2006"))
	}
	return "from " + s.From.Format("2 January 2006") + " to " + last.Format("2 January 2006")
}

func sayHours(s daybook.Span) string {
	from := s.From.Format("15:04 on 2 January 2006")
	if within(s, time.Minute) {
		return from
	}
	if s.From.YearDay() == s.Until.Add(-time.Second).YearDay() && within(s, 24*time.Hour) {
		until := s.Until.Format("15:04")
		if until == "00:00" {
			until = "24:00"
		}
		if s.Granularity == daybook.Hour && within(s, time.Hour) {
			return from
		}
		return s.From.Format("15:04") + " to " + until + " on " + s.From.Format("2 January 2006")
	}
	return "from " + from + " to " + s.Until.Format("15:04 on 2 January 2006")
}
