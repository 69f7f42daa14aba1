// Package lessons remembers how to write requests for each model: the settings of its
// provider's profile or server, and the lessons from refused requests.
package lessons

import "sync"

// Memory holds a value for each model. Stored values never change: an update stores a
// new one. The zero Memory is empty and ready to use by several goroutines.
type Memory[T any] struct {
	mu     sync.RWMutex
	models map[string]*T
}

// maxModels is the most models in a memory. When it is full, all values are dropped.
const maxModels = 1000

// Get returns the value for a model, nil if there is none.
func (m *Memory[T]) Get(model string) *T {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.models[model]
}

// GetOrCreate returns the value for a model. If there is none, it stores and returns
// that of create.
func (m *Memory[T]) GetOrCreate(model string, create func() *T) *T {
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
	known := create()
	m.models[model] = known
	return known
}

// Update replaces the value for a model by the result of update, which gets a copy of
// it. It does nothing if there is no value.
func (m *Memory[T]) Update(model string, update func(known T) *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.models[model]; known != nil {
		m.models[model] = update(*known)
	}
}
