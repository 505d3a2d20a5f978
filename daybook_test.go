package daybook_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"daybook"
)

func TestKindOf(t *testing.T) {
	base := errors.New("base")
	wrapped := fmt.Errorf("outer: %w", daybook.Errorf(daybook.Conflict, "inner: %w", base))
	if daybook.KindOf(wrapped) != daybook.Conflict || !errors.Is(wrapped, base) || wrapped.Error() != "outer: inner: base" {
		t.Errorf("%v has kind %v", wrapped, daybook.KindOf(wrapped))
	}
	if daybook.KindOf(base) != daybook.Internal {
		t.Error("an error without a kind is not Internal")
	}
}

func TestNames(t *testing.T) {
	for _, c := range [][2]string{
		{"  Ada   LOVELACE ", "ada lovelace"},
		{"ﬁancé", "fiancé"},
		{"Ｔｏｋｙｏ", "tokyo"},
	} {
		if got := daybook.Fold(c[0]); got != c[1] {
			t.Errorf("Fold(%q) = %q, want %q", c[0], got, c[1])
		}
	}
	for _, r := range []string{"lives_in", "Lives in", "lives-in", " LIVES__IN "} {
		if got := daybook.FoldRelation(r); got != "lives_in" {
			t.Errorf("FoldRelation(%q) = %q", r, got)
		}
	}
	if daybook.EntityNamed("Ada") != daybook.EntityNamed(" ada") || daybook.EntityNamed("Ada") == daybook.EntityNamed("Bo") {
		t.Error("entities are not told apart by folded name")
	}
}

func TestParseTime(t *testing.T) {
	for _, c := range []struct {
		in, want string
		g        daybook.Granularity
	}{
		{"2026-05-01T10:00:00+02:00", "2026-05-01T08:00:00Z", daybook.Instant},
		{"2026-05-01T10:00:00.123456Z", "2026-05-01T10:00:00.123456Z", daybook.Instant},
		{"2026-05-01 10:00", "2026-05-01T10:00:00Z", daybook.Minute},
		{"2026-05-01", "2026-05-01T00:00:00Z", daybook.Day},
		{"2026-05", "2026-05-01T00:00:00Z", daybook.Month},
		{" 2026 ", "2026-01-01T00:00:00Z", daybook.Year},
		{"0000-01-01", "0000-01-01T00:00:00Z", daybook.Day},
		{"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", daybook.Instant},
	} {
		got, g, err := daybook.ParseTime(c.in)
		if err != nil || got.Format(time.RFC3339Nano) != c.want || g != c.g {
			t.Errorf("ParseTime(%q) = %v %q %v; want %s %q", c.in, got, g, err, c.want, c.g)
		}
	}
	for _, bad := range []string{
		"", "yesterday", "2026-13-01", "2026-02-30", "12:00", "2026-05-01T10:00:00 Mars/Olympus", "2026-05-01T25:00:00Z",
		"10000-01-01", "-001-01-01", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-05:00", strings.Repeat("9", 1000),
	} {
		if got, _, err := daybook.ParseTime(bad); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("ParseTime(%q) = %v, %v; want Invalid", bad, got, err)
		}
	}
}

func TestParseAsOf(t *testing.T) {
	for _, c := range [][2]string{
		{"2026-05-01T10:00:00Z", "2026-05-01T10:00:00Z"},
		{"2026-05-01", "2026-05-01T23:59:59.999999Z"},
		{"2024-02", "2024-02-29T23:59:59.999999Z"},
		{"2024", "2024-12-31T23:59:59.999999Z"},
	} {
		got, err := daybook.ParseAsOf(c[0])
		if err != nil || got.Format(time.RFC3339Nano) != c[1] {
			t.Errorf("ParseAsOf(%q) = %v, %v; want %s", c[0], got, err, c[1])
		}
	}
}

func TestSpan(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 5, d, 0, 0, 0, 0, time.UTC) }
	s := daybook.Span{From: day(2), Until: day(4), Granularity: daybook.Day}
	for d, want := range map[int]bool{1: false, 2: true, 3: true, 4: false} {
		if s.Holds(day(d)) != want {
			t.Errorf("Holds(day %d) = %v", d, !want)
		}
	}
	if !(daybook.Span{}).Holds(day(1)) {
		t.Error("a span without ends does not hold")
	}
	for span, want := range map[daybook.Span]string{
		{}:             "at an unknown time",
		s:              "2026-05-02 – 2026-05-04",
		{From: day(1)}: "since 2026-05-01 00:00:00",
		{From: day(1), Granularity: daybook.Year}: "since 2026",
		{Until: day(1), Granularity: daybook.Day}: "until 2026-05-01",
	} {
		if got := span.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
	if err := (daybook.Span{From: day(2), Until: day(2)}).Validate(); daybook.KindOf(err) != daybook.Invalid {
		t.Errorf("an empty span is %v", err)
	}
}

func TestNoteIDs(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a := daybook.Note{Text: "x", Time: at}
	if again := (daybook.Note{Text: "x", Time: at.In(time.FixedZone("", 3600))}); again.Named().ID != a.Named().ID {
		t.Error("the same note has two ids")
	}
	for _, other := range []daybook.Note{
		{Text: "y", Time: at}, {Text: "x", Time: at.Add(1)}, {Text: "x", Time: at, Speaker: "s"},
		{Text: "x", Time: at, Session: "s"}, {Text: "x", Time: at, SourceID: "s"},
	} {
		if other.Named().ID == a.Named().ID {
			t.Errorf("%+v has the id of %+v", other, a)
		}
	}
	b := daybook.Note{Text: "x", Time: at, SourceID: "i"}
	c := daybook.Note{Text: "other", Time: at, SourceID: "i"}
	if b.Named().ID != c.Named().ID {
		t.Error("the caller's id does not decide")
	}
}

func TestValidateText(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, n := range []daybook.Note{
		{Time: at}, {Text: "x"}, {Text: "a\x00b", Time: at}, {Text: "a\xffb", Time: at},
		{Text: strings.Repeat("x", daybook.MaxText+1), Time: at}, {Text: "x", Time: at, SourceID: strings.Repeat("x", daybook.MaxName+1)},
		{Text: "x", Time: at, Speaker: "\xc3"}, {Text: "x", Time: time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Text: "x", Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if err := n.Validate(); daybook.KindOf(err) != daybook.Invalid {
			t.Errorf("note %.40q: %v, want Invalid", n.Text, err)
		}
	}
	if err := (daybook.Note{Text: strings.Repeat("x", 10<<20), Time: at}).Validate(); err != nil {
		t.Errorf("10 MB of text: %v", err)
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-05-01T10:00:00Z", "2026-05", "0000-01-01", "9999-12-31T23:59:59+14:00", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, _, err := daybook.ParseTime(s)
		if err != nil {
			if daybook.KindOf(err) != daybook.Invalid {
				t.Errorf("kind %v", daybook.KindOf(err))
			}
			return
		}
		if y := got.Year(); y < 0 || y > 9999 || got.IsZero() {
			t.Errorf("ParseTime(%q) = %v", s, got)
		}
		again, _, err := daybook.ParseTime(got.Format(time.RFC3339Nano))
		if err != nil || !again.Equal(got) {
			t.Errorf("%q → %v → %v, %v", s, got, again, err)
		}
	})
}
