// Command questions prints how questions are read, one JSON object for each line
// of standard input. A line is a name, a tab, and a question about whoever has that
// name. train.py fits the match of questions with states on them.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"daybook/answer"
	"daybook/extract"
)

type reading struct {
	Statement string         `json:"statement"`
	View      string         `json:"view"`
	Intent    answer.Intent  `json:"intent"`
	Words     []string       `json:"words"`
	Wants     []extract.Type `json:"wants"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		name, question, _ := strings.Cut(lines.Text(), "\t")
		q := answer.ReadQuestion(question, name)
		r := reading{Statement: q.Statement, View: string(q.View), Intent: q.Intent, Words: q.Words, Wants: q.Wants}
		if err := out.Encode(r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
