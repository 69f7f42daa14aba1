//go:build !linux

package process

// Seal keeps other processes of the same user out of this one, where the system can do that.
func Seal() {}

// isFirstThread returns false: no thread is different from others here.
func isFirstThread() bool { return false }
