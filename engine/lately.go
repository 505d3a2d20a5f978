package engine

import "sync"

// lately keeps what was made or asked for lately, so that it is not made again. It has
// two generations of at most so many each: what is not asked for while one fills is
// forgotten. What it gives is shared and must not be changed. It is safe for use by many
// goroutines.
type lately[K comparable, V any] struct {
	most       int
	mu         sync.Mutex
	young, old map[K]V
}

func newLately[K comparable, V any](most int) *lately[K, V] {
	return &lately[K, V]{most: most, young: map[K]V{}}
}

func (l *lately[K, V]) get(key K) (v V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v, ok = l.young[key]; ok {
		return v, true
	}
	if v, ok = l.old[key]; ok {
		l.keep(key, v)
	}
	return v, ok
}

func (l *lately[K, V]) put(key K, v V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(key, v)
}

func (l *lately[K, V]) keep(key K, v V) {
	if len(l.young) >= l.most {
		l.old, l.young = l.young, map[K]V{}
	}
	l.young[key] = v
}
