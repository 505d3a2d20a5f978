package engine_test

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"daybook"
	"daybook/english"
	"daybook/extract"
	"daybook/source"
	"daybook/timex"
	"daybook/tree"
	"daybook/xpath"
)

// costly are parsers and learners with inputs that are made to cost much, by their size.
var costly = map[string]struct {
	start int // size of the smallest input
	run   func(n int)
}{
	"sentences":          {4 << 10, func(n int) { english.Sentences(repeat("I live in Rome, you know. ", n)) }},
	"one sentence":       {1 << 10, func(n int) { english.Read(repeat("and then we went to Rome ", n)) }},
	"names":              {1 << 10, func(n int) { english.Read(repeat("Anna Maria Rossi ", n)) }},
	"marks":              {1 << 10, func(n int) { english.Read(repeat("...?!\"'(- ", n)) }},
	"one word":           {4 << 10, func(n int) { english.Read(repeat("a", n)) }},
	"times":              {512, func(n int) { timex.Find(repeat("last Monday at 5 or 2024-05-01 until June, ", n), time.Unix(1e9, 0)) }},
	"numbers":            {512, func(n int) { timex.Find(repeat("12 ", n), time.Unix(1e9, 0)) }},
	"question":           {512, func(n int) { english.ReadQuestion("Where " + repeat("did I who which ", n) + "?") }},
	"learning":           {512, func(n int) { learnFrom(repeat("I live in Rome. ", n)) }},
	"learning, one line": {512, func(n int) { learnFrom("I like " + repeat("tea and ", n) + "milk.") }},
	"learning, names":    {512, func(n int) { learnFrom(repeat("My sister Grace likes Rome. ", n)) }},
	"xpath, steps":       {128, func(n int) { _, _ = xpath.Parse(repeat("/Day", n)) }},
	"xpath, nested":      {64, func(n int) { _, _ = xpath.Parse("//Day[" + repeat("not(", n) + "@a" + strings.Repeat(")", n/4) + "]") }},
	"tree, JSON":         {512, func(n int) { _, _ = tree.Parse("json", []byte(repeat(`{"type":"a","children":[`, n))) }},
	"tree, Markdown":     {512, func(n int) { _, _ = tree.Parse("markdown", []byte(repeat("- item\n  - below\n", n))) }},
	"tree, YAML":         {512, func(n int) { _, _ = tree.Parse("yaml", []byte(repeat("- a: [b, c]\n", n))) }},
	"tree, XML":          {512, func(n int) { _, _ = tree.Parse("xml", []byte(repeat("<a>", n))) }},
	"messages":           {4 << 10, func(n int) { takeIn("m.jsonl", repeat(`{"role":"user","content":"hi"}`+"\n", n)) }},
	"messages, nested":   {4 << 10, func(n int) { takeIn("m.json", repeat("[", n)) }},
	"Markdown":           {4 << 10, func(n int) { takeIn("m.md", repeat("# head\n\n* text\n\n", n)) }},
	"text":               {4 << 10, func(n int) { takeIn("m.txt", repeat("word ", n)) }},
	"WhatsApp":           {4 << 10, func(n int) { takeIn("m.txt", repeat("12/05/2024, 10:31 - Ana: hello\n", n)) }},
}

func repeat(text string, n int) string { return strings.Repeat(text, n/len(text)+1) }

func learnFrom(text string) {
	note := daybook.Note{Text: text, Speaker: "Ana", Time: time.Unix(1e9, 0)}.Named()
	_, _ = extract.Local{}.Learn(context.Background(), extract.Window{Notes: []daybook.Note{note}})
}

func takeIn(name, text string) {
	s, err := source.Open(source.Input{Name: name, Data: bytes.NewReader([]byte(text)), Size: int64(len(text))}, source.Options{})
	if err != nil {
		return
	}
	for _, err := range s.Records() {
		_ = err
	}
}

// doublings is how often an input is doubled; slack is by how much the growth may be more
// than n·log n, for a machine that is busy.
const (
	doublings = 6
	slack     = 4
)

// The cost of every parser and learner grows with the input by no more than n·log n.
func TestCostGrowsWithTheInput(t *testing.T) {
	for name, c := range costly {
		t.Run(name, func(t *testing.T) {
			few, many := c.start, c.start<<doublings
			allowed := float64(many) * math.Log2(float64(many)) / (float64(few) * math.Log2(float64(few))) * slack
			var least time.Duration
			grew := math.Inf(1)
			for try := 0; try < 3 && grew > allowed; try++ { // what else runs may slow one
				least = max(fastest(func() { c.run(few) }), 50*time.Microsecond)
				grew = min(grew, float64(once(func() { c.run(many) }))/float64(least))
			}
			if grew > allowed {
				t.Errorf("%d times the input cost %.0f times as much (%s at first); at most %.0f is n·log n", 1<<doublings, grew, least, allowed)
			}
			t.Logf("%d bytes in %s, %d bytes in %.0f times that; %.0f are allowed", few, least, many, grew, allowed)
		})
	}
}

func once(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

func fastest(do func()) time.Duration {
	least := once(do)
	for range 4 {
		least = min(least, once(do))
	}
	return least
}
