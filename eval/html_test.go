package eval

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const hostile = `</script><script>alert(1)</script><img src=x onerror="alert(2)">'"&<!--`

// hostileSet has markup in every text that a data set gives.
func hostileSet() Dataset {
	c := conversation("I bought a sailboat "+hostile, "The weather was awful", "Nothing else")
	c.ID = "c" + hostile
	c.Notes[0].SourceID, c.Notes[0].Speaker = "n0"+hostile, hostile
	c.Questions = []Question{
		{ID: "1" + hostile, Text: "What about the weather?" + hostile, Category: "a" + hostile, Evidence: []string{"n0" + hostile}, Answers: []string{hostile}},
		{ID: "2", Text: "What about the sailboat?", Category: "b", Evidence: []string{"n0" + hostile}},
	}
	return Dataset{Name: "d" + hostile, Hash: "h" + hostile, Conversations: []Conversation{c}}
}

func htmlOf(t *testing.T, d Dataset, systems ...System) (string, *Report) {
	t.Helper()
	report, err := Run{Dataset: d, Systems: systems, Ks: []int{1, 2}, Seed: 1, Code: "c1"}.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := WriteHTML(&out, d, report); err != nil {
		t.Fatal(err)
	}
	return out.String(), report
}

func TestHTMLEscapes(t *testing.T) {
	text, _ := htmlOf(t, hostileSet(), Recent{}, &asked{version: hostile})
	for _, bad := range []string{"<script>alert", "<img", "<!--"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q came through", bad)
		}
	}
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("%d scripts, want 2", n)
	}
	data := pageData(t, text)
	if len(data.Misses) == 0 || data.Misses[0].ID != "1"+hostile || !strings.Contains(data.Notes["c"+hostile]["n0"+hostile], hostile) {
		t.Errorf("the misses are not whole: %+v", data)
	}
}

// pageData reads the misses back from a page.
func pageData(t *testing.T, text string) (data missData) {
	t.Helper()
	m := regexp.MustCompile(`(?s)<script id="data" type="application/json">(.*?)</script>`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no data on the page")
	}
	if err := json.Unmarshal([]byte(m[1]), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

// Nothing on the page is from elsewhere.
func TestHTMLSelfContained(t *testing.T) {
	text, _ := htmlOf(t, twoTalks(), BM25{}, Recent{})
	for _, bad := range []string{"http://", "https://", "src=", "<link", "@import", "url("} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"bm25", "recent", "boats", "<polyline", "<rect", "aria-label", "prefers-color-scheme: dark"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Without any evidence, without questions, without systems a page is still made.
func TestHTMLEmpty(t *testing.T) {
	d := twoTalks()
	for i := range d.Conversations {
		for j := range d.Conversations[i].Questions {
			d.Conversations[i].Questions[j].Evidence = nil
		}
	}
	for _, x := range []Dataset{d, {Name: "none"}} {
		if text, _ := htmlOf(t, x, BM25{}); !strings.Contains(text, "</html>") {
			t.Errorf("%s: not whole", x.Name)
		}
		if text, _ := htmlOf(t, x); !strings.Contains(text, "</html>") {
			t.Errorf("%s: not whole", x.Name)
		}
	}
}

// States and answers have tables of their own.
func TestHTMLLevels(t *testing.T) {
	d, err := LoadSmoke()
	if err != nil {
		t.Fatal(err)
	}
	text, _ := htmlOf(t, d, Quoting{System: BM25{}})
	for _, want := range []string{"retrieval: states", "answers: states", "stale unlab."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestHTMLLongNotes(t *testing.T) {
	d := twoTalks()
	d.Conversations[0].Notes[1].Text = strings.Repeat("é", 5000)
	text, _ := htmlOf(t, d, BM25{})
	if got := []rune(pageData(t, text).Notes["a"]["n1"]); len(got) != pageNoteRunes+1 || got[pageNoteRunes] != '…' {
		t.Errorf("%d characters", len(got))
	}
}

func TestRecallCurve(t *testing.T) {
	c := conversation("a", "b", "c")
	c.Questions = []Question{
		{ID: "1", Evidence: []string{"n0", "n1"}},
		{ID: "2", Evidence: []string{"n2"}},
		{ID: "3", Evidence: []string{"n2"}, Absent: true},
		{ID: "4"},
	}
	s := SystemReport{Results: []Result{{ID: "1", Rows: []Row{{ID: "n0"}, {ID: "n0"}, {ID: "n1"}}}, {ID: "2", Rows: []Row{{ID: "n0"}, {ID: "n2"}}}}}
	got := recallCurve(Dataset{Conversations: []Conversation{c}}, s, 4)
	if fmt.Sprint(got) != "[0.25 0.75 1 1]" {
		t.Errorf("%v", got)
	}
}

func TestCharts(t *testing.T) {
	if got := spread([]float64{10, 12, 50, 11}, 5); fmt.Sprint(got) != "[10 20 50 15]" {
		t.Errorf("spread: %v", got)
	}
	counts, from := slots([]Bucket{{1, 3}, {8, 2}})
	if fmt.Sprint(counts, from) != "[3 0 0 2] 1" {
		t.Errorf("slots: %v from %v", counts, from)
	}
	for f, want := range map[float64]string{0.25: "0.25", 1.0 / 64: "0.016", 512: "512", 2: "2"} {
		if got := short(f); got != want {
			t.Errorf("short(%v) = %s", f, got)
		}
	}
}
