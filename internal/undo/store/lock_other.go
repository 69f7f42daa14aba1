//go:build !unix

package store

import "os"

// hold takes the lock at path until it is released, by the end of the process if not before. It is nil if another
// process holds it: a file that is open cannot be removed here.
func hold(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, nil
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}
