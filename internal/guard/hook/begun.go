package hook

import (
	"slices"
	"sync"
)

// Begun is a session that a face opens more than once, because more of it is allowed: hooks for the start that have run do not run again.
// The zero value is a session that was not open. It is safe for concurrent use.
type Begun struct {
	mu       sync.Mutex
	source   StartSource
	ran      []string
	context  string
	isPaused bool
}

// Pause makes the session that is open now close without the hooks for the end: it opens again.
func (b *Begun) Pause() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isPaused = true
}

// IsPaused reports whether the session that closes opens again; never for nil.
func (b *Begun) IsPaused() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.isPaused
}

// open notes that the session opens, and returns the source of its first opening.
func (b *Begun) open(source StartSource) StartSource {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isPaused = false; b.source == "" {
		b.source = source
	}
	return b.source
}

// left returns the hooks that have not run, and notes that they do.
func (b *Begun) left(hooks []planned) []planned {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := func(h planned) string { return h.Source.String() + ":" + h.key() }
	hooks = slices.DeleteFunc(hooks, func(h planned) bool { return slices.Contains(b.ran, name(h)) })
	for _, h := range hooks {
		b.ran = append(b.ran, name(h))
	}
	return hooks
}

// addContext adds the text of hooks for the model to that of earlier openings, and returns all of it.
func (b *Begun) addContext(text string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.context != "" && text != "" {
		text = "\n" + text
	}
	b.context += text
	return b.context
}
