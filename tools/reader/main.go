// Command reader fits answer/assets/reader.bin: which stretch of which row answers a
// question, and do the rows hold an answer at all?
//
//	go run ./tools/reader --out answer/assets/reader.bin tools/conversations/*.jsonl
//
// It reads conversations with questions and answers that were written for the
// purpose, and no evaluation data: each conversation is added to an engine of its
// own, each question is recalled, and the spans of the rows are scored by the words
// they share with the answer. Figures are printed by leaving conversations out.
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	out := flag.String("out", "", "write the fitted reader to this file")
	cache := flag.String("cache", filepath.Join(os.TempDir(), "daybook-reader"), "folder that keeps vectors between runs")
	states := flag.String("states", "tools/states/attributes.jsonl", "questions about states that nobody told in the conversations")
	flag.Parse()
	if err := run(*out, *states, *cache, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "reader:", err)
		os.Exit(1)
	}
}

func run(out, states, cache string, files []string) error {
	all, err := read(files, states, cache)
	if err != nil {
		return err
	}
	fmt.Printf("%d questions that were answered, %d that nobody answered\n", len(all.examples), len(all.strange))
	check(all.examples)
	fitted := fit(all.examples, 1)
	asked := slices.Clone(all.strange)
	for _, x := range all.examples {
		asked = append(asked, x.hold)
	}
	fitHold(fitted, asked)
	checkHold(asked)
	if out == "" {
		return nil
	}
	var data bytes.Buffer
	if err := binary.Write(&data, binary.LittleEndian, fitted); err != nil {
		return err
	}
	return os.WriteFile(out, data.Bytes(), 0o644)
}
