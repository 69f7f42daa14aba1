//go:build !unix

package durable

import "os"

// acquire takes a lock directory that this process has made, or removes a stale one. It
// returns nil, nil if another process holds the lock.
func acquire(name string, made bool) (unlock func(), err error) {
	if made {
		return func() { _ = os.Remove(name) }, nil // if this fails, the lock becomes stale
	}
	if info, err := os.Lstat(name); err != nil || !isStale(info) {
		return nil, nil
	}
	return nil, breakStale(name)
}
