package daybook

import (
	"fmt"
	"strings"
	"time"
)

// Span is valid time: the interval [From, Until) in which something held in the
// world. A zero From means that the beginning is not known, a zero Until that no
// end is known.
type Span struct {
	From        time.Time   `json:"from,omitzero"`
	Until       time.Time   `json:"until,omitzero"`
	Granularity Granularity `json:"granularity,omitzero"` // of From, or of Until when From is not known
	Known       Known       `json:"known,omitzero"`
}

// Holds reports whether t lies in the span.
func (s Span) Holds(t time.Time) bool {
	return !t.Before(s.From) && (s.Until.IsZero() || t.Before(s.Until))
}

// Validate reports whether the span's end lies after its beginning.
func (s Span) Validate() error {
	if !s.From.IsZero() && !s.Until.IsZero() && !s.From.Before(s.Until) {
		return Errorf(Invalid, "valid time ends (%s) before it begins (%s)",
			s.Until.Format(time.RFC3339), s.From.Format(time.RFC3339))
	}
	return checkYears(s.From, s.Until)
}

// ParseSpan reads both ends of a span as people write them. Either may be empty.
func ParseSpan(from, until string) (s Span, err error) {
	if until != "" {
		if s.Until, s.Granularity, err = ParseTime(until); err != nil {
			return s, err
		}
		s.Known = Stated
	}
	if from != "" {
		if s.From, s.Granularity, err = ParseTime(from); err != nil {
			return s, err
		}
		s.Known = Stated
	}
	return s, nil
}

func checkYears(times ...time.Time) error {
	for _, t := range times {
		if y := t.UTC().Year(); y < 0 || y > 9999 {
			return Errorf(Invalid, "year %d is outside 0000–9999", y)
		}
	}
	return nil
}

// Known says how a valid time is known.
type Known string

// The ways of knowing a valid time, surest first.
const (
	Stated   Known = "stated"   // given as such by the caller or the text
	Resolved Known = "resolved" // worked out from words such as "last spring"
	Spoken   Known = "spoken"   // the time of the note that says so
	Assumed  Known = "assumed"  // nothing said when; the time of recording stands in
)

// Granularity says how fine a time is: "2024" is a Year, "2024-03-05" a Day.
type Granularity string

// Granularities, finest first. The zero value means an exact instant.
const (
	Instant Granularity = ""
	Minute  Granularity = "minute"
	Hour    Granularity = "hour"
	Day     Granularity = "day"
	Week    Granularity = "week"
	Month   Granularity = "month"
	Season  Granularity = "season"
	Year    Granularity = "year"
	Decade  Granularity = "decade"
)

// End returns the first instant after the granule that begins at t: the next
// midnight for a Day, the next January for a Year.
func (g Granularity) End(t time.Time) time.Time {
	switch g {
	case Minute:
		return t.Add(time.Minute)
	case Hour:
		return t.Add(time.Hour)
	case Day:
		return t.AddDate(0, 0, 1)
	case Week:
		return t.AddDate(0, 0, 7)
	case Month:
		return t.AddDate(0, 1, 0)
	case Season:
		return t.AddDate(0, 3, 0)
	case Year:
		return t.AddDate(1, 0, 0)
	case Decade:
		return t.AddDate(10, 0, 0)
	}
	return t
}

// Format shows t as finely as the granularity allows and no finer.
func (g Granularity) Format(t time.Time) string {
	switch g {
	case Day, Week:
		return t.Format("2006-01-02")
	case Month, Season:
		return t.Format("2006-01")
	case Year, Decade:
		return t.Format("2006")
	case Minute, Hour:
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("2006-01-02 15:04:05")
}

// formatEnd shows the end of a span whose beginning has the granularity. The end
// may be finer: it often comes from another fact.
func (g Granularity) formatEnd(t time.Time) string {
	midnight := t.Equal(t.Truncate(24 * time.Hour))
	switch {
	case g == Instant || g == Minute || g == Hour:
		return g.Format(t)
	case !midnight:
		return Instant.Format(t)
	case (g == Year || g == Decade) && t.YearDay() == 1, (g == Month || g == Season) && t.Day() == 1:
		return g.Format(t)
	}
	return Day.Format(t)
}

// layouts that ParseTime reads. Those without a zone are read as UTC.
var layouts = []struct {
	layout      string
	granularity Granularity
}{
	{time.RFC3339Nano, Instant},
	{"2006-01-02 15:04:05Z07:00", Instant},
	{"2006-01-02T15:04:05", Instant},
	{"2006-01-02 15:04:05", Instant},
	{"2006-01-02T15:04", Minute},
	{"2006-01-02 15:04", Minute},
	{"2006-01-02", Day},
	{"2006-01", Month},
	{"2006", Year},
}

// ParseTime reads a written time and how fine it is. It takes RFC 3339, a date
// with or without a clock time, a month or a year; words such as "yesterday"
// are not its business.
func ParseTime(s string) (time.Time, Granularity, error) {
	s = strings.TrimSpace(s)
	for _, l := range layouts {
		t, err := time.Parse(l.layout, s)
		if err != nil {
			continue
		}
		t = t.UTC()
		if t.IsZero() {
			return time.Time{}, "", Errorf(Invalid, "time %q cannot be told from \"not known\"; use another instant", s)
		}
		return t, l.granularity, checkYears(t)
	}
	return time.Time{}, "", Errorf(Invalid, "time %q is not written like 2026-05-01T10:00:00Z, 2026-05-01 10:00, 2026-05-01, 2026-05 or 2026", cut(s, 60))
}

// ParseAsOf reads a time to look back from. A coarse time stands for its last
// instant, so that as-of "2026-05-01" shows the state at the end of that day.
func ParseAsOf(s string) (time.Time, error) {
	t, g, err := ParseTime(s)
	if err != nil || g == Instant {
		return t, err
	}
	return g.End(t).Add(-time.Microsecond), nil
}

// String shows the span for people: "2020 – 2023-05", "since 2024-01-02".
func (s Span) String() string {
	from, until := s.Granularity.Format(s.From), s.Granularity.formatEnd(s.Until)
	switch {
	case s.From.IsZero() && s.Until.IsZero():
		return "at an unknown time"
	case s.Until.IsZero():
		return "since " + from
	case s.From.IsZero():
		return "until " + until
	}
	return fmt.Sprintf("%s – %s", from, until)
}

// cut shortens s to about n bytes for an error message.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
