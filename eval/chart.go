package eval

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
)

// colours is how many the page has; systems beyond share them.
const colours = 8

// chart is an SVG picture being drawn. Colours are classes, so that the page can
// show it in the light and in the dark. Texts are escaped.
type chart struct{ b strings.Builder }

type box struct{ x, y, w, h float64 }

func newChart(width, height int, title string) *chart {
	c := &chart{}
	title = html.EscapeString(title)
	fmt.Fprintf(&c.b, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s"><title>%s</title>`, width, height, width, height, title, title)
	return c
}

func (c *chart) end() markup {
	c.b.WriteString("</svg>")
	return markup(c.b.String())
}

func (c *chart) text(x, y float64, anchor, s string) {
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(s))
}

func (c *chart) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&c.b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>`, x1, y1, x2, y2, class)
}

// bar draws a box in a system's colour, with words for who points at it.
func (c *chart) bar(at box, colour int, tip string) {
	fmt.Fprintf(&c.b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="1.5" class="f%d"><title>%s</title></rect>`,
		at.x, at.y, max(at.w, 0), max(at.h, 0), colour%colours, html.EscapeString(tip))
}

// barChart has a group of bars per category, a bar per system, with intervals.
func barChart(r *Report, rows []pageRow, metric string) markup {
	const width, left, right, bar, gap = 1000, 220, 60, 13, 14
	group := float64(len(r.Systems)*bar + gap)
	height := 24 + group*float64(len(rows)) + 8
	c := newChart(width, int(height), metric+" by category and system")
	x := func(v float64) float64 { return left + v*(width-left-right) }
	for i := range 5 {
		v := float64(i) / 4
		c.line(x(v), 20, x(v), height-8, "grid")
		c.text(x(v), 14, "middle", short(v))
	}
	for i, row := range rows {
		top := 24 + group*float64(i)
		c.text(left-8, top+group/2-2, "end", fmt.Sprintf("%s (%d)", clip(row.Name, 26), row.N))
		for j, v := range row.Cells {
			y := top + float64(j*bar)
			c.bar(box{left, y + 1, x(v.Mean) - left, bar - 2}, j, fmt.Sprintf("%s, %s: %.3f (%.3f–%.3f), n %d", row.Name, r.Systems[j].Name, v.Mean, v.Low, v.High, v.N))
			if v.N > 0 {
				c.line(x(v.Low), y+bar/2.0, x(v.High), y+bar/2.0, "interval")
			}
			c.text(x(max(v.High, v.Mean))+4, y+bar-3, "start", fmt.Sprintf("%.3f", v.Mean))
		}
	}
	return c.end()
}

// curveChart shows recall at every depth, a line per system.
func curveChart(d Dataset, r *Report) markup {
	const width, height, left, bottom, right = 1000, 340, 44, 40, 140
	c := newChart(width, height, "Recall by depth of the ranking, a line per system")
	depth := slices.Max(r.Ks)
	x := func(k int) float64 { return left + float64(k-1)/float64(max(1, depth-1))*(width-left-right) }
	y := func(v float64) float64 { return 12 + (1-v)*(height-bottom-12) }
	for i := range 5 {
		v := float64(i) / 4
		c.line(left, y(v), width-right, y(v), "grid")
		c.text(left-6, y(v)+4, "end", short(v))
	}
	for _, k := range r.Ks {
		c.text(x(k), height-bottom+18, "middle", strconv.Itoa(k))
	}
	c.text((left+width-right)/2, height-4, "middle", "k: rows looked at")
	ends := make([]float64, len(r.Systems))
	for i, s := range r.Systems {
		curve := recallCurve(d, s, depth)
		c.curve(s.Name, i, curve, r.Ks, func(k int) (float64, float64) { return x(k), y(curve[k-1]) })
		ends[i] = y(curve[depth-1])
	}
	for i, at := range spread(ends, 14) {
		c.bar(box{width - right + 10, at - 5, 9, 9}, i, r.Systems[i].Name)
		c.text(width-right+24, at+4, "start", clip(r.Systems[i].Name, 18))
	}
	return c.end()
}

// curve draws the line of one system, with dots at the depths that are measured.
func (c *chart) curve(name string, colour int, curve []float64, ks []int, at func(k int) (x, y float64)) {
	fmt.Fprintf(&c.b, `<polyline class="l%d" points="`, colour%colours)
	for k := range curve {
		x, y := at(k + 1)
		fmt.Fprintf(&c.b, "%.1f,%.1f ", x, y)
	}
	fmt.Fprintf(&c.b, `"><title>%s</title></polyline>`, html.EscapeString(name))
	for _, k := range ks {
		x, y := at(k)
		fmt.Fprintf(&c.b, `<circle cx="%.1f" cy="%.1f" r="3.5" class="f%d"><title>%s</title></circle>`, x, y, colour%colours,
			html.EscapeString(fmt.Sprintf("%s: R@%d %.3f", name, k, curve[k-1])))
	}
}

// spread moves places that are nearer than a gap apart, the lower ones downwards.
func spread(places []float64, gap float64) []float64 {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	out := slices.Clone(places)
	for i := 1; i < len(order); i++ {
		out[order[i]] = max(out[order[i]], out[order[i-1]]+gap)
	}
	return out
}

// latencyChart shows how long the questions of one system took.
func latencyChart(s SystemReport, colour int) markup {
	const width, height, left, right, bottom = 360, 150, 34, 22, 34
	c := newChart(width, height, s.Name+": questions by time of recall")
	counts, from := slots(s.Times.Recall)
	if len(counts) == 0 {
		c.text(width/2, height/2, "middle", "no times")
		return c.end()
	}
	most, step, every := slices.Max(counts), float64(width-left-right)/float64(len(counts)), 1+len(counts)/7
	upTo := from
	for i, n := range counts {
		h := float64(height-bottom-20) * float64(n) / float64(most)
		x := left + float64(i)*step
		if n > 0 {
			c.bar(box{x + 1, height - bottom - h, step - 2, h}, colour, fmt.Sprintf("%s to %s ms: %d", short(upTo/2), short(upTo), n))
		}
		if i%every == 0 {
			c.text(x+step, height-bottom+14, "middle", short(upTo))
		}
		upTo *= 2
	}
	c.line(left, height-bottom, width-right, height-bottom, "axis")
	c.text(left-4, 24, "end", strconv.Itoa(most))
	c.text(width/2, height-4, "middle", "up to … ms")
	return c.end()
}

// slots are the buckets with the empty ones between them, and how far the first
// of them reaches.
func slots(buckets []Bucket) (counts []int, from float64) {
	if len(buckets) == 0 {
		return nil, 0
	}
	from = buckets[0].UpToMS
	upTo := from
	for _, b := range buckets {
		for ; upTo < b.UpToMS; upTo *= 2 {
			counts = append(counts, 0)
		}
		counts = append(counts, b.N)
		upTo *= 2
	}
	return counts, from
}

// short shows a number with two digits that matter, or whole.
func short(f float64) string {
	if f >= 10 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 2, 64)
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
