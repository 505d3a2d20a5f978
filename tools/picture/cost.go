package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// curve is one cost as the memory grows: values by the number of notes.
type curve struct {
	name, colour string
	notes, value []float64
}

// costs are what the tables of docs/results.md say of time and bytes.
type costs struct{ times, bytes []curve }

// The columns of the table whose rows begin with a number of notes.
var timeColumns = []struct {
	name, colour string
	column       int
}{{"recall", "#6cc7f0", 2}, {"ask", "#b9a5f5", 4}, {"words alone", "#98a1ad", 6}, {"brute-force vectors", "#f0a96c", 7}}

const bytesColumn = 8

// readCosts reads the tables of section Speed.
func readCosts(in io.Reader) (c costs, err error) {
	for _, t := range timeColumns {
		c.times = append(c.times, curve{name: t.name, colour: t.colour})
	}
	c.times = append(c.times, curve{name: "add one note and learn", colour: "#7fd19b"})
	c.bytes = []curve{{name: "index in memory", colour: "#6cc7f0"}}
	speed := false
	text := bufio.NewScanner(in)
	text.Buffer(nil, 1<<20)
	for text.Scan() {
		row := text.Text()
		if strings.HasPrefix(row, "## ") {
			speed = row == "## Speed"
		}
		if cells := strings.Split(row, "|"); speed && len(cells) > 2 {
			c.row(cells)
		}
	}
	return c, text.Err()
}

// row takes a row of either table.
func (c *costs) row(cells []string) {
	notes := number(cells[1])
	switch {
	case strings.HasPrefix(strings.TrimSpace(cells[1]), "add one note and learn"):
		for i, size := range []float64{1e3, 1e4, 1e5, 1e6} {
			c.times[len(timeColumns)].add(size, cells, i+2)
		}
	case notes >= 1000 && len(cells) > bytesColumn:
		for i, t := range timeColumns {
			c.times[i].add(notes, cells, t.column)
		}
		c.bytes[0].add(notes, cells, bytesColumn)
	}
}

func (c *curve) add(notes float64, cells []string, column int) {
	if column < len(cells) {
		if v := number(cells[column]); v > 0 {
			c.notes, c.value = append(c.notes, notes), append(c.value, v)
		}
	}
}

var figure = regexp.MustCompile(`^[\s*]*([0-9][0-9,]*(\.[0-9]+)?)`)

// number is the number that a cell begins with, or 0.
func number(cell string) float64 {
	m := figure.FindStringSubmatch(cell)
	if m == nil {
		return 0
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
	if err != nil {
		return 0
	}
	return v
}

// panel is one chart of the picture: notes to the right by powers of ten.
type panel struct {
	title        string
	left         float64
	low, high    float64 // ends of the upward axis
	logarithmic  bool
	marks        []float64
	curves       []curve
	firstX, endX float64
}

const (
	panelWidth, panelHeight = 360.0, 300.0
	panelTop, legendAt      = 60.0, 395.0
)

func (p panel) x(notes float64) float64 {
	return p.left + (math.Log10(notes)-p.firstX)/(p.endX-p.firstX)*panelWidth
}

func (p panel) y(v float64) float64 {
	share := (v - p.low) / (p.high - p.low)
	if p.logarithmic {
		share = math.Log(v/p.low) / math.Log(p.high/p.low)
	}
	return panelTop + panelHeight*(1-share)
}

func (p panel) draw(b *strings.Builder) {
	fmt.Fprintf(b, "<text class=\"says\" x=\"%.0f\" y=\"35\">%s</text>\n", p.left, html.EscapeString(p.title))
	for _, v := range p.marks {
		fmt.Fprintf(b, "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"dim\" text-anchor=\"end\" x=\"%.0f\" y=\"%.1f\">%g</text>\n", p.left, p.left+panelWidth, p.y(v), p.y(v), p.left-8, p.y(v)+4, v)
	}
	for e, label := range []string{"1,000", "10,000", "100,000", "1,000,000"} {
		fmt.Fprintf(b, "<text class=\"dim\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.0f\">%s</text>\n", p.x(math.Pow(10, float64(e+3))), panelTop+panelHeight+20, label)
	}
	for i, c := range p.curves {
		var points []string
		for j, v := range c.value {
			points = append(points, fmt.Sprintf("%.1f,%.1f", p.x(c.notes[j]), p.y(v)))
			fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", p.x(c.notes[j]), p.y(v), c.colour)
		}
		fmt.Fprintf(b, "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", strings.Join(points, " "), c.colour)
		fmt.Fprintf(b, "<text x=\"%.0f\" y=\"%.0f\" style=\"fill:%s\">%s</text>\n", p.left+float64(i%2)*180, legendAt+18*float64(i/2), c.colour, html.EscapeString(c.name))
	}
}

// drawCosts returns both charts side by side.
func drawCosts(c costs) string {
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" width="920" height="450" viewBox="0 0 920 450">
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6dae1}.says{font-weight:bold;fill:#f0f3f6}.dim{fill:#98a1ad}line{stroke:#2b323c}</style>
<rect width="100%" height="100%" rx="8" fill="#15191f"/>
`)
	panel{title: "processor time, ms, by notes in the scope", left: 60, low: 0.1, high: 100, logarithmic: true, marks: []float64{0.1, 1, 10, 100}, curves: c.times, firstX: 3, endX: 6}.draw(&b)
	panel{title: "bytes a note, by notes in the scope", left: 500, high: 2000, marks: []float64{0, 500, 1000, 1500, 2000}, curves: c.bytes, firstX: 3, endX: 6}.draw(&b)
	return b.String() + "</svg>\n"
}
