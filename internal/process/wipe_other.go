//go:build !linux

package process

// WipeEnvironment overwrites the environment that the system gave this process, where other programs can see
// it in /proc.
func WipeEnvironment() {}
