// Package timex answers: when is it that these words speak of?
//
// Find reads the expressions of time in English text ("two weekends ago", "since
// 2016", "next Friday at 3pm", "every Tuesday") and resolves them against a
// reference time, which is the time of the note they stand in. Anchor gives the
// one time that an utterance is about; Say puts a span back into words.
//
// # Conventions
//
//   - Intervals are [From, Until). All times have the reference's zone.
//   - A week begins on Monday; a weekend is Saturday and Sunday.
//   - Seasons are northern and meteorological: spring is March to May, winter
//     December to February and named after the year it begins in.
//   - "last Friday" is the latest Friday before the reference's day, "this
//     Friday" that of the reference's week, "next Friday" that of the week
//     after it. "last June", "last summer": the latest that is over. "next
//     June": the first that begins after the reference.
//   - "last week", "next month", "this year" are whole calendar units. "the past
//     three weeks" ends at the reference's day, "the next three days" begins
//     the day after it.
//   - What names no year or week ("on Friday", "in June", "the 9th") goes to the
//     past or to the future as the verbs near it do, and to the nearest where
//     they do not say.
//   - "three weeks ago" is the calendar week that holds the day three weeks back,
//     "two years ago" the calendar year; Expr.At keeps the day itself. Weeks
//     counted from a named day ("a week from Monday") lead to a day.
//   - The last member of a range is in it: "from Monday to Thursday" ends at the
//     midnight after Thursday. "until June" and "before June" end where June
//     begins; "by Friday" ends when Friday is over.
//   - 6/9/2023 is June the 9th; where the first number cannot be a month it is
//     the day.
//   - A clock time without am or pm is in the afternoon from 1 to 5 and otherwise
//     as written; a part of the day beside it ("in the morning") decides.
//   - Morning is 6 to 12, afternoon 12 to 18, evening 18 to 22, night 20 to 24.
//   - "early" and "late" are halves, "mid" the middle third; "beginning" and "end"
//     are halves of a week or month and thirds of a year.
//
// Start reading at find.go, then rules.go: the list of rules that read a date.
package timex
