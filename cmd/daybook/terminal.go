package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"daybook"

	"github.com/mattn/go-isatty"
)

// terminal is where a command reads from and writes to.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	colour   bool    // out is a terminal that wants colour
	lost     *output // what out could not take
	asks     bool    // a person can answer questions
	watches  bool    // a person can see progress on err
}

func newTerminal(in io.Reader, out, errOut io.Writer) terminal {
	isTerm := func(v any) bool {
		f, ok := v.(*os.File)
		return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
	}
	_, plain := os.LookupEnv("NO_COLOR")
	lost := &output{Writer: out}
	return terminal{
		in: in, out: lost, err: errOut, lost: lost,
		colour:  isTerm(out) && !plain && os.Getenv("TERM") != "dumb",
		asks:    isTerm(in) && isTerm(errOut),
		watches: isTerm(errOut),
	}
}

// output remembers the first write that failed: a full disk or a closed pipe must not
// pass for success because nobody looked at what one line of many returned.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// interruptible is input that ends with the context: a read that waits for a
// person must not outlive Ctrl-C.
type interruptible struct {
	ctx context.Context
	io.Reader
}

func (r interruptible) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	buf, done := make([]byte, len(p)), make(chan result, 1)
	go func() {
		n, err := r.Reader.Read(buf)
		done <- result{n, err}
	}()
	select {
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	case got := <-done:
		return copy(p, buf[:got.n]), got.err
	}
}

func (t terminal) printf(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

// json prints one value as indented JSON.
func (t terminal) json(v any) error {
	enc := json.NewEncoder(t.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// paint wraps text in an ANSI style where the terminal wants colour.
func (t terminal) paint(style, text string) string {
	if !t.colour || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func (t terminal) bold(s string) string { return t.paint("1", s) }
func (t terminal) dim(s string) string  { return t.paint("2", s) }

// said is who speaks, before what is said.
func (t terminal) said(speaker string) string {
	if speaker == "" {
		return ""
	}
	return t.bold(line(speaker, 20)) + ": "
}

// role paints a role in its colour.
func (t terminal) role(r daybook.Role) string {
	styles := map[daybook.Role]string{
		daybook.RoleCurrent: "32", daybook.RoleHistorical: "2", daybook.RoleContested: "31",
		daybook.RolePlanned: "34", daybook.RoleAside: "35",
	}
	return t.paint(styles[r], string(r))
}

// table prints rows in columns. Content is made safe for a terminal: control
// characters in memories must not move the cursor.
func (t terminal) table(rows [][]string) {
	if len(rows) == 0 {
		t.printf("nothing in this scope\n")
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t "))
	}
	w.Flush()
}

// line shows content on one line of at most n characters, without control
// characters.
func line(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > n {
		s = string(r[:n-1]) + "…"
	}
	return s
}

// when shows an instant briefly.
func when(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// confirm asks a person. Where nobody can answer it is an error that names the
// flag to give instead.
func (t terminal) confirm(question string) (bool, error) {
	if !t.asks {
		return false, daybook.Errorf(daybook.Invalid, "this cannot be undone and nobody is here to confirm it; give --yes")
	}
	fmt.Fprintf(t.err, "%s [y/N] ", question)
	answer, err := bufio.NewReader(t.in).ReadString('\n')
	if err != nil && err != io.EOF {
		return false, err
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

// progress draws a line that is written over; nothing where nobody watches.
func (t terminal) progress(format string, args ...any) {
	if t.watches {
		fmt.Fprintf(t.err, "\r\x1b[K"+format, args...)
	}
}

func (t terminal) endProgress() {
	if t.watches {
		fmt.Fprint(t.err, "\r\x1b[K")
	}
}
