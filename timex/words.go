package timex

import (
	"time"

	"daybook"
)

// unit is a word that time is counted in.
type unit int

const (
	noUnit unit = iota
	seconds
	minutes
	hours
	days
	weeks
	months
	years
	fortnights
	weekends
	quarters
	decades
	centuries
	workdays
)

// granularity is the one that something counted in the unit is known to.
func (u unit) granularity() daybook.Granularity {
	switch u {
	case seconds:
		return daybook.Instant
	case minutes:
		return daybook.Minute
	case hours:
		return daybook.Hour
	case weeks, fortnights:
		return daybook.Week
	case months:
		return daybook.Month
	case quarters:
		return daybook.Season
	case years:
		return daybook.Year
	case decades, centuries:
		return daybook.Decade
	}
	return daybook.Day
}

// String is the unit's name in the singular.
func (u unit) String() string {
	return [...]string{"", "second", "minute", "hour", "day", "week", "month", "year", "fortnight",
		"weekend", "quarter", "decade", "century", "workday"}[u]
}

var units = map[string]unit{
	"second": seconds, "seconds": seconds, "sec": seconds, "secs": seconds,
	"minute": minutes, "minutes": minutes, "min": minutes, "mins": minutes,
	"hour": hours, "hours": hours, "hr": hours, "hrs": hours, "h": hours,
	"day": days, "days": days, "night": days, "nights": days,
	"week": weeks, "weeks": weeks, "wk": weeks, "wks": weeks,
	"month": months, "months": months, "mo": months, "mos": months,
	"year": years, "years": years, "yr": years, "yrs": years,
	"fortnight": fortnights, "fortnights": fortnights,
	"weekend": weekends, "weekends": weekends,
	"quarter": quarters, "quarters": quarters,
	"decade": decades, "decades": decades,
	"century": centuries, "centuries": centuries,
	"workday": workdays, "workdays": workdays, "weekday": workdays, "weekdays": workdays,
}

var monthNames = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
	"september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

var weekdayNames = map[string]time.Weekday{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 0,
	"mon": 1, "tue": 2, "tues": 2, "wed": 3, "weds": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6, "sun": 0,
}

var weekdayPlurals = map[string]time.Weekday{
	"mondays": 1, "tuesdays": 2, "wednesdays": 3, "thursdays": 4, "fridays": 5, "saturdays": 6, "sundays": 0,
}

// seasonStart is the month that a season begins in.
var seasonStart = map[string]time.Month{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

var smallNumbers = map[string]int{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
	"nineteen": 19,
}

var tens = map[string]int{
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

var ordinalWords = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
	"tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
	"seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}

var decadeWords = map[string]int{
	"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90,
	"tens": 10,
}

// partHours are the hours that a part of the day lasts from and to.
var partHours = map[string][2]int{
	"morning": {6, 12}, "mornings": {6, 12}, "afternoon": {12, 18}, "afternoons": {12, 18}, "evening": {18, 22}, "evenings": {18, 22},
	"night": {20, 24}, "nights": {20, 24}, "lunchtime": {12, 14}, "dinnertime": {18, 20}, "dawn": {5, 7}, "dusk": {18, 20},
	"daytime": {8, 18},
}

// shift of a determiner: which unit, counted from the reference's.
var shifts = map[string]int{
	"last": -1, "past": -1, "previous": -1, "prior": -1,
	"this": 0, "current": 0, "present": 0,
	"next": 1, "coming": 1, "upcoming": 1, "following": 1,
}
