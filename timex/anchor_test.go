package timex_test

import (
	"testing"
	"time"

	"daybook"
	"daybook/timex"
)

func TestAnchor(t *testing.T) {
	for _, c := range []struct {
		text, words, want string
		relation          timex.Relation
	}{
		{"Hey! It's been a couple of days since we talked. Something happened last Friday.", "last Friday", "2023-06-02..2023-06-03", timex.Before},
		{"I just opened my own shop!", "", "2023-06-09..2023-06-10", timex.During},
		{"I've been playing the violin for about four months now.", "about four months", "2023-02-01..", timex.During},
		{"Seven years now, and I still love it.", "Seven years", "2016-01-01..", timex.During},
		{"This year has been wild. We moved in March.", "March", "2023-03-01..2023-04-01", timex.Before},
		{"We're off to Ireland next month.", "next month", "2023-07-01..2023-08-01", timex.After},
		{"Things have been hectic lately. I launched a campaign.", "", "2023-06-09..2023-06-10", timex.During},
		{"I swim every Tuesday, and yesterday I won.", "yesterday", "2023-06-08..2023-06-09", timex.Before},
		{"I have lived here since 2016.", "since 2016", "2016-01-01..", timex.During},
	} {
		a := timex.Anchor(c.text, ref)
		if a.Expr.Text != c.words || show(a.Span) != c.want || a.Relation != c.relation {
			t.Errorf("%q: got %q %s %s, want %q %s %s", c.text, a.Expr.Text, show(a.Span), a.Relation, c.words, c.want, c.relation)
		}
	}
	if a := timex.Anchor("Nothing here", ref); a.Span.Known != daybook.Spoken {
		t.Errorf("an utterance without a time is known as %s", a.Span.Known)
	}
}

func TestSay(t *testing.T) {
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		from, until time.Time
		g           daybook.Granularity
		want        string
	}{
		{day(2023, 5, 7), day(2023, 5, 8), daybook.Day, "7 May 2023"},
		{day(2023, 5, 1), day(2023, 6, 1), daybook.Month, "May 2023"},
		{day(2022, 1, 1), day(2023, 1, 1), daybook.Year, "2022"},
		{day(2023, 6, 2), day(2023, 6, 9), daybook.Week, "the week before 9 June 2023"},
		{day(2023, 5, 29), day(2023, 6, 5), daybook.Week, "the week of 29 May 2023"},
		{day(2023, 7, 15), day(2023, 7, 17), daybook.Day, "the weekend of 15 July 2023"},
		{day(2022, 3, 1), day(2022, 6, 1), daybook.Season, "spring 2022"},
		{day(1990, 1, 1), day(2000, 1, 1), daybook.Decade, "the 1990s"},
		{day(2016, 1, 1), time.Time{}, daybook.Year, "since 2016"},
		{time.Time{}, day(2023, 6, 1), daybook.Month, "until June 2023"},
		{day(2023, 5, 3), day(2023, 5, 8), daybook.Day, "from 3 to 7 May 2023"},
		{day(2014, 1, 1), day(2019, 1, 1), daybook.Year, "from 2014 to 2018"},
	} {
		s := daybook.Span{From: c.from, Until: c.until, Granularity: c.g}
		got := timex.Say(s)
		if got != c.want {
			t.Errorf("%s: said %q, want %q", show(s), got, c.want)
			continue
		}
		found := timex.Find(got, ref)
		if len(found) != 1 || show(found[0].Span) != show(s) {
			t.Errorf("%q is read back as %v", got, found)
		}
	}
	if got := timex.Say(daybook.Span{}); got != "at an unknown time" {
		t.Errorf("said %q", got)
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]timex.Duration{
		"for three years":          {Years: 3},
		"for a year and a half":    {Years: 1, Months: 6},
		"for 2 hours 30 minutes":   {Hours: 2, Minutes: 30},
		"for half an hour":         {Minutes: 30},
		"for a fortnight":          {Weeks: 2},
		"for 1 month and 21 days":  {Months: 1, Days: 21},
		"for the past three weeks": {Weeks: 3},
		"for two decades":          {Years: 20},
	} {
		found := timex.Find(text, ref)
		if len(found) != 1 || found[0].Duration != want {
			t.Errorf("%q: %v", text, found)
		}
	}
	d := timex.Duration{Years: 1, Days: 2}
	if got := d.Before(d.From(ref)); !got.Equal(ref) {
		t.Errorf("there and back is %s", got)
	}
}

func TestFrequencyUnit(t *testing.T) {
	for text, want := range map[string]string{"every other week": "week", "three times a month": "month", "on Mondays": "week", "each year": "year", "every morning": "day"} {
		if found := timex.Find(text, ref); len(found) != 1 || found[0].Unit != want {
			t.Errorf("%q: %v", text, found)
		}
	}
}
