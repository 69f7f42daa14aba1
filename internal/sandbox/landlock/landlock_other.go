//go:build !linux

package landlock

// Version returns 0: this system has no Landlock.
func Version() int { return 0 }
