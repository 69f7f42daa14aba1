//go:build !linux

package watch

// Watcher watches directories. There is none on this system.
type Watcher struct{}

// Open returns [ErrUnsupported].
func Open() (*Watcher, error) { return nil, ErrUnsupported }

// Add returns [ErrUnsupported].
func (*Watcher) Add(string) error { return ErrUnsupported }

// Has returns false.
func (*Watcher) Has(string) bool { return false }

// Remove does nothing.
func (*Watcher) Remove(string) {}

// Drain reports that entries may have changed.
func (*Watcher) Drain() (Changes, bool) { return nil, true }

// Close does nothing.
func (*Watcher) Close() {}
