package server

import (
	"net/http"
	"strconv"
	"time"

	"daybook"
	"daybook/model"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics is what /metrics tells.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	stages   *prometheus.HistogramVec
	rows     *prometheus.CounterVec
	commits  prometheus.Counter
	notes    prometheus.Counter
	learned  prometheus.Counter
	closed   prometheus.Counter
	clashes  prometheus.Counter
	failed   prometheus.Counter
	hooks    *prometheus.CounterVec
}

// buckets are in seconds, closest where answers are fast.
var buckets = []float64{.001, .0025, .005, .01, .025, .05, .075, .1, .15, .25, .5, 1, 2.5, 5, 10, 30}

func newMetrics(waiting func() int, spending func() model.Spending) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "daybook", Name: name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "daybook", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "daybook", Name: name, Help: help, Buckets: buckets}, labels)
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("requests_total", "Requests that were answered.", "method", "path", "status"),
		seconds:  histogram("request_seconds", "How long requests took.", "path"),
		stages:   histogram("stage_seconds", "How long each stage of a read took.", "stage"),
		rows:     counters("rows_total", "Rows that reads returned, by role; historical ones are those that are labelled stale.", "role"),
		commits:  counter("commits_total", "Commits that were made."),
		notes:    counter("notes_total", "Notes and facts that were added."),
		learned:  counter("facts_learned_total", "Facts that were learned from notes."),
		closed:   counter("facts_superseded_total", "Facts that a commit superseded."),
		clashes:  counter("facts_contested_total", "Facts that a commit set against others."),
		failed:   counter("jobs_failed_total", "Jobs that were left alone after several tries."),
		hooks:    counters("webhook_deliveries_total", "Deliveries to webhooks.", "result"),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.stages, m.rows, m.commits, m.notes, m.learned, m.closed, m.clashes, m.failed, m.hooks,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "daybook", Name: "waiting_notes", Help: "Notes that wait to be learned from."},
			func() float64 { return float64(waiting()) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if spending != nil {
		m.registry.MustRegister(&spent{spending})
	}
	return m
}

// observe counts a request.
func (m *metrics) observe(r *http.Request, status int, took time.Duration) {
	path := r.Pattern
	if path == "" {
		path = "none"
	}
	m.requests.WithLabelValues(r.Method, path, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(path).Observe(took.Seconds())
}

// committed counts a commit.
func (m *metrics) committed(r daybook.Receipt) {
	m.commits.Inc()
	m.notes.Add(float64(r.Added))
	m.learned.Add(float64(r.Learned))
	m.closed.Add(float64(len(r.Closed)))
	m.clashes.Add(float64(len(r.Clashes)))
}

// returned counts a row that a read returned.
func (m *metrics) returned(role daybook.Role) {
	if role == "" {
		role = "none"
	}
	m.rows.WithLabelValues(string(role)).Inc()
}

// spent shows what language models cost.
type spent struct{ spending func() model.Spending }

var (
	modelCalls  = prometheus.NewDesc("daybook_model_calls_total", "Calls of language models.", []string{"purpose", "model"}, nil)
	modelTokens = prometheus.NewDesc("daybook_model_tokens_total", "Tokens of language models.", []string{"purpose", "model", "direction"}, nil)
	modelCost   = prometheus.NewDesc("daybook_model_cost_usd_total", "What language models cost, where their prices are known.", []string{"purpose", "model"}, nil)
)

// Describe implements prometheus.Collector.
func (s *spent) Describe(ch chan<- *prometheus.Desc) {
	ch <- modelCalls
	ch <- modelTokens
	ch <- modelCost
}

// Collect implements prometheus.Collector.
func (s *spent) Collect(ch chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	for _, a := range s.spending().Accounts {
		count(modelCalls, float64(a.Calls), a.Purpose, a.Model)
		count(modelTokens, float64(a.Usage.In), a.Purpose, a.Model, "in")
		count(modelTokens, float64(a.Usage.Out), a.Purpose, a.Model, "out")
		count(modelCost, a.CostUSD, a.Purpose, a.Model)
	}
}

// metricsPage adds /metrics.
func (s *Server) metricsPage() {
	s.Mount("GET /metrics", Read, promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{DisableCompression: true}))
}
