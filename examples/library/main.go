// Command library keeps a memory inside a Go program: no server, no key, no network.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
	"daybook/recall"
	"daybook/store/sqlite"
)

func main() {
	if err := run(context.Background(), "memory", os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, home string, out io.Writer) error {
	store, err := sqlite.Open(ctx, home) // a folder; it is made where there is none
	if err != nil {
		return err
	}
	encoder, err := model.Default() // the one inside the binary
	if err != nil {
		return err
	}
	memory := engine.New(store).WithEncoder(encoder).WithLearner(extract.Local{Encoder: encoder})
	defer func() { _ = memory.Close() }()

	ana, by := daybook.Scope{User: "ana"}, engine.By{Author: "example"}
	for i, said := range []string{"My dentist is Dr. Weiss.", "I changed dentists, I go to Dr. Moreau now."} {
		note := daybook.Note{SourceID: fmt.Sprint("m", i+1), Speaker: "Ana", Text: said} // kept once, by its id
		if _, err := memory.Add(ctx, ana, by, []daybook.Note{note}); err != nil {
			return err
		}
	}
	found, err := memory.Recall(ctx, ana, recall.Question{Text: "Who is Ana's dentist?"}, daybook.AsOf{})
	if err != nil {
		return err
	}
	for _, row := range found.Rows {
		fmt.Fprintf(out, "%-10s  %s\n", row.Role, row.Text) // current, historical, contested, …
	}
	answer, err := memory.Ask(ctx, ana, engine.Asked{Text: "Who was Ana's dentist before?"})
	fmt.Fprintln(out, answer.Text)
	return err
}
