package hook

import (
	"sync"

	"pollux/internal/charset"
)

// capture keeps the beginning of a stream until it is taken.
type capture struct {
	mu      sync.Mutex
	kept    []byte
	isTaken bool
	isCut   bool // something did not fit
}

// Write keeps the part of p that fits, and reports all of p as written.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isTaken {
		n := min(max(maxStream-len(c.kept), 0), len(p))
		c.kept, c.isCut = append(c.kept, p[:n]...), c.isCut || n < len(p)
	}
	return len(p), nil
}

// take returns the kept text as valid UTF-8, and whether something did not fit. Later writes are
// dropped.
func (c *capture) take() (text string, isCut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text = charset.Text(c.kept)
	c.kept, c.isTaken = nil, true
	return text, c.isCut
}
