package server

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// rates limit how many requests each key may send. A key that was silent may send
// as many at once as it may send in ten seconds.
type rates struct {
	mu   sync.Mutex
	keys map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
}

// allow takes one request off what a key may send. When nothing is left it returns
// after how many seconds there is.
func (r *rates) allow(key string, perMinute int, now time.Time) (ok bool, after int) {
	if perMinute <= 0 {
		return true, 0
	}
	rate := float64(perMinute) / 60
	most := max(1, rate*10)
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.keys[key]
	if b == nil {
		if r.keys == nil {
			r.keys = map[string]*bucket{}
		}
		b = &bucket{left: most, at: now}
		r.keys[key] = b
	}
	b.left = min(most, b.left+rate*now.Sub(b.at).Seconds())
	b.at = now
	if b.left < 1 {
		return false, 1 + int((1-b.left)/rate)
	}
	b.left--
	return true, 0
}

// maxStrangers is how many addresses of callers without a good key are remembered.
const maxStrangers = 10_000

// stranger refuses an address that goes on sending requests without a good key, and lets
// them no longer be written down one by one. Callers with one are not held up: behind a proxy all have the same address.
func (s *Server) stranger(r *http.Request) error {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = "unknown"
	}
	s.strangers.forget(maxStrangers)
	ok, after := s.strangers.allow(host, s.opts.Strangers, time.Now())
	if ok {
		return nil
	}
	requestOf(r.Context()).flood = true
	return &refusal{status: http.StatusTooManyRequests, detail: "too many requests without a key that opens anything", after: after}
}

// forget begins anew where too many are remembered.
func (r *rates) forget(most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) >= most {
		r.keys = nil
	}
}

// limit refuses a caller who sends too much.
func (s *Server) limit(key Key) error {
	perMinute := key.PerMinute
	if perMinute == 0 {
		perMinute = s.opts.PerMinute
	}
	if ok, after := s.rates.allow(key.ID, perMinute, time.Now()); !ok {
		return &refusal{status: http.StatusTooManyRequests, detail: "this key sends too many requests", after: after}
	}
	return nil
}
