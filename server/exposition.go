package server

import (
	"bufio"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// family is one metric of /metrics: a number, or a histogram where it has buckets,
// for each set of label values. It may be used by many at once.
type family struct {
	name, help string
	kind       string // counter, gauge or histogram
	labels     []string
	buckets    []float64 // upper bounds, rising

	mu     sync.Mutex
	series map[string]*series // by the label values as they are written
}

type series struct {
	sum    float64
	counts []uint64 // of each bucket, and of what lies beyond
}

// Add adds to the number that has these label values.
func (f *family) Add(v float64, values ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at(values).sum += v
}

// Inc adds one.
func (f *family) Inc(values ...string) { f.Add(1, values...) }

// Observe puts a value into the histogram that has these label values.
func (f *family) Observe(v float64, values ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.at(values)
	s.sum += v
	s.counts[sort.SearchFloat64s(f.buckets, v)]++
}

// maxSeries is how many sets of label values a family has; all further ones are counted
// together.
const maxSeries = 2000

func (f *family) at(values []string) *series {
	key := f.written(values)
	s := f.series[key]
	if s == nil && len(f.series) >= maxSeries {
		key = f.written(slices.Repeat([]string{"other"}, len(f.labels)))
		s = f.series[key]
	}
	if s == nil {
		s = &series{counts: make([]uint64, len(f.buckets)+1)}
		if f.series == nil {
			f.series = map[string]*series{}
		}
		f.series[key] = s
	}
	return s
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// written is name="value" of each label, with commas.
func (f *family) written(values []string) string {
	pairs := make([]string, len(f.labels))
	for i, label := range f.labels {
		pairs[i] = label + `="` + escaped.Replace(values[i]) + `"`
	}
	return strings.Join(pairs, ",")
}

// write prints the family as Prometheus reads it, label values in order.
func (f *family) write(w *bufio.Writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = w.WriteString("# HELP " + f.name + " " + f.help + "\n# TYPE " + f.name + " " + f.kind + "\n")
	keys := make([]string, 0, len(f.series))
	for key := range f.series {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	if len(f.labels) == 0 && len(keys) == 0 {
		line(w, f.name, "", 0)
	}
	for _, key := range keys {
		if f.kind == "histogram" {
			f.writeHistogram(w, key)
			continue
		}
		line(w, f.name, key, f.series[key].sum)
	}
}

func (f *family) writeHistogram(w *bufio.Writer, key string) {
	s, below := f.series[key], uint64(0)
	for i, n := range s.counts {
		below += n
		bound := "+Inf"
		if i < len(f.buckets) {
			bound = number(f.buckets[i])
		}
		line(w, f.name+"_bucket", join(key, `le="`+bound+`"`), float64(below))
	}
	line(w, f.name+"_sum", key, s.sum)
	line(w, f.name+"_count", key, float64(below))
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "," + b
}

func line(w *bufio.Writer, name, labels string, v float64) {
	if labels != "" {
		labels = "{" + labels + "}"
	}
	_, _ = w.WriteString(name + labels + " " + number(v) + "\n")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// expose writes families, in their order.
func expose(out io.Writer, families []*family) error {
	w := bufio.NewWriter(out)
	for _, f := range families {
		f.write(w)
	}
	return w.Flush()
}
