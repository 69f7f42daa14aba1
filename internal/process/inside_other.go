//go:build !linux

package process

// Inside returns the processes whose working directory is dir or below it. It returns none on this
// system.
func Inside(string) []int { return nil }
