package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"daybook"
	"daybook/answer"
)

// Of a state with many values those bear on a question that are the latest as of its time
// and of all, the first, and those of notes that were found, each with the one after it.
func TestWhatBearsOnAQuestion(t *testing.T) {
	began := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	day := func(i int) time.Time { return began.AddDate(0, 0, i) }
	periods := make([][]*daybook.Fact, 300)
	for i := range periods {
		valid := daybook.Span{From: day(i)}
		if i == 5 { // when it began is not known: it is as late as its end
			valid = daybook.Span{Until: day(180)}
		}
		periods[i] = []*daybook.Fact{{Valid: valid, Sources: []daybook.NoteID{noteOf(i)}}}
	}
	l := &ledgerSide{all: []answer.Evidence{{Note: daybook.Note{ID: noteOf(100)}}}}
	asked := func(text string) *answer.Question {
		q := answer.ReadQuestion(text, "Ana").Seen(day(200))
		return &q
	}
	var got []int
	for _, facts := range l.bearing(asked("Where does Ana work?"), periods) {
		got = append(got, slices.IndexFunc(periods, func(p []*daybook.Fact) bool { return p[0] == facts[0] }))
	}
	want := []int{0, 5, 100, 101}
	for i := 200 - mostLatest + 2; i <= 201; i++ { // one of them is the fifth
		want = append(want, i)
	}
	for i := 300 - mostLatest; i < 300; i++ {
		want = append(want, i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v bear on the question, not %v", got, want)
	}
	for text, most := range map[string][][]*daybook.Fact{"Where does Ana work?": periods[:fewNamed], "Which companies has Ana worked at?": periods} {
		if got := l.bearing(asked(text), most); len(got) != len(most) {
			t.Errorf("%q: %d of %d bear on it", text, len(got), len(most))
		}
	}
}

func noteOf(i int) daybook.NoteID { return daybook.NoteID(fmt.Sprintf("note_%d", i)) }
