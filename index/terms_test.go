package index

import (
	"slices"
	"strings"
	"testing"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"She went running with the twins' dog", "she go run with the twin dog"},
		{"Maya's sister moved", "maya sister move"},
		{"It cost $1,500.50, not 3.5", "it cost 1500.50 not 3.5"},
		{"seven cats, the 7th", "7 cat the 7"},
		{"on 2023-05-07", "on 2023 05 07 @2023-05-07 @2023-05 @05-07"},
		{"on 7 May 2023", "on 7 may 2023 @2023-05-07 @2023-05 @05-07"},
		{"May 7, 2023", "may 7 2023 @2023-05-07 @2023-05 @05-07"},
		{"the 7th of May", "the 7 of may @05-07"},
		{"in June 2021 we", "in june 2021 we @2021-06"},
		{"5/7/2023", "5 7 2023 @2023-05-07 @2023-05 @05-07 @2023-07-05 @2023-07 @07-05"},
		{"am 7.5.2023", "be 7.5.2023 @2023-05-07 @2023-05 @05-07"},
		{"version 1.2.3", "version 1.2.3"},
		{"twenty-five cats, twenty - five, 20-5", "20 5 cat 20 5 20 5 25"},
		{"Pat O’Neill's shop in San Francisco", "pat o'neil shop in san francisco pat_o'neill san_francisco"},
		{"at 3pm", "at 3pm @15:00"},
		{"at 3:30 pm or 15:30", "at 3 30 pm or 15 30 @15:30 @15:30"},
		{"at 12 am", "at 12 be @00:00"},
		{"Rosa Luxemburg wrote", "rosa luxemburg write rosa_luxemburg"},
		{"The Bank of Scotland closed", "the bank of scotland close bank_of_scotland"},
		{"Ann. Ben left", "ann ben leav"},
		{"Martin Luther King spoke", "martin luther king speak martin_luther_king martin_luther luther_king"},
		{"¿Dónde está Zoë?", "dónde está zoë"},
		{"", ""},
		{"'' — …", ""},
	} {
		if got := strings.Join(Terms(c.text), " "); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	if got := QueryTerms("when did rosa luxemburg write"); !slices.Contains(got, "rosa_luxemburg") {
		t.Errorf("a name without capitals is not found in a question: %v", got)
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("Rosa Luxemburg's 3:30 pm, 5/7/2023 ’s \xff\x00")
	f.Fuzz(func(t *testing.T, text string) {
		for _, term := range append(Terms(text), QueryTerms(text)...) {
			if term == "" {
				t.Errorf("%q has an empty term", text)
			}
		}
	})
}
