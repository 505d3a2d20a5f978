// Command picture draws what a terminal shows as an SVG file: text comes in, the
// picture goes out. 'make picture' draws the demo for the README with it, and with
// -cost the curves of what docs/results.md says of speed.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"html"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	columns    = 104 // longer lines go on below
	charWidth  = 7.8
	lineHeight = 18
	margin     = 20
)

func main() {
	until := flag.String("until", "", "leave out the line that begins so, and all that follows")
	cost := flag.Bool("cost", false, "draw the costs that the tables of docs/results.md have")
	flag.Parse()
	if *cost {
		c, err := readCosts(os.Stdin)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(drawCosts(c))
		return
	}
	lines, err := read(os.Stdin, *until)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(draw(lines))
}

// line is one row of the picture; class says how it looks.
type line struct{ text, class string }

// read takes the lines in and breaks the long ones.
func read(in io.Reader, until string) (all []line, err error) {
	text := bufio.NewScanner(in)
	for text.Scan() {
		row := strings.TrimRight(text.Text(), " ")
		if until != "" && strings.HasPrefix(row, until) {
			break
		}
		if row == "" && len(all) == 0 {
			continue
		}
		for _, part := range broken(row) {
			all = append(all, line{part, classOf(row)})
		}
	}
	for len(all) > 0 && all[len(all)-1].text == "" {
		all = all[:len(all)-1]
	}
	return all, text.Err()
}

// broken breaks a row between words where it is too long.
func broken(row string) (parts []string) {
	for utf8.RuneCountInString(row) > columns {
		at := strings.LastIndex(string([]rune(row)[:columns]), " ")
		if strings.TrimSpace(row[:max(at, 0)]) == "" {
			break
		}
		parts = append(parts, row[:at])
		row = "      " + strings.TrimLeft(row[at:], " ")
	}
	return append(parts, row)
}

var command = regexp.MustCompile(`^(\d{4}-\d\d-\d\d )?\$ `)

func classOf(row string) string {
	switch {
	case strings.HasPrefix(row, "# "):
		return "says"
	case command.MatchString(row):
		return "typed"
	case strings.HasPrefix(row, "  "):
		return "dim"
	}
	return "out"
}

// draw returns the picture.
func draw(lines []line) string {
	var b strings.Builder
	width, height := columns*charWidth+2*margin, len(lines)*lineHeight+2*margin+20
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d">
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#d6dae1}.says{font-weight:bold;fill:#f0f3f6}.typed{fill:#6cc7f0}.dim{fill:#98a1ad}</style>
<rect width="100%%" height="100%%" rx="8" fill="#15191f"/>
<circle cx="20" cy="18" r="5" fill="#5b626d"/><circle cx="37" cy="18" r="5" fill="#5b626d"/><circle cx="54" cy="18" r="5" fill="#5b626d"/>
`, width, height, width, height)
	for i, l := range lines {
		if l.text != "" {
			fmt.Fprintf(&b, "<text class=%q x=\"%d\" y=\"%d\">%s</text>\n", l.class, margin, margin+30+i*lineHeight, html.EscapeString(l.text))
		}
	}
	return b.String() + "</svg>\n"
}
