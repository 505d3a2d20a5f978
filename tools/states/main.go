// Command states prints what grammar says of sentences: for each line of standard
// input, the traits of extract.Traits as a JSON array. The judge of roles is
// trained on them; see train.py.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"daybook/english"
	"daybook/extract"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, to io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	out := bufio.NewWriter(to)
	for lines.Scan() {
		s := english.ReadSentence(lines.Text())
		text, err := json.Marshal(extract.Traits(&s))
		if err != nil {
			return err
		}
		fmt.Fprintln(out, string(text))
	}
	return errors.Join(lines.Err(), out.Flush())
}
