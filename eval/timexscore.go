package eval

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"daybook/timex"
)

// TimexReport says how many of the specs' expressions of time were read as the
// specs want.
type TimexReport struct {
	// Files and Types are the score per spec file and per type of result:
	// date, daterange, datetime.
	Files, Types map[string]TimexTally
	All          TimexTally
	// Silence counts the inputs in which nothing should be found.
	Silence TimexTally
	// Excluded counts the results that are not scored, by reason.
	Excluded map[string]int
	Missed   []TimexMiss
}

// TimexTally is a number of cases and how many were right.
type TimexTally struct{ N, Right int }

// Share is the part that was right.
func (t TimexTally) Share() float64 { return float64(t.Right) / float64(max(t.N, 1)) }

func (t TimexTally) with(right bool) TimexTally {
	t.N++
	t.Right += int(one(right))
	return t
}

// TimexMiss is a case that was not read as the specs want.
type TimexMiss struct {
	File, Input, Text, Type string
	Number                  int
	Want                    []string
	Got                     []timex.Expr
}

// timexFiles are the spec files that are scored. Extractors give no values; the
// files of a mode ("calendar", "tasks") and of the experimental and complex
// calendars want what only that mode does; zones, sets, durations and times of
// day are other types.
var timexFiles = []string{"DateParser", "DatePeriodParser", "DateTimeParser", "DateTimeModel", "MergedParser", "HolidayParser"}

// timexTypes are the types of result that are scored.
var timexTypes = []string{"date", "daterange", "datetime"}

// ScoreTimex reads every input and compares the results of the types date,
// daterange and datetime. A result is right when an expression that overlaps its
// place has the value of one of its readings:
//
//   - a date: the same day. An expression coarser than a day ("two years ago") must
//     point to it (Expr.At);
//   - a datetime: the same second;
//   - a daterange: the same first day, and the same end. The specs end "from 4 to 22"
//     where its last member begins, timex where it is over; both ends count. A
//     range open at one end must be open; "after 1 January" may begin on that
//     day, as in the specs, or when it is over.
//
// Where a spec has a reading in the past and one in the future, either is right.
func ScoreTimex(specs []TimeSpec) TimexReport {
	r := TimexReport{Files: map[string]TimexTally{}, Types: map[string]TimexTally{}, Excluded: map[string]int{}}
	for _, s := range specs {
		if !slices.Contains(timexFiles, s.File) {
			r.Excluded["file of another type or mode"] += max(len(s.Results), 1)
			continue
		}
		found := timex.Find(s.Input, cmp.Or(s.Reference, time.Date(2016, 11, 7, 0, 0, 0, 0, time.UTC)))
		if len(s.Results) == 0 {
			r.silence(s, found)
			continue
		}
		for _, want := range s.Results {
			r.score(s, want, found)
		}
	}
	return r
}

func (r *TimexReport) silence(s TimeSpec, found []timex.Expr) {
	if s.File != "DateTimeModel" && s.File != "MergedParser" {
		r.Excluded["nothing wanted, of one type only"]++
		return
	}
	r.Silence = r.Silence.with(len(found) == 0)
	if len(found) > 0 {
		r.Missed = append(r.Missed, TimexMiss{File: s.File, Number: s.Number, Input: s.Input, Type: "silence", Got: found})
	}
}

func (r *TimexReport) score(s TimeSpec, want TimeResult, found []timex.Expr) {
	kind := want.Type[strings.LastIndexByte(want.Type, '.')+1:]
	readings := timexReadings(want)
	if why := timexExcluded(s, kind, readings); why != "" {
		r.Excluded[why]++
		return
	}
	start, end := byteRange(s.Input, want.Start, want.Length)
	right := slices.ContainsFunc(found, func(e timex.Expr) bool {
		return e.Start < end && e.End > start && slices.ContainsFunc(readings, func(v timexReading) bool { return v.matches(e) })
	})
	r.Files[s.File], r.Types[kind] = r.Files[s.File].with(right), r.Types[kind].with(right)
	r.All = r.All.with(right)
	if right {
		return
	}
	m := TimexMiss{File: s.File, Number: s.Number, Input: s.Input, Text: want.Text, Type: kind, Got: found}
	for _, v := range readings {
		m.Want = append(m.Want, v.value+v.from+".."+v.until)
	}
	r.Missed = append(r.Missed, m)
}

// timexExcluded says why a result is not scored; "" where it is.
func timexExcluded(s TimeSpec, kind string, readings []timexReading) string {
	switch {
	case !slices.Contains(timexTypes, kind):
		return "type " + kind
	case s.Reference.IsZero():
		return "no reference time"
	case len(readings) == 0:
		return "no value wanted"
	}
	return ""
}

// byteRange turns a place in UTF-16 units into bytes.
func byteRange(text string, start, length int) (int, int) {
	from, to, at := len(text), len(text), 0
	for i, r := range text {
		if at >= start && i < from {
			from = i
		}
		if at >= start+length {
			to = i
			break
		}
		at += utf16.RuneLen(r)
	}
	return from, to
}

// timexReading is a value that a spec accepts: an instant, or a range.
type timexReading struct{ value, from, until string }

func timexReadings(r TimeResult) []timexReading {
	var out []timexReading
	add := func(m map[string]string) {
		v := timexReading{
			value: cmp.Or(m["value"], m["date"], m["dateTime"]),
			from:  cmp.Or(m["start"], m["startDate"], m["startDateTime"]),
			until: cmp.Or(m["end"], m["endDate"], m["endDateTime"]),
		}
		if v == (timexReading{}) || v.value == "not resolved" || strings.HasPrefix(cmp.Or(v.value, v.from, v.until), "0001-01-01") {
			return
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, m := range r.Values {
		add(m)
	}
	add(r.Future)
	add(r.Past)
	return out
}

const (
	timexDay    = "2006-01-02"
	timexSecond = "2006-01-02 15:04:05"
)

func (v timexReading) matches(e timex.Expr) bool {
	if v.value != "" {
		at := e.Span.From
		if !e.At.IsZero() {
			at = e.At
		}
		if len(v.value) == len(timexDay) {
			return at.Format(timexDay) == v.value && (!e.At.IsZero() || e.Span.Until.Sub(at) <= 25*time.Hour)
		}
		return at.Format(timexSecond) == v.value
	}
	return v.matchesFrom(e) && v.matchesUntil(e)
}

func (v timexReading) matchesFrom(e timex.Expr) bool {
	if v.from == "" || e.Span.From.IsZero() {
		return v.from == "" && e.Span.From.IsZero()
	}
	if strings.HasPrefix(e.Span.From.Format(timexSecond), v.from) {
		return true
	}
	return v.until == "" && strings.HasPrefix(e.Span.From.AddDate(0, 0, -1).Format(timexSecond), v.from)
}

// matchesUntil accepts the end itself and the end of the day, week, month, quarter or year
// that begins there.
func (v timexReading) matchesUntil(e timex.Expr) bool {
	if v.until == "" || e.Span.Until.IsZero() {
		return v.until == "" && e.Span.Until.IsZero()
	}
	if strings.HasPrefix(e.Span.Until.Format(timexSecond), v.until) {
		return true
	}
	want, err := time.ParseInLocation(timexDay, v.until[:min(len(v.until), len(timexDay))], e.Span.Until.Location())
	if err != nil || e.Kind != timex.Range {
		return false
	}
	u := e.Span.Until
	return u.Equal(want.AddDate(0, 0, 1)) || u.Equal(want.AddDate(0, 0, 7)) || u.Equal(want.AddDate(0, 1, 0)) || u.Equal(want.AddDate(0, 3, 0)) || u.Equal(want.AddDate(1, 0, 0))
}
