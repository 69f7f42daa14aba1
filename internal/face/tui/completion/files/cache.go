package files

import (
	"context"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/workspace"
)

// cacheAge is the age after which the workspace is walked again, and staleWait how long a search waits for that before
// it uses the older index.
const (
	cacheAge  = 30 * time.Second
	staleWait = 100 * time.Millisecond
)

// cache has the index of a workspace, and walks the workspace in the background. A search that ends early does not end
// the walk: the next one needs it.
type cache struct {
	w      *workspace.Workspace
	o      Options
	now    func() time.Time
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	index   *index
	began   time.Time     // of the walk that made index or is running
	running chan struct{} // closed when the walk ends; nil if none is running
	isOld   bool          // files have changed
}

func newCache(o Options) *cache {
	c := &cache{w: o.Workspace, o: o, now: o.Now}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// forget makes the next search walk the workspace again.
func (c *cache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isOld = true
}

// close ends the walk. It does not wait long, because a disk that does not answer holds up the walk.
func (c *cache) close() {
	c.cancel()
	c.mu.Lock()
	running := c.running
	c.mu.Unlock()
	if running == nil {
		return
	}
	select {
	case <-running:
	case <-time.After(time.Second):
	}
}

// get returns the index, after a walk if it is missing or old; nil if ctx ends before there is one.
func (c *cache) get(ctx context.Context) *index {
	old, running := c.refresh()
	if running == nil {
		return old
	}
	wait := c.o.Timeout
	if old != nil {
		wait = staleWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case <-running:
	case <-ctx.Done():
		return old
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.index
}

// refresh begins a walk if one is due. It returns the index, nil if there is none yet, and the channel that is closed
// at the end of the walk, nil if none is running.
func (c *cache) refresh() (*index, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil || c.ctx.Err() != nil {
		return c.index, c.running
	}
	now := c.now()
	if c.index != nil && !c.isOld && now.Sub(c.began) < cacheAge {
		return c.index, nil
	}
	c.began, c.isOld, c.running = now, false, make(chan struct{})
	go c.walk(c.running)
	return c.index, c.running
}

func (c *cache) walk(done chan<- struct{}) {
	defer close(done)
	defer crash.Recover()
	ctx, cancel := context.WithTimeout(c.ctx, c.o.Timeout)
	defer cancel()
	x := walkAll(ctx, c.w, c.o.MaxFiles, !c.o.IsFlat)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index, c.running = x, nil
}
