package engine

import (
	"slices"
	"sync"

	"daybook"
)

// pooledScopes is how many scopes a pool holds.
const pooledScopes = 256

// scopePool holds something derived of the scopes that were met last. What it
// gives may be in use by others: T guards itself.
type scopePool[T any] struct {
	empty  func() *T
	mu     sync.Mutex
	scopes map[daybook.Scope]*T
	order  []daybook.Scope
}

func newScopePool[T any](empty func() *T) *scopePool[T] {
	return &scopePool[T]{empty: empty, scopes: map[daybook.Scope]*T{}}
}

// of returns what is held of a scope, empty at first; the scope that was met
// first may have to go for it.
func (p *scopePool[T]) of(scope daybook.Scope) *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if held := p.scopes[scope]; held != nil {
		return held
	}
	if len(p.order) == pooledScopes {
		delete(p.scopes, p.order[0])
		p.order = p.order[1:]
	}
	held := p.empty()
	p.scopes[scope] = held
	p.order = append(p.order, scope)
	return held
}

// held are the scopes that something is held of.
func (p *scopePool[T]) held() []daybook.Scope {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.order)
}

// drop forgets what is held of a scope: something in it was erased.
func (p *scopePool[T]) drop(scope daybook.Scope) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.scopes, scope)
	p.order = slices.DeleteFunc(p.order, func(s daybook.Scope) bool { return s == scope })
}
