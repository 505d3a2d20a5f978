package index_test

import (
	"fmt"
	"time"

	"daybook"
	"daybook/index"
	"daybook/store"
)

// Notes are found by words, by name, by time and by what stands around them.
func Example() {
	x := index.New()
	monday := time.Date(2023, 5, 1, 9, 0, 0, 0, time.UTC)
	var docs []index.Doc
	for i, text := range []string{
		"Maya: We went to the Isle of Skye on 7 May 2023",
		"Ben: Lovely! Did it rain?",
		"Maya: Only on the boat",
	} {
		docs = append(docs, index.Doc{
			Place: store.Place{Seq: uint64(i + 1)}, Time: monday.AddDate(0, 0, i), Session: "holidays",
			Words: []index.Words{{Field: index.Content, Text: text}},
		})
	}
	docs[0].Names = []daybook.EntityID{daybook.EntityNamed("Skye")}
	if err := x.Apply(index.Change{Add: docs}); err != nil {
		fmt.Println(err)
		return
	}

	now := x.Snapshot()
	for _, f := range now.Search(index.Ask("when did they go to the isle of skye?", index.Content), 1, nil) {
		fmt.Println("words:", now.Place(f.ID).Seq, "and after it:", now.Around(f.ID, 0, 1))
	}
	for _, f := range now.Search(index.Ask("2023-05-07", index.Content), 1, nil) {
		fmt.Println("date:", now.Place(f.ID).Seq)
	}
	fmt.Println("name:", now.Named(daybook.EntityNamed("skye")))
	for id := range now.Between(monday.AddDate(0, 0, 1), time.Time{}) {
		fmt.Println("from Tuesday on:", now.Place(id).Seq)
	}
	// Output:
	// words: 1 and after it: [1]
	// date: 1
	// name: [0]
	// from Tuesday on: 2
	// from Tuesday on: 3
}
