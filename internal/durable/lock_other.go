//go:build !unix

package durable

import "os"

// acquire takes a lock directory that this process has made, or removes a stale one. It
// returns nil, nil if another process holds the lock. The holder keeps the directory open: Windows
// then refuses to rename or remove it, so that a lock is stale only if its holder has ended.
func acquire(name string, made bool) (unlock func(), err error) {
	if !made {
		if info, err := os.Lstat(name); err != nil || !isStale(info) {
			return nil, nil
		}
		return nil, breakStale(name)
	}
	dir, err := os.Open(name)
	if err != nil {
		return nil, nil // another process has found it stale
	}
	return func() {
		_ = dir.Close()
		_ = os.Remove(name) // if this fails, the lock becomes stale, or is that of another process
	}, nil
}
