// Command states prints what grammar says of sentences: for each line of standard
// input, the traits of extract.Traits as a JSON array. The judge of roles is
// trained on them; see train.py.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"daybook/english"
	"daybook/extract"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		s := english.ReadSentence(lines.Text())
		text, err := json.Marshal(extract.Traits(&s))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintln(out, string(text))
	}
}
