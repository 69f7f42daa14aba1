// Package lessons remembers of each model how it is spoken to: what its provider's
// profile or its server says, and what it has taught by refusing a request.
package lessons

import "sync"

// Memory holds what is known of the models that were asked for. A value does not
// change once it is in it: a lesson puts another one in its place. The zero value
// is empty and ready to use, also by several goroutines.
type Memory[T any] struct {
	mu     sync.RWMutex
	models map[string]*T
}

// maxModels bounds a memory; beyond it all is forgotten.
const maxModels = 1000

// Get returns what is known of a model, nil for nothing.
func (m *Memory[T]) Get(model string) *T {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.models[model]
}

// Of returns what is known of a model. Where that is nothing it is what first
// returns from now on.
func (m *Memory[T]) Of(model string, first func() *T) *T {
	if known := m.Get(model); known != nil {
		return known
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.models[model]; known != nil {
		return known
	}
	if m.models == nil || len(m.models) >= maxModels {
		m.models = make(map[string]*T)
	}
	known := first()
	m.models[model] = known
	return known
}

// Learn puts in the place of what is known of a model what after makes of a copy
// of it. Of a model that is not known nothing is learned.
func (m *Memory[T]) Learn(model string, after func(known T) *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.models[model]; known != nil {
		m.models[model] = after(*known)
	}
}
