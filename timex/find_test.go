package timex_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/timex"
)

// ref is a Friday evening.
var ref = time.Date(2023, 6, 9, 19, 55, 0, 0, time.UTC)

func show(s daybook.Span) string {
	f := func(t time.Time) string {
		switch {
		case t.IsZero():
			return ""
		case t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0:
			return t.Format("2006-01-02")
		case t.Second() == 0:
			return t.Format("2006-01-02 15:04")
		}
		return t.Format("2006-01-02 15:04:05")
	}
	return f(s.From) + ".." + f(s.Until)
}

// TestFind reads one expression in each sentence. A trailing ~ says that it is
// approximate, a trailing ? that it is not resolved.
func TestFind(t *testing.T) {
	for _, c := range []struct{ text, words, want string }{
		// days
		{"I saw her yesterday at the pool.", "yesterday", "date 2023-06-08..2023-06-09"},
		{"We leave tomorrow.", "tomorrow", "date 2023-06-10..2023-06-11"},
		{"The day before yesterday it rained.", "The day before yesterday", "date 2023-06-07..2023-06-08"},
		{"He comes the day after tomorrow.", "the day after tomorrow", "date 2023-06-11..2023-06-12"},
		{"I ran into Tom the other day.", "the other day", "date 2023-06-02..2023-06-09 ~"},
		{"The exam is on 9 June.", "9 June", "date 2023-06-09..2023-06-10"},
		{"She was born on June 9th, 1993.", "June 9th, 1993", "date 1993-06-09..1993-06-10"},
		{"The lease ends on the 30th of September 2024.", "the 30th of September 2024", "date 2024-09-30..2024-10-01"},
		{"Released 2023-05-07, I think", "2023-05-07", "date 2023-05-07..2023-05-08"},
		{"My visa expires 6/9/2024.", "6/9/2024", "date 2024-06-09..2024-06-10"},
		{"Signed on 21/04/2016.", "21/04/2016", "date 2016-04-21..2016-04-22"},
		{"I met back up with them on the 5th.", "the 5th", "date 2023-06-05..2023-06-06"},
		{"I'll pay you on the 15th.", "the 15th", "date 2023-06-15..2023-06-16"},
		{"It was the first Saturday of June.", "the first Saturday of June", "date 2023-06-03..2023-06-04"},
		{"The last day of May was hot.", "The last day of May", "date 2023-05-31..2023-06-01"},
		// weekdays
		{"I passed the interview last Friday!", "last Friday", "date 2023-06-02..2023-06-03"},
		{"I joined the group last Tues.", "last Tues", "date 2023-06-06..2023-06-07"},
		{"Let's meet this Sunday.", "this Sunday", "date 2023-06-11..2023-06-12"},
		{"See you next Friday.", "next Friday", "date 2023-06-16..2023-06-17"},
		{"On Monday, I got great news.", "Monday", "date 2023-06-05..2023-06-06"},
		{"I will call them on Monday.", "Monday", "date 2023-06-12..2023-06-13"},
		{"We're meeting on Wednesday.", "Wednesday", "date 2023-06-14..2023-06-15"},
		{"It was two Sundays ago.", "two Sundays ago", "date 2023-05-28..2023-05-29"},
		{"The dentist is Tuesday next week.", "Tuesday next week", "date 2023-06-13..2023-06-14"},
		{"I ran the race the Sunday before 25 May 2023.", "the Sunday before 25 May 2023", "date 2023-05-21..2023-05-22"},
		{"I'll see you a week from Monday", "a week from Monday", "date 2023-06-19..2023-06-20"},
		{"He died three years ago today.", "three years ago today", "date 2020-06-09..2020-06-10"},
		{"My flight is on Thursday.", "Thursday", "date 2023-06-15..2023-06-16"},
		{"Let's do the 12th.", "the 12th", "date 2023-06-12..2023-06-13"},
		// weeks, weekends, months, seasons, years
		{"We had a picnic last week!", "last week", "date 2023-05-29..2023-06-05"},
		{"The talent show is next month.", "next month", "date 2023-07-01..2023-08-01"},
		{"We went camping two weekends ago.", "two weekends ago", "date 2023-05-27..2023-05-29"},
		{"We camped two weekends before 17 July 2022.", "two weekends before 17 July 2022", "date 2022-07-02..2022-07-04"},
		{"It was the weekend before 20 October 2022.", "the weekend before 20 October 2022", "date 2022-10-15..2022-10-17"},
		{"the last week of September 2022", "the last week of September 2022", "date 2022-09-26..2022-10-03"},
		{"We'll go two weekends from now.", "two weekends from now", "date 2023-06-17..2023-06-19"},
		{"Last weekend I joined a club.", "Last weekend", "date 2023-06-03..2023-06-05"},
		{"That roadtrip this past weekend was insane!", "this past weekend", "date 2023-06-03..2023-06-05"},
		{"What will you do this weekend?", "this weekend", "date 2023-06-10..2023-06-12"},
		{"the weekend before last", "the weekend before last", "date 2023-05-27..2023-05-29"},
		{"It was the week before 9 June.", "the week before 9 June", "date 2023-06-02..2023-06-09"},
		{"the week of 23 August 2023", "the week of 23 August 2023", "date 2023-08-21..2023-08-28"},
		{"I planted it last spring.", "last spring", "date 2023-03-01..2023-06-01"},
		{"We moved last winter.", "last winter", "date 2022-12-01..2023-03-01"},
		{"I'd love to go back next summer.", "next summer", "date 2024-06-01..2024-09-01"},
		{"It happened in the summer of 2016.", "the summer of 2016", "date 2016-06-01..2016-09-01"},
		{"We met in the fall of last year", "the fall of last year", "date 2022-09-01..2022-12-01"},
		{"I read it last year.", "last year", "date 2022-01-01..2023-01-01"},
		{"We were in Rome in May 2022.", "May 2022", "date 2022-05-01..2022-06-01"},
		{"We were in Rome in April.", "April", "date 2023-04-01..2023-05-01"},
		{"The trip is planned; we will go in April.", "April", "date 2024-04-01..2024-05-01"},
		{"Last August I told you.", "Last August", "date 2022-08-01..2022-09-01"},
		{"I grew up in the 90s.", "the 90s", "date 1990-01-01..2000-01-01"},
		{"Music of the 1970s is best.", "the 1970s", "date 1970-01-01..1980-01-01"},
		{"Sales rose in Q3 2021.", "Q3 2021", "date 2021-07-01..2021-10-01"},
		{"It shipped in the second-quarter of 2019.", "the second-quarter of 2019", "date 2019-04-01..2019-07-01"},
		{"in the third quarter of 2020", "the third quarter of 2020", "date 2020-07-01..2020-10-01"},
		{"The house was built in 1893.", "1893", "date 1893-01-01..1894-01-01"},
		{"It was nineteen ninety nine, in nineteen ninety nine.", "nineteen ninety nine", "date 1999-01-01..2000-01-01"},
		// parts
		{"It ended at the end of May.", "the end of May", "date 2023-05-16..2023-06-01 ~"},
		{"I started in early 2022.", "early 2022", "date 2022-01-01..2022-07-01 ~"},
		{"We fly in mid-June.", "mid-June", "date 2023-06-10..2023-06-21 ~"},
		{"She quit late last year.", "late last year", "date 2022-07-01..2023-01-01 ~"},
		{"earlier this month we talked", "earlier this month", "range 2023-06-01..2023-06-09"},
		// distances
		{"I left two days ago.", "two days ago", "date 2023-06-07..2023-06-08"},
		{"I started five years ago.", "five years ago", "date 2018-01-01..2019-01-01"},
		{"I saw it three weeks ago.", "three weeks ago", "date 2023-05-15..2023-05-22"},
		{"A couple of weeks ago I fell.", "A couple of weeks ago", "date 2023-05-22..2023-05-29 ~"},
		{"I got it a few days ago.", "a few days ago", "date 2023-06-04..2023-06-08 ~"},
		{"We married a year and a half ago.", "a year and a half ago", "date 2021-01-01..2022-01-01"},
		{"The show is in a month.", "in a month", "date 2023-07-01..2023-08-01"},
		{"I'll be back in ten days.", "in ten days", "date 2023-06-19..2023-06-20"},
		{"a fortnight ago", "a fortnight ago", "date 2023-05-22..2023-06-05"},
		{"Three days later he was gone.", "Three days later", "date 2023-06-12..2023-06-13 ?"},
		{"I ate an hour ago.", "an hour ago", "time 2023-06-09 18:55..2023-06-09 18:56"},
		// clock
		{"Dinner next Friday at 3pm", "next Friday at 3pm", "time 2023-06-16 15:00..2023-06-16 16:00"},
		{"Come around noon.", "around noon", "time 2023-06-09 12:00..2023-06-09 13:00 ~"},
		{"The train goes at 10:30.", "10:30", "time 2023-06-09 10:30..2023-06-09 10:31"},
		{"Meet me at quarter past three.", "quarter past three", "time 2023-06-09 15:15..2023-06-09 15:16"},
		{"It's half past seven in the evening.", "half past seven in the evening", "time 2023-06-09 19:30..2023-06-09 19:31"},
		{"See you tomorrow morning!", "tomorrow morning", "time 2023-06-10 06:00..2023-06-10 12:00"},
		{"We played a show last night.", "last night", "time 2023-06-08 20:00..2023-06-09"},
		{"I'm tired, see you tonight.", "tonight", "time 2023-06-09 20:00..2023-06-10"},
		{"I had a scare this morning.", "this morning", "time 2023-06-09 06:00..2023-06-09 12:00"},
		{"We leave on the morning of July 4th.", "the morning of July 4th", "time 2023-07-04 06:00..2023-07-04 12:00"},
		{"It broke late Friday night.", "late Friday night", "time 2023-06-02 20:00..2023-06-03 ~"},
		{"I was up until 2am last night.", "until 2am last night", "range ..2023-06-09 02:00"},
		{"Call me at 5 o'clock", "5 o'clock", "time 2023-06-09 17:00..2023-06-09 18:00"},
		{"tomorrow at seven thirty pm", "tomorrow at seven thirty pm", "time 2023-06-10 19:30..2023-06-10 19:31"},
		// ranges
		{"I was away from Monday to Thursday.", "from Monday to Thursday", "range 2023-06-05..2023-06-09"},
		{"I'm free between 2 and 4 pm.", "between 2 and 4 pm", "range 2023-06-09 14:00..2023-06-09 16:00"},
		{"The fair is 4-8 July 2023.", "4-8 July 2023", "range 2023-07-04..2023-07-09"},
		{"I lived there from 2014 to 2018.", "from 2014 to 2018", "range 2014-01-01..2019-01-01"},
		{"I've lived here since 2016.", "since 2016", "range 2016-01-01.."},
		{"We're closed until July.", "until July", "range ..2023-07-01"},
		{"I can do Monday 3-8.", "Monday 3-8", "range 2023-06-12 15:00..2023-06-12 20:00"},
		{"Be here tomorrow before 4pm.", "tomorrow before 4pm", "range ..2023-06-10 16:00"},
		{"Send it by Monday.", "by Monday", "range ..2023-06-13"},
		{"It must be done before 9 June 2024.", "before 9 June 2024", "range ..2024-06-09"},
		{"I've worked there for the past three years.", "the past three years", "range 2020-06-09..2023-06-09 19:55"},
		{"So much has happened in the last month.", "the last month", "range 2023-05-09..2023-06-09 19:55"},
		{"We'll travel for the next two weeks.", "the next two weeks", "range 2023-06-10..2023-06-24"},
		{"I'll finish within five days.", "within five days", "range 2023-06-09..2023-06-14"},
		// durations and frequencies
		{"I've known them for three years.", "three years", "duration .."},
		{"It took an hour and a half.", "an hour and a half", "duration .."},
		{"I swim every Tuesday.", "every Tuesday", "frequency .."},
		{"She calls twice a week.", "twice a week", "frequency .."},
		{"We eat there on Sundays.", "Sundays", "frequency .."},
		{"They publish monthly.", "monthly", "frequency .."},
		// holidays
		{"We hosted Christmas Eve.", "Christmas Eve", "date 2022-12-24..2022-12-25"},
		{"I will cook on Thanksgiving.", "Thanksgiving", "date 2023-11-23..2023-11-24"},
		{"He proposed on Valentine's Day.", "Valentine's Day", "date 2023-02-14..2023-02-15"},
		{"Easter 2018 was early.", "Easter 2018", "date 2018-04-01..2018-04-02"},
		{"We danced on New Year's Eve.", "New Year's Eve", "date 2022-12-31..2023-01-01"},
		{"I'm dressing up for Halloween.", "Halloween", "date 2023-10-31..2023-11-01"},
		{"the day after Christmas 2022", "the day after Christmas 2022", "date 2022-12-26..2022-12-27"},
		// kept, though they cannot be resolved
		{"I learned it when I was ten.", "when I was ten", "date .. ~?"},
		{"They threw a party for my birthday last year.", "my birthday last year", "date 2022-01-01..2023-01-01 ?"},
		{"I still remember the day we met.", "the day we met", "date .. ?"},
		{"It was the summer before college.", "the summer before college", "date .. ?"},
	} {
		var seen []string
		ok := false
		for _, e := range timex.Find(c.text, ref) {
			got := string(e.Kind) + " " + show(e.Span)
			flags := ""
			if e.Approx {
				flags += "~"
			}
			if !e.Resolved {
				flags += "?"
			}
			if flags != "" {
				got += " " + flags
			}
			seen = append(seen, fmt.Sprintf("%q %s", e.Text, got))
			ok = ok || e.Text == c.words && got == c.want
		}
		if !ok {
			t.Errorf("%q: want %q %s; got %s", c.text, c.words, c.want, strings.Join(seen, "; "))
		}
	}
}

// TestNothing holds sentences in which nothing is a time.
func TestNothing(t *testing.T) {
	for _, text := range []string{
		"We want to go to the shop.", "You may be right.", "May I come in?", "It may not work.", "This may take longer.",
		"They march on in silence.", "Let's march to the square.", "Wait a second!", "Give me a minute.", "On second thought, no.",
		"The sun is out.", "Sun and wind all over.", "The cat sat down on the mat.", "We sat there and talked.", "They wed in a church.",
		"I ate a spring roll.", "Spring cleaning is fun.", "Don't fall down!", "Prices fall when demand drops.", "I saw him fall.",
		"April said that she likes it.", "I talked to June about it.", "June and I are friends.", "May loves her dog.",
		"August told me a joke.", "I love April's cooking.", "We met with June and Bob.", "Jan is my sister.",
		"Call me on 555-123-4567.", "My number is +1 202 555 0143.", "Tel 138-2010-2015", "It costs $20.", "I paid $1999 for it.",
		"The total was 2,016 dollars.", "We use version 2.10 there.", "Upgrade to v1.2.3 please.", "The shop is open 24/7.",
		"Add 1/2 cup of sugar and 3/4 teaspoon of salt.", "We won 3-2.", "Sun-dried tomatoes", "It records in 720p.", "We agreed on 3-4 meals.", "She scored 7 on that test.", "A perfect 10/10!", "1984 is my favorite book.", "Have a good day.", "It was a long week.",
		"They pay 30 thousand a year.", "I used to work at one.", "It felt like a Sunday.", "I have 15 cats.", "Chapter 7 is long.", "He came in second.",
		"The second book is better.", "The first time is hard.", "She lives on the 9th floor.", "He is 30 years old.", "A 5-year-old boy.",
		"I scored 40 points.", "Turn to page 2012 of 3000.", "Room 2016 is free.", "There were 2000 people.", "It weighs 12 kg.",
		"I'm over the moon.", "To be or not to be.", "He is a good man.", "Have a nice day!", "What a day!", "Good morning!", "Good night, Sam.",
		"Take your time.", "Once upon a time.", "From time to time I wonder.", "It's about time.", "Mark it down.", "He mars the view.",
		"Second, we need eggs.", "A quarter of the pie.", "Half of them left.", "I need a minute alone.", "At first I was shy.",
		"At one point I gave up.", "He scored at 50 percent.", "Ring the decor store.", "Read section 4.22 carefully.", "ISBN 978-3-16-148410-0",
		"The ratio is 16:9.", "It is 20 degrees.", "Look at https://example.com/2020/05/07/post.",
	} {
		if found := timex.Find(text, ref); len(found) > 0 {
			t.Errorf("%q: found %q (%s %s)", text, found[0].Text, found[0].Kind, show(found[0].Span))
		}
	}
}
