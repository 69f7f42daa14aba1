//go:build !unix

package durable

import "os"

// hold takes the lock directory that we have made, or removes one that was left
// behind; it returns nil, nil if another has it.
func hold(name string, made bool) (unlock func(), err error) {
	if made {
		return func() { _ = os.Remove(name) }, nil // what cannot be removed gets old
	}
	if info, err := os.Lstat(name); err != nil || !stale(info) {
		return nil, nil
	}
	return nil, setAside(name)
}
