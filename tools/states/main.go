// Command states prints what grammar says of sentences, one JSON object for each
// line of standard input: the traits of extract.Traits, the statements that
// extract.Read finds, and the candidates for the value of its state. train.py fits
// the judge of states on them, pick.py the picker of values.
//
// A line may have the marks of the sentence's words behind a tab, as JSON. With
// -words FILE the words themselves are printed and nothing else, and their vectors
// are written to the file, in numbers of four bytes: what marks are fitted on.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"daybook/english"
	"daybook/extract"
	"daybook/model"
)

type reading struct {
	Traits     []float32           `json:"traits"`
	Statements []extract.Statement `json:"statements"`
	Candidates []extract.Candidate `json:"candidates"`
}

func main() {
	words := flag.String("words", "", "the `file` that the vectors of words are written to")
	flag.Parse()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	var lines []string
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	err := in.Err()
	switch {
	case err != nil:
	case *words != "":
		err = writeWords(*words, lines)
	default:
		err = printReadings(lines)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func printReadings(lines []string) error {
	out := json.NewEncoder(os.Stdout)
	for i, line := range lines {
		text, given, _ := strings.Cut(line, "\t")
		var marks []extract.Mark
		if given != "" {
			if err := json.Unmarshal([]byte(given), &marks); err != nil {
				return fmt.Errorf("marks of line %d: %w", i+1, err)
			}
		}
		s := english.ReadSentence(text)
		if err := out.Encode(reading{extract.Traits(&s), extract.Read(text), extract.Candidates(&s, marks)}); err != nil {
			return err
		}
	}
	return nil
}

// batch lines are encoded at once.
const batch = 64

// writeWords prints the words of each line by their places, as marks without a
// score, and writes their vectors in the same order.
func writeWords(path string, lines []string) error {
	encoder, err := model.Default()
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	vectors, out := bufio.NewWriterSize(file, 1<<20), json.NewEncoder(os.Stdout)
	for len(lines) > 0 {
		some := lines[:min(batch, len(lines))]
		lines = lines[len(some):]
		places, rows := make([][]extract.Mark, len(some)), make([][]float32, len(some))
		_, err := encoder.EncodeWords(context.Background(), some, func(i int, words []model.Word) {
			for _, w := range words {
				places[i] = append(places[i], extract.Mark{Start: w.Start, End: w.End})
				rows[i] = append(rows[i], w.Vector...)
			}
		})
		if err != nil {
			return err
		}
		for i := range some {
			if err := binary.Write(vectors, binary.LittleEndian, rows[i]); err != nil {
				return err
			}
			if err := out.Encode(places[i]); err != nil {
				return err
			}
		}
	}
	if err := vectors.Flush(); err != nil {
		return err
	}
	return file.Close()
}
