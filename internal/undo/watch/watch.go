// Package watch tells which entries of directories have changed, without a look at those that have not.
//
// A [Watcher] collects names while it runs; [Watcher.Drain] returns them. The kernel has queued a change before the
// system call that made it returns, so a Drain after the end of a program has all that the program changed. Changes
// through memory maps are seen when the file is opened or closed, and changes that another machine makes on a
// network mount are not seen.
package watch

import "errors"

// ErrUnsupported is returned by [Open] where the system cannot tell which entries have changed, or only at a price
// that grows with each file.
var ErrUnsupported = errors.New("directories cannot be watched on this system")

// Changes are entries that may have changed: names by the path of their directory. The name "" is the directory
// itself.
type Changes map[string]map[string]bool

// add adds an entry.
func (c Changes) add(dir, name string) {
	names := c[dir]
	if names == nil {
		names = map[string]bool{}
		c[dir] = names
	}
	names[name] = true
}
