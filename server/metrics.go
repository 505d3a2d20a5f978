package server

import (
	"net/http"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"daybook"
	"daybook/model"
)

// measures is what /metrics tells. The text is Prometheus's exposition format, which
// exposition.go writes: the usual client would put 2.9 MB into the binary.
type measures struct {
	all []*family

	requests, seconds, stages, rows                  *family
	commits, notes, learned, closed, clashes, failed *family
	hooks                                            *family

	waiting  func() int
	spending func() model.Spending
}

// buckets are in seconds, closest where answers are fast.
var buckets = []float64{.001, .0025, .005, .01, .025, .05, .075, .1, .15, .25, .5, 1, 2.5, 5, 10, 30}

func newMeasures(waiting func() int, spending func() model.Spending) *measures {
	m := &measures{waiting: waiting, spending: spending}
	counter := func(name, help string, labels ...string) *family {
		f := &family{name: "daybook_" + name, help: help, kind: "counter", labels: labels}
		m.all = append(m.all, f)
		return f
	}
	histogram := func(name, help, label string) *family {
		f := counter(name, help, label)
		f.kind, f.buckets = "histogram", buckets
		return f
	}
	m.requests = counter("requests_total", "Requests that were answered.", "method", "path", "status")
	m.seconds = histogram("request_seconds", "How long requests took.", "path")
	m.stages = histogram("stage_seconds", "How long each stage of a read took.", "stage")
	m.rows = counter("rows_total", "Rows that reads returned, by role; historical ones are those that are labelled stale.", "role")
	m.commits = counter("commits_total", "Commits that were made.")
	m.notes = counter("notes_total", "Notes and facts that were added.")
	m.learned = counter("facts_learned_total", "Facts that were learned from notes.")
	m.closed = counter("facts_superseded_total", "Facts that a commit superseded.")
	m.clashes = counter("facts_contested_total", "Facts that a commit set against others.")
	m.failed = counter("jobs_failed_total", "Jobs that were left alone after several tries.")
	m.hooks = counter("webhook_deliveries_total", "Deliveries to webhooks.", "result")
	return m
}

// observe counts a request.
func (m *measures) observe(r *http.Request, status int, took time.Duration) {
	path := r.Pattern
	if path == "" {
		path = "none"
	}
	m.requests.Inc(methodOf(r), path, strconv.Itoa(status))
	m.seconds.Observe(took.Seconds(), path)
}

// committed counts a commit.
func (m *measures) committed(r daybook.Receipt) {
	m.commits.Inc()
	m.notes.Add(float64(r.Added))
	m.learned.Add(float64(r.Learned))
	m.closed.Add(float64(len(r.Closed)))
	m.clashes.Add(float64(len(r.Clashes)))
}

// returned counts a row that a read returned.
func (m *measures) returned(role daybook.Role) {
	if role == "" {
		role = "none"
	}
	m.rows.Inc(string(role))
}

// now is what is read at the time of asking: the queue, what models cost, the process.
func (m *measures) now() []*family {
	all := []*family{gauge("daybook_waiting_notes", "Notes that wait to be learned from.", float64(m.waiting()))}
	if m.spending != nil {
		all = append(all, spent(m.spending())...)
	}
	return append(all, process()...)
}

func gauge(name, help string, v float64) *family {
	f := &family{name: name, help: help, kind: "gauge"}
	f.Add(v)
	return f
}

// spent shows what language models cost.
func spent(s model.Spending) []*family {
	calls := &family{name: "daybook_model_calls_total", help: "Calls of language models.", kind: "counter", labels: []string{"purpose", "model"}}
	tokens := &family{name: "daybook_model_tokens_total", help: "Tokens of language models.", kind: "counter", labels: []string{"purpose", "model", "direction"}}
	cost := &family{name: "daybook_model_cost_usd_total", help: "What language models cost, where their prices are known.", kind: "counter", labels: []string{"purpose", "model"}}
	for _, a := range s.Accounts {
		calls.Add(float64(a.Calls), a.Purpose, a.Model)
		tokens.Add(float64(a.Usage.In), a.Purpose, a.Model, "in")
		tokens.Add(float64(a.Usage.Out), a.Purpose, a.Model, "out")
		cost.Add(a.CostUSD, a.Purpose, a.Model)
	}
	return []*family{calls, tokens, cost}
}

// process shows the process by the names that dashboards know.
func process() []*family {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(sample)
	all := []*family{
		gauge("go_goroutines", "Goroutines that there are.", float64(runtime.NumGoroutine())),
		gauge("go_memstats_heap_alloc_bytes", "Bytes of objects on the heap.", float64(sample[0].Value.Uint64())),
		gauge("daybook_go_cpu_seconds", "Processor time of Go code, as the runtime estimates it.", sample[1].Value.Float64()),
	}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil { // Linux only
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseFloat(fields[1], 64)
			all = append(all, gauge("process_resident_memory_bytes", "Resident memory.", pages*float64(os.Getpagesize())))
		}
	}
	return all
}

// metricsPattern tells of all tenants, so it takes a key that may do everything.
const metricsPattern = "GET /metrics"

// metricsPage adds /metrics.
func (s *Server) metricsPage() {
	s.Mount(metricsPattern, Admin, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = expose(w, append(s.metrics.now(), s.metrics.all...))
	}))
}
