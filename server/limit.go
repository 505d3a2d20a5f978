package server

import (
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
