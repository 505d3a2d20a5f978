// Command states prints what grammar says of sentences, one JSON object for each
// line of standard input: the traits of extract.Traits, the statements that
// extract.Read finds, and the candidates for the value of its state. train.py fits
// the judge of states on them, pick.py the picker of values.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"daybook/english"
	"daybook/extract"
)

type reading struct {
	Traits     []float32           `json:"traits"`
	Statements []extract.Statement `json:"statements"`
	Candidates []extract.Candidate `json:"candidates"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		s := english.ReadSentence(lines.Text())
		if err := out.Encode(reading{extract.Traits(&s), extract.Read(lines.Text()), extract.Candidates(&s)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
